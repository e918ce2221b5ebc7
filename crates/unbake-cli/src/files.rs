//! The files that a command reads: those that are named, and those in directories.

use std::path::PathBuf;

use unbake_io::walk;

use crate::input::Input;
use crate::messages::{CliError, say};

/// The files that the arguments name, directories walked in the order of their names.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<Input>, CliError> {
    let found = files_and_found(paths)?;
    Ok(found.into_iter().map(|(input, _)| input).collect())
}

/// The same, and whether a file was found in a directory rather than named. What a mend has kept (`NAME.orig`) is not found.
pub(crate) fn files_and_found(paths: &[PathBuf]) -> Result<Vec<(Input, bool)>, CliError> {
    let mut all = Vec::new();
    let mut passed_over = 0;
    for input in Input::list(paths) {
        match input {
            Input::File(path) if path.is_dir() => {
                let walked = walk(&path);
                passed_over += walked.passed_over;
                let documents = walked
                    .files
                    .into_iter()
                    .filter(|path| path.extension().is_none_or(|ending| ending != "orig"));
                all.extend(documents.map(|path| (Input::File(path), true)));
            }
            // A file that is named must be there; one that vanishes later is told when its turn comes.
            Input::File(path) => match std::fs::metadata(&path) {
                Ok(_) => all.push((Input::File(path), false)),
                Err(error) => return Err(CliError::read(&path, &error)),
            },
            Input::Stdin => all.push((Input::Stdin, false)),
        }
    }
    if passed_over > 0 {
        say(&format!(
            "passed over: {passed_over} links to directories, pipes, sockets and devices\n"
        ));
    }
    Ok(all)
}
