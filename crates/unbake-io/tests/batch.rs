//! The batch loop: order, sameness, resuming, being killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use unbake::{Context, Profile};
use unbake_io::batch::{Batch, Outcome, Progress, Target, inputs as named};
use unbake_io::generate::{Generated, Packing, Random, Recipe, archive};
use unbake_io::{Error, Form, From, Input, Kind, Reading};

const FORMS: [Form; 3] = [Form::Ndjson, Form::Parquet, Form::Arrow];

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("unbake-batch-{}-{name}", std::process::id()));
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

struct Run {
    batch: Batch,
    target: Target,
}

impl Run {
    fn run(&self, inputs: &[Input], progress: &Progress) -> Result<Vec<Outcome>, Error> {
        self.batch.write(inputs, &self.target, progress)
    }
}

fn batch(out: &Path, form: Form, threads: usize) -> Run {
    let reading = Reading {
        context: Context::new(Profile::Pipeline),
        ..Reading::default()
    };
    Run {
        batch: Batch {
            reading,
            strict: false,
            threads,
        },
        target: Target {
            out: out.to_owned(),
            form,
            text: true,
            settings: "profile=pipeline".to_owned(),
            resume: true,
        },
    }
}

fn warc(path: PathBuf) -> Input {
    let from = From::Warc;
    Input { path, from }
}

fn inputs(directory: &Path, files: u64, pages: usize) -> (Vec<Input>, Vec<Generated>) {
    let made: Vec<_> = (0..files)
        .map(|seed| {
            archive(&Recipe {
                seed,
                pages,
                ..Recipe::default()
            })
        })
        .collect();
    let paths = (0..files)
        .map(|n| warc(directory.join(format!("{n}.warc.gz"))))
        .collect::<Vec<_>>();
    for (path, made) in paths.iter().zip(&made) {
        fs::write(&path.path, &made.bytes).unwrap();
    }
    (paths, made)
}

/// Every file of a directory with its bytes.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut out: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|e| e.unwrap().path())
        .map(|path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .collect();
    out.sort();
    out
}

#[test]
fn rows_are_the_pages_in_their_order() {
    let directory = Directory::new("rows");
    let (paths, made) = inputs(&directory.0, 1, 200);
    let out = directory.0.join("out");
    let outcomes = batch(&out, Form::Ndjson, 2)
        .run(&paths, &Progress::default())
        .unwrap();
    let [Outcome::Done(manifest)] = outcomes.as_slice() else {
        panic!("{outcomes:?}")
    };
    assert_eq!(
        (manifest.counts.documents, manifest.counts.errors.len()),
        (200, 0)
    );
    let text = fs::read_to_string(out.join(&manifest.output)).unwrap();
    let mut checked = 0;
    for (line, page) in text.lines().zip(&made[0].pages) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["id"], page.id);
        assert_eq!(row["url"], page.url);
        assert_eq!(row["fetch_status"], 200);
        assert_eq!(row["body_coding"], page.coding);
        assert_eq!(row["byte_length"], page.body.len());
        let declared = page
            .content_type
            .as_ref()
            .is_some_and(|t| t.contains("charset"));
        if declared && !page.lie {
            assert_eq!(row["text"], page.text, "{}", page.url);
            assert_eq!(row["rule"], "transport");
            checked += 1;
        }
    }
    assert_eq!(text.lines().count(), 200);
    assert!(checked > 80);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let directory = Directory::new("threads");
    let (paths, _) = inputs(&directory.0, 3, 300);
    for form in FORMS {
        let mut first = None;
        for (name, threads, together) in [
            ("a", 1, true),
            ("b", 2, true),
            ("c", 4, false),
            ("d", 2, false),
        ] {
            let out = directory.0.join(format!("{form:?}-{name}"));
            let batch = batch(&out, form, threads);
            let groups: Vec<&[Input]> = if together {
                vec![&paths]
            } else {
                paths.chunks(1).collect()
            };
            for group in groups {
                for outcome in batch.run(group, &Progress::default()).unwrap() {
                    assert!(matches!(outcome, Outcome::Done(_)), "{outcome:?}");
                }
            }
            let files = files(&out);
            assert_eq!(files.len(), 6);
            assert!(
                first.get_or_insert_with(|| files.clone()) == &files,
                "{form:?} {name}"
            );
        }
    }
}

#[test]
fn an_error_is_a_row_and_the_run_goes_on() {
    let directory = Directory::new("errors");
    let (mut paths, made) = inputs(&directory.0, 2, 20);
    let mut bytes = made[0].bytes.clone();
    let mut random = Random::new(5);
    let at = made[0].records[7].range.start + 40;
    for byte in &mut bytes[at..at + 60] {
        *byte = random.below(256) as u8;
    }
    fs::write(&paths[0].path, &bytes).unwrap();
    paths.insert(1, warc(directory.0.join("absent.warc.gz")));
    for form in FORMS {
        let out = directory.0.join(format!("{form:?}"));
        let outcomes = batch(&out, form, 2)
            .run(&paths, &Progress::default())
            .unwrap();
        let [
            Outcome::Done(damaged),
            Outcome::Failed(absent),
            Outcome::Done(whole),
        ] = outcomes.as_slice()
        else {
            panic!("{outcomes:?}")
        };
        assert_eq!(damaged.counts.errors.values().sum::<u64>(), 1);
        assert!(damaged.counts.documents >= 19);
        assert_eq!(absent.kind(), Kind::Io);
        assert_eq!((whole.counts.documents, whole.counts.errors.len()), (20, 0));
        if form == Form::Ndjson {
            let text = fs::read_to_string(out.join(&damaged.output)).unwrap();
            let errors: Vec<serde_json::Value> = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .filter(|row: &serde_json::Value| !row["error"].is_null())
                .collect();
            assert_eq!(errors.len(), 1);
            assert_eq!(errors[0]["error"]["kind"], "compression");
            assert_eq!(errors[0]["error"]["at"], made[0].records[7].range.start);
        }
    }
}

#[test]
fn resuming_redoes_only_what_does_not_match() {
    let directory = Directory::new("resume");
    let (paths, _) = inputs(&directory.0, 3, 10);
    let out = directory.0.join("out");
    let run = |settings: &str| -> String {
        let mut batch = batch(&out, Form::Parquet, 1);
        settings.clone_into(&mut batch.target.settings);
        let outcomes = batch.run(&paths, &Progress::default()).unwrap();
        outcomes
            .iter()
            .map(|outcome| match outcome {
                Outcome::Done(_) => 'd',
                Outcome::Resumed(_) => 'r',
                Outcome::Failed(_) => 'f',
            })
            .collect()
    };
    assert_eq!(run("a"), "ddd");
    let undisturbed = files(&out);
    assert_eq!(run("a"), "rrr");
    // Other settings, another output, another input, a manifest cut short: each is done again.
    assert_eq!(
        (run("b"), run("b"), run("a")),
        ("ddd".to_owned(), "rrr".to_owned(), "ddd".to_owned())
    );
    let rows = out.join(format!(
        "{}.parquet",
        batch(&out, Form::Parquet, 1)
            .batch
            .output_name(&paths[1].path)
    ));
    fs::write(&rows, b"not a table").unwrap();
    assert_eq!(run("a"), "rdr");
    let manifest = out.join(format!(
        "{}.manifest.json",
        batch(&out, Form::Parquet, 1)
            .batch
            .output_name(&paths[2].path)
    ));
    let text = fs::read(&manifest).unwrap();
    fs::write(&manifest, &text[..text.len() / 2]).unwrap();
    assert_eq!(run("a"), "rrd");
    assert!(files(&out) == undisturbed);
    fs::write(
        &paths[0].path,
        archive(&Recipe {
            seed: 99,
            pages: 3,
            ..Recipe::default()
        })
        .bytes,
    )
    .unwrap();
    assert_eq!(run("a"), "drr");
}

#[test]
fn directories_are_searched_in_order() {
    let directory = Directory::new("search");
    for name in [
        "b/2.warc.gz",
        "b/1.warc",
        "a.warc.zst",
        "c.wet.gz",
        "notes.txt",
        "b/3.warc.gz.part",
    ] {
        let path = directory.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"").unwrap();
    }
    let found = named(&[directory.0.clone(), PathBuf::from("-")], None).unwrap();
    let names: Vec<_> = found
        .iter()
        .map(|i| &i.path)
        .map(|p| p.strip_prefix(&directory.0).unwrap_or(p).to_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["a.warc.zst", "b/1.warc", "b/2.warc.gz", "c.wet.gz", "-"]
    );
    let url = format!("file://{}", directory.0.join("a.warc.zst").display());
    assert_eq!(
        named(&[PathBuf::from(url)], None).unwrap(),
        [warc(directory.0.join("a.warc.zst"))]
    );
    assert_eq!(
        named(&[directory.0.join("absent")], None)
            .unwrap_err()
            .kind(),
        Kind::Io
    );
}

/// Not a test of its own: the process that [`killed_at_any_moment`] starts and kills.
#[test]
#[ignore = "started by killed_at_any_moment"]
fn run_that_is_killed() {
    let Ok(directory) = std::env::var("UNBAKE_TEST_DIRECTORY") else {
        return;
    };
    let directory = PathBuf::from(directory);
    let inputs = named(&[directory.join("in")], None).unwrap();
    batch(&directory.join("out"), Form::Parquet, 2)
        .run(&inputs, &Progress::default())
        .unwrap();
}

#[test]
fn killed_at_any_moment() {
    let directory = Directory::new("kill");
    let input = directory.0.join("in");
    fs::create_dir_all(&input).unwrap();
    inputs(&input, 10, 300);
    let start = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "run_that_is_killed", "--ignored"])
            .env("UNBAKE_TEST_DIRECTORY", &directory.0)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let begin = std::time::Instant::now();
    assert!(start().wait().unwrap().success());
    let whole = begin.elapsed();
    let out = directory.0.join("out");
    let undisturbed = files(&out);
    assert_eq!(undisturbed.len(), 20);
    let mut random = Random::new(20);
    let mut cut_short = 0;
    for _ in 0..15 {
        fs::remove_dir_all(&out).unwrap();
        for _ in 0..3 {
            let mut child = start();
            std::thread::sleep(Duration::from_micros(
                random.below(whole.as_micros() as usize / 2) as u64,
            ));
            child.kill().unwrap();
            cut_short += usize::from(!child.wait().unwrap().success());
        }
        assert!(start().wait().unwrap().success());
        assert!(files(&out) == undisturbed);
    }
    assert!(
        cut_short > 10,
        "only {cut_short} of 45 runs were killed in time"
    );
}

#[test]
fn every_packing_gives_the_same_rows() {
    let directory = Directory::new("packings");
    let mut first = None;
    for packing in Packing::ALL {
        let input = directory.0.join("x.warc");
        let made = archive(&Recipe {
            packing,
            ..Recipe::default()
        });
        fs::write(&input, &made.bytes).unwrap();
        let out = directory.0.join(format!("{packing:?}"));
        let outcomes = batch(&out, Form::Ndjson, 1)
            .run(&[warc(input)], &Progress::default())
            .unwrap();
        let [Outcome::Done(manifest)] = outcomes.as_slice() else {
            panic!("{outcomes:?}")
        };
        let text = fs::read_to_string(out.join(&manifest.output)).unwrap();
        let rows: Vec<_> = text
            .lines()
            .map(|line| {
                let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
                let fields = row.as_object_mut().unwrap();
                fields.remove("warc_record_offset");
                fields.remove("warc_record_length");
                row
            })
            .collect();
        assert!(
            first.get_or_insert_with(|| rows.clone()) == &rows,
            "{packing:?}"
        );
    }
}
