//! Plain lines of text out of the files that packages ship.

use std::collections::BTreeMap;
use std::io::Read as _;

/// The text of HTML or XML: tags dropped, block ends are line ends, entities decoded.
pub(crate) fn markup(source: &str) -> Vec<String> {
    let mut text = String::with_capacity(source.len() / 2);
    let mut rest = source;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|e| e + 3)
        } else if let Some(name) = ["script", "style", "code", "cmd", "pre"]
            .iter()
            .find(|n| rest[1..].starts_with(**n))
        {
            let close = format!("</{name}");
            rest.find(&close)
                .and_then(|c| rest[c..].find('>').map(|e| c + e + 1))
        } else {
            let inline = [
                "<a ", "<a>", "</a>", "<em", "</em", "<span", "</span", "<b>", "</b>", "<i>",
                "</i>", "<gui", "</gui", "<app", "</app", "<key", "</key", "<link", "</link",
                "<strong", "</strong",
            ]
            .iter()
            .any(|t| rest.starts_with(t));
            if !inline {
                text.push('\n');
            }
            rest.find('>').map(|e| e + 1)
        };
        match end {
            Some(end) => rest = &rest[end..],
            None => break,
        }
    }
    lines(&entities(&text))
}

fn entities(text: &str) -> String {
    let named: BTreeMap<&str, &str> = [
        ("amp", "&"),
        ("lt", "<"),
        ("gt", ">"),
        ("quot", "\""),
        ("apos", "'"),
        ("nbsp", "\u{a0}"),
        ("laquo", "«"),
        ("raquo", "»"),
        ("mdash", "—"),
        ("ndash", "–"),
        ("hellip", "…"),
        ("ldquo", "“"),
        ("rdquo", "”"),
        ("lsquo", "‘"),
        ("rsquo", "’"),
        ("copy", "©"),
    ]
    .into();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(end) = rest.find(';').filter(|e| *e < 10) else {
            out.push('&');
            continue;
        };
        let name = &rest[..end];
        let decoded = if let Some(number) = name.strip_prefix('#') {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => number.parse().ok(),
            };
            code.and_then(char::from_u32).map(String::from)
        } else {
            named.get(name).map(|s| (*s).to_owned())
        };
        match decoded {
            Some(d) => {
                out.push_str(&d);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

/// Lines, white space squeezed, short ones dropped.
pub(crate) fn lines(text: &str) -> Vec<String> {
    text.lines()
        .map(|l| {
            l.split([' ', '\t', '\r', '\n'])
                .filter(|w| !w.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .filter(|l| l.chars().filter(|c| c.is_alphabetic()).count() >= 3)
        .collect()
}

/// The translations of a GNU message catalogue, little-endian; those equal to the original are dropped.
pub(crate) fn mo(bytes: &[u8]) -> Vec<String> {
    let u32_at = |at: usize| -> Option<usize> {
        let b = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    };
    let mut out = Vec::new();
    if u32_at(0) != Some(0x9504_12de) {
        return out;
    }
    let (Some(n), Some(ids), Some(strings)) = (u32_at(8), u32_at(12), u32_at(16)) else {
        return out;
    };
    let text = |table: usize, i: usize| -> Option<&str> {
        let len = u32_at(table + 8 * i)?;
        let at = u32_at(table + 8 * i + 4)?;
        std::str::from_utf8(bytes.get(at..at + len)?).ok()
    };
    for i in 0..n {
        let (Some(id), Some(s)) = (text(ids, i), text(strings, i)) else {
            continue;
        };
        if id.is_empty() || id == s {
            continue;
        }
        for part in s.split('\0') {
            if part.contains("-/-") || part.contains("http") {
                continue;
            }
            out.extend(lines(&unformat(part)));
        }
    }
    out
}

/// Drops mnemonics and format directives.
fn unformat(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '_' => {}
            '%' => {
                while let Some(&n) = chars.peek() {
                    chars.next();
                    if n.is_ascii_alphabetic() || n == '%' || n == ' ' {
                        break;
                    }
                }
            }
            '&' if chars.peek().is_some_and(|n| n.is_alphabetic()) => {}
            '~' => {}
            c => out.push(c),
        }
    }
    if out.contains('<') {
        markup(&out).join("\n")
    } else {
        out
    }
}

/// The values of Fluent, properties and DTD files in an add-on archive.
pub(crate) fn xpi(bytes: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    let Ok(mut archive) = zip::ZipArchive::new(std::io::Cursor::new(bytes)) else {
        return out;
    };
    for i in 0..archive.len() {
        let Ok(mut file) = archive.by_index(i) else {
            continue;
        };
        let name = file.name().to_owned();
        let mut text = String::new();
        if !["ftl", "properties", "dtd"]
            .iter()
            .any(|e| name.ends_with(&format!(".{e}")))
            || file.read_to_string(&mut text).is_err()
        {
            continue;
        }
        for line in text.lines() {
            let value = if name.ends_with(".dtd") {
                line.split('"').nth(1)
            } else if line.starts_with(['#', '!', '/']) {
                None
            } else {
                line.split_once('=').map(|(_, v)| v)
            };
            if let Some(value) =
                value.filter(|v| v.trim().contains(' ') && !v.contains(['{', '/', '\\']))
            {
                out.extend(lines(&unformat(value)));
            }
        }
    }
    out
}
