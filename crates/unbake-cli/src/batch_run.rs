//! `unbake batch` over archives and tables, and everything that is written to files.

use std::io::{self, BufWriter, Write as _};

use unbake::Context;
use unbake_io::batch::{Batch, Counts, Outcome as Ended, Progress, Target};
use unbake_io::{Form, Input, Out, Reading};

use crate::Outcome;
use crate::batch_table::{table_row, write_table_head};
use crate::messages::{CliError, Exit, say};
use crate::progress::with_progress;

/// What the options ask for.
pub(crate) struct Asked {
    pub(crate) inputs: Vec<Input>,
    pub(crate) reading: Reading,
    pub(crate) strict: bool,
    pub(crate) text: bool,
    pub(crate) threads: usize,
    pub(crate) to: Rows,
}

/// Where the rows go.
pub(crate) enum Rows {
    /// Standard output.
    Stdout(Shape),
    /// Files.
    Files {
        out: std::path::PathBuf,
        form: Form,
        resume: bool,
    },
}

/// What the rows on standard output look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Ndjson,
    Table,
    Cdxj,
}

pub(crate) fn run(asked: &Asked) -> Outcome {
    let batch = Batch {
        reading: asked.reading.clone(),
        strict: asked.strict,
        threads: asked.threads,
    };
    let progress = Progress::default();
    let counts = match &asked.to {
        Rows::Stdout(shape) => {
            let work = || stream(&batch, asked, *shape, &progress);
            with_progress(&asked.inputs, true, &progress, work)?
        }
        Rows::Files { out, form, resume } => {
            let target = Target {
                out: out.clone(),
                form: *form,
                text: asked.text,
                settings: settings(asked),
                resume: *resume,
            };
            files(&batch, &asked.inputs, &target, &progress)?
        }
    };
    let errors: u64 = counts.errors.values().sum();
    if errors > 0 {
        let kinds: Vec<String> = counts
            .errors
            .iter()
            .map(|(kind, n)| format!("{n} {kind}"))
            .collect();
        say(&format!(
            "{errors} errors ({}): their rows hold `error`\n",
            kinds.join(", ")
        ));
    }
    Ok(if counts.errors.contains_key("malformed") {
        Exit::Found
    } else {
        Exit::Done
    })
}

/// Everything that can change a row or its form, in words: it stands in manifests.
fn settings(asked: &Asked) -> String {
    let Reading {
        context,
        detector,
        options,
        part,
        limits,
        max_line,
        columns,
    } = &asked.reading;
    let context: &Context = context;
    format!(
        "{context:?} {detector:?} {options:?} {part:?} {limits:?} max_line: {max_line} {columns:?} strict: {} text: {}",
        asked.strict, asked.text
    )
}

fn stream(
    batch: &Batch,
    asked: &Asked,
    shape: Shape,
    progress: &Progress,
) -> Result<Counts, CliError> {
    let mut out = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    if shape == Shape::Table {
        write_table_head(&mut out).map_err(|error| CliError::write(&error))?;
    }
    let counts = batch.stream(&asked.inputs, progress, |row: Out| {
        let written = match shape {
            Shape::Table => out.write_all(&match &row {
                Out::Row(row) => {
                    table_row(row.record.id.as_deref().unwrap_or("-"), Ok(&row.record))
                }
                Out::Error(row) => {
                    let at = row.error.at.map(|at| format!("(byte {at})"));
                    let id = row.id.clone().or(at);
                    table_row(id.as_deref().unwrap_or("-"), Err(&row.error.message))
                }
            }),
            Shape::Ndjson => row.write_json(asked.text, &mut out),
            Shape::Cdxj => row.write_cdxj(&mut out),
        };
        written.map_err(|error| CliError::write(&error))
    });
    out.flush().map_err(|error| CliError::write(&error))?;
    counts
}

fn files(
    batch: &Batch,
    inputs: &[Input],
    target: &Target,
    progress: &Progress,
) -> Result<Counts, CliError> {
    let work = || batch.write(inputs, target, progress);
    let outcomes = with_progress(inputs, false, progress, work)?;
    let mut counts = Counts::default();
    let (mut failed, mut resumed) = (0, 0);
    for outcome in outcomes {
        match outcome {
            Ended::Done(manifest) => counts.merge(manifest.counts),
            Ended::Resumed(manifest) => {
                resumed += 1;
                counts.merge(manifest.counts);
            }
            Ended::Failed(error) => {
                failed += 1;
                say(&CliError::from(error).text());
            }
        }
    }
    let before = match resumed {
        0 => String::new(),
        _ => format!(", {resumed} of them done before"),
    };
    say(&format!(
        "{} documents, {} of them with malformed bytes; {} inputs{before}\n",
        counts.documents,
        counts.malformed,
        inputs.len(),
    ));
    if failed > 0 {
        return Err(CliError::new(format!(
            "{failed} of {} inputs failed",
            inputs.len()
        )));
    }
    Ok(counts)
}
