//! Labels: "get an encoding", "get an output encoding", and what a declaration may not say.

use crate::encoding::Encoding;
use crate::label_table::LABELS;

/// "Get an encoding": the encoding that a label names, or `None`.
///
/// Leading and trailing ASCII whitespace is stripped and ASCII case ignored; nothing else is folded.
///
/// # Standard
/// [Encoding Standard, "get an encoding"](https://encoding.spec.whatwg.org/#concept-encoding-get).
///
/// # Example
/// ```
/// use unbake::{get_an_encoding, Encoding};
/// assert_eq!(get_an_encoding(b" ISO-8859-1\n"), Some(Encoding::WINDOWS_1252));
/// assert_eq!(get_an_encoding(b"utf-7"), None);
/// ```
pub fn get_an_encoding(label: &[u8]) -> Option<Encoding> {
    encoding_rs::Encoding::for_label(label).map(Encoding::Web)
}

/// "Get an output encoding": what a form or a URL query is encoded with.
///
/// Replacement and UTF-16 become UTF-8; every other encoding stays. Only for encoding, never for decoding.
///
/// # Standard
/// [Encoding Standard, "get an output encoding"](https://encoding.spec.whatwg.org/#get-an-output-encoding).
pub fn get_an_output_encoding(encoding: Encoding) -> Encoding {
    match encoding {
        Encoding::Web(e) => Encoding::Web(e.output_encoding()),
        Encoding::Utf32Le | Encoding::Utf32Be => Encoding::UTF_8,
    }
}

/// What an encoding declared in ASCII bytes really means: UTF-16 is UTF-8 (the bytes of the
/// declaration prove it), and x-user-defined is windows-1252.
///
/// # Standard
/// [HTML Standard, prescan, steps of `<meta`](https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding).
pub(crate) fn meta_encoding(encoding: Encoding) -> Encoding {
    if encoding.is_utf_16() {
        Encoding::UTF_8
    } else if encoding == Encoding::Web(encoding_rs::X_USER_DEFINED) {
        Encoding::WINDOWS_1252
    } else {
        encoding
    }
}

/// The label as a string for people and records: each byte becomes the code point of the same number
/// where the bytes are not UTF-8, and what is longer than 64 characters is cut with an ellipsis.
pub(crate) fn show_label(label: &[u8]) -> String {
    const LONGEST: usize = 64;
    let text = match core::str::from_utf8(label.get(..LONGEST * 4).unwrap_or(label)) {
        Ok(text) => text.to_owned(),
        Err(_) => label
            .iter()
            .take(LONGEST + 1)
            .map(|&b| char::from(b))
            .collect(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text,
    }
}

/// Where the web reads a label as a larger encoding than the standard of that name: what the standard of that name is.
pub(crate) fn misleading_label(label: &str, encoding: Encoding) -> Option<&'static str> {
    let label = label.trim().to_ascii_lowercase();
    let label = label.as_str();
    let narrower: &[(&str, &str)] = match encoding.name() {
        "windows-1252" => &[
            ("ascii", "US-ASCII"),
            ("us-ascii", "US-ASCII"),
            ("ansi_x3.4-1968", "US-ASCII"),
            ("iso-ir-100", "ISO-8859-1"),
            ("cp819", "ISO-8859-1"),
            ("ibm819", "ISO-8859-1"),
            ("iso-8859-1", "ISO-8859-1"),
            ("iso8859-1", "ISO-8859-1"),
            ("iso88591", "ISO-8859-1"),
            ("iso_8859-1", "ISO-8859-1"),
            ("iso_8859-1:1987", "ISO-8859-1"),
            ("csisolatin1", "ISO-8859-1"),
            ("latin1", "ISO-8859-1"),
            ("l1", "ISO-8859-1"),
        ],
        "windows-1254" => &[
            ("iso-8859-9", "ISO-8859-9"),
            ("iso8859-9", "ISO-8859-9"),
            ("iso88599", "ISO-8859-9"),
            ("iso_8859-9", "ISO-8859-9"),
            ("latin5", "ISO-8859-9"),
            ("l5", "ISO-8859-9"),
        ],
        "windows-874" => &[
            ("iso-8859-11", "ISO-8859-11"),
            ("iso8859-11", "ISO-8859-11"),
            ("tis-620", "TIS 620"),
        ],
        "GBK" => &[
            ("gb2312", "GB 2312"),
            ("gb_2312-80", "GB 2312"),
            ("csgb2312", "GB 2312"),
            ("iso-ir-58", "GB 2312"),
            ("chinese", "GB 2312"),
        ],
        "Shift_JIS" => &[
            ("shift_jis", "JIS X 0208"),
            ("shift-jis", "JIS X 0208"),
            ("sjis", "JIS X 0208"),
            ("x-sjis", "JIS X 0208"),
        ],
        "EUC-KR" => &[
            ("euc-kr", "KS X 1001"),
            ("ks_c_5601-1987", "KS X 1001"),
            ("ks_c_5601-1989", "KS X 1001"),
            ("ksc5601", "KS X 1001"),
            ("ksc_5601", "KS X 1001"),
            ("korean", "KS X 1001"),
        ],
        "Big5" => &[("big5", "Big5 without the Hong Kong characters")],
        _ => &[],
    };
    narrower
        .iter()
        .find(|(name, _)| *name == label)
        .map(|(_, standard)| *standard)
}

/// The labels that are most like a word that is none: at most three, the nearest first.
///
/// # Example
/// ```
/// assert_eq!(unbake::nearest_labels("utf-9")[0], "utf-8");
/// assert!(unbake::nearest_labels("no label is like this").is_empty());
/// ```
pub fn nearest_labels(word: &str) -> Vec<&'static str> {
    let word: Vec<char> = word.trim().to_lowercase().chars().take(41).collect();
    // A long word is none of ours, and would only cost time.
    if word.is_empty() || word.len() > 40 {
        return Vec::new();
    }
    let most = word.len().div_ceil(3).min(3);
    let mut near: Vec<(usize, &str)> = LABELS
        .iter()
        .map(|&label| (distance(&word, label), label))
        .filter(|&(distance, _)| distance <= most)
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, label)| label).take(3).collect()
}

/// How many characters must be put in, left out or changed to make one word of the other.
fn distance(word: &[char], label: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (i, letter) in label.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, &c) in row.iter_mut().skip(1).zip(word) {
            let changed = diagonal + usize::from(c != letter);
            diagonal = *cell;
            left = changed.min(left + 1).min(*cell + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
