//! What looks like a `<meta>` with an encoding, and is none.

use core::cmp::Ordering;

use memchr::{memchr_iter, memmem};

use crate::decision::{Decision, Format, Origin, Reason};
use crate::encoding::Encoding;
use crate::explain::evidence::Place;
use crate::label::show_label;
use crate::prescan::prescan_a_byte_stream;
use crate::tag::Name;
use crate::tokenizer::Tokenizer;
use crate::tokenizer_state::{Content, Next};

/// A `<meta>` that a reader of the source sees and a parser does not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct NotMeta {
    /// The offset of its `<`.
    pub at: u64,
    /// Its line, from 1.
    pub line: u64,
    /// The label it names, as written.
    pub label: String,
    /// What the label means.
    pub encoding: Option<Encoding>,
    /// What it stands in, to follow "it stands in": `a comment`, `a <script> element`.
    pub inside: String,
    /// It is never closed: the tag runs to the end of the document.
    pub unclosed: bool,
    /// The standard's prescan, which knows no scripts and titles, has counted it.
    pub counted: bool,
}

const UNCLOSED: &str = "a tag that is never closed";
/// How many are told.
const MOST: usize = 16;
/// How many places are looked at.
const CANDIDATES: usize = 200;
/// How much of a tag is read.
const TAG: usize = 2048;

struct Candidate {
    at: u64,
    label: String,
    encoding: Option<Encoding>,
    unfinished: bool,
    counted: bool,
}

/// The look-alikes of an HTML or XML document.
pub(super) fn not_metas(bytes: &[u8], decision: &Decision) -> Vec<NotMeta> {
    if !matches!(decision.format, Format::Html | Format::Xml)
        || !decision.encoding.is_ascii_compatible()
    {
        return Vec::new();
    }
    let candidates = candidates(bytes, decision);
    let insides = if decision.format == Format::Xml {
        vec!["an XML document, where no meta is asked".to_owned(); candidates.len()]
    } else {
        insides(bytes, &candidates)
    };
    candidates
        .into_iter()
        .zip(insides)
        .filter(|(candidate, inside)| {
            !inside.is_empty()
                // In XML a meta that agrees does no harm.
                && (decision.format == Format::Html || candidate.encoding.is_some_and(|e| e != decision.encoding))
        })
        .take(MOST)
        .map(|(candidate, inside)| NotMeta {
            at: candidate.at,
            line: Place::of(bytes, candidate.at).line,
            label: candidate.label,
            encoding: candidate.encoding,
            unclosed: inside.starts_with(UNCLOSED),
            counted: candidate.counted,
            inside,
        })
        .collect()
}

/// Every `<meta` that names an encoding and is no clue.
fn candidates(bytes: &[u8], decision: &Decision) -> Vec<Candidate> {
    let is_clue = |at: u64| {
        decision.clues.iter().any(|clue| {
            clue.origin == Origin::Meta && clue.at.is_some_and(|(start, _)| start == at)
        })
    };
    memchr_iter(b'<', bytes)
        .filter(|&at| {
            bytes
                .get(at + 1..at + 5)
                .is_some_and(|name| name.eq_ignore_ascii_case(b"meta"))
        })
        .take(CANDIDATES)
        .filter_map(|at| {
            let tag = bytes.get(at..)?;
            let tag = tag.get(..TAG).unwrap_or(tag);
            let found = prescan_a_byte_stream(tag)
                .into_iter()
                .find(|meta| meta.at.0 == 0)?;
            Some(Candidate {
                at: at as u64,
                label: show_label(&found.label),
                encoding: found.encoding.filter(|_| found.counts()),
                counted: is_clue(at as u64),
                unfinished: found.reason == Some(Reason::Unfinished),
            })
        })
        .collect()
}

/// What each candidate stands in; empty where it is a tag after all.
fn insides(bytes: &[u8], candidates: &[Candidate]) -> Vec<String> {
    let mut insides = Vec::with_capacity(candidates.len());
    let Some(last) = candidates.last() else {
        return insides;
    };
    // The end of the last tag, and the element whose raw text follows it.
    let mut gap_start = 0_u64;
    let mut raw: Option<Name> = None;
    let mut waiting = candidates.iter().peekable();
    let mut tokenizer = Tokenizer::new(Content::Data);
    tokenizer.feed(bytes, &mut |_, tag| {
        let (start, end) = tag.at;
        while let Some(candidate) = waiting.next_if(|candidate| candidate.at < end) {
            insides.push(match candidate.at.cmp(&start) {
                Ordering::Less => in_gap(bytes, gap_start, candidate.at, raw.as_ref()),
                Ordering::Equal => String::new(),
                Ordering::Greater => format!(
                    "the `<{}>` tag of line {}, in an attribute or behind a missing quote or `>`",
                    show(&tag.name),
                    Place::of(bytes, start).line
                ),
            });
        }
        if start > last.at {
            return Next::Stop;
        }
        gap_start = end;
        let content = if tag.is_end {
            Content::Data
        } else {
            Content::of_element(tag.name.as_bytes())
        };
        raw = (content != Content::Data).then_some(tag.name);
        Next::Go(content)
    });
    let in_tag = tokenizer.is_in_tag();
    for candidate in waiting {
        insides.push(if in_tag && candidate.unfinished && raw.is_none() {
            format!("{UNCLOSED}: its `>` or a quote is missing")
        } else {
            in_gap(bytes, gap_start, candidate.at, raw.as_ref())
        });
    }
    insides
}

/// What stands at a place between two tags.
fn in_gap(bytes: &[u8], start: u64, at: u64, raw: Option<&Name>) -> String {
    if let Some(name) = raw {
        return format!("a `<{}>` element, whose content is text", show(name));
    }
    let gap = bytes.get(start as usize..at as usize).unwrap_or_default();
    let kinds: [(&[u8], &str); 4] = [
        (b"<!--", "a comment"),
        (b"<![CDATA[", "a CDATA section"),
        (
            b"<?",
            "a `<?` instruction, which browsers read as a comment",
        ),
        (
            b"<!",
            "a `<!` declaration, which browsers read as a comment",
        ),
    ];
    let found = kinds
        .into_iter()
        .find(|(opening, _)| memmem::find(gap, opening).is_some());
    found
        .map_or("a place where no tag begins", |(_, words)| words)
        .to_owned()
}

fn show(name: &Name) -> String {
    show_label(name.as_bytes())
}
