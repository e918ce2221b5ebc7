//! The suites of style sheets and of JSON.
#![allow(dead_code)] // one binary uses them

use std::path::Path;

use serde_json::Value;
use unbake::{Context, Format, Parent, decode, get_an_encoding, sniff};

use super::{Cases, content_type, expect, json, json_lines, latin, read, row_bytes, text};

pub(crate) fn wpt_css_charset(folder: &Path) -> Cases {
    let case = |row: Value| {
        let environment =
            text(&row, "charset_attribute").and_then(|label| get_an_encoding(label.as_bytes()));
        let page = text(&row, "page_encoding").and_then(|label| get_an_encoding(label.as_bytes()));
        let parent = environment.or(page).map(|encoding| Parent {
            encoding,
            same_origin: true,
        });
        let context = Context {
            content_type: content_type(&row),
            format: Some(Format::Css),
            parent,
            ..Context::default()
        };
        let got = sniff(&row_bytes(folder, &row), &context).encoding.name();
        let case = format!(
            "{} in {}",
            text(&row, "file").unwrap_or_default(),
            text(&row, "page").unwrap_or_default()
        );
        (
            case,
            expect("encoding", got, text(&row, "expected").unwrap_or_default()),
        )
    };
    json_lines(&folder.join("manifest.jsonl"))
        .into_iter()
        .map(case)
        .collect()
}

/// CSS 2's test pages, whose rules CSS Syntax 3 has changed: the answers were computed by today's rules.
pub(crate) fn wpt_css2(folder: &Path) -> Cases {
    let case = |row: Value| {
        let label = |field| text(&row, field).and_then(|label| get_an_encoding(label.as_bytes()));
        let environment = label("charset_attribute").or(label("page_encoding"));
        let context = Context {
            content_type: content_type(&row),
            format: Some(Format::Css),
            parent: environment.map(|encoding| Parent {
                encoding,
                same_origin: true,
            }),
            ..Context::default()
        };
        let got = sniff(&row_bytes(folder, &row), &context).encoding.name();
        let want = row["computed_by_rules"][0].as_str().expect("an encoding");
        let page = text(&row, "page").unwrap_or_default().to_owned();
        (page, expect("encoding", got, want))
    };
    json_lines(&folder.join("manifest.jsonl"))
        .into_iter()
        .map(case)
        .collect()
}

/// Style sheets as bytes: the encoding, and not the parsed sheet.
pub(crate) fn css_parsing(folder: &Path) -> Cases {
    let pairs = json(&folder.join("stylesheet_bytes.json"));
    let pairs = pairs.as_array().expect("pairs");
    let case = |(number, pair): (usize, &[Value])| {
        let label = |field| text(&pair[0], field);
        let environment = label("environment_encoding").and_then(|l| get_an_encoding(l.as_bytes()));
        let header = label("protocol_encoding");
        let context = Context {
            content_type: header
                .map(|label| latin(&format!("text/css; charset=\"{label}\"")))
                .into_iter()
                .collect(),
            format: Some(Format::Css),
            parent: environment.map(|encoding| Parent {
                encoding,
                same_origin: true,
            }),
            ..Context::default()
        };
        let bytes = latin(label("css_bytes").expect("css_bytes"));
        let got = sniff(&bytes, &context).encoding.name();
        let want = pair[1][1].as_str().expect("an encoding");
        let want = get_an_encoding(want.as_bytes()).expect("a label").name();
        (
            format!("pair {}", number + 1),
            expect("encoding", got, want),
        )
    };
    pairs.chunks_exact(2).enumerate().map(case).collect()
}

/// JSON files: what a parser must accept is UTF-8 without an error, what is not UTF-8 has one. Their syntax is not our matter.
pub(crate) fn json_files(folder: &Path) -> Cases {
    let case = |row: Value| {
        let file = text(&row, "file").expect("file").to_owned();
        let bytes = read(&folder.join(&file));
        let context = Context {
            format: Some(Format::Json),
            ..Context::default()
        };
        let decoded = decode(&bytes, &context);
        let bom = decoded.decision.bom.map(|(encoding, _)| encoding.name());
        let valid = row["utf8_valid"] == Value::Bool(true);
        let outcome = expect(
            "bom",
            bom.unwrap_or("none"),
            text(&row, "bom").unwrap_or("none"),
        )
        .and_then(|()| {
            // A mark of UTF-16 is obeyed; everything else is read as UTF-8.
            let clean = decoded.malformed.count == 0;
            if clean == (valid || bom == Some("UTF-16LE")) {
                Ok(())
            } else {
                Err(format!("{} malformed", decoded.malformed.count))
            }
        });
        (file, outcome)
    };
    json_lines(&folder.join("manifest.jsonl"))
        .into_iter()
        .map(case)
        .collect()
}
