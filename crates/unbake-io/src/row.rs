//! [`Row`]: a decoded document with where it came from.

use std::io;

use serde::Serialize;

use crate::document::Document;
use crate::error::Error;
use crate::record::RecordError;
use crate::source::Source;

/// The [`unbake::Record`] of one document, and the archive's columns under the names of
/// Common Crawl's index.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The decision and the text.
    #[serde(flatten)]
    pub record: unbake::Record,
    /// Where it came from.
    #[serde(flatten)]
    pub source: Source,
}

/// A record that could not be read, in the contract's shape.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorRow {
    /// WARC-Record-ID, if known.
    pub id: Option<String>,
    /// WARC-Target-URI, if known.
    pub url: Option<String>,
    /// What and where.
    pub error: ErrorCell,
    /// The archive.
    pub warc_filename: Option<String>,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorCell {
    /// [`Kind::id`](crate::Kind::id).
    pub kind: &'static str,
    /// The message, without the name of the input.
    pub message: String,
    /// The offset in the input.
    pub at: Option<u64>,
}

/// One row of the output.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Out {
    /// A document.
    Row(Box<Row>),
    /// A record that could not be read.
    Error(ErrorRow),
}

impl Out {
    /// Writes the row as a line of JSON.
    ///
    /// # Errors
    /// The writer's.
    pub fn write_json(&self, text: bool, to: &mut dyn io::Write) -> io::Result<()> {
        if text {
            serde_json::to_writer(&mut *to, self)?;
        } else {
            let mut value = serde_json::to_value(self)?;
            if let Some(object) = value.as_object_mut() {
                object.shift_remove("text");
            }
            serde_json::to_writer(&mut *to, &value)?;
        }
        to.write_all(b"\n")
    }
}

impl Out {
    /// Writes the row as a line of a CDXJ index; nothing for an error, or for a document that is in no archive.
    ///
    /// # Errors
    /// The writer's.
    pub fn write_cdxj(&self, to: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Out::Row(row) => crate::cdxj::write(row, to),
            Out::Error(_) => Ok(()),
        }
    }
}

impl Row {
    /// Decodes a document.
    ///
    /// # Errors
    /// With `strict`, the first malformed sequence; `at` is its offset in the document.
    pub fn of(document: Document<'_>, strict: bool) -> Result<Row, Box<ErrorRow>> {
        let Document {
            id,
            url,
            body,
            context,
            source,
            strict: own,
        } = document;
        let decoded = if own.unwrap_or(strict) {
            match unbake::decode_strict(&body, &context) {
                Ok(decoded) => decoded,
                Err(error) => {
                    let cell = ErrorCell {
                        kind: "malformed",
                        message: error.to_string(),
                        at: Some(error.at),
                    };
                    return Err(Box::new(ErrorRow {
                        id,
                        url,
                        error: cell,
                        warc_filename: source.warc_filename,
                    }));
                }
            }
        } else {
            unbake::decode(&body, &context)
        };
        let mut record = unbake::Record::new(decoded, body.len() as u64);
        record.id = id;
        record.url = url;
        Ok(Row { record, source })
    }
}

impl ErrorRow {
    /// The row of a record that could not be read.
    pub fn new(lost: &RecordError, file: &str) -> ErrorRow {
        let mut row = ErrorRow::of(&lost.error, Some(file));
        row.id.clone_from(&lost.id);
        row.url.clone_from(&lost.url);
        row
    }

    pub(crate) fn of(error: &Error, file: Option<&str>) -> ErrorRow {
        ErrorRow {
            id: None,
            url: None,
            error: ErrorCell {
                kind: error.kind().id(),
                message: error.message().to_owned(),
                at: error.offset(),
            },
            warc_filename: file.map(str::to_owned),
        }
    }
}

/// Milliseconds since 1970 of a WARC-Date such as `2026-01-02T03:04:05.678Z`; `None` for anything else.
///
/// # Standard
/// [W3C profile of ISO 8601](https://www.w3.org/TR/NOTE-datetime), as WARC 1.1 asks for: UTC, to the
/// second or finer.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(crate) fn milliseconds(date: &str) -> Option<i64> {
    let (day, time) = date.trim().strip_suffix('Z')?.split_once('T')?;
    let mut parts = day.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let mut parts = time.splitn(3, ':');
    let hour: i64 = parts.next()?.parse().ok()?;
    let minute: i64 = parts.next()?.parse().ok()?;
    let (second, fraction) = {
        let second = parts.next()?;
        second.split_once('.').unwrap_or((second, ""))
    };
    let second: i64 = second.parse().ok()?;
    let digits = fraction.get(..3).unwrap_or(fraction);
    let thousandths: i64 = format!("{digits:0<3}").parse().ok()?;
    let valid = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second)
        && (0..=9999).contains(&year);
    if !valid {
        return None;
    }
    // Days from a civil date, with March as the first month of the year.
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let of_era = y - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(milliseconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(
            milliseconds("2026-01-02T03:04:05Z"),
            Some(1_767_323_045_000)
        );
        assert_eq!(
            milliseconds("2024-02-29T23:59:59.1234567Z"),
            Some(1_709_251_199_123)
        );
        for bad in [
            "",
            "2026-01-02",
            "2026-13-02T03:04:05Z",
            "2026-01-02T03:04:05",
            "x",
        ] {
            assert_eq!(milliseconds(bad), None, "{bad}");
        }
    }
}
