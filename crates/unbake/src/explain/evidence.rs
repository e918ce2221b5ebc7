//! What the bytes themselves say, whatever was declared: the ground on which advice stands.

use core::cell::OnceCell;

use memchr::{memchr_iter, memmem, memrchr};

use crate::decision::{Clue, Context, Decision, Origin};
use crate::decode::{bom_length, decode_as};
use crate::encoding::Encoding;
use crate::inspect::inspect;
use crate::known::detector;
use crate::malformed::Malformed;
use crate::utf8::c1_controls;

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
    /// The first of the C1 control characters, and how many there are.
    pub(super) c1: Option<(u64, u64)>,
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

/// Where the first C1 control stands, and how many there are.
fn first_c1(bytes: &[u8], decision: &Decision, text: &str) -> Option<(u64, u64)> {
    let count = c1_controls(text.as_bytes()).count() as u64;
    if count == 0 {
        return None;
    }
    let is_c1 = |character| matches!(character, '\u{80}'..='\u{9F}');
    let first = inspect(bytes, decision.encoding).find(|unit| unit.text.contains(is_c1));
    Some((first.map_or(0, |unit| unit.at), count))
}

/// How many bytes at the start show whether NULs stand in every second place.
const WIDE_WINDOW: usize = 4096;

/// How much of the text is shown.
const SAMPLE: usize = 24;

impl<'a> Evidence<'a> {
    pub(super) fn of(
        bytes: &'a [u8],
        context: &'a Context,
        decision: &'a Decision,
        malformed: &'a Malformed,
        literal_fffd: u64,
        text: &str,
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
            feff: memmem::find_iter(text.as_bytes(), "\u{FEFF}").count() as u64,
            c1: first_c1(bytes, decision, text),
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

    /// Malformed sequences and C1 controls of the document as it was decoded.
    pub(super) fn faults(&self, malformed: u64) -> u64 {
        malformed + self.c1.map_or(0, |(_, count)| count)
    }

    /// The same in another encoding, the first bytes left out.
    pub(super) fn faults_as(&self, encoding: Encoding, skip: usize) -> u64 {
        let bytes = self.bytes.get(skip..).unwrap_or_default();
        let decoded = decode_as(bytes, self.read_as(encoding));
        decoded.malformed.count + c1_controls(decoded.text.as_bytes()).count() as u64
    }

    /// UTF-16 or UTF-32 by where the NUL bytes stand, whatever is said. Markup is ASCII, so there are many.
    pub(super) fn wide(&self) -> Option<Encoding> {
        let start = self.bytes.get(..WIDE_WINDOW).unwrap_or(self.bytes);
        let (quads, _) = start.as_chunks::<4>();
        let mut nuls = [0_usize; 4];
        for quad in quads {
            for (count, &byte) in nuls.iter_mut().zip(quad) {
                *count += usize::from(byte == 0);
            }
        }
        let all = quads.len();
        if all < 2 {
            return None;
        }
        let (most, many, few) = (all - all / 16, all - all / 4, all / 16);
        let [first, second, third, fourth] = nuls;
        if fourth >= most && third >= many && first <= few {
            return Some(Encoding::Utf32Le);
        }
        if first >= most && second >= many && fourth <= few {
            return Some(Encoding::Utf32Be);
        }
        // UTF-16: in a third of the units at the least, of which there are two in four bytes.
        let (even, odd) = (first + third, second + fourth);
        let is_wide = |high: usize, low: usize| high * 3 >= all * 2 && low <= few;
        is_wide(odd, even)
            .then_some(Encoding::UTF_16LE)
            .or(is_wide(even, odd).then_some(Encoding::UTF_16BE))
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
        let mark = bom_length(self.decision);
        for (at, &byte) in self.bytes.iter().enumerate().skip(mark) {
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
