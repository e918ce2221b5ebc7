//! The columns of every report: what is counted, in words, and out of how many.

use super::tally::Tally;

/// One count of a tally.
#[derive(Clone, Copy)]
pub(super) struct Column {
    /// The name in CSV and JSON.
    pub(super) id: &'static str,
    /// The heading of a table.
    pub(super) head: &'static str,
    /// In words.
    pub(super) words: &'static str,
    pub(super) of: fn(&Tally) -> u64,
}

/// The counts about pages, in the order of reports.
pub(super) const PAGES: [Column; 16] = [
    Column {
        id: "not_utf_8",
        head: "not UTF-8",
        words: "not UTF-8",
        of: |t| t.not_utf_8,
    },
    Column {
        id: "garbled_requests",
        head: "requests",
        words: "garbled by requests' .text",
        of: |t| t.garbled_requests,
    },
    Column {
        id: "garbled_httpx",
        head: "httpx",
        words: "garbled by httpx",
        of: |t| t.garbled_httpx,
    },
    Column {
        id: "garbled_utf_8",
        head: "all UTF-8",
        words: "garbled by always UTF-8",
        of: |t| t.garbled_utf_8,
    },
    Column {
        id: "garbled_strict",
        head: "strict",
        words: "refused or garbled by the strict codec of the declared name",
        of: |t| t.garbled_strict,
    },
    Column {
        id: "garbled_browser",
        head: "browser",
        words: "garbled by browsers themselves (undeclared UTF-8)",
        of: |t| t.garbled_browser,
    },
    Column {
        id: "undeclared",
        head: "undeclared",
        words: "no declaration",
        of: |t| t.undeclared,
    },
    Column {
        id: "late_meta",
        head: "late meta",
        words: "meta after the first 1024 bytes",
        of: |t| t.late_meta,
    },
    Column {
        id: "conflict",
        head: "conflict",
        words: "conflicting declarations",
        of: |t| t.conflict,
    },
    Column {
        id: "bom",
        head: "BOM",
        words: "byte order mark",
        of: |t| t.bom,
    },
    Column {
        id: "unknown_label",
        head: "bad label",
        words: "label that names no encoding",
        of: |t| t.unknown_label,
    },
    Column {
        id: "made",
        head: "malformed",
        words: "malformed bytes (U+FFFD made)",
        of: |t| t.text().made,
    },
    Column {
        id: "real",
        head: "real FFFD",
        words: "U+FFFD in the source",
        of: |t| t.text().real,
    },
    Column {
        id: "c1",
        head: "C1",
        words: "C1 characters",
        of: |t| t.text().c1,
    },
    Column {
        id: "null",
        head: "empty",
        words: "empty",
        of: |t| t.text().null,
    },
    Column {
        id: "requests_guesses",
        head: "guessed",
        words: "left to a detector by requests (not judged)",
        of: |t| t.requests_guesses,
    },
];
