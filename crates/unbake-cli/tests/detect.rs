//! `unbake detect` as a person meets it.

mod support;

use std::ffi::OsStr;
use std::fmt::Write as _;

use insta::assert_snapshot;

use support::{shown, unbake};

const RUSSIAN: &[u8] =
    b"\xDD\xF2\xEE \xF1\xF2\xF0\xE0\xED\xE8\xF6\xE0 \xED\xE0 \xF0\xF3\xF1\xF1\xEA\xEE\xEC \xFF\xE7\xFB\xEA\xE5";

#[test]
fn answers() {
    let mut all = String::new();
    for (line, input) in [
        ("detect", &b"caf\xE9"[..]),
        ("detect", b"plain"),
        ("detect", b""),
        ("detect", b"\xFF\xFEa\0"),
        ("detect --json", "d\u{E9}j\u{E0} vu".as_bytes()),
        ("detect", RUSSIAN),
        ("detect --json --tld co.jp", RUSSIAN),
        ("detect --tld .RU", RUSSIAN),
        ("detect --tld рф", RUSSIAN),
        ("detect no-such-file", b""),
    ] {
        let _infallible = writeln!(all, "$ unbake {line}\n{}", shown(line, input));
    }
    // The candidates and their order; their scores move with the model.
    let (_, out, _) = unbake(&["detect", "--all"].map(OsStr::new), RUSSIAN);
    let names: Vec<String> = String::from_utf8(out)
        .expect("UTF-8")
        .lines()
        .take(4)
        .map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    all += &names.join("\n");
    assert_snapshot!(all);
}

/// Bytes that are no text, and much of them: an answer, and no more work than for a page.
#[test]
fn hostile_bytes() {
    let large = 20 << 20;
    for input in [
        vec![0xFF; large],
        vec![0x80; large],
        vec![0; large],
        vec![0x1B; large],
        (0..=255).cycle().take(large).collect(),
        [b"<".repeat(large), vec![0xE9]].concat(),
    ] {
        let (code, out, err) = unbake(&["detect"].map(OsStr::new), &input);
        assert_eq!((code, err.as_str()), (0, ""), "{:?}", &input[..4]);
        assert!(out.starts_with(b"-\t"), "{:?}", &input[..4]);
    }
}

/// The end of a long page is where its one letter stands.
#[test]
fn one_letter_at_the_very_end() {
    let page = [b"<p>plain words ".repeat(10_000), b"caf\xE9".to_vec()].concat();
    let (_, out, _) = unbake(&["detect"].map(OsStr::new), &page);
    assert_eq!(out, b"-\twindows-1252\n");
}

#[test]
fn addresses_of_any_script_are_hints() {
    for url in [
        "https://пример.рф/",
        "https://example.co.jp./",
        "https://[::1]/",
        "http://.../",
        "https://a..b",
    ] {
        let args = ["decode", "--url", url].map(OsStr::new);
        let (code, out, _) = unbake(&args, RUSSIAN);
        assert_eq!(code, 0, "{url}");
        assert!(!out.is_empty(), "{url}");
    }
}
