//! "Get an XML encoding": what the XML declaration at the start of a document names.

use memchr::{memchr, memmem};

use crate::encoding::Encoding;
use crate::label::get_an_encoding;

/// The label of an XML declaration, where it stands, and what it resolves to (not yet rewritten).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct XmlDeclaration<'a> {
    pub(crate) label: &'a [u8],
    pub(crate) at: (u64, u64),
    pub(crate) encoding: Option<Encoding>,
}

/// How far a declaration is followed when its `>` does not come: 1 MiB.
pub(crate) const DECLARATION_WINDOW: usize = 1 << 20;

/// True while the bytes may be the start of an XML declaration whose `>` has not arrived.
pub(crate) fn is_unfinished_declaration(bytes: &[u8]) -> bool {
    let prefix = b"<?xml";
    if bytes.len() < prefix.len() {
        return prefix.starts_with(bytes);
    }
    bytes.starts_with(prefix) && bytes.len() < DECLARATION_WINDOW && memchr(b'>', bytes).is_none()
}

/// "Get an XML encoding": the declaration's label. `None` where there is no declaration with one.
///
/// The standard's text defines the end of the declaration and then does not use it; here the search
/// for `encoding` is bounded by it, as the web platform tests ask (`gt-between-xml-and-encoding`).
///
/// # Standard
/// [HTML Standard, "get an XML encoding"](https://html.spec.whatwg.org/#concept-get-xml-encoding-when-sniffing).
pub(crate) fn get_an_xml_encoding(bytes: &[u8]) -> Option<XmlDeclaration<'_>> {
    // Steps 1-2: `<?xml` at the very start.
    if !bytes.starts_with(b"<?xml") {
        return None;
    }
    // Step 3: xmlDeclarationEnd.
    let bytes = bytes.get(..DECLARATION_WINDOW).unwrap_or(bytes);
    let declaration = bytes.get(..memchr(b'>', bytes)?)?;
    // Steps 4-5: past the first `encoding`.
    let mut at = memmem::find(declaration, b"encoding")? + b"encoding".len();
    let skip = |at: &mut usize| {
        while declaration.get(*at).is_some_and(|&b| b <= 0x20) {
            *at += 1;
        }
    };
    // Steps 6-9: `=` between bytes of at most 20.
    skip(&mut at);
    if declaration.get(at) != Some(&b'=') {
        return None;
    }
    at += 1;
    skip(&mut at);
    // Steps 10-12: the quoted label; a byte of at most 20 inside is failure.
    let quote = declaration
        .get(at)
        .copied()
        .filter(|b| matches!(b, b'"' | b'\''))?;
    let start = at + 1;
    let rest = declaration.get(start..)?;
    let label = rest.get(..memchr(quote, rest)?)?;
    if label.iter().any(|&b| b <= 0x20) {
        return None;
    }
    // Step 13. The rewriting of UTF-16 is the caller's.
    let end = start + label.len();
    Some(XmlDeclaration {
        label,
        at: (start as u64, end as u64),
        encoding: get_an_encoding(label),
    })
}

/// UTF-16 without a byte order mark, told by the first characters of an XML declaration: `<?` in two-byte units.
///
/// # Standard
/// [XML 1.0, appendix F.1](https://www.w3.org/TR/xml/#sec-guessing-no-ext-info).
pub(crate) fn utf_16_declaration(bytes: &[u8]) -> Option<Encoding> {
    match bytes {
        [0x3C, 0x00, 0x3F, 0x00, ..] => Some(Encoding::UTF_16LE),
        [0x00, 0x3C, 0x00, 0x3F, ..] => Some(Encoding::UTF_16BE),
        _ => None,
    }
}
