//! Documents as lines of JSON: `{"id", "body_base64", "content_type", ...}`.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;
use serde_json::value::RawValue;
use unbake::{Context, Format, Parent, Profile, get_an_encoding};

use crate::address::{clean_tld, top_level_domain};
use crate::document::Document;
use crate::error::shorten;
use crate::row::ErrorCell;
use crate::source::Source;

/// Base64 with or without its padding: writers differ.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Base64 with `-` and `_`, as URLs have it.
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The fields that a row may have.
pub const FIELDS: [&str; 17] = [
    "id",
    "body_base64",
    "content_type",
    "format",
    "profile",
    "encoding",
    "fallback",
    "locale",
    "lang",
    "tld",
    "url",
    "parent_encoding",
    "parent_same_origin",
    "remembered",
    "local_file",
    "strict",
    "content-type",
];

/// A document as a row. All but the body may be missing; fields of other names are passed over, and named.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    body_base64: Option<Cow<'a, str>>,
    #[serde(default, alias = "content-type", alias = "Content-Type")]
    content_type: OneOrMany,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    profile: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
    #[serde(default)]
    fallback: Option<String>,
    #[serde(default)]
    locale: Option<String>,
    #[serde(default)]
    lang: Option<String>,
    #[serde(default)]
    tld: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    parent_encoding: Option<String>,
    #[serde(default)]
    parent_same_origin: Option<bool>,
    #[serde(default)]
    remembered: Option<String>,
    #[serde(default)]
    local_file: Option<bool>,
    #[serde(default)]
    strict: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(
    untagged,
    expecting = "`content_type` is a string, a list of strings or null"
)]
enum OneOrMany {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
    Null(()),
}

/// What can be read of a row that is no document: whose it is.
#[derive(Deserialize)]
struct OnlyId<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
}

/// A line that gave a document, or did not.
pub struct Line {
    /// The id as it was given, to the letter: no number or escape is written otherwise.
    pub id: Option<Box<RawValue>>,
    /// The document, with the id as text.
    pub document: Result<Document<'static>, ErrorCell>,
    /// The names of fields that say nothing to us.
    pub passed_over: Vec<String>,
}

/// Reads the line that starts at byte `at` of the input. `defaults` is what the row does not say.
///
/// `detector` holds whatever the profile, also one that the row asks for.
pub fn parse(line: &[u8], at: u64, defaults: &Context, detector: Option<bool>) -> Line {
    // A byte order mark before the first line is none of its content.
    let content = line
        .strip_prefix(b"\xEF\xBB\xBF")
        .filter(|_| at == 0)
        .unwrap_or(line);
    let start = at + (line.len() - content.len()) as u64;
    let content = content.trim_ascii_end();
    let fail = |at: u64, reason: &str| ErrorCell {
        kind: "json",
        message: format!("the line is no JSON object of a document: {reason}"),
        at: Some(at),
    };
    let mut passed_over = Vec::new();
    // An array would be read as well, its elements taken for the fields in turn.
    if content.trim_ascii_start().starts_with(b"[") {
        return Line {
            id: None,
            document: Err(fail(start, "it is an array")),
            passed_over,
        };
    }
    let mut json = serde_json::Deserializer::from_slice(content);
    let row: Result<Row<'_>, _> = serde_ignored::deserialize(&mut json, |path| {
        passed_over.push(shorten(&path.to_string()));
    })
    .and_then(|row| json.end().map(|()| row));
    let row = match row {
        Ok(row) => row,
        Err(error) => {
            // Whatever is wrong with the rest, the id tells whose row it is.
            let id = serde_json::from_slice::<OnlyId<'_>>(content)
                .ok()
                .and_then(|row| row.id);
            let column = error.column().saturating_sub(1) as u64;
            let reason = error.to_string();
            let reason = strip_position(&reason).replace("struct Row", "an object");
            return Line {
                id: id.map(ToOwned::to_owned),
                document: Err(fail(start + column, &reason)),
                passed_over,
            };
        }
    };
    Line {
        id: row.id.map(ToOwned::to_owned),
        document: document(&row, at, defaults, detector),
        passed_over,
    }
}

fn document(
    row: &Row<'_>,
    at: u64,
    defaults: &Context,
    detector: Option<bool>,
) -> Result<Document<'static>, ErrorCell> {
    let fail = |kind: &'static str, message: String| ErrorCell {
        kind,
        message,
        at: Some(at),
    };
    let Some(body) = &row.body_base64 else {
        return Err(fail("row", "the row has no `body_base64`".to_owned()));
    };
    let body = base64_body(body.as_bytes()).map_err(|error| {
        let error = error.to_string().to_lowercase();
        let error = error.trim_end_matches('.');
        fail("base64", format!("`body_base64` is not base64: {error}"))
    })?;
    let context = context(row, defaults, detector).map_err(|message| fail("row", message))?;
    Ok(Document {
        id: row.id.and_then(id_text),
        url: row.url.clone(),
        body: body.into(),
        context,
        source: Source::default(),
        strict: row.strict,
    })
}

/// Standard base64 as most write it; with line breaks or in the alphabet of URLs as some do.
fn base64_body(text: &[u8]) -> Result<Vec<u8>, base64::DecodeError> {
    BASE64.decode(text).or_else(|error| {
        let joined: Vec<u8> = text
            .iter()
            .copied()
            .filter(|b| !b.is_ascii_whitespace())
            .collect();
        let url = joined.iter().any(|b| matches!(b, b'-' | b'_'));
        let alphabet = if url { &BASE64_URL } else { &BASE64 };
        // The place of the first error is that in the text as it was given.
        alphabet.decode(&joined).map_err(|_| error)
    })
}

/// An id as text: a string as it is, null as nothing, all else as JSON.
pub fn id_text(id: &RawValue) -> Option<String> {
    match id.get() {
        "null" => None,
        json => Some(serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())),
    }
}

/// The context of a row: its own fields, then the command's options.
fn context(row: &Row<'_>, defaults: &Context, detector: Option<bool>) -> Result<Context, String> {
    let mut context = defaults.clone();
    if let Some(name) = &row.profile {
        let profile = Profile::ALL
            .into_iter()
            .find(|profile| profile.id() == name);
        context.settings = profile
            .ok_or_else(|| format!("unknown profile `{}`", shorten(name)))?
            .settings();
        if let Some(detector) = detector {
            context.settings.detector = detector;
        }
    }
    if let Some(name) = &row.format {
        context.format = Some(
            Format::from_id(name).ok_or_else(|| format!("unknown format `{}`", shorten(name)))?,
        );
    }
    match &row.content_type {
        OneOrMany::One(value) => context.content_type = vec![header_bytes(value)],
        OneOrMany::Many(values) => {
            context.content_type = values.iter().map(|value| header_bytes(value)).collect();
        }
        OneOrMany::None | OneOrMany::Null(()) => {}
    }
    let label = |label: &Option<String>| match label {
        None => Ok(None),
        Some(label) => match get_an_encoding(label.as_bytes()) {
            Some(encoding) => Ok(Some(encoding)),
            None => Err(format!("unknown encoding label `{}`", shorten(label))),
        },
    };
    context.user_override = label(&row.encoding)?.or(context.user_override);
    context.fallback = label(&row.fallback)?.or(context.fallback);
    context.remembered = label(&row.remembered)?.or(context.remembered);
    if let Some(encoding) = label(&row.parent_encoding)? {
        context.parent = Some(Parent {
            encoding,
            same_origin: row.parent_same_origin.unwrap_or(false),
        });
    }
    context.locale = row.locale.clone().or(context.locale);
    context.lang = row.lang.clone().or(context.lang);
    let url_tld = row.url.as_deref().and_then(top_level_domain);
    context.tld = row
        .tld
        .as_deref()
        .map(clean_tld)
        .or(url_tld)
        .or(context.tld);
    context.local_file = row.local_file.unwrap_or(context.local_file);
    Ok(context)
}

/// A header value in JSON: code points up to U+00FF are the bytes received; other text is taken as UTF-8.
fn header_bytes(value: &str) -> Vec<u8> {
    value
        .chars()
        .map(|c| u8::try_from(c).ok())
        .collect::<Option<Vec<u8>>>()
        .unwrap_or_else(|| value.as_bytes().to_vec())
}

/// serde_json's messages end in their position within the line, which `at` tells better.
fn strip_position(message: &str) -> &str {
    message.split(" at line ").next().unwrap_or(message)
}

/// One line of an input, and where it starts.
pub enum RawLine {
    /// The line, with its end.
    Line {
        /// Offset in the input.
        at: u64,
        /// Its bytes.
        line: Vec<u8>,
    },
    /// It is longer than the cap, and was passed over.
    TooLong {
        /// Offset in the input.
        at: u64,
    },
}

/// The lines of an input, blank ones left out.
pub struct Lines<R> {
    reader: R,
    at: u64,
    max: usize,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most `max` bytes.
    pub fn new(reader: R, max: usize) -> Lines<R> {
        Lines { reader, at: 0, max }
    }

    fn step(&mut self) -> io::Result<Option<RawLine>> {
        loop {
            let mut line = Vec::new();
            let limit = self.max as u64 + 1;
            let length = (&mut self.reader)
                .take(limit)
                .read_until(b'\n', &mut line)? as u64;
            if length == 0 {
                return Ok(None);
            }
            let at = self.at;
            self.at += length;
            if length == limit && line.last() != Some(&b'\n') {
                self.at += skip_line(&mut self.reader)?;
                return Ok(Some(RawLine::TooLong { at }));
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(RawLine::Line { at, line }));
            }
        }
    }
}

impl<R: Read> Lines<io::BufReader<R>> {
    /// Is there a further line in memory, so that asking for it waits for nobody?
    pub fn has_next_in_memory(&self) -> bool {
        let mut rest = self.reader.buffer();
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end + 1);
            if !line.iter().all(u8::is_ascii_whitespace) {
                return true;
            }
            rest = after;
        }
        false
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<RawLine>;

    fn next(&mut self) -> Option<io::Result<RawLine>> {
        self.step().transpose()
    }
}

/// Reads past the next line end without keeping anything.
fn skip_line(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let available = reader.fill_buf()?;
        if available.is_empty() {
            return Ok(skipped);
        }
        let end = memchr::memchr(b'\n', available);
        let length = end.map_or(available.len(), |at| at + 1);
        reader.consume(length);
        skipped += length as u64;
        if end.is_some() {
            return Ok(skipped);
        }
    }
}
