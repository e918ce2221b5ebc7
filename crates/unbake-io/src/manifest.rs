//! [`Manifest`]: what became of one input, and the commit point of its rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::output::{cannot_write, commit};
use crate::row::Out;
use crate::sink::Finished;

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
    /// The settings of the run.
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

impl Counts {
    /// Counts a row.
    pub fn count(&mut self, out: &Out) {
        match out {
            Out::Row(row) => {
                self.documents += 1;
                self.bytes += row.record.byte_length;
                self.malformed += u64::from(row.record.replacements > 0);
                add(&mut self.encodings, row.record.encoding.name(), 1);
                add(&mut self.rules, row.record.rule.id(), 1);
            }
            Out::Error(row) => add(&mut self.errors, row.error.kind, 1),
        }
    }

    /// Counts a record that is passed over.
    pub fn skip(&mut self, record_type: crate::record::RecordType) {
        add(&mut self.skipped, record_type.id(), 1);
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

impl Manifest {
    /// Writes the manifest, under a temporary name first.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Error> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".part");
        let temporary = PathBuf::from(temporary);
        let mut text = serde_json::to_vec_pretty(self).map_err(|e| cannot_write(path, e.into()))?;
        text.push(b'\n');
        let mut file = File::create(&temporary).map_err(|e| cannot_write(path, e))?;
        file.write_all(&text).map_err(|e| cannot_write(path, e))?;
        commit(&file, &temporary, path)
    }
}
