//! Reported bugs about archives and content codings: `cases/open.jsonl` of the shared suites.

use std::io::Write as _;
use std::path::PathBuf;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use unbake::{Context, Format, Profile, decode};
use unbake_io::{Item, Limits, Options, WarcReader, remove_codings};

fn main() {
    let arguments = Arguments::from_args();
    let root = std::env::var_os("UNBAKE_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let path = root.join("cases/open.jsonl");
    let mut trials = Vec::new();
    if let Ok(text) = std::fs::read_to_string(path) {
        for line in text.lines() {
            let case: Value = serde_json::from_str(line).expect("a line of JSON");
            if matches!(case["kind"].as_str(), Some("warc" | "content-encoding")) {
                let name = case["id"].as_str().unwrap_or_default().to_owned();
                trials.push(Trial::test(name, move || check(&case)));
            }
        }
        trials.push(Trial::test("the_suite_is_not_empty", {
            let count = trials.len();
            move || {
                if count < 7 {
                    Err(format!("{count} cases").into())
                } else {
                    Ok(())
                }
            }
        }));
    } else {
        let _ = writeln!(
            std::io::stdout(),
            "not run: cases/open.jsonl (set UNBAKE_SHARED)"
        );
        trials.push(Trial::test("cases/open.jsonl", || Ok(())).with_ignored_flag(true));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(case: &Value) -> Result<(), Failed> {
    let input = base64(case["input_b64"].as_str().unwrap_or_default());
    let given = &case["context"];
    let mut context = Context::new(Profile::Pipeline);
    context.tld = given["url_tld"].as_str().map(str::to_owned);
    context.lang = given["lang"].as_str().map(str::to_owned);
    let limits = Limits::default();
    let decoded = if given["container"] == "warc" {
        let items: Vec<Item> = WarcReader::new("case", &*input, Options::default()).collect();
        let [Item::Record(record)] = items.as_slice() else {
            return Err(format!("{items:?}").into());
        };
        context.content_type = record.content_types();
        decode(&record.body(&limits).bytes, &context).into_owned()
    } else {
        context.content_type = given["content_type"]
            .as_str()
            .map(|t| t.as_bytes().to_vec())
            .into_iter()
            .collect();
        context.format = match given["format"].as_str() {
            Some("html") => Some(Format::Html),
            Some("xml") => Some(Format::Xml),
            Some("json") => Some(Format::Json),
            _ => None,
        };
        let coding = given["content_encoding"]
            .as_str()
            .unwrap_or_default()
            .as_bytes()
            .to_vec();
        decode(
            &remove_codings(&input, &[], &[coding], false, &limits).bytes,
            &context,
        )
        .into_owned()
    };
    let expected = &case["expected"];
    if decoded.0 != expected["text"].as_str().unwrap_or_default() {
        return Err(format!("encoding {}, text {:?}", decoded.1, decoded.0).into());
    }
    Ok(())
}

trait IntoOwned {
    fn into_owned(self) -> (String, &'static str);
}

impl IntoOwned for unbake::Decoded<'_> {
    fn into_owned(self) -> (String, &'static str) {
        (self.text.into_owned(), self.decision.encoding.name())
    }
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let Some(value) = ALPHABET.iter().position(|&c| c == byte) else {
            continue;
        };
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
