//! Our own cases: `testdata/cases/*.toml`, one trial each. `testdata/README.md` documents the fields.
//!
//! Each case runs whole, byte by byte with empty pieces between, cut in two at every place (capped), strictly and not; one whose encoding is known
//! from outside also after 1 to 64 bytes of ASCII.
#![allow(clippy::print_stdout)] // counts are what a runner has to say

#[path = "support/hostile.rs"]
mod hostile;
#[path = "support/laws.rs"]
mod laws;
#[path = "support/prescan_oracle.rs"]
mod prescan_oracle;
mod support;

use std::collections::BTreeSet;
use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use support::{content_type_oracle, latin, unescape};
use unbake::{
    Change, Context, Decision, Encoding, Format, Malformed, MalformedKind, Parent, Profile, Rule,
    Stream, decode, decode_strict, get_an_encoding,
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
    #[serde(default)]
    bytes: String,
    /// A file of `testdata/files` instead of `bytes`.
    #[serde(default)]
    file: Option<String>,
    /// `fail`: known to go wrong, as `why` says.
    #[serde(default)]
    expect: Option<String>,
    #[serde(default)]
    why: Option<String>,
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
    let mut unread = Vec::new();
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
        match load(&path) {
            Ok(found) => cases.extend(
                found
                    .into_iter()
                    .map(|case| (format!("{stem}/{}", case.name), case)),
            ),
            // The other files are run all the same.
            Err(error) => unread.push(Trial::test(format!("{stem}.toml can be read"), || {
                Err(Failed::from(error))
            })),
        }
    }
    println!("{} cases of our own", cases.len());
    let all: Vec<Case> = cases.iter().map(|(_, case)| case.clone()).collect();
    let names: BTreeSet<&String> = cases.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), cases.len(), "two cases of one name");
    let mut trials: Vec<Trial> = cases
        .into_iter()
        .map(|(name, case)| Trial::test(name, move || judge(&case).map_err(Failed::from)))
        .collect();
    trials.extend(unread);
    trials.push(Trial::test(
        "every rule and every kind of malformed sequence has a case",
        move || covered(&all),
    ));
    libtest_mimic::run(&arguments, trials).exit();
}

fn load(path: &Path) -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let file: File = toml::from_str(&text).map_err(|e| e.to_string())?;
    Ok(file.case)
}

/// Text as a case writes it.
fn escape(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            '\0'..='\x1F' | '\x7F' => format!("\\x{:02X}", u32::from(c)),
            c => c.to_string(),
        })
        .collect()
}

fn escape_bytes(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out += &escape(chunk.valid());
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02X}").expect("memory");
        }
    }
    out
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

/// A case that is known to fail must fail.
fn judge(case: &Case) -> Result<(), String> {
    match (case.expect.as_deref(), &case.why) {
        (None, None) => run(case),
        (Some("fail"), Some(why)) => match run(case) {
            Err(_) => Ok(()),
            Ok(()) => Err(format!("passes now; take `expect` off ({why})")),
        },
        _ => Err("`expect = \"fail\"` and `why` come together".to_owned()),
    }
}

fn document(case: &Case) -> Vec<u8> {
    let mut bytes = match &case.file {
        Some(file) => support::read(&support::testdata().join("files").join(file)),
        None => unescape(&case.bytes),
    };
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
    bytes
}

fn run(case: &Case) -> Result<(), String> {
    let bytes = document(case);
    let context = context(case);
    let whole = decode(&bytes, &context);
    let got = (
        whole.text.into_owned(),
        whole.decision,
        whole.malformed,
        whole.literal_fffd,
    );
    check(case, &got)?;
    let strict = decode_strict(&bytes, &context).map(|strict| strict.text.into_owned());
    if let Some((at, line, column)) = case.strict {
        let error = strict.as_ref().err().ok_or("strict: not refused")?;
        equal(
            "strict",
            &(error.at, error.line, error.column),
            &(at, line, column),
        )?;
    }
    // Byte by byte with empty pieces between, and in two pieces wherever the cut falls.
    // Some 20 MB a case at most.
    let cuts = (20_000_000 / bytes.len().max(1)).clamp(8, 500);
    let stride = bytes.len() / cuts + 1;
    let mut ways: Vec<Vec<usize>> = (1..bytes.len())
        .step_by(stride)
        .map(|cut| vec![cut, usize::MAX])
        .collect();
    if bytes.len() <= 20_000 {
        ways.push(vec![1, 0]);
    }
    for sizes in ways {
        let what = |mode| format!("{mode}in pieces of {sizes:?}");
        let streamed = hostile::stream(&bytes, Stream::new(context.clone()), &sizes);
        equal(&what(""), &streamed.as_ref(), &Ok(&got))?;
        let streamed = hostile::stream(&bytes, Stream::strict(context.clone()), &sizes);
        equal(
            &what("strict, "),
            &streamed.map(|outcome| outcome.0),
            &strict,
        )?;
    }
    if bytes.len() <= 4000 {
        for at in (0..=bytes.len()).step_by(stride) {
            laws::flushed_at_any_time(&bytes, &context, at);
        }
    }
    padded(&bytes, &context, &got)
}

/// Where the encoding is known from outside, ASCII before the document moves it and changes nothing else.
fn padded(
    bytes: &[u8],
    context: &Context,
    (text, decision, malformed, literal_fffd): &hostile::Outcome,
) -> Result<(), String> {
    let known = matches!(decision.rule, Rule::Override | Rule::Transport);
    let ascii =
        decision.encoding.is_ascii_compatible() || decision.encoding.name() == "ISO-2022-JP";
    if !known || !ascii || decision.bom.is_some() || bytes.len() > 20_000 {
        return Ok(());
    }
    for padding in [1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64_u8] {
        let pad = "a".repeat(usize::from(padding));
        let moved = [pad.as_bytes(), bytes].concat();
        let decoded = decode(&moved, context);
        let mut want = malformed.clone();
        for sequence in &mut want.first {
            sequence.at += u64::from(padding);
        }
        let got = (
            decoded.text.into_owned(),
            decoded.malformed,
            decoded.literal_fffd,
        );
        let want = (pad + text, want, *literal_fffd);
        equal(&format!("after {padding} bytes"), &got, &want)?;
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
        equal("text", &escape(text), &escape_bytes(&unescape(want)))?;
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
