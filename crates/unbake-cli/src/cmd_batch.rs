//! `unbake batch`: many documents to records.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use clap::{Args, ValueEnum};
use serde_json::value::to_raw_value;
use unbake::{Context, Record, decode, decode_strict};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::batch_answers::{Answer, RowEnd, RowError, write_table_head};
use crate::batch_rows::{Defaults, answer};
use crate::files::{files, sidecar_content_types};
use crate::input::Input;
use crate::messages::{CliError, Exit, say};

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  unbake batch examples/pages --to table\n\nA file NAME.headers beside NAME holds the response's header lines."
)]
pub(crate) struct BatchArgs {
    /// Files and directories; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// files: each input is a document; ndjson: each line of the inputs is one
    #[arg(long, value_enum, default_value = "files", hide_possible_values = true)]
    from: From,
    /// ndjson: one record a line; table: for people
    #[arg(
        long,
        value_enum,
        default_value = "ndjson",
        hide_possible_values = true
    )]
    to: To,
    /// Leave the text out of the records
    #[arg(long)]
    no_text: bool,
    /// Malformed bytes give an error instead of a record, and exit code 1
    #[arg(long)]
    strict: bool,
    /// Threads; default: one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// Longest line of NDJSON, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    max_line: u64,
    #[command(flatten)]
    decide: DecideArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum From {
    Files,
    Ndjson,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    Ndjson,
    Table,
}

/// One document to be read by a worker.
enum Job {
    /// A line, and where it starts in the input.
    Line {
        at: u64,
        line: Vec<u8>,
    },
    /// A line longer than `--max-line`.
    TooLong {
        at: u64,
    },
    File(Input),
    /// The input can not be read any further.
    Failed(CliError),
}

/// What a worker hands to the writer: a line, or why there will be no more.
enum Row {
    Ready(Vec<u8>, RowEnd),
    Failed(CliError),
}

/// Jobs go to the workers in bundles of about this many bytes, so that small rows do not cost a message each.
const BUNDLE: usize = 256 << 10;

pub(crate) fn run(args: &BatchArgs) -> Outcome {
    let defaults = Defaults {
        context: args.decide.context()?,
        detector: args.decide.detector(),
        strict: args.strict,
    };
    let inputs = match args.from {
        From::Files => files(&args.inputs)?,
        From::Ndjson => line_files(&args.inputs)?,
    };
    let threads = args.threads.map_or_else(
        || thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    let mut out = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let mut counts = Counts::default();
    if args.to == To::Table {
        write_table_head(&mut out).map_err(|error| CliError::write(&error))?;
    }
    let outcome = thread::scope(|scope| {
        let (mut workers, mut lanes) = (Vec::new(), Vec::new());
        for _ in 0..threads {
            let (to_worker, jobs) = sync_channel::<Vec<Job>>(2);
            let (to_writer, answers) = sync_channel::<Vec<Row>>(2);
            let defaults = &defaults;
            let started = thread::Builder::new()
                .spawn_scoped(scope, move || work(&jobs, &to_writer, args, defaults));
            match started {
                Ok(_) => {
                    workers.push(to_worker);
                    lanes.push(answers);
                }
                // Fewer do the same work.
                Err(_) if !lanes.is_empty() => break,
                Err(error) => return Err(no_thread(&error)),
            }
        }
        thread::Builder::new()
            .spawn_scoped(scope, move || feed(args, inputs, &workers))
            .map_err(|error| no_thread(&error))?;
        // Bundles went to the workers in turn: taking the answers in the same turn keeps the order of the input.
        for lane in lanes.iter().cycle() {
            let answers = if let Ok(answers) = lane.try_recv() {
                Ok(answers)
            } else {
                // Before waiting, what is answered goes out: a reader may wait for it.
                out.flush().map_err(|error| CliError::write(&error))?;
                lane.recv()
            };
            let Ok(answers) = answers else { break };
            for answer in answers {
                match answer {
                    Row::Failed(error) => return Err(error),
                    Row::Ready(row, end) => {
                        counts.note(end);
                        out.write_all(&row)
                            .map_err(|error| CliError::write(&error))?;
                    }
                }
            }
        }
        Ok(())
    });
    out.flush().map_err(|error| CliError::write(&error))?;
    outcome?;
    if counts.unreadable > 0 {
        say(&format!(
            "{} of {} documents could not be read: their rows hold `error`\n",
            counts.unreadable, counts.all
        ));
    }
    if counts.malformed > 0 {
        say(&format!(
            "{} of {} documents are malformed: their rows hold `error`\n",
            counts.malformed, counts.all
        ));
    }
    Ok(if args.strict && counts.malformed > 0 {
        Exit::Found
    } else {
        Exit::Done
    })
}

fn no_thread(error: &io::Error) -> CliError {
    CliError::new(format!("cannot start a thread: {error}"))
        .hint("`--threads 1` asks for the fewest")
}

#[derive(Default)]
struct Counts {
    all: u64,
    unreadable: u64,
    malformed: u64,
}

impl Counts {
    fn note(&mut self, end: RowEnd) {
        self.all += 1;
        match end {
            RowEnd::Record => {}
            RowEnd::Unreadable => self.unreadable += 1,
            RowEnd::Malformed => self.malformed += 1,
        }
    }
}

/// The files whose lines are documents.
fn line_files(paths: &[PathBuf]) -> Result<Vec<Input>, CliError> {
    let inputs = Input::list(paths);
    for input in &inputs {
        let Input::File(path) = input else { continue };
        match std::fs::metadata(path) {
            Err(error) => return Err(CliError::read(path, &error)),
            Ok(entry) if entry.is_dir() => {
                let message = format!("cannot read `{}`: it is a directory", path.display());
                return Err(CliError::new(message)
                    .hint("`--from ndjson` reads files whose lines are documents"));
            }
            Ok(_) => {}
        }
    }
    Ok(inputs)
}

/// Deals the documents out to the workers in turn.
fn feed(args: &BatchArgs, inputs: Vec<Input>, workers: &[SyncSender<Vec<Job>>]) {
    let mut turn = workers.iter().cycle();
    let mut bundle = Vec::new();
    let mut size = 0;
    // False: the workers are gone, because the output was closed.
    let mut deal = |job: Job, weight: usize, now: bool| -> bool {
        bundle.push(job);
        size += weight;
        if now || size >= BUNDLE {
            size = 0;
            let full = std::mem::take(&mut bundle);
            return turn.next().is_some_and(|worker| worker.send(full).is_ok());
        }
        true
    };
    for input in inputs {
        if args.from == From::Files {
            // Small files are common: a bundle of a few dozen. Large ones go alone, or their texts would pile up.
            let size = match &input {
                Input::File(path) => std::fs::metadata(path).map_or(0, |entry| entry.len()),
                Input::Stdin => 0,
            };
            if !deal(Job::File(input), (8 << 10) + size as usize, false) {
                return;
            }
        } else if let Err(error) = feed_lines(args, &input, &mut deal) {
            let _gone = deal(Job::Failed(error), 0, true);
            return;
        }
    }
    if !bundle.is_empty() {
        let _gone = turn
            .next()
            .is_some_and(|worker| worker.send(bundle).is_ok());
    }
}

fn feed_lines(
    args: &BatchArgs,
    input: &Input,
    deal: &mut dyn FnMut(Job, usize, bool) -> bool,
) -> Result<(), CliError> {
    let mut reader = BufReader::with_capacity(256 << 10, input.open()?);
    let mut at = 0;
    loop {
        let mut line = Vec::new();
        let limit = args.max_line + 1;
        let len = (&mut reader)
            .take(limit)
            .read_until(b'\n', &mut line)
            .map_err(|error| input.failed(&error))? as u64;
        if len == 0 {
            return Ok(());
        }
        let start = at;
        at += len;
        let job = if len == limit && line.last() != Some(&b'\n') {
            at += skip_line(&mut reader).map_err(|error| input.failed(&error))?;
            Job::TooLong { at: start }
        } else if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        } else {
            Job::Line { at: start, line }
        };
        // What waits for its first answer is not kept back for the sake of a full bundle.
        let waiting = reader.buffer().is_empty();
        if !deal(job, len as usize, waiting) {
            return Ok(());
        }
    }
}

/// Reads past the next line end without keeping anything.
fn skip_line(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let available = reader.fill_buf()?;
        if available.is_empty() {
            return Ok(skipped);
        }
        let end = available.iter().position(|&b| b == b'\n');
        let len = end.map_or(available.len(), |at| at + 1);
        reader.consume(len);
        skipped += len as u64;
        if end.is_some() {
            return Ok(skipped);
        }
    }
}

fn work(
    jobs: &Receiver<Vec<Job>>,
    answers: &SyncSender<Vec<Row>>,
    args: &BatchArgs,
    defaults: &Defaults,
) {
    while let Ok(bundle) = jobs.recv() {
        let done = bundle
            .into_iter()
            .map(|job| answer_job(job, args, defaults))
            .collect();
        if answers.send(done).is_err() {
            return;
        }
    }
}

fn answer_job(job: Job, args: &BatchArgs, defaults: &Defaults) -> Row {
    let answer = match job {
        Job::Failed(error) => return Row::Failed(error),
        Job::TooLong { at } => Answer {
            id: None,
            outcome: Err(RowError {
                kind: "too-long",
                message: format!(
                    "the line is longer than {} bytes; `--max-line` allows more",
                    args.max_line
                ),
                at,
            }),
        },
        Job::Line { at, line } => answer(&line, at, defaults),
        Job::File(input) => Answer {
            id: to_raw_value(&input.name()).ok(),
            outcome: answer_file(&input, args, &defaults.context),
        },
    };
    let end = answer.end();
    let row = match args.to {
        To::Ndjson => answer.as_json(!args.no_text),
        To::Table => answer.as_table_row(),
    };
    Row::Ready(row, end)
}

fn answer_file(input: &Input, args: &BatchArgs, context: &Context) -> Result<Record, RowError> {
    let bytes = input.read().map_err(|error| RowError {
        kind: "read",
        message: error.to_string(),
        at: 0,
    })?;
    let mut context = context.clone();
    if let Input::File(path) = input {
        context.content_type.extend(sidecar_content_types(path));
    }
    let context = input.context(&context);
    let decoded = if args.strict {
        decode_strict(&bytes, &context).map_err(|error| RowError {
            kind: "malformed",
            message: error.to_string(),
            at: error.at,
        })?
    } else {
        decode(&bytes, &context)
    };
    Ok(Record {
        url: args.decide.url.clone(),
        ..Record::new(decoded, bytes.len() as u64)
    })
}
