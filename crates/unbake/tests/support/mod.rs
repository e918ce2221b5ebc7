//! What the test binaries share: where suites stand, bytes from JSON and TOML, streams cut at will.
#![allow(dead_code)] // each binary uses its part

pub(crate) mod content_type_oracle;
pub(crate) mod decoding;
pub(crate) mod recorded;
pub(crate) mod styles;

use std::path::{Path, PathBuf};

use base64::Engine as _;
use serde_json::Value;
use unbake::{Context, Decision, Malformed, Parent, Profile, Progress, Stream, get_an_encoding};

/// The folder of the public suites: `UNBAKE_SHARED`, or `../shared` beside the repository.
pub(crate) fn shared() -> Option<PathBuf> {
    let folder = match std::env::var_os("UNBAKE_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    folder.is_dir().then_some(folder)
}

/// The repository's own test data.
pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

pub(crate) fn base64(text: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .expect("base64")
}

/// Code points U+0000-U+00FF as the bytes of the same number.
pub(crate) fn latin(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).expect("a header of code points up to U+00FF"))
        .collect()
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|at| u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).expect("hex"))
        .collect()
}

/// The lines of a JSON-lines file.
pub(crate) fn json_lines(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// What a stream makes of a document, pushed in pieces whose sizes `next` gives.
pub(crate) fn streamed(
    bytes: &[u8],
    context: &Context,
    mut next: impl FnMut() -> usize,
) -> (String, Decision, Malformed, u64) {
    let mut stream = Stream::new(context.clone());
    for pass in 0..2 {
        let mut text = String::new();
        let mut rest = bytes;
        let mut progress = Progress::Continue;
        while !rest.is_empty() && progress == Progress::Continue {
            let (piece, after) = rest.split_at(next().clamp(1, rest.len()));
            progress = stream.push(piece, &mut text).expect("replacement mode");
            rest = after;
        }
        if progress == Progress::Continue {
            progress = stream.finish(&mut text).expect("replacement mode");
        }
        if progress == Progress::StartAgain {
            assert_eq!(pass, 0, "a stream starts again at most once");
            stream.start_again();
            continue;
        }
        let decision = stream.decision().expect("finished").clone();
        return (text, decision, stream.malformed(), stream.literal_fffd());
    }
    unreachable!("a stream starts again at most once")
}

/// One suite's cases: a name and what went wrong, if anything.
pub(crate) type Cases = Vec<(String, Result<(), String>)>;

/// Equal, or a word about it.
pub(crate) fn expect(what: &str, got: impl AsRef<str>, want: &str) -> Result<(), String> {
    let got = got.as_ref();
    if got == want {
        Ok(())
    } else {
        Err(format!("{what}: got {got:?}, want {want:?}"))
    }
}

/// A field that is a string.
pub(crate) fn text<'a>(value: &'a serde_json::Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(serde_json::Value::as_str)
}

/// Text to bytes: `\xHH` is a byte, `\n`, `\r`, `\t`, `\\` as usual, everything else its UTF-8.
pub(crate) fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        let used = match escape.as_bytes().first() {
            Some(b'x') => {
                bytes.extend(hex(&escape[1..3]));
                3
            }
            Some(b'n') => push(&mut bytes, b'\n'),
            Some(b'r') => push(&mut bytes, b'\r'),
            Some(b't') => push(&mut bytes, b'\t'),
            Some(b'\\') => push(&mut bytes, b'\\'),
            other => panic!("unknown escape {other:?} in {text:?}"),
        };
        rest = &escape[used..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

pub(crate) fn push(bytes: &mut Vec<u8>, byte: u8) -> usize {
    bytes.push(byte);
    1
}

pub(crate) fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()))
}

pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_slice(&read(path)).expect("JSON")
}

/// The Content-Type lines among a manifest's `headers`.
pub(crate) fn content_type(row: &Value) -> Vec<Vec<u8>> {
    let headers = row
        .get("headers")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let line = |header: &Value| {
        let (name, value) = header.as_str()?.split_once(':')?;
        name.eq_ignore_ascii_case("content-type")
            .then(|| latin(value.trim()))
    };
    headers.iter().filter_map(line).collect()
}

/// A manifest row as a context.
pub(crate) fn row_context(row: &Value, profile: Profile) -> Context {
    let parent = text(row, "parent").and_then(|label| get_an_encoding(label.as_bytes()));
    Context {
        content_type: content_type(row),
        parent: parent.map(|encoding| Parent {
            encoding,
            same_origin: row.get("same_origin") != Some(&Value::Bool(false)),
        }),
        ..Context::new(profile)
    }
}

pub(crate) fn row_bytes(folder: &Path, row: &Value) -> Vec<u8> {
    match text(row, "file") {
        Some(file) => read(&folder.join(file)),
        None => hex(text(row, "inline_hex").expect("file or inline_hex")),
    }
}

pub(crate) fn name(label: &str) -> &'static str {
    get_an_encoding(label.as_bytes())
        .unwrap_or_else(|| panic!("no encoding {label}"))
        .name()
}
