//! Which words of a document change: its declarations, and nothing else.

use core::cmp::Reverse;

use crate::check::{attributes, first_at_charset};
use crate::css::at_charset;
use crate::decision::Reason;
use crate::encoding::Encoding;
use crate::head_scan::HeadScan;
use crate::label::get_an_encoding;
use crate::late_meta::LateMeta;
use crate::meta::extract_a_label_from_a_meta_element;
use crate::prescan::{PRESCAN_WINDOW, get_an_attribute};
use crate::xml::get_an_xml_encoding;

/// One change of the text.
///
/// # Units
/// `char_at` is an offset into the original text, in UTF-8 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Where.
    pub char_at: usize,
    /// What stood there.
    pub was: String,
    /// What stands there now.
    pub now: String,
}

impl Edit {
    fn new(text: &str, range: core::ops::Range<usize>, now: &str) -> Option<Edit> {
        let was = text.get(range.clone())?;
        (was != now).then(|| Edit {
            char_at: range.start,
            was: was.to_owned(),
            now: now.to_owned(),
        })
    }
}

/// The text with the edits made. They are in order and do not overlap.
pub(super) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut new = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for edit in edits {
        new.push_str(text.get(at..edit.char_at).unwrap_or_default());
        new.push_str(&edit.now);
        at = edit.char_at + edit.was.len();
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

/// No label of the standard is longer than half of that.
const LONGEST_LABEL: usize = 64;

fn is_utf_8(label: &[u8]) -> bool {
    get_an_encoding(label) == Some(Encoding::UTF_8)
}

/// XML: the declaration's label.
pub(super) fn xml(text: &str) -> Vec<Edit> {
    get_an_xml_encoding(text.as_bytes())
        .filter(|declaration| !is_utf_8(declaration.label))
        .and_then(|declaration| {
            let (start, end) = declaration.at;
            Edit::new(text, start as usize..end as usize, "UTF-8")
        })
        .into_iter()
        .collect()
}

/// CSS: the label of `@charset`, or the whole rule where it is not the exact bytes.
pub(super) fn css(text: &str) -> Vec<Edit> {
    if let Some((label, (start, end))) = at_charset(text.as_bytes()) {
        return (!is_utf_8(label))
            .then(|| Edit::new(text, start as usize..end as usize, "utf-8"))
            .flatten()
            .into_iter()
            .collect();
    }
    let rule =
        first_at_charset(text).and_then(|at| Some((at, at + loose_at_charset(text.get(at..)?)?)));
    let Some((start, end)) = rule else {
        return Vec::new();
    };
    const EXACT: &str = "@charset \"utf-8\";";
    let before = text.get(..start).unwrap_or_default();
    let edits = if before.trim().is_empty() {
        [Edit::new(text, 0..end, EXACT), None]
    } else {
        [
            Edit::new(text, 0..0, EXACT),
            Edit::new(text, start..end, ""),
        ]
    };
    edits.into_iter().flatten().collect()
}

/// The length of `@charset`, a label in any quotes, and `;`, in any spelling.
fn loose_at_charset(text: &str) -> Option<usize> {
    let rest = text.get("@charset".len()..)?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (label, rest) = rest.get(1..)?.split_once(quote)?;
    if label.len() > 64 || label.contains(['\n', ';']) {
        return None;
    }
    let rest = rest.trim_start().strip_prefix(';')?;
    Some(text.len() - rest.len())
}

/// HTML: every meta's label; and a meta at the start of the head where `must_declare`, or where the first one comes too late.
///
/// `mark`: how many bytes of a byte order mark stand before the text.
pub(super) fn html(text: &str, must_declare: bool, mark: usize) -> Vec<Edit> {
    let bytes = text.as_bytes();
    let mut metas = HeadScan::of(bytes).metas;
    for late in LateMeta::all_of(bytes) {
        if !metas.iter().any(|meta| meta.at.0 == late.at.0) {
            metas.push(late);
        }
    }
    metas.retain(|meta| meta.reason.is_none_or(Reason::rewrites));
    metas.sort_by_key(|meta| meta.at);
    // An XML declaration is none in HTML, but some readers take it.
    let mut edits: Vec<Edit> = xml(text);
    let mut first: Option<(usize, usize)> = None;
    for meta in &metas {
        let (start, end) = (meta.at.0 as usize, meta.at.1 as usize);
        let Some(tag) = text.get(start..end) else {
            continue;
        };
        // One tag may say it twice, and readers differ in which of the two they take.
        let labels = declared_labels(tag);
        // What is as long as that is no label, but text that an unclosed quote has swallowed.
        let wrong: Vec<&Vec<u8>> = labels
            .iter()
            .filter(|label| !is_utf_8(label) && label.len() <= LONGEST_LABEL)
            .collect();
        let mut mended = true;
        for label in wrong {
            let places = labels_in(tag, label);
            mended &= !places.is_empty();
            edits.extend(
                places
                    .iter()
                    .filter_map(|&(from, to)| Edit::new(text, start + from..start + to, "utf-8")),
            );
        }
        let known = labels.iter().all(|label| get_an_encoding(label).is_some());
        if !mended && known && is_pure_declaration(tag) {
            // A label that can not be found is written with character references.
            edits.retain(|edit| edit.char_at < start || edit.char_at >= end);
            edits.extend(Edit::new(text, start..end, META));
            mended = true;
        }
        if first.is_none() && mended && known && !labels.is_empty()
            || first.is_none() && labels.iter().any(|label| label.len() <= LONGEST_LABEL) && mended
        {
            first = Some((start, end));
        }
    }
    // Two attributes may hold one label in one place, or one label that ends in a stray quote: the longer covers both.
    edits.sort_by_key(|edit| (edit.char_at, Reverse(edit.was.len())));
    let mut covered = 0;
    edits.retain(|edit| {
        let free = edit.char_at >= covered;
        if free {
            covered = edit.char_at + edit.was.len();
        }
        free
    });
    let moved = |edits: &[Edit], end: usize| -> usize {
        let before = edits.iter().filter(|edit| edit.char_at < end);
        let (gone, come) = before.fold((0, 0), |(gone, come), edit| {
            (gone + edit.was.len(), come + edit.now.len())
        });
        end + mark + come - gone
    };
    let in_time = first.is_some_and(|(_, end)| moved(&edits, end) <= PRESCAN_WINDOW);
    if in_time || !(must_declare || first.is_some()) {
        return edits;
    }
    let Some((at, new)) = insertion(text, mark) else {
        return edits;
    };
    // The late one moves, where it is nothing but a declaration.
    if let Some((start, end)) = first
        && text.get(start..end).is_some_and(is_pure_declaration)
    {
        edits.retain(|edit| edit.char_at < start || edit.char_at >= end);
        edits.extend(Edit::new(text, start..end, ""));
    }
    edits.extend(Edit::new(text, at..at, new));
    edits.sort_by_key(|edit| (edit.char_at, edit.was.len()));
    edits
}

/// The labels that a meta declares: by `charset`, and by `content` where the pragma is there.
fn declared_labels(tag: &str) -> Vec<Vec<u8>> {
    let attributes = attributes(tag.as_bytes());
    let pragma = attributes
        .http_equiv
        .as_deref()
        .is_some_and(|value| value.eq_ignore_ascii_case(b"content-type"));
    let by_content = attributes
        .content
        .as_deref()
        .filter(|_| pragma)
        .and_then(extract_a_label_from_a_meta_element)
        .map(<[u8]>::to_vec);
    attributes.charset.into_iter().chain(by_content).collect()
}

/// Where the label stands in a tag: behind `charset`, `=` and a quote or none.
fn labels_in(tag: &str, label: &[u8]) -> Vec<(usize, usize)> {
    let bytes = tag.as_bytes();
    let mut places = Vec::new();
    let word = b"charset";
    for at in 0..bytes.len() {
        let is_word = bytes
            .get(at..at + word.len())
            .is_some_and(|here| here.eq_ignore_ascii_case(word));
        let begins = at == 0
            || bytes
                .get(at - 1)
                .is_some_and(|b| b.is_ascii_whitespace() || b"\"';/,".contains(b));
        if !is_word || !begins {
            continue;
        }
        let mut from = at + word.len();
        let skip = |from: &mut usize| {
            while bytes.get(*from).is_some_and(u8::is_ascii_whitespace) {
                *from += 1;
            }
        };
        skip(&mut from);
        if bytes.get(from) != Some(&b'=') {
            continue;
        }
        from += 1;
        skip(&mut from);
        if matches!(bytes.get(from), Some(b'"' | b'\'')) {
            from += 1;
        }
        let ends = bytes
            .get(from + label.len())
            .is_none_or(|b| b.is_ascii_whitespace() || b"\"';>".contains(b));
        if ends && !label.is_empty() && bytes.get(from..from + label.len()) == Some(label) {
            places.push((from, from + label.len()));
        }
    }
    places
}

/// No declaration is longer; a longer tag has swallowed text behind an unclosed quote.
const LONGEST_DECLARATION: usize = 256;

/// True for a meta that has no other attribute than those of a declaration.
fn is_pure_declaration(tag: &str) -> bool {
    let bytes = tag.as_bytes();
    if bytes.len() > LONGEST_DECLARATION {
        return false;
    }
    let mut at = "<meta".len();
    loop {
        match get_an_attribute(bytes, &mut at) {
            None => return false,
            Some(None) => return true,
            Some(Some((name, _))) => {
                if !matches!(name.as_slice(), b"charset" | b"http-equiv" | b"content") {
                    return false;
                }
            }
        }
    }
}

const META: &str = "<meta charset=\"utf-8\">";
const META_LINE: &str = "\n<meta charset=\"utf-8\">";

/// Where a meta can be put so that it is the first in the head and complete within the window: after `<head>`, else after
/// `<html>`, else after the doctype, else before the content of a document that has none (before a doctype it would mean quirks mode).
fn insertion(text: &str, mark: usize) -> Option<(usize, &'static str)> {
    let mut at = 0;
    let mut best = None;
    let mut content = false;
    loop {
        let rest = text.get(at..)?;
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{C}']);
        let start = at + rest.len() - trimmed.len();
        if !trimmed.starts_with('<') {
            content = !trimmed.is_empty();
            break;
        }
        let is = |word: &str| {
            trimmed
                .get(..word.len())
                .is_some_and(|here| here.eq_ignore_ascii_case(word))
        };
        let is_tag = |word: &str| {
            is(word)
                && trimmed
                    .as_bytes()
                    .get(word.len())
                    .is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))
        };
        let len = if is("<!--") {
            // `<!-->` and `<!--->` close at once.
            trimmed.get(2..)?.find("-->").map(|end| 2 + end + 3)
        } else if is("<!doctype") || is("<?") || is("<!") {
            trimmed.find('>').map(|end| end + 1)
        } else if is_tag("<html") || is_tag("<head") {
            tag_end(trimmed)
        } else {
            None
        };
        let Some(len) = len else {
            // A comment or a tag that does not end is no place; any other tag is content.
            content = !trimmed.starts_with("<!") && !trimmed.starts_with("<?");
            break;
        };
        at = start + len;
        if is("<!doctype") || is_tag("<html") || is_tag("<head") {
            best = Some(at).filter(|&at| fits(at, mark)).or(best);
        }
        if is_tag("<head") {
            break;
        }
    }
    // Content without a doctype before it: nothing is lost by a meta before that content.
    let doctype = text
        .get(..at)
        .is_some_and(|head| head.to_ascii_lowercase().contains("<!doctype"));
    if best.is_none() && content && !doctype {
        best = Some(if fits(at, mark) { at } else { 0 });
    }
    let at = best.filter(|&at| fits(at, mark))?;
    let line = text
        .get(at..)
        .is_some_and(|rest| rest.starts_with(['\n', '\r']));
    Some((at, if line && at > 0 { META_LINE } else { META }))
}

fn fits(at: usize, mark: usize) -> bool {
    at + mark + META_LINE.len() <= PRESCAN_WINDOW
}

/// The length of the tag at the start of `text`, quoted values respected.
fn tag_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = bytes
        .iter()
        .position(|&b| b.is_ascii_whitespace() || b == b'>')?;
    loop {
        if get_an_attribute(bytes, &mut at)?.is_none() {
            return Some(at + 1);
        }
    }
}
