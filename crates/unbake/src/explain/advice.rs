//! Plain advice to the author: what is wrong, what follows from it, and what to write instead.

use crate::decision::{Clue, Fate, Format, Origin, Reason};
use crate::encoding::Encoding;
use crate::explain::evidence::{Evidence, Nature, shown};
use crate::explain::not_meta::NotMeta;
use crate::explain::steps::near;
use crate::head_scan::HeadScan;
use crate::label::{show_label, why_no_encoding};
use crate::prescan::PRESCAN_WINDOW;
use crate::rule::Rule;

/// Something the author should change, or know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Advice {
    /// What kind of advice it is: `header-beats-declaration`. Kinds never change their meaning.
    pub id: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// The advice.
    pub text: String,
}

/// How much an advice matters. The order is that of gravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "lowercase")
)]
pub enum Weight {
    /// Readers see, or will see, wrong text.
    Wrong,
    /// It works today, by luck or for some.
    Fragile,
    /// Good to know.
    Note,
}

/// What a page should say.
pub(super) const META: &str = "`<meta charset=utf-8>`";
const HEADER: &str = "`Content-Type: text/html; charset=utf-8`";

/// Of so many metas the advice speaks.
const METAS: usize = 8;

pub(super) struct Adviser<'a> {
    pub(super) evidence: &'a Evidence<'a>,
    pub(super) advice: Vec<Advice>,
}

pub(super) fn advice(evidence: &Evidence<'_>, not_meta: &[NotMeta]) -> Vec<Advice> {
    let mut adviser = Adviser {
        evidence,
        advice: Vec::new(),
    };
    adviser.refused();
    adviser.headers();
    let misread = adviser.misread();
    adviser.byte_order_mark(misread);
    if evidence.decision.format == Format::Html {
        adviser.metas();
        adviser.xml_declaration_in_html();
        if !misread {
            adviser.undeclared(not_meta);
        }
    }
    adviser.not_metas(not_meta);
    adviser.style_sheet();
    if !misread {
        adviser.wrong_encoding();
        adviser.c1_controls();
        adviser.misleading();
    }
    adviser.literal_replacement_characters();
    adviser.marks_in_the_text();
    adviser.legacy();
    // The gravest first, those of the same weight in the order of the steps.
    adviser.advice.sort_by_key(|advice| advice.weight);
    adviser.advice
}

/// A label from a stranger, fit to be shown.
pub(super) fn label(clue: &Clue) -> String {
    shown(clue.label.as_deref().unwrap_or_default())
}

/// Why a label names no encoding, or which label is near, in brackets.
fn no_encoding(label: &str) -> String {
    why_no_encoding(label).map_or_else(|| near(label), |why| format!(" ({why})"))
}

impl Adviser<'_> {
    pub(super) fn add(&mut self, weight: Weight, id: &'static str, text: impl Into<String>) {
        self.advice.push(Advice {
            id,
            weight,
            text: text.into(),
        });
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.evidence.decision.encoding
    }

    /// Has something been said that must be mended?
    pub(super) fn any_wrong(&self) -> bool {
        self.advice
            .iter()
            .any(|advice| advice.weight == Weight::Wrong)
    }

    /// `as EUC-KR: "..."`, for the reader to compare. Empty where there is nothing to see.
    pub(super) fn samples(&self, encodings: &[Encoding]) -> String {
        match self.evidence.first_in_text() {
            Some(at) => self.samples_at(at, encodings),
            None => String::new(),
        }
    }

    /// The same at a place.
    pub(super) fn samples_at(&self, at: usize, encodings: &[Encoding]) -> String {
        let samples: Vec<String> = encodings
            .iter()
            .filter_map(|&encoding| {
                let sample = self.evidence.sample(at, encoding)?;
                Some(format!("as {encoding}: \u{201C}{sample}\u{201D}"))
            })
            .collect();
        if samples.is_empty() {
            String::new()
        } else {
            format!(" ({})", samples.join("; "))
        }
    }

    fn refused(&mut self) {
        if self.encoding() == encoding_rs::REPLACEMENT.into() {
            self.add(
                Weight::Wrong,
                "refused-encoding",
                format!("browsers refuse this encoding, because scripts can hide in it, and show one U+FFFD instead of the page: convert it to UTF-8 and say so with {META}"),
            );
        }
    }

    fn headers(&mut self) {
        let lines = &self.evidence.context.content_type;
        if lines.len() > 1 {
            let shown: Vec<String> = lines
                .iter()
                .take(4)
                .map(|line| format!("`{}`", show_label(line)))
                .collect();
            self.add(
                Weight::Fragile,
                "several-headers",
                format!("the response has {} Content-Type headers ({}): browsers merge them by rules that other programs do not share; send one", lines.len(), shown.join(", ")),
            );
        }
        for header in self.evidence.clues(Origin::Transport) {
            match header.fate {
                Fate::UnknownLabel => {
                    let why = no_encoding(&label(header));
                    self.add(
                        Weight::Wrong,
                        "header-unknown-label",
                        format!("the Content-Type header's charset `{}` is no encoding{why}, and the header counts as if it said nothing: fix it at the server; where all its documents are UTF-8, send `charset=utf-8`", label(header)),
                    );
                }
                Fate::Ignored if header.reason == Some(Reason::NotAMimeType) => self.add(
                    Weight::Fragile,
                    "header-not-a-mime-type",
                    format!("the Content-Type header `{}` is not a MIME type, so it counts as if it were not there: send {HEADER}", label(header)),
                ),
                Fate::Ignored => self.add(
                    Weight::Note,
                    "header-charset-ignored",
                    format!("the charset parameter `{}` has no meaning for this format: leave it out", label(header)),
                ),
                Fate::Decided => self.header_beats(header),
                _ => {}
            }
        }
    }

    /// The header decided: what of the declarations that it beats?
    fn header_beats(&mut self, header: &Clue) {
        let decided = self.encoding();
        let beaten = self.evidence.decision.clues.iter().find(|clue| {
            matches!(
                clue.origin,
                Origin::Meta | Origin::XmlDeclaration | Origin::CssCharset
            ) && clue.encoding.is_some_and(|encoding| encoding != decided)
                && !matches!(clue.fate, Fate::Ignored | Fate::UnknownLabel)
        });
        let Some((clue, declared)) = beaten.and_then(|clue| Some((clue, clue.encoding?))) else {
            return;
        };
        let what = match clue.origin {
            Origin::Meta => "meta",
            Origin::XmlDeclaration => "XML declaration",
            _ => "@charset",
        };
        let beats = format!(
            "the Content-Type header says `{}` and beats your {what}'s `{}`",
            label(header),
            label(clue)
        );
        let fix_server = format!("fix the server's charset (send `charset={}`)", label(clue));
        let fix_page = format!(
            "correct the {what}, which will count as soon as the page is saved to disk or served without the charset"
        );
        let (weight, text) = match self.evidence.nature {
            Nature::Ascii => (
                Weight::Fragile,
                format!(
                    "{beats}: nothing shows yet, for the page is plain ASCII; make the two agree, best on `utf-8`"
                ),
            ),
            Nature::Utf8 if declared == Encoding::UTF_8 => (
                Weight::Wrong,
                format!(
                    "{beats}, but the page is UTF-8, as the {what} says{}: {fix_server}",
                    self.samples(&[decided, declared])
                ),
            ),
            Nature::Utf8 if decided == Encoding::UTF_8 => (
                Weight::Fragile,
                format!("{beats}; the header is right, the page is UTF-8: {fix_page}"),
            ),
            _ => {
                let (here, there) = (
                    self.evidence.malformed_as(decided),
                    self.evidence.malformed_as(declared),
                );
                if here > 0 && there == 0 {
                    (
                        Weight::Wrong,
                        format!(
                            "{beats}, but the bytes fit the {what} and not the header{}: {fix_server}",
                            self.samples(&[decided, declared])
                        ),
                    )
                } else if here == 0 && there > 0 {
                    (
                        Weight::Fragile,
                        format!("{beats}; the bytes fit the header: {fix_page}"),
                    )
                } else {
                    (
                        Weight::Wrong,
                        format!(
                            "{beats}: one of them is wrong; see which reads well{}, then fix the server's charset or the {what}",
                            self.samples(&[decided, declared])
                        ),
                    )
                }
            }
        };
        self.add(weight, "header-beats-declaration", text);
    }

    fn byte_order_mark(&mut self, misread: bool) {
        let Some((bom, _)) = self.evidence.decision.bom.filter(|_| !misread) else {
            return;
        };
        if let Some(clue) = self.evidence.decision.clues.iter().find(|c| {
            c.origin.is_declaration()
                && c.fate != Fate::Ignored
                && c.encoding.is_some_and(|e| e != bom)
        }) {
            let what = match clue.origin {
                Origin::Transport => "Content-Type header",
                Origin::Meta => "meta",
                Origin::XmlDeclaration => "XML declaration",
                _ => "declaration",
            };
            let remedy = if bom == Encoding::UTF_8 {
                format!("change the {what} to `utf-8`")
            } else {
                format!("save the page as UTF-8 and change the {what} to `utf-8`")
            };
            self.add(
                Weight::Fragile,
                "bom-beats-declaration",
                format!("the byte order mark means {bom} and beats the {what}'s `{}` in browsers, while other programs may believe the latter: {remedy}", label(clue)),
            );
        }
        if matches!(
            self.evidence.decision.format,
            Format::Json | Format::Ndjson | Format::JsonSeq
        ) {
            self.add(
                Weight::Fragile,
                "bom-in-json",
                "JSON must not begin with a byte order mark (RFC 8259): many parsers refuse it; save the file without",
            );
        }
    }

    fn metas(&mut self) {
        let mut met = false;
        // The start of a tag that the window of the prescan cuts: the parser meets it again.
        let mut cut = None;
        for meta in self.evidence.clues(Origin::Meta).take(METAS) {
            let label = label(meta);
            let place = meta
                .at
                .map_or_else(String::new, |at| self.evidence.place(at));
            let end = meta.at.map_or(0, |(_, end)| end);
            let counted = matches!(
                meta.fate,
                Fate::Decided | Fate::Agrees | Fate::Outranked | Fate::Rewritten
            );
            match (meta.fate, meta.reason) {
                (Fate::UnknownLabel, _) => {
                    let (why, remedy) = (no_encoding(&label), self.say_so());
                    self.add(
                        Weight::Wrong,
                        "meta-unknown-label",
                        format!("the meta at {place} says `{label}`, which is no encoding{why}, and counts for nothing: {remedy}"),
                    );
                    continue;
                }
                (_, Some(Reason::NoPragma)) => {
                    let remedy = self.say_so();
                    self.add(
                        Weight::Wrong,
                        "meta-without-http-equiv",
                        format!("the meta at {place} has `charset={label}` in its content but no `http-equiv=\"content-type\"`, and counts for nothing: {remedy}"),
                    );
                    continue;
                }
                (_, Some(Reason::Unfinished)) => {
                    cut = meta.at.map(|(start, _)| start);
                    self.add(
                        Weight::Fragile,
                        "meta-cut",
                        format!("the meta at {place} (`{label}`) does not end within the first 1024 bytes, so the standard's prescan passes over it: make it shorter, and the first thing in the head"),
                    );
                    continue;
                }
                (_, Some(Reason::Utf16MeansUtf8)) => self.add(
                    Weight::Wrong,
                    "meta-says-utf-16",
                    format!("the meta at {place} says `{label}`, but what can be read as a meta is not UTF-16, so UTF-8 is taken: write {META}"),
                ),
                (_, Some(Reason::UserDefinedMeansWindows1252)) => self.add(
                    Weight::Wrong,
                    "meta-says-x-user-defined",
                    format!("the meta at {place} says `{label}`, for which windows-1252 is taken: say what the page is, best {META}"),
                ),
                (Fate::OutOfReach, reason) if met => {
                    let differs = meta.encoding.is_some_and(|encoding| encoding != self.encoding());
                    let weight = if differs { Weight::Fragile } else { Weight::Note };
                    let why = reason.map_or("", Reason::words);
                    self.add(weight, "further-meta", format!("the meta at {place} (`{label}`) is not looked at ({why}): a page has one meta for its encoding; remove this one"));
                    continue;
                }
                _ => {}
            }
            if met && counted {
                let weight = if meta.fate == Fate::Agrees {
                    Weight::Note
                } else {
                    Weight::Fragile
                };
                self.add(weight, "further-meta", format!("the meta at {place} (`{label}`) is one too many, only the first counts: remove it"));
            } else if end > PRESCAN_WINDOW as u64
                && meta.encoding.is_some()
                && cut != meta.at.map(|(start, _)| start)
            {
                self.late(meta, &place, end);
            }
            met |= counted;
        }
    }

    /// A `<meta>` that ends after the first 1024 bytes.
    fn late(&mut self, meta: &Clue, place: &str, end: u64) {
        let start = format!(
            "your meta at {place} (`{}`) ends at byte {end}, after the first {PRESCAN_WINDOW}",
            label(meta)
        );
        let move_it = "make it the first thing in the head";
        let found_by_browsers = HeadScan::of(self.evidence.bytes)
            .metas
            .iter()
            .any(|found| meta.at.is_some_and(|at| at.0 == found.at.0));
        let (weight, text) = match meta.fate {
            _ if found_by_browsers => (
                Weight::Fragile,
                format!(
                    "{start}: browsers look on through the head and find it, other readers stop before: {move_it}"
                ),
            ),
            Fate::OutOfReach if meta.encoding == Some(self.encoding()) => (
                Weight::Fragile,
                format!(
                    "{start}, where nobody looks any more; that it is right all the same is not its doing: {move_it}"
                ),
            ),
            Fate::OutOfReach => (
                Weight::Wrong,
                format!(
                    "{start}, and is not looked at, so the page is read as {}: {move_it}",
                    self.encoding()
                ),
            ),
            _ => (
                Weight::Wrong,
                format!(
                    "{start} and after the head: browsers do not look there, they guess: {move_it}"
                ),
            ),
        };
        self.add(weight, "late-meta", text);
    }

    fn xml_declaration_in_html(&mut self) {
        let mut declarations = self.evidence.clues(Origin::XmlDeclaration);
        if let Some(xml) = declarations.find(|clue| clue.fate == Fate::Decided) {
            let remedy = self.say_so();
            self.add(
                Weight::Fragile,
                "xml-declaration-in-html",
                format!("only an XML declaration names the encoding (`{}`), and in HTML not every reader looks at it: {remedy}", label(xml)),
            );
        }
    }

    fn undeclared(&mut self, not_meta: &[NotMeta]) {
        let declared = self.evidence.decision.clues.iter().any(|clue| {
            clue.origin.is_declaration()
                && clue.encoding.is_some()
                && !matches!(clue.fate, Fate::OutOfReach | Fate::Ignored)
        });
        if declared || self.evidence.bytes.is_empty() {
            return;
        }
        // Where a declaration failed, that has been said, and what to write instead.
        let failed =
            |advice: &Advice| matches!(advice.id, "meta-unknown-label" | "meta-without-http-equiv");
        if self.advice.iter().any(failed) || not_meta.iter().any(|found| found.unclosed) {
            return;
        }
        let remedy = self.say_so();
        let ascii = self.evidence.nature == Nature::Ascii && !self.encoding().is_utf_16();
        let weight = if ascii {
            Weight::Fragile
        } else {
            Weight::Wrong
        };
        self.add(
            weight,
            "undeclared",
            format!("nothing declares the encoding, so every reader guesses, each in its own way: {remedy}"),
        );
    }

    /// What to write, by what the page is.
    fn say_so(&self) -> String {
        let write = format!("write {META} as the first thing in the head");
        if self.encoding().is_utf_16() {
            return format!(
                "save the page as UTF-8 and {write}; by the look of it, it is {} now, which browsers never guess",
                self.encoding()
            );
        }
        match self.evidence.nature {
            Nature::Ascii => {
                format!("{write} (the page is plain ASCII, so today every guess is right)")
            }
            Nature::Utf8 => format!(
                "{write} (the page is UTF-8, which browsers never guess: they show it garbled)"
            ),
            Nature::Other => {
                let guess = match self.evidence.decision.rule {
                    Rule::XmlDeclaration | Rule::Transport => self.encoding(),
                    _ => self.evidence.guess().unwrap_or(self.encoding()),
                };
                let reads = self
                    .evidence
                    .first_in_text()
                    .and_then(|at| self.evidence.sample(at, guess))
                    .map_or_else(String::new, |sample| {
                        format!(", which reads \u{201C}{sample}\u{201D}")
                    });
                format!(
                    "convert the page to UTF-8 and {write}; by the look of it, it is {guess} now{reads}"
                )
            }
        }
    }

    fn not_metas(&mut self, not_meta: &[NotMeta]) {
        let undeclared = self.advice.iter().any(|advice| advice.id == "undeclared");
        for found in not_meta {
            let (line, label, inside) = (found.line, shown(&found.label), &found.inside);
            let what = format!(
                "what looks like a meta in line {line} (`{label}`) is none: it stands in {inside}"
            );
            if found.unclosed {
                let remedy = self.say_so();
                self.add(
                    Weight::Wrong,
                    "meta-not-closed",
                    format!("{what}, so nothing declares the encoding: {remedy}"),
                );
            } else if found.counted {
                self.add(
                    Weight::Fragile,
                    "not-a-meta",
                    format!(
                        "{what}; the standard's prescan counts it all the same, browsers do not"
                    ),
                );
            } else {
                let weight = if undeclared {
                    Weight::Fragile
                } else {
                    Weight::Note
                };
                self.add(weight, "not-a-meta", what);
            }
        }
    }
}
