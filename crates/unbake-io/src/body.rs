//! [`Body`]: a document without the codings of its transfer, and what was found on the way.

use std::borrow::Cow;

use crate::chunked::{ChunkedEnd, decode_chunked};
use crate::coding::{Coding, Ended, unpack};
use crate::limits::Limits;
use crate::note::Note;

/// A document's bytes, after transfer and content codings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body<'a> {
    /// The bytes; borrowed from the record where there was no coding.
    pub bytes: Cow<'a, [u8]>,
    /// The codings that were removed, outermost first: `chunked`, `gzip`.
    pub codings: Vec<&'static str>,
    /// What had to be overlooked.
    pub notes: Vec<Note>,
}

impl<'a> Body<'a> {
    /// A body without any coding.
    pub fn plain(bytes: &'a [u8]) -> Body<'a> {
        Body {
            bytes: Cow::Borrowed(bytes),
            codings: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The removed codings as one word: `identity`, `gzip`, `chunked+br`.
    pub fn coding(&self) -> Cow<'static, str> {
        match self.codings.as_slice() {
            [] => Cow::Borrowed("identity"),
            [one] => Cow::Borrowed(one),
            many => Cow::Owned(many.join("+")),
        }
    }
}

/// How many codings one body may wear.
const MAX_DEPTH: usize = 5;

/// Removes transfer codings, then content codings, each list from right to left, then a gzip file that
/// lies beneath.
///
/// The names are lower case. With `removed`, the crawler says that it has taken off the content coding
/// itself: then only a coding that shows its magic number is taken off.
pub fn remove_codings<'a>(
    raw: &'a [u8],
    transfer: &[Vec<u8>],
    content: &[Vec<u8>],
    removed: bool,
    limits: &Limits,
) -> Body<'a> {
    let mut body = Body::plain(raw);
    let layers = transfer
        .iter()
        .rev()
        .map(|name| (name, false))
        .chain(content.iter().rev().map(|name| (name, removed)));
    for (depth, (name, removed)) in layers.enumerate() {
        if depth == MAX_DEPTH {
            body.notes.push(Note::CodingDepth);
            return body;
        }
        if name == b"chunked" {
            remove_chunked(&mut body);
            continue;
        }
        let Some(coding) = Coding::from_name(name) else {
            body.notes.push(Note::CodingUnknown);
            return body;
        };
        if !remove_coding(&mut body, coding, removed, limits) {
            return body;
        }
    }
    // A guess, and labelled one: a body that still begins like a gzip member is a gzip file
    // (`sitemap.xml.gz`), or a server forgot to name the coding. Its text is inside.
    let mut depth = 0;
    while Coding::Gzip.has_magic(&body.bytes) && depth < 2 {
        if !remove_coding(&mut body, Coding::Gzip, false, limits) {
            break;
        }
        body.notes.push(Note::GzipByMagic);
        depth += 1;
    }
    body
}

fn remove_chunked(body: &mut Body<'_>) {
    let (bytes, end) = decode_chunked(&body.bytes);
    match end {
        ChunkedEnd::Absent if body.bytes.is_empty() => return,
        ChunkedEnd::Absent => {
            body.notes.push(Note::ChunkedAbsent);
            return;
        }
        ChunkedEnd::Cut => body.notes.push(Note::ChunkedCut),
        ChunkedEnd::Damaged => body.notes.push(Note::ChunkedDamaged),
        ChunkedEnd::Complete => {}
    }
    body.bytes = Cow::Owned(bytes);
    body.codings.push("chunked");
}

/// Removes one coding; answers whether the next may be tried.
fn remove_coding(body: &mut Body<'_>, coding: Coding, removed: bool, limits: &Limits) -> bool {
    if body.bytes.is_empty() {
        return true;
    }
    if coding.has_a_magic() && !coding.has_magic(&body.bytes) || removed && !coding.has_a_magic() {
        body.notes.push(Note::CodingAbsent);
        return true;
    }
    let (bytes, ended) = unpack(coding, &body.bytes, limits);
    let note = match ended {
        Ended::Complete => None,
        // Brotli and raw deflate have no magic number. Where decoding failed and the body reads
        // like text, the crawler had decoded it.
        Ended::Damaged | Ended::Cut
            if !coding.has_magic(&body.bytes) && looks_like_text(&body.bytes) =>
        {
            body.notes.push(Note::CodingAbsent);
            return true;
        }
        Ended::Cut => Some(Note::CodingCut),
        Ended::Damaged => Some(Note::CodingDamaged),
        Ended::Checksum => Some(Note::CodingChecksum),
        Ended::Capped => Some(Note::BodyCapped),
        Ended::RatioCapped => Some(Note::RatioCapped),
    };
    body.bytes = Cow::Owned(bytes);
    body.codings.push(coding.id());
    body.notes.extend(note);
    matches!(note, None | Some(Note::CodingChecksum))
}

/// Does the beginning hold a BOM of UTF-16 or no binary data byte at all?
///
/// # Standard
/// [MIME Sniffing, "binary data byte"](https://mimesniff.spec.whatwg.org/#binary-data-byte), over the
/// length of its resource header (1445 bytes).
fn looks_like_text(bytes: &[u8]) -> bool {
    if bytes.starts_with(&[0xFE, 0xFF]) || bytes.starts_with(&[0xFF, 0xFE]) {
        return true;
    }
    let head = bytes.get(..1445).unwrap_or(bytes);
    !head
        .iter()
        .any(|b| matches!(b, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F))
}
