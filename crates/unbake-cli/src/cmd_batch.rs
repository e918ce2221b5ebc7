//! `unbake batch`: many documents to records.

use std::io;
use std::path::PathBuf;
use std::thread;

use clap::{Args, ValueEnum};
use unbake_io::{ColumnNames, Form, Limits, Options, Part, Reading};

use crate::Outcome;
use crate::args::{DecideArgs, parse_buffer_size};
use crate::batch_documents;
use crate::batch_rows::Defaults;
use crate::batch_run::{self, Asked, Rows, Shape};
use crate::messages::CliError;

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  unbake batch crawl/ --to parquet --out rows --resume\n\nNAME.headers beside NAME holds its HTTP header, unless `--content-type` does. Rows and records: docs/records.md.\nExit: 0 done (rows may hold `error`), 1 malformed under `--strict`, 2 usage or I/O error."
)]
pub(crate) struct BatchArgs {
    /// Files and directories; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// files (each is a document), ndjson (each line is one), warc, parquet or arrow; default: by their names,
    /// as `x.warc.gz` and `x.parquet`, and all else is files
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
    /// Read files in chunks of this size; the answer does not depend on it
    #[arg(long, value_name = "BYTES", value_parser = parse_buffer_size, help_heading = "Files")]
    buffer_size: Option<usize>,
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
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20, help_heading = "Files", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    max_line: u64,
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
    let max_line = usize::try_from(args.max_line).unwrap_or(usize::MAX);
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
        let lines = args.from == Some(From::Ndjson);
        let files: Vec<PathBuf> = found.iter().map(|input| input.path.clone()).collect();
        return batch_documents::run(&batch_documents::Asked {
            paths: if lines { &files } else { &args.inputs },
            lines,
            defaults: Defaults {
                context,
                detector: args.decide.detector(),
                strict: args.strict,
            },
            max_line,
            text: !args.no_text && args.to == To::Ndjson,
            buffer_size: args.buffer_size,
            threads,
            table: args.to == To::Table,
            url: args.decide.url.clone(),
        });
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
            detector: args.decide.detector(),
            options: Options {
                max_record: args.max_record,
                ..Options::default()
            },
            part: Part {
                offset: args.offset.unwrap_or(0),
                length: args.length,
            },
            limits: Limits::default(),
            max_line,
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
