//! UTF-8 with a budget for damage, UTF-16 without a byte order mark, and ISO-2022-JP.

use super::model::{self, Pairs};

/// Counts well-formed and broken UTF-8 over the whole document.
#[derive(Default)]
pub(super) struct Utf8 {
    /// An unfinished character at the end of the last chunk.
    pending: [u8; 4],
    pending_len: usize,
    started: bool,
    /// Trail bytes left out at the start.
    skipped: usize,
    pub(super) good: u64,
    pub(super) errors: u64,
    dead: bool,
}

impl Utf8 {
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        if self.dead {
            return;
        }
        if !self.started {
            // A document cut out of a longer one may begin inside a character.
            let cut = bytes
                .iter()
                .take(3 - self.skipped)
                .take_while(|b| (0x80..0xc0).contains(*b))
                .count();
            bytes = &bytes[cut..];
            self.skipped += cut;
            if cut > 0 && bytes.is_empty() {
                return;
            }
            self.started = !bytes.is_empty();
        }
        while self.pending_len > 0 && !bytes.is_empty() {
            self.pending[self.pending_len] = bytes[0];
            let joined = &self.pending[..=self.pending_len];
            match std::str::from_utf8(joined) {
                Ok(_) => {
                    self.good += 1;
                    self.pending_len = 0;
                    bytes = &bytes[1..];
                }
                Err(e) if e.error_len().is_none() => {
                    self.pending_len += 1;
                    bytes = &bytes[1..];
                }
                Err(_) => {
                    // The pending part is broken; the new byte is read afresh.
                    self.errors += 1;
                    self.pending_len = 0;
                    if self.is_hopeless() {
                        self.dead = true;
                        return;
                    }
                }
            }
        }
        if simdutf8::basic::from_utf8(bytes).is_ok() {
            self.good += bytes.iter().map(|b| u64::from(*b >= 0xc2)).sum::<u64>();
            return;
        }
        // Text that is no UTF-8 shows it every few bytes: short windows, which grow while nothing is wrong.
        let mut window = 64;
        while !bytes.is_empty() {
            let piece = bytes.get(..window).unwrap_or(bytes);
            match core::str::from_utf8(piece) {
                Ok(_) => {
                    self.good += leads(piece);
                    bytes = &bytes[piece.len()..];
                    window = (window * 2).min(1 << 16);
                }
                Err(e) => {
                    let (good, rest) = bytes.split_at(e.valid_up_to());
                    self.good += leads(good);
                    let cut = e.error_len().is_none();
                    if cut && piece.len() < bytes.len() {
                        // The window cuts a character: the next one begins with it.
                        bytes = rest;
                        continue;
                    }
                    window = 64;
                    let Some(len) = e.error_len() else {
                        let len = rest.len().min(3);
                        self.pending[..len].copy_from_slice(&rest[..len]);
                        self.pending_len = len;
                        return;
                    };
                    self.errors += 1;
                    bytes = &rest[len..];
                    if self.is_hopeless() {
                        self.dead = true;
                        return;
                    }
                }
            }
        }
    }

    fn is_hopeless(&self) -> bool {
        self.errors > 64 && self.errors > self.good
    }

    /// UTF-8, perhaps damaged here and there.
    pub(super) fn is_likely(&self) -> bool {
        !self.dead && self.good > 0 && (self.errors == 0 || self.good > 2 * self.errors)
    }

    /// UTF-8 by the looks of it; where UTF-8 may not be answered, no other answer would be right.
    pub(super) fn is_plausible(&self) -> bool {
        !self.dead && self.good > 0 && self.good >= self.errors
    }
}

fn leads(bytes: &[u8]) -> u64 {
    bytes.iter().map(|b| u64::from(*b >= 0xc2)).sum()
}

/// ISO-2022-JP: seven-bit text with escape sequences, all of whose pairs exist.
#[derive(Default)]
pub(super) struct Iso2022Jp {
    escape: u8,
    escapes: u32,
    two_byte: bool,
    katakana: bool,
    lead: u8,
    good: u32,
    bad: u32,
}

impl Iso2022Jp {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        if self.bad > 64 {
            return;
        }
        let pairs = Pairs::get_euc_jp();
        for &b in bytes {
            match (self.escape, b) {
                (0, 0x1b) => {
                    self.escape = 1;
                    self.lead = 0;
                }
                (1, b'$') => self.escape = 2,
                (1, b'(') => self.escape = 3,
                (2, b'@' | b'B') => self.switch(true, false),
                (3, b'B' | b'J') => self.switch(false, false),
                (3, b'I') => self.switch(false, true),
                (1.., _) => {
                    self.escape = 0;
                    self.bad += 1;
                }
                (_, 0x80..) => self.bad += 1,
                (_, 0x21..=0x7e) if self.two_byte => {
                    if self.lead == 0 {
                        self.lead = b;
                    } else {
                        if pairs.pair(self.lead | 0x80, b | 0x80).is_some() {
                            self.good += 1;
                        } else {
                            self.bad += 1;
                        }
                        self.lead = 0;
                    }
                }
                (_, 0x21..=0x5f) if self.katakana => self.good += 1,
                _ => {}
            }
        }
    }

    fn switch(&mut self, two_byte: bool, katakana: bool) {
        self.escape = 0;
        self.escapes += 1;
        self.two_byte = two_byte;
        self.katakana = katakana;
    }

    pub(super) fn is_likely(&self) -> bool {
        self.escapes > 0 && self.good > 0 && self.bad * 16 <= self.good
    }
}

/// How plausible the bytes are as UTF-16 text, in nats a character; lower is better.
fn utf_16_cost(bytes: &[u8], big: bool) -> f64 {
    let (han, hangul) = (model::by_character(false), model::by_character(true));
    let common = |costs: &[u8], at: u16| {
        let cost = costs.get(usize::from(at)).copied().unwrap_or(u8::MAX);
        f64::from(cost) / model::UNIT
    };
    let mut cost = 0.0;
    let mut n = 0_u32;
    let mut before = 0_u8;
    let mut units = bytes.chunks_exact(2).map(|p| match *p {
        [a, b] if big => u16::from(a) << 8 | u16::from(b),
        [a, b] => u16::from(b) << 8 | u16::from(a),
        _ => 0,
    });
    while let Some(unit) = units.next() {
        n += 1;
        let (nats, script) = match unit {
            0x09 | 0x0a | 0x0d | 0x20..=0x7e => (2.5, 0),
            0x00..=0x1f | 0x7f => (14.0, 0),
            0x80..=0x9f => (14.0, 0),
            0xa0..=0xff => (5.0, 1),
            0x100..=0x24f | 0x1e00..=0x1eff => (6.0, 1),
            0x300..=0x36f => (6.0, 1),
            0x370..=0x3ff => (4.0, 2),
            0x400..=0x4ff => (4.0, 3),
            0x531..=0x58f => (4.5, 4),
            0x591..=0x5f4 => (4.0, 5),
            0x60c..=0x6ff => (4.0, 6),
            0x900..=0xdff => (5.0, (unit >> 7) as u8),
            0xe01..=0xe5b => (4.5, 7),
            0x10a0..=0x10ff => (4.5, 8),
            0x2010..=0x2044 | 0x20ac | 0x2122 => (5.0, 0),
            0x2190..=0x25ff => (8.0, 0),
            0x3000..=0x3020 | 0xff01..=0xff5e => (4.5, 0),
            0x3041..=0x30ff => (4.5, 9),
            0x4e00..=0x9fff => (common(han, unit - 0x4e00) + 0.7, 9),
            0xac00..=0xd7a3 => (common(hangul, unit - 0xac00) + 0.5, 10),
            0xd800..=0xdbff => match units.next() {
                Some(0xdc00..=0xdfff) => (9.0, 0),
                _ => (18.0, 0),
            },
            0xfeff => (2.0, 0),
            0xdc00..=0xdfff | 0xe000..=0xf8ff | 0xfff0.. => (18.0, 0),
            _ => (11.0, 11),
        };
        cost += nats;
        if script != 0 {
            if before != 0 && before != script {
                cost += 4.0;
            }
            before = script;
        }
    }
    if n == 0 {
        f64::MAX
    } else {
        cost / f64::from(n)
    }
}

/// UTF-16 without a byte order mark, from the document's head and the NUL bytes at even and odd
/// offsets. The byte order, and how many nats a character costs.
pub(super) fn utf_16(head: &[u8], nuls: [u64; 2]) -> Option<(&'static encoding_rs::Encoding, f64)> {
    let head = &head[..head.len().min(1024) & !1];
    if head.len() < 4 {
        return None;
    }
    let odd_control = head
        .iter()
        .filter(|b| matches!(b, 1..=8 | 0x0e..=0x1a | 0x1c..=0x1f))
        .count();
    let columns = [column(head, 0), column(head, 1)];
    let uneven = columns[0].abs_diff(columns[1]) * 3 > columns[0].max(columns[1]);
    if nuls == [0, 0] && (odd_control == 0 && !uneven || head.len() < 32) {
        return None;
    }
    if nuls == [0, 0]
        && [0, 1]
            .iter()
            .all(|p| head.iter().skip(*p).step_by(2).any(|b| *b == b' '))
    {
        // Spaces at even and odd offsets are spaces, and UTF-16 spaces hold a NUL.
        return None;
    }
    let head = &head[..head.len().min(256)];
    let (little, big) = (utf_16_cost(head, false), utf_16_cost(head, true));
    let (encoding, cost) = if little <= big {
        (encoding_rs::UTF_16LE, little)
    } else {
        (encoding_rs::UTF_16BE, big)
    };
    // NUL bytes are no text in any other encoding of the web.
    let limit = if nuls == [0, 0] { 7.0 } else { 8.5 };
    (cost < limit).then_some((encoding, cost))
}

/// How many different values a column of the byte pairs has.
fn column(head: &[u8], parity: usize) -> usize {
    let mut seen = [false; 256];
    for b in head.iter().skip(parity).step_by(2) {
        seen[usize::from(*b)] = true;
    }
    seen.iter().filter(|s| **s).count()
}
