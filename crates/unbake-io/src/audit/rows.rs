//! Columns of text in tables: CSV, lines of JSON, Parquet and Arrow.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

use serde_json::Value;

use super::counts::Audit;
use super::page::{Seen, count_c1};
use super::tally::{Field, Tally};
use crate::batch::Progress;
use crate::error::{Error, Kind};
use crate::ndjson::{Lines, RawLine};
use crate::row::{ErrorCell, ErrorRow};
use crate::tasks::{From, Input, Reading, failed};

/// Which columns are audited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The columns of text.
    pub fields: Vec<String>,
    /// The column with the URLs, whose hosts are the clusters; `None`: `url`, if there is one.
    pub url: Option<String>,
}

/// One cell.
enum Cell<'a> {
    Null,
    /// Text from bytes.
    Bytes(&'a [u8]),
    /// Text in which a malformed sequence stands as [`MADE`].
    Marked(&'a str),
}

/// Stands for a malformed sequence in a line of JSON until its cells are known: a noncharacter, which no text holds.
const MADE: char = '\u{FFFF}';

fn field(cell: &Cell<'_>) -> Field {
    let (mut made, mut real, mut c1, mut empty) = (0, 0, 0, true);
    match cell {
        Cell::Null => {}
        Cell::Bytes(bytes) => {
            empty = bytes.is_empty();
            for chunk in bytes.utf8_chunks() {
                made += u64::from(!chunk.invalid().is_empty());
                real += chunk.valid().matches('\u{FFFD}').count() as u64;
                c1 += count_c1(chunk.valid());
            }
        }
        Cell::Marked(text) => {
            empty = text.is_empty();
            made = text.matches(MADE).count() as u64;
            real = text.matches('\u{FFFD}').count() as u64;
            c1 = count_c1(text);
        }
    }
    Field {
        rows: 1,
        null: u64::from(empty),
        made: u64::from(made > 0),
        real: u64::from(real > 0),
        c1: u64::from(c1 > 0),
        conflict: 0,
        made_count: made,
        real_count: real,
        c1_count: c1,
    }
}

/// A row's counts: its cells, and the host of its URL.
fn row<'a>(columns: &Columns, url: Option<&str>, mut cell: impl FnMut(&str) -> Cell<'a>) -> Seen {
    let mut tally = Tally {
        pages: 1,
        ..Tally::default()
    };
    for name in &columns.fields {
        tally.fields.insert(name.clone(), field(&cell(name)));
    }
    Seen {
        tally,
        host: url
            .and_then(crate::address::host)
            .map(str::to_ascii_lowercase)
            .filter(|host| !host.is_empty()),
        ..Seen::default()
    }
}

/// Audits one table.
pub(super) fn audit(
    input: &Input,
    columns: &Columns,
    reading: &Reading,
    progress: &Progress,
    audit: &mut Audit,
) -> Result<(), Error> {
    let name = input.path.display().to_string();
    #[cfg(feature = "parquet")]
    if input.from == From::Table {
        return table(input, columns, &name, progress, audit);
    }
    if input.from == From::Ndjson {
        return lines(input, columns, &name, reading, progress, audit);
    }
    csv(input, columns, &name, reading, progress, audit)
}

fn open(path: &Path, name: &str) -> Result<Box<dyn Read>, Error> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(path).map_err(|e| failed(name, e))?))
}

fn absent(name: &str, column: &str, there: &[String]) -> Error {
    let there: Vec<String> = there
        .iter()
        .take(50)
        .map(|name| format!("`{name}`"))
        .collect();
    let message = format!(
        "there is no column `{column}`; there are {}",
        there.join(", ")
    );
    Error::new(Kind::Schema, message)
        .with_path(name)
        .with_hint("name the columns of text: `--fields title,text`")
}

fn lost(kind: &'static str, message: String, at: u64) -> ErrorRow {
    ErrorRow {
        id: None,
        url: None,
        error: ErrorCell {
            kind,
            message,
            at: Some(at),
        },
        warc_filename: None,
    }
}

/// Comma-separated values with a header row. Delimiters are ASCII, so UTF-8 is read as bytes and each malformed
/// sequence stays in its cell; other encodings are decoded first.
fn csv(
    input: &Input,
    columns: &Columns,
    name: &str,
    reading: &Reading,
    progress: &Progress,
    audit: &mut Audit,
) -> Result<(), Error> {
    let mut source = BufReader::with_capacity(1 << 17, open(&input.path, name)?);
    let mut head = [0; 3];
    let mut length = 0;
    while length < head.len() {
        let rest = head.get_mut(length..).unwrap_or_default();
        match source.read(rest).map_err(|e| failed(name, e))? {
            0 => break,
            n => length += n,
        }
    }
    let head = head.get(..length).unwrap_or_default().to_vec();
    let other = match (&*head, reading.context.user_override) {
        ([0xFE, 0xFF, ..] | [0xFF, 0xFE, ..], _) => Some("UTF-16".to_owned()),
        (_, Some(encoding)) if encoding != unbake::Encoding::UTF_8 => {
            Some(encoding.name().to_owned())
        }
        _ => None,
    };
    if let Some(other) = other {
        let message = format!("the table is {other}, and columns are audited in UTF-8");
        return Err(Error::new(Kind::Format, message)
            .with_path(name)
            .with_hint("turn it into UTF-8 first: `unbake decode FILE > NEW`"));
    }
    let bom = head == b"\xEF\xBB\xBF";
    let start: &[u8] = if bom { &[] } else { &head };
    let skipped = if bom { 3 } else { 0 };
    let delimiter = if input.path.extension().is_some_and(|ending| ending == "tsv") {
        b'\t'
    } else {
        b','
    };
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(start.chain(source));
    let wrong = |e: csv::Error| Error::new(Kind::Io, e.to_string()).with_path(name);
    let header = reader.byte_headers().map_err(wrong)?.clone();
    let there: Vec<String> = header
        .iter()
        .map(crate::headers::escape_non_utf_8)
        .collect();
    let find = |column: &str| there.iter().position(|name| name == column);
    for wanted in columns.fields.iter().chain(&columns.url) {
        if find(wanted).is_none() {
            return Err(absent(name, wanted, &there));
        }
    }
    let url = find(columns.url.as_deref().unwrap_or("url"));
    let mut record = csv::ByteRecord::new();
    loop {
        let at = reader.position().byte() + skipped;
        if !reader.read_byte_record(&mut record).map_err(wrong)? {
            return Ok(());
        }
        progress.bytes.store(at, Ordering::Relaxed);
        progress.documents.fetch_add(1, Ordering::Relaxed);
        if record.len() != header.len() {
            let message = format!(
                "a row of {} cells under a header of {}",
                record.len(),
                header.len()
            );
            audit.add_error(&lost("row", message, at), name);
        }
        let url = url
            .and_then(|n| record.get(n))
            .map(crate::headers::escape_non_utf_8);
        audit.add(row(columns, url.as_deref(), |column| {
            find(column)
                .and_then(|n| record.get(n))
                .map_or(Cell::Null, Cell::Bytes)
        }));
    }
}

/// A JSON object a line. A line that is not valid UTF-8 is read with a mark for each malformed sequence.
fn lines(
    input: &Input,
    columns: &Columns,
    name: &str,
    reading: &Reading,
    progress: &Progress,
    audit: &mut Audit,
) -> Result<(), Error> {
    let source = BufReader::with_capacity(1 << 17, open(&input.path, name)?);
    for line in Lines::new(source, reading.max_line) {
        let (at, line) = match line.map_err(|e| failed(name, e))? {
            RawLine::Line { at, line } => (at, line),
            RawLine::TooLong { at } => {
                let message = format!("the line is longer than {} bytes", reading.max_line);
                audit.add_error(&lost("too-long", message, at), name);
                continue;
            }
        };
        progress.bytes.store(at, Ordering::Relaxed);
        progress.documents.fetch_add(1, Ordering::Relaxed);
        let bytes = line
            .strip_prefix(b"\xEF\xBB\xBF")
            .filter(|_| at == 0)
            .unwrap_or(&line);
        let mut marked = String::new();
        let text = if let Ok(text) = std::str::from_utf8(bytes) {
            text
        } else {
            for chunk in bytes.utf8_chunks() {
                marked.push_str(chunk.valid());
                if !chunk.invalid().is_empty() {
                    marked.push(MADE);
                }
            }
            &marked
        };
        let object = match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => {
                audit.add_error(
                    &lost("json", "the line is no JSON object".to_owned(), at),
                    name,
                );
                continue;
            }
            Err(error) => {
                let message = format!("the line is no JSON: {error}");
                audit.add_error(&lost("json", message, at), name);
                continue;
            }
        };
        let url = object
            .get(columns.url.as_deref().unwrap_or("url"))
            .and_then(Value::as_str);
        let number = |key: &str| object.get(key).and_then(Value::as_u64);
        let mut seen = row(columns, url, |column| match object.get(column) {
            Some(Value::String(text)) => Cell::Marked(text),
            _ => Cell::Null,
        });
        // A record of `batch` knows which U+FFFD of its text decoding has made.
        if let (Some(made), Some(real)) = (number("replacements"), number("literal_fffd")) {
            from_record(&mut seen, made, real);
        }
        audit.add(seen);
    }
    Ok(())
}

/// The text of a record: `replacements` and `literal_fffd` tell its U+FFFD apart.
fn from_record(seen: &mut Seen, made: u64, real: u64) {
    if let Some(text) = seen.tally.fields.get_mut("text") {
        text.made = u64::from(made > 0);
        text.made_count = made;
        text.real = u64::from(real > 0);
        text.real_count = real;
    }
}

#[cfg(feature = "parquet")]
fn table(
    input: &Input,
    columns: &Columns,
    name: &str,
    progress: &Progress,
    audit: &mut Audit,
) -> Result<(), Error> {
    use crate::columns::{Batches, bytes_at, number_at, open_batches};
    let (schema, batches): (_, Batches) = open_batches(&input.path)?;
    let there: Vec<String> = schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let find = |column: &str| there.iter().position(|name| name == column);
    for wanted in columns.fields.iter().chain(&columns.url) {
        if find(wanted).is_none() {
            return Err(absent(name, wanted, &there));
        }
    }
    let url = find(columns.url.as_deref().unwrap_or("url"));
    let counts = (find("replacements"), find("literal_fffd"));
    for batch in batches {
        let batch = batch.map_err(|e| Error::new(Kind::Schema, e.to_string()).with_path(name))?;
        for n in 0..batch.num_rows() {
            let bytes = |column: Option<usize>| {
                column.and_then(|index| bytes_at(batch.columns().get(index)?.as_ref(), n))
            };
            let number = |column: Option<usize>| {
                column.and_then(|index| number_at(batch.columns().get(index)?.as_ref(), n))
            };
            progress.documents.fetch_add(1, Ordering::Relaxed);
            let url = bytes(url).map(|url| crate::headers::escape_non_utf_8(&url));
            let mut tally = Tally {
                pages: 1,
                ..Tally::default()
            };
            for column in &columns.fields {
                let cell = bytes(find(column));
                let cell = cell.as_deref().map_or(Cell::Null, Cell::Bytes);
                tally.fields.insert(column.clone(), field(&cell));
            }
            let host = url
                .as_deref()
                .and_then(crate::address::host)
                .map(str::to_ascii_lowercase);
            let mut seen = Seen {
                tally,
                host: host.filter(|host| !host.is_empty()),
                ..Seen::default()
            };
            if let (Some(made), Some(real)) = (number(counts.0), number(counts.1)) {
                from_record(&mut seen, made, real);
            }
            audit.add(seen);
        }
    }
    Ok(())
}
