//! [`Rule`] and [`Confidence`]: every way an encoding can be settled.

use core::fmt;

/// How sure the standard is of an encoding. Not a probability: a word with a meaning in the parser.
///
/// # Standard
/// [HTML Standard, 13.2.3](https://html.spec.whatwg.org/#concept-encoding-confidence).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "lowercase")
)]
pub enum Confidence {
    /// Nothing that follows in the document can change it.
    Certain,
    /// A late `<meta>` may still change it.
    Tentative,
    /// The input was characters already: there was nothing to decide.
    Irrelevant,
}

impl Confidence {
    /// The standard's word, as in the Record.
    pub fn id(self) -> &'static str {
        match self {
            Confidence::Certain => "certain",
            Confidence::Tentative => "tentative",
            Confidence::Irrelevant => "irrelevant",
        }
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident = $id:literal, $summary:literal, $spec:literal;)*) => {
        /// The rule that settled an encoding. Its [`id`](Rule::id) is part of stored records and never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rule { $($(#[$doc])* $variant,)* }

        impl Rule {
            /// All rules, in the order of the standard.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            /// The stable id, as in the Record's field `rule`.
            pub fn id(self) -> &'static str {
                match self { $(Rule::$variant => $id,)* }
            }

            /// One clause for people.
            pub fn summary(self) -> &'static str {
                match self { $(Rule::$variant => $summary,)* }
            }

            /// Where the rule is written down.
            pub fn spec(self) -> &'static str {
                match self { $(Rule::$variant => $spec,)* }
            }
        }
    };
}

rules! {
    /// Step 1: a byte order mark.
    Bom = "bom", "a byte order mark opens the document", "https://encoding.spec.whatwg.org/#bom-sniff";
    /// Step 2: the user said so.
    Override = "override", "the user asked for this encoding", "https://html.spec.whatwg.org/#encoding-sniffing-algorithm";
    /// Step 4: the Content-Type header.
    Transport = "transport", "the Content-Type header names it", "https://html.spec.whatwg.org/#encoding-sniffing-algorithm";
    /// Step 5: a `<meta>` at the start.
    Prescan = "prescan", "a meta element at the start declares it", "https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding";
    /// Step 5, its fallback; for XML documents the declaration itself.
    XmlDeclaration = "xml-declaration", "the XML declaration names it", "https://html.spec.whatwg.org/#concept-get-xml-encoding-when-sniffing";
    /// A `<meta>` past the first 1024 bytes.
    LateMeta = "late-meta", "a meta element past the first 1024 bytes declares it", "https://html.spec.whatwg.org/#changing-the-encoding-while-parsing";
    /// Step 6: the document that holds this one in a frame.
    Parent = "parent", "inherited from the same-origin parent document", "https://html.spec.whatwg.org/#encoding-sniffing-algorithm";
    /// Step 7: what it was the last time.
    Remembered = "remembered", "remembered from an earlier visit", "https://html.spec.whatwg.org/#encoding-sniffing-algorithm";
    /// Step 8, the exact half: the bytes are valid UTF-8 and not ASCII alone.
    Utf8Valid = "utf8-valid", "every byte fits UTF-8, which other text almost never does", "https://html.spec.whatwg.org/#encoding-sniffing-algorithm";
    /// Step 8, the guess.
    Detected = "detected", "guessed from the text", "https://html.spec.whatwg.org/#encoding-sniffing-algorithm";
    /// Step 9: the locale's default.
    Locale = "locale", "the usual encoding of the locale", "https://html.spec.whatwg.org/#encoding-sniffing-algorithm";
    /// CSS: `@charset` or the environment of the style sheet.
    CssCharset = "css-charset", "the style sheet's @charset names it", "https://drafts.csswg.org/css-syntax/#determine-the-fallback-encoding";
    /// The format allows nothing else.
    Format = "format", "the format fixes it", "https://encoding.spec.whatwg.org/#utf-8-decode";
    /// Nothing was known: the last resort.
    Default = "default", "nothing was known, so the last resort applies", "https://html.spec.whatwg.org/#encoding-sniffing-algorithm";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}
