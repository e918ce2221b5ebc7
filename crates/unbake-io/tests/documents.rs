//! What is inside a record: types, headers, codings.

use unbake_io::generate::{deflate_raw, gzip, record, zstd_frame};
use unbake_io::{
    ChunkedEnd, Item, Limits, Note, Options, RecordType, WarcReader, decode_chunked, http,
};

fn read(bytes: &[u8]) -> Vec<Item> {
    WarcReader::new("test", bytes, Options::default()).collect()
}

fn edited(record: &[u8], from: &str, to: &str) -> Vec<u8> {
    let at = record
        .windows(from.len())
        .position(|w| w == from.as_bytes())
        .expect("the text to replace");
    let mut out = record.to_vec();
    out.splice(at..at + from.len(), to.bytes());
    out
}

#[test]
fn types_and_their_documents() {
    let file = [
        record("conversion", "a:", "urn:1", "text/plain", "été".as_bytes()),
        record("resource", "b:", "urn:2", "text/html; charset=x", b"<p>"),
        edited(
            &record(
                "revisit",
                "c:",
                "urn:3",
                "application/http",
                b"HTTP/1.1 304 Not Modified\r\n\r\n",
            ),
            "WARC-Date",
            "WARC-Refers-To: <urn:1>\r\nWARC-Date",
        ),
        record(
            "response",
            "dns:d",
            "urn:4",
            "text/dns",
            b"d. 1 IN A 127.0.0.1",
        ),
        record("response", "e:", "urn:5", "application/http", b"<p>no head"),
        record(
            "response",
            "f:",
            "urn:6",
            "application/http",
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n",
        ),
        record("metadata", "g:", "urn:7", "text/plain", b""),
    ]
    .concat();
    let items = read(&file);
    let limits = Limits::default();
    let seen: Vec<_> = items
        .iter()
        .map(|item| match item {
            Item::Record(r) => {
                let body = r.body(&limits);
                (
                    r.record_type(),
                    r.content_types(),
                    body.bytes.into_owned(),
                    body.notes,
                    r.refers_to(),
                )
            }
            Item::Skipped(s) => (s.record_type, vec![], vec![], vec![], None),
            Item::Error(e) => panic!("{}", e.error),
        })
        .collect();
    let text = |s: &str| s.as_bytes().to_vec();
    let expected = [
        (
            RecordType::Conversion,
            vec![text("text/plain")],
            text("été"),
            vec![],
            None,
        ),
        (
            RecordType::Resource,
            vec![text("text/html; charset=x")],
            text("<p>"),
            vec![],
            None,
        ),
        (
            RecordType::Revisit,
            vec![],
            vec![],
            vec![],
            Some("urn:1".to_owned()),
        ),
        (
            RecordType::Response,
            vec![text("text/dns")],
            text("d. 1 IN A 127.0.0.1"),
            vec![],
            None,
        ),
        (
            RecordType::Response,
            vec![],
            text("<p>no head"),
            vec![Note::HttpHeadAbsent],
            None,
        ),
        (
            RecordType::Response,
            vec![text("text/html")],
            vec![],
            vec![Note::HttpHeadCut],
            None,
        ),
        (RecordType::Metadata, vec![], vec![], vec![], None),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn header_bytes_stay_bytes_and_every_line_is_kept() {
    let block = b"HTTP/1.1 200\r\nContent-Type: text/html; charset=\xFF\x80\r\nSet-Cookie: \xB3\xD2\xDA=1\r\n\
        CONTENT-TYPE : text/plain,\r\n\tmore\r\n\r\nbody";
    let file = record("response", "a:", "urn:1", "application/http", block);
    let items = read(&file);
    let [Item::Record(record)] = items.as_slice() else {
        panic!("{items:?}")
    };
    assert_eq!(
        record.content_types(),
        [&b"text/html; charset=\xFF\x80"[..], b"text/plain, more"]
    );
    assert_eq!(
        record.http().map(|h| (h.status(), h.raw_body())),
        Some((Some(200), &b"body"[..]))
    );
}

#[test]
fn chunked_bodies() {
    use ChunkedEnd::{Absent, Complete, Cut, Damaged};
    let cases: &[(&str, &str, ChunkedEnd)] = &[
        ("3\r\nabc\r\n0\r\n\r\n", "abc", Complete),
        ("3\nabc\n0\n\n", "abc", Complete),
        ("3 \r\nabc\r\n00\r\n\r\n", "abc", Complete),
        (
            "3;a=1;b\r\nabc\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
            "abc0123456789",
            Complete,
        ),
        ("3\r\nabc3\r\ndef\r\n0\r\n\r\n", "", Absent),
        ("0\r\n\r\n", "", Complete),
        ("3\r\nabc\r\n", "abc", Cut),
        ("3\r\nabc\r\n5\r\nde", "abcde", Cut),
        ("3\r\nabc\r\n1", "abc", Cut),
        ("3\r\nabc\r\nxyz\r\n", "abc", Damaged),
        ("3\r\nabc\r\n11111111111111111\r\n", "abc", Damaged),
        ("3\r\nabc\r\nFFFFFFFFFFFFFFFF\r\nrest", "abcrest", Cut),
        ("<!DOCTYPE html>\n<p>", "", Absent),
        ("2024\nA year in review", "", Absent),
        ("", "", Absent),
    ];
    for (input, text, end) in cases {
        assert_eq!(
            decode_chunked(input.as_bytes()),
            (text.as_bytes().to_vec(), *end),
            "{input:?}"
        );
    }
}

#[test]
fn content_codings() {
    let text = "<p>été</p> ".repeat(40).into_bytes();
    let gz = gzip(&text);
    let zlib = unbake_io::generate::deflate_zlib(&text);
    let raw = deflate_raw(&text);
    let br = unbake_io::generate::brotli_stored(&text);
    let zst = zstd_frame(&text, &[]);
    let (plain, gzgz) = (text.clone(), gzip(&gz));
    let mut checksum = gz.clone();
    let n = checksum.len() - 5;
    checksum[n] ^= 1;
    let cases: &[(&str, &[u8], &str, &[Note])] = &[
        ("gzip", &gz, "gzip", &[]),
        ("X-GZIP", &gz, "gzip", &[]),
        ("deflate", &zlib, "deflate", &[]),
        ("deflate", &raw, "deflate", &[]),
        ("br", &br, "br", &[]),
        ("zstd", &zst, "zstd", &[]),
        ("gzip, identity, gzip", &gzgz, "gzip+gzip", &[]),
        ("deflate, gzip", &gzip(&zlib), "gzip+deflate", &[]),
        ("gzip", &gzgz, "gzip+gzip", &[Note::GzipByMagic]),
        ("", &gz, "gzip", &[Note::GzipByMagic]),
        ("gzip", &plain, "identity", &[Note::CodingAbsent]),
        ("deflate", &plain, "identity", &[Note::CodingAbsent]),
        ("br", &plain, "identity", &[Note::CodingAbsent]),
        ("zstd", &plain, "identity", &[Note::CodingAbsent]),
        ("sdch", &plain, "identity", &[Note::CodingUnknown]),
        ("gzip", &checksum, "gzip", &[Note::CodingChecksum]),
        ("gzip", &[&*gz, b"trailing"].concat(), "gzip", &[]),
    ];
    for (coding, body, removed, notes) in cases {
        let block = [
            format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n").as_bytes(),
            body,
        ]
        .concat();
        let body = http::Head::parse(&block)
            .unwrap()
            .decode_body(&Limits::default());
        assert_eq!(
            (&*body.coding(), &*body.notes),
            (*removed, *notes),
            "{coding}"
        );
        assert!(body.bytes == text, "{coding}");
    }
    // Damage: what could be decoded is kept.
    for (coding, body) in [
        ("gzip", &gz),
        ("deflate", &zlib),
        ("br", &br),
        ("zstd", &zst),
        ("deflate", &raw),
    ] {
        let cut = &body[..body.len() - 9];
        let block = [
            format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n").as_bytes(),
            cut,
        ]
        .concat();
        let body = http::Head::parse(&block)
            .unwrap()
            .decode_body(&Limits::default());
        assert_eq!(body.notes, [Note::CodingCut], "{coding}");
        assert!(text.starts_with(&body.bytes), "{coding}");
    }
    // The crawler says that it removed a coding without a magic number.
    let block = [
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nX-Crawl-Content-Encoding: br\r\n\r\n",
        &*text,
    ]
    .concat();
    let body = http::Head::parse(&block)
        .unwrap()
        .decode_body(&Limits::default());
    assert_eq!(
        (&*body.coding(), &*body.notes),
        ("identity", &[Note::CodingAbsent][..])
    );
}

#[test]
fn bombs_are_capped() {
    let zeros = vec![0_u8; 200 << 20];
    let gz = gzip(&zeros);
    for coding in ["gzip", "gzip, gzip"] {
        let coded = if coding == "gzip" {
            gz.clone()
        } else {
            gzip(&gz)
        };
        let block = [
            format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n").as_bytes(),
            &coded,
        ]
        .concat();
        let body = http::Head::parse(&block)
            .unwrap()
            .decode_body(&Limits::default());
        assert!(
            body.notes.contains(&Note::RatioCapped) || body.notes.contains(&Note::BodyCapped),
            "{:?}",
            body.notes
        );
        assert!(body.bytes.len() <= Limits::default().max_body);
    }
    let limits = Limits {
        max_body: 1000,
        ..Limits::default()
    };
    for coded in [
        ("gzip", gzip(&zeros[..5000])),
        ("zstd", zstd_frame(&zeros[..5000], &[])),
        ("deflate", deflate_raw(&zeros[..5000])),
    ] {
        let block = [
            format!("HTTP/1.1 200 OK\r\nContent-Encoding: {}\r\n\r\n", coded.0).as_bytes(),
            &coded.1,
        ]
        .concat();
        let body = http::Head::parse(&block).unwrap().decode_body(&limits);
        assert_eq!(
            (body.bytes.len(), &*body.notes),
            (1000, &[Note::BodyCapped][..]),
            "{}",
            coded.0
        );
    }
}
