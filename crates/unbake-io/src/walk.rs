//! The documents of a directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What [`walk`] found.
#[derive(Debug, Default)]
pub struct Walked {
    /// The files, in the order of their names; a directory that could not be read stands among them, for whoever reads it to say so.
    pub files: Vec<PathBuf>,
    /// The directories that could not be read.
    pub unreadable: Vec<PathBuf>,
    /// Links to directories, pipes, sockets and devices: passed over.
    pub passed_over: u64,
}

/// The documents of a directory and of those in it. Hidden files and `NAME.headers` are left out. Links to directories are not followed, for
/// they may lead back; pipes and devices are no documents, and reading one may wait for ever. A path that is no directory is itself the answer.
pub fn walk(path: &Path) -> Walked {
    let mut found = Walked::default();
    if fs::metadata(path).is_ok_and(|entry| entry.is_dir()) {
        directory(path, &mut found);
    } else {
        found.files.push(path.to_owned());
    }
    found
}

fn directory(path: &Path, found: &mut Walked) {
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let Ok(mut entries) = entries else {
        found.files.push(path.to_owned());
        found.unreadable.push(path.to_owned());
        return;
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if hidden || path.extension().is_some_and(|ending| ending == "headers") {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            directory(&path, found);
        } else if fs::metadata(&path).is_ok_and(|entry| !entry.is_file()) {
            found.passed_over += 1;
        } else {
            found.files.push(path);
        }
    }
}

/// A path as text that tells it from every other: bytes that are no UTF-8 become `\xHH`, and `\` becomes `\\`.
///
/// # Example
/// ```
/// use std::path::Path;
/// assert_eq!(unbake_io::path_text(Path::new("a/b.html")), "a/b.html");
/// ```
pub fn path_text(path: &Path) -> String {
    use std::fmt::Write;
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        if cfg!(windows) {
            out.push_str(chunk.valid());
        } else {
            out.push_str(&chunk.valid().replace('\\', "\\\\"));
        }
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
    out
}
