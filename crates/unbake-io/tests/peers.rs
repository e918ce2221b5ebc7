//! The same archives, read by FastWARC and warcio: the same records, the same bodies.
//!
//! `UNBAKE_PYTHON` names a Python that has both (`pip install warcio FastWARC`); without it the tests
//! count as ignored and say so.

use std::io::Write as _;
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use unbake_io::generate::{Packing, Recipe, archive};
use unbake_io::{Item, Limits, Options, WarcReader};

const WARCIO: &str = r"
import sys, zlib
from warcio.archiveiterator import ArchiveIterator
for r in ArchiveIterator(open(sys.argv[1], 'rb')):
    if r.rec_type == 'response':
        print(r.rec_headers.get_header('WARC-Record-ID'), zlib.crc32(r.content_stream().read()))
";

const FASTWARC: &str = r"
import sys, zlib
from fastwarc.warc import ArchiveIterator, WarcRecordType
for r in ArchiveIterator(open(sys.argv[1], 'rb'), record_types=WarcRecordType.response):
    print(r.headers['WARC-Record-ID'], zlib.crc32(r.reader.read()))
";

fn main() {
    let arguments = Arguments::from_args();
    let python = std::env::var("UNBAKE_PYTHON").ok();
    let mut trials = Vec::new();
    for (name, module, script) in [("warcio", "warcio", WARCIO), ("fastwarc", "fastwarc", FASTWARC)] {
        let there = python.as_ref().is_some_and(|python| {
            Command::new(python).args(["-c", &format!("import {module}")]).status().is_ok_and(|s| s.success())
        });
        if !there {
            let _ = writeln!(std::io::stdout(), "not run: {name} (set UNBAKE_PYTHON to a Python that has it)");
        }
        for packing in [Packing::Plain, Packing::GzipMembers] {
            for seed in 0..3 {
                let python = python.clone().unwrap_or_default();
                let test = move || compare(&python, script, packing, seed);
                trials.push(Trial::test(format!("{name}/{packing:?}/{seed}"), test).with_ignored_flag(!there));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Bodies without content codings: what the peers do with those is known to differ (neither reads all
/// of gzip, br and zstd), and `documents.rs` checks ours against the truth. Chunked is read by both.
fn compare(python: &str, script: &str, packing: Packing, seed: u64) -> Result<(), Failed> {
    let made = archive(&Recipe { seed, packing, codings: false, pages: 40, ..Recipe::default() });
    let path = std::env::temp_dir().join(format!("unbake-peers-{}-{packing:?}-{seed}-{}.warc", std::process::id(), script.len()));
    std::fs::write(&path, &made.bytes)?;
    let output = Command::new(python).args(["-c", script]).arg(&path).output()?;
    std::fs::remove_file(&path)?;
    if !output.status.success() {
        return Err(String::from_utf8(output.stderr)?.into());
    }
    let theirs = String::from_utf8(output.stdout)?;
    let mut ours = String::new();
    for item in WarcReader::new("peers", &*made.bytes, Options::default()) {
        if let Item::Record(record) = item {
            let body = record.body(&Limits::default());
            let mut crc = flate2::Crc::new();
            crc.update(&body.bytes);
            ours.push_str(&format!("<{}> {}\n", record.id().unwrap_or_default(), crc.sum()));
        }
    }
    if ours.lines().count() != 40 || ours != theirs {
        return Err(format!("ours:\n{ours}\ntheirs:\n{theirs}").into());
    }
    Ok(())
}
