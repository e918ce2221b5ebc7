//! The content codings: gzip, deflate, br and zstd, undone under a cap.
//!
//! # Standard
//! [RFC 9110, section 8.4.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1): gzip with its alias
//! x-gzip, deflate (the zlib format); [RFC 7932](https://www.rfc-editor.org/rfc/rfc7932) (br);
//! [RFC 9659](https://www.rfc-editor.org/rfc/rfc9659) (zstd, with a window of at most 8 MB).
//! Raw deflate, which some servers send, is read as browsers read it.

use std::io::Read;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::limits::Limits;
use crate::members::{GzipHead, gzip_header_length, gzip_trailer_fits};

/// A content coding that can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// How a coded body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Complete,
    Cut,
    Damaged,
    Checksum,
    Capped,
    RatioCapped,
}

impl Coding {
    /// The coding that a lower-case name means.
    pub(crate) fn from_name(name: &[u8]) -> Option<Coding> {
        match name {
            b"gzip" | b"x-gzip" => Some(Coding::Gzip),
            b"deflate" => Some(Coding::Deflate),
            b"br" => Some(Coding::Brotli),
            b"zstd" => Some(Coding::Zstd),
            _ => None,
        }
    }

    pub(crate) fn id(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
            Coding::Brotli => "br",
            Coding::Zstd => "zstd",
        }
    }

    /// Can a body be told to carry this coding by its first bytes?
    pub(crate) fn has_a_magic(self) -> bool {
        matches!(self, Coding::Gzip | Coding::Zstd)
    }

    /// Do these bytes begin like this coding? For deflate: like its zlib form.
    pub(crate) fn has_magic(self, bytes: &[u8]) -> bool {
        match self {
            Coding::Gzip => bytes.starts_with(&[0x1F, 0x8B, 8]),
            Coding::Deflate => is_zlib_header(bytes),
            Coding::Brotli => false,
            Coding::Zstd => match bytes {
                [0x28, 0xB5, 0x2F, 0xFD, ..] => true,
                [b, 0x2A, 0x4D, 0x18, ..] => b & 0xF0 == 0x50,
                _ => false,
            },
        }
    }
}

/// [RFC 1950, section 2.2](https://www.rfc-editor.org/rfc/rfc1950#page-4): method 8, a window of at most
/// 32 KiB, no preset dictionary, and the check bits.
fn is_zlib_header(bytes: &[u8]) -> bool {
    match bytes {
        [cmf, flags, ..] => {
            cmf & 0x0F == 8
                && cmf >> 4 <= 7
                && flags & 0x20 == 0
                && (u16::from(*cmf) << 8 | u16::from(*flags)).is_multiple_of(31)
        }
        _ => false,
    }
}

/// Undoes one coding; what could be decoded is answered whatever happens.
pub(crate) fn unpack(coding: Coding, bytes: &[u8], limits: &Limits) -> (Vec<u8>, Ended) {
    let mut sink = Sink {
        out: Vec::new(),
        cap: Cap::new(bytes.len(), limits),
    };
    let ended = match coding {
        Coding::Gzip => gunzip(bytes, &mut sink),
        Coding::Deflate => undeflate(bytes, &mut sink),
        Coding::Brotli => unbrotli(bytes, &mut sink),
        Coding::Zstd => unzstd(bytes, &mut sink),
    };
    (sink.out, ended)
}

/// The longest output, and why it is that long.
#[derive(Clone, Copy)]
struct Cap {
    length: usize,
    reason: Ended,
}

impl Cap {
    fn new(coded: usize, limits: &Limits) -> Cap {
        let by_ratio = coded
            .saturating_mul(limits.max_ratio)
            .max(Limits::RATIO_FREE);
        if by_ratio < limits.max_body {
            Cap {
                length: by_ratio,
                reason: Ended::RatioCapped,
            }
        } else {
            Cap {
                length: limits.max_body,
                reason: Ended::Capped,
            }
        }
    }
}

struct Sink {
    out: Vec<u8>,
    cap: Cap,
}

impl Sink {
    /// Reserves room for the next piece; false once the cap is exceeded (the excess is cut off).
    fn make_room(&mut self) -> bool {
        if self.out.len() > self.cap.length {
            self.out.truncate(self.cap.length);
            return false;
        }
        // One byte more than the cap shows that there was more.
        let room = (self.cap.length + 1 - self.out.len()).min(PIECE.max(self.out.len()));
        if self.out.capacity() - self.out.len() < room.min(PIECE) {
            self.out.reserve(room);
        }
        true
    }

    /// Cuts what the decoder wrote beyond the cap into its spare room.
    fn close(&mut self, ended: Ended) -> Ended {
        if self.out.len() > self.cap.length {
            self.out.truncate(self.cap.length);
            return self.cap.reason;
        }
        ended
    }
}

const PIECE: usize = 32 * 1024;

/// One run of deflate data: how it ended, and how many bytes it took.
fn inflate(bytes: &[u8], zlib: bool, sink: &mut Sink) -> (Ended, usize) {
    let mut decoder = Decompress::new(zlib);
    loop {
        if !sink.make_room() {
            return (sink.cap.reason, decoder.total_in() as usize);
        }
        let before = (decoder.total_in(), decoder.total_out());
        let rest = bytes.get(decoder.total_in() as usize..).unwrap_or_default();
        let status = decoder.decompress_vec(rest, &mut sink.out, FlushDecompress::None);
        let used = decoder.total_in() as usize;
        match status {
            Ok(Status::StreamEnd) => return (sink.close(Ended::Complete), used),
            Ok(_) if before == (decoder.total_in(), decoder.total_out()) => {
                return (
                    sink.close(if used >= bytes.len() {
                        Ended::Cut
                    } else {
                        Ended::Damaged
                    }),
                    used,
                );
            }
            Ok(_) => {}
            Err(_) => return (sink.close(Ended::Damaged), used),
        }
    }
}

/// gzip, one member or several; bytes after the last member that are no member are dropped.
fn gunzip(bytes: &[u8], sink: &mut Sink) -> Ended {
    let mut rest = bytes;
    let mut ended = Ended::Complete;
    loop {
        let GzipHead::Complete(head) = gzip_header_length(rest) else {
            return if rest.len() == bytes.len() {
                Ended::Cut
            } else {
                ended
            };
        };
        let data = rest.get(head..).unwrap_or_default();
        let from = sink.out.len();
        let (how, used) = inflate(data, false, sink);
        if how != Ended::Complete {
            return how;
        }
        let Some((trailer, next)) = data.get(used..).and_then(|b| b.split_first_chunk::<8>())
        else {
            return Ended::Cut;
        };
        let mut crc = Crc::new();
        crc.update(sink.out.get(from..).unwrap_or_default());
        if !gzip_trailer_fits(*trailer, &crc) {
            ended = Ended::Checksum;
        }
        if next.is_empty() {
            return ended;
        }
        rest = next;
    }
}

/// deflate: the zlib format, or else raw deflate data.
fn undeflate(bytes: &[u8], sink: &mut Sink) -> Ended {
    if is_zlib_header(bytes) {
        let (ended, _) = inflate(bytes, true, sink);
        if ended != Ended::Damaged || !sink.out.is_empty() {
            return ended;
        }
    }
    inflate(bytes, false, sink).0
}

fn unbrotli(bytes: &[u8], sink: &mut Sink) -> Ended {
    let mut state = BrotliState::new(
        StandardAlloc::default(),
        StandardAlloc::default(),
        StandardAlloc::default(),
    );
    let mut piece = vec![0; PIECE];
    let (mut left, mut at, mut total) = (bytes.len(), 0, 0);
    loop {
        let (mut room, mut written) = (piece.len(), 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut at,
            bytes,
            &mut room,
            &mut written,
            &mut piece,
            &mut total,
            &mut state,
        );
        sink.out
            .extend_from_slice(piece.get(..written).unwrap_or_default());
        match result {
            BrotliResult::ResultSuccess => return sink.close(Ended::Complete),
            BrotliResult::ResultFailure => return sink.close(Ended::Damaged),
            BrotliResult::NeedsMoreInput => return sink.close(Ended::Cut),
            BrotliResult::NeedsMoreOutput if sink.out.len() > sink.cap.length => {
                return sink.close(Ended::Capped);
            }
            BrotliResult::NeedsMoreOutput => {}
        }
    }
}

fn unzstd(bytes: &[u8], sink: &mut Sink) -> Ended {
    let Ok(mut decoder) = zstd::stream::read::Decoder::with_buffer(bytes) else {
        return Ended::Damaged;
    };
    // RFC 9659, section 3: a window of no more than 8 MB.
    if decoder.window_log_max(23).is_err() {
        return Ended::Damaged;
    }
    let cap = sink.cap.length as u64 + 1;
    match decoder.take(cap).read_to_end(&mut sink.out) {
        Ok(_) => sink.close(Ended::Complete),
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => sink.close(Ended::Cut),
        Err(_) => sink.close(Ended::Damaged),
    }
}
