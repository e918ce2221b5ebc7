//! What a `<meta>` declares, however its attributes were read.

use memchr::memchr;

use crate::decision::Reason;
use crate::encoding::Encoding;
use crate::label::{get_an_encoding, meta_encoding};

/// So many declarations that do not count are kept of one document, beside the one that does: none needs more, and a stranger may write
/// millions.
pub(crate) const META_LIMIT: usize = 256;

/// A `<meta>` that speaks of an encoding, whether it counts or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MetaDeclaration {
    /// The label as written.
    pub(crate) label: Vec<u8>,
    /// The tag's bytes, from `<` past `>`.
    pub(crate) at: (u64, u64),
    /// What it declares, rewritten as the standard asks; `None` where the label is unknown.
    pub(crate) encoding: Option<Encoding>,
    /// Why it was rewritten, or why it does not count.
    pub(crate) reason: Option<Reason>,
}

impl MetaDeclaration {
    /// True where the declaration counts.
    pub(crate) fn counts(&self) -> bool {
        self.encoding.is_some() && self.reason != Some(Reason::NoPragma)
    }
}

/// The attributes of one `<meta>` that matter. The first of each name wins.
#[derive(Clone, Debug, Default)]
pub(crate) struct MetaAttributes {
    pub(crate) charset: Option<Vec<u8>>,
    pub(crate) http_equiv: Option<Vec<u8>>,
    pub(crate) content: Option<Vec<u8>>,
}

impl MetaAttributes {
    /// "Got pragma": `http-equiv` is `content-type`, ASCII case ignored, nothing trimmed.
    fn got_pragma(&self) -> bool {
        self.http_equiv
            .as_deref()
            .is_some_and(|value| value.eq_ignore_ascii_case(b"content-type"))
    }

    /// The declaration by the prescan's rules for `<meta`: a `charset` attribute settles it, also when its label
    /// is unknown; else `content` does, and needs the pragma.
    ///
    /// The standard walks the attributes in order with three variables. Their order does not matter
    /// to the outcome: `charset` sets `charset` and "need pragma" whenever it comes, and `content` sets them only
    /// while `charset` is null.
    ///
    /// # Standard
    /// [HTML Standard, prescan, `<meta`](https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding).
    pub(crate) fn prescan_declaration(&self, at: (u64, u64)) -> Option<MetaDeclaration> {
        if let Some(label) = &self.charset {
            return Some(declaration(label, at));
        }
        let found = self.content_declaration(at)?;
        found.encoding?;
        Some(found)
    }

    /// The declaration by the tree builder's rules for a `meta` start tag: `charset` where its label is known,
    /// otherwise the pragma with `content`.
    ///
    /// # Standard
    /// [HTML Standard, "in head", a start tag whose tag name is "meta"](https://html.spec.whatwg.org/#parsing-main-inhead).
    pub(crate) fn tree_declaration(&self, at: (u64, u64)) -> Option<MetaDeclaration> {
        let by_charset = self.charset.as_deref().map(|label| declaration(label, at));
        match by_charset {
            Some(found) if found.encoding.is_some() => Some(found),
            other => self
                .content_declaration(at)
                .filter(MetaDeclaration::counts)
                .or(other),
        }
    }

    fn content_declaration(&self, at: (u64, u64)) -> Option<MetaDeclaration> {
        let label = extract_a_label_from_a_meta_element(self.content.as_deref()?)?;
        let mut found = declaration(label, at);
        if !self.got_pragma() {
            found.reason = Some(Reason::NoPragma);
        }
        Some(found)
    }
}

fn declaration(label: &[u8], at: (u64, u64)) -> MetaDeclaration {
    let named = get_an_encoding(label);
    let encoding = named.map(meta_encoding);
    let reason = match (named, encoding) {
        (Some(named), Some(encoding)) if named.is_utf_16() && encoding != named => {
            Some(Reason::Utf16MeansUtf8)
        }
        (Some(named), Some(encoding)) if encoding != named => {
            Some(Reason::UserDefinedMeansWindows1252)
        }
        _ => None,
    };
    MetaDeclaration {
        label: label.to_vec(),
        at,
        encoding,
        reason,
    }
}

/// "Extracting a character encoding from a meta element", up to its last step: the label.
///
/// # Standard
/// [HTML Standard](https://html.spec.whatwg.org/#algorithm-for-extracting-a-character-encoding-from-a-meta-element).
pub(crate) fn extract_a_label_from_a_meta_element(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    // Step 2 (loop): the next "charset".
    let value = loop {
        let at = find_ignoring_case(rest, b"charset")?;
        rest = rest.get(at + b"charset".len()..)?;
        // Steps 3-4.
        rest = rest.trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            break value.trim_ascii_start();
        }
    };
    // Steps 5-6.
    match value {
        [] => None,
        [quote @ (b'"' | b'\''), quoted @ ..] => quoted.get(..memchr(*quote, quoted)?),
        _ => {
            let end = value
                .iter()
                .position(|&b| b.is_ascii_whitespace() || b == b';')
                .unwrap_or(value.len());
            value.get(..end)
        }
    }
}

/// The first place where `needle` (lower case) stands in `haystack`, ASCII case ignored.
fn find_ignoring_case(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window.eq_ignore_ascii_case(needle))
}
