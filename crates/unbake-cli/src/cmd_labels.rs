//! `unbake labels`: every label and the encoding it names.

use std::fmt::Write as _;
use std::io::{self, Write};

use clap::Args;
use serde_json::json;
use unbake::{LABELS, get_an_encoding, nearest_labels};

use crate::Outcome;
use crate::messages::{CliError, Exit};

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  unbake labels latin")]
pub(crate) struct LabelsArgs {
    /// Only the labels that hold this word, and those of encodings whose name does
    #[arg(value_name = "WORD")]
    word: Option<String>,
    /// One JSON object a label
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &LabelsArgs) -> Outcome {
    let word = args
        .word
        .as_deref()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    let mut text = String::new();
    for label in LABELS {
        let name = get_an_encoding(label.as_bytes()).map_or("none", unbake::Encoding::name);
        if !label.contains(&word) && !name.to_ascii_lowercase().contains(&word) {
            continue;
        }
        if args.json {
            let _infallible = writeln!(text, "{}", json!({"label": label, "encoding": name}));
        } else {
            let _infallible = writeln!(text, "{label:<20} {name}");
        }
    }
    if text.is_empty() {
        let near: Vec<String> = nearest_labels(&word)
            .iter()
            .map(|near| format!("`{near}`"))
            .collect();
        let none = CliError::found(format!("no label and no encoding holds `{word}`"));
        return Err(match near.as_slice() {
            [] => none,
            _ => none.hint(format!("near it: {}", near.join(", "))),
        });
    }
    io::stdout()
        .lock()
        .write_all(text.as_bytes())
        .map_err(|error| CliError::write(&error))?;
    Ok(Exit::Done)
}
