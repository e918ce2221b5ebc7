//! Every target on stable: what once broke it (`testdata/regressions/TARGET/*`), and seeded inputs.
//!
//! `UNBAKE_REPLAY` asks for another number of seeded inputs a target, `UNBAKE_TARGET` for one target alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use unbake_fuzz::{Seeded, TARGETS, Target};

#[test]
fn regressions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/regressions");
    for entry in std::fs::read_dir(&folder).expect("testdata/regressions") {
        let path = entry.expect("an entry").path();
        if !path.is_dir() {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let target = TARGETS.iter().find(|target| target.name == name);
        let target = target.unwrap_or_else(|| panic!("no target `{name}`"));
        for file in std::fs::read_dir(&path).expect("a folder") {
            let file = file.expect("an entry").path();
            let data = std::fs::read(&file).expect("a file");
            attempt(target, &data, &file.display().to_string());
        }
    }
}

#[test]
fn seeded() {
    let asked = std::env::var("UNBAKE_REPLAY").ok();
    let rounds = asked.and_then(|asked| asked.parse().ok()).unwrap_or(10_000);
    let only = std::env::var("UNBAKE_TARGET").ok();
    let chosen = |target: &&Target| only.as_ref().is_none_or(|name| name == target.name);
    assert!(
        TARGETS.iter().any(|target| chosen(&target)),
        "no target {only:?}"
    );
    for target in TARGETS.iter().filter(chosen) {
        for seed in 0..rounds {
            let mut seeded = Seeded::new(seed);
            let mut data = (target.make)(&seeded.choices(24));
            // Every third input is damaged: bytes changed, a piece cut off or doubled.
            if seed % 3 == 0 {
                for _ in 0..=seeded.below(4) {
                    damage(&mut data, &mut seeded);
                }
            }
            attempt(target, &data, &format!("seed {seed}"));
        }
        println!("{}: {rounds} seeded inputs", target.name);
    }
}

fn damage(data: &mut Vec<u8>, seeded: &mut Seeded) {
    let at = seeded.below(data.len());
    match seeded.below(4) {
        0 => data.truncate(at),
        1 => data.insert(at, seeded.below(256) as u8),
        2 if at < data.len() => {
            let piece = data[at..(at + 8).min(data.len())].to_vec();
            data.splice(at..at, piece);
        }
        _ => {
            if let Some(byte) = data.get_mut(at) {
                *byte = seeded.below(256) as u8;
            }
        }
    }
}

/// Says which input it was before the panic goes on.
fn attempt(target: &Target, data: &[u8], what: &str) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(data))) {
        eprintln!("{}: {what}", target.name);
        std::panic::resume_unwind(panic);
    }
}
