//! `unbake labels`: every label and the encoding it names.

use std::fmt::Write as _;
use std::io::{self, Write};

use unbake::{LABELS, get_an_encoding};

use crate::Outcome;
use crate::messages::{CliError, Exit};

pub(crate) fn run() -> Outcome {
    let mut text = String::new();
    for label in LABELS {
        let name = get_an_encoding(label.as_bytes()).map_or("none", unbake::Encoding::name);
        let _infallible = writeln!(text, "{label:<20} {name}");
    }
    io::stdout()
        .lock()
        .write_all(text.as_bytes())
        .map_err(|error| CliError::write(&error))?;
    Ok(Exit::Done)
}
