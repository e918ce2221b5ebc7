//! The batch loop: archives in, one file of rows and one manifest each out.
//!
//! The rows stand in the order of the input and are the same whatever the number of threads. The
//! manifest is written last: a file of rows without a manifest that matches it is no result.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unbake::Context;

use crate::error::{Error, Kind};
use crate::limits::Limits;
use crate::reader::{Options, WarcReader};
use crate::record::Item;
use crate::row::{ErrorRow, Out, Row};
use crate::sink::{Finished, Form, Sink, cannot_write, commit, hex};

/// What to do with the inputs.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Where the files of rows and the manifests go; created if absent.
    pub out: PathBuf,
    /// The form of the rows.
    pub form: Form,
    /// How documents are decoded; Content-Type and the top-level domain come from each record.
    pub context: Context,
    /// The settings by name, for the manifest and the tables' metadata: two runs with different words
    /// are different runs.
    pub settings: String,
    /// How archives are read.
    pub options: Options,
    /// Caps on bodies.
    pub limits: Limits,
    /// How many threads decode.
    pub threads: usize,
    /// Pass over inputs whose manifest matches.
    pub resume: bool,
}

/// What became of one input: the manifest's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The input, as named.
    pub input: String,
    /// The input's bytes.
    pub stored: Finished,
    /// The file of rows, without its directory.
    pub output: String,
    /// The file's bytes.
    pub written: Finished,
    /// What was counted.
    pub counts: Counts,
    /// [`Batch::settings`].
    pub settings: String,
    /// The version of the program.
    pub unbake: String,
    /// The version of the Record's shape.
    pub schema: u32,
}

/// Mergeable counts of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Bytes of documents, after codings.
    pub bytes: u64,
    /// Documents with at least one malformed sequence.
    pub malformed: u64,
    /// Records passed over, by type.
    pub skipped: BTreeMap<String, u64>,
    /// Errors, by kind.
    pub errors: BTreeMap<String, u64>,
    /// Documents by encoding.
    pub encodings: BTreeMap<String, u64>,
    /// Documents by rule.
    pub rules: BTreeMap<String, u64>,
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

/// How many records travel together, and how many bytes of them at most.
const CHUNK: usize = 64;
const CHUNK_BYTES: usize = 2 << 20;

impl Batch {
    /// Does every input; the outcomes are in the order of the inputs.
    ///
    /// Several inputs are done side by side; the documents of a single one are.
    ///
    /// # Errors
    /// The output directory cannot be created. All else is an [`Outcome`].
    pub fn run(&self, inputs: &[PathBuf], progress: &Progress) -> Result<Vec<Outcome>, Error> {
        fs::create_dir_all(&self.out).map_err(|e| cannot_write(&self.out, e))?;
        let threads = self.threads.max(1);
        if inputs.len() < 2 || threads == 1 {
            return Ok(inputs
                .iter()
                .map(|input| self.one(input, threads, progress))
                .collect());
        }
        let next = AtomicUsize::new(0);
        let outcomes: Mutex<BTreeMap<usize, Outcome>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..threads.min(inputs.len()) {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        let Some(input) = inputs.get(n) else { break };
                        let outcome = self.one(input, 1, progress);
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

    /// The name of an input's file of rows, without extension: its own name and a digest of its path,
    /// so that two inputs of the same name do not meet.
    pub fn output_name(input: &Path) -> String {
        let path = input.display().to_string();
        let name = input
            .file_name()
            .map_or_else(|| "stdin".to_owned(), |n| n.display().to_string());
        let digest = hex(&Sha256::digest(path.as_bytes()));
        format!("{name}-{}", digest.get(..8).unwrap_or_default())
    }

    fn one(&self, input: &Path, threads: usize, progress: &Progress) -> Outcome {
        let name = Batch::output_name(input);
        let output = format!("{name}.{}", self.form.extension());
        let manifest_path = self.out.join(format!("{name}.manifest.json"));
        if self.resume
            && let Some(manifest) = self.matching(input, &output, &manifest_path)
        {
            return Outcome::Resumed(manifest);
        }
        match self.convert(input, &output, &manifest_path, threads, progress) {
            Ok(manifest) => Outcome::Done(manifest),
            Err(error) => Outcome::Failed(error),
        }
    }

    /// The manifest of an earlier run, if it says what this run would say and both files are as it says.
    fn matching(&self, input: &Path, output: &str, manifest: &Path) -> Option<Manifest> {
        let manifest: Manifest = serde_json::from_slice(&fs::read(manifest).ok()?).ok()?;
        let fits = manifest.input == input.display().to_string()
            && manifest.output == output
            && manifest.settings == self.settings
            && manifest.unbake == env!("CARGO_PKG_VERSION")
            && manifest.schema == unbake::SCHEMA
            && digest(&self.out.join(output)).ok()? == manifest.written
            && digest(input).ok()? == manifest.stored;
        fits.then_some(manifest)
    }

    fn convert(
        &self,
        input: &Path,
        output: &str,
        manifest_path: &Path,
        threads: usize,
        progress: &Progress,
    ) -> Result<Manifest, Error> {
        let shown = input.display().to_string();
        let cannot_read = |e: io::Error| {
            Error::new(Kind::Io, e.to_string())
                .with_path(shown.as_str())
                .with_source(e)
        };
        // A manifest that no longer holds must not outlive the file it speaks of.
        match fs::remove_file(manifest_path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                return Err(cannot_write(manifest_path, e));
            }
            _ => {}
        }
        let (source, size): (Box<dyn Read + Send>, _) = if input == Path::new("-") {
            (Box::new(io::stdin()), None)
        } else {
            let file = File::open(input).map_err(cannot_read)?;
            let size = file
                .metadata()
                .ok()
                .filter(fs::Metadata::is_file)
                .map(|m| m.len());
            (Box::new(file), size)
        };
        let state = Arc::new(Mutex::new((Sha256::new(), 0)));
        let source = Watched {
            source,
            state: Arc::clone(&state),
            bytes: &progress.bytes,
        };
        let reader = WarcReader::new(
            shown.as_str(),
            source,
            Options {
                size,
                ..self.options
            },
        );
        let mut sink = Sink::create(&self.out.join(output), self.form, &self.settings)?;
        let mut counts = Counts::default();
        if threads == 1 {
            self.inline(reader, &shown, &mut sink, &mut counts, progress)?;
        } else {
            self.pipeline(reader, &shown, &mut sink, &mut counts, progress, threads)?;
        }
        let written = sink.finish()?;
        let (hash, length) =
            std::mem::take(&mut *state.lock().unwrap_or_else(PoisonError::into_inner));
        let manifest = Manifest {
            input: shown,
            stored: Finished {
                length,
                sha256: hex(&hash.finalize()),
            },
            output: output.to_owned(),
            written,
            counts,
            settings: self.settings.clone(),
            unbake: env!("CARGO_PKG_VERSION").to_owned(),
            schema: unbake::SCHEMA,
        };
        write_manifest(&manifest, manifest_path)?;
        Ok(manifest)
    }

    fn out(&self, item: &Item, file: &str) -> Option<Out> {
        match item {
            Item::Record(record) => Some(Out::Row(Box::new(Row::new(
                record,
                file,
                &self.context,
                &self.limits,
            )))),
            Item::Error(lost) => Some(Out::Error(ErrorRow::new(lost, file))),
            Item::Skipped(_) => None,
        }
    }

    fn inline(
        &self,
        mut reader: WarcReader<'_>,
        file: &str,
        sink: &mut Sink,
        counts: &mut Counts,
        progress: &Progress,
    ) -> Result<(), Error> {
        while let Some(item) = reader.next() {
            let out = self.out(&item, file);
            counts.count(&item, out.as_ref());
            if let Some(out) = out {
                progress.documents.fetch_add(1, Ordering::Relaxed);
                sink.write(out)?;
            }
            if let Item::Record(record) = item {
                reader.recycle(record);
            }
        }
        Ok(())
    }

    /// One thread reads, `threads` decode, this one writes. At most `4 * threads` chunks are under way.
    fn pipeline(
        &self,
        reader: WarcReader<'_>,
        file: &str,
        sink: &mut Sink,
        counts: &mut Counts,
        progress: &Progress,
        threads: usize,
    ) -> Result<(), Error> {
        let under_way = 4 * threads;
        let (chunks_in, chunks_out) = sync_channel::<(usize, Vec<Item>)>(under_way);
        let (rows_in, rows_out) = sync_channel::<(usize, Vec<Out>, Counts)>(under_way);
        let (ticket_in, ticket_out) = sync_channel::<()>(under_way);
        let chunks_out = Mutex::new(chunks_out);
        std::thread::scope(|scope| {
            scope.spawn(move || read_chunks(reader, &chunks_in, &ticket_in));
            for _ in 0..threads {
                let (rows_in, chunks_out) = (rows_in.clone(), &chunks_out);
                scope.spawn(move || {
                    while let Some((n, items)) = take(chunks_out) {
                        let mut counts = Counts::default();
                        let mut rows = Vec::new();
                        for item in items {
                            let out = self.out(&item, file);
                            counts.count(&item, out.as_ref());
                            rows.extend(out);
                        }
                        progress
                            .documents
                            .fetch_add(rows.len() as u64, Ordering::Relaxed);
                        if rows_in.send((n, rows, counts)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(rows_in);
            let result = write_in_order(rows_out, ticket_out, sink, counts);
            if result.is_err() {
                // The reader stops at its next ticket, the decoders when no chunk is left.
                while take(&chunks_out).is_some() {}
            }
            result
        })
    }
}

fn take<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    receiver
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .recv()
        .ok()
}

fn read_chunks(
    reader: WarcReader<'_>,
    chunks: &SyncSender<(usize, Vec<Item>)>,
    tickets: &SyncSender<()>,
) {
    let (mut n, mut chunk, mut bytes) = (0, Vec::new(), 0);
    let mut send = |chunk: Vec<Item>| {
        n += 1;
        tickets.send(()).is_ok() && chunks.send((n - 1, chunk)).is_ok()
    };
    for item in reader {
        if let Item::Record(record) = &item {
            bytes += record.block().len();
        }
        chunk.push(item);
        if chunk.len() >= CHUNK || bytes >= CHUNK_BYTES {
            bytes = 0;
            if !send(std::mem::take(&mut chunk)) {
                return;
            }
        }
    }
    send(chunk);
}

/// Takes both receivers for itself: when it gives up, dropping them stops the other threads.
#[expect(
    clippy::needless_pass_by_value,
    reason = "dropped at the end on purpose"
)]
fn write_in_order(
    rows: Receiver<(usize, Vec<Out>, Counts)>,
    tickets: Receiver<()>,
    sink: &mut Sink,
    counts: &mut Counts,
) -> Result<(), Error> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (n, rows, counted) in rows {
        waiting.insert(n, (rows, counted));
        while let Some((rows, counted)) = waiting.remove(&next) {
            next += 1;
            counts.merge(counted);
            for row in rows {
                sink.write(row)?;
            }
            // The reader put a ticket in for every chunk.
            let _ = tickets.recv();
        }
    }
    Ok(())
}

fn write_manifest(manifest: &Manifest, path: &Path) -> Result<(), Error> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".part");
    let temporary = PathBuf::from(temporary);
    let mut text = serde_json::to_vec_pretty(manifest).map_err(|e| cannot_write(path, e.into()))?;
    text.push(b'\n');
    let mut file = File::create(&temporary).map_err(|e| cannot_write(path, e))?;
    file.write_all(&text).map_err(|e| cannot_write(path, e))?;
    commit(&file, &temporary, path)
}

/// The length and the digest of a file.
fn digest(path: &Path) -> io::Result<Finished> {
    let mut file = File::open(path)?;
    let (mut hash, mut length, mut piece) = (Sha256::new(), 0, vec![0; 1 << 17]);
    loop {
        let n = file.read(&mut piece)?;
        if n == 0 {
            return Ok(Finished {
                length,
                sha256: hex(&hash.finalize()),
            });
        }
        length += n as u64;
        hash.update(piece.get(..n).unwrap_or_default());
    }
}

/// A source that is hashed and counted while it is read.
struct Watched<'a> {
    source: Box<dyn Read + Send>,
    state: Arc<Mutex<(Sha256, u64)>>,
    bytes: &'a AtomicU64,
}

impl Read for Watched<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(out)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.update(out.get(..n).unwrap_or_default());
        state.1 += n as u64;
        self.bytes.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

impl Counts {
    fn count(&mut self, item: &Item, out: Option<&Out>) {
        match (item, out) {
            (_, Some(Out::Row(row))) => {
                self.documents += 1;
                self.bytes += row.record.byte_length;
                self.malformed += u64::from(row.record.replacements > 0);
                add(&mut self.encodings, row.record.encoding.name(), 1);
                add(&mut self.rules, row.record.rule.id(), 1);
            }
            (_, Some(Out::Error(row))) => add(&mut self.errors, row.error.kind, 1),
            (Item::Skipped(skipped), None) => add(&mut self.skipped, skipped.record_type.id(), 1),
            _ => {}
        }
    }

    /// Adds the counts of another input, or of another part of the same one.
    pub fn merge(&mut self, other: Counts) {
        self.documents += other.documents;
        self.bytes += other.bytes;
        self.malformed += other.malformed;
        for (into, from) in [
            (&mut self.skipped, other.skipped),
            (&mut self.errors, other.errors),
            (&mut self.encodings, other.encodings),
            (&mut self.rules, other.rules),
        ] {
            for (key, n) in from {
                add(into, &key, n);
            }
        }
    }
}

fn add(map: &mut BTreeMap<String, u64>, key: &str, n: u64) {
    if let Some(count) = map.get_mut(key) {
        *count += n;
    } else {
        map.insert(key.to_owned(), n);
    }
}

/// The archives that paths name: files as they are, directories searched for `.warc`, `.warc.gz`,
/// `.warc.zst` and their WET and WAT sisters, in order of their names; `-` is standard input.
///
/// # Errors
/// A path does not exist, or a directory cannot be read.
pub fn archives(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut out = Vec::new();
    for path in paths {
        let path = path
            .to_str()
            .and_then(|text| text.strip_prefix("file://"))
            .map_or(path.as_path(), Path::new);
        if path == Path::new("-") {
            out.push(path.to_owned());
            continue;
        }
        search(path, true, &mut out).map_err(|e| {
            Error::new(Kind::Io, e.to_string())
                .with_path(path.display().to_string())
                .with_source(e)
        })?;
    }
    Ok(out)
}

fn search(path: &Path, named: bool, out: &mut Vec<PathBuf>) -> io::Result<()> {
    if fs::metadata(path)?.is_dir() {
        let mut entries = fs::read_dir(path)?
            .map(|e| e.map(|e| e.path()))
            .collect::<io::Result<Vec<_>>>()?;
        entries.sort();
        for entry in entries {
            // A link to a directory may lead in a circle: it is not followed.
            if !fs::symlink_metadata(&entry)?.is_symlink()
                || fs::metadata(&entry).is_ok_and(|m| m.is_file())
            {
                search(&entry, false, out)?;
            }
        }
    } else if named || is_archive_name(path) {
        out.push(path.to_owned());
    }
    Ok(())
}

fn is_archive_name(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else {
        return false;
    };
    let name = name
        .strip_suffix(".gz")
        .or_else(|| name.strip_suffix(".zst"))
        .unwrap_or(name);
    [".warc", ".wet", ".wat"]
        .iter()
        .any(|extension| name.ends_with(extension))
}
