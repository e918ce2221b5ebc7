//! A seeded generator of archives, with the truth beside them. For tests, benches and the examples;
//! hidden behind the feature `_generate`, and free to change.

mod crawl;
mod pack;
mod words;

pub use crawl::crawl;
pub use pack::{Packing, brotli_stored, deflate_raw, deflate_zlib, gzip, zstd_frame};

use std::fmt::Write as _;
use std::ops::Range;

use words::{LANGUAGES, Language};

/// SplitMix64: small, seeded, the same everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n` (0 where `n` is 0).
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 {
            0
        } else {
            (self.next_u64() % n as u64) as usize
        }
    }

    /// True in `percent` of the cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What to generate.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The seed.
    pub seed: u64,
    /// How many response records.
    pub pages: usize,
    /// How long their texts are, about, in characters.
    pub length: Range<usize>,
    /// How the archive is stored.
    pub packing: Packing,
    /// Bodies with content codings and chunked bodies, as wget and Browsertrix store them.
    pub codings: bool,
    /// Bodies whose declarations lie, in per cent.
    pub lies: usize,
    /// Request and metadata records between the responses.
    pub company: bool,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            seed: 1,
            pages: 20,
            length: 200..2000,
            packing: Packing::GzipMembers,
            codings: true,
            lies: 5,
            company: true,
        }
    }
}

/// One page, and the truth about it.
#[derive(Clone, Debug)]
pub struct Page {
    /// WARC-Target-URI.
    pub url: String,
    /// WARC-Record-ID, without brackets.
    pub id: String,
    /// The Content-Type header, if there is one.
    pub content_type: Option<String>,
    /// The label of the encoding the text was really encoded with.
    pub label: &'static str,
    /// The text.
    pub text: String,
    /// The document's bytes, without codings.
    pub body: Vec<u8>,
    /// The codings, outermost first, joined by `+`.
    pub coding: String,
    /// The declarations name another encoding than the true one.
    pub lie: bool,
}

/// One stored record.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its bytes in the archive (its member where members are records; else its place in the stream).
    pub range: Range<usize>,
    /// The page it holds, if it is a response.
    pub page: Option<usize>,
    /// The record before packing.
    pub plain: Vec<u8>,
}

/// A generated archive.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The file.
    pub bytes: Vec<u8>,
    /// The pages, in order.
    pub pages: Vec<Page>,
    /// The records, in order.
    pub records: Vec<Stored>,
}

/// Generates an archive.
pub fn archive(recipe: &Recipe) -> Generated {
    let mut random = Random::new(recipe.seed);
    let mut pages = Vec::new();
    let mut plain: Vec<(Vec<u8>, Option<usize>)> = Vec::new();
    plain.push((
        record(
            "warcinfo",
            "",
            "urn:uuid:0",
            "application/warc-fields",
            b"software: unbake\r\n",
        ),
        None,
    ));
    for n in 0..recipe.pages {
        let (page, block) = page(&mut random, recipe, n);
        if recipe.company {
            let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", host(&page.url));
            let kind = "application/http; msgtype=request";
            plain.push((
                record(
                    "request",
                    &page.url,
                    &format!("urn:uuid:q{n}"),
                    kind,
                    request.as_bytes(),
                ),
                None,
            ));
        }
        let kind = "application/http; msgtype=response";
        // As the WARC community writes it: no quotes, the name of the true encoding.
        let encoding = encoding_rs::Encoding::for_label(page.label.as_bytes());
        let identified = format!(
            "WARC-Identified-Payload-Type: text/html; charset={}\r\n",
            encoding.unwrap_or(encoding_rs::UTF_8).name()
        );
        plain.push((
            record_with("response", &page.url, &page.id, kind, &identified, &block),
            Some(n),
        ));
        if recipe.company && random.chance(30) {
            let note = b"fetchTimeMs: 12\r\n";
            plain.push((
                record(
                    "metadata",
                    &page.url,
                    &format!("urn:uuid:m{n}"),
                    "application/warc-fields",
                    note,
                ),
                None,
            ));
        }
        pages.push(page);
    }
    let (bytes, ranges) = pack::pack(
        recipe.packing,
        plain.iter().map(|(record, _)| record.as_slice()),
    );
    let records = plain
        .into_iter()
        .zip(ranges)
        .map(|((plain, page), range)| Stored { range, page, plain })
        .collect();
    Generated {
        bytes,
        pages,
        records,
    }
}

fn host(url: &str) -> &str {
    url.split('/').nth(2).unwrap_or_default()
}

/// One record in WARC form.
pub fn record(kind: &str, url: &str, id: &str, content_type: &str, block: &[u8]) -> Vec<u8> {
    record_with(kind, url, id, content_type, "", block)
}

/// One record in WARC form, with more fields, each a whole line.
fn record_with(
    kind: &str,
    url: &str,
    id: &str,
    content_type: &str,
    more: &str,
    block: &[u8],
) -> Vec<u8> {
    let mut out = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{id}>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
    );
    if !url.is_empty() {
        let _ = write!(out, "WARC-Target-URI: {url}\r\n");
    }
    let _ = write!(
        out,
        "Content-Type: {content_type}\r\n{more}Content-Length: {}\r\n\r\n",
        block.len()
    );
    let mut out = out.into_bytes();
    out.extend_from_slice(block);
    out.extend_from_slice(b"\r\n\r\n");
    out
}

/// A page and its HTTP response.
fn page(random: &mut Random, recipe: &Recipe, n: usize) -> (Page, Vec<u8>) {
    let language = &LANGUAGES[random.below(LANGUAGES.len())];
    let label = random.pick(language.labels);
    let lie = random.chance(recipe.lies);
    let declared = if lie { lying_label(label) } else { label };
    // Half declare in both places, a quarter each in one, as in the measured crawls; some in none.
    let (in_header, in_meta) = match random.below(20) {
        0..10 => (true, true),
        10..14 => (false, true),
        14..18 => (true, false),
        _ => (false, false),
    };
    let text = html(
        random,
        language,
        in_meta.then_some(declared),
        &recipe.length,
        n,
    );
    let body = encode(label, &text);
    let content_type = match (in_header, random.chance(5)) {
        (true, _) => Some(format!("text/html; charset={declared}")),
        (false, false) => Some("text/html".to_owned()),
        (false, true) => None,
    };
    let mut head = "HTTP/1.1 200 OK\r\nServer: generated\r\n".to_owned();
    if let Some(value) = &content_type {
        let _ = write!(head, "Content-Type: {value}\r\n");
    }
    let mut coded = body.clone();
    let mut codings = Vec::new();
    if recipe.codings {
        let name = match random.below(8) {
            0 => "gzip",
            1 => "x-gzip",
            2 => "deflate",
            3 => "br",
            4 => "zstd",
            _ => "",
        };
        coded = match name {
            "gzip" | "x-gzip" => gzip(&coded),
            "deflate" if random.chance(50) => deflate_raw(&coded),
            "deflate" => deflate_zlib(&coded),
            "br" => brotli_stored(&coded),
            "zstd" => zstd_frame(&coded, &[]),
            _ => coded,
        };
        if !name.is_empty() {
            codings.push(name.trim_start_matches("x-"));
            let _ = write!(head, "Content-Encoding: {name}\r\n");
        }
        if random.chance(40) {
            coded = chunked(random, &coded);
            codings.insert(0, "chunked");
            head.push_str("Transfer-Encoding: chunked\r\n");
        }
    }
    head.push_str("\r\n");
    let mut block = head.into_bytes();
    block.extend_from_slice(&coded);
    let coding = if codings.is_empty() {
        "identity".to_owned()
    } else {
        codings.join("+")
    };
    let url = format!("http://site{}.{}/page/{n}", random.below(10), language.tld);
    let id = format!("urn:uuid:{:016x}-{n}", random.next_u64());
    (
        Page {
            url,
            id,
            content_type,
            label,
            text,
            body,
            coding,
            lie,
        },
        block,
    )
}

fn lying_label(label: &str) -> &'static str {
    match label {
        "utf-8" => "iso-8859-1",
        _ => "utf-8",
    }
}

fn html(
    random: &mut Random,
    language: &Language,
    meta: Option<&str>,
    length: &Range<usize>,
    n: usize,
) -> String {
    let want = length.start + random.below(length.end.saturating_sub(length.start));
    let mut out = format!("<!DOCTYPE html>\n<html lang=\"{}\"><head>\n", language.tag);
    if let Some(label) = meta {
        let _ = writeln!(out, "<meta charset=\"{label}\">");
    }
    let _ = write!(
        out,
        "<title>{} {n}</title>\n</head><body>\n",
        random.pick(language.words)
    );
    let mut count = out.len();
    while count < want {
        let from = out.len();
        let class = random.below(1000);
        let _ = write!(
            out,
            "<p class=\"c{class}\"><a href=\"/item/{}\">",
            random.below(100_000)
        );
        for _ in 0..8 + random.below(60) {
            out.push_str(random.pick(language.words));
            out.push_str(language.space);
        }
        out.push_str("</a></p>\n");
        count += out[from..].chars().count();
    }
    out.push_str("</body></html>\n");
    out
}

/// The text in the encoding that `label` names, by the Encoding Standard's encoders.
fn encode(label: &str, text: &str) -> Vec<u8> {
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    encoding.encode(text).0.into_owned()
}

/// The bytes in chunks of random sizes, now and then with an extension or a trailer.
pub fn chunked(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let n = (1 + random.below(4000)).min(rest.len());
        let extension = if random.chance(10) { ";ext=\"v\"" } else { "" };
        out.extend_from_slice(format!("{n:x}{extension}\r\n").as_bytes());
        out.extend_from_slice(&rest[..n]);
        out.extend_from_slice(b"\r\n");
        rest = &rest[n..];
    }
    out.extend_from_slice(b"0\r\n");
    if random.chance(10) {
        out.extend_from_slice(b"X-Checksum: 1\r\n");
    }
    out.extend_from_slice(b"\r\n");
    out
}
