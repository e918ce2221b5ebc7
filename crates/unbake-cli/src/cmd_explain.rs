//! `unbake explain`: the nine steps, one by one.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use unbake::{Explanation, explain};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::input::Input;
use crate::messages::{CliError, Exit};

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  unbake explain --content-type 'text/html; charset=euc-kr' page.html"
)]
pub(crate) struct ExplainArgs {
    /// Files; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The same as data, one JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    decide: DecideArgs,
}

pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    let context = args.decide.context()?;
    let mut out = io::stdout().lock();
    for input in Input::list(&args.inputs) {
        let bytes = input.read()?;
        let context = input.context(&context);
        let story = explain(&bytes, &context);
        let text = if args.json {
            as_json(&input.name(), &story)
        } else {
            as_text(&input.name(), &story)
        };
        out.write_all(text.as_bytes())
            .map_err(|error| CliError::write(&error))?;
    }
    out.flush().map_err(|error| CliError::write(&error))?;
    Ok(Exit::Done)
}

fn as_text(name: &str, story: &Explanation) -> String {
    let (format, source) = (story.decision.format, story.decision.format_source);
    let mut text = format!(
        "{name}: {}\nread as {} ({}), by {}\n\n",
        story.decision.why(),
        format.id(),
        source.words(),
        format.spec()
    );
    for step in &story.steps {
        let number = step
            .number
            .map_or_else(|| " ".to_owned(), |number| number.to_string());
        let mark = if step.decided { "->" } else { "  " };
        let _infallible = writeln!(text, "{mark} {number} {}", step.name);
        for finding in &step.findings {
            let _infallible = writeln!(text, "       {finding}");
        }
    }
    let _infallible = writeln!(text, "\nmalformed: {}", story.malformed.count);
    for sequence in &story.malformed.first {
        let _infallible = writeln!(
            text,
            "       byte {}, {} long: {}",
            sequence.at,
            sequence.len,
            sequence.kind.reason()
        );
    }
    if story.advice.is_empty() {
        text.push_str("\nadvice: none, all is well\n\n");
    } else {
        text.push_str("\nadvice:\n");
        for advice in &story.advice {
            let _infallible = writeln!(text, "     - {advice}");
        }
        text.push('\n');
    }
    text
}

fn as_json(name: &str, story: &Explanation) -> String {
    let decision = &story.decision;
    let clues: Vec<_> = decision
        .clues
        .iter()
        .map(|clue| {
            json!({
                "origin": clue.origin.id(), "label": clue.label, "encoding": clue.encoding, "at": clue.at,
                "fate": clue.fate.id(), "reason": clue.reason.map(unbake::Reason::words),
            })
        })
        .collect();
    let value = json!({
        "id": name,
        "encoding": decision.encoding,
        "confidence": decision.confidence,
        "rule": decision.rule,
        "format": decision.format.id(),
        "format_source": decision.format_source,
        "feff": story.feff,
        "change": decision.change.map(unbake::Change::id),
        "steps": story.steps,
        "clues": clues,
        "replacements": story.malformed.count,
        "malformed": story.malformed.first,
        "advice": story.advice,
    });
    format!("{value}\n")
}
