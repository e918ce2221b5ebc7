//! [`Record`]: one flat row per document, and its one-line "why".

use crate::decision::{Change, Clue, Decision, Format, FormatSource, Origin};
use crate::decode::Decoded;
use crate::encoding::Encoding;
use crate::malformed::{Malformed, Sequence};
use crate::prescan::PRESCAN_WINDOW;
use crate::rule::{Confidence, Rule};

/// The version of the Record's shape.
pub const SCHEMA: u32 = 1;

/// What is known about one decoded document: the same fields in JSON, tables and bindings.
///
/// # Units
/// `byte_length` and all offsets are bytes of the input; `text_length` is bytes of the UTF-8 text.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Record {
    /// As given, or the file's path.
    pub id: Option<String>,
    /// As given.
    pub url: Option<String>,
    /// The encoding's name.
    pub encoding: Encoding,
    /// The standard's confidence.
    pub confidence: Confidence,
    /// The rule that decided.
    pub rule: Rule,
    /// What the document was read as.
    pub format: &'static str,
    /// What said so: `given`, `content-type`, `file-name`, `content`.
    pub format_source: FormatSource,
    /// The label that decided, as written.
    pub label: Option<String>,
    /// The encoding that a byte order mark named.
    pub bom: Option<Encoding>,
    /// Every clue seen.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serialize_clues"))]
    pub clues: Vec<Clue>,
    /// Two declarations resolve to different encodings.
    pub conflict: bool,
    /// What a late `<meta>` did: `same`, `on-the-fly`, `start-again`.
    pub change: Option<Change>,
    /// The number of malformed sequences.
    pub replacements: u64,
    /// The first 16 of them.
    pub malformed: Vec<Sequence>,
    /// U+FFFD that stood in the source as a real character.
    pub literal_fffd: u64,
    /// The detector's score.
    pub score: Option<f64>,
    /// Its distance to the runner-up.
    pub margin: Option<f64>,
    /// The detector's second choice.
    pub runner_up: Option<Encoding>,
    /// Bytes in.
    pub byte_length: u64,
    /// Bytes of UTF-8 out.
    pub text_length: u64,
    /// The text.
    pub text: String,
    /// The repair plan, where repair was asked for.
    pub repair: Option<String>,
    /// The version of the program.
    pub unbake: &'static str,
    /// The version of this shape.
    pub schema: u32,
}

impl Record {
    /// The record of a decoded document of `byte_length` bytes.
    ///
    /// # Example
    /// ```
    /// let page = unbake::decode(b"\xEF\xBB\xBFhi", &unbake::Context::default());
    /// let record = unbake::Record::new(page, 5);
    /// assert_eq!((record.rule.id(), record.text.as_str()), ("bom", "hi"));
    /// ```
    pub fn new(decoded: Decoded<'_>, byte_length: u64) -> Record {
        let Decoded {
            text,
            decision,
            mut malformed,
            mut literal_fffd,
        } = decoded;
        let mut text = text.into_owned();
        // Binary is said, not decoded.
        if decision.format == Format::Binary {
            text = String::new();
            malformed = Malformed::default();
            literal_fffd = 0;
        }
        Record {
            id: None,
            url: None,
            encoding: decision.encoding,
            confidence: decision.confidence,
            rule: decision.rule,
            format: decision.format.id(),
            format_source: decision.format_source,
            label: decision.label().map(str::to_owned),
            bom: decision.bom.map(|(encoding, _)| encoding),
            conflict: decision.conflict(),
            change: decision.change,
            replacements: malformed.count,
            malformed: malformed.first,
            literal_fffd,
            score: decision.guess.and_then(|guess| guess.score),
            margin: decision.guess.and_then(|guess| guess.margin),
            runner_up: decision.guess.and_then(|guess| guess.runner_up),
            byte_length,
            text_length: text.len() as u64,
            text,
            repair: None,
            unbake: env!("CARGO_PKG_VERSION"),
            schema: SCHEMA,
            clues: decision.clues,
        }
    }
}

/// The contract's shape of a clue: `{origin, label, encoding, at: [start, end], fate}`.
#[cfg(feature = "serde")]
fn serialize_clues<S: serde::Serializer>(clues: &[Clue], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct Row<'a> {
        origin: crate::decision::Origin,
        label: Option<&'a str>,
        encoding: Option<Encoding>,
        at: Option<(u64, u64)>,
        fate: crate::decision::Fate,
    }
    serializer.collect_seq(clues.iter().map(|clue| Row {
        origin: clue.origin,
        label: clue.label.as_deref(),
        encoding: clue.encoding,
        at: clue.at,
        fate: clue.fate,
    }))
}

impl Decision {
    /// The decision in one line, for people.
    ///
    /// # Example
    /// ```
    /// let decision = unbake::sniff(b"<meta charset=gb2312>", &unbake::Context::default());
    /// assert_eq!(decision.why(), "GBK (tentative): a meta element at the start declares it (`gb2312`)");
    /// ```
    pub fn why(&self) -> String {
        let mut why = format!(
            "{} ({}): {}",
            self.encoding,
            self.confidence.id(),
            self.settled_by()
        );
        if let Some(label) = self.label() {
            why.push_str(" (`");
            // It comes from a stranger: no control reaches a terminal.
            why.extend(
                label
                    .chars()
                    .map(|c| if c.is_control() { '\u{B7}' } else { c }),
            );
            why.push_str("`)");
        }
        why
    }

    /// The rule's summary, or what is truer of this document.
    fn settled_by(&self) -> &'static str {
        let clue = self.deciding_clue();
        let environment = matches!(self.format, Format::Css | Format::Script);
        match (self.rule, clue) {
            (_, Some(clue)) if clue.origin == Origin::Utf16Prefix => {
                "its first characters are those of `<?x` in UTF-16"
            }
            (Rule::Parent, _) if environment => "taken from the document that uses it",
            (Rule::LateMeta, Some(Clue { at: Some(at), .. })) if at.1 <= PRESCAN_WINDOW as u64 => {
                "a meta element that the parser met declares it"
            }
            (rule, _) => rule.summary(),
        }
    }
}
