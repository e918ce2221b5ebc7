//! Where the web reads bytes otherwise than the standard that an encoding or its label is named after.
//!
//! Rules where a rule says it (Windows's C1 bytes, whole rows of an extension), small generated tables for the rest.

use super::strict_table::{
    BIG5, BIG5_OTHER, GB_2312, GB_2312_OTHER, GB_18030_2000, GBK, JIS_X_0208, JIS_X_0208_OTHER,
    JIS_X_0212_OTHER, KOI8_U_OTHER, KS_X_1001,
};
use crate::encoding::Encoding;

/// What the strict standard of that name makes of bytes that the web reads otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Strict {
    /// The standard.
    pub standard: &'static str,
    /// Its character; `None` where it assigns none.
    pub character: Option<char>,
    /// What the web follows instead.
    pub web: &'static str,
}

const CODE_PAGE_932: &str = "browsers follow Windows code page 932";

/// The difference for one unit: its bytes, and the text that the web makes of them.
pub(super) fn strict(encoding: Encoding, bytes: &[u8], text: &str) -> Option<Strict> {
    let web = encoding.web()?;
    let character = text.chars().next()?;
    match (web.name(), bytes) {
        ("Shift_JIS", _) => shift_jis(bytes, character),
        ("EUC-JP", [0x8F, row, cell]) => other(JIS_X_0212_OTHER, *row, *cell).map(|c| Strict {
            standard: "JIS X 0212",
            character: Some(c),
            web: "browsers read the fullwidth form",
        }),
        ("EUC-JP", &[row @ 0xA1..=0xFE, cell]) => jis_x_0208(row, cell),
        ("EUC-JP", [byte]) => jis_x_0201(*byte, "ASCII, as in the registration of EUC-JP"),
        // Two bytes of one character: the set in use is JIS X 0208.
        ("ISO-2022-JP", &[row, cell]) => jis_x_0208(row | 0x80, cell | 0x80),
        ("EUC-KR", &[lead, trail]) => {
            (!is_in(KS_X_1001, pointer_94(lead, trail))).then_some(Strict {
                standard: "KS X 1001",
                character: None,
                web: "Unified Hangul Code (Windows code page 949)",
            })
        }
        ("GBK" | "gb18030", _) => gb(web.name(), bytes),
        ("Big5", &[lead, trail]) => big5(lead, trail),
        (name, &[byte @ 0x80..=0xFF]) => single_byte(name, byte, character),
        _ => None,
    }
}

fn shift_jis(bytes: &[u8], character: char) -> Option<Strict> {
    let extension = |web| Strict {
        standard: "Shift_JIS (JIS X 0208)",
        character: None,
        web,
    };
    match *bytes {
        [0x80] => Some(extension("browsers read the control U+0080")),
        [byte] => jis_x_0201(byte, "browsers read ASCII"),
        [lead, trail] => {
            if ('\u{E000}'..='\u{F8FF}').contains(&character) {
                return Some(extension(
                    "private use, the user-defined characters of Windows code page 932",
                ));
            }
            let lead_offset = if lead < 0xA0 { 0x81 } else { 0xC1 };
            let trail_offset = if trail < 0x7F { 0x40 } else { 0x41 };
            let pointer = u16::from(lead.wrapping_sub(lead_offset)) * 188
                + u16::from(trail.wrapping_sub(trail_offset));
            let (row, cell) = (pointer / 94 + 0xA1, pointer % 94 + 0xA1);
            match (u8::try_from(row), u8::try_from(cell)) {
                (Ok(row), Ok(cell)) if row <= 0xFE => jis_x_0208(row, cell).map(|found| Strict {
                    standard: "Shift_JIS (JIS X 0208)",
                    ..found
                }),
                _ => Some(extension("IBM extension of Windows code page 932")),
            }
        }
        _ => None,
    }
}

/// A two-byte character in its EUC form.
fn jis_x_0208(row: u8, cell: u8) -> Option<Strict> {
    const STANDARD: &str = "JIS X 0208";
    if let Some(character) = other(JIS_X_0208_OTHER, row, cell) {
        return Some(Strict {
            standard: STANDARD,
            character: Some(character),
            web: CODE_PAGE_932,
        });
    }
    if is_in(JIS_X_0208, pointer_94(row, cell)) {
        return None;
    }
    let web = match row {
        0xAD => "NEC row 13, as in Windows code page 932",
        0xF9..=0xFC => "NEC's selection of IBM extensions, as in Windows code page 932",
        _ => "an extension of Windows code page 932",
    };
    Some(Strict {
        standard: STANDARD,
        character: None,
        web,
    })
}

fn jis_x_0201(byte: u8, web: &'static str) -> Option<Strict> {
    let character = match byte {
        0x5C => '\u{A5}',
        0x7E => '\u{203E}',
        _ => return None,
    };
    Some(Strict {
        standard: "JIS X 0201",
        character: Some(character),
        web,
    })
}

fn gb(name: &str, bytes: &[u8]) -> Option<Strict> {
    match *bytes {
        [0x80] => Some(Strict {
            standard: if name == "GBK" { "GB 2312" } else { "gb18030" },
            character: None,
            web: "the euro sign of Windows code page 936",
        }),
        [lead, trail] => {
            if let Some(character) = other(GB_18030_2000, lead, trail) {
                let (standard, web) = match (lead, trail) {
                    (0xA3, 0xA0) => (
                        "gb18030",
                        "browsers read an ideographic space, as old pages mean it",
                    ),
                    (0xA8, 0xBC) => ("gb18030-2000", "moved out of private use in gb18030-2005"),
                    _ => ("gb18030-2005", "moved out of private use in gb18030-2022"),
                };
                return Some(Strict {
                    standard,
                    character: Some(character),
                    web,
                });
            }
            if name != "GBK" {
                return None;
            }
            if let Some(character) = other(GB_2312_OTHER, lead, trail) {
                return Some(Strict {
                    standard: "GB 2312",
                    character: Some(character),
                    web: "browsers follow GBK",
                });
            }
            if lead >= 0xA1 && trail >= 0xA1 && is_in(GB_2312, pointer_94(lead, trail)) {
                return None;
            }
            let pointer = pointer_of(lead, 190, trail, if trail < 0x7F { 0x40 } else { 0x41 });
            Some(if is_in(GBK, pointer) {
                Strict {
                    standard: "GB 2312",
                    character: None,
                    web: "GBK",
                }
            } else {
                Strict {
                    standard: "GBK",
                    character: None,
                    web: "user-defined, or added by gb18030",
                }
            })
        }
        [_, _, _, _] if name == "GBK" => Some(Strict {
            standard: "GBK",
            character: None,
            web: "four-byte form of gb18030",
        }),
        _ => None,
    }
}

fn big5(lead: u8, trail: u8) -> Option<Strict> {
    if let Some(character) = other(BIG5_OTHER, lead, trail) {
        return Some(Strict {
            standard: "Big5 as the Unicode Consortium mapped it",
            character: Some(character),
            web: "browsers follow Windows code page 950",
        });
    }
    let pointer = pointer_of(lead, 157, trail, if trail < 0x7F { 0x40 } else { 0x62 });
    if is_in(BIG5, pointer) {
        return None;
    }
    let web = match (lead, trail) {
        (0xC6 | 0xC7, _) | (0xC8, ..=0xD3) => "ETEN's extension, as Big5-HKSCS has it",
        (0xF9, 0xD6..) => "ETEN's extension",
        _ => "Hong Kong Supplementary Character Set (Big5-HKSCS)",
    };
    Some(Strict {
        standard: "Big5",
        character: None,
        web,
    })
}

fn single_byte(name: &'static str, byte: u8, character: char) -> Option<Strict> {
    let is_c1 = ('\u{80}'..='\u{9F}').contains(&character);
    let found = |standard, character, web| {
        Some(Strict {
            standard,
            character,
            web,
        })
    };
    const CONTROL: &str = "browsers read the control of the same number";
    let c1 = Some(char::from(byte));
    match (name, byte) {
        // Unassigned in the code page; the control of the same number, as in ISO 8859.
        (_, 0x80..=0x9F) if is_c1 && name.starts_with("windows-") => found(name, None, CONTROL),
        ("windows-1252", 0x80..=0x9F) => found(
            "ISO-8859-1",
            c1,
            "browsers read windows-1252 under that label",
        ),
        ("windows-1254", 0x80..=0x9F) => found(
            "ISO-8859-9",
            c1,
            "browsers read windows-1254 under that label",
        ),
        ("windows-874", 0x80..=0x9F) => found(
            "ISO-8859-11",
            c1,
            "browsers read windows-874 under that label",
        ),
        ("windows-874", 0xA0) => found(
            "TIS-620",
            None,
            "browsers read windows-874 under that label",
        ),
        ("windows-1255", 0xCA) => found(name, None, "browsers read a Hebrew point"),
        ("KOI8-U", _) => {
            let character = other(KOI8_U_OTHER, 0, byte)?;
            found(
                "KOI8-U (RFC 2319)",
                Some(character),
                "browsers follow KOI8-RU",
            )
        }
        ("macintosh", 0xDB) => found(
            "Mac OS Roman before 1998",
            Some('\u{A4}'),
            "the euro sign since",
        ),
        ("x-mac-cyrillic", 0xA2 | 0xB6 | 0xFF) => {
            let character = match byte {
                0xA2 => '\u{A2}',
                0xB6 => '\u{2202}',
                _ => '\u{A4}',
            };
            found(
                "Mac OS Cyrillic before 1998",
                Some(character),
                "browsers follow Mac OS 9",
            )
        }
        _ => None,
    }
}

fn pointer_94(row: u8, cell: u8) -> u16 {
    if row < 0xA1 || cell < 0xA1 {
        return u16::MAX;
    }
    u16::from(row - 0xA1) * 94 + u16::from(cell - 0xA1)
}

fn pointer_of(lead: u8, width: u16, trail: u8, trail_offset: u8) -> u16 {
    u16::from(lead.saturating_sub(0x81)) * width + u16::from(trail.saturating_sub(trail_offset))
}

/// Is the pointer in one of the sorted ranges?
fn is_in(ranges: &[(u16, u16)], pointer: u16) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= pointer);
    after
        .checked_sub(1)
        .and_then(|at| ranges.get(at))
        .is_some_and(|&(_, last)| pointer <= last)
}

fn other(table: &[(u16, char)], lead: u8, trail: u8) -> Option<char> {
    let key = u16::from_be_bytes([lead, trail]);
    let at = table.binary_search_by_key(&key, |&(key, _)| key).ok()?;
    table.get(at).map(|&(_, character)| character)
}
