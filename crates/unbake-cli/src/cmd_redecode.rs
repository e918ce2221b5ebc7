//! `unbake redecode`: an archive under today's rules, against the records of an earlier run.

use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;
use std::thread;

use clap::{Args, ValueEnum};
use unbake_io::batch::{Batch, Progress, inputs};
use unbake_io::redecode::{Change, Decided, Redecode, Summary, Text};
use unbake_io::{From, Options, Reading};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::messages::{CliError, Exit, say};
use crate::progress::with_progress;

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  unbake redecode rows/crawl.warc.gz-1a2b3c4d.parquet --from crawl.warc.gz\n\nUse the options of the earlier run, or their effect is listed as well."
)]
pub(crate) struct RedecodeArgs {
    /// Records of an earlier run: Parquet, Arrow IPC or NDJSON
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The archives that it read: files or directories
    #[arg(long = "from", value_name = "ARCHIVE", required = true, num_args = 1..)]
    archives: Vec<PathBuf>,
    /// table: what changed, counted by rule and encoding; ndjson: every document that changed
    #[arg(long, value_enum, default_value = "table", hide_possible_values = true)]
    to: To,
    /// Exit code 1 where anything changed
    #[arg(long)]
    check: bool,
    /// Threads; default: one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    #[command(flatten)]
    decide: DecideArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    Table,
    Ndjson,
}

pub(crate) fn run(args: &RedecodeArgs) -> Outcome {
    let batch = Batch {
        reading: Reading {
            context: args.decide.context()?,
            options: Options::default(),
            ..Reading::default()
        },
        strict: false,
        threads: args.threads.map_or_else(
            || thread::available_parallelism().map_or(1, usize::from),
            usize::from,
        ),
    };
    let archives = inputs(&args.archives, Some(From::Warc))?;
    let redecode = Redecode::open(&args.old)?;
    let documents = redecode.len();
    let progress = Progress::default();
    let mut out = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let work = || {
        redecode.run(&batch, &archives, &progress, |change: Change| {
            if args.to == To::Table {
                return Ok(());
            }
            serde_json::to_writer(&mut out, &change)
                .map_err(io::Error::from)
                .and_then(|()| out.write_all(b"\n"))
                .map_err(|error| CliError::write(&error))
        })
    };
    let summary = with_progress(&archives, true, &progress, work)?;
    if args.to == To::Table {
        table(&mut out, &summary).map_err(|error| CliError::write(&error))?;
    }
    out.flush().map_err(|error| CliError::write(&error))?;
    let changed: u64 = summary.changes.values().sum();
    let by = summary.version.as_deref().unwrap_or("an unknown version");
    say(&format!(
        "{documents} documents decoded before by unbake {by}; now {} the same, {changed} changed; {} errors in the archives\n",
        summary.same, summary.errors
    ));
    Ok(if args.check && changed > 0 {
        Exit::Found
    } else {
        Exit::Done
    })
}

/// The changes, the most frequent first.
fn table(out: &mut dyn io::Write, summary: &Summary) -> io::Result<()> {
    let mut changes: Vec<_> = summary.changes.iter().collect();
    // The map is in order: what is equally frequent stays so.
    changes.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    writeln!(
        out,
        "{:>9}  {:<32} {:<32} text",
        "documents", "before", "after"
    )?;
    for ((before, after, text), n) in changes {
        let text = match text {
            Text::Same => "same",
            Text::Changed => "changed",
            Text::SameLength => "not kept, same length",
        };
        writeln!(
            out,
            "{n:>9}  {:<32} {:<32} {text}",
            cell(before.as_ref()),
            cell(after.as_ref())
        )?;
    }
    Ok(())
}

fn cell(decided: Option<&Decided>) -> String {
    decided.map_or_else(
        || "-".to_owned(),
        |decided| format!("{} ({})", decided.encoding, decided.rule),
    )
}
