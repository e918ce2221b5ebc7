//! The files that a command reads: directories walked, and the headers that lie beside a document.

use std::io;
use std::path::{Path, PathBuf};

use crate::input::Input;
use crate::messages::{CliError, say};

/// The files that the arguments name, directories walked in the order of their names.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<Input>, CliError> {
    let mut found = Vec::new();
    let mut passed_over = 0;
    for input in Input::list(paths) {
        match input {
            Input::File(path) if path.is_dir() => walk(&path, &mut found, &mut passed_over)?,
            // A file that is named must be there; one that vanishes later is a row of its own.
            Input::File(path) => match std::fs::metadata(&path) {
                Ok(_) => found.push(Input::File(path)),
                Err(error) => return Err(CliError::read(&path, &error)),
            },
            Input::Stdin => found.push(Input::Stdin),
        }
    }
    if passed_over > 0 {
        say(&format!(
            "passed over: {passed_over} links to directories, pipes, sockets and devices\n"
        ));
    }
    Ok(found)
}

/// The same, and whether a file was found in a directory rather than named. What a mend has kept (`NAME.orig`) is not found.
pub(crate) fn files_and_found(paths: &[PathBuf]) -> Result<Vec<(Input, bool)>, CliError> {
    if paths.is_empty() {
        return Ok(vec![(Input::Stdin, false)]);
    }
    let mut all = Vec::new();
    for path in paths {
        let in_directory = path.is_dir();
        let kept = |input: &Input| matches!(input, Input::File(path) if path.extension().is_some_and(|ending| ending == "orig"));
        all.extend(
            files(std::slice::from_ref(path))?
                .into_iter()
                .filter(|input| !(in_directory && kept(input)))
                .map(|input| (input, in_directory)),
        );
    }
    Ok(all)
}

fn walk(path: &Path, found: &mut Vec<Input>, passed_over: &mut u64) -> Result<(), CliError> {
    let failed = |error: &io::Error| CliError::read(path, error);
    let mut entries = std::fs::read_dir(path)
        .map_err(|error| failed(&error))?
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| failed(&error))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if hidden || path.extension().is_some_and(|ending| ending == "headers") {
            continue;
        }
        // Links to directories are not followed: they may lead back here. Pipes and devices are no documents, and
        // reading one may wait for ever.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, found, passed_over)?;
        } else if std::fs::metadata(&path).is_ok_and(|entry| !entry.is_file()) {
            *passed_over += 1;
        } else {
            found.push(Input::File(path));
        }
    }
    Ok(())
}

/// The Content-Type lines of `NAME.headers`, as received.
pub(crate) fn sidecar_content_types(path: &Path) -> Vec<Vec<u8>> {
    let mut name = path.as_os_str().to_owned();
    name.push(".headers");
    // Only a regular file: reading a pipe would wait for its writer.
    if !std::fs::metadata(&name).is_ok_and(|entry| entry.is_file()) {
        return Vec::new();
    }
    let Ok(headers) = std::fs::read(name) else {
        return Vec::new();
    };
    headers
        .split(|&b| b == b'\n')
        .filter_map(|line| {
            let colon = line.iter().position(|&b| b == b':')?;
            let (name, value) = line.split_at(colon);
            let value = value.get(1..).unwrap_or_default();
            name.trim_ascii()
                .eq_ignore_ascii_case(b"content-type")
                .then(|| value.trim_ascii().to_vec())
        })
        .collect()
}
