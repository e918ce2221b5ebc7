//! Any bytes as an HTTP response: no panic, and a body within its cap.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unbake_io::{Limits, http};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { max_body: 1 << 16, max_ratio: 300 };
    if let Some(head) = http::Head::parse(bytes) {
        assert!(head.headers().iter().count() <= bytes.len());
        let body = head.decode_body(&limits);
        // Only what was never coded may be longer than the cap.
        assert!(body.bytes.len() <= limits.max_body.max(bytes.len()));
    }
});
