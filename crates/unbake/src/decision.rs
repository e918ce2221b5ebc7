//! The vocabulary: [`Context`] goes in, [`Clue`]s are found, a [`Decision`] comes out. No algorithms.

use crate::detect::Guess;
use crate::encoding::Encoding;
use crate::rule::{Confidence, Rule};

/// A named set of [`Settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// What did the author mean? The default.
    Pipeline,
    /// What does a visitor's browser show?
    Browser,
    /// What does the text of the standard say?
    Standard,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 3] = [Profile::Pipeline, Profile::Browser, Profile::Standard];

    /// The profile's name on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Profile::Pipeline => "pipeline",
            Profile::Browser => "browser",
            Profile::Standard => "standard",
        }
    }

    /// The settings that the name stands for.
    pub fn settings(self) -> Settings {
        let pipeline = Settings {
            declaration: Declaration::HeadScan,
            late_meta: true,
            utf_8_valid: Utf8Valid::Always,
            detector: true,
        };
        match self {
            Profile::Pipeline => pipeline,
            Profile::Browser => Settings {
                late_meta: false,
                utf_8_valid: Utf8Valid::LocalFiles,
                ..pipeline
            },
            Profile::Standard => Settings {
                declaration: Declaration::Prescan,
                utf_8_valid: Utf8Valid::LocalFiles,
                detector: false,
                ..pipeline
            },
        }
    }
}

/// The parameters of the one algorithm. Each can be set by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How the start of an HTML document is searched for a declaration.
    pub declaration: Declaration,
    /// Does a `<meta>` past the start change the encoding, as the standard's "change the encoding" has it?
    pub late_meta: bool,
    /// When does valid UTF-8 settle the encoding of undeclared bytes?
    pub utf_8_valid: Utf8Valid,
    /// Is the detector asked (step 8)?
    pub detector: bool,
}

/// How the start of an HTML document is searched for a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// The standard's byte prescan of the first 1024 bytes.
    Prescan,
    /// What browsers do: a tokenizer over the head.
    HeadScan,
}

/// When valid UTF-8 settles the encoding of undeclared bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf8Valid {
    /// For any input.
    Always,
    /// For local files alone: browsers never guess UTF-8 for what came over the network.
    LocalFiles,
    /// Never.
    Never,
}

/// All that is known beside the bytes. Nothing is read from the world.
///
/// # Example
/// ```
/// use unbake::{Context, Profile};
/// let context = Context { content_type: vec![b"text/html; charset=euc-kr".to_vec()], ..Context::new(Profile::Browser) };
/// assert_eq!(unbake::sniff(b"<p>hi", &context).encoding.name(), "EUC-KR");
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    /// The parameters of the algorithm.
    pub settings: Settings,
    /// The format, where the caller knows it; else it comes from the Content-Type, else from the file's name, else from the
    /// first bytes.
    pub format: Option<Format>,
    /// The file's name: its ending says what the document is where neither `format` nor the Content-Type does.
    pub file_name: Option<String>,
    /// The values of the Content-Type headers, one element a header line, as received.
    pub content_type: Vec<Vec<u8>>,
    /// Step 2: what the user asked for.
    pub user_override: Option<Encoding>,
    /// Step 6: the document in whose frame this one is shown.
    pub parent: Option<Parent>,
    /// Step 7: what the document was on an earlier visit.
    pub remembered: Option<Encoding>,
    /// The top-level domain, without its dot: a hint for the detector.
    pub tld: Option<String>,
    /// A language tag: a hint for the detector.
    pub lang: Option<String>,
    /// Step 9: the locale, as a language tag.
    pub locale: Option<String>,
    /// Step 9: the last resort instead of the locale's encoding or windows-1252.
    pub fallback: Option<Encoding>,
    /// The bytes come from a local file, not from the network.
    pub local_file: bool,
    /// Search the whole document for declarations, also where they can no longer matter. Slower; for reports.
    pub all_clues: bool,
}

impl Context {
    /// Nothing known, under the settings of a profile.
    pub fn new(profile: Profile) -> Context {
        Context {
            settings: profile.settings(),
            format: None,
            file_name: None,
            content_type: Vec::new(),
            user_override: None,
            parent: None,
            remembered: None,
            tld: None,
            lang: None,
            locale: None,
            fallback: None,
            local_file: false,
            all_clues: false,
        }
    }
}

impl Default for Context {
    fn default() -> Context {
        Context::new(Profile::Pipeline)
    }
}

/// The document in whose frame another one is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its encoding.
    pub encoding: Encoding,
    /// Does it share the origin of the document in the frame?
    pub same_origin: bool,
}

/// What kind of document the bytes are. Each kind has its own rule for encodings: see `format.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// HTML: the encoding sniffing algorithm.
    Html,
    /// The value of `srcdoc`, or what a script wrote: characters already, given as UTF-8.
    Srcdoc,
    /// XML, XHTML, RSS, Atom, SVG.
    Xml,
    /// CSS.
    Css,
    /// A classic script. Its document is the [parent](Context::parent).
    Script,
    /// A module script, a worker, an imported script: UTF-8 and nothing else.
    Module,
    /// JSON and everything `+json`.
    Json,
    /// JSON Lines.
    Ndjson,
    /// A JSON text sequence.
    JsonSeq,
    /// CSV and TSV.
    Csv,
    /// Plain text, and every text format without a rule of its own.
    Text,
    /// WebVTT.
    Vtt,
    /// SubRip subtitles: no standard, read as plain text.
    Srt,
    /// Server-sent events.
    EventStream,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
    /// What `Response.text()` and `.json()` make of a body, whatever its type: "UTF-8 decode".
    ResponseText,
    /// No text. Said of bytes of which nothing else is known; their text is decided as HTML's is.
    Binary,
}

/// What said which format a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum FormatSource {
    /// The caller.
    Given,
    /// The Content-Type headers.
    ContentType,
    /// The file's name.
    FileName,
    /// The first bytes.
    Content,
}

impl FormatSource {
    /// The source's name in records.
    pub fn id(self) -> &'static str {
        match self {
            FormatSource::Given => "given",
            FormatSource::ContentType => "content-type",
            FormatSource::FileName => "file-name",
            FormatSource::Content => "content",
        }
    }

    /// The source in words.
    pub fn words(self) -> &'static str {
        match self {
            FormatSource::Given => "as asked",
            FormatSource::ContentType => "the Content-Type says so",
            FormatSource::FileName => "the file's name says so",
            FormatSource::Content => "told by the first bytes",
        }
    }
}

/// Where a clue was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum Origin {
    /// A byte order mark.
    Bom,
    /// The user.
    Override,
    /// The Content-Type headers.
    Transport,
    /// A `<meta>` element.
    Meta,
    /// The first bytes: `<?x` in UTF-16.
    Utf16Prefix,
    /// The XML declaration.
    XmlDeclaration,
    /// CSS's `@charset`.
    CssCharset,
    /// The parent document.
    Parent,
    /// An earlier visit.
    Remembered,
    /// The bytes themselves: valid UTF-8.
    Utf8Valid,
    /// The detector.
    Detector,
    /// The locale.
    Locale,
    /// The format's own rule.
    Format,
    /// The last resort.
    Default,
}

impl Origin {
    /// The origin's name in records.
    pub fn id(self) -> &'static str {
        match self {
            Origin::Bom => "bom",
            Origin::Override => "override",
            Origin::Transport => "transport",
            Origin::Meta => "meta",
            Origin::Utf16Prefix => "utf16-prefix",
            Origin::XmlDeclaration => "xml-declaration",
            Origin::CssCharset => "css-charset",
            Origin::Parent => "parent",
            Origin::Remembered => "remembered",
            Origin::Utf8Valid => "utf8-valid",
            Origin::Detector => "detector",
            Origin::Locale => "locale",
            Origin::Format => "format",
            Origin::Default => "default",
        }
    }

    /// True for what is written in the document or its headers, and so can contradict another declaration.
    pub fn is_declaration(self) -> bool {
        matches!(
            self,
            Origin::Bom
                | Origin::Transport
                | Origin::Meta
                | Origin::Utf16Prefix
                | Origin::XmlDeclaration
                | Origin::CssCharset
        )
    }
}

/// What became of a clue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum Fate {
    /// It decided.
    Decided,
    /// It did not decide, and says the same.
    Agrees,
    /// It says something else, and a rule of higher rank decided.
    Outranked,
    /// Its label is none of the 228.
    UnknownLabel,
    /// It did not decide, and its label (UTF-16, x-user-defined) can not be meant.
    Rewritten,
    /// It stands where nobody looks.
    OutOfReach,
    /// A rule of the standard passes it over.
    Ignored,
}

impl Fate {
    /// The fate's name in records.
    pub fn id(self) -> &'static str {
        match self {
            Fate::Decided => "decided",
            Fate::Agrees => "agrees",
            Fate::Outranked => "outranked",
            Fate::UnknownLabel => "unknown-label",
            Fate::Rewritten => "rewritten",
            Fate::OutOfReach => "out-of-reach",
            Fate::Ignored => "ignored",
        }
    }
}

/// Why a clue was rewritten, ignored or out of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum Reason {
    /// A declaration readable as ASCII can not be UTF-16: UTF-8 is meant.
    Utf16MeansUtf8,
    /// x-user-defined in a declaration means windows-1252.
    UserDefinedMeansWindows1252,
    /// `<meta content="...charset=...">` without `http-equiv=content-type`.
    NoPragma,
    /// The `<meta>` tag is not closed within the window.
    Unfinished,
    /// It begins or ends past the bytes that are searched.
    PastWindow,
    /// The parent is of another origin.
    CrossOrigin,
    /// The parent is UTF-16, which is never inherited.
    ParentUtf16,
    /// The document is UTF-16, which no late `<meta>` changes.
    DocumentUtf16,
    /// The format has no such declaration.
    NotInThisFormat,
    /// The Content-Type header is not a MIME type.
    NotAMimeType,
    /// The document is being read as certain: nothing late can change it.
    AlreadyCertain,
}

impl Reason {
    /// True where the clue counts, its label rewritten.
    pub(crate) fn rewrites(self) -> bool {
        matches!(
            self,
            Reason::Utf16MeansUtf8 | Reason::UserDefinedMeansWindows1252
        )
    }

    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Reason::Utf16MeansUtf8 => {
                "a declaration that can be read as ASCII is not UTF-16, so UTF-8 is meant"
            }
            Reason::UserDefinedMeansWindows1252 => {
                "x-user-defined in a declaration means windows-1252"
            }
            Reason::NoPragma => "a `content` without `http-equiv=content-type` declares nothing",
            Reason::Unfinished => "the tag is not closed within the bytes that are searched",
            Reason::PastWindow => "it stands after the bytes that are searched",
            Reason::CrossOrigin => "the parent document is of another origin",
            Reason::ParentUtf16 => "UTF-16 is never inherited from a parent document",
            Reason::DocumentUtf16 => "no `<meta>` changes the encoding of a UTF-16 document",
            Reason::NotInThisFormat => "this format has no such declaration",
            Reason::NotAMimeType => "the header is not a valid MIME type",
            Reason::AlreadyCertain => "the encoding was certain before this was read",
        }
    }
}

/// Something that spoke for an encoding. Every clue found is kept, also the losing ones.
///
/// # Units
/// `at` is a half-open range of byte offsets into the input.
#[derive(Clone, Debug, PartialEq)]
pub struct Clue {
    /// Where it was found.
    pub origin: Origin,
    /// The label as written (at most 64 characters of it).
    pub label: Option<String>,
    /// What the label resolves to.
    pub encoding: Option<Encoding>,
    /// Where it stands in the input; `None` where it does not come from the bytes.
    pub at: Option<(u64, u64)>,
    /// What became of it.
    pub fate: Fate,
    /// Why, where the fate alone does not say.
    pub reason: Option<Reason>,
}

/// What a late `<meta>` did ("changing the encoding while parsing").
///
/// # Standard
/// [HTML Standard, 13.2.3.4](https://html.spec.whatwg.org/#change-the-encoding).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum Change {
    /// It names the encoding in use: the confidence became certain.
    Same,
    /// All bytes so far mean the same in both: decoding goes on in the new encoding.
    OnTheFly,
    /// The bytes so far mean something else: the document is decoded again from its start.
    StartAgain,
}

impl Change {
    /// The outcome's name in records.
    pub fn id(self) -> &'static str {
        match self {
            Change::Same => "same",
            Change::OnTheFly => "on-the-fly",
            Change::StartAgain => "start-again",
        }
    }
}

/// Which encoding, how sure, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What the document is read as.
    pub format: Format,
    /// What said so.
    pub format_source: FormatSource,
    /// The encoding.
    pub encoding: Encoding,
    /// The standard's confidence.
    pub confidence: Confidence,
    /// The rule that decided.
    pub rule: Rule,
    /// The byte order mark: its encoding and its length in bytes.
    pub bom: Option<(Encoding, usize)>,
    /// Every clue found, in the order of the standard's steps.
    pub clues: Vec<Clue>,
    /// What a late `<meta>` did, where there was one.
    pub change: Option<Change>,
    /// The detector's answer, where it was asked.
    pub guess: Option<Guess>,
}

impl Decision {
    /// The clue that decided.
    pub fn deciding_clue(&self) -> Option<&Clue> {
        self.clues.iter().find(|clue| clue.fate == Fate::Decided)
    }

    /// The label that decided, as written.
    pub fn label(&self) -> Option<&str> {
        self.deciding_clue().and_then(|clue| clue.label.as_deref())
    }

    /// Two declarations that resolve to different encodings. What the standard passes over declares nothing.
    pub fn conflict(&self) -> bool {
        let mut declared = self
            .clues
            .iter()
            .filter(|c| c.origin.is_declaration() && c.fate != Fate::Ignored)
            .filter_map(|c| c.encoding);
        match declared.next() {
            Some(first) => declared.any(|encoding| encoding != first),
            None => false,
        }
    }
}
