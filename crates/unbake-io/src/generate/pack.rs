//! The containers and codings, written.

use std::io::Write;
use std::ops::Range;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

/// How an archive is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As it is.
    Plain,
    /// A gzip member a record, as the standard asks for.
    GzipMembers,
    /// All records in one gzip member.
    GzipOne,
    /// A zstd frame a record.
    Zstd,
    /// The same, after a frame with the dictionary.
    ZstdDictionary,
}

impl Packing {
    /// Every way.
    pub const ALL: [Packing; 5] = [
        Packing::Plain,
        Packing::GzipMembers,
        Packing::GzipOne,
        Packing::Zstd,
        Packing::ZstdDictionary,
    ];

    /// Can each record be read alone?
    pub fn is_per_record(self) -> bool {
        self != Packing::GzipOne
    }
}

/// Packs records; answers the file and where each record is in it.
pub(crate) fn pack<'a>(
    packing: Packing,
    records: impl Iterator<Item = &'a [u8]>,
) -> (Vec<u8>, Vec<Range<usize>>) {
    let mut out = Vec::new();
    let mut ranges = Vec::new();
    if packing == Packing::GzipOne {
        let mut plain = Vec::new();
        for record in records {
            ranges.push(plain.len()..plain.len() + record.len());
            plain.extend_from_slice(record);
        }
        return (gzip(&plain), ranges);
    }
    let mut dictionary = Vec::new();
    if packing == Packing::ZstdDictionary {
        dictionary = super::record(
            "response",
            "http://site.test/",
            "urn:uuid:",
            "application/http",
            b"HTTP/1.1 200 OK\r\n",
        );
        dictionary.extend_from_slice(
            b"<!DOCTYPE html>\n<html><head><meta charset=utf-8><title></title></head><body>",
        );
        out.extend_from_slice(&[0x5D, 0x2A, 0x4D, 0x18]);
        out.extend_from_slice(&(dictionary.len() as u32).to_le_bytes());
        out.extend_from_slice(&dictionary);
    }
    for record in records {
        let from = out.len();
        match packing {
            Packing::Plain => out.extend_from_slice(record),
            Packing::GzipMembers | Packing::GzipOne => out.extend_from_slice(&gzip(record)),
            Packing::Zstd | Packing::ZstdDictionary => {
                out.extend_from_slice(&zstd_frame(record, &dictionary));
            }
        }
        ranges.push(from..out.len());
    }
    (out, ranges)
}

/// One gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    finish(
        GzEncoder::new(Vec::new(), Compression::default()),
        bytes,
        GzEncoder::finish,
    )
}

/// The zlib format.
pub fn deflate_zlib(bytes: &[u8]) -> Vec<u8> {
    finish(
        ZlibEncoder::new(Vec::new(), Compression::default()),
        bytes,
        ZlibEncoder::finish,
    )
}

/// Raw deflate data.
pub fn deflate_raw(bytes: &[u8]) -> Vec<u8> {
    finish(
        DeflateEncoder::new(Vec::new(), Compression::default()),
        bytes,
        DeflateEncoder::finish,
    )
}

fn finish<W: Write>(
    mut encoder: W,
    bytes: &[u8],
    finish: fn(W) -> std::io::Result<Vec<u8>>,
) -> Vec<u8> {
    encoder
        .write_all(bytes)
        .and_then(|()| finish(encoder))
        .expect("writing to a vector cannot fail")
}

/// One zstd frame with a checksum.
pub fn zstd_frame(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary)
        .expect("a zstd encoder");
    encoder.include_checksum(true).expect("a parameter");
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("writing to a vector cannot fail")
}

/// A Brotli stream of uncompressed meta-blocks ([RFC 7932, section 9](https://www.rfc-editor.org/rfc/rfc7932#section-9)):
/// valid, and written without an encoder.
pub fn brotli_stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // WBITS = 16 is one zero bit; it shares the first byte with the first meta-block's header.
    let mut first = true;
    for piece in bytes.chunks(1 << 16) {
        // ISLAST 0, MNIBBLES 00, MLEN - 1 in 16 bits, ISUNCOMPRESSED 1.
        let mut bits = ((piece.len() as u32 - 1) << 3) | (1 << 19);
        if first {
            bits <<= 1;
        }
        out.extend_from_slice(&bits.to_le_bytes()[..3]);
        out.extend_from_slice(piece);
        first = false;
    }
    // ISLAST 1, ISLASTEMPTY 1.
    out.push(if first { 0b110 } else { 0b11 });
    out
}
