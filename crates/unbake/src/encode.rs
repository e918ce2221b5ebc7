//! Text to bytes: fixtures, legacy feeds, forms and URL queries.

use std::fmt::Write as _;

use encoding_rs::EncoderResult;

use crate::encoding::Encoding;
use crate::error::EncodeError;
use crate::label::get_an_output_encoding;

/// What an encoder does with a character that the encoding lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeMode {
    /// Stop.
    Fatal,
    /// Write `&#N;`, as forms do. It can not be told from `&#N;` that was typed.
    Html,
}

/// Encodes text. No byte order mark is added.
///
/// UTF-16 and UTF-32 are written as such: who asks for a file in UTF-16LE means it. The standard's own "encode" is never asked
/// for them, because forms and URLs take what [`get_an_output_encoding`] answers, which is UTF-8: call
/// that first where you write what a browser would send. The replacement encoding writes UTF-8, as the standard asks.
///
/// In html mode ISO-2022-JP writes `&#65533;` for U+000E, U+000F and U+001B, which would be taken for its own controls, and
/// leaves the state of JIS X 0208 before `&#`.
///
/// # Standard
/// [Encoding Standard, "encode"](https://encoding.spec.whatwg.org/#encode).
///
/// # Errors
/// In fatal mode, the first character that the encoding lacks.
///
/// # Example
/// ```
/// use unbake::{encode, EncodeMode, get_an_encoding};
/// let sjis = get_an_encoding(b"shift_jis").unwrap();
/// assert_eq!(encode("日本", sjis, EncodeMode::Fatal).unwrap(), b"\x93\xFA\x96\x7B");
/// assert_eq!(encode("한", sjis, EncodeMode::Html).unwrap(), b"&#54620;");
/// assert!(encode("한", sjis, EncodeMode::Fatal).is_err());
/// ```
pub fn encode(text: &str, encoding: Encoding, mode: EncodeMode) -> Result<Vec<u8>, EncodeError> {
    match encoding {
        utf_16 if utf_16 == Encoding::UTF_16LE => {
            Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
        }
        utf_16 if utf_16 == Encoding::UTF_16BE => {
            Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect())
        }
        Encoding::Utf32Le => Ok(text
            .chars()
            .flat_map(|c| u32::from(c).to_le_bytes())
            .collect()),
        Encoding::Utf32Be => Ok(text
            .chars()
            .flat_map(|c| u32::from(c).to_be_bytes())
            .collect()),
        Encoding::Web(web) => run_encoder(text, web, |out, character, at| match mode {
            EncodeMode::Html => {
                out.extend_from_slice(format!("&#{};", u32::from(character)).as_bytes());
                Ok(())
            }
            EncodeMode::Fatal => Err(EncodeError {
                char_at: at,
                // ISO-2022-JP answers U+FFFD for the controls that it can not let through.
                character: text
                    .get(at..)
                    .and_then(|rest| rest.chars().next())
                    .unwrap_or(character),
                encoding,
            }),
        }),
    }
}

/// Runs the encoder; `lacking` writes what stands for a character that it lacks.
fn run_encoder(
    text: &str,
    web: &'static encoding_rs::Encoding,
    mut lacking: impl FnMut(&mut Vec<u8>, char, usize) -> Result<(), EncodeError>,
) -> Result<Vec<u8>, EncodeError> {
    let mut encoder = web.new_encoder();
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut read = 0;
    loop {
        let rest = text.get(read..).unwrap_or_default();
        let room = encoder
            .max_buffer_length_from_utf8_without_replacement(rest.len())
            .unwrap_or(rest.len() * 4 + 16);
        out.reserve(room.min(64 << 10));
        let (result, used) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut out, true);
        read += used;
        match result {
            EncoderResult::InputEmpty => return Ok(out),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                let at = read
                    - text
                        .get(..read)
                        .and_then(|before| before.chars().next_back())
                        .map_or(0, char::len_utf8);
                lacking(&mut out, character, at)?;
            }
        }
    }
}

/// Which characters a URL query escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuerySet {
    /// The query percent-encode set.
    Query,
    /// The special-query percent-encode set, of http, https, ws, wss, ftp and file: `'` as well.
    SpecialQuery,
}

/// "Percent-encode after encoding", for URL queries: the text of a query, encoded and escaped.
///
/// A character that the encoding lacks becomes `%26%23N%3B`. Replacement and UTF-16 are sent as UTF-8.
///
/// # Standard
/// [URL Standard](https://url.spec.whatwg.org/#string-percent-encode-after-encoding).
///
/// # Example
/// ```
/// use unbake::{percent_encode_query, get_an_encoding, QuerySet};
/// let koi8 = get_an_encoding(b"koi8-r").unwrap();
/// assert_eq!(percent_encode_query("q=да €", koi8, QuerySet::SpecialQuery), "q=%C4%C1%20%26%238364%3B");
/// ```
pub fn percent_encode_query(text: &str, encoding: Encoding, set: QuerySet) -> String {
    let Encoding::Web(web) = get_an_output_encoding(encoding) else {
        return String::new();
    };
    // A byte that stands for itself in `&#N;` must be told from one that the text had: the escapes are put in afterwards, at
    // the places where the encoder stopped.
    let mut escapes: Vec<(usize, u32)> = Vec::new();
    let bytes = run_encoder(text, web, |out, character, _| {
        escapes.push((out.len(), u32::from(character)));
        Ok(())
    })
    .unwrap_or_default();
    let mut query = String::with_capacity(bytes.len() * 2);
    let mut escapes = escapes.into_iter().peekable();
    for (at, &byte) in bytes.iter().enumerate() {
        while let Some((_, number)) = escapes.next_if(|&(place, _)| place == at) {
            let _infallible = write!(query, "%26%23{number}%3B");
        }
        let special = byte <= 0x20
            || byte >= 0x7F
            || matches!(byte, b'"' | b'#' | b'<' | b'>')
            || (byte == b'\'' && set == QuerySet::SpecialQuery);
        if special {
            let _infallible = write!(query, "%{byte:02X}");
        } else {
            query.push(char::from(byte));
        }
    }
    for (_, number) in escapes {
        let _infallible = write!(query, "%26%23{number}%3B");
    }
    query
}
