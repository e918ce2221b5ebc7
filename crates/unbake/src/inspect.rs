//! Bytes and characters side by side, for people: which bytes made which character, and why some made none.

mod anatomy;
mod strict;
mod strict_table;

use std::collections::VecDeque;

use crate::bom::bom_sniff;
use crate::decode::DecodeRun;
use crate::encoding::Encoding;
use crate::malformed::MalformedKind;

pub use strict::Strict;

/// Some bytes and what they are.
///
/// # Units
/// `at` is a byte offset into the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    /// The offset of the first byte.
    pub at: u64,
    /// The bytes.
    pub bytes: &'a [u8],
    /// The text they make: usually one character; none for an escape sequence or a byte order mark, U+FFFD for a malformed
    /// sequence.
    pub text: String,
    /// Why they are malformed.
    pub malformed: Option<MalformedKind>,
    /// They are the byte order mark at the start.
    pub bom: bool,
    encoding: Encoding,
    /// The bytes that follow.
    after: &'a [u8],
}

impl Unit<'_> {
    /// The bits. In UTF-8, and in the surrogate pairs of UTF-16, marker bits and payload bits are told apart:
    /// `110|00011 10|101001`. UTF-16 and UTF-32 are shown in whole units, whatever their byte order.
    ///
    /// # Example
    /// ```
    /// let e = unbake::inspect("é".as_bytes(), unbake::Encoding::UTF_8).next().unwrap();
    /// assert_eq!(e.bits(), "110|00011 10|101001");
    /// ```
    pub fn bits(&self) -> String {
        anatomy::bits(self.encoding, self.bytes)
    }

    /// How the payload bits make the code point, in Unicode's own encodings. `None` elsewhere, and where no character is made.
    ///
    /// # Example
    /// ```
    /// let e = unbake::inspect("é".as_bytes(), unbake::Encoding::UTF_8).next().unwrap();
    /// assert_eq!(e.anatomy().as_deref(), Some("2-byte form (U+0080-U+07FF): 3 × 64 + 41 = 233 = U+00E9"));
    /// ```
    pub fn anatomy(&self) -> Option<String> {
        if self.malformed.is_some() || self.bom {
            return None;
        }
        anatomy::arithmetic(self.encoding, self.bytes, self.text.chars().next()?)
    }

    /// What the standard that the encoding or its label is named after makes of the bytes, where the web reads them otherwise.
    ///
    /// # Example
    /// ```
    /// let sjis = unbake::get_an_encoding(b"shift_jis").unwrap();
    /// let wave = unbake::inspect(b"\x81\x60", sjis).next().unwrap();
    /// assert_eq!(wave.text, "\u{FF5E}");
    /// assert_eq!(wave.strict().unwrap().character, Some('\u{301C}'));
    /// ```
    pub fn strict(&self) -> Option<Strict> {
        if self.malformed.is_some() || self.bom {
            return None;
        }
        strict::strict(self.encoding, self.bytes, &self.text)
    }

    /// A remark for people: why the bytes are malformed, what a strict decoder makes of them, what else is odd.
    pub fn note(&self) -> Option<String> {
        if let Some(kind) = self.malformed {
            let detail = anatomy::detail(self.encoding, kind, self.bytes, self.after);
            return Some(match detail {
                Some(detail) => format!("{}: {detail}", kind.reason()),
                None => kind.reason().to_owned(),
            });
        }
        if self.bom {
            return Some("byte order mark: a signature, not content".to_owned());
        }
        if let Some(Strict {
            standard,
            character,
            web,
        }) = self.strict()
        {
            return Some(match character {
                Some(c) => {
                    let shown = match c {
                        c if c.is_control() => "a control".to_owned(),
                        '\u{E000}'..='\u{F8FF}' => "private use".to_owned(),
                        c => format!("`{c}`"),
                    };
                    format!(
                        "{standard} has U+{:04X} ({shown}) here; {web}",
                        u32::from(c)
                    )
                }
                None => format!("not in {standard}: {web}"),
            });
        }
        self.remark().map(str::to_owned)
    }

    /// What is odd about the character itself.
    fn remark(&self) -> Option<&'static str> {
        let Some(character) = self.text.chars().next() else {
            return Some(escape(self.bytes));
        };
        let unicode = self.encoding == Encoding::UTF_8
            || self.encoding.is_utf_16()
            || self.encoding.web().is_none();
        match u32::from(character) {
            0xFEFF => Some(
                "zero width no-break space: a byte order mark in the wrong place, or content; U+2060 is the character for that use",
            ),
            0xFFFD => Some("U+FFFD stands in the source: the damage is older than this document"),
            0x80..=0x9F if unicode => {
                Some("C1 control: often windows-1252 that was taken for ISO-8859-1")
            }
            0xF780..=0xF7FF if self.encoding == encoding_rs::X_USER_DEFINED.into() => {
                Some("private use: the number of the byte, counted from U+F700")
            }
            0xE000..=0xF8FF | 0xF_0000..=0x10_FFFD => {
                Some("private use: no standard says what it is")
            }
            code if code & 0xFFFE == 0xFFFE || (0xFDD0..=0xFDEF).contains(&code) => {
                Some("noncharacter: for internal use, allowed in text and never assigned")
            }
            _ => None,
        }
    }
}

/// The escape sequences of ISO-2022-JP, the only bytes that make no text and are well-formed.
fn escape(bytes: &[u8]) -> &'static str {
    match bytes {
        b"\x1B(B" => "escape sequence: ASCII from here",
        b"\x1B(J" => "escape sequence: JIS X 0201 Roman from here (yen sign at 5C, overline at 7E)",
        b"\x1B(I" => {
            "escape sequence: JIS X 0201 katakana from here; RFC 1468 does not have it, browsers read it"
        }
        b"\x1B$@" => {
            "escape sequence: JIS C 6226-1978 from here, which browsers read as JIS X 0208"
        }
        b"\x1B$B" => "escape sequence: JIS X 0208 from here",
        _ => "no text",
    }
}

/// Takes a document apart, unit by unit, as the iterator is asked for them.
///
/// A byte order mark at the start is a unit of its own if it is this encoding's. The bytes of all units together are the input,
/// but for the replacement encoding, which refuses the first byte for all.
///
/// Time is linear in the input that is read; memory does not depend on its length.
///
/// # Standard
/// [Encoding Standard](https://encoding.spec.whatwg.org/), its decoders.
///
/// # Example
/// ```
/// use unbake::{inspect, Encoding, MalformedKind};
/// let units: Vec<_> = inspect(b"a\xC3\xA9\xED\xA0", Encoding::UTF_8).collect();
/// assert_eq!(units[1].text, "é");
/// assert_eq!(units[2].malformed, Some(MalformedKind::Surrogate));
/// ```
pub fn inspect(bytes: &[u8], encoding: Encoding) -> Units<'_> {
    let mut units = Units::at(bytes, 0, encoding);
    let mark = match (encoding, bytes) {
        (Encoding::Utf32Le, [0xFF, 0xFE, 0, 0, ..])
        | (Encoding::Utf32Be, [0, 0, 0xFE, 0xFF, ..]) => Some(4),
        _ => bom_sniff(bytes)
            .filter(|&(mark, _)| mark == encoding)
            .map(|(_, len)| len),
    };
    if let Some(len) = mark {
        units = Units::at(bytes, len, encoding);
        units.push(0, len, "", None);
        if let Some(unit) = units.ready.front_mut() {
            unit.bom = true;
        }
    }
    units
}

/// The units of a document: see [`inspect()`].
pub struct Units<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    run: DecodeRun,
    /// The next byte to read, and the first byte of the unit that is being read.
    position: usize,
    unit_start: usize,
    text: String,
    ready: VecDeque<Unit<'a>>,
    ended: bool,
}

/// The length of an escape sequence of ISO-2022-JP.
const ESCAPE: usize = 3;

/// How many bytes after a unit its note may speak of.
const AFTER: usize = 6;

impl<'a> Units<'a> {
    fn at(bytes: &'a [u8], start: usize, encoding: Encoding) -> Units<'a> {
        Units {
            bytes,
            encoding,
            run: DecodeRun::for_inspection(encoding, start as u64),
            position: start,
            unit_start: start,
            text: String::new(),
            ready: VecDeque::new(),
            ended: false,
        }
    }

    fn push(&mut self, start: usize, end: usize, text: &str, malformed: Option<MalformedKind>) {
        let Some(piece) = self.bytes.get(start..end).filter(|piece| !piece.is_empty()) else {
            return;
        };
        let rest = self.bytes.get(end..).unwrap_or_default();
        self.ready.push_back(Unit {
            at: start as u64,
            bytes: piece,
            text: text.to_owned(),
            malformed,
            bom: false,
            encoding: self.encoding,
            after: rest.get(..AFTER).unwrap_or(rest),
        });
    }

    /// Text that came at once, cut where the decoder gave more than one character: escape sequences of ISO-2022-JP give none
    /// by themselves, and after a malformed sequence bytes are read again.
    fn push_text(&mut self, mut start: usize, end: usize, text: &str) {
        if self.encoding == encoding_rs::ISO_2022_JP.into() {
            while end.saturating_sub(start) > ESCAPE && self.bytes.get(start) == Some(&0x1B) {
                self.push(start, start + ESCAPE, "", None);
                start += ESCAPE;
            }
            return self.push(start, end, text, None);
        }
        let again = end.saturating_sub(start) > 1 && text.chars().nth(1).is_some();
        // Big5 has four pairs of bytes that are two characters.
        if !again || self.encoding == encoding_rs::BIG5.into() {
            return self.push(start, end, text, None);
        }
        let piece = self.bytes.get(..end).unwrap_or_default();
        for unit in Units::at(piece, start, self.encoding) {
            let (start, end) = (unit.at as usize, unit.at as usize + unit.bytes.len());
            self.push(start, end, &unit.text, unit.malformed);
        }
    }

    /// Reads on to the end of a unit.
    fn read(&mut self) -> Option<Unit<'a>> {
        loop {
            if let Some(unit) = self.ready.pop_front() {
                return Some(unit);
            }
            if self.ended {
                return None;
            }
            let at = self.position;
            let last = at >= self.bytes.len();
            let piece = self.bytes.get(at..=at).unwrap_or_default();
            let end = at + piece.len();
            let mut text = core::mem::take(&mut self.text);
            // Replacement mode: no error.
            let _never = self.run.feed(piece, last, &mut text);
            let mut said = text.as_str();
            // One byte may end two sequences: the one it breaks, and itself.
            for sequence in self.run.take_located() {
                let start = sequence.at as usize;
                let (before, rest) = said.split_once('\u{FFFD}').unwrap_or((said, ""));
                self.push_text(self.unit_start, start, before);
                self.unit_start = start + usize::from(sequence.len);
                self.push(start, self.unit_start, "\u{FFFD}", Some(sequence.kind));
                said = rest;
            }
            if !said.is_empty() {
                // An escape character waits for what it begins: it is no part of text that comes with it.
                let waits = piece == [0x1B] && self.encoding == encoding_rs::ISO_2022_JP.into();
                let text_end = if waits { at } else { end };
                self.push_text(self.unit_start, text_end, said);
                self.unit_start = text_end;
            }
            if last {
                self.push(self.unit_start, end, "", None);
            }
            let refused = self.encoding == encoding_rs::REPLACEMENT.into();
            self.ended = last || refused && !self.ready.is_empty();
            text.clear();
            self.text = text;
            self.position = end;
        }
    }
}

impl<'a> Iterator for Units<'a> {
    type Item = Unit<'a>;

    fn next(&mut self) -> Option<Unit<'a>> {
        self.read()
    }
}
