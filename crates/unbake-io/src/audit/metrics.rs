//! The report for machines that watch: JSON, a Prometheus textfile, JUnit XML. And files that appear whole.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::alarm::{Check, Checks};
use super::columns::PAGES;
use super::counts::{Audit, By};
use super::stats::wilson;
use super::tally::Measure;
use crate::error::Error;
use crate::output::{cannot_write, commit};

/// The counts, with what follows from them: shares, intervals, checks.
pub fn json(audit: &Audit, checks: &Checks) -> Value {
    let mut out = audit.to_json();
    let shares = |x: u64, n: u64| {
        let (low, high) = wilson(x, n);
        let share = if n == 0 { 0.0 } else { x as f64 / n as f64 };
        json!({ "n": x, "of": n, "share": share, "low": low, "high": high })
    };
    let pages: serde_json::Map<String, Value> = PAGES
        .iter()
        .map(|column| {
            (
                column.id.to_owned(),
                shares((column.of)(&audit.all), audit.all.pages),
            )
        })
        .collect();
    let fields: serde_json::Map<String, Value> = audit
        .all
        .fields
        .iter()
        .map(|(name, field)| {
            let measures: serde_json::Map<String, Value> = Measure::ALL
                .iter()
                .map(|measure| {
                    (
                        measure.id().to_owned(),
                        shares(field.damaged(*measure), field.rows),
                    )
                })
                .collect();
            (name.clone(), Value::Object(measures))
        })
        .collect();
    let hosts = audit.by(By::Host);
    if let Some(object) = out.as_object_mut() {
        object.insert(
            "summary".to_owned(),
            json!({
                "pages": audit.all.pages,
                "shares": pages,
                "fields": fields,
                "hosts": { "estimated": hosts.estimated_values(), "kept": hosts.len(), "sampled": hosts.is_sampled() },
            }),
        );
        object.insert(
            "alarms".to_owned(),
            serde_json::to_value(checks).unwrap_or_default(),
        );
    }
    out
}

/// Writes a file under a temporary name, syncs it, and gives it its name: a reader sees the old file or the new one.
///
/// # Errors
/// The operating system refuses.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
    let temporary = Path::new(&temporary);
    let written = File::create(temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        Ok(file)
    });
    let done = match written {
        Ok(file) => commit(&file, temporary, path),
        Err(error) => Err(cannot_write(path, error)),
    };
    if done.is_err() {
        let _nothing_to_lose = fs::remove_file(temporary);
    }
    done
}

/// A textfile for node_exporter: gauges of one run, without timestamps. No label holds a host or a URL.
pub fn prometheus(audit: &Audit, checks: &Checks) -> String {
    let mut out = String::new();
    let mut family = |name: &str, help: &str, samples: &[(Vec<(&str, &str)>, String)]| {
        if samples.is_empty() {
            return;
        }
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge");
        for (labels, value) in samples {
            let labels: Vec<String> = labels
                .iter()
                .map(|(key, value)| format!("{key}=\"{}\"", label_value(value)))
                .collect();
            let labels = if labels.is_empty() {
                String::new()
            } else {
                format!("{{{}}}", labels.join(","))
            };
            let _ = writeln!(out, "{name}{labels} {value}");
        }
    };
    let fields = &audit.all.fields;
    let rows: Vec<_> = fields
        .iter()
        .map(|(name, f)| (vec![("field", name.as_str())], f.rows.to_string()))
        .collect();
    family("unbake_rows", "Rows or pages read.", &rows);
    let mut damaged = Vec::new();
    let mut chars = Vec::new();
    for (name, field) in fields {
        for measure in Measure::ALL {
            damaged.push((
                vec![("field", name.as_str()), ("measure", measure.id())],
                field.damaged(measure).to_string(),
            ));
        }
        for (measure, n) in [
            ("made", field.made_count),
            ("real", field.real_count),
            ("c1", field.c1_count),
        ] {
            chars.push((
                vec![("field", name.as_str()), ("measure", measure)],
                n.to_string(),
            ));
        }
    }
    family(
        "unbake_rows_damaged",
        "Rows or pages with this damage.",
        &damaged,
    );
    family(
        "unbake_damage_count",
        "Malformed sequences, real U+FFFD, C1 characters.",
        &chars,
    );
    let settled: Vec<_> = audit
        .all
        .settled
        .iter()
        .filter_map(|(name, n)| {
            let (encoding, rule) = name.split_once(' ')?;
            Some((vec![("encoding", encoding), ("rule", rule)], n.to_string()))
        })
        .collect();
    family(
        "unbake_pages",
        "Pages by encoding and the rule that decided.",
        &settled,
    );
    if audit.all.bytes > 0 {
        let counts: Vec<_> = PAGES
            .iter()
            .map(|c| (vec![("finding", c.id)], (c.of)(&audit.all).to_string()))
            .collect();
        family("unbake_pages_found", "Pages by finding.", &counts);
    }
    let errors: Vec<_> = audit
        .errors
        .iter()
        .map(|(kind, n)| (vec![("kind", kind.as_str())], n.to_string()))
        .collect();
    family(
        "unbake_errors",
        "Records or rows that could not be read.",
        &errors,
    );
    let alarms: Vec<_> = checks
        .checks
        .iter()
        .map(|check| {
            let mut labels = vec![("check", check.check)];
            labels.extend(check.field.as_deref().map(|field| ("field", field)));
            labels.extend(check.measure.map(|measure| ("measure", measure)));
            (labels, u8::from(check.rings).to_string())
        })
        .collect();
    family("unbake_alarm", "1 where the check rings.", &alarms);
    out
}

/// The text format's escapes of a label value.
fn label_value(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// One test case a check: CI shows which ring.
pub fn junit(checks: &Checks) -> String {
    let (all, ringing) = (checks.checks.len(), checks.ringing().count());
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{all}\" failures=\"{ringing}\">\n\
         <testsuite name=\"unbake audit\" tests=\"{all}\" failures=\"{ringing}\" errors=\"0\" skipped=\"0\">\n"
    );
    for check in &checks.checks {
        let _ = write!(
            out,
            "<testcase classname=\"unbake.audit.{}\" name=\"{}\"",
            check.check,
            xml(&name(check))
        );
        if check.rings {
            let mut details = String::new();
            for culprit in &check.culprits {
                let _ = writeln!(
                    details,
                    "{}: {} -> {}",
                    culprit.host, culprit.before, culprit.now
                );
            }
            let _ = write!(
                out,
                ">\n<failure type=\"{}\" message=\"{}\">{}</failure>\n</testcase>\n",
                check.check,
                xml(&check.message),
                xml(&details),
            );
        } else {
            out.push_str("/>\n");
        }
    }
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

fn name(check: &Check) -> String {
    let mut out = check.check.to_owned();
    for part in check.field.as_deref().into_iter().chain(check.measure) {
        out.push(' ');
        out.push_str(part);
    }
    out
}

/// Text as XML: markup escaped, and the characters that XML does not allow replaced.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            c if super::table::is_unsafe(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {
                out.push('\u{B7}');
            }
            c => out.push(c),
        }
    }
    out
}
