//! What an audit adds to decoding the same archive. CPU time, one core; run by `bench/audit.sh`.
//!
//! `cargo run --release -p unbake-io --example audit_cost [PAGES]`

use std::hint::black_box;
use std::io::Write;
use std::sync::atomic::AtomicU64;

use unbake_io::audit::{HOST_CAP, Run};
use unbake_io::batch::Progress;
use unbake_io::generate::{Packing, Recipe, archive};
use unbake_io::{From, Input, Reading, Seen, Tasks};

/// User and system time of this process, in seconds.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: Vec<f64> = stat
        .split(' ')
        .skip(13)
        .take(2)
        .filter_map(|t| t.parse().ok())
        .collect();
    ticks.iter().sum::<f64>() / 100.0
}

fn timed(run: impl FnOnce() -> u64) -> (f64, u64) {
    let start = cpu();
    let out = run();
    (cpu() - start, out)
}

/// Reads, decides, decodes; nothing else.
fn decode(input: &Input, reading: &Reading) -> u64 {
    let uncounted = AtomicU64::new(0);
    let Ok(mut tasks) = Tasks::open(input, reading, &uncounted) else {
        return 0;
    };
    let mut bytes = 0;
    while let Some(task) = tasks.next() {
        if let Seen::Document(document) = task.see("bench", reading) {
            let decoded = unbake::decode(&document.body, &document.context);
            bytes += black_box(decoded).text.len() as u64;
        }
        tasks.recycle(task);
    }
    bytes
}

fn main() -> std::io::Result<()> {
    let pages = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(2000);
    let recipe = Recipe {
        pages,
        length: 15_000..150_000,
        packing: Packing::GzipMembers,
        codings: false,
        company: false,
        ..Recipe::default()
    };
    let path =
        std::env::temp_dir().join(format!("unbake-audit-cost-{}.warc.gz", std::process::id()));
    std::fs::write(&path, archive(&recipe).bytes)?;
    let input = Input {
        path: path.clone(),
        from: From::Warc,
    };
    let run = Run {
        reading: Reading::default(),
        threads: 1,
        host_cap: HOST_CAP,
        columns: None,
    };
    let (mut plain, mut audited, mut bytes) = (f64::MAX, f64::MAX, 0);
    // In turn, so that a busy neighbour disturbs both.
    for _ in 0..5 {
        let (seconds, out) = timed(|| decode(&input, &run.reading));
        (plain, bytes) = (plain.min(seconds), out);
        let (seconds, _) = timed(|| {
            let audit = run.audit(std::slice::from_ref(&input), &Progress::default());
            audit.map_or(0, |audit| black_box(audit).all.pages)
        });
        audited = audited.min(seconds);
    }
    std::fs::remove_file(path)?;
    writeln!(
        std::io::stdout(),
        "{pages} pages, {bytes} bytes of text, best of 5: decoded {plain:.2} s, audited {audited:.2} s: the audit adds {:.1} %",
        (audited / plain - 1.0) * 100.0
    )
}
