//! [`Tally`]: what is counted about a group of pages or rows. Everything in it can be added up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Counts about the texts of one field: of a page, or of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Field {
    /// Rows.
    #[serde(skip_serializing_if = "is_zero")]
    pub rows: u64,
    /// Rows whose text is absent or empty.
    #[serde(skip_serializing_if = "is_zero")]
    pub null: u64,
    /// Rows with U+FFFD made by decoding.
    #[serde(skip_serializing_if = "is_zero")]
    pub made: u64,
    /// Rows with U+FFFD that stood in the source.
    #[serde(skip_serializing_if = "is_zero")]
    pub real: u64,
    /// Rows with a C1 character (U+0080-U+009F): the mark of a wrong Latin-1.
    #[serde(skip_serializing_if = "is_zero")]
    pub c1: u64,
    /// Pages whose declarations name different encodings.
    #[serde(skip_serializing_if = "is_zero")]
    pub conflict: u64,
    /// Malformed sequences.
    #[serde(skip_serializing_if = "is_zero")]
    pub made_count: u64,
    /// U+FFFD that stood in the source.
    #[serde(skip_serializing_if = "is_zero")]
    pub real_count: u64,
    /// C1 characters.
    #[serde(skip_serializing_if = "is_zero")]
    pub c1_count: u64,
}

/// What can be wrong with a row of a field, and be compared between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// U+FFFD made by decoding.
    Made,
    /// U+FFFD that stood in the source.
    Real,
    /// C1 characters.
    C1,
    /// Absent or empty.
    Null,
    /// Declarations that name different encodings.
    Conflict,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Measure; 5] = [
        Measure::Made,
        Measure::Real,
        Measure::C1,
        Measure::Null,
        Measure::Conflict,
    ];

    /// The name in metrics and options.
    pub fn id(self) -> &'static str {
        match self {
            Measure::Made => "made",
            Measure::Real => "real",
            Measure::C1 => "c1",
            Measure::Null => "null",
            Measure::Conflict => "conflict",
        }
    }

    /// What it counts, in words.
    pub fn words(self) -> &'static str {
        match self {
            Measure::Made => "U+FFFD made by decoding",
            Measure::Real => "U+FFFD in the source",
            Measure::C1 => "C1 characters",
            Measure::Null => "empty or absent",
            Measure::Conflict => "conflicting declarations",
        }
    }
}

impl Field {
    /// The rows with this damage.
    pub fn damaged(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Made => self.made,
            Measure::Real => self.real,
            Measure::C1 => self.c1,
            Measure::Null => self.null,
            Measure::Conflict => self.conflict,
        }
    }

    fn add(&mut self, other: &Field) {
        self.rows += other.rows;
        self.null += other.null;
        self.made += other.made;
        self.real += other.real;
        self.c1 += other.c1;
        self.conflict += other.conflict;
        self.made_count += other.made_count;
        self.real_count += other.real_count;
        self.c1_count += other.c1_count;
    }
}

/// What may be worth a look at one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Problem {
    /// Malformed bytes.
    Malformed,
    /// A label that names no encoding.
    UnknownLabel,
    /// Declarations in conflict.
    Conflict,
    /// C1 characters.
    C1,
    /// U+FFFD in the source.
    RealFffd,
    /// A declaration after the first 1024 bytes.
    LateMeta,
    /// Other readers show another text.
    Garbled,
    /// No declaration, and not ASCII.
    Undeclared,
}

impl Problem {
    /// The name in words.
    pub fn words(self) -> &'static str {
        match self {
            Problem::Malformed => "malformed bytes",
            Problem::UnknownLabel => "unknown label",
            Problem::Conflict => "conflicting declarations",
            Problem::C1 => "C1 characters",
            Problem::RealFffd => "U+FFFD in the source",
            Problem::LateMeta => "meta after the first 1024 bytes",
            Problem::Garbled => "garbled by header-only readers",
            Problem::Undeclared => "no declaration",
        }
    }
}

/// One page as an example, with the bytes that show the problem.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The URL, the path, or the record id.
    pub page: String,
    /// The archive or file that holds it.
    pub file: Option<String>,
    /// Where in that file the record begins.
    ///
    /// # Units
    /// Bytes of the file as it is stored.
    pub record_at: Option<u64>,
    /// Which encoding and rule, and the clues that lost.
    pub why: String,
    /// Where in the document the bytes stand.
    ///
    /// # Units
    /// Bytes of the document, without codings.
    pub at: u64,
    /// The bytes, as hexadecimal digits.
    pub hex: String,
    /// Their text.
    pub text: String,
    /// The text that a reader of headers alone makes of them, where it differs.
    pub header_only: Option<String>,
}

/// Counts about a group of pages or rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tally {
    /// Pages, or rows of a table.
    #[serde(skip_serializing_if = "is_zero")]
    pub pages: u64,
    /// Bytes of documents, without codings.
    #[serde(skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// Pages in another encoding than UTF-8, ASCII alone left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_utf_8: u64,
    /// Pages without a byte above 7F.
    #[serde(skip_serializing_if = "is_zero")]
    pub ascii: u64,
    /// Pages that requests' `.text` shows otherwise than a browser.
    #[serde(skip_serializing_if = "is_zero")]
    pub garbled_requests: u64,
    /// Pages for which requests asks a detector: not judged, and not among the garbled.
    #[serde(skip_serializing_if = "is_zero")]
    pub requests_guesses: u64,
    /// Pages that httpx shows otherwise.
    #[serde(skip_serializing_if = "is_zero")]
    pub garbled_httpx: u64,
    /// Pages that a reader which takes all for UTF-8 shows otherwise.
    #[serde(skip_serializing_if = "is_zero")]
    pub garbled_utf_8: u64,
    /// Pages that Python's strict codec of the declared name refuses or shows otherwise.
    #[serde(skip_serializing_if = "is_zero")]
    pub garbled_strict: u64,
    /// Pages that a browser shows otherwise than the text decided here.
    #[serde(skip_serializing_if = "is_zero")]
    pub garbled_browser: u64,
    /// Pages that name no encoding that is known.
    #[serde(skip_serializing_if = "is_zero")]
    pub undeclared: u64,
    /// Pages with a `meta` declaration that ends after the first 1024 bytes.
    #[serde(skip_serializing_if = "is_zero")]
    pub late_meta: u64,
    /// Pages whose declarations name different encodings.
    #[serde(skip_serializing_if = "is_zero")]
    pub conflict: u64,
    /// Pages with a byte order mark.
    #[serde(skip_serializing_if = "is_zero")]
    pub bom: u64,
    /// Pages with a label that names no encoding.
    #[serde(skip_serializing_if = "is_zero")]
    pub unknown_label: u64,
    /// The texts, by field; pages have one, `text`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Field>,
    /// Pages by encoding and rule: `UTF-8 transport`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub settled: BTreeMap<String, u64>,
    /// One example a problem: the first by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub examples: BTreeMap<Problem, Example>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that serde asks for"
)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: &Tally) {
        let Tally {
            pages,
            bytes,
            not_utf_8,
            ascii,
            garbled_requests,
            requests_guesses,
            garbled_httpx,
            garbled_utf_8,
            garbled_strict,
            garbled_browser,
            undeclared,
            late_meta,
            conflict,
            bom,
            unknown_label,
            fields,
            settled,
            examples,
        } = other;
        self.pages += pages;
        self.bytes += bytes;
        self.not_utf_8 += not_utf_8;
        self.ascii += ascii;
        self.garbled_requests += garbled_requests;
        self.requests_guesses += requests_guesses;
        self.garbled_httpx += garbled_httpx;
        self.garbled_utf_8 += garbled_utf_8;
        self.garbled_strict += garbled_strict;
        self.garbled_browser += garbled_browser;
        self.undeclared += undeclared;
        self.late_meta += late_meta;
        self.conflict += conflict;
        self.bom += bom;
        self.unknown_label += unknown_label;
        for (name, field) in fields {
            match self.fields.get_mut(name) {
                Some(sum) => sum.add(field),
                None => {
                    self.fields.insert(name.clone(), *field);
                }
            }
        }
        for (name, n) in settled {
            match self.settled.get_mut(name) {
                Some(sum) => *sum += n,
                None => {
                    self.settled.insert(name.clone(), *n);
                }
            }
        }
        for (problem, example) in examples {
            self.show(*problem, example);
        }
    }

    /// Keeps an example, if it is the first of its problem by name.
    pub fn show(&mut self, problem: Problem, example: &Example) {
        match self.examples.get_mut(&problem) {
            Some(known) if *known <= *example => {}
            Some(known) => known.clone_from(example),
            None => {
                self.examples.insert(problem, example.clone());
            }
        }
    }

    /// The encoding and the rule of most of its pages, and their number.
    pub fn usual(&self) -> Option<(&str, u64)> {
        self.settled
            .iter()
            .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)))
            .map(|(name, n)| (name.as_str(), *n))
    }

    /// Pages by encoding.
    pub fn encodings(&self) -> BTreeMap<&str, u64> {
        self.settled_by(0)
    }

    /// Pages by rule.
    pub fn rules(&self) -> BTreeMap<&str, u64> {
        self.settled_by(1)
    }

    fn settled_by(&self, part: usize) -> BTreeMap<&str, u64> {
        let mut out = BTreeMap::new();
        for (name, n) in &self.settled {
            *out.entry(name.split(' ').nth(part).unwrap_or_default())
                .or_default() += n;
        }
        out
    }

    /// The field of pages.
    pub fn text(&self) -> Field {
        self.fields.get("text").copied().unwrap_or_default()
    }
}
