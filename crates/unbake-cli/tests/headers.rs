//! The header that lies beside a document, read by every command that decides.

mod support;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use support::unbake;

/// A page of Russian text in KOI8-R that says nothing itself.
const PAGE: &[u8] = b"<p>\xF0\xD2\xC9\xD7\xC5\xD4";

fn run(command: &str, page: &Path, more: &[&str]) -> (i32, String, String) {
    let mut args = vec![OsStr::new(command)];
    args.extend(more.iter().map(OsStr::new));
    args.push(page.as_os_str());
    let (code, out, err) = unbake(&args, b"");
    (code, String::from_utf8(out).expect("UTF-8"), err)
}

fn page(headers: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("page.html"), PAGE).expect("a page");
    fs::write(folder.path().join("page.html.headers"), headers).expect("a header");
    folder
}

#[test]
fn every_command_that_decides_reads_it() {
    let folder = page(b"HTTP/1.1 301 Moved\r\nContent-Type: text/html; charset=big5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n charset=koi8-r\r\n\r\n");
    let page = folder.path().join("page.html");
    assert_eq!(
        run("decode", &page, &[]),
        (0, "<p>Привет".to_owned(), String::new())
    );
    for (command, more) in [
        ("explain", &[][..]),
        ("inspect", &[]),
        ("batch", &[]),
        ("batch", &["--to", "table"]),
        ("check", &[]),
    ] {
        let (_, out, _) = run(command, &page, more);
        assert!(out.contains("KOI8-R"), "{command}: {out}");
    }
}

#[test]
fn an_option_goes_before_it() {
    let folder = page(b"Content-Type: text/html; charset=koi8-r\n");
    let page = folder.path().join("page.html");
    for command in ["decode", "batch"] {
        let (_, out, _) = run(
            command,
            &page,
            &["--content-type", "text/html; charset=windows-1251"],
        );
        assert!(out.contains("<p>рТЙЧЕФ"), "{command}: {out}");
    }
}

#[test]
fn one_that_can_not_be_read_is_no_silence() {
    for (name, headers) in [
        ("garbage", &b"\x00\x01\x02 garbage"[..]),
        ("words", b"charset is koi8-r"),
    ] {
        let folder = page(headers);
        let page = folder.path().join("page.html");
        for command in ["decode", "explain", "inspect", "check"] {
            let (code, _, err) = run(command, &page, &[]);
            assert_eq!(code, 2, "{name}: {command}: {err}");
            assert!(
                err.contains("it holds no header field"),
                "{name}: {command}: {err}"
            );
        }
        let (code, out, _) = run("batch", &page, &[]);
        assert!(
            code == 2 && out.contains("it holds no header field"),
            "{name}: {out}"
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    fs::write(&page, PAGE).expect("a page");
    std::os::unix::fs::symlink("page.html.headers", folder.path().join("page.html.headers"))
        .expect("a link");
    let (code, _, err) = run("decode", &page, &[]);
    assert!(code == 2 && err.contains("page.html.headers"), "{err}");
}

#[test]
fn an_empty_one_and_a_folder_of_that_name_say_nothing() {
    let folder = page(b"");
    let page = folder.path().join("page.html");
    let alone = run("decode", &page, &["--no-detect"]);
    fs::remove_file(folder.path().join("page.html.headers")).expect("a header");
    assert_eq!(run("decode", &page, &["--no-detect"]), alone);
    fs::create_dir(folder.path().join("page.html.headers")).expect("a folder");
    assert_eq!(run("decode", &page, &["--no-detect"]), alone);
}
