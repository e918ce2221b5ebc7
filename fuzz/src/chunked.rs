//! Any bytes as a chunked body; and any bytes, chunked, come back.

use unbake_io::{ChunkedEnd, decode_chunked};

/// The target.
pub fn run(data: &[u8]) {
    let (out, _) = decode_chunked(data);
    assert!(out.len() <= data.len());

    let size = 1 + data.first().map_or(0, |&b| usize::from(b));
    let mut coded = Vec::new();
    for chunk in data.chunks(size) {
        coded.extend_from_slice(format!("{:X}\r\n", chunk.len()).as_bytes());
        coded.extend_from_slice(chunk);
        coded.extend_from_slice(b"\r\n");
    }
    coded.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(
        decode_chunked(&coded),
        (data.to_vec(), ChunkedEnd::Complete)
    );
}
