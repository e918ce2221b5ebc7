//! Random pages. A seed tells them all.
//!
//! Left out, because Chromium is known to differ from the other engines or to depend on timing there: an attribute twice on a meta,
//! U+000B and an unmatched quote in `content`, noscript, pages that come in pieces, text before a declaration past 4 KB, a byte order
//! mark without a Content-Type, undeclared UTF-16. Of headers: `charset= "x"`, whose quotes Chromium takes off and the standard
//! does not (a space stands before them); and, of three values of the same type, the second one's charset, which "extract a MIME
//! type" forgets and Chromium hands on to the third.

use crate::writer;

/// A small generator of random numbers (xorshift*).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        // Neighbouring seeds must not give neighbouring pages, and 0 is no state.
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides
    }

    /// True once in `sides` rolls.
    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

#[derive(Clone)]
pub(crate) struct Page {
    /// One value a header line.
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
}

const LABELS: &[&str] = &[
    "utf-8",
    "UTF-8",
    "utf8",
    "unicode-1-1-utf-8",
    "iso-8859-1",
    "latin1",
    "us-ascii",
    "windows-1252",
    "windows-1251",
    "koi8-r",
    "koi8-u",
    "windows-1250",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "logical",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "shift_jis",
    "x-sjis",
    "ms_kanji",
    "euc-jp",
    "iso-2022-jp",
    "gb2312",
    "gbk",
    "gb18030",
    "big5",
    "big5-hkscs",
    "euc-kr",
    "ks_c_5601-1987",
    "windows-949",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "windows-874",
    "tis-620",
    "iso-8859-9",
    "iso-8859-11",
    "macintosh",
    "x-mac-cyrillic",
    "ibm866",
    "utf-16",
    "utf-16le",
    "utf-16be",
    "unicodefffe",
    "x-user-defined",
    "iso-2022-kr",
    "hz-gb-2312",
    "replacement",
];

const NO_LABELS: &[&str] = &[
    "bogus",
    "utf-7",
    "utf-9",
    "utf 8",
    "utf-8,",
    "utf-32",
    "iso-2022-cn-x",
    "shift-jis-2004",
    "cp932x",
    "none",
    "koi8",
    "x",
];

const TEXTS: &[&str] = &[
    "Grüße, naïve café “quoted” – dash",
    "Привет, мир: объявление",
    "日本語のテキスト、カタカナ",
    "ﾊﾝｶｸ 〜 髙﨑",
    "中文网页 欢迎光临",
    "繁體中文 歡迎光臨",
    "한국어 문서 뷁",
    "Ελληνικά κείμενα",
    "שלום עולם",
    "مرحبا بالعالم",
    "ภาษาไทย",
    "Příliš žluťoučký kůň",
    "plain ascii",
    "Łódź, zażółć",
    "ığüşöç İstanbul",
    "Đường phố",
    "Žemaitė, ąžuolas",
    "Їжак і ґава",
    "€ ‰ Œ œ ™",
    "😀 𠀋 é",
];

/// Elements that hold text: a declaration within is none.
const TEXT_ELEMENTS: &[&str] = &[
    "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes",
];

/// Bytes before which, or around which, a declaration may stand.
const PIECES: &[&str] = &[
    "<html lang=x>",
    "<head>",
    "</head>",
    "<body>",
    "<p>",
    "</p>",
    "<div title='>'>",
    "<link rel=x>",
    "<base>",
    "<object>",
    "</object>",
    "<!-- a -- b -->",
    "<!---->",
    "<!-->",
    "<!--->",
    "<!-- x --!>",
    "<!x>",
    "<?php x ?>",
    "</>",
    "</ x>",
    "<3",
    "text",
    " \n\t",
    "<title>x</title>",
    "<script>if (a<b) c</script>",
    "<script><!-- <script></script> --></script>",
    "<style>a>b{}</style>",
    "<meta name=viewport content=x>",
    "<meta>",
    "<meta/>",
    "<metadata charset=big5>",
    "<a title=\"<meta charset=koi8-u>\">",
    "<br/>",
    "</title>",
    "</script>",
    "<title/>",
    "<x charset=big5>",
    "<p charset=big5>",
    "&lt;meta charset=big5&gt;",
];

fn label<'a>(dice: &mut Dice) -> &'a str {
    if dice.one_in(9) {
        dice.pick(NO_LABELS)
    } else {
        dice.pick(LABELS)
    }
}

/// The value of one header line that says text/html, with or without a charset that counts.
fn content_type(dice: &mut Dice, label: &str) -> String {
    match dice.roll(13) {
        0..=2 => format!("text/html; charset={label}"),
        3 => format!("text/html;charset=\"{label}\""),
        4 => format!("text/html; charset='{label}'"),
        5 => format!("TEXT/HTML; x=y; Charset= {label}"),
        6 => format!("text/html; charset ={label}"),
        7 => format!("text/html; charset={label}; charset=big5"),
        8 => format!("text/html; charset=; charset={label}"),
        9 => format!("text/html;;; charset={label};"),
        10 => format!("text/html; charset=\"{label}"),
        11 => format!("text/html; x=\"; charset=big5\"; charset={label}"),
        12 => format!("text/html; charset=\"\\{label}\" junk"),
        _ => format!("text/html; charset=\"{label}\"; x=\"\\\"\""),
    }
}

fn headers(dice: &mut Dice, declared: &str) -> Vec<String> {
    let html = || "text/html".to_owned();
    match dice.roll(16) {
        0..=6 => vec![html()],
        7..=9 => {
            let of = if dice.one_in(2) {
                declared
            } else {
                label(dice)
            };
            vec![content_type(dice, of)]
        }
        10 => vec![content_type(dice, declared), html()],
        11 => vec![html(), content_type(dice, declared)],
        12 => vec![
            format!("text/plain;charset={}", label(dice)),
            content_type(dice, declared),
        ],
        13 => vec![format!("text/html;charset={declared}, text/html")],
        14 => vec![format!(
            "text/html;charset=big5,text/html;charset={declared}"
        )],
        _ => Vec::new(),
    }
}

fn mixed_case(dice: &mut Dice, word: &str) -> String {
    word.chars()
        .map(|c| {
            if dice.one_in(2) {
                c.to_ascii_uppercase()
            } else {
                c
            }
        })
        .collect()
}

fn meta(dice: &mut Dice, label: &str) -> String {
    let first = label.chars().next().unwrap_or('x');
    let rest = label.get(first.len_utf8()..).unwrap_or_default();
    match dice.roll(24) {
        0 => format!("<meta charset={label}>"),
        1 => format!("<META CHARSET = \"{label}\" >"),
        2 => format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={label}\">"),
        3 => format!("<meta content='text/html;charset={label}' http-equiv=content-type />"),
        4 => format!("<meta charset=\"&#x{:x};{rest}\">", u32::from(first)),
        5 => format!("<meta name=x content=\"text/html; charset={label}\">"),
        6 => format!("<meta charset='\t{label}\n'>"),
        7 => format!("<meta\ncharset\n=\n{label}\n>"),
        8 => format!("<meta/charset={label}/>"),
        9 => format!("<meta charset=\"{label}\"/>"),
        10 => format!(
            "<{} {}={label}>",
            mixed_case(dice, "meta"),
            mixed_case(dice, "charset")
        ),
        11 => format!("<meta http-equiv=content-type content='x charset charset = \"{label}\" y'>"),
        12 => format!("<meta http-equiv=content-type content='charset={label};x'>"),
        13 => format!("<meta http-equiv=refresh-not content='text/html; charset={label}'>"),
        14 => format!("<meta http-equiv=' content-type' content='text/html; charset={label}'>"),
        15 => format!("<meta a=1 b='>' c=\"<\" charset={label} d>"),
        16 => format!("<meta charset=bogus><meta charset={label}>"),
        17 => format!(
            "<meta http-equiv=content-type content='text/html; charset={label}' charset={label}>"
        ),
        18 => format!("<meta charset={label}<p>"),
        19 => format!("</meta charset={label}>"),
        20 => format!("<meta =charset={label}>"),
        21 => format!("<meta charset&#61;{label}>"),
        22 => format!("<meta http-equiv=content-type content='text/html; CHARSET&#x3d;{label}'>"),
        _ => String::new(),
    }
}

/// Around a declaration: nothing, mostly, or what hides it.
fn wrapped(dice: &mut Dice, meta: &str) -> String {
    match dice.roll(12) {
        0 => format!("<!--{meta}-->"),
        1 => format!("<!-- {meta}"),
        2 => {
            let name = dice.pick(TEXT_ELEMENTS);
            format!("<{name}>{meta}</{name}>")
        }
        3 => {
            let name = dice.pick(TEXT_ELEMENTS);
            format!("<{name} x>{meta}</{name}x></{name} >")
        }
        4 => format!("<![CDATA[{meta}]]>"),
        5 => format!("<script><!--<script>{meta}</script>--></script>"),
        _ => meta.to_owned(),
    }
}

/// The bytes of a text; characters that the encoding lacks are left out, or the encoder would write references.
fn written(text: &str, encoding: &'static encoding_rs::Encoding) -> Vec<u8> {
    let text: String = text
        .chars()
        .filter(|c| c.is_ascii() || !encoding.encode(c.encode_utf8(&mut [0; 4])).2)
        .collect();
    encoding.encode(&text).0.into_owned()
}

/// What a reader may stumble over: random bytes, none of which is markup, a control or the start of an escape sequence.
fn soup(dice: &mut Dice) -> Vec<u8> {
    (0..dice.roll(60))
        .map(|_| match dice.roll(4) {
            0 => b'0' + dice.roll(10) as u8,
            1 => b'@' + dice.roll(63) as u8,
            _ => 0x80 + dice.roll(128) as u8,
        })
        .collect()
}

fn xml_declaration(dice: &mut Dice, label: &str) -> String {
    match dice.roll(5) {
        0 => format!("<?xml version='1.0' encoding='{label}'?>"),
        1 => format!("<?xml version=\"1.0\"\nencoding = \"{label}\" standalone='no'?>"),
        2 => format!("<?xml encoding=\"{label}'>"),
        3 => format!(" <?xml version='1.0' encoding='{label}'?>"),
        _ => format!("<?xml version='1.0' encoding={label}?>"),
    }
}

pub(crate) fn page(dice: &mut Dice) -> Page {
    let declared = label(dice);
    // Usually the encoding that is declared; sometimes another, so that malformed bytes occur.
    let encoding = writer(if dice.one_in(4) {
        label(dice)
    } else {
        declared
    });
    let headers = headers(dice, declared);
    if dice.one_in(25) {
        return utf_16_page(dice, headers);
    }
    let mut body = Vec::new();
    // Without a Content-Type the browser must see HTML in the first bytes.
    if headers.is_empty() {
        body.extend_from_slice(b"<!DOCTYPE html>");
    } else if dice.one_in(7) {
        body.extend_from_slice(b"\xEF\xBB\xBF");
    }
    if dice.one_in(6) {
        let of = label(dice);
        body.extend_from_slice(xml_declaration(dice, of).as_bytes());
    }
    for _ in 0..dice.roll(4) {
        body.extend_from_slice(dice.pick(PIECES).as_bytes());
    }
    if dice.one_in(4) {
        // Text before the declaration is read in its encoding too.
        let text = dice.pick(TEXTS);
        body.extend_from_slice(b"<title>");
        body.extend(written(text, encoding));
        body.extend_from_slice(b"</title>");
    }
    let meta = meta(dice, declared);
    let meta = wrapped(dice, &meta);
    filler(dice, &mut body, meta.len());
    body.extend_from_slice(meta.as_bytes());
    for _ in 0..dice.roll(3) {
        body.extend_from_slice(dice.pick(PIECES).as_bytes());
    }
    if dice.one_in(4) {
        let of = label(dice);
        body.extend_from_slice(self::meta(dice, of).as_bytes());
    }
    body.extend_from_slice(b"<p id=t>");
    let text = dice.pick(TEXTS);
    body.extend(written(text, encoding));
    if dice.one_in(3) {
        body.extend(soup(dice));
    }
    body.extend_from_slice(b"</p>");
    // Whole units, should it be read as UTF-16.
    if body.len() % 2 == 1 {
        body.push(b'\n');
    }
    Page { headers, body }
}

/// Room before the declaration, so that it stands at the start, well before or after byte 1024, or right at it: its first byte or its
/// last, give or take a few.
fn filler(dice: &mut Dice, body: &mut Vec<u8>, meta: usize) {
    let (open, close) = match dice.roll(6) {
        0 => ("<!--", "-->"),
        1 => ("<script>'", "'</script>"),
        2 => ("<style>", "</style>"),
        3 => ("<link rel=x title=\"", ">\">"),
        4 => ("<p>", "</p>"),
        _ => ("", ""),
    };
    let target = match dice.roll(9) {
        0 => 1024 - 3 + dice.roll(7),
        1 => 1024 - 3 + dice.roll(7) - meta.min(1000),
        2 => 900 + dice.roll(250),
        3 => 1500,
        // ASCII alone may stand before a declaration that far.
        4 if body.is_ascii() => 6000,
        _ => return,
    };
    let here = body.len() + open.len() + close.len();
    body.extend_from_slice(open.as_bytes());
    body.extend(std::iter::repeat_n(b'x', target.saturating_sub(here)));
    body.extend_from_slice(close.as_bytes());
}

/// UTF-16 that says so: by a byte order mark, or by a header of its own.
fn utf_16_page(dice: &mut Dice, headers: Vec<String>) -> Page {
    let big_endian = dice.one_in(2);
    let marked = dice.one_in(2) && !headers.is_empty();
    let text = format!(
        "<!doctype html><meta charset={}><p id=t>{}</p>",
        label(dice),
        dice.pick(TEXTS)
    );
    let mark = if marked { "\u{FEFF}" } else { "" };
    let body = format!("{mark}{text}")
        .encode_utf16()
        .flat_map(|unit| {
            if big_endian {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        })
        .collect();
    let label = if big_endian { "utf-16be" } else { "utf-16" };
    let headers = if marked {
        headers
    } else {
        vec![format!("text/html;charset={label}")]
    };
    Page { headers, body }
}
