//! The rows of `batch --from ndjson`: one document a line in.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;
use serde_json::value::RawValue;
use unbake::{Context, Format, Parent, Profile, Record, decode, decode_strict, get_an_encoding};

use crate::args::{clean_tld, tld_of_url};
use crate::batch_answers::{Answer, RowError};
use crate::messages::shorten;

/// Base64 with or without its padding: writers differ.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A document as a row. All but the body may be missing; fields of other names are passed over.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    body_base64: Option<Cow<'a, str>>,
    #[serde(default)]
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

/// What the command's options say about every row.
pub(crate) struct Defaults {
    pub(crate) context: Context,
    /// `--detect` or `--no-detect`.
    pub(crate) detector: Option<bool>,
    pub(crate) strict: bool,
}

/// Answers the line that starts at byte `at` of the input.
pub(crate) fn answer(line: &[u8], at: u64, defaults: &Defaults) -> Answer {
    // A byte order mark before the first line is none of its content.
    let content = line
        .strip_prefix(b"\xEF\xBB\xBF")
        .filter(|_| at == 0)
        .unwrap_or(line);
    let start = at + (line.len() - content.len()) as u64;
    let content = content.trim_ascii_end();
    let fail = |at: u64, reason: &str| RowError {
        kind: "json",
        message: format!("the line is no JSON object of a document: {reason}"),
        at,
    };
    let row: Row<'_> = match serde_json::from_slice(content) {
        // An array would be read as well, its elements taken for the fields in turn.
        Ok(row) if content.trim_ascii_start().starts_with(b"{") => row,
        Ok(_) => {
            return Answer {
                id: None,
                outcome: Err(fail(start, "it is an array")),
            };
        }
        Err(error) => {
            // Whatever is wrong with the rest, the id tells whose row it is.
            let id = serde_json::from_slice::<OnlyId<'_>>(content)
                .ok()
                .and_then(|row| row.id);
            let column = error.column().saturating_sub(1) as u64;
            let reason = error.to_string();
            let reason = strip_position(&reason).replace("struct Row", "an object");
            return Answer {
                id: id.map(ToOwned::to_owned),
                outcome: Err(fail(start + column, &reason)),
            };
        }
    };
    Answer {
        id: row.id.map(ToOwned::to_owned),
        outcome: record(&row, at, defaults),
    }
}

fn record(row: &Row<'_>, at: u64, defaults: &Defaults) -> Result<Record, RowError> {
    let fail = |kind: &'static str, message: String| RowError { kind, message, at };
    let Some(body) = &row.body_base64 else {
        return Err(fail("row", "the row has no `body_base64`".to_owned()));
    };
    let body = BASE64.decode(body.as_bytes()).map_err(|error| {
        let error = error.to_string().to_lowercase();
        let error = error.trim_end_matches('.');
        fail("base64", format!("`body_base64` is not base64: {error}"))
    })?;
    let context = context(row, defaults).map_err(|message| fail("row", message))?;
    let byte_length = body.len() as u64;
    let decoded = if row.strict.unwrap_or(defaults.strict) {
        decode_strict(&body, &context).map_err(|error| RowError {
            at: error.at,
            ..fail("malformed", error.to_string())
        })?
    } else {
        decode(&body, &context)
    };
    Ok(Record {
        url: row.url.clone(),
        ..Record::new(decoded, byte_length)
    })
}

/// The context of a row: its own fields, then the command's options.
fn context(row: &Row<'_>, defaults: &Defaults) -> Result<Context, String> {
    let mut context = defaults.context.clone();
    if let Some(name) = &row.profile {
        let profile = Profile::ALL
            .into_iter()
            .find(|profile| profile.id() == name);
        context.settings = profile
            .ok_or_else(|| format!("unknown profile `{}`", shorten(name)))?
            .settings();
        if let Some(detector) = defaults.detector {
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
    let url_tld = row.url.as_deref().and_then(tld_of_url);
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
