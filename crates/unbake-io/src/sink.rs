//! [`Sink`]: rows to a file, which appears under its name only when it is complete.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::output::{Form, Hashing, Layout, cannot_write, commit, hex};
use crate::row::Out;

enum Writer {
    Ndjson(Hashing),
    Cdxj(Hashing),
    #[cfg(feature = "parquet")]
    Table(crate::table_file::TableFile),
}

/// A file of rows.
pub struct Sink {
    writer: Writer,
    text: bool,
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
    pub fn create(path: &Path, layout: &Layout) -> Result<Sink, Error> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let temporary = path.with_file_name(name);
        let file = File::create(&temporary).map_err(|e| cannot_write(path, e))?;
        let file = Hashing {
            file: BufWriter::with_capacity(1 << 18, file),
            hash: Sha256::new(),
            length: 0,
        };
        let writer = match layout.form {
            Form::Ndjson => Writer::Ndjson(file),
            Form::Cdxj => Writer::Cdxj(file),
            #[cfg(feature = "parquet")]
            _ => Writer::Table(crate::table_file::TableFile::new(file, path, layout)?),
        };
        Ok(Sink {
            writer,
            text: layout.text,
            path: path.to_owned(),
            temporary,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The operating system refuses to write.
    pub fn write(&mut self, row: Out) -> Result<(), Error> {
        let written = match &mut self.writer {
            Writer::Ndjson(file) => row.write_json(self.text, file),
            Writer::Cdxj(file) => row.write_cdxj(file),
            #[cfg(feature = "parquet")]
            Writer::Table(table) => return table.write(row, &self.path),
        };
        written.map_err(|e| cannot_write(&self.path, e))
    }

    /// Writes what is left, makes sure that it is on the disk, and gives the file its name.
    ///
    /// # Errors
    /// The operating system refuses to write, to sync or to rename.
    pub fn finish(self) -> Result<Finished, Error> {
        let path = self.path;
        let file = match self.writer {
            Writer::Ndjson(file) | Writer::Cdxj(file) => file,
            #[cfg(feature = "parquet")]
            Writer::Table(table) => table.finish(&path)?,
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
