//! What holds for every check and every mend; proptest draws the documents.

#[path = "support/fix_laws.rs"]
mod fix_laws;
#[path = "support/hostile.rs"]
mod hostile;

use proptest::collection::vec;
use proptest::prelude::*;
use unbake::{CheckOptions, Context, CsvReader, FixError, Format, decode, fix};

fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: asked.and_then(|asked| asked.parse().ok()).unwrap_or(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(6000))]

    #[test]
    fn sound_documents(choices in vec(any::<u16>(), 0..14), seed in any::<u64>()) {
        let (bytes, context, options) = fix_laws::document(&choices, seed);
        fix_laws::fix_keeps_every_character(&bytes, &context, &options);
    }

    #[test]
    fn hostile_documents(choices in vec(any::<u16>(), 1..16), context in any::<u64>()) {
        let (bytes, context) = (hostile::page(&choices), hostile::context(context));
        fix_laws::fix_keeps_every_character(&bytes, &context, &CheckOptions::default());
    }

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..64), context in any::<u64>()) {
        fix_laws::fix_keeps_every_character(&bytes, &hostile::context(context), &CheckOptions::default());
    }
}

/// The law is empty where nothing is ever mended: of the sound documents, many are.
#[test]
fn many_documents_are_mended() {
    let mut random = hostile::Random::new(1);
    let mut mended = 0;
    for _ in 0..2000 {
        let choices = random.choices(10);
        let (bytes, context, options) = fix_laws::document(&choices, random.next());
        mended += usize::from(fix_laws::fix_keeps_every_character(
            &bytes, &context, &options,
        ));
    }
    assert!(mended > 300, "{mended} of 2000");
}

fn html() -> Context {
    Context {
        format: Some(Format::Html),
        ..Context::default()
    }
}

fn mend(bytes: &[u8], context: &Context) -> Result<String, FixError> {
    let fixed = fix(bytes, context, &CheckOptions::default())?.expect("something to mend");
    let after = Context {
        user_override: None,
        ..context.clone()
    };
    assert_eq!(
        decode(&fixed.bytes, &after).decision.encoding.name(),
        "UTF-8"
    );
    Ok(String::from_utf8(fixed.bytes).expect("UTF-8"))
}

#[test]
fn the_declaration_moves_into_the_window() {
    let page = format!(
        "<!DOCTYPE html>\n<html>\n<head>\n<!--{}-->\n<meta charset=windows-1251>\n<p>",
        "x".repeat(1100)
    );
    let mut bytes = page.clone().into_bytes();
    bytes.extend(b"\xCF\xF0");
    let mended = mend(&bytes, &html()).expect("mended");
    assert!(
        mended.starts_with("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<!--"),
        "{mended}"
    );
    assert!(mended.ends_with("-->\n\n<p>Пр"), "{mended}");
}

#[test]
fn no_meta_goes_before_a_doctype() {
    let page = format!("<!--{}--><!DOCTYPE html><p>ü", "x".repeat(1100));
    let mended = mend(page.as_bytes(), &html()).expect("mended");
    assert_eq!(mended, format!("\u{FEFF}{page}"));
}

#[test]
fn a_header_that_says_otherwise_needs_a_mark() {
    let context = Context {
        content_type: vec![b"text/html; charset=koi8-r".to_vec()],
        ..Context::default()
    };
    let mended = mend(b"<meta charset=koi8-r><p>\xF0", &context).expect("mended");
    assert_eq!(mended, "\u{FEFF}<meta charset=utf-8><p>П");
}

#[test]
fn nothing_is_mended_on_a_guess() {
    let refused = mend(b"<p>\xE9t\xE9 \xE0 la plage, c'\xE9tait bien", &html());
    assert!(matches!(refused, Err(FixError::Guessed(_))), "{refused:?}");
    let refused = mend(b"<meta charset=windows-1252>\xC3\xA9", &html());
    assert!(
        matches!(refused, Err(FixError::Misdeclared(_))),
        "{refused:?}"
    );
}

#[test]
fn no_character_is_lost() {
    let refused = mend(b"<meta charset=shift_jis>\x93\xFA\x96\x7B\xFF", &html());
    match refused {
        Err(FixError::Malformed {
            count: 1, first, ..
        }) => assert_eq!(first.at, 28),
        other => panic!("{other:?}"),
    }
}

#[test]
fn marks_by_format() {
    let of = |format, bytes: &[u8], csv_for| {
        let context = Context {
            format: Some(format),
            ..Context::default()
        };
        let options = CheckOptions {
            csv_for,
            ..CheckOptions::default()
        };
        fix(bytes, &context, &options)
            .expect("mended")
            .map(|fixed| fixed.bytes)
    };
    let marked = b"\xEF\xBB\xBFa;\xC3\xA9\n";
    let plain = b"a;\xC3\xA9\n";
    assert_eq!(
        of(Format::Csv, plain, CsvReader::Excel).as_deref(),
        Some(&marked[..])
    );
    assert_eq!(of(Format::Csv, marked, CsvReader::Excel), None);
    assert_eq!(
        of(Format::Csv, marked, CsvReader::Others).as_deref(),
        Some(&plain[..])
    );
    assert_eq!(of(Format::Csv, plain, CsvReader::Others), None);
    assert_eq!(
        of(Format::Json, b"\xEF\xBB\xBF{}", CsvReader::Excel).as_deref(),
        Some(&b"{}"[..])
    );
    assert_eq!(
        of(Format::Json, b"\xFF\xFE{\x00}\x00", CsvReader::Excel).as_deref(),
        Some(&b"{}"[..])
    );
    assert_eq!(
        of(Format::Ndjson, b"\xEF\xBB\xBF{}\n", CsvReader::Excel).as_deref(),
        Some(&b"{}\n"[..])
    );
    assert_eq!(
        of(
            Format::Yaml,
            b"a\x00\x00\x00:\x00\x00\x00",
            CsvReader::Excel
        )
        .as_deref(),
        Some(&b"a:"[..])
    );
    assert_eq!(
        of(Format::Css, b"@CHARSET 'koi8-r' ; a{}", CsvReader::Excel).as_deref(),
        Some(&b"@charset \"utf-8\"; a{}"[..])
    );
    assert_eq!(
        of(
            Format::Xml,
            b"<?xml version='1.0' encoding='koi8-r'?><a>\xC1</a>",
            CsvReader::Excel
        )
        .as_deref(),
        Some("<?xml version='1.0' encoding='UTF-8'?><a>а</a>".as_bytes())
    );
}
