//! Findings for people, as JSON, and as SARIF 2.1.0.

use std::fmt::Write as _;

use serde_json::{Value, json};
use unbake::{CheckRule, Checked, Excerpt, Finding, FixError, Mend, Severity, refusal};
use unicode_width::UnicodeWidthChar as _;

use crate::messages::plain;

/// As a compiler shows it: the line, and carets under the bytes.
pub(crate) fn as_text(name: &str, checked: &Checked<'_>) -> String {
    let refused = refusal(checked).map(|why| match why {
        FixError::Guessed(_) => format!("`--fix` does not mend it: {why}, with `--encoding`"),
        _ => format!("`--fix` does not mend it: {why}"),
    });
    let mut text = String::new();
    for finding in &checked.findings {
        let place = checked.place(finding);
        let rule = finding.rule;
        let (start, end) = finding.at;
        let bytes = match end - start {
            0 => "the whole document".to_owned(),
            1 => format!("byte {start}"),
            _ => format!("bytes {start}-{end}"),
        };
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        let (shown, carets) = underlined(&place);
        let _infallible = write!(
            text,
            "{}[{rule}]: {}\n{margin}--> {}:{number}:{} ({bytes})\n{margin} |\n{number} | {shown}\n{margin} | {carets}\n",
            rule.severity().id(),
            plain(&finding.message),
            plain(name),
            place.column,
        );
        let _infallible = writeln!(
            text,
            "{margin} = {}; {} ({})\n",
            match &refused {
                Some(refused) if rule.mend() != Mend::ByHand => refused,
                _ => rule.mend().words(),
            },
            rule.section(),
            rule.spec()
        );
    }
    text
}

/// The line fit for a terminal, and the carets that stand under the place.
fn underlined(place: &Excerpt) -> (String, String) {
    let (mut shown, mut carets) = (String::new(), String::new());
    let before = place.excerpt.get(..place.caret.0).unwrap_or_default();
    if before.chars().count() as u64 + 1 < place.column {
        shown.push('…');
        carets.push(' ');
    }
    for (at, character) in place.excerpt.char_indices() {
        let inside = at >= place.caret.0 && at < place.caret.1;
        let width = character.width().unwrap_or(0);
        // What can not be seen gets a dot, so that there is something to point at; a tab may be of any width.
        let hidden = plain(character.encode_utf8(&mut [0; 4])).len() != character.len_utf8();
        let (shown_as, width) = match character {
            '\t' => (' ', 1),
            _ if hidden || width == 0 && inside => ('·', 1),
            _ => (character, width),
        };
        shown.push(shown_as);
        let mark = if inside { '^' } else { ' ' };
        carets.extend(std::iter::repeat_n(mark, width));
    }
    if !carets.contains('^') {
        // An empty place: one caret where it is.
        let cut = usize::from(shown.starts_with('…'));
        let column = cut + before.chars().filter_map(char::width).sum::<usize>();
        carets = format!("{}^", " ".repeat(column));
    }
    (shown, carets.trim_end().to_owned())
}

/// One document as one line of JSON.
pub(crate) fn as_json(
    name: &str,
    checked: &Checked<'_>,
    fixed: bool,
    refused: Option<&str>,
) -> String {
    let findings: Vec<Value> = checked
        .findings
        .iter()
        .map(|finding| {
            let place = checked.place(finding);
            json!({
                "rule": finding.rule.id(),
                "severity": finding.rule.severity().id(),
                "mend": finding.rule.mend().id(),
                "at": finding.at,
                "line": place.line,
                "column": place.column,
                "message": finding.message,
                "spec": finding.rule.spec(),
            })
        })
        .collect();
    let decision = &checked.decision;
    let row = json!({
        "id": name,
        "format": decision.format.id(),
        "format_source": decision.format_source,
        "encoding": decision.encoding,
        "rule": decision.rule,
        "findings": findings,
        "fixed": fixed,
        "refused": refused,
    });
    format!("{row}\n")
}

/// What stands before the results of a SARIF log. The results come one by one, so that memory does not grow.
pub(crate) fn sarif_head() -> String {
    let rules: Vec<Value> = CheckRule::ALL
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id(),
                "shortDescription": {"text": rule.summary()},
                "fullDescription": {"text": rule.what()},
                "help": {"text": format!("{} {}", rule.why(), rule.mend().words())},
                "helpUri": rule.spec(),
                "defaultConfiguration": {"level": level(rule.severity())},
                "properties": {"mend": rule.mend().id(), "section": rule.section()},
            })
        })
        .collect();
    let driver = json!({
        "name": "unbake",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    format!(
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{driver}}},\"columnKind\":\"unicodeCodePoints\",\"results\":["
    )
}

/// What stands after them: what could not be read.
pub(crate) fn sarif_tail(failed: &[String]) -> String {
    let notifications: Vec<Value> = failed
        .iter()
        .map(|message| json!({"level": "error", "message": {"text": message}}))
        .collect();
    let invocation = json!({
        "executionSuccessful": failed.is_empty(),
        "toolExecutionNotifications": notifications,
    });
    format!("\n],\"invocations\":[{invocation}]}}]}}\n")
}

/// The results of a document, one a line.
pub(crate) fn as_sarif(name: &str, checked: &Checked<'_>) -> Vec<String> {
    let results = checked.findings.iter();
    results
        .map(|finding| sarif_result(name, checked, finding).to_string())
        .collect()
}

fn sarif_result(name: &str, checked: &Checked<'_>, finding: &Finding) -> Value {
    let place = checked.place(finding);
    let (start, end) = finding.at;
    let rule = finding.rule;
    let index = CheckRule::ALL.iter().position(|known| *known == rule);
    let marked = place
        .excerpt
        .get(place.caret.0..place.caret.1)
        .unwrap_or_default();
    let mut region = json!({
        "startLine": place.line,
        "startColumn": place.column,
        "byteOffset": start,
        "byteLength": end - start,
    });
    if let (false, Some(fields)) = (marked.is_empty(), region.as_object_mut()) {
        fields.insert("snippet".to_owned(), json!({"text": marked}));
    }
    json!({
        "ruleId": rule.id(),
        "ruleIndex": index,
        "level": level(rule.severity()),
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(name)},
            "region": region,
        }}],
        "properties": {"mendable": rule.mend() != Mend::ByHand},
    })
}

fn level(severity: Severity) -> &'static str {
    severity.id()
}

/// A path as a URI reference: what is no unreserved character of RFC 3986 and no slash is percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len() + 8);
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for &byte in path.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _infallible = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
