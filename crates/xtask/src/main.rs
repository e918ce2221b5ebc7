//! Tasks of the project: `cargo xtask <task>`.
#![allow(clippy::print_stderr)]

mod train;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.first().map(String::as_str) {
        Some("train") => {
            let permissive = args.iter().any(|a| a == "--permissive-only");
            let out = args
                .iter()
                .skip_while(|a| *a != "--out")
                .nth(1)
                .map_or_else(
                    || root.join("crates/unbake/src/detect/model.bin"),
                    PathBuf::from,
                );
            train::run(&root, permissive, &out)
        }
        _ => Err("unknown task; tasks are `train`".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
