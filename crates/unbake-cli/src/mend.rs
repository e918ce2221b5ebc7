//! Writing a mended document in place of the original, and showing first what would change.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use similar::TextDiff;
use unbake::Fixed;

use crate::messages::{CliError, plain};

/// Puts the mended bytes in the place of a file: whoever reads it sees the old document or the new one, never a part.
///
/// A link is followed, and what it leads to is mended. The original stays beside it as `NAME.orig`, if asked to.
pub(crate) fn replace(
    path: &Path,
    original: &[u8],
    mended: &[u8],
    keep_original: bool,
) -> Result<(), CliError> {
    let failed = |error: &io::Error| CliError::replace(path, error);
    let path = fs::canonicalize(path).map_err(|error| failed(&error))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let before = fs::metadata(&path).map_err(|error| failed(&error))?;
    let mut new = tempfile::Builder::new()
        .prefix(".unbake-")
        .tempfile_in(folder)
        .map_err(|error| failed(&error))?;
    new.write_all(mended).map_err(|error| failed(&error))?;
    // Only the superuser may give a file away: what can not be kept is not kept.
    let _as_far_as_allowed =
        std::os::unix::fs::chown(new.path(), Some(before.uid()), Some(before.gid()));
    new.as_file()
        .set_permissions(before.permissions())
        .map_err(|error| failed(&error))?;
    new.as_file().sync_all().map_err(|error| failed(&error))?;
    // The document that was checked, and no later one.
    if fs::read(&path).map_err(|error| failed(&error))? != original {
        let message = format!("cannot mend `{}`: it changed meanwhile", path.display());
        return Err(CliError::new(message).hint("run the check again"));
    }
    if keep_original {
        keep(&path)?;
    }
    new.persist(&path).map_err(|error| failed(&error.error))?;
    // The new name is on the disk once its directory is.
    let _best_effort = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// The original under the name `NAME.orig`. What has this name already stays.
fn keep(path: &Path) -> Result<(), CliError> {
    let kept = original_name(path);
    let outcome = fs::hard_link(path, &kept).or_else(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return Err(error);
        }
        // Not every file system has links.
        let mut to = File::create_new(&kept)?;
        io::copy(&mut File::open(path)?, &mut to)?;
        to.sync_all()
    });
    outcome.map_err(|error| {
        let shown = kept.display();
        if error.kind() == io::ErrorKind::AlreadyExists {
            CliError::new(format!(
                "cannot mend `{}`: `{shown}` exists, and would be overwritten",
                path.display()
            ))
            .hint("move it away, or mend with `--no-orig`")
        } else {
            CliError::replace(path, &error)
        }
    })
}

pub(crate) fn original_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".orig");
    PathBuf::from(name)
}

/// What would change, as a unified diff of the text. Where only the bytes do, its head says so.
pub(crate) fn diff(name: &str, text: &str, fixed: &Fixed) -> String {
    let mark = |has: bool| {
        if has { " with byte order mark" } else { "" }
    };
    let name = plain(name);
    let old = format!("{name}\t{}{}", fixed.was, mark(fixed.had_bom));
    let new = format!("{name}\tUTF-8{}", mark(fixed.has_bom));
    let mended = fixed.apply(text);
    let diff = TextDiff::from_lines(text, mended.as_str());
    let hunks = diff.unified_diff().header(&old, &new).to_string();
    if hunks.is_empty() {
        return format!("--- {old}\n+++ {new}\n");
    }
    hunks
}
