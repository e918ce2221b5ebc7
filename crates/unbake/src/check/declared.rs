//! What a document and its headers declare, and what is wrong with it.

use crate::check::Checking;
use crate::check::rules::CheckRule;
use crate::css::at_charset;
use crate::decision::{Clue, Fate, Format, Origin, Reason};
use crate::encoding::Encoding;
use crate::label::{get_an_encoding, narrower_standard, show_label};
use crate::meta::MetaAttributes;
use crate::prescan::PRESCAN_WINDOW;
use crate::tokenizer::Tokenizer;
use crate::tokenizer_state::{Content, Next};

/// The attributes of the tag that these bytes are.
pub(crate) fn attributes(tag: &[u8]) -> MetaAttributes {
    let mut found = MetaAttributes::default();
    Tokenizer::new(Content::Data).feed(tag, &mut |_, tag| {
        found = tag.meta.clone();
        Next::Stop
    });
    found
}

fn name(origin: Origin) -> &'static str {
    match origin {
        Origin::Bom => "the byte order mark",
        Origin::Transport => "the Content-Type header",
        Origin::Meta => "the meta element",
        Origin::XmlDeclaration => "the XML declaration",
        Origin::CssCharset => "@charset",
        Origin::Utf16Prefix => "the first characters",
        _ => "the context",
    }
}

impl Checking<'_> {
    /// Labels, conflicts, and the rules of HTML and CSS.
    pub(super) fn declarations(&mut self) {
        let clues = self.decision.clues.clone();
        for clue in &clues {
            self.label(clue);
        }
        self.conflicts(&clues);
        match self.decision.format {
            Format::Html => self.html(&clues),
            Format::Css => self.css(),
            _ => {}
        }
    }

    fn label(&mut self, clue: &Clue) {
        let (Some(label), Some(at)) = (&clue.label, clue.at.or(Some((0, 0)))) else {
            return;
        };
        let who = name(clue.origin);
        let at = self.label_at(clue).unwrap_or(at);
        match (clue.fate, clue.reason) {
            (_, Some(Reason::NoPragma)) => self.find(
                CheckRule::MetaWithoutPragma,
                at,
                format!("the meta with `charset={label}` in its content declares nothing without `http-equiv=content-type`"),
            ),
            (_, Some(Reason::NotInThisFormat | Reason::NotAMimeType)) => {}
            (Fate::UnknownLabel, _) => self.find(
                CheckRule::UnknownLabel,
                at,
                format!("{who} says `{label}`, which is not a label of any encoding"),
            ),
            (_, Some(Reason::Utf16MeansUtf8)) => self.find(
                CheckRule::Utf16Declaration,
                at,
                format!("{who} says `{label}` and can be read as ASCII: UTF-8 is taken instead"),
            ),
            (_, Some(Reason::UserDefinedMeansWindows1252)) => self.find(
                CheckRule::MisleadingLabel,
                at,
                format!("{who} says `{label}`, which means windows-1252 in a declaration"),
            ),
            _ => {
                let Some(encoding) = clue.encoding else { return };
                if encoding == Encoding::Web(encoding_rs::REPLACEMENT) {
                    self.find(
                        CheckRule::RefusedEncoding,
                        at,
                        format!("{who} says `{label}`: browsers refuse this encoding and show one U+FFFD"),
                    );
                } else if let Some(narrower) = narrower_standard(label, encoding) {
                    self.find(
                        CheckRule::MisleadingLabel,
                        at,
                        format!("{who} says `{label}`, which the web reads as {encoding}, not as {narrower}"),
                    );
                }
            }
        }
    }

    /// Where the label stands within a meta tag; other clues stand there already.
    pub(super) fn label_at(&self, clue: &Clue) -> Option<(u64, u64)> {
        let (start, end) = clue.at?;
        let tag = self.bytes.get(start as usize..end as usize)?;
        let label = clue.label.as_deref()?.as_bytes();
        if clue.origin != Origin::Meta || label.is_empty() {
            return None;
        }
        // The last place: a label stands behind the words `charset` and `meta`.
        let at = memchr::memmem::rfind(tag, label)?;
        let at = start + at as u64;
        Some((at, at + label.len() as u64))
    }

    /// Declarations of different kinds that resolve to different encodings.
    fn conflicts(&mut self, clues: &[Clue]) {
        let counts = |clue: &&Clue| {
            clue.origin.is_declaration()
                && clue.encoding.is_some()
                && !matches!(clue.fate, Fate::Ignored | Fate::UnknownLabel)
                && clue.reason != Some(Reason::NoPragma)
        };
        let Some(first) = clues.iter().find(counts) else {
            return;
        };
        for clue in clues.iter().filter(counts) {
            if clue.encoding == first.encoding || clue.origin == first.origin {
                continue;
            }
            let (Some(theirs), Some(ours)) = (clue.encoding, first.encoding) else {
                continue;
            };
            let rule = if clue.origin == Origin::CssCharset {
                CheckRule::CssCharsetDisagrees
            } else {
                CheckRule::ConflictingDeclarations
            };
            let said = clue.label.as_deref().unwrap_or(theirs.name());
            let at = self.label_at(clue).or(clue.at).unwrap_or((0, 0));
            self.find(
                rule,
                at,
                format!(
                    "{} says `{said}`, and {} says {}, which wins",
                    name(clue.origin),
                    name(first.origin),
                    first
                        .label
                        .as_deref()
                        .map_or_else(|| ours.to_string(), |label| format!("`{label}`")),
                ),
            );
        }
    }

    fn html(&mut self, clues: &[Clue]) {
        let metas: Vec<&Clue> = clues
            .iter()
            .filter(|clue| {
                clue.origin == Origin::Meta
                    && clue.reason != Some(Reason::NoPragma)
                    && clue.reason != Some(Reason::Unfinished)
            })
            .collect();
        let mut seen: Option<&Clue> = None;
        for meta in &metas {
            let Some(at) = meta.at else { continue };
            let said = meta.label.as_deref().unwrap_or_default();
            let place = self.label_at(meta).unwrap_or(at);
            if let Some(first) = seen {
                let before = first.label.as_deref().unwrap_or_default();
                if meta.encoding.is_some()
                    && first.encoding.is_some()
                    && meta.encoding != first.encoding
                {
                    self.find(
                        CheckRule::DeclarationsDiffer,
                        place,
                        format!("this meta says `{said}`, and an earlier one says `{before}`"),
                    );
                } else {
                    self.find(
                        CheckRule::TwoDeclarations,
                        at,
                        format!("a second meta declares the encoding; the first says `{before}`"),
                    );
                }
                continue;
            }
            let tag = self
                .bytes
                .get(at.0 as usize..at.1 as usize)
                .unwrap_or_default();
            let attributes = attributes(tag);
            let pragma = attributes
                .http_equiv
                .as_deref()
                .is_some_and(|value| value.eq_ignore_ascii_case(b"content-type"));
            if attributes.charset.is_some() && pragma {
                self.find(
                    CheckRule::TwoDeclarations,
                    at,
                    "one meta has both `charset` and `http-equiv=content-type`: leave one of them"
                        .to_owned(),
                );
            }
            if meta.encoding.is_some() {
                if at.1 > PRESCAN_WINDOW as u64 {
                    self.find(
                        CheckRule::DeclarationLate,
                        at,
                        format!("this meta ends at byte {}; it must be complete within the first {PRESCAN_WINDOW}", at.1),
                    );
                }
                seen = Some(meta);
            }
        }
        let start = self.decision.bom.map_or(0, |(_, len)| len);
        let after_mark = self.bytes.get(start..).unwrap_or_default();
        if after_mark.starts_with(b"<?xml") || self.text.starts_with("<?xml") {
            let end = memchr::memchr(b'>', after_mark).map_or(5, |at| at + 1);
            self.find(
                CheckRule::XmlDeclarationInHtml,
                (start as u64, (start + end) as u64),
                "an XML declaration is a bogus comment in HTML".to_owned(),
            );
        }
        let declared = clues.iter().any(|clue| {
            clue.origin.is_declaration() && clue.encoding.is_some() && clue.fate != Fate::Ignored
        });
        if !declared && !self.bytes.is_empty() && !self.decision.encoding.is_utf_16() {
            self.find(
                CheckRule::NoDeclaration,
                (0, 0),
                "nothing declares the encoding: no byte order mark, no charset in a header, no meta element".to_owned(),
            );
        }
    }

    fn css(&mut self) {
        let start = self.decision.bom.map_or(0, |(_, len)| len);
        let sheet = self.bytes.get(start..).unwrap_or_default();
        let exact = at_charset(sheet);
        if let (Some((label, (from, to))), true) = (exact, start > 0) {
            // Behind a mark the rule is not looked at, and still it should not say something else.
            let label = show_label(label);
            let at = (start as u64 + from, start as u64 + to);
            let named = get_an_encoding(label.as_bytes());
            if named.is_some_and(|named| named != self.decision.encoding) {
                self.find(
                    CheckRule::CssCharsetDisagrees,
                    at,
                    format!(
                        "@charset says `{label}`, and the byte order mark says {}, which wins",
                        self.decision.encoding
                    ),
                );
            }
        }
        let text = self.text.to_owned();
        if let Some(found) = first_at_charset(&text)
            && exact.is_none()
            && self.decision.encoding.is_ascii_compatible()
        {
            let at = (start + found) as u64;
            self.find(
                CheckRule::CssCharsetInexact,
                (at, at + "@charset".len() as u64),
                "this @charset is not the exact bytes `@charset \"…\";` at the very start, so it means nothing".to_owned(),
            );
        }
    }
}

/// Where the style sheet's first rule is an `@charset`, in capitals or not, after white space and comments.
pub(crate) fn first_at_charset(text: &str) -> Option<usize> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{C}', '\u{FEFF}']);
        match rest.strip_prefix("/*") {
            Some(comment) => rest = comment.split_once("*/")?.1,
            None => break,
        }
    }
    let word = rest.get(.."@charset".len())?;
    word.eq_ignore_ascii_case("@charset")
        .then(|| text.len() - rest.len())
}
