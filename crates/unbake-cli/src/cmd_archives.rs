//! `unbake batch` over crawl archives: a file of rows and a manifest for each.

use std::io::{IsTerminal, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use unbake_io::batch::{Batch, Counts, Progress, archives};
use unbake_io::{Form, Limits, Options};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::messages::{CliError, Exit, say};

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  unbake archives crawl/ --out rows --to parquet --resume")]
pub(crate) struct ArchivesArgs {
    /// WARC files and directories of them; `-` is standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// Directory for the rows and the manifests
    #[arg(long, value_name = "DIRECTORY")]
    out: PathBuf,
    /// Form of the rows
    #[arg(long, value_enum, default_value = "parquet")]
    to: To,
    /// Pass over inputs whose manifest matches
    #[arg(long)]
    resume: bool,
    /// Threads; default: one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// Largest record, in bytes; a larger one is an error
    #[arg(long, value_name = "BYTES", default_value_t = Options::default().max_record)]
    max_record: u64,
    #[command(flatten)]
    decide: DecideArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    Parquet,
    Ndjson,
    Arrow,
}

pub(crate) fn run(args: &ArchivesArgs) -> Outcome {
    let context = args.decide.context()?;
    let inputs = archives(&args.inputs).map_err(|e| CliError::new(e.to_string()))?;
    let options = Options {
        max_record: args.max_record,
        ..Options::default()
    };
    let limits = Limits::default();
    let batch = Batch {
        out: args.out.clone(),
        form: match args.to {
            To::Parquet => Form::Parquet,
            To::Ndjson => Form::Ndjson,
            To::Arrow => Form::Arrow,
        },
        // Everything that can change a row is in the manifest.
        settings: format!("{context:?} {limits:?} {options:?}"),
        context,
        options,
        limits,
        threads: args.threads.map_or_else(
            || thread::available_parallelism().map_or(1, usize::from),
            usize::from,
        ),
        resume: args.resume,
    };
    let total = inputs
        .iter()
        .map(|path| std::fs::metadata(path).map_or(0, |m| m.len()))
        .sum();
    let progress = Progress::default();
    let done = AtomicBool::new(false);
    let outcomes = thread::scope(|scope| {
        if std::io::stderr().is_terminal() {
            scope.spawn(|| show(&progress, total, &done));
        }
        let outcomes = batch.run(&inputs, &progress);
        done.store(true, Ordering::Relaxed);
        outcomes
    })
    .map_err(|e| CliError::new(e.to_string()))?;
    let mut counts = Counts::default();
    let (mut failed, mut resumed) = (0, 0);
    for outcome in outcomes {
        match outcome {
            unbake_io::batch::Outcome::Done(manifest) => counts.merge(manifest.counts),
            unbake_io::batch::Outcome::Resumed(manifest) => {
                resumed += 1;
                counts.merge(manifest.counts);
            }
            unbake_io::batch::Outcome::Failed(error) => {
                failed += 1;
                say(&format!("error: {error}\n"));
            }
        }
    }
    let errors: u64 = counts.errors.values().sum();
    say(&format!(
        "{} documents, {} of them malformed, {errors} records that could not be read; {} archives, {resumed} of them done before\n",
        counts.documents,
        counts.malformed,
        inputs.len()
    ));
    if failed > 0 {
        return Err(CliError::new(format!(
            "{failed} of {} archives failed",
            inputs.len()
        )));
    }
    Ok(Exit::Done)
}

/// A line on the terminal: how much, how fast, how long still. Silent for the first two seconds.
fn show(progress: &Progress, total: u64, done: &AtomicBool) {
    let start = Instant::now();
    let mut shown = false;
    while !done.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(200));
        let seconds = start.elapsed().as_secs();
        if seconds < 2 {
            continue;
        }
        shown = true;
        let bytes = progress.bytes.load(Ordering::Relaxed);
        let left = total.saturating_sub(bytes) * seconds / bytes.max(1);
        let line = format!(
            "\r{} documents, {} of {} MB, {} MB/s, {left} s left\x1B[K",
            progress.documents.load(Ordering::Relaxed),
            bytes / 1_000_000,
            total / 1_000_000,
            bytes / 1_000_000 / seconds.max(1),
        );
        let _closed = std::io::stderr().write_all(line.as_bytes());
    }
    if shown {
        let _closed = std::io::stderr().write_all(b"\r\x1B[K");
    }
}
