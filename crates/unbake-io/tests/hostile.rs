//! Files made to break a reader: odd, lying, endless, explosive.

use std::io::Read;
use std::time::{Duration, Instant};

use unbake_io::generate::{gzip, record, zstd_frame};
use unbake_io::{Item, Kind, Options, WarcReader};

fn read(bytes: &[u8]) -> Vec<Item> {
    WarcReader::new("test", bytes, Options::default()).collect()
}

/// What was read, in short: urls of records, kinds of errors, types of what was passed over.
fn short(items: &[Item]) -> Vec<String> {
    items
        .iter()
        .map(|item| match item {
            Item::Record(r) => {
                let notes: Vec<_> = r.notes().iter().map(|n| format!(" {}", n.id())).collect();
                format!("{}{}", r.url().unwrap_or_default(), notes.concat())
            }
            Item::Error(e) => format!("!{}", e.error.kind().id()),
            Item::Skipped(s) => format!("({})", s.record_type.id()),
        })
        .collect()
}

fn page(url: &str) -> Vec<u8> {
    record(
        "response",
        url,
        "urn:x",
        "application/http",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>",
    )
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
fn odd_files() {
    let (a, b) = (page("a:"), page("b:"));
    let lf: Vec<u8> = a.iter().copied().filter(|&c| c != b'\r').collect();
    let lf = edited(&lf, "Content-Length: 47", "Content-Length: 44");
    let cases: &[(&str, Vec<u8>, &[&str])] = &[
        ("empty", vec![], &[]),
        ("two", [&*a, &*b].concat(), &["a:", "b:"]),
        (
            "no trailer at the end",
            a[..a.len() - 4].to_vec(),
            &["a: record-trailer"],
        ),
        (
            "no trailer between",
            [&a[..a.len() - 4], &b].concat(),
            &["a: record-trailer", "b:"],
        ),
        (
            "one CRLF between",
            [&a[..a.len() - 2], &b].concat(),
            &["a: record-trailer", "b:"],
        ),
        (
            "many CRLF between",
            [&*a, b"\r\n\r\n\n\n", &b].concat(),
            &["a: record-trailer", "b:"],
        ),
        ("many CRLF before", [b"\r\n\r\n", &*a].concat(), &["a:"]),
        ("LF only", [&*lf, &b].concat(), &["a: record-trailer", "b:"]),
        (
            "folded",
            edited(&a, "WARC-Target-URI: a:", "WARC-Target-URI:\r\n \t a:"),
            &["a:"],
        ),
        (
            "brackets around the URI",
            edited(&a, "URI: a:", "URI: <a:>"),
            &["a:"],
        ),
        (
            "space before the colon",
            edited(&a, "Content-Length:", "content-length \t:"),
            &["a:"],
        ),
        ("version 1.0", edited(&a, "WARC/1.1", "WARC/1.0"), &["a:"]),
        (
            "version 0.18",
            edited(&a, "WARC/1.1", "WARC/0.18"),
            &["a: warc-version"],
        ),
        (
            "a line without a colon",
            edited(&a, "WARC-Date", "nonsense\r\nWARC-Date"),
            &["a:"],
        ),
        (
            "the same length twice",
            edited(
                &a,
                "Content-Length: 47",
                "Content-Length: 47\r\nContent-Length: 47",
            ),
            &["a:"],
        ),
        (
            "two lengths",
            [
                &*edited(
                    &a,
                    "Content-Length: 47",
                    "Content-Length: 47\r\nContent-Length: 48",
                ),
                &b,
            ]
            .concat(),
            &["!content-length", "b:"],
        ),
        (
            "a length with a sign",
            [&*edited(&a, ": 47", ": +44"), &b].concat(),
            &["!content-length", "b:"],
        ),
        (
            "a length in words",
            [&*edited(&a, ": 47", ": many"), &b].concat(),
            &["!content-length", "b:"],
        ),
        (
            "a length beyond 64 bits",
            [&*edited(&a, ": 47", ": 99999999999999999999"), &b].concat(),
            &["!content-length", "b:"],
        ),
        (
            "the largest length",
            [&*edited(&a, ": 47", ": 18446744073709551615"), &b].concat(),
            &["!too-large", "b:"],
        ),
        (
            "a large length",
            [&*edited(&a, ": 47", ": 900000000"), &b].concat(),
            &["!too-large", "b:"],
        ),
        (
            "a length into the next",
            [&*edited(&a, ": 47", ": 70"), &b].concat(),
            &["!content-length", "b:"],
        ),
        (
            "a length beyond the next",
            [&*edited(&a, ": 47", ": 4400"), &b].concat(),
            &["!content-length", "b:"],
        ),
        (
            "a short length",
            [&*edited(&a, ": 47", ": 30"), &b].concat(),
            &["!content-length", "b:"],
        ),
        (
            "no type",
            [&*edited(&a, "WARC-Type", "X-Type"), &b].concat(),
            &["!header", "b:"],
        ),
        (
            "an unknown type",
            [&*edited(&a, "Type: response", "Type: thing"), &b].concat(),
            &["(other)", "b:"],
        ),
        (
            "no empty line",
            [b"WARC/1.1\r\nWARC-Type: response\r\n", &*b].concat(),
            &["!header", "b:"],
        ),
        (
            "junk first",
            [b"\xEF\xBB\xBF", &*a].concat(),
            &["!junk", "a:"],
        ),
        (
            "junk between",
            [&*a, b"junk\r\n", &b].concat(),
            &["a:", "!junk", "b:"],
        ),
        (
            "zeros at the end",
            [&*a, &[0; 700]].concat(),
            &["a:", "!junk"],
        ),
        ("cut in the head", a[..40].to_vec(), &["!truncated"]),
        (
            "cut in the body",
            a[..a.len() - 6].to_vec(),
            &["!truncated"],
        ),
        ("a text", b"hello, world\n".to_vec(), &["!junk"]),
        (
            "ARC",
            b"filedesc://a.arc 0.0.0.0 20000101000000 text/plain 76\n1 0 X\n".to_vec(),
            &["!format"],
        ),
        (
            "gzip, junk between",
            [&*gzip(&a), b"junk", &gzip(&b)].concat(),
            &["a:", "!junk", "b:"],
        ),
        (
            "gzip, zeros at the end",
            [&*gzip(&a), &[0; 700]].concat(),
            &["a:", "!junk"],
        ),
        (
            "gzip, checksum",
            [&*flipped(&gzip(&a), 8), &gzip(&b)].concat(),
            &["!compression", "b:"],
        ),
        (
            "gzip, trailer cut",
            gzip(&a)[..gzip(&a).len() - 3].to_vec(),
            &["!truncated"],
        ),
        (
            "gzip, an empty member",
            [&*gzip(&a), &gzip(b""), &gzip(&b)].concat(),
            &["a:", "b:"],
        ),
        (
            "gzip, no trailer",
            [&*gzip(&a[..a.len() - 4]), &gzip(&b)].concat(),
            &["a: record-trailer", "b:"],
        ),
        (
            "gzip, length",
            [&*gzip(&edited(&a, ": 47", ": 70")), &gzip(&b)].concat(),
            &["!cut", "b:"],
        ),
        (
            "gzip, large length",
            [&*gzip(&edited(&a, ": 47", ": 900000000")), &gzip(&b)].concat(),
            &["!cut", "b:"],
        ),
        (
            "gzip, members that are no records",
            [&a[..30], &a[30..90], &a[90..], &b[..200], &b[200..]]
                .iter()
                .flat_map(|p| gzip(p))
                .collect(),
            &["a:", "b:"],
        ),
        (
            "gzip, two in a member",
            [&*gzip(&[&*a, &*b].concat()), &gzip(&a)].concat(),
            &["a:", "b:", "a:"],
        ),
        (
            "zstd, skippable",
            [
                &[0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 1, 2],
                &*zstd_frame(&a, &[]),
            ]
            .concat(),
            &["a:"],
        ),
        (
            "zstd, junk",
            [&*zstd_frame(&a, &[]), b"junk", &zstd_frame(&b, &[])].concat(),
            &["a:", "!junk", "b:"],
        ),
    ];
    for (name, file, expected) in cases {
        assert_eq!(short(&read(file)), *expected, "{name}");
    }
}

fn flipped(bytes: &[u8], from_end: usize) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let n = out.len() - from_end;
    out[n] ^= 0x55;
    out
}

#[test]
fn a_compressed_dictionary_frame_is_understood() {
    let dictionary = page("http://site.test/");
    let packed = zstd_frame(&dictionary, &[]);
    let mut file = vec![0x5D, 0x2A, 0x4D, 0x18];
    file.extend_from_slice(&(packed.len() as u32).to_le_bytes());
    file.extend_from_slice(&packed);
    file.extend_from_slice(&zstd_frame(&page("a:"), &dictionary));
    assert_eq!(short(&read(&file)), ["a:"]);
}

#[test]
fn a_record_beyond_the_cap_costs_itself_only() {
    let large = record(
        "response",
        "large:",
        "urn:1",
        "application/http",
        &vec![b'x'; 3 << 20],
    );
    let options = Options {
        max_record: 1 << 20,
        size: None,
        ..Options::default()
    };
    let (a, b) = (page("a:"), page("b:"));
    for file in [
        [&*a, &large, &b].concat(),
        gzip(&[&*a, &large, &b].concat()),
        [gzip(&a), gzip(&large), gzip(&b)].concat(),
        [
            zstd_frame(&a, &[]),
            zstd_frame(&large, &[]),
            zstd_frame(&b, &[]),
        ]
        .concat(),
    ] {
        for size in [None, Some(file.len() as u64)] {
            let items: Vec<_> =
                WarcReader::new("test", &*file, Options { size, ..options }).collect();
            assert_eq!(short(&items), ["a:", "!too-large", "b:"]);
        }
    }
}

/// Endless inputs must end in an error or be read on without growing; each within seconds.
#[test]
fn endless_inputs_are_bounded() {
    let repeat = |head: &'static [u8], text: &'static [u8], total: u64| {
        let endless =
            std::iter::repeat_n(text, (total / text.len() as u64) as usize).collect::<Vec<_>>();
        head.chain(Pieces(endless))
    };
    let start = Instant::now();
    let cases: [(&str, Box<dyn Read + Send>, &[&str]); 6] = [
        (
            "one header of 200 MB",
            Box::new(repeat(b"WARC/1.0\r\nX: ", &[b'a'; 8192], 200 << 20)),
            &["!header"],
        ),
        (
            "endless folding",
            Box::new(repeat(
                b"WARC/1.0\r\nX: a",
                b"\r\n a\r\n a\r\n a\r\n a\r\n a\r\n a",
                50 << 20,
            )),
            &["!header"],
        ),
        (
            "endless fields",
            Box::new(repeat(
                b"WARC/1.0\r\n",
                b"X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n",
                50 << 20,
            )),
            &["!header"],
        ),
        (
            "endless line ends",
            Box::new(repeat(b"", &[b'\n'; 8192], 200 << 20)),
            &[],
        ),
        (
            "endless junk",
            Box::new(repeat(b"", b"WARC/WARC/1.WARC/1.0 ", 50 << 20)),
            &["!junk"],
        ),
        (
            "endless false gzip members",
            Box::new(repeat(
                b"\x1F\x8B\x08\x00",
                b"\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\x03",
                8 << 20,
            )),
            &["!junk"],
        ),
    ];
    for (name, reader, expected) in cases {
        let items: Vec<_> = WarcReader::new("test", reader, Options::default()).collect();
        let kinds = short(&items);
        if name.contains("gzip") {
            assert!(
                kinds.iter().all(|k| k.starts_with('!')) && !kinds.is_empty(),
                "{name}: {kinds:?}"
            );
        } else {
            assert_eq!(kinds, *expected, "{name}");
        }
    }
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "{:?}",
        start.elapsed()
    );
}

struct Pieces(Vec<&'static [u8]>);

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let Some(piece) = self.0.pop() else {
            return Ok(0);
        };
        let n = piece.len().min(out.len());
        out[..n].copy_from_slice(&piece[..n]);
        if n < piece.len() {
            self.0.push(&piece[n..]);
        }
        Ok(n)
    }
}

#[test]
fn a_failing_disk_is_one_error_and_the_end() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    let file = page("a:");
    let items: Vec<_> = WarcReader::new("test", file.chain(Failing), Options::default()).collect();
    let Some(Item::Error(e)) = items.last() else {
        panic!("{items:?}")
    };
    assert_eq!(e.error.kind(), Kind::Io);
    assert!(std::error::Error::source(&e.error).is_some());
}
