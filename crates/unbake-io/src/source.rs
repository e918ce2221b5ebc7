//! [`Source`]: where a document came from, in columns.

use std::borrow::Cow;

use serde::Serialize;

/// Where a document came from.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Source {
    /// WARC-Date, as written.
    pub fetch_time: Option<String>,
    /// The HTTP status.
    pub fetch_status: Option<u16>,
    /// The first Content-Type without its parameters, lower case.
    pub content_mime_type: Option<String>,
    /// WARC-Payload-Digest, as written.
    pub content_digest: Option<String>,
    /// WARC-Truncated, as written.
    pub content_truncated: Option<String>,
    /// The archive.
    pub warc_filename: Option<String>,
    /// See [`Place`](crate::Place).
    pub warc_record_offset: Option<u64>,
    /// See [`Place`](crate::Place).
    pub warc_record_length: Option<u64>,
    /// WARC-Record-ID.
    pub warc_record_id: Option<String>,
    /// WARC-Type.
    pub warc_type: Option<&'static str>,
    /// What a revisit refers to.
    pub warc_refers_to: Option<String>,
    /// The codings that were removed: `identity`, `chunked+gzip`.
    pub body_coding: Option<Cow<'static, str>>,
    /// What had to be overlooked: the ids of [`Note`](crate::Note)s.
    pub notes: Vec<&'static str>,
}

/// `type/subtype`, lower case; a label for grouping, not a parsed MIME type.
pub(crate) fn essence(value: &[u8]) -> Option<String> {
    let text = value.split(|&b| b == b';').next()?;
    let text = std::str::from_utf8(text).ok()?.trim().to_ascii_lowercase();
    (!text.is_empty()).then_some(text)
}
