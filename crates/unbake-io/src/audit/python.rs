//! What Python's codecs make of a document, told without decoding it a second time.
//!
//! Two decoders of the same family differ in known bytes alone, and two of different families differ in
//! every byte above 7F. So one pass over the bytes tells whether the texts are the same.

use unbake::{Context, Encoding, Format};

use super::python_table::{DOUBLE, NAMES, SAME, SINGLE};

/// A codec of Python, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub(super) enum Codec {
    /// Reads as the web's encoding of this name.
    Same(&'static str),
    /// One byte a character: what it makes of 80-FF.
    Single(&'static str),
    /// Two bytes a character: the web's encoding, and the pairs that both read alike.
    Double(&'static str, &'static [(u16, u16)]),
    /// UTF-16 with a byte order mark, little-endian without one.
    Utf16,
    /// Not built on ASCII: any text differs.
    Foreign,
    /// Built on ASCII: text with a byte above 7F differs.
    Other,
}

/// Codecs for which even the bytes of ASCII mean something else.
const FOREIGN: &[&str] = &[
    "cp037",
    "cp1026",
    "cp1140",
    "cp273",
    "cp424",
    "cp500",
    "cp875",
    "hz",
    "idna",
    "punycode",
    "unicode_escape",
    "utf_16_be",
    "utf_16_le",
    "utf_32",
    "utf_32_be",
    "utf_32_le",
    "utf_7",
];

/// The codec that `codecs.lookup` finds under a label; `None` is a `LookupError`.
pub(super) fn lookup(label: &str) -> Option<Codec> {
    let name = normalize_encoding(label);
    let index = NAMES
        .binary_search_by(|(known, _)| (*known).cmp(&name))
        .ok()?;
    let (_, codec) = NAMES.get(index)?;
    Some(by_codec(codec))
}

/// `encodings.normalize_encoding`: runs of anything but letters, digits and dots become one underscore.
fn normalize_encoding(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    let mut gap = false;
    for c in label.chars() {
        if c.is_alphanumeric() || c == '.' {
            if gap && !out.is_empty() {
                out.push('_');
            }
            gap = false;
            out.extend(c.to_lowercase());
        } else {
            gap = true;
        }
    }
    out
}

fn by_codec(codec: &str) -> Codec {
    let of = |table: &'static [(&'static str, &'static str)]| {
        table
            .iter()
            .find(|(name, _)| *name == codec)
            .map(|(_, value)| *value)
    };
    if let Some(name) = of(SAME) {
        return Codec::Same(name);
    }
    if let Some(table) = of(SINGLE) {
        return Codec::Single(table);
    }
    if let Some((_, web, alike)) = DOUBLE.iter().find(|(name, ..)| *name == codec) {
        return Codec::Double(web, alike);
    }
    match codec {
        "utf_16" => Codec::Utf16,
        _ if FOREIGN.contains(&codec) => Codec::Foreign,
        _ => Codec::Other,
    }
}

/// A document and the encoding in which a browser shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub(super) body: &'a [u8],
    pub(super) encoding: Encoding,
    /// No byte is above 7F.
    pub(super) ascii: bool,
}

impl Shown<'_> {
    /// Is the text of a codec, with U+FFFD for what it refuses, the text that the browser shows?
    ///
    /// A byte order mark that a codec leaves in the text is no difference: it is not seen. Where both
    /// find bytes malformed, the number of U+FFFD may differ; that is no difference either.
    pub(super) fn is_read_alike(&self, codec: Codec) -> bool {
        let web = self.encoding.name();
        // Encodings in which the bytes of ASCII are not ASCII, or mean more than themselves.
        let plain = self.encoding.is_ascii_compatible()
            || web == "ISO-2022-JP" && memchr::memchr3(0x1B, 0x0E, 0x0F, self.body).is_none();
        if self.body.is_empty() {
            return true;
        }
        match codec {
            Codec::Same(name) => name == web || plain && self.ascii && is_built_on_ascii(name),
            Codec::Utf16 => {
                self.encoding == Encoding::UTF_16LE || self.encoding == Encoding::UTF_16BE
            }
            Codec::Foreign => false,
            _ if !plain => false,
            _ if self.ascii => true,
            Codec::Other => false,
            Codec::Single(table) => self.is_alike_by_bytes(table),
            Codec::Double(name, alike) => {
                let family = web == name || (name == "GBK" && web == "gb18030");
                family && self.is_alike_by_pairs(name, alike)
            }
        }
    }

    fn is_alike_by_bytes(&self, table: &str) -> bool {
        let Some(encoding) = self.encoding.web() else {
            return false;
        };
        if !encoding.is_single_byte() {
            return false;
        }
        let upper: Vec<u8> = (0x80..=0xFF).collect();
        let context = Context {
            format: Some(Format::Text),
            user_override: Some(self.encoding),
            ..Context::default()
        };
        let web = unbake::decode(&upper, &context).text;
        let mut differs = [false; 256];
        let upper = differs.iter_mut().skip(0x80);
        for (differs, (ours, theirs)) in upper.zip(web.chars().zip(table.chars())) {
            *differs = ours != theirs;
        }
        !self
            .body
            .iter()
            .any(|byte| differs.get(usize::from(*byte)) == Some(&true))
    }

    fn is_alike_by_pairs(&self, name: &str, alike: &[(u16, u16)]) -> bool {
        let mut rest = self.body;
        while let Some(skip) = rest.iter().position(|byte| *byte >= 0x80) {
            rest = rest.get(skip..).unwrap_or_default();
            rest = match (name, rest) {
                // Half-width katakana, and the third plane of EUC-JP: read alike.
                ("Shift_JIS", [0xA1..=0xDF, after @ ..])
                | ("EUC-JP", [0x8E, _, after @ ..] | [0x8F, _, _, after @ ..]) => after,
                // Four bytes of gb18030. Codecs without them find them malformed.
                ("GBK", [_, 0x30..=0x39, _, _, after @ ..]) => {
                    if !is_in(alike, 0x8140) || !is_in(alike, 0xFE50) {
                        return false;
                    }
                    after
                }
                // A single byte that only the web assigns: the euro sign of GBK, U+0080 of Shift_JIS.
                ("GBK" | "Shift_JIS", [0x80, ..]) => return false,
                (_, [lead, trail, after @ ..]) => {
                    let pair = u16::from(*lead) << 8 | u16::from(*trail);
                    if (0x40..0xFF).contains(trail)
                        && (0x81..0xFF).contains(lead)
                        && !is_in(alike, pair)
                    {
                        return false;
                    }
                    after
                }
                _ => return true,
            };
        }
        true
    }
}

fn is_built_on_ascii(name: &str) -> bool {
    !name.starts_with("UTF-16")
}

fn is_in(ranges: &[(u16, u16)], pair: u16) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= pair);
    after
        .checked_sub(1)
        .and_then(|index| ranges.get(index))
        .is_some_and(|(_, last)| pair <= *last)
}

/// The text that a codec of one byte a character makes of a few bytes; `None` for other codecs.
pub(super) fn single_byte_text(codec: Codec, bytes: &[u8]) -> Option<String> {
    let Codec::Single(table) = codec else {
        return None;
    };
    let upper: Vec<char> = table.chars().collect();
    let text = bytes.iter().map(|byte| match byte {
        0x80..=0xFF => upper
            .get(usize::from(byte - 0x80))
            .copied()
            .unwrap_or('\u{FFFD}'),
        ascii => char::from(*ascii),
    });
    Some(text.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(label: &str, encoding: &str, body: &[u8]) -> bool {
        let encoding = unbake::get_an_encoding(encoding.as_bytes()).unwrap();
        let shown = Shown {
            body,
            encoding,
            ascii: body.is_ascii(),
        };
        shown.is_read_alike(lookup(label).unwrap())
    }

    #[test]
    fn names_are_sorted_and_found() {
        assert!(NAMES.is_sorted());
        for label in [
            "latin1",
            "ISO-8859-1",
            "utf8",
            "UTF-8",
            "Shift_JIS",
            "x-sjis",
            "iso_8859-1:1987",
        ] {
            let known = label != "x-sjis";
            assert_eq!(lookup(label).is_some(), known, "{label}");
        }
    }

    #[test]
    fn codecs_beside_the_web() {
        // Python's latin-1 has controls where the web has punctuation.
        assert!(alike("iso-8859-1", "windows-1252", b"caf\xE9"));
        assert!(!alike("iso-8859-1", "windows-1252", b"\x93caf\xE9\x94"));
        assert!(alike("cp1252", "windows-1252", b"\x93caf\xE9\x94"));
        assert!(!alike("cp1252", "windows-1252", b"\x81"));
        assert!(!alike("utf-8", "windows-1252", b"caf\xE9"));
        assert!(alike("utf-8", "windows-1252", b"cafe"));
        assert!(alike("utf-8", "utf-8", b"\xEF\xBB\xBFcaf\xC3\xA9"));
        // NEC's circled one is in code page 932, not in JIS X 0208.
        assert!(!alike("shift_jis", "shift_jis", b"\x87\x40"));
        assert!(alike("cp932", "shift_jis", b"\x87\x40"));
        assert!(alike("shift_jis", "shift_jis", b"\x93\xFA\x96\x7B"));
        // Hangul outside KS X 1001.
        assert!(!alike("euc-kr", "euc-kr", b"\x8C\x63"));
        assert!(alike("cp949", "euc-kr", b"\x8C\x63"));
        assert!(!alike("gb2312", "gbk", b"\x81\x40"));
        assert!(alike("gbk", "gbk", b"\x81\x40"));
        assert!(!alike("gbk", "gbk", b"\x80"));
        assert!(!alike("utf-16", "utf-8", b"x"));
        assert!(alike("utf-16", "utf-16le", b"x\0"));
        assert!(!alike("cp037", "utf-8", b"x"));
    }
}
