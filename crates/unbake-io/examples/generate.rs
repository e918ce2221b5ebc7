//! Writes a generated archive: the same seed gives the same bytes.
//!
//! `cargo run --release -p unbake-io --example generate -- OUT [PAGES [SEED [PACKING]]]`, where PACKING is
//! plain, gzip-members, gzip-one, zstd or zstd-dictionary. Pages are of 20 to 200 KB, bodies without codings.

use unbake_io::generate::{Packing, Recipe, archive};

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let out = args
        .next()
        .ok_or_else(|| std::io::Error::other("the name of the file to write is missing"))?;
    let pages = args.next().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let seed = args.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let packing = match args.next().as_deref() {
        Some("plain") => Packing::Plain,
        Some("gzip-one") => Packing::GzipOne,
        Some("zstd") => Packing::Zstd,
        Some("zstd-dictionary") => Packing::ZstdDictionary,
        _ => Packing::GzipMembers,
    };
    let made = archive(&Recipe {
        seed,
        pages,
        length: 15_000..150_000,
        packing,
        codings: false,
        company: false,
        ..Recipe::default()
    });
    std::fs::write(out, made.bytes)
}
