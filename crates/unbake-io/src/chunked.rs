//! The chunked transfer coding, undone with patience.
//!
//! # Standard
//! [RFC 9112, section 7.1](https://www.rfc-editor.org/rfc/rfc9112#section-7.1). Beyond it: a chunk-size
//! line may end in a bare LF, white space may surround the size, and the CRLF after the data may be missing.

use crate::headers::trim;

/// How a chunked body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkedEnd {
    /// With the last chunk.
    Complete,
    /// Before the last chunk.
    Cut,
    /// At a chunk size that cannot be read.
    Damaged,
    /// The body is not chunked at all.
    Absent,
}

/// Undoes the chunked transfer coding: the data of all chunks that could be read, and how it ended.
/// Chunk extensions are ignored, the trailer section and what follows it are dropped.
///
/// # Example
/// ```
/// use unbake_io::{ChunkedEnd, decode_chunked};
/// assert_eq!(decode_chunked(b"3;x=\"y\"\r\nabc\r\n0\r\nT: u\r\n\r\n"), (b"abc".to_vec(), ChunkedEnd::Complete));
/// assert_eq!(decode_chunked(b"<p>abc").1, ChunkedEnd::Absent);
/// ```
pub fn decode_chunked(mut rest: &[u8]) -> (Vec<u8>, ChunkedEnd) {
    let mut out = Vec::new();
    let mut first = true;
    loop {
        if rest.is_empty() {
            return (
                out,
                if first {
                    ChunkedEnd::Absent
                } else {
                    ChunkedEnd::Cut
                },
            );
        }
        let Some((size, data, strict)) = chunk_size(rest) else {
            // A size line that the end of the body cuts in two is cut, not damaged.
            let cut = rest.len() < 18 && memchr::memchr(b'\n', rest).is_none();
            let end = if cut {
                ChunkedEnd::Cut
            } else {
                ChunkedEnd::Damaged
            };
            return (out, if first { ChunkedEnd::Absent } else { end });
        };
        if size == 0 {
            return (out, ChunkedEnd::Complete);
        }
        let taken = usize::try_from(size)
            .ok()
            .and_then(|n| data.split_at_checked(n));
        let Some((chunk, after)) = taken else {
            // A page whose first line happens to be a hexadecimal number is no chunked body.
            if first && !strict {
                return (out, ChunkedEnd::Absent);
            }
            out.extend_from_slice(data);
            return (out, ChunkedEnd::Cut);
        };
        if first && !matches!(after, [] | [b'\r' | b'\n', ..]) {
            return (out, ChunkedEnd::Absent);
        }
        first = false;
        out.extend_from_slice(chunk);
        rest = match after {
            [b'\r', b'\n', next @ ..] | [b'\n', next @ ..] => next,
            next => next,
        };
    }
}

/// Reads one chunk-size line: the size, what follows the line, and whether it ended in CRLF.
fn chunk_size(bytes: &[u8]) -> Option<(u64, &[u8], bool)> {
    // Nothing that could be a size line is longer than this; a page in one line is none.
    let head = bytes.get(..MAX_SIZE_LINE).unwrap_or(bytes);
    let end = memchr::memchr(b'\n', head)?;
    let (line, rest) = bytes.split_at_checked(end)?;
    let digits = trim(line.split(|&b| b == b';').next()?);
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut size = 0_u64;
    for &digit in digits {
        size = size << 4 | u64::from(char::from(digit).to_digit(16)?);
    }
    Some((size, rest.get(1..)?, line.ends_with(b"\r")))
}

/// The longest chunk-size line with its extensions that is read.
///
/// # Units
/// Bytes. Servers limit it to between 4 and 16 KiB.
const MAX_SIZE_LINE: usize = 16 * 1024;
