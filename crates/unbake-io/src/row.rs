//! [`Row`]: a decoded document with where it came from.

use serde::Serialize;
use unbake::Context;

use crate::error::Error;
use crate::limits::Limits;
use crate::record::{Record, RecordError, RecordType};

/// The [`unbake::Record`] of one document of an archive, and the archive's columns under the names of
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

/// Where a document came from.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Source {
    /// WARC-Date, as written.
    pub fetch_time: Option<String>,
    /// The HTTP status.
    pub fetch_status: Option<u16>,
    /// The first Content-Type without its parameters, lower case.
    pub content_mime_type: Option<String>,
    /// WARC-Payload-Digest, as written.
    pub content_digest: Option<String>,
    /// WARC-Truncated, as written.
    pub content_truncated: Option<String>,
    /// The archive.
    pub warc_filename: String,
    /// See [`Place`](crate::Place).
    pub warc_record_offset: u64,
    /// See [`Place`](crate::Place).
    pub warc_record_length: Option<u64>,
    /// WARC-Record-ID.
    pub warc_record_id: Option<String>,
    /// WARC-Type.
    pub warc_type: Option<&'static str>,
    /// What a revisit refers to.
    pub warc_refers_to: Option<String>,
    /// The codings that were removed: `identity`, `chunked+gzip`.
    pub body_coding: String,
    /// What had to be overlooked: the ids of [`Note`](crate::Note)s.
    pub notes: Vec<&'static str>,
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
    pub warc_filename: String,
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

impl Row {
    /// Decodes the document of one record.
    ///
    /// The context says how; what the record itself says (Content-Type, the top-level domain of its URL,
    /// plain text for a conversion) is put in its place.
    pub fn new(record: &Record, file: &str, context: &Context, limits: &Limits) -> Row {
        let warc = record.warc();
        let content_types = record.content_types();
        let body = record.body(limits);
        let url = record.url();
        let mut context = context.clone();
        context.content_type.clone_from(&content_types);
        if context.tld.is_none() {
            context.tld = url.as_deref().and_then(top_level_domain);
        }
        // WET records are UTF-8 by definition; their Content-Type does not say so.
        if record.record_type() == RecordType::Conversion && context.user_override.is_none() {
            context.content_type.clear();
            context.format = Some(unbake::Format::Text);
            context.user_override = Some(unbake::Encoding::UTF_8);
        }
        let decoded = unbake::decode(&body.bytes, &context);
        let mut row = unbake::Record::new(decoded, body.bytes.len() as u64);
        let id = record.id();
        row.id.clone_from(&id);
        row.url = url;
        let notes = record
            .notes()
            .iter()
            .chain(&body.notes)
            .map(|note| note.id())
            .collect();
        let coding = body.coding().into_owned();
        Row {
            record: row,
            source: Source {
                fetch_time: record.date(),
                fetch_status: record.http().and_then(|head| head.status()),
                content_mime_type: content_types.first().and_then(|value| essence(value)),
                content_digest: warc.text("WARC-Payload-Digest"),
                content_truncated: warc.text("WARC-Truncated"),
                warc_filename: file.to_owned(),
                warc_record_offset: record.place().offset,
                warc_record_length: record.place().length,
                warc_record_id: id,
                warc_type: Some(record.record_type().id()),
                warc_refers_to: record.refers_to(),
                body_coding: coding,
                notes,
            },
        }
    }
}

impl ErrorRow {
    /// The row of a record that could not be read.
    pub fn new(lost: &RecordError, file: &str) -> ErrorRow {
        let mut row = ErrorRow::of(&lost.error, file);
        row.id.clone_from(&lost.id);
        row.url.clone_from(&lost.url);
        row
    }

    fn of(error: &Error, file: &str) -> ErrorRow {
        ErrorRow {
            id: None,
            url: None,
            error: ErrorCell {
                kind: error.kind().id(),
                message: error.message().to_owned(),
                at: error.offset(),
            },
            warc_filename: file.to_owned(),
        }
    }
}

/// `type/subtype`, lower case; a label for grouping, not a parsed MIME type.
fn essence(value: &[u8]) -> Option<String> {
    let text = value.split(|&b| b == b';').next()?;
    let text = std::str::from_utf8(text).ok()?.trim().to_ascii_lowercase();
    (!text.is_empty()).then_some(text)
}

/// The last label of the host, if it is one of letters: `http://a.example.co.jp:80/` gives `jp`.
pub(crate) fn top_level_domain(url: &str) -> Option<String> {
    let host = host(url)?;
    let last = host.rsplit('.').next()?;
    let letters = !last.is_empty() && last.bytes().all(|b| b.is_ascii_alphabetic());
    (letters && last.len() < host.len()).then(|| last.to_ascii_lowercase())
}

/// The host of a URL with an authority.
pub(crate) fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':')
        .next()
        .map(|host| host.trim_end_matches('.'))
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

    #[test]
    fn domains() {
        let of = |url| top_level_domain(url);
        assert_eq!(of("http://a.example.co.JP:80/x.y").as_deref(), Some("jp"));
        assert_eq!(of("https://user:p@b.de./?q").as_deref(), Some("de"));
        assert_eq!(of("http://127.0.0.1/"), None);
        assert_eq!(of("http://localhost/"), None);
        assert_eq!(of("dns:a.com"), None);
    }
}
