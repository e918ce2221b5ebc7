//! The `unbake` command line: arguments in, exit codes and messages out. What it does is in the library.

mod args;
mod messages;
mod input;
mod files;
mod parallel;
mod cmd_decode;
mod comparison;
mod cmd_detect;
mod cmd_explain;
mod cmd_inspect;
mod cmd_encode;
mod cmd_labels;
mod progress;
mod batch_table;
mod batch_rows;
mod batch_fields;
mod batch_documents;
mod batch_run;
mod cmd_batch;
mod cmd_audit;
mod check_output;
mod mend;
mod cmd_check;
mod cmd_redecode;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::messages::{CliError, Exit};

/// Turns the bytes of web pages into the text a visitor would have seen, and says why.
#[derive(Parser)]
#[command(
    name = "unbake",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
#[command(
    after_help = "Example:\n  unbake decode --content-type 'text/html; charset=euc-kr' page.html\n\nExit: 0 done, 1 the input is not what was asked, 2 usage or I/O error."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Bytes to UTF-8 text on standard output
    Decode(cmd_decode::DecodeArgs),
    /// The encoding of undeclared bytes, guessed from the bytes alone
    Detect(cmd_detect::DetectArgs),
    /// The steps of the decision one by one, what lost and why, and what the author should change
    Explain(cmd_explain::ExplainArgs),
    /// Bytes and characters side by side: UTF-8 anatomy, and each malformed sequence with its reason
    Inspect(cmd_inspect::InspectArgs),
    /// UTF-8 text to the bytes of another encoding
    Encode(cmd_encode::EncodeArgs),
    /// Every label and the encoding it names
    Labels(cmd_labels::LabelsArgs),
    /// Many documents to records: which encoding, which rule, what was malformed, the text
    Batch(cmd_batch::BatchArgs),
    /// What is wrong with the texts of a crawl or a table: tables, report, metrics, alarms
    Audit(cmd_audit::AuditArgs),
    /// The rules of each format: byte order marks, declarations, malformed bytes; `--fix` mends
    Check(cmd_check::CheckArgs),
    /// An archive under today's rules: what is read otherwise than in an earlier run
    Redecode(cmd_redecode::RedecodeArgs),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output and are no errors.
            let printed = error.print().and_then(|()| io::stdout().flush());
            return match printed {
                _ if error.use_stderr() => ExitCode::from(2),
                Err(error) => CliError::write(&error).report(),
                Ok(()) => ExitCode::SUCCESS,
            };
        }
    };
    let outcome = match &cli.command {
        Command::Decode(args) => cmd_decode::run(args),
        Command::Detect(args) => cmd_detect::run(args),
        Command::Explain(args) => cmd_explain::run(args),
        Command::Inspect(args) => cmd_inspect::run(args),
        Command::Encode(args) => cmd_encode::run(args),
        Command::Labels(args) => cmd_labels::run(args),
        Command::Batch(args) => cmd_batch::run(args),
        Command::Audit(args) => cmd_audit::run(args),
        Command::Check(args) => cmd_check::run(args),
        Command::Redecode(args) => cmd_redecode::run(args),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => error.report(),
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Done => ExitCode::SUCCESS,
            Exit::Found => ExitCode::from(1),
            Exit::Failed => ExitCode::from(2),
        }
    }
}

/// What every command answers.
type Outcome = Result<Exit, CliError>;
