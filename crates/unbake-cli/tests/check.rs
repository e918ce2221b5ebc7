//! `unbake check` as a person meets it: findings, mends, and files that make trouble.

mod support;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use insta::assert_snapshot;

use support::{shown, unbake};

fn check(options: &[&str], path: &Path) -> (i32, String, String) {
    let mut words: Vec<&OsStr> = vec![OsStr::new("check")];
    words.extend(options.iter().map(OsStr::new));
    words.push(path.as_os_str());
    let (code, out, err) = unbake(&words, b"");
    (code, String::from_utf8(out).expect("UTF-8"), err)
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
    folder
}

const RUSSIAN: &[u8] = b"<!doctype html>\r\n<meta charset=windows-1251>\r\n<p>\xCF\xF0\xE8\r\n";

#[test]
fn findings_for_people() {
    let mut all = String::new();
    for (line, input) in [
        ("check --format json", &b"\xEF\xBB\xBF{}"[..]),
        ("check --format html", "<p>\tab\u{4E2D}\u{FEFF}c".as_bytes()),
        ("check --format html", b"<meta charset=utf-8>a \xFF\n"),
        ("check --format csv", "a;\u{E9}\n".as_bytes()),
        (
            "check --format csv --csv-for others",
            "a;\u{E9}\n".as_bytes(),
        ),
        ("check --format json --ignore json-bom", b"\xEF\xBB\xBF{}"),
        (
            "check --format json --select json-not-utf8",
            b"\xEF\xBB\xBF{}",
        ),
        ("check --select no-such-rule", b""),
        ("check", b"\x89PNG\r\n\x1A\n\0"),
        ("check --format json --to json", b"\xEF\xBB\xBF{}"),
        ("check --format html --diff", RUSSIAN),
        ("check --format html --fix", RUSSIAN),
        ("check --fix --to json", b"a"),
    ] {
        let _ = write!(all, "$ unbake {line}\n{}\n", shown(line, input));
    }
    assert_snapshot!(all);
}

#[test]
fn a_mend_keeps_the_original_and_the_permissions() {
    let folder = folder(&[("page.html", RUSSIAN)]);
    let page = folder.path().join("page.html");
    fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).expect("permissions");
    assert_eq!(check(&["--diff"], &page).0, 1);
    assert_eq!(fs::read(&page).expect("a file"), RUSSIAN, "--diff writes");
    let (code, ..) = check(&["--fix"], &page);
    assert_eq!(code, 0);
    let mended = "<!doctype html>\r\n<meta charset=utf-8>\r\n<p>При\r\n";
    assert_eq!(fs::read(&page).expect("a file"), mended.as_bytes());
    let kept = folder.path().join("page.html.orig");
    assert_eq!(fs::read(&kept).expect("the original"), RUSSIAN);
    let mode = fs::metadata(&page).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    // Nothing else lies there, and nothing is left to mend.
    assert_eq!(fs::read_dir(folder.path()).expect("a directory").count(), 2);
    assert_eq!(check(&["--fix"], folder.path()).0, 0);
    // What is kept is never overwritten.
    fs::write(&page, RUSSIAN).expect("a file");
    let (code, _, err) = check(&["--fix"], &page);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("exists, and would be overwritten"), "{err}");
    assert_eq!(fs::read(&page).expect("a file"), RUSSIAN);
    assert_eq!(check(&["--fix", "--no-orig"], &page).0, 0);
    assert_eq!(fs::read(&page).expect("a file"), mended.as_bytes());
}

#[test]
fn a_link_is_followed_and_stays_a_link() {
    let folder = folder(&[("real/page.html", RUSSIAN)]);
    let link = folder.path().join("link.html");
    symlink("real/page.html", &link).expect("a link");
    symlink("nowhere", folder.path().join("broken.html")).expect("a link");
    symlink("..", folder.path().join("real/up")).expect("a link");
    let (code, _, err) = check(&["--fix", "--threads", "4"], folder.path());
    // The broken link can not be read; the page is mended once, though it has two names.
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("mended 1 document"), "{err}");
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert!(
        fs::read_to_string(&link)
            .expect("UTF-8")
            .contains("charset=utf-8")
    );
    assert!(folder.path().join("real/page.html.orig").exists());
}

#[test]
fn a_directory_that_may_not_be_written_leaves_the_document_as_it_was() {
    let folder = folder(&[("locked/page.html", RUSSIAN)]);
    let locked = folder.path().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).expect("permissions");
    let page = locked.join("page.html");
    let superuser = fs::write(locked.join("try"), b"").is_ok();
    if !superuser {
        let (code, _, err) = check(&["--fix"], &page);
        assert_eq!(code, 2);
        assert!(err.contains("permission denied"), "{err}");
        assert_eq!(fs::read(&page).expect("a file"), RUSSIAN);
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn what_can_not_be_mended_stays_to_the_byte() {
    for (name, bytes) in [
        ("cut.html", &b"<meta charset=utf-8>\xC3"[..]),
        ("guess.html", b"<p>\xE9t\xE9"),
        ("hz.html", b"<meta charset=hz-gb-2312>~{VPND~}"),
        ("mark.html", b"\xEF\xBB\xBF"),
        ("empty.html", b""),
        ("odd.html", b"\xFF\xFE<\0p"),
    ] {
        let folder = folder(&[(name, bytes)]);
        let path = folder.path().join(name);
        let (code, _, err) = check(&["--fix"], &path);
        assert!(code < 2, "{name}: {err}");
        assert_eq!(fs::read(&path).expect("a file"), bytes, "{name}");
        assert_eq!(fs::read_dir(folder.path()).expect("a directory").count(), 1);
    }
}

#[test]
fn utf_16_becomes_utf_8() {
    let text = "<p>caf\u{E9} \u{4E2D} \u{1F600}\r\n";
    let mut bytes = vec![0xFE, 0xFF];
    bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
    let folder = folder(&[("wide.html", &bytes)]);
    let path = folder.path().join("wide.html");
    assert_eq!(check(&["--fix"], &path).0, 0);
    let mended = fs::read_to_string(&path).expect("UTF-8");
    assert_eq!(mended, format!("<meta charset=\"utf-8\">{text}"));
}

#[test]
fn headers_beside_a_file_count_and_binary_files_are_passed_over() {
    let folder = folder(&[
        ("a.html", "<meta charset=utf-8>\u{E9}".as_bytes()),
        (
            "a.html.headers",
            b"Content-Type: text/html; charset=koi8-r\r\n",
        ),
        ("picture", b"\x89PNG\r\n\x1A\n\0\0"),
    ]);
    let (code, out, err) = check(&[], folder.path());
    assert_eq!(code, 1);
    assert!(out.contains("conflicting-declarations"), "{out}");
    assert!(err.contains("passed over 1 binary file"), "{err}");
}

#[test]
fn many_documents_come_in_order_whatever_the_threads() {
    let names: Vec<String> = (0..200).map(|n| format!("{n:03}.json")).collect();
    let files: Vec<(&str, &[u8])> = names
        .iter()
        .map(|name| (name.as_str(), &b"\xEF\xBB\xBF{}"[..]))
        .collect();
    let folder = folder(&files);
    let (_, one, _) = check(&["--threads", "1"], folder.path());
    let (_, many, _) = check(&["--threads", "7"], folder.path());
    assert_eq!(one.matches("error[json-bom]").count(), 200);
    assert!(one == many, "the order depends on the threads");
}

#[test]
fn hostile_documents_end_in_time() {
    let folder = folder(&[
        ("deep.html", &b"<div>".repeat(100_000)),
        ("metas.html", &b"<meta charset=koi8-r>\xC1".repeat(20_000)),
        (
            "bad.html",
            &b"<meta charset=utf-8>\xFF\xC3\x28".repeat(50_000),
        ),
        ("marks.txt", &b"\xEF\xBB\xBF".repeat(300_000)),
        ("c1.txt", &b"\xC2\x80\r".repeat(300_000)),
        (
            "open.html",
            &[&b"<meta charset=\""[..], &b"x".repeat(900_000)].concat(),
        ),
        ("cr.ndjson", &b"{}\r".repeat(300_000)),
    ]);
    let started = std::time::Instant::now();
    for options in [&["--to", "sarif"][..], &["--diff"], &["--fix"]] {
        let (code, _, err) = check(options, folder.path());
        assert!(code < 2, "{err}");
    }
    let seconds = started.elapsed().as_secs();
    assert!(seconds < 60, "{seconds} s");
}
