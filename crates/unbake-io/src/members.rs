//! [`Members`]: an archive's bytes after decompression, with the borders of gzip members and zstd frames.
//!
//! # Standard
//! [RFC 1952](https://www.rfc-editor.org/rfc/rfc1952) (gzip), [RFC 8878](https://www.rfc-editor.org/rfc/rfc8878)
//! (zstd), and the IIPC's [WARC with Zstandard](https://iipc.github.io/warc-specifications/specifications/warc-zstd/),
//! where the first skippable frame may hold the dictionary.

use std::io::{self, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};

use crate::error::{Error, Kind};
use crate::input::Input;

/// How many bytes one step may add.
const STEP: usize = 64 * 1024;

/// The largest dictionary that is believed.
///
/// # Units
/// Bytes. Dictionaries in the wild are around 100 KB; the specification sets no limit.
pub(crate) const MAX_DICTIONARY: usize = 16 << 20;

/// How much of a candidate is decompressed to see whether it is a member.
const TRIAL: usize = 4096;

/// What one step brought.
#[derive(Debug)]
pub(crate) enum Step {
    /// Bytes were added.
    Data,
    /// A member starts at this offset of the file.
    Start(u64),
    /// The member ended; the offset is the byte after it.
    End(u64),
    /// The member is damaged, or what stands between two members is none. Reading goes on with the
    /// next member that can be found.
    Damage(Error),
    /// The file ends.
    Eof,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Plain,
    Gzip,
    Zstd,
}

enum State {
    /// Nothing has been read yet.
    Fresh,
    /// Before a member.
    Between,
    /// Inside a member.
    Inside,
    /// At the end of the file.
    Done,
}

pub(crate) struct Members<'a> {
    input: Input<'a>,
    format: Format,
    state: State,
    inflate: Decompress,
    crc: Crc,
    zstd: Option<ZstdDecoder<'static>>,
    dictionary: Vec<u8>,
    /// Offset of the member being read.
    member: u64,
    /// How many bytes have been read a second time, looking for the member after a damaged one.
    reread: u64,
}

/// How many bytes may be read twice: this many, plus [`REREAD_SHARE`] times what has been read once.
/// A file made of nothing but false starts then costs linear time, not quadratic.
const REREAD_FREE: u64 = 16 << 20;
const REREAD_SHARE: u64 = 8;

impl<'a> Members<'a> {
    /// `offset` is where the first byte of `reader` stands in the file.
    pub(crate) fn new(reader: Box<dyn Read + Send + 'a>, offset: u64) -> Members<'a> {
        Members {
            input: Input::new(reader, offset),
            format: Format::Plain,
            state: State::Fresh,
            inflate: Decompress::new(false),
            crc: Crc::new(),
            zstd: None,
            dictionary: Vec::new(),
            member: 0,
            reread: 0,
        }
    }

    /// Gives the dictionary, as it is stored, of a file that is not read from its start.
    pub(crate) fn set_dictionary(&mut self, stored: &[u8]) {
        self.dictionary = plain_dictionary(stored).unwrap_or_default();
    }

    /// How the file is stored; known after the first step.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Offset in the file of the next stored byte.
    pub(crate) fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// Takes one step; decompressed bytes are appended to `out`.
    pub(crate) fn step(&mut self, out: &mut Vec<u8>) -> io::Result<Step> {
        match self.state {
            State::Fresh => {
                self.input.fill(4)?;
                self.format = match self.input.available() {
                    [0x1F, 0x8B, ..] => Format::Gzip,
                    [0x28, 0xB5, 0x2F, 0xFD, ..] => Format::Zstd,
                    [b, 0x2A, 0x4D, 0x18, ..] if b & 0xF0 == 0x50 => Format::Zstd,
                    _ => Format::Plain,
                };
                self.state = State::Between;
                self.step(out)
            }
            State::Between => self.start_member(),
            State::Inside => match self.format {
                Format::Plain => self.step_plain(out),
                Format::Gzip => self.step_gzip(out),
                Format::Zstd => self.step_zstd(out),
            },
            State::Done => Ok(Step::Eof),
        }
    }

    fn start_member(&mut self) -> io::Result<Step> {
        self.input.set_mark();
        self.member = self.input.offset();
        if self.input.fill(1)? == 0 {
            self.state = State::Done;
            return Ok(Step::Eof);
        }
        match self.format {
            Format::Plain => {}
            Format::Gzip => match self.gzip_head()? {
                Some(length) => {
                    self.input.consume(length);
                    self.inflate.reset(false);
                    self.crc.reset();
                }
                None => return self.damage("no gzip member where one should start", Kind::Junk),
            },
            Format::Zstd => {
                if let Some(problem) = self.skippable_frames()? {
                    return self.damage(problem, Kind::Compression);
                }
                if self.input.fill(1)? == 0 {
                    self.state = State::Done;
                    return Ok(Step::Eof);
                }
                self.member = self.input.offset();
                self.input.set_mark();
                self.input.fill(4)?;
                if !self.input.available().starts_with(&ZSTD_MAGIC) {
                    return self.damage("no zstd frame where one should start", Kind::Junk);
                }
                self.open_zstd()?;
            }
        }
        self.state = State::Inside;
        Ok(Step::Start(self.member))
    }

    fn step_plain(&mut self, out: &mut Vec<u8>) -> io::Result<Step> {
        if self.input.fill(1)? == 0 {
            self.state = State::Done;
            return Ok(Step::End(self.input.offset()));
        }
        let piece = self.input.available();
        let piece = piece.get(..STEP).unwrap_or(piece);
        out.extend_from_slice(piece);
        let n = piece.len();
        self.input.consume(n);
        self.input.set_mark();
        Ok(Step::Data)
    }

    fn step_gzip(&mut self, out: &mut Vec<u8>) -> io::Result<Step> {
        let available = self.input.fill(1)?;
        out.reserve(STEP);
        let (length, before) = (out.len(), self.inflate.total_in());
        let status =
            self.inflate
                .decompress_vec(self.input.available(), out, FlushDecompress::None);
        let used = (self.inflate.total_in() - before) as usize;
        self.input.consume(used);
        let fresh = out.get(length..).unwrap_or_default();
        let grown = !fresh.is_empty();
        self.crc.update(fresh);
        match status {
            Ok(Status::StreamEnd) => {
                self.input.fill(8)?;
                let Some(trailer) = self.input.available().first_chunk::<8>() else {
                    return self.damage("the gzip member ends inside its trailer", Kind::Truncated);
                };
                let fits = gzip_trailer_fits(*trailer, &self.crc);
                self.input.consume(8);
                if !fits {
                    return self.damage(
                        "the checksum of the gzip member is wrong",
                        Kind::Compression,
                    );
                }
                self.state = State::Between;
                Ok(Step::End(self.input.offset()))
            }
            Ok(_) if grown || used > 0 => Ok(Step::Data),
            Ok(_) if available == 0 || self.input.at_end() => {
                self.damage("the gzip member is cut", Kind::Truncated)
            }
            Ok(_) => self.damage("the gzip member makes no progress", Kind::Compression),
            Err(_) => self.damage(
                "the gzip member is not valid deflate data",
                Kind::Compression,
            ),
        }
    }

    fn step_zstd(&mut self, out: &mut Vec<u8>) -> io::Result<Step> {
        let available = self.input.fill(1)?;
        out.reserve(STEP);
        let length = out.len();
        let Some(decoder) = self.zstd.as_mut() else {
            return self.damage("the zstd decoder is not open", Kind::Compression);
        };
        let mut source = InBuffer::around(self.input.available());
        let mut target = OutBuffer::around_pos(out, length);
        let status = decoder.run(&mut source, &mut target);
        let used = source.pos();
        self.input.consume(used);
        match status {
            Ok(0) => {
                self.state = State::Between;
                Ok(Step::End(self.input.offset()))
            }
            Ok(_) if used > 0 || out.len() > length => Ok(Step::Data),
            Ok(_) if available == 0 || self.input.at_end() => {
                self.damage("the zstd frame is cut", Kind::Truncated)
            }
            Ok(_) => self.damage("the zstd frame makes no progress", Kind::Compression),
            Err(e) => self.damage(
                &format!("the zstd frame is damaged ({e})"),
                Kind::Compression,
            ),
        }
    }

    /// Gives up the current member and looks for the next one, beginning right after its first byte:
    /// the decompressor may already have run into it.
    fn damage(&mut self, problem: &str, kind: Kind) -> io::Result<Step> {
        let at = self.member;
        let reached = self.input.offset();
        if self.reread <= REREAD_FREE + REREAD_SHARE * reached {
            self.input.rewind_to(at);
            self.reread += reached - self.input.offset();
        }
        if self.input.offset() == at {
            self.input.consume(1);
        }
        let found = self.find_member()?;
        self.state = if found { State::Between } else { State::Done };
        let end = self.input.offset();
        let then = if found {
            format!("reading goes on at byte {end}")
        } else {
            "nothing follows".to_owned()
        };
        Ok(Step::Damage(
            Error::new(kind, format!("{problem} at byte {at}; {then}")).with_offset(at),
        ))
    }

    /// Moves to the next offset at which a member decompresses.
    fn find_member(&mut self) -> io::Result<bool> {
        let first = match self.format {
            Format::Plain => return Ok(false),
            Format::Gzip => 0x1F,
            Format::Zstd => 0x28,
        };
        loop {
            if self.input.fill(1)? == 0 {
                return Ok(false);
            }
            match memchr::memchr(first, self.input.available()) {
                None => {
                    let n = self.input.available().len();
                    self.input.consume(n);
                }
                Some(n) => {
                    self.input.consume(n);
                    if self.is_member()? {
                        return Ok(true);
                    }
                    self.input.consume(1);
                }
            }
            self.input.set_mark();
        }
    }

    /// Does a member start here? The first bytes must be a valid header, and the next [`TRIAL`] must
    /// decompress. The mark stays where the caller needs it: `fill` never drops unconsumed bytes.
    fn is_member(&mut self) -> io::Result<bool> {
        match self.format {
            Format::Plain => Ok(false),
            Format::Gzip => {
                let Some(length) = self.gzip_head()? else {
                    return Ok(false);
                };
                self.input.fill(length + TRIAL)?;
                let rest = self.input.available().get(length..).unwrap_or_default();
                let rest = rest.get(..TRIAL).unwrap_or(rest);
                let mut trial = Decompress::new(false);
                let mut out = Vec::with_capacity(STEP);
                Ok(trial
                    .decompress_vec(rest, &mut out, FlushDecompress::None)
                    .is_ok()
                    && !out.is_empty())
            }
            Format::Zstd => {
                self.input.fill(TRIAL)?;
                if !self.input.available().starts_with(&ZSTD_MAGIC) {
                    return Ok(false);
                }
                let head = self.input.available();
                let head = head.get(..TRIAL).unwrap_or(head);
                let mut trial = ZstdDecoder::with_dictionary(&self.dictionary)?;
                let mut out = Vec::with_capacity(STEP);
                let mut target = OutBuffer::around(&mut out);
                Ok(trial.run(&mut InBuffer::around(head), &mut target).is_ok())
            }
        }
    }

    /// The length of the gzip header that starts here, or `None` where none does (RFC 1952, section 2.3).
    fn gzip_head(&mut self) -> io::Result<Option<usize>> {
        let mut want = 10;
        loop {
            let have = self.input.fill(want)?;
            match gzip_header_length(self.input.available()) {
                GzipHead::Complete(length) => return Ok(Some(length)),
                GzipHead::Bad => return Ok(None),
                GzipHead::Short if have < want => return Ok(None),
                GzipHead::Short if want > MAX_GZIP_HEADER => return Ok(None),
                GzipHead::Short => want = have + 512,
            }
        }
    }

    /// Passes over skippable frames; the first of kind `0x184D2A5D` at the start is the dictionary.
    fn skippable_frames(&mut self) -> io::Result<Option<&'static str>> {
        loop {
            self.input.fill(8)?;
            let Some((&[kind, 0x2A, 0x4D, 0x18], rest)) =
                self.input.available().split_first_chunk::<4>()
            else {
                return Ok(None);
            };
            let Some(&length) = rest.first_chunk::<4>() else {
                return Ok(None);
            };
            if kind & 0xF0 != 0x50 {
                return Ok(None);
            }
            let length = u32::from_le_bytes(length) as usize;
            let is_dictionary = kind == 0x5D && self.input.offset() == 0;
            self.input.consume(8);
            if is_dictionary {
                if length > MAX_DICTIONARY {
                    return Ok(Some("the zstd dictionary is too large"));
                }
                if self.input.fill(length)? < length {
                    return Ok(Some("the zstd dictionary is cut"));
                }
                let stored = self.input.available().get(..length).unwrap_or_default();
                match plain_dictionary(stored) {
                    Some(dictionary) => self.dictionary = dictionary,
                    None => return Ok(Some("the zstd dictionary is damaged")),
                }
            }
            let mut left = length;
            while left > 0 {
                let n = self.input.fill(1)?.min(left);
                if n == 0 {
                    return Ok(Some("a skippable zstd frame is cut"));
                }
                self.input.consume(n);
                self.input.set_mark();
                left -= n;
            }
            self.input.set_mark();
        }
    }

    fn open_zstd(&mut self) -> io::Result<()> {
        if let Some(decoder) = self.zstd.as_mut() {
            return decoder.reinit();
        }
        self.zstd = Some(ZstdDecoder::with_dictionary(&self.dictionary)?);
        Ok(())
    }
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The dictionary frame holds the dictionary itself, or one zstd frame with the dictionary in it.
fn plain_dictionary(stored: &[u8]) -> Option<Vec<u8>> {
    if !stored.starts_with(&ZSTD_MAGIC) {
        return Some(stored.to_vec());
    }
    let mut out = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(stored).ok()?;
    decoder
        .take(MAX_DICTIONARY as u64 + 1)
        .read_to_end(&mut out)
        .ok()?;
    (out.len() <= MAX_DICTIONARY).then_some(out)
}

/// A gzip header with a 64 KiB extra field and a name and a comment of the same length.
const MAX_GZIP_HEADER: usize = 3 * 65536;

pub(crate) enum GzipHead {
    Complete(usize),
    Short,
    Bad,
}

/// Measures the gzip header at the start of `bytes`.
///
/// # Standard
/// [RFC 1952, section 2.3.1](https://www.rfc-editor.org/rfc/rfc1952#page-6). Reserved flag bits must be
/// zero, "a decompressor must give an error indication if any reserved bit is non-zero".
pub(crate) fn gzip_header_length(bytes: &[u8]) -> GzipHead {
    match bytes {
        [] => return GzipHead::Short,
        [first, ..] if *first != 0x1F => return GzipHead::Bad,
        [_, second, ..] if *second != 0x8B => return GzipHead::Bad,
        [_, _, method, ..] if *method != 8 => return GzipHead::Bad,
        [_, _, _, flags, ..] if flags & 0xE0 != 0 => return GzipHead::Bad,
        _ => {}
    }
    let Some(&[_, _, _, flags, ..]) = bytes.first_chunk::<10>() else {
        return GzipHead::Short;
    };
    let mut at = 10;
    if flags & 4 != 0 {
        let Some(&[low, high]) = bytes.get(at..).and_then(|b| b.first_chunk::<2>()) else {
            return GzipHead::Short;
        };
        at += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            match bytes.get(at..).and_then(|b| memchr::memchr(0, b)) {
                Some(n) => at += n + 1,
                None => return GzipHead::Short,
            }
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    if at <= bytes.len() {
        GzipHead::Complete(at)
    } else {
        GzipHead::Short
    }
}

/// Do the checksum and the length at the end of a gzip member fit what was decompressed (RFC 1952, section 2.3.1)?
pub(crate) fn gzip_trailer_fits(trailer: [u8; 8], crc: &Crc) -> bool {
    u64::from_le_bytes(trailer) == u64::from(crc.amount()) << 32 | u64::from(crc.sum())
}
