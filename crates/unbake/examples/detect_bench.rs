//! Times the detector on the files named on standard input: megabytes a second, median microseconds.
#![allow(clippy::print_stdout)]

use std::io::BufRead as _;
use std::time::{Duration, Instant};

use unbake::detect::{Detector, Hints};

fn main() -> std::io::Result<()> {
    let mut files = Vec::new();
    for path in std::io::stdin().lock().lines() {
        files.push(std::fs::read(path?)?);
    }
    let mut times = vec![Duration::MAX; files.len()];
    for _ in 0..5 {
        for (bytes, best) in files.iter().zip(&mut times) {
            let start = Instant::now();
            let mut detector = Detector::new(Hints {
                allow_utf_8: true,
                ..Hints::default()
            });
            detector.feed(bytes);
            std::hint::black_box(detector.finish());
            *best = start.elapsed().min(*best);
        }
    }
    let total: Duration = times.iter().sum();
    let bytes: usize = files.iter().map(Vec::len).sum();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    println!(
        "{} files, {:.1} MB/s, median {:.1} us, 90 % {:.1} us, worst {:.1} us",
        files.len(),
        bytes as f64 / total.as_secs_f64() / 1e6,
        median.as_secs_f64() * 1e6,
        times
            .get(times.len() * 9 / 10)
            .copied()
            .unwrap_or_default()
            .as_secs_f64()
            * 1e6,
        times.last().copied().unwrap_or_default().as_secs_f64() * 1e6
    );
    Ok(())
}
