//! The public suites, and the recorded answers of browsers. Each says how many cases it ran.
//!
//! A suite that is absent is reported as ignored; one that is present but empty fails. Known deviations are listed in
//! `testdata/deviations.toml`, each with its reason, and fail the build when they start to pass.
#![allow(clippy::print_stdout)] // counts are what a runner has to say

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use support::decoding::{decoder_vectors, whatwg_encoding, wpt_encoding};
use support::recorded::{browser, bug_reports};
use support::styles::{css_parsing, json_files, wpt_css_charset, wpt_css2};
use support::{
    Cases, content_type_oracle, expect, json, json_lines, latin, name, read, row_bytes,
    row_context, shared, text,
};
use unbake::{
    Context, Encoding, Format, Origin, Profile, QuerySet, get_an_encoding, percent_encode_query,
    sniff,
};

/// A suite's name, its folder, and what runs it.
type Suite = (&'static str, &'static str, fn(&Path) -> Cases);

fn main() {
    let arguments = Arguments::from_args();
    let suites: &[Suite] = &[
        ("html5lib-encoding", "suites/html5lib-encoding", html5lib),
        (
            "wpt-html-charset",
            "suites/wpt-html-charset",
            wpt_html_charset,
        ),
        ("wpt-xmldecl", "suites/wpt-xmldecl", wpt_xmldecl),
        ("wpt-encoding", "suites/wpt-encoding", wpt_encoding),
        (
            "wpt-encoding-detection",
            "suites/wpt-encoding-detection",
            wpt_detection,
        ),
        ("wpt-mime", "suites/wpt-mime", wpt_mime),
        ("wpt-css-charset", "suites/wpt-css-charset", wpt_css_charset),
        ("wpt-css2-syndata", "suites/wpt-css2-syndata", wpt_css2),
        ("css-parsing-tests", "suites/css-parsing-tests", css_parsing),
        (
            "jsontestsuite-encoding",
            "suites/jsontestsuite-encoding",
            json_files,
        ),
        (
            "jsdom-html-encoding-sniffer",
            "suites/jsdom-html-encoding-sniffer",
            jsdom,
        ),
        ("whatwg-encoding", "suites/whatwg-encoding", whatwg_encoding),
        ("decoder-vectors", "suites/decoder-vectors", decoder_vectors),
        ("bug-reports", "cases", bug_reports),
        ("browser", "browser", browser),
    ];
    let deviations = deviations();
    let trials = suites
        .iter()
        .map(|&(name, folder, run)| {
            let present = shared()
                .map(|shared| shared.join(folder))
                .filter(|folder| folder.is_dir());
            let known = deviations.get(name).cloned().unwrap_or_default();
            match present {
                None => {
                    println!("not run: {name} (set UNBAKE_SHARED)");
                    Trial::test(name, || Ok(())).with_ignored_flag(true)
                }
                Some(folder) => Trial::test(name, move || judge(name, &run(&folder), &known)),
            }
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// A suite passes where every case is right but the known deviations, and those are all wrong still.
fn judge(name: &str, cases: &Cases, known: &BTreeMap<String, String>) -> Result<(), Failed> {
    if cases.is_empty() {
        return Err(format!("{name} is present and empty").into());
    }
    let mut wrong = Vec::new();
    let mut deviating = 0;
    for (case, outcome) in cases {
        match (outcome, known.get(case)) {
            (Ok(()), None) => {}
            (Err(_), Some(_)) => deviating += 1,
            (Ok(()), Some(why)) => wrong.push(format!(
                "{case}: passes now; take it off the deviations ({why})"
            )),
            (Err(what), None) => wrong.push(format!("{case}: {what}")),
        }
    }
    for case in known
        .keys()
        .filter(|case| !cases.iter().any(|(name, _)| name == *case))
    {
        wrong.push(format!("{case}: a deviation of no case"));
    }
    println!(
        "{name}: {} cases, {} wrong, {deviating} known deviations",
        cases.len(),
        wrong.len()
    );
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.truncate(if std::env::var_os("ALL_WRONG").is_some() {
        9999
    } else {
        20
    });
    Err(wrong.join("\n").into())
}

/// Suite, case, why.
fn deviations() -> BTreeMap<String, BTreeMap<String, String>> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        deviation: Vec<Deviation>,
    }
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Deviation {
        suite: String,
        case: String,
        /// Whose answer is the standard's.
        standard: Side,
        why: String,
    }
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Side {
        Ours,
        Suite,
        Silent,
    }
    let path = support::testdata().join("deviations.toml");
    let text = std::fs::read_to_string(&path).expect("testdata/deviations.toml");
    let file: File = toml::from_str(&text).expect("deviations.toml");
    let mut all: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for Deviation {
        suite,
        case,
        standard,
        why,
    } in file.deviation
    {
        let whose = match standard {
            Side::Ours => "the standard's answer is ours",
            Side::Suite => "the standard's answer is the suite's",
            Side::Silent => "the standard does not say",
        };
        let before = all
            .entry(suite)
            .or_default()
            .insert(case.clone(), format!("{whose}: {why}"));
        assert!(before.is_none(), "two deviations of {case}");
    }
    all
}

/// The prescan and the tree builder: what profile `standard` is about. Where the others differ is listed.
fn html5lib(folder: &Path) -> Cases {
    let mut cases = Cases::new();
    for file in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
        let path = [folder.join(file), folder.join("encoding").join(file)]
            .into_iter()
            .find(|path| path.exists());
        let data = read(&path.unwrap_or_else(|| folder.join(file)));
        let find = |needle: &[u8], from: usize| {
            (from..data.len()).find(|&at| data[at..].starts_with(needle))
        };
        let mut at = find(b"#data\n", 0);
        let mut number = 0;
        while let Some(start) = at {
            number += 1;
            let end = find(b"\n#encoding\n", start).expect("#encoding");
            let label = data[end + 11..]
                .split(|&b| b == b'\n')
                .next()
                .expect("a label");
            let want = get_an_encoding(label).expect("a known label").name();
            for profile in Profile::ALL {
                let context = Context {
                    format: Some(Format::Html),
                    ..Context::new(profile)
                };
                let got = sniff(&data[start + 6..end], &context);
                cases.push((
                    format!("{file}#{number} ({})", profile.id()),
                    expect("encoding", got.encoding.name(), want),
                ));
            }
            at = find(b"#data\n", end);
        }
    }
    cases
}

/// What Chromium and WebKit have in common: what profile `browser` is about. Where the others differ is listed.
fn wpt_html_charset(folder: &Path) -> Cases {
    let mut cases = Cases::new();
    for row in json_lines(&folder.join("manifest.jsonl")) {
        for profile in Profile::ALL {
            let got = sniff(&row_bytes(folder, &row), &row_context(&row, profile))
                .encoding
                .name();
            let outcome = match (text(&row, "expected"), text(&row, "not_expected")) {
                (Some(want), _) => expect("encoding", got, want),
                (None, Some(wrong)) if got == wrong => {
                    Err(format!("encoding: {got}, which it must not be"))
                }
                _ => Ok(()),
            };
            let page = text(&row, "file").or(text(&row, "inline_hex"));
            let parent = text(&row, "parent").map_or(String::new(), |p| format!(" in {p}"));
            cases.push((
                format!("{}{parent} ({})", page.unwrap_or_default(), profile.id()),
                outcome,
            ));
        }
    }
    cases
}

fn wpt_xmldecl(folder: &Path) -> Cases {
    let mut cases = Cases::new();
    for row in json_lines(&folder.join("manifest.jsonl")) {
        for profile in Profile::ALL {
            let got = sniff(&row_bytes(folder, &row), &row_context(&row, profile))
                .encoding
                .name();
            let case = format!(
                "{} ({})",
                text(&row, "file").unwrap_or_default(),
                profile.id()
            );
            cases.push((
                case,
                expect("encoding", got, text(&row, "expected").unwrap_or_default()),
            ));
        }
    }
    cases
}

/// The detector, without a TLD and with UTF-8 forbidden, as for pages from the network.
fn wpt_detection(folder: &Path) -> Cases {
    let case = |row: Value| {
        let mut detector = unbake::detect::Detector::new(unbake::detect::Hints::default());
        detector.feed(&row_bytes(folder, &row));
        let got = detector
            .guess()
            .map_or("none", |guess| guess.encoding.name());
        let outcome = match text(&row, "expected") {
            Some(want) => expect("encoding", got, want),
            None if got == "UTF-8" => Err("UTF-8 is never guessed over the network".to_owned()),
            None => Ok(()),
        };
        (text(&row, "file").unwrap_or_default().to_owned(), outcome)
    };
    json_lines(&folder.join("manifest.jsonl"))
        .into_iter()
        .map(case)
        .collect()
}

/// The second reading gives the suite's serialization, and the library the essence and the charset that are in it.
fn mime_type(input: &str, output: Option<&str>) -> Result<(), String> {
    let second = content_type_oracle::parse_a_mime_type(input).map(|parsed| parsed.serialize());
    expect(
        "second reading",
        second.as_deref().unwrap_or("failure"),
        output.unwrap_or("failure"),
    )?;
    // Header values are bytes: what no byte stands for can not come.
    if !input.chars().all(|c| u32::from(c) < 256) {
        return Ok(());
    }
    let parts = |essence: Vec<u8>, charset: Option<Vec<u8>>| {
        let shown = |bytes: Vec<u8>| content_type_oracle::isomorphic_decode(&bytes);
        format!("{} {:?}", shown(essence), charset.map(shown))
    };
    let got = unbake::internal::parse_a_mime_type(&latin(input))
        .map_or("failure".to_owned(), |(essence, charset)| {
            parts(essence, charset)
        });
    let want = output
        .and_then(content_type_oracle::parse_a_mime_type)
        .map_or("failure".to_owned(), |parsed| {
            format!("{} {:?}", parsed.essence(), parsed.parameter("charset"))
        });
    expect("library", got, &want)
}

/// Content-Type headers: how they parse, and what encoding the transport layer gives.
fn wpt_mime(folder: &Path) -> Cases {
    let mut cases = Cases::new();
    let transport = |headers: Vec<Vec<u8>>| {
        let context = Context {
            content_type: headers,
            format: Some(Format::Text),
            ..Context::default()
        };
        let decision = sniff(b"", &context);
        decision
            .clues
            .iter()
            .find(|clue| clue.origin == Origin::Transport)
            .and_then(|clue| clue.encoding)
            .map_or("none", Encoding::name)
    };
    let bytes = |value: &str| {
        if value.chars().all(|c| u32::from(c) < 256) {
            latin(value)
        } else {
            value.as_bytes().to_vec()
        }
    };
    for (file, field) in [
        ("mime-types.json", "input"),
        ("generated-mime-types.json", "input"),
        ("content-types.json", "contentType"),
        ("script-content-types.json", "contentType"),
    ] {
        for (number, row) in json(&folder.join(file))
            .as_array()
            .expect("an array")
            .iter()
            .enumerate()
        {
            if let Some(input) = text(row, "input") {
                let outcome = mime_type(input, text(row, "output"));
                cases.push((format!("{file}#{number} parsed"), outcome));
            }
            let Some(want) = row.get("encoding") else {
                continue;
            };
            let want = want.as_str().map_or("none", name);
            let headers: Vec<Vec<u8>> = match &row[field] {
                Value::String(value) => vec![bytes(value)],
                values => values
                    .as_array()
                    .expect("an array")
                    .iter()
                    .map(|v| bytes(v.as_str().expect("a string")))
                    .collect(),
            };
            let joined = headers.join(&b", "[..]);
            cases.push((
                format!("{file}#{number}"),
                expect("lines", transport(headers), want),
            ));
            cases.push((
                format!("{file}#{number} joined"),
                expect("joined", transport(vec![joined]), want),
            ));
        }
    }
    println!(
        "wpt-mime: not run: mime-groups.json, mime-types-minimized.json (no algorithm of ours), data-urls.json (no URLs are fetched)"
    );
    for (number, row) in json(&folder.join("url-percent-encoding.json"))
        .as_array()
        .expect("an array")
        .iter()
        .enumerate()
    {
        let Some(outputs) = row.get("output").and_then(Value::as_object) else {
            continue;
        };
        for (label, want) in outputs {
            let encoding = get_an_encoding(label.as_bytes()).expect("a label");
            let got = percent_encode_query(
                text(row, "input").unwrap_or_default(),
                encoding,
                QuerySet::SpecialQuery,
            );
            cases.push((
                format!("url#{number} {label}"),
                expect("query", got, want.as_str().unwrap_or_default()),
            ));
        }
    }
    cases
}

fn jsdom(folder: &Path) -> Cases {
    let case = |(number, row): (usize, Value)| {
        let encoding =
            |field| text(&row, field).and_then(|label| get_an_encoding(label.as_bytes()));
        let xml = row.get("xml") == Some(&Value::Bool(true));
        let mut context = row_context(&row, Profile::Standard);
        context.format = Some(if xml { Format::Xml } else { Format::Html });
        context.fallback = encoding("default");
        if let Some(label) = text(&row, "transport") {
            context.content_type = vec![latin(&format!("text/html; charset={label}"))];
        }
        let got = sniff(&row_bytes(folder, &row), &context).encoding.name();
        (
            format!("{} {}", number + 1, text(&row, "file").unwrap_or_default()),
            expect("encoding", got, text(&row, "expected").unwrap_or_default()),
        )
    };
    json_lines(&folder.join("manifest.jsonl"))
        .into_iter()
        .enumerate()
        .map(case)
        .collect()
}
