//! The cases of the check: `testdata/check/*.toml`, one trial each; and that every rule has one that fires and one that must not.
#![allow(clippy::print_stdout)] // counts are what a runner has to say

mod support;

use std::collections::BTreeSet;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use support::{latin, unescape};
use unbake::{CheckOptions, CheckRule, Context, CsvReader, Format, check, get_an_encoding};

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
    /// ASCII bytes before the others, to move them.
    #[serde(default)]
    pad: usize,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    content_type: Vec<String>,
    #[serde(default)]
    r#override: Option<String>,
    #[serde(default)]
    csv_for: Option<String>,
    #[serde(default)]
    local_file: bool,
    /// `[rule, start, end]` of every finding, in order.
    finds: Vec<(String, u64, u64)>,
    /// The rules that this case is so near to that they might fire, and must not.
    #[serde(default)]
    not: Vec<String>,
}

fn main() {
    let arguments = Arguments::from_args();
    let mut files: Vec<_> = std::fs::read_dir(support::testdata().join("check"))
        .expect("testdata/check")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut cases: Vec<(String, Case)> = Vec::new();
    for path in files {
        let stem = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("readable");
        let file: File =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        cases.extend(
            file.case
                .into_iter()
                .map(|case| (format!("{stem}/{}", case.name), case)),
        );
    }
    println!("{} cases of the check", cases.len());
    let names: BTreeSet<&String> = cases.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), cases.len(), "two cases of one name");
    let all: Vec<Case> = cases.iter().map(|(_, case)| case.clone()).collect();
    let mut trials: Vec<Trial> = cases
        .into_iter()
        .map(|(name, case)| Trial::test(name, move || run(&case).map_err(Failed::from)))
        .collect();
    trials.push(Trial::test(
        "every rule has a case that fires and one that must not",
        move || covered(&all),
    ));
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(case: &Case) -> Result<(), String> {
    let mut bytes = vec![b' '; case.pad];
    bytes.extend(unescape(&case.bytes));
    let context = Context {
        format: case
            .format
            .as_deref()
            .map(|id| Format::from_id(id).unwrap_or_else(|| panic!("unknown format {id}"))),
        content_type: case.content_type.iter().map(|value| latin(value)).collect(),
        user_override: case
            .r#override
            .as_deref()
            .and_then(|label| get_an_encoding(label.as_bytes())),
        local_file: case.local_file,
        ..Context::default()
    };
    let options = CheckOptions {
        csv_for: match case.csv_for.as_deref() {
            Some("others") => CsvReader::Others,
            None | Some("excel") => CsvReader::Excel,
            Some(other) => panic!("unknown reader {other}"),
        },
        ..CheckOptions::default()
    };
    let checked = check(&bytes, &context, &options);
    for finding in &checked.findings {
        let (start, end) = finding.at;
        if start > end || end > bytes.len() as u64 {
            return Err(format!("a place outside the document: {finding:?}"));
        }
        let place = checked.place(finding);
        let (from, to) = place.caret;
        if place.excerpt.get(from..to).is_none() {
            return Err(format!("a caret outside the excerpt: {place:?}"));
        }
    }
    let got: Vec<(String, u64, u64)> = checked
        .findings
        .iter()
        .map(|finding| (finding.rule.id().to_owned(), finding.at.0, finding.at.1))
        .collect();
    if got != case.finds {
        return Err(format!("got  {got:?}\nwant {:?}", case.finds));
    }
    for id in &case.not {
        CheckRule::from_id(id).ok_or_else(|| format!("unknown rule {id}"))?;
        if got.iter().any(|(found, ..)| found == id) {
            return Err(format!("`{id}` fires"));
        }
    }
    Ok(())
}

fn covered(cases: &[Case]) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for rule in CheckRule::ALL {
        if !cases
            .iter()
            .any(|case| case.finds.iter().any(|(id, ..)| id == rule.id()))
        {
            wrong.push(format!("{rule}: no case fires"));
        }
        if !cases
            .iter()
            .any(|case| case.not.iter().any(|id| id == rule.id()))
        {
            wrong.push(format!("{rule}: no case must not fire"));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}
