//! The decoders of Japanese encodings, handler by handler.

use super::decoders::Item::{self, Continue, Error, Finished, One};
use super::decoders::{Queue, ascii};
use super::indexes::Indexes;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Jp {
    Ascii,
    Roman,
    Katakana,
    LeadByte,
    TrailByte,
    EscapeStart,
    Escape,
}

/// The EUC-JP decoder.
pub(crate) fn euc_jp(
    indexes: &Indexes,
    queue: &mut Queue,
    byte: Option<u8>,
    jis0212: &mut bool,
    lead: &mut u8,
) -> Item {
    let Some(byte) = byte else {
        return if core::mem::take(lead) == 0 {
            Finished
        } else {
            Error
        };
    };
    if *lead == 0x8E && (0xA1..=0xDF).contains(&byte) {
        *lead = 0;
        return char::from_u32(0xFF61 - 0xA1 + u32::from(byte)).map_or(Error, One);
    }
    if *lead == 0x8F && (0xA1..=0xFE).contains(&byte) {
        *jis0212 = true;
        *lead = byte;
        return Continue;
    }
    if *lead != 0 {
        let before = core::mem::take(lead);
        let mut found = None;
        if (0xA1..=0xFE).contains(&before) && (0xA1..=0xFE).contains(&byte) {
            let pointer = (usize::from(before) - 0xA1) * 94 + usize::from(byte) - 0xA1;
            let index = if *jis0212 {
                &indexes.jis0212
            } else {
                &indexes.jis0208
            };
            found = index.code_point(pointer);
        }
        *jis0212 = false;
        if let Some(c) = found {
            return One(c);
        }
        if ascii(byte) {
            queue.restore(&[byte]);
        }
        return Error;
    }
    match byte {
        0x00..=0x7F => One(char::from(byte)),
        0x8E | 0x8F | 0xA1..=0xFE => {
            *lead = byte;
            Continue
        }
        _ => Error,
    }
}

/// The Shift_JIS decoder.
pub(crate) fn shift_jis(
    indexes: &Indexes,
    queue: &mut Queue,
    byte: Option<u8>,
    lead: &mut u8,
) -> Item {
    let Some(byte) = byte else {
        return if core::mem::take(lead) == 0 {
            Finished
        } else {
            Error
        };
    };
    if *lead != 0 {
        let before = core::mem::take(lead);
        let offset = if byte < 0x7F { 0x40 } else { 0x41 };
        let lead_offset = if before < 0xA0 { 0x81 } else { 0xC1 };
        let mut found = None;
        if matches!(byte, 0x40..=0x7E | 0x80..=0xFC) {
            let pointer = (usize::from(before) - lead_offset) * 188 + usize::from(byte) - offset;
            found = if (8836..=10715).contains(&pointer) {
                char::from_u32(0xE000 + (pointer - 8836) as u32)
            } else {
                indexes.jis0208.code_point(pointer)
            };
        }
        if let Some(c) = found {
            return One(c);
        }
        if ascii(byte) {
            queue.restore(&[byte]);
        }
        return Error;
    }
    match byte {
        0x00..=0x80 => One(char::from(byte)),
        0xA1..=0xDF => char::from_u32(0xFF61 - 0xA1 + u32::from(byte)).map_or(Error, One),
        0x81..=0x9F | 0xE0..=0xFC => {
            *lead = byte;
            Continue
        }
        _ => Error,
    }
}

/// The ISO-2022-JP decoder.
pub(crate) fn iso_2022_jp(
    indexes: &Indexes,
    queue: &mut Queue,
    byte: Option<u8>,
    state: &mut Jp,
    output_state: &mut Jp,
    lead: &mut u8,
    output: &mut bool,
) -> Item {
    match (*state, byte) {
        (Jp::EscapeStart, Some(byte @ (0x24 | 0x28))) => {
            *lead = byte;
            *state = Jp::Escape;
            return Continue;
        }
        (Jp::EscapeStart, byte) => {
            queue.restore(byte.as_slice());
            *output = false;
            *state = *output_state;
            return Error;
        }
        (Jp::Escape, byte) => {
            let lead = core::mem::take(lead);
            let to = match (lead, byte) {
                (0x28, Some(0x42)) => Some(Jp::Ascii),
                (0x28, Some(0x4A)) => Some(Jp::Roman),
                (0x28, Some(0x49)) => Some(Jp::Katakana),
                (0x24, Some(0x40 | 0x42)) => Some(Jp::LeadByte),
                _ => None,
            };
            if let Some(to) = to {
                (*state, *output_state) = (to, to);
                let before = core::mem::replace(output, true);
                return if before { Error } else { Continue };
            }
            match byte {
                None => queue.restore(&[lead]),
                Some(byte) => queue.restore(&[lead, byte]),
            }
            *output = false;
            *state = *output_state;
            return Error;
        }
        // In every other state.
        (Jp::TrailByte, Some(0x1B)) => {
            *state = Jp::EscapeStart;
            return Error;
        }
        (_, Some(0x1B)) => {
            *state = Jp::EscapeStart;
            return Continue;
        }
        (Jp::TrailByte, byte) => {
            *state = Jp::LeadByte;
            let Some(byte @ 0x21..=0x7E) = byte else {
                return Error;
            };
            let pointer = (usize::from(*lead) - 0x21) * 94 + usize::from(byte) - 0x21;
            return indexes.jis0208.code_point(pointer).map_or(Error, One);
        }
        (_, None) => return Finished,
        _ => {}
    }
    let byte = byte.expect("a byte");
    *output = false;
    match (*state, byte) {
        (Jp::Roman, 0x5C) => One('\u{A5}'),
        (Jp::Roman, 0x7E) => One('\u{203E}'),
        (Jp::Ascii | Jp::Roman, 0x0E | 0x0F) => Error,
        (Jp::Ascii | Jp::Roman, 0x00..=0x7F) => One(char::from(byte)),
        (Jp::Katakana, 0x21..=0x5F) => {
            char::from_u32(0xFF61 - 0x21 + u32::from(byte)).map_or(Error, One)
        }
        (Jp::LeadByte, 0x21..=0x7E) => {
            *lead = byte;
            *state = Jp::TrailByte;
            Continue
        }
        _ => Error,
    }
}
