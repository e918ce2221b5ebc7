//! Records as a table for people.

use std::io::{self, Write};

use unbake::{Clue, Fate, Record};

use crate::messages::plain;

/// A record, or the message why there is none, as a line of the table.
pub(crate) fn table_row(id: &str, outcome: Result<&Record, &str>) -> Vec<u8> {
    let id = id.to_owned();
    let none = || "-".to_owned();
    let cells = match outcome {
        Err(message) => [
            id,
            "error".to_owned(),
            none(),
            none(),
            none(),
            message.to_owned(),
        ],
        Ok(record) => {
            let rule = match &record.label {
                Some(label) => format!("{} `{label}`", record.rule),
                None => record.rule.to_string(),
            };
            [
                id,
                record.encoding.to_string(),
                record.confidence.id().to_owned(),
                rule,
                record.replacements.to_string(),
                also_seen(&record.clues),
            ]
        }
    };
    let mut row = Vec::new();
    // Into memory: no error.
    let _infallible = write_row(&mut row, &cells);
    row
}

/// The clues that lost, in a few words.
fn also_seen(clues: &[Clue]) -> String {
    let words: Vec<String> = clues
        .iter()
        .filter(|clue| clue.fate != Fate::Decided)
        .map(|clue| {
            let said = match (&clue.label, clue.encoding) {
                (Some(label), _) => label.clone(),
                (None, Some(encoding)) => encoding.to_string(),
                (None, None) => String::new(),
            };
            format!("{} `{said}` ({})", clue.origin.id(), clue.fate.id())
        })
        .collect();
    if words.is_empty() {
        "-".to_owned()
    } else {
        words.join(", ")
    }
}

/// The table's first line.
pub(crate) fn write_table_head(out: &mut dyn Write) -> io::Result<()> {
    let head = [
        "document",
        "encoding",
        "confidence",
        "decided by",
        "malformed",
        "also seen",
    ];
    write_row(out, &head.map(str::to_owned))
}

/// Cells in columns; the last one runs on.
fn write_row(out: &mut dyn Write, cells: &[String; 6]) -> io::Result<()> {
    let [document, encoding, confidence, rule, malformed, seen] = cells;
    let row =
        format!("{document:<38} {encoding:<13} {confidence:<10} {rule:<30} {malformed:>9}  {seen}");
    writeln!(out, "{}", plain(&row))
}
