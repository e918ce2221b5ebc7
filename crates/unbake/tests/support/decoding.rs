//! The suites of labels, indexes and decoding sessions.
#![allow(dead_code)] // one binary uses them

use std::path::Path;

use serde_json::Value;
use unbake::{
    Confidence, Context, Decision, EncodeMode, Encoding, Format, MalformedKind, Profile, Rule,
    Stream, decode, encode, get_an_encoding,
};

use super::{Cases, expect, hex, json, json_lines, name, row_bytes, row_context, text};

/// Pages: which encoding, and the text of the spans in them.
pub(crate) fn wpt_encoding(folder: &Path) -> Cases {
    let mut cases = Cases::new();
    let mut spans = 0;
    for (number, row) in json_lines(&folder.join("manifest.jsonl"))
        .into_iter()
        .enumerate()
    {
        let bytes = row_bytes(folder, &row);
        for profile in [Profile::Standard, Profile::Browser] {
            let title = format!(
                "manifest {} {} ({})",
                number + 1,
                text(&row, "file").unwrap_or_default(),
                profile.id()
            );
            let decoded = decode(&bytes, &row_context(&row, profile));
            let want = name(text(&row, "expected").expect("expected"));
            let outcome = expect("encoding", decoded.decision.encoding.name(), want)
                .and_then(|()| page_text(&row, &decoded.text, decoded.decision.encoding))
                .map(|count| spans += count);
            cases.push((title, outcome));
        }
    }
    for row in json_lines(&folder.join("labels.jsonl")) {
        let label = text(&row, "label").unwrap_or_default();
        let got = get_an_encoding(label.as_bytes()).map_or("none", Encoding::name);
        cases.push((
            format!("label {}", text(&row, "file").unwrap_or_default()),
            expect("label", got, text(&row, "expected").unwrap_or("none")),
        ));
    }
    println!("wpt-encoding: {spans} spans compared");
    cases
}

/// What a manifest row says of the page's text. Answers how many spans were compared.
fn page_text(row: &Value, page: &str, encoding: Encoding) -> Result<usize, String> {
    if let Some(end) = text(row, "ends_with").filter(|end| !page.ends_with(end)) {
        return Err(format!("the text does not end with {end:?}"));
    }
    if let Some(part) = text(row, "text").filter(|part| !page.contains(part)) {
        return Err(format!("no {part:?} in the text"));
    }
    let spans: Vec<&str> = page.split("<span").skip(1).collect();
    let content = |span: &str| -> Option<String> {
        let content = span.split_once('>')?.1.split_once("</span>")?.0;
        let plain = content.replace("&lt;", "<").replace("&gt;", ">");
        Some(plain.replace("&amp;", "&"))
    };
    if let Some(wants) = row.get("span_texts").and_then(Value::as_array) {
        expect("spans", spans.len().to_string(), &wants.len().to_string())?;
        for (span, want) in spans.iter().zip(wants) {
            let want = want.as_str().expect("a text");
            expect("span", content(span).ok_or("a span without end")?, want)?;
        }
    }
    if let Some(count) = row.get("spans").and_then(Value::as_u64) {
        expect("spans", spans.len().to_string(), &count.to_string())?;
        for span in &spans {
            let data = span
                .split_once("data-bytes=\"")
                .and_then(|(_, rest)| rest.split_once('"'))
                .ok_or("a span without bytes")?
                .0;
            let bytes = hex(&data.replace(' ', ""));
            let want = decode(&bytes, &said(encoding)).text.into_owned();
            expect(data, content(span).ok_or("a span without end")?, &want)?;
        }
    }
    Ok(spans.len())
}

/// Bytes of which the user says the encoding.
fn said(encoding: Encoding) -> Context {
    Context {
        user_override: Some(encoding),
        format: Some(Format::Text),
        ..Context::default()
    }
}

/// Labels and names, and every row of every index in both directions.
pub(crate) fn whatwg_encoding(folder: &Path) -> Cases {
    let mut cases = Cases::new();
    for group in json(&folder.join("encodings.json"))
        .as_array()
        .expect("groups")
    {
        for encoding in group["encodings"].as_array().expect("encodings") {
            for label in encoding["labels"].as_array().expect("labels") {
                let label = label.as_str().expect("a label");
                for way in [
                    label.to_owned(),
                    label.to_uppercase(),
                    format!("\t\n\x0C\r {label} "),
                ] {
                    let got = get_an_encoding(way.as_bytes()).map_or("none", Encoding::name);
                    cases.push((
                        format!("label {way:?}"),
                        expect("name", got, text(encoding, "name").unwrap_or_default()),
                    ));
                }
                let got = get_an_encoding(format!("\x0B{label}").as_bytes())
                    .map_or("none", Encoding::name);
                cases.push((format!("label VT {label}"), expect("name", got, "none")));
            }
        }
    }
    let indexes = json(&folder.join("indexes.json"));
    for (index, rows) in indexes.as_object().expect("indexes") {
        let rows = rows.as_array().expect("rows");
        if index == "gb18030-ranges" {
            for row in rows {
                let pointer = row[0].as_u64().expect("a pointer") as usize;
                cases.push(row_case(index, "gb18030", pointer, &row[1], rows.len()));
            }
            continue;
        }
        let encodings: &[&str] = match index.as_str() {
            "jis0208" => &["EUC-JP", "Shift_JIS", "ISO-2022-JP"],
            "jis0212" => &["EUC-JP"],
            "iso-2022-jp-katakana" => &["ISO-2022-JP"],
            "gb18030" => &["gb18030", "GBK"],
            other => &[name(other)],
        };
        for (pointer, code) in rows.iter().enumerate() {
            for encoding in encodings {
                if has_row(index, encoding, pointer) {
                    cases.push(row_case(index, encoding, pointer, code, rows.len()));
                }
            }
        }
    }
    cases
}

/// EUC-JP and ISO-2022-JP reach 94 rows of 94.
fn has_row(index: &str, encoding: &str, pointer: usize) -> bool {
    index != "jis0208" || encoding == "Shift_JIS" || pointer < 94 * 94
}

/// One row: its bytes decode to its character, and the character, where the encoding writes it at all, comes back.
fn row_case(
    index: &str,
    name: &str,
    pointer: usize,
    code: &Value,
    rows: usize,
) -> (String, Result<(), String>) {
    let title = format!("{index} {pointer} {name}");
    let encoding = get_an_encoding(name.as_bytes()).expect("a name");
    let character = code.as_u64().and_then(|code| char::from_u32(code as u32));
    if index == "iso-2022-jp-katakana" {
        // Halfwidth katakana are written as the fullwidth ones of this index.
        let halfwidth = char::from_u32(0xFF61 + pointer as u32).expect("a character");
        let bytes = encode(&halfwidth.to_string(), encoding, EncodeMode::Fatal).expect("katakana");
        let want = character.expect("katakana").to_string();
        let outcome = expect("text", decode(&bytes, &said(encoding)).text, &want);
        return (title, outcome);
    }
    let two = |width: usize, lead: usize, trails: &dyn Fn(usize) -> usize| {
        vec![
            (pointer / width + lead) as u8,
            trails(pointer % width) as u8,
        ]
    };
    let above = |least: usize| move |trail: usize| trail + least;
    let gap = |edge: usize, low: usize, high: usize| {
        move |trail: usize| trail + if trail < edge { low } else { high }
    };
    let bytes = match (index, name) {
        ("big5", _) => two(157, 0x81, &gap(0x3F, 0x40, 0x62)),
        ("euc-kr", _) => two(190, 0x81, &above(0x41)),
        ("gb18030", _) => two(190, 0x81, &gap(0x3F, 0x40, 0x41)),
        ("gb18030-ranges", _) => vec![
            (pointer / 12_600 + 0x81) as u8,
            (pointer / 1_260 % 10 + 0x30) as u8,
            (pointer / 10 % 126 + 0x81) as u8,
            (pointer % 10 + 0x30) as u8,
        ],
        ("jis0208", "EUC-JP") => two(94, 0xA1, &above(0xA1)),
        ("jis0212", _) => [vec![0x8F], two(94, 0xA1, &above(0xA1))].concat(),
        ("jis0208", "ISO-2022-JP") => [
            b"\x1B$B".to_vec(),
            two(94, 0x21, &above(0x21)),
            b"\x1B(B".to_vec(),
        ]
        .concat(),
        ("jis0208", _) => {
            let lead = if pointer / 188 < 0x1F { 0x81 } else { 0xC1 };
            two(188, lead, &gap(0x3F, 0x40, 0x41))
        }
        _ => vec![(0x80 + pointer) as u8],
    };
    assert!(bytes.len() > 1 || rows == 128, "{index} has {rows} rows");
    let decoded = decode(&bytes, &said(encoding));
    let Some(character) = character else {
        // Shift_JIS has private use where its index has nothing.
        let private = name == "Shift_JIS" && (8836..=10715).contains(&pointer);
        let special = index == "big5" && [1133, 1135, 1164, 1166].contains(&pointer);
        let unassigned = decoded.malformed.count == 1;
        let outcome = if unassigned == (private || special) {
            Err(format!("unassigned {bytes:02X?} is {:?}", decoded.text))
        } else {
            Ok(())
        };
        return (title, outcome);
    };
    let want = character.to_string();
    let outcome = expect("decoded", decoded.text, &want).and_then(|()| {
        let one_way = index == "jis0212" || (index == "big5" && pointer < (0xA1 - 0x81) * 157);
        match encode(&want, encoding, EncodeMode::Fatal) {
            Ok(back) if bytes.len() == 1 && back != bytes => Err(format!("encoded {back:02X?}")),
            Ok(back) => expect("and back", decode(&back, &said(encoding)).text, &want),
            Err(_) if one_way => Ok(()),
            // Private use that GB 18030-2022 gave characters, and U+E5E5, are not written by that number.
            Err(error) => Err(error.to_string()),
        }
    });
    (title, outcome)
}

/// TextDecoder's sessions: every call of each decoder, in its order, on streams whose encoding was decided before.
pub(crate) fn decoder_vectors(folder: &Path) -> Cases {
    let mut cases = Cases::new();
    let (mut calls, mut left_out) = (0, 0);
    for file in ["wpt-textdecoder.jsonl", "exodus-mistakes.jsonl"] {
        for (number, row) in json_lines(&folder.join(file)).into_iter().enumerate() {
            let outcome = session(&row, &mut calls, &mut left_out);
            cases.push((format!("{file}#{}", number + 1), outcome));
        }
    }
    println!(
        "decoder-vectors: {calls} calls; {left_out} left out, which go on with a decoder that has refused a chunk: the standard has none"
    );
    for (number, row) in json_lines(&folder.join("exodus-unfinished-bytes.jsonl"))
        .into_iter()
        .enumerate()
    {
        cases.push((
            format!("exodus-unfinished-bytes.jsonl#{}", number + 1),
            unfinished(&row),
        ));
    }
    cases
}

/// Runs the calls of one decoder.
fn session(row: &Value, ran: &mut usize, left_out: &mut usize) -> Result<(), String> {
    let label = text(row, "label").unwrap_or_default();
    let encoding = get_an_encoding(label.as_bytes()).ok_or("no encoding")?;
    let fatal = row["fatal"] == Value::Bool(true);
    let keep_bom = row["ignoreBOM"] == Value::Bool(true);
    let calls = row["calls"].as_array().expect("calls");
    let bytes: Vec<Vec<u8>> = calls
        .iter()
        .map(|call| hex(text(call, "hex").unwrap_or_default()))
        .collect();
    let goes_on = |at: usize| calls[at]["stream"] == Value::Bool(true);
    let mut texts: Vec<String> = Vec::new();
    let mut stream: Option<Stream> = None;
    for (at, call) in calls.iter().enumerate() {
        let mut decoder = stream.take().unwrap_or_else(|| {
            // The mark may come in pieces: look ahead to the end of this document.
            let end = (at..calls.len())
                .find(|&at| !goes_on(at))
                .unwrap_or(calls.len() - 1);
            let document = bytes[at..=end].concat();
            let bom = unbake::bom_sniff(&document).filter(|&(mark, _)| mark == encoding);
            Stream::decided(decided(encoding, bom.filter(|_| !keep_bom)), fatal)
        });
        let mut out = String::new();
        let mut result = decoder.push(&bytes[at], &mut out);
        if result.is_ok() && !goes_on(at) {
            result = decoder.finish(&mut out);
        }
        *ran += 1;
        let throws = call["expect"]["throws"] == Value::Bool(true);
        match (&result, throws) {
            (Ok(_), true) => return Err(format!("call {}: not refused", at + 1)),
            (Err(error), false) => return Err(format!("call {}: {error}", at + 1)),
            _ => {}
        }
        if let Some(want) = text(call, "expect") {
            expect(&format!("call {}", at + 1), &out, want)?;
        }
        texts.push(out);
        if goes_on(at) {
            if result.is_err() {
                *left_out += calls.len() - at - 1;
                return Ok(());
            }
            stream = Some(decoder);
        }
    }
    for group in row["groups"].as_array().into_iter().flatten() {
        let calls = group["calls"].as_array().expect("calls").iter();
        let joined: String = calls
            .filter_map(Value::as_u64)
            .map(|at| texts[at as usize].as_str())
            .collect();
        expect("group", joined, text(group, "text").unwrap_or_default())?;
    }
    Ok(())
}

fn decided(encoding: Encoding, bom: Option<(Encoding, usize)>) -> Decision {
    Decision {
        format: Format::Text,
        format_source: unbake::FormatSource::Given,
        encoding,
        confidence: Confidence::Irrelevant,
        rule: Rule::Override,
        bom,
        clues: Vec::new(),
        change: None,
        guess: None,
    }
}

/// How many bytes at the end begin a character that does not end.
fn unfinished(row: &Value) -> Result<(), String> {
    let encoding = get_an_encoding(text(row, "encoding").unwrap_or_default().as_bytes())
        .ok_or("no encoding")?;
    let bytes = hex(text(row, "hex").unwrap_or_default());
    let decoded = unbake::decode_as(&bytes, decided(encoding, None));
    let end = bytes.len() as u64;
    let last = decoded.malformed.first.last();
    let at_end = last.filter(|sequence| {
        // A lone lead surrogate at the end waits for its other half as well.
        let waits = sequence.kind == MalformedKind::TruncatedAtEnd
            || (sequence.kind == MalformedKind::Surrogate && is_lead(&bytes, encoding));
        waits && sequence.at + u64::from(sequence.len) == end
    });
    let got = at_end.map_or(0, |sequence| sequence.len);
    expect(
        "unfinished",
        got.to_string(),
        &row["unfinished"].to_string(),
    )
}

/// Do the bytes end with the first half of a surrogate pair?
fn is_lead(bytes: &[u8], encoding: Encoding) -> bool {
    let Some((_, end)) = bytes.split_last_chunk::<2>() else {
        return false;
    };
    let unit = if encoding == Encoding::UTF_16BE {
        u16::from_be_bytes(*end)
    } else {
        u16::from_le_bytes(*end)
    };
    (0xD800..0xDC00).contains(&unit)
}
