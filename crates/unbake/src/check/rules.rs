//! The rules of the check, one row each: what `docs/rules.md` and every output say of them.

use core::fmt;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Some reader will show other text.
    Warning,
    /// A standard forbids it, or text is lost.
    Error,
}

impl Severity {
    /// The name in all outputs.
    pub fn id(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// How sure the mend of a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mend {
    /// The text stays the same to the character.
    Exact,
    /// The declaration is rewritten, moved or added; the rest of the text stays the same to the character.
    Declaration,
    /// Only the author knows what is meant.
    ByHand,
}

impl Mend {
    /// The name in all outputs.
    pub fn id(self) -> &'static str {
        match self {
            Mend::Exact => "exact",
            Mend::Declaration => "declaration",
            Mend::ByHand => "by-hand",
        }
    }

    /// What it means.
    pub fn words(self) -> &'static str {
        match self {
            Mend::Exact => "`--fix` mends it; the text stays the same to the character",
            Mend::Declaration => {
                "`--fix` mends it; the declaration changes, the rest of the text stays the same to the character"
            }
            Mend::ByHand => "by hand: only the author knows what is meant",
        }
    }
}

macro_rules! check_rules {
    ($($(#[$doc:meta])* $variant:ident {
        id: $id:literal, severity: $severity:ident, mend: $mend:ident,
        summary: $summary:literal,
        what: $what:literal,
        why: $why:literal,
        example: $example:literal,
        spec: $spec:literal, section: $section:literal $(,)?
    })*) => {
        /// A rule of the check. Its [`id`](CheckRule::id) never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CheckRule { $($(#[$doc])* $variant,)* }

        impl CheckRule {
            /// All rules.
            pub const ALL: &'static [CheckRule] = &[$(CheckRule::$variant),*];

            /// The stable id.
            pub fn id(self) -> &'static str { match self { $(CheckRule::$variant => $id,)* } }
            /// How grave a finding is.
            pub fn severity(self) -> Severity { match self { $(CheckRule::$variant => Severity::$severity,)* } }
            /// How sure the mend is.
            pub fn mend(self) -> Mend { match self { $(CheckRule::$variant => Mend::$mend,)* } }
            /// One clause.
            pub fn summary(self) -> &'static str { match self { $(CheckRule::$variant => $summary,)* } }
            /// What is found.
            pub fn what(self) -> &'static str { match self { $(CheckRule::$variant => $what,)* } }
            /// Why it matters.
            pub fn why(self) -> &'static str { match self { $(CheckRule::$variant => $why,)* } }
            /// A document that it is found in.
            pub fn example(self) -> &'static str { match self { $(CheckRule::$variant => $example,)* } }
            /// The clause of the standard.
            pub fn spec(self) -> &'static str { match self { $(CheckRule::$variant => $spec,)* } }
            /// The clause's name.
            pub fn section(self) -> &'static str { match self { $(CheckRule::$variant => $section,)* } }
        }
    };
}

check_rules! {
    /// Not text at all.
    Binary {
        id: "binary", severity: Error, mend: ByHand,
        summary: "the bytes are no text",
        what: "Nothing says what the document is, and its first 1445 bytes hold binary data bytes or begin as a PDF does.",
        why: "A browser offers it as a download. Nothing else is checked.",
        example: r"\x89PNG\r\n\x1A\n",
        spec: "https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type", section: "MIME Sniffing 7.1",
    }
    /// HTML in another encoding.
    HtmlNotUtf8 {
        id: "html-not-utf8", severity: Error, mend: Declaration,
        summary: "an HTML document is not UTF-8",
        what: "The document is decoded with another encoding than UTF-8.",
        why: "Authors must use UTF-8. Forms, URLs and scripts of such a page send and read bytes that other parts of the web take for UTF-8.",
        example: r"<meta charset=windows-1251><p>\xCF\xF0",
        spec: "https://html.spec.whatwg.org/#charset", section: "HTML 4.2.5.4",
    }
    /// Nothing declares the encoding.
    NoDeclaration {
        id: "no-declaration", severity: Warning, mend: Declaration,
        summary: "nothing declares the encoding of an HTML document",
        what: "There is no byte order mark, no charset in a Content-Type header and no meta element that declares an encoding.",
        why: "Every reader guesses, browsers never guess UTF-8 for what came over the network, and the guesses differ.",
        example: r"<!DOCTYPE html><p>Hello",
        spec: "https://html.spec.whatwg.org/#charset", section: "HTML 4.2.5.4",
    }
    /// The declaration is out of reach.
    DeclarationLate {
        id: "declaration-late", severity: Error, mend: Declaration,
        summary: "the declaration ends after byte 1024",
        what: "The meta element that declares the encoding is not complete within the first 1024 bytes.",
        why: "It must be. Readers that search those bytes alone do not see it, and others may have to read the page twice.",
        example: r"<!-- 1100 bytes --><meta charset=utf-8>",
        spec: "https://html.spec.whatwg.org/#charset", section: "HTML 4.2.5.4",
    }
    /// Two meta elements disagree.
    DeclarationsDiffer {
        id: "declarations-differ", severity: Error, mend: Declaration,
        summary: "two meta elements declare different encodings",
        what: "A second meta element names an encoding that is not the first one's.",
        why: "Readers differ in which one they take.",
        example: r"<meta charset=utf-8><meta charset=koi8-r>",
        spec: "https://html.spec.whatwg.org/#charset", section: "HTML 4.2.5.4",
    }
    /// More than one declaration.
    TwoDeclarations {
        id: "two-declarations", severity: Warning, mend: ByHand,
        summary: "the encoding is declared twice, as by `http-equiv` and `charset`",
        what: "More than one meta element, or one with both `charset` and `http-equiv=content-type`, declares the encoding.",
        why: "There must be no more than one. The next edit will change one of them and forget the other.",
        example: r#"<meta charset=utf-8><meta http-equiv=content-type content="text/html; charset=utf-8">"#,
        spec: "https://html.spec.whatwg.org/#charset", section: "HTML 4.2.5.4",
    }
    /// `content` without `http-equiv`.
    MetaWithoutPragma {
        id: "meta-without-pragma", severity: Warning, mend: ByHand,
        summary: "a meta with a charset in its `content` lacks `http-equiv=content-type`",
        what: "`content` names a charset, and the attribute that would make it a declaration is missing or misspelt.",
        why: "It declares nothing.",
        example: r#"<meta content="text/html; charset=koi8-r">"#,
        spec: "https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding", section: "HTML 13.2.3.2",
    }
    /// Header, mark and document disagree.
    ConflictingDeclarations {
        id: "conflicting-declarations", severity: Error, mend: Declaration,
        summary: "header, byte order mark and declaration name different encodings",
        what: "Two of the Content-Type header, the byte order mark, the meta element and the XML declaration resolve to different encodings.",
        why: "A mark beats a header, a header beats what is in the document; readers that do not know this order show other text.",
        example: r"\xEF\xBB\xBF<meta charset=windows-1252>",
        spec: "https://html.spec.whatwg.org/#encoding-sniffing-algorithm", section: "HTML 13.2.3.2; RFC 7303 3.2 for XML",
    }
    /// The label is read as another encoding.
    MisleadingLabel {
        id: "misleading-label", severity: Note, mend: Declaration,
        summary: "the label does not mean what it says",
        what: "The web reads labels such as iso-8859-1, ascii, gb2312, shift_jis, euc-kr and big5 as larger encodings than the standards of those names.",
        why: "Other programs take the name by its word and fail at the characters that only the larger encoding has.",
        example: r"<meta charset=iso-8859-1>",
        spec: "https://encoding.spec.whatwg.org/#names-and-labels", section: "Encoding 4.2",
    }
    /// UTF-16 declared in ASCII.
    Utf16Declaration {
        id: "utf16-declaration", severity: Error, mend: Declaration,
        summary: "a declaration that can be read as ASCII says UTF-16",
        what: "A meta element, an XML declaration or an @charset rule in one-byte characters names utf-16.",
        why: "It can not be true, so UTF-8 is taken instead; other readers believe it and show garbage.",
        example: r"<meta charset=utf-16>",
        spec: "https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding", section: "HTML 13.2.3.2; CSS Syntax 3.2",
    }
    /// No such encoding.
    UnknownLabel {
        id: "unknown-label", severity: Error, mend: ByHand,
        summary: "the label names no encoding that the web supports",
        what: "The label in a header or a declaration is none of the 228 of the Encoding Standard.",
        why: "It is passed over, and the encoding comes from somewhere else or from a guess.",
        example: r"<meta charset=utf-7>",
        spec: "https://encoding.spec.whatwg.org/#concept-encoding-get", section: "Encoding 4.2",
    }
    /// Browsers refuse it.
    RefusedEncoding {
        id: "refused-encoding", severity: Error, mend: ByHand,
        summary: "browsers refuse this encoding",
        what: "The label is one of the replacement encoding: iso-2022-kr, iso-2022-cn, hz-gb-2312.",
        why: "Browsers show one U+FFFD for the whole document.",
        example: r"<meta charset=hz-gb-2312>",
        spec: "https://encoding.spec.whatwg.org/#replacement", section: "Encoding 14.1",
    }
    /// `<?xml` in HTML.
    XmlDeclarationInHtml {
        id: "xml-declaration-in-html", severity: Warning, mend: ByHand,
        summary: "an HTML document begins with an XML declaration",
        what: "The document is HTML, where `<?xml` is a bogus comment.",
        why: "It is a parse error, old readers fall into quirks mode, and only some readers take its encoding.",
        example: r#"<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>"#,
        spec: "https://html.spec.whatwg.org/#parse-error-unexpected-question-mark-instead-of-tag-name", section: "HTML 13.2.2",
    }
    /// Declared legacy, is UTF-8.
    Utf8Misdeclared {
        id: "utf8-misdeclared", severity: Warning, mend: ByHand,
        summary: "the bytes are valid UTF-8 and something else is declared",
        what: "Every byte fits UTF-8, not all are ASCII, and a header or a declaration names another encoding.",
        why: "Text in another encoding almost never fits UTF-8: the declaration is most likely wrong, and readers show `Ã©` for `é`.",
        example: r"<meta charset=windows-1252>\xC3\xA9",
        spec: "https://html.spec.whatwg.org/#encoding-sniffing-algorithm", section: "HTML 13.2.3.2",
    }
    /// Another format in another encoding.
    NotUtf8 {
        id: "not-utf8", severity: Warning, mend: Declaration,
        summary: "the document is not UTF-8",
        what: "A document of another format than HTML and JSON is not ASCII and is not UTF-8, or begins with the mark of UTF-16 where its format knows UTF-8 alone.",
        why: "New formats must use UTF-8 and existing ones should: what reads the file elsewhere will expect it.",
        example: r"caf\xE9, as text/plain; charset=iso-8859-1",
        spec: "https://encoding.spec.whatwg.org/#encodings", section: "Encoding 4, note on new formats",
    }
    /// U+FEFF inside.
    BomInText {
        id: "bom-in-text", severity: Warning, mend: ByHand,
        summary: "U+FEFF stands in the middle of the text",
        what: "A byte order mark that does not begin the document is a ZERO WIDTH NO-BREAK SPACE, as files leave it that were joined.",
        why: "It is invisible content: searches miss the word, keys and first columns differ. RFC 3629 6: there it must not be taken for a signature. Leave it out, or write U+2060 WORD JOINER if that is meant.",
        example: r"a\xEF\xBB\xBFb",
        spec: "https://www.rfc-editor.org/rfc/rfc3629#section-6", section: "RFC 3629 6",
    }
    /// Two marks.
    DoubleBom {
        id: "double-bom", severity: Error, mend: ByHand,
        summary: "the document begins with two byte order marks",
        what: "One mark is removed by decoding. The second is content.",
        why: "The text begins with an invisible U+FEFF: WebVTT loses its signature, JSON does not parse, a first column gets another name.",
        example: r"\xEF\xBB\xBF\xEF\xBB\xBFa",
        spec: "https://encoding.spec.whatwg.org/#decode", section: "Encoding 6, decode",
    }
    /// UTF-16 unmarked.
    Utf16WithoutBom {
        id: "utf16-without-bom", severity: Warning, mend: Declaration,
        summary: "UTF-16 without a byte order mark",
        what: "The document is read as UTF-16 and does not begin with a mark.",
        why: "RFC 2781 reads `utf-16` without a mark as big-endian, the web as little-endian; most readers see NULs.",
        example: r"a\x00b\x00, as text/plain; charset=utf-16",
        spec: "https://www.rfc-editor.org/rfc/rfc2781#section-4.3", section: "RFC 2781 4.3",
    }
    /// JSON with a mark.
    JsonBom {
        id: "json-bom", severity: Error, mend: Exact,
        summary: "JSON begins with a byte order mark",
        what: "A JSON text or a JSON text sequence begins with U+FEFF.",
        why: "Writers must not add one to JSON that is sent over a network. Parsers may ignore it, and many do not: `JSON.parse` and Python's `json.loads` of text fail.",
        example: r"\xEF\xBB\xBF{}",
        spec: "https://www.rfc-editor.org/rfc/rfc8259#section-8.1", section: "RFC 8259 8.1",
    }
    /// JSON in another encoding.
    JsonNotUtf8 {
        id: "json-not-utf8", severity: Error, mend: Exact,
        summary: "JSON is not UTF-8",
        what: "A JSON text, JSON Lines or a JSON text sequence is in UTF-16 or another encoding.",
        why: "JSON that leaves a closed ecosystem must be UTF-8. `fetch().json()` knows nothing else, and a charset parameter means nothing.",
        example: r"\xFF\xFE{\x00}\x00",
        spec: "https://www.rfc-editor.org/rfc/rfc8259#section-8.1", section: "RFC 8259 8.1",
    }
    /// JSON Lines with a mark.
    NdjsonBom {
        id: "ndjson-bom", severity: Error, mend: Exact,
        summary: "JSON Lines begins with a byte order mark",
        what: "The first line begins with U+FEFF.",
        why: "A mark must not be included. Readers fail at line 1, and files that are joined carry it into the middle.",
        example: r"\xEF\xBB\xBF{}\n{}\n",
        spec: "https://jsonlines.org/#utf-8-encoding", section: "JSON Lines 1",
    }
    /// Lines that end in CR.
    NdjsonCr {
        id: "ndjson-cr", severity: Error, mend: ByHand,
        summary: "a line of JSON Lines ends in CR alone",
        what: "A U+000D stands without a U+000A after it.",
        why: "Lines end in LF (CR before it is white space). Readers see one long line with several values.",
        example: r"{}\r{}\r",
        spec: "https://jsonlines.org/#line-separator-is-n", section: "JSON Lines 3",
    }
    /// Excel reads ANSI.
    CsvNoBom {
        id: "csv-no-bom", severity: Note, mend: Exact,
        summary: "CSV in UTF-8 has no byte order mark, and Excel will misread it",
        what: "The file holds characters beyond ASCII in UTF-8 and no mark, and Excel is among its readers (`--csv-for excel`, the default).",
        why: "A double click in Excel reads such a file in the code page of the locale: `Ã©` for `é`.",
        example: r"name\nZo\xC3\xAB\n",
        spec: "https://www.rfc-editor.org/rfc/rfc7111#section-5.1", section: "RFC 7111 5.1; Excel is measured practice, not a standard",
    }
    /// Others see it.
    CsvBom {
        id: "csv-bom", severity: Note, mend: Exact,
        summary: "CSV begins with a byte order mark that other readers than Excel take for content",
        what: "The file begins with a mark, and its readers are others than Excel (`--csv-for others`).",
        why: "Readers that do not expect it give the first column a name that begins with U+FEFF.",
        example: r"\xEF\xBB\xBFname\nZo\xC3\xAB\n",
        spec: "https://www.rfc-editor.org/rfc/rfc7111#section-5.1", section: "RFC 7111 5.1",
    }
    /// Not the exact bytes.
    CssCharsetInexact {
        id: "css-charset-inexact", severity: Error, mend: Declaration,
        summary: "@charset is not the exact bytes, so it means nothing",
        what: r#"The style sheet has an @charset that is not `@charset "…";` at its very start: other quotes, other spaces, capitals, or something before it."#,
        why: "The rule is no rule but a sequence of bytes, and only that sequence counts.",
        example: r"@charset 'utf-8';",
        spec: "https://drafts.csswg.org/css-syntax/#determine-the-fallback-encoding", section: "CSS Syntax 3.2",
    }
    /// It says something else.
    CssCharsetDisagrees {
        id: "css-charset-disagrees", severity: Error, mend: Declaration,
        summary: "@charset names another encoding than the one that is used",
        what: "A byte order mark or the Content-Type header beats the @charset, which says something else.",
        why: "The same file read without its header, or without its mark, is read otherwise.",
        example: r#"\xEF\xBB\xBF@charset "koi8-r";"#,
        spec: "https://drafts.csswg.org/css-syntax/#input-byte-stream", section: "CSS Syntax 3.2",
    }
    /// Ill-formed.
    Malformed {
        id: "malformed", severity: Error, mend: ByHand,
        summary: "bytes are not text in the document's encoding",
        what: "A sequence of bytes is ill-formed in the encoding that was decided.",
        why: "Browsers show U+FFFD for it, XML processors and strict decoders stop. The character is lost until someone knows what was meant.",
        example: r"<meta charset=utf-8>caf\xE9",
        spec: "https://encoding.spec.whatwg.org/#error-mode", section: "Encoding 4.1",
    }
    /// Already lost.
    LiteralFffd {
        id: "literal-fffd", severity: Warning, mend: ByHand,
        summary: "U+FFFD stands in the source",
        what: "The replacement character is in the file itself.",
        why: "An earlier program decoded with the wrong encoding and saved the result: the character behind it is lost.",
        example: r"caf\xEF\xBF\xBD",
        spec: "https://www.unicode.org/versions/latest/core-spec/chapter-23/#G24272", section: "Unicode 23.8",
    }
    /// Wrong Latin-1.
    C1Control {
        id: "c1-control", severity: Warning, mend: ByHand,
        summary: "C1 control characters stand in the text",
        what: "The text holds U+0080-U+009F.",
        why: "Hardly any text means them. They are the mark of windows-1252 that was read as ISO-8859-1: U+0092 was an apostrophe.",
        example: r"it\xC2\x92s",
        spec: "https://html.spec.whatwg.org/#parse-error-control-character-in-input-stream", section: "HTML 13.2.2",
    }
    /// Two encodings in one file.
    MixedEncodings {
        id: "mixed-encodings", severity: Error, mend: ByHand,
        summary: "one file holds UTF-8 and another encoding",
        what: "Most of the file is UTF-8 with characters beyond ASCII, and some runs of bytes are ill-formed: text that was pasted or logged in another encoding.",
        why: "No single encoding reads all of it. Each run must be converted by itself.",
        example: r"\xC3\xA9t\xC3\xA9 \xE9t\xE9",
        spec: "https://encoding.spec.whatwg.org/#utf-8-decoder", section: "Encoding 8.1",
    }
}

impl CheckRule {
    /// The rule with this id.
    pub fn from_id(id: &str) -> Option<CheckRule> {
        CheckRule::ALL.iter().copied().find(|rule| rule.id() == id)
    }
}

impl fmt::Display for CheckRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
