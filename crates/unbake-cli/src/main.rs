//! The `unbake` command line.
fn main() {}
