//! What every output has: its form, the file that hashes what it takes, and the commit under its name.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Kind};

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

/// A file that counts and hashes what is written to it.
pub(crate) struct Hashing {
    pub(crate) file: BufWriter<File>,
    pub(crate) hash: Sha256,
    pub(crate) length: u64,
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
pub(crate) fn cannot_write_table(
    path: &Path,
    error: impl std::error::Error + Send + Sync + 'static,
) -> Error {
    Error::new(Kind::Io, error.to_string())
        .with_path(path.display().to_string())
        .writing()
        .with_source(error)
}
