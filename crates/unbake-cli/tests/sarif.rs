//! The SARIF log: its own promises, and the schema of SARIF 2.1.0.
//!
//! The schema is not ours to keep: `UNBAKE_SARIF_SCHEMA` names it, `UNBAKE_PYTHON` an interpreter with `jsonschema`.
#![allow(clippy::print_stdout)] // what is not run is said

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

use support::unbake;

const RUSSIAN: &[u8] = b"<!doctype html>\r\n<meta charset=windows-1251>\r\n<p>\xCF\xF0\xE8\r\n";

fn main() {
    let arguments = Arguments::from_args();
    let schema = std::env::var("UNBAKE_SARIF_SCHEMA").ok();
    if schema.is_none() {
        println!("not run: SARIF 2.1.0 schema (set UNBAKE_SARIF_SCHEMA)");
    }
    let present = schema.is_some();
    let trials = vec![
        Trial::test("results point at rules and files", || {
            points_at_rules_and_files();
            Ok(())
        }),
        Trial::test("the log fits its schema", move || {
            fits(&schema.unwrap_or_default())
        })
        .with_ignored_flag(!present),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

/// The log of a tree with findings of most kinds, one file that can not be read, and names that need escapes.
fn log() -> String {
    let folder = tempfile::tempdir().expect("a directory");
    let files: [(&str, &[u8]); 6] = [
        ("a b/page é.html", RUSSIAN),
        ("bom.json", b"\xEF\xBB\xBF{}"),
        (
            "mixed.html",
            b"<meta charset=utf-8>\xC3\xA9 \xE9t\xE9 \xEF\xBF\xBD \xC2\x92",
        ),
        ("x.csv", "a;\u{E9}".as_bytes()),
        ("x.css", b"@charset 'utf-8';"),
        ("x.ndjson", b"\xEF\xBB\xBF{}\r{}"),
    ];
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
    symlink("nowhere", folder.path().join("broken.html")).expect("a link");
    let words = ["check", "--to", "sarif"].map(OsStr::new);
    let mut words = words.to_vec();
    words.push(folder.path().as_os_str());
    let (code, out, _) = unbake(&words, b"");
    assert_eq!(code, 2, "the broken link");
    String::from_utf8(out).expect("UTF-8")
}

fn points_at_rules_and_files() {
    let out = log();
    let log: Value = serde_json::from_str(&out).expect("JSON");
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert!(results.len() >= 8, "{out}");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(
            run["tool"]["driver"]["rules"][index]["id"],
            result["ruleId"]
        );
    }
    let uris: Vec<&str> = results
        .iter()
        .filter_map(|r| r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str())
        .collect();
    assert!(
        uris.iter()
            .any(|uri| uri.ends_with("a%20b/page%20%C3%A9.html"))
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
}

fn fits(schema: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("log.sarif");
    fs::write(&file, log())?;
    let python = std::env::var("UNBAKE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = "import json, sys, jsonschema; s, d = (json.load(open(p)) for p in sys.argv[1:]); \
                  jsonschema.validators.validator_for(s)(s).validate(d)";
    let outcome = Command::new(python)
        .args(["-c", script, schema])
        .arg(&file)
        .output()?;
    if outcome.status.success() {
        Ok(())
    } else {
        Err(outcome.stderr.escape_ascii().to_string().into())
    }
}
