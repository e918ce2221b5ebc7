//! One stage of reading an archive, once, on one thread: what `bench/archives/compare.py` measures from outside.
//!
//! `stages FILE STAGE`, where STAGE is `bare` (zlib-rs alone, streaming), `memory` (the same into one vector),
//! `records` (records and bodies), `sniffed` (and their encodings), `limit` (and bare encoding_rs, told the encoding) or `decoded` (and their
//! texts and records). The file is gzip.
//! Prints documents and bytes.

use std::io::{BufReader, Read, Write};

use unbake::Context;
use unbake_io::{Document, Item, Limits, Options, Row, WarcReader};

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let missing = || std::io::Error::other("stages FILE STAGE");
    let file = std::fs::File::open(args.next().ok_or_else(missing)?)?;
    let stage = args.next().ok_or_else(missing)?;
    let (mut documents, mut bytes) = (0, 0);
    if stage == "bare" || stage == "memory" {
        let file = BufReader::with_capacity(128 << 10, file);
        let mut decoder = flate2::bufread::MultiGzDecoder::new(file);
        if stage == "memory" {
            let mut out = Vec::new();
            bytes = decoder.read_to_end(&mut out)?;
        } else {
            let mut piece = vec![0; 64 * 1024];
            loop {
                match decoder.read(&mut piece)? {
                    0 => break,
                    n => bytes += n,
                }
            }
        }
    } else {
        let (context, limits) = (Context::default(), Limits::default());
        let mut reader = WarcReader::new("stages", file, Options::default());
        while let Some(item) = reader.next() {
            if let Item::Record(record) = item {
                documents += 1;
                if stage == "records" {
                    bytes += record.body(&limits).bytes.len();
                } else {
                    let document = Document::of_record(&record, "stages", &context, &limits);
                    bytes += document.body.len();
                    if stage == "sniffed" || stage == "limit" {
                        let decision = unbake::sniff(&document.body, &document.context);
                        let web = decision.encoding.web().filter(|_| stage == "limit");
                        let text = web.map(|web| web.decode_without_bom_handling(&document.body));
                        std::hint::black_box(text);
                    } else {
                        std::hint::black_box(Row::of(document, false).ok());
                    }
                }
                reader.recycle(record);
            }
        }
    }
    writeln!(std::io::stdout(), "{documents} {bytes}")
}
