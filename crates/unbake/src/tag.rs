//! Tags as the tokenizer hands them over.

use crate::meta::MetaAttributes;

/// A name of at most 16 bytes, in lower case. Longer names are none of those that matter: they end in `\0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    bytes: [u8; 16],
    len: usize,
}

impl Name {
    /// The longest name that is kept.
    pub(crate) const ROOM: usize = 16;

    pub(crate) fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.len) {
            *slot = byte.to_ascii_lowercase();
            self.len += 1;
        } else {
            self.bytes[15] = 0;
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// A start or end tag.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tag {
    pub(crate) name: Name,
    pub(crate) is_end: bool,
    pub(crate) self_closing: bool,
    /// The bytes from `<` past `>`.
    pub(crate) at: (u64, u64),
    /// The attributes of a `meta`, character references decoded.
    pub(crate) meta: MetaAttributes,
    /// The value of `encoding` on `annotation-xml`, of `type` on `input`.
    pub(crate) kind: Option<Vec<u8>>,
    /// Does a `font` have `color`, `face` or `size`?
    pub(crate) font_attribute: bool,
}
