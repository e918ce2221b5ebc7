//! `@charset`: the exact bytes that open a style sheet.

use memchr::memchr;

/// The label of `@charset "...";` and where it stands. Nothing but these exact bytes counts.
///
/// # Standard
/// [CSS Syntax Level 3, "determine the fallback encoding"](https://drafts.csswg.org/css-syntax/#determine-the-fallback-encoding).
pub(crate) fn at_charset(bytes: &[u8]) -> Option<(&[u8], (u64, u64))> {
    const START: &[u8] = b"@charset \"";
    let window = bytes.get(..1024).unwrap_or(bytes);
    let rest = window.strip_prefix(START)?;
    let label = rest.get(..memchr(b'"', rest)?)?;
    if rest.get(label.len() + 1) != Some(&b';') || !label.is_ascii() {
        return None;
    }
    Some((
        label,
        (START.len() as u64, (START.len() + label.len()) as u64),
    ))
}
