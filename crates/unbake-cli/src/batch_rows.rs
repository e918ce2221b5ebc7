//! What `batch` answers to a document: a record, or why there is none; as JSON or as a row of the table.

use serde::Serialize;
use serde_json::value::RawValue;
use unbake::{Context, Record, decode, decode_strict};
use unbake_io::Document;
use unbake_io::ndjson::{id_text, parse};

use crate::batch_table::table_row;

/// One document answered.
pub(crate) struct Answer {
    /// The id as it was given, to the letter: no number or escape is written otherwise.
    pub(crate) id: Option<Box<RawValue>>,
    /// Where its line starts in the input: names it where there is no id.
    pub(crate) at: u64,
    /// The names of fields that say nothing to us.
    pub(crate) passed_over: Vec<String>,
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
    /// A file that could not be read.
    Unreadable,
    /// A row that is no document.
    Refused,
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
            Err(error) if error.kind == "read" => RowEnd::Unreadable,
            Err(_) => RowEnd::Refused,
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
        let id = self.id.as_deref().and_then(id_text);
        table_row(
            &id.unwrap_or_else(|| format!("(byte {})", self.at)),
            self.outcome
                .as_ref()
                .map_err(|error| error.message.as_str()),
        )
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

/// What the command's options say about every row.
pub(crate) struct Defaults {
    pub(crate) context: Context,
    /// `--detect` or `--no-detect`.
    pub(crate) detector: Option<bool>,
    pub(crate) strict: bool,
}

/// Answers the line that starts at byte `at` of the input.
pub(crate) fn answer(line: &[u8], at: u64, defaults: &Defaults) -> Answer {
    let parsed = parse(line, at, &defaults.context, defaults.detector);
    let outcome = match parsed.document {
        Ok(document) => record(document, defaults.strict),
        Err(cell) => Err(RowError {
            kind: cell.kind,
            message: cell.message,
            at: cell.at.unwrap_or(at),
        }),
    };
    Answer {
        id: parsed.id,
        at,
        passed_over: parsed.passed_over,
        outcome,
    }
}

fn record(document: Document<'_>, strict: bool) -> Result<Record, RowError> {
    let byte_length = document.body.len() as u64;
    let decoded = if document.strict.unwrap_or(strict) {
        decode_strict(&document.body, &document.context).map_err(|error| RowError {
            kind: "malformed",
            message: error.to_string(),
            at: error.at,
        })?
    } else {
        decode(&document.body, &document.context)
    };
    Ok(Record {
        url: document.url,
        ..Record::new(decoded, byte_length)
    })
}
