//! Rows as lines of a CDXJ index, with `charset`.
//!
//! # Standard
//! None that is finished; the keys are those of pywb and of Common Crawl's index:
//! `SURT TIMESTAMP {"url", "mime", "status", "digest", "length", "offset", "filename", "charset"}`. The lines
//! stand in the order of the archive; whoever needs them sorted sorts them by bytes.

use std::fmt::Write as _;
use std::io;

use serde_json::{Map, Value};

use crate::row::Row;

/// Writes the line of a document; nothing for one that is not in an archive or has no address.
pub(crate) fn write(row: &Row, to: &mut dyn io::Write) -> io::Result<()> {
    let source = &row.source;
    let (Some(url), Some(offset)) = (&row.record.url, source.warc_record_offset) else {
        return Ok(());
    };
    let mut fields = Map::new();
    let mut put = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            fields.insert(key.to_owned(), Value::String(value));
        }
    };
    let revisit = source.warc_type == Some("revisit");
    put("url", Some(url.clone()));
    put(
        "mime",
        if revisit {
            Some("warc/revisit".to_owned())
        } else {
            source.content_mime_type.clone()
        },
    );
    put(
        "status",
        source.fetch_status.map(|status| status.to_string()),
    );
    put(
        "digest",
        source
            .content_digest
            .as_deref()
            .map(|digest| digest.strip_prefix("sha1:").unwrap_or(digest).to_owned()),
    );
    put("length", source.warc_record_length.map(|n| n.to_string()));
    put("offset", Some(offset.to_string()));
    put("filename", source.warc_filename.clone());
    if !revisit {
        put("charset", Some(row.record.encoding.name().to_owned()));
    }
    put("truncated", source.content_truncated.clone());
    let timestamp: String = source
        .fetch_time
        .as_deref()
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_digit)
        .take(14)
        .collect();
    write!(to, "{} {timestamp} ", surt(url))?;
    serde_json::to_writer(&mut *to, &fields)?;
    to.write_all(b"\n")
}

/// The address with its host turned round: `http://www.Example.com:80/A?b` is `com,example)/a?b`.
///
/// # Standard
/// The Internet Archive's "sort-friendly URI reordering transform", in the part that most addresses need: scheme
/// and user away, `www` and its numbered sisters away, the scheme's own port away, lower case, no fragment, no
/// empty query, parameters of the query sorted. Session ids are left in.
fn surt(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let rest = rest.split('#').next().unwrap_or_default();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = host.split_once(':').unwrap_or((host, ""));
    let host = host.trim_end_matches('.').to_lowercase();
    let first = host.split('.').next().unwrap_or_default();
    let is_www = first
        .strip_prefix("www")
        .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let labels = host
        .split('.')
        .skip(usize::from(is_www && host.contains('.')));
    let mut labels: Vec<&str> = labels.collect();
    // An address of numbers stays as it is.
    if !host.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        labels.reverse();
    }
    let mut out = if labels
        .iter()
        .all(|label| label.bytes().all(|b| b.is_ascii_digit()))
    {
        labels.join(".")
    } else {
        labels.join(",")
    };
    let usual = matches!((scheme, port), (_, "") | ("http", "80") | ("https", "443"));
    if !usual {
        let _infallible = write!(out, ":{port}");
    }
    out.push(')');
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let path = path.to_lowercase();
    let shorter = path.strip_suffix('/').filter(|path| !path.is_empty());
    out.push_str(match path.as_str() {
        "" => "/",
        _ => shorter.unwrap_or(&path),
    });
    if !query.is_empty() {
        let query = query.to_lowercase();
        let mut parameters: Vec<&str> = query.split('&').collect();
        parameters.sort_unstable();
        out.push('?');
        out.push_str(&parameters.join("&"));
    }
    // A line is cut at its first space.
    out.replace(' ', "%20")
}

#[cfg(test)]
mod tests {
    use super::surt;

    #[test]
    fn addresses() {
        for (url, want) in [
            (
                "http://www.Example.com:80/A?b=2&a=1#c",
                "com,example)/a?a=1&b=2",
            ),
            ("https://example.co.uk", "uk,co,example)/"),
            (
                "https://user@www2.example.org:8080/x/",
                "org,example:8080)/x",
            ),
            ("http://127.0.0.1/", "127.0.0.1)/"),
            ("http://example.com?", "com,example)/"),
        ] {
            assert_eq!(surt(url), want, "{url}");
        }
    }
}
