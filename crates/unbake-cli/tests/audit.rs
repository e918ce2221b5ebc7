//! `unbake audit` as a person, and a cron job meet it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn audit(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unbake"))
        .arg("audit")
        .args(args)
        .current_dir(repository())
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts")
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path =
            std::env::temp_dir().join(format!("unbake-cli-audit-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Scratch(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _nothing_to_lose = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn the_example_crawl() {
    let output = audit(&["examples/crawl"]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(text(&output.stdout));
    // The same whatever the number of threads.
    assert_eq!(
        audit(&["examples/crawl", "--threads", "3"]).stdout,
        output.stdout
    );
}

#[test]
fn every_report_is_written_whole_and_the_same_twice() {
    let scratch = Scratch::new("reports");
    let names = ["r.html", "r.csv", "r.prom", "r.xml", "r.json"];
    let mut before = Vec::new();
    for round in 0..2 {
        let paths = names.map(|name| scratch.file(name));
        let [html, csv, prom, junit, metrics] = &paths;
        let output = audit(&[
            "examples/crawl",
            "--html",
            html,
            "--csv",
            csv,
            "--prom",
            prom,
            "--junit",
            junit,
            "--metrics",
            metrics,
            "--max-rate",
            "50%",
            "--by",
            "host,encoding",
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let now: Vec<Vec<u8>> = paths
            .iter()
            .map(|path| std::fs::read(path).expect("a report"))
            .collect();
        if round == 1 {
            assert!(now == before, "two runs differ");
        }
        before = now;
    }
    assert_eq!(
        std::fs::read_dir(&scratch.0).expect("a directory").count(),
        names.len()
    );
    let prom = text(&before[2]);
    assert!(prom.contains("unbake_rows{field=\"text\"} 216\n"), "{prom}");
    assert!(
        prom.contains("unbake_alarm{check=\"max-rate\",field=\"text\",measure=\"made\"} 0\n"),
        "{prom}"
    );
    assert!(text(&before[3]).contains("<testsuites tests=\"1\" failures=\"0\">"));
    let html = text(&before[0]);
    let outside = html.match_indices("http").filter(|(at, _)| {
        let start = at.saturating_sub(6);
        html.get(start..*at)
            .is_some_and(|lead| lead.ends_with("src=\"") || lead.ends_with("href=\""))
    });
    assert_eq!(
        outside.count(),
        0,
        "the report asks for something from outside"
    );
}

#[test]
fn alarms_and_exit_codes() {
    let scratch = Scratch::new("alarms");
    let rows = |name: &str, broken: usize| {
        let mut csv = b"url,title\n".to_vec();
        for host in 0..60 {
            for _ in 0..5 {
                csv.extend(format!("http://h{host}.example/,caf").bytes());
                csv.extend(if host < broken {
                    &b"\xE9\n"[..]
                } else {
                    b"\xC3\xA9\n"
                });
            }
        }
        std::fs::write(scratch.file(name), csv).expect("a file");
        scratch.file(name)
    };
    let (good, bad) = (rows("good.csv", 0), rows("bad.csv", 20));
    let fields = ["--fields", "title"];
    let with = |more: &[&str]| audit(&[&fields[..], more].concat());
    let base = scratch.file("base.json");
    assert_eq!(with(&[&good, "--metrics", &base]).status.code(), Some(0));
    let rung = with(&[&bad, "--baseline", &base]);
    assert_eq!(rung.status.code(), Some(1));
    let shown = text(&rung.stdout);
    assert!(
        shown.contains("ALARM rise: `title`: U+FFFD made by decoding 0.000 % before, 33.333 % now"),
        "{shown}"
    );
    assert!(shown.contains("  h0.example: 0 of 5 -> 5 of 5"), "{shown}");
    assert_eq!(
        with(&[&bad, "--baseline", &base, "--warn-only"])
            .status
            .code(),
        Some(0)
    );
    assert_eq!(with(&[&good, "--baseline", &base]).status.code(), Some(0));
    for (rate, code) in [("34%", 0), ("33%", 1), ("title:made=0.2", 1), ("c1=0", 0)] {
        assert_eq!(
            with(&[&bad, "--max-rate", rate]).status.code(),
            Some(code),
            "{rate}"
        );
    }
    // JSON on standard output is a baseline too, and the alarm is told beside it.
    let json = with(&[&bad, "--json", "--max-rate", "1%"]);
    assert!(
        text(&json.stderr).starts_with("alarm: `title`"),
        "{}",
        text(&json.stderr)
    );
    let value: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(value["summary"]["fields"]["title"]["made"]["n"], 100);
    assert_eq!(value["alarms"]["checks"][0]["rings"], true);
    // Parts, merged.
    let (a, b) = (scratch.file("a.json"), scratch.file("b.json"));
    with(&[&good, "--metrics", &a]);
    with(&[&bad, "--metrics", &b]);
    let merged = audit(&["--from", "metrics", &a, &b, "--json"]);
    let both = with(&[&good, &bad, "--json"]);
    assert_eq!(text(&merged.stdout), text(&both.stdout));
}

#[test]
fn what_can_not_be_done_is_said() {
    let scratch = Scratch::new("errors");
    let old = scratch.file("old.json");
    std::fs::write(&old, "{\"schema\":\"unbake-audit/0\"}").expect("a file");
    let csv = scratch.file("rows.csv");
    std::fs::write(&csv, "title\nx\n").expect("a file");
    let utf_16 = scratch.file("utf16.csv");
    std::fs::write(&utf_16, b"\xFF\xFEt\0").expect("a file");
    let base = scratch.file("pages.json");
    assert_eq!(
        audit(&["examples/pages", "--metrics", &base]).status.code(),
        Some(0)
    );
    for (args, words) in [
        (
            vec!["no-such-file"],
            "cannot read `no-such-file`: no such file or directory",
        ),
        (
            vec!["examples/pages", "--by", "colour"],
            "the groups are tld, host, lang",
        ),
        (
            vec!["examples/pages", "--max-rate", "many"],
            "a share is wanted",
        ),
        (
            vec!["examples/pages", "--max-rate", "titel:made=1%"],
            "there is no field `titel` to limit",
        ),
        (
            vec!["examples/pages", "--baseline", &old],
            "its schema is `unbake-audit/0`",
        ),
        (
            vec![&csv, "--fields", "titel"],
            "there is no column `titel`; there are `title`",
        ),
        (
            vec![&csv, "--fields", "title", "--baseline", &base],
            "was made under other settings",
        ),
        (
            vec![
                "examples/pages",
                "--profile",
                "browser",
                "--baseline",
                &base,
            ],
            "was made under other settings",
        ),
        (vec![&utf_16, "--fields", "t"], "the table is UTF-16"),
        (
            vec!["examples/crawl", "--fields", "t"],
            "is an archive, which has no columns",
        ),
        (
            vec!["examples/pages", "--html", "/no/such/place.html"],
            "cannot write `/no/such/place.html`",
        ),
    ] {
        let output = audit(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            text(&output.stderr).contains(words),
            "{args:?}: {}",
            text(&output.stderr)
        );
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    // Another version of the program is no error, but is told.
    let other = std::fs::read_to_string(&base)
        .expect("a file")
        .replace("\"0.1.0\"", "\"0.0.9\"");
    std::fs::write(&base, other).expect("a file");
    let output = audit(&["examples/pages", "--baseline", &base]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output.stderr).contains("made by version 0.0.9"),
        "{}",
        text(&output.stderr)
    );
    // A damaged archive is counted, with its place.
    let mut crawl =
        std::fs::read(repository().join("examples/crawl/crawl-00000.warc.gz")).expect("the crawl");
    crawl.truncate(50_000);
    let cut = scratch.file("cut.warc.gz");
    std::fs::write(&cut, crawl).expect("a file");
    let shown = text(&audit(&[&cut]).stdout);
    assert!(
        shown.contains("could not be read: 1 truncated") && shown.contains(" at byte "),
        "{shown}"
    );
}
