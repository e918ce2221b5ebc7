//! The steps for one document, told to a person: what each saw, which decided, and what the author should change.

mod advice;
mod advice_bytes;
mod advice_misread;
mod evidence;
mod not_meta;
mod steps;

use crate::decision::{Context, Decision, Profile};
use crate::decode::{bom_length, decode};
use crate::encoding::Encoding;
use crate::malformed::Malformed;
use crate::sniff::sniff;

pub use advice::{Advice, Weight};
pub use evidence::Place;
pub use not_meta::NotMeta;
pub use steps::{Outcome, Step};

use evidence::Evidence;

/// The whole story of one document.
///
/// With the feature `serde` it serialises as the data that `unbake explain --json` prints.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The decision that is explained, with the clues that stand out of reach.
    pub decision: Decision,
    /// The encoding that a visitor's browser takes: the answer under [`Profile::Browser`], if it was not asked for anyway.
    pub browser: Encoding,
    /// The steps, in their order.
    pub steps: Vec<Step>,
    /// What looks like a `<meta>` with an encoding and is none: it stands in a comment, a script, a title.
    pub not_meta: Vec<NotMeta>,
    /// Where bytes were not text.
    pub malformed: Malformed,
    /// The places of [`Malformed::first`], in the same order.
    pub places: Vec<Place>,
    /// How many bytes of a byte order mark are left out of the text.
    pub bom_removed: u64,
    /// How often U+FFFD stood in the source as a real character.
    pub literal_fffd: u64,
    /// How often U+FEFF stands in the text: past the start it is no mark but content.
    pub feff: u64,
    /// Bytes in.
    pub byte_length: u64,
    /// What the author should change, the gravest first; empty where all is well.
    pub advice: Vec<Advice>,
}

/// Explains how the encoding of a document is decided.
///
/// The whole document is searched for declarations, also where they can no longer matter.
///
/// # Standard
/// [HTML Standard, encoding sniffing algorithm](https://html.spec.whatwg.org/#encoding-sniffing-algorithm); other formats list the
/// steps of their own rule.
///
/// # Panics
/// Never.
///
/// # Example
/// ```
/// use unbake::{explain, Context, Outcome, Weight};
/// let context = Context { content_type: vec![b"text/html; charset=euc-kr".to_vec()], ..Context::default() };
/// let story = explain("<meta charset=utf-8><p>안녕".as_bytes(), &context);
/// assert_eq!(story.steps.len(), 10);
/// assert_eq!(story.steps[3].outcome, Outcome::Decided);
/// assert_eq!((story.advice[0].id, story.advice[0].weight), ("header-beats-declaration", Weight::Wrong));
/// assert!(story.advice[0].text.contains("fix the server's charset"));
/// ```
pub fn explain(bytes: &[u8], context: &Context) -> Explanation {
    let context = Context {
        all_clues: true,
        ..context.clone()
    };
    let decoded = decode(bytes, &context);
    let decision = decoded.decision;
    let not_meta = not_meta::not_metas(bytes, &decision);
    let evidence = Evidence::of(
        bytes,
        &context,
        &decision,
        &decoded.malformed,
        decoded.literal_fffd,
        &decoded.text,
    );
    let feff = evidence.feff;
    let steps = steps::steps(&evidence);
    let advice = advice::advice(&evidence, &not_meta);
    let places = evidence.places();
    let browser = Context {
        settings: Profile::Browser.settings(),
        ..context
    };
    Explanation {
        browser: sniff(bytes, &browser).encoding,
        steps,
        advice,
        places,
        not_meta,
        bom_removed: bom_length(&decision) as u64,
        literal_fffd: decoded.literal_fffd,
        feff,
        byte_length: bytes.len() as u64,
        malformed: decoded.malformed,
        decision,
    }
}

#[cfg(feature = "serde")]
mod serialize {
    use serde::Serialize;
    use serde::ser::{SerializeStruct, Serializer};

    use super::Explanation;
    use crate::decision::{Clue, Fate, Origin};
    use crate::encoding::Encoding;
    use crate::malformed::MalformedKind;

    #[derive(Serialize)]
    struct ClueRow<'a> {
        origin: Origin,
        label: Option<&'a str>,
        encoding: Option<Encoding>,
        at: Option<(u64, u64)>,
        fate: Fate,
        reason: Option<&'static str>,
    }

    impl<'a> ClueRow<'a> {
        fn of(clue: &'a Clue) -> ClueRow<'a> {
            ClueRow {
                origin: clue.origin,
                label: clue.label.as_deref(),
                encoding: clue.encoding,
                at: clue.at,
                fate: clue.fate,
                reason: clue.reason.map(crate::decision::Reason::words),
            }
        }
    }

    #[derive(Serialize)]
    struct MalformedRow {
        at: u64,
        len: u8,
        kind: MalformedKind,
        line: u64,
        byte_in_line: u64,
    }

    impl Serialize for Explanation {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let decision = &self.decision;
            let clues: Vec<ClueRow<'_>> = decision.clues.iter().map(ClueRow::of).collect();
            let malformed: Vec<MalformedRow> = self
                .malformed
                .first
                .iter()
                .zip(&self.places)
                .map(|(sequence, place)| MalformedRow {
                    at: sequence.at,
                    len: sequence.len,
                    kind: sequence.kind,
                    line: place.line,
                    byte_in_line: place.byte_in_line,
                })
                .collect();
            let mut story = serializer.serialize_struct("Explanation", 18)?;
            story.serialize_field("encoding", &decision.encoding)?;
            story.serialize_field("confidence", &decision.confidence)?;
            story.serialize_field("rule", &decision.rule)?;
            story.serialize_field("browser", &self.browser)?;
            story.serialize_field("format", decision.format.id())?;
            story.serialize_field("format_source", &decision.format_source)?;
            story.serialize_field("change", &decision.change)?;
            story.serialize_field("conflict", &decision.conflict())?;
            story.serialize_field("steps", &self.steps)?;
            story.serialize_field("clues", &clues)?;
            story.serialize_field("not_meta", &self.not_meta)?;
            story.serialize_field("byte_length", &self.byte_length)?;
            story.serialize_field("bom_removed", &self.bom_removed)?;
            story.serialize_field("replacements", &self.malformed.count)?;
            story.serialize_field("malformed", &malformed)?;
            story.serialize_field("literal_fffd", &self.literal_fffd)?;
            story.serialize_field("feff", &self.feff)?;
            story.serialize_field("advice", &self.advice)?;
            story.end()
        }
    }
}
