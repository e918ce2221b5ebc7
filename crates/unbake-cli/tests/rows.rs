//! `batch` as a co-process, and rows as people write them.

mod support;

use std::ffi::OsStr;
#[cfg(target_os = "linux")]
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;

use support::{shown, unbake, words};

fn batch(stdout: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_unbake"))
        .args(["batch", "--from", "ndjson"])
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

/// A row is answered while the input stays open: whatever of the next one has come already.
#[test]
fn an_answer_waits_for_no_further_row() {
    const ROW: &str = "{\"id\":1,\"body_base64\":\"YQ==\"}\n";
    for next in ["", "\n", "  \n\n", "{\"id\":2,\"body_ba"] {
        let mut child = batch(Stdio::piped());
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
        for turn in 0..3 {
            let start = if turn == 0 || next.trim().is_empty() {
                ""
            } else {
                "se64\":\"YQ==\"}\n"
            };
            stdin
                .write_all(format!("{start}{ROW}{next}").as_bytes())
                .expect("the pipe");
            stdin.flush().expect("the pipe");
            let mut answer = String::new();
            answers.read_line(&mut answer).expect("an answer");
            assert!(answer.starts_with("{\"id\":"), "{next:?}: {answer}");
            if !start.is_empty() {
                answer.clear();
                answers.read_line(&mut answer).expect("an answer");
                assert!(answer.starts_with("{\"id\":1"), "{next:?}: {answer}");
            }
        }
        drop(stdin);
        child.wait().expect("the binary ends");
    }
}

/// The input stays open and silent: the run ends all the same, by the error.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_gone_ends_the_run() {
    let full = File::options()
        .write(true)
        .open("/dev/full")
        .expect("it is always full");
    let mut child = batch(Stdio::from(full));
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all(b"{\"body_base64\":\"\"}\n")
        .expect("the pipe");
    let status = child.wait().expect("the binary ends");
    assert_eq!(status.code(), Some(2));
    drop(stdin);
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_can_not_be_written() {
    let full = File::options()
        .write(true)
        .open("/dev/full")
        .expect("it is always full");
    let status = Command::new(env!("CARGO_BIN_EXE_unbake"))
        .arg("--help")
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .expect("the binary ends");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn names_and_base64_as_others_write_them() {
    let rows = [
        r#"{"id":1,"body_base64":"x8u5\nx8uy\n","content-type":"text/plain; charset=euc-kr"}"#,
        r#"{"id":2,"body_base64":"_-7_","content_type":"text/plain; charset=windows-1252"}"#,
        r#"{"id":3,"body_base64":"YQ==","contentType":"text/html","title":"t"}"#,
        r#"{"id":4,"body":"YQ=="}"#,
        r#"{"id":5,"body_base64":"YQ=","fetch_time":7,"titel":1}"#,
        r#"{"id":6,"body_base64":"Y!=="}"#,
    ];
    let shown = shown("batch --from ndjson", rows.join("\n").as_bytes());
    // The rows themselves are shown elsewhere.
    let brief: Vec<String> = shown
        .lines()
        .map(|line| line.chars().take(220).collect())
        .collect();
    assert_snapshot!(brief.join("\n"));
}

#[test]
fn large_rows_come_out_in_order_and_whole() {
    let body = "AAAA".repeat(4 << 20);
    let mut input = Vec::new();
    for id in 0..6 {
        writeln!(input, "{{\"id\":{id},\"body_base64\":\"{body}\"}}").expect("memory");
        writeln!(input, "{{\"id\":\"{id}b\",\"body_base64\":\"YQ==\"}}").expect("memory");
    }
    let (code, out, _) = unbake(&words("batch --from ndjson --no-text --threads 3"), &input);
    assert_eq!(code, 0);
    let ids: Vec<String> = String::from_utf8(out)
        .expect("UTF-8")
        .lines()
        .map(|line| line.split([':', ',']).nth(1).expect("an id").to_owned())
        .collect();
    let want: Vec<String> = (0..6)
        .flat_map(|id| [id.to_string(), format!("\"{id}b\"")])
        .collect();
    assert_eq!(ids, want);
}

#[test]
fn files_without_their_text_are_as_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("large.html");
    let mut text = String::from("<meta charset=utf-8>");
    while text.len() < 9 << 20 {
        text.push_str("Příliš žluťoučký kůň úpěl ďábelské ódy. ");
    }
    std::fs::write(&page, &text).expect("a page");
    let run = |more: &[&str]| {
        let mut args = vec![OsStr::new("batch"), page.as_os_str()];
        args.extend(more.iter().map(OsStr::new));
        let (code, out, _) = unbake(&args, b"");
        assert_eq!(code, 0);
        let mut row: serde_json::Value = serde_json::from_slice(&out).expect("a row");
        let text = row.as_object_mut().expect("a row").remove("text");
        (row, text)
    };
    let (whole, with) = run(&[]);
    assert_eq!(with, Some(serde_json::Value::String(text)));
    assert_eq!(run(&["--no-text"]), (whole.clone(), None));
    assert_eq!(run(&["--no-text", "--buffer-size", "1000"]), (whole, None));
}

#[test]
fn names_that_are_no_utf_8_stay_apart() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    for name in [&b"a\xFF"[..], b"a\xFE", b"a\\xFF"] {
        std::fs::write(folder.path().join(OsStr::from_bytes(name)), "x").expect("a page");
    }
    let (_, out, _) = unbake(&[OsStr::new("batch"), folder.path().as_os_str()], b"");
    let rows: Vec<serde_json::Value> = out
        .split(|&b| b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("a row"))
        .collect();
    let ids: Vec<&str> = rows
        .iter()
        .map(|row| {
            row["id"]
                .as_str()
                .expect("an id")
                .rsplit('/')
                .next()
                .expect("a name")
        })
        .collect();
    assert_eq!(ids, [r"a\\xFF", r"a\xFE", r"a\xFF"]);
}

#[test]
fn what_can_not_be_read_stands_among_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a"), "a").expect("a page");
    std::fs::write(path("b"), "b").expect("a page");
    for (command, first, second) in [
        ("decode", "a", "b"),
        ("explain", "/a: UTF-8", "/b: UTF-8"),
        ("inspect", "/a: UTF-8", "/b: UTF-8"),
        ("encode", "a", "b"),
    ] {
        let mut args = vec![OsStr::new(command)];
        if command == "encode" {
            args.extend(["--to", "utf-8"].map(OsStr::new));
        } else {
            args.extend(["--encoding", "utf-8"].map(OsStr::new));
        }
        let (a, gone, b) = (path("a"), path("gone"), path("b"));
        args.extend([a.as_os_str(), gone.as_os_str(), b.as_os_str()]);
        let (code, out, err) = unbake(&args, b"");
        let out = String::from_utf8(out).expect("UTF-8");
        assert_eq!(code, 2, "{command}");
        assert!(
            out.contains(first) && out.contains(second),
            "{command}: {out}"
        );
        assert!(
            err.contains("gone`: no such file or directory"),
            "{command}: {err}"
        );
    }
}
