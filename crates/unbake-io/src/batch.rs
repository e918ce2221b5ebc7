//! The batch loop: inputs in, one file of rows and one manifest each out, or rows in a stream.
//!
//! The rows stand in the order of the input and are the same whatever the number of threads. The
//! manifest is written last: a file of rows without a manifest that matches it is no result.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::engine;
use crate::error::Error;
pub use crate::manifest::{Counts, Manifest};
use crate::output::{Form, Layout, cannot_write, hex};
use crate::record::RecordType;
use crate::row::{Out, Row};
use crate::sink::Sink;
use crate::tasks::{
    From, Input, Part, Reading, Seen, Task, Tasks, digest, digest_file, failed, has_scheme,
};
use crate::walk::{Walked, walk};

/// What is done with documents.
#[derive(Clone, Debug)]
pub struct Batch {
    /// How inputs are read and documents decoded.
    pub reading: Reading,
    /// A document with malformed bytes gives an error instead of a row.
    pub strict: bool,
    /// How many threads decode.
    pub threads: usize,
}

/// Where rows go.
#[derive(Clone, Debug)]
pub struct Target {
    /// The directory of the files of rows and the manifests; created if absent.
    pub out: PathBuf,
    /// The form of the rows.
    pub form: Form,
    /// Is the text among the columns?
    pub text: bool,
    /// The settings by name, for the manifest and the tables' metadata: two runs with different words
    /// are different runs.
    pub settings: String,
    /// Pass over inputs whose manifest matches.
    pub resume: bool,
}

/// The end of one input.
#[derive(Debug)]
pub enum Outcome {
    /// It was read; there may be errors among its rows.
    Done(Manifest),
    /// It had been done before.
    Resumed(Manifest),
    /// It could not be read, or its rows could not be written.
    Failed(Error),
}

/// How far a run is, for a progress bar.
#[derive(Debug, Default)]
pub struct Progress {
    /// Stored bytes read.
    pub bytes: AtomicU64,
    /// Documents decoded.
    pub documents: AtomicU64,
}

/// What a task gave.
enum Done {
    Out(Out),
    Skipped(RecordType),
}

impl Batch {
    /// Does every input, each into its file; the outcomes are in the order of the inputs.
    ///
    /// Several inputs are done side by side; the documents of a single one are.
    ///
    /// # Errors
    /// The output directory cannot be created. All else is an [`Outcome`].
    pub fn write(
        &self,
        inputs: &[Input],
        target: &Target,
        progress: &Progress,
    ) -> Result<Vec<Outcome>, Error> {
        fs::create_dir_all(&target.out).map_err(|e| cannot_write(&target.out, e))?;
        let threads = self.threads.max(1);
        if inputs.len() < 2 || threads == 1 {
            let one = |input| self.one(input, target, threads, progress);
            return Ok(inputs.iter().map(one).collect());
        }
        let next = AtomicUsize::new(0);
        let outcomes: Mutex<BTreeMap<usize, Outcome>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..threads.min(inputs.len()) {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        let Some(input) = inputs.get(n) else { break };
                        let outcome = self.one(input, target, 1, progress);
                        outcomes
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .insert(n, outcome);
                    }
                });
            }
        });
        Ok(outcomes
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .into_values()
            .collect())
    }

    /// The rows of every input, one input after the other, to `take`.
    ///
    /// # Errors
    /// An input cannot be opened, or the first error of `take`.
    pub fn stream<E: std::convert::From<Error>>(
        &self,
        inputs: &[Input],
        progress: &Progress,
        mut take: impl FnMut(Out) -> Result<(), E>,
    ) -> Result<Counts, E> {
        let mut counts = Counts::default();
        for input in inputs {
            let mut tasks = Tasks::open(input, &self.reading, &progress.bytes)?;
            let name = input.path.display().to_string();
            self.rows(
                &mut tasks,
                &name,
                self.threads,
                progress,
                &mut counts,
                &mut take,
            )?;
        }
        Ok(counts)
    }

    /// The name of an input's file of rows, without extension: its own name and a digest of its path (and of
    /// the part of it that is read), so that two inputs of the same name do not meet.
    pub fn output_name(&self, input: &Path) -> String {
        let mut path = input.display().to_string();
        let Part { offset, length } = self.reading.part;
        if self.reading.part != Part::default() {
            let _infallible = write!(path, " {offset} {length:?}");
        }
        let name = input.file_name().map_or_else(
            || "input".to_owned(),
            |name| {
                if input == Path::new("-") {
                    "stdin".to_owned()
                } else {
                    name.display().to_string()
                }
            },
        );
        let digest = hex(&Sha256::digest(path.as_bytes()));
        format!("{name}-{}", digest.get(..8).unwrap_or_default())
    }

    fn one(&self, input: &Input, target: &Target, threads: usize, progress: &Progress) -> Outcome {
        let name = self.output_name(&input.path);
        let output = format!("{name}.{}", target.form.extension());
        let manifest_path = target.out.join(format!("{name}.manifest.json"));
        if target.resume
            && let Some(manifest) = self.matching(input, target, &output, &manifest_path)
        {
            progress
                .bytes
                .fetch_add(manifest.stored.length, Ordering::Relaxed);
            return Outcome::Resumed(manifest);
        }
        match self.convert(input, target, &output, &manifest_path, threads, progress) {
            Ok(manifest) => Outcome::Done(manifest),
            Err(error) => Outcome::Failed(error),
        }
    }

    /// The manifest of an earlier run, if it says what this run would say and both files are as it says.
    fn matching(
        &self,
        input: &Input,
        target: &Target,
        output: &str,
        manifest: &Path,
    ) -> Option<Manifest> {
        let manifest: Manifest = serde_json::from_slice(&fs::read(manifest).ok()?).ok()?;
        let fits = manifest.input == input.path.display().to_string()
            && manifest.output == output
            && manifest.settings == target.settings
            && manifest.unbake == env!("CARGO_PKG_VERSION")
            && manifest.schema == unbake::SCHEMA
            && digest_file(&target.out.join(output)).ok()? == manifest.written
            && digest(input, &self.reading).ok()? == manifest.stored;
        fits.then_some(manifest)
    }

    fn convert(
        &self,
        input: &Input,
        target: &Target,
        output: &str,
        manifest_path: &Path,
        threads: usize,
        progress: &Progress,
    ) -> Result<Manifest, Error> {
        // A manifest that no longer holds must not outlive the file it speaks of.
        match fs::remove_file(manifest_path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                return Err(cannot_write(manifest_path, e));
            }
            _ => {}
        }
        let name = input.path.display().to_string();
        let mut tasks = Tasks::open(input, &self.reading, &progress.bytes)?;
        let layout = Layout {
            form: target.form,
            text: target.text,
            profile: target.settings.clone(),
        };
        let mut sink = Sink::create(&target.out.join(output), &layout)?;
        let mut counts = Counts::default();
        self.rows(&mut tasks, &name, threads, progress, &mut counts, |out| {
            sink.write(out)
        })?;
        let manifest = Manifest {
            input: name,
            stored: tasks.finish(),
            output: output.to_owned(),
            written: sink.finish()?,
            counts,
            settings: target.settings.clone(),
            unbake: env!("CARGO_PKG_VERSION").to_owned(),
            schema: unbake::SCHEMA,
        };
        manifest.write(manifest_path)?;
        Ok(manifest)
    }

    fn rows<E>(
        &self,
        tasks: &mut Tasks<'_>,
        name: &str,
        threads: usize,
        progress: &Progress,
        counts: &mut Counts,
        mut take: impl FnMut(Out) -> Result<(), E>,
    ) -> Result<(), E> {
        let work = |task: &Task| match task.see(name, &self.reading) {
            Seen::Document(document) => Done::Out(match Row::of(*document, self.strict) {
                Ok(row) => Out::Row(Box::new(row)),
                Err(error) => Out::Error(*error),
            }),
            Seen::Error(error) => Done::Out(Out::Error(error)),
            Seen::Skipped(record_type) => Done::Skipped(record_type),
        };
        engine::run(tasks, threads, work, |done| match done {
            Done::Skipped(record_type) => {
                counts.skip(record_type);
                Ok(())
            }
            Done::Out(out) => {
                counts.count(&out);
                progress.documents.fetch_add(1, Ordering::Relaxed);
                take(out)
            }
        })
    }
}

/// The inputs that paths name. A directory becomes the archives in it, or the tables in it, or, where
/// there is neither, one input of files. `from` says what all of them are; without it, names do:
/// `.warc`, `.wet` and `.wat`, also with `.gz` and `.zst`, are archives; `.parquet`, `.arrow` and
/// `.feather` are tables; all else is documents. `-` is standard input.
///
/// # Errors
/// A path does not exist, or a directory cannot be read.
pub fn inputs(paths: &[PathBuf], from: Option<From>) -> Result<Vec<Input>, Error> {
    let mut out = Vec::new();
    for path in paths {
        let path = local_path(path);
        if path == Path::new("-") || path.to_str().is_some_and(has_scheme) {
            let from = from.or_else(|| by_name(&path)).unwrap_or(From::Files);
            out.push(Input { path, from });
            continue;
        }
        let wrong = |e| failed(&path.display().to_string(), e);
        if !fs::metadata(&path).map_err(wrong)?.is_dir() {
            let from = from.or_else(|| by_name(&path)).unwrap_or(From::Files);
            out.push(Input { path, from });
            continue;
        }
        let Walked {
            files, unreadable, ..
        } = match from {
            Some(From::Files) => Walked::default(),
            _ => walk(&path),
        };
        let wanted = from.or_else(|| {
            let kinds = || files.iter().filter_map(|file| by_name(file));
            kinds()
                .find(|&kind| kind == From::Warc)
                .or_else(|| kinds().next())
        });
        let Some(from) = wanted.filter(|&from| from != From::Files) else {
            out.push(Input {
                path,
                from: From::Files,
            });
            continue;
        };
        let is_lines = |file: &Path| {
            let extension = file.extension().and_then(|extension| extension.to_str());
            matches!(extension, Some("ndjson" | "jsonl"))
        };
        for file in files {
            // Opening a directory that can not be read says why.
            if by_name(&file) == Some(from)
                || from == From::Ndjson && is_lines(&file)
                || unreadable.contains(&file)
            {
                out.push(Input { path: file, from });
            }
        }
    }
    Ok(out)
}

/// The path that a `file:` URL names ([RFC 8089](https://www.rfc-editor.org/rfc/rfc8089)); other paths as they are.
fn local_path(path: &Path) -> PathBuf {
    let rest = path.to_str().and_then(|text| text.strip_prefix("file://"));
    let Some(rest) = rest else {
        return path.to_owned();
    };
    let rest = rest
        .strip_prefix("localhost/")
        .map_or_else(|| rest.to_owned(), |rest| format!("/{rest}"));
    percent_decoded(&rest).map_or_else(|| PathBuf::from(&rest), PathBuf::from)
}

/// `%20` is a space; `None` where the result is no text.
fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| byte == b'%');
        let value = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(value.unwrap_or(byte));
        rest = value.and(after.get(2..)).unwrap_or(after);
    }
    String::from_utf8(out).ok()
}

/// What a file is by its name, if its name is not a document's.
fn by_name(path: &Path) -> Option<From> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    #[cfg(feature = "parquet")]
    if [".parquet", ".arrow", ".feather"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        return Some(From::Table);
    }
    let name = name
        .strip_suffix(".gz")
        .or_else(|| name.strip_suffix(".zst"))
        .unwrap_or(&name);
    // ARC is not read: it is opened as an archive to be refused as one.
    [".warc", ".wet", ".wat", ".arc"]
        .iter()
        .any(|end| name.ends_with(end))
        .then_some(From::Warc)
}
