//! Our own cases: `testdata/cases/*.toml`, one trial each. `testdata/README.md` documents the fields.
//!
//! Each case runs whole, byte by byte, and cut in two at every place (capped).
#![allow(clippy::print_stdout)] // counts are what a runner has to say

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use support::{latin, streamed, unescape};
use unbake::{
    Change, Context, Decision, Encoding, Format, Malformed, MalformedKind, Parent, Profile, Rule,
    decode, decode_strict, get_an_encoding,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Case {
    name: String,
    bytes: String,
    #[serde(default)]
    repeat: Vec<Repeat>,
    #[serde(default)]
    profile: Option<String>,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    file_name: Option<String>,
    /// The format that must be decided, and what says so.
    #[serde(default)]
    decided_format: Option<(String, String)>,
    #[serde(default)]
    content_type: Vec<String>,
    #[serde(default)]
    r#override: Option<String>,
    #[serde(default)]
    fallback: Option<String>,
    #[serde(default)]
    locale: Option<String>,
    #[serde(default)]
    remembered: Option<String>,
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    parent_cross_origin: bool,
    #[serde(default)]
    local_file: bool,
    encoding: String,
    #[serde(default)]
    confidence: Option<String>,
    #[serde(default)]
    rule: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    malformed: Option<Vec<(u64, u8, String)>>,
    #[serde(default)]
    count: Option<u64>,
    #[serde(default)]
    literal_fffd: Option<u64>,
    #[serde(default)]
    change: Option<String>,
    #[serde(default)]
    clues: Option<Vec<(String, String, String)>>,
    #[serde(default)]
    strict: Option<(u64, u64, u64)>,
    #[allow(dead_code)] // for the reader of the case
    #[serde(default)]
    see: Option<String>,
}

/// `$NAME` in the bytes stands for a piece written many times.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeat {
    name: String,
    bytes: String,
    times: usize,
}

fn main() {
    let arguments = Arguments::from_args();
    let mut cases: Vec<(String, Case)> = Vec::new();
    let folder = support::testdata().join("cases");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("testdata/cases")
        .map(|e| e.expect("an entry").path())
        .collect();
    files.sort();
    for path in files {
        let stem = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        cases.extend(
            load(&path)
                .into_iter()
                .map(|case| (format!("{stem}/{}", case.name), case)),
        );
    }
    println!("{} cases of our own", cases.len());
    let all: Vec<Case> = cases.iter().map(|(_, case)| case.clone()).collect();
    let names: BTreeSet<&String> = cases.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), cases.len(), "two cases of one name");
    let mut trials: Vec<Trial> = cases
        .into_iter()
        .map(|(name, case)| Trial::test(name, move || run(&case).map_err(Failed::from)))
        .collect();
    trials.push(Trial::test(
        "every rule and every kind of malformed sequence has a case",
        move || covered(&all),
    ));
    libtest_mimic::run(&arguments, trials).exit();
}

fn load(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
    let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    file.case
}

fn context(case: &Case) -> Context {
    let encoding = |label: &Option<String>| -> Option<Encoding> {
        label.as_deref().map(|label| {
            get_an_encoding(label.as_bytes()).unwrap_or_else(|| panic!("unknown label {label}"))
        })
    };
    let profile = case.profile.as_deref().unwrap_or("pipeline");
    let profile = Profile::ALL
        .into_iter()
        .find(|p| p.id() == profile)
        .unwrap_or_else(|| panic!("unknown profile {profile}"));
    Context {
        format: case
            .format
            .as_deref()
            .map(|id| Format::from_id(id).unwrap_or_else(|| panic!("unknown format {id}"))),
        file_name: case.file_name.clone(),
        content_type: case.content_type.iter().map(|value| latin(value)).collect(),
        user_override: encoding(&case.r#override),
        fallback: encoding(&case.fallback),
        locale: case.locale.clone(),
        remembered: encoding(&case.remembered),
        parent: encoding(&case.parent).map(|encoding| Parent {
            encoding,
            same_origin: !case.parent_cross_origin,
        }),
        local_file: case.local_file,
        ..Context::new(profile)
    }
}

fn run(case: &Case) -> Result<(), String> {
    let mut bytes = unescape(&case.bytes);
    for Repeat {
        name,
        bytes: piece,
        times,
    } in &case.repeat
    {
        let mark = format!("${name}").into_bytes();
        let at = bytes
            .windows(mark.len())
            .position(|window| window == mark)
            .unwrap_or_else(|| panic!("no ${name}"));
        bytes.splice(at..at + mark.len(), unescape(piece).repeat(*times));
    }
    let context = context(case);
    let whole = decode(&bytes, &context);
    let got = (
        whole.text.into_owned(),
        whole.decision,
        whole.malformed,
        whole.literal_fffd,
    );
    check(case, &got)?;
    if let Some((at, line, column)) = case.strict {
        let error = decode_strict(&bytes, &context)
            .err()
            .ok_or("strict: not refused")?;
        equal(
            "strict",
            &(error.at, error.line, error.column),
            &(at, line, column),
        )?;
    }
    // Byte by byte, and in two pieces wherever the cut falls.
    if bytes.len() <= 20_000 {
        equal("byte by byte", &streamed(&bytes, &context, || 1), &got)?;
    }
    let stride = bytes.len() / 500 + 1;
    for cut in (1..bytes.len()).step_by(stride) {
        let mut sizes = [cut].into_iter();
        equal(
            &format!("cut at {cut}"),
            &streamed(&bytes, &context, || sizes.next().unwrap_or(usize::MAX)),
            &got,
        )?;
    }
    Ok(())
}

fn check(
    case: &Case,
    (text, decision, malformed, literal_fffd): &(String, Decision, Malformed, u64),
) -> Result<(), String> {
    equal(
        "encoding",
        &decision.encoding.name(),
        &case.encoding.as_str(),
    )?;
    if let Some(want) = &case.confidence {
        equal("confidence", &decision.confidence.id(), &want.as_str())?;
    }
    if let Some(want) = &case.rule {
        equal("rule", &decision.rule.id(), &want.as_str())?;
    }
    if let Some((format, source)) = &case.decided_format {
        let got = (decision.format.id(), decision.format_source.id());
        equal("format", &got, &(format.as_str(), source.as_str()))?;
    }
    if let Some(want) = &case.text {
        equal("text", &text.as_bytes(), &unescape(want).as_slice())?;
    }
    if let Some(want) = &case.malformed {
        let got: Vec<(u64, u8, String)> = malformed
            .first
            .iter()
            .map(|s| (s.at, s.len, s.kind.id().to_owned()))
            .collect();
        equal("malformed", &got, want)?;
    }
    if let Some(want) = case
        .count
        .or(case.malformed.as_ref().map(|list| list.len() as u64))
    {
        equal("count of malformed", &malformed.count, &want)?;
    }
    if let Some(want) = case.literal_fffd {
        equal("literal U+FFFD", literal_fffd, &want)?;
    }
    if let Some(want) = &case.change {
        equal(
            "change",
            &decision.change.map_or("none", Change::id),
            &want.as_str(),
        )?;
    }
    if let Some(want) = &case.clues {
        let got: Vec<(String, String, String)> = decision
            .clues
            .iter()
            .map(|c| {
                (
                    c.origin.id().to_owned(),
                    c.label.clone().unwrap_or_default(),
                    c.fate.id().to_owned(),
                )
            })
            .collect();
        equal("clues", &got, want)?;
    }
    Ok(())
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, want: &T) -> Result<(), String> {
    if got == want {
        Ok(())
    } else {
        Err(format!("{what}:\n   got {got:?}\n  want {want:?}"))
    }
}

fn covered(cases: &[Case]) -> Result<(), Failed> {
    let rules: BTreeSet<&str> = cases
        .iter()
        .filter_map(|case| case.rule.as_deref())
        .collect();
    let kinds: BTreeSet<&str> = cases
        .iter()
        .flat_map(|case| case.malformed.iter().flatten())
        .map(|(_, _, kind)| kind.as_str())
        .collect();
    let no_rule = Rule::ALL
        .iter()
        .map(|rule| rule.id())
        .filter(|id| !rules.contains(id));
    let no_kind = MalformedKind::ALL
        .iter()
        .map(|kind| kind.id())
        .filter(|id| !kinds.contains(id));
    let missing: Vec<&str> = no_rule.chain(no_kind).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("no case for {missing:?}").into())
    }
}
