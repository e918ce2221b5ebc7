//! Rows as Arrow columns, for Parquet and Arrow IPC.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int16Array, Int32Array, Int64Array, ListArray,
    RecordBatch, StringArray, StructArray, TimestampMillisecondArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, Field, Fields};
use unbake::{Clue, Encoding, Sequence};

use crate::row::{ErrorRow, Out, Row, milliseconds};

/// Columns whose values hardly repeat: no dictionary for them.
#[cfg(feature = "parquet")]
pub(crate) const NO_DICTIONARY: [&str; 8] = [
    "id",
    "url",
    "text",
    "warc_record_id",
    "warc_record_offset",
    "warc_record_length",
    "content_digest",
    "text_length",
];

/// The rows as one batch. Its schema never depends on the rows.
///
/// The names are the contract's, and Common Crawl's for the archive's columns. `clues` is a list of
/// `{origin, label, encoding, start, end, fate}`: the pair `at` of the JSON form as two numbers. A row
/// that stands for a record that could not be read has `error_kind`, `error_message` and `error_at`,
/// and nulls elsewhere. Numbers are signed, because Spark has no others; without `text` that column is null.
pub(crate) fn batch(rows: &[Out], text: bool) -> Result<RecordBatch, ArrowError> {
    let columns = Columns { rows };
    RecordBatch::try_from_iter_with_nullable([
        (
            "id",
            columns.either(|r| r.record.id.as_deref(), |e| e.id.as_deref()),
            true,
        ),
        (
            "url",
            columns.either(|r| r.record.url.as_deref(), |e| e.url.as_deref()),
            true,
        ),
        (
            "encoding",
            columns.texts(|r| Some(r.record.encoding.name())),
            true,
        ),
        (
            "confidence",
            columns.texts(|r| Some(r.record.confidence.id())),
            true,
        ),
        ("rule", columns.texts(|r| Some(r.record.rule.id())), true),
        ("format", columns.texts(|r| Some(r.record.format)), true),
        (
            "format_source",
            columns.texts(|r| Some(r.record.format_source.id())),
            true,
        ),
        ("label", columns.texts(|r| r.record.label.as_deref()), true),
        (
            "bom",
            columns.texts(|r| r.record.bom.map(Encoding::name)),
            true,
        ),
        ("clues", columns.clues()?, true),
        (
            "conflict",
            Arc::new(BooleanArray::from(columns.all(|r| Some(r.record.conflict)))),
            true,
        ),
        (
            "change",
            columns.texts(|r| r.record.change.map(unbake::Change::id)),
            true,
        ),
        (
            "replacements",
            columns.numbers(|r| Some(r.record.replacements)),
            true,
        ),
        ("malformed", columns.malformed()?, true),
        (
            "literal_fffd",
            columns.numbers(|r| Some(r.record.literal_fffd)),
            true,
        ),
        (
            "score",
            Arc::new(Float64Array::from(columns.all(|r| r.record.score))),
            true,
        ),
        (
            "margin",
            Arc::new(Float64Array::from(columns.all(|r| r.record.margin))),
            true,
        ),
        (
            "runner_up",
            columns.texts(|r| r.record.runner_up.map(Encoding::name)),
            true,
        ),
        (
            "byte_length",
            columns.numbers(|r| Some(r.record.byte_length)),
            true,
        ),
        (
            "text_length",
            columns.numbers(|r| Some(r.record.text_length)),
            true,
        ),
        (
            "text",
            columns.texts(|r| text.then_some(&*r.record.text)),
            true,
        ),
        (
            "repair",
            columns.texts(|r| r.record.repair.as_deref()),
            true,
        ),
        ("unbake", columns.texts(|r| Some(r.record.unbake)), true),
        (
            "schema",
            Arc::new(Int32Array::from(
                columns.all(|r| i32::try_from(r.record.schema).ok()),
            )),
            true,
        ),
        ("fetch_time", columns.times(), true),
        (
            "fetch_status",
            Arc::new(Int16Array::from(columns.all(|r| {
                r.source.fetch_status.and_then(|s| i16::try_from(s).ok())
            }))),
            true,
        ),
        (
            "content_mime_type",
            columns.texts(|r| r.source.content_mime_type.as_deref()),
            true,
        ),
        (
            "content_digest",
            columns.texts(|r| r.source.content_digest.as_deref()),
            true,
        ),
        (
            "content_truncated",
            columns.texts(|r| r.source.content_truncated.as_deref()),
            true,
        ),
        (
            "warc_filename",
            columns.either(
                |r| r.source.warc_filename.as_deref(),
                |e| e.warc_filename.as_deref(),
            ),
            true,
        ),
        (
            "warc_record_offset",
            columns.numbers(|r| r.source.warc_record_offset),
            true,
        ),
        (
            "warc_record_length",
            columns.numbers(|r| r.source.warc_record_length),
            true,
        ),
        (
            "warc_record_id",
            columns.texts(|r| r.source.warc_record_id.as_deref()),
            true,
        ),
        ("warc_type", columns.texts(|r| r.source.warc_type), true),
        (
            "warc_refers_to",
            columns.texts(|r| r.source.warc_refers_to.as_deref()),
            true,
        ),
        (
            "body_coding",
            columns.texts(|r| r.source.body_coding.as_deref()),
            true,
        ),
        ("notes", columns.notes()?, true),
        ("error_kind", columns.errors(|e| Some(e.error.kind)), true),
        (
            "error_message",
            columns.errors(|e| Some(&e.error.message)),
            true,
        ),
        (
            "error_at",
            Arc::new(Int64Array::from(
                columns.both(|_| None, |e| e.error.at.map(signed)),
            )),
            true,
        ),
    ])
}

/// Lengths and offsets are far below 2^63.
fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

struct Columns<'a> {
    rows: &'a [Out],
}

impl<'a> Columns<'a> {
    fn both<T>(
        &self,
        row: impl Fn(&'a Row) -> Option<T>,
        error: impl Fn(&'a ErrorRow) -> Option<T>,
    ) -> Vec<Option<T>> {
        let cell = |out: &'a Out| match out {
            Out::Row(r) => row(r),
            Out::Error(e) => error(e),
        };
        self.rows.iter().map(cell).collect()
    }

    fn all<T>(&self, get: impl Fn(&'a Row) -> Option<T>) -> Vec<Option<T>> {
        self.both(get, |_| None)
    }

    fn texts(&self, get: impl Fn(&'a Row) -> Option<&'a str>) -> ArrayRef {
        Arc::new(StringArray::from(self.all(get)))
    }

    fn either(
        &self,
        row: impl Fn(&'a Row) -> Option<&'a str>,
        error: impl Fn(&'a ErrorRow) -> Option<&'a str>,
    ) -> ArrayRef {
        Arc::new(StringArray::from(self.both(row, error)))
    }

    fn errors(&self, get: impl Fn(&'a ErrorRow) -> Option<&'a str>) -> ArrayRef {
        Arc::new(StringArray::from(self.both(|_| None, get)))
    }

    fn numbers(&self, get: impl Fn(&'a Row) -> Option<u64>) -> ArrayRef {
        Arc::new(Int64Array::from(self.all(|r| get(r).map(signed))))
    }

    fn times(&self) -> ArrayRef {
        let cells = self.all(|r| r.source.fetch_time.as_deref().and_then(milliseconds));
        Arc::new(TimestampMillisecondArray::from(cells).with_timezone("UTC"))
    }

    /// One list a row.
    fn list<T: 'a>(
        &self,
        get: impl Fn(&'a Row) -> &'a [T],
        values: impl Fn(&[&'a T]) -> Result<ArrayRef, ArrowError>,
    ) -> Result<ArrayRef, ArrowError> {
        let lists = self.all(|r| Some(get(r)));
        let lengths =
            OffsetBuffer::from_lengths(lists.iter().map(|list| list.map_or(0, <[T]>::len)));
        let flat: Vec<&T> = lists
            .iter()
            .flatten()
            .flat_map(|list| list.iter())
            .collect();
        let values = values(&flat)?;
        let field = Arc::new(Field::new("item", values.data_type().clone(), false));
        Ok(Arc::new(ListArray::try_new(field, lengths, values, None)?))
    }

    fn clues(&self) -> Result<ArrayRef, ArrowError> {
        self.list(
            |r| &r.record.clues,
            |clues: &[&Clue]| {
                let text = |get: fn(&Clue) -> Option<&str>| -> ArrayRef {
                    Arc::new(StringArray::from(
                        clues.iter().map(|clue| get(clue)).collect::<Vec<_>>(),
                    ))
                };
                let at = |get: fn((u64, u64)) -> u64| -> ArrayRef {
                    Arc::new(Int64Array::from(
                        clues
                            .iter()
                            .map(|clue| clue.at.map(get).map(signed))
                            .collect::<Vec<_>>(),
                    ))
                };
                structs(vec![
                    ("origin", text(|clue| Some(clue.origin.id()))),
                    ("label", text(|clue| clue.label.as_deref())),
                    ("encoding", text(|clue| clue.encoding.map(Encoding::name))),
                    ("start", at(|(start, _)| start)),
                    ("end", at(|(_, end)| end)),
                    ("fate", text(|clue| Some(clue.fate.id()))),
                ])
            },
        )
    }

    fn malformed(&self) -> Result<ArrayRef, ArrowError> {
        self.list(
            |r| &r.record.malformed,
            |sequences: &[&Sequence]| {
                structs(vec![
                    (
                        "at",
                        Arc::new(Int64Array::from_iter_values(
                            sequences.iter().map(|s| signed(s.at)),
                        )),
                    ),
                    (
                        "len",
                        Arc::new(Int16Array::from_iter_values(
                            sequences.iter().map(|s| i16::from(s.len)),
                        )),
                    ),
                    (
                        "kind",
                        Arc::new(StringArray::from_iter_values(
                            sequences.iter().map(|s| s.kind.id()),
                        )),
                    ),
                ])
            },
        )
    }

    fn notes(&self) -> Result<ArrayRef, ArrowError> {
        self.list(
            |r| &r.source.notes,
            |notes: &[&&str]| {
                Ok(Arc::new(StringArray::from_iter_values(
                    notes.iter().map(|note| **note),
                )))
            },
        )
    }
}

fn structs(columns: Vec<(&str, ArrayRef)>) -> Result<ArrayRef, ArrowError> {
    let fields: Fields = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let length = columns.first().map_or(0, |(_, array)| array.len());
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let array = StructArray::try_new_with_length(fields, arrays, None, length)?;
    Ok(Arc::new(array))
}

#[cfg(test)]
mod tests {
    use unbake::{Context, Record, decode};

    use super::batch;

    #[test]
    fn every_field_of_a_record_is_a_column() {
        let record = Record::new(decode(b"x", &Context::default()), 1);
        let json = serde_json::to_value(record).unwrap();
        let schema = batch(&[], true).unwrap().schema();
        let fields: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert!(fields.len() > 20);
        for field in fields {
            assert!(schema.column_with_name(field).is_some(), "{field}");
        }
    }
}
