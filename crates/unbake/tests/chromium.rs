//! Profile `browser` against a real browser: seeded random pages over loopback, asked of headless Chromium.
//!
//! `UNBAKE_SEED` repeats a run, `UNBAKE_PAGES` sets its length. Of each page the encoding is compared and the whole document as parsed:
//! the browser parses the text that unbake decoded once more, and the two documents must be the same.
//!
//! The generator (`chromium/pages.rs`) never writes what Chromium is known to treat unlike the other engines, or what depends on timing.
//! What it cannot avoid is counted and told by reason in `left_out` below.
#![allow(clippy::print_stdout)] // counts are what a runner has to say

#[path = "chromium/browser.rs"]
mod browser;
#[path = "chromium/pages.rs"]
mod pages;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use libtest_mimic::{Arguments, Failed, Trial};
use unbake::{Context, Decoded, Encoding, Profile, Rule, decode};

use browser::{Browser, Shown, serve};
use pages::{Dice, Page, page};

/// How many pages a run has.
const PAGES: u64 = 400;
/// A machine that is busy compares fewer pages, and says so.
const LONGEST: Duration = Duration::from_secs(40);

fn main() {
    let arguments = Arguments::from_args();
    let name = "chromium answers as profile browser";
    let trial = if browser::is_installed() {
        Trial::test(name, || compare().map_err(Failed::from))
    } else {
        println!("not run: chromium (install chromium and chromium-driver)");
        Trial::test(name, || Ok(())).with_ignored_flag(true)
    };
    libtest_mimic::run(&arguments, vec![trial]).exit();
}

fn variable(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {value}")),
    )
}

fn compare() -> Result<(), String> {
    let clock = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |time| time.as_nanos() as u64);
    let seed = variable("UNBAKE_SEED").unwrap_or(clock % 1_000_000);
    let asked = variable("UNBAKE_PAGES");
    let count = asked.unwrap_or(PAGES);
    println!("chromium: UNBAKE_SEED={seed} repeats this run");
    let mut dice = Dice::new(seed);
    let pages: Arc<Vec<Page>> = Arc::new((0..count).map(|_| page(&mut dice)).collect());
    let address = serve(Arc::clone(&pages));
    let browser = Browser::start()?;
    let begin = Instant::now();
    let (mut encodings, mut documents) = (0, 0);
    let mut left_out_of: BTreeMap<&str, u32> = BTreeMap::new();
    let mut rules: BTreeMap<&str, u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        if asked.is_none() && begin.elapsed() > LONGEST {
            println!("chromium: stopped after {number} of {count} pages, the machine is busy");
            break;
        }
        let ours = decode(&page.body, &page.context());
        // Where nothing is declared and the bytes are no ASCII, the answer is a guess, even if ours is not to know.
        let unknown =
            ours.decision.rule == Rule::Default && std::str::from_utf8(&page.body).is_err();
        if ours.decision.rule == Rule::Detected || unknown {
            *left_out_of
                .entry("the encoding is a guess, each detector has its own")
                .or_default() += 1;
            continue;
        }
        let shown = browser.ask(&format!("http://{address}/{number}"), &ours.text)?;
        if ours.decision.rule == Rule::Default && !page.body.is_ascii() {
            // Valid UTF-8 that says nothing: which legacy encoding it is taken for is Chromium's guess, but it is one.
            *left_out_of
                .entry("undeclared UTF-8: never taken for UTF-8, and that much is compared")
                .or_default() += 1;
            if shown.encoding == "UTF-8" {
                wrong.push(as_case(seed, number, page, &ours, &shown));
            }
            continue;
        }
        encodings += 1;
        *rules.entry(ours.decision.rule.id()).or_default() += 1;
        let same_encoding = shown.encoding == ours.decision.encoding.name();
        let mut same_document = shown.same_document;
        match left_out(&ours, &page.body) {
            Some(reason) => {
                *left_out_of.entry(reason).or_default() += 1;
                same_document = true;
            }
            None => documents += 1,
        }
        if !same_encoding || !same_document {
            wrong.push(as_case(seed, number, page, &ours, &shown));
        }
    }
    println!(
        "chromium: {encodings} encodings and {documents} documents compared, {} pages differ",
        wrong.len()
    );
    println!("chromium: decided by {rules:?}");
    for (reason, pages) in &left_out_of {
        println!("chromium: left out {pages}: {reason}");
    }
    if documents == 0 {
        return Err("no page was compared".to_owned());
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let more = wrong.len().saturating_sub(5);
    wrong.truncate(5);
    Err(format!("{}\n\n# and {more} more", wrong.join("\n\n")))
}

/// Why the text is not compared: where Chromium's decoders are known not to follow the Encoding Standard.
fn left_out(ours: &Decoded<'_>, body: &[u8]) -> Option<&'static str> {
    let encoding = ours.decision.encoding;
    let malformed = ours.malformed.count > 0;
    // The last sequence may be past the ones that are kept.
    let cut_short = ours.malformed.count > ours.malformed.first.len() as u64
        || ours
            .malformed
            .first
            .last()
            .is_some_and(|last| last.at + u64::from(last.len) >= body.len() as u64);
    let has = |found: fn(&[u8]) -> bool| body.windows(2).any(found);
    match encoding.name() {
        "UTF-16LE" | "UTF-16BE" if cut_short => {
            Some("text: Chromium drops a UTF-16 unit cut short at the end")
        }
        "ISO-2022-JP" if malformed => {
            Some("text: Chromium reads ISO-2022-JP after a bad escape in its own way")
        }
        "EUC-JP" if malformed && body.contains(&0x8F) => {
            Some("text: Chromium reads EUC-JP after a broken JIS X 0212 sequence in its own way")
        }
        "Big5" if has(|two| matches!(two, [0x88, 0x62 | 0x64 | 0xA3 | 0xA5])) => {
            Some("text: Chromium's Big5 pairs of two code points are broken")
        }
        _ => None,
    }
}

/// The difference as a case for `testdata/cases`: what Chromium says is the expected answer.
fn as_case(seed: u64, number: usize, page: &Page, ours: &Decoded<'_>, shown: &Shown) -> String {
    let mut case = format!("[[case]]\nname = \"chromium-{seed}-{number}\"\n");
    let _infallible = writeln!(case, "bytes = '{}'", escaped(&page.body));
    case.push_str("profile = \"browser\"\nformat = \"html\"\n");
    if !page.headers.is_empty() {
        let headers: Vec<String> = page
            .headers
            .iter()
            .map(|value| format!("{value:?}"))
            .collect();
        let _infallible = writeln!(case, "content-type = [{}]", headers.join(", "));
    }
    let _infallible = writeln!(case, "encoding = {:?}", shown.encoding);
    let _infallible = writeln!(
        case,
        "# ours: {} by {}, the {} document; ours `{}`, Chromium's `{}`",
        ours.decision.encoding,
        ours.decision.rule,
        if shown.same_document {
            "same"
        } else {
            "a different"
        },
        shown.expected_text.escape_debug(),
        shown.text.escape_debug()
    );
    case
}

/// Bytes as the cases write them, within a literal string of TOML.
fn escaped(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut all, &byte| {
        match byte {
            b'\\' => all.push_str("\\\\"),
            b'\n' => all.push_str("\\n"),
            // An apostrophe would end the literal string.
            b' '..=b'~' if byte != b'\'' => all.push(char::from(byte)),
            _ => {
                let _infallible = write!(all, "\\x{byte:02X}");
            }
        }
        all
    })
}

impl Page {
    fn context(&self) -> Context {
        Context {
            content_type: self
                .headers
                .iter()
                .map(|value| value.as_bytes().to_vec())
                .collect(),
            ..Context::new(Profile::Browser)
        }
    }
}

/// The encoding of a label, as a writer uses it: UTF-8 where the label names none or one that can not be written.
fn writer(label: &str) -> &'static encoding_rs::Encoding {
    unbake::get_an_output_encoding(
        unbake::get_an_encoding(label.as_bytes()).unwrap_or(Encoding::UTF_8),
    )
    .web()
    .unwrap_or(encoding_rs::UTF_8)
}
