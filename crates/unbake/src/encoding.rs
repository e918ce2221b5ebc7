//! [`Encoding`]: what bytes are decoded with.
//!
//! The web knows 40 encodings, all of which encoding_rs implements. A few formats outside HTML allow
//! encodings that the web refuses (YAML and plain files: UTF-32), so a decision needs a type that
//! can name both. The type stays `Copy` and costs one word more than encoding_rs's reference.

use core::fmt;

/// An encoding: one of the 40 of the Encoding Standard, or one that only a format outside the web allows.
///
/// # Standard
/// [Encoding Standard, section 4](https://encoding.spec.whatwg.org/#encodings).
///
/// # Example
/// ```
/// use unbake::Encoding;
/// assert_eq!(Encoding::UTF_8.name(), "UTF-8");
/// assert_eq!(Encoding::from(encoding_rs::SHIFT_JIS).name(), "Shift_JIS");
/// assert!(Encoding::Utf32Le.web().is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One of the web's encodings.
    Web(&'static encoding_rs::Encoding),
    /// UTF-32, little-endian. Never for HTML.
    Utf32Le,
    /// UTF-32, big-endian. Never for HTML.
    Utf32Be,
}

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Encoding = Encoding::Web(encoding_rs::UTF_8);
    /// UTF-16LE.
    pub const UTF_16LE: Encoding = Encoding::Web(encoding_rs::UTF_16LE);
    /// UTF-16BE.
    pub const UTF_16BE: Encoding = Encoding::Web(encoding_rs::UTF_16BE);
    /// windows-1252, which the labels `iso-8859-1`, `latin1` and `ascii` also mean.
    pub const WINDOWS_1252: Encoding = Encoding::Web(encoding_rs::WINDOWS_1252);

    /// The encoding's name, as the Encoding Standard spells it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Web(e) => e.name(),
            Encoding::Utf32Le => "UTF-32LE",
            Encoding::Utf32Be => "UTF-32BE",
        }
    }

    /// The encoding_rs handle where the web knows this encoding.
    pub fn web(self) -> Option<&'static encoding_rs::Encoding> {
        match self {
            Encoding::Web(e) => Some(e),
            Encoding::Utf32Le | Encoding::Utf32Be => None,
        }
    }

    /// UTF-16, in either byte order: the standard never takes it from a declaration written in ASCII.
    pub fn is_utf_16(self) -> bool {
        self == Encoding::UTF_16LE || self == Encoding::UTF_16BE
    }

    /// True where the bytes 00-7F always stand for the characters U+0000-U+007F.
    ///
    /// False for UTF-16, UTF-32, ISO-2022-JP (escape sequences are ASCII bytes) and replacement.
    pub fn is_ascii_compatible(self) -> bool {
        self.web()
            .is_some_and(encoding_rs::Encoding::is_ascii_compatible)
    }
}

impl From<&'static encoding_rs::Encoding> for Encoding {
    fn from(encoding: &'static encoding_rs::Encoding) -> Encoding {
        Encoding::Web(encoding)
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Encoding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
