//! [`Malformed`]: where bytes were not text in the encoding that was decided.

/// How many malformed sequences [`Malformed::first`] keeps. All are counted.
pub const MALFORMED_KEPT: usize = 16;

/// The malformed sequences of a document: all counted, the first 16 located.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Malformed {
    /// The number of malformed sequences. Each became one U+FFFD.
    pub count: u64,
    /// The first of them, in the order of the document.
    pub first: Vec<Sequence>,
}

impl Malformed {
    /// True once further sequences are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.first.len() == MALFORMED_KEPT
    }

    pub(crate) fn push(&mut self, sequence: Sequence) {
        self.count += 1;
        if self.first.len() < MALFORMED_KEPT {
            self.first.push(sequence);
        }
    }
}

/// One malformed sequence.
///
/// # Units
/// `at` and `len` are bytes of the input, the byte order mark included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Sequence {
    /// The offset of its first byte.
    pub at: u64,
    /// Its length.
    pub len: u8,
    /// Why it is not text.
    pub kind: MalformedKind,
}

/// Why a sequence of bytes is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum MalformedKind {
    /// UTF-8: a continuation byte (80-BF) where a character should begin.
    UnexpectedContinuation,
    /// UTF-8: a character begins, and the byte that should continue it does not.
    MissingContinuation,
    /// UTF-8: a character written with more bytes than it needs.
    Overlong,
    /// UTF-8, UTF-16, UTF-32: half of a surrogate pair.
    Surrogate,
    /// UTF-8, UTF-32: a number above U+10FFFF.
    AboveMaximum,
    /// UTF-8: a byte that occurs nowhere in UTF-8 (F8-FF: the 5- and 6-byte forms of 1993, and FE, FF).
    ImpossibleByte,
    /// The input ends inside a character.
    TruncatedAtEnd,
    /// Legacy encodings: a byte, or a pair of bytes, to which no character is assigned.
    Unassigned,
    /// Legacy encodings: a lead byte followed by a byte that can not follow it.
    InvalidTrail,
    /// ISO-2022-JP: an escape sequence that does not exist, or two with nothing between.
    InvalidEscape,
    /// The replacement encoding: the whole document is refused.
    Refused,
}

impl MalformedKind {
    /// All kinds.
    pub const ALL: [MalformedKind; 11] = [
        MalformedKind::UnexpectedContinuation,
        MalformedKind::MissingContinuation,
        MalformedKind::Overlong,
        MalformedKind::Surrogate,
        MalformedKind::AboveMaximum,
        MalformedKind::ImpossibleByte,
        MalformedKind::TruncatedAtEnd,
        MalformedKind::Unassigned,
        MalformedKind::InvalidTrail,
        MalformedKind::InvalidEscape,
        MalformedKind::Refused,
    ];

    /// The stable id, as in the Record.
    pub fn id(self) -> &'static str {
        match self {
            MalformedKind::UnexpectedContinuation => "unexpected-continuation",
            MalformedKind::MissingContinuation => "missing-continuation",
            MalformedKind::Overlong => "overlong",
            MalformedKind::Surrogate => "surrogate",
            MalformedKind::AboveMaximum => "above-maximum",
            MalformedKind::ImpossibleByte => "impossible-byte",
            MalformedKind::TruncatedAtEnd => "truncated-at-end",
            MalformedKind::Unassigned => "unassigned",
            MalformedKind::InvalidTrail => "invalid-trail",
            MalformedKind::InvalidEscape => "invalid-escape",
            MalformedKind::Refused => "refused",
        }
    }

    /// The reason in words, to follow "this is malformed because".
    pub fn reason(self) -> &'static str {
        match self {
            MalformedKind::UnexpectedContinuation => {
                "a continuation byte stands where a character should begin"
            }
            MalformedKind::MissingContinuation => {
                "the bytes that should continue this character are missing"
            }
            MalformedKind::Overlong => "the character is written with more bytes than it needs",
            MalformedKind::Surrogate => {
                "a surrogate is half of a UTF-16 pair and no character by itself"
            }
            MalformedKind::AboveMaximum => "the number is above U+10FFFF, the last code point",
            MalformedKind::ImpossibleByte => "this byte occurs nowhere in UTF-8",
            MalformedKind::TruncatedAtEnd => "the input ends inside a character",
            MalformedKind::Unassigned => "no character is assigned to it in this encoding",
            MalformedKind::InvalidTrail => "the second byte can not follow the first",
            MalformedKind::InvalidEscape => {
                "the escape sequence does not exist or encloses nothing"
            }
            MalformedKind::Refused => {
                "browsers refuse this encoding and show one U+FFFD for the whole document"
            }
        }
    }

    /// The reason why UTF-8 stops at `lead`, given the byte after the malformed sequence (`None` at the end of the input).
    ///
    /// # Standard
    /// [Encoding Standard, UTF-8 decoder](https://encoding.spec.whatwg.org/#utf-8-decoder).
    pub(crate) fn of_utf_8(lead: u8, len: u8, next: Option<u8>) -> MalformedKind {
        match (lead, len, next) {
            (0x80..=0xBF, ..) => MalformedKind::UnexpectedContinuation,
            (0xC0 | 0xC1, ..) => MalformedKind::Overlong,
            (0xF5..=0xF7, ..) => MalformedKind::AboveMaximum,
            (0xF8..=0xFF, ..) => MalformedKind::ImpossibleByte,
            (0xE0, 1, Some(0x80..=0x9F)) | (0xF0, 1, Some(0x80..=0x8F)) => MalformedKind::Overlong,
            (0xED, 1, Some(0xA0..=0xBF)) => MalformedKind::Surrogate,
            (0xF4, 1, Some(0x90..=0xBF)) => MalformedKind::AboveMaximum,
            (_, _, None) => MalformedKind::TruncatedAtEnd,
            _ => MalformedKind::MissingContinuation,
        }
    }
}
