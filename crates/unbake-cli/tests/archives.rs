//! `batch` and `redecode` over generated archives, as a person runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use unbake_io::generate::{Packing, Recipe, archive};

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path =
            std::env::temp_dir().join(format!("unbake-archives-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory");
        Directory(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Exit code, standard output, standard error.
fn unbake(directory: &Path, line: &str, stdin: Option<&Path>) -> (i32, String, String) {
    let stdin = stdin.map_or(Stdio::null(), |path| {
        fs::File::open(path).expect("a file").into()
    });
    let output = Command::new(env!("CARGO_BIN_EXE_unbake"))
        .args(line.split_whitespace())
        .current_dir(directory)
        .stdin(stdin)
        .output()
        .expect("the binary runs");
    (
        output.status.code().expect("no signal"),
        String::from_utf8(output.stdout).expect("UTF-8"),
        String::from_utf8(output.stderr).expect("UTF-8"),
    )
}

#[test]
fn archives_by_name_by_option_and_by_part() {
    let directory = Directory::new("inputs");
    let d = &directory.0;
    let made = archive(&Recipe {
        pages: 30,
        ..Recipe::default()
    });
    fs::write(d.join("x.warc.gz"), &made.bytes).expect("a file");
    let (code, rows, err) = unbake(d, "batch x.warc.gz", None);
    assert_eq!((code, rows.lines().count(), &*err), (0, 30, ""));
    // Standard input has no name: the option says what it is. The rows differ in the archive's name alone.
    let (code, piped, _) = unbake(d, "batch --from warc -", Some(&d.join("x.warc.gz")));
    let named = rows.replace(r#""warc_filename":"x.warc.gz""#, r#""warc_filename":"-""#);
    assert_eq!((code, &piped), (0, &named));
    let url = format!("batch file://{}/x%2Ewarc.gz --to table", d.display());
    let (code, table, _) = unbake(d, &url, None);
    assert_eq!((code, table.lines().count()), (0, 31));

    let record = made
        .records
        .iter()
        .find(|r| r.page == Some(7))
        .expect("a record");
    let (offset, length) = (record.range.start, record.range.len());
    let part = format!("batch x.warc.gz --offset {offset} --length {length}");
    let (code, one, _) = unbake(d, &part, None);
    assert_eq!(
        (code, one.trim_end()),
        (0, rows.lines().nth(7).expect("a row"))
    );

    // The index leads back to the record.
    let (code, index, _) = unbake(d, "batch x.warc.gz --to cdxj", None);
    assert_eq!((code, index.lines().count()), (0, 30));
    let line = index.lines().nth(7).expect("a line");
    assert!(line.contains(&format!(r#""offset":"{offset}""#)), "{line}");
    assert!(line.contains(&format!(r#""length":"{length}""#)), "{line}");
    assert!(
        line.contains(r#""charset":""#) && line.contains(")/page/7 20260102030405 {"),
        "{line}"
    );

    let (code, _, err) = unbake(d, "batch x.warc.gz --to parquet", None);
    assert_eq!(code, 2);
    assert_eq!(
        err,
        "error: these rows are not for standard output\nhint: name a directory for them: `--out rows`\n"
    );
    fs::write(
        d.join("old.arc.gz"),
        b"filedesc://x 0.0.0.0 20000101 text/plain 1\n",
    )
    .expect("a file");
    let (code, row, _) = unbake(d, "batch old.arc.gz", None);
    assert_eq!(
        (code, row.contains("this is an ARC file, which is not read")),
        (0, true),
        "{row}"
    );
}

#[test]
fn files_of_rows_resumed_and_decoded_again() {
    let directory = Directory::new("files");
    let d = &directory.0;
    fs::create_dir(d.join("crawl")).expect("a directory");
    for (seed, packing) in [Packing::GzipMembers, Packing::Zstd, Packing::Plain]
        .into_iter()
        .enumerate()
    {
        let made = archive(&Recipe {
            seed: seed as u64,
            packing,
            pages: 20,
            ..Recipe::default()
        });
        let name = ["a.warc.gz", "b.warc.zst", "c.warc"][seed];
        fs::write(d.join("crawl").join(name), &made.bytes).expect("a file");
    }
    let line = "batch crawl --to parquet --out rows --resume";
    let (code, out, err) = unbake(d, line, None);
    assert_eq!((code, &*out), (0, ""));
    assert!(
        err.starts_with("60 documents, ") && err.ends_with("; 3 inputs\n"),
        "{err}"
    );
    let (code, _, err) = unbake(d, line, None);
    assert_eq!(code, 0);
    assert!(
        err.ends_with("; 3 inputs, 3 of them done before\n"),
        "{err}"
    );

    // What was written is an input itself; its rows keep their ids.
    let (code, again, _) = unbake(d, "batch rows --from parquet --body-column text", None);
    assert_eq!((code, again.lines().count()), (0, 60));

    let old = fs::read_dir(d.join("rows"))
        .expect("rows")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| {
            path.to_string_lossy().contains("a.warc.gz")
                && path.extension().is_some_and(|e| e == "parquet")
        })
        .expect("a file of rows");
    let redecode = format!("redecode {} --from crawl/a.warc.gz --check", old.display());
    let (code, out, err) = unbake(d, &redecode, None);
    assert_eq!((code, out.lines().count()), (0, 1), "{out}");
    assert!(err.contains("now 20 the same, 0 changed"), "{err}");
    let (code, out, _) = unbake(
        d,
        &format!("{redecode} --encoding koi8-r --to ndjson"),
        None,
    );
    assert_eq!(code, 1);
    assert_eq!(out.lines().count(), 20);
    assert!(
        out.contains(r#""after":{"encoding":"KOI8-R","rule":"override"}"#),
        "{out}"
    );
}
