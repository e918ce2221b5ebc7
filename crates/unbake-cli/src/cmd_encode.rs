//! `unbake encode`: UTF-8 text to the bytes of an encoding.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use unbake::{EncodeMode, Encoding, QuerySet, encode, percent_encode_query};

use crate::Outcome;
use crate::args::parse_label;
use crate::input::Input;
use crate::messages::{CliError, Exit};

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  unbake encode --to shift_jis page.txt > page.sjis")]
pub(crate) struct EncodeArgs {
    /// Files of UTF-8 text; `-` or nothing is standard input
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
    /// Write the percent-encoded form that a browser puts into a URL's query
    #[arg(long)]
    url_query: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    Fatal,
    Html,
}

pub(crate) fn run(args: &EncodeArgs) -> Outcome {
    // UTF-32 is no encoding of the web, but fixtures are written in it.
    let encoding = match args.to.to_ascii_lowercase().as_str() {
        "utf-32le" => Encoding::Utf32Le,
        "utf-32be" => Encoding::Utf32Be,
        _ => parse_label(&args.to)?,
    };
    let unicode = encoding == Encoding::UTF_8 || encoding.is_utf_16() || encoding.web().is_none();
    if args.bom && !unicode {
        let message = format!("cannot begin {encoding} with a byte order mark: it has none");
        return Err(CliError::new(message).hint("leave out `--bom`"));
    }
    let mode = match args.mode {
        Mode::Fatal => EncodeMode::Fatal,
        Mode::Html => EncodeMode::Html,
    };
    let mut out = io::stdout().lock();
    for input in Input::list(&args.inputs) {
        let bytes = input.read()?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            CliError::found(format!(
                "cannot encode `{}`: it is not UTF-8 at byte {at}",
                input.name()
            ))
            .hint("`unbake decode` makes UTF-8 of other text")
        })?;
        let written = if args.url_query {
            percent_encode_query(
                text.trim_end_matches('\n'),
                encoding,
                QuerySet::SpecialQuery,
            )
            .into_bytes()
        } else {
            let text = if args.bom {
                format!("\u{FEFF}{text}")
            } else {
                text
            };
            encode(&text, encoding, mode).map_err(|error| {
                CliError::found(format!("cannot encode `{}`: {error}", input.name()))
                    .hint("`--mode html` writes such characters as `&#N;`")
            })?
        };
        out.write_all(&written)
            .map_err(|error| CliError::write(&error))?;
    }
    out.flush().map_err(|error| CliError::write(&error))?;
    Ok(Exit::Done)
}
