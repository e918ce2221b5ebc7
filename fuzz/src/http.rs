//! Any bytes as an HTTP response: a body within its cap.

use unbake_io::{Limits, http};

/// The target.
pub fn run(data: &[u8]) {
    let limits = Limits {
        max_body: 1 << 16,
        max_ratio: 300,
    };
    if let Some(head) = http::Head::parse(data) {
        assert!(head.headers().iter().count() <= data.len());
        let body = head.decode_body(&limits);
        // Only what was never coded may be longer than the cap.
        assert!(body.bytes.len() <= limits.max_body.max(data.len()));
    }
}
