//! The same archives, read by FastWARC and warcio: the same records, the same bodies.
//!
//! `UNBAKE_PYTHON` names a Python that has both (`pip install warcio FastWARC`); without it the tests
//! count as ignored and say so.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use unbake_io::batch::{Batch, Outcome, Progress, Target};
use unbake_io::generate::{Packing, Recipe, archive};
use unbake_io::{Form, From, Input, Item, Limits, Options, Reading, WarcReader};

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

const PYARROW: &str = r"
import sys, json
if sys.argv[2].endswith('.parquet'):
    import pyarrow.parquet as p
    table = p.read_table(sys.argv[2])
    metadata = p.read_metadata(sys.argv[2]).metadata
    assert metadata[b'unbake.schema'] == b'1', metadata
    assert metadata[b'unbake.profile'] == b'profile=pipeline', metadata
else:
    import pyarrow as pa
    table = pa.ipc.open_file(sys.argv[2]).read_all()
rows = table.to_pylist()
lines = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
assert len(rows) == len(lines), (len(rows), len(lines))
for row, line in zip(rows, lines):
    if 'error' in line:
        error = line['error']
        assert (row['error_kind'], row['error_message'], row['error_at']) == (error['kind'], error['message'], error['at'])
        assert row['text'] is None and row['warc_filename'] == line['warc_filename']
        continue
    for clue in row['clues']:
        start, end = clue.pop('start'), clue.pop('end')
        clue['at'] = None if start is None else [start, end]
    row['fetch_time'] = row['fetch_time'].strftime('%Y-%m-%dT%H:%M:%SZ')
    for key, value in line.items():
        assert row[key] == value, (key, row[key], value)
print('same', len(rows))
";

const DUCKDB: &str = r"
import sys, json, duckdb
columns = 'id, encoding, rule, text, warc_record_offset, len(clues), error_kind, epoch_ms(fetch_time)'
rows = duckdb.sql(f'from read_parquet(\'{sys.argv[2]}\') select {columns}').fetchall()
lines = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
assert len(rows) == len(lines), (len(rows), len(lines))
for row, line in zip(rows, lines):
    if 'error' in line:
        assert row[6] == line['error']['kind'] and row[3] is None
        continue
    want = [line[k] for k in ('id', 'encoding', 'rule', 'text', 'warc_record_offset')]
    assert list(row) == want + [len(line['clues']), None, 1767323045000], (row, want)
print('same', len(rows))
";

fn main() {
    let arguments = Arguments::from_args();
    let python = std::env::var("UNBAKE_PYTHON").ok();
    let mut trials = Vec::new();
    for (name, module, script) in [
        ("warcio", "warcio", WARCIO),
        ("fastwarc", "fastwarc", FASTWARC),
    ] {
        let there = has(python.as_deref(), module);
        for packing in [Packing::Plain, Packing::GzipMembers] {
            for seed in 0..3 {
                let python = python.clone().unwrap_or_default();
                let test = move || compare(&python, script, packing, seed);
                trials.push(
                    Trial::test(format!("{name}/{packing:?}/{seed}"), test)
                        .with_ignored_flag(!there),
                );
            }
        }
    }
    for (name, module, script) in [
        ("pyarrow", "pyarrow", PYARROW),
        ("duckdb", "duckdb", DUCKDB),
    ] {
        let there = has(python.as_deref(), module);
        for form in [Form::Parquet, Form::Arrow] {
            if name == "duckdb" && form == Form::Arrow {
                continue;
            }
            let python = python.clone().unwrap_or_default();
            let test = move || read_back(&python, script, form);
            trials.push(Trial::test(format!("{name}/{form:?}"), test).with_ignored_flag(!there));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn has(python: Option<&str>, module: &str) -> bool {
    let there = python.is_some_and(|python| {
        let code = format!("import {module}");
        Command::new(python)
            .args(["-c", &code])
            .output()
            .is_ok_and(|output| output.status.success())
    });
    if !there {
        let _ = writeln!(
            std::io::stdout(),
            "not run: {module} (set UNBAKE_PYTHON to a Python that has it)"
        );
    }
    there
}

/// A table read by someone else says what our own NDJSON says.
fn read_back(python: &str, script: &str, form: Form) -> Result<(), Failed> {
    let name = format!(
        "unbake-back-{}-{form:?}-{}",
        std::process::id(),
        script.len()
    );
    let directory = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&directory)?;
    let input = directory.join("in.warc.gz");
    let mut made = archive(&Recipe {
        pages: 50,
        ..Recipe::default()
    });
    let response = made
        .records
        .iter()
        .filter(|record| record.page.is_some())
        .nth(9);
    let at = response.map_or(0, |record| record.range.start) + 30;
    made.bytes[at..at + 50].fill(7);
    std::fs::write(&input, &made.bytes)?;
    let mut paths = Vec::new();
    for form in [Form::Ndjson, form] {
        let batch = Batch {
            reading: Reading::default(),
            strict: false,
            threads: 1,
        };
        let target = Target {
            out: directory.clone(),
            form,
            text: true,
            settings: "profile=pipeline".to_owned(),
            resume: false,
        };
        let input = Input {
            path: input.clone(),
            from: From::Warc,
        };
        let outcomes = batch.write(&[input], &target, &Progress::default())?;
        let [Outcome::Done(manifest)] = outcomes.as_slice() else {
            return Err(format!("{outcomes:?}").into());
        };
        paths.push(directory.join(&manifest.output));
    }
    let output = Command::new(python)
        .args(["-c", script])
        .args(&paths)
        .output()?;
    std::fs::remove_dir_all(&directory)?;
    if !output.status.success() || output.stdout != b"same 50\n" {
        let said = [output.stdout, output.stderr].concat();
        return Err(String::from_utf8(said)?.into());
    }
    Ok(())
}

/// Bodies without content codings: what the peers do with those is known to differ (neither reads all
/// of gzip, br and zstd), and `documents.rs` checks ours against the truth. Chunked is read by both.
fn compare(python: &str, script: &str, packing: Packing, seed: u64) -> Result<(), Failed> {
    let made = archive(&Recipe {
        seed,
        packing,
        codings: false,
        pages: 40,
        ..Recipe::default()
    });
    let path = std::env::temp_dir().join(format!(
        "unbake-peers-{}-{packing:?}-{seed}-{}.warc",
        std::process::id(),
        script.len()
    ));
    std::fs::write(&path, &made.bytes)?;
    let output = Command::new(python)
        .args(["-c", script])
        .arg(&path)
        .output()?;
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
            let _ = writeln!(ours, "<{}> {}", record.id().unwrap_or_default(), crc.sum());
        }
    }
    if ours.lines().count() != 40 || ours != theirs {
        return Err(format!("ours:\n{ours}\ntheirs:\n{theirs}").into());
    }
    Ok(())
}
