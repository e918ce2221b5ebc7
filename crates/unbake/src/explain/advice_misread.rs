//! Advice where the bytes are something else than what was decided: signs that hold whatever the language.

use crate::decision::{Clue, Fate, Format, Origin};
use crate::encoding::Encoding;
use crate::explain::advice::{Adviser, Weight, label};
use crate::explain::evidence::{Nature, Place};

impl Adviser<'_> {
    /// Bytes that are no text in the encoding decided, by a sign that needs no guess. True where the rest of the advice about bytes
    /// would lead astray.
    pub(super) fn misread(&mut self) -> bool {
        self.binary() || self.wide() || self.false_byte_order_mark()
    }

    fn binary(&mut self) -> bool {
        if self.evidence.decision.format != Format::Binary {
            return false;
        }
        self.add(
            Weight::Note,
            "binary",
            "the first bytes are no text but those of an image, an archive or the like, so the encoding means nothing; where it is a document all the same, say which: in the Content-Type header, by the file's name, or with `--format`",
        );
        true
    }

    /// UTF-16 or UTF-32 that is read as something else.
    fn wide(&mut self) -> bool {
        let encoding = self.encoding();
        let Some(looks) = self.evidence.wide().filter(|&looks| looks != encoding) else {
            return false;
        };
        let remedy = match looks {
            Encoding::Web(_) => {
                "save the page as UTF-8 (a byte order mark, or the right charset in the Content-Type header, would also do)"
            }
            _ => "the web has no UTF-32, save the page as UTF-8",
        };
        self.add(
            Weight::Wrong,
            "looks-like-utf-16-or-32",
            format!(
                "the page is read as {encoding}, but its NUL bytes stand as in {looks}: {remedy}"
            ),
        );
        true
    }

    /// A mark that says UTF-8 before bytes that are something else, as a declaration truly says.
    fn false_byte_order_mark(&mut self) -> bool {
        let decision = self.evidence.decision;
        let Some((bom, length)) = decision.bom else {
            return false;
        };
        let count = self.evidence.malformed.count;
        if count == 0 || bom != Encoding::UTF_8 || decision.encoding != bom {
            return false;
        }
        let says = |clue: &&Clue| {
            matches!(
                clue.origin,
                Origin::Transport | Origin::Meta | Origin::XmlDeclaration | Origin::CssCharset
            ) && !matches!(clue.fate, Fate::Ignored | Fate::UnknownLabel)
        };
        let fits = |&encoding: &Encoding| {
            encoding != Encoding::UTF_8
                && self.evidence.faults_as(encoding, length) * 4 < self.evidence.faults(count)
        };
        let declared = decision
            .clues
            .iter()
            .filter(says)
            .find_map(|clue| Some((clue, clue.encoding.filter(fits)?)));
        let remove = "remove the mark (the first 3 bytes, EF BB BF)";
        let text = if let Some((clue, encoding)) = declared {
            format!(
                "the byte order mark means UTF-8, but the bytes after it are not UTF-8 ({count} malformed) and fit the declared `{}`{}: {remove}, or convert the page to UTF-8 from {encoding}",
                label(clue),
                self.samples(&[Encoding::UTF_8, encoding])
            )
        } else if let Some(guess) = self.evidence.guess().filter(fits) {
            format!(
                "the byte order mark means UTF-8, but the bytes after it are not UTF-8 ({count} malformed); by the look of it, they are {guess}{}: {remove} and declare what the page is, or convert it to UTF-8 from {guess}",
                self.samples(&[Encoding::UTF_8, guess])
            )
        } else {
            return false;
        };
        self.add(Weight::Wrong, "false-byte-order-mark", text);
        true
    }

    /// Control characters that nobody writes: a label that means too little, or text that was decoded wrongly before.
    pub(super) fn c1_controls(&mut self) {
        let Some((first, count)) = self.evidence.c1 else {
            return;
        };
        if self.any_wrong() {
            return;
        }
        let encoding = self.encoding();
        let line = Place::of(self.evidence.bytes, first).line;
        let times = if count == 1 {
            "once".to_owned()
        } else {
            format!("{count} times")
        };
        let what = format!(
            "C1 control characters (U+0080-U+009F) stand in the text {times}, the first in line {line} (byte {first}), and nobody writes those"
        );
        if self.evidence.nature == Nature::Utf8 {
            self.add(
                Weight::Wrong,
                "c1-controls",
                format!("{what}: the text was read as ISO-8859-1 once, before it was saved as UTF-8; take it from its source again"),
            );
            return;
        }
        let page = windows_page(encoding)
            .into_iter()
            .chain(self.evidence.guess())
            .find(|&page| {
                page != encoding
                    && self.evidence.faults_as(page, 0)
                        < self.evidence.faults(self.evidence.malformed.count)
            });
        let text = match page {
            Some(page) => format!(
                "{what}: the page is probably not {encoding} but {page}{}; convert it to UTF-8 from {page}, or declare that",
                self.samples_at(first as usize, &[encoding, page])
            ),
            None => format!("{what}: bytes were damaged, or the page is not {encoding}"),
        };
        self.add(Weight::Wrong, "c1-controls", text);
    }
}

/// The Windows code page that has letters where an ISO encoding of the same script has control characters.
fn windows_page(encoding: Encoding) -> Option<Encoding> {
    Some(match encoding.name() {
        "ISO-8859-2" | "ISO-8859-16" => encoding_rs::WINDOWS_1250.into(),
        "ISO-8859-4" | "ISO-8859-10" | "ISO-8859-13" => encoding_rs::WINDOWS_1257.into(),
        "ISO-8859-5" => encoding_rs::WINDOWS_1251.into(),
        "ISO-8859-6" => encoding_rs::WINDOWS_1256.into(),
        "ISO-8859-7" => encoding_rs::WINDOWS_1253.into(),
        "ISO-8859-8" | "ISO-8859-8-I" => encoding_rs::WINDOWS_1255.into(),
        "ISO-8859-3" => encoding_rs::WINDOWS_1254.into(),
        "ISO-8859-14" | "ISO-8859-15" => encoding_rs::WINDOWS_1252.into(),
        _ => return None,
    })
}
