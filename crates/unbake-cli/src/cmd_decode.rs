//! `unbake decode`: bytes to UTF-8 text on standard output.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use unbake::{Decoded, Format, Record};

use crate::Outcome;
use crate::args::{DecideArgs, ReadArgs};
use crate::input::{Input, Streamed, decode_to};
use crate::messages::{CliError, Exit, plain, say};

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  curl -s https://example.org/ | unbake decode -v --url https://example.org/"
)]
pub(crate) struct DecodeArgs {
    /// Files; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Print the record instead, one JSON object a line
    #[arg(long)]
    json: bool,
    /// Say on standard error what was decided and why
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    decide: DecideArgs,
}

pub(crate) fn run(args: &DecodeArgs) -> Outcome {
    let context = args.decide.context()?;
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let mut exit = Exit::Done;
    for input in Input::list(&args.inputs) {
        let context = input.context(&context);
        let mut text = String::new();
        let mut sink = |piece: &str| {
            if args.json {
                text.push_str(piece);
                Ok(())
            } else {
                out.write_all(piece.as_bytes())
                    .map_err(|error| CliError::write(&error))
            }
        };
        let outcome = decode_to(
            &input,
            &context,
            args.read.strict,
            args.read.buffer_size,
            &mut sink,
        );
        if outcome.is_err() {
            // What came before the error is kept.
            out.flush().map_err(|error| CliError::write(&error))?;
        }
        let Streamed {
            decision,
            malformed,
            literal_fffd,
            byte_length,
        } = outcome?;
        if args.verbose {
            let count = malformed.count;
            let replaced = if count > 0 {
                format!("; {count} malformed")
            } else {
                String::new()
            };
            let why = format!("{}: {}{replaced}", input.name(), decision.why());
            say(&format!("{}\n", plain(&why)));
        }
        if decision.format == Format::Binary {
            exit = Exit::Found;
            let name = input.name();
            let error = format!("cannot decode `{name}`: its first bytes are no text");
            CliError::found(error)
                .hint("`--format text` decodes it all the same")
                .report();
        }
        if args.json {
            let decoded = Decoded {
                text: Cow::Owned(text),
                decision,
                malformed,
                literal_fffd,
            };
            let record = Record {
                id: Some(input.name()),
                url: args.decide.url.clone(),
                ..Record::new(decoded, byte_length)
            };
            let line = serde_json::to_string(&record)
                .map_err(|error| CliError::new(format!("cannot write JSON: {error}")))?;
            writeln!(out, "{line}").map_err(|error| CliError::write(&error))?;
        }
    }
    out.flush().map_err(|error| CliError::write(&error))?;
    Ok(exit)
}
