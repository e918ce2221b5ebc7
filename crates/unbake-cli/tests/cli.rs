//! The binary as a person meets it: exit code, standard output and standard error in snapshots.

mod support;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use support::{repository, shown, unbake, words};

#[test]
fn messages() {
    let mut all = String::new();
    for (line, input) in [
        ("decode --encoding utf-9 x", &b""[..]),
        ("decode --encoding nothing-like-it x", b""),
        ("decode no-such-file", b""),
        ("decode examples", b""),
        ("decode --format docx x", b""),
        ("decode --buffer-size 0 x", b""),
        ("decode --buffer-size many x", b""),
        ("decode --parent-same-origin x", b""),
        (
            "decode --content-type text/plain;charset=utf-8 --strict",
            b"one\ntwo \xFF",
        ),
        (
            "decode --content-type text/plain;charset=shift_jis --strict --buffer-size 1",
            b"ab\n\x83\xFF",
        ),
        ("batch no-such-folder", b""),
        ("batch --threads 0", b""),
        ("encode --to koi8-r", "a€".as_bytes()),
        ("encode --to utf-8", b"\xFF"),
        ("encode --to koi8-r --bom", b"a"),
        ("encode --to utf-32", b"a"),
        ("encode --to utf-8 --bom", "\u{FEFF}a".as_bytes()),
        ("encode --to replacement", b"a"),
        ("encode --to koi8-r --url-query", "a\r\n\n".as_bytes()),
        ("decode --encoding utf-32le", b"a"),
        ("decode --charset utf-8", b"a"),
        (
            "decode --locale jp --lang ru-RU --url nonsense --content-type shift_jis",
            b"a",
        ),
        (
            "decode --content-type Content-Type:text/html --lang русский",
            b"a",
        ),
        ("explain --strict --encoding utf-8", b"\xFF"),
        ("inspect --only differs --encoding shift_jis", b"a\x81\x60b"),
        ("labels utf-16", b""),
        ("labels --json x-sjis", b""),
        ("labels utf9", b""),
        ("frobnicate", b""),
    ] {
        let _infallible = writeln!(all, "$ unbake {line}\n{}", shown(line, input));
    }
    assert_snapshot!(all);
}

#[test]
fn small_and_odd_inputs() {
    let mut all = String::new();
    for (name, input) in [
        ("empty", &b""[..]),
        ("one byte", b"a"),
        ("one high byte", b"\xE9"),
        ("only a byte order mark", b"\xEF\xBB\xBF"),
        ("half a byte order mark", b"\xEF\xBB"),
        ("NULs", b"\0\0\0"),
    ] {
        let _infallible = writeln!(
            all,
            "{name}: {}",
            shown("decode --json --profile standard", input)
        );
    }
    assert_snapshot!(all);
}

#[test]
fn explain_and_inspect() {
    let mut all = shown(
        "explain --content-type text/html;charset=euc-kr examples/pages/kr/notice.html",
        b"",
    );
    all += &shown("explain examples/pages/cn/old-portal.html", b"");
    all += &shown(
        "inspect --encoding utf-8",
        b"\xEF\xBB\xBFA\xC3\xA9\n\xED\xA0\xE2\x82",
    );
    all += &shown(
        "explain",
        "<!-- <meta charset=koi8-r> -->\n<meta charset=\u{201D}utf-8\u{201D}>\n<p>d\u{E9}j\u{E0} vu".as_bytes(),
    );
    all += &shown(
        "explain --json",
        b"<meta charset=utf-8>caf\xE9 \xEF\xBF\xBD",
    );
    all += &shown("inspect --encoding shift_jis", b"\x81\x60\x5C\xFF");
    all += &shown(
        "inspect --anatomy --only non-ascii --limit 3 --encoding utf-8",
        "a\u{E9}\u{20AC}\u{301}\u{1F600}".as_bytes(),
    );
    all += &shown(
        "inspect --json --only malformed --encoding utf-8",
        b"ok \xC0\xAF",
    );
    assert_snapshot!(all);
}

#[test]
fn rows_that_can_not_be_read() {
    let long = format!("{{\"body_base64\": \"{}\"}}\n", "QUFB".repeat(100));
    let rows = [
        "{\"id\": 1, \"body_base64\": \"aGk=\"}\n",
        "not json\n",
        "\n",
        "{\"id\": \"b\", \"body_base64\": \"***\"}\n",
        "{\"id\": \"c\"}\n",
        "{\"id\": \"d\", \"body_base64\": \"aGk\", \"format\": \"docx\"}\n",
        "{\"id\": \"e\", \"body_base64\": \"aGk\", \"profile\": \"netscape\"}\n",
        "{\"id\": \"f\", \"body_base64\": \"aGk\", \"encoding\": \"utf-9\"}\n",
        "{\"id\": \"g\", \"body_base64\": \"/w==\", \"content_type\": \"text/plain;charset=utf-8\", \"strict\": true}\n",
        &long,
        "{\"id\": \"last\", \"body_base64\": \"/+k=\", \"content_type\": [\"text/html\", \"text/html;charset=latin1\"]}",
    ];
    let (code, out, err) = unbake(
        &words("batch --from ndjson --max-line 200"),
        rows.concat().as_bytes(),
    );
    assert_snapshot!(format!(
        "exit {code}\n{}\n{err}",
        String::from_utf8(out).expect("UTF-8")
    ));
}

#[test]
fn help_fits_a_screen() {
    for command in [
        "", "decode", "explain", "inspect", "encode", "batch", "labels",
    ] {
        let (code, out, _) = unbake(&words(&format!("{command} --help")), b"");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(code, 0, "{command}");
        // `batch` takes all that is known, and reads and writes tables beside.
        let screen = if command == "batch" { 60 } else { 40 };
        assert!(
            text.lines().count() <= screen,
            "{command}: {} lines",
            text.lines().count()
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{command}: a long line"
        );
        assert!(
            command == "labels" || text.contains("Example:"),
            "{command}: no example"
        );
    }
}

#[test]
fn any_buffer_size_gives_the_same_record() {
    let pages = std::fs::read_dir(repository().join("examples/pages")).expect("pages");
    for folder in pages {
        for page in std::fs::read_dir(folder.expect("an entry").path()).expect("a folder") {
            let page = page.expect("an entry").path();
            for profile in ["pipeline", "browser", "standard"] {
                let run = |size: Option<&str>| {
                    let mut args = words("decode --json --profile");
                    args.extend([OsStr::new(profile), page.as_os_str()]);
                    if let Some(size) = size {
                        args.extend([OsStr::new("--buffer-size"), OsStr::new(size)]);
                    }
                    unbake(&args, b"")
                };
                let whole = run(None);
                for size in [
                    "1", "2", "3", "7", "16", "1000", "1023", "1024", "1025", "4096",
                ] {
                    assert_eq!(
                        run(Some(size)),
                        whole,
                        "{} {profile} {size}",
                        page.display()
                    );
                }
            }
        }
    }
}

#[test]
fn large_documents_are_streamed_as_if_whole() {
    // Past the size that is held: undeclared text whose one legacy byte comes last, and a late meta.
    let mut undeclared = "Grüße ".repeat(1_600_000).into_bytes();
    undeclared.push(0xFF);
    let mut late = b"<p>\xCF".to_vec();
    late.resize(9 << 20, b'x');
    late.extend_from_slice(b"<meta charset=windows-1251>");
    for (input, encoding) in [
        (undeclared, None),
        (
            late,
            Some("\"encoding\":\"windows-1251\",\"confidence\":\"certain\",\"rule\":\"late-meta\""),
        ),
    ] {
        let (code, out, err) = unbake(&words("decode --json --format html"), &input);
        assert_eq!((code, err.as_str()), (0, ""));
        let record = String::from_utf8(out).expect("UTF-8");
        assert!(
            encoding.is_none_or(|wanted| record.contains(wanted)),
            "{}",
            &record[..300]
        );
        let (_, piped, _) = unbake(
            &words("decode --json --format html --buffer-size 100000"),
            &input,
        );
        assert!(piped == record.as_bytes(), "chunks give another record");
    }
}

#[test]
fn header_bytes_stay_bytes() {
    let header = OsStr::from_bytes(b"text/html; x=\"\xFF\xFE\"; charset=euc-kr");
    let (code, out, _) = unbake(
        &[OsStr::new("decode"), OsStr::new("--content-type"), header],
        b"\xC7\xD1",
    );
    assert_eq!((code, out.as_slice()), (0, "한".as_bytes()));
}

#[test]
fn a_label_of_a_megabyte() {
    let label = "x".repeat(1 << 20);
    let page = format!("<meta charset={label}><p>ok");
    let (code, out, _) = unbake(&words("decode --json"), page.as_bytes());
    assert_eq!(code, 0);
    assert!(
        String::from_utf8(out)
            .expect("UTF-8")
            .contains("\"fate\":\"unknown-label\"")
    );
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_unbake"))
        .args(["decode", "--encoding", "utf-8"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    let _closed = stdin.write_all(&vec![b'x'; 1 << 20]);
    drop(stdin);
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).expect("UTF-8"), "");
}

#[test]
fn rows_come_out_in_the_order_they_went_in() {
    // Rows of very different cost, on many threads.
    let mut rows = String::new();
    for number in 0..3000 {
        let size = if number % 97 == 0 {
            40_000
        } else {
            number % 50
        };
        let body = "QUJD".repeat(size);
        let _infallible = writeln!(rows, "{{\"id\": {number}, \"body_base64\": \"{body}\"}}");
    }
    for threads in ["1", "2", "7"] {
        let (code, out, err) = unbake(
            &words(&format!(
                "batch --from ndjson --no-text --threads {threads}"
            )),
            rows.as_bytes(),
        );
        assert_eq!((code, err.as_str()), (0, ""));
        let ids: Vec<u64> = String::from_utf8(out)
            .expect("UTF-8")
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).expect("JSON")["id"]
                    .as_u64()
                    .expect("an id")
            })
            .collect();
        assert!(ids.iter().copied().eq(0..3000), "{threads} threads");
    }
}
