//! The report as one file of HTML: no script, no network, readable in light and dark, by keyboard and by ear.

use std::fmt::Write as _;

use super::alarm::Checks;
use super::columns::PAGES;
use super::counts::{Audit, By};
use super::metrics::xml;
use super::page::FITS;
use super::stats::wilson;
use super::svg::{Bar, Series, bars, grouped, line};
use super::table::damage;
use super::tally::{Example, Measure, Problem, Tally};

const STYLE: &str = include_str!("report.css");

/// How many values of a group can be opened.
const VALUES: usize = 30;

/// The report.
pub fn html(audit: &Audit, checks: &Checks, baseline: Option<&Audit>) -> String {
    let mut out = String::with_capacity(64 << 10);
    let versions: Vec<&str> = audit.unbake.iter().map(String::as_str).collect();
    let ringing = checks.ringing().count();
    let title = match ringing {
        0 => "Audit of texts".to_owned(),
        1 => "1 alarm: audit of texts".to_owned(),
        n => format!("{n} alarms: audit of texts"),
    };
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>\n<h1>{title}</h1>\n<p>unbake {}</p>\n\
         <nav aria-label=\"Parts of the report\"><ul>\
         <li><a href=\"#summary\">Summary</a></li><li><a href=\"#alarms\">Alarms</a></li><li><a href=\"#charts\">Charts</a></li>\
         <li><a href=\"#groups\">Groups</a></li><li><a href=\"#examples\">Examples</a></li></ul></nav>\n</header>\n<main id=\"main\">\n",
        xml(&versions.join(", ")),
    );
    summary(audit, &mut out);
    alarms(checks, baseline, &mut out);
    if audit.all.bytes > 0 {
        charts(audit, &mut out);
        groups(audit, &mut out);
        examples(audit, &mut out);
    }
    let _ = write!(
        out,
        "</main>\n<footer><p>Intervals are Wilson's, at 95 %, as if pages were independent; pages of a host are not, so \
         take them as a rough guide. “Garbled” means another text than a browser shows. Settings: <code>{}</code></p></footer>\n\
         </body>\n</html>\n",
        xml(&audit.settings),
    );
    out
}

fn percent(x: u64, n: u64) -> String {
    if n == 0 {
        return "–".to_owned();
    }
    let share = x as f64 / n as f64 * 100.0;
    if x > 0 && share < 0.05 {
        format!("{share:.3} %")
    } else {
        format!("{share:.1} %")
    }
}

fn interval(x: u64, n: u64) -> String {
    let (low, high) = wilson(x, n);
    format!("{:.1} – {:.1} %", low * 100.0, high * 100.0)
}

fn row(cells: &[String], out: &mut String) {
    out.push_str("<tr>");
    for (n, cell) in cells.iter().enumerate() {
        let _ = match n {
            0 => write!(out, "<th scope=\"row\">{}</th>", xml(cell)),
            _ => write!(out, "<td>{}</td>", xml(cell)),
        };
    }
    out.push_str("</tr>\n");
}

fn table_head(caption: &str, heads: &[&str], out: &mut String) {
    let _ = write!(
        out,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table>\n<caption>{0}</caption>\n<thead><tr>",
        xml(caption)
    );
    for head in heads {
        let _ = write!(out, "<th scope=\"col\">{}</th>", xml(head));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
}

const TABLE_END: &str = "</tbody></table></div>\n";

fn summary(audit: &Audit, out: &mut String) {
    let all = &audit.all;
    let is_pages = all.bytes > 0;
    let hosts = audit.by(By::Host);
    let _ = write!(
        out,
        "<section id=\"summary\" aria-labelledby=\"summary-h\">\n<h2 id=\"summary-h\">Summary</h2>\n<ul class=\"cards\">\n"
    );
    let mut card = |value: String, words: &str| {
        let _ = writeln!(
            out,
            "<li><strong>{}</strong> {}</li>",
            xml(&value),
            xml(words)
        );
    };
    card(
        all.pages.to_string(),
        if is_pages { "pages" } else { "rows" },
    );
    let about = if hosts.is_sampled() { "about " } else { "" };
    card(format!("{about}{}", hosts.estimated_values()), "hosts");
    if is_pages {
        card(percent(all.not_utf_8, all.pages), "not UTF-8");
        card(
            percent(all.garbled_requests, all.pages),
            "garbled by requests",
        );
        card(percent(all.text().made, all.pages), "with malformed bytes");
    }
    let errors: u64 = audit.errors.values().sum();
    card(errors.to_string(), "could not be read");
    out.push_str("</ul>\n");
    if hosts.is_sampled() {
        let _ = writeln!(
            out,
            "<p>{} hosts, chosen at random, are kept apart; totals and the other groups count all of them.</p>",
            hosts.len()
        );
    }
    if is_pages {
        table_head("All pages", &["Finding", "Pages", "Share", "95 %"], out);
        for column in PAGES {
            let x = (column.of)(all);
            row(
                &[
                    column.words.to_owned(),
                    x.to_string(),
                    percent(x, all.pages),
                    interval(x, all.pages),
                ],
                out,
            );
        }
        out.push_str(TABLE_END);
        conflicts(audit, out);
        labels(audit, out);
    } else {
        table_head("Fields", &["Field", "Damage", "Rows", "Share", "95 %"], out);
        for (name, field) in &all.fields {
            for measure in Measure::ALL
                .into_iter()
                .filter(|measure| *measure != Measure::Conflict)
            {
                let x = field.damaged(measure);
                let cells = [
                    name.clone(),
                    measure.words().to_owned(),
                    format!("{x} of {}", field.rows),
                    percent(x, field.rows),
                    interval(x, field.rows),
                ];
                row(&cells, out);
            }
        }
        out.push_str(TABLE_END);
    }
    if !audit.lost.is_empty() {
        table_head(
            "Could not be read (the first by name)",
            &["File", "Byte", "Kind", "Why"],
            out,
        );
        for lost in &audit.lost {
            let at = lost.at.map_or_else(|| "–".to_owned(), |at| at.to_string());
            row(
                &[
                    lost.file.clone(),
                    at,
                    lost.kind.clone(),
                    lost.message.clone(),
                ],
                out,
            );
        }
        out.push_str(TABLE_END);
    }
    out.push_str("</section>\n");
}

fn conflicts(audit: &Audit, out: &mut String) {
    if audit.conflicts.is_empty() {
        return;
    }
    let mut all: Vec<_> = audit.conflicts.iter().collect();
    all.sort_by_key(|(pair, counts)| (std::cmp::Reverse(counts.iter().sum::<u64>()), *pair));
    let mut heads = vec!["Who won over whom", "Pages"];
    let fits = FITS.map(|fit| format!("Bytes fit {fit}"));
    heads.extend(fits.iter().map(String::as_str));
    table_head(
        "Declarations in conflict, and which the bytes fit (by validity: a guess)",
        &heads,
        out,
    );
    for (pair, counts) in all.into_iter().take(20) {
        let mut cells = vec![pair.clone(), counts.iter().sum::<u64>().to_string()];
        cells.extend(counts.iter().map(u64::to_string));
        row(&cells, out);
    }
    out.push_str(TABLE_END);
}

fn labels(audit: &Audit, out: &mut String) {
    let labels = audit.by(By::Label).most(usize::MAX, |tally| tally.pages);
    let odd: Vec<_> = labels
        .into_iter()
        .map(|(label, tally)| {
            (
                label,
                tally.settled.keys().next().map_or("", String::as_str),
                tally.pages,
            )
        })
        .filter(|(label, means, _)| !means.eq_ignore_ascii_case(label))
        .take(20)
        .collect();
    if odd.is_empty() {
        return;
    }
    table_head(
        "Labels that do not mean what they say",
        &["Label", "Really means", "Pages"],
        out,
    );
    for (label, means, pages) in odd {
        let means = if means.is_empty() {
            "nothing: it is unknown"
        } else {
            means
        };
        row(
            &[label.to_owned(), means.to_owned(), pages.to_string()],
            out,
        );
    }
    out.push_str(TABLE_END);
}

fn alarms(checks: &Checks, baseline: Option<&Audit>, out: &mut String) {
    out.push_str(
        "<section id=\"alarms\" aria-labelledby=\"alarms-h\">\n<h2 id=\"alarms-h\">Alarms</h2>\n",
    );
    let against = match baseline {
        Some(before) => format!(
            "Compared with an earlier run of {} pages or rows. ",
            before.all.pages
        ),
        None => "No earlier run to compare with (<code>--baseline</code>). ".to_owned(),
    };
    let ringing = checks.ringing().count();
    let _ = writeln!(
        out,
        "<p>{against}{ringing} of {} checks ring.</p>",
        checks.checks.len()
    );
    if let Some(index) = checks.encoding_stability {
        let _ = writeln!(
            out,
            "<p>Population stability index of the encodings: {index:.3} (below 0.1 calm, above 0.25 another population).</p>"
        );
    }
    for check in checks.ringing() {
        let _ = writeln!(
            out,
            "<div class=\"alarm\" role=\"group\"><h3>Alarm: {}</h3><p>{}</p>",
            check.check,
            xml(&check.message)
        );
        if !check.culprits.is_empty() {
            table_head("Hosts to look at first", &["Host", "Before", "Now"], out);
            for culprit in &check.culprits {
                row(
                    &[
                        culprit.host.clone(),
                        culprit.before.clone(),
                        culprit.now.clone(),
                    ],
                    out,
                );
            }
            out.push_str(TABLE_END);
        }
        out.push_str("</div>\n");
    }
    let quiet: Vec<_> = checks.checks.iter().filter(|check| !check.rings).collect();
    if !quiet.is_empty() {
        let _ = writeln!(
            out,
            "<details><summary>{} checks that do not ring</summary><ul>",
            quiet.len()
        );
        for check in quiet {
            let _ = writeln!(out, "<li>{}: {}</li>", check.check, xml(&check.message));
        }
        out.push_str("</ul></details>\n");
    }
    out.push_str("</section>\n");
}

/// A reader's name, and the pages that it garbles.
type Reader = (&'static str, fn(&Tally) -> u64);

const READERS: [Reader; 4] = [
    ("requests", |t| t.garbled_requests),
    ("httpx", |t| t.garbled_httpx),
    ("always UTF-8", |t| t.garbled_utf_8),
    ("strict codec", |t| t.garbled_strict),
];

fn charts(audit: &Audit, out: &mut String) {
    out.push_str("<section id=\"charts\" aria-labelledby=\"charts-h\">\n<h2 id=\"charts-h\">Charts</h2>\n<div class=\"charts\">\n");
    let all = &audit.all;
    let counted = |counts: std::collections::BTreeMap<&str, u64>| {
        let mut bars: Vec<Bar> = counts
            .into_iter()
            .map(|(name, n)| Bar {
                name: name.to_owned(),
                share: n as f64 / all.pages.max(1) as f64,
                note: format!("{n} pages, {}", percent(n, all.pages)),
            })
            .collect();
        bars.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.name.cmp(&b.name)));
        bars.truncate(12);
        bars
    };
    bars("Encodings", &counted(all.encodings()), out);
    bars("Rules that decided", &counted(all.rules()), out);
    let readers: Vec<Bar> = READERS
        .iter()
        .map(|(name, of)| Bar {
            name: (*name).to_owned(),
            share: of(all) as f64 / all.pages.max(1) as f64,
            note: format!("{} pages, {}", of(all), percent(of(all), all.pages)),
        })
        .collect();
    bars("Garbled, by reader", &readers, out);
    let domains = audit.by(By::Tld).most(8, |tally| tally.pages);
    let series: Vec<Series> = domains
        .iter()
        .map(|(tld, tally)| Series {
            name: (*tld).to_owned(),
            shares: READERS
                .iter()
                .map(|(_, of)| of(tally) as f64 / tally.pages.max(1) as f64)
                .collect(),
        })
        .collect();
    grouped(
        "Garbled, by reader and top-level domain",
        &READERS.map(|(name, _)| name),
        &series,
        out,
    );
    let mut days: Vec<(&str, u64, u64)> = audit
        .by(By::Day)
        .iter()
        .map(|(day, tally)| (day, tally.text().made, tally.pages))
        .collect();
    days.sort_unstable();
    line(
        "Pages with malformed bytes, by day of the fetch",
        &days,
        out,
    );
    out.push_str("</div>\n</section>\n");
}

fn groups(audit: &Audit, out: &mut String) {
    out.push_str(
        "<section id=\"groups\" aria-labelledby=\"groups-h\">\n<h2 id=\"groups-h\">Groups</h2>\n\
         <p>Open a value to see its counts and example pages.</p>\n",
    );
    for by in [
        By::Tld,
        By::Host,
        By::Lang,
        By::Declared,
        By::Encoding,
        By::Rule,
    ] {
        let groups = audit.by(by);
        if groups.is_empty() {
            continue;
        }
        let (name, values) = match by {
            By::Host => ("Worst hosts".to_owned(), groups.most(VALUES, damage)),
            _ => (
                format!("By {}", by.id()),
                groups.most(VALUES, |tally| tally.pages),
            ),
        };
        let _ = writeln!(out, "<h3 id=\"by-{}\">{name}</h3>", by.id());
        if values.is_empty() {
            out.push_str("<p>No host has damaged pages.</p>\n");
        }
        let left = groups.len() - values.len();
        for (value, tally) in values {
            value_details(value, tally, out);
        }
        if left > 0 && by != By::Host {
            let _ = writeln!(out, "<p>… and {left} more.</p>");
        }
    }
    out.push_str("</section>\n");
}

fn value_details(value: &str, tally: &Tally, out: &mut String) {
    let _ = writeln!(
        out,
        "<details class=\"value\"><summary><b>{}</b> {} pages, requests garbles {}, malformed {}</summary>",
        xml(value),
        tally.pages,
        percent(tally.garbled_requests, tally.pages),
        percent(tally.text().made, tally.pages),
    );
    let found: Vec<_> = PAGES
        .iter()
        .filter(|column| (column.of)(tally) > 0)
        .collect();
    if !found.is_empty() {
        table_head(
            &format!("Findings: {value}"),
            &["Finding", "Pages", "Share", "95 %"],
            out,
        );
        for column in found {
            let x = (column.of)(tally);
            row(
                &[
                    column.words.to_owned(),
                    x.to_string(),
                    percent(x, tally.pages),
                    interval(x, tally.pages),
                ],
                out,
            );
        }
        out.push_str(TABLE_END);
    }
    for (problem, example) in &tally.examples {
        example_html(*problem, example, out);
    }
    out.push_str("</details>\n");
}

fn examples(audit: &Audit, out: &mut String) {
    out.push_str("<section id=\"examples\" aria-labelledby=\"examples-h\">\n<h2 id=\"examples-h\">Examples</h2>\n");
    if audit.examples.is_empty() {
        out.push_str("<p>Nothing to show.</p>\n");
    }
    for (problem, examples) in &audit.examples {
        let _ = writeln!(
            out,
            "<details class=\"value\"><summary><b>{}</b> {} examples</summary>",
            problem.words(),
            examples.len()
        );
        for example in examples {
            example_html(*problem, example, out);
        }
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

fn example_html(problem: Problem, example: &Example, out: &mut String) {
    let hex: Vec<String> = example
        .hex
        .as_bytes()
        .chunks(2)
        .map(|pair| pair.iter().map(|digit| char::from(*digit)).collect())
        .collect();
    let lines: Vec<String> = hex.chunks(8).map(|line| line.join(" ")).collect();
    let place = match (&example.file, example.record_at) {
        (Some(file), Some(at)) => format!("{file}, record at byte {at}; "),
        (Some(file), None) => format!("{file}; "),
        _ => String::new(),
    };
    let _ = write!(
        out,
        "<article class=\"example\"><h4>{}: <span class=\"page\">{}</span></h4>\n<p>{}byte {} of the page. {}</p>\n\
         <div class=\"side\"><figure><figcaption>Bytes</figcaption><pre>{}</pre></figure>\
         <figure><figcaption>Text</figcaption><pre>{}</pre></figure>",
        problem.words(),
        xml(&example.page),
        xml(&place),
        example.at,
        xml(&example.why),
        lines.join("\n"),
        visible(&example.text),
    );
    if let Some(other) = &example.header_only {
        let _ = write!(
            out,
            "<figure><figcaption>What requests shows</figcaption><pre>{}</pre></figure>",
            visible(other)
        );
    }
    out.push_str("</div></article>\n");
}

/// Text with its controls made visible: a C1 character is what the report is about.
fn visible(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c == '\n' {
            out.push('\n');
        } else if super::table::is_unsafe(c) {
            let _ = write!(out, "[U+{:04X}]", u32::from(c));
        } else {
            out.push(c);
        }
    }
    xml(&out)
}
