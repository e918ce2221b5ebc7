//! Which class of characters a character belongs to, per script group.
//!
//! The language models do not see characters but classes: one class a letter (lower case), a few for
//! punctuation, one for everything rare. What a class hides (which digit, which rare symbol) is charged
//! as `extra`, so that likelihoods of different readings of the same bytes still compare.

use std::collections::BTreeMap;

/// A script group: languages whose models share one alphabet.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) lanes: &'static [&'static str],
    /// Lanes are padded to this many bytes a row.
    pub(crate) stride: usize,
    /// Slots of the trigram index, as a power of two.
    pub(crate) bits: u32,
    /// Rows the trigram table may have.
    pub(crate) trigrams: usize,
    /// Rows the bigram table may have.
    pub(crate) bigrams: usize,
    /// Letters beyond those of the group's encodings.
    pub(crate) is_own_letter: fn(char) -> bool,
}

/// The groups. The order is the order in `model.bin`.
pub(crate) const GROUPS: [Group; 6] = [
    Group {
        name: "Latin",
        lanes: &[
            "en", "fr", "de", "es", "pt", "it", "nl", "da", "sv", "nb", "nn", "fi", "is", "fo",
            "et", "lv", "lt", "pl", "cs", "sk", "sl", "hr", "hu", "ro", "sq", "tr", "ga", "gd",
            "cy", "br", "mt", "eo", "ca", "gl", "eu", "la", "id", "sw", "vi", "wa", "co", "rm",
            "sc", "fy", "af", "hsb", "oc", "ast",
        ],
        stride: 48,
        bits: 16,
        trigrams: 24_000,
        bigrams: 7_000,
        is_own_letter: |c| matches!(c, '\u{41}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{323}'),
    },
    Group {
        name: "Cyrillic",
        lanes: &["ru", "uk", "be", "bg", "mk", "sr", "mn", "kk"],
        stride: 8,
        bits: 14,
        trigrams: 9_000,
        bigrams: 3_000,
        is_own_letter: |c| matches!(c, '\u{400}'..='\u{4ff}'),
    },
    Group {
        name: "Greek",
        lanes: &["el"],
        stride: 8,
        bits: 13,
        trigrams: 4_000,
        bigrams: 1_500,
        is_own_letter: |c| matches!(c, '\u{386}' | '\u{388}'..='\u{3ff}'),
    },
    Group {
        name: "Hebrew",
        lanes: &["he", "he-visual", "yi"],
        stride: 8,
        bits: 13,
        trigrams: 4_000,
        bigrams: 1_500,
        is_own_letter: |c| matches!(c, '\u{591}'..='\u{5f4}'),
    },
    Group {
        name: "Arabic",
        lanes: &["ar", "fa", "ur"],
        stride: 8,
        bits: 13,
        trigrams: 4_000,
        bigrams: 1_500,
        is_own_letter: |c| matches!(c, '\u{621}'..='\u{65f}' | '\u{670}'..='\u{6d3}' | '\u{200c}' | '\u{200d}'),
    },
    Group {
        name: "Thai",
        lanes: &["th"],
        stride: 8,
        bits: 13,
        trigrams: 4_000,
        bigrams: 1_500,
        is_own_letter: |c| matches!(c, '\u{e01}'..='\u{e5b}'),
    },
];

/// What kind of letter a character is; the case model runs on this.
pub(crate) const KIND_OTHER: u8 = 0;
pub(crate) const KIND_LOWER: u8 = 1;
pub(crate) const KIND_UPPER: u8 = 2;
/// A letter without case, or a mark: no case cost.
pub(crate) const KIND_CASELESS: u8 = 3;

/// Class 0 is white space; the punctuation classes follow, then the letters.
pub(crate) const SPACE: u8 = 0;
const DIGIT: u8 = 1;
const CONTROL: u8 = 11;
const OTHER_SYMBOL: u8 = 12;
const RARE_SYMBOL: u8 = 13;
const C1: u8 = 14;
pub(crate) const UNMAPPED: u8 = 15;
const ASCII_LETTER: u8 = 16;
const FOREIGN_LETTER: u8 = 17;
const FIRST_SYMBOL: u8 = 18;
/// Symbols with a class of their own.
const SYMBOLS: &str = "\u{a0}«»“”„‘’‚–—…•€©®™°·§ªº£\u{ad}²³½×‹›¿¡´¨`¸¦¤";

/// The classes of one group.
pub(crate) struct Alphabet {
    letters: BTreeMap<char, u8>,
    pub(crate) classes: usize,
    latin: bool,
    own: fn(char) -> bool,
}

/// Comma below and cedilla are one letter in old encodings; which one is meant is a matter of fonts.
pub(crate) fn merge(c: char) -> char {
    match c {
        'ș' => 'ş',
        'Ș' => 'Ş',
        'ț' => 'ţ',
        'Ț' => 'Ţ',
        // Persian yeh: windows-1256 has only the Arabic one.
        'ی' => 'ي',
        c => c,
    }
}

/// Lower case, one character; what has no single lower-case character stays.
pub(crate) fn fold(c: char) -> char {
    let c = merge(c);
    if c == 'İ' {
        return c;
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(l), None) => l,
        _ => c,
    }
}

impl Alphabet {
    /// The alphabet of a group: the letters its single-byte encodings have.
    pub(crate) fn new(group: usize, encodings: &[&'static encoding_rs::Encoding]) -> Alphabet {
        let g = &GROUPS[group];
        let mut letters = BTreeMap::new();
        if group == 0 {
            for c in 'a'..='z' {
                letters.insert(c, 0);
            }
        }
        for e in encodings {
            for byte in 0x80..=0xff_u8 {
                if let Some(c) = decode_byte(e, byte) {
                    let c = fold(c);
                    if (g.is_own_letter)(c)
                        && !SYMBOLS.contains(c)
                        && (c.is_alphabetic() || is_mark(c))
                    {
                        letters.insert(c, 0);
                    }
                }
            }
        }
        let mut next = FIRST_SYMBOL + SYMBOLS.chars().count() as u8;
        for class in letters.values_mut() {
            *class = next;
            next = next.checked_add(1).expect("more than 255 classes");
        }
        Alphabet {
            letters,
            classes: usize::from(next),
            latin: group == 0,
            own: g.is_own_letter,
        }
    }

    /// Class, extra cost in nats, kind.
    pub(crate) fn class(&self, c: char) -> (u8, f64, u8) {
        let lower = fold(c);
        if let Some(&class) = self.letters.get(&lower) {
            let kind = if c.is_uppercase() {
                KIND_UPPER
            } else if c.is_lowercase() && c.to_uppercase().next() != Some(c) {
                KIND_LOWER
            } else {
                KIND_CASELESS
            };
            return (class, 0.0, kind);
        }
        if let Some(at) = SYMBOLS.chars().position(|s| s == c) {
            return (FIRST_SYMBOL + at as u8, 0.0, KIND_OTHER);
        }
        match c {
            ' ' | '\n' | '\r' | '\t' | '\u{c}' => (SPACE, 0.0, KIND_OTHER),
            '0'..='9' => (DIGIT, 2.3, KIND_OTHER),
            '.' => (2, 0.0, KIND_OTHER),
            ',' => (3, 0.0, KIND_OTHER),
            '-' => (4, 0.0, KIND_OTHER),
            '\'' => (5, 0.0, KIND_OTHER),
            '"' => (6, 0.0, KIND_OTHER),
            ':' | ';' => (7, 0.7, KIND_OTHER),
            '!' | '?' => (8, 0.7, KIND_OTHER),
            '(' | ')' | '[' | ']' | '{' | '}' => (9, 1.4, KIND_OTHER),
            '!'..='/' | ':'..='@' | '['..='`' | '{'..='~' => (10, 2.3, KIND_OTHER),
            '\u{0}'..='\u{1f}' | '\u{7f}' => (CONTROL, 3.0, KIND_OTHER),
            'a'..='z' if !self.latin => (ASCII_LETTER, 2.3, KIND_LOWER),
            'A'..='Z' if !self.latin => (ASCII_LETTER, 2.3, KIND_UPPER),
            '\u{80}'..='\u{9f}' => (C1, 5.0, KIND_OTHER),
            c if c.is_alphabetic() && (self.own)(c) => (FOREIGN_LETTER, 4.0, KIND_CASELESS),
            c if c.is_alphabetic() => (
                FOREIGN_LETTER,
                4.0,
                if c.is_uppercase() {
                    KIND_UPPER
                } else {
                    KIND_LOWER
                },
            ),
            '\u{2500}'..='\u{25ff}' | '\u{2200}'..='\u{23ff}' | '\u{f8ff}' => {
                (RARE_SYMBOL, 4.0, KIND_OTHER)
            }
            _ => (OTHER_SYMBOL, 3.5, KIND_OTHER),
        }
    }

    /// May a context end in this class and look one further back? Only letters do.
    pub(crate) fn is_letter(class: u8) -> bool {
        class == ASCII_LETTER || class >= FIRST_SYMBOL + SYMBOLS.chars().count() as u8
    }

    /// Is it the class of one symbol?
    pub(crate) fn is_symbol(class: u8) -> bool {
        (FIRST_SYMBOL..Alphabet::first_letter()).contains(&class)
    }

    /// The first letter class.
    pub(crate) fn first_letter() -> u8 {
        FIRST_SYMBOL + SYMBOLS.chars().count() as u8
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{65f}' | '\u{670}' | '\u{e31}'..='\u{e4e}' | '\u{200c}' | '\u{200d}')
}

/// The character of a byte, `None` when the encoding has none.
pub(crate) fn decode_byte(e: &'static encoding_rs::Encoding, byte: u8) -> Option<char> {
    let bytes = [byte];
    let text = e.decode_without_bom_handling_and_without_replacement(&bytes)?;
    text.chars().next()
}
