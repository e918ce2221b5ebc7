//! The prescan, to the letter: bytes are searched for a declaration with no knowledge of scripts, styles or titles.

use memchr::{memchr, memmem};

use crate::decision::Reason;
use crate::encoding::Encoding;
use crate::meta::{MetaAttributes, MetaDeclaration};

/// How many bytes are searched: "the first 1024 bytes".
pub(crate) const PRESCAN_WINDOW: usize = 1024;

/// The two prefixes of step 1: `<?x` in UTF-16, either byte order. They decide at once, by six bytes.
pub(crate) fn utf_16_prefix(bytes: &[u8]) -> Option<Encoding> {
    match bytes {
        [0x3C, 0x00, 0x3F, 0x00, 0x78, 0x00, ..] => Some(Encoding::UTF_16LE),
        [0x00, 0x3C, 0x00, 0x3F, 0x00, 0x78, ..] => Some(Encoding::UTF_16BE),
        _ => None,
    }
}

/// "Prescan a byte stream to determine its encoding", over the given bytes (the caller cuts them to the window):
/// every `<meta>` that speaks of an encoding. The first that counts is the prescan's answer.
///
/// The standard stops at that one; the scan goes on here to name the ones that lost. Step 1 is
/// [`utf_16_prefix`]; the fallback, "get an XML encoding", is the caller's.
///
/// # Standard
/// [HTML Standard, prescan](https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding).
pub(crate) fn prescan_a_byte_stream(bytes: &[u8]) -> Vec<MetaDeclaration> {
    let mut metas = Vec::new();
    // Running past the end anywhere ends the prescan: that is the `None` of the inner function.
    let _end = scan(bytes, &mut metas);
    metas
}

fn scan(bytes: &[u8], metas: &mut Vec<MetaDeclaration>) -> Option<()> {
    let mut at = 0;
    loop {
        // Only `<` begins anything: skip to the next.
        at += memchr(b'<', bytes.get(at..)?)?;
        let rest = bytes.get(at..)?;
        if rest.starts_with(b"<!--") {
            // The two dashes may be those of `<!--`.
            at += 2 + memmem::find(rest.get(2..)?, b"-->")? + 2;
        } else if is_meta(rest) {
            let start = at;
            at += b"<meta".len();
            let mut attributes = MetaAttributes::default();
            loop {
                match get_an_attribute(bytes, &mut at) {
                    None => {
                        // A tag cut by the window declares nothing, whatever it says so far.
                        if let Some(mut found) =
                            attributes.prescan_declaration((start as u64, bytes.len() as u64))
                        {
                            found.encoding = None;
                            found.reason = Some(Reason::Unfinished);
                            metas.push(found);
                        }
                        return None;
                    }
                    Some(None) => break,
                    Some(Some((name, value))) => {
                        let slot = match name.as_slice() {
                            b"charset" => &mut attributes.charset,
                            b"http-equiv" => &mut attributes.http_equiv,
                            b"content" => &mut attributes.content,
                            _ => continue,
                        };
                        slot.get_or_insert(value);
                    }
                }
            }
            if let Some(found) = attributes.prescan_declaration((start as u64, at as u64 + 1)) {
                metas.push(found);
            }
        } else if is_tag(rest) {
            at += rest.iter().position(|&b| is_space(b) || b == b'>')?;
            while let Some(_attribute) = get_an_attribute(bytes, &mut at)? {}
        } else if matches!(rest.get(1)?, b'!' | b'/' | b'?') {
            at += memchr(b'>', rest)?;
        }
        at += 1;
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// `<meta`, ASCII case ignored, and one of the white spaces or `/`.
fn is_meta(rest: &[u8]) -> bool {
    rest.get(..5)
        .is_some_and(|tag| tag.eq_ignore_ascii_case(b"<meta"))
        && rest.get(5).is_some_and(|&b| is_space(b) || b == b'/')
}

/// `<` or `</` and an ASCII letter.
fn is_tag(rest: &[u8]) -> bool {
    let name = if rest.get(1) == Some(&b'/') {
        rest.get(2)
    } else {
        rest.get(1)
    };
    name.is_some_and(u8::is_ascii_alphabetic)
}

/// "Get an attribute". `None`: the bytes ran out; `Some(None)`: no attribute is left, and `at` stands on `>`.
///
/// Names arrive in lower case. Values keep their case: all that reads them ignores it.
///
/// # Standard
/// [HTML Standard, "get an attribute"](https://html.spec.whatwg.org/#concept-get-attributes-when-sniffing).
#[allow(clippy::option_option)] // the standard's two ways to end
pub(crate) fn get_an_attribute(bytes: &[u8], at: &mut usize) -> Option<Option<(Vec<u8>, Vec<u8>)>> {
    // Step 1.
    while is_space(*bytes.get(*at)?) || bytes.get(*at) == Some(&b'/') {
        *at += 1;
    }
    // Step 2.
    if bytes.get(*at) == Some(&b'>') {
        return Some(None);
    }
    // Steps 3-5: the name. A leading `=` is part of it.
    let start = *at;
    loop {
        let byte = *bytes.get(*at)?;
        match byte {
            b'=' if *at > start => break,
            b'/' | b'>' => return Some(Some((name(bytes, start, *at), Vec::new()))),
            _ if is_space(byte) => break,
            _ => *at += 1,
        }
    }
    let name = name(bytes, start, *at);
    // Steps 6-8: spaces, then `=`.
    while is_space(*bytes.get(*at)?) {
        *at += 1;
    }
    if bytes.get(*at) != Some(&b'=') {
        return Some(Some((name, Vec::new())));
    }
    *at += 1;
    // Step 9-10: the value.
    while is_space(*bytes.get(*at)?) {
        *at += 1;
    }
    match *bytes.get(*at)? {
        quote @ (b'"' | b'\'') => {
            let start = *at + 1;
            let end = start + memchr(quote, bytes.get(start..)?)?;
            *at = end + 1;
            Some(Some((name, bytes.get(start..end)?.to_vec())))
        }
        b'>' => Some(Some((name, Vec::new()))),
        _ => {
            let start = *at;
            // Step 11: `/` is a byte of the value.
            while !is_space(*bytes.get(*at)?) && bytes.get(*at) != Some(&b'>') {
                *at += 1;
            }
            Some(Some((name, bytes.get(start..*at)?.to_vec())))
        }
    }
}

fn name(bytes: &[u8], start: usize, end: usize) -> Vec<u8> {
    bytes
        .get(start..end)
        .unwrap_or_default()
        .to_ascii_lowercase()
}
