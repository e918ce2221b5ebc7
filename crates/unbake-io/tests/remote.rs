//! Archives behind an HTTP server, read by byte ranges. The server is in this process.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use unbake_io::batch::{Batch, Progress, inputs};
use unbake_io::generate::{Packing, Recipe, archive};
use unbake_io::{Error, From, Out, Part, Reading};

/// Serves one file under any path; notes the ranges it was asked for.
fn serve(file: Vec<u8>) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&asked);
    let file = Arc::new(file);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (file, notes) = (Arc::clone(&file), Arc::clone(&notes));
            std::thread::spawn(move || answer(stream, &file, &notes));
        }
    });
    (port, asked)
}

fn answer(mut stream: TcpStream, file: &[u8], notes: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut request = String::new();
        reader.read_line(&mut request).ok().filter(|&n| n > 0)?;
        let mut fields = HashMap::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            fields.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let head_only = request.starts_with("HEAD");
        let (status, range, body) = if request.contains("absent") {
            ("404 Not Found", String::new(), &[][..])
        } else if let Some(range) = fields.get("range") {
            notes.lock().unwrap().push(range.clone());
            let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
            let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
            let to = (to + 1).min(file.len());
            let range = format!("Content-Range: bytes {from}-{}/{}\r\n", to - 1, file.len());
            ("206 Partial Content", range, file.get(from..to)?)
        } else {
            ("200 OK", String::new(), file)
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nAccept-Ranges: bytes\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\
             ETag: \"1\"\r\n{range}Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        if !head_only {
            stream.write_all(body).ok()?;
        }
    }
}

fn rows(url: &str, part: Part) -> Result<Vec<(String, String, u64)>, Error> {
    let found = inputs(&[PathBuf::from(url)], None)?;
    assert_eq!(found[0].from, From::Warc);
    let batch = Batch {
        reading: Reading {
            part,
            ..Reading::default()
        },
        strict: false,
        threads: 2,
    };
    let mut rows = Vec::new();
    batch.stream::<Error>(&found, &Progress::default(), |out| {
        let Out::Row(row) = out else {
            panic!("{out:?}")
        };
        let offset = row.source.warc_record_offset.unwrap();
        rows.push((row.record.id.unwrap(), row.record.text, offset));
        Ok(())
    })?;
    Ok(rows)
}

#[test]
fn an_archive_behind_a_server_is_read_in_ranges() {
    for packing in [
        Packing::GzipMembers,
        Packing::ZstdDictionary,
        Packing::Plain,
    ] {
        let made = archive(&Recipe {
            packing,
            pages: 200,
            length: 15_000..150_000,
            lies: 0,
            codings: false,
            ..Recipe::default()
        });
        let (server, asked) = serve(made.bytes.clone());
        let url = format!("http://127.0.0.1:{server}/crawl/x.warc.gz");
        let whole = rows(&url, Part::default()).unwrap();
        assert_eq!(whole.len(), 200);
        let ranges = asked.lock().unwrap().len();
        let pieces = made.bytes.len().div_ceil(4 << 20);
        // A dictionary takes no request here: the archive is read from its start.
        assert_eq!(ranges, pieces, "{packing:?}");

        // One record alone, by its place.
        let response: Vec<_> = made.records.iter().filter(|r| r.page.is_some()).collect();
        let range = &response[77].range;
        let part = Part {
            offset: range.start as u64,
            length: Some(range.len() as u64),
        };
        assert_eq!(rows(&url, part).unwrap(), whole[77..78], "{packing:?}");
        // And from there to the end.
        let part = Part {
            length: None,
            ..part
        };
        assert_eq!(rows(&url, part).unwrap(), whole[77..], "{packing:?}");
    }
}

#[test]
fn what_is_not_there_is_an_error_with_its_name() {
    let (server, _) = serve(Vec::new());
    let url = format!("http://127.0.0.1:{server}/absent.warc.gz");
    let error = rows(&url, Part::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with(&format!("cannot read `{url}`: ")),
        "{error}"
    );
}
