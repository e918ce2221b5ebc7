//! The single-byte encodings: their group, their prior and the languages they were made for.

use encoding_rs as e;

/// One single-byte candidate.
pub(crate) struct Single {
    pub(crate) encoding: &'static e::Encoding,
    pub(crate) group: usize,
    /// Prior, in nats below the most common encoding.
    pub(crate) prior: f64,
    /// The languages it was made for; the others of the group pay `FOREIGN`.
    pub(crate) natives: &'static str,
}

/// What a language pays in an encoding that was not made for it, in nats.
pub(crate) const FOREIGN: f64 = 5.0;

const WEST: &str = "en fr de es pt it nl da sv nb nn fi is fo sq ga gd ca gl eu la id sw wa co rm sc fy af oc ast br et";
const MAC: &str = "en fr de es pt it nl da sv nb nn fi is ca gl eu ga oc ast";
const CENTRAL: &str = "pl cs sk sl hr hu ro sq hsb de";

/// The order is the order in `model.bin` and in `detect/candidates.rs`.
pub(crate) fn singles() -> Vec<Single> {
    let s = |encoding, group, prior, natives| Single {
        encoding,
        group,
        prior,
        natives,
    };
    vec![
        s(e::WINDOWS_1252, 0, 0.0, WEST),
        s(e::WINDOWS_1250, 0, 0.3, CENTRAL),
        s(e::ISO_8859_2, 0, 0.8, CENTRAL),
        s(e::WINDOWS_1254, 0, 0.5, "tr"),
        s(e::WINDOWS_1257, 0, 0.5, "et lv lt"),
        s(e::ISO_8859_4, 0, 3.5, "et lv lt"),
        s(e::ISO_8859_13, 0, 2.5, "et lv lt pl"),
        s(e::ISO_8859_10, 0, 4.0, "is et lt lv"),
        s(e::ISO_8859_15, 0, 1.2, WEST),
        s(e::ISO_8859_14, 0, 3.0, "cy ga gd br"),
        s(e::ISO_8859_16, 0, 3.0, "ro pl hr sl hu sq"),
        s(e::ISO_8859_3, 0, 2.5, "eo mt"),
        s(e::MACINTOSH, 0, 4.0, MAC),
        s(e::WINDOWS_1258, 0, 1.0, "vi"),
        s(e::WINDOWS_1251, 1, 0.0, "ru uk be bg mk sr mn"),
        s(e::KOI8_R, 1, 0.7, "ru bg"),
        s(e::KOI8_U, 1, 1.0, "uk be ru"),
        s(e::ISO_8859_5, 1, 1.0, "ru uk be bg mk sr"),
        s(e::IBM866, 1, 3.0, "ru be bg uk"),
        s(e::X_MAC_CYRILLIC, 1, 3.0, "ru uk be bg mk sr"),
        s(e::WINDOWS_1253, 2, 0.3, "el"),
        s(e::ISO_8859_7, 2, 0.5, "el"),
        s(e::WINDOWS_1255, 3, 0.0, "he yi"),
        s(e::ISO_8859_8, 3, 0.5, "he-visual"),
        s(e::WINDOWS_1256, 4, 0.0, "ar fa ur"),
        s(e::ISO_8859_6, 4, 0.7, "ar"),
        s(e::WINDOWS_874, 5, 1.5, "th"),
    ]
}
