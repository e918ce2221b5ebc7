//! What holds for every check and every mend.
#![allow(dead_code)] // each binary uses its part

use unbake::{
    CheckOptions, CheckRule, Context, CsvReader, EncodeMode, Encoding, FixError, Format, Mend,
    check, decode, encode, fix, get_an_encoding,
};

/// Everything that `check` and `fix` promise about one document. Answers whether it was mended.
pub(crate) fn fix_keeps_every_character(
    bytes: &[u8],
    context: &Context,
    options: &CheckOptions,
) -> bool {
    let checked = check(bytes, context, options);
    for finding in &checked.findings {
        let (start, end) = finding.at;
        assert!(start <= end && end <= bytes.len() as u64, "{finding:?}");
        let place = checked.place(finding);
        assert!(
            place.excerpt.get(place.caret.0..place.caret.1).is_some(),
            "{place:?}"
        );
        assert!(place.line >= 1 && place.column >= 1, "{place:?}");
    }
    let before = decode(bytes, context);
    assert_eq!(checked.text, before.text, "the check changes the text");
    let fixed = match fix(bytes, context, options) {
        Ok(Some(fixed)) => fixed,
        Ok(None) => return false,
        Err(FixError::Malformed { count, first, .. }) => {
            assert_eq!(count, before.malformed.count);
            assert_eq!(Some(&first), before.malformed.first.first());
            return false;
        }
        Err(_) => return false,
    };
    assert_eq!(before.malformed.count, 0, "a malformed document was mended");
    let after_context = Context {
        user_override: None,
        ..context.clone()
    };
    let after = decode(&fixed.bytes, &after_context);
    // The text is the original one with the listed edits, and every edit is about a declaration.
    assert_eq!(after.text, fixed.apply(&before.text), "{:?}", fixed.edits);
    assert_eq!(after.malformed.count, 0);
    let mut undone = String::new();
    let mut at = 0;
    for edit in &fixed.edits {
        assert!(edit.char_at >= at, "edits out of order: {:?}", fixed.edits);
        undone.push_str(&before.text[at..edit.char_at]);
        assert_eq!(
            &before.text[edit.char_at..edit.char_at + edit.was.len()],
            edit.was
        );
        undone.push_str(&edit.was);
        at = edit.char_at + edit.was.len();
        let words = format!("{}{}", edit.was, edit.now).to_ascii_lowercase();
        let label = get_an_encoding(edit.now.as_bytes()) == Some(Encoding::UTF_8);
        assert!(
            label || words.contains("charset") && words.len() < 300,
            "an edit that is about no declaration: {edit:?}"
        );
    }
    undone.push_str(&before.text[at..]);
    assert_eq!(undone, before.text, "the edits can not be undone");
    if fixed.edits.is_empty() {
        assert_eq!(after.text, before.text);
    }
    // Mended once is mended.
    match fix(&fixed.bytes, &after_context, options) {
        Ok(None) => {}
        other => panic!(
            "the mend is not idempotent: {:?}\nfirst {}\nfrom {}",
            other.map(|f| f.map(|f| brief(&f.bytes))),
            brief(&fixed.bytes),
            brief(bytes)
        ),
    }
    // What was mended is not found again, but for what the header says.
    let header = context.content_type.iter().any(|value| {
        value
            .to_ascii_lowercase()
            .windows(7)
            .any(|w| w == b"charset")
    });
    // The prescan also sees what stands in scripts and titles; that is no declaration to a browser, and is left alone.
    if !header && context.settings.declaration == unbake::Declaration::HeadScan {
        let again = check(&fixed.bytes, &after_context, options);
        for finding in &again.findings {
            assert!(
                finding.rule.mend() == Mend::ByHand
                    || finding.rule == CheckRule::CssCharsetInexact
                    || finding.rule == CheckRule::DeclarationLate && fixed.has_bom
                    // A label in character references, among attributes of other kinds, is left alone.
                    || again.text.contains("&#119;"),
                "found after the mend: {finding:?}\n{}",
                brief(&fixed.bytes)
            );
        }
    }
    true
}

/// Bytes for a message, repetitions cut.
fn brief(bytes: &[u8]) -> String {
    let mut kept: Vec<u8> = Vec::new();
    for &byte in bytes {
        if kept.ends_with(&[byte; 8]) {
            continue;
        }
        kept.push(byte);
    }
    format!("{} ({} bytes)", kept.escape_ascii(), bytes.len())
}

const PIECES: &[&str] = &[
    "<!DOCTYPE html>",
    "<!doctype html>\n",
    "<html>",
    "<html lang=\"a > b\">",
    "<head>",
    "<HEAD>\n",
    "<meta charset=$>",
    "<meta charset='$'>",
    "<meta charset = \"$\" />",
    "<META CHARSET=$ name=x>",
    "<meta http-equiv=content-type content=\"text/html; charset=$\">",
    "<meta content='text/html;charset=$' http-equiv='Content-Type'>",
    "<meta http-equiv=content-type content=\"charset=$\" charset=$>",
    "<meta content=\"text/html; charset=$\">",
    "<meta data-charset=$ charset=utf-8>",
    "<meta charset=&#119;indows-1251>",
    "<meta charset=no-such-label>",
    "<?xml version=\"1.0\" encoding=\"$\"?>",
    "@charset \"$\";",
    "@charset '$';",
    "/* c */ @charset \"$\" ;",
    "<!-- comment -->",
    "<!-->",
    "<!--",
    "-->",
    "<title>",
    "</title>",
    "<script>",
    "</script>",
    "<body><p>",
    "<p title='a>b'>",
    "{\"a\": 1}\n",
    "a;b\n",
    "\r",
    "\u{FEFF}",
    "é",
    "Привет",
    "日本語",
    "ü’“—",
    "한국",
    "\u{92}",
    "\u{FFFD}",
    "😀",
    "text ",
    "\0",
];

const LABELS: &[&str] = &[
    "utf-8",
    "UTF8",
    "windows-1252",
    "iso-8859-1",
    "windows-1251",
    "koi8-r",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb2312",
    "gb18030",
    "big5",
    "euc-kr",
    "utf-16",
    "utf-16be",
    "x-user-defined",
    "hz-gb-2312",
    "macintosh",
    "iso-8859-2",
];

/// A document that is mostly sound: pieces in one encoding, which it mostly declares.
pub(crate) fn document(choices: &[u16], seed: u64) -> (Vec<u8>, Context, CheckOptions) {
    let mut rest = seed;
    let mut take = |limit: usize| {
        let taken = rest % limit as u64;
        rest /= limit as u64;
        taken as usize
    };
    let label = LABELS[take(LABELS.len())];
    let other = LABELS[take(LABELS.len())];
    let real = get_an_encoding(label.as_bytes()).expect("a label");
    let format = match take(6) {
        0 => Format::ALL[take(Format::ALL.len())],
        1 => Format::Css,
        2 => Format::Xml,
        _ => Format::Html,
    };
    let mut text = String::new();
    for &choice in choices {
        let piece = PIECES[usize::from(choice) % PIECES.len()];
        let mostly = if choice % 7 == 0 { other } else { label };
        text.push_str(&piece.replace('$', mostly));
        if choice > 64_000 {
            text.push_str(&"long ".repeat(220));
        }
    }
    let bom = take(3) == 0;
    let written = if bom { format!("\u{FEFF}{text}") } else { text };
    let bytes = encode(&written, real, EncodeMode::Html).unwrap_or_default();
    let content_type = match take(6) {
        0 => vec![format!("text/html; charset={label}").into_bytes()],
        1 => vec![format!("text/html; charset={other}").into_bytes()],
        2 => vec![b"text/html".to_vec()],
        _ => Vec::new(),
    };
    let profile = unbake::Profile::ALL[take(3)];
    let context = Context {
        format: Some(format),
        content_type,
        user_override: (take(3) == 0).then_some(real),
        local_file: take(2) == 0,
        ..Context::new(profile)
    };
    let options = CheckOptions {
        csv_for: if take(2) == 0 {
            CsvReader::Excel
        } else {
            CsvReader::Others
        },
        ..CheckOptions::default()
    };
    (bytes, context, options)
}
