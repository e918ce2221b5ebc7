//! The header block of a record: found, measured, read.

use std::io;

use crate::error::{Error, Kind};
use crate::headers::{Headers, end_of_block, trim};
use crate::members::Format;
use crate::record::{Place, RecordType, without_brackets};
use crate::window::{More, Stop, Window};

/// The longest header block of a record.
///
/// # Units
/// Bytes. Real ones are below 2 KiB; the longest URLs that crawlers keep are below 64 KiB.
const MAX_HEAD: usize = 1 << 20;

/// Has reading lost its place?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    No,
    /// Yes, among decompressed bytes: junk that follows is part of the same loss.
    Junk,
    /// Yes, among stored bytes: a member that then proves to be none is part of it too.
    Damage,
}

/// The header block of a record, measured.
pub(crate) struct Header {
    /// `None`: there is no WARC-Type.
    pub(crate) record_type: Option<RecordType>,
    /// Length of the version line.
    pub(crate) version: usize,
    /// Length of the block, with its empty line.
    pub(crate) length: usize,
    /// Content-Length.
    pub(crate) content: u64,
    pub(crate) place: Place,
    /// Position of the record in the decompressed stream.
    pub(crate) at: u64,
    /// Is the record the first of its member?
    pub(crate) first: bool,
    pub(crate) id: Option<String>,
    pub(crate) url: Option<String>,
}

impl Header {
    pub(crate) fn total(&self) -> u64 {
        self.content.saturating_add(self.length as u64)
    }
}

/// Why there is no header, and what that means for reading on.
pub(crate) struct Failure {
    pub(crate) error: Error,
    pub(crate) lost: Lost,
}

/// Measures the header block at the current position. On failure the position is moved on.
pub(crate) fn measure(window: &mut Window<'_>, blanks: u64) -> io::Result<Result<Header, Failure>> {
    let at = window.position();
    let member = window.member();
    let first = member.at + blanks >= at;
    let place = match window.format() {
        Format::Plain => Place {
            offset: at,
            length: None,
            inside: 0,
        },
        _ => Place {
            offset: member.offset,
            length: None,
            inside: if first { 0 } else { at - member.at },
        },
    };
    let fail = |kind, lost, message: &str| {
        let offset = place.offset;
        let error = Error::new(kind, format!("record at byte {offset} {message}"));
        Failure {
            error: error.with_offset(offset),
            lost,
        }
    };
    let mut searched = 0;
    let (length, stop) = loop {
        if let Some(length) = end_of_block(window.rest(), &mut searched) {
            break (length, None);
        }
        if window.rest().len() > MAX_HEAD {
            break (MAX_HEAD + 1, None);
        }
        if let More::Stop(stop) = window.more()? {
            break (window.rest().len(), Some(stop));
        }
    };
    let block = window.rest().get(..length).unwrap_or_default();
    if let Some(n) = inner_version(block) {
        window.advance(n);
        return Ok(Err(fail(
            Kind::Header,
            Lost::Junk,
            "has a header block without an end",
        )));
    }
    if length > MAX_HEAD {
        window.advance(length);
        return Ok(Err(fail(
            Kind::Header,
            Lost::Junk,
            "has a header block of more than a mebibyte",
        )));
    }
    match stop {
        Some(Stop::Eof) => {
            window.advance(length);
            return Ok(Err(fail(
                Kind::Truncated,
                Lost::Junk,
                "is cut: the input ends in its header block",
            )));
        }
        Some(Stop::Damage) => {
            return Ok(Err(match window.take_damage() {
                Some(damage) => fail(
                    damage.kind(),
                    Lost::Damage,
                    &format!("is damaged: {}", damage.message()),
                ),
                None => fail(Kind::Compression, Lost::Damage, "is damaged"),
            }));
        }
        None => {}
    }
    let version = memchr::memchr(b'\n', block).map_or(length, |n| n + 1);
    let fields = Headers::new(block.get(version..).unwrap_or_default());
    Ok(Ok(Header {
        record_type: fields
            .get("WARC-Type")
            .map(|value| RecordType::from_value(&value)),
        version,
        length,
        content: 0,
        place,
        at,
        first,
        id: fields.text("WARC-Record-ID").map(without_brackets),
        url: fields.text("WARC-Target-URI").map(without_brackets),
    }))
}

pub(crate) fn fields<'w>(window: &'w Window<'_>, header: &Header) -> Headers<'w> {
    Headers::new(
        window
            .rest()
            .get(header.version..header.length)
            .unwrap_or_default(),
    )
}

/// The one number that every Content-Length field gives.
pub(crate) fn content_length(fields: Headers<'_>) -> Option<u64> {
    let mut lengths = fields.all("Content-Length").map(|value| {
        let digits = trim(&value);
        let number = std::str::from_utf8(digits).ok()?.parse::<u64>().ok()?;
        digits.iter().all(u8::is_ascii_digit).then_some(number)
    });
    let first = lengths.next()??;
    lengths.all(|other| other == Some(first)).then_some(first)
}

/// How many bytes a version line may have: `WARC/1.0`, room for longer numbers, CRLF.
pub(crate) const VERSION_LINE: usize = 14;

/// The length of the version line that starts here: `WARC/`, a number, a dot, a number.
pub(crate) fn version_line(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"WARC/")?;
    let rest = rest.get(..VERSION_LINE - 5).unwrap_or(rest);
    let end = memchr::memchr(b'\n', rest)?;
    let version = trim(rest.get(..end)?);
    let dot = memchr::memchr(b'.', version)?;
    let (major, minor) = (version.get(..dot)?, version.get(dot + 1..)?);
    let number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    (number(major) && number(minor)).then_some(end + 6)
}

/// The first version line that is not at the very start.
pub(crate) fn inner_version(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(bytes, b"\nWARC/")
        .map(|n| n + 1)
        .find(|&n| {
            bytes
                .get(n..)
                .is_some_and(|line| version_line(line).is_some())
        })
}
