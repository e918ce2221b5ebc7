//! The stories of documents: `testdata/explain.toml`. What each step came to, and every advice in its order.
#![allow(clippy::print_stdout)] // counts are what a runner has to say

mod support;

use std::collections::BTreeSet;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use support::{latin, unescape};
use unbake::{Context, Explanation, Format, Profile, Weight, explain, get_an_encoding};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Every kind of advice: each must have a case, and no case may have another.
    kinds: Vec<String>,
    case: Vec<Case>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Case {
    name: String,
    bytes: String,
    /// The encoding that `bytes` are written in, if not as they stand.
    #[serde(default)]
    saved_as: Option<String>,
    #[serde(default)]
    content_type: Vec<String>,
    #[serde(default)]
    profile: Option<String>,
    #[serde(default)]
    format: Option<String>,
    /// As many `x` stand where the bytes say `$fill`.
    #[serde(default)]
    fill: usize,
    encoding: String,
    /// The outcomes of the steps, in their order.
    outcomes: Vec<String>,
    /// Parts of findings, each in some step.
    #[serde(default)]
    findings: Vec<String>,
    /// Weight, kind, part of the text.
    advice: Vec<(String, String, String)>,
}

fn main() {
    let arguments = Arguments::from_args();
    let path = support::testdata().join("explain.toml");
    let text = std::fs::read_to_string(&path).expect("testdata/explain.toml");
    let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("explain.toml: {e}"));
    println!("explain: {} cases", file.case.len());
    let met: BTreeSet<String> = file
        .case
        .iter()
        .flat_map(|case| case.advice.iter().map(|(_, kind, _)| kind.clone()))
        .collect();
    let kinds: BTreeSet<String> = file.kinds.into_iter().collect();
    let mut trials: Vec<Trial> = file
        .case
        .into_iter()
        .map(|case| {
            Trial::test(format!("explain/{}", case.name), move || {
                run(&case);
                Ok(())
            })
        })
        .collect();
    trials.push(Trial::test("every-kind-of-advice-has-a-case", move || {
        assert_eq!(met, kinds);
        Ok(())
    }));
    trials.push(Trial::test("many-metas-in-linear-time", many_metas));
    libtest_mimic::run(&arguments, trials).exit();
}

fn story(case: &Case) -> Explanation {
    let text = case.bytes.replace("$fill", &"x".repeat(case.fill));
    let bytes = match &case.saved_as {
        Some(label) => {
            let encoding = get_an_encoding(label.as_bytes()).expect("a label");
            let text = String::from_utf8(unescape(&text)).expect("text");
            unbake::encode(&text, encoding, unbake::EncodeMode::Fatal).expect("encodable")
        }
        None => unescape(&text),
    };
    let profile = match case.profile.as_deref() {
        None | Some("pipeline") => Profile::Pipeline,
        Some("browser") => Profile::Browser,
        Some("standard") => Profile::Standard,
        Some(other) => panic!("no profile {other}"),
    };
    let context = Context {
        content_type: case.content_type.iter().map(|value| latin(value)).collect(),
        format: case
            .format
            .as_deref()
            .map(|id| Format::from_id(id).expect("a format")),
        ..Context::new(profile)
    };
    explain(&bytes, &context)
}

fn run(case: &Case) {
    let story = story(case);
    assert_eq!(story.decision.encoding.name(), case.encoding);
    let outcomes: Vec<&str> = story
        .steps
        .iter()
        .map(|step| step.outcome.words())
        .collect();
    assert_eq!(outcomes, case.outcomes);
    let findings: Vec<&String> = story.steps.iter().flat_map(|step| &step.findings).collect();
    for part in &case.findings {
        assert!(
            findings.iter().any(|finding| finding.contains(part)),
            "no `{part}` in {findings:#?}"
        );
    }
    let word = |weight| match weight {
        Weight::Wrong => "wrong",
        Weight::Fragile => "fragile",
        Weight::Note => "note",
    };
    let got: Vec<(&str, &str)> = story
        .advice
        .iter()
        .map(|advice| (word(advice.weight), advice.id))
        .collect();
    let wanted: Vec<(&str, &str)> = case
        .advice
        .iter()
        .map(|(weight, id, _)| (weight.as_str(), id.as_str()))
        .collect();
    assert_eq!(got, wanted, "{:#?}", story.advice);
    for (advice, (_, id, part)) in story.advice.iter().zip(&case.advice) {
        assert!(
            advice.text.contains(part),
            "{id}: no `{part}` in `{}`",
            advice.text
        );
    }
}

/// A hostile page: its story is told in a time that grows with its length, not with its square.
fn many_metas() -> Result<(), Failed> {
    let started = std::time::Instant::now();
    for piece in [
        "<meta charset=koi8-r>\n",
        "<meta charset=\"koi8-r\n",
        "<!-- <meta charset=koi8-r> -->\n",
        "<script><meta charset=koi8-r>\n",
    ] {
        let page = piece.repeat(100_000);
        let story = explain(page.as_bytes(), &Context::default());
        if story.advice.len() > 40 {
            return Err(format!("{} advices", story.advice.len()).into());
        }
    }
    // Linear work on 10 MB takes far under a second; the square of it would take minutes.
    if started.elapsed().as_secs() > 20 {
        return Err(format!("took {:?}", started.elapsed()).into());
    }
    Ok(())
}
