//! Scores the detector on a list of variants: `detect_score VARIANTS.jsonl [--wrong] [--time]`.
//!
//! Right is what decodes to the identical text; exact is the same name. Each line of the list holds `variant`, `path`,
//! `encoding` and `language`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::format_push_string
)] // truth is what encoding_rs decodes

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;
use unbake::detect::{Candidates, Detector, Hints};

#[derive(Default)]
struct Tally {
    files: usize,
    right: usize,
    exact: usize,
    nanos: Vec<u64>,
    bytes: usize,
}

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wrong = arguments.iter().any(|a| a == "--wrong");
    let timed = arguments.iter().any(|a| a == "--time");
    let list = std::fs::read_to_string(&arguments[0])?;
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for line in list.lines() {
        let row: Value = serde_json::from_str(line)?;
        let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let Some(truth) = encoding_rs::Encoding::for_label(text("encoding").as_bytes()) else {
            continue;
        };
        let bytes = std::fs::read(text("path"))?;
        if bytes.is_ascii() && truth != encoding_rs::ISO_2022_JP {
            continue;
        }
        let browsers = row["candidates"] == "browsers";
        let hints = Hints {
            tld: row["tld"].as_str().map(str::to_owned),
            allow_utf_8: !browsers,
            candidates: if browsers {
                Candidates::Browsers
            } else {
                Candidates::Web
            },
            ..Hints::default()
        };
        let guess = || {
            let mut detector = Detector::new(hints.clone());
            detector.feed(&bytes);
            detector.guess()
        };
        let answer = guess();
        let tally = tallies.entry(text("variant")).or_default();
        if timed {
            let mut best = u64::MAX;
            for _ in 0..5 {
                let start = Instant::now();
                std::hint::black_box(guess());
                best = best.min(start.elapsed().as_nanos() as u64);
            }
            tally.nanos.push(best);
            tally.bytes += bytes.len();
        }
        let want = truth.decode_with_bom_removal(&bytes).0;
        let got = answer.map(|g| encoding_rs::Encoding::for_label(g.encoding.name().as_bytes()));
        let got = got.flatten();
        let right = got.is_some_and(|e| e.decode_with_bom_removal(&bytes).0 == want);
        tally.files += 1;
        tally.right += usize::from(right);
        tally.exact += usize::from(got == Some(truth));
        if wrong && !right {
            println!(
                "{}\t{}\t{}\t{}\t{}",
                text("variant"),
                truth.name(),
                got.map_or("none", |e| e.name()),
                text("language"),
                text("path")
            );
        }
    }
    for (name, tally) in &mut tallies {
        let percent = |n: usize| 100.0 * n as f64 / tally.files as f64;
        let mut line = format!(
            "{name}: {} files, {:.2} % right, {:.2} % exact",
            tally.files,
            percent(tally.right),
            percent(tally.exact)
        );
        if timed {
            tally.nanos.sort_unstable();
            let sum: u64 = tally.nanos.iter().sum();
            let median = tally.nanos[tally.nanos.len() / 2];
            line += &format!(
                ", {:.0} MB/s, median {:.1} us",
                tally.bytes as f64 * 1e3 / sum as f64,
                median as f64 / 1e3
            );
        }
        println!("{line}");
    }
    Ok(())
}
