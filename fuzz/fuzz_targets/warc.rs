//! Any bytes as an archive: no panic, an end, bounded memory; reading in pieces changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unbake_io::{Item, Limits, Options, WarcReader};

struct Pieces<'a>(&'a [u8]);

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.len().min(out.len()).min(13);
        out[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let options = Options { max_record: 1 << 20, size: None };
    let limits = Limits { max_body: 1 << 20, max_ratio: 300 };
    let mut whole = Vec::new();
    for item in WarcReader::new("fuzz", bytes, options) {
        if let Item::Record(record) = &item {
            assert!(record.body(&limits).bytes.len() <= (1 << 20).max(record.block().len()));
        }
        whole.push(format!("{item:?}"));
    }
    let pieces: Vec<_> = WarcReader::new("fuzz", Pieces(bytes), options).map(|item| format!("{item:?}")).collect();
    assert_eq!(whole, pieces);
});
