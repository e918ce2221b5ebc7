//! [`Sink`]: rows to a file, which appears under its name only when it is complete.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Kind};
use crate::row::Out;

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// One JSON object a line.
    Ndjson,
    /// Lines of a CDXJ index, with `charset`.
    Cdxj,
    /// Parquet, zstd.
    #[cfg(feature = "parquet")]
    Parquet,
    /// The Arrow IPC file format.
    #[cfg(feature = "parquet")]
    Arrow,
}

impl Form {
    /// The file name's extension.
    pub fn extension(self) -> &'static str {
        match self {
            Form::Ndjson => "ndjson",
            Form::Cdxj => "cdxj",
            #[cfg(feature = "parquet")]
            Form::Parquet => "parquet",
            #[cfg(feature = "parquet")]
            Form::Arrow => "arrow",
        }
    }
}

/// How much text is gathered before it becomes a batch; a row group ends with the batch that passes
/// [`ROW_GROUP`].
///
/// # Units
/// Bytes of text.
const BATCH: usize = 1 << 20;

/// # Units
/// Bytes, as the Parquet writer estimates them.
#[cfg(feature = "parquet")]
const ROW_GROUP: usize = 8 << 20;

/// A file that counts and hashes what is written to it.
struct Hashing {
    file: BufWriter<File>,
    hash: Sha256,
    length: u64,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hash.update(bytes.get(..n).unwrap_or_default());
        self.length += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

enum Writer {
    Ndjson(Hashing),
    Cdxj(Hashing),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::arrow::ArrowWriter<Hashing>>),
    #[cfg(feature = "parquet")]
    Arrow(Box<arrow_ipc::writer::FileWriter<Hashing>>),
}

/// What a file of rows looks like.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The form.
    pub form: Form,
    /// Is the text among the columns?
    pub text: bool,
    /// What the metadata of a table says of the run.
    pub profile: String,
}

/// A file of rows.
pub struct Sink {
    writer: Writer,
    text: bool,
    pending: Vec<Out>,
    size: usize,
    path: PathBuf,
    temporary: PathBuf,
}

/// A finished file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// Bytes.
    pub length: u64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
}

impl Sink {
    /// Opens a temporary file beside `path`.
    ///
    /// # Errors
    /// The operating system refuses to create the file.
    pub fn create(path: &Path, layout: Layout) -> Result<Sink, Error> {
        let Layout {
            form,
            text,
            profile,
        } = layout;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let temporary = path.with_file_name(name);
        let file = File::create(&temporary).map_err(|e| cannot_write(path, e))?;
        let file = Hashing {
            file: BufWriter::with_capacity(1 << 18, file),
            hash: Sha256::new(),
            length: 0,
        };
        let writer = match form {
            Form::Ndjson => Writer::Ndjson(file),
            Form::Cdxj => Writer::Cdxj(file),
            #[cfg(feature = "parquet")]
            Form::Parquet => {
                use parquet::basic::{Compression, ZstdLevel};
                use parquet::file::properties::WriterProperties;
                let mut properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .set_created_by(format!("unbake {}", env!("CARGO_PKG_VERSION")))
                    .set_key_value_metadata(Some(
                        metadata(&profile)
                            .into_iter()
                            .map(|(k, v)| parquet::file::metadata::KeyValue::new(k, v))
                            .collect(),
                    ));
                for column in crate::table::NO_DICTIONARY {
                    properties = properties.set_column_dictionary_enabled(column.into(), false);
                }
                let schema = crate::table::batch(&[], text)
                    .map_err(|e| table_error(path, e))?
                    .schema();
                let writer =
                    parquet::arrow::ArrowWriter::try_new(file, schema, Some(properties.build()));
                Writer::Parquet(Box::new(writer.map_err(|e| table_error(path, e))?))
            }
            #[cfg(feature = "parquet")]
            Form::Arrow => {
                let schema = crate::table::batch(&[], text)
                    .map_err(|e| table_error(path, e))?
                    .schema();
                let writer = arrow_ipc::writer::FileWriter::try_new(file, &schema);
                let mut writer = writer.map_err(|e| table_error(path, e))?;
                for (key, value) in metadata(&profile) {
                    writer.write_metadata(key, value);
                }
                Writer::Arrow(Box::new(writer))
            }
        };
        Ok(Sink {
            writer,
            text,
            pending: Vec::new(),
            size: 0,
            path: path.to_owned(),
            temporary,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The operating system refuses to write.
    pub fn write(&mut self, row: Out) -> Result<(), Error> {
        match &mut self.writer {
            Writer::Ndjson(file) => row
                .write_json(self.text, file)
                .map_err(|e| cannot_write(&self.path, e)),
            Writer::Cdxj(file) => row
                .write_cdxj(file)
                .map_err(|e| cannot_write(&self.path, e)),
            #[cfg(feature = "parquet")]
            _ => {
                self.size += match &row {
                    Out::Row(row) => row.record.text.len(),
                    Out::Error(error) => error.error.message.len(),
                } + 256;
                self.pending.push(row);
                if self.size >= BATCH {
                    self.flush()
                } else {
                    Ok(())
                }
            }
        }
    }

    #[cfg(feature = "parquet")]
    fn flush(&mut self) -> Result<(), Error> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let path = &self.path;
        let batch =
            crate::table::batch(&self.pending, self.text).map_err(|e| table_error(path, e))?;
        self.pending.clear();
        self.size = 0;
        match &mut self.writer {
            Writer::Ndjson(_) | Writer::Cdxj(_) => Ok(()),
            Writer::Parquet(writer) => {
                writer.write(&batch).map_err(|e| table_error(path, e))?;
                if writer.in_progress_size() >= ROW_GROUP {
                    writer.flush().map_err(|e| table_error(path, e))?;
                }
                Ok(())
            }
            Writer::Arrow(writer) => writer.write(&batch).map_err(|e| table_error(path, e)),
        }
    }

    /// Writes what is left, makes sure that it is on the disk, and gives the file its name.
    ///
    /// # Errors
    /// The operating system refuses to write, to sync or to rename.
    pub fn finish(mut self) -> Result<Finished, Error> {
        #[cfg(feature = "parquet")]
        self.flush()?;
        let path = self.path;
        let file = match self.writer {
            Writer::Ndjson(file) | Writer::Cdxj(file) => file,
            #[cfg(feature = "parquet")]
            Writer::Parquet(writer) => writer.into_inner().map_err(|e| table_error(&path, e))?,
            #[cfg(feature = "parquet")]
            Writer::Arrow(mut writer) => {
                writer.finish().map_err(|e| table_error(&path, e))?;
                writer.into_inner().map_err(|e| table_error(&path, e))?
            }
        };
        let Hashing { file, hash, length } = file;
        let file = file
            .into_inner()
            .map_err(|e| cannot_write(&path, e.into_error()))?;
        commit(&file, &self.temporary, &path)?;
        Ok(Finished {
            length,
            sha256: hex(&hash.finalize()),
        })
    }
}

/// What a table says of itself.
#[cfg(feature = "parquet")]
fn metadata(profile: &str) -> [(String, String); 3] {
    [
        ("unbake.schema".to_owned(), unbake::SCHEMA.to_string()),
        (
            "unbake.version".to_owned(),
            env!("CARGO_PKG_VERSION").to_owned(),
        ),
        ("unbake.profile".to_owned(), profile.to_owned()),
    ]
}

/// Syncs a file, gives it its name, and syncs the directory, so that the name outlives a crash.
pub(crate) fn commit(file: &File, temporary: &Path, path: &Path) -> Result<(), Error> {
    let done = file
        .sync_all()
        .and_then(|()| fs::rename(temporary, path))
        .and_then(|()| {
            let parent = path
                .parent()
                .filter(|p| !p.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            File::open(parent)?.sync_all()
        });
    done.map_err(|e| cannot_write(path, e))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            // Writing to a String cannot fail.
            let _ = write!(out, "{byte:02x}");
            out
        })
}

pub(crate) fn cannot_write(path: &Path, error: std::io::Error) -> Error {
    Error::new(Kind::Io, error.to_string())
        .with_path(path.display().to_string())
        .writing()
        .with_source(error)
}

#[cfg(feature = "parquet")]
fn table_error(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(Kind::Io, error.to_string())
        .with_path(path.display().to_string())
        .writing()
        .with_source(error)
}
