//! The transport layer: what the Content-Type headers say.

use crate::encoding::Encoding;
use crate::label::get_an_encoding;

/// A MIME type as far as encodings need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MimeType {
    /// Lower-case `type/subtype`.
    pub(crate) essence: Vec<u8>,
    /// The value of the first valid `charset` parameter.
    pub(crate) charset: Option<Vec<u8>>,
}

/// What the transport layer says: the type, and the label with the encoding it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transport {
    pub(crate) essence: Option<Vec<u8>>,
    pub(crate) label: Option<Vec<u8>>,
    pub(crate) encoding: Option<Encoding>,
}

fn is_http_whitespace(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' ')
}

fn is_http_token_code_point(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// HTTP quoted-string token code points: what a parameter value may hold.
fn is_quoted_string_code_point(byte: u8) -> bool {
    matches!(byte, b'\t' | 0x20..=0x7E | 0x80..=0xFF)
}

fn trim_end(mut bytes: &[u8]) -> &[u8] {
    while let [rest @ .., last] = bytes {
        if !is_http_whitespace(*last) {
            break;
        }
        bytes = rest;
    }
    bytes
}

fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes {
        if !is_http_whitespace(*first) {
            break;
        }
        bytes = rest;
    }
    bytes
}

/// Splits before the first byte that satisfies `stop`.
fn collect(bytes: &[u8], stop: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|&b| stop(b)).unwrap_or(bytes.len());
    bytes.split_at(end)
}

/// "Collect an HTTP quoted string" with the extract-value flag: `input` stands after the opening quote.
/// Answers the value and what follows the closing quote.
///
/// # Standard
/// [Fetch Standard](https://fetch.spec.whatwg.org/#collect-an-http-quoted-string).
fn collect_an_http_quoted_string(mut input: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut value = Vec::new();
    loop {
        let (plain, rest) = collect(input, |b| b == b'"' || b == b'\\');
        value.extend_from_slice(plain);
        match rest {
            [b'\\'] => {
                value.push(b'\\');
                return (value, &[]);
            }
            [b'\\', escaped, rest @ ..] => {
                value.push(*escaped);
                input = rest;
            }
            [_, rest @ ..] => return (value, rest),
            [] => return (value, &[]),
        }
    }
}

/// "Parse a MIME type". Header bytes are read as the code points of the same number.
///
/// # Standard
/// [MIME Sniffing Standard, 4.4](https://mimesniff.spec.whatwg.org/#parse-a-mime-type).
pub(crate) fn parse_a_mime_type(input: &[u8]) -> Option<MimeType> {
    let input = trim_end(trim_start(input));
    let (kind, rest) = collect(input, |b| b == b'/');
    let rest = rest.strip_prefix(b"/")?;
    let (subtype, mut rest) = collect(rest, |b| b == b';');
    let subtype = trim_end(subtype);
    for part in [kind, subtype] {
        if part.is_empty() || !part.iter().all(|&b| is_http_token_code_point(b)) {
            return None;
        }
    }
    let essence = [kind, b"/", subtype].concat().to_ascii_lowercase();
    let mut charset = None;
    // Step 11: the parameters.
    while let Some(after) = rest.strip_prefix(b";") {
        let (name, after) = collect(trim_start(after), |b| b == b';' || b == b'=');
        let Some(after) = after.strip_prefix(b"=") else {
            rest = after;
            continue;
        };
        let value = if let Some(quoted) = after.strip_prefix(b"\"") {
            let (value, after) = collect_an_http_quoted_string(quoted);
            rest = collect(after, |b| b == b';').1;
            value
        } else {
            let (value, after) = collect(after, |b| b == b';');
            rest = after;
            let value = trim_end(value);
            if value.is_empty() {
                continue;
            }
            value.to_vec()
        };
        if charset.is_none()
            && name.eq_ignore_ascii_case(b"charset")
            && value.iter().all(|&b| is_quoted_string_code_point(b))
        {
            charset = Some(value);
        }
    }
    Some(MimeType { essence, charset })
}

/// "Get, decode, and split", on header values joined with `, `: split at commas outside quotes.
///
/// # Standard
/// [Fetch Standard](https://fetch.spec.whatwg.org/#header-value-get-decode-and-split).
fn get_decode_and_split(input: &[u8]) -> Vec<&[u8]> {
    let mut values = Vec::new();
    let mut start = 0;
    let mut quoted = false;
    let mut escaped = false;
    for (at, &byte) in input.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                values.push(input.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    values.push(input.get(start..).unwrap_or_default());
    // "Remove all HTTP tab or space from the start and end."
    for value in &mut values {
        while let [b'\t' | b' ', rest @ ..] | [rest @ .., b'\t' | b' '] = value {
            *value = rest;
        }
    }
    values
}

/// "Extract a MIME type" from the values of all Content-Type headers, and the last value that parsed.
///
/// # Standard
/// [Fetch Standard](https://fetch.spec.whatwg.org/#concept-header-extract-mime-type).
pub(crate) fn extract_a_mime_type(headers: &[Vec<u8>]) -> Option<MimeType> {
    let joined;
    let input: &[u8] = match headers {
        [] => return None,
        [one] => one,
        many => {
            joined = many.join(&b", "[..]);
            &joined
        }
    };
    // Steps 1-3.
    let mut charset: Option<Vec<u8>> = None;
    let mut essence: Option<Vec<u8>> = None;
    let mut mime_type: Option<MimeType> = None;
    for value in get_decode_and_split(input) {
        // Steps 6.1-6.2.
        let Some(temporary) = parse_a_mime_type(value) else {
            continue;
        };
        if temporary.essence == b"*/*" {
            continue;
        }
        // Steps 6.3-6.5: the charset is carried over while the essence stays the same.
        if essence.as_ref() != Some(&temporary.essence) {
            charset.clone_from(&temporary.charset);
            essence = Some(temporary.essence.clone());
        }
        mime_type = Some(temporary);
    }
    // The last value's own, or the one that was carried over to it.
    mime_type.map(|last| MimeType {
        charset: last.charset.or(charset),
        ..last
    })
}

/// "Legacy extract an encoding", keeping the label that it looked at.
///
/// # Standard
/// [Fetch Standard](https://fetch.spec.whatwg.org/#legacy-extract-an-encoding).
pub(crate) fn legacy_extract_an_encoding(headers: &[Vec<u8>]) -> Transport {
    match extract_a_mime_type(headers) {
        None => Transport::default(),
        Some(MimeType { essence, charset }) => {
            let encoding = charset.as_deref().and_then(get_an_encoding);
            Transport {
                essence: Some(essence),
                label: charset,
                encoding,
            }
        }
    }
}
