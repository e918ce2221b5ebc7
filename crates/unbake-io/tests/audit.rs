//! The audit: what it counts, that parts add up to the whole, and that its reports are safe.

mod common;

use std::path::{Path, PathBuf};

use common::{UTF_8, seen};
use unbake_io::audit::{self, Audit, By, Columns, HOST_CAP, Measure, Run, Thresholds};
use unbake_io::batch::{Progress, inputs};
use unbake_io::generate::crawl;
use unbake_io::{From, Input, Reading};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("unbake-audit-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn run(threads: usize, columns: Option<Columns>) -> Run {
    Run {
        reading: Reading::default(),
        threads,
        host_cap: HOST_CAP,
        columns,
    }
}

fn audited(inputs: &[Input], threads: usize) -> Audit {
    run(threads, None)
        .audit(inputs, &Progress::default())
        .unwrap()
}

fn example() -> Vec<Input> {
    inputs(&[repository().join("examples/crawl")], None).unwrap()
}

#[test]
fn the_example_crawl_is_what_its_generator_writes() {
    let files = crawl(5, 6);
    let total: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    assert!(total < 300_000, "{total}");
    for (name, bytes) in files {
        let stored = std::fs::read(repository().join("examples/crawl").join(&name)).unwrap();
        assert!(
            stored == bytes,
            "{name}: run `cargo run -p unbake-io --example crawl --features _generate`"
        );
    }
}

#[test]
fn the_example_crawl_is_counted() {
    let audit = audited(&example(), 1);
    let all = &audit.all;
    // 36 sites of 6 pages; what each site does is written in the generator.
    assert_eq!(
        (all.pages, audit.by(By::Host).len(), audit.by(By::Tld).len()),
        (216, 36, 6)
    );
    assert_eq!(
        (
            all.bom,
            all.unknown_label,
            all.late_meta,
            all.undeclared,
            all.conflict
        ),
        (6, 6, 6, 12, 18)
    );
    assert_eq!(
        (all.text().made, all.text().real, all.garbled_browser),
        (5, 6, 6)
    );
    // The site whose header says iso-8859-1 and whose bytes are windows-1251.
    let wrong = audit.by(By::Host).get("muzej.example.ru").unwrap();
    assert_eq!((wrong.conflict, wrong.pages), (6, 6));
    assert_eq!(audit.skipped["request"], 216);
}

#[test]
fn parts_add_up_to_the_whole_in_any_order_and_on_any_number_of_threads() {
    let files = example();
    let whole = audited(&files, 1);
    assert_eq!(audited(&files, 3), whole);
    let parts: Vec<Audit> = files
        .iter()
        .map(|file| audited(std::slice::from_ref(file), 1))
        .collect();
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let mut sum = parts[order[0]].clone();
        for n in &order[1..] {
            // Over the wire, as parts travel.
            let json = serde_json::to_vec(&parts[*n].to_json()).unwrap();
            sum.merge(&Audit::from_json(&json, "part").unwrap())
                .unwrap();
        }
        assert_eq!(sum, whole);
    }
    let json = serde_json::to_vec(&whole.to_json()).unwrap();
    assert_eq!(Audit::from_json(&json, "whole").unwrap(), whole);
}

#[test]
fn past_the_cap_merged_parts_keep_the_same_hosts_as_the_whole() {
    let make = |range: std::ops::Range<usize>| {
        let mut audit = Audit::new(String::new(), 20);
        for n in range {
            audit.add(seen(&format!("h{}.example", n % 131), b"x", UTF_8));
        }
        audit
    };
    let whole = make(0..400);
    let mut sum = make(250..400);
    sum.merge(&make(0..250)).unwrap();
    assert_eq!(sum, whole);
    let hosts = whole.by(By::Host);
    assert!(hosts.is_sampled() && hosts.len() == 20);
    let estimate = hosts.estimated_values();
    assert!(
        (60..260).contains(&estimate),
        "{estimate} hosts, really 131"
    );
    assert_eq!(whole.all.pages, 400);
}

/// ALARMS: a host's own rate is drawn from a beta distribution with this mean and this correlation
/// between two pages of the host; then its pages are drawn.
#[test]
fn columns_of_text_are_counted_by_cell() {
    let directory = scratch("columns");
    let csv = directory.join("rows.csv");
    std::fs::write(
        &csv,
        b"url,title,text\nhttp://a.example/,ok,caf\xC3\xA9\nhttp://a.example/,\xE9,\"a, \xEF\xBF\xBD\"\nhttp://b.example/,,\xC2\x93q\n".as_slice(),
    )
    .unwrap();
    let ndjson = directory.join("rows.ndjson");
    std::fs::write(
        &ndjson,
        b"{\"url\":\"http://a.example/\",\"title\":\"ok\",\"text\":\"caf\xC3\xA9\"}\n\
          {\"url\":\"http://a.example/\",\"title\":\"\xE9\",\"text\":\"a, \\ufffd\"}\n\
          {\"url\":\"http://b.example/\",\"title\":null,\"text\":\"\\u0093q\"}\n"
            .as_slice(),
    )
    .unwrap();
    let columns = Columns {
        fields: vec!["title".to_owned(), "text".to_owned()],
        url: None,
    };
    for (path, from) in [(&csv, From::Files), (&ndjson, From::Ndjson)] {
        let input = [Input {
            path: path.clone(),
            from,
        }];
        let audit = run(1, Some(columns.clone()))
            .audit(&input, &Progress::default())
            .unwrap();
        let (title, text) = (audit.all.fields["title"], audit.all.fields["text"]);
        assert_eq!(
            (title.rows, title.null, title.made, title.real, title.c1),
            (3, 1, 1, 0, 0),
            "{path:?}"
        );
        assert_eq!(
            (text.rows, text.null, text.made, text.real, text.c1),
            (3, 0, 0, 1, 1),
            "{path:?}"
        );
        assert_eq!(audit.by(By::Host).len(), 2);
    }
    let wrong = Columns {
        fields: vec!["titel".to_owned()],
        url: None,
    };
    let input = [Input {
        path: csv,
        from: From::Files,
    }];
    let error = run(1, Some(wrong))
        .audit(&input, &Progress::default())
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("there is no column `titel`; there are `url`, `title`, `text`"),
        "{error}"
    );
    // A line that cannot be read is counted, with its place.
    let broken = directory.join("broken.ndjson");
    std::fs::write(&broken, b"{\"title\":\"a\"}\n{\"title\":\n[1]\n").unwrap();
    let input = [Input {
        path: broken,
        from: From::Ndjson,
    }];
    let audit = run(1, Some(columns))
        .audit(&input, &Progress::default())
        .unwrap();
    assert_eq!((audit.all.pages, audit.errors["json"]), (1, 2));
    assert_eq!(audit.lost[0].at, Some(14));
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn strangers_cannot_write_into_the_reports() {
    let evil = "<script>alert(1)</script>\"&'\u{1b}[31m\u{202E}";
    let mut now = Audit::new(String::new(), HOST_CAP);
    let mut before = Audit::new(String::new(), HOST_CAP);
    for n in 0..40 {
        for _ in 0..3 {
            let name = format!("{n}{evil}.x");
            let body = format!("<html lang=\"xx\"><meta charset=\"{evil}\"><script>bad</script>");
            let mut bad = body.clone().into_bytes();
            bad.extend(b"\xE9</pre><img src=x onerror=alert(2)>");
            before.add(seen(&name, body.as_bytes(), UTF_8));
            now.add(seen(&name, &bad, UTF_8));
        }
    }
    // A field with a name that breaks out of labels and attributes.
    let directory = scratch("evil");
    let path = directory.join("rows.csv");
    std::fs::write(&path, "\"a\"\"\n}<&\",url\n\u{FFFD},http://x.example/\n").unwrap();
    let columns = Columns {
        fields: vec!["a\"\n}<&".to_owned()],
        url: None,
    };
    let rows = run(1, Some(columns))
        .audit(
            &[Input {
                path,
                from: From::Files,
            }],
            &Progress::default(),
        )
        .unwrap();
    let limits = Thresholds {
        max_rates: vec![(None, Measure::Real, 0.0)],
        ..Thresholds::default()
    };
    let checks = audit::check(&now, Some(&before), &Thresholds::default());
    assert!(checks.ringing().count() > 0);
    for (audit, checks) in [
        (&now, &checks),
        (&rows, &audit::check(&rows, None, &limits)),
    ] {
        let html = audit::html(audit, checks, None);
        assert!(
            !html.contains("<script") && !html.contains("<img") && !html.contains('\u{1b}'),
            "markup"
        );
        assert!(!html.contains('\u{202E}') && !html.contains("http://x.example/\""));
        let junit = audit::junit(checks);
        assert!(!junit.contains("<script") && !junit.contains('\u{1b}'));
        assert_eq!(junit.matches("<testcase").count(), checks.checks.len());
        for line in audit::prometheus(audit, checks).lines() {
            let value = line.rsplit(' ').next().unwrap();
            assert!(
                line.starts_with('#') || value.parse::<f64>().is_ok(),
                "{line:?}"
            );
            assert!(
                !line.contains(".x") && !line.contains("example"),
                "a host in {line:?}"
            );
        }
        let text = audit::text(audit, checks, &[By::Host, By::Declared]);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202E}'));
    }
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn nothing_is_no_alarm() {
    let empty = Audit::new(String::new(), HOST_CAP);
    let limits = Thresholds {
        max_rates: vec![(None, Measure::Made, 0.0)],
        ..Thresholds::default()
    };
    for baseline in [None, Some(&empty)] {
        let checks = audit::check(&empty, baseline, &limits);
        assert_eq!(checks.ringing().count(), 0);
        for report in [
            audit::text(&empty, &checks, &By::ALL),
            audit::csv(&empty, &By::ALL),
            audit::html(&empty, &checks, baseline),
            audit::prometheus(&empty, &checks),
            audit::junit(&checks),
            audit::json(&empty, &checks).to_string(),
        ] {
            assert!(
                !report.contains("NaN") && !report.contains("inf"),
                "{report}"
            );
        }
    }
    let directory = scratch("empty");
    let path = directory.join("empty.warc.gz");
    std::fs::write(&path, b"").unwrap();
    let audit = audited(
        &[Input {
            path,
            from: From::Warc,
        }],
        2,
    );
    assert_eq!((audit.all.pages, audit.inputs), (0, 1));
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn an_audit_of_another_schema_is_refused() {
    for (json, words) in [
        (
            "{\"schema\":\"unbake-audit/9\"}",
            "its schema is `unbake-audit/9`, not `unbake-audit/1`",
        ),
        ("{}", "it is no audit: there is no `schema`"),
        ("[", "it is no JSON"),
        (
            "{\"schema\":\"unbake-audit/1\",\"counts\":{\"settings\":7}}",
            "its counts do not have the right shape",
        ),
    ] {
        let error = Audit::from_json(json.as_bytes(), "b.json")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("cannot read `b.json`: ") && error.contains(words),
            "{error}"
        );
    }
    let mut one = Audit::new("a".to_owned(), 9);
    assert!(one.merge(&Audit::new("b".to_owned(), 9)).is_err());
}
