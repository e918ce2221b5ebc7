//! Laws that hold for any bytes.

use std::collections::HashMap;

use proptest::prelude::*;
use unbake_io::generate::{Packing, Recipe, archive};
use unbake_io::{Item, Limits, Options, WarcReader, decode_chunked, http};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is done to a file: no panic, an end, and no response twice.
    #[test]
    fn any_edits_to_any_archive(
        seed in 0..50_u64,
        packing in 0..5_usize,
        edits in prop::collection::vec((0..10_000_usize, prop::collection::vec(any::<u8>(), 0..40), 0..60_usize), 1..6),
    ) {
        let made = archive(&Recipe { seed, packing: Packing::ALL[packing], pages: 5, ..Recipe::default() });
        let mut bytes = made.bytes.clone();
        for (at, new, removed) in edits {
            let from = at * bytes.len() / 10_000;
            let to = (from + removed).min(bytes.len());
            bytes.splice(from..to, new);
        }
        let items: Vec<Item> = WarcReader::new("test", &*bytes, Options::default()).collect();
        let limits = Limits::default();
        let mut count = HashMap::new();
        for item in &items {
            match item {
                Item::Record(r) => {
                    r.body(&limits);
                    *count.entry(r.id()).or_insert(0) += 1;
                }
                Item::Error(e) if e.id.is_some() => *count.entry(e.id.clone()).or_insert(0) += 1,
                _ => {}
            }
        }
        // A single member has one checksum, at its end. After damage the decompressor may repeat
        // earlier text, whole records even, before it notices.
        for page in made.pages.iter().filter(|_| Packing::ALL[packing].is_per_record()) {
            prop_assert!(count.get(&Some(page.id.clone())).copied().unwrap_or(0) <= 1);
        }
        // Nothing is lost without a word, where a checksum watches.
        let watched = !matches!(Packing::ALL[packing], Packing::Plain);
        let whole = items.iter().filter(|i| matches!(i, Item::Record(_))).count() == made.pages.len();
        prop_assert!(whole || !watched || items.iter().any(|i| matches!(i, Item::Error(_))));
    }

    #[test]
    fn any_bytes_in_chunked(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (out, _) = decode_chunked(&bytes);
        prop_assert!(out.len() <= bytes.len());
    }

    #[test]
    fn any_http_block(bytes in "HTTP/1[\\x00-\\x7f]{0,300}") {
        if let Some(head) = http::Head::parse(bytes.as_bytes()) {
            head.decode_body(&Limits::default());
            prop_assert!(head.headers().iter().count() <= bytes.len());
        }
    }
}
