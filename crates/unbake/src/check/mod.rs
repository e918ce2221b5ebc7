//! The check: what in a document breaks a rule of its format, or will be read otherwise by somebody.
//!
//! The rules are in `rules.rs`, one row each. Findings are about bytes: where a rule is broken, and in what way.

mod rules;
mod places;
mod declared;

use std::borrow::Cow;

pub use places::Excerpt;
pub use rules::{CheckRule, Mend, Severity};

pub(crate) use declared::{attributes, first_at_charset};
use places::{Places, Wanted};

use crate::decision::{Context, Decision, Format, FormatSource};
use crate::decode::{bom_length, decode};
use crate::encoding::Encoding;
use crate::malformed::Malformed;
use crate::rule::Rule;

/// One broken rule.
///
/// # Units
/// `at` is a half-open range of byte offsets into the input; an empty range at 0 is about the document as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: CheckRule,
    /// Where.
    pub at: (u64, u64),
    /// What is wrong, for people.
    pub message: String,
}

/// Who will read a CSV file: they want opposite things of a byte order mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CsvReader {
    /// Excel is among them: it needs the mark.
    #[default]
    Excel,
    /// Others only: they do not expect one.
    Others,
}

/// What the check is asked.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Who will read a CSV file.
    pub csv_for: CsvReader,
    /// Only these rules; empty is all.
    pub select: Vec<CheckRule>,
    /// Not these.
    pub ignore: Vec<CheckRule>,
}

impl CheckOptions {
    pub(crate) fn asks_for(&self, rule: CheckRule) -> bool {
        (self.select.is_empty() || self.select.contains(&rule)) && !self.ignore.contains(&rule)
    }
}

/// A checked document.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its text.
    pub text: Cow<'a, str>,
    /// How its encoding was decided.
    pub decision: Decision,
    /// Where bytes were not text.
    pub malformed: Malformed,
    /// What is wrong, in the order of the document.
    pub findings: Vec<Finding>,
}

impl Checked<'_> {
    /// Where a finding stands: line, column, and the text around it.
    pub fn place(&self, finding: &Finding) -> Excerpt {
        places::place(self.bytes, &self.text, &self.decision, finding.at)
    }
}

/// Checks a document against the rules of its format.
///
/// # Standard
/// Each [`CheckRule`] names its clause.
///
/// # Panics
/// Never.
///
/// # Example
/// ```
/// use unbake::{check, CheckOptions, CheckRule, Context, Format};
/// let context = Context { format: Some(Format::Json), ..Context::default() };
/// let checked = check(b"\xEF\xBB\xBF{}", &context, &CheckOptions::default());
/// assert_eq!(checked.findings[0].rule, CheckRule::JsonBom);
/// assert_eq!(checked.findings[0].at, (0, 3));
/// ```
pub fn check<'a>(bytes: &'a [u8], context: &Context, options: &CheckOptions) -> Checked<'a> {
    let context = Context {
        all_clues: true,
        ..context.clone()
    };
    let decoded = decode(bytes, &context);
    let mut checking = Checking {
        bytes,
        text: &decoded.text,
        decision: &decoded.decision,
        malformed: &decoded.malformed,
        options,
        findings: Vec::new(),
    };
    checking.run();
    let mut findings = checking.findings;
    findings.sort_by_key(|finding| (finding.at, finding.rule));
    Checked {
        bytes,
        findings,
        text: decoded.text,
        decision: decoded.decision,
        malformed: decoded.malformed,
    }
}

/// A check at work.
struct Checking<'a> {
    bytes: &'a [u8],
    text: &'a str,
    decision: &'a Decision,
    malformed: &'a Malformed,
    options: &'a CheckOptions,
    findings: Vec<Finding>,
}

impl Checking<'_> {
    fn find(&mut self, rule: CheckRule, at: (u64, u64), message: String) {
        // A document may break one rule ten thousand times over: the first places are enough to mend by.
        let told = self
            .findings
            .iter()
            .filter(|told| told.rule == rule)
            .count();
        if self.options.asks_for(rule) && told < places::PLACES_KEPT {
            self.findings.push(Finding { rule, at, message });
        }
    }

    fn run(&mut self) {
        let decision = self.decision;
        if decision.format == Format::Binary {
            let by = if decision.format_source == FormatSource::Given {
                "as asked"
            } else {
                "by its first bytes"
            };
            self.find(
                CheckRule::Binary,
                (0, 0),
                format!("the document is no text, {by}; nothing else was checked"),
            );
            return;
        }
        self.declarations();
        self.encoding();
        self.marks();
        self.characters();
        self.lines();
    }

    fn has_non_ascii(&self) -> bool {
        !self.text.is_ascii()
    }

    /// The encoding itself.
    fn encoding(&mut self) {
        let decision = self.decision;
        let (encoding, format) = (decision.encoding, decision.format);
        let mark = bom_length(decision) as u64;
        // ASCII alone reads the same in UTF-8.
        let wide = encoding.web().is_none() || encoding.is_utf_16();
        let matters = !self.bytes.is_empty() && (self.has_non_ascii() || wide);
        let utf_16_mark = matches!(self.bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
        if encoding != Encoding::UTF_8 && format != Format::Srcdoc {
            let (rule, must) = match format {
                Format::Html => (CheckRule::HtmlNotUtf8, "authors must use UTF-8"),
                Format::Json | Format::Ndjson | Format::JsonSeq => {
                    (CheckRule::JsonNotUtf8, "JSON must be UTF-8")
                }
                _ => (CheckRule::NotUtf8, "use UTF-8"),
            };
            let guessed = matches!(decision.rule, Rule::Detected | Rule::Locale | Rule::Default);
            let declared = !guessed && format == Format::Html;
            if matters || declared {
                let read = if guessed { " (a guess)" } else { "" };
                let at = self.deciding_place();
                self.find(
                    rule,
                    at.unwrap_or((0, mark)),
                    format!("the document is read as {encoding}{read}; {must}"),
                );
            }
        } else if format.is_utf_8_only() && utf_16_mark {
            self.find(
                CheckRule::NotUtf8,
                (0, 2),
                format!(
                    "the document begins with the mark of UTF-16, and {} knows UTF-8 alone",
                    format.id()
                ),
            );
        }
        if encoding.is_utf_16() && decision.bom.is_none() && !self.bytes.is_empty() {
            self.find(
                CheckRule::Utf16WithoutBom,
                (0, 0),
                format!("the document is {encoding} and has no byte order mark"),
            );
        }
        let named = matches!(
            decision.rule,
            Rule::Transport
                | Rule::Prescan
                | Rule::LateMeta
                | Rule::XmlDeclaration
                | Rule::CssCharset
        );
        if named
            && encoding != Encoding::UTF_8
            && !encoding.is_utf_16()
            && !self.bytes.is_ascii()
            && core::str::from_utf8(self.bytes).is_ok()
        {
            let at = self.deciding_place();
            self.find(
                CheckRule::Utf8Misdeclared,
                at.unwrap_or((0, 0)),
                format!("every byte fits UTF-8, and {encoding} is declared"),
            );
        }
    }

    /// Where the label stands that decided.
    fn deciding_place(&self) -> Option<(u64, u64)> {
        let clue = self.decision.deciding_clue()?;
        self.label_at(clue).or(clue.at)
    }

    /// Byte order marks.
    fn marks(&mut self) {
        let decision = self.decision;
        let length = bom_length(decision) as u64;
        let feff = places::find(self.bytes, self.text, decision, Wanted::Feff);
        let doubled = length > 0 && self.text.starts_with('\u{FEFF}');
        if doubled {
            let second = feff.first.first().copied().unwrap_or((length, length));
            self.find(
                CheckRule::DoubleBom,
                second,
                "a second byte order mark: decoding removes one, and past the start U+FEFF must be read as content, a ZERO WIDTH NO-BREAK SPACE (RFC 3629 6)".to_owned(),
            );
        }
        let mut inside: Vec<(u64, u64)> = feff.first;
        let mut count = feff.count;
        if doubled {
            inside.remove(0);
            count -= 1;
        }
        if decision.format == Format::Yaml && count > 0 {
            let all = inside.len();
            inside.retain(|&at| !self.begins_yaml_document(at));
            count -= (all - inside.len()) as u64;
        }
        if let (Some(&first), 1..) = (inside.first(), count) {
            let more = if count > 1 {
                format!(", the first of {count}")
            } else {
                String::new()
            };
            self.find(
                CheckRule::BomInText,
                first,
                format!("U+FEFF in the middle of the text{more}: past the start it must not be taken for a byte order mark, it is content (RFC 3629 6)"),
            );
        }
        if length == 0 {
            if decision.format == Format::Csv
                && self.options.csv_for == CsvReader::Excel
                && decision.encoding == Encoding::UTF_8
                && self.has_non_ascii()
            {
                self.find(
                    CheckRule::CsvNoBom,
                    (0, 0),
                    "Excel reads this file in the code page of the locale: it has no byte order mark, the one sign of its encoding in a file that nothing labels (RFC 3629 6 lets it stand there)".to_owned(),
                );
            }
            return;
        }
        let rule = match decision.format {
            Format::Json | Format::JsonSeq => CheckRule::JsonBom,
            Format::Ndjson => CheckRule::NdjsonBom,
            Format::Csv if self.options.csv_for == CsvReader::Others => CheckRule::CsvBom,
            _ => return,
        };
        let message = match rule {
            CheckRule::CsvBom => {
                "readers other than Excel may take the byte order mark for a part of the first column's name; where a header says the encoding, a signature should be left out (RFC 3629 6)"
            }
            _ => {
                "the document begins with a byte order mark, which its format must not have: what is always UTF-8 needs no signature, and should forbid it (RFC 3629 6)"
            }
        };
        self.find(rule, (0, length), message.to_owned());
    }

    /// In YAML a mark may begin any document of the stream: after a line `...`, or before a line `---`.
    fn begins_yaml_document(&self, at: (u64, u64)) -> bool {
        let before = places::text_before(self.bytes, self.decision, at.0);
        let after = self.text.get(before.len()..).unwrap_or_default();
        let after = after.trim_start_matches('\u{FEFF}');
        let mut lines = before.rsplit('\n');
        if lines.next() != Some("") {
            return false;
        }
        let previous = lines
            .map(str::trim_end)
            .find(|line| !line.is_empty() && !line.starts_with('#'));
        let next = after
            .lines()
            .map(str::trim_end)
            .find(|line| !line.is_empty() && !line.starts_with(['#', '%']));
        let starts = |line: &str| line == "---" || line.starts_with("--- ");
        previous == Some("...") || previous.is_none() || next.is_some_and(starts)
    }

    /// Bytes that are not text, and characters that hardly any text means.
    fn characters(&mut self) {
        let decision = self.decision;
        let count = self.malformed.count;
        let mixed = self.mixed();
        if let Some((runs, valid)) = mixed {
            let all = runs.count;
            for at in runs.first {
                let bytes = at.1 - at.0;
                self.find(
                    CheckRule::MixedEncodings,
                    at,
                    format!("{bytes} byte(s) in another encoding amid UTF-8 ({valid} characters beyond ASCII are UTF-8, {all} such run(s))"),
                );
            }
        }
        for (number, sequence) in self.malformed.first.clone().into_iter().enumerate() {
            let end = sequence.at + u64::from(sequence.len);
            let shown: Vec<String> = self
                .bytes
                .get(sequence.at as usize..end as usize)
                .unwrap_or_default()
                .iter()
                .map(|byte| format!("{byte:02X}"))
                .collect();
            let of = if number == 0 && count > 1 {
                format!(" (the first of {count})")
            } else {
                String::new()
            };
            self.find(
                CheckRule::Malformed,
                (sequence.at, end),
                format!(
                    "`{}` is not text in {}: {}{of}",
                    shown.join(" "),
                    decision.encoding,
                    sequence.kind.reason()
                ),
            );
        }
        for (rule, wanted, what) in [
            (
                CheckRule::LiteralFffd,
                Wanted::LiteralFffd,
                "U+FFFD stands in the source: a character was lost before",
            ),
            (
                CheckRule::C1Control,
                Wanted::C1,
                "a C1 control character: windows-1252 text that was read as ISO-8859-1",
            ),
        ] {
            let Places { count, first } = places::find(self.bytes, self.text, decision, wanted);
            if let Some(&at) = first.first() {
                let of = if count > 1 {
                    format!(" (the first of {count})")
                } else {
                    String::new()
                };
                self.find(rule, at, format!("{what}{of}"));
            }
        }
    }

    /// UTF-8 with runs of something else. Where UTF-8 was decided, one character beyond ASCII is proof enough that it was meant;
    /// where the decision is a single-byte encoding, chance makes some pairs of bytes fit.
    fn mixed(&self) -> Option<(Places, u64)> {
        let decision = self.decision;
        let utf_8 = decision.encoding == Encoding::UTF_8;
        if utf_8 && self.malformed.count == 0 {
            return None;
        }
        let single_byte = decision
            .encoding
            .web()
            .is_some_and(encoding_rs::Encoding::is_single_byte);
        if !(utf_8 || single_byte) || self.bytes.is_ascii() {
            return None;
        }
        let mixture = places::mixture(self.bytes);
        let (valid, invalid) = (mixture.valid, mixture.invalid);
        let enough = if utf_8 {
            valid >= 1
        } else {
            valid >= 4 && valid >= invalid
        };
        (enough && invalid > 0).then_some((mixture.runs, valid))
    }

    /// Ends of lines.
    fn lines(&mut self) {
        if self.decision.format != Format::Ndjson {
            return;
        }
        let text = self.text.as_bytes();
        let mut alone = memchr::memchr_iter(b'\r', text)
            .filter(|&at| text.get(at + 1) != Some(&b'\n'))
            .peekable();
        if let Some(&first) = alone.peek() {
            let count = alone.count();
            let start = bom_length(self.decision);
            let at = if self.decision.encoding == Encoding::UTF_8 && self.malformed.count == 0 {
                (start + first) as u64
            } else {
                0
            };
            self.find(
                CheckRule::NdjsonCr,
                (at, at + 1),
                format!("a line ends in CR alone ({count} in all): lines end in LF"),
            );
        }
    }
}
