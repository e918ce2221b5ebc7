//! What core can refuse: malformed bytes under strict decoding, and text that an encoding can not write.

use core::fmt;

use crate::encoding::Encoding;
use crate::malformed::MalformedKind;

/// Strict decoding stopped at a malformed sequence.
///
/// # Units
/// `at` is a byte offset into the input; `line` and `column` count from 1, the column in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct DecodeError {
    /// The offset of the first byte of the sequence.
    pub at: u64,
    /// The bytes of the sequence.
    pub bytes: Vec<u8>,
    /// The line, counted in U+000A LINE FEED from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The encoding that was decided.
    pub encoding: Encoding,
    /// Why the sequence is malformed.
    pub kind: MalformedKind,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<String> = self.bytes.iter().map(|b| format!("{b:02X}")).collect();
        write!(
            f,
            "malformed {} at byte {} (line {}, column {}): `{}`: {}",
            self.encoding,
            self.at,
            self.line,
            self.column,
            bytes.join(" "),
            self.kind.reason()
        )
    }
}

impl std::error::Error for DecodeError {}

/// A character that the encoding can not write.
///
/// # Units
/// `char_at` is the offset of the character in the text, in UTF-8 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// Where the character stands.
    pub char_at: usize,
    /// The character.
    pub character: char,
    /// The encoding that lacks it.
    pub encoding: Encoding,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = self.character;
        write!(
            f,
            "{} has no bytes for `{}` (U+{:04X}) at UTF-8 byte {}",
            self.encoding,
            c,
            u32::from(c),
            self.char_at
        )
    }
}

impl std::error::Error for EncodeError {}
