//! The head of a response that lies beside its document: `NAME.headers` beside `NAME`.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind};
use crate::headers::{Headers, end_of_block};

/// The Content-Type lines of `NAME.headers`, as received; none where there is no such file.
///
/// The file is what `curl -D`, `wget --save-headers` and the like write: a status line or none, header fields, and then whatever follows an
/// empty line. Of several heads, one for each redirect, the last one counts.
///
/// # Errors
/// There is such a file, but it can not be read, or holds no header field: the document would be decided without what it says.
pub fn sidecar_content_types(document: &Path) -> Result<Vec<Vec<u8>>, Error> {
    let bytes = sidecar(document)?;
    Ok(content_types(&bytes))
}

/// The bytes of `NAME.headers`; none where there is no such file.
pub(crate) fn sidecar(document: &Path) -> Result<Vec<u8>, Error> {
    let path = path_of(document);
    let failed = |message: String| {
        Err(Error::new(Kind::Io, message)
            .with_path(path.display().to_string())
            .with_hint("it stands for the header of the file beside it: mend it, or move it away"))
    };
    // A link that leads nowhere is there all the same.
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return failed(error.to_string().to_lowercase()),
        Ok(_) => {}
    }
    match fs::metadata(&path) {
        Err(error) => return failed(error.to_string().to_lowercase()),
        // A directory of that name is something else; reading a pipe would wait for its writer.
        Ok(entry) if entry.is_dir() => return Ok(Vec::new()),
        Ok(entry) if !entry.is_file() => return failed("it is no regular file".to_owned()),
        Ok(entry) if entry.len() > MOST => {
            return failed(format!("it is longer than {MOST} bytes"));
        }
        Ok(_) => {}
    }
    match fs::read(&path) {
        Err(error) => failed(error.to_string().to_lowercase()),
        Ok(bytes) if !bytes.trim_ascii().is_empty() && fields(&bytes).iter().next().is_none() => {
            failed("it holds no header field, as `Content-Type: text/html`".to_owned())
        }
        Ok(bytes) => Ok(bytes),
    }
}

/// More is no header.
const MOST: u64 = 16 << 20;

fn path_of(document: &Path) -> PathBuf {
    let mut name = document.as_os_str().to_owned();
    name.push(".headers");
    PathBuf::from(name)
}

/// The Content-Type values of the head in a sidecar.
pub(crate) fn content_types(bytes: &[u8]) -> Vec<Vec<u8>> {
    fields(bytes)
        .all("Content-Type")
        .map(Cow::into_owned)
        .collect()
}

/// The fields of the last head.
fn fields(bytes: &[u8]) -> Headers<'_> {
    let mut rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    loop {
        let mut searched = 0;
        let end = end_of_block(rest, &mut searched).unwrap_or(rest.len());
        let (block, after) = rest.split_at(end.min(rest.len()));
        if begins_head(after) {
            rest = after;
            continue;
        }
        let start = if begins_head(block) {
            memchr::memchr(b'\n', block).map_or(block.len(), |at| at + 1)
        } else {
            0
        };
        return Headers::new(block.get(start..).unwrap_or_default());
    }
}

fn begins_head(bytes: &[u8]) -> bool {
    bytes
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"))
}

#[cfg(test)]
mod tests {
    use super::content_types;

    #[test]
    fn one_value_for_each_field_of_the_last_head() {
        for (bytes, want) in [
            (&b"Content-Type: text/html;\r\n charset=koi8-r\r\nX: y\r\n"[..], &[&b"text/html; charset=koi8-r"[..]][..]),
            (b"X: a\r\n Content-Type: text/plain\r\nContent-Type: text/css", &[b"text/css"]),
            (
                b"HTTP/1.1 301 Moved\r\nContent-Type: text/html; charset=big5\r\n\r\nHTTP/2 200\r\ncontent-type: text/html\r\n\r\n",
                &[b"text/html"],
            ),
            (b"Content-Type: a/b\n\nContent-Type: c/d\n", &[b"a/b"]),
            (b"\xEF\xBB\xBFContent-Type:\ta/b \r\n", &[b"a/b"]),
            (b"Content-Type: a/b\x0C\n", &[b"a/b\x0C"]),
            (b"CONTENT-TYPE: a/b\ncontent-type: c/d", &[b"a/b", b"c/d"]),
            (b"", &[]),
        ] {
            assert_eq!(content_types(bytes), want, "{}", bytes.escape_ascii());
        }
    }
}
