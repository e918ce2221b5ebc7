//! Any bytes as an archive: an end, bounded memory, and the same records whatever the size of the reads.

use std::io::Read;

use unbake_io::{Item, Limits, Options, WarcReader};

struct Pieces<'a>(&'a [u8]);

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.len().min(out.len()).min(13);
        out[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

/// The target.
pub fn run(data: &[u8]) {
    let options = Options {
        max_record: 1 << 20,
        ..Options::default()
    };
    let limits = Limits {
        max_body: 1 << 20,
        max_ratio: 300,
    };
    let mut whole = Vec::new();
    for item in WarcReader::new("fuzz", data, options) {
        if let Item::Record(record) = &item {
            assert!(record.body(&limits).bytes.len() <= (1 << 20).max(record.block().len()));
            assert!(record.place().offset < data.len() as u64);
        }
        whole.push(format!("{item:?}"));
    }
    let pieces: Vec<_> = WarcReader::new("fuzz", Pieces(data), options)
        .map(|item| format!("{item:?}"))
        .collect();
    assert_eq!(whole, pieces);
}
