//! Any bytes as a chunked body; and any bytes, chunked, come back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unbake_io::{ChunkedEnd, decode_chunked};

fuzz_target!(|bytes: &[u8]| {
    let (out, _) = decode_chunked(bytes);
    assert!(out.len() <= bytes.len());

    let size = 1 + bytes.first().map_or(0, |&b| usize::from(b));
    let mut coded = Vec::new();
    for chunk in bytes.chunks(size) {
        coded.extend_from_slice(format!("{:X}\r\n", chunk.len()).as_bytes());
        coded.extend_from_slice(chunk);
        coded.extend_from_slice(b"\r\n");
    }
    coded.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(decode_chunked(&coded), (bytes.to_vec(), ChunkedEnd::Complete));
});
