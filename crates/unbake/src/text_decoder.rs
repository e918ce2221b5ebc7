//! JavaScript's `TextDecoder`: its options, its errors, its way with chunks.

use crate::decode::DecodeRun;
use crate::encoding::Encoding;
use crate::error::DecodeError;
use crate::label::get_an_encoding;

/// The options of a [`TextDecoder`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextDecoderOptions {
    /// Refuse malformed input instead of writing U+FFFD.
    pub fatal: bool,
    /// Keep the byte order mark as U+FEFF. (The standard's name: the mark is ignored, not dropped.)
    pub ignore_bom: bool,
}

/// A decoder with the semantics of JavaScript's `TextDecoder`.
///
/// It never changes its encoding: a UTF-8 mark read by a windows-1252 decoder is the text `ï»¿`.
///
/// # Standard
/// [Encoding Standard, 7.2](https://encoding.spec.whatwg.org/#interface-textdecoder).
///
/// # Example
/// ```
/// use unbake::{TextDecoder, TextDecoderOptions};
/// let mut decoder = TextDecoder::new(b"utf-8", TextDecoderOptions::default()).unwrap();
/// assert_eq!(decoder.decode(b"\xEF\xBB", true).unwrap(), "");
/// assert_eq!(decoder.decode(b"\xBF\xC3", true).unwrap(), "");
/// assert_eq!(decoder.decode(b"\xA9", false).unwrap(), "é");
/// assert!(TextDecoder::new(b"iso-2022-kr", TextDecoderOptions::default()).is_none());
/// ```
pub struct TextDecoder {
    encoding: Encoding,
    options: TextDecoderOptions,
    session: Option<Session>,
}

/// The decoder between two calls with `stream`.
struct Session {
    run: DecodeRun,
    /// Bytes that may be the start of a mark.
    held: Option<Vec<u8>>,
}

impl TextDecoder {
    /// A decoder for a label; `None` where JavaScript throws a `RangeError`: for unknown labels, and for those of the replacement
    /// encoding.
    pub fn new(label: &[u8], options: TextDecoderOptions) -> Option<TextDecoder> {
        let encoding = get_an_encoding(label)?;
        (encoding != Encoding::Web(encoding_rs::REPLACEMENT)).then_some(TextDecoder {
            encoding,
            options,
            session: None,
        })
    }

    /// The encoding.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Decodes the next bytes. `stream`: more will follow, so a character that is cut is no error yet.
    ///
    /// # Errors
    /// With `fatal`, the first malformed sequence, where JavaScript throws a `TypeError`. The offset counts from the start of the
    /// stream. With `stream`, the decoder and its state stay; engines differ in whether the bytes after the error are still read.
    pub fn decode(&mut self, bytes: &[u8], stream: bool) -> Result<String, DecodeError> {
        let mut session = self.session.take().unwrap_or_else(|| Session {
            run: DecodeRun::new(self.encoding, 0, self.options.fatal),
            held: (!self.options.ignore_bom).then(Vec::new),
        });
        let mut text = String::new();
        let joined;
        let mut bytes = bytes;
        if let Some(mut held) = session.held.take() {
            held.extend_from_slice(bytes);
            if stream && self.may_be_mark(&held) {
                session.held = Some(held);
                self.session = Some(session);
                return Ok(text);
            }
            joined = held;
            bytes = &joined;
            if let Some(rest) = bytes.strip_prefix(self.own_mark()) {
                session.run.pass_over(bytes.len() - rest.len());
                bytes = rest;
            }
        }
        let outcome = session.run.feed(bytes, !stream, &mut text);
        if stream {
            // Also after an error: "do not flush" was set, so the decoder and its state stay.
            self.session = Some(session);
        }
        outcome.map(|()| text)
    }

    /// The mark of this decoder's own encoding, if it has one.
    fn own_mark(&self) -> &'static [u8] {
        if self.encoding == Encoding::UTF_8 {
            b"\xEF\xBB\xBF"
        } else if self.encoding == Encoding::UTF_16BE {
            b"\xFE\xFF"
        } else if self.encoding == Encoding::UTF_16LE {
            b"\xFF\xFE"
        } else {
            b""
        }
    }

    fn may_be_mark(&self, bytes: &[u8]) -> bool {
        let mark = self.own_mark();
        bytes.len() < mark.len() && mark.starts_with(bytes)
    }
}
