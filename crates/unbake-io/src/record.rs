//! [`Item`], [`Record`]: what an archive yields.

use std::fmt;
use std::ops::Range;

use crate::body::Body;
use crate::error::Error;
use crate::headers::Headers;
use crate::http;
use crate::limits::Limits;
use crate::note::Note;

/// What stands at one place of an archive. Every record of the input becomes exactly one item, or is
/// part of the stretch that one [`Item::Error`] names.
#[derive(Debug)]
pub enum Item {
    /// A record that holds a document: response, resource, conversion, or a revisit that points to one.
    Record(Record),
    /// A record, or a stretch of bytes, that could not be read.
    Error(RecordError),
    /// A record of another type, passed over.
    Skipped(Skipped),
}

/// The type of a record, as WARC-Type names it.
///
/// # Standard
/// [WARC 1.1, section 6](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#warc-record-types).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RecordType {
    /// A full response, with its HTTP head.
    Response,
    /// A resource without protocol headers.
    Resource,
    /// A transformed version of another record: WET files hold plain text.
    Conversion,
    /// The same content as an earlier record, without repeating it.
    Revisit,
    /// What the crawler sent.
    Request,
    /// Facts about another record.
    Metadata,
    /// The head of an archive file.
    Warcinfo,
    /// A piece of a record that is split over several files.
    Continuation,
    /// A type that the standard does not know.
    Other,
}

impl RecordType {
    /// The type that a WARC-Type value names; compared without regard to case.
    pub fn from_value(value: &[u8]) -> RecordType {
        for kind in RecordType::ALL {
            if value.eq_ignore_ascii_case(kind.id().as_bytes()) {
                return kind;
            }
        }
        RecordType::Other
    }

    /// Every type, in the order of their declaration.
    pub const ALL: [RecordType; 9] = [
        RecordType::Response,
        RecordType::Resource,
        RecordType::Conversion,
        RecordType::Revisit,
        RecordType::Request,
        RecordType::Metadata,
        RecordType::Warcinfo,
        RecordType::Continuation,
        RecordType::Other,
    ];

    /// The name: `response`.
    pub fn id(self) -> &'static str {
        match self {
            RecordType::Response => "response",
            RecordType::Resource => "resource",
            RecordType::Conversion => "conversion",
            RecordType::Revisit => "revisit",
            RecordType::Request => "request",
            RecordType::Metadata => "metadata",
            RecordType::Warcinfo => "warcinfo",
            RecordType::Continuation => "continuation",
            RecordType::Other => "other",
        }
    }

    /// Does a record of this type hold a document, or point to one?
    pub fn is_document(self) -> bool {
        matches!(
            self,
            RecordType::Response
                | RecordType::Resource
                | RecordType::Conversion
                | RecordType::Revisit
        )
    }
}

/// Where a record is stored.
///
/// # Units
/// Bytes of the file as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Place {
    /// The first byte of the record, or of the gzip member or zstd frame that holds it.
    pub offset: u64,
    /// How many bytes to read from `offset` for the whole record; `None` where it shares its member
    /// with others, so that it cannot be read alone.
    pub length: Option<u64>,
    /// Where the record begins inside its member, in decompressed bytes; 0 where it has its own.
    pub inside: u64,
}

/// One record with its bytes.
pub struct Record {
    /// The header block and the content block, in one piece.
    pub(crate) buffer: Vec<u8>,
    /// The fields: without the version line, with the empty line.
    pub(crate) fields: Range<usize>,
    pub(crate) block: Range<usize>,
    pub(crate) kind: RecordType,
    pub(crate) place: Place,
    pub(crate) notes: Vec<Note>,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("record_type", &self.kind)
            .field("place", &self.place)
            .field("notes", &self.notes)
            .field("warc", &self.warc().as_bytes().escape_ascii().to_string())
            .field("block", &self.block().len())
            .finish_non_exhaustive()
    }
}

impl Record {
    /// The type.
    pub fn record_type(&self) -> RecordType {
        self.kind
    }

    /// Where the record is stored.
    pub fn place(&self) -> Place {
        self.place
    }

    /// What the reader had to overlook.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The WARC fields.
    pub fn warc(&self) -> Headers<'_> {
        Headers::new(self.buffer.get(self.fields.clone()).unwrap_or_default())
    }

    /// The content block, as it is stored: for a response, the HTTP head and the coded body.
    pub fn block(&self) -> &[u8] {
        self.buffer.get(self.block.clone()).unwrap_or_default()
    }

    /// WARC-Record-ID, without the angle brackets.
    pub fn id(&self) -> Option<String> {
        self.warc().text("WARC-Record-ID").map(without_brackets)
    }

    /// WARC-Target-URI. Angle brackets, which WARC 1.0 asked for and few writers set, are removed.
    pub fn url(&self) -> Option<String> {
        self.warc().text("WARC-Target-URI").map(without_brackets)
    }

    /// WARC-Date, as written.
    pub fn date(&self) -> Option<String> {
        self.warc().text("WARC-Date")
    }

    /// What a revisit refers to: the record id, or the URI where there is no id.
    pub fn refers_to(&self) -> Option<String> {
        let warc = self.warc();
        warc.text("WARC-Refers-To")
            .or_else(|| warc.text("WARC-Refers-To-Target-URI"))
            .map(without_brackets)
    }

    /// The HTTP head, where the block begins with one.
    pub fn http(&self) -> Option<http::Head<'_>> {
        match self.kind {
            RecordType::Response | RecordType::Revisit => http::Head::parse(self.block()),
            _ => None,
        }
    }

    /// Every Content-Type value, in order, as bytes: the HTTP head's for a response, the record's own
    /// for a resource or a conversion.
    pub fn content_types(&self) -> Vec<Vec<u8>> {
        let headers = match self.http() {
            Some(head) => head.headers(),
            None if self.says_http() => return Vec::new(),
            None => self.warc(),
        };
        headers
            .all("Content-Type")
            .map(std::borrow::Cow::into_owned)
            .collect()
    }

    fn says_http(&self) -> bool {
        let value = self.warc().get("Content-Type").unwrap_or_default();
        value
            .get(..16)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"application/http"))
    }

    /// The document: the body without its transfer and content codings.
    ///
    /// # Errors
    /// None. What cannot be decoded is kept as far as it could, and [`Body::notes`] says so.
    pub fn body(&self, limits: &Limits) -> Body<'_> {
        if self.kind == RecordType::Revisit {
            return Body::plain(&[]);
        }
        let mut body = if let Some(head) = self.http() {
            head.decode_body(limits)
        } else {
            let mut body = Body::plain(self.block());
            if self.kind == RecordType::Response && self.says_http() {
                body.notes.push(Note::HttpHeadAbsent);
            }
            body
        };
        if self.warc().get("WARC-Truncated").is_some() {
            body.notes.push(Note::WarcTruncated);
        }
        body
    }
}

/// A record or a stretch that could not be read, with what is known of it.
#[derive(Debug)]
pub struct RecordError {
    /// What went wrong, and where.
    pub error: Error,
    /// The type, where the header block could be read.
    pub record_type: Option<RecordType>,
    /// WARC-Record-ID, where the header block could be read.
    pub id: Option<String>,
    /// WARC-Target-URI, where the header block could be read.
    pub url: Option<String>,
}

/// A record that was passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its type.
    pub record_type: RecordType,
    /// Where it is stored.
    pub place: Place,
}

pub(crate) fn without_brackets(mut text: String) -> String {
    if text.starts_with('<') && text.ends_with('>') {
        text.pop();
        text.remove(0);
    }
    text
}
