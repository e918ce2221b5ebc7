//! From inputs to an [`Audit`].

use std::sync::atomic::Ordering;

use unbake::{Context, Encoding, Format};

use super::counts::Audit;
use super::page::{Page, Seen};
use super::rows::Columns;
use crate::batch::Progress;
use crate::engine;
use crate::error::Error;
use crate::row::ErrorRow;
use crate::tasks::{self, Input, Reading, Tasks};

/// What to audit, and how.
#[derive(Clone, Debug)]
pub struct Run {
    /// How inputs are read and decoded.
    pub reading: Reading,
    /// How many threads decode.
    pub threads: usize,
    /// How many hosts are kept.
    pub host_cap: usize,
    /// Audit these columns of tables; `None`: pages.
    pub columns: Option<Columns>,
}

/// One answer of a worker.
enum Found {
    Page(Box<Seen>),
    Error(ErrorRow),
    Skipped(&'static str),
}

impl Run {
    /// The settings in words: only audits with the same words can be compared.
    pub fn settings(&self) -> String {
        if let Some(columns) = &self.columns {
            return format!("fields {}", columns.fields.join(","));
        }
        // Spelled out, so that a later version with more settings still understands an earlier one.
        let context: &Context = &self.reading.context;
        let settings = context.settings;
        let encoding = |encoding: Option<Encoding>| encoding.map_or("none", Encoding::name);
        let word = |word: &Option<String>| word.clone().unwrap_or_else(|| "none".to_owned());
        format!(
            "pages declaration={:?} late-meta={} utf8-valid={:?} detector={} override={} fallback={} locale={} lang={} tld={} format={} all-clues={}",
            settings.declaration,
            settings.late_meta,
            settings.utf_8_valid,
            settings.detector,
            encoding(context.user_override),
            encoding(context.fallback),
            word(&context.locale),
            word(&context.lang),
            word(&context.tld),
            context.format.map_or("none", Format::id),
            context.all_clues,
        )
    }

    /// Reads every input.
    ///
    /// # Errors
    /// An input cannot be opened, or is not what it is said to be. What cannot be read inside of an input
    /// is counted, with its place.
    pub fn audit(&self, inputs: &[Input], progress: &Progress) -> Result<Audit, Error> {
        let mut audit = Audit::new(self.settings(), self.host_cap);
        for input in inputs {
            match &self.columns {
                Some(columns) => {
                    super::rows::audit(input, columns, &self.reading, progress, &mut audit)?;
                }
                None => self.pages(input, progress, &mut audit)?,
            }
            audit.inputs += 1;
        }
        Ok(audit)
    }

    fn pages(&self, input: &Input, progress: &Progress, audit: &mut Audit) -> Result<(), Error> {
        let file = input.path.display().to_string();
        let mut tasks = Tasks::open(input, &self.reading, &progress.bytes)?;
        let work = |task: &tasks::Task| match task.see(&file, &self.reading) {
            tasks::Seen::Document(document) => {
                // A revisit has no body: the page it points to is counted where it is stored.
                if document.source.warc_type == Some("revisit") {
                    return Found::Skipped("revisit");
                }
                let name = document.url.as_deref().or(document.id.as_deref());
                Found::Page(Box::new(Seen::page(&Page {
                    body: &document.body,
                    context: &document.context,
                    name: name.unwrap_or("(unnamed)"),
                    url: document.url.as_deref(),
                    date: document.source.fetch_time.as_deref(),
                    file: document.source.warc_filename.as_deref(),
                    record_at: document.source.warc_record_offset,
                })))
            }
            tasks::Seen::Error(error) => Found::Error(error),
            tasks::Seen::Skipped(kind) => Found::Skipped(kind.id()),
        };
        engine::run(&mut tasks, self.threads, work, |found| {
            match found {
                Found::Page(seen) => {
                    progress.documents.fetch_add(1, Ordering::Relaxed);
                    audit.add(*seen);
                }
                Found::Error(error) => audit.add_error(&error, &file),
                Found::Skipped(kind) => audit.add_skipped(kind),
            }
            Ok::<(), Error>(())
        })
    }
}
