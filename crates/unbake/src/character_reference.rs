//! Character references in attribute values, as far as a label can depend on them.

use memchr::memchr;

/// The named character references that stand for ASCII characters and can so be part of a label.
///
/// Every other reference stands for something no label contains, and left alone it puts an `&` there, which no label contains
/// either: the outcome is the same. The bool: may the semicolon be missing?
const ASCII_REFERENCES: &[(&[u8], u8, bool)] = &[
    (b"AMP", b'&', true),
    (b"GT", b'>', true),
    (b"LT", b'<', true),
    (b"QUOT", b'"', true),
    (b"amp", b'&', true),
    (b"gt", b'>', true),
    (b"lt", b'<', true),
    (b"quot", b'"', true),
    (b"Hat", b'^', false),
    (b"NewLine", b'\n', false),
    (b"Tab", b'\t', false),
    (b"UnderBar", b'_', false),
    (b"VerticalLine", b'|', false),
    (b"apos", b'\'', false),
    (b"ast", b'*', false),
    (b"bsol", b'\\', false),
    (b"colon", b':', false),
    (b"comma", b',', false),
    (b"commat", b'@', false),
    (b"dollar", b'$', false),
    (b"equals", b'=', false),
    (b"excl", b'!', false),
    (b"grave", b'`', false),
    (b"DiacriticalGrave", b'`', false),
    (b"lbrace", b'{', false),
    (b"lcub", b'{', false),
    (b"lbrack", b'[', false),
    (b"lsqb", b'[', false),
    (b"lowbar", b'_', false),
    (b"lpar", b'(', false),
    (b"midast", b'*', false),
    (b"num", b'#', false),
    (b"percnt", b'%', false),
    (b"period", b'.', false),
    (b"plus", b'+', false),
    (b"quest", b'?', false),
    (b"rbrace", b'}', false),
    (b"rcub", b'}', false),
    (b"rbrack", b']', false),
    (b"rsqb", b']', false),
    (b"rpar", b')', false),
    (b"semi", b';', false),
    (b"sol", b'/', false),
    (b"verbar", b'|', false),
    (b"vert", b'|', false),
];

/// Decodes the character references of an attribute value as far as a label can depend on them.
///
/// # Standard
/// [HTML Standard, character reference state](https://html.spec.whatwg.org/#character-reference-state).
pub(crate) fn decode_character_references(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some(ampersand) = memchr(b'&', rest) {
        let (before, after) = rest.split_at(ampersand);
        out.extend_from_slice(before);
        let after = after.get(1..).unwrap_or_default();
        if let Some((character, used)) = numeric_reference(after).or_else(|| named_reference(after))
        {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest = after.get(used..).unwrap_or_default();
        } else {
            out.push(b'&');
            rest = after;
        }
    }
    out.extend_from_slice(rest);
    out
}

/// `#119;`, `#x77;`, the semicolon optional. Answers the character and the bytes used.
fn numeric_reference(after: &[u8]) -> Option<(char, usize)> {
    let digits = after.strip_prefix(b"#")?;
    let (radix, digits) = match digits {
        [b'x' | b'X', hex @ ..] => (16, hex),
        _ => (10, digits),
    };
    let count = digits
        .iter()
        .take_while(|&&b| char::from(b).is_digit(radix))
        .count();
    if count == 0 {
        return None;
    }
    let number = digits
        .iter()
        .take(count)
        .filter_map(|&b| char::from(b).to_digit(radix))
        .fold(0_u32, |number, digit| {
            number
                .saturating_mul(radix)
                .saturating_add(digit)
                .min(0x11_0000)
        });
    // Zero, surrogates and numbers out of range are U+FFFD; the C1 numbers mean windows-1252, and no label contains either.
    let character = char::from_u32(number)
        .filter(|&c| c != '\0')
        .unwrap_or('\u{FFFD}');
    let used = after.len() - digits.len() + count;
    let semicolon = usize::from(digits.get(count) == Some(&b';'));
    Some((character, used + semicolon))
}

fn named_reference(after: &[u8]) -> Option<(char, usize)> {
    if after.starts_with(b"fjlig;") {
        // The one reference that stands for two ASCII characters; no label contains them.
        return None;
    }
    ASCII_REFERENCES.iter().find_map(|&(name, byte, bare)| {
        let next = after.strip_prefix(name)?.first();
        match next {
            Some(b';') => Some((char::from(byte), name.len() + 1)),
            // In an attribute, a reference without its semicolon is text before `=` or an alphanumeric.
            Some(b) if bare && *b != b'=' && !b.is_ascii_alphanumeric() => {
                Some((char::from(byte), name.len()))
            }
            None if bare => Some((char::from(byte), name.len())),
            _ => None,
        }
    })
}
