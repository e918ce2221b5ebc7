//! Which format the bytes are, and so which rule for encodings applies.

use crate::decision::Format;

/// The format that a MIME type essence (lower case) names; `None` where it names none that is known.
///
/// # Standard
/// [MIME Sniffing Standard, MIME type groups](https://mimesniff.spec.whatwg.org/#mime-type-groups).
pub(crate) fn of_essence(essence: &[u8]) -> Option<Format> {
    Some(match essence {
        b"text/html" => Format::Html,
        b"text/xml" | b"application/xml" => Format::Xml,
        b"text/css" => Format::Css,
        b"application/json" | b"text/json" => Format::Json,
        b"application/x-ndjson" | b"application/jsonl" | b"application/x-jsonlines" => {
            Format::Ndjson
        }
        b"text/csv" | b"text/tab-separated-values" => Format::Csv,
        _ if essence.ends_with(b"+xml") => Format::Xml,
        _ if essence.ends_with(b"+json") => Format::Json,
        _ if essence.starts_with(b"text/") => Format::Text,
        _ => return None,
    })
}

/// The format of bytes about which nothing else is known: XML where an XML declaration opens them, else HTML, whose
/// rules also fit plain text.
///
/// # Standard
/// [MIME Sniffing Standard, 7.1](https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type), its row for XML.
pub(crate) fn of_bytes(bytes: &[u8]) -> Format {
    let start = bytes
        .iter()
        .position(|b| !matches!(b, b'\t' | b'\n' | 0x0C | b'\r' | b' '))
        .unwrap_or(bytes.len());
    let xml = bytes
        .get(start..)
        .is_some_and(|rest| rest.starts_with(b"<?xml"));
    if xml { Format::Xml } else { Format::Html }
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] = [
        Format::Html,
        Format::Xml,
        Format::Css,
        Format::Json,
        Format::Ndjson,
        Format::Csv,
        Format::Text,
    ];

    /// The format's name on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Format::Html => "html",
            Format::Xml => "xml",
            Format::Css => "css",
            Format::Json => "json",
            Format::Ndjson => "ndjson",
            Format::Csv => "csv",
            Format::Text => "text",
        }
    }

    /// The format that a name on the command line means.
    pub fn from_id(id: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.id() == id)
    }

    /// The format that a file name's ending stands for.
    pub fn from_extension(extension: &str) -> Option<Format> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "html" | "htm" | "shtml" => Format::Html,
            "xml" | "xhtml" | "xht" | "svg" | "rss" | "atom" | "rdf" | "xsl" | "xslt" => {
                Format::Xml
            }
            "css" => Format::Css,
            "json" | "geojson" | "jsonld" | "webmanifest" => Format::Json,
            "ndjson" | "jsonl" => Format::Ndjson,
            "csv" | "tsv" => Format::Csv,
            "txt" | "text" | "md" | "log" => Format::Text,
            _ => return None,
        })
    }
}
