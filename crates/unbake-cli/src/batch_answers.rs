//! What `batch` says about a document: a record, or why there is none; as JSON or as a row of the table.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;
use unbake::{Clue, Fate, Record};

use crate::messages::plain;

/// One document answered.
pub(crate) struct Answer {
    /// The id as it was given, to the letter: no number or escape is written otherwise.
    pub(crate) id: Option<Box<RawValue>>,
    pub(crate) outcome: Result<Record, RowError>,
}

/// Why a document gave no record.
#[derive(Debug, Serialize)]
pub(crate) struct RowError {
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    /// A byte offset: into the document for malformed bytes, else into the input.
    pub(crate) at: u64,
}

/// How a document ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowEnd {
    Record,
    Unreadable,
    /// Malformed bytes in a strict row.
    Malformed,
}

#[derive(Serialize)]
struct ErrorRow<'a> {
    id: Option<&'a RawValue>,
    error: &'a RowError,
}

impl Answer {
    pub(crate) fn end(&self) -> RowEnd {
        match &self.outcome {
            Ok(_) => RowEnd::Record,
            Err(error) if error.kind == "malformed" => RowEnd::Malformed,
            Err(_) => RowEnd::Unreadable,
        }
    }

    /// A line of JSON.
    pub(crate) fn as_json(&self, with_text: bool) -> Vec<u8> {
        let id = self.id.as_deref();
        let json = match &self.outcome {
            Err(error) => serde_json::to_vec(&ErrorRow { id, error }),
            Ok(record) if with_text => serde_json::to_vec(record).map(|json| under_id(id, json)),
            Ok(record) => serde_json::to_value(record).and_then(|mut value| {
                if let Some(object) = value.as_object_mut() {
                    object.shift_remove("text");
                }
                serde_json::to_vec(&value).map(|json| under_id(id, json))
            }),
        };
        let mut line = json.unwrap_or_else(|error| {
            let message = format!("cannot write JSON: {error}");
            serde_json::json!({"id": null, "error": {"kind": "output", "message": message, "at": 0}})
                .to_string()
                .into_bytes()
        });
        line.push(b'\n');
        line
    }

    /// A line of the table.
    pub(crate) fn as_table_row(&self) -> Vec<u8> {
        let id = self.id.as_deref().map_or_else(
            || "-".to_owned(),
            |id| serde_json::from_str::<String>(id.get()).unwrap_or_else(|_| id.get().to_owned()),
        );
        let cells = match &self.outcome {
            Err(error) => {
                let none = || "-".to_owned();
                [
                    id,
                    "error".to_owned(),
                    none(),
                    none(),
                    none(),
                    error.message.clone(),
                ]
            }
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
}

/// Puts the id as it was given into a record without one: its first field is `id`.
fn under_id(id: Option<&RawValue>, record: Vec<u8>) -> Vec<u8> {
    const NO_ID: &[u8] = b"{\"id\":null";
    match (id, record.strip_prefix(NO_ID)) {
        (Some(id), Some(rest)) => [b"{\"id\":", id.get().as_bytes(), rest].concat(),
        _ => record,
    }
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
