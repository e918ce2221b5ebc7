//! The locale table of step 9.

use crate::encoding::Encoding;

/// The table of step 9: the usual legacy encoding of a locale.
///
/// # Standard
/// [HTML Standard, encoding sniffing algorithm, step 9](https://html.spec.whatwg.org/#encoding-sniffing-algorithm).
pub(crate) fn locale_encoding(tag: &str) -> Option<Encoding> {
    // `zh_CN.UTF-8` and `de@euro` as POSIX writes locales.
    let tag = tag.split(['.', '@']).next()?;
    let tag = tag.replace('_', "-").to_ascii_lowercase();
    let mut subtags = tag.split('-');
    let encoding = match subtags.next()? {
        "ar" | "fa" => encoding_rs::WINDOWS_1256,
        "az" | "ku" | "tr" => encoding_rs::WINDOWS_1254,
        "ba" | "be" | "bg" | "kk" | "ky" | "mk" | "ru" | "sah" | "sr" | "tg" | "tt" | "uk" => {
            encoding_rs::WINDOWS_1251
        }
        "cs" | "hr" | "sk" => encoding_rs::WINDOWS_1250,
        "el" => encoding_rs::ISO_8859_7,
        "et" | "lt" | "lv" => encoding_rs::WINDOWS_1257,
        "he" | "iw" => encoding_rs::WINDOWS_1255,
        "hu" | "pl" | "sl" => encoding_rs::ISO_8859_2,
        "ja" => encoding_rs::SHIFT_JIS,
        "ko" => encoding_rs::EUC_KR,
        "th" => encoding_rs::WINDOWS_874,
        "vi" => encoding_rs::WINDOWS_1258,
        // The script or the region, whichever comes first: `zh-cmn-Hans-CN`.
        "zh" => subtags
            .find_map(|subtag| match subtag {
                "hans" | "cn" | "sg" => Some(encoding_rs::GBK),
                "hant" | "hk" | "mo" | "tw" => Some(encoding_rs::BIG5),
                _ => None,
            })
            .unwrap_or(encoding_rs::WINDOWS_1252),
        _ => encoding_rs::WINDOWS_1252,
    };
    Some(encoding.into())
}
