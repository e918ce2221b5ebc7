//! [`Note`]: what had to be overlooked to read a document. A note is not an error: there is a document.

/// One thing that was not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Note {
    /// A record does not end in CRLF CRLF.
    RecordTrailer,
    /// The record's version is neither 1.0 nor 1.1.
    WarcVersion,
    /// WARC-Truncated: the crawler did not store the whole body.
    WarcTruncated,
    /// The record says `application/http`, but there is no HTTP status line.
    HttpHeadAbsent,
    /// The HTTP head has no end: there is no body.
    HttpHeadCut,
    /// Transfer-Encoding says chunked, but the body is not: kept as it is.
    ChunkedAbsent,
    /// The last chunk is missing: what came before is kept.
    ChunkedCut,
    /// A chunk size could not be read: what came before is kept.
    ChunkedDamaged,
    /// A content coding was named, but the body is not coded: the crawler had removed it.
    CodingAbsent,
    /// The coded body ends early: what could be decoded is kept.
    CodingCut,
    /// The coded body is damaged: what could be decoded is kept.
    CodingDamaged,
    /// The checksum of the coded body is wrong; the bytes are kept.
    CodingChecksum,
    /// A content coding that is not known: the body stays coded.
    CodingUnknown,
    /// More codings are stacked than are ever removed.
    CodingDepth,
    /// The body is a gzip file beneath, or without, its content coding; it was unpacked.
    GzipByMagic,
    /// The body is longer than the cap: its beginning is kept.
    BodyCapped,
    /// The body grew too much for its size, as a decompression bomb does: its beginning is kept.
    RatioCapped,
}

impl Note {
    /// Every note, in the order of their declaration.
    pub const ALL: [Note; 17] = [
        Note::RecordTrailer,
        Note::WarcVersion,
        Note::WarcTruncated,
        Note::HttpHeadAbsent,
        Note::HttpHeadCut,
        Note::ChunkedAbsent,
        Note::ChunkedCut,
        Note::ChunkedDamaged,
        Note::CodingAbsent,
        Note::CodingCut,
        Note::CodingDamaged,
        Note::CodingChecksum,
        Note::CodingUnknown,
        Note::CodingDepth,
        Note::GzipByMagic,
        Note::BodyCapped,
        Note::RatioCapped,
    ];

    /// The name in records: `chunked-cut`.
    pub fn id(self) -> &'static str {
        match self {
            Note::RecordTrailer => "record-trailer",
            Note::WarcVersion => "warc-version",
            Note::WarcTruncated => "warc-truncated",
            Note::HttpHeadAbsent => "http-head-absent",
            Note::HttpHeadCut => "http-head-cut",
            Note::ChunkedAbsent => "chunked-absent",
            Note::ChunkedCut => "chunked-cut",
            Note::ChunkedDamaged => "chunked-damaged",
            Note::CodingAbsent => "coding-absent",
            Note::CodingCut => "coding-cut",
            Note::CodingDamaged => "coding-damaged",
            Note::CodingChecksum => "coding-checksum",
            Note::CodingUnknown => "coding-unknown",
            Note::CodingDepth => "coding-depth",
            Note::GzipByMagic => "gzip-by-magic",
            Note::BodyCapped => "body-capped",
            Note::RatioCapped => "ratio-capped",
        }
    }
}
