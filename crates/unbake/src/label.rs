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
    // One character more than are shown, to tell whether some are left out. The last may be cut: that is no error.
    let mut start = label.get(..(LONGEST + 1) * 4).unwrap_or(label);
    if let Err(error) = core::str::from_utf8(start)
        && error.error_len().is_none()
        && start.len() < label.len()
    {
        start = start.get(..error.valid_up_to()).unwrap_or_default();
    }
    let text = match core::str::from_utf8(start) {
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
pub(crate) fn narrower_standard(label: &str, encoding: Encoding) -> Option<&'static str> {
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

/// Names of encodings outside the web, and the label that browsers know for the same.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("ansi", "windows-1252"),
    ("cp65001", "utf-8"),
    ("utf8mb3", "utf-8"),
    ("utf8mb4", "utf-8"),
    ("cp932", "windows-31j"),
    ("ms932", "windows-31j"),
    ("windows932", "windows-31j"),
    ("cp936", "gbk"),
    ("ms936", "gbk"),
    ("windows936", "gbk"),
    ("cp949", "windows-949"),
    ("ms949", "windows-949"),
    ("uhc", "windows-949"),
    ("cp950", "big5"),
    ("ms950", "big5"),
    ("windows950", "big5"),
    ("cp51932", "euc-jp"),
    ("eucjpms", "euc-jp"),
    ("cp20866", "koi8-r"),
    ("cp21866", "koi8-u"),
    ("cp28591", "iso-8859-1"),
    ("cp10000", "macintosh"),
    ("macroman", "macintosh"),
    ("unicode11utf8", "utf-8"),
];

/// Letters and digits in lower case: `ISO 8859_1` is `iso88591`.
fn plain(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(41)
        .collect()
}

/// The labels that are most like a word that is none: at most three, the nearest first.
///
/// Other names of the same encodings are known (`cp932`, `utf8mb4`, `win1251`); letters left out, put in or changed are counted.
///
/// # Example
/// ```
/// assert_eq!(unbake::nearest_labels("utf-9")[0], "utf-8");
/// assert_eq!(unbake::nearest_labels("cp932"), ["windows-31j"]);
/// assert_eq!(unbake::nearest_labels("ISO_8859_15"), ["iso-8859-15"]);
/// assert!(unbake::nearest_labels("no label is like this").is_empty());
/// ```
pub fn nearest_labels(word: &str) -> Vec<&'static str> {
    if foreign_encoding(word).is_some() {
        return Vec::new();
    }
    let plain_word = plain(word);
    if let Some((_, label)) = OTHER_NAMES.iter().find(|(name, _)| *name == plain_word) {
        return vec![label];
    }
    // `win1251`, `ms-1251`, `cp1251`.
    let code_page = ["win", "ms", "cp", "codepage", "ibm"]
        .iter()
        .find_map(|prefix| plain_word.strip_prefix(prefix))
        .map(|digits| format!("windows{digits}"));
    let same: Vec<&str> = LABELS
        .iter()
        .copied()
        .filter(|label| {
            let label = plain(label);
            label == plain_word || Some(&label) == code_page.as_ref()
        })
        .take(1)
        .collect();
    if !same.is_empty() {
        return same;
    }
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

/// What an encoding is called that exists and that no browser decodes.
fn foreign_encoding(word: &str) -> Option<&'static str> {
    let word = plain(word);
    const NAMES: &[(&str, &str)] = &[
        ("utf7", "UTF-7"),
        ("unicode11utf7", "UTF-7"),
        ("utf32", "UTF-32"),
        ("utf32le", "UTF-32"),
        ("utf32be", "UTF-32"),
        ("ucs4", "UCS-4"),
        ("iso10646ucs4", "UCS-4"),
        ("cesu8", "CESU-8"),
        ("scsu", "SCSU"),
        ("bocu1", "BOCU-1"),
        ("cp037", "EBCDIC"),
        ("cp500", "EBCDIC"),
        ("ebcdicus", "EBCDIC"),
        ("cp437", "code page 437"),
        ("ibm437", "code page 437"),
        ("cp850", "code page 850"),
        ("ibm850", "code page 850"),
        ("cp852", "code page 852"),
        ("ibm852", "code page 852"),
        ("viscii", "VISCII"),
        ("johab", "Johab"),
        ("cp1361", "Johab"),
        ("euctw", "EUC-TW"),
        ("shiftjisx0213", "Shift_JISX0213"),
        ("shiftjis2004", "Shift_JIS-2004"),
        ("euckp", "EUC-KP"),
        ("armscii8", "ARMSCII-8"),
        ("geostd8", "GEOSTD8"),
        ("koi8t", "KOI8-T"),
    ];
    NAMES
        .iter()
        .find(|(name, _)| *name == word)
        .map(|&(_, name)| name)
}

/// Why a label names no encoding, where its look tells: to follow "which is no encoding (".
pub(crate) fn why_no_encoding(label: &str) -> Option<String> {
    let is_quote = |c: char| {
        matches!(
            c,
            '"' | '\'' | '\u{2018}'..='\u{201F}' | '`' | '\u{AB}' | '\u{BB}'
        )
    };
    let bare = label.trim_matches(|c: char| is_quote(c) || c.is_whitespace());
    let known = |label: &str| get_an_encoding(label.as_bytes()).is_some();
    if label.trim().is_empty() {
        return Some("it is empty".to_owned());
    }
    if bare.contains(['>', '<', '=']) && !bare.to_ascii_lowercase().contains("charset=") {
        return Some("a quote is missing, so it runs on into what follows".to_owned());
    }
    if let Some((_, value)) = bare.to_ascii_lowercase().split_once("charset=") {
        return Some(format!(
            "a whole Content-Type stands where `{}` alone belongs",
            value.trim()
        ));
    }
    if bare != label && known(bare) {
        return Some(if label.contains(['"', '\'']) {
            format!("its quotes are taken as part of the label; write `{bare}`")
        } else {
            format!("its quotation marks are typographic, not `\"`; write `{bare}`")
        });
    }
    if let Some(part) = bare.split([',', ';', ' ', '/']).find(|part| known(part)) {
        return Some(format!("more than one word; write `{part}`"));
    }
    foreign_encoding(bare).map(|name| format!("{name} exists, but browsers do not decode it"))
}

/// What the web reads under a label, where that is more than the standard that the label is named after.
pub(crate) fn misleading_label(label: &str, encoding: Encoding) -> Option<&'static str> {
    let label = label.trim().to_ascii_lowercase();
    Some(match (encoding.name(), label.as_str()) {
        ("windows-1252", label) if !label.contains("1252") => "windows-1252",
        ("windows-1254", label) if !label.contains("1254") => "windows-1254",
        ("windows-874", label) if !label.contains("874") => "windows-874",
        ("GBK", label) if label.contains("2312") || matches!(label, "chinese" | "iso-ir-58") => {
            "GBK and gb18030"
        }
        ("EUC-KR", label) if !label.contains("949") => "Windows code page 949",
        ("Shift_JIS", label) if !matches!(label, "ms_kanji" | "windows-31j" | "ms932") => {
            "Windows code page 932"
        }
        ("EUC-JP" | "ISO-2022-JP", _) => "the characters of Windows code page 932",
        ("Big5", label) if !label.contains("hkscs") => "Big5-HKSCS",
        ("KOI8-U", _) => "KOI8-RU",
        _ => return None,
    })
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
