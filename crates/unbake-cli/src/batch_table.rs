//! Records as a table for people.

use std::io::{self, Write};

pub(crate) const TABLE_HEAD: [&str; 6] = [
    "document",
    "encoding",
    "confidence",
    "decided by",
    "malformed",
    "also seen",
];

/// A record, or an error, as a row.
pub(crate) fn table_row(record: &serde_json::Value) -> Vec<u8> {
    let mut table = Vec::new();
    let field = |name: &str| match record.get(name) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Null) | None => "-".to_owned(),
        Some(other) => other.to_string(),
    };
    let cells = if let Some(message) = record
        .pointer("/error/message")
        .and_then(serde_json::Value::as_str)
    {
        [
            field("id"),
            "error".to_owned(),
            "-".to_owned(),
            "-".to_owned(),
            "-".to_owned(),
            message.to_owned(),
        ]
    } else {
        let label = record.get("label").and_then(serde_json::Value::as_str);
        let rule = label.map_or_else(
            || field("rule"),
            |label| format!("{} `{label}`", field("rule")),
        );
        [
            field("id"),
            field("encoding"),
            field("confidence"),
            rule,
            field("replacements"),
            also_seen(record),
        ]
    };
    // Into memory: no error.
    let _infallible = write_row(&mut table, &cells);
    table
}

/// The clues that lost, in a few words.
fn also_seen(record: &serde_json::Value) -> String {
    let clues = record
        .get("clues")
        .and_then(serde_json::Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let words: Vec<String> = clues
        .iter()
        .filter_map(|clue| {
            let text = |name: &str| clue.get(name).and_then(serde_json::Value::as_str);
            let fate = text("fate").filter(|&fate| fate != "decided")?;
            let said = text("label")
                .or_else(|| text("encoding"))
                .unwrap_or_default();
            Some(format!("{} `{said}` ({fate})", text("origin")?))
        })
        .collect();
    if words.is_empty() {
        "-".to_owned()
    } else {
        words.join(", ")
    }
}

/// Cells in columns; the last one runs on.
pub(crate) fn write_row(out: &mut dyn Write, cells: &[String; 6]) -> io::Result<()> {
    let [document, encoding, confidence, rule, malformed, seen] = cells;
    writeln!(
        out,
        "{document:<38} {encoding:<13} {confidence:<10} {rule:<30} {malformed:>9}  {seen}"
    )
}
