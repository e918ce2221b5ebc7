//! The line on a terminal: how much, how fast, how long still.

use std::io::{self, IsTerminal, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use unbake_io::Input;
use unbake_io::batch::Progress;

/// Nothing is shown for work shorter than this.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does `work`, with a line on standard error while it lasts. No line where standard error is no terminal, or where
/// the data goes to the same terminal.
pub(crate) fn with_progress<T>(
    inputs: &[Input],
    data_on_stdout: bool,
    progress: &Progress,
    work: impl FnOnce() -> T,
) -> T {
    let shown = io::stderr().is_terminal() && !(data_on_stdout && io::stdout().is_terminal());
    if !shown {
        return work();
    }
    let total = inputs.iter().map(|input| size(&input.path)).sum();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| show(progress, total, &done));
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

/// Bytes of a file, or of all files in a directory; 0 where that can not be known.
fn size(path: &Path) -> u64 {
    let Ok(metadata) = path.symlink_metadata() else {
        return 0;
    };
    if metadata.is_dir() {
        let entries = path.read_dir().into_iter().flatten().flatten();
        return entries.map(|entry| size(&entry.path())).sum();
    }
    path.metadata().map_or(0, |metadata| metadata.len())
}

fn show(progress: &Progress, total: u64, done: &AtomicBool) {
    let start = Instant::now();
    let mut shown = false;
    while !done.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(100));
        let elapsed = start.elapsed();
        if elapsed < PATIENCE {
            continue;
        }
        shown = true;
        let bytes = progress.bytes.load(Ordering::Relaxed);
        let documents = progress.documents.load(Ordering::Relaxed);
        let line = format!("\r{}\x1B[K", line(documents, bytes, total, elapsed));
        let _nobody_looks = io::stderr().write_all(line.as_bytes());
    }
    if shown {
        let _nobody_looks = io::stderr().write_all(b"\r\x1B[K");
    }
}

/// `1200 documents, 34 of 100 MB, 8.5 MB/s, 8 s left`
fn line(documents: u64, bytes: u64, total: u64, elapsed: Duration) -> String {
    let milliseconds = u64::try_from(elapsed.as_millis())
        .unwrap_or(u64::MAX)
        .max(1);
    // Bytes a millisecond are kilobytes a second.
    let rate = bytes / milliseconds;
    let rate = format!("{}.{} MB/s", rate / 1000, rate / 100 % 10);
    let megabytes = bytes / 1_000_000;
    if total == 0 || bytes == 0 {
        return format!("{documents} documents, {megabytes} MB, {rate}");
    }
    let left = total.saturating_sub(bytes).saturating_mul(milliseconds) / bytes / 1000;
    let left = match left {
        0..120 => format!("{left} s"),
        120..7200 => format!("{} min", left / 60),
        _ => format!("{} h", left / 3600),
    };
    format!(
        "{documents} documents, {megabytes} of {} MB, {rate}, {left} left",
        total / 1_000_000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let second = Duration::from_secs(1);
        assert_eq!(
            line(1200, 34_000_000, 100_000_000, second * 4),
            "1200 documents, 34 of 100 MB, 8.5 MB/s, 7 s left"
        );
        assert_eq!(line(3, 5_500_000, 0, second), "3 documents, 5 MB, 5.5 MB/s");
        assert_eq!(line(0, 0, 10, second), "0 documents, 0 MB, 0.0 MB/s");
        assert_eq!(
            line(1, 1_000_000, 20_000_000_000, second * 10),
            "1 documents, 1 of 20000 MB, 0.1 MB/s, 55 h left"
        );
    }
}
