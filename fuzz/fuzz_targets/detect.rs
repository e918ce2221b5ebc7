#![no_main]
//! The detector never panics, and the cut between two chunks never changes its answer.

use libfuzzer_sys::fuzz_target;
use unbake::detect::{Detector, Hints};

fuzz_target!(|input: (u16, bool, &[u8])| {
    let (cut, allow_utf_8, bytes) = input;
    let new = || Detector::new(Hints { allow_utf_8, ..Hints::default() });
    let mut whole = new();
    whole.feed(bytes);
    let mut parts = new();
    let (a, b) = bytes.split_at(usize::from(cut).min(bytes.len()));
    parts.feed(a);
    parts.feed(b);
    assert_eq!(whole.rank(), parts.rank());
});
