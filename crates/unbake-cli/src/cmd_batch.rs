//! `unbake batch`: many documents to records.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use clap::{Args, ValueEnum};
use unbake::{Context, Format, Malformed, Record, decode, decode_strict};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::batch_rows::{RowEnd, RowError, answer, to_json};
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
    /// A document with malformed bytes gives an error instead of a record, and exit code 1
    #[arg(long)]
    strict: bool,
    /// Threads; default: one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// Longest line of NDJSON, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20)]
    max_line: usize,
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

/// What a worker answers.
enum Answer {
    Row(Vec<u8>, RowEnd),
    Failed(CliError),
}

/// Jobs go to the workers in bundles of about this many bytes, so that small rows do not cost a message each.
const BUNDLE: usize = 256 << 10;

pub(crate) fn run(args: &BatchArgs) -> Outcome {
    let context = args.decide.context()?;
    let inputs = if args.from == From::Files {
        files(&args.inputs)?
    } else {
        Input::list(&args.inputs)
    };
    let threads = args.threads.map_or_else(
        || thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    let mut out = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let mut counts = Counts::default();
    if args.to == To::Table {
        write_row(&mut out, &TABLE_HEAD.map(str::to_owned))
            .map_err(|error| CliError::write(&error))?;
    }
    let outcome = thread::scope(|scope| {
        let (workers, lanes): (Vec<_>, Vec<_>) = (0..threads)
            .map(|_| {
                let (to_worker, jobs) = sync_channel::<Vec<Job>>(2);
                let (to_writer, answers) = sync_channel::<Vec<Answer>>(2);
                let context = &context;
                scope.spawn(move || work(&jobs, &to_writer, args, context));
                (to_worker, answers)
            })
            .unzip();
        scope.spawn(move || feed(args, inputs, &workers));
        // Bundles went to the workers in turn: taking the answers in the same turn keeps the order of the input.
        for lane in lanes.iter().cycle() {
            let Ok(answers) = lane.recv() else { break };
            for answer in answers {
                match answer {
                    Answer::Failed(error) => return Err(error),
                    Answer::Row(row, end) => {
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

/// The files that the arguments name, directories walked in the order of their names.
fn files(paths: &[PathBuf]) -> Result<Vec<Input>, CliError> {
    fn walk(path: &Path, found: &mut Vec<Input>) -> Result<(), CliError> {
        let failed = |error: &io::Error| CliError::read(path, error);
        let mut entries = std::fs::read_dir(path)
            .map_err(|error| failed(&error))?
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| failed(&error))?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if hidden || path.extension().is_some_and(|ending| ending == "headers") {
                continue;
            }
            // Links to directories are not followed: they may lead back here.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                walk(&path, found)?;
            } else {
                found.push(Input::File(path));
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    for input in Input::list(paths) {
        match input {
            Input::File(path) if path.is_dir() => walk(&path, &mut found)?,
            // A file that is named must be there; one that vanishes later is a row of its own.
            Input::File(path) => match std::fs::metadata(&path) {
                Ok(_) => found.push(Input::File(path)),
                Err(error) => return Err(CliError::read(&path, &error)),
            },
            Input::Stdin => found.push(Input::Stdin),
        }
    }
    Ok(found)
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
            // Small files are common: a bundle of a few dozen.
            if !deal(Job::File(input), 8 << 10, false) {
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
        let limit = args.max_line as u64 + 1;
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
    answers: &SyncSender<Vec<Answer>>,
    args: &BatchArgs,
    context: &Context,
) {
    while let Ok(bundle) = jobs.recv() {
        let done = bundle
            .into_iter()
            .map(|job| answer_job(job, args, context))
            .collect();
        if answers.send(done).is_err() {
            return;
        }
    }
}

fn answer_job(job: Job, args: &BatchArgs, context: &Context) -> Answer {
    let (result, end) = match job {
        Job::Failed(error) => return Answer::Failed(error),
        Job::TooLong { at } => {
            let message = format!(
                "the line is longer than {} bytes; `--max-line` allows more",
                args.max_line
            );
            error_row(
                None,
                &RowError {
                    kind: "too-long",
                    message,
                    at,
                },
            )
        }
        Job::Line { at, line } if args.to == To::Ndjson && !args.no_text => {
            answer(&line, at, context, args.strict)
        }
        Job::Line { at, line } => {
            let (row, end) = answer(&line, at, context, args.strict);
            (reshape(&row, args), end)
        }
        Job::File(input) => answer_file(&input, args, context),
    };
    let mut row = result;
    if !row.ends_with(b"\n") {
        row.push(b'\n');
    }
    Answer::Row(row, end)
}

fn error_row(id: Option<&str>, error: &RowError) -> (Vec<u8>, RowEnd) {
    let end = if error.kind == "malformed" {
        RowEnd::Malformed
    } else {
        RowEnd::Unreadable
    };
    (
        to_json(&serde_json::json!({ "id": id, "error": error })),
        end,
    )
}

fn answer_file(input: &Input, args: &BatchArgs, context: &Context) -> (Vec<u8>, RowEnd) {
    let mut bytes = Vec::new();
    let read = input
        .open()
        .map_err(|error| error.to_string())
        .and_then(|mut reader| {
            reader
                .read_to_end(&mut bytes)
                .map_err(|error| input.failed(&error).to_string())
        });
    if let Err(message) = read {
        let (row, end) = error_row(
            Some(&input.name()),
            &RowError {
                kind: "read",
                message,
                at: 0,
            },
        );
        return (
            if args.to == To::Table {
                reshape(&row, args)
            } else {
                row
            },
            end,
        );
    }
    let mut context = context.clone();
    if let Input::File(path) = input {
        context.content_type.extend(sidecar_content_types(path));
    }
    let context = input.context(&context);
    let len = bytes.len() as u64;
    let decoded = if args.strict {
        decode_strict(&bytes, &context)
    } else {
        Ok(decode(&bytes, &context))
    };
    let (row, end) = match decoded {
        Ok(mut decoded) => {
            // Binary is said, not decoded.
            if decoded.decision.format == Format::Binary {
                decoded.text = Cow::Borrowed("");
                decoded.malformed = Malformed::default();
                decoded.literal_fffd = 0;
            }
            let record = Record {
                id: Some(input.name()),
                url: args.decide.url.clone(),
                ..Record::new(decoded, len)
            };
            (to_json(&record), RowEnd::Record)
        }
        Err(error) => error_row(
            Some(&input.name()),
            &RowError {
                kind: "malformed",
                message: error.to_string(),
                at: error.at,
            },
        ),
    };
    (
        if args.to == To::Table || args.no_text {
            reshape(&row, args)
        } else {
            row
        },
        end,
    )
}

/// The Content-Type lines of `NAME.headers`, as received.
fn sidecar_content_types(path: &Path) -> Vec<Vec<u8>> {
    let mut name = path.as_os_str().to_owned();
    name.push(".headers");
    let Ok(headers) = std::fs::read(name) else {
        return Vec::new();
    };
    headers
        .split(|&b| b == b'\n')
        .filter_map(|line| {
            let colon = line.iter().position(|&b| b == b':')?;
            let (name, value) = line.split_at(colon);
            let value = value.get(1..).unwrap_or_default();
            name.trim_ascii()
                .eq_ignore_ascii_case(b"content-type")
                .then(|| value.trim_ascii().to_vec())
        })
        .collect()
}

const TABLE_HEAD: [&str; 6] = [
    "document",
    "encoding",
    "confidence",
    "decided by",
    "malformed",
    "also seen",
];

/// A record without its text, or as a row of the table.
fn reshape(row: &[u8], args: &BatchArgs) -> Vec<u8> {
    let Ok(mut record) = serde_json::from_slice::<serde_json::Value>(row) else {
        return row.to_vec();
    };
    if args.to == To::Ndjson {
        if let Some(object) = record.as_object_mut() {
            object.remove("text");
        }
        return to_json(&record);
    }
    let mut table = Vec::new();
    let field = |name: &str| match record.get(name) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Null) | None => "-".to_owned(),
        Some(other) => other.to_string(),
    };
    let cells = if let Some(message) = record
        .pointer("/error/message")
        .and_then(serde_json::Value::as_str)
    {
        [
            field("id"),
            "error".to_owned(),
            "-".to_owned(),
            "-".to_owned(),
            "-".to_owned(),
            message.to_owned(),
        ]
    } else {
        let label = record.get("label").and_then(serde_json::Value::as_str);
        let rule = label.map_or_else(
            || field("rule"),
            |label| format!("{} `{label}`", field("rule")),
        );
        [
            field("id"),
            field("encoding"),
            field("confidence"),
            rule,
            field("replacements"),
            also_seen(&record),
        ]
    };
    // Into memory: no error.
    let _infallible = write_row(&mut table, &cells);
    table
}

/// The clues that lost, in a few words.
fn also_seen(record: &serde_json::Value) -> String {
    let clues = record
        .get("clues")
        .and_then(serde_json::Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let words: Vec<String> = clues
        .iter()
        .filter_map(|clue| {
            let text = |name: &str| clue.get(name).and_then(serde_json::Value::as_str);
            let fate = text("fate").filter(|&fate| fate != "decided")?;
            let said = text("label")
                .or_else(|| text("encoding"))
                .unwrap_or_default();
            Some(format!("{} `{said}` ({fate})", text("origin")?))
        })
        .collect();
    if words.is_empty() {
        "-".to_owned()
    } else {
        words.join(", ")
    }
}

/// Cells in columns; the last one runs on.
fn write_row(out: &mut dyn Write, cells: &[String; 6]) -> io::Result<()> {
    let [document, encoding, confidence, rule, malformed, seen] = cells;
    writeln!(
        out,
        "{document:<38} {encoding:<13} {confidence:<10} {rule:<30} {malformed:>9}  {seen}"
    )
}
