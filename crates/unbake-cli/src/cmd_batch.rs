//! `unbake batch`: many documents to records.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use clap::{Args, ValueEnum};
use unbake::{Context, Record, decode, decode_strict};
use unbake_io::ndjson::{Lines, RawLine};
use unbake_io::{ColumnNames, Form, Limits, Options, Part, Reading};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::batch_rows::{RowEnd, RowError, answer, to_json};
use crate::batch_run::{self, Asked, Rows, Shape};
use crate::batch_table::{TABLE_HEAD, table_row, write_row};
use crate::input::Input;
use crate::messages::{CliError, Exit, say};

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  unbake batch crawl/ --to parquet --out rows --resume\n\nA file NAME.headers beside NAME holds the response's header lines."
)]
pub(crate) struct BatchArgs {
    /// Files and directories; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// What the inputs are: files (each one is a document), ndjson (each line is one), warc, parquet or arrow.
    /// Unless said, names such as `x.warc.gz` and `x.parquet` tell, and all else is files
    #[arg(long, value_enum, hide_possible_values = true)]
    from: Option<From>,
    /// ndjson: one record a line; table: for people; cdxj: an index of archives; parquet, arrow: files of
    /// columns, with `--out`
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
    /// Directory for the rows: a file for each input, and its manifest when it is complete
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    out: Option<PathBuf>,
    /// Pass over inputs whose manifest still holds
    #[arg(long, requires = "out", help_heading = "Files")]
    resume: bool,
    /// Longest line of NDJSON
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20, help_heading = "Files")]
    max_line: usize,
    /// Largest record of an archive; a larger one is an error
    #[arg(long, value_name = "BYTES", default_value_t = Options::default().max_record, help_heading = "Files")]
    max_record: u64,
    /// Read an archive from this byte on: the offset of a record, as indexes have it
    #[arg(long, value_name = "BYTES", help_heading = "Files")]
    offset: Option<u64>,
    /// Read so many bytes of the archive
    #[arg(long, value_name = "BYTES", help_heading = "Files")]
    length: Option<u64>,
    /// Column of the documents; default: `body`, or the only binary one
    #[arg(long, value_name = "NAME", help_heading = "Tables")]
    body_column: Option<String>,
    /// Column of the Content-Type values; default: `content_type`
    #[arg(long, value_name = "NAME", help_heading = "Tables")]
    content_type_column: Option<String>,
    /// Column of the ids; default: `id`
    #[arg(long, value_name = "NAME", help_heading = "Tables")]
    id_column: Option<String>,
    /// Column of the addresses; default: `url`
    #[arg(long, value_name = "NAME", help_heading = "Tables")]
    url_column: Option<String>,
    #[command(flatten)]
    decide: DecideArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum From {
    Files,
    Ndjson,
    Warc,
    Parquet,
    Arrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    Ndjson,
    Table,
    Parquet,
    Arrow,
    Cdxj,
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
    let threads = args.threads.map_or_else(
        || thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    let rows = match (&args.out, args.to) {
        (None, To::Ndjson) => Rows::Stdout(Shape::Ndjson),
        (None, To::Table) => Rows::Stdout(Shape::Table),
        (None, To::Cdxj) => Rows::Stdout(Shape::Cdxj),
        (None, To::Parquet | To::Arrow) => {
            return Err(CliError::new("these rows are not for standard output")
                .hint("name a directory for them: `--out rows`"));
        }
        (Some(_), To::Table) => {
            return Err(CliError::new("a table for people goes to standard output")
                .hint("leave `--out` away, or ask for `--to parquet`"));
        }
        (Some(out), to) => Rows::Files {
            out: out.clone(),
            form: match to {
                To::Parquet => Form::Parquet,
                To::Arrow => Form::Arrow,
                To::Cdxj => Form::Cdxj,
                To::Ndjson | To::Table => Form::Ndjson,
            },
            resume: args.resume,
        },
    };
    let stdin = [PathBuf::from("-")];
    let paths = match args.inputs.as_slice() {
        [] => &stdin,
        paths => paths,
    };
    let found = batch_inputs(paths, args.from)?;
    let kind = args.from.map_or(unbake_io::From::Files, From::kind);
    let documents = matches!(kind, unbake_io::From::Files | unbake_io::From::Ndjson)
        && found.iter().all(|input| input.from == kind);
    if documents && matches!(rows, Rows::Stdout(Shape::Ndjson | Shape::Table)) {
        return run_documents(args, &found, &context, threads);
    }
    let part_asked = args.offset.is_some() || args.length.is_some();
    if part_asked && !matches!(found.as_slice(), [one] if one.from == unbake_io::From::Warc) {
        return Err(CliError::new(
            "`--offset` and `--length` are for one archive, and no other input",
        ));
    }
    batch_run::run(&Asked {
        inputs: found,
        reading: Reading {
            context,
            options: Options {
                max_record: args.max_record,
                ..Options::default()
            },
            part: Part {
                offset: args.offset.unwrap_or(0),
                length: args.length,
            },
            limits: Limits::default(),
            max_line: args.max_line,
            columns: ColumnNames {
                body: args.body_column.clone(),
                content_type: args.content_type_column.clone(),
                id: args.id_column.clone(),
                url: args.url_column.clone(),
            },
        },
        strict: args.strict,
        text: !args.no_text,
        threads,
        to: rows,
    })
}

impl From {
    fn kind(self) -> unbake_io::From {
        match self {
            From::Files => unbake_io::From::Files,
            From::Ndjson => unbake_io::From::Ndjson,
            From::Warc => unbake_io::From::Warc,
            From::Parquet | From::Arrow => unbake_io::From::Table,
        }
    }
}

fn batch_inputs(paths: &[PathBuf], from: Option<From>) -> Result<Vec<unbake_io::Input>, CliError> {
    if let Some(absent) = paths.iter().find(|path| {
        let text = path.as_os_str().as_encoded_bytes();
        text != b"-" && !text.windows(3).any(|w| w == b"://") && !path.exists()
    }) {
        return Err(CliError::read(absent, &io::ErrorKind::NotFound.into()));
    }
    let found = unbake_io::batch::inputs(paths, from.map(From::kind))?;
    if found.is_empty() {
        return Err(
            CliError::new("there are no such files in these directories")
                .hint("`--from` says what the inputs are: files, ndjson, warc, parquet or arrow"),
        );
    }
    Ok(found)
}

/// Documents that are files or lines, with their records on standard output.
fn run_documents(
    args: &BatchArgs,
    found: &[unbake_io::Input],
    context: &Context,
    threads: usize,
) -> Outcome {
    let inputs = if args.from == Some(From::Ndjson) {
        let paths: Vec<PathBuf> = found.iter().map(|input| input.path.clone()).collect();
        Input::list(&paths)
    } else {
        files(&args.inputs)?
    };
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
        if args.from != Some(From::Ndjson) {
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
    let reader = BufReader::with_capacity(256 << 10, input.open()?);
    let mut lines = Lines::new(reader, args.max_line);
    while let Some(line) = lines.next() {
        let (job, length) = match line.map_err(|error| input.failed(&error))? {
            RawLine::TooLong { at } => (Job::TooLong { at }, args.max_line),
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
        Ok(decoded) => {
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

/// A record without its text, or as a row of the table.
fn reshape(row: &[u8], args: &BatchArgs) -> Vec<u8> {
    let Ok(mut record) = serde_json::from_slice::<serde_json::Value>(row) else {
        return row.to_vec();
    };
    if args.to == To::Table {
        return table_row(&record);
    }
    if let Some(object) = record.as_object_mut() {
        object.remove("text");
    }
    to_json(&record)
}
