//! The public suites of formats that are not HTML, and of `TextDecoder`. Each says how many cases it ran.
//!
//! A suite that is absent is reported as ignored; one that is present but empty fails.
#![allow(clippy::print_stdout)] // counts are what a runner has to say

mod support;

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use support::{Cases, expect, hex, json_lines, latin, shared, text};
use unbake::{
    Context, Encoding, Format, Parent, TextDecoder, TextDecoderOptions, decode, decode_strict,
    get_an_encoding, sniff,
};

type Suite = (&'static str, fn(&Path) -> Cases);

const SUITES: &[Suite] = &[
    ("wpt-css-charset", wpt_css_charset),
    ("wpt-css2-syndata", wpt_css2_syndata),
    ("css-parsing-tests", css_parsing_tests),
    ("jsontestsuite-encoding", json_test_suite),
    ("toml-test-encoding", toml_test),
    ("decoder-vectors", decoder_vectors),
];

/// Cases that are answered otherwise, each with its reason. One that starts to pass fails the build.
const DEVIATIONS: &[(&str, &str)] = &[
    ("decoder-vectors/exodus-mistakes.jsonl#288", CONTESTED),
    ("decoder-vectors/exodus-mistakes.jsonl#289", CONTESTED),
    ("decoder-vectors/exodus-mistakes.jsonl#290", CONTESTED),
    ("decoder-vectors/exodus-mistakes.jsonl#291", CONTESTED),
];
const CONTESTED: &str = "gbk and gb18030 after a fatal error in a stream: Firefox reads on with the bytes it has pushed back, Chromium and WebKit drop them";

fn main() {
    let arguments = Arguments::from_args();
    let trials = SUITES
        .iter()
        .map(|&(name, run)| {
            let folder = shared().map(|shared| shared.join("suites").join(name));
            match folder.filter(|folder| folder.is_dir()) {
                None => {
                    println!("not run: {name} (set UNBAKE_SHARED)");
                    Trial::test(name, || Ok(())).with_ignored_flag(true)
                }
                Some(folder) => Trial::test(name, move || judge(name, &run(&folder))),
            }
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn judge(suite: &str, cases: &Cases) -> Result<(), Failed> {
    if cases.is_empty() {
        return Err(format!("{suite} is present and empty").into());
    }
    let mut wrong = Vec::new();
    let mut deviating = 0;
    for (case, outcome) in cases {
        let id = format!("{suite}/{case}");
        let known = DEVIATIONS.iter().find(|(known, _)| *known == id);
        match (outcome, known) {
            (Ok(()), None) => {}
            (Err(_), Some(_)) => deviating += 1,
            (Ok(()), Some((_, why))) => wrong.push(format!(
                "{case}: passes now; take it off the deviations ({why})"
            )),
            (Err(what), None) => wrong.push(format!("{case}: {what}")),
        }
    }
    println!(
        "{suite}: {} cases, {} wrong, {deviating} known deviations",
        cases.len(),
        wrong.len()
    );
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.truncate(20);
    Err(wrong.join("\n").into())
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()))
}

fn encoding(label: Option<&str>) -> Option<Encoding> {
    label.and_then(|label| get_an_encoding(label.as_bytes()))
}

/// The context of a style sheet: its header lines, and the `charset` attribute or the page that refers to it.
fn style_sheet(row: &Value) -> Context {
    let lines = row.get("headers").and_then(Value::as_array);
    let content_type = lines
        .into_iter()
        .flatten()
        .filter_map(|line| line.as_str()?.split_once(':'))
        .filter(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        .map(|(_, value)| latin(value.trim()))
        .collect();
    let environment =
        encoding(text(row, "charset_attribute")).or(encoding(text(row, "page_encoding")));
    Context {
        content_type,
        format: Some(Format::Css),
        parent: environment.map(|encoding| Parent {
            encoding,
            same_origin: true,
        }),
        ..Context::default()
    }
}

fn wpt_css_charset(folder: &Path) -> Cases {
    json_lines(&folder.join("manifest.jsonl"))
        .iter()
        .map(|row| {
            let file = text(row, "file").unwrap_or_default();
            let got = sniff(&read(&folder.join(file)), &style_sheet(row));
            let want = text(row, "expected").unwrap_or_default();
            (
                format!("{file} in {}", text(row, "page").unwrap_or_default()),
                expect("encoding", got.encoding.name(), want),
            )
        })
        .collect()
}

fn wpt_css2_syndata(folder: &Path) -> Cases {
    json_lines(&folder.join("manifest.jsonl"))
        .iter()
        .map(|row| {
            let file = text(row, "file").unwrap_or_default();
            let got = sniff(&read(&folder.join(file)), &style_sheet(row));
            let want = row["computed_by_rules"][0].as_str().unwrap_or_default();
            (
                format!("{} {file}", text(row, "page").unwrap_or_default()),
                expect("encoding", got.encoding.name(), want),
            )
        })
        .collect()
}

/// Pairs of an input and `[tree, encoding]`; the encoding alone is ours to answer.
fn css_parsing_tests(folder: &Path) -> Cases {
    let all: Vec<Value> =
        serde_json::from_slice(&read(&folder.join("stylesheet_bytes.json"))).expect("JSON");
    all.chunks(2)
        .enumerate()
        .map(|(number, pair)| {
            let (input, want) = (&pair[0], &pair[1]);
            let protocol = text(input, "protocol_encoding");
            let context = Context {
                content_type: protocol
                    .map(|label| latin(&format!("text/css; charset={label}")))
                    .into_iter()
                    .collect(),
                parent: encoding(text(input, "environment_encoding")).map(|encoding| Parent {
                    encoding,
                    same_origin: true,
                }),
                format: Some(Format::Css),
                ..Context::default()
            };
            let got = sniff(&latin(text(input, "css_bytes").expect("bytes")), &context);
            let want = encoding(want[1].as_str()).expect("an encoding");
            (
                format!("#{}", number + 1),
                expect("encoding", got.encoding.name(), want.name()),
            )
        })
        .collect()
}

/// `y_` files decode strictly and parse; `n_` files fail in one of the two; of `i_` files the validity must be right.
fn json_test_suite(folder: &Path) -> Cases {
    let context = Context {
        format: Some(Format::Json),
        ..Context::default()
    };
    json_lines(&folder.join("manifest.jsonl"))
        .iter()
        .map(|row| {
            let file = text(row, "file").unwrap_or_default();
            let bytes = read(&folder.join(file));
            let strict = decode_strict(&bytes, &context);
            let parses = strict
                .as_ref()
                .is_ok_and(|page| serde_json::from_str::<Value>(&page.text).is_ok());
            let outcome = match text(row, "verdict") {
                Some("must accept") => parses
                    .then_some(())
                    .ok_or_else(|| "must be accepted".to_owned()),
                Some("must reject") => (!parses)
                    .then_some(())
                    .ok_or_else(|| "must be rejected".to_owned()),
                Some("either") => Ok(()),
                other => Err(format!("unknown verdict {other:?}")),
            };
            let outcome = outcome.and_then(|()| {
                let page = decode(&bytes, &context);
                if page.decision.encoding != Encoding::UTF_8 {
                    return expect(
                        "bom",
                        page.decision.encoding.name(),
                        text(row, "bom").unwrap_or("none"),
                    );
                }
                let valid = row["utf8_valid"] == Value::Bool(true);
                expect(
                    "valid UTF-8",
                    (page.malformed.count == 0).to_string(),
                    &valid.to_string(),
                )
            });
            (file.to_owned(), outcome)
        })
        .collect()
}

/// Valid files decode strictly and parse; invalid ones fail in one of the two.
fn toml_test(folder: &Path) -> Cases {
    let context = Context {
        format: Some(Format::Toml),
        ..Context::default()
    };
    json_lines(&folder.join("manifest.jsonl"))
        .iter()
        .map(|row| {
            let file = text(row, "file").unwrap_or_default();
            let bytes = read(&folder.join(file));
            // The parser drops one mark by itself, and ours is gone already: a second one is content, which TOML has no place for.
            let accepted = decode_strict(&bytes, &context).is_ok_and(|page| {
                !page.text.starts_with('\u{FEFF}') && page.text.parse::<toml::Table>().is_ok()
            });
            let got = if accepted { "valid" } else { "invalid" };
            (
                file.to_owned(),
                expect("verdict", got, text(row, "verdict").unwrap_or_default()),
            )
        })
        .collect()
}

/// Sessions of one `TextDecoder`, call by call, and whole where a group of calls is judged together; then what of the bytes at the
/// end of a chunk belongs to a character that is not complete.
fn decoder_vectors(folder: &Path) -> Cases {
    let mut cases = Cases::new();
    for file in ["wpt-textdecoder.jsonl", "exodus-mistakes.jsonl"] {
        for (number, row) in json_lines(&folder.join(file)).iter().enumerate() {
            cases.push((format!("{file}#{}", number + 1), session(row)));
        }
    }
    for (number, row) in json_lines(&folder.join("exodus-unfinished-bytes.jsonl"))
        .iter()
        .enumerate()
    {
        cases.push((format!("unfinished#{}", number + 1), unfinished(row)));
    }
    cases
}

fn session(row: &Value) -> Result<(), String> {
    let options = TextDecoderOptions {
        fatal: row["fatal"] == Value::Bool(true),
        ignore_bom: row["ignoreBOM"] == Value::Bool(true),
    };
    let label = text(row, "label").expect("a label");
    let mut decoder =
        TextDecoder::new(label.as_bytes(), options).ok_or_else(|| format!("no decoder {label}"))?;
    let mut outputs = Vec::new();
    for (number, call) in row["calls"].as_array().expect("calls").iter().enumerate() {
        let got = decoder.decode(
            &hex(text(call, "hex").expect("hex")),
            call["stream"] == Value::Bool(true),
        );
        match call.get("expect") {
            Some(Value::String(want)) => {
                let got = got
                    .as_ref()
                    .map_err(|error| format!("call {number}: {error}"))?;
                expect(&format!("call {number}"), got, want)?;
            }
            Some(want) if want["throws"] == Value::Bool(true) && got.is_ok() => {
                return Err(format!("call {number}: not refused"));
            }
            _ => {}
        }
        outputs.push(got.unwrap_or_default());
    }
    for group in row["groups"].as_array().into_iter().flatten() {
        let joined: String = group["calls"]
            .as_array()
            .expect("calls")
            .iter()
            .filter_map(|index| outputs.get(index.as_u64()? as usize))
            .map(String::as_str)
            .collect();
        expect("group", joined, text(group, "text").unwrap_or_default())?;
    }
    Ok(())
}

/// With more to come, the last bytes give nothing; at the end they give an error.
fn unfinished(row: &Value) -> Result<(), String> {
    let bytes = hex(text(row, "hex").expect("hex"));
    let rest = row["unfinished"].as_u64().expect("a number") as usize;
    let label = text(row, "encoding").expect("a label");
    let options = TextDecoderOptions {
        ignore_bom: true,
        fatal: false,
    };
    let once = |bytes: &[u8], stream| {
        let mut decoder = TextDecoder::new(label.as_bytes(), options).expect("a decoder");
        decoder.decode(bytes, stream).expect("replacement mode")
    };
    expect(
        "cut",
        once(&bytes, true),
        &once(&bytes[..bytes.len() - rest], false),
    )?;
    if rest > 0 && once(&bytes, false) == once(&bytes, true) {
        return Err("the end makes no difference".to_owned());
    }
    Ok(())
}
