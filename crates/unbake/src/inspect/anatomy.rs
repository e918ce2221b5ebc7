//! How bits make a character, and why they make none: the forms of UTF-8 and UTF-16 taken apart.

use crate::encoding::Encoding;
use crate::malformed::MalformedKind;

/// The encodings whose bits are worth a look.
#[derive(Clone, Copy)]
enum Form {
    Utf8,
    Utf16,
    Utf32,
    Legacy,
}

impl Form {
    fn of(encoding: Encoding) -> Form {
        if encoding == Encoding::UTF_8 {
            Form::Utf8
        } else if encoding.is_utf_16() {
            Form::Utf16
        } else if encoding.web().is_none() {
            Form::Utf32
        } else {
            Form::Legacy
        }
    }
}

/// The bits of some bytes. In UTF-8 and in the surrogate pairs of UTF-16 a bar parts marker bits from payload bits; UTF-16 and
/// UTF-32 are shown in whole units, the most significant bit first, whatever their byte order.
pub(super) fn bits(encoding: Encoding, bytes: &[u8]) -> String {
    let plain = |byte: &u8| format!("{byte:08b}");
    let parts: Vec<String> = match Form::of(encoding) {
        Form::Utf8 => bytes.iter().map(|&byte| utf_8_byte(byte)).collect(),
        Form::Utf16 => bytes
            .chunks(2)
            .map(|unit| match utf_16_unit(encoding, unit) {
                Some(unit @ 0xD800..=0xDFFF) => {
                    let bits = format!("{unit:016b}");
                    let (marker, payload) = bits.split_at(6);
                    format!("{marker}|{payload}")
                }
                Some(unit) => format!("{unit:016b}"),
                // The odd last byte.
                None => unit.iter().map(plain).collect::<Vec<_>>().join(" "),
            })
            .collect(),
        Form::Utf32 if encoding == Encoding::Utf32Le => bytes.iter().rev().map(plain).collect(),
        Form::Utf32 | Form::Legacy => bytes.iter().map(plain).collect(),
    };
    parts.join(" ")
}

/// Marker bits end in the first zero: `0`, `10`, `110`, `1110`, `11110`; FE and FF are markers all through.
fn utf_8_byte(byte: u8) -> String {
    let marker = (byte.leading_ones() as usize + 1).min(8);
    let bits = format!("{byte:08b}");
    let (marker, payload) = bits.split_at(marker);
    if payload.is_empty() {
        marker.to_owned()
    } else {
        format!("{marker}|{payload}")
    }
}

fn utf_16_unit(encoding: Encoding, unit: &[u8]) -> Option<u16> {
    let unit = <[u8; 2]>::try_from(unit).ok()?;
    Some(if encoding == Encoding::UTF_16LE {
        u16::from_le_bytes(unit)
    } else {
        u16::from_be_bytes(unit)
    })
}

/// How the payload makes the code point. `None` where there is nothing to compute.
pub(super) fn arithmetic(encoding: Encoding, bytes: &[u8], character: char) -> Option<String> {
    let number = u32::from(character);
    match Form::of(encoding) {
        Form::Utf8 => Some(utf_8_arithmetic(bytes, number)),
        Form::Utf16 => {
            let mut units = bytes.chunks(2).map(|unit| utf_16_unit(encoding, unit));
            Some(match (units.next().flatten(), units.next().flatten()) {
                (Some(first), Some(second)) => format!(
                    "surrogate pair (U+10000-U+10FFFF): 10000 + ({first:04X} - D800) × 400 + ({second:04X} - DC00), all hexadecimal, = U+{number:04X}"
                ),
                _ => "one unit of 16 bits: the number itself".to_owned(),
            })
        }
        Form::Utf32 => Some("one unit of 32 bits: the number itself".to_owned()),
        Form::Legacy => None,
    }
}

fn utf_8_arithmetic(bytes: &[u8], number: u32) -> String {
    let range = match bytes.len() {
        1 => return "1-byte form (U+0000-U+007F): the byte is the number".to_owned(),
        2 => "2-byte form (U+0080-U+07FF)",
        3 => "3-byte form (U+0800-U+FFFF without U+D800-U+DFFF)",
        _ => "4-byte form (U+10000-U+10FFFF)",
    };
    let payloads: Vec<u32> = payloads(bytes);
    let terms: Vec<String> = payloads
        .iter()
        .rev()
        .enumerate()
        .map(|(place, payload)| match place {
            0 => payload.to_string(),
            _ => format!("{payload} × {}", 1_u32 << (6 * place)),
        })
        .rev()
        .collect();
    format!("{range}: {} = {number} = U+{number:04X}", terms.join(" + "))
}

/// The payload bits of each byte of a UTF-8 form, as numbers.
fn payloads(bytes: &[u8]) -> Vec<u32> {
    bytes
        .iter()
        .map(|&byte| {
            let marker = byte.leading_ones() + 1;
            u32::from(byte) & (0xFF >> marker.min(8))
        })
        .collect()
}

/// How many bytes the form has that this byte begins, by the first UTF-8, which knew forms of 5 and 6.
fn form_length(lead: u8) -> usize {
    match lead {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        0xF8..=0xFB => 5,
        0xFC..=0xFD => 6,
        _ => 1,
    }
}

fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    bytes.join(" ")
}

/// What is wrong with these very bytes, beyond the reason that goes for all of their kind. `after`: the bytes that follow.
pub(super) fn detail(
    encoding: Encoding,
    kind: MalformedKind,
    bytes: &[u8],
    after: &[u8],
) -> Option<String> {
    let &lead = bytes.first()?;
    match Form::of(encoding) {
        Form::Utf8 => utf_8_detail(kind, lead, bytes, after),
        Form::Utf16 if kind == MalformedKind::Surrogate => {
            let unit = utf_16_unit(encoding, bytes.get(..2)?)?;
            Some(if unit < 0xDC00 {
                match after.get(..2).and_then(|unit| utf_16_unit(encoding, unit)) {
                    Some(next) => format!("{unit:04X} begins a pair, and {next:04X} is no second half (DC00-DFFF)"),
                    None => format!("{unit:04X} begins a pair, and nothing follows"),
                }
            } else {
                format!("{unit:04X} is a second half, and no first half (D800-DBFF) is before it")
            })
        }
        Form::Utf16 => Some("UTF-16 comes in units of two bytes".to_owned()),
        Form::Utf32 if kind == MalformedKind::TruncatedAtEnd => {
            Some("UTF-32 comes in units of four bytes".to_owned())
        }
        Form::Legacy if kind == MalformedKind::InvalidTrail => after.first().map(|&next| {
            if next.is_ascii_digit() && encoding.name().starts_with("GB") | encoding.name().starts_with("gb") {
                format!("{lead:02X} {next:02X} begins a four-byte form that does not go on; all after {lead:02X} is read again")
            } else {
                format!("{lead:02X} begins a longer character, {next:02X} can not follow it and is read again as itself")
            }
        }),
        _ => None,
    }
}

fn utf_8_detail(kind: MalformedKind, lead: u8, bytes: &[u8], after: &[u8]) -> Option<String> {
    let length = form_length(lead);
    // The form as its author meant it, if its continuation bytes are there.
    let continuations = after
        .iter()
        .take_while(|&&byte| byte & 0xC0 == 0x80)
        .take(length.saturating_sub(bytes.len()));
    let form: Vec<u8> = bytes.iter().chain(continuations).copied().collect();
    let whole = form.len() == length;
    let number = payloads(&form)
        .into_iter()
        .fold(0_u32, |number, payload| number << 6 | payload);
    match kind {
        MalformedKind::Overlong if whole => {
            let shortest = char::from_u32(number)?;
            let shortest = hex(shortest.encode_utf8(&mut [0; 4]).as_bytes());
            Some(format!(
                "{} would be U+{number:04X}, which is {shortest}",
                hex(&form)
            ))
        }
        MalformedKind::Overlong => Some(match lead {
            0xC0 | 0xC1 => format!("{lead:02X} could only begin what one byte says"),
            0xE0 => "after E0 a byte of 80-9F makes less than U+0800".to_owned(),
            _ => "after F0 a byte of 80-8F makes less than U+10000".to_owned(),
        }),
        MalformedKind::Surrogate if whole => {
            Some(format!("{} would be U+{number:04X}", hex(&form)))
        }
        MalformedKind::Surrogate => Some("after ED a byte of A0-BF makes U+D800-U+DFFF".to_owned()),
        MalformedKind::AboveMaximum if whole => Some(format!("{} would be {number:X}", hex(&form))),
        MalformedKind::AboveMaximum => Some(if lead == 0xF4 {
            "after F4 a byte of 90-BF makes 110000 or more".to_owned()
        } else {
            format!("{lead:02X} could only begin 140000 or more")
        }),
        MalformedKind::ImpossibleByte => Some(match lead {
            0xF8..=0xFD => format!(
                "{lead:02X} began a {length}-byte form in RFC 2279; since RFC 3629 no form is longer than 4 bytes, enough for U+10FFFF"
            ),
            _ => format!(
                "{lead:02X} never began a form; FE FF and FF FE are the byte order marks of UTF-16"
            ),
        }),
        MalformedKind::MissingContinuation | MalformedKind::TruncatedAtEnd => {
            let missing = length - bytes.len();
            let next = after
                .first()
                .map_or_else(String::new, |next| format!(", and {next:02X} is none"));
            Some(format!(
                "{lead:02X} begins a {length}-byte form, of which {missing} more (80-BF) should come{next}"
            ))
        }
        _ => None,
    }
}
