//! [`Redecode`]: the documents of an archive decoded again, and what has changed since.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Serialize;

use crate::batch::{Batch, Progress};
use crate::error::Error;
use crate::old_rows::{OldRow, old_rows, text_digest};
use crate::row::Out;
use crate::tasks::Input;

/// What an earlier run said of each document.
pub struct Redecode {
    old: HashMap<(Option<String>, Option<u64>), OldRow>,
    version: Option<String>,
}

/// How a document was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Decided {
    /// The encoding's name.
    pub encoding: String,
    /// The rule's id.
    pub rule: String,
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Text {
    /// The text is the same.
    Same,
    /// The text is another.
    Changed,
    /// The earlier run kept no text; its length is the same.
    SameLength,
}

/// A document that is not read as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// As in the records.
    pub id: Option<String>,
    /// As in the records.
    pub url: Option<String>,
    /// As in the records.
    pub warc_filename: Option<String>,
    /// As in the records.
    pub warc_record_offset: Option<u64>,
    /// Then; `None`: there was no record of it.
    pub before: Option<Decided>,
    /// Now; `None`: it is not in the archives, or can not be read.
    pub after: Option<Decided>,
    /// What became of the text.
    pub text: Text,
}

/// What the comparison came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Documents read as before, to the same text.
    pub same: u64,
    /// How many documents went from one reading to another, with what became of their texts.
    pub changes: BTreeMap<(Option<Decided>, Option<Decided>, Text), u64>,
    /// Errors in the archives.
    pub errors: u64,
    /// The version of the program that made the old records.
    pub version: Option<String>,
}

impl Redecode {
    /// Reads the records of an earlier run: Parquet, Arrow IPC or NDJSON.
    ///
    /// # Errors
    /// The file cannot be read, or holds no records.
    pub fn open(path: &Path) -> Result<Redecode, Error> {
        let mut old = HashMap::new();
        let version = old_rows(path, &mut |row| {
            old.insert((row.id.clone(), row.offset), row);
        })?;
        Ok(Redecode { old, version })
    }

    /// How many documents the earlier run had.
    pub fn len(&self) -> usize {
        self.old.len()
    }

    /// Had it none?
    pub fn is_empty(&self) -> bool {
        self.old.is_empty()
    }

    /// Decodes the documents of `inputs` under today's rules; every one that is read otherwise, or to another
    /// text, goes to `take`, in the order of the inputs; those that are not found come last, in the order of
    /// their places.
    ///
    /// # Errors
    /// An input cannot be opened, or the first error of `take`.
    pub fn run<E: From<Error>>(
        mut self,
        batch: &Batch,
        inputs: &[Input],
        progress: &Progress,
        mut take: impl FnMut(Change) -> Result<(), E>,
    ) -> Result<Summary, E> {
        let mut summary = Summary {
            version: self.version.take(),
            ..Summary::default()
        };
        batch.stream(inputs, progress, |out| {
            let row = match out {
                Out::Row(row) => row,
                Out::Error(_) => {
                    summary.errors += 1;
                    return Ok(());
                }
            };
            let key = (row.record.id.clone(), row.source.warc_record_offset);
            let old = self.old.remove(&key);
            let after = Decided {
                encoding: row.record.encoding.name().to_owned(),
                rule: row.record.rule.id().to_owned(),
            };
            let text = match &old {
                None => Text::Changed,
                Some(old) => match old.text {
                    Some(digest) if digest == text_digest(&row.record.text) => Text::Same,
                    None if old.text_length == row.record.text_length => Text::SameLength,
                    _ => Text::Changed,
                },
            };
            let before = old.map(OldRow::reading);
            if before.as_ref() == Some(&after) && text != Text::Changed {
                summary.same += 1;
                return Ok(());
            }
            let change = Change {
                id: key.0,
                url: row.record.url,
                warc_filename: row.source.warc_filename,
                warc_record_offset: key.1,
                before,
                after: Some(after),
                text,
            };
            summary.count(&change);
            take(change)
        })?;
        let mut left: Vec<OldRow> = self.old.into_values().collect();
        left.sort_by(|a, b| (a.offset, &a.id).cmp(&(b.offset, &b.id)));
        for old in left {
            let change = Change {
                id: old.id.clone(),
                url: None,
                warc_filename: None,
                warc_record_offset: old.offset,
                before: Some(old.reading()),
                after: None,
                text: Text::Changed,
            };
            summary.count(&change);
            take(change)?;
        }
        Ok(summary)
    }
}

impl OldRow {
    fn reading(self) -> Decided {
        Decided {
            encoding: self.encoding,
            rule: self.rule,
        }
    }
}

impl Summary {
    fn count(&mut self, change: &Change) {
        let key = (change.before.clone(), change.after.clone(), change.text);
        *self.changes.entry(key).or_default() += 1;
    }
}
