//! What the bytes themselves say, whatever was declared: the ground on which advice stands.

use core::cell::OnceCell;

use memchr::{memchr_iter, memrchr};

use crate::decision::{Clue, Context, Decision, Origin};
use crate::decode::decode_as;
use crate::encoding::Encoding;
use crate::known::detector;
use crate::malformed::Malformed;

/// A place that an editor can be sent to.
///
/// # Units
/// `line` counts line feeds from 1; `byte_in_line` counts bytes from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Place {
    /// The line.
    pub line: u64,
    /// How many bytes from the start of the line.
    pub byte_in_line: u64,
}

impl Place {
    pub(super) fn of(bytes: &[u8], at: u64) -> Place {
        let before = bytes.get(..at as usize).unwrap_or(bytes);
        let line_start = memrchr(b'\n', before).map_or(0, |at| at + 1);
        Place {
            line: memchr_iter(b'\n', before).count() as u64 + 1,
            byte_in_line: (before.len() - line_start) as u64 + 1,
        }
    }
}

/// What the bytes are, taken by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// Nothing above 7F.
    Ascii,
    /// Valid UTF-8 and not ASCII alone, which other text almost never is.
    Utf8,
    Other,
}

/// One document and all that is known of it.
pub(super) struct Evidence<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) context: &'a Context,
    pub(super) decision: &'a Decision,
    pub(super) malformed: &'a Malformed,
    pub(super) literal_fffd: u64,
    pub(super) feff: u64,
    pub(super) nature: Nature,
    /// The detector's answer, once it has been asked.
    guess: OnceCell<Option<Encoding>>,
}

/// Text from a stranger, fit to be shown on a terminal: controls become a dot.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{B7}' } else { c })
        .collect()
}

/// How much of the text is shown.
const SAMPLE: usize = 24;

impl<'a> Evidence<'a> {
    pub(super) fn of(
        bytes: &'a [u8],
        context: &'a Context,
        decision: &'a Decision,
        malformed: &'a Malformed,
        literal_fffd: u64,
        feff: u64,
    ) -> Evidence<'a> {
        let nature = match simdutf8::basic::from_utf8(bytes) {
            Ok(_) if bytes.is_ascii() => Nature::Ascii,
            Ok(_) => Nature::Utf8,
            Err(_) => Nature::Other,
        };
        Evidence {
            bytes,
            context,
            decision,
            malformed,
            literal_fffd,
            feff,
            nature,
            guess: OnceCell::new(),
        }
    }

    pub(super) fn clues(&self, origin: Origin) -> impl Iterator<Item = &'a Clue> + use<'a> {
        self.decision
            .clues
            .iter()
            .filter(move |clue| clue.origin == origin)
    }

    /// `line 3, bytes 38-60`.
    pub(super) fn place(&self, (start, end): (u64, u64)) -> String {
        let line = Place::of(self.bytes, start).line;
        format!("line {line}, bytes {start}-{end}")
    }

    /// Where the kept malformed sequences stand.
    pub(super) fn places(&self) -> Vec<Place> {
        self.malformed
            .first
            .iter()
            .map(|sequence| Place::of(self.bytes, sequence.at))
            .collect()
    }

    /// How many malformed sequences the document would have in another encoding.
    pub(super) fn malformed_as(&self, encoding: Encoding) -> u64 {
        if encoding == self.decision.encoding {
            return self.malformed.count;
        }
        decode_as(self.bytes, self.read_as(encoding))
            .malformed
            .count
    }

    fn read_as(&self, encoding: Encoding) -> Decision {
        Decision {
            encoding,
            bom: None,
            clues: Vec::new(),
            ..self.decision.clone()
        }
    }

    /// How many characters above 7F the document has that are well-formed.
    pub(super) fn well_formed(&self) -> u64 {
        let decoded = decode_as(self.bytes, self.read_as(self.decision.encoding));
        let above = decoded.text.chars().filter(|c| !c.is_ascii()).count() as u64;
        above.saturating_sub(self.malformed.count)
    }

    /// What text that is not UTF-8 probably is: a guess.
    pub(super) fn guess(&self) -> Option<Encoding> {
        *self.guess.get_or_init(|| {
            let mut detector = detector(self.context);
            detector.feed(self.bytes);
            detector.guess().map(|guess| guess.encoding)
        })
    }

    /// The first byte above 7F that stands outside of tags; the first at all, where there is none.
    pub(super) fn first_in_text(&self) -> Option<usize> {
        let mut in_tag = false;
        let mut first = None;
        for (at, &byte) in self.bytes.iter().enumerate() {
            match byte {
                b'<' => in_tag = true,
                b'>' => in_tag = false,
                0x80.. if !in_tag => return Some(at),
                0x80.. => first = first.or(Some(at)),
                _ => {}
            }
        }
        first
    }

    /// A few characters around a byte, as one encoding reads them.
    pub(super) fn sample(&self, at: usize, encoding: Encoding) -> Option<String> {
        if !encoding.is_ascii_compatible() {
            return None;
        }
        let before = self.bytes.get(..at)?;
        let words = before
            .iter()
            .rev()
            .take(SAMPLE / 2)
            .take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b' ')
            .count();
        let start = at - words;
        let end = self.bytes.len().min(start + 4 * SAMPLE);
        let decoded = decode_as(self.bytes.get(start..end)?, self.read_as(encoding));
        let text: String = decoded
            .text
            .chars()
            .take(SAMPLE)
            .take_while(|&c| !matches!(c, '\n' | '\r' | '<'))
            .collect();
        let text = shown(text.trim());
        (!text.is_empty()).then_some(text)
    }
}
