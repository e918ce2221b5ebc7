//! [`Seen`]: one page, looked at once.

use std::fmt::Write as _;

use unbake::{
    Change, Clue, Context, Decoded, Encoding, Fate, Format, Origin, Profile, Rule, decode,
};

use super::python::{self, Codec, Shown};
use super::readers::{self, Choice};
use super::tally::{Example, Field, Problem, Tally};

/// A page, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The bytes, without codings.
    pub body: &'a [u8],
    /// How it is decoded.
    pub context: &'a Context,
    /// The URL, the path, or the record id.
    pub name: &'a str,
    /// The URL.
    pub url: Option<&'a str>,
    /// When it was fetched: `2026-01-02T03:04:05Z`.
    pub date: Option<&'a str>,
    /// The archive or file that holds it.
    pub file: Option<&'a str>,
    /// Where in that file its record begins.
    pub record_at: Option<u64>,
}

/// What one page, or one row, adds to an audit.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub(super) tally: Tally,
    pub(super) host: Option<String>,
    pub(super) tld: Option<String>,
    pub(super) lang: Option<String>,
    pub(super) declared: Option<String>,
    pub(super) encoding: &'static str,
    pub(super) rule: &'static str,
    pub(super) day: Option<String>,
    /// Labels in lower case, with the encodings that they mean.
    pub(super) labels: Vec<(String, &'static str)>,
    /// `transport UTF-8 over meta windows-1252`, and which of the two the bytes fit.
    pub(super) conflicts: Vec<(String, usize)>,
    pub(super) is_page: bool,
}

/// Which declaration the bytes fit: the names of the four counts of a conflict.
pub const FITS: [&str; 4] = ["winner", "loser", "either", "neither"];

/// The values of a page's group, where there is none.
pub(super) const NONE: &str = "(none)";

impl Seen {
    /// Decodes a page and looks at it.
    pub fn page(page: &Page<'_>) -> Seen {
        let decoded = decode(page.body, page.context);
        Seen::decoded(page, &decoded)
    }

    /// Looks at a page that has been decoded.
    pub fn decoded(page: &Page<'_>, decoded: &Decoded<'_>) -> Seen {
        let decision = &decoded.decision;
        let ascii = page.body.is_ascii();
        let browser = browser_encoding(page, decoded, ascii);
        let shown = Shown {
            body: page.body,
            encoding: browser,
            ascii,
        };
        let content_types = &page.context.content_type;
        let (requests, guesses) = match readers::requests(content_types) {
            Choice::Label(label) => (python::lookup(&label).unwrap_or(UTF_8), false),
            Choice::Guess => (UTF_8, true),
        };
        let httpx = python::lookup(&readers::httpx(content_types)).unwrap_or(UTF_8);
        let declared = decision.clues.iter().find(|clue| is_declaration(clue));
        let garbled = |codec: Codec| !shown.is_read_alike(codec);
        let garbled_requests = !guesses && garbled(requests);
        let malformed = decoded.malformed.count;
        let garbled_strict = declared
            .and_then(|clue| clue.label.as_deref())
            .is_some_and(|label| match python::lookup(label) {
                Some(codec) => garbled(codec) || malformed > 0,
                None => true,
            });
        let c1_count = count_c1(&decoded.text);
        let conflict = decision.conflict();
        let known = |clue: &&Clue| {
            is_declaration(clue) && clue.encoding.is_some() && clue.fate != Fate::Ignored
        };
        let undeclared = !decision.clues.iter().any(|clue| known(&clue));
        let late_meta = decision.clues.iter().any(|clue| {
            clue.origin == Origin::Meta
                && clue.at.is_some_and(|at| at.1 > 1024)
                && clue.fate != Fate::Ignored
        });
        let unknown_label = decision
            .clues
            .iter()
            .any(|clue| clue.fate == Fate::UnknownLabel);
        let field = Field {
            rows: 1,
            null: u64::from(decoded.text.is_empty()),
            made: u64::from(malformed > 0),
            real: u64::from(decoded.literal_fffd > 0),
            c1: u64::from(c1_count > 0),
            conflict: u64::from(conflict),
            made_count: malformed,
            real_count: decoded.literal_fffd,
            c1_count,
        };
        let differs =
            browser != decision.encoding && !(ascii && both_plain(browser, decision.encoding));
        let mut tally = Tally {
            pages: 1,
            bytes: page.body.len() as u64,
            not_utf_8: u64::from(!ascii && decision.encoding != Encoding::UTF_8),
            ascii: u64::from(ascii),
            garbled_requests: u64::from(garbled_requests),
            requests_guesses: u64::from(guesses),
            garbled_httpx: u64::from(garbled(httpx)),
            garbled_utf_8: u64::from(garbled(UTF_8)),
            garbled_strict: u64::from(garbled_strict),
            garbled_browser: u64::from(differs),
            undeclared: u64::from(undeclared),
            late_meta: u64::from(late_meta),
            conflict: u64::from(conflict),
            bom: u64::from(decision.bom.is_some()),
            unknown_label: u64::from(unknown_label),
            ..Tally::default()
        };
        tally.fields.insert("text".to_owned(), field);
        let (encoding, rule) = (decision.encoding.name(), decision.rule.id());
        tally.settled.insert(format!("{encoding} {rule}"), 1);
        let found = [
            (Problem::Malformed, malformed > 0),
            (Problem::UnknownLabel, unknown_label),
            (Problem::Conflict, conflict),
            (Problem::C1, c1_count > 0),
            (Problem::RealFffd, decoded.literal_fffd > 0),
            (Problem::LateMeta, late_meta),
            (Problem::Garbled, garbled_requests),
            (Problem::Undeclared, undeclared && !ascii),
        ];
        for (problem, _) in found.iter().filter(|(_, found)| *found) {
            let reader = garbled_requests.then_some(requests);
            tally
                .examples
                .insert(*problem, example(page, decoded, *problem, reader));
        }
        let host = page
            .url
            .and_then(crate::address::host)
            .map(str::to_ascii_lowercase);
        Seen {
            host: host.filter(|host| !host.is_empty()),
            tld: page.url.and_then(crate::address::top_level_domain),
            lang: language(page.body),
            declared: declared
                .and_then(|clue| clue.label.as_ref())
                .map(|label| label.to_ascii_lowercase()),
            encoding,
            rule,
            day: page.date.and_then(|date| date.get(..10)).map(str::to_owned),
            labels: labels(&decision.clues),
            conflicts: conflicts(page, decoded),
            tally,
            is_page: true,
        }
    }
}

const UTF_8: Codec = Codec::Same("UTF-8");

fn both_plain(a: Encoding, b: Encoding) -> bool {
    a.is_ascii_compatible() && b.is_ascii_compatible()
}

/// A declaration that the format listens to.
fn is_declaration(clue: &Clue) -> bool {
    matches!(
        clue.origin,
        Origin::Transport | Origin::Meta | Origin::XmlDeclaration | Origin::CssCharset
    )
}

/// How much of an undeclared page the browser's guess is taken from. Guessing over whole pages was most of the cost of
/// an audit.
const GUESS_WINDOW: usize = 16 << 10;

/// The encoding in which a browser shows the page. Decided a second time only where the profiles may part.
fn browser_encoding(page: &Page<'_>, decoded: &Decoded<'_>, ascii: bool) -> Encoding {
    let settings = page.context.settings;
    let browser = Profile::Browser.settings();
    let decision = &decoded.decision;
    let is_pipeline = settings == Profile::Pipeline.settings();
    let parts = if is_pipeline {
        decision.rule == Rule::Utf8Valid
            || decision.rule == Rule::Detected && decision.encoding == Encoding::UTF_8
            || matches!(decision.change, Some(Change::OnTheFly | Change::StartAgain))
    } else {
        settings != browser && !ascii
    };
    if !parts {
        return decision.encoding;
    }
    let context = Context {
        settings: browser,
        ..page.context.clone()
    };
    // No declaration counts here: the browser guesses, and from the start of the page, as it does while loading.
    let head = page.body.get(..GUESS_WINDOW).unwrap_or(page.body);
    let bytes = if is_pipeline { head } else { page.body };
    unbake::sniff(bytes, &context).encoding
}

/// C1 characters: in UTF-8, C2 and a byte from 80 to 9F.
pub(super) fn count_c1(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let c1 = |at: &usize| bytes.get(at + 1).is_some_and(|next| *next < 0xA0);
    memchr::memchr_iter(0xC2, bytes).filter(c1).count() as u64
}

fn labels(clues: &[Clue]) -> Vec<(String, &'static str)> {
    let mut out: Vec<(String, &'static str)> = clues
        .iter()
        .filter(|clue| is_declaration(clue) && clue.fate != Fate::Ignored)
        .filter_map(|clue| {
            let means = match clue.encoding {
                Some(encoding) => encoding.name(),
                None => "",
            };
            Some((clue.label.as_ref()?.to_ascii_lowercase(), means))
        })
        .collect();
    out.sort();
    out.dedup();
    out
}

fn conflicts(page: &Page<'_>, decoded: &Decoded<'_>) -> Vec<(String, usize)> {
    let clues = &decoded.decision.clues;
    if !decoded.decision.conflict() {
        return Vec::new();
    }
    let winner = clues.iter().find(|clue| clue.fate == Fate::Decided);
    let Some((winner, won)) = winner.and_then(|clue| Some((clue, clue.encoding?))) else {
        return Vec::new();
    };
    let mut out: Vec<(String, usize)> = Vec::new();
    for clue in clues {
        let Some(lost) = clue.encoding.filter(|lost| *lost != won) else {
            continue;
        };
        let counts =
            (is_declaration(clue) || clue.origin == Origin::Bom) && clue.fate != Fate::Ignored;
        let pair = format!(
            "{} {won} over {} {lost}",
            winner.origin.id(),
            clue.origin.id()
        );
        if counts && out.iter().all(|(known, _)| *known != pair) {
            out.push((pair, which_fits(page.body, decoded, won, lost)));
        }
    }
    out
}

/// Which of two encodings the bytes fit, as an index of [`FITS`]. A guess, from validity alone: text that is valid
/// UTF-8 and not ASCII is UTF-8, and bytes that are malformed in an encoding are not in it.
fn which_fits(body: &[u8], decoded: &Decoded<'_>, won: Encoding, lost: Encoding) -> usize {
    if body.is_ascii() && both_plain(won, lost) {
        return 2;
    }
    let utf_8 = std::str::from_utf8(body).is_ok();
    let fits = |encoding: Encoding| {
        if utf_8 && both_plain(won, lost) {
            return encoding == Encoding::UTF_8;
        }
        if encoding == decoded.decision.encoding {
            return decoded.malformed.count == 0;
        }
        encoding.web().is_some_and(|web| {
            web.decode_without_bom_handling_and_without_replacement(body)
                .is_some()
        })
    };
    match (fits(won), fits(lost)) {
        (true, false) => 0,
        (false, true) => 1,
        (true, true) => 2,
        (false, false) => 3,
    }
}

/// The language that the root element names: the primary subtag, lower case. For grouping, not a parser.
fn language(body: &[u8]) -> Option<String> {
    let head = body.get(..1024).unwrap_or(body);
    let html = memchr::memmem::find_iter(head, b"<").find_map(|at| {
        let tag = head.get(at + 1..)?;
        let name = tag.get(..5)?;
        (name.eq_ignore_ascii_case(b"html ") || name.eq_ignore_ascii_case(b"html\n")).then_some(tag)
    })?;
    let html = html.get(..memchr::memchr(b'>', html).unwrap_or(html.len()))?;
    let at = html
        .windows(6)
        .position(|w| w[0].is_ascii_whitespace() && w[1..].eq_ignore_ascii_case(b"lang="))?;
    let value = html.get(at + 6..)?;
    let value = value
        .strip_prefix(b"\"")
        .or(value.strip_prefix(b"'"))
        .unwrap_or(value);
    let length = value
        .iter()
        .take(8)
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let tag = std::str::from_utf8(value.get(..length)?).ok()?;
    (length > 1).then(|| tag.to_ascii_lowercase())
}

/// How many bytes around a problem are shown.
const WINDOW: usize = 32;

fn example(
    page: &Page<'_>,
    decoded: &Decoded<'_>,
    problem: Problem,
    reader: Option<Codec>,
) -> Example {
    let body = page.body;
    let first_high = || body.iter().position(|byte| *byte >= 0x80).unwrap_or(0);
    let at = match problem {
        Problem::Malformed => decoded
            .malformed
            .first
            .first()
            .map_or(0, |first| first.at as usize),
        Problem::RealFffd => {
            memchr::memmem::find(body, "\u{FFFD}".as_bytes()).unwrap_or_else(first_high)
        }
        Problem::UnknownLabel | Problem::Conflict | Problem::LateMeta => {
            let clue = decoded.decision.clues.iter().find(|clue| {
                clue.at.is_some()
                    && match problem {
                        Problem::UnknownLabel => clue.fate == Fate::UnknownLabel,
                        Problem::LateMeta => clue.at.is_some_and(|at| at.1 > 1024),
                        _ => clue.origin == Origin::Meta,
                    }
            });
            clue.and_then(|clue| clue.at)
                .map_or_else(first_high, |at| at.0 as usize)
        }
        Problem::Garbled => reader
            .and_then(|codec| first_garbled(body, decoded.decision.encoding, codec))
            .unwrap_or_else(first_high),
        Problem::C1 | Problem::Undeclared => first_high(),
    };
    // A few bytes before, from the start of a character where that can be told.
    let mut from = at.saturating_sub(WINDOW / 4);
    if decoded.decision.encoding.is_utf_16() {
        from &= !1;
    } else {
        let ascii = |index: &usize| body.get(*index).is_some_and(u8::is_ascii);
        from = (from..=at).find(ascii).unwrap_or(at);
    }
    let bytes = body.get(from..).unwrap_or_default();
    let bytes = bytes.get(..WINDOW).unwrap_or(bytes);
    let context = Context {
        format: Some(Format::Text),
        user_override: Some(decoded.decision.encoding),
        ..Context::default()
    };
    // The window may cut its last character: that is not a fault of the page.
    let piece = decode(bytes, &context);
    let mut text = piece.text.into_owned();
    let cut = piece.malformed.first.last().is_some_and(|last| {
        last.at + u64::from(last.len) == bytes.len() as u64 && from + bytes.len() < body.len()
    });
    if cut && text.ends_with('\u{FFFD}') {
        text.pop();
    }
    let header_only = match reader {
        Some(Codec::Same("UTF-8")) => {
            let context = Context {
                user_override: Some(Encoding::UTF_8),
                ..context
            };
            Some(decode(bytes, &context).text.into_owned())
        }
        Some(codec) => python::single_byte_text(codec, bytes),
        None => None,
    };
    let hex = bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02X}");
        out
    });
    Example {
        page: page.name.chars().take(300).collect(),
        file: page.file.map(str::to_owned),
        record_at: page.record_at,
        why: why(decoded),
        at: from as u64,
        hex,
        header_only: header_only.filter(|other| *other != text),
        text,
    }
}

/// Where the reader's text first parts from the browser's, looked for at the first bytes above 7F.
fn first_garbled(body: &[u8], encoding: Encoding, codec: Codec) -> Option<usize> {
    let high = body.iter().enumerate().filter(|(_, byte)| **byte >= 0x80);
    high.map(|(at, _)| at).take(64).find(|at| {
        let shown = Shown {
            body: body.get(*at..at + 2).unwrap_or_default(),
            encoding,
            ascii: false,
        };
        !shown.is_read_alike(codec)
    })
}

/// The decision in a line, and the declarations that lost.
fn why(decoded: &Decoded<'_>) -> String {
    let mut out = decoded.decision.why();
    for clue in &decoded.decision.clues {
        if let (Some(label), true) = (
            &clue.label,
            is_declaration(clue) && clue.fate != Fate::Decided,
        ) {
            let _ = write!(out, "; {} `{label}` {}", clue.origin.id(), clue.fate.id());
        }
    }
    out
}
