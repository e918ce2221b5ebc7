//! The Encoding Standard read a second time, from its own index files, and compared with the decoders and encoders in use: every string of one
//! or two bytes in all 40 encodings, millions of longer ones, every scalar value.
#![allow(clippy::print_stdout)] // counts are what a comparison has to say

#[path = "second_reading/decoders.rs"]
mod decoders;
#[path = "second_reading/encoders.rs"]
mod encoders;
#[path = "support/hostile.rs"]
mod hostile;
#[path = "second_reading/indexes.rs"]
mod indexes;
#[path = "second_reading/japanese.rs"]
mod japanese;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hostile::Random;
use indexes::Indexes;
use libtest_mimic::{Arguments, Failed, Trial};
use unbake::{Context, EncodeMode, Encoding, Format, Stream, decode, encode, get_an_encoding};

fn main() {
    let arguments = Arguments::from_args();
    let folder = shared().map(|shared| shared.join("suites/whatwg-encoding"));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        println!("not run: second reading of the Encoding Standard (set UNBAKE_SHARED)");
        let ignored = Trial::test("second reading", || Ok(())).with_ignored_flag(true);
        libtest_mimic::run(&arguments, vec![ignored]).exit();
    };
    let indexes = Arc::new(Indexes::read(&folder));
    let names = names(&folder);
    assert_eq!(names.len(), 40, "the standard's encodings");
    let mut trials = Vec::new();
    for name in names {
        let of = |what: &str, run: fn(&Indexes, &str) -> Result<u64, String>| {
            let (indexes, name) = (Arc::clone(&indexes), name.clone());
            let title = format!("{name}: {what}");
            Trial::test(title.clone(), move || {
                let count = run(&indexes, &name).map_err(Failed::from)?;
                println!("{title}: {count}");
                Ok(())
            })
        };
        trials.push(of(
            "every string of one and two bytes, and after a prefix",
            short_strings,
        ));
        trials.push(of("longer strings, whole and in chunks", long_strings));
        trials.push(of("every scalar value, encoded", scalar_values));
        trials.push(of("texts, encoded", texts));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn shared() -> Option<PathBuf> {
    let folder = match std::env::var_os("UNBAKE_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    folder.is_dir().then_some(folder)
}

/// The names of all encodings, as the standard's own list has them.
fn names(folder: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder.join("encodings.json")).expect("encodings.json");
    let groups: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let groups = groups.as_array().expect("groups").iter();
    groups
        .flat_map(|group| group["encodings"].as_array().expect("encodings"))
        .map(|encoding| encoding["name"].as_str().expect("a name").to_owned())
        .collect()
}

fn encoding(name: &str) -> Encoding {
    get_an_encoding(name.as_bytes()).expect("the standard's name is a label")
}

/// What the library makes of bytes that are said to be in this encoding. A byte order mark decides there, so such bytes are left out.
fn ours(name: &str, bytes: &[u8]) -> Option<(String, u64)> {
    if unbake::bom_sniff(bytes).is_some() {
        return None;
    }
    let decoded = decode(bytes, &said(name));
    Some((decoded.text.into_owned(), decoded.malformed.count))
}

fn said(name: &str) -> Context {
    Context {
        user_override: Some(encoding(name)),
        format: Some(Format::Text),
        ..Context::default()
    }
}

fn compare<T: PartialEq + std::fmt::Debug>(
    what: &str,
    of: &[u8],
    got: &T,
    want: &T,
) -> Result<(), String> {
    if got == want {
        Ok(())
    } else {
        Err(format!("{what} of {of:02X?}: got {got:?}, want {want:?}"))
    }
}

fn one(indexes: &Indexes, name: &str, bytes: &[u8]) -> Result<(), String> {
    let (want, errors) = decoders::decode(indexes, name, bytes);
    let web = encoding(name).web().expect("one of the web's");
    let (text, malformed) = web.decode_without_bom_handling(bytes);
    compare("encoding_rs's text", bytes, &text.as_ref(), &want.as_str())?;
    compare("encoding_rs's errors", bytes, &malformed, &(errors > 0))
}

fn short_strings(indexes: &Indexes, name: &str) -> Result<u64, String> {
    let mut count = 0;
    for first in 0..=0xFF_u8 {
        one(indexes, name, &[first])?;
        count += 1;
        for second in 0..=0xFF_u8 {
            let bytes = [first, second];
            one(indexes, name, &bytes)?;
            count += 1;
            // The library adds bookkeeping to encoding_rs: a sixteenth of all pairs goes through it too.
            let got = ours(name, &bytes).filter(|_| (first ^ second).trailing_zeros() >= 4);
            if let Some(got) = got {
                let want = decoders::decode(indexes, name, &bytes);
                compare("text and errors", &bytes, &got, &want)?;
            }
        }
    }
    // Every pair after what changes its meaning.
    let prefixes: &[&[u8]] = match name {
        "EUC-JP" => &[b"\x8F", b"\x8E"],
        "ISO-2022-JP" => &[
            b"\x1B$B", b"\x1B$@", b"\x1B(J", b"\x1B(I", b"\x1B$B!", b"\x1B",
        ],
        "gb18030" | "GBK" => &[b"\x81\x30", b"\x84\x31"],
        "UTF-8" => &[b"\xE0", b"\xED", b"\xF0\x90", b"\xF4\x8F"],
        "UTF-16LE" => &[b"\x3D\xD8", b"\xFF\xDB"],
        "UTF-16BE" => &[b"\xD8\x3D", b"\xDB\xFF"],
        _ => &[],
    };
    for prefix in prefixes {
        for pair in 0..=u16::MAX {
            one(indexes, name, &[*prefix, &pair.to_be_bytes()].concat())?;
            count += 1;
        }
    }
    Ok(count)
}

/// Bytes that tend to matter in multi-byte encodings.
fn bytes(random: &mut Random, name: &str) -> Vec<u8> {
    let len = random.below(12) + 3;
    let byte = |random: &mut Random| match (name, random.below(8)) {
        ("ISO-2022-JP", 0..=2) => [0x1B, 0x28, 0x24, 0x42, 0x4A, 0x49, 0x40][random.below(7)],
        ("ISO-2022-JP", _) => random.below(0x80) as u8,
        ("gb18030" | "GBK", 0..=2) => 0x30 + random.below(10) as u8,
        ("UTF-8", 0..=4) => 0x80 + random.below(0x80) as u8,
        ("UTF-16LE" | "UTF-16BE", 0..=3) => 0xD7 + random.below(10) as u8,
        ("EUC-JP", 0..=1) => 0x8E + random.below(2) as u8,
        ("Shift_JIS" | "Big5" | "EUC-KR" | "EUC-JP", 2..=5) => 0x80 + random.below(0x80) as u8,
        (_, 6) => [
            0x00, 0x20, 0x3C, 0x41, 0x5C, 0x7E, 0x7F, 0x80, 0xA0, 0xFE, 0xFF,
        ][random.below(11)],
        _ => random.below(0x100) as u8,
    };
    (0..len).map(|_| byte(random)).collect()
}

fn is_single_byte(name: &str) -> bool {
    let web = encoding(name).web().expect("one of the web's");
    web.is_single_byte()
}

fn long_strings(indexes: &Indexes, name: &str) -> Result<u64, String> {
    let mut random = Random::new(0x756E_6261_6B65);
    let rounds = if is_single_byte(name) { 2_000 } else { 60_000 };
    for round in 0..rounds {
        let bytes = bytes(&mut random, name);
        one(indexes, name, &bytes)?;
        if round % 8 != 0 || unbake::bom_sniff(&bytes).is_some() {
            continue;
        }
        let want = decoders::decode(indexes, name, &bytes);
        compare(
            "text and errors",
            &bytes,
            &ours(name, &bytes).unwrap_or_default(),
            &want,
        )?;
        let sizes = [random.below(3), 1, random.below(4), 2];
        let streamed = hostile::stream(&bytes, Stream::new(said(name)), &sizes);
        let (text, _, malformed, _) = streamed.map_err(|e| e.to_string())?;
        compare(
            "text and errors in chunks",
            &bytes,
            &(text, malformed.count),
            &want,
        )?;
    }
    // Every code of four bytes, a stride at a time.
    if name == "gb18030" {
        let edges = [
            7_456_usize,
            7_457,
            7_458,
            39_419,
            39_420,
            188_999,
            189_000,
            1_237_575,
            1_237_576,
        ];
        for pointer in (0..126 * 10 * 126 * 10_usize).step_by(7).chain(edges) {
            let code = [
                0x81 + (pointer / 12_600) as u8,
                0x30 + (pointer / 1_260 % 10) as u8,
                0x81 + (pointer / 10 % 126) as u8,
                0x30 + (pointer % 10) as u8,
            ];
            one(indexes, name, &code)?;
        }
    }
    Ok(rounds)
}

/// The encoder that forms use. UTF-16 and replacement have none: there it is UTF-8's.
fn output(name: &str) -> (Encoding, &'static str) {
    let output = unbake::get_an_output_encoding(encoding(name));
    (output, output.name())
}

fn encoded(indexes: &Indexes, name: &str, text: &str) -> Result<(), String> {
    let (encoding, output) = output(name);
    let got = encode(text, encoding, EncodeMode::Html).map_err(|e| e.to_string())?;
    let want = encoders::encode(indexes, output, text);
    if got == want {
        Ok(())
    } else {
        Err(format!(
            "{text:?} encoded: got {got:02X?}, want {want:02X?}"
        ))
    }
}

fn scalar_values(indexes: &Indexes, name: &str) -> Result<u64, String> {
    let mut count = 0;
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    // Beyond the ideographs of plane 2 nothing but gb18030 and UTF-8 has characters; a sample shows that.
    let dense = 0x2_F800 - 0x800;
    let sample = all[dense..].iter().step_by(61);
    let all: Vec<char> = all[..dense].iter().chain(sample).copied().collect();
    for block in all.chunks(512) {
        let text: String = block.iter().collect();
        count += block.len() as u64;
        if encoded(indexes, name, &text).is_err() {
            for c in block {
                encoded(indexes, name, &c.to_string())?;
            }
            encoded(indexes, name, &text)?;
        }
    }
    Ok(count)
}

/// Texts that change states: what matters in ISO-2022-JP.
fn texts(indexes: &Indexes, name: &str) -> Result<u64, String> {
    const CHARACTERS: &[char] = &[
        'a', '\\', '~', '\n', '\u{E}', '\u{1B}', '¥', '‾', '−', '日', '本', 'ｱ', 'ﾞ', 'é', '€',
        '한', '中', '😀', '&', ';', '\u{80}', '\u{E000}', '\u{E5E5}', '\u{E7C7}', '\u{FFFD}', '╞',
        '兀', '\u{F780}',
    ];
    let mut random = Random::new(0x7465_7874);
    let rounds = if name == "ISO-2022-JP" {
        100_000
    } else {
        2_000
    };
    for _ in 0..rounds {
        let len = random.below(8) + 1;
        let text: String = (0..len)
            .map(|_| CHARACTERS[random.below(CHARACTERS.len())])
            .collect();
        encoded(indexes, name, &text)?;
    }
    Ok(rounds)
}
