//! `unbake batch` over files and lines of JSON, with its records on standard output.

use std::io::{self, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use serde_json::value::to_raw_value;
use unbake::{Record, decode, decode_strict};
use unbake_io::ndjson::{Lines, RawLine};

use crate::Outcome;
use crate::batch_rows::{Answer, Defaults, RowEnd, RowError, answer};
use crate::batch_table::write_table_head;
use crate::files::{files, sidecar_content_types};
use crate::input::Input;
use crate::messages::{CliError, Exit, say};

/// What the options ask for.
pub(crate) struct Asked<'a> {
    /// Files; for documents that are files themselves, directories too.
    pub(crate) paths: &'a [PathBuf],
    /// Each line is a document, not each file.
    pub(crate) lines: bool,
    pub(crate) defaults: Defaults,
    pub(crate) max_line: usize,
    pub(crate) text: bool,
    pub(crate) threads: usize,
    /// For people.
    pub(crate) table: bool,
    /// The address of the documents.
    pub(crate) url: Option<String>,
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

/// Documents that are files or lines of JSON, with their records on standard output.
pub(crate) fn run(asked: &Asked<'_>) -> Outcome {
    let inputs = if asked.lines {
        Input::list(asked.paths)
    } else {
        files(asked.paths)?
    };
    let mut out = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let mut counts = Counts::default();
    if asked.table {
        write_table_head(&mut out).map_err(|error| CliError::write(&error))?;
    }
    let outcome = thread::scope(|scope| {
        let (mut workers, mut lanes) = (Vec::new(), Vec::new());
        for _ in 0..asked.threads {
            let (to_worker, jobs) = sync_channel::<Vec<Job>>(2);
            let (to_writer, answers) = sync_channel::<Vec<Row>>(2);
            let started =
                thread::Builder::new().spawn_scoped(scope, move || work(&jobs, &to_writer, asked));
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
            .spawn_scoped(scope, move || feed(asked, inputs, &workers))
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
    Ok(if asked.defaults.strict && counts.malformed > 0 {
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

/// Deals the documents out to the workers in turn.
fn feed(asked: &Asked<'_>, inputs: Vec<Input>, workers: &[SyncSender<Vec<Job>>]) {
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
        if !asked.lines {
            // Small files are common: a bundle of a few dozen. Large ones go alone, or their texts would pile up.
            let size = match &input {
                Input::File(path) => std::fs::metadata(path).map_or(0, |entry| entry.len()),
                Input::Stdin => 0,
            };
            if !deal(Job::File(input), (8 << 10) + size as usize, false) {
                return;
            }
        } else if let Err(error) = feed_lines(asked, &input, &mut deal) {
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
    asked: &Asked<'_>,
    input: &Input,
    deal: &mut dyn FnMut(Job, usize, bool) -> bool,
) -> Result<(), CliError> {
    let reader = BufReader::with_capacity(256 << 10, input.open()?);
    let mut lines = Lines::new(reader, asked.max_line);
    while let Some(line) = lines.next() {
        let (job, length) = match line.map_err(|error| input.failed(&error))? {
            RawLine::TooLong { at } => (Job::TooLong { at }, asked.max_line),
            RawLine::Line { at, line } => {
                let length = line.len();
                (Job::Line { at, line }, length)
            }
        };
        // What waits for its first answer is not kept back for the sake of a full bundle.
        let waiting = lines.reader().buffer().is_empty();
        if !deal(job, length, waiting) {
            return Ok(());
        }
    }
    Ok(())
}

fn work(jobs: &Receiver<Vec<Job>>, answers: &SyncSender<Vec<Row>>, asked: &Asked<'_>) {
    while let Ok(bundle) = jobs.recv() {
        let done = bundle
            .into_iter()
            .map(|job| answer_job(job, asked))
            .collect();
        if answers.send(done).is_err() {
            return;
        }
    }
}

fn answer_job(job: Job, asked: &Asked<'_>) -> Row {
    let answer = match job {
        Job::Failed(error) => return Row::Failed(error),
        Job::TooLong { at } => Answer {
            id: None,
            outcome: Err(RowError {
                kind: "too-long",
                message: format!(
                    "the line is longer than {} bytes; `--max-line` allows more",
                    asked.max_line
                ),
                at,
            }),
        },
        Job::Line { at, line } => answer(&line, at, &asked.defaults),
        Job::File(input) => Answer {
            id: to_raw_value(&input.name()).ok(),
            outcome: answer_file(&input, asked),
        },
    };
    let end = answer.end();
    let row = if asked.table {
        answer.as_table_row()
    } else {
        answer.as_json(asked.text)
    };
    Row::Ready(row, end)
}

fn answer_file(input: &Input, asked: &Asked<'_>) -> Result<Record, RowError> {
    let bytes = input.read().map_err(|error| RowError {
        kind: "read",
        message: error.to_string(),
        at: 0,
    })?;
    let mut context = asked.defaults.context.clone();
    if let Input::File(path) = input {
        context.content_type.extend(sidecar_content_types(path));
    }
    let context = input.context(&context);
    let decoded = if asked.defaults.strict {
        decode_strict(&bytes, &context).map_err(|error| RowError {
            kind: "malformed",
            message: error.to_string(),
            at: error.at,
        })?
    } else {
        decode(&bytes, &context)
    };
    Ok(Record {
        url: asked.url.clone(),
        ..Record::new(decoded, bytes.len() as u64)
    })
}
