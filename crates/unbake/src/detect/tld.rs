//! What a top-level domain or a language tag says: small, and documented here in full.

use super::Candidates;

/// What a language that the hint does not name pays, in 1/16 nat.
const OTHER: u32 = 5 * 16;
/// The same for the detectors of browsers, which trust the domain more.
const OTHER_IN_BROWSERS: u32 = 14 * 16;

/// The languages of a country's pages, as far as legacy encodings tell them apart.
fn languages(tld: &str) -> Option<&'static [&'static str]> {
    Some(match tld {
        "jp" => &["ja"],
        "cn" | "sg" => &["zh"],
        "tw" | "hk" | "mo" => &["zh-Hant"],
        "kr" | "kp" => &["ko"],
        "ru" | "su" => &["ru"],
        "by" => &["be", "ru"],
        "ua" => &["uk", "ru"],
        "kz" | "kg" | "tj" | "uz" | "tm" | "am" => &["ru", "kk"],
        "mn" => &["mn", "ru"],
        "bg" => &["bg"],
        "mk" => &["mk"],
        "rs" | "me" | "ba" => &["sr", "hr"],
        "gr" | "cy" => &["el"],
        "il" => &["he"],
        "th" => &["th"],
        "vn" => &["vi"],
        "tr" | "az" => &["tr"],
        "ir" | "af" => &["fa"],
        "pk" => &["ur"],
        "ae" | "bh" | "dz" | "eg" | "iq" | "jo" | "kw" | "lb" | "ly" | "ma" | "om" | "ps"
        | "qa" | "sa" | "sd" | "sy" | "tn" | "ye" => &["ar", "fr"],
        "pl" => &["pl"],
        "cz" => &["cs"],
        "sk" => &["sk"],
        "si" => &["sl"],
        "hr" => &["hr"],
        "hu" => &["hu"],
        "ro" | "md" => &["ro", "ru"],
        "al" => &["sq"],
        "ee" => &["et"],
        "lv" => &["lv"],
        "lt" => &["lt"],
        "fi" => &["fi", "sv"],
        "is" => &["is"],
        "fo" => &["fo"],
        "de" | "at" | "li" => &["de"],
        "ch" => &["de", "fr", "it", "rm"],
        "fr" | "mc" | "lu" => &["fr", "de", "br", "co", "oc"],
        "be" => &["nl", "fr", "de", "wa"],
        "nl" => &["nl", "fy"],
        "es" => &["es", "ca", "gl", "eu", "ast"],
        "mx" | "ar" | "cl" | "pe" | "uy" | "ve" | "ec" | "bo" | "py" | "cr" | "gt" | "hn"
        | "ni" | "sv" | "pa" | "do" | "cu" => &["es"],
        "pt" | "br" => &["pt"],
        "it" | "va" | "sm" => &["it", "la", "sc"],
        "dk" => &["da"],
        "no" => &["nb", "nn"],
        "se" => &["sv"],
        "ie" => &["ga", "en"],
        "mt" => &["mt", "en"],
        "uk" => &["en", "cy", "gd"],
        "us" | "ca" | "au" | "nz" | "za" => &["en", "fr", "af"],
        "id" | "my" => &["id"],
        _ => return None,
    })
}

/// The cost of a language under the hints.
pub(super) fn cost(
    candidates: Candidates,
    tld: Option<&str>,
    lang: Option<&str>,
    language: &str,
) -> u32 {
    let mut cost = 0;
    if let Some(list) = tld.and_then(languages)
        && !list.contains(&language)
    {
        cost += match candidates {
            Candidates::Browsers => OTHER_IN_BROWSERS,
            Candidates::Web => OTHER,
        };
    }
    if let Some(tag) = lang {
        let mut parts = tag.split(['-', '_']);
        let primary = parts.next().unwrap_or("").to_ascii_lowercase();
        let traditional = parts.any(|p| {
            p.eq_ignore_ascii_case("hant")
                || p.eq_ignore_ascii_case("tw")
                || p.eq_ignore_ascii_case("hk")
        });
        let named = match (primary.as_str(), traditional) {
            ("zh", true) => "zh-Hant",
            ("no", _) => "nb",
            ("sr", _) if language == "hr" => "hr",
            ("bs", _) => "hr",
            ("ms", _) => "id",
            (p, _) => p,
        };
        if !named.is_empty() && named != language {
            cost += OTHER;
        }
    }
    cost
}
