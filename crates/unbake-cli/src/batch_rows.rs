//! The rows of `batch --from ndjson`: one document a line in, one record a line out.

use serde::Serialize;
use unbake::{Context, Record, decode, decode_strict};
use unbake_io::ndjson::parse;

/// Why a row gave no record.
#[derive(Debug, Serialize)]
pub(crate) struct RowError {
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    /// A byte offset: into the document for malformed bytes, else into the input.
    pub(crate) at: u64,
}

#[derive(Serialize)]
struct ErrorRow<'a> {
    id: Option<serde_json::Value>,
    error: &'a RowError,
}

/// How a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowEnd {
    Record,
    Unreadable,
    /// Malformed bytes in a strict row.
    Malformed,
}

/// Turns the line that starts at byte `at` of the input into its answer, a line of JSON without its line end.
pub(crate) fn answer(line: &[u8], at: u64, defaults: &Context, strict: bool) -> (Vec<u8>, RowEnd) {
    let mut id = None;
    match record(line, at, defaults, strict, &mut id) {
        Ok(record) => (to_json(&WithId { id, record }), RowEnd::Record),
        Err(error) => {
            let end = if error.kind == "malformed" {
                RowEnd::Malformed
            } else {
                RowEnd::Unreadable
            };
            (to_json(&ErrorRow { id, error: &error }), end)
        }
    }
}

/// The record, under the id as it was given: a number stays a number.
struct WithId {
    id: Option<serde_json::Value>,
    record: Record,
}

impl Serialize for WithId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.id {
            None | Some(serde_json::Value::String(_)) => self.record.serialize(serializer),
            Some(id) => {
                let mut value =
                    serde_json::to_value(&self.record).map_err(serde::ser::Error::custom)?;
                if let Some(object) = value.as_object_mut() {
                    object.insert("id".to_owned(), id.clone());
                }
                value.serialize(serializer)
            }
        }
    }
}

pub(crate) fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_else(|error| {
        let message = format!("cannot write JSON: {error}");
        serde_json::json!({"id": null, "error": {"kind": "output", "message": message, "at": 0}})
            .to_string()
            .into_bytes()
    })
}

fn record(
    line: &[u8],
    at: u64,
    defaults: &Context,
    strict: bool,
    id: &mut Option<serde_json::Value>,
) -> Result<Record, RowError> {
    let parsed = parse(line, at, defaults);
    *id = parsed.id;
    let document = parsed.document.map_err(|cell| RowError {
        kind: cell.kind,
        message: cell.message,
        at: cell.at.unwrap_or(at),
    })?;
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
    let record = Record::new(decoded, byte_length);
    Ok(Record {
        id: id.as_ref().and_then(|id| id.as_str()).map(str::to_owned),
        url: document.url,
        ..record
    })
}
