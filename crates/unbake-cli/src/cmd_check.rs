//! `unbake check`: documents against the rules of their formats, and the mends.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::PathBuf;
use std::thread;

use clap::{Args, ValueEnum};
use unbake::{
    CheckOptions, CheckRule, Checked, Context, CsvReader, Format, FormatSource, Mend, Severity,
    check, fix_checked,
};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::check_output::{as_json, as_sarif, as_text, sarif_head, sarif_tail};
use crate::files::files_and_found;
use crate::input::Input;
use crate::mend::{diff, replace};
use crate::messages::{CliError, Exit, plain, say};
use crate::parallel::in_order;

/// Checks documents against the rules of their formats: byte order marks, declarations, malformed bytes
#[derive(Args)]
#[command(
    after_help = "Example:\n  unbake check --ignore misleading-label site/\n\nA directory is walked; `NAME.headers` beside a file holds its HTTP header. Every rule: docs/rules.md.\nExit: 0 nothing found, 1 something found (and, under --fix, not mended), 2 usage or I/O error."
)]
pub(crate) struct CheckArgs {
    /// Files and directories; `-` or none is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Only these rules
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = parse_rule)]
    select: Vec<CheckRule>,
    /// Not these rules
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = parse_rule)]
    ignore: Vec<CheckRule>,
    /// Output: for people, one JSON line a document, or a SARIF 2.1.0 log
    #[arg(long, value_enum, default_value = "text")]
    to: To,
    /// Who reads the CSV files: Excel needs a byte order mark, others do not expect one
    #[arg(long, value_enum, default_value = "excel")]
    csv_for: CsvFor,
    /// Mend what can be mended without losing a character; the original stays as NAME.orig
    #[arg(long)]
    fix: bool,
    /// Show what --fix would change, and write nothing
    #[arg(long, conflicts_with = "to")]
    diff: bool,
    /// Keep no NAME.orig
    #[arg(long, requires = "fix")]
    no_orig: bool,
    /// Longest document, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 512 << 20, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    max_size: u64,
    /// Threads; default: one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    #[command(flatten)]
    decide: DecideArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    Text,
    Json,
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CsvFor {
    Excel,
    Others,
}

fn parse_rule(id: &str) -> Result<CheckRule, String> {
    CheckRule::from_id(id).ok_or_else(|| {
        let known: Vec<&str> = CheckRule::ALL.iter().map(|rule| rule.id()).collect();
        format!("the rules are {}", known.join(", "))
    })
}

/// What a worker found out about a document.
#[derive(Default)]
struct Answer {
    /// Lines for standard output; of SARIF, one a result.
    out: Vec<String>,
    /// Bytes for standard output: the mended document that came from standard input.
    bytes: Vec<u8>,
    /// Messages for standard error.
    said: Vec<String>,
    /// Why the document could not be read or written.
    failed: Option<CliError>,
    /// Findings by severity: notes, warnings, errors.
    found: [u64; 3],
    /// How many of them `--fix` could mend, or did.
    mendable: u64,
    mended: bool,
    /// It is no text, and nobody named it: it lay in a directory.
    passed_over: bool,
}

/// Sums of [`Answer`].
#[derive(Default)]
struct Sums {
    documents: u64,
    with_findings: u64,
    found: [u64; 3],
    mendable: u64,
    mended: u64,
    passed_over: u64,
    failed: Vec<String>,
}

pub(crate) fn run(args: &CheckArgs) -> Outcome {
    let context = args.decide.context()?;
    let options = CheckOptions {
        csv_for: match args.csv_for {
            CsvFor::Excel => CsvReader::Excel,
            CsvFor::Others => CsvReader::Others,
        },
        select: args.select.clone(),
        ignore: args.ignore.clone(),
    };
    let mut inputs = files_and_found(&args.inputs)?;
    if args.fix {
        each_once(&mut inputs);
    }
    if args.fix && args.to != To::Text && inputs.iter().any(|(input, _)| *input == Input::Stdin) {
        let message =
            "cannot mend standard input and report in another form: both go to standard output";
        return Err(CliError::new(message).hint("leave out `--to`, or name a file"));
    }
    let threads = args.threads.map_or_else(
        || thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    let mut out = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let mut sums = Sums::default();
    let write = |error: io::Error| CliError::write(&error);
    if args.to == To::Sarif {
        out.write_all(sarif_head().as_bytes()).map_err(write)?;
    }
    let mut results = 0;
    in_order(
        inputs.into_iter(),
        threads,
        |(input, was_found)| answer(&input, was_found, args, &context, &options),
        |answer: Answer| {
            for line in &answer.out {
                if args.to == To::Sarif {
                    let comma = if results > 0 { "," } else { "" };
                    write!(out, "{comma}\n{line}").map_err(write)?;
                    results += 1;
                } else {
                    out.write_all(line.as_bytes()).map_err(write)?;
                }
            }
            out.write_all(&answer.bytes).map_err(write)?;
            for line in &answer.said {
                say(line);
            }
            sums.add(answer);
            Ok::<(), CliError>(())
        },
    )?;
    if args.to == To::Sarif {
        out.write_all(sarif_tail(&sums.failed).as_bytes())
            .map_err(write)?;
    }
    out.flush().map_err(write)?;
    say(&sums.in_words(args));
    if !sums.failed.is_empty() {
        let count = sums.failed.len();
        return Err(CliError::new(format!(
            "{count} document(s) could not be checked or mended"
        )));
    }
    Ok(if sums.found.iter().any(|&count| count > 0) {
        Exit::Found
    } else {
        Exit::Done
    })
}

/// Two names of one file, of which one may be a link, are one document to mend.
fn each_once(inputs: &mut Vec<(Input, bool)>) {
    let mut seen = HashSet::new();
    inputs.retain(|(input, _)| match input {
        Input::Stdin => true,
        Input::File(path) => path.canonicalize().map_or(true, |path| seen.insert(path)),
    });
}

impl Sums {
    fn add(&mut self, answer: Answer) {
        if answer.passed_over {
            self.passed_over += 1;
            return;
        }
        self.documents += 1;
        self.with_findings += u64::from(answer.found.iter().any(|&count| count > 0));
        for (sum, count) in self.found.iter_mut().zip(answer.found) {
            *sum += count;
        }
        self.mendable += answer.mendable;
        self.mended += u64::from(answer.mended);
        if let Some(error) = answer.failed {
            error.report();
            self.failed.push(error.to_string());
        }
    }

    fn in_words(&self, args: &CheckArgs) -> String {
        let counted = |count: u64, what: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {what}{plural}")
        };
        let [notes, warnings, errors] = self.found;
        let left = if args.fix && !args.diff { " left" } else { "" };
        let mut words = format!(
            "checked {}: {}, {}, {}{left}",
            counted(self.documents, "document"),
            counted(errors, "error"),
            counted(warnings, "warning"),
            counted(notes, "note"),
        );
        if args.fix && !args.diff {
            let _ = write!(words, "; mended {}", counted(self.mended, "document"));
        } else if self.mendable > 0 {
            let _ = write!(words, "; `--fix` may mend {}", self.mendable);
        }
        if self.passed_over > 0 {
            let _ = write!(
                words,
                "; passed over {}",
                counted(self.passed_over, "binary file")
            );
        }
        words.push('\n');
        words
    }
}

fn answer(
    input: &Input,
    was_found: bool,
    args: &CheckArgs,
    context: &Context,
    options: &CheckOptions,
) -> Answer {
    let read = input
        .context(context)
        .and_then(|context| Ok((context, read(input, args.max_size)?)));
    let (context, bytes) = match read {
        Ok(read) => read,
        Err(error) => {
            return Answer {
                failed: Some(error),
                ..Answer::default()
            };
        }
    };
    let checked = check(&bytes, &context, options);
    let guessed_binary = checked.decision.format == Format::Binary
        && checked.decision.format_source == FormatSource::Content;
    if was_found && guessed_binary {
        return Answer {
            passed_over: true,
            ..Answer::default()
        };
    }
    let mut answer = Answer::default();
    if !args.fix && !args.diff {
        answer.show(&input.name(), &checked, args, None);
        return answer;
    }
    answer.mend(input, &checked, args, &context, options);
    answer
}

/// The bytes of a document, if they are not too many.
fn read(input: &Input, most: u64) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    input
        .open()?
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| input.failed(&error))?;
    if bytes.len() as u64 > most {
        let message = format!(
            "cannot check `{}`: it is longer than {most} bytes",
            input.name()
        );
        return Err(CliError::new(message).hint("`--max-size` allows more"));
    }
    Ok(bytes)
}

impl Answer {
    /// Counts the findings and writes them down. `refused`: why the document was not mended.
    fn show(&mut self, name: &str, checked: &Checked<'_>, args: &CheckArgs, refused: Option<&str>) {
        self.count(checked);
        match args.to {
            To::Text => self.out.push(as_text(name, checked)),
            To::Json => self.out.push(as_json(name, checked, self.mended, refused)),
            To::Sarif => self.out.extend(as_sarif(name, checked)),
        }
    }

    fn mend(
        &mut self,
        input: &Input,
        checked: &Checked<'_>,
        args: &CheckArgs,
        context: &Context,
        options: &CheckOptions,
    ) {
        let name = input.name();
        let fixed = match fix_checked(checked, context, options) {
            Ok(Some(fixed)) => fixed,
            Ok(None) => return self.unmended(input, checked, args, None),
            Err(refused) => {
                let refused = refused.to_string();
                self.said.push(format!(
                    "not mended: `{}`: {}\n",
                    plain(&name),
                    plain(&refused)
                ));
                return self.unmended(input, checked, args, Some(&refused));
            }
        };
        if args.diff {
            self.out.push(diff(&name, &checked.text, &fixed));
            self.count(checked);
            return;
        }
        // What is left is told of the mended document, which needs no override any more.
        let after = Context {
            user_override: None,
            ..context.clone()
        };
        self.mended = true;
        let left = check(&fixed.bytes, &after, options);
        match input {
            Input::Stdin => {
                self.findings_to_stderr(&name, &left);
                self.bytes = fixed.bytes;
            }
            Input::File(path) => {
                if let Err(error) = replace(path, checked.bytes, &fixed.bytes, !args.no_orig) {
                    self.mended = false;
                    self.failed = Some(error);
                    return;
                }
                self.show(&name, &left, args, None);
            }
        }
    }

    /// Nothing changes: what came from standard input goes on as it is.
    fn unmended(
        &mut self,
        input: &Input,
        checked: &Checked<'_>,
        args: &CheckArgs,
        refused: Option<&str>,
    ) {
        if *input == Input::Stdin && args.fix && !args.diff {
            self.bytes = checked.bytes.to_vec();
            self.findings_to_stderr(&input.name(), checked);
        } else {
            self.show(&input.name(), checked, args, refused);
        }
    }

    fn count(&mut self, checked: &Checked<'_>) {
        for finding in &checked.findings {
            let [notes, warnings, errors] = &mut self.found;
            *match finding.rule.severity() {
                Severity::Note => notes,
                Severity::Warning => warnings,
                Severity::Error => errors,
            } += 1;
            self.mendable += u64::from(finding.rule.mend() != Mend::ByHand);
        }
    }

    /// Standard output has the mended document.
    fn findings_to_stderr(&mut self, name: &str, checked: &Checked<'_>) {
        self.count(checked);
        self.said.push(as_text(name, checked));
    }
}
