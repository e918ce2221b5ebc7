//! Where in the bytes a character of the text stands, and on which line a byte.

use memchr::memmem;

use crate::decision::Decision;
use crate::decode::{DecodeRun, bom_length, decode_as};
use crate::encoding::Encoding;
use crate::utf8::c1_controls;

/// How many places of one kind are kept. All are counted.
pub(super) const PLACES_KEPT: usize = 16;

/// Places of one kind: all counted, the first located.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub(super) count: u64,
    pub(super) first: Vec<(u64, u64)>,
}

impl Places {
    fn push(&mut self, at: usize, end: usize) {
        self.count += 1;
        if self.first.len() < PLACES_KEPT {
            self.first.push((at as u64, end as u64));
        }
    }
}

/// Characters that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// U+FEFF.
    Feff,
    /// U+FFFD that the source has, not one that decoding wrote.
    LiteralFffd,
    /// U+0080-U+009F.
    C1,
}

impl Wanted {
    fn fits(self, character: char) -> bool {
        match self {
            Wanted::Feff => character == '\u{FEFF}',
            Wanted::LiteralFffd => character == '\u{FFFD}',
            Wanted::C1 => matches!(character, '\u{80}'..='\u{9F}'),
        }
    }

    /// Is there one in the text at all?
    fn stands_in(self, text: &str) -> bool {
        match self {
            Wanted::Feff => memmem::find(text.as_bytes(), "\u{FEFF}".as_bytes()).is_some(),
            Wanted::LiteralFffd => memmem::find(text.as_bytes(), "\u{FFFD}".as_bytes()).is_some(),
            Wanted::C1 => c1_controls(text.as_bytes()).next().is_some(),
        }
    }
}

/// The wanted characters of a document, by their bytes. The mark that decoding drops is none of them.
pub(super) fn find(bytes: &[u8], text: &str, decision: &Decision, wanted: Wanted) -> Places {
    let mut places = Places::default();
    if !wanted.stands_in(text) {
        return places;
    }
    let start = bom_length(decision);
    if decision.encoding == Encoding::UTF_8 {
        // UTF-8 synchronises itself: these bytes are these characters, whatever stands before them.
        let pattern: &[u8] = match wanted {
            Wanted::Feff => b"\xEF\xBB\xBF",
            Wanted::LiteralFffd => b"\xEF\xBF\xBD",
            Wanted::C1 => {
                for at in c1_controls(bytes.get(start..).unwrap_or_default()) {
                    places.push(start + at, start + at + 2);
                }
                return places;
            }
        };
        for at in memmem::find_iter(bytes.get(start..).unwrap_or_default(), pattern) {
            places.push(start + at, start + at + pattern.len());
        }
        return places;
    }
    let mut run = DecodeRun::new(decision.encoding, start as u64, false);
    let mut piece = String::new();
    let mut unit_start = start;
    for at in start..=bytes.len() {
        let (malformed, literal) = (run.malformed.count, run.literal_fffd);
        let last = at == bytes.len();
        // Replacement mode: no error.
        let _never = run.feed(bytes.get(at..=at).unwrap_or_default(), last, &mut piece);
        if piece.is_empty() {
            continue;
        }
        let clean = run.malformed.count == malformed;
        let hits = match wanted {
            Wanted::LiteralFffd => (run.literal_fffd - literal) as usize,
            _ if !clean => 0,
            _ => piece.chars().filter(|&c| wanted.fits(c)).count(),
        };
        let end = (at + 1).min(bytes.len());
        for _ in 0..hits {
            places.push(unit_start, end);
        }
        unit_start = end;
        piece.clear();
    }
    places
}

/// A place for people.
///
/// # Units
/// Lines and columns count from 1, columns in characters; lines end in LF, CR or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The line.
    pub line: u64,
    /// The column of the first character.
    pub column: u64,
    /// The text of the line, cut to what stands around the place.
    pub excerpt: String,
    /// Where in the excerpt the place begins and ends, in bytes.
    pub caret: (usize, usize),
}

/// How many characters of the line are shown before and after the place.
const AROUND: usize = 60;

/// The text of the bytes before `at`.
pub(super) fn text_before(bytes: &[u8], decision: &Decision, at: u64) -> String {
    let end = (at as usize).min(bytes.len());
    if end <= bom_length(decision) {
        return String::new();
    }
    let before = bytes.get(..end).unwrap_or_default();
    decode_as(before, decision.clone()).text.into_owned()
}

/// The place of a byte range in the text.
pub(super) fn place(bytes: &[u8], text: &str, decision: &Decision, at: (u64, u64)) -> Excerpt {
    let offset = |byte: u64| floor(text, text_before(bytes, decision, byte).len());
    let start = offset(at.0);
    let end = offset(at.1).max(start);
    let (before, after) = text.split_at_checked(start).unwrap_or((text, ""));
    let is_end = |c: char| c == '\n' || c == '\r';
    let line_start = before.rfind(is_end).map_or(0, |at| at + 1);
    let line = before.as_bytes();
    let lines = memchr::memchr2_iter(b'\n', b'\r', line)
        .filter(|&at| {
            line.get(at) == Some(&b'\n')
                || line.get(at + 1).or(after.as_bytes().first()) != Some(&b'\n')
        })
        .count() as u64;
    let column = before.get(line_start..).unwrap_or_default().chars().count() as u64;
    let line_end = after.find(is_end).map_or(text.len(), |at| start + at);
    let shown_start = text
        .get(line_start..start)
        .unwrap_or_default()
        .char_indices()
        .rev()
        .nth(AROUND - 1)
        .map_or(line_start, |(at, _)| line_start + at);
    let shown_end = text
        .get(start..line_end)
        .unwrap_or_default()
        .char_indices()
        .nth(AROUND)
        .map_or(line_end, |(at, _)| start + at);
    Excerpt {
        line: lines + 1,
        column: column + 1,
        excerpt: text
            .get(shown_start..shown_end)
            .unwrap_or_default()
            .to_owned(),
        caret: (
            start - shown_start,
            end.clamp(start, shown_end) - shown_start,
        ),
    }
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The runs of bytes that do not fit UTF-8, and how many characters beyond ASCII do.
pub(super) struct Mixture {
    pub(super) runs: Places,
    pub(super) valid: u64,
    /// Malformed sequences in all runs.
    pub(super) invalid: u64,
}

/// Up to this many ASCII bytes between two ill-formed sequences, they are one run.
const RUN_GAP: usize = 16;

/// Reads the bytes as UTF-8.
pub(super) fn mixture(bytes: &[u8]) -> Mixture {
    let mut mixture = Mixture {
        runs: Places::default(),
        valid: 0,
        invalid: 0,
    };
    let mut at = 0;
    let mut run: Option<(usize, usize)> = None;
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        if !valid.is_ascii() {
            mixture.valid += valid.chars().filter(|c| !c.is_ascii()).count() as u64;
        }
        let breaks = valid.len() > RUN_GAP || !valid.is_ascii();
        at += valid.len();
        if let (true, Some((start, end))) = (breaks, run) {
            mixture.runs.push(start, end);
            run = None;
        }
        let bad = chunk.invalid().len();
        if bad > 0 {
            mixture.invalid += 1;
            run = Some((run.map_or(at, |(start, _)| start), at + bad));
            at += bad;
        }
    }
    if let Some((start, end)) = run {
        mixture.runs.push(start, end);
    }
    mixture
}
