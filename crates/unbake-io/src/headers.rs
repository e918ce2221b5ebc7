//! [`Headers`]: the fields of a WARC or HTTP header block, as bytes, in order, duplicates kept.
//!
//! Nothing is decoded here. A Content-Type value may hold any byte; what it means is for the rules of
//! the transport layer to say.

use std::borrow::Cow;

/// The header fields of one block, read from its bytes on demand.
///
/// # Standard
/// [RFC 9112, section 5](https://www.rfc-editor.org/rfc/rfc9112#section-5) and WARC 1.1, section 4, read
/// with more patience than either asks for: a line may end in a bare LF, white space may stand
/// before the colon, a line that starts with white space continues the one before it ("obsolete line
/// folding"), and a line without a colon is passed over.
///
/// # Example
/// ```
/// use unbake_io::Headers;
/// let headers = Headers::new(b"Content-Type: text/html\r\nX: a\r\n b\r\ncontent-type: text/plain\r\n");
/// let types: Vec<_> = headers.all("Content-Type").collect();
/// assert_eq!(types, [&b"text/html"[..], b"text/plain"]);
/// assert_eq!(headers.get("x").as_deref(), Some(&b"a b"[..]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Headers<'a> {
    bytes: &'a [u8],
}

impl<'a> Headers<'a> {
    /// The fields in `bytes`, which begins with the first field line.
    pub fn new(bytes: &'a [u8]) -> Headers<'a> {
        Headers { bytes }
    }

    /// The bytes of the block.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Every field as name and value, in order. Values are trimmed of white space, folded lines are joined by one space.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], Cow<'a, [u8]>)> + use<'a> {
        Fields { rest: self.bytes }
    }

    /// The values of every field with this name, in order; names are compared without regard to case.
    pub fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = Cow<'a, [u8]>> + use<'a, 'n> {
        self.iter()
            .filter(move |(n, _)| n.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
    }

    /// The value of the first field with this name.
    pub fn get(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.all(name).next()
    }

    /// The first field with this name as text; bytes that are not UTF-8 become `%HH`.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| escape_non_utf_8(&value))
    }
}

struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Takes the next line without its end; `None` at the end of the block.
    fn line(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest);
        let (line, rest) = match end {
            Some(n) => (self.rest.get(..n)?, self.rest.get(n + 1..)?),
            None => (self.rest, &[][..]),
        };
        self.rest = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], Cow<'a, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = self.line()?;
            let Some(colon) = memchr::memchr(b':', line) else {
                continue;
            };
            let (name, value) = line.split_at_checked(colon)?;
            let (name, value) = (trim(name), value.get(1..).unwrap_or_default());
            let mut value = Cow::Borrowed(trim(value));
            while matches!(self.rest.first(), Some(b' ' | b'\t')) {
                let more = trim(self.line()?);
                let joined = value.to_mut();
                if !joined.is_empty() && !more.is_empty() {
                    joined.push(b' ');
                }
                joined.extend_from_slice(more);
            }
            return Some((name, value));
        }
    }
}

/// Without spaces and tabs (and stray CRs) at both ends.
pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t' | b'\r'] = bytes {
        bytes = rest;
    }
    bytes
}

/// The bytes as text; what is not UTF-8 is written as in a URL, byte by byte.
pub(crate) fn escape_non_utf_8(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Where the header block that starts at `from` ends: the index after its empty line.
///
/// `searched` is where an earlier, fruitless search over fewer bytes stopped; it is moved on, so that
/// a block that arrives in pieces is searched once.
pub(crate) fn end_of_block(bytes: &[u8], searched: &mut usize) -> Option<usize> {
    while let Some(rest) = bytes.get(*searched..) {
        let n = *searched + memchr::memchr(b'\n', rest)?;
        match bytes.get(n + 1..).unwrap_or_default() {
            [b'\n', ..] => return Some(n + 2),
            [b'\r', b'\n', ..] => return Some(n + 3),
            // Not enough bytes yet to tell: look at this line end again.
            [] | [b'\r'] => {
                *searched = n;
                return None;
            }
            _ => *searched = n + 1,
        }
    }
    None
}
