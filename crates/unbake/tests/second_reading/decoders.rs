//! The decoders of the Encoding Standard, handler by handler, as their steps are numbered.

use super::indexes::Indexes;
use super::japanese::{Jp, euc_jp, iso_2022_jp, shift_jis};

/// What a handler answers.
pub(crate) enum Item {
    Finished,
    Continue,
    Error,
    One(char),
    Two(char, char),
}

use Item::{Continue, Error, Finished, One, Two};

/// The I/O queue: the unread bytes, next one last.
pub(crate) struct Queue(Vec<u8>);

impl Queue {
    /// "Restore" bytes, so that the first is read next.
    pub(crate) fn restore(&mut self, bytes: &[u8]) {
        self.0.extend(bytes.iter().rev());
    }
}

enum Decoder<'a> {
    Utf8 {
        code_point: u32,
        seen: u8,
        needed: u8,
        lower: u8,
        upper: u8,
    },
    SingleByte(&'a super::indexes::Index),
    Gb18030 {
        first: u8,
        second: u8,
        third: u8,
    },
    Big5 {
        lead: u8,
    },
    EucJp {
        jis0212: bool,
        lead: u8,
    },
    Iso2022Jp {
        state: Jp,
        output_state: Jp,
        lead: u8,
        output: bool,
    },
    ShiftJis {
        lead: u8,
    },
    EucKr {
        lead: u8,
    },
    Replacement {
        returned: bool,
    },
    Utf16 {
        big_endian: bool,
        lead_byte: Option<u8>,
        lead_surrogate: Option<u16>,
    },
    XUserDefined,
}

/// Decodes a whole input in replacement mode: the text, and how many errors it had.
pub(crate) fn decode(indexes: &Indexes, name: &str, bytes: &[u8]) -> (String, u64) {
    let mut decoder = decoder(indexes, name);
    let mut queue = Queue(bytes.iter().rev().copied().collect());
    let (mut text, mut errors) = (String::new(), 0);
    loop {
        let byte = queue.0.pop();
        match decoder.handler(indexes, &mut queue, byte) {
            Finished => return (text, errors),
            Continue => {}
            Error => {
                text.push('\u{FFFD}');
                errors += 1;
            }
            One(c) => text.push(c),
            Two(a, b) => text.extend([a, b]),
        }
    }
}

fn decoder<'a>(indexes: &'a Indexes, name: &str) -> Decoder<'a> {
    match name {
        "UTF-8" => Decoder::Utf8 {
            code_point: 0,
            seen: 0,
            needed: 0,
            lower: 0x80,
            upper: 0xBF,
        },
        "GBK" | "gb18030" => Decoder::Gb18030 {
            first: 0,
            second: 0,
            third: 0,
        },
        "Big5" => Decoder::Big5 { lead: 0 },
        "EUC-JP" => Decoder::EucJp {
            jis0212: false,
            lead: 0,
        },
        "ISO-2022-JP" => Decoder::Iso2022Jp {
            state: Jp::Ascii,
            output_state: Jp::Ascii,
            lead: 0,
            output: false,
        },
        "Shift_JIS" => Decoder::ShiftJis { lead: 0 },
        "EUC-KR" => Decoder::EucKr { lead: 0 },
        "replacement" => Decoder::Replacement { returned: false },
        "UTF-16BE" | "UTF-16LE" => Decoder::Utf16 {
            big_endian: name == "UTF-16BE",
            lead_byte: None,
            lead_surrogate: None,
        },
        "x-user-defined" => Decoder::XUserDefined,
        _ => Decoder::SingleByte(
            indexes
                .single_byte(name)
                .unwrap_or_else(|| panic!("no index for {name}")),
        ),
    }
}

pub(crate) fn ascii(byte: u8) -> bool {
    byte <= 0x7F
}

impl Decoder<'_> {
    fn handler(&mut self, indexes: &Indexes, queue: &mut Queue, byte: Option<u8>) -> Item {
        match self {
            Decoder::Utf8 {
                code_point,
                seen,
                needed,
                lower,
                upper,
            } => utf_8(queue, byte, code_point, seen, needed, lower, upper),
            Decoder::SingleByte(index) => match byte {
                None => Finished,
                Some(byte) if ascii(byte) => One(char::from(byte)),
                Some(byte) => index
                    .code_point(usize::from(byte) - 0x80)
                    .map_or(Error, One),
            },
            Decoder::Gb18030 {
                first,
                second,
                third,
            } => gb18030(indexes, queue, byte, first, second, third),
            Decoder::Big5 { lead } => two_bytes(queue, byte, lead, 0x81..=0xFE, |lead, byte| {
                let offset = if byte < 0x7F { 0x40 } else { 0x62 };
                if !matches!(byte, 0x40..=0x7E | 0xA1..=0xFE) {
                    return None;
                }
                let pointer = (lead - 0x81) * 157 + (byte - offset);
                match pointer {
                    1133 => Some(Two('\u{CA}', '\u{304}')),
                    1135 => Some(Two('\u{CA}', '\u{30C}')),
                    1164 => Some(Two('\u{EA}', '\u{304}')),
                    1166 => Some(Two('\u{EA}', '\u{30C}')),
                    _ => indexes.big5.code_point(pointer).map(One),
                }
            }),
            Decoder::EucJp { jis0212, lead } => euc_jp(indexes, queue, byte, jis0212, lead),
            Decoder::Iso2022Jp {
                state,
                output_state,
                lead,
                output,
            } => iso_2022_jp(indexes, queue, byte, state, output_state, lead, output),
            Decoder::ShiftJis { lead } => shift_jis(indexes, queue, byte, lead),
            Decoder::EucKr { lead } => two_bytes(queue, byte, lead, 0x81..=0xFE, |lead, byte| {
                if !matches!(byte, 0x41..=0xFE) {
                    return None;
                }
                let pointer = (lead - 0x81) * 190 + (byte - 0x41);
                indexes.euc_kr.code_point(pointer).map(One)
            }),
            Decoder::Replacement { returned } => match byte {
                Some(_) if !*returned => {
                    *returned = true;
                    Error
                }
                _ => Finished,
            },
            Decoder::Utf16 {
                big_endian,
                lead_byte,
                lead_surrogate,
            } => utf_16(queue, byte, *big_endian, lead_byte, lead_surrogate),
            Decoder::XUserDefined => match byte {
                None => Finished,
                Some(byte) if ascii(byte) => One(char::from(byte)),
                Some(byte) => char::from_u32(0xF780 + u32::from(byte) - 0x80).map_or(Error, One),
            },
        }
    }
}

/// The UTF-8 decoder.
fn utf_8(
    queue: &mut Queue,
    byte: Option<u8>,
    code_point: &mut u32,
    seen: &mut u8,
    needed: &mut u8,
    lower: &mut u8,
    upper: &mut u8,
) -> Item {
    // Steps 1-2.
    let Some(byte) = byte else {
        return if core::mem::take(needed) == 0 {
            Finished
        } else {
            Error
        };
    };
    // Step 3.
    if *needed == 0 {
        match byte {
            0x00..=0x7F => return One(char::from(byte)),
            0xC2..=0xDF => {
                *needed = 1;
                *code_point = u32::from(byte & 0x1F);
            }
            0xE0..=0xEF => {
                if byte == 0xE0 {
                    *lower = 0xA0;
                }
                if byte == 0xED {
                    *upper = 0x9F;
                }
                *needed = 2;
                *code_point = u32::from(byte & 0xF);
            }
            0xF0..=0xF4 => {
                if byte == 0xF0 {
                    *lower = 0x90;
                }
                if byte == 0xF4 {
                    *upper = 0x8F;
                }
                *needed = 3;
                *code_point = u32::from(byte & 0x7);
            }
            _ => return Error,
        }
        return Continue;
    }
    // Step 4.
    if !(*lower..=*upper).contains(&byte) {
        (*code_point, *needed, *seen, *lower, *upper) = (0, 0, 0, 0x80, 0xBF);
        queue.restore(&[byte]);
        return Error;
    }
    // Steps 5-9.
    (*lower, *upper) = (0x80, 0xBF);
    *code_point = (*code_point << 6) | u32::from(byte & 0x3F);
    *seen += 1;
    if seen != needed {
        return Continue;
    }
    let done = *code_point;
    (*code_point, *needed, *seen) = (0, 0, 0);
    One(char::from_u32(done).expect("the bounds leave scalar values alone"))
}

/// The gb18030 decoder.
fn gb18030(
    indexes: &Indexes,
    queue: &mut Queue,
    byte: Option<u8>,
    first: &mut u8,
    second: &mut u8,
    third: &mut u8,
) -> Item {
    // Steps 1-2.
    let Some(byte) = byte else {
        let clean = (*first, *second, *third) == (0, 0, 0);
        (*first, *second, *third) = (0, 0, 0);
        return if clean { Finished } else { Error };
    };
    // Step 3.
    if *third != 0 {
        let (one, two, three) = (*first, *second, *third);
        (*first, *second, *third) = (0, 0, 0);
        if !(0x30..=0x39).contains(&byte) {
            queue.restore(&[two, three, byte]);
            return Error;
        }
        let [a, b, c, d] = [one, two, three, byte].map(usize::from);
        let pointer =
            (a - 0x81) * (10 * 126 * 10) + (b - 0x30) * (10 * 126) + (c - 0x81) * 10 + (d - 0x30);
        return indexes.ranges_code_point(pointer).map_or(Error, One);
    }
    // Step 4.
    if *second != 0 {
        if (0x81..=0xFE).contains(&byte) {
            *third = byte;
            return Continue;
        }
        queue.restore(&[*second, byte]);
        (*first, *second) = (0, 0);
        return Error;
    }
    // Step 5.
    if *first != 0 {
        if (0x30..=0x39).contains(&byte) {
            *second = byte;
            return Continue;
        }
        let lead = usize::from(core::mem::take(first));
        let offset = if byte < 0x7F { 0x40 } else { 0x41 };
        let found = if matches!(byte, 0x40..=0x7E | 0x80..=0xFE) {
            let pointer = (lead - 0x81) * 190 + (usize::from(byte) - offset);
            indexes.gb18030.code_point(pointer)
        } else {
            None
        };
        if let Some(c) = found {
            return One(c);
        }
        if ascii(byte) {
            queue.restore(&[byte]);
        }
        return Error;
    }
    // Steps 6-9.
    match byte {
        0x00..=0x7F => One(char::from(byte)),
        0x80 => One('\u{20AC}'),
        0x81..=0xFE => {
            *first = byte;
            Continue
        }
        0xFF => Error,
    }
}

/// What the Big5 and EUC-KR decoders have in common.
fn two_bytes(
    queue: &mut Queue,
    byte: Option<u8>,
    lead: &mut u8,
    leads: core::ops::RangeInclusive<u8>,
    find: impl Fn(usize, usize) -> Option<Item>,
) -> Item {
    let Some(byte) = byte else {
        return if core::mem::take(lead) == 0 {
            Finished
        } else {
            Error
        };
    };
    if *lead != 0 {
        let lead = core::mem::take(lead);
        if let Some(found) = find(usize::from(lead), usize::from(byte)) {
            return found;
        }
        if ascii(byte) {
            queue.restore(&[byte]);
        }
        return Error;
    }
    if ascii(byte) {
        return One(char::from(byte));
    }
    if leads.contains(&byte) {
        *lead = byte;
        return Continue;
    }
    Error
}

/// The shared UTF-16 decoder.
fn utf_16(
    queue: &mut Queue,
    byte: Option<u8>,
    big_endian: bool,
    lead_byte: &mut Option<u8>,
    lead_surrogate: &mut Option<u16>,
) -> Item {
    // Steps 1-2.
    let Some(byte) = byte else {
        let clean = lead_byte.is_none() && lead_surrogate.is_none();
        (*lead_byte, *lead_surrogate) = (None, None);
        return if clean { Finished } else { Error };
    };
    // Steps 3-4.
    let Some(lead) = lead_byte.take() else {
        *lead_byte = Some(byte);
        return Continue;
    };
    let unit = if big_endian {
        u16::from_be_bytes([lead, byte])
    } else {
        u16::from_le_bytes([lead, byte])
    };
    // Step 5.
    if let Some(high) = lead_surrogate.take() {
        if (0xDC00..=0xDFFF).contains(&unit) {
            let code_point =
                0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(unit) - 0xDC00);
            return char::from_u32(code_point).map_or(Error, One);
        }
        queue.restore(&[lead, byte]);
        return Error;
    }
    // Steps 6-8.
    match unit {
        0xD800..=0xDBFF => {
            *lead_surrogate = Some(unit);
            Continue
        }
        0xDC00..=0xDFFF => Error,
        _ => char::from_u32(u32::from(unit)).map_or(Error, One),
    }
}
