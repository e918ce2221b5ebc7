//! The shared UTF-16 decoder of the Encoding Standard.

use super::decoders::Item::{self, Continue, Error, Finished, One};
use super::decoders::Queue;

/// The shared UTF-16 decoder.
pub(crate) fn utf_16(
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
