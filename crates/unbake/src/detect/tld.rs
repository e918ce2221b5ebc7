//! What a top-level domain or a language tag says: small, and documented here in full.

use super::candidates::Candidate;

/// What a language that the hint does not name pays, in 1/16 nat.
const OTHER: u32 = 5 * 16;
/// What an encoding pays that was made for none of the domain's languages, where the question is what browsers show:
/// they trust the domain more than the text. windows-1252 is free, being what they fall back to.
const OTHER_ENCODING: u32 = 24 * 16;

/// The country that a top-level domain, or a domain that ends in one, stands for: `jp` for `Co.JP.`, `ru` for `рф`.
pub(super) fn country(domain: &str) -> String {
    let last = domain.rsplit('.').find(|label| !label.is_empty());
    let last = last.unwrap_or_default().to_lowercase();
    let ascii = match last.as_str() {
        "рф" | "xn--p1ai" => "ru",
        "укр" | "xn--j1amh" => "ua",
        "бел" | "xn--90ais" => "by",
        "бг" | "xn--90ae" => "bg",
        "срб" | "xn--90a3ac" => "rs",
        "мкд" | "xn--d1alf" => "mk",
        "мон" | "xn--l1acc" => "mn",
        "қаз" | "xn--80ao21a" => "kz",
        "հայ" | "xn--y9a3aq" => "am",
        "ελ" | "xn--qxam" => "gr",
        "中国" | "中國" | "xn--fiqs8s" | "xn--fiqz9s" => "cn",
        "台湾" | "台灣" | "xn--kprw13d" | "xn--kpry57d" => "tw",
        "香港" | "xn--j6w193g" => "hk",
        "澳門" | "澳门" | "xn--mix891f" | "xn--mix082f" => "mo",
        "新加坡" | "xn--yfro4i67o" => "sg",
        "한국" | "xn--3e0b707e" => "kr",
        "ไทย" | "xn--o3cw4h" => "th",
        "ישראל" | "xn--4dbrk0ce" => "il",
        "ایران" | "xn--mgba3a4f16a" => "ir",
        "پاکستان" | "xn--mgbai9azgqp6j" => "pk",
        "السعودية" | "xn--mgberp4a5d4ar" => "sa",
        "مصر" | "xn--wgbh1c" => "eg",
        "المغرب" | "xn--mgbc0a9azcg" => "ma",
        "الجزائر" | "xn--lgbbat1ad8j" => "dz",
        "تونس" | "xn--pgbs0dh" => "tn",
        "سورية" | "xn--ogbpf8fl" => "sy",
        "الاردن" | "xn--mgbayh7gpa" => "jo",
        "العراق" | "xn--mgbtx2b" => "iq",
        "امارات" | "xn--mgbaam7a8h" => "ae",
        "قطر" | "xn--wgbl6a" => "qa",
        "عمان" | "xn--mgb9awbf" => "om",
        "فلسطين" | "xn--ygbi2ammx" => "ps",
        _ => return last,
    };
    ascii.to_owned()
}

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

/// The cost of an encoding under the domain, for browsers.
pub(super) fn encoding_cost(tld: Option<&str>, candidate: Candidate) -> u32 {
    let is_free = |list: &[&str]| {
        candidate == Candidate::Single(0)
            || list
                .iter()
                .any(|language| *language != "de" && candidate.is_made_for(language))
    };
    match tld.and_then(languages) {
        Some(list) if !is_free(list) => OTHER_ENCODING,
        _ => 0,
    }
}

/// The cost of a language under the hints.
pub(super) fn cost(tld: Option<&str>, lang: Option<&str>, language: &str) -> u32 {
    let mut cost = 0;
    if let Some(list) = tld.and_then(languages)
        && !list.contains(&language)
    {
        cost += OTHER;
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

#[cfg(test)]
mod tests {
    use super::country;

    #[test]
    fn domains_of_any_spelling() {
        for (domain, want) in [
            ("jp", "jp"),
            ("Co.JP.", "jp"),
            (".RU", "ru"),
            ("РФ", "ru"),
            ("xn--p1ai", "ru"),
            ("", ""),
            ("...", ""),
        ] {
            assert_eq!(country(domain), want, "{domain}");
        }
    }
}
