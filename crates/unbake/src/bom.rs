//! Byte order marks.

use crate::encoding::Encoding;

/// "BOM sniff": the encoding that a byte order mark at the start names, and the length of the mark in bytes.
///
/// Knows UTF-8, UTF-16BE and UTF-16LE, as the web does: `FF FE 00 00` is UTF-16LE, never UTF-32.
///
/// # Standard
/// [Encoding Standard, "BOM sniff"](https://encoding.spec.whatwg.org/#bom-sniff).
///
/// # Example
/// ```
/// use unbake::{bom_sniff, Encoding};
/// assert_eq!(bom_sniff(b"\xEF\xBB\xBFhi"), Some((Encoding::UTF_8, 3)));
/// assert_eq!(bom_sniff(b"\xEF\xBB"), None);
/// ```
pub fn bom_sniff(bytes: &[u8]) -> Option<(Encoding, usize)> {
    BomTable::Web.sniff(bytes)
}

/// The byte order marks that count: the same bytes are read otherwise in other formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BomTable {
    /// The web's: UTF-8 and UTF-16; `FF FE 00 00` is UTF-16LE.
    Web,
    /// "UTF-8 decode": UTF-8's alone.
    Utf8,
    /// YAML and plain files: UTF-32 is tried before UTF-16, so `FF FE 00 00` is UTF-32LE.
    Utf32First,
    /// No mark is looked for.
    None,
}

impl BomTable {
    /// The mark at the start: its encoding and its length.
    pub(crate) fn sniff(self, bytes: &[u8]) -> Option<(Encoding, usize)> {
        match (self, bytes) {
            (BomTable::None, _) => None,
            (_, [0xEF, 0xBB, 0xBF, ..]) => Some((Encoding::UTF_8, 3)),
            (BomTable::Utf8, _) => None,
            (BomTable::Utf32First, [0xFF, 0xFE, 0x00, 0x00, ..]) => Some((Encoding::Utf32Le, 4)),
            (BomTable::Utf32First, [0x00, 0x00, 0xFE, 0xFF, ..]) => Some((Encoding::Utf32Be, 4)),
            (_, [0xFE, 0xFF, ..]) => Some((Encoding::UTF_16BE, 2)),
            (_, [0xFF, 0xFE, ..]) => Some((Encoding::UTF_16LE, 2)),
            _ => None,
        }
    }

    /// May the bytes be the start of a mark whose end has not come?
    pub(crate) fn is_cut(self, bytes: &[u8]) -> bool {
        const MARKS: [&[u8]; 5] = [
            b"\xEF\xBB\xBF",
            b"\xFE\xFF",
            b"\xFF\xFE",
            b"\xFF\xFE\x00\x00",
            b"\x00\x00\xFE\xFF",
        ];
        let known = match self {
            BomTable::None => MARKS.get(..0),
            BomTable::Utf8 => MARKS.get(..1),
            BomTable::Web => MARKS.get(..3),
            BomTable::Utf32First => MARKS.get(..),
        };
        let longer = |mark: &&[u8]| mark.len() > bytes.len() && mark.starts_with(bytes);
        !bytes.is_empty() && known.unwrap_or_default().iter().any(longer)
    }
}

/// The encoding that the first four bytes of a YAML stream without a mark show: in YAML the first character is ASCII.
///
/// # Standard
/// [YAML 1.2.2, 5.2](https://yaml.org/spec/1.2.2/#52-character-encodings): UTF-32 before UTF-16.
pub(crate) fn yaml_first_bytes(bytes: &[u8]) -> Option<Encoding> {
    match bytes {
        [0, 0, 0, x, ..] if *x != 0 => Some(Encoding::Utf32Be),
        [x, 0, 0, 0, ..] if *x != 0 => Some(Encoding::Utf32Le),
        [0, x, ..] if *x != 0 => Some(Encoding::UTF_16BE),
        [x, 0, ..] if *x != 0 => Some(Encoding::UTF_16LE),
        _ => None,
    }
}
