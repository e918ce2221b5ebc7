//! `unbake detect`: which encoding the bytes are in, from the bytes alone.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use unbake::detect::{Detector, Guess, Hints, Ranked};

use crate::Outcome;
use crate::input::Input;
use crate::messages::{CliError, Exit};

const CHUNK: usize = 256 << 10;

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  unbake detect --tld jp page.html\n\nPrints path, a tab, the encoding: `ASCII` where every byte is, `unknown` where nothing fits."
)]
pub(crate) struct DetectArgs {
    /// File; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// A file with one path a line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    /// One JSON object an input: language, score, margin, runner-up, probability
    #[arg(long)]
    json: bool,
    /// Every candidate that was scored, best first
    #[arg(long)]
    all: bool,
    /// Top-level domain the document came from: jp
    #[arg(long)]
    tld: Option<String>,
    /// Language of the document: ja
    #[arg(long)]
    lang: Option<String>,
}

pub(crate) fn run(args: &DetectArgs) -> Outcome {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut paths = args.inputs.clone();
    if let Some(list) = &args.files_from {
        paths.extend(read_list(list)?);
    }
    if paths.is_empty() && args.files_from.is_some() {
        return Ok(Exit::Done);
    }
    for input in Input::list(&paths) {
        let mut detector = Detector::new(Hints {
            tld: args.tld.clone(),
            lang: args.lang.clone(),
            allow_utf_8: true,
            ..Hints::default()
        });
        let mut reader = input.open()?;
        let mut buffer = vec![0; CHUNK];
        loop {
            let n = reader
                .read(&mut buffer)
                .map_err(|error| input.failed(&error))?;
            let Some(chunk) = buffer.get(..n).filter(|c| !c.is_empty()) else {
                break;
            };
            detector.feed(chunk);
        }
        let ascii = detector.is_ascii();
        let (guess, ranked) = detector.rank();
        let text = if args.json {
            format!(
                "{}\n",
                object(
                    &input.name(),
                    ascii,
                    guess.as_ref(),
                    args.all.then_some(&ranked)
                )
            )
        } else {
            plain(
                &input.name(),
                ascii,
                guess.as_ref(),
                args.all.then_some(&ranked),
            )
        };
        out.write_all(text.as_bytes())
            .map_err(|error| CliError::write(&error))?;
    }
    out.flush().map_err(|error| CliError::write(&error))?;
    Ok(Exit::Done)
}

fn read_list(list: &PathBuf) -> Result<Vec<PathBuf>, CliError> {
    let reader: Box<dyn io::Read> = if list.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(fs::File::open(list).map_err(|error| CliError::read(list, &error))?)
    };
    BufReader::new(reader)
        .lines()
        .map(|line| {
            line.map(PathBuf::from)
                .map_err(|error| CliError::read(list, &error))
        })
        .filter(|line| !matches!(line, Ok(path) if path.as_os_str().is_empty()))
        .collect()
}

fn name(ascii: bool, guess: Option<&Guess>) -> &'static str {
    match guess {
        Some(guess) => guess.encoding.name(),
        None if ascii => "ASCII",
        None => "unknown",
    }
}

fn plain(path: &str, ascii: bool, guess: Option<&Guess>, ranked: Option<&Vec<Ranked>>) -> String {
    let mut text = format!("{path}\t{}\n", name(ascii, guess));
    for r in ranked.into_iter().flatten() {
        let _infallible = writeln!(text, "  {}\t{}\t{:.1}", r.encoding, r.language, r.score);
    }
    text
}

fn object(path: &str, ascii: bool, guess: Option<&Guess>, ranked: Option<&Vec<Ranked>>) -> Value {
    let mut value = json!({
        "path": path,
        "encoding": name(ascii, guess),
        "language": guess.and_then(|g| g.language),
        "score": guess.and_then(|g| g.score),
        "margin": guess.and_then(|g| g.margin),
        "runner_up": guess.and_then(|g| g.runner_up).map(unbake::Encoding::name),
        "probability": guess.map(|g| g.probability),
    });
    if let (Some(ranked), Some(object)) = (ranked, value.as_object_mut()) {
        let all = ranked
            .iter()
            .map(|r| json!({"encoding": r.encoding.name(), "language": r.language, "score": r.score}))
            .collect();
        object.insert("candidates".to_owned(), Value::Array(all));
    }
    value
}
