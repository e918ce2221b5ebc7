//! The suites of decoding sessions, of bug reports and of recorded browsers.
#![allow(dead_code)] // one binary uses them

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};
use unbake::{Context, Format, Parent, Profile, decode, decode_strict, get_an_encoding};

use super::{Cases, base64, expect, json_lines, latin, streamed, text};

/// Real bug reports, profile `pipeline`: the kinds that are about deciding and decoding.
pub(crate) fn bug_reports(folder: &Path) -> Cases {
    let mut cases = Cases::new();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    for row in json_lines(&folder.join("open.jsonl")) {
        let kind = text(&row, "kind").unwrap_or_default();
        if matches!(kind, "mojibake" | "normalise" | "warc" | "content-encoding") {
            *left_out.entry(kind.to_owned()).or_default() += 1;
            continue;
        }
        cases.push((
            text(&row, "id").unwrap_or_default().to_owned(),
            bug_report(&row),
        ));
    }
    println!("bug-reports: left out, as other parts answer them: {left_out:?}");
    cases
}

fn bug_report(row: &Value) -> Result<(), String> {
    let (known, want) = (&row["context"], &row["expected"]);
    let bytes = base64(text(row, "input_b64").unwrap_or_default());
    let content_type = match &known["content_type"] {
        Value::String(value) => vec![latin(value)],
        Value::Array(values) => values.iter().filter_map(Value::as_str).map(latin).collect(),
        _ => Vec::new(),
    };
    let context = Context {
        content_type,
        format: text(known, "format").and_then(Format::from_id),
        tld: text(known, "url_tld").map(str::to_owned),
        lang: text(known, "lang").map(str::to_owned),
        local_file: text(known, "source") == Some("file"),
        user_override: text(known, "user_encoding")
            .and_then(|label| get_an_encoding(label.as_bytes())),
        ..Context::default()
    };
    let mut chunks = known["chunks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_u64)
        .map(|n| n as usize);
    let (got, decision, malformed, _) =
        streamed(&bytes, &context, || chunks.next().unwrap_or(usize::MAX));
    let names = |fields: [&Value; 2]| -> Vec<String> {
        fields
            .into_iter()
            .flat_map(|v| v.as_array().cloned().unwrap_or_else(|| vec![v.clone()]))
            .filter_map(|v| v.as_str().map(str::to_owned))
            .collect()
    };
    let encodings = names([&want["encoding"], &want["accept_encodings"]]);
    if !encodings.iter().any(|e| e == decision.encoding.name()) {
        return Err(format!(
            "encoding: got {}, want {encodings:?}",
            decision.encoding
        ));
    }
    let rules: Vec<String> = names([&want["rule"], &want["rule_alt"]])
        .into_iter()
        .map(|rule| match rule.as_str() {
            "xml-decl" => "xml-declaration".to_owned(),
            "format-default" => "format".to_owned(),
            "user" => "override".to_owned(),
            _ => rule,
        })
        .collect();
    if !rules.iter().any(|rule| rule == decision.rule.id()) {
        return Err(format!("rule: got {}, want {rules:?}", decision.rule));
    }
    if let Some(want) = text(want, "text") {
        expect("text", got, want)?;
    }
    if let Some(count) = want["replacements"]
        .as_u64()
        .filter(|&count| count != malformed.count)
    {
        return Err(format!("malformed: got {}, want {count}", malformed.count));
    }
    if want["strict_error"] == Value::Bool(true) {
        let error = decode_strict(&bytes, &context)
            .err()
            .ok_or("strict: not refused")?;
        for (field, got) in [("error_offset", error.at), ("error_line", error.line)] {
            if want[field].as_u64().is_some_and(|want| want != got) {
                return Err(format!("strict: {field} is {got}"));
            }
        }
    }
    Ok(())
}

/// Recorded answers of three engines that agree: profile `browser`, the encoding and, where recorded, the text.
pub(crate) fn browser(folder: &Path) -> Cases {
    let case = |row: Value| {
        let answer = &row["answer"];
        let content_type = match &row["content_type"] {
            Value::String(value) => vec![latin(value)],
            Value::Array(values) => values.iter().filter_map(Value::as_str).map(latin).collect(),
            _ => Vec::new(),
        };
        let parent =
            text(&row, "iframe_parent_charset").and_then(|label| get_an_encoding(label.as_bytes()));
        let cross = row["iframe_cross_origin"] == Value::Bool(true);
        let context = Context {
            content_type,
            parent: parent.map(|encoding| Parent {
                encoding,
                same_origin: !cross,
            }),
            tld: text(&row, "host")
                .and_then(|host| host.rsplit('.').next())
                .map(str::to_owned),
            ..Context::new(Profile::Browser)
        };
        let bytes = base64(text(&row, "body_b64").unwrap_or_default());
        let decoded = decode(&bytes, &context);
        let mut outcome = expect(
            "encoding",
            decoded.decision.encoding.name(),
            text(answer, "encoding").unwrap_or_default(),
        );
        if let (Ok(()), Some("decoded"), Some(want)) = (
            &outcome,
            text(answer, "verified"),
            text(answer, "decoded_sha256"),
        ) {
            let digest = Sha256::digest(decoded.text.as_bytes());
            let got = digest
                .iter()
                .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
            outcome = expect("sha256 of the text", got, want);
        }
        (text(&row, "id").unwrap_or_default().to_owned(), outcome)
    };
    json_lines(&folder.join("open.jsonl"))
        .into_iter()
        .map(case)
        .collect()
}
