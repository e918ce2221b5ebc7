//! A page of a host, as the audit sees it.

use unbake::Context;
use unbake_io::audit::{Page, Seen};

pub(crate) fn seen(host: &str, body: &[u8], content_type: &str) -> Seen {
    let context = Context {
        content_type: vec![content_type.as_bytes().to_vec()],
        ..Context::default()
    };
    let url = format!("http://{host}/");
    Seen::page(&Page {
        body,
        context: &context,
        name: &url,
        url: Some(&url),
        date: Some("2026-01-02T03:04:05Z"),
        file: None,
        record_at: None,
    })
}

pub(crate) const UTF_8: &str = "text/html; charset=utf-8";
