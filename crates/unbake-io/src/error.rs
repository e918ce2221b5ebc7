//! [`Error`]: what can go wrong between a file and its records, and where.
//!
//! One opaque type: what it holds may change, what it answers does not. The words follow one form:
//! what failed, then why, values in backticks.

use std::error::Error as StdError;
use std::fmt;

/// An error of reading or writing: what failed, in which input, at which byte.
///
/// # Example
/// ```
/// use unbake_io::{Kind, Options, WarcReader, Item};
/// let bytes = b"WARC/1.0\r\nWARC-Type: response\r\n\r\nno length\r\n\r\n";
/// let mut reader = WarcReader::new("crawl.warc", &bytes[..], Options::default());
/// let Some(Item::Error(lost)) = reader.next() else { panic!() };
/// assert_eq!(lost.error.kind(), Kind::ContentLength);
/// assert_eq!(lost.error.offset(), Some(0));
/// assert_eq!(lost.error.to_string(), "cannot read `crawl.warc`: record at byte 0 has no Content-Length");
/// ```
#[derive(Debug)]
pub struct Error {
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: Kind,
    path: Option<String>,
    offset: Option<u64>,
    message: String,
    hint: Option<&'static str>,
    writing: bool,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kind of an [`Error`], for counting and for choosing what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// The operating system or the network refused.
    Io,
    /// A gzip member or a zstd frame does not decompress, or its checksum is wrong.
    Compression,
    /// The input ends inside a record.
    Truncated,
    /// A record stops at the border of its gzip member or zstd frame, before its Content-Length.
    Cut,
    /// Content-Length is absent, not a number, given twice with two values, or does not fit the record.
    ContentLength,
    /// Bytes that belong to no record.
    Junk,
    /// A header block that cannot be read: no WARC-Type, a line that is not a field, no end.
    Header,
    /// A record larger than the cap of [`Options::max_record`](crate::Options::max_record).
    TooLarge,
    /// A format that is not read: ARC, or something that is no archive at all.
    Format,
    /// A table or a line of JSON that does not have the shape that was asked for.
    Schema,
}

impl Kind {
    /// Every kind, in the order of their declaration.
    pub const ALL: [Kind; 10] = [
        Kind::Io,
        Kind::Compression,
        Kind::Truncated,
        Kind::Cut,
        Kind::ContentLength,
        Kind::Junk,
        Kind::Header,
        Kind::TooLarge,
        Kind::Format,
        Kind::Schema,
    ];

    /// The name in records and manifests: `content-length`.
    pub fn id(self) -> &'static str {
        match self {
            Kind::Io => "io",
            Kind::Compression => "compression",
            Kind::Truncated => "truncated",
            Kind::Cut => "cut",
            Kind::ContentLength => "content-length",
            Kind::Junk => "junk",
            Kind::Header => "header",
            Kind::TooLarge => "too-large",
            Kind::Format => "format",
            Kind::Schema => "schema",
        }
    }
}

impl Error {
    /// A new error; `message` is the clause after `cannot read ...:`.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error {
            inner: Box::new(Inner {
                kind,
                path: None,
                offset: None,
                message: message.into(),
                hint: None,
                writing: false,
                source: None,
            }),
        }
    }

    pub(crate) fn with_path(mut self, path: impl Into<String>) -> Error {
        self.inner.path = Some(path.into());
        self
    }

    pub(crate) fn with_offset(mut self, offset: u64) -> Error {
        self.inner.offset = Some(offset);
        self
    }

    pub(crate) fn with_hint(mut self, hint: &'static str) -> Error {
        self.inner.hint = Some(hint);
        self
    }

    /// The output could not be written (else: the input could not be read).
    pub(crate) fn writing(mut self) -> Error {
        self.inner.writing = true;
        self
    }

    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Error {
        self.inner.source = Some(Box::new(source));
        self
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> Kind {
        self.inner.kind
    }

    /// The input, as it was named.
    pub fn path(&self) -> Option<&str> {
        self.inner.path.as_deref()
    }

    /// Where.
    ///
    /// # Units
    /// Bytes from the start of the input as it is stored (compressed, if it is compressed).
    pub fn offset(&self) -> Option<u64> {
        self.inner.offset
    }

    /// What failed and why, without the name of the input.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        self.inner.hint
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner.path {
            Some(path) => {
                let verb = if self.inner.writing { "write" } else { "read" };
                write!(f, "cannot {verb} `{path}`: {}", self.inner.message)
            }
            None => f.write_str(&self.inner.message),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner
            .source
            .as_deref()
            .map(|e| e as &(dyn StdError + 'static))
    }
}

/// Text from a stranger, short enough for a message: at most 60 characters.
pub fn shorten(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        format!("{short}…")
    } else {
        short
    }
}
