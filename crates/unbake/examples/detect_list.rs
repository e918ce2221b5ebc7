//! Prints path, encoding, margin, language, runner-up and probability for each path on standard input.
#![allow(clippy::print_stdout)]

use std::io::BufRead as _;

use unbake::detect::{Detector, Hints};

fn main() -> std::io::Result<()> {
    let all = std::env::args().any(|a| a == "--all");
    let allow_utf_8 = !std::env::args().any(|a| a == "--deny-utf-8");
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let bytes = std::fs::read(&path)?;
        let mut detector = Detector::new(Hints {
            allow_utf_8,
            ..Hints::default()
        });
        detector.feed(&bytes);
        let ascii = detector.is_ascii();
        let (guess, ranked) = detector.rank();
        match guess {
            Some(g) => println!(
                "{path}\t{}\t{:.1}\t{}\t{}\t{:.4}",
                g.encoding,
                g.margin.unwrap_or(999.0),
                g.language.unwrap_or("-"),
                g.runner_up.map_or("-", |e| e.name()),
                g.probability
            ),
            None => println!(
                "{path}\t{}\t0\t-\t-\t0",
                if ascii { "ASCII" } else { "none" }
            ),
        }
        if all {
            for r in ranked.iter().take(8) {
                println!("#\t{}\t{}\t{:.1}", r.encoding, r.language, r.score);
            }
        }
    }
    Ok(())
}
