//! The rows of `batch --from ndjson`: one document a line in, one record a line out.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde::{Deserialize, Serialize};
use unbake::{Context, Format, Parent, Profile, Record, decode, decode_strict, get_an_encoding};

use crate::args::{clean_tld, tld_of_url};

/// Base64 with or without its padding: writers differ.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A document as a row. All but the body may be missing; fields of other names are passed over.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(default)]
    id: Option<serde_json::Value>,
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
#[serde(untagged)]
enum OneOrMany {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
    Null(()),
}

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
    let fail = |kind: &'static str, message: String| RowError { kind, message, at };
    // A byte order mark before the first line is none of its content.
    let line = line
        .strip_prefix(b"\xEF\xBB\xBF")
        .filter(|_| at == 0)
        .unwrap_or(line);
    let row: Row<'_> = match serde_json::from_slice(line) {
        Ok(row) => row,
        Err(error) => {
            // Whatever is wrong with the rest, the id tells whose row it is.
            *id = serde_json::from_slice::<serde_json::Value>(line)
                .ok()
                .and_then(|value| value.get("id").cloned());
            let column = error.column().saturating_sub(1) as u64;
            let message = format!(
                "the line is no JSON object of a document: {}",
                strip_position(&error.to_string())
            );
            return Err(RowError {
                at: at + column,
                ..fail("json", message)
            });
        }
    };
    id.clone_from(&row.id);
    let Some(body) = &row.body_base64 else {
        return Err(fail("row", "the row has no `body_base64`".to_owned()));
    };
    let body = BASE64.decode(body.as_bytes()).map_err(|error| {
        let error = error.to_string().to_lowercase();
        let error = error.trim_end_matches('.');
        fail("base64", format!("`body_base64` is not base64: {error}"))
    })?;
    let context = context(&row, defaults).map_err(|message| fail("row", message))?;
    let byte_length = body.len() as u64;
    let decoded = if row.strict.unwrap_or(strict) {
        decode_strict(&body, &context).map_err(|error| RowError {
            at: error.at,
            ..fail("malformed", error.to_string())
        })?
    } else {
        decode(&body, &context)
    };
    let id = match row.id {
        Some(serde_json::Value::String(id)) => Some(id),
        _ => None,
    };
    Ok(Record {
        id,
        url: row.url,
        ..Record::new(decoded, byte_length)
    })
}

/// The context of a row: its own fields, then the command's options.
fn context(row: &Row<'_>, defaults: &Context) -> Result<Context, String> {
    let mut context = defaults.clone();
    if let Some(name) = &row.profile {
        let profile = Profile::ALL
            .into_iter()
            .find(|profile| profile.id() == name);
        context.settings = profile
            .ok_or_else(|| format!("unknown profile `{name}`"))?
            .settings();
    }
    if let Some(name) = &row.format {
        context.format =
            Some(Format::from_id(name).ok_or_else(|| format!("unknown format `{name}`"))?);
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
            None => Err(format!("unknown encoding label `{label}`")),
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
