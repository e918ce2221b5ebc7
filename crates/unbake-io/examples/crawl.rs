//! Writes the example crawl: `cargo run -p unbake-io --example crawl --features _generate`.
//!
//! The files are checked in; a test compares them byte by byte.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/crawl");
    std::fs::create_dir_all(&directory)?;
    for (name, bytes) in unbake_io::generate::crawl(5, 6) {
        std::fs::write(directory.join(name), bytes)?;
    }
    Ok(())
}
