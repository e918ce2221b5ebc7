//! The guard of the detector's accuracy: the open set of files of known encoding, in the windows that are measured.
//!
//! `testdata/detect-open.toml` holds what was reached. Losing 0.2 points in one of the sets fails the build; so does gaining
//! half a point without writing it down.
#![allow(clippy::print_stdout, clippy::disallowed_methods)] // counts; truth is what encoding_rs decodes

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use encoding_rs::Encoding;
use libtest_mimic::{Arguments, Failed, Trial};
use support::{json_lines, shared, testdata, text};
use unbake::detect::{Detector, Hints};

/// Points that may be lost before the build fails.
const TOLERANCE: f64 = 0.2;

fn main() {
    let arguments = Arguments::from_args();
    let folder = shared()
        .map(|shared| shared.join("detect"))
        .filter(|folder| folder.is_dir());
    let trial = match folder {
        None => {
            println!("not run: detect-open (set UNBAKE_SHARED)");
            Trial::test("detect-open", || Ok(())).with_ignored_flag(true)
        }
        Some(folder) => Trial::test("detect-open", move || run(&folder)),
    };
    libtest_mimic::run(&arguments, vec![trial]).exit();
}

#[derive(Default)]
struct Tally {
    files: u32,
    right: u32,
}

fn run(folder: &Path) -> Result<(), Failed> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for row in json_lines(&folder.join("open.jsonl")) {
        let Some(encoding) = text(&row, "encoding").and_then(|e| Encoding::for_label(e.as_bytes()))
        else {
            continue;
        };
        if row["ascii"] == true || encoding == encoding_rs::REPLACEMENT {
            continue;
        }
        let path = folder.join(text(&row, "path").unwrap_or_default());
        let bytes =
            undeclared(&std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?);
        if text(&row, "source") == Some("utf8-damaged") {
            tally(&mut tallies, "damaged", encoding, &bytes);
            continue;
        }
        tally(&mut tallies, "undeclared", encoding, &bytes);
        for (name, len) in [("64-bytes", 64), ("256-bytes", 256)] {
            if let Some(window) = window(&bytes, encoding, len) {
                tally(&mut tallies, name, encoding, window);
            }
        }
        let wide = [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE].contains(&encoding);
        if row["markup"] != true && !wide && bytes.len() < 60_000 {
            tally(&mut tallies, "wrapped", encoding, &wrapped(&bytes));
        }
    }
    if tallies.is_empty() {
        return Err("detect-open is present and empty".into());
    }
    let committed: BTreeMap<String, f64> = toml::from_str(
        &std::fs::read_to_string(testdata().join("detect-open.toml")).map_err(|e| e.to_string())?,
    )
    .map_err(|e| e.to_string())?;
    let mut wrong = Vec::new();
    for (name, tally) in &tallies {
        let reached = 100.0 * f64::from(tally.right) / f64::from(tally.files);
        println!(
            "detect-open: {name}: {} of {} right, {reached:.2} %",
            tally.right, tally.files
        );
        match committed.get(*name) {
            None => wrong.push(format!("`{name}` is not in testdata/detect-open.toml")),
            Some(before) if reached < before - TOLERANCE => {
                wrong.push(format!(
                    "`{name}`: {reached:.2} %, and {before:.2} % before"
                ));
            }
            Some(before) if reached > before + 0.5 => {
                wrong.push(format!(
                    "`{name}`: {reached:.2} %: better than {before:.2} %, write it down"
                ));
            }
            Some(_) => {}
        }
    }
    for name in committed
        .keys()
        .filter(|name| !tallies.contains_key(name.as_str()))
    {
        wrong.push(format!("`{name}` was not measured"));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// Right is what decodes to the identical text.
fn tally<'a>(
    tallies: &mut BTreeMap<&'a str, Tally>,
    name: &'a str,
    encoding: &'static Encoding,
    bytes: &[u8],
) {
    let mut detector = Detector::new(Hints {
        allow_utf_8: true,
        ..Hints::default()
    });
    detector.feed(bytes);
    let got = detector
        .guess()
        .and_then(|guess| Encoding::for_label(guess.encoding.name().as_bytes()));
    let decoded = |encoding: &'static Encoding| encoding.decode_with_bom_removal(bytes).0;
    let tally = tallies.entry(name).or_default();
    tally.files += 1;
    tally.right += u32::from(got.is_some_and(|got| decoded(got) == decoded(encoding)));
}

/// Every declaration in the text overwritten by x's: only the text counts.
fn undeclared(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let lower = bytes.to_ascii_lowercase();
    for word in [&b"encoding"[..], b"charset", b"coding"] {
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(lower.get(from..).unwrap_or_default(), word) {
            let mut i = from + at + word.len();
            from = i;
            let skip = |i: &mut usize, set: &[u8]| {
                while lower.get(*i).is_some_and(|b| set.contains(b)) {
                    *i += 1;
                }
            };
            skip(&mut i, b" \t\r\n");
            if !lower.get(i).is_some_and(|b| matches!(b, b'=' | b':')) {
                continue;
            }
            i += 1;
            skip(&mut i, b" \t\r\n\"'");
            let end = i + lower[i..]
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric() || b"_:.-".contains(b))
                .count();
            if Encoding::for_label(&lower[i..end]).is_some() {
                out[i..end].fill(b'x');
            }
        }
    }
    out
}

/// A window of `len` bytes from just before the first byte that is not ASCII.
fn window<'b>(bytes: &'b [u8], encoding: &'static Encoding, len: usize) -> Option<&'b [u8]> {
    let start = if [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE].contains(&encoding) {
        0
    } else if encoding == encoding_rs::ISO_2022_JP {
        memchr::memchr(0x1b, bytes)?
    } else {
        let first = bytes.iter().position(|b| *b >= 0x80)?;
        let word = bytes[..first]
            .iter()
            .rposition(|b| b" \n>\r\t".contains(b))
            .map_or(0, |at| at + 1);
        if first - word > 24 { first } else { word }
    };
    let window = &bytes[start..bytes.len().min(start + len)];
    (len == 64 || window.len() * 10 >= len * 6).then_some(window)
}

/// A page with little text and much markup.
fn wrapped(bytes: &[u8]) -> Vec<u8> {
    let mut page = b"<!DOCTYPE html><html><head><title>Home page</title><style>".to_vec();
    for n in 0..40 {
        page.extend(
            format!(".box-{n} li a:hover{{margin:0 {n}px;border-right:1px solid #ccc}}\n").bytes(),
        );
    }
    page.extend_from_slice(b"</style><script>");
    for n in 0..40 {
        page.extend(
            format!(
                "function toggle{n}(id){{var e=document.getElementById(id);return e&&e.name<{n}}}\n"
            )
            .bytes(),
        );
    }
    page.extend_from_slice(b"</script></head><body class=\"home page\"><ul class=nav>");
    for n in 0..12 {
        page.extend(
            format!(
                "<li class=\"menu-item-{n}\"><a href=\"/category/item-{n}.html\">Item {n}</a></li>"
            )
            .bytes(),
        );
    }
    page.extend_from_slice(b"</ul>");
    for paragraph in bytes.split(|b| *b == b'\n').filter(|p| !p.is_empty()) {
        page.extend_from_slice(b"<p class=text>");
        page.extend_from_slice(paragraph);
        page.extend_from_slice(b"</p>\n");
    }
    page.extend_from_slice(b"<div id=foot>Copyright &copy; 2003-2016 | <a href=/sitemap.xml>Sitemap</a></div></body></html>");
    page
}
