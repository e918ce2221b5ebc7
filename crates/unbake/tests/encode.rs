//! Text to bytes: the modes, the encodings beyond the standard's encoders, the places of errors, URL queries.

use unbake::{
    EncodeMode, Encoding, QuerySet, encode, get_an_encoding, get_an_output_encoding,
    percent_encode_query,
};

fn of(label: &str) -> Encoding {
    get_an_encoding(label.as_bytes()).expect("a label")
}

fn html(text: &str, label: &str) -> Vec<u8> {
    encode(text, of(label), EncodeMode::Html).expect("html mode refuses nothing")
}

#[test]
fn html_mode_writes_references() {
    assert_eq!(html("aé€한", "iso-8859-2"), b"a\xE9&#8364;&#54620;");
    assert_eq!(html("\u{1F600}", "big5"), b"&#128512;");
    // The one code point that gb18030 refuses.
    assert_eq!(html("\u{E5E5}", "gb18030"), b"&#58853;");
    assert_eq!(html("€", "gbk"), b"\x80");
    assert_eq!(html("€", "gb18030"), b"\xA2\xE3");
}

#[test]
fn iso_2022_jp_keeps_its_state_around_references() {
    // From JIS X 0208 back to ASCII before `&#`, and at the end.
    assert_eq!(html("日한", "iso-2022-jp"), b"\x1B$BF|\x1B(B&#54620;");
    assert_eq!(html("日", "iso-2022-jp"), b"\x1B$BF|\x1B(B");
    // Roman stays Roman: `&`, `#`, digits and `;` are the same there.
    assert_eq!(html("¥한", "iso-2022-jp"), b"\x1B(J\\&#54620;\x1B(B");
    // 5C and 7E are not ASCII in Roman.
    assert_eq!(html("¥\\", "iso-2022-jp"), b"\x1B(J\\\x1B(B\\");
    // What would be taken for controls of the encoding itself.
    for control in ["\u{E}", "\u{F}", "\u{1B}"] {
        assert_eq!(html(control, "iso-2022-jp"), b"&#65533;");
        let error = encode(control, of("iso-2022-jp"), EncodeMode::Fatal).expect_err("refused");
        assert_eq!(
            (error.char_at, error.character.to_string().as_str()),
            (0, control)
        );
    }
    // Half-width katakana are written full width.
    assert_eq!(html("ｱ", "iso-2022-jp"), b"\x1B$B%\"\x1B(B");
}

#[test]
fn fatal_mode_names_the_place() {
    let error = encode("dé 한", of("windows-1252"), EncodeMode::Fatal).expect_err("refused");
    assert_eq!((error.char_at, error.character), (4, '한'));
    assert_eq!(
        error.to_string(),
        "windows-1252 has no bytes for `한` (U+D55C) at UTF-8 byte 4"
    );
    assert_eq!(
        encode("dé", of("latin1"), EncodeMode::Fatal).expect("encodable"),
        b"d\xE9"
    );
}

#[test]
fn utf_16_is_meant_where_it_is_asked_for() {
    assert_eq!(html("a\u{1F600}", "utf-16le"), b"a\x00\x3D\xD8\x00\xDE");
    assert_eq!(html("a\u{1F600}", "utf-16be"), b"\x00a\xD8\x3D\xDE\x00");
    let encoded = |encoding| encode("a\u{1F600}", encoding, EncodeMode::Fatal).expect("encodable");
    assert_eq!(encoded(Encoding::Utf32Le), b"a\0\0\0\x00\xF6\x01\x00");
    assert_eq!(encoded(Encoding::Utf32Be), b"\0\0\0a\x00\x01\xF6\x00");
    // What a form or a URL sends.
    for label in ["utf-16le", "utf-16be", "iso-2022-kr"] {
        assert_eq!(get_an_output_encoding(of(label)), Encoding::UTF_8);
    }
    assert_eq!(html("é", "replacement"), "é".as_bytes());
}

#[test]
fn query_percent_encoding() {
    let query = |text: &str, label: &str, set| percent_encode_query(text, of(label), set);
    // The two sets differ by the apostrophe.
    assert_eq!(
        query(" \"#<>'", "utf-8", QuerySet::Query),
        "%20%22%23%3C%3E'"
    );
    assert_eq!(
        query(" \"#<>'", "utf-8", QuerySet::SpecialQuery),
        "%20%22%23%3C%3E%27"
    );
    // `&#N;` in place of a character is escaped whole, typed by hand it is not.
    assert_eq!(
        query("€&#8364;", "iso-8859-2", QuerySet::SpecialQuery),
        "%26%238364%3B&%238364;"
    );
    // The state of ISO-2022-JP runs through.
    assert_eq!(
        query("日한a", "iso-2022-jp", QuerySet::SpecialQuery),
        "%1B$BF|%1B(B%26%2354620%3Ba"
    );
    assert_eq!(query("é", "utf-16le", QuerySet::SpecialQuery), "%C3%A9");
    assert_eq!(query("\u{7F}~", "utf-8", QuerySet::SpecialQuery), "%7F~");
}
