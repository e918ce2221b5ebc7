//! The rows of an earlier run: what it decided, and a digest of the text it gave.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{BufReader, Read as _, Seek as _};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use serde::Deserialize;

use crate::columns::{batches, bytes_at};
use crate::error::{Error, Kind};
use crate::ndjson::{Lines, RawLine};

/// One document as it was decoded before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OldRow {
    pub(crate) id: Option<String>,
    pub(crate) offset: Option<u64>,
    pub(crate) encoding: String,
    pub(crate) rule: String,
    pub(crate) text_length: u64,
    /// `None`: the text was not kept.
    pub(crate) text: Option<u64>,
}

/// The columns that are needed.
const COLUMNS: [&str; 7] = [
    "id",
    "warc_record_offset",
    "encoding",
    "rule",
    "text_length",
    "text",
    "unbake",
];

/// A digest of a text. Equal texts have equal digests within one run of the program, which is all that is
/// asked of it.
pub(crate) fn text_digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The longest line of JSON that is read.
const MAX_LINE: usize = 1 << 30;

#[derive(Deserialize)]
struct Line {
    id: Option<String>,
    warc_record_offset: Option<u64>,
    encoding: Option<String>,
    rule: Option<String>,
    text_length: Option<u64>,
    text: Option<String>,
    unbake: Option<String>,
}

/// Hands every row of a file of records (Parquet, Arrow IPC, NDJSON) to `take`; answers which version wrote it.
///
/// Rows that are errors are passed over.
pub(crate) fn old_rows(path: &Path, take: &mut dyn FnMut(OldRow)) -> Result<Option<String>, Error> {
    let shown = path.display().to_string();
    let wrong = |kind, message: String| Error::new(kind, message).with_path(shown.as_str());
    let io = |e: std::io::Error| wrong(Kind::Io, e.to_string());
    let mut file = File::open(path).map_err(io)?;
    let mut first = [0];
    file.read_exact(&mut first).map_err(io)?;
    file.rewind().map_err(io)?;
    let mut version = None;
    if first == *b"{" {
        for line in Lines::new(BufReader::new(file), MAX_LINE) {
            let (at, line) = match line.map_err(io)? {
                RawLine::Line { at, line } => (at, line),
                RawLine::TooLong { at } => {
                    return Err(wrong(
                        Kind::Schema,
                        format!("the line at byte {at} is too long"),
                    ));
                }
            };
            let line: Line = serde_json::from_slice(&line).map_err(|e| {
                wrong(
                    Kind::Schema,
                    format!("the line at byte {at} is no record: {e}"),
                )
            })?;
            if let (Some(encoding), Some(rule)) = (line.encoding, line.rule) {
                version = line.unbake.or(version);
                take(OldRow {
                    id: line.id,
                    offset: line.warc_record_offset,
                    encoding,
                    rule,
                    text_length: line.text_length.unwrap_or(0),
                    text: line.text.as_deref().map(text_digest),
                });
            }
        }
        return Ok(version);
    }
    drop(file);
    let (schema, batches) = batches(path, &mut |schema| {
        COLUMNS
            .iter()
            .filter_map(|name| schema.index_of(name).ok())
            .collect()
    })?;
    for name in ["encoding", "rule"] {
        if schema.index_of(name).is_err() {
            let message = format!("there is no column `{name}`: these are no records");
            return Err(wrong(Kind::Schema, message));
        }
    }
    for batch in batches {
        let batch = batch.map_err(|e| wrong(Kind::Schema, e.to_string()))?;
        for row in 0..batch.num_rows() {
            if let (Some(encoding), Some(rule)) =
                (text(&batch, "encoding", row), text(&batch, "rule", row))
            {
                version = text(&batch, "unbake", row).or(version);
                take(OldRow {
                    id: text(&batch, "id", row),
                    offset: number(&batch, "warc_record_offset", row),
                    encoding,
                    rule,
                    text_length: number(&batch, "text_length", row).unwrap_or(0),
                    text: text(&batch, "text", row).as_deref().map(text_digest),
                });
            }
        }
    }
    Ok(version)
}

fn text(batch: &RecordBatch, column: &str, row: usize) -> Option<String> {
    let bytes = bytes_at(batch.column_by_name(column)?.as_ref(), row)?;
    String::from_utf8(bytes).ok()
}

fn number(batch: &RecordBatch, column: &str, row: usize) -> Option<u64> {
    let column = batch
        .column_by_name(column)?
        .as_primitive_opt::<Int64Type>()?;
    if column.is_null(row) {
        return None;
    }
    u64::try_from(column.value(row)).ok()
}
