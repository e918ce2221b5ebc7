//! Input that nobody would write on purpose: a clear message or a right answer, in bounded time and memory.

mod support;

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::Value;
use support::{shown, unbake, words};

fn start(args: &[&OsStr]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_unbake"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

fn records(out: &[u8]) -> Vec<Value> {
    out.split(|&b| b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("JSON"))
        .collect()
}

/// A row without its record: the id as it stands there, and the error.
fn ids_and_errors(out: &[u8]) -> String {
    let mut all = String::new();
    for line in String::from_utf8(out.to_vec()).expect("UTF-8").lines() {
        let id = line.split(",\"url\":").next().expect("a first piece");
        let _infallible = writeln!(all, "{id}");
    }
    all
}

fn make_pipe(at: &Path) {
    let made = Command::new("mkfifo").arg(at).status().expect("mkfifo");
    assert!(made.success());
}

#[test]
fn rows_of_odd_shapes() {
    let rows = br#"[null, "aGk="]
{"id": 12345678901234567890123, "body_base64": "aGk="}
{"id": 1.0, "body_base64": "aGk="}
{"id": "\u00e9\/", "body_base64": "aGk="}
{"id": {"a": [1]}, "body_base64": "aGk="}
{"id": null, "body_base64": "aGk="}
{"id": "x", "body_base64": "aGk=", "content_type": 5}
{"id": "x", "id": "y", "body_base64": "aGk="}
{"id": "x", "body_base64": 5}
{"id": "x", "body_base64": null}
{"id": "x", "body_base64": "aGk="
"text"
null
"#;
    let (code, out, err) = unbake(&words("batch --from ndjson"), rows);
    assert_snapshot!(format!("exit {code}\n{}{err}", ids_and_errors(&out)));
    // The same without the text, whose row is made another way.
    let (_, without, _) = unbake(&words("batch --from ndjson --no-text"), rows);
    assert_eq!(ids_and_errors(&without), ids_and_errors(&out));
    assert!(
        records(&without)
            .iter()
            .all(|row| row.get("text").is_none())
    );
}

#[test]
fn a_row_that_is_no_unicode() {
    let rows = b"\xFF\xFE\n{\"id\": \"\\ud800\", \"body_base64\": \"\"}\n\xEF\xBB\xBF{\"id\": 2, \"body_base64\": \"\"}\n";
    let (code, out, _) = unbake(&words("batch --from ndjson"), rows);
    assert_eq!(code, 0);
    assert_snapshot!(ids_and_errors(&out));
    // A byte order mark opens a file, and only a file.
    let (_, out, err) = unbake(
        &words("batch --from ndjson"),
        b"\xEF\xBB\xBF{\"id\": 2, \"body_base64\": \"\"}",
    );
    assert_eq!(
        (records(&out)[0]["id"].as_u64(), err.as_str()),
        (Some(2), "")
    );
}

#[test]
fn a_label_of_a_megabyte_in_a_row_makes_a_short_message() {
    let row = format!(
        "{{\"body_base64\": \"\", \"encoding\": \"{}\"}}\n",
        "x".repeat(1 << 20)
    );
    let (code, out, _) = unbake(&words("batch --from ndjson"), row.as_bytes());
    assert_eq!(code, 0);
    assert!(out.len() < 300, "{} bytes", out.len());
}

#[test]
fn a_long_label_on_the_command_line_makes_a_short_message() {
    let label = "x".repeat(100_000);
    for option in [
        "--encoding",
        "--fallback",
        "--remembered",
        "--parent-encoding",
    ] {
        let (code, out, err) = unbake(&words(&format!("decode {option} {label}")), b"");
        assert_eq!((code, out.len()), (2, 0));
        assert!(
            err.starts_with("error: unknown encoding label `xxx") && err.len() < 300,
            "{err}"
        );
    }
}

#[test]
fn messages_do_not_command_the_terminal() {
    let mut all = String::new();
    let red = OsStr::new("no\x1B[31msuch\nfile\u{202E}");
    for args in [
        vec![OsStr::new("decode"), red],
        vec![OsStr::new("batch"), red],
        vec![OsStr::new("decode"), OsStr::new("--encoding"), red],
    ] {
        let (code, _, err) = unbake(&args, b"");
        let _infallible = write!(all, "exit {code}\n{err}");
    }
    let page = b"<meta charset='\x1B[31mred\x07'><meta charset='a\nb'>";
    all += &unbake(&words("decode -v"), page).2;
    let (_, out, _) = unbake(&words("explain"), page);
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(
        !text.contains(|c: char| c.is_control() && c != '\n'),
        "{text}"
    );
    for line in text
        .lines()
        .filter(|line| line.contains("red") || line.contains("a·b"))
    {
        let _infallible = writeln!(all, "{line}");
    }
    assert_snapshot!(all);
}

#[test]
fn a_header_of_any_byte() {
    // Every byte that an argument can hold, in front of a parameter that counts; and alone.
    let any: Vec<u8> = (1..=255).filter(|b| !b",;\"".contains(b)).collect();
    for header in [
        [b"text/html;x=", &any[..], b";charset=euc-kr"].concat(),
        [b"text/html;x=\"", &any[..], b"\";charset=euc-kr"].concat(),
    ] {
        let header = OsString::from(OsStr::from_bytes(&header));
        let args = [OsStr::new("decode"), OsStr::new("--content-type"), &header];
        assert_eq!(unbake(&args, b"\xC7\xD1"), (0, "한".into(), String::new()));
    }
    for byte in 1..=255 {
        let header = OsString::from(OsStr::from_bytes(&[byte]));
        let args = [OsStr::new("decode"), OsStr::new("--content-type"), &header];
        let (code, out, err) = unbake(&args, b"ok");
        assert_eq!((code, &out[..]), (0, &b"ok"[..]), "{byte}");
        // The note that it is no MIME type, in one line.
        assert!(
            byte == b'/' || err.starts_with("note: ") && err.lines().count() == 1,
            "{byte}: {err}"
        );
    }
}

#[test]
fn standard_input_by_its_name() {
    for line in ["decode -", "decode", "decode - -"] {
        assert_eq!(
            unbake(&words(line), b"\xEF\xBB\xBFhi"),
            (0, b"hi".to_vec(), String::new()),
            "{line}"
        );
    }
    let (code, out, err) = unbake(&words("batch -"), b"hi");
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(records(&out)[0]["id"], "-");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /dev/full")]
fn a_full_disk_is_an_error() {
    for line in [
        "decode",
        "decode --json",
        "explain",
        "inspect",
        "labels",
        "batch",
        "batch --to table",
        "encode --to utf-8",
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unbake"))
            .args(words(line))
            .stdin(Stdio::piped())
            .stdout(std::fs::File::create("/dev/full").expect("/dev/full"))
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdin.take().expect("a pipe").write_all(b"text"));
        let output = child.wait_with_output().expect("the binary ends");
        let err = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{line}: {err}");
        assert!(
            err.starts_with("error: cannot write standard output: no space left"),
            "{line}: {err}"
        );
    }
}

#[test]
fn a_closed_pipe_ends_every_command_well() {
    for line in [
        "decode",
        "decode --json",
        "explain",
        "inspect --limit 0",
        "encode --to utf-8",
        "labels",
        "batch",
        "batch --from ndjson",
        "--help",
    ] {
        let mut child = start(&words(line));
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().expect("a pipe");
        let rows = "{\"body_base64\": \"aGkgaGkgaGkgaGkgaGkgaGk=\"}\n".repeat(5000);
        let _closed = stdin.write_all(rows.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("the binary ends");
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(
            String::from_utf8(output.stderr).expect("UTF-8"),
            "",
            "{line}"
        );
    }
}

#[test]
fn a_file_that_vanishes_is_a_row_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let (gate, pages) = (folder.path().join("gate"), folder.path().join("pages"));
    std::fs::create_dir(&pages).expect("a folder");
    for name in ["a.html", "b.html", "c.html"] {
        std::fs::write(pages.join(name), name).expect("a page");
    }
    make_pipe(&gate);
    let child = start(&[OsStr::new("batch"), gate.as_os_str(), pages.as_os_str()]);
    // This waits until the pipe is read: the folder has been listed by then, and its files come after.
    let mut writer = std::fs::File::create(&gate).expect("the pipe");
    std::fs::remove_file(pages.join("b.html")).expect("a page");
    writer.write_all(b"gate").expect("the pipe");
    drop(writer);
    let output = child.wait_with_output().expect("the binary ends");
    let rows = records(&output.stdout);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(rows.len(), 4);
    assert_eq!(
        (&rows[0]["text"], &rows[1]["text"], &rows[3]["text"]),
        (&"gate".into(), &"a.html".into(), &"c.html".into())
    );
    assert_eq!(rows[2]["error"]["kind"], "read");
    assert!(
        rows[2]["error"]["message"]
            .as_str()
            .expect("a message")
            .ends_with("b.html`: no such file or directory")
    );
    assert_eq!(
        String::from_utf8(output.stderr).expect("UTF-8"),
        "1 of 4 documents could not be read: their rows hold `error`\n"
    );
}

#[test]
fn pipes_and_links_in_a_folder_are_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    make_pipe(&folder.path().join("pipe"));
    std::os::unix::fs::symlink(".", folder.path().join("here-again")).expect("a link");
    std::os::unix::fs::symlink("nowhere", folder.path().join("dangling")).expect("a link");
    std::fs::write(folder.path().join("page.html"), "ok").expect("a page");
    make_pipe(&folder.path().join("page.html.headers"));
    let (code, out, err) = unbake(&[OsStr::new("batch"), folder.path().as_os_str()], b"");
    let rows = records(&out);
    assert_eq!((code, rows.len()), (2, 2));
    assert_eq!(rows[0]["error"]["kind"], "read");
    // Reading it would wait for a writer, and without it the page would be decided without what it says.
    let message = rows[1]["error"]["message"].as_str().expect("a message");
    assert!(
        message.ends_with("page.html.headers`: it is no regular file"),
        "{message}"
    );
    assert_snapshot!(err);
}

#[test]
fn messages_of_batch() {
    let mut all = String::new();
    for line in [
        "batch --from ndjson examples",
        "batch --from ndjson no-such-file",
        "batch --from csv",
        "batch --max-line 0",
        "batch --max-line 18446744073709551615",
        "batch --threads many",
    ] {
        let _infallible = writeln!(all, "$ unbake {line}\n{}", shown(line, b""));
    }
    assert_snapshot!(all);
}

#[test]
fn no_detect_holds_for_every_row() {
    // Russian in windows-1251, undeclared.
    let row = "{\"body_base64\": \"z/Do4uXyLCDs6PAhIMrg6iDk5evgPw==\", \"profile\": \"browser\"}\n";
    let rule = |line: &str| records(&unbake(&words(line), row.as_bytes()).1)[0]["rule"].clone();
    assert_eq!(rule("batch --from ndjson"), "detected");
    assert_eq!(rule("batch --from ndjson --no-detect"), "default");
}

/// Lines of rows go in; the first answers come before the last rows are written.
#[test]
fn answers_are_not_kept_back() {
    let mut child = start(&words("batch --from ndjson"));
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for number in 0..3 {
        writeln!(stdin, "{{\"id\": {number}, \"body_base64\": \"aGk=\"}}").expect("a row goes in");
        // Would wait for ever if rows or answers were kept back; the harness would show this test as running.
        let answer = lines.next().expect("an answer").expect("UTF-8");
        assert!(
            answer.starts_with(&format!("{{\"id\":{number},")),
            "{answer}"
        );
    }
    drop(stdin);
    assert!(child.wait().expect("the binary ends").success());
}

/// The most memory that a process has held, in bytes.
fn peak_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("/proc");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .expect("VmHWM");
    let kib = line.split_whitespace().nth(1).expect("a number");
    kib.parse::<u64>().expect("a number") * 1024
}

/// Writes `len` bytes of `piece`, again and again, and tells the peak of memory while the child still waits for more.
fn pour(child: &mut Child, stdin: &mut ChildStdin, piece: &[u8], len: usize) -> u64 {
    for _ in 0..len / piece.len() {
        stdin.write_all(piece).expect("the binary reads");
    }
    peak_memory(child)
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn memory_does_not_grow_with_the_rows() {
    let body = "PG1ldGEgY2hhcnNldD1rb2k4LXI+".repeat(300);
    let rows = format!("{{\"id\": \"x\", \"body_base64\": \"{body}\"}}\n").repeat(8);
    for line in [
        "batch --from ndjson --threads 2",
        "batch --from ndjson --threads 2 --no-text",
    ] {
        let mut child = start(&words(line));
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = child.stdout.take().expect("a pipe");
        let reader = std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
        let peak = pour(&mut child, &mut stdin, rows.as_bytes(), 60 << 20);
        drop(stdin);
        assert!(child.wait().expect("the binary ends").success());
        reader
            .join()
            .expect("the reader ends")
            .expect("the output is read");
        assert!(peak < 32 << 20, "{line}: {} MiB", peak >> 20);
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn a_line_without_end_is_not_kept() {
    let mut child = start(&words("batch --from ndjson --max-line 1000000"));
    let mut stdin = child.stdin.take().expect("a pipe");
    let peak = pour(&mut child, &mut stdin, &vec![b'x'; 1 << 20], 60 << 20);
    stdin
        .write_all(b"\n{\"id\": 2, \"body_base64\": \"aGk=\"}\n")
        .expect("the binary reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the binary ends");
    let rows = records(&output.stdout);
    assert_eq!(
        (&rows[0]["error"]["kind"], &rows[1]["text"]),
        (&"too-long".into(), &"hi".into())
    );
    assert!(peak < 32 << 20, "{} MiB", peak >> 20);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc")]
fn a_declared_document_is_streamed_in_bounded_memory() {
    for line in [
        "decode --content-type text/html;charset=windows-1251",
        "decode --encoding utf-8",
        "decode --content-type text/html;charset=euc-kr --buffer-size 70000",
    ] {
        let mut child = start(&words(line));
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = child.stdout.take().expect("a pipe");
        let reader = std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while stdout.read(&mut buffer).is_ok_and(|len| len > 0) {}
        });
        let peak = pour(&mut child, &mut stdin, &vec![b'x'; 1 << 20], 100 << 20);
        drop(stdin);
        assert!(child.wait().expect("the binary ends").success());
        reader.join().expect("the reader ends");
        assert!(peak < 32 << 20, "{line}: {} MiB", peak >> 20);
    }
}

/// Documents that make a careless reader quadratic, each under a second's work; the limit leaves room for a busy machine.
#[test]
fn time_is_linear() {
    let piece = |piece: &[u8], times: usize| piece.repeat(times);
    let documents = [
        (
            "metas that say nothing",
            piece(b"<meta charset=bogus>", 100_000),
        ),
        (
            "metas in the body",
            [b"<p>".to_vec(), piece(b"<meta charset=koi8-r>", 100_000)].concat(),
        ),
        (
            "attributes",
            [
                b"<meta ".to_vec(),
                piece(b"a=b ", 100_000),
                b"charset=koi8-r>".to_vec(),
            ]
            .concat(),
        ),
        (
            "the same attribute",
            [
                b"<meta ".to_vec(),
                piece(b"charset=bogus ", 100_000),
                b">".to_vec(),
            ]
            .concat(),
        ),
        ("opened tags", piece(b"<", 2_000_000)),
        ("opened comments", piece(b"<!--", 500_000)),
        ("opened scripts", piece(b"<script><!--<script", 100_000)),
        (
            "nested elements",
            [piece(b"<svg>", 300_000), b"<meta charset=koi8-r>".to_vec()].concat(),
        ),
        (
            "character references",
            [
                b"<meta charset=\"".to_vec(),
                piece(b"&amp", 200_000),
                b"\">".to_vec(),
            ]
            .concat(),
        ),
        (
            "an open quote",
            [b"<meta charset='".to_vec(), piece(b"x", 2_000_000)].concat(),
        ),
        (
            "an endless XML declaration",
            [
                b"<?xml ".to_vec(),
                piece(b"encoding ", 200_000),
                b"?>".to_vec(),
            ]
            .concat(),
        ),
        (
            "malformed bytes",
            [b"<meta charset=utf-8>".to_vec(), piece(b"\xFF", 1_000_000)].concat(),
        ),
        (
            "escapes",
            [
                b"<meta charset=iso-2022-jp>".to_vec(),
                piece(b"\x1B", 1_000_000),
            ]
            .concat(),
        ),
        (
            "lone surrogates",
            [b"\xFF\xFE".to_vec(), piece(b"\x00\xD8", 1_000_000)].concat(),
        ),
        ("one line of 100 MB", piece(b"x", 100_000_000)),
    ];
    for (name, document) in &documents {
        for line in [
            "decode --json",
            "decode --json --profile standard --buffer-size 10000",
            "explain",
        ] {
            let clock = Instant::now();
            let (code, _, err) = unbake(&words(line), document);
            assert_eq!((code, err.as_str()), (0, ""), "{name}: {line}");
            let time = clock.elapsed();
            assert!(time < Duration::from_secs(15), "{name}: {line}: {time:?}");
        }
    }
}
