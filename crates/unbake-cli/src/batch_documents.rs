//! `unbake batch` over files and lines of JSON, with its records on standard output.

use std::borrow::Cow;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use serde_json::value::to_raw_value;
use unbake::{Decoded, Record};
use unbake_io::ndjson::{Lines, RawLine};

use crate::Outcome;
use crate::batch_fields::PassedOver;
use crate::batch_rows::{Answer, Defaults, RowEnd, RowError, answer};
use crate::batch_table::write_table_head;
use crate::files::files;
use crate::input::{Input, Stopped, decode_to};
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
    /// Chunks of this size.
    pub(crate) buffer_size: Option<usize>,
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

/// A job, and how many bytes it holds.
struct Weighed {
    job: Job,
    weight: u64,
}

/// What a worker hands to the writer: a line, or why there will be no more.
enum Row {
    Ready {
        row: Vec<u8>,
        end: RowEnd,
        weight: u64,
    },
    Failed(CliError),
}

/// What all threads share.
struct Shared<'a> {
    asked: &'a Asked<'a>,
    in_flight: InFlight,
    passed_over: Mutex<PassedOver>,
}

/// Jobs go to the workers in bundles of about this many bytes, so that small rows do not cost a message each.
const BUNDLE: u64 = 256 << 10;
/// The bytes of documents that are held at a time, but for one that is larger by itself. Their texts and rows come to several times as much.
const IN_FLIGHT: u64 = 64 << 20;
/// What a document that is read in pieces holds at most.
const STREAMED: u64 = 24 << 20;

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
    let shared = Shared {
        asked,
        in_flight: InFlight::default(),
        passed_over: Mutex::default(),
    };
    let outcome = thread::scope(|scope| {
        let shared = &shared;
        let (mut workers, mut lanes) = (Vec::new(), Vec::new());
        for _ in 0..asked.threads {
            let (to_worker, jobs) = sync_channel::<Vec<Weighed>>(2);
            let (to_writer, answers) = sync_channel::<Vec<Row>>(2);
            let started =
                thread::Builder::new().spawn_scoped(scope, move || work(&jobs, &to_writer, shared));
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
            .spawn_scoped(scope, move || feed(shared, inputs, &workers))
            .map_err(|error| no_thread(&error))?;
        // The feeder may be waiting for input that does not come: without an output there is nothing to wait for.
        let gone = |error: io::Error| CliError::write(&error).exit();
        // Bundles went to the workers in turn: taking the answers in the same turn keeps the order of the input.
        for lane in lanes.iter().cycle() {
            let answers = if let Ok(answers) = lane.try_recv() {
                Ok(answers)
            } else {
                // Before waiting, what is answered goes out: a reader may wait for it.
                out.flush().unwrap_or_else(gone);
                lane.recv()
            };
            let Ok(answers) = answers else { break };
            for answer in answers {
                match answer {
                    Row::Failed(error) => return Err(error),
                    Row::Ready { row, end, weight } => {
                        counts.note(end);
                        out.write_all(&row).unwrap_or_else(gone);
                        shared.in_flight.give(weight);
                    }
                }
            }
        }
        Ok(())
    });
    out.flush().map_err(|error| CliError::write(&error))?;
    outcome?;
    let names = shared.passed_over.into_inner();
    names.unwrap_or_else(PoisonError::into_inner).tell();
    Ok(counts.tell(asked.defaults.strict))
}

fn no_thread(error: &io::Error) -> CliError {
    CliError::new(format!("cannot start a thread: {error}"))
        .hint("`--threads 1` asks for the fewest")
}

#[derive(Default)]
struct Counts {
    all: u64,
    unreadable: u64,
    refused: u64,
    malformed: u64,
}

impl Counts {
    fn note(&mut self, end: RowEnd) {
        self.all += 1;
        match end {
            RowEnd::Record => {}
            RowEnd::Unreadable => self.unreadable += 1,
            RowEnd::Refused => self.refused += 1,
            RowEnd::Malformed => self.malformed += 1,
        }
    }

    fn tell(&self, strict: bool) -> Exit {
        for (count, what) in [
            (self.unreadable, "documents could not be read"),
            (self.refused, "rows are no documents"),
            (self.malformed, "documents are malformed"),
        ] {
            if count > 0 {
                say(&format!(
                    "{count} of {} {what}: their rows hold `error`\n",
                    self.all
                ));
            }
        }
        if self.unreadable > 0 {
            Exit::Failed
        } else if strict && self.malformed > 0 {
            Exit::Found
        } else {
            Exit::Done
        }
    }
}

/// Deals the documents out to the workers in turn.
fn feed(shared: &Shared<'_>, inputs: Vec<Input>, workers: &[SyncSender<Vec<Weighed>>]) {
    let asked = shared.asked;
    let mut dealer = Dealer {
        turn: workers.iter().cycle(),
        bundle: Vec::new(),
        size: 0,
        in_flight: &shared.in_flight,
    };
    for input in inputs {
        if asked.lines {
            if let Err(error) = feed_lines(asked, &input, &mut dealer) {
                let _gone = dealer.deal(Job::Failed(error), 0, true);
                return;
            }
            continue;
        }
        let size = match &input {
            Input::File(path) => std::fs::metadata(path).map_or(0, |entry| entry.len()),
            Input::Stdin => 0,
        };
        // Without its text, a large document is read in pieces.
        let held = if asked.text { size } else { size.min(STREAMED) };
        // Small files are common: a bundle of a few dozen. Large ones go alone.
        if !dealer.deal(Job::File(input), (8 << 10) + held, false) {
            return;
        }
    }
    let _gone = dealer.send();
}

/// Puts jobs into bundles and gives them to the workers in turn.
struct Dealer<'a, W> {
    turn: W,
    bundle: Vec<Weighed>,
    size: u64,
    in_flight: &'a InFlight,
}

impl<'a, W: Iterator<Item = &'a SyncSender<Vec<Weighed>>>> Dealer<'a, W> {
    /// False: the workers are gone, because the output was closed.
    fn deal(&mut self, job: Job, weight: u64, now: bool) -> bool {
        // What has been dealt must be on its way before anybody waits for its end.
        if self.in_flight.would_wait(weight) && !self.send() {
            return false;
        }
        self.in_flight.take(weight);
        self.bundle.push(Weighed { job, weight });
        self.size += weight;
        if now || self.size >= BUNDLE {
            return self.send();
        }
        true
    }

    fn send(&mut self) -> bool {
        self.size = 0;
        let full = std::mem::take(&mut self.bundle);
        full.is_empty()
            || self
                .turn
                .next()
                .is_some_and(|worker| worker.send(full).is_ok())
    }
}

/// The bytes of documents that have been read and not yet been answered.
#[derive(Default)]
struct InFlight {
    bytes: Mutex<u64>,
    fewer: Condvar,
}

impl InFlight {
    fn would_wait(&self, weight: u64) -> bool {
        let bytes = *self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes > 0 && bytes + weight > IN_FLIGHT
    }

    /// Waits until these bytes may be held beside the others. A document that is too large waits until it is alone.
    fn take(&self, weight: u64) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        while *bytes > 0 && *bytes + weight > IN_FLIGHT {
            bytes = self
                .fewer
                .wait(bytes)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *bytes += weight;
    }

    fn give(&self, weight: u64) {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= weight;
        self.fewer.notify_one();
    }
}

fn feed_lines<'a>(
    asked: &Asked<'_>,
    input: &Input,
    dealer: &mut Dealer<'a, impl Iterator<Item = &'a SyncSender<Vec<Weighed>>>>,
) -> Result<(), CliError> {
    let reader = BufReader::with_capacity(256 << 10, input.open()?);
    let mut lines = Lines::new(reader, asked.max_line);
    while let Some(line) = lines.next() {
        let (job, length) = match line.map_err(|error| input.failed(&error))? {
            RawLine::TooLong { at } => (Job::TooLong { at }, 0),
            RawLine::Line { at, line } => {
                let length = line.len() as u64;
                (Job::Line { at, line }, length)
            }
        };
        // What waits for its first answer is not kept back for the sake of a full bundle.
        if !dealer.deal(job, length, !lines.has_next_in_memory()) {
            return Ok(());
        }
    }
    Ok(())
}

fn work(jobs: &Receiver<Vec<Weighed>>, answers: &SyncSender<Vec<Row>>, shared: &Shared<'_>) {
    while let Ok(bundle) = jobs.recv() {
        let done = bundle
            .into_iter()
            .map(|weighed| answer_job(weighed, shared))
            .collect();
        if answers.send(done).is_err() {
            return;
        }
    }
}

fn answer_job(Weighed { job, weight }: Weighed, shared: &Shared<'_>) -> Row {
    let asked = shared.asked;
    let answer = match job {
        Job::Failed(error) => return Row::Failed(error),
        Job::TooLong { at } => Answer {
            id: None,
            at,
            passed_over: Vec::new(),
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
            at: 0,
            passed_over: Vec::new(),
            outcome: answer_file(&input, asked),
        },
    };
    let end = answer.end();
    let row = if asked.table {
        answer.as_table_row()
    } else {
        answer.as_json(asked.text)
    };
    if !answer.passed_over.is_empty() {
        let names = shared.passed_over.lock();
        names
            .unwrap_or_else(PoisonError::into_inner)
            .add(answer.passed_over);
    }
    Row::Ready { row, end, weight }
}

fn answer_file(input: &Input, asked: &Asked<'_>) -> Result<Record, RowError> {
    let failed = |error: CliError| RowError {
        kind: "read",
        message: error.to_string(),
        at: 0,
    };
    let context = input.context(&asked.defaults.context).map_err(failed)?;
    let (mut text, mut text_length) = (String::new(), 0);
    let mut sink = |piece: &str, _: bool| {
        text_length += piece.len() as u64;
        if asked.text {
            text.push_str(piece);
        }
        Ok(())
    };
    let strict = asked.defaults.strict;
    let streamed = decode_to(input, &context, strict, asked.buffer_size, &mut sink);
    let streamed = streamed.map_err(|stopped| match stopped {
        Stopped::Failed(error) => failed(error),
        Stopped::Malformed(error) => RowError {
            kind: "malformed",
            message: error.to_string(),
            at: error.at,
        },
    })?;
    let decoded = Decoded {
        text: Cow::Owned(text),
        decision: streamed.decision,
        malformed: streamed.malformed,
        literal_fffd: streamed.literal_fffd,
    };
    Ok(Record {
        url: asked.url.clone(),
        text_length,
        ..Record::new(decoded, streamed.byte_length)
    })
}
