//! The emulated readers against the real ones: Python with requests and httpx (`UNBAKE_PYTHON` names another interpreter than
//! `python3`), and Node.
#![allow(clippy::print_stdout)] // counts are what a runner has to say

mod support;

use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};
use unbake::{Context, Format, Origin, Reader, Reading, Seen, compare, decode};

struct Document {
    bytes: Vec<u8>,
    header: Option<String>,
}

impl Document {
    fn context(&self) -> Context {
        Context {
            content_type: self.header.iter().map(|h| h.clone().into_bytes()).collect(),
            // So that the readers of JSON are asked as well.
            format: Some(Format::Json),
            ..Context::default()
        }
    }

    fn label(&self) -> Option<String> {
        let decision = decode(&self.bytes, &self.context()).decision;
        let mut clues = decision.clues.iter();
        let clue =
            clues.find(|clue| clue.origin.is_declaration() || clue.origin == Origin::Transport)?;
        clue.label.clone()
    }
}

const HEADERS: &[&str] = &[
    "text/html",
    "text/html; charset=utf-8",
    "text/html; charset=UTF-8-SIG",
    "text/html;charset=iso-8859-1",
    "text/plain; charset=\"windows-1252\"",
    "text/plain; charset='koi8-r'",
    "text/html; charset=shift_jis",
    "text/html; charset=gb2312",
    "text/html; charset=euc-kr",
    "text/html; charset=windows-1251; charset=utf-8",
    "text/html; charset=iso-8859-9",
    "text/html; charset=iso-8859-2",
    "text/html; charset=iso-8859-15",
    "text/html; charset=windows-1250",
    "text/html; charset=windows-1254",
    "text/html; charset=us-ascii",
    "text/html; charset=utf-16",
    "text/html; charset=utf-16le",
    "text/html; charset=utf-16be",
    "text/html; charset=nothing",
    "text/html; charset=",
    "application/json",
    "application/octet-stream",
];

fn documents() -> Vec<Document> {
    let mut bodies: Vec<Vec<u8>> = [
        &b""[..],
        b"plain",
        b"\xEF\xBB\xBF{\"a\":1}",
        b"\xEF\xBB\xBF\xEF\xBB\xBFx",
        b"\xEF\xBB",
        b"a\xEF\xBB\xBFb",
        "caf\u{E9} \u{4E2D}\u{6587} \u{1F600}".as_bytes(),
        b"caf\xE9",
        b"\xC3\x28\xE2\x82\x41\xF0\x90\x80\x41\xF4\x90\x80\x80",
        b"\xFF\xFEa\0b\0",
        b"\xFE\xFF\0a\0b",
        b"a\0b\0",
        b"\0a\0b",
        b"\xFF\xFE\0\0a\0\0\0",
        b"\0\0\xFE\xFF\0\0\0a",
        b"a\0\0\0",
        b"\0\0\0a",
        b"a\0b",
        b"\x81\x60\x82\xA0\x83\x41",
        b"\x87\x40",
        b"\xB0\xA1\xC8\xFB",
        b"\xA2\xE3\x80",
        b"\x92quoted\x93",
        b"\xED\xA0\x80",
    ]
    .map(<[u8]>::to_vec)
    .into();
    // Every byte by itself, in the midst of ASCII.
    bodies.extend((0x80..=0xFF).map(|byte| vec![b'a', byte, b'b']));
    let mut documents = Vec::new();
    for body in &bodies {
        documents.push(Document {
            bytes: body.clone(),
            header: None,
        });
        documents.extend(HEADERS.iter().map(|header| Document {
            bytes: body.clone(),
            header: Some((*header).to_owned()),
        }));
    }
    // Pieces put together by a seed.
    let pieces: [&[u8]; 14] = [
        b"a",
        b"<p>",
        b"\0",
        b"\xE9",
        b"\xEF\xBB\xBF",
        b"\xC3\xA9",
        b"\xED\xA0\x80",
        b"\xFF\xFE",
        b"\x82\xA0",
        b"\xB0\xA1",
        b"\x81",
        b"\xF0\x9F",
        b"\x98\x80",
        b"\n",
    ];
    let mut state: u64 = 20_240_601;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    for _ in 0..6000 {
        let mut bytes = Vec::new();
        for _ in 0..below(6) {
            bytes.extend_from_slice(pieces[below(pieces.len())]);
        }
        let header = Some(HEADERS[below(HEADERS.len())].to_owned());
        documents.push(Document { bytes, header });
    }
    documents
}

/// What a program answers to every document; `None` where it is not installed.
fn ask(program: &str, script: &str, documents: &[Document]) -> Option<Vec<Value>> {
    let path = support::testdata()
        .join("../crates/unbake/tests/compare")
        .join(script);
    let mut child = Command::new(program)
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let rows: Vec<String> = documents
        .iter()
        .map(|document| {
            let row = json!({
                "body": BASE64.encode(&document.bytes),
                "header": document.header,
                "label": document.label(),
            });
            format!("{row}\n")
        })
        .collect();
    let mut stdin = child.stdin.take()?;
    let writer = std::thread::spawn(move || {
        for row in rows {
            if stdin.write_all(row.as_bytes()).is_err() {
                return;
            }
        }
    });
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect(),
    )
}

fn name_of(reader: Reader) -> Option<(&'static str, bool)> {
    Some(match reader {
        Reader::Requests => ("requests", true),
        Reader::Httpx => ("httpx", true),
        Reader::PythonUtf8 => ("utf-8", true),
        Reader::PythonUtf8Sig => ("utf-8-sig", true),
        Reader::JsonLoads => ("json.loads", true),
        Reader::PythonDeclared => ("declared", true),
        Reader::TextDecoder => ("TextDecoder", false),
        Reader::FetchText => ("fetch", false),
        Reader::JsonParse => ("JSON", false),
        Reader::Excel => return None,
    })
}

/// Compared and left open, or the first difference.
fn agree(reading: &Reading, real: &Value, document: &Document) -> Result<bool, String> {
    let same = match &reading.seen {
        Seen::Unknown(_) => return Ok(false),
        Seen::Text {
            text: Some(text), ..
        } => real["text"].as_str() == Some(text),
        // Something is lost, or where all is kept in another program, an error.
        Seen::Text { text: None, .. } => real["text"]
            .as_str()
            .is_none_or(|text| text.contains('\u{FFFD}')),
        Seen::Error { at, .. } => {
            // `utf-8-sig` counts from behind the mark.
            let marked = document.bytes.starts_with(b"\xEF\xBB\xBF");
            let sig = matches!(reading.reader, Reader::PythonUtf8Sig | Reader::JsonLoads);
            let shift = if marked && sig { 3 } else { 0 };
            let is_at = match (at, real["at"].as_u64()) {
                (Some(at), Some(real)) => *at == real + shift,
                _ => true,
            };
            real["error"].is_string() && is_at
        }
    };
    if same {
        Ok(true)
    } else {
        Err(format!(
            "{:?} of `{}` with {:?}: emulated {:?}, real {real}",
            reading.reader,
            document.bytes.escape_ascii(),
            document.header,
            reading.seen
        ))
    }
}

fn against(real: &[Value], documents: &[Document], python: bool) -> Result<(), Failed> {
    assert_eq!(real.len(), documents.len(), "an answer for every document");
    let (mut compared, mut open, mut known, mut wrong) = (0, 0, 0, Vec::new());
    for (document, real) in documents.iter().zip(real) {
        for reading in compare(&document.bytes, &document.context()) {
            let Some((name, of_python)) = name_of(reading.reader) else {
                continue;
            };
            if of_python != python || real[name].is_null() {
                continue;
            }
            // Node 20 takes off two marks, the Fetch Standard one: https://fetch.spec.whatwg.org/#dom-body-text.
            if reading.reader == Reader::FetchText
                && document.bytes.starts_with(b"\xEF\xBB\xBF\xEF\xBB\xBF")
            {
                known += 1;
                continue;
            }
            match agree(&reading, &real[name], document) {
                Ok(true) => compared += 1,
                Ok(false) => open += 1,
                Err(difference) => wrong.push(difference),
            }
        }
    }
    println!(
        "readers: {compared} answers compared, {open} left open, {known} known deviations of the reader, {} differ",
        wrong.len()
    );
    if wrong.is_empty() && compared > 0 {
        Ok(())
    } else {
        wrong.truncate(40);
        Err(wrong.join("\n").into())
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let documents = documents();
    let interpreter = std::env::var("UNBAKE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut python = ask(&interpreter, "readers.py", &documents).unwrap_or_default();
    let mut node = ask("node", "readers.mjs", &documents).unwrap_or_default();
    if python.is_empty() {
        println!("not run: readers of Python (set UNBAKE_PYTHON to one with requests and httpx)");
    } else {
        println!("readers of Python: {}", python.remove(0));
    }
    if node.is_empty() {
        println!("not run: readers of Node (not installed)");
    }
    let documents: &'static [Document] = Vec::leak(documents);
    let (no_python, no_node) = (python.is_empty(), node.is_empty());
    let python = std::mem::take(&mut python);
    let node = std::mem::take(&mut node);
    let trials = vec![
        Trial::test("python", move || against(&python, documents, true))
            .with_ignored_flag(no_python),
        Trial::test("node", move || against(&node, documents, false)).with_ignored_flag(no_node),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}
