//! [`Head`]: the head of an HTTP response, as a crawler stored it.

use crate::body::{Body, remove_codings};
use crate::headers::{Headers, end_of_block, trim};
use crate::limits::Limits;
use crate::note::Note;

/// The status line and the header fields of a stored response, and the body after them.
///
/// # Standard
/// [RFC 9112](https://www.rfc-editor.org/rfc/rfc9112), with the leniency of [`Headers`].
///
/// # Example
/// ```
/// use unbake_io::http::Head;
/// let head = Head::parse(b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>").unwrap();
/// assert_eq!(head.status(), Some(200));
/// assert_eq!(head.raw_body(), b"<p>");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    status: Option<u16>,
    headers: Headers<'a>,
    body: &'a [u8],
    cut: bool,
}

impl<'a> Head<'a> {
    /// Reads the head at the start of `block`; `None` where it does not begin with `HTTP/`.
    pub fn parse(block: &'a [u8]) -> Option<Head<'a>> {
        if !block.get(..5)?.eq_ignore_ascii_case(b"HTTP/") {
            return None;
        }
        let mut searched = 0;
        let end = end_of_block(block, &mut searched);
        let (head, body) = block.split_at_checked(end.unwrap_or(block.len()))?;
        let line_end = memchr::memchr(b'\n', head).map_or(head.len(), |n| n + 1);
        let (status_line, fields) = head.split_at_checked(line_end)?;
        Some(Head {
            status: status(status_line),
            headers: Headers::new(fields),
            body,
            cut: end.is_none(),
        })
    }

    /// The status code, where three digits stand in its place.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The header fields.
    pub fn headers(&self) -> Headers<'a> {
        self.headers
    }

    /// What follows the head, with transfer and content codings still on.
    pub fn raw_body(&self) -> &'a [u8] {
        self.body
    }

    /// The body without its transfer and content codings.
    ///
    /// # Standard
    /// [RFC 9112, section 6.1](https://www.rfc-editor.org/rfc/rfc9112#section-6.1) and
    /// [RFC 9110, section 8.4](https://www.rfc-editor.org/rfc/rfc9110#section-8.4): codings are listed in
    /// the order in which they were applied, so they are removed from right to left, those of the
    /// transfer first.
    pub fn decode_body(&self, limits: &Limits) -> Body<'a> {
        let transfer = self.list("Transfer-Encoding");
        let content = self.list("Content-Encoding");
        // `X-Crawl-Content-Encoding` (Nutch) and `X-Archive-Orig-Content-Encoding` (Internet Archive)
        // say that the crawler has removed the coding. A Content-Encoding beside them is stale.
        let removed = [
            "X-Crawl-Content-Encoding",
            "X-Archive-Orig-Content-Encoding",
        ]
        .iter()
        .any(|name| self.headers.get(name).is_some());
        let mut body = remove_codings(self.body, &transfer, &content, removed, limits);
        if self.cut {
            body.notes.push(Note::HttpHeadCut);
        }
        body
    }

    /// A comma-separated list that may be spread over several fields, in order, lower case, without `identity`.
    fn list(&self, name: &str) -> Vec<Vec<u8>> {
        let mut out = Vec::new();
        for value in self.headers.all(name) {
            for part in value.split(|&b| b == b',') {
                let part = part.split(|&b| b == b';').next().unwrap_or_default();
                let part = trim(part).to_ascii_lowercase();
                if !part.is_empty() && part != b"identity" {
                    out.push(part);
                }
            }
        }
        out
    }
}

/// The status code: the second word of the status line.
fn status(line: &[u8]) -> Option<u16> {
    let code = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .nth(1)?;
    match code {
        [a, b, c] if code.iter().all(u8::is_ascii_digit) => {
            Some(u16::from(a - b'0') * 100 + u16::from(b - b'0') * 10 + u16::from(c - b'0'))
        }
        _ => None,
    }
}
