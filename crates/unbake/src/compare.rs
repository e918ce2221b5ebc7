//! What known readers make of the same bytes. Each emulation is small and named after the version it was checked against.

mod python;

use python::{Answer, Codec, lookup};

use crate::decision::{Context, Decision, Format, Origin};
use crate::decode::{decode, decode_as};
use crate::encoding::Encoding;
use crate::locale::locale_encoding;
use crate::text_decoder::{TextDecoder, TextDecoderOptions};

/// A reader of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reader {
    /// `requests.get(url).text`.
    Requests,
    /// `httpx.get(url).text`.
    Httpx,
    /// `bytes.decode("utf-8")`.
    PythonUtf8,
    /// `bytes.decode("utf-8-sig")`.
    PythonUtf8Sig,
    /// `json.loads(bytes)`: the text that its parser is given.
    JsonLoads,
    /// `bytes.decode(label)`, with the label that the document declares.
    PythonDeclared,
    /// `new TextDecoder().decode(bytes)`.
    TextDecoder,
    /// `JSON.parse(fs.readFileSync(path, "utf8"))`: the text that its parser is given.
    JsonParse,
    /// `(await fetch(url)).text()`.
    FetchText,
    /// A double click on a CSV file.
    Excel,
}

impl Reader {
    /// All readers.
    pub const ALL: [Reader; 10] = [
        Reader::Requests,
        Reader::Httpx,
        Reader::PythonUtf8,
        Reader::PythonUtf8Sig,
        Reader::JsonLoads,
        Reader::PythonDeclared,
        Reader::TextDecoder,
        Reader::JsonParse,
        Reader::FetchText,
        Reader::Excel,
    ];

    /// Its name, and the version that the emulation follows.
    pub fn name(self) -> &'static str {
        match self {
            Reader::Requests => "requests 2.34 .text",
            Reader::Httpx => "httpx 0.28 .text",
            Reader::PythonUtf8 => "Python 3.11 utf-8",
            Reader::PythonUtf8Sig => "Python 3.11 utf-8-sig",
            Reader::JsonLoads => "Python 3.11 json.loads",
            Reader::PythonDeclared => "Python 3.11, declared name",
            Reader::TextDecoder => "new TextDecoder()",
            Reader::JsonParse => "Node 20 JSON.parse of a file",
            Reader::FetchText => "fetch().text()",
            Reader::Excel => "Excel, double click",
        }
    }

    /// Where its behaviour is written down, in source or standard.
    pub fn source(self) -> &'static str {
        match self {
            Reader::Requests => {
                "requests/utils.py get_encoding_from_headers, models.py Response.text"
            }
            Reader::Httpx => "httpx/_models.py Response.encoding, _decoders.py TextDecoder",
            Reader::PythonUtf8 => "CPython Objects/unicodeobject.c",
            Reader::PythonUtf8Sig => "CPython Lib/encodings/utf_8_sig.py",
            Reader::JsonLoads => "CPython Lib/json/__init__.py detect_encoding",
            Reader::PythonDeclared => "CPython Lib/encodings",
            Reader::TextDecoder => "https://encoding.spec.whatwg.org/#interface-textdecoder",
            Reader::JsonParse => {
                "Node buffer utf8 decoding; https://tc39.es/ecma262/#sec-json.parse"
            }
            Reader::FetchText => "https://fetch.spec.whatwg.org/#dom-body-text",
            Reader::Excel => "observed; its maker documents no rule",
        }
    }
}

/// What a reader makes of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Text; `lost` is the first byte that became U+FFFD.
    Text {
        /// The text; `None` where it is only known that something is lost.
        text: Option<String>,
        /// Where.
        lost: Option<u64>,
    },
    /// It refuses the document.
    Error {
        /// Why.
        reason: String,
        /// The first byte that it stops at, where it is one.
        at: Option<u64>,
    },
    /// Not known: it asks a guesser of its own, or a codec that is not emulated.
    Unknown(&'static str),
}

/// A reader, and what it makes of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The reader.
    pub reader: Reader,
    /// What it sees.
    pub seen: Seen,
}

/// What known readers make of a document. Those of JSON are asked about JSON alone, Excel about CSV.
///
/// # Panics
/// Never.
///
/// # Example
/// ```
/// use unbake::{compare, Context, Reader, Seen};
/// let context = Context { content_type: vec![b"text/html".to_vec()], ..Context::default() };
/// let seen = compare("<meta charset=utf-8>é".as_bytes(), &context);
/// assert_eq!(seen[0].reader, Reader::Requests);
/// assert_eq!(seen[0].seen, Seen::Text { text: Some("<meta charset=utf-8>Ã©".to_owned()), lost: None });
/// ```
pub fn compare(bytes: &[u8], context: &Context) -> Vec<Reading> {
    let decision = decode(bytes, context).decision;
    let json = matches!(
        decision.format,
        Format::Json | Format::Ndjson | Format::JsonSeq
    );
    Reader::ALL
        .into_iter()
        .filter(|reader| match reader {
            Reader::JsonLoads | Reader::JsonParse => json,
            Reader::Excel => decision.format == Format::Csv,
            _ => true,
        })
        .filter_map(|reader| {
            let seen = seen(reader, bytes, context, &decision)?;
            Some(Reading { reader, seen })
        })
        .collect()
}

fn seen(reader: Reader, bytes: &[u8], context: &Context, decision: &Decision) -> Option<Seen> {
    Some(match reader {
        Reader::Requests => requests(bytes, context),
        Reader::Httpx => httpx(bytes, context),
        Reader::PythonUtf8 => strict(Codec::Utf8, bytes),
        Reader::PythonUtf8Sig => strict(Codec::Utf8Sig, bytes),
        Reader::JsonLoads => json_loads(bytes),
        Reader::PythonDeclared => {
            let declared = decision
                .clues
                .iter()
                .find(|clue| clue.origin.is_declaration() || clue.origin == Origin::Transport);
            let label = declared?.label.as_deref()?;
            if bytes.is_empty() {
                // CPython looks up no codec for nothing.
                return Some(strict(Codec::Utf8, bytes));
            }
            match lookup(label) {
                Ok(Some(codec)) => strict(codec, bytes),
                Ok(None) => Seen::Unknown("this codec is not emulated"),
                Err(()) => Seen::Error {
                    reason: format!("unknown encoding: {label}"),
                    at: None,
                },
            }
        }
        Reader::TextDecoder | Reader::FetchText => {
            let mut decoder = TextDecoder::new(b"utf-8", TextDecoderOptions::default())?;
            let lost = Codec::Utf8.decode(bytes).error;
            let text = decoder.decode(bytes, false).ok();
            Seen::Text { text, lost }
        }
        Reader::JsonParse => {
            // Node keeps the mark, and JSON knows no such character.
            if bytes.starts_with(b"\xEF\xBB\xBF") {
                Seen::Error {
                    reason: "SyntaxError: U+FEFF is no JSON".to_owned(),
                    at: Some(0),
                }
            } else {
                replaced(Codec::Utf8.decode(bytes))
            }
        }
        Reader::Excel => excel(bytes, context),
    })
}

/// `errors="replace"`.
fn replaced(Answer { text, error }: Answer) -> Seen {
    Seen::Text { text, lost: error }
}

/// `errors="strict"`.
fn strict(codec: Codec, bytes: &[u8]) -> Seen {
    let Answer { text, error } = codec.decode(bytes);
    match error {
        None => Seen::Text { text, lost: None },
        Some(at) => Seen::Error {
            reason: "UnicodeDecodeError".to_owned(),
            at: Some(at),
        },
    }
}

/// The header lines in one, as both libraries join them.
fn header(context: &Context) -> String {
    let lines: Vec<String> = context
        .content_type
        .iter()
        .map(|line| line.iter().map(|&byte| char::from(byte)).collect())
        .collect();
    lines.join(", ")
}

fn requests(bytes: &[u8], context: &Context) -> Seen {
    if bytes.is_empty() {
        return replaced(Codec::Utf8.decode(bytes));
    }
    let header = header(context);
    let mut tokens = header.split(';');
    let essence = tokens.next().unwrap_or_default().trim().to_owned();
    let strip = |c: char| matches!(c, '"' | '\'' | ' ');
    let charset = tokens.rev().find_map(|param| {
        let (key, value) = param.trim().split_once('=')?;
        let key = key.trim_matches(strip).to_lowercase();
        (key == "charset").then(|| value.trim_matches(strip).to_owned())
    });
    let codec = match charset {
        Some(name) => lookup(&name),
        None if essence.contains("text") => Ok(Some(Codec::Latin1)),
        None if essence.contains("application/json") => Ok(Some(Codec::Utf8)),
        None if bytes.is_ascii() && !bytes.contains(&0) => Ok(Some(Codec::Ascii)),
        None => return Seen::Unknown("its guesser is asked (charset_normalizer or chardet)"),
    };
    match codec {
        Ok(Some(codec)) => replaced(codec.decode(bytes)),
        Ok(None) => Seen::Unknown("this codec is not emulated"),
        Err(()) => replaced(Codec::Utf8.decode(bytes)),
    }
}

fn httpx(bytes: &[u8], context: &Context) -> Seen {
    let header = header(context);
    // email.message: parameters split at semicolons; the first of a name counts; the value unquoted, in lower case.
    let charset = header.split(';').skip(1).find_map(|param| {
        let (key, value) = param.split_once('=')?;
        let value = value.trim();
        let value = value
            .strip_prefix('"')
            .and_then(|value| value.strip_suffix('"'))
            .unwrap_or(value);
        key.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.to_lowercase())
    });
    let codec = match charset.as_deref().map(lookup) {
        None | Some(Err(())) => Codec::Utf8,
        Some(Ok(Some(codec))) => codec,
        Some(Ok(None)) => return Seen::Unknown("this codec is not emulated"),
    };
    // It uses incremental codecs, which differ from those for whole strings.
    let marked = match codec {
        Codec::Utf16 => matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]),
        _ => matches!(bytes, [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..]),
    };
    match (codec, bytes) {
        (Codec::Utf16, [_, _, ..]) | (Codec::Utf32, [_, _, _, _, ..]) if !marked => Seen::Error {
            reason: "UnicodeError: the stream does not start with a byte order mark".to_owned(),
            at: None,
        },
        (Codec::Utf8Sig, [0xEF] | [0xEF, 0xBB]) => Seen::Text {
            text: Some(String::new()),
            lost: Some(0),
        },
        _ => replaced(codec.decode(bytes)),
    }
}

/// `json.detect_encoding`, then `bytes.decode(encoding, "surrogatepass")`.
fn json_loads(bytes: &[u8]) -> Seen {
    let codec = match bytes {
        [0, 0, 0xFE, 0xFF, ..] | [0xFF, 0xFE, 0, 0, ..] => Codec::Utf32,
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] => Codec::Utf16,
        [0xEF, 0xBB, 0xBF, ..] => Codec::Utf8Sig,
        [0, 0, _, _, ..] => Codec::Utf32Be,
        [0, _, _, _, ..] | [0, _] => Codec::Utf16Be,
        [_, 0, 0, 0, ..] => Codec::Utf32Le,
        [_, 0, _, _, ..] | [_, 0] => Codec::Utf16Le,
        _ => Codec::Utf8,
    };
    let surrogate = matches!(codec, Codec::Utf8 | Codec::Utf8Sig)
        && bytes
            .windows(2)
            .any(|pair| matches!(pair, [0xED, 0xA0..=0xBF]));
    if surrogate {
        return Seen::Unknown("surrogates pass, and a string that holds one is no text");
    }
    strict(codec, bytes)
}

/// A byte order mark counts; without one, the code page of the locale does.
fn excel(bytes: &[u8], context: &Context) -> Seen {
    let encoding = match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Encoding::UTF_8,
        [0xFF, 0xFE, ..] => Encoding::UTF_16LE,
        [0xFE, 0xFF, ..] => Encoding::UTF_16BE,
        _ => context
            .locale
            .as_deref()
            .and_then(locale_encoding)
            .unwrap_or(Encoding::WINDOWS_1252),
    };
    let asked = Context {
        user_override: Some(encoding),
        format: Some(Format::Csv),
        ..Context::default()
    };
    let decision = decode(bytes, &asked).decision;
    let decoded = decode_as(bytes, decision);
    Seen::Text {
        lost: decoded.malformed.first.first().map(|sequence| sequence.at),
        text: Some(decoded.text.into_owned()),
    }
}
