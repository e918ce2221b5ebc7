//! Archives, responses and chunked bodies made from numbers.

use std::io::Write as _;

fn pick<'a>(choices: &mut std::slice::Iter<'_, u16>, from: &[&'a [u8]]) -> &'a [u8] {
    let n = choices.next().copied().unwrap_or(0);
    from[usize::from(n) % from.len()]
}

/// A body in chunks, most of them well-formed.
pub(crate) fn chunked(choices: &[u16]) -> Vec<u8> {
    let mut choices = choices.iter();
    let mut out = Vec::new();
    while !choices.as_slice().is_empty() {
        out.extend_from_slice(pick(
            &mut choices,
            &[
                b"5\r\nhello\r\n",
                b"3;e=\"x\"\r\nabc\r\n",
                b"1\na\n",
                b"0a \r\n0123456789\r\n",
                b"FFFFFFFFFFFFFFFF\r\n",
                b"0\r\nX: y\r\n\r\n",
                b"0\r\n\r\n",
                b"5\r\nhel",
                b"-1\r\n",
                b"\r\n",
                b"zz\r\n",
            ],
        ));
    }
    out
}

/// An HTTP response, with codings that are there or are not.
pub(crate) fn response(choices: &[u16]) -> Vec<u8> {
    let (head, body) = choices.split_at(choices.len() / 2);
    let mut head = head.iter();
    let mut out = pick(
        &mut head,
        &[
            b"HTTP/1.1 200 OK\r\n",
            b"HTTP/1.0 404\n",
            b"http/2 200\r\n",
            b"HTTP/",
        ],
    )
    .to_vec();
    let body = match head.next().copied().unwrap_or(0) % 5 {
        0 => gzip(b"<p>hello, hello, hello</p>"),
        1 => gzip(&gzip(&[0; 70_000])),
        2 => vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0, 1, 0, 0],
        3 => chunked(body),
        _ => b"<meta charset=big5>".to_vec(),
    };
    while !head.as_slice().is_empty() {
        out.extend_from_slice(pick(
            &mut head,
            &[
                b"Content-Encoding: gzip\r\n",
                b"Content-Encoding: gzip, gzip\r\n",
                b"content-encoding: br\n",
                b"Content-Encoding: deflate\r\n",
                b"Content-Encoding: zstd\r\n",
                b"Transfer-Encoding: chunked\r\n",
                b"X-Crawl-Content-Encoding: gzip\r\n",
                b"Content-Type: text/html;\r\n charset=\xFF\r\n",
                b"no colon\r\n",
            ],
        ));
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(&body);
    out
}

/// Records with lengths that are right or wrong, plain or a gzip member each.
pub(crate) fn archive(choices: &[u16]) -> Vec<u8> {
    let packed = choices.first().is_some_and(|n| n % 2 == 0);
    let mut out = Vec::new();
    for (n, choices) in choices.chunks(6).enumerate() {
        let block = response(choices);
        let wrong = choices.first().copied().unwrap_or(0) % 7;
        let length = match wrong {
            0 => block.len() + usize::from(choices.len() as u16) * 7,
            1 => block.len() / 2,
            _ => block.len(),
        };
        let end: &[u8] = if wrong == 2 { b"\n" } else { b"\r\n" };
        let mut record = Vec::new();
        for line in [
            "WARC/1.1".to_owned(),
            format!(
                "WARC-Type: {}",
                ["response", "request", "revisit", "resource"][n % 4]
            ),
            format!("WARC-Record-ID: <urn:{n}>"),
            format!("Content-Length: {length}"),
            String::new(),
        ] {
            record.extend_from_slice(line.as_bytes());
            record.extend_from_slice(end);
        }
        record.extend_from_slice(&block);
        record.extend_from_slice(if wrong == 3 { b"" } else { b"\r\n\r\n" });
        if packed {
            record = gzip(&record);
        }
        if wrong == 4 {
            record.truncate(record.len() / 2);
        }
        out.extend_from_slice(&record);
    }
    out
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("into memory");
    encoder.finish().expect("into memory")
}
