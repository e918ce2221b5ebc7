//! The encoders of the Encoding Standard, handler by handler, in the error mode "html".

use super::indexes::Indexes;

#[derive(Clone, Copy, PartialEq)]
enum Jp {
    Ascii,
    Roman,
    Jis0208,
}

/// Encodes text; what the encoding lacks becomes `&#N;`. The encoding is an output encoding.
pub(crate) fn encode(indexes: &Indexes, name: &str, text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    if name == "ISO-2022-JP" {
        iso_2022_jp(indexes, text, &mut out);
        return out;
    }
    for c in text.chars() {
        if !handler(indexes, name, c, &mut out) {
            html(c, &mut out);
        }
    }
    out
}

fn html(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("&#{};", u32::from(c)).as_bytes());
}

/// Writes one character; false where it is an error.
fn handler(indexes: &Indexes, name: &str, c: char, out: &mut Vec<u8>) -> bool {
    let code_point = u32::from(c) as usize;
    if code_point <= 0x7F {
        out.push(code_point as u8);
        return true;
    }
    match name {
        "UTF-8" => utf_8(code_point, out),
        "GBK" | "gb18030" => return gb18030(indexes, name == "GBK", c, out),
        "Big5" => {
            // "Index Big5 pointer": Hong Kong's additions are left out.
            let pointer = match c {
                '\u{2550}' | '\u{255E}' | '\u{2561}' | '\u{256A}' | '\u{5341}' | '\u{5345}' => {
                    indexes.big5.last_pointer(c)
                }
                _ => indexes
                    .big5
                    .pointer_among(c, |pointer| pointer >= (0xA1 - 0x81) * 157),
            };
            let Some(pointer) = pointer else { return false };
            let trail = pointer % 157;
            let offset = if trail < 0x3F { 0x40 } else { 0x62 };
            out.extend([(pointer / 157 + 0x81) as u8, (trail + offset) as u8]);
        }
        "EUC-JP" | "Shift_JIS" => return japanese(indexes, name == "EUC-JP", c, out),
        "EUC-KR" => {
            let Some(pointer) = indexes.euc_kr.pointer(c) else {
                return false;
            };
            out.extend([(pointer / 190 + 0x81) as u8, (pointer % 190 + 0x41) as u8]);
        }
        "x-user-defined" => {
            let '\u{F780}'..='\u{F7FF}' = c else {
                return false;
            };
            out.push((code_point - 0xF780 + 0x80) as u8);
        }
        _ => {
            let index = indexes.single_byte(name).expect("an index");
            let Some(pointer) = index.pointer(c) else {
                return false;
            };
            out.push((pointer + 0x80) as u8);
        }
    }
    true
}

fn utf_8(code_point: usize, out: &mut Vec<u8>) {
    let (count, offset) = match code_point {
        0x80..=0x7FF => (1, 0xC0),
        0x800..=0xFFFF => (2, 0xE0),
        _ => (3, 0xF0),
    };
    out.push(((code_point >> (6 * count)) + offset) as u8);
    for place in (0..count).rev() {
        out.push((0x80 | ((code_point >> (6 * place)) & 0x3F)) as u8);
    }
}

/// The gb18030 encoder, and with `is_gbk` GBK's.
fn gb18030(indexes: &Indexes, is_gbk: bool, c: char, out: &mut Vec<u8>) -> bool {
    // Steps 3-4.
    if c == '\u{E5E5}' {
        return false;
    }
    if is_gbk && c == '\u{20AC}' {
        out.push(0x80);
        return true;
    }
    // Step 5: what was private use before GB 18030-2022.
    const PRIVATE: &[(char, [u8; 2])] = &[
        ('\u{E78D}', [0xA6, 0xD9]),
        ('\u{E78E}', [0xA6, 0xDA]),
        ('\u{E78F}', [0xA6, 0xDB]),
        ('\u{E790}', [0xA6, 0xDC]),
        ('\u{E791}', [0xA6, 0xDD]),
        ('\u{E792}', [0xA6, 0xDE]),
        ('\u{E793}', [0xA6, 0xDF]),
        ('\u{E794}', [0xA6, 0xEC]),
        ('\u{E795}', [0xA6, 0xED]),
        ('\u{E796}', [0xA6, 0xF3]),
        ('\u{E81E}', [0xFE, 0x59]),
        ('\u{E826}', [0xFE, 0x61]),
        ('\u{E82B}', [0xFE, 0x66]),
        ('\u{E82C}', [0xFE, 0x67]),
        ('\u{E832}', [0xFE, 0x6D]),
        ('\u{E843}', [0xFE, 0x7E]),
        ('\u{E854}', [0xFE, 0x90]),
        ('\u{E864}', [0xFE, 0xA0]),
    ];
    if let Some((_, bytes)) = PRIVATE.iter().find(|(private, _)| *private == c) {
        out.extend(bytes);
        return true;
    }
    // Step 6.
    if let Some(pointer) = indexes.gb18030.pointer(c) {
        let trail = pointer % 190;
        let offset = if trail < 0x3F { 0x40 } else { 0x41 };
        out.extend([(pointer / 190 + 0x81) as u8, (trail + offset) as u8]);
        return true;
    }
    // Step 7.
    if is_gbk {
        return false;
    }
    // Step 8.
    let pointer = indexes.ranges_pointer(c);
    out.extend([
        (pointer / (10 * 126 * 10) + 0x81) as u8,
        (pointer / (10 * 126) % 10 + 0x30) as u8,
        (pointer / 10 % 126 + 0x81) as u8,
        (pointer % 10 + 0x30) as u8,
    ]);
    true
}

/// The EUC-JP and Shift_JIS encoders.
fn japanese(indexes: &Indexes, euc: bool, c: char, out: &mut Vec<u8>) -> bool {
    let c = match c {
        '\u{80}' if !euc => {
            out.push(0x80);
            return true;
        }
        '\u{A5}' => {
            out.push(0x5C);
            return true;
        }
        '\u{203E}' => {
            out.push(0x7E);
            return true;
        }
        '\u{FF61}'..='\u{FF9F}' => {
            if euc {
                out.push(0x8E);
            }
            out.push((u32::from(c) - 0xFF61 + 0xA1) as u8);
            return true;
        }
        '\u{2212}' => '\u{FF0D}',
        _ => c,
    };
    if euc {
        let Some(pointer) = indexes.jis0208.pointer(c) else {
            return false;
        };
        out.extend([(pointer / 94 + 0xA1) as u8, (pointer % 94 + 0xA1) as u8]);
        return true;
    }
    // "Index Shift_JIS pointer": NEC's selection of IBM extensions is left out.
    let allowed = |pointer: usize| !(8272..=8835).contains(&pointer);
    let Some(pointer) = indexes.jis0208.pointer_among(c, allowed) else {
        return false;
    };
    let (lead, trail) = (pointer / 188, pointer % 188);
    let lead_offset = if lead < 0x1F { 0x81 } else { 0xC1 };
    let offset = if trail < 0x3F { 0x40 } else { 0x41 };
    out.extend([(lead + lead_offset) as u8, (trail + offset) as u8]);
    true
}

/// The ISO-2022-JP encoder.
fn iso_2022_jp(indexes: &Indexes, text: &str, out: &mut Vec<u8>) {
    let mut state = Jp::Ascii;
    let ascii = [0x1B, 0x28, 0x42];
    for mut c in text.chars() {
        loop {
            // Step 3.
            if state != Jp::Jis0208 && matches!(c, '\u{E}' | '\u{F}' | '\u{1B}') {
                html('\u{FFFD}', out);
                break;
            }
            // Step 4.
            if state == Jp::Ascii && c.is_ascii() {
                out.push(u32::from(c) as u8);
                break;
            }
            // Step 5.
            if state == Jp::Roman {
                let byte = match c {
                    '\u{A5}' => Some(0x5C),
                    '\u{203E}' => Some(0x7E),
                    '\\' | '~' => None,
                    _ if c.is_ascii() => Some(u32::from(c) as u8),
                    _ => None,
                };
                if let Some(byte) = byte {
                    out.push(byte);
                    break;
                }
            }
            // Step 6.
            if c.is_ascii() {
                out.extend(ascii);
                state = Jp::Ascii;
                continue;
            }
            // Step 7.
            if matches!(c, '\u{A5}' | '\u{203E}') {
                out.extend([0x1B, 0x28, 0x4A]);
                state = Jp::Roman;
                continue;
            }
            // Steps 8-9.
            if c == '\u{2212}' {
                c = '\u{FF0D}';
            }
            if let '\u{FF61}'..='\u{FF9F}' = c {
                let pointer = (u32::from(c) - 0xFF61) as usize;
                c = indexes
                    .iso_2022_jp_katakana
                    .code_point(pointer)
                    .expect("katakana");
            }
            // Steps 10-11.
            let Some(pointer) = indexes.jis0208.pointer(c) else {
                if state == Jp::Jis0208 {
                    out.extend(ascii);
                    state = Jp::Ascii;
                    continue;
                }
                html(c, out);
                break;
            };
            // Step 12.
            if state != Jp::Jis0208 {
                out.extend([0x1B, 0x24, 0x42]);
                state = Jp::Jis0208;
                continue;
            }
            // Steps 13-15.
            out.extend([(pointer / 94 + 0x21) as u8, (pointer % 94 + 0x21) as u8]);
            break;
        }
    }
    // Step 1.
    if state != Jp::Ascii {
        out.extend(ascii);
    }
}
