//! The report as a table for a terminal, and as CSV.

use std::fmt::Write as _;

use super::alarm::Checks;
use super::columns::PAGES;
use super::counts::{Audit, By};
use super::page::FITS;
use super::stats::wilson;
use super::tally::{Measure, Tally};

/// How many rows of a group are shown.
const ROWS: usize = 20;

/// Text from strangers, without controls, and no wider than `width`.
fn plain(text: &str, width: usize) -> String {
    let mut out: String = text
        .chars()
        .take(width + 1)
        .map(|c| if is_unsafe(c) { '\u{B7}' } else { c })
        .collect();
    if out.chars().count() > width {
        out = out.chars().take(width.saturating_sub(1)).collect();
        out.push('…');
    }
    out
}

/// Controls, and the characters that turn the direction of writing: none of them reaches a terminal.
pub(super) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

fn percent(x: u64, n: u64) -> String {
    if n == 0 {
        return "-".to_owned();
    }
    let share = x as f64 / n as f64 * 100.0;
    if x > 0 && share < 0.05 {
        format!("{share:.3}")
    } else {
        format!("{share:.1}")
    }
}

/// `1 page`, `2 pages`.
fn number(n: u64, of: &str) -> String {
    format!("{n} {of}{}", if n == 1 { "" } else { "s" })
}

/// Lines of cells, the first left, the others right, as wide as they need to be.
fn align(rows: &[Vec<String>], out: &mut String) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (n, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if n == 0 {
                let _ = write!(line, "{cell:width$}");
            } else {
                let _ = write!(line, "  {cell:>width$}");
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// The report for people.
pub fn text(audit: &Audit, checks: &Checks, by: &[By]) -> String {
    let mut out = String::new();
    let all = &audit.all;
    let is_pages = all.settled.values().sum::<u64>() > 0 || all.bytes > 0;
    let hosts = audit.by(By::Host);
    let about = if hosts.is_sampled() { "about " } else { "" };
    let _ = writeln!(
        out,
        "{} from {}, {about}{}\n",
        number(all.pages, if is_pages { "page" } else { "row" }),
        number(audit.inputs, "input"),
        number(hosts.estimated_values(), "host"),
    );
    if is_pages {
        let mut rows = vec![
            ["all pages", "pages", "%", "95 %"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for column in PAGES {
            let x = (column.of)(all);
            let (low, high) = wilson(x, all.pages);
            rows.push(vec![
                column.words.to_owned(),
                x.to_string(),
                percent(x, all.pages),
                format!("{:.1}-{:.1}", low * 100.0, high * 100.0),
            ]);
        }
        align(&rows, &mut out);
        groups(audit, by, &mut out);
        labels(audit, &mut out);
        conflicts(audit, &mut out);
        worst(audit, &mut out);
    } else {
        fields(audit, &mut out);
    }
    problems(audit, &mut out);
    alarms(checks, &mut out);
    out
}

fn groups(audit: &Audit, by: &[By], out: &mut String) {
    for by in by {
        let groups = audit.by(*by);
        if groups.is_empty() {
            continue;
        }
        // A finding that no page has would only widen the table.
        let shown: Vec<_> = PAGES
            .iter()
            .take(15)
            .filter(|column| (column.of)(&audit.all) > 0)
            .collect();
        let mut head = vec![by.id().to_owned(), "pages".to_owned()];
        head.extend(shown.iter().map(|column| column.head.to_owned()));
        let mut rows = vec![head];
        for (value, tally) in groups.most(ROWS, |tally| tally.pages) {
            let mut row = vec![plain(value, 40), tally.pages.to_string()];
            row.extend(shown.iter().map(|column| match (column.of)(tally) {
                0 => "-".to_owned(),
                x => format!("{}%", percent(x, tally.pages)),
            }));
            rows.push(row);
        }
        out.push('\n');
        align(&rows, out);
        if groups.len() > ROWS {
            let _ = writeln!(out, "... and {} more", groups.len() - ROWS);
        }
    }
}

fn labels(audit: &Audit, out: &mut String) {
    let mut rows = vec![
        ["label", "really means", "pages"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for (label, tally) in audit.by(By::Label).most(usize::MAX, |tally| tally.pages) {
        let means = tally.settled.keys().next().map_or("", String::as_str);
        if means.eq_ignore_ascii_case(label) || rows.len() > 10 {
            continue;
        }
        let means = if means.is_empty() {
            "nothing: it is unknown"
        } else {
            means
        };
        rows.push(vec![
            plain(label, 40),
            means.to_owned(),
            tally.pages.to_string(),
        ]);
    }
    if rows.len() > 1 {
        out.push_str("\nlabels that do not mean what they say\n");
        align(&rows, out);
    }
}

fn conflicts(audit: &Audit, out: &mut String) {
    if audit.conflicts.is_empty() {
        return;
    }
    let mut all: Vec<_> = audit.conflicts.iter().collect();
    all.sort_by_key(|(pair, counts)| (std::cmp::Reverse(counts.iter().sum::<u64>()), *pair));
    out.push_str("\ndeclarations in conflict, and which of the two the bytes fit\n");
    let mut head = vec!["who won over whom".to_owned(), "pages".to_owned()];
    head.extend(FITS.map(str::to_owned));
    let mut rows = vec![head];
    for (pair, counts) in all.into_iter().take(10) {
        let mut row = vec![pair.clone(), counts.iter().sum::<u64>().to_string()];
        row.extend(counts.iter().map(u64::to_string));
        rows.push(row);
    }
    align(&rows, out);
}

/// How broken a host is: damage first, then what other readers make of it.
pub(super) fn damage(tally: &Tally) -> u64 {
    let text = tally.text();
    text.made + text.c1 + text.real + tally.unknown_label + tally.conflict
}

fn worst(audit: &Audit, out: &mut String) {
    let worst = audit.by(By::Host).most(10, damage);
    if worst.is_empty() {
        return;
    }
    let head = [
        "worst hosts",
        "pages",
        "malformed",
        "C1",
        "real FFFD",
        "bad label",
        "conflict",
        "example",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (host, tally) in worst {
        let text = tally.text();
        let mut row = vec![plain(host, 40)];
        row.extend(
            [
                tally.pages,
                text.made,
                text.c1,
                text.real,
                tally.unknown_label,
                tally.conflict,
            ]
            .map(|n| n.to_string()),
        );
        let example = tally.examples.values().next();
        row.push(example.map_or_else(String::new, |example| {
            let place = match (&example.file, example.record_at) {
                (Some(file), Some(at)) => format!("{file} byte {at}, "),
                _ => format!("{}, ", example.page),
            };
            plain(&format!("{place}in the page at {}", example.at), 70)
        }));
        rows.push(row);
    }
    out.push('\n');
    align(&rows, out);
}

fn fields(audit: &Audit, out: &mut String) {
    let mut head = vec!["field".to_owned(), "rows".to_owned()];
    let measures = [Measure::Made, Measure::Real, Measure::C1, Measure::Null];
    for measure in measures {
        head.extend([
            measure.words().to_owned(),
            "%".to_owned(),
            "95 %".to_owned(),
        ]);
    }
    let mut rows = vec![head];
    for (name, field) in &audit.all.fields {
        let mut row = vec![plain(name, 40), field.rows.to_string()];
        for measure in measures {
            let x = field.damaged(measure);
            let (low, high) = wilson(x, field.rows);
            row.extend([
                x.to_string(),
                percent(x, field.rows),
                format!("{:.1}-{:.1}", low * 100.0, high * 100.0),
            ]);
        }
        rows.push(row);
    }
    align(&rows, out);
}

fn problems(audit: &Audit, out: &mut String) {
    let errors: u64 = audit.errors.values().sum();
    if errors > 0 {
        let kinds: Vec<String> = audit
            .errors
            .iter()
            .map(|(kind, n)| format!("{n} {kind}"))
            .collect();
        let _ = writeln!(out, "\n{errors} could not be read: {}", kinds.join(", "));
        for lost in audit.lost.iter().take(5) {
            let at = lost
                .at
                .map_or_else(String::new, |at| format!(" at byte {at}"));
            let _ = writeln!(
                out,
                "  {}{at}: {}",
                plain(&lost.file, 80),
                plain(&lost.message, 160)
            );
        }
    }
    if !audit.skipped.is_empty() {
        let kinds: Vec<String> = audit
            .skipped
            .iter()
            .map(|(kind, n)| format!("{n} {kind}"))
            .collect();
        let _ = writeln!(out, "\nrecords passed over: {}", kinds.join(", "));
    }
}

fn alarms(checks: &Checks, out: &mut String) {
    if checks.checks.is_empty() {
        return;
    }
    let ringing = checks.ringing().count();
    let _ = writeln!(out, "\n{ringing} of {} checks ring", checks.checks.len());
    for check in checks.ringing() {
        let _ = writeln!(out, "ALARM {}: {}", check.check, plain(&check.message, 300));
        for culprit in &check.culprits {
            let before = if culprit.before.is_empty() {
                String::new()
            } else {
                format!("{} -> ", culprit.before)
            };
            let _ = writeln!(
                out,
                "  {}: {before}{}",
                plain(&culprit.host, 60),
                culprit.now
            );
        }
    }
}

/// One row a group value: counts, shares and Wilson's intervals.
pub fn csv(audit: &Audit, by: &[By]) -> String {
    let mut out = "by,value,pages".to_owned();
    for column in PAGES {
        let _ = write!(out, ",{0},{0}_share,{0}_low,{0}_high", column.id);
    }
    out.push('\n');
    let mut line = |by: &str, value: &str, tally: &Tally| {
        let _ = write!(out, "{by},{},{}", quoted(value), tally.pages);
        for column in PAGES {
            let x = (column.of)(tally);
            let (low, high) = wilson(x, tally.pages);
            let share = if tally.pages == 0 {
                0.0
            } else {
                x as f64 / tally.pages as f64
            };
            let _ = write!(out, ",{x},{share:.6},{low:.6},{high:.6}");
        }
        out.push('\n');
    };
    line("all", "", &audit.all);
    for by in by {
        for (value, tally) in audit.by(*by).most(usize::MAX, |tally| tally.pages) {
            line(by.id(), value, tally);
        }
    }
    out
}

/// A cell of CSV. A value that a spreadsheet would run as a formula gets an apostrophe.
fn quoted(value: &str) -> String {
    let value: String = value
        .chars()
        .map(|c| if is_unsafe(c) { '\u{B7}' } else { c })
        .collect();
    let formula = value.starts_with(['=', '+', '-', '@']);
    let value = if formula { format!("'{value}") } else { value };
    if value.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value
    }
}
