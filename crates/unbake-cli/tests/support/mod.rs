//! Runs the binary and shows what a person would see.
#![allow(dead_code)] // each test binary uses its part

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn unbake(args: &[&OsStr], input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_unbake"))
        .args(args)
        .current_dir(repository())
        .env("COLUMNS", "100")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // The child may end without reading all.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    let code = output.status.code().expect("no signal");
    (
        code,
        output.stdout,
        String::from_utf8(output.stderr).expect("messages are UTF-8"),
    )
}

pub(crate) fn words(line: &str) -> Vec<&OsStr> {
    line.split_whitespace().map(OsStr::new).collect()
}

/// Everything a person sees, in one text.
pub(crate) fn shown(line: &str, input: &[u8]) -> String {
    let (code, out, err) = unbake(&words(line), input);
    format!(
        "exit {code}\n--- stdout\n{}\n--- stderr\n{err}",
        String::from_utf8(out).expect("UTF-8")
    )
}
