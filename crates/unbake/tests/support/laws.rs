//! What holds for every document, whatever its bytes: the property tests, the fuzz targets and the seeded runs ask the same.
//!
//! A law that is broken panics, with the document as a line for `testdata/cases`.
#![allow(dead_code)] // each user takes its part

use std::fmt::Debug;

use encoding_rs::DecoderResult;
use unbake::{
    Context, Decoded, Encoding, Fate, Format, MALFORMED_KEPT, Stream, decode, decode_as,
    decode_strict, internal, sniff,
};

use super::content_type_oracle as headers;
use super::hostile::{Outcome, stream, toml};
use super::prescan_oracle as oracle;

fn equal<T: PartialEq + Debug>(what: &str, got: &T, want: &T, bytes: &[u8], context: &Context) {
    assert!(
        got == want,
        "{what}:\n   got {got:?}\n  want {want:?}\n{}\n{context:?}",
        toml(bytes)
    );
}

fn outcome(decoded: Decoded<'_>) -> Outcome {
    (
        decoded.text.into_owned(),
        decoded.decision,
        decoded.malformed,
        decoded.literal_fffd,
    )
}

/// Whole input and any chunking give the same text, decision with all clues, malformed sequences and literal U+FFFD; in strict mode the
/// same error.
pub(crate) fn whole_is_any_chunking(bytes: &[u8], context: &Context, sizes: &[usize]) {
    let whole = outcome(decode(bytes, context));
    let chunked = stream(bytes, Stream::new(context.clone()), sizes).expect("replacement mode");
    let what = |part| format!("{part} of a stream in chunks of {sizes:?}");
    equal(&what("decision"), &chunked.1, &whole.1, bytes, context);
    equal(&what("malformed"), &chunked.2, &whole.2, bytes, context);
    equal(
        &what("literal U+FFFD"),
        &chunked.3,
        &whole.3,
        bytes,
        context,
    );
    equal(&what("text"), &chunked.0, &whole.0, bytes, context);
    let strict = decode_strict(bytes, context).map(outcome);
    let strict_stream = stream(bytes, Stream::strict(context.clone()), sizes);
    equal(&what("strict"), &strict_stream, &strict, bytes, context);
    // Decided before: nothing is decided again.
    let decided = Stream::decided(whole.1.clone(), false);
    let again = stream(bytes, decided, sizes).expect("replacement mode");
    equal(
        &what("text, decided before,"),
        &again.0,
        &whole.0,
        bytes,
        context,
    );
}

/// "No more for now" may come at any time: there is an answer, and it is one that decodes as decided.
pub(crate) fn flushed_at_any_time(bytes: &[u8], context: &Context, at: usize) {
    let mut stream = Stream::new(context.clone());
    let (first, rest) = bytes.split_at(at.min(bytes.len()));
    for pass in 0..2 {
        let mut text = String::new();
        let mut again = stream.push(first, &mut text).expect("replacement mode");
        if again == unbake::Progress::Continue {
            again = stream.flush(&mut text).expect("replacement mode");
        }
        if again == unbake::Progress::Continue {
            again = stream.push(rest, &mut text).expect("replacement mode");
        }
        if again == unbake::Progress::Continue {
            again = stream.finish(&mut text).expect("replacement mode");
        }
        if again == unbake::Progress::Continue {
            let decision = stream.decision().expect("a decision after the end").clone();
            let want = decode_as(bytes, decision).text.into_owned();
            equal("text after a flush", &text, &want, bytes, context);
            return;
        }
        assert_eq!(
            pass,
            0,
            "a stream starts again at most once: {}",
            toml(bytes)
        );
        stream.start_again();
    }
}

/// The text is that of encoding_rs for the decided encoding, and the malformed sequences are where and what they are said to be.
pub(crate) fn decoded_as_decided(bytes: &[u8], context: &Context) {
    let decoded = decode(bytes, context);
    let decision = &decoded.decision;
    equal("sniff", &sniff(bytes, context), decision, bytes, context);
    let mark = match decision.bom {
        Some((encoding, len)) if encoding == decision.encoding => len,
        _ => 0,
    };
    let body = &bytes[mark..];
    if let Encoding::Web(web) = decision.encoding {
        let (text, errors) = web.decode_without_bom_handling(body);
        equal(
            "text",
            &decoded.text.as_ref(),
            &text.as_ref(),
            bytes,
            context,
        );
        let count = decoded.malformed.count;
        equal("any malformed", &(count > 0), &errors, bytes, context);
    }
    let malformed = &decoded.malformed;
    let replaced = decoded.text.matches('\u{FFFD}').count() as u64;
    let counted = malformed.count + decoded.literal_fffd;
    equal("U+FFFD", &counted, &replaced, bytes, context);
    let kept = malformed.count.min(MALFORMED_KEPT as u64) as usize;
    equal("kept", &malformed.first.len(), &kept, bytes, context);
    let mut end = mark as u64;
    for sequence in &malformed.first {
        let next = sequence.at + u64::from(sequence.len);
        assert!(
            sequence.at >= end && next <= bytes.len() as u64 && sequence.len > 0,
            "a malformed sequence out of order or of range: {:?}\n{}\n{context:?}",
            malformed.first,
            toml(bytes)
        );
        end = next;
    }
    mended(bytes, mark, &decoded, context);
    strict_stops_at_the_first(bytes, mark, &decoded, context);
    one_clue_decided(bytes, &decoded, context);
}

/// Without its malformed sequences the document decodes cleanly, to the same text.
fn mended(bytes: &[u8], mark: usize, decoded: &Decoded<'_>, context: &Context) {
    let Encoding::Web(web) = decoded.decision.encoding else {
        return;
    };
    // In ISO-2022-JP a mark of ours would stand between escape sequences; replacement has no text at all.
    if web == encoding_rs::ISO_2022_JP
        || web == encoding_rs::REPLACEMENT
        || decoded.malformed.count > decoded.malformed.first.len() as u64
    {
        return;
    }
    let mark_of_ours: &[u8] = match web.name() {
        "UTF-16LE" => &[0x1A, 0x00],
        "UTF-16BE" => &[0x00, 0x1A],
        _ => &[0x1A],
    };
    let mut clean = Vec::new();
    let mut from = mark;
    for sequence in &decoded.malformed.first {
        clean.extend_from_slice(&bytes[from..sequence.at as usize]);
        clean.extend_from_slice(mark_of_ours);
        from = (sequence.at + u64::from(sequence.len)) as usize;
    }
    clean.extend_from_slice(&bytes[from..]);
    let text = web.decode_without_bom_handling_and_without_replacement(&clean);
    let want = text.map(|text| text.replace('\u{FFFD}', "\u{1A}"));
    let got = Some(decoded.text.replace('\u{FFFD}', "\u{1A}"));
    equal(
        "text around malformed sequences",
        &got,
        &want,
        bytes,
        context,
    );
}

fn strict_stops_at_the_first(bytes: &[u8], mark: usize, decoded: &Decoded<'_>, context: &Context) {
    let strict = decode_strict(bytes, context);
    let Some(first) = decoded.malformed.first.first() else {
        let text = strict.map(|strict| strict.text.into_owned());
        let want = Ok(decoded.text.as_ref().to_owned());
        equal("strict", &text, &want, bytes, context);
        return;
    };
    let error = strict.expect_err("a malformed sequence under strict");
    equal("error at", &error.at, &first.at, bytes, context);
    equal("error kind", &error.kind, &first.kind, bytes, context);
    let end = first.at as usize + usize::from(first.len);
    let span = bytes[first.at as usize..end].to_vec();
    equal("error bytes", &error.bytes, &span, bytes, context);
    if let Encoding::Web(web) = decoded.decision.encoding {
        let before = text_before_the_first_error(web, &bytes[mark..]);
        let line = before.matches('\n').count() as u64 + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count() as u64
            + 1;
        let place = (error.line, error.column);
        equal("error place", &place, &(line, column), bytes, context);
    }
}

#[allow(clippy::disallowed_methods)] // a second opinion needs its own decoder
fn text_before_the_first_error(web: &'static encoding_rs::Encoding, bytes: &[u8]) -> String {
    let mut decoder = web.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() * 3 + 64);
    let (result, _) = decoder.decode_to_string_without_replacement(bytes, &mut text, true);
    assert!(matches!(result, DecoderResult::Malformed(..)));
    text
}

/// Exactly one clue decided, and it names the encoding; what agrees names the same.
fn one_clue_decided(bytes: &[u8], decoded: &Decoded<'_>, context: &Context) {
    let decision = &decoded.decision;
    let deciding: Vec<_> = decision
        .clues
        .iter()
        .filter(|clue| clue.fate == Fate::Decided)
        .collect();
    equal("deciding clues", &deciding.len(), &1, bytes, context);
    for clue in &decision.clues {
        let same = clue.encoding == Some(decision.encoding);
        let right = match clue.fate {
            Fate::Decided | Fate::Agrees => same,
            Fate::Outranked | Fate::Rewritten => clue.encoding.is_some() && !same,
            Fate::UnknownLabel => clue.encoding.is_none(),
            Fate::OutOfReach | Fate::Ignored => true,
        };
        let within = clue
            .at
            .is_none_or(|(start, end)| start < end && end <= bytes.len() as u64);
        // An XML declaration may name the empty label.
        let within = within || clue.label.as_deref() == Some("");
        assert!(
            right && within,
            "a clue that can not be: {clue:?} of {decision:?}\n{}\n{context:?}",
            toml(bytes)
        );
    }
}

/// The prescan is the standard's, of exactly these bytes.
pub(crate) fn prescan_is_the_standards(bytes: &[u8]) {
    let (got, want) = (
        internal::prescan_a_byte_stream(bytes),
        oracle::prescan(bytes),
    );
    assert_eq!(got, want, "prescan\n{}", toml(bytes));
    let (got, want) = (
        internal::get_an_xml_encoding(bytes),
        oracle::get_an_xml_encoding(bytes),
    );
    assert_eq!(got, want, "get an XML encoding\n{}", toml(bytes));
    let (got, want) = (
        internal::extract_a_character_encoding(bytes),
        oracle::extract(bytes),
    );
    assert_eq!(got, want, "extracting from a meta element\n{}", toml(bytes));
    // And so is what the profile makes of it, where nothing else speaks.
    let context = Context {
        format: Some(Format::Html),
        fallback: Some(Encoding::Web(encoding_rs::MACINTOSH)),
        settings: unbake::Settings {
            late_meta: false,
            utf_8_valid: unbake::Utf8Valid::Never,
            ..unbake::Profile::Standard.settings()
        },
        ..Context::default()
    };
    if unbake::bom_sniff(bytes).is_none() {
        let window = &bytes[..bytes.len().min(1024)];
        // An XML declaration is read however long.
        let want = oracle::prescan(window).or_else(|| oracle::get_an_xml_encoding(bytes));
        let want = want.unwrap_or(Encoding::Web(encoding_rs::MACINTOSH));
        equal(
            "sniffed",
            &sniff(bytes, &context).encoding,
            &want,
            bytes,
            &context,
        );
    }
}

/// Content-Type lines are read as the standards do.
pub(crate) fn content_type_is_the_standards(lines: &[Vec<u8>]) {
    for line in lines {
        let want = headers::parse_a_mime_type(&headers::isomorphic_decode(line)).map(|parsed| {
            let charset = parsed.parameter("charset").map(isomorphic_encode);
            (isomorphic_encode(&parsed.essence()), charset)
        });
        let got = internal::parse_a_mime_type(line);
        assert_eq!(got, want, "parse a MIME type of {}", toml(line));
    }
    let want = headers::extract_a_mime_type(lines);
    let essence = want
        .as_ref()
        .map(|parsed| isomorphic_encode(&parsed.essence()));
    let label = want
        .as_ref()
        .and_then(|parsed| parsed.parameter("charset"))
        .map(isomorphic_encode);
    let encoding = headers::legacy_extract_an_encoding(lines);
    let got = internal::legacy_extract_an_encoding(lines);
    let shown: Vec<String> = lines.iter().map(|line| toml(line)).collect();
    assert_eq!(
        got,
        (essence, label, encoding),
        "legacy extract an encoding of {shown:?}"
    );
}

fn isomorphic_encode(text: &str) -> Vec<u8> {
    let byte = |c| u8::try_from(u32::from(c)).expect("a code point up to U+00FF");
    text.chars().map(byte).collect()
}

/// A Content-Type value from numbers.
pub(crate) fn header(choices: &[u16]) -> Vec<u8> {
    const PIECES: &[&[u8]] = &[
        b"text/html",
        b"text/plain",
        b"*/*",
        b"TEXT/HTML",
        b"x/y+xml",
        b"/",
        b"text",
        b";",
        b";",
        b"; ",
        b" ;",
        b"charset",
        b"charset=",
        b"CHARSET=",
        b"charset =",
        b"charset= ",
        b"=",
        b"gbk",
        b"utf-8",
        b"bogus",
        b"\"",
        b"\"",
        b"\\",
        b"\"gbk\"",
        b"'gbk'",
        b"\"g\\bk\"",
        b",",
        b", ",
        b" ",
        b"\t",
        b"\r",
        b"\n",
        b"\x0C",
        b"\x0B",
        b"\0",
        b"\x7F",
        b"\x80",
        b"\xFF",
        b"x=",
        b"x=\"",
        b"charset=gbk",
        b";charset=utf-8",
        b"(",
        b")",
    ];
    let piece = |&choice: &u16| PIECES[usize::from(choice) % PIECES.len()].to_vec();
    choices.iter().flat_map(piece).collect()
}
