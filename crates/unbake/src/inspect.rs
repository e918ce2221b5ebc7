//! Bytes and characters side by side, for people: which bytes made which character, and why some made none.

use crate::bom::bom_sniff;
use crate::decode::DecodeRun;
use crate::encoding::Encoding;
use crate::malformed::MalformedKind;

/// Some bytes and what they are.
///
/// # Units
/// `at` is a byte offset into the input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Unit {
    /// The offset of the first byte.
    pub at: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The text they make: usually one character; none for an escape sequence, U+FFFD for a malformed sequence.
    pub text: String,
    /// Why they are malformed.
    pub malformed: Option<MalformedKind>,
    /// They are the byte order mark at the start.
    pub bom: bool,
    /// Where browsers read them otherwise than the strict standard of that name, or another remark.
    pub note: Option<&'static str>,
}

impl Unit {
    /// The bits of UTF-8 bytes, marker bits and payload bits told apart: `110|00011 10|101001`. `None` for bytes that are no part of UTF-8.
    ///
    /// # Example
    /// ```
    /// let units = unbake::inspect("é".as_bytes(), unbake::Encoding::UTF_8);
    /// assert_eq!(units[0].utf_8_bits().as_deref(), Some("110|00011 10|101001"));
    /// ```
    pub fn utf_8_bits(&self) -> Option<String> {
        let bits = |&byte: &u8| {
            let marker = match byte.leading_ones() {
                0 => 1,
                ones @ 1..=4 => ones as usize + 1,
                // The 5- and 6-byte forms of 1993, FE and FF.
                ones => (ones as usize + 1).min(8),
            };
            let bits = format!("{byte:08b}");
            let (marker, payload) = bits.split_at(marker);
            if payload.is_empty() {
                marker.to_owned()
            } else {
                format!("{marker}|{payload}")
            }
        };
        let parts: Vec<String> = self.bytes.iter().map(bits).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

/// Takes a document apart, unit by unit.
///
/// A byte order mark at the start is a unit of its own if it is this encoding's. Time is linear in the input.
///
/// # Standard
/// [Encoding Standard](https://encoding.spec.whatwg.org/), its decoders.
///
/// # Example
/// ```
/// use unbake::{inspect, Encoding, MalformedKind};
/// let units = inspect(b"a\xC3\xA9\xED\xA0", Encoding::UTF_8);
/// assert_eq!(units[1].text, "é");
/// assert_eq!(units[2].malformed, Some(MalformedKind::Surrogate));
/// ```
pub fn inspect(bytes: &[u8], encoding: Encoding) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut start = 0;
    if let Some((mark, len)) = bom_sniff(bytes).filter(|&(mark, _)| mark == encoding) {
        let bytes = bytes.get(..len).unwrap_or_default().to_vec();
        let note = Some(if mark == Encoding::UTF_8 {
            "byte order mark: a signature, not content"
        } else {
            "byte order mark"
        });
        units.push(Unit {
            at: 0,
            bytes,
            text: String::new(),
            malformed: None,
            bom: true,
            note,
        });
        start = len;
    }
    let mut run = DecodeRun::for_inspection(encoding, start as u64);
    let mut text = String::new();
    // The first byte of the unit that is being read.
    let mut unit_start = start;
    for at in start..=bytes.len() {
        let last = at == bytes.len();
        let piece = bytes.get(at..=at).unwrap_or_default();
        // Replacement mode: no error.
        let _never = run.feed(piece, last, &mut text);
        // One byte may end two sequences: the one it breaks, and itself.
        for sequence in run.take_located() {
            let place = sequence.at as usize;
            let end = place + usize::from(sequence.len);
            let replaced = text.find('\u{FFFD}').unwrap_or(0);
            let before = text.get(..replaced).unwrap_or_default();
            push(&mut units, bytes, unit_start, place, before, encoding);
            units.push(Unit {
                at: sequence.at,
                bytes: bytes.get(place..end).unwrap_or_default().to_vec(),
                text: "\u{FFFD}".to_owned(),
                malformed: Some(sequence.kind),
                bom: false,
                note: None,
            });
            unit_start = end;
            text = text.get(replaced + 3..).unwrap_or_default().to_owned();
        }
        if !text.is_empty() {
            let end = (at + 1).min(bytes.len());
            push(&mut units, bytes, unit_start, end, &text, encoding);
            unit_start = end;
            text.clear();
        }
    }
    push(&mut units, bytes, unit_start, bytes.len(), "", encoding);
    units
}

fn push(
    units: &mut Vec<Unit>,
    bytes: &[u8],
    start: usize,
    end: usize,
    text: &str,
    encoding: Encoding,
) {
    let Some(piece) = bytes.get(start..end).filter(|piece| !piece.is_empty()) else {
        return;
    };
    let note = note(piece, text, encoding);
    units.push(Unit {
        at: start as u64,
        bytes: piece.to_vec(),
        text: text.to_owned(),
        malformed: None,
        bom: false,
        note,
    });
}

/// Where browsers read bytes otherwise than the strict standard that the name recalls.
fn note(bytes: &[u8], text: &str, encoding: Encoding) -> Option<&'static str> {
    let Encoding::Web(web) = encoding else {
        return None;
    };
    let two = match bytes {
        [lead, trail] => Some((*lead, *trail)),
        _ => None,
    };
    match (web.name(), two, text.chars().next()) {
        (_, _, Some('\u{FEFF}')) => {
            Some("zero width no-break space: content, not a mark; U+2060 is meant for that")
        }
        (_, _, Some('\u{FFFD}')) => {
            Some("U+FFFD stands in the source: the damage is older than this file")
        }
        ("UTF-8" | "UTF-16LE" | "UTF-16BE", _, Some('\u{80}'..='\u{9F}')) => {
            Some("C1 control: often windows-1252 taken for Latin-1")
        }
        ("windows-1252", _, _) if matches!(bytes, [0x81 | 0x8D | 0x8F | 0x90 | 0x9D]) => {
            Some("unassigned in windows-1252: browsers read the C1 control of the same number")
        }
        ("windows-1252" | "windows-1254", _, _) if matches!(bytes, [0x80..=0x9F]) => Some(
            "a C1 control in the ISO 8859 standard; a character in the Windows code page that its label means",
        ),
        ("windows-874", _, _) if matches!(bytes, [0x80..=0xA0]) => Some("not in TIS-620"),
        ("Shift_JIS", Some((0x81, 0x5F | 0x60 | 0x61 | 0x7C | 0x91 | 0x92 | 0xCA)), _) => Some(
            "browsers follow Windows code page 932; a strict Shift_JIS decoder gives another character here",
        ),
        ("Shift_JIS", Some((0x87 | 0xED | 0xEE | 0xFA..=0xFC, _)), _) => {
            Some("NEC or IBM extension of code page 932: not in JIS X 0208")
        }
        ("Shift_JIS", Some((0xF0..=0xF9, _)), _) => {
            Some("private use: user-defined character of code page 932")
        }
        ("Shift_JIS" | "EUC-JP" | "ISO-2022-JP", _, Some('\u{FF5E}')) => {
            Some("fullwidth tilde for browsers; a strict decoder gives U+301C wave dash")
        }
        ("Shift_JIS" | "EUC-JP", _, Some('\\' | '~')) => {
            Some("ASCII for browsers; JIS X 0201 has a yen sign at 5C and an overline at 7E")
        }
        ("EUC-JP", Some((0xA1, 0xC0 | 0xC2 | 0xDD | 0xF1 | 0xF2) | (0xA2, 0xCC)), _) => {
            Some("browsers follow Windows here; a strict decoder gives another character")
        }
        ("EUC-KR", Some((lead, trail)), _) if lead < 0xA1 || trail < 0xA1 => {
            Some("Unified Hangul Code: beyond KS X 1001")
        }
        ("GBK" | "gb18030", _, Some('€')) if bytes == [0x80] => {
            Some("the euro of code page 936: not in gb18030")
        }
        ("GBK" | "gb18030", Some((lead, trail)), _) if lead < 0xA1 || trail < 0xA1 => {
            Some("GBK: beyond GB 2312")
        }
        ("GBK" | "gb18030", Some((lead, _)), _) if lead > 0xF7 || (0xAA..=0xAF).contains(&lead) => {
            Some("user-defined in GB 2312")
        }
        ("GBK", None, _) if bytes.len() == 4 => Some("four-byte form of gb18030: beyond GBK"),
        ("Big5", Some((0x87..=0xA0 | 0xC8 | 0xFA..=0xFE, _)), _) => Some("Big5-HKSCS: beyond Big5"),
        ("Big5", Some((0xC6 | 0xC7, _)), _) => Some("ETEN extension or Big5-HKSCS: beyond Big5"),
        ("Big5", Some((0xF9, 0xD6..=0xFE)), _) => Some("ETEN extension: beyond Big5"),
        ("ISO-2022-JP", _, None) => Some("escape sequence: switches the character set"),
        ("x-user-defined", _, Some('\u{F780}'..='\u{F7FF}')) => {
            Some("private use: the byte's number, U+F780 upward")
        }
        _ => None,
    }
}
