//! Documents, contexts and cuts that look for trouble, made from plain numbers: what property tests shrink, fuzzers mutate and
//! seeded runs draw.
#![allow(dead_code)] // each user takes its part

use unbake::{
    Context, Encoding, Format, Parent, Profile, Progress, Settings, Stream, get_an_encoding,
};

/// A small generator of numbers (xorshift64*): the same seed, the same numbers, on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub(crate) fn choices(&mut self, most: usize) -> Vec<u16> {
        let count = self.below(most) + 1;
        (0..count).map(|_| self.next() as u16).collect()
    }
}

/// Labels: one of each family, and some that are none.
pub(crate) const LABELS: &[&str] = &[
    "utf-8",
    "koi8-r",
    "windows-1251",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb18030",
    "gbk",
    "big5",
    "euc-kr",
    "utf-16",
    "utf-16be",
    "x-user-defined",
    "replacement",
    "iso-8859-8-i",
    "latin1",
    "windows-1252",
    "bogus",
    "",
    " utf-8 ",
    "utf-7",
];

/// Markup and bytes that change how what follows is read. `@` stands for a label.
const PIECES: &[&[u8]] = &[
    b"<meta charset=@>",
    b"<meta charset=\"@\">",
    b"<META CHARSET='@' />",
    b"<meta charset = @ >",
    b"<meta/charset=@>",
    b"<meta charset=@",
    b"<meta charset=\"@",
    b"<meta http-equiv=content-type content=\"text/html; charset=@\">",
    b"<meta content='text/html;charset=@' http-equiv=Content-Type>",
    b"<meta content=\"text/html; charset=@\">",
    b"<meta http-equiv=content-type content=\"charset charset='@'\">",
    b"<meta charset=bogus http-equiv=content-type content='charset=@'>",
    b"<meta charset=@ charset=koi8-r>",
    b"<meta charset=&#119;indows-1251>",
    b"<meta charset=utf-8&colon;>",
    b"<meta",
    b"<metaa charset=@>",
    b"</meta charset=@>",
    b"<?xml version=\"1.0\" encoding=\"@\"?>",
    b"<?xml encoding='@'>",
    b"<?xml",
    b"<?x encoding='@'",
    b"<\0?\0x\0m\0l\0",
    b"\0<\0?\0x\0m\0l",
    b"@charset \"@\";",
    b"<!--",
    b"-->",
    b"--!>",
    b"<!-->",
    b"<!--->",
    b"<!- ",
    b"<script>",
    b"</script>",
    b"<script><!--<script>",
    b"</script x=\">\">",
    b"<style>",
    b"</style>",
    b"<title>",
    b"</title>",
    b"<textarea>",
    b"</textarea >",
    b"<xmp>",
    b"</xmp>",
    b"<noscript>",
    b"</noscript>",
    b"<plaintext>",
    b"<svg>",
    b"</svg>",
    b"<svg/>",
    b"<![CDATA[",
    b"]]>",
    b"<math>",
    b"</math>",
    b"<mi>",
    b"<annotation-xml encoding='text/html'>",
    b"<foreignObject>",
    b"</foreignobject>",
    b"<desc>",
    b"<font color=x>",
    b"<template>",
    b"</template>",
    b"<frameset>",
    b"<html>",
    b"<head>",
    b"</head>",
    b"<body>",
    b"</body>",
    b"<p>",
    b"<div>",
    b"</div>",
    b"<b>",
    b"</b>",
    b"<br>",
    b"<li>",
    b"<table>",
    b"<tr><td>",
    b"</table>",
    b"<select>",
    b"</select>",
    b"<input type=hidden>",
    b"<noframes>",
    b"</noframes>",
    b"</p title=\">\">",
    b"<a title='",
    b"'>",
    b"\">",
    b">",
    b"<",
    b"</",
    b"<!",
    b"<?php \"",
    b"=",
    b"/",
    b"\r\n",
    b" ",
    // Bytes.
    b"\xEF",
    b"\xEF\xBB",
    b"\xEF\xBB\xBF",
    b"\xFE",
    b"\xFF",
    b"\xFE\xFF",
    b"\xFF\xFE",
    b"\0",
    b"\x1B$B",
    b"\x1B(B",
    b"\x1B(J",
    b"\x1B(I",
    b"\x1B",
    b"\x1B$",
    b"$\"",
    b"\x93\xFA\x96\x7B\x8C\xEA",
    b"\xC6\xFC\xCB\xDC\xB8\xEC",
    b"\xCF\xF0\xE8\xE2\xE5\xF2",
    b"\xF0\xD2\xC9\xD7\xC5\xD4",
    b"\xBE\xC8\xB3\xE7",
    b"\xA4\xA4\xA4\xE5",
    b"\x81\x30\x81\x30",
    b"\x81\x30\x81",
    b"\x84\x31\xA4\x37",
    b"\x8F\xB0\xA1",
    b"\x8E\xB1",
    b"\x88\x62",
    b"\xC3\xA9",
    b"\xE4\xB8\xAD\xE6\x96\x87",
    b"\xF0\x9F\x98\x80",
    b"\xEF\xBF\xBD",
    b"\xED\xA0\x80",
    b"\xC0\xAF",
    b"\xE2\x82",
    b"\xF4\x90\x80\x80",
    b"\x80",
    b"\xA0",
    b"\xFD\xFF",
    b"\xD8\x00",
    b"\x00\xDC",
    b"h\0i\0",
    b"plain words ",
    b"caf\xE9 ",
    b"don\x92t ",
];

/// Adds what one number stands for.
pub(crate) fn piece(choice: u16, out: &mut Vec<u8>) {
    let index = usize::from(choice) % (PIECES.len() + 12);
    let more = usize::from(choice) / (PIECES.len() + 12);
    if let Some(piece) = PIECES.get(index) {
        let label = LABELS[more % LABELS.len()].as_bytes();
        let mark = if piece.starts_with(b"@charset") { 9 } else { 0 };
        for (at, &byte) in piece.iter().enumerate() {
            if byte == b'@' && at >= mark {
                out.extend_from_slice(label);
            } else {
                out.push(byte);
            }
        }
        return;
    }
    // Lengths: to the edge of the window, and past it.
    let to_edge = 1024_usize.saturating_sub(out.len());
    match index - PIECES.len() {
        0 => out.resize(out.len() + to_edge.saturating_sub(more % 48), b'x'),
        1 => out.resize(out.len() + to_edge.saturating_sub(more % 48), b' '),
        2 => {
            out.extend_from_slice(b"<!--");
            out.resize(out.len() + to_edge.saturating_sub(4 + more % 48), b'-');
            out.extend_from_slice(b"-->");
        }
        3 => {
            out.extend_from_slice(b"<link x='");
            out.resize(out.len() + to_edge.saturating_sub(more % 48), b'y');
            out.extend_from_slice(b"'>");
        }
        4 => out.resize(out.len() + 1 + more % 64, 0x20 + (more % 0x5F) as u8),
        5 => out.resize(out.len() + 1 + more % 16, 0x80 + (more % 0x80) as u8),
        6 => out.push(more as u8),
        7 => out.extend_from_slice(&[more as u8, (more >> 1) as u8 ^ 0xA5]),
        8 => out.extend_from_slice(&b"<link>".repeat(more % 40)),
        9 => out.extend_from_slice(&b"<p>words</p>\n".repeat(more % 40)),
        10 if more.is_multiple_of(8) && out.len() < 200_000 => {
            out.extend_from_slice(b"<link x='");
            out.resize(out.len() + (64 << 10) - more % 1100, b'z');
            out.extend_from_slice(b"'>");
        }
        11 if more.is_multiple_of(8) && out.len() < 200_000 => {
            out.resize(out.len() + (64 << 10) + more % 1100, b'w');
        }
        _ => out.extend_from_slice(b"<title>t</title>"),
    }
}

/// A document.
pub(crate) fn page(choices: &[u16]) -> Vec<u8> {
    let mut out = Vec::new();
    for &choice in choices {
        piece(choice, &mut out);
    }
    out
}

fn some_encoding(number: u64) -> Option<Encoding> {
    get_an_encoding(LABELS[number as usize % LABELS.len()].as_bytes())
}

/// A context: most of what can be known is mostly not known.
pub(crate) fn context(choice: u64) -> Context {
    let mut rest = choice;
    let mut take = |limit: u64| {
        let taken = rest % limit;
        rest /= limit;
        taken
    };
    let profile = Profile::ALL[take(3) as usize];
    let format = match take(12) {
        0 => Some(Format::Xml),
        1 => Some(Format::Css),
        2 => Some(Format::Json),
        3 => Some(Format::Text),
        4 => Some(Format::Csv),
        5 | 6 => None,
        7 => Some(Format::ALL[take(Format::ALL.len() as u64) as usize]),
        _ => Some(Format::Html),
    };
    let label = LABELS[take(LABELS.len() as u64) as usize];
    let content_type = match take(10) {
        0 => vec![format!("text/html; charset={label}")],
        1 => vec![
            "text/html".to_owned(),
            format!("text/html;charset=\"{label}\""),
        ],
        2 => vec!["text/html".to_owned()],
        3 => vec![format!("charset={label}")],
        _ => Vec::new(),
    };
    let user_override = (take(12) == 0).then(|| some_encoding(take(21))).flatten();
    let parent = (take(6) == 0).then(|| some_encoding(take(21))).flatten();
    let remembered = (take(10) == 0).then(|| some_encoding(take(21))).flatten();
    let fallback = (take(8) == 0).then(|| some_encoding(take(21))).flatten();
    let same_origin = take(4) != 0;
    let mut context = Context {
        format,
        content_type: content_type.into_iter().map(String::into_bytes).collect(),
        user_override,
        parent: parent.map(|encoding| Parent {
            encoding,
            same_origin,
        }),
        remembered,
        fallback,
        locale: (take(6) == 0).then(|| "ja".to_owned()),
        local_file: take(4) == 0,
        ..Context::new(profile)
    };
    // A profile is only a name for a set: other sets hold as well.
    if take(4) == 0 {
        context.settings = Settings {
            late_meta: take(2) == 0,
            detector: take(2) == 0,
            utf_8_valid: Profile::ALL[take(3) as usize].settings().utf_8_valid,
            declaration: Profile::ALL[take(3) as usize].settings().declaration,
        };
    }
    context
}

/// Sizes of chunks, some of them zero.
pub(crate) fn sizes(choices: &[u16]) -> Vec<usize> {
    const SIZES: &[usize] = &[
        1,
        2,
        3,
        0,
        5,
        16,
        100,
        1000,
        1023,
        1024,
        1025,
        4096,
        65_535,
        65_536,
        1 << 20,
    ];
    choices
        .iter()
        .map(|&choice| SIZES[usize::from(choice) % SIZES.len()])
        .collect()
}

/// All that a document comes to.
pub(crate) type Outcome = (String, unbake::Decision, unbake::Malformed, u64);

/// Pushes a document in chunks of these sizes, used in turn; a second pass goes on where the first left off in the list.
pub(crate) fn stream(
    bytes: &[u8],
    mut stream: Stream,
    sizes: &[usize],
) -> Result<Outcome, unbake::DecodeError> {
    let whole = [usize::MAX];
    let usable = sizes.iter().any(|&size| size > 0);
    // A long document in tiny pieces shows nothing new, and takes long.
    let least = bytes.len() / 4000;
    let mut sizes = if usable { sizes } else { &whole }.iter().cycle();
    let mut passes = 0;
    loop {
        passes += 1;
        assert!(passes <= 2, "a stream starts again at most once");
        let mut text = String::new();
        let mut rest = bytes;
        let mut progress = Progress::Continue;
        while !rest.is_empty() && progress == Progress::Continue {
            let size = *sizes.next().unwrap_or(&1);
            let size = if size == 0 { 0 } else { size.max(least) };
            let (piece, after) = rest.split_at(size.min(rest.len()));
            progress = stream.push(piece, &mut text)?;
            rest = after;
        }
        if progress == Progress::Continue {
            progress = stream.finish(&mut text)?;
        }
        if progress == Progress::Continue {
            let decision = stream.decision().expect("a decision after the end").clone();
            return Ok((text, decision, stream.malformed(), stream.literal_fffd()));
        }
        stream.start_again();
    }
}

/// The bytes as lines for a case in `testdata/cases`. Long runs of one byte become a `repeat`.
pub(crate) fn toml(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut repeats = Vec::new();
    let mut rest = bytes;
    while let Some(&byte) = rest.first() {
        let run = rest.iter().take_while(|&&b| b == byte).count();
        let escaped = match byte {
            b'\\' => "\\\\".to_owned(),
            b'\'' | b'$' | 0..=0x1F | 0x7F.. => format!("\\x{byte:02X}"),
            _ => char::from(byte).to_string(),
        };
        if run > 40 {
            let name = format!("r{}", repeats.len());
            text.push('$');
            text.push_str(&name);
            repeats.push(format!(
                "{{ name = \"{name}\", bytes = '{escaped}', times = {run} }}"
            ));
            rest = &rest[run..];
        } else {
            text.push_str(&escaped);
            rest = &rest[1..];
        }
    }
    format!("bytes = '{text}'\nrepeat = [{}]", repeats.join(", "))
}
