//! Tasks of the project: `cargo xtask <task>`.

mod rules;
mod generate;
mod tidy;
mod train;

use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo xtask tidy | generate [--check] | train [--permissive-only] [--out FILE]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["generate"] => generate::run(false),
        ["generate", "--check"] => generate::run(true),
        ["tidy"] => tidy::run(),
        ["train", options @ ..] => train::run(options),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

/// Text for the person at the terminal.
fn say(message: &str) {
    let _nobody_listens =
        std::io::Write::write_all(&mut std::io::stderr(), format!("{message}\n").as_bytes());
}
