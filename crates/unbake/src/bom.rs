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
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Some((Encoding::UTF_8, 3)),
        [0xFE, 0xFF, ..] => Some((Encoding::UTF_16BE, 2)),
        [0xFF, 0xFE, ..] => Some((Encoding::UTF_16LE, 2)),
        _ => None,
    }
}
