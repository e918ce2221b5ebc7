//! [`Tasks`]: any input as a row of small tasks, read by one thread and done by any.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unbake::{Context, Format};

#[cfg(feature = "parquet")]
use crate::columns::{Cells, ColumnNames, Table};
use crate::document::Document;
use crate::error::{Error, Kind};
use crate::limits::Limits;
use crate::ndjson::{self, Lines, RawLine};
use crate::output::hex;
use crate::reader::{Options, WarcReader};
use crate::record::{Item, RecordType};
use crate::row::{ErrorCell, ErrorRow};
use crate::sidecar::{content_types, sidecar};
use crate::sink::Finished;
use crate::source::Source;
use crate::walk::{path_text, walk};

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum From {
    /// A WARC file.
    Warc,
    /// A file that is a document, or a directory of such files.
    Files,
    /// A document a line of JSON.
    Ndjson,
    /// Documents in a column of a Parquet or Arrow IPC file.
    #[cfg(feature = "parquet")]
    Table,
}

/// One input of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it is; `-` is standard input.
    pub path: PathBuf,
    /// What it is.
    pub from: From,
}

/// Which bytes of an archive are read: all, or those of some records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The first byte: the beginning of a record, or of its gzip member or zstd frame.
    pub offset: u64,
    /// How many bytes; `None`: to the end.
    pub length: Option<u64>,
}

impl Part {
    fn cut(self, source: impl Read + Send + 'static) -> Box<dyn Read + Send> {
        match self.length {
            Some(length) => Box::new(source.take(length)),
            None => Box::new(source),
        }
    }
}

/// How inputs are read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// How documents are decoded; what a document itself says comes first.
    pub context: Context,
    /// Whether the detector is asked, whatever the profile that a row of NDJSON asks for.
    pub detector: Option<bool>,
    /// How archives are read.
    pub options: Options,
    /// Which bytes of each archive are read.
    pub part: Part,
    /// Caps on bodies.
    pub limits: Limits,
    /// The longest line of NDJSON.
    ///
    /// # Units
    /// Bytes.
    pub max_line: usize,
    /// Which columns of a table hold what.
    #[cfg(feature = "parquet")]
    pub columns: ColumnNames,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading {
            context: Context::default(),
            detector: None,
            options: Options::default(),
            part: Part::default(),
            limits: Limits::default(),
            max_line: 256 << 20,
            #[cfg(feature = "parquet")]
            columns: ColumnNames::default(),
        }
    }
}

/// One step of the work on an input.
pub struct Task(Work);

enum Work {
    Item(Item),
    Line(RawLine),
    Whole(Box<Document<'static>>),
    Error(ErrorRow),
}

/// What a task turned out to be.
#[derive(Debug)]
pub enum Seen<'a> {
    /// A document to be decoded.
    Document(Box<Document<'a>>),
    /// Something that could not be read.
    Error(ErrorRow),
    /// A record of another type.
    Skipped(RecordType),
}

impl Task {
    /// Takes the codings off, reads the JSON: what does not need the order of the input.
    ///
    /// `file` is the name of the archive in its rows.
    pub fn see<'a>(&'a self, file: &str, reading: &Reading) -> Seen<'a> {
        match &self.0 {
            Work::Item(Item::Record(record)) => Seen::Document(Box::new(Document::of_record(
                record,
                file,
                &reading.context,
                &reading.limits,
            ))),
            Work::Item(Item::Error(lost)) => Seen::Error(ErrorRow::new(lost, file)),
            Work::Item(Item::Skipped(skipped)) => Seen::Skipped(skipped.record_type),
            Work::Line(RawLine::Line { at, line }) => {
                let parsed = ndjson::parse(line, *at, &reading.context, reading.detector);
                match parsed.document {
                    Ok(document) => Seen::Document(Box::new(document)),
                    Err(error) => Seen::Error(ErrorRow {
                        id: parsed.id.as_deref().and_then(ndjson::id_text),
                        url: None,
                        error,
                        warc_filename: None,
                    }),
                }
            }
            Work::Line(RawLine::TooLong { at }) => Seen::Error(ErrorRow {
                id: None,
                url: None,
                error: ErrorCell {
                    kind: "too-long",
                    message: format!("the line is longer than {} bytes", reading.max_line),
                    at: Some(*at),
                },
                warc_filename: None,
            }),
            Work::Whole(document) => Seen::Document(Box::new(Document {
                body: Cow::Borrowed(&document.body),
                id: document.id.clone(),
                url: document.url.clone(),
                context: document.context.clone(),
                source: document.source.clone(),
                strict: document.strict,
            })),
            Work::Error(error) => Seen::Error(error.clone()),
        }
    }

    /// How much memory it holds, about.
    ///
    /// # Units
    /// Bytes.
    pub fn size(&self) -> usize {
        match &self.0 {
            Work::Item(Item::Record(record)) => record.block().len(),
            Work::Line(RawLine::Line { line, .. }) => line.len(),
            Work::Whole(document) => document.body.len(),
            _ => 0,
        }
    }
}

/// The tasks of one input, in its order.
pub struct Tasks<'a> {
    kind: Kinds<'a>,
    state: Arc<Mutex<(Sha256, u64)>>,
    reading: &'a Reading,
    name: String,
    progress: &'a AtomicU64,
}

enum Kinds<'a> {
    Warc(Box<WarcReader<'a>>),
    Files {
        paths: std::vec::IntoIter<PathBuf>,
        root: PathBuf,
    },
    Lines(Lines<BufReader<Watched<'a>>>),
    #[cfg(feature = "parquet")]
    Table {
        table: Box<Table>,
        row: u64,
    },
    /// Nothing more can be read.
    Ended,
}

impl<'a> Tasks<'a> {
    /// Opens an input. Stored bytes are counted in `progress` while they are read.
    ///
    /// # Errors
    /// It cannot be opened, or it is not what it is said to be.
    pub fn open(
        input: &Input,
        reading: &'a Reading,
        progress: &'a AtomicU64,
    ) -> Result<Tasks<'a>, Error> {
        let name = input.path.display().to_string();
        let state = Arc::new(Mutex::new((Sha256::new(), 0)));
        let part = match input.from {
            From::Warc => reading.part,
            _ => Part::default(),
        };
        let stream = || -> Result<(Watched<'a>, Option<u64>), Error> {
            let (source, size) = open(&input.path, part)?;
            let watched = Watched {
                source,
                state: Arc::clone(&state),
                bytes: progress,
            };
            Ok((watched, size))
        };
        let kind = match input.from {
            From::Warc => {
                let (source, size) = stream()?;
                let end = part.length.map(|length| part.offset.saturating_add(length));
                let options = Options {
                    size: size.map(|size| end.map_or(size, |end| end.min(size))),
                    offset: part.offset,
                    ..reading.options
                };
                let mut reader = WarcReader::new(name.as_str(), source, options);
                if part.offset > 0
                    && let Some(dictionary) = stored_dictionary(&input.path)
                {
                    reader.set_dictionary(&dictionary);
                }
                Kinds::Warc(Box::new(reader))
            }
            From::Ndjson => {
                let (source, _) = stream()?;
                let reader = BufReader::with_capacity(256 << 10, source);
                Kinds::Lines(Lines::new(reader, reading.max_line))
            }
            From::Files => Kinds::Files {
                paths: walk(&input.path).files.into_iter(),
                root: input.path.clone(),
            },
            #[cfg(feature = "parquet")]
            From::Table => {
                if input.path == Path::new("-") {
                    return Err(Error::new(
                        Kind::Io,
                        "a table is read from a file, not from standard input",
                    ));
                }
                let table = Table::open(&input.path, &reading.columns)?;
                // A table is read here and there, not from start to end: its digest is taken apart.
                let (source, _) = stream()?;
                read_through(source).map_err(|e| failed(&name, e))?;
                Kinds::Table {
                    table: Box::new(table),
                    row: 0,
                }
            }
        };
        Ok(Tasks {
            kind,
            state,
            reading,
            name,
            progress,
        })
    }

    /// Gives back the memory of a task that is done.
    pub fn recycle(&mut self, task: Task) {
        if let (Kinds::Warc(reader), Work::Item(Item::Record(record))) = (&mut self.kind, task.0) {
            reader.recycle(record);
        }
    }

    /// The length and the digest of what has been read.
    pub fn finish(self) -> Finished {
        let state = Arc::clone(&self.state);
        drop(self);
        let (hash, length) =
            std::mem::take(&mut *state.lock().unwrap_or_else(PoisonError::into_inner));
        Finished {
            length,
            sha256: hex(&hash.finalize()),
        }
    }

    fn error(&mut self, error: &Error) -> Task {
        self.kind = Kinds::Ended;
        Task(Work::Error(ErrorRow::of(error, None)))
    }

    /// A document that is a file, with the head of its response beside it, if there is one.
    fn file(&self, path: &Path, root: &Path) -> Task {
        let id = path_text(path);
        let mut context = self.reading.context.clone();
        let mut bytes = Vec::new();
        let read = open(path, Part::default())
            .and_then(|(mut source, _)| source.read_to_end(&mut bytes).map_err(|e| failed(&id, e)))
            // What the command says about all documents goes before what lies beside one.
            .and_then(|_| match context.content_type.as_slice() {
                [] => sidecar(path),
                _ => Ok(Vec::new()),
            });
        let head = match read {
            Ok(head) => head,
            Err(error) => {
                let mut row = ErrorRow::of(&error, None);
                row.id = Some(id);
                return Task(Work::Error(row));
            }
        };
        {
            let within = path.strip_prefix(root).unwrap_or(path);
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let mut part = |bytes: &[u8]| {
                state.0.update((bytes.len() as u64).to_le_bytes());
                state.0.update(bytes);
            };
            part(within.as_os_str().as_encoded_bytes());
            part(&head);
            part(&bytes);
            state.1 += bytes.len() as u64;
        }
        self.progress
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        context.content_type.extend(content_types(&head));
        // The Content-Type says what the file is; its name speaks where there is none.
        if context.format.is_none() && context.content_type.is_empty() {
            let extension = path.extension().and_then(|extension| extension.to_str());
            context.format = extension.and_then(Format::from_extension);
        }
        Task(Work::Whole(Box::new(Document {
            id: Some(id),
            url: None,
            body: bytes.into(),
            context,
            source: Source::default(),
            strict: None,
        })))
    }

    #[cfg(feature = "parquet")]
    fn cells(&self, cells: Cells, row: u64) -> Task {
        let Some(body) = cells.body else {
            return Task(Work::Error(ErrorRow {
                id: cells.id,
                url: cells.url,
                error: ErrorCell {
                    kind: "row",
                    message: format!("row {row} has no body"),
                    at: None,
                },
                warc_filename: None,
            }));
        };
        let mut context = self.reading.context.clone();
        if let Some(value) = cells.content_type {
            context.content_type = vec![value];
        }
        if context.tld.is_none() {
            let url = cells.url.as_deref();
            context.tld = url.and_then(crate::address::top_level_domain);
        }
        Task(Work::Whole(Box::new(Document {
            id: cells.id,
            url: cells.url,
            body: body.into(),
            context,
            source: Source::default(),
            strict: None,
        })))
    }
}

impl Iterator for Tasks<'_> {
    type Item = Task;

    fn next(&mut self) -> Option<Task> {
        match &mut self.kind {
            Kinds::Warc(reader) => reader.next().map(|item| Task(Work::Item(item))),
            Kinds::Lines(lines) => match lines.next()? {
                Ok(line) => Some(Task(Work::Line(line))),
                Err(e) => {
                    let error = failed(&self.name, e);
                    Some(self.error(&error))
                }
            },
            Kinds::Files { paths, root } => {
                let (path, root) = (paths.next()?, root.clone());
                Some(self.file(&path, &root))
            }
            #[cfg(feature = "parquet")]
            Kinds::Table { table, row } => match table.next()? {
                Ok(cells) => {
                    let n = *row;
                    *row += 1;
                    Some(self.cells(cells, n))
                }
                Err(error) => Some(self.error(&error)),
            },
            Kinds::Ended => None,
        }
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

/// The length and the digest of an input, as [`Tasks::finish`] gives them.
pub(crate) fn digest(input: &Input, reading: &Reading) -> Result<Finished, Error> {
    let uncounted = AtomicU64::new(0);
    let name = input.path.display().to_string();
    if input.from == From::Files {
        let mut tasks = Tasks::open(input, reading, &uncounted)?;
        tasks.by_ref().for_each(drop);
        return Ok(tasks.finish());
    }
    let part = match input.from {
        From::Warc => reading.part,
        _ => Part::default(),
    };
    let (source, _) = open(&input.path, part)?;
    digest_source(source).map_err(|e| failed(&name, e))
}

/// The length and the digest of a file.
pub(crate) fn digest_file(path: &Path) -> io::Result<Finished> {
    digest_source(Box::new(File::open(path)?))
}

fn digest_source(source: Box<dyn Read + Send>) -> io::Result<Finished> {
    let state = Arc::new(Mutex::new((Sha256::new(), 0)));
    read_through(Watched {
        source,
        state: Arc::clone(&state),
        bytes: &AtomicU64::new(0),
    })?;
    let (hash, length) = std::mem::take(&mut *state.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Finished {
        length,
        sha256: hex(&hash.finalize()),
    })
}

/// The stored dictionary of a zstd archive, which a part of it needs as well.
fn stored_dictionary(path: &Path) -> Option<Vec<u8>> {
    if path == Path::new("-") {
        return None;
    }
    let (mut source, _) = open(path, Part::default()).ok()?;
    let mut head = [0; 8];
    source.read_exact(&mut head).ok()?;
    let [0x5D, 0x2A, 0x4D, 0x18, a, b, c, d] = head else {
        return None;
    };
    let length = u32::from_le_bytes([a, b, c, d]);
    let mut stored = Vec::new();
    let most = u64::from(length).min(crate::members::MAX_DICTIONARY as u64);
    source.take(most).read_to_end(&mut stored).ok()?;
    Some(stored)
}

fn read_through(mut source: Watched<'_>) -> io::Result<()> {
    let mut piece = vec![0; 1 << 17];
    while source.read(&mut piece)? > 0 {}
    Ok(())
}

type Opened = (Box<dyn Read + Send>, Option<u64>);

/// Opens a file, standard input or an object, from a place to a place; the size of the whole, where it is known.
fn open(path: &Path, part: Part) -> Result<Opened, Error> {
    let name = path.display().to_string();
    let wrong = |e| failed(&name, e);
    if path == Path::new("-") {
        let mut stdin = io::stdin();
        io::copy(&mut (&mut stdin).take(part.offset), &mut io::sink()).map_err(wrong)?;
        return Ok((part.cut(stdin), None));
    }
    if has_scheme(&name) {
        #[cfg(feature = "remote")]
        if crate::remote::is_remote(&name) {
            let opened = crate::remote::Remote::open(&name, part.offset, part.length);
            let (remote, size) = opened.map_err(wrong)?;
            return Ok((Box::new(remote), Some(size)));
        }
        let message = "this program is built without reading from such addresses";
        return Err(Error::new(Kind::Io, message)
            .with_path(name)
            .with_hint("build it with the feature `remote`, or fetch the file first"));
    }
    let mut file = File::open(path).map_err(wrong)?;
    let size = file.metadata().ok().filter(fs::Metadata::is_file);
    if part.offset > 0 {
        file.seek(SeekFrom::Start(part.offset)).map_err(wrong)?;
    }
    Ok((part.cut(file), size.map(|m| m.len())))
}

/// Is this an address and no path?
pub(crate) fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else {
        return false;
    };
    scheme.len() > 1 && scheme.bytes().all(|b| b.is_ascii_alphanumeric())
}

pub(crate) fn failed(name: &str, error: io::Error) -> Error {
    Error::new(Kind::Io, error.to_string())
        .with_path(name)
        .with_source(error)
}
