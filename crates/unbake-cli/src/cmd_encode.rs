//! `unbake encode`: UTF-8 text to the bytes of an encoding.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use unbake::{EncodeMode, Encoding, QuerySet, encode, percent_encode_query};

use crate::Outcome;
use crate::args::parse_label;
use crate::input::Input;
use crate::messages::{CliError, Exit, say};

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  unbake encode --to shift_jis page.txt > page.sjis")]
pub(crate) struct EncodeArgs {
    /// Files of UTF-8 text, one after the other; `-` or nothing is standard input. A byte order mark before the text is dropped
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Label of the encoding to write; utf-32le and utf-32be as well
    #[arg(long, value_name = "LABEL")]
    to: String,
    /// Characters that the encoding lacks: fatal stops, html writes `&#N;`
    #[arg(long, value_enum, default_value = "fatal", hide_possible_values = true)]
    mode: Mode,
    /// Begin with a byte order mark; UTF-8, UTF-16 and UTF-32 have one
    #[arg(long, conflicts_with = "url_query")]
    bom: bool,
    /// Write the percent-encoded form that a browser puts into a URL's query; one line end after the text is dropped
    #[arg(long)]
    url_query: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    Fatal,
    Html,
}

pub(crate) fn run(args: &EncodeArgs) -> Outcome {
    let encoding = target(&args.to)?;
    let unicode = encoding == Encoding::UTF_8 || encoding.is_utf_16() || encoding.web().is_none();
    if args.bom && !unicode {
        let message = format!("cannot begin {encoding} with a byte order mark: it has none");
        return Err(CliError::new(message).hint("leave out `--bom`"));
    }
    if encoding.name() == "replacement" {
        say(
            "note: nothing is written in the replacement encoding; its output encoding is UTF-8 (Encoding Standard, \u{201C}get an output encoding\u{201D})\n",
        );
    }
    let mut out = io::stdout().lock();
    let exit = Input::for_each(&args.inputs, |input| {
        out.write_all(&one(input, encoding, args)?)
            .map_err(|error| CliError::write(&error))?;
        Ok(Exit::Done)
    });
    out.flush().map_err(|error| CliError::write(&error))?;
    exit
}

/// The encoding to write. UTF-32 is no encoding of the web, but fixtures are written in it.
fn target(label: &str) -> Result<Encoding, CliError> {
    match label.trim_ascii().to_ascii_lowercase().as_str() {
        "utf-32le" => Ok(Encoding::Utf32Le),
        "utf-32be" => Ok(Encoding::Utf32Be),
        "utf-32" => Err(CliError::new("cannot write UTF-32 without a byte order")
            .hint("`--to utf-32le` or `--to utf-32be`, with `--bom` for a mark")),
        _ => parse_label(label),
    }
}

fn one(input: &Input, encoding: Encoding, args: &EncodeArgs) -> Result<Vec<u8>, CliError> {
    let text = String::from_utf8(input.read()?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        CliError::found(format!(
            "cannot encode `{}`: it is not UTF-8 at byte {at}",
            input.name()
        ))
        .hint("`unbake decode` makes UTF-8 of other text")
    })?;
    // A mark before the text says that it is UTF-8, and is none of it: "UTF-8 decode" drops it.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    if args.url_query {
        let line = text.strip_suffix('\n').unwrap_or(text);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let query = percent_encode_query(line, encoding, QuerySet::SpecialQuery);
        return Ok(query.into_bytes());
    }
    let mode = match args.mode {
        Mode::Fatal => EncodeMode::Fatal,
        Mode::Html => EncodeMode::Html,
    };
    let marked = args.bom.then(|| format!("\u{FEFF}{text}"));
    encode(marked.as_deref().unwrap_or(text), encoding, mode).map_err(|error| {
        CliError::found(format!("cannot encode `{}`: {error}", input.name()))
            .hint("`--mode html` writes such characters as `&#N;`")
    })
}
