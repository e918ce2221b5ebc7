//! Errors for people: lower case, no final period, literals in backticks, the next step as a hint.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use unbake::DecodeError;

/// How a command ended that did its work.
///
/// In the order of gravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// 0.
    Done,
    /// 1: the input is not what was asked.
    Found,
    /// 2: an input could not be read. It has been told, and the others were done.
    Failed,
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct CliError {
    message: String,
    hints: Vec<String>,
    code: u8,
    /// Nothing can follow: the output is gone.
    is_final: bool,
}

impl CliError {
    /// A usage or I/O error: exit 2.
    pub(crate) fn new(message: impl Into<String>) -> CliError {
        CliError {
            message: message.into(),
            hints: Vec::new(),
            code: 2,
            is_final: false,
        }
    }

    /// The input is not what was asked: exit 1.
    pub(crate) fn found(message: impl Into<String>) -> CliError {
        CliError {
            code: 1,
            ..CliError::new(message)
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> CliError {
        self.hints.push(hint.into());
        self
    }

    /// A file that could not be read.
    pub(crate) fn read(path: &Path, error: &io::Error) -> CliError {
        let failed = CliError::new(format!(
            "cannot read `{}`: {}",
            path.display(),
            describe(error)
        ));
        match error.kind() {
            io::ErrorKind::NotFound => failed.hint("check the path; `-` reads standard input"),
            io::ErrorKind::IsADirectory => {
                failed.hint("`unbake batch` and `unbake check` read directories")
            }
            io::ErrorKind::PermissionDenied => {
                failed.hint("check the permissions of the file and of its directories")
            }
            _ => failed,
        }
    }

    /// A file that could not be replaced by its mended form. It is as it was.
    pub(crate) fn replace(path: &Path, error: &io::Error) -> CliError {
        let failed = CliError::new(format!(
            "cannot mend `{}`: {}",
            path.display(),
            describe(error)
        ));
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => failed.hint(
                "the mended document is written beside the old one first: the directory must be writable; `--diff` shows the mend",
            ),
            _ => failed,
        }
    }

    /// Standard output refused the data. A closed pipe is no error: whoever read it had enough.
    pub(crate) fn write(error: &io::Error) -> CliError {
        let code = if error.kind() == io::ErrorKind::BrokenPipe {
            0
        } else {
            2
        };
        CliError {
            code,
            is_final: true,
            ..CliError::new(format!("cannot write standard output: {}", describe(error)))
        }
    }

    /// Malformed bytes under `--strict`: exit 1. `again` is the command that shows them all.
    pub(crate) fn strict(name: &str, error: &DecodeError, again: &str) -> CliError {
        CliError::found(format!("cannot decode `{name}`: {error}")).hint(format!(
            "without `--strict` it becomes U+FFFD; {again} shows all such bytes"
        ))
    }

    /// Prints the error and answers its exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if self.code != 0 {
            say(&self.text());
        }
        ExitCode::from(self.code)
    }

    /// The error of one input among several: it is told, and the others follow; unless nothing can follow.
    pub(crate) fn tell(self) -> Result<Exit, CliError> {
        if self.is_final {
            return Err(self);
        }
        say(&self.text());
        Ok(match self.code {
            0 => Exit::Done,
            1 => Exit::Found,
            _ => Exit::Failed,
        })
    }

    /// Ends the program at once: other threads may wait for input that nobody will use.
    pub(crate) fn exit(&self) -> ! {
        self.report();
        std::process::exit(i32::from(self.code))
    }

    /// The error and its hints, in lines.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("error: {}\n", plain(&self.message));
        for hint in &self.hints {
            let _infallible = writeln!(text, "hint: {}", plain(hint));
        }
        text
    }
}

impl From<unbake_io::Error> for CliError {
    fn from(error: unbake_io::Error) -> CliError {
        let shown = CliError::new(error.to_string());
        match error.hint() {
            Some(hint) => shown.hint(hint),
            None => shown,
        }
    }
}

impl std::fmt::Display for CliError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// The error in our words where the system's are not plain.
fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string().to_lowercase(),
    }
}

/// One line of text that may hold names and labels from strangers: control characters are written out, so that they
/// neither break the line nor command the terminal.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    // Beside the controls, what turns the direction of text around.
    let unsafe_to_show = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(unsafe_to_show) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if unsafe_to_show(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// A file's name as a shell takes it.
pub(crate) fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./-+,:@%=".contains(c);
    let guard = if name.starts_with('-') { "./" } else { "" };
    if !name.is_empty() && name.chars().all(plain) {
        format!("{guard}{name}")
    } else {
        format!("'{guard}{}'", name.replace('\'', "'\\''"))
    }
}

/// Text for people, on standard error. A closed standard error is nobody listening.
pub(crate) fn say(text: &str) {
    let _nobody_listens = io::Write::write_all(&mut io::stderr(), text.as_bytes());
}
