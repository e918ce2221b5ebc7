//! Which format the bytes are, and so which rule for encodings and for byte order marks applies.

use memchr::memchr;

use crate::bom::BomTable;
use crate::decision::{Format, FormatSource};

/// How the encoding of a format is decided. `sniff.rs` knows the order of the evidence in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Procedure {
    /// The encoding sniffing algorithm.
    Html,
    /// The same without declarations in the text.
    Text,
    /// BOM, charset parameter, XML declaration, appendix F, UTF-8.
    Xml,
    /// BOM, charset parameter, `@charset`, environment, UTF-8.
    Css,
    /// BOM, charset parameter, environment; what a file without an environment is must be guessed.
    Script,
    /// UTF-8, and a charset parameter means nothing.
    Utf8,
    /// UTF-8, UTF-16 or UTF-32, by the first four bytes.
    Yaml,
    /// Characters already: nothing is decided.
    Characters,
}

/// What a format's standard says of a byte order mark that its text begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BomPolicy {
    /// It is a signature, and readers drop it.
    Allowed,
    /// Writers must not add one; readers may ignore it.
    MustNot,
    /// Welcome to some readers (Excel), content to others.
    DependsOnReader,
}

/// One format: its name, its rule, and how it is recognised.
struct Row {
    format: Format,
    id: &'static str,
    procedure: Procedure,
    bom: BomPolicy,
    /// The standard's clause on its encoding.
    spec: &'static str,
    /// MIME type essences.
    essences: &'static [&'static str],
    /// Structured suffix of a MIME type.
    suffix: Option<&'static str>,
    extensions: &'static [&'static str],
}

/// Every format. The first row that fits a MIME type or an extension is taken.
const ROWS: &[Row] = &[
    Row {
        format: Format::Html,
        id: "html",
        procedure: Procedure::Html,
        bom: BomPolicy::Allowed,
        spec: "https://html.spec.whatwg.org/#encoding-sniffing-algorithm",
        essences: &["text/html"],
        suffix: None,
        extensions: &["html", "htm", "shtml"],
    },
    Row {
        format: Format::Srcdoc,
        id: "srcdoc",
        procedure: Procedure::Characters,
        bom: BomPolicy::Allowed,
        spec: "https://html.spec.whatwg.org/#concept-encoding-confidence",
        essences: &[],
        suffix: None,
        extensions: &[],
    },
    Row {
        format: Format::Xml,
        id: "xml",
        procedure: Procedure::Xml,
        bom: BomPolicy::Allowed,
        spec: "https://www.rfc-editor.org/rfc/rfc7303#section-3",
        essences: &["text/xml", "application/xml"],
        suffix: Some("+xml"),
        extensions: &[
            "xml", "xhtml", "xht", "svg", "rss", "atom", "rdf", "xsl", "xslt",
        ],
    },
    Row {
        format: Format::Css,
        id: "css",
        procedure: Procedure::Css,
        bom: BomPolicy::Allowed,
        spec: "https://drafts.csswg.org/css-syntax/#determine-the-fallback-encoding",
        essences: &["text/css"],
        suffix: None,
        extensions: &["css"],
    },
    Row {
        format: Format::Script,
        id: "script",
        procedure: Procedure::Script,
        bom: BomPolicy::Allowed,
        spec: "https://html.spec.whatwg.org/#fetch-a-classic-script",
        // The JavaScript MIME type essences of MIME Sniffing 4.6.
        essences: &[
            "text/javascript",
            "application/javascript",
            "application/ecmascript",
            "application/x-ecmascript",
            "application/x-javascript",
            "text/ecmascript",
            "text/javascript1.0",
            "text/javascript1.1",
            "text/javascript1.2",
            "text/javascript1.3",
            "text/javascript1.4",
            "text/javascript1.5",
            "text/jscript",
            "text/livescript",
            "text/x-ecmascript",
            "text/x-javascript",
        ],
        suffix: None,
        extensions: &["js", "cjs"],
    },
    Row {
        format: Format::Module,
        id: "module",
        procedure: Procedure::Utf8,
        bom: BomPolicy::Allowed,
        spec: "https://html.spec.whatwg.org/#fetch-a-single-module-script",
        essences: &[],
        suffix: None,
        extensions: &["mjs"],
    },
    Row {
        format: Format::JsonSeq,
        id: "json-seq",
        procedure: Procedure::Utf8,
        bom: BomPolicy::MustNot,
        spec: "https://www.rfc-editor.org/rfc/rfc7464#section-2.2",
        essences: &["application/json-seq"],
        suffix: Some("+json-seq"),
        extensions: &["json-seq", "jsonseq"],
    },
    Row {
        format: Format::Json,
        id: "json",
        procedure: Procedure::Utf8,
        bom: BomPolicy::MustNot,
        spec: "https://www.rfc-editor.org/rfc/rfc8259#section-8.1",
        essences: &["application/json", "text/json"],
        suffix: Some("+json"),
        extensions: &["json", "geojson", "jsonld", "webmanifest"],
    },
    Row {
        format: Format::Ndjson,
        id: "ndjson",
        procedure: Procedure::Utf8,
        bom: BomPolicy::MustNot,
        spec: "https://jsonlines.org/#utf-8-encoding",
        essences: &[
            "application/x-ndjson",
            "application/ndjson",
            "application/jsonl",
            "application/x-jsonlines",
            "application/jsonlines",
        ],
        suffix: None,
        extensions: &["ndjson", "jsonl"],
    },
    Row {
        format: Format::Csv,
        id: "csv",
        procedure: Procedure::Text,
        bom: BomPolicy::DependsOnReader,
        spec: "https://www.rfc-editor.org/rfc/rfc7111#section-5.1",
        essences: &["text/csv", "text/tab-separated-values"],
        suffix: None,
        extensions: &["csv", "tsv"],
    },
    Row {
        format: Format::Vtt,
        id: "vtt",
        procedure: Procedure::Utf8,
        bom: BomPolicy::Allowed,
        spec: "https://www.w3.org/TR/webvtt1/#file-structure",
        essences: &["text/vtt"],
        suffix: None,
        extensions: &["vtt"],
    },
    Row {
        format: Format::Srt,
        id: "srt",
        procedure: Procedure::Text,
        bom: BomPolicy::Allowed,
        // No standard: read as plain text is.
        spec: "https://html.spec.whatwg.org/#read-text",
        essences: &["application/x-subrip", "text/srt"],
        suffix: None,
        extensions: &["srt"],
    },
    Row {
        format: Format::EventStream,
        id: "event-stream",
        procedure: Procedure::Utf8,
        bom: BomPolicy::Allowed,
        spec: "https://html.spec.whatwg.org/#parsing-an-event-stream",
        essences: &["text/event-stream"],
        suffix: None,
        extensions: &[],
    },
    Row {
        format: Format::Yaml,
        id: "yaml",
        procedure: Procedure::Yaml,
        bom: BomPolicy::Allowed,
        spec: "https://yaml.org/spec/1.2.2/#52-character-encodings",
        essences: &[
            "application/yaml",
            "application/x-yaml",
            "text/yaml",
            "text/x-yaml",
        ],
        suffix: Some("+yaml"),
        extensions: &["yaml", "yml"],
    },
    Row {
        format: Format::Toml,
        id: "toml",
        procedure: Procedure::Utf8,
        bom: BomPolicy::Allowed,
        spec: "https://toml.io/en/v1.1.0#preliminaries",
        essences: &["application/toml", "text/x-toml"],
        suffix: None,
        extensions: &["toml"],
    },
    Row {
        format: Format::ResponseText,
        id: "response-text",
        procedure: Procedure::Utf8,
        bom: BomPolicy::Allowed,
        spec: "https://fetch.spec.whatwg.org/#dom-body-text",
        essences: &[],
        suffix: None,
        extensions: &[],
    },
    Row {
        format: Format::Text,
        id: "text",
        procedure: Procedure::Text,
        bom: BomPolicy::Allowed,
        spec: "https://html.spec.whatwg.org/#read-text",
        essences: &[],
        suffix: None,
        extensions: &["txt", "text", "md", "log"],
    },
    Row {
        format: Format::Binary,
        id: "binary",
        procedure: Procedure::Html,
        bom: BomPolicy::Allowed,
        spec: "https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type",
        essences: &[],
        suffix: None,
        extensions: &[],
    },
];

/// The format that a MIME type essence (lower case) names; `None` where it names none that is known.
///
/// # Standard
/// [MIME Sniffing Standard, MIME type groups](https://mimesniff.spec.whatwg.org/#mime-type-groups).
pub(crate) fn of_essence(essence: &[u8]) -> Option<Format> {
    let whole = ROWS
        .iter()
        .find(|row| row.essences.iter().any(|known| known.as_bytes() == essence));
    let by_suffix = || {
        ROWS.iter().find(|row| {
            row.suffix
                .is_some_and(|suffix| essence.ends_with(suffix.as_bytes()))
        })
    };
    match whole.or_else(by_suffix) {
        Some(row) => Some(row.format),
        None => essence.starts_with(b"text/").then_some(Format::Text),
    }
}

/// The format that a file's name stands for, by its ending.
fn of_file_name(name: &str) -> Option<Format> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let (stem, extension) = name.rsplit_once('.')?;
    Format::from_extension(extension).filter(|_| !stem.is_empty())
}

/// The resource header: what of the content is looked at.
///
/// # Standard
/// [MIME Sniffing Standard, 5.2](https://mimesniff.spec.whatwg.org/#reading-the-resource-header).
pub(crate) const RESOURCE_HEADER: usize = 1445;

/// The format of bytes about which nothing else is known.
///
/// Differs from the standard in one way: what it calls `text/plain` is read as HTML here, whose rules also fit plain text.
///
/// # Standard
/// [MIME Sniffing Standard, 7.1](https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type): the rows for
/// HTML, XML, PDF and the byte order marks, then its check for binary data bytes.
fn of_bytes(bytes: &[u8]) -> Format {
    let header = bytes.get(..RESOURCE_HEADER).unwrap_or(bytes);
    let start = header
        .iter()
        .position(|b| !matches!(b, b'\t' | b'\n' | 0x0C | b'\r' | b' '))
        .unwrap_or(header.len());
    let rest = header.get(start..).unwrap_or_default();
    if rest.starts_with(b"<?xml") {
        return Format::Xml;
    }
    let markup = rest.first() == Some(&b'<') && rest.get(1).is_some_and(|&b| b != 0);
    if markup
        || matches!(
            header,
            [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0xEF, 0xBB, 0xBF, ..]
        )
    {
        return Format::Html;
    }
    // RFC 7464: RS, then a JSON text.
    if let [
        0x1E,
        b'{' | b'[' | b'"' | b'0'..=b'9' | b't' | b'f' | b'n' | b'-',
        ..,
    ] = header
    {
        return Format::JsonSeq;
    }
    let binary = header.starts_with(b"%PDF-") || header.iter().any(|&byte| is_binary_data(byte));
    if binary && !is_wide_text(header) {
        Format::Binary
    } else {
        Format::Html
    }
}

/// Binary data bytes.
///
/// # Standard
/// [MIME Sniffing Standard, 3](https://mimesniff.spec.whatwg.org/#binary-data-byte).
fn is_binary_data(byte: u8) -> bool {
    matches!(byte, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)
}

/// Text in two or four bytes a character without a mark: every second byte is 00 nearly always, and nothing else is binary data.
/// Not in the standard, which takes such text for binary; the detector knows it.
fn is_wide_text(header: &[u8]) -> bool {
    if memchr(0, header).is_none() || header.len() < 4 {
        return false;
    }
    let zeros = |first: usize| {
        let column = header.iter().skip(first).step_by(2);
        let (zeros, all) = column.fold((0, 0), |(zeros, all), &b| {
            (zeros + usize::from(b == 0), all + 1)
        });
        zeros * 10 >= all * 8
    };
    (zeros(0) || zeros(1))
        && !header.iter().any(|&byte| byte != 0 && is_binary_data(byte))
        && header.iter().any(|&byte| byte != 0)
}

/// The format of a document, and what said so: the caller, the Content-Type, the file's name, the content.
pub(crate) fn of_document(
    given: Option<Format>,
    essence: Option<&[u8]>,
    file_name: Option<&str>,
    head: &[u8],
) -> (Format, FormatSource) {
    if let Some(format) = given {
        return (format, FormatSource::Given);
    }
    if let Some(format) = essence.and_then(of_essence) {
        return (format, FormatSource::ContentType);
    }
    match file_name.and_then(of_file_name) {
        Some(format) => (format, FormatSource::FileName),
        None => (of_bytes(head), FormatSource::Content),
    }
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 18] = [
        Format::Html,
        Format::Srcdoc,
        Format::Xml,
        Format::Css,
        Format::Script,
        Format::Module,
        Format::Json,
        Format::Ndjson,
        Format::JsonSeq,
        Format::Csv,
        Format::Text,
        Format::Vtt,
        Format::Srt,
        Format::EventStream,
        Format::Yaml,
        Format::Toml,
        Format::ResponseText,
        Format::Binary,
    ];

    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.format == self)
    }

    /// The format's name on the command line.
    pub fn id(self) -> &'static str {
        self.row().map_or("text", |row| row.id)
    }

    /// The format that a name on the command line means.
    pub fn from_id(id: &str) -> Option<Format> {
        ROWS.iter().find(|row| row.id == id).map(|row| row.format)
    }

    /// The format that a file name's ending stands for.
    pub fn from_extension(extension: &str) -> Option<Format> {
        let extension = extension.to_ascii_lowercase();
        ROWS.iter()
            .find(|row| row.extensions.contains(&extension.as_str()))
            .map(|row| row.format)
    }

    /// Where the format's rule for encodings is written down.
    pub fn spec(self) -> &'static str {
        self.row().map_or("", |row| row.spec)
    }

    /// What the format's standard says of a byte order mark at the start.
    pub fn bom_policy(self) -> BomPolicy {
        self.row().map_or(BomPolicy::Allowed, |row| row.bom)
    }

    /// True where the format's standard knows no encoding but UTF-8.
    pub fn is_utf_8_only(self) -> bool {
        self.procedure() == Procedure::Utf8
    }

    pub(crate) fn procedure(self) -> Procedure {
        self.row().map_or(Procedure::Text, |row| row.procedure)
    }

    /// The byte order marks that count in this format. `plain_file`: not from the network, so not the web's rule.
    pub(crate) fn bom_table(self, plain_file: bool) -> BomTable {
        match self.procedure() {
            Procedure::Characters => BomTable::None,
            Procedure::Yaml => BomTable::Utf32First,
            Procedure::Text if plain_file => BomTable::Utf32First,
            // Lenient: the author of a JSON file in UTF-16 meant its text. The check says that it is an error.
            Procedure::Utf8 if !matches!(self, Format::Json | Format::Ndjson) => BomTable::Utf8,
            _ => BomTable::Web,
        }
    }
}
