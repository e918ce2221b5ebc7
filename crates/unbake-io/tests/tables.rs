//! Documents in tables, and records compared with those of an earlier run.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, LargeBinaryArray, RecordBatch,
    StringArray,
};
use unbake::{Context, Profile, get_an_encoding};
use unbake_io::batch::{Batch, Outcome, Progress, Target, inputs};
use unbake_io::generate::{Recipe, archive};
use unbake_io::redecode::{Redecode, Text};
use unbake_io::{ColumnNames, Error, Form, From, Input, Kind, Out, Reading};

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path =
            std::env::temp_dir().join(format!("unbake-tables-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Directory(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn batch(reading: Reading) -> Batch {
    Batch {
        reading,
        strict: false,
        threads: 2,
    }
}

/// Per row: id, encoding, rule and text; or the kind of the error.
fn read(path: &PathBuf, columns: ColumnNames) -> Result<Vec<String>, Error> {
    let reading = Reading {
        columns,
        ..Reading::default()
    };
    let mut rows = Vec::new();
    let found = inputs(std::slice::from_ref(path), Some(From::Table))?;
    batch(reading).stream::<Error>(&found, &Progress::default(), |out| {
        rows.push(match out {
            Out::Row(row) => {
                let r = row.record;
                let id = r.id.unwrap_or_default();
                format!("{id} {} {} {}", r.encoding, r.rule.id(), r.text)
            }
            Out::Error(error) => format!("{} {}", error.error.kind, error.error.message),
        });
        Ok(())
    })?;
    Ok(rows)
}

fn write(directory: &Directory, body: ArrayRef, form: &str) -> PathBuf {
    let types: DictionaryArray<Int8Type> =
        vec![Some("text/html; charset=koi8-r"), None, Some("text/html")]
            .into_iter()
            .collect();
    let batch = RecordBatch::try_from_iter_with_nullable([
        (
            "other",
            Arc::new(StringArray::from(vec!["x", "y", "z"])) as ArrayRef,
            true,
        ),
        ("id", Arc::new(StringArray::from(vec!["a", "b", "c"])), true),
        ("kind", Arc::new(types), true),
        ("bytes", body, true),
    ])
    .unwrap();
    let path = directory.0.join(format!("x.{form}"));
    let file = fs::File::create(&path).unwrap();
    match form {
        "parquet" => {
            let mut writer =
                parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
        }
        "arrow" => {
            let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
        }
        _ => {
            let mut writer =
                arrow_ipc::writer::StreamWriter::try_new(file, &batch.schema()).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
        }
    }
    path
}

#[test]
fn every_kind_of_binary_column_in_every_kind_of_table() {
    let directory = Directory::new("kinds");
    let cells: Vec<Option<&[u8]>> = vec![Some(b"\xF0"), None, Some(b"<meta charset=big5>\xA4\xA4")];
    let bodies: [ArrayRef; 3] = [
        Arc::new(BinaryArray::from(cells.clone())),
        Arc::new(LargeBinaryArray::from(cells.clone())),
        Arc::new(BinaryViewArray::from(cells)),
    ];
    for body in bodies {
        for form in ["parquet", "arrow", "stream"] {
            let path = write(&directory, Arc::clone(&body), form);
            // The only binary column is the body; the Content-Type column must be named.
            let columns = ColumnNames {
                content_type: Some("kind".to_owned()),
                ..ColumnNames::default()
            };
            assert_eq!(
                read(&path, columns).unwrap(),
                [
                    "a KOI8-R transport П",
                    "row row 1 has no body",
                    "c Big5 prescan <meta charset=big5>中"
                ],
                "{form} {}",
                body.data_type()
            );
            let columns = ColumnNames {
                body: Some("absent".to_owned()),
                ..ColumnNames::default()
            };
            let error = read(&path, columns).unwrap_err();
            assert_eq!(error.kind(), Kind::Schema);
            assert_eq!(
                error.message(),
                "there is no column `absent`; there are `other`, `id`, `kind`, `bytes`"
            );
        }
    }
    let path = directory.0.join("not-a-table.parquet");
    fs::write(&path, b"<p>").unwrap();
    let error = read(&path, ColumnNames::default()).unwrap_err();
    assert_eq!(error.message(), "it is neither Parquet nor Arrow IPC");
}

#[test]
fn redecode_lists_what_has_changed_and_nothing_else() {
    let directory = Directory::new("redecode");
    let mut made = archive(&Recipe {
        pages: 120,
        lies: 0,
        ..Recipe::default()
    });
    let path = directory.0.join("x.warc.gz");
    fs::write(&path, &made.bytes).unwrap();
    let input = Input {
        path: path.clone(),
        from: From::Warc,
    };
    let before = Reading {
        context: Context::new(Profile::Standard),
        ..Reading::default()
    };
    for (form, text) in [
        (Form::Parquet, true),
        (Form::Arrow, true),
        (Form::Ndjson, true),
        (Form::Parquet, false),
    ] {
        let target = Target {
            out: directory.0.join("out"),
            form,
            text,
            settings: String::new(),
            resume: false,
        };
        let outcomes = batch(before.clone())
            .write(std::slice::from_ref(&input), &target, &Progress::default())
            .unwrap();
        let [Outcome::Done(manifest)] = outcomes.as_slice() else {
            panic!("{outcomes:?}")
        };
        let old = target.out.join(&manifest.output);
        let compare = |reading: &Reading| {
            let redecode = Redecode::open(&old).unwrap();
            assert_eq!(redecode.len(), 120);
            let mut changes = Vec::new();
            let summary = redecode
                .run::<Error>(
                    &batch(reading.clone()),
                    std::slice::from_ref(&input),
                    &Progress::default(),
                    |change| {
                        changes.push(change);
                        Ok(())
                    },
                )
                .unwrap();
            (summary, changes)
        };
        let (summary, changes) = compare(&before);
        assert_eq!((summary.same, changes.len()), (120, 0), "{form:?}");
        assert_eq!(summary.version.as_deref(), Some(env!("CARGO_PKG_VERSION")));

        // Another last resort: exactly the documents that it decided are listed.
        let mut after = before.clone();
        after.context.fallback = get_an_encoding(b"macintosh");
        let (summary, changes) = compare(&after);
        let undeclared = manifest.counts.rules["default"];
        assert!(undeclared > 0);
        assert_eq!(changes.len() as u64, undeclared);
        assert_eq!(summary.same + undeclared, 120);
        for change in &changes {
            let (old, new) = (
                change.before.as_ref().unwrap(),
                change.after.as_ref().unwrap(),
            );
            assert_eq!((&*old.encoding, &*old.rule), ("windows-1252", "default"));
            assert_eq!((&*new.encoding, &*new.rule), ("macintosh", "default"));
            assert!(text || change.text != Text::Same);
        }
    }
    // A record that is no longer there is listed without an "after".
    let response = made.records.iter().find(|r| r.page == Some(5)).unwrap();
    let range = response.range.clone();
    made.bytes[range.start + 20..range.end].fill(0);
    fs::write(&path, &made.bytes).unwrap();
    let old = fs::read_dir(directory.0.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|e| e == "ndjson"))
        .unwrap();
    let mut lost = Vec::new();
    let summary = Redecode::open(&old)
        .unwrap()
        .run::<Error>(&batch(before), &[input], &Progress::default(), |change| {
            lost.push(change);
            Ok(())
        })
        .unwrap();
    assert_eq!((summary.same, summary.errors), (119, 1));
    assert_eq!(lost.len(), 1);
    assert_eq!(lost[0].id.as_deref(), Some(&*made.pages[5].id));
    assert!(lost[0].after.is_none());
}
