//! `unbake decode`: bytes to UTF-8 text on standard output.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use unbake::{Context, Decoded, Format, Record};

use crate::Outcome;
use crate::args::{DecideArgs, ReadArgs};
use crate::input::{Input, Stopped, Streamed, decode_to};
use crate::messages::{CliError, Exit, plain, say};

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  curl -s https://example.org/ | unbake decode -v --url https://example.org/\n\nA file NAME.headers beside NAME holds its HTTP header, unless `--content-type` gives it."
)]
pub(crate) struct DecodeArgs {
    /// Files, one after the other; `-` or nothing is standard input
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
    let exit = Input::for_each(&args.inputs, |input| one(input, args, &context, &mut out));
    // What came before an error is kept.
    out.flush().map_err(|error| CliError::write(&error))?;
    exit
}

fn one(input: &Input, args: &DecodeArgs, context: &Context, out: &mut impl Write) -> Outcome {
    let context = input.context(context)?;
    let mut text = String::new();
    let mut sink = |piece: &str, waits: bool| {
        if args.json {
            text.push_str(piece);
            return Ok(());
        }
        out.write_all(piece.as_bytes())
            .and_then(|()| if waits { out.flush() } else { Ok(()) })
            .map_err(|error| CliError::write(&error))
    };
    let ReadArgs {
        strict,
        buffer_size,
    } = args.read;
    let decoded = decode_to(input, &context, strict, buffer_size, &mut sink);
    let Streamed {
        decision,
        malformed,
        literal_fffd,
        byte_length,
    } = decoded.map_err(|stopped| match stopped {
        Stopped::Failed(error) => error,
        Stopped::Malformed(error) => CliError::strict(
            &input.name(),
            &error,
            &input.inspect_malformed(error.encoding),
        ),
    })?;
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
    let mut exit = Exit::Done;
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
    Ok(exit)
}
