//! `unbake explain`: the nine steps, one by one.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use unbake::{Explanation, Format, Outcome as Came, Weight, explain};
use unicode_width::UnicodeWidthStr;

use crate::Outcome;
use crate::args::DecideArgs;
use crate::comparison::Comparison;
use crate::input::Input;
use crate::messages::{CliError, Exit, plain};

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  unbake explain --content-type 'text/html; charset=euc-kr' page.html\n\nA file NAME.headers beside NAME holds its HTTP header, unless `--content-type` gives it."
)]
pub(crate) struct ExplainArgs {
    /// Files; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The same as data, one JSON object a line
    #[arg(long)]
    json: bool,
    /// Also what others make of the same bytes: requests, httpx, Python, JavaScript, Excel
    #[arg(long)]
    compare: bool,
    /// Exit code 1 where there are malformed sequences
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    decide: DecideArgs,
}

pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    let context = args.decide.context()?;
    let mut out = io::stdout().lock();
    let exit = Input::for_each(&args.inputs, |input| {
        let context = input.context(&context)?;
        let bytes = input.read()?;
        let story = explain(&bytes, &context);
        let others = args.compare.then(|| Comparison::of(&bytes, &context));
        let text = if args.json {
            as_json(&input.name(), &story, others.as_ref())
        } else {
            let others = others
                .as_ref()
                .map_or_else(String::new, Comparison::as_text);
            as_text(input, &story) + &others
        };
        out.write_all(text.as_bytes())
            .map_err(|error| CliError::write(&error))?;
        Ok(if args.strict && story.malformed.count > 0 {
            Exit::Found
        } else {
            Exit::Done
        })
    });
    out.flush().map_err(|error| CliError::write(&error))?;
    exit
}

fn as_text(input: &Input, story: &Explanation) -> String {
    let (name, decision) = (&input.name(), &story.decision);
    let mut text = format!(
        "{}: {}\nread as {} ({}), by {}\n{}\n",
        plain(name),
        plain(&decision.why()),
        decision.format.id(),
        decision.format_source.words(),
        decision.format.spec(),
        if story.browser == decision.encoding || decision.format == Format::Binary {
            String::new()
        } else {
            format!(
                "browsers read it as {} (`--profile browser` tells why)\n",
                story.browser
            )
        }
    );
    let widest = story.steps.iter().map(|step| step.name.len()).max();
    let indent = 5 + widest.unwrap_or(0) + 2 + 11;
    for step in &story.steps {
        let mark = if step.outcome == Came::Decided {
            ">"
        } else {
            " "
        };
        let number = step
            .number
            .map_or_else(String::new, |number| number.to_string());
        let mut findings = step.findings.iter();
        let first = findings.next().map_or("", String::as_str);
        let first = plain(first);
        let _infallible = writeln!(
            text,
            "{mark} {number:>1}  {:<width$}  {:<9}  {first}",
            step.name,
            step.outcome.words(),
            width = widest.unwrap_or(0)
        );
        for finding in findings {
            let _infallible = writeln!(text, "{:indent$}{}", "", plain(finding));
        }
    }
    text.push('\n');
    text.push_str(&decoding(input, story));
    if story.advice.is_empty() {
        text.push_str("\nnothing found to mend\n\n");
        return text;
    }
    for (weight, head) in [
        (Weight::Wrong, "to mend"),
        (Weight::Fragile, "better"),
        (Weight::Note, "good to know"),
    ] {
        let mut advice = story
            .advice
            .iter()
            .filter(|advice| advice.weight == weight)
            .peekable();
        if advice.peek().is_some() {
            let _infallible = writeln!(text, "\n{head}:");
        }
        for advice in advice {
            text.push_str(&wrapped("  - ", &plain(&advice.text)));
        }
    }
    text.push('\n');
    text
}

/// What became of the bytes.
fn decoding(input: &Input, story: &Explanation) -> String {
    let count = story.malformed.count;
    let mut text = format!(
        "decoding: {} bytes as {}, {}",
        story.byte_length,
        story.decision.encoding,
        match count {
            0 => "none malformed".to_owned(),
            1 => "1 malformed sequence".to_owned(),
            _ => format!("{count} malformed sequences"),
        }
    );
    if story.bom_removed > 0 {
        let _infallible = write!(
            text,
            "; the byte order mark ({} bytes) is no part of the text",
            story.bom_removed
        );
    }
    if story.literal_fffd > 0 {
        let _infallible = write!(text, "; U+FFFD in the source: {}", story.literal_fffd);
    }
    text.push('\n');
    let shown = story
        .malformed
        .first
        .iter()
        .zip(&story.places)
        .take(MALFORMED_SHOWN);
    for (sequence, place) in shown {
        let _infallible = writeln!(
            text,
            "  line {} (byte {}, {} long): {}",
            place.line,
            sequence.at,
            sequence.len,
            sequence.kind.reason()
        );
    }
    if count > MALFORMED_SHOWN as u64 {
        let again = input.inspect_malformed(story.decision.encoding);
        let _infallible = writeln!(text, "  {} shows all", plain(&again));
    }
    text
}

/// How many malformed sequences are listed.
const MALFORMED_SHOWN: usize = 5;

/// Text in lines of at most 100 columns, hanging from its first word.
fn wrapped(bullet: &str, text: &str) -> String {
    const WIDTH: usize = 100;
    let indent = bullet.len();
    let mut out = bullet.to_owned();
    let mut column = indent;
    // What stands between backticks is to be copied, and stays in one line.
    let mut quoted = false;
    let words = text.split(|c: char| {
        quoted ^= c == '`';
        c == ' ' && !quoted
    });
    for (at, word) in words.enumerate() {
        let width = UnicodeWidthStr::width(word);
        if at > 0 && column + 1 + width > WIDTH {
            let _infallible = write!(out, "\n{:indent$}", "");
            column = indent;
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
    out
}

/// The explanation as data, after the name of its document.
#[derive(Serialize)]
struct Named<'a> {
    id: &'a str,
    #[serde(flatten)]
    story: &'a Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<Vec<Value>>,
}

fn as_json(name: &str, story: &Explanation, others: Option<&Comparison>) -> String {
    let named = Named {
        id: name,
        story,
        compare: others.map(Comparison::as_json),
    };
    match serde_json::to_string(&named) {
        Ok(row) => row + "\n",
        // Every field is a plain string, number or list.
        Err(error) => format!("{{\"error\":\"{error}\"}}\n"),
    }
}
