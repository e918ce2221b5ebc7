//! What codecs of CPython 3.11 make of bytes. Each is small: where a codec is not known well enough, nothing is said.

use crate::encoding::Encoding;
use crate::inspect::inspect;
use crate::label::get_an_encoding;

/// A codec of CPython 3.11.
///
/// # Standard
/// CPython 3.11, `Lib/encodings/aliases.py` and the codecs named there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Utf8,
    Utf8Sig,
    Ascii,
    Latin1,
    /// A byte order mark decides and is dropped; without one the machine's order counts, taken for little-endian.
    Utf16,
    Utf16Le,
    Utf16Be,
    Utf32,
    Utf32Le,
    Utf32Be,
    /// Latin-1 below A0, and from there on as the encoding of the web.
    Iso(Encoding),
    /// As the encoding of the web, but for its C1 controls, which Windows code pages do not assign.
    Charmap(Encoding),
    /// The standard that the encoding of the web is named after.
    Standard(Encoding),
}

/// What a codec answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// With U+FFFD for what is malformed; `None` where it is not known how much that would be.
    pub(super) text: Option<String>,
    /// The first malformed byte.
    pub(super) error: Option<u64>,
}

impl Answer {
    fn clean(text: String) -> Answer {
        Answer {
            text: Some(text),
            error: None,
        }
    }
}

impl Answer {
    /// The answer counted from the start of the document, where a mark was taken off.
    fn after(self, mark: u64) -> Answer {
        Answer {
            error: self.error.map(|at| at + mark),
            ..self
        }
    }
}

/// How the other names of `Lib/encodings/aliases.py` begin.
const OTHER_FAMILIES: &[&str] = &[
    "arabic",
    "base",
    "big5",
    "bz2",
    "chinese",
    "cp",
    "cs",
    "cyrillic",
    "dbcs",
    "ebcdic",
    "ecma",
    "elot",
    "euc",
    "eucjis",
    "gb",
    "greek",
    "hebrew",
    "hex",
    "hkscs",
    "hp",
    "hz",
    "ibm",
    "idna",
    "iso",
    "johab",
    "kamenicky",
    "koi8",
    "korean",
    "ks_",
    "ksc",
    "ksx",
    "kz",
    "latin",
    "mac",
    "maccentraleurope",
    "mbcs",
    "ms",
    "oem",
    "palmos",
    "pt",
    "punycode",
    "quopri",
    "quoted",
    "r8",
    "raw",
    "rk1048",
    "roman8",
    "rot",
    "ruscii",
    "shift",
    "sjis",
    "strk",
    "thai",
    "tis",
    "turkish",
    "u7",
    "uhc",
    "u_jis",
    "ujis",
    "undefined",
    "unicode",
    "us",
    "utf",
    "uu",
    "windows",
    "x_mac",
    "zip",
    "zlib",
];

/// Finds a codec by its name: `Err(())` where Python knows none, `Ok(None)` where it may know one that is not emulated.
pub(super) fn lookup(name: &str) -> Result<Option<Codec>, ()> {
    // encodings.normalize_encoding: runs of what is neither a letter nor a digit nor a dot are one underscore.
    let words: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '.')
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let normal = words.join("_");
    let web = |label: &str| get_an_encoding(label.as_bytes());
    let codec =
        match normal.as_str() {
            "utf_8" | "utf8" | "u8" | "utf" | "cp65001" => Some(Codec::Utf8),
            "utf_8_sig" => Some(Codec::Utf8Sig),
            "ascii" | "us_ascii" | "646" | "ansi_x3.4_1968" | "iso646_us" => Some(Codec::Ascii),
            "iso_8859_1" | "iso8859_1" | "8859" | "cp819" | "latin" | "latin1" | "latin_1"
            | "l1" => Some(Codec::Latin1),
            "utf_16" | "utf16" | "u16" => Some(Codec::Utf16),
            "utf_16le" | "utf_16_le" => Some(Codec::Utf16Le),
            "utf_16be" | "utf_16_be" => Some(Codec::Utf16Be),
            "utf_32" | "utf32" | "u32" => Some(Codec::Utf32),
            "iso_8859_9" | "iso8859_9" | "latin5" | "l5" => web("windows-1254").map(Codec::Iso),
            "koi8_r" => web("koi8-r").map(Codec::Iso),
            "shift_jis" | "shiftjis" | "sjis" | "s_jis" | "csshiftjis" => {
                web("shift_jis").map(Codec::Standard)
            }
            "gb2312" | "chinese" | "csiso58gb231280" | "euc_cn" | "gb2312_1980" | "gb2312_80" => {
                web("gb2312").map(Codec::Standard)
            }
            "euc_kr" | "euckr" | "korean" | "ksc5601" | "ks_c_5601" | "ks_c_5601_1987"
            | "ksx1001" => web("euc-kr").map(Codec::Standard),
            "windows_1250" | "cp1250" | "windows_1251" | "cp1251" | "windows_1252" | "cp1252"
            | "windows_1254" | "cp1254" => {
                let number = normal.get(normal.len() - 4..).unwrap_or_default();
                web(&format!("windows-{number}")).map(Codec::Charmap)
            }
            "iso_8859_2" | "iso8859_2" | "iso_8859_4" | "iso8859_4" | "iso_8859_5"
            | "iso8859_5" | "iso_8859_10" | "iso8859_10" | "iso_8859_13" | "iso8859_13"
            | "iso_8859_15" | "iso8859_15" | "iso_8859_16" | "iso8859_16" => {
                let number = normal.rsplit('_').next().unwrap_or_default();
                web(&format!("iso-8859-{number}")).map(Codec::Iso)
            }
            _ => None,
        };
    // Names that the web knows, and families of names that Python has and the web has not, are left open.
    let may_be_known = get_an_encoding(name.as_bytes()).is_some()
        || get_an_encoding(normal.replace('_', "-").as_bytes()).is_some()
        || OTHER_FAMILIES
            .iter()
            .any(|family| normal.starts_with(family));
    if codec.is_none() && !may_be_known {
        return Err(());
    }
    Ok(codec)
}

impl Codec {
    /// `bytes.decode(codec, "replace")`, and where `"strict"` would stop.
    pub(super) fn decode(self, bytes: &[u8]) -> Answer {
        match self {
            Codec::Utf8 => utf_8(bytes),
            Codec::Utf8Sig => match bytes.strip_prefix(b"\xEF\xBB\xBF") {
                None => utf_8(bytes),
                Some(rest) => utf_8(rest).after(3),
            },
            Codec::Ascii => by_byte(bytes, |byte| byte.is_ascii().then_some(char::from(byte))),
            Codec::Latin1 => by_byte(bytes, |byte| Some(char::from(byte))),
            Codec::Utf16 => match bytes {
                [0xFE, 0xFF, rest @ ..] => units(rest, Encoding::UTF_16BE).after(2),
                [0xFF, 0xFE, rest @ ..] => units(rest, Encoding::UTF_16LE).after(2),
                _ => units(bytes, Encoding::UTF_16LE),
            },
            Codec::Utf16Le => units(bytes, Encoding::UTF_16LE),
            Codec::Utf16Be => units(bytes, Encoding::UTF_16BE),
            Codec::Utf32 => match bytes {
                [0, 0, 0xFE, 0xFF, rest @ ..] => units(rest, Encoding::Utf32Be).after(4),
                [0xFF, 0xFE, 0, 0, rest @ ..] => units(rest, Encoding::Utf32Le).after(4),
                _ => units(bytes, Encoding::Utf32Le),
            },
            Codec::Utf32Le => units(bytes, Encoding::Utf32Le),
            Codec::Utf32Be => units(bytes, Encoding::Utf32Be),
            Codec::Iso(encoding) => by_byte(bytes, |byte| match byte {
                0x80..=0x9F if encoding != encoding_rs::KOI8_R.into() => Some(char::from(byte)),
                _ => one(encoding, byte),
            }),
            Codec::Charmap(encoding) => by_byte(bytes, |byte| {
                one(encoding, byte).filter(|c| !matches!(c, '\u{80}'..='\u{9F}'))
            }),
            Codec::Standard(encoding) => standard(bytes, encoding),
        }
    }
}

fn one(encoding: Encoding, byte: u8) -> Option<char> {
    let unit = [byte];
    let text = inspect(&unit, encoding).next()?.text;
    text.chars().next().filter(|&c| c != '\u{FFFD}')
}

fn by_byte(bytes: &[u8], character: impl Fn(u8) -> Option<char>) -> Answer {
    let table: Vec<Option<char>> = (0..=255).map(character).collect();
    let mut error = None;
    let text = bytes
        .iter()
        .enumerate()
        .map(|(at, &byte)| {
            table
                .get(usize::from(byte))
                .copied()
                .flatten()
                .unwrap_or_else(|| {
                    error = error.or(Some(at as u64));
                    '\u{FFFD}'
                })
        })
        .collect();
    Answer {
        text: Some(text),
        error,
    }
}

/// UTF-8 of CPython replaces as the Encoding Standard does: one U+FFFD for each maximal subpart.
fn utf_8(bytes: &[u8]) -> Answer {
    let mut text = String::with_capacity(bytes.len());
    let mut error = None;
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            error = error.or(Some(at as u64));
            text.push('\u{FFFD}');
            at += chunk.invalid().len();
        }
    }
    Answer {
        text: Some(text),
        error,
    }
}

/// UTF-16 and UTF-32. How many U+FFFD a malformed sequence becomes is not followed.
fn units(bytes: &[u8], encoding: Encoding) -> Answer {
    let mut text = String::with_capacity(bytes.len());
    for unit in inspect(bytes, encoding) {
        if unit.malformed.is_some() {
            return Answer {
                text: None,
                error: Some(unit.at),
            };
        }
        if unit.bom {
            // Here a mark is content: the codec was told the order of the bytes.
            text.push('\u{FEFF}');
        }
        text.push_str(&unit.text);
    }
    Answer::clean(text)
}

/// The standard's own characters, where the web has others or more.
fn standard(bytes: &[u8], encoding: Encoding) -> Answer {
    let mut text = String::with_capacity(bytes.len());
    for unit in inspect(bytes, encoding) {
        let strict = unit.strict();
        match strict {
            _ if unit.malformed.is_some() => {}
            None => {
                text.push_str(&unit.text);
                continue;
            }
            Some(strict) => {
                if let Some(character) = strict.character {
                    text.push(character);
                    continue;
                }
            }
        }
        return Answer {
            text: None,
            error: Some(unit.at),
        };
    }
    Answer::clean(text)
}
