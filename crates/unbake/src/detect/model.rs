//! The model: tables that `cargo xtask train` writes, read in place. Loading costs nothing.

/// The tables, as trained.
static MODEL: &[u8] = include_bytes!("model.bin");

/// The version of the layout; it says nothing about the texts that were counted.
pub const MODEL_VERSION: u32 = 2;

const _: () = assert!(
    MODEL[0] == b'U' && MODEL[4] as u32 == MODEL_VERSION,
    "model.bin has another layout: run `cargo xtask train`"
);

/// Cost units per nat.
pub(super) const UNIT: f64 = 16.0;
/// Script groups.
pub(super) const GROUPS: usize = 6;
/// Single-byte encodings.
pub(super) const SINGLES: usize = 27;
/// Columns a first-look row has.
pub(super) const LOOK_STRIDE: usize = 32;
/// Kinds of characters in East Asian text.
pub(super) const KINDS: usize = 12;
const PRIOR_STRIDE: usize = 64;
/// What a language pays in an encoding that was not made for it, less a little for rounding.
const FOREIGN: u32 = 4 * 16;
const PAIR_ROW: usize = 192;

/// The languages of each group, by lane.
pub(super) const LANES: [&[&str]; GROUPS] = [
    &[
        "en", "fr", "de", "es", "pt", "it", "nl", "da", "sv", "nb", "nn", "fi", "is", "fo", "et",
        "lv", "lt", "pl", "cs", "sk", "sl", "hr", "hu", "ro", "sq", "tr", "ga", "gd", "cy", "br",
        "mt", "eo", "ca", "gl", "eu", "la", "id", "sw", "vi", "wa", "co", "rm", "sc", "fy", "af",
        "hsb", "oc", "ast",
    ],
    &["ru", "uk", "be", "bg", "mk", "sr", "mn", "kk"],
    &["el"],
    &["he", "he", "yi"],
    &["ar", "fa", "ur"],
    &["th"],
];

fn section(index: usize) -> &'static [u8] {
    let at = 12 + 8 * index;
    let start = u32_at(MODEL, at) as usize;
    let len = u32_at(MODEL, at + 4) as usize;
    MODEL.get(start..start + len).unwrap_or_default()
}

#[inline]
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => u32::MAX,
    }
}

/// The tables that do not belong to one group.
#[derive(Clone, Copy)]
pub(super) struct Model {
    bytes: &'static [u8],
    priors: &'static [u8],
    pub(super) case: &'static [u8],
    look: &'static [u8],
    meta: &'static [u8],
}

/// What a byte is in one encoding.
#[derive(Clone, Copy)]
pub(super) struct ByteTable {
    pub(super) class: &'static [u8; 256],
    pub(super) extra: &'static [u8; 256],
    pub(super) kind: &'static [u8; 256],
}

impl ByteTable {
    /// Do two encodings read these bytes alike?
    pub(super) fn agrees(&self, other: &ByteTable, bytes: &[u8]) -> bool {
        bytes.iter().map(|b| usize::from(*b)).all(|b| {
            self.class[b] == other.class[b]
                && self.extra[b] == other.extra[b]
                && self.kind[b] == other.kind[b]
        })
    }
}

impl Model {
    pub(super) fn get() -> Model {
        Model {
            bytes: section(0),
            priors: section(1),
            case: section(2),
            look: section(3),
            meta: section(4),
        }
    }

    pub(super) fn byte_table(&self, single: usize) -> Option<ByteTable> {
        let rows = self.bytes.get(single * 768..single * 768 + 768)?;
        Some(ByteTable {
            class: rows.first_chunk()?,
            extra: rows.get(256..)?.first_chunk()?,
            kind: rows.get(512..)?.first_chunk()?,
        })
    }

    pub(super) fn prior(&self, single: usize, lane: usize) -> u32 {
        self.priors
            .get(single * PRIOR_STRIDE + lane)
            .map_or(u32::from(u8::MAX), |p| u32::from(*p))
    }

    /// The same for all languages.
    pub(super) fn priors_of(&self, single: usize) -> &'static [u8] {
        let start = single * PRIOR_STRIDE;
        self.priors
            .get(start..start + PRIOR_STRIDE)
            .unwrap_or_default()
    }

    /// Was an encoding made for a language? Others pay [`FOREIGN`].
    pub(super) fn is_native(&self, single: usize, lane: usize) -> bool {
        let least = (0..PRIOR_STRIDE).map(|l| self.prior(single, l)).min();
        least.is_some_and(|least| self.prior(single, lane) < least + FOREIGN)
    }

    /// The first-look costs of a non-ASCII byte, one a single-byte encoding.
    #[inline]
    pub(super) fn look(&self, context: usize, byte: u8) -> &'static [u8; LOOK_STRIDE] {
        const NONE: [u8; LOOK_STRIDE] = [0; LOOK_STRIDE];
        let at = (context * 128 + usize::from(byte & 0x7f)) * LOOK_STRIDE;
        self.look
            .get(at..)
            .and_then(|r| r.first_chunk())
            .unwrap_or(&NONE)
    }

    pub(super) fn group(&self, group: usize) -> Group {
        let meta = self.meta.get(group * 6..group * 6 + 6).unwrap_or(&[0; 6]);
        let at = 5 + 5 * group;
        Group {
            classes: usize::from(meta[0]) | usize::from(meta[1]) << 8,
            bits: u32::from(meta[3]),
            lanes: usize::from(meta[4]),
            first_letter: meta[5],
            uni: section(at),
            bi_index: section(at + 1),
            bi_rows: section(at + 2),
            tri_slots: section(at + 3),
            tri_rows: section(at + 4),
        }
    }
}

/// Class 16 stands for every ASCII letter in a group that does not spell with them.
const ASCII_LETTER: u8 = 16;
/// What an unseen pair costs beyond the single class, and an unseen triple beyond its pair.
const BACK_OFF: [u8; 2] = [40, 10];

/// The language models of one script group.
#[derive(Clone, Copy)]
pub(super) struct Group {
    classes: usize,
    bits: u32,
    pub(super) lanes: usize,
    first_letter: u8,
    uni: &'static [u8],
    bi_index: &'static [u8],
    bi_rows: &'static [u8],
    tri_slots: &'static [u8],
    tri_rows: &'static [u8],
}

impl Group {
    #[inline]
    pub(super) fn is_letter(&self, class: u8) -> bool {
        class >= self.first_letter || class == ASCII_LETTER
    }

    /// One ASCII letter, one letter of the script.
    #[inline]
    pub(super) fn is_mixed(&self, b: u8, c: u8) -> bool {
        (b == ASCII_LETTER && c >= self.first_letter)
            || (c == ASCII_LETTER && b >= self.first_letter)
    }

    /// The costs of class `c` after `b` and `a`, one a language, and what to add to each.
    #[inline]
    pub(super) fn row<const L: usize>(&self, a: u8, b: u8, c: u8) -> (&'static [u8; L], u8) {
        let mut more = 0;
        if self.is_letter(b) {
            if let Some(row) = self.trigram(a, b, c)
                && let Some(row) = self.tri_rows.get(row * L..).and_then(|r| r.first_chunk())
            {
                return (row, 0);
            }
            more = BACK_OFF[1];
        }
        let at = (usize::from(b) * self.classes + usize::from(c)) * 2;
        if let Some(&[low, high]) = self.bi_index.get(at..at + 2) {
            let row = usize::from(low) | usize::from(high) << 8;
            if row != 0xffff
                && let Some(row) = self.bi_rows.get(row * L..).and_then(|r| r.first_chunk())
            {
                return (row, more);
            }
        }
        const NONE: &[u8] = &[255; 48];
        let row = self
            .uni
            .get(usize::from(c) * L..)
            .and_then(|r| r.first_chunk());
        match row.or_else(|| NONE.first_chunk()) {
            Some(row) => (row, BACK_OFF[0] + more),
            None => (&[255; L], 0),
        }
    }

    #[inline]
    fn trigram(&self, a: u8, b: u8, c: u8) -> Option<usize> {
        let key = (u32::from(a) << 16) | (u32::from(b) << 8) | u32::from(c);
        let x = key.wrapping_mul(0x9e_3779) & 0xff_ffff;
        let x = x ^ (x >> 12);
        let mixed = x.wrapping_mul(0xc2_b2ad) & 0xff_ffff;
        let slots = 1_usize << self.bits;
        let mut at = (mixed >> (24 - self.bits)) as usize;
        loop {
            let entry = u32_at(self.tri_slots, at * 4);
            if entry == u32::MAX {
                return None;
            }
            if entry >> 16 == mixed & 0xffff {
                return Some((entry & 0xffff) as usize);
            }
            at = (at + 1) & (slots - 1);
        }
    }
}

/// The tables of one multi-byte encoding: a cost and a kind for each pair of bytes.
#[derive(Clone, Copy)]
pub(super) struct Pairs {
    costs: &'static [u8],
    kinds: &'static [u8],
}

impl Pairs {
    /// `which`: Shift_JIS, EUC-JP, EUC-JP's three-byte set, GBK, Big5, EUC-KR.
    pub(super) fn get(which: usize) -> Pairs {
        let at = 5 + 5 * GROUPS + 2 * which;
        Pairs {
            costs: section(at),
            kinds: section(at + 1),
        }
    }

    /// Cost and kind of a pair; `None` when the index has no such character.
    #[inline]
    pub(super) fn pair(&self, first: u8, second: u8) -> Option<(u8, u8)> {
        if first < 0x81 || second < 0x40 {
            return None;
        }
        let at = usize::from(first - 0x81) * PAIR_ROW + usize::from(second - 0x40);
        match (self.costs.get(at), self.kinds.get(at)) {
            (Some(&cost), Some(&kind)) if usize::from(kind) < KINDS => Some((cost, kind)),
            _ => None,
        }
    }
}

/// Costs of going from one kind of character to another: ja, zh-Hans, zh-Hant, ko.
pub(super) fn transitions(language: usize) -> &'static [u8] {
    section(5 + 5 * GROUPS + 12)
        .get(language * KINDS * KINDS..(language + 1) * KINDS * KINDS)
        .unwrap_or_default()
}

/// The costs of the Chinese characters U+4E00 to U+9FFF, or of the Hangul syllables U+AC00 to U+D7A3.
pub(super) fn by_character(hangul: bool) -> &'static [u8] {
    section(5 + 5 * GROUPS + 13 + usize::from(hangul))
}
