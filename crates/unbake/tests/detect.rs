//! The detector: the cut between chunks does not matter, ASCII padding does not matter, damage to UTF-8
//! does not matter.

use proptest::prelude::*;
use unbake::detect::{Detector, Hints};

fn detector() -> Detector {
    Detector::new(Hints {
        allow_utf_8: true,
        ..Hints::default()
    })
}

fn encoding(bytes: &[u8]) -> Option<&'static str> {
    let mut detector = detector();
    detector.feed(bytes);
    detector.guess().map(|guess| guess.encoding.name())
}

/// Text with stretches of ASCII, markup, one-byte and two-byte letters.
fn documents() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-z ]{0,40}".prop_map(String::into_bytes),
        "<[a-z]{1,8}>".prop_map(String::into_bytes),
        proptest::collection::vec(0x80..=0xff_u8, 0..40),
        proptest::collection::vec(any::<u8>(), 0..30),
    ];
    proptest::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_cut_gives_the_same_answer(bytes in documents(), size in 1..50_usize) {
        let mut whole = detector();
        whole.feed(&bytes);
        let mut parts = detector();
        for chunk in bytes.chunks(size) {
            parts.feed(chunk);
        }
        prop_assert_eq!(whole.rank(), parts.rank());
    }

    #[test]
    fn ascii_before_the_text_does_not_change_it(padding in 0..300_usize) {
        let text = encoding_rs::WINDOWS_1251.encode("Привет, мир! Это обычный русский текст.").0;
        let mut bytes = vec![b' '; padding];
        bytes.extend_from_slice(&text);
        prop_assert_eq!(encoding(&bytes), Some("windows-1251"));
    }

    #[test]
    fn damaged_utf_8_stays_utf_8(at in 0..60_usize, byte in 0x80..=0xff_u8) {
        let mut bytes = "Съешь ещё этих мягких французских булок, да выпей чаю".as_bytes().to_vec();
        bytes[at] = byte;
        prop_assert_eq!(encoding(&bytes), Some("UTF-8"));
    }
}

#[test]
fn trail_bytes_at_the_start_are_left_out_the_same_in_any_chunks() {
    let bytes: Vec<u8> = [0x80; 6]
        .into_iter()
        .chain("\u{e9}\u{e9}\u{e9}".bytes())
        .collect();
    let mut whole = detector();
    whole.feed(&bytes);
    let mut parts = detector();
    for byte in &bytes {
        parts.feed(&[*byte]);
    }
    assert_eq!(whole.rank(), parts.rank());
}

#[test]
fn ascii_is_nothing_to_guess() {
    let mut detector = detector();
    detector.feed(b"plain text");
    assert!(detector.is_ascii());
    assert_eq!(detector.guess(), None);
}
