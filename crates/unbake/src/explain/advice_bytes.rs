//! Advice from the bytes: what does not fit what was declared, and what has been lost.

use crate::decision::{Fate, Format, Origin};
use crate::encoding::Encoding;
use crate::explain::advice::{Advice, Adviser, META, Weight, label};
use crate::explain::evidence::{Nature, Place, shown};
use crate::explain::steps::near;
use crate::inspect::inspect;
use crate::label::misleading_label;
use crate::malformed::MalformedKind;
use crate::rule::Rule;

/// How far characters are compared with the strict standard, in bytes.
const SEARCHED: usize = 1 << 20;

impl Adviser<'_> {
    pub(super) fn style_sheet(&mut self) {
        if self.evidence.decision.format != Format::Css {
            return;
        }
        let start = self.evidence.bytes.trim_ascii_start();
        let looks_so = start
            .get(..8)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"@charset"));
        match self.evidence.clues(Origin::CssCharset).next() {
            None if looks_so => self.add(
                Weight::Wrong,
                "css-charset-not-exact",
                "what looks like `@charset` counts only if the file begins with these very bytes: `@charset \"utf-8\";` (lower case, one space, double quotes, nothing before)",
            ),
            Some(clue) if clue.fate == Fate::UnknownLabel => {
                let text = format!("the @charset `{}` is no encoding{}: write `@charset \"utf-8\";`", label(clue), near(&label(clue)));
                self.add(Weight::Wrong, "css-unknown-label", text);
            }
            _ => {}
        }
    }

    /// Bytes that do not fit what was decided, or fit something else better.
    pub(super) fn wrong_encoding(&mut self) {
        let encoding = self.encoding();
        if encoding == encoding_rs::REPLACEMENT.into() {
            return;
        }
        let told = self.advice.iter().any(|advice| {
            advice.weight == Weight::Wrong
                && matches!(
                    advice.id,
                    "header-beats-declaration"
                        | "undeclared"
                        | "meta-unknown-label"
                        | "meta-without-http-equiv"
                )
        });
        if self.evidence.nature == Nature::Utf8
            && encoding.is_ascii_compatible()
            && encoding != Encoding::UTF_8
        {
            if !told {
                let samples = self.samples(&[encoding, Encoding::UTF_8]);
                let remedy = match self.evidence.decision.rule {
                    Rule::Transport => "fix the server's charset, send `charset=utf-8`",
                    Rule::Prescan | Rule::LateMeta => "change the meta to `utf-8`",
                    Rule::XmlDeclaration => "change the XML declaration to `utf-8`",
                    Rule::CssCharset => "write `@charset \"utf-8\";`",
                    _ => "send `charset=utf-8` in the Content-Type header",
                };
                self.add(
                    Weight::Wrong,
                    "utf-8-read-as-another",
                    format!("the page is read as {encoding}, but all its bytes are valid UTF-8, which is no accident{samples}: {remedy}"),
                );
            }
            return;
        }
        if told {
            return;
        }
        let count = self.evidence.malformed.count;
        let Some(first) = self.evidence.malformed.first.first() else {
            return;
        };
        let place = Place::of(self.evidence.bytes, first.at);
        let sequences = if count == 1 {
            "1 sequence is".to_owned()
        } else {
            format!("{count} sequences are")
        };
        let where_ = format!(
            "{sequences} malformed, the first in line {} (byte {}: {})",
            place.line,
            first.at,
            first.kind.reason()
        );
        if count == 1
            && first.kind == MalformedKind::TruncatedAtEnd
            && self.evidence.well_formed() > 0
        {
            self.add(
                Weight::Wrong,
                "cut-at-end",
                "the document ends inside a character: it was cut, in transfer or by a limit counted in bytes",
            );
            return;
        }
        let fatal = match self.evidence.decision.format {
            Format::Xml => "; XML parsers stop there",
            Format::Json | Format::Ndjson | Format::JsonSeq => {
                "; JSON must be UTF-8, and most parsers refuse it"
            }
            _ => "",
        };
        let text = if encoding == Encoding::UTF_8 {
            self.not_utf_8(first.at, &where_)
        } else {
            match self
                .evidence
                .guess()
                .filter(|&guess| guess != encoding && self.evidence.malformed_as(guess) < count)
            {
                Some(guess) => format!(
                    "{where_}: the page is probably not {encoding} but {guess}{}",
                    self.samples(&[encoding, guess])
                ),
                None => {
                    format!("{where_}: bytes were lost or damaged, or the page is not {encoding}")
                }
            }
        };
        self.add(Weight::Wrong, "malformed", format!("{text}{fatal}"));
    }

    /// Why a document that should be UTF-8 is not.
    fn not_utf_8(&self, first: u64, where_: &str) -> String {
        let guess = self.evidence.guess();
        // In text of one byte a character, valid UTF-8 sequences hardly occur; in text of two they do.
        let (well_formed, malformed) = (self.evidence.well_formed(), self.evidence.malformed.count);
        let single = guess
            .and_then(Encoding::web)
            .is_some_and(encoding_rs::Encoding::is_single_byte);
        if well_formed > malformed * 4 || single && well_formed * 4 >= malformed {
            return format!(
                "{where_}: the rest of the text is UTF-8, so these bytes were damaged, or pasted in from a text of another encoding; mend those places"
            );
        }
        let sample = guess.and_then(|guess| {
            let sample = self.evidence.sample(first as usize, guess)?;
            Some(format!(
                "{guess}, which reads \u{201C}{sample}\u{201D} there"
            ))
        });
        match sample {
            Some(sample) => format!(
                "{where_}: it should be UTF-8 and is not; probably it is {sample}: convert it to UTF-8, or declare what it is"
            ),
            None => format!("{where_}: it should be UTF-8 and is not; convert it to UTF-8"),
        }
    }

    pub(super) fn misleading(&mut self) {
        let encoding = self.encoding();
        let Some(label) = self.evidence.decision.label().map(shown) else {
            return;
        };
        if self.any_wrong() {
            return;
        }
        let Some(web) = misleading_label(&label, encoding) else {
            return;
        };
        // Only where the page has such characters, and does not only look like it.
        let searched = self
            .evidence
            .bytes
            .get(..SEARCHED)
            .unwrap_or(self.evidence.bytes);
        let mut beyond = inspect(searched, encoding)
            .filter(|unit| !unit.bytes.is_ascii())
            .filter_map(|unit| Some((unit.at, unit.strict()?)));
        if let Some((at, strict)) = beyond.next() {
            let line = Place::of(self.evidence.bytes, at).line;
            self.add(
                Weight::Note,
                "label-means-more",
                format!("`{label}` is read as {web} on the web, and the page has characters that {} lacks or has otherwise (the first in line {line}, byte {at}): programs that go by the label alone misread them; `unbake inspect` shows them", strict.standard),
            );
        }
    }

    pub(super) fn literal_replacement_characters(&mut self) {
        let count = self.evidence.literal_fffd;
        if count > 0 {
            let (times, it) = if count == 1 {
                ("once".to_owned(), "character was")
            } else {
                (format!("{count} times"), "characters were")
            };
            self.add(
                Weight::Wrong,
                "literal-replacement-character",
                format!("U+FFFD stands in the source {times}: the {it} lost before the page was saved, and only the original can bring them back"),
            );
        }
    }

    pub(super) fn marks_in_the_text(&mut self) {
        let count = self.evidence.feff;
        if count > 0 {
            let times = if count == 1 {
                "once".to_owned()
            } else {
                format!("{count} times")
            };
            self.add(
                Weight::Fragile,
                "mark-in-text",
                format!("U+FEFF stands {times} in the text, where it is content, a zero width no-break space, and no byte order mark: leave it out, or write U+2060 WORD JOINER if that is meant"),
            );
        }
    }

    pub(super) fn legacy(&mut self) {
        let encoding = self.encoding();
        let said = |advice: &Advice| advice.text.contains(META) || advice.text.contains("UTF-8");
        if self.any_wrong()
            || self.advice.iter().any(said)
            || self.evidence.decision.format != Format::Html
            || encoding == Encoding::UTF_8
            || self.evidence.bytes.is_empty()
        {
            return;
        }
        if encoding.is_utf_16() {
            self.add(
                Weight::Note,
                "utf-16-page",
                "the page is UTF-16, which the HTML Standard asks authors not to use: save it as UTF-8",
            );
        } else {
            self.add(
                Weight::Note,
                "legacy-encoding",
                format!("the HTML Standard asks authors to use UTF-8; {encoding} works, but forms and URLs of the page lose what it can not write"),
            );
        }
    }
}
