//! Bytes taken apart: `testdata/inspect.toml`, and what must hold for any bytes in any encoding.
#![allow(clippy::print_stdout)] // counts are what a runner has to say

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use proptest::collection::vec;
use proptest::prelude::{any, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use serde::Deserialize;
use support::unescape;
use unbake::{Context, Encoding, LABELS, MalformedKind, Unit, decode, get_an_encoding, inspect};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    encoding: String,
    bytes: String,
    rows: Vec<(u64, String, String, String, String)>,
    #[serde(default)]
    bits: Option<Vec<String>>,
    #[serde(default)]
    anatomy: Option<Vec<String>>,
}

fn main() {
    let arguments = Arguments::from_args();
    let path = support::testdata().join("inspect.toml");
    let text = std::fs::read_to_string(&path).expect("testdata/inspect.toml");
    let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("inspect.toml: {e}"));
    println!("inspect: {} cases", file.case.len());
    let mut trials: Vec<Trial> = file
        .case
        .into_iter()
        .map(|case| {
            Trial::test(format!("inspect/{}", case.name), move || {
                run(&case);
                Ok(())
            })
        })
        .collect();
    trials.push(Trial::test(
        "units-are-the-document",
        units_are_the_document,
    ));
    for (label, units, others, absent) in DIFFERENCES {
        trials.push(Trial::test(format!("differences/{label}"), move || {
            differences(label, units, (others, absent));
            Ok(())
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    bytes.join(" ")
}

fn run(case: &Case) {
    let bytes = unescape(&case.bytes);
    let encoding = get_an_encoding(case.encoding.as_bytes()).expect("a label");
    let units: Vec<Unit<'_>> = inspect(&bytes, encoding).collect();
    assert_eq!(units.len(), case.rows.len(), "{units:#?}");
    for (unit, (at, bytes, code_points, kind, note)) in units.iter().zip(&case.rows) {
        let got: Vec<String> = unit
            .text
            .chars()
            .map(|c| format!("{:X}", u32::from(c)))
            .collect();
        let got_kind = unit.malformed.map_or("", MalformedKind::id);
        assert_eq!(
            (unit.at, hex(unit.bytes), got.join(" "), got_kind),
            (*at, bytes.clone(), code_points.clone(), kind.as_str()),
        );
        let got = unit.note().unwrap_or_default();
        let right = if note.is_empty() && kind.is_empty() {
            got.is_empty()
        } else {
            got.contains(note)
        };
        assert!(right, "at {at}: note `{got}`, wanted `{note}`");
    }
    if let Some(wanted) = &case.bits {
        let got: Vec<String> = units.iter().map(Unit::bits).collect();
        assert_eq!(&got, wanted);
    }
    if let Some(wanted) = &case.anatomy {
        let got: Vec<String> = units
            .iter()
            .map(|unit| unit.anatomy().unwrap_or_default())
            .collect();
        assert_eq!(&got, wanted);
    }
}

/// The bytes of all units are the input, their texts are the document's, and so are their malformed sequences.
fn units_are_the_document() -> Result<(), Failed> {
    let encodings: Vec<Encoding> = LABELS
        .iter()
        .filter_map(|label| get_an_encoding(label.as_bytes()))
        .chain([Encoding::Utf32Le, Encoding::Utf32Be])
        .collect();
    let byte = prop_oneof![
        any::<u8>(),
        // Bytes that mean something to one decoder or another.
        proptest::sample::select(&b"\x1B\x1B(B$@JI\x8E\x8F\x81\x30\x39\xA1\xFE\xED\xA0\x80\xF0\x90\xD8\xDC\x00\xEF\xBF\xBD"[..]),
    ];
    let input = (vec(byte, 0..40), proptest::sample::select(encodings));
    let config = Config {
        cases: 20_000,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&input, |(bytes, encoding)| {
            let units: Vec<Unit<'_>> = inspect(&bytes, encoding).collect();
            // Replacement refuses the first byte for all.
            if encoding.name() == "replacement" {
                return Ok(());
            }
            let mut at = 0;
            for unit in &units {
                assert_eq!((unit.at, unit.bytes.is_empty()), (at, false));
                at += unit.bytes.len() as u64;
                // Whatever the bytes are, what can be said of them is said without a panic.
                let _said = (unit.bits(), unit.anatomy(), unit.note(), unit.strict());
            }
            assert_eq!(at, bytes.len() as u64);
            let text: String = units.iter().map(|unit| unit.text.as_str()).collect();
            let mark = units
                .first()
                .filter(|unit| unit.bom)
                .map_or(0, |unit| unit.bytes.len());
            let context = Context {
                user_override: Some(encoding),
                ..Context::default()
            };
            let whole = decode(&bytes, &context);
            // Another encoding's mark beats the override.
            if whole.decision.encoding == encoding {
                assert_eq!(text, whole.text);
                let malformed = units.iter().filter(|unit| unit.malformed.is_some());
                let first: Vec<(u64, usize, MalformedKind)> = malformed
                    .clone()
                    .filter_map(|unit| Some((unit.at, unit.bytes.len(), unit.malformed?)))
                    .take(16)
                    .collect();
                let wanted: Vec<(u64, usize, MalformedKind)> = whole
                    .malformed
                    .first
                    .iter()
                    .map(|s| (s.at, usize::from(s.len), s.kind))
                    .collect();
                assert_eq!(first, wanted);
                assert_eq!(malformed.count() as u64, whole.malformed.count);
            } else {
                assert!(mark == 0 || encoding.web().is_none());
            }
            Ok(())
        })
        .map_err(|e| Failed::from(e.to_string()))
}

/// Over all two-byte sequences: how many the strict standard reads as another character, and how many it does not have.
///
/// The numbers were counted by a program of its own from the indexes of the Encoding Standard and the codecs of CPython.
const DIFFERENCES: [(&str, usize, usize, usize); 6] = [
    ("shift_jis", 7_724 + 1_880, 6, 845 + 1_880),
    ("euc-jp", 7_336, 6, 457),
    ("euc-kr", 17_048, 0, 8_822),
    ("gbk", 23_940, 22, 16_475),
    ("gb18030", 23_940, 20, 0),
    ("big5", 18_594, 11, 5_133),
];

fn differences(label: &str, units: usize, wanted: (usize, usize)) {
    let encoding = get_an_encoding(label.as_bytes()).expect("a label");
    let (mut seen, mut others, mut absent) = (0, 0, 0);
    for lead in 0x81..=0xFE {
        for trail in 0x30..=0xFE {
            // 8E opens katakana in EUC-JP, in the other set of the standard.
            if label == "euc-jp" && lead < 0xA1 {
                continue;
            }
            let bytes = [lead, trail];
            let found: Vec<Unit<'_>> = inspect(&bytes, encoding).collect();
            let [unit] = found.as_slice() else { continue };
            if unit.malformed.is_some() {
                continue;
            }
            seen += 1;
            match unit.strict().map(|strict| strict.character) {
                Some(Some(_)) => others += 1,
                Some(None) => absent += 1,
                None => {}
            }
        }
    }
    assert_eq!((seen, (others, absent)), (units, wanted));
}
