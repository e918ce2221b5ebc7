//! [`TableFile`]: rows to Parquet or Arrow IPC, gathered into batches.

use std::path::Path;

use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::error::Error;
use crate::output::{Form, Hashing, Layout, cannot_write_table};
use crate::row::Out;
use crate::table::{NO_DICTIONARY, batch};

/// How much text is gathered before it becomes a batch; a row group ends with the batch that passes
/// [`ROW_GROUP`].
///
/// # Units
/// Bytes of text.
const BATCH: usize = 1 << 20;

/// # Units
/// Bytes, as the Parquet writer estimates them.
const ROW_GROUP: usize = 8 << 20;

enum Writer {
    Parquet(Box<ArrowWriter<Hashing>>),
    Arrow(Box<FileWriter<Hashing>>),
}

/// An open table, and the rows that are no batch yet.
pub(crate) struct TableFile {
    writer: Writer,
    text: bool,
    pending: Vec<Out>,
    size: usize,
}

impl TableFile {
    pub(crate) fn new(file: Hashing, path: &Path, layout: &Layout) -> Result<TableFile, Error> {
        let schema = batch(&[], layout.text)
            .map_err(|e| cannot_write_table(path, e))?
            .schema();
        let metadata = metadata(&layout.profile);
        let writer = if layout.form == Form::Arrow {
            let writer = FileWriter::try_new(file, &schema);
            let mut writer = writer.map_err(|e| cannot_write_table(path, e))?;
            for (key, value) in metadata {
                writer.write_metadata(key, value);
            }
            Writer::Arrow(Box::new(writer))
        } else {
            let metadata = metadata.into_iter().map(|(k, v)| KeyValue::new(k, v));
            let mut properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_created_by(format!("unbake {}", env!("CARGO_PKG_VERSION")))
                .set_key_value_metadata(Some(metadata.collect()));
            for column in NO_DICTIONARY {
                properties = properties.set_column_dictionary_enabled(column.into(), false);
            }
            let writer = ArrowWriter::try_new(file, schema, Some(properties.build()));
            Writer::Parquet(Box::new(writer.map_err(|e| cannot_write_table(path, e))?))
        };
        Ok(TableFile {
            writer,
            text: layout.text,
            pending: Vec::new(),
            size: 0,
        })
    }

    pub(crate) fn write(&mut self, row: Out, path: &Path) -> Result<(), Error> {
        self.size += match &row {
            Out::Row(row) => row.record.text.len(),
            Out::Error(error) => error.error.message.len(),
        } + 256;
        self.pending.push(row);
        if self.size >= BATCH {
            self.flush(path)?;
        }
        Ok(())
    }

    fn flush(&mut self, path: &Path) -> Result<(), Error> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let batch = batch(&self.pending, self.text).map_err(|e| cannot_write_table(path, e))?;
        self.pending.clear();
        self.size = 0;
        match &mut self.writer {
            Writer::Parquet(writer) => {
                let mut written = writer.write(&batch);
                if written.is_ok() && writer.in_progress_size() >= ROW_GROUP {
                    written = writer.flush();
                }
                written.map_err(|e| cannot_write_table(path, e))
            }
            Writer::Arrow(writer) => writer
                .write(&batch)
                .map_err(|e| cannot_write_table(path, e)),
        }
    }

    /// Writes what is left, and gives the file back.
    pub(crate) fn finish(mut self, path: &Path) -> Result<Hashing, Error> {
        self.flush(path)?;
        match self.writer {
            Writer::Parquet(writer) => writer.into_inner().map_err(|e| cannot_write_table(path, e)),
            Writer::Arrow(mut writer) => {
                let finished = writer.finish();
                let file = finished.and_then(|()| writer.into_inner());
                file.map_err(|e| cannot_write_table(path, e))
            }
        }
    }
}

/// What a table says of itself.
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
