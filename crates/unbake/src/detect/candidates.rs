//! Who can be meant: the legacy encodings of the Encoding Standard, and what rules them out.

use super::model::{self, Model, Pairs, SINGLES};

/// A legacy encoding that is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// Index into [`SINGLE`].
    Single(usize),
    ShiftJis,
    EucJp,
    Gbk,
    Gb18030,
    Big5,
    EucKr,
}

/// The single-byte encodings, in the order of the model, with their script group.
const SINGLE: [(&encoding_rs::Encoding, usize); SINGLES] = [
    (encoding_rs::WINDOWS_1252, 0),
    (encoding_rs::WINDOWS_1250, 0),
    (encoding_rs::ISO_8859_2, 0),
    (encoding_rs::WINDOWS_1254, 0),
    (encoding_rs::WINDOWS_1257, 0),
    (encoding_rs::ISO_8859_4, 0),
    (encoding_rs::ISO_8859_13, 0),
    (encoding_rs::ISO_8859_10, 0),
    (encoding_rs::ISO_8859_15, 0),
    (encoding_rs::ISO_8859_14, 0),
    (encoding_rs::ISO_8859_16, 0),
    (encoding_rs::ISO_8859_3, 0),
    (encoding_rs::MACINTOSH, 0),
    (encoding_rs::WINDOWS_1258, 0),
    (encoding_rs::WINDOWS_1251, 1),
    (encoding_rs::KOI8_R, 1),
    (encoding_rs::KOI8_U, 1),
    (encoding_rs::ISO_8859_5, 1),
    (encoding_rs::IBM866, 1),
    (encoding_rs::X_MAC_CYRILLIC, 1),
    (encoding_rs::WINDOWS_1253, 2),
    (encoding_rs::ISO_8859_7, 2),
    (encoding_rs::WINDOWS_1255, 3),
    (encoding_rs::ISO_8859_8, 3),
    (encoding_rs::WINDOWS_1256, 4),
    (encoding_rs::ISO_8859_6, 4),
    (encoding_rs::WINDOWS_874, 5),
];

/// Single-byte encodings that no browser's detector answers.
const NOT_IN_BROWSERS: [&encoding_rs::Encoding; 8] = [
    encoding_rs::ISO_8859_3,
    encoding_rs::ISO_8859_10,
    encoding_rs::ISO_8859_14,
    encoding_rs::ISO_8859_15,
    encoding_rs::ISO_8859_16,
    encoding_rs::KOI8_R,
    encoding_rs::MACINTOSH,
    encoding_rs::X_MAC_CYRILLIC,
];

impl Candidate {
    /// Do the detectors of browsers answer it?
    pub(super) fn is_in_browsers(self) -> bool {
        !NOT_IN_BROWSERS.contains(&self.encoding())
    }

    /// Was it made for this language?
    pub(super) fn is_made_for(self, language: &str) -> bool {
        match self {
            Candidate::Single(single) => model::LANES
                .get(Candidate::group(single))
                .and_then(|lanes| lanes.iter().position(|lane| *lane == language))
                .is_some_and(|lane| Model::get().is_native(single, lane)),
            _ => language_of(self) == language,
        }
    }

    /// Is its script Latin?
    pub(super) fn is_latin(self) -> bool {
        matches!(self, Candidate::Single(single) if Candidate::group(single) == 0)
    }

    pub(super) fn group(single: usize) -> usize {
        SINGLE.get(single).map_or(0, |s| s.1)
    }

    pub(super) fn encoding(self) -> &'static encoding_rs::Encoding {
        match self {
            Candidate::Single(index) => {
                SINGLE.get(index).map_or(encoding_rs::WINDOWS_1252, |s| s.0)
            }
            Candidate::ShiftJis => encoding_rs::SHIFT_JIS,
            Candidate::EucJp => encoding_rs::EUC_JP,
            Candidate::Gbk => encoding_rs::GBK,
            Candidate::Gb18030 => encoding_rs::GB18030,
            Candidate::Big5 => encoding_rs::BIG5,
            Candidate::EucKr => encoding_rs::EUC_KR,
        }
    }
}

/// Which pair table a multi-byte encoding reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Which(usize);

impl Which {
    /// Can this byte begin a character of several bytes?
    #[inline]
    pub(super) fn can_lead(self, b: u8) -> bool {
        match self {
            Pairs::SHIFT_JIS => matches!(b, 0x81..=0x9f | 0xe0..=0xfc),
            Pairs::EUC_JP => matches!(b, 0x8e | 0x8f | 0xa1..=0xfe),
            _ => matches!(b, 0x81..=0xfe),
        }
    }
}

impl Pairs {
    pub(super) const SHIFT_JIS: Which = Which(0);
    pub(super) const EUC_JP: Which = Which(1);
    const EUC_JP_THREE: Which = Which(2);
    pub(super) const GBK: Which = Which(3);
    const BIG5: Which = Which(4);
    const EUC_KR: Which = Which(5);
}

/// A multi-byte encoding being scored: a state machine over the exact index table.
pub(super) struct MultiByte {
    pub(super) candidate: Candidate,
    pub(super) which: Which,
    pub(super) table: Pairs,
    pub(super) extra: Pairs,
    pub(super) transitions: &'static [u8],
    pub(super) cost: u32,
    pub(super) errors: u32,
    pub(super) pairs: u32,
    pub(super) four_bytes: u32,
    pub(super) lead: u8,
    pub(super) second: u8,
    pub(super) four: u8,
    pub(super) before: usize,
}

/// What hints make a candidate pay in a language, in 1/16 nat.
pub(super) type Bonus<'a> = dyn Fn(Candidate, &str) -> u32 + 'a;

impl MultiByte {
    /// All of them, at their priors.
    pub(super) fn all(bonus: Option<&Bonus<'_>>) -> Vec<MultiByte> {
        [
            (Candidate::ShiftJis, Pairs::SHIFT_JIS, 0, 5),
            (Candidate::EucJp, Pairs::EUC_JP, 0, 13),
            (Candidate::Gbk, Pairs::GBK, 1, 5),
            (Candidate::Big5, Pairs::BIG5, 2, 8),
            (Candidate::EucKr, Pairs::EUC_KR, 3, 5),
        ]
        .into_iter()
        .map(|(candidate, which, language, prior)| MultiByte {
            candidate,
            which,
            table: Pairs::get(which.0),
            extra: Pairs::get(Pairs::EUC_JP_THREE.0),
            transitions: model::transitions(language),
            cost: prior + bonus.map_or(0, |bonus| bonus(candidate, language_of(candidate))),
            errors: 0,
            pairs: 0,
            four_bytes: 0,
            lead: 0,
            second: 0,
            four: 0,
            before: 2,
        })
        .collect()
    }

    /// Characters of four bytes tell gb18030 from GBK; nothing else does.
    pub(super) fn answer(&self) -> Candidate {
        if self.candidate == Candidate::Gbk && self.four_bytes > 0 {
            Candidate::Gb18030
        } else {
            self.candidate
        }
    }

    pub(super) fn language(&self) -> &'static str {
        language_of(self.candidate)
    }
}

fn language_of(candidate: Candidate) -> &'static str {
    match candidate {
        Candidate::ShiftJis | Candidate::EucJp => "ja",
        Candidate::Gbk | Candidate::Gb18030 => "zh",
        Candidate::Big5 => "zh-Hant",
        Candidate::EucKr => "ko",
        Candidate::Single(_) => "",
    }
}

impl Pairs {
    pub(super) fn get_euc_jp() -> Pairs {
        Pairs::get(Pairs::EUC_JP.0)
    }
}
