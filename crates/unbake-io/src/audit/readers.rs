//! How other readers choose a codec: from the headers alone.

/// What a reader would decode with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The codec of this label.
    Label(String),
    /// It asks a detector: not judged here.
    Guess,
}

/// The codec of requests' `.text`.
///
/// # Standard
/// None. `requests.utils.get_encoding_from_headers` of 2.34: the parameter `charset`, quotes of either kind
/// off; else ISO-8859-1 for anything with `text` in its type; else UTF-8 for `application/json`; else a detector.
pub(super) fn requests(content_types: &[Vec<u8>]) -> Choice {
    let Some(value) = joined(content_types) else {
        return Choice::Guess;
    };
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_owned();
    let quotes: &[char] = &['"', '\'', ' '];
    let mut charset = None;
    for part in parts {
        let part = part.trim();
        let (key, value) = part.split_once('=').unwrap_or((part, "True"));
        if key.trim_matches(quotes).eq_ignore_ascii_case("charset") {
            charset = Some(value.trim_matches(quotes).to_owned());
        }
    }
    match charset {
        Some(charset) => Choice::Label(charset.trim_matches(&['\'', '"'][..]).to_owned()),
        None if essence.contains("text") => Choice::Label("iso-8859-1".to_owned()),
        None if essence.contains("application/json") => Choice::Label("utf-8".to_owned()),
        None => Choice::Guess,
    }
}

/// The codec of httpx: the parameter `charset`, if Python knows the label; else UTF-8.
pub(super) fn httpx(content_types: &[Vec<u8>]) -> String {
    let utf_8 = || "utf-8".to_owned();
    let Some(value) = joined(content_types) else {
        return utf_8();
    };
    for part in value.split(';').skip(1) {
        let Some((key, value)) = part.split_once('=') else {
            continue;
        };
        if key.trim().eq_ignore_ascii_case("charset") {
            let label = value.trim().trim_matches('"').to_ascii_lowercase();
            return if super::python::lookup(&label).is_some() {
                label
            } else {
                utf_8()
            };
        }
    }
    utf_8()
}

/// Several header lines as these clients see them: joined by a comma. Bytes are Latin-1.
fn joined(content_types: &[Vec<u8>]) -> Option<String> {
    if content_types.is_empty() {
        return None;
    }
    let lines: Vec<String> = content_types
        .iter()
        .map(|value| value.iter().map(|byte| char::from(*byte)).collect())
        .collect();
    Some(lines.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(value: &str) -> (Choice, String) {
        let values = [value.as_bytes().to_vec()];
        (requests(&values), httpx(&values))
    }

    #[test]
    fn choices() {
        let label = |label: &str| Choice::Label(label.to_owned());
        assert_eq!(
            asked("text/html"),
            (label("iso-8859-1"), "utf-8".to_owned())
        );
        assert_eq!(
            asked("text/html; Charset=\"EUC-KR\""),
            (label("EUC-KR"), "euc-kr".to_owned())
        );
        assert_eq!(
            asked("text/html;charset='utf-8'"),
            (label("utf-8"), "'utf-8'".to_owned())
        );
        assert_eq!(
            asked("text/html;charset=x-sjis"),
            (label("x-sjis"), "utf-8".to_owned())
        );
        assert_eq!(asked("application/json").0, label("utf-8"));
        assert_eq!(asked("application/xml").0, Choice::Guess);
        assert_eq!(requests(&[]), Choice::Guess);
        assert_eq!(httpx(&[]), "utf-8");
    }
}
