//! [`WarcReader`]: one archive, record by record, whatever state it is in.
//!
//! # Standard
//! [WARC 1.1](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/), section 4:
//! `record = header CRLF block CRLF CRLF`. Beyond it, bare LF, folded fields and missing blank lines are
//! read; and where a record does not end where its Content-Length says, reading goes on at the next
//! border of a gzip member or zstd frame, or at the next line that is a WARC version.

use std::io::{self, Read};

use crate::error::{Error, Kind};
use crate::header::{
    Failure, Header, Lost, VERSION_LINE, content_length, fields, inner_version, measure,
    version_line,
};
use crate::headers::trim;
use crate::members::{Format, Members};
use crate::note::Note;
use crate::record::{Item, Record, RecordError, Skipped};
use crate::window::{Border, More, Stop, Window};

/// How an archive is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The largest record that is kept in memory, headers included. A larger one becomes an
    /// [`Item::Error`] of kind [`Kind::TooLarge`], and reading goes on after it.
    ///
    /// # Units
    /// Bytes.
    pub max_record: u64,
    /// The size of the stored input, where it is known: a Content-Length beyond it is then seen at once.
    ///
    /// # Units
    /// Bytes.
    pub size: Option<u64>,
    /// Where the input begins in the file that offsets speak of; not 0 where only a part is read.
    ///
    /// # Units
    /// Bytes.
    pub offset: u64,
}

impl Default for Options {
    /// Records up to 64 MiB.
    fn default() -> Options {
        Options {
            max_record: 64 << 20,
            size: None,
            offset: 0,
        }
    }
}

/// The longest run of line ends after a record that still counts as its trailer.
const MAX_TRAILER: usize = 4096;

/// Reads the records of one archive. Never stops silently: what cannot be read is an
/// [`Item::Error`], and reading goes on.
///
/// # Example
/// ```
/// use unbake_io::{Item, Limits, Options, WarcReader};
/// let archive = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.test/\r\n\
///     Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n";
/// for item in WarcReader::new("one.warc", &archive[..], Options::default()) {
///     let Item::Record(record) = item else { panic!() };
///     assert_eq!(record.url().as_deref(), Some("http://a.test/"));
///     assert_eq!(&*record.body(&Limits::default()).bytes, b"hello");
///     assert_eq!(record.place().length, Some(archive.len() as u64));
/// }
/// ```
pub struct WarcReader<'a> {
    name: String,
    window: Window<'a>,
    options: Options,
    spare: Vec<Vec<u8>>,
    lost: Lost,
    /// How many line ends were passed over just before the current position.
    blanks: u64,
    done: bool,
}

/// Where the bytes of a record stop.
enum End {
    /// They are all there.
    Whole,
    /// A member that begins with a record starts here, too early.
    Cut(Border),
    /// No more bytes come.
    Stop(Stop),
}

impl<'a> WarcReader<'a> {
    /// Reads from `source`, which error messages call `name`.
    pub fn new(
        name: impl Into<String>,
        source: impl Read + Send + 'a,
        options: Options,
    ) -> WarcReader<'a> {
        WarcReader {
            name: name.into(),
            window: Window::new(
                Members::new(Box::new(source), options.offset),
                options.offset,
            ),
            options,
            spare: Vec::new(),
            lost: Lost::No,
            blanks: 0,
            done: false,
        }
    }

    /// Gives back the memory of a record that is no longer needed, for the next one.
    pub fn recycle(&mut self, record: Record) {
        if self.spare.len() < 4 {
            self.spare.push(record.buffer);
        }
    }

    /// Gives the dictionary frame's content of a zstd archive that is not read from its start.
    pub fn set_dictionary(&mut self, stored: &[u8]) {
        self.window.set_dictionary(stored);
    }

    /// The offset up to which stored bytes have been read.
    pub fn stored_offset(&self) -> u64 {
        self.window.stored_offset()
    }

    fn step(&mut self) -> io::Result<Option<Item>> {
        loop {
            self.skip_blank()?;
            let stop = self.window.fill(VERSION_LINE)?;
            if version_line(self.window.rest()).is_some() {
                self.lost = Lost::No;
                return self.record().map(Some);
            }
            if !self.window.rest().is_empty() {
                if let Some(error) = self.junk()? {
                    return Ok(Some(error));
                }
                continue;
            }
            match stop {
                Some(Stop::Eof) | None => return Ok(None),
                Some(Stop::Damage) => {
                    let Some(error) = self.window.take_damage() else {
                        return Ok(None);
                    };
                    if self.lost != Lost::Damage {
                        self.lost = Lost::Damage;
                        return Ok(Some(self.error(error, None)));
                    }
                }
            }
        }
    }

    /// Passes over line ends.
    fn skip_blank(&mut self) -> io::Result<()> {
        self.blanks = 0;
        loop {
            let rest = self.window.rest();
            let n = rest
                .iter()
                .position(|b| !matches!(b, b'\r' | b'\n'))
                .unwrap_or(rest.len());
            let more = n == rest.len();
            self.blanks += n as u64;
            self.window.advance(n);
            if !more {
                break;
            }
            self.window.pass_border();
            self.window.compact();
            if let More::Stop(_) = self.window.more()? {
                break;
            }
        }
        self.window.pass_border();
        self.window.compact();
        Ok(())
    }

    /// Passes over bytes that belong to no record.
    fn junk(&mut self) -> io::Result<Option<Item>> {
        let from = self.window.position();
        let at = self.offset_here();
        if from == 0 && self.window.rest().starts_with(b"filedesc:") {
            self.window.close();
            let error = Error::new(Kind::Format, "this is an ARC file, which is not read")
                .with_hint("convert it to WARC first, for example with `warcio recompress`");
            return Ok(Some(self.error(error.with_offset(0), None)));
        }
        self.find_version()?;
        let length = self.window.position() - from;
        // Bytes of a member that is damaged: one error is enough, and the damage's says more.
        let damaged = self.window.rest().is_empty() && self.window.damaged();
        if self.lost != Lost::No || damaged {
            return Ok(None);
        }
        self.lost = Lost::Junk;
        let message = format!("{length} bytes at byte {at} belong to no record");
        Ok(Some(self.error(
            Error::new(Kind::Junk, message).with_offset(at),
            None,
        )))
    }

    /// The stored offset of the current position, or of the member that holds it.
    fn offset_here(&self) -> u64 {
        match self.window.format() {
            Format::Plain => self.window.position(),
            _ => self.window.member().offset,
        }
    }

    /// Moves to the next WARC version (at the start of a line or of a member, or before a WARC field), or
    /// to where bytes end.
    fn find_version(&mut self) -> io::Result<()> {
        const NEEDLE: &[u8] = b"WARC/";
        let mut from = 0;
        loop {
            let rest = self.window.rest();
            let found = rest
                .get(from..)
                .and_then(|r| memchr::memmem::find(r, NEEDLE))
                .map(|n| n + from);
            if let Some(n) = found {
                self.window.fill(n + VERSION_LINE + 5)?;
                let position = self.window.position() + n as u64;
                let rest = self.window.rest();
                let line_start = n.checked_sub(1).and_then(|p| rest.get(p)) == Some(&b'\n')
                    || self
                        .window
                        .next_start(position)
                        .is_some_and(|b| b.at == position);
                let here = rest.get(n..).unwrap_or_default();
                // Junk need not end in a line end: then the first field must be there as well.
                let followed = |length| {
                    here.get(length..)
                        .is_some_and(|fields: &[u8]| fields.starts_with(b"WARC-"))
                };
                if version_line(here).is_some_and(|length| line_start || followed(length)) {
                    self.window.advance(n);
                    return Ok(());
                }
                from = n + 1;
                continue;
            }
            // The line end before the needle, and all of the needle but its last byte, may be here.
            self.window.advance(rest.len().saturating_sub(NEEDLE.len()));
            self.window.compact();
            from = 0;
            if let More::Stop(_) = self.window.more()? {
                let n = self.window.rest().len();
                self.window.advance(n);
                return Ok(());
            }
        }
    }

    /// Reads the record whose version line is at the current position.
    fn record(&mut self) -> io::Result<Item> {
        self.window.pass_border();
        self.window.compact();
        let header = match measure(&mut self.window, self.blanks)? {
            Ok(header) => header,
            Err(Failure { error, lost }) => {
                self.lost = lost;
                return Ok(self.error(error, None));
            }
        };
        let Some(content) = content_length(fields(&self.window, &header)) else {
            let message = match fields(&self.window, &header).get("Content-Length") {
                None => "has no Content-Length",
                Some(_) => "has a Content-Length that is not one number",
            };
            self.window.advance(header.length);
            return Ok(self.lose(Kind::ContentLength, message, &header));
        };
        let header = Header { content, ..header };
        if header.total() > self.options.max_record {
            return self.oversize(&header);
        }
        match self.whole(&header)? {
            End::Whole => self.finish(&header),
            End::Cut(border) => {
                let got = border.at - header.at;
                self.window.advance(got as usize);
                self.window.pass_border();
                let message = format!(
                    "stops after {got} of {} bytes, at the end of its member",
                    header.total()
                );
                Ok(self.lose(Kind::Cut, &message, &header))
            }
            End::Stop(stop) => {
                let got = self.window.rest().len();
                if self.resume_inside(&header, got) {
                    return Ok(self.lose(
                        Kind::ContentLength,
                        "has a Content-Length beyond the next record",
                        &header,
                    ));
                }
                if stop == Stop::Damage {
                    return Ok(self.damaged(&header));
                }
                self.window.advance(got);
                let message = format!(
                    "is cut: the input ends after {got} of {} bytes",
                    header.total()
                );
                Ok(self.lose(Kind::Truncated, &message, &header))
            }
        }
    }

    /// Reads until the whole record is in the window.
    fn whole(&mut self, header: &Header) -> io::Result<End> {
        let total = header.total();
        let mut checked = header.at + 1;
        loop {
            while let Some(border) = self.window.next_start(checked) {
                if border.at >= header.at + total {
                    break;
                }
                let n = (border.at - header.at) as usize;
                self.window.fill(n + VERSION_LINE + 2)?;
                let rest = self.window.rest().get(n..).unwrap_or_default();
                let blank = rest
                    .iter()
                    .take_while(|b| matches!(b, b'\r' | b'\n'))
                    .count();
                if version_line(rest.get(blank..).unwrap_or_default()).is_some() {
                    return Ok(End::Cut(border));
                }
                checked = border.at + 1;
            }
            if self.window.rest().len() as u64 >= total {
                return Ok(End::Whole);
            }
            if let More::Stop(stop) = self.window.more()? {
                return Ok(End::Stop(stop));
            }
        }
    }

    /// Looks at what follows the record, and hands it out.
    fn finish(&mut self, header: &Header) -> io::Result<Item> {
        let total = header.total() as usize;
        let mut trailer = 0;
        let stop = loop {
            let position = header.at + (total + trailer) as u64;
            if self.window.end_at(position).is_some() {
                break None;
            }
            match self.window.rest().get(total + trailer) {
                Some(b'\r' | b'\n') if trailer < MAX_TRAILER => trailer += 1,
                Some(_) => break None,
                None => {
                    if let More::Stop(stop) = self.window.more()? {
                        break Some(stop);
                    }
                }
            }
        };
        let position = header.at + (total + trailer) as u64;
        let end = self.window.end_at(position);
        let rest = self.window.rest();
        let strict = rest.get(total..total + trailer) == Some(b"\r\n\r\n");
        if end.is_none() && stop.is_none() {
            self.window.fill(total + trailer + VERSION_LINE)?;
            let next = self
                .window
                .rest()
                .get(total + trailer..)
                .unwrap_or_default();
            if trailer < MAX_TRAILER && version_line(next).is_none() {
                // What follows is no record. Either it is junk, or this record's Content-Length is
                // wrong: too large if another record begins inside it, too small if its trailer is missing.
                let inside = self.resume_inside(header, total);
                if inside || !strict {
                    if !inside {
                        self.window.advance(total + trailer);
                    }
                    return Ok(self.lose(
                        Kind::ContentLength,
                        "does not end where its Content-Length says",
                        header,
                    ));
                }
            }
        }
        if end.is_none()
            && header.first
            && self.window.damaged()
            && self.window.format() != Format::Plain
        {
            let reached = self.window.rest().len() == total + trailer;
            if reached {
                return Ok(self.damaged(header));
            }
        }
        let mut place = header.place;
        place.length = match self.window.format() {
            Format::Plain => Some((total + trailer.min(4)) as u64),
            _ if header.first => end.map(|border| border.offset - place.offset),
            _ => None,
        };
        let Some(record_type) = header.record_type else {
            self.window.advance(total + trailer);
            return Ok(self.lose(Kind::Header, "has no WARC-Type", header));
        };
        if !record_type.is_document() {
            self.window.advance(total + trailer);
            return Ok(Item::Skipped(Skipped { record_type, place }));
        }
        let mut notes = Vec::new();
        if !strict {
            notes.push(Note::RecordTrailer);
        }
        let spare = self.spare.pop().unwrap_or_default();
        let buffer = self.window.take(total, spare);
        self.window.advance(trailer);
        let version = buffer.get(..header.version).unwrap_or_default();
        if !matches!(
            trim(version.strip_suffix(b"\n").unwrap_or(version)),
            b"WARC/1.0" | b"WARC/1.1"
        ) {
            notes.push(Note::WarcVersion);
        }
        Ok(Item::Record(Record {
            buffer,
            fields: header.version..header.length,
            block: header.length..total,
            kind: record_type,
            place,
            notes,
        }))
    }

    /// Passes over a record that is too large to keep.
    fn oversize(&mut self, header: &Header) -> io::Result<Item> {
        self.window.advance(header.length);
        let end = header.at.saturating_add(header.total());
        let fits = self.options.size.is_some_and(|size| end <= size);
        if self.window.format() == Format::Plain && self.options.size.is_some() && !fits {
            return Ok(self.lose(
                Kind::ContentLength,
                "has a Content-Length beyond the end of the input",
                header,
            ));
        }
        // Where the end of the record cannot be known otherwise, the next version line is it.
        let known = if self.window.format() == Format::Plain {
            fits
        } else {
            header.first
        };
        let mut checked = header.at + 1;
        while known && self.window.position() < end {
            if let Some(border) = self.window.next_start(checked) {
                let n = border.at.saturating_sub(self.window.position()) as usize;
                self.window.fill(n + VERSION_LINE)?;
                let rest = self.window.rest().get(n..).unwrap_or_default();
                if border.at < end && version_line(rest).is_some() {
                    self.window.advance(n);
                    self.window.pass_border();
                    return Ok(self.lose(Kind::Cut, "stops at the end of its member", header));
                }
                checked = border.at + 1;
            }
            let left = end - self.window.position();
            let n = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(self.window.rest().len());
            self.window.advance(n);
            self.window.compact();
            if n as u64 == left {
                break;
            }
            match self.window.more()? {
                More::Bytes | More::Border => {}
                More::Stop(Stop::Damage) => return Ok(self.damaged(header)),
                More::Stop(Stop::Eof) => {
                    return Ok(self.lose(
                        Kind::Truncated,
                        "is cut: the input ends inside it",
                        header,
                    ));
                }
            }
        }
        match header.record_type {
            Some(record_type) if known && !record_type.is_document() => {
                Ok(Item::Skipped(Skipped {
                    record_type,
                    place: header.place,
                }))
            }
            _ => {
                let message = format!(
                    "has {} bytes, more than the cap of {}",
                    header.total(),
                    self.options.max_record
                );
                Ok(self.lose(Kind::TooLarge, &message, header))
            }
        }
    }

    /// Moves to a version line among the first `n` bytes of a record whose Content-Length is wrong.
    fn resume_inside(&mut self, header: &Header, n: usize) -> bool {
        let inside = self.window.rest().get(header.length..n).unwrap_or_default();
        match inner_version(inside) {
            Some(found) => {
                self.window.advance(header.length + found);
                true
            }
            None => false,
        }
    }

    /// The record is lost with its member.
    fn damaged(&mut self, header: &Header) -> Item {
        let item = match self.window.take_damage() {
            Some(damage) => self.lose(
                damage.kind(),
                &format!("is damaged: {}", damage.message()),
                header,
            ),
            None => self.lose(Kind::Compression, "is damaged", header),
        };
        self.lost = Lost::Damage;
        item
    }

    fn lose(&mut self, kind: Kind, message: &str, header: &Header) -> Item {
        self.lost = Lost::Junk;
        let offset = header.place.offset;
        let inside = match header.place.inside {
            0 => String::new(),
            inside => format!(", {inside} bytes into its member,"),
        };
        let error = Error::new(kind, format!("record at byte {offset}{inside} {message}"));
        self.error(error.with_offset(offset), Some(header))
    }

    fn error(&self, error: Error, header: Option<&Header>) -> Item {
        Item::Error(RecordError {
            error: error.with_path(self.name.as_str()),
            record_type: header.and_then(|h| h.record_type),
            id: header.and_then(|h| h.id.clone()),
            url: header.and_then(|h| h.url.clone()),
        })
    }
}

impl Iterator for WarcReader<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if self.done {
            return None;
        }
        match self.step() {
            Ok(None) => {
                self.done = true;
                None
            }
            Ok(item) => item,
            Err(e) => {
                self.window.close();
                self.done = true;
                let offset = self.window.stored_offset();
                let error = Error::new(Kind::Io, format!("reading failed at byte {offset}: {e}"));
                Some(self.error(error.with_offset(offset).with_source(e), None))
            }
        }
    }
}
