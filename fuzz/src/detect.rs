//! The detector: it never panics, the cuts between chunks never matter, and nothing is answered that may not be.

use unbake::detect::{Candidates, Detector, Hints};

use crate::{context_and_document, hostile};

/// The target. The context's number chooses the hints and the chunks.
pub fn run(data: &[u8]) {
    let Some((context, document)) = context_and_document(data) else {
        return;
    };
    let tlds = ["jp", "ru", "de", "gr", "tw", "zz"];
    let hints = Hints {
        tld: tlds.get(context as usize % 8).map(|tld| (*tld).to_owned()),
        lang: (context & 8 != 0).then(|| "uk".to_owned()),
        allow_utf_8: context & 16 != 0,
        candidates: if context & 32 == 0 {
            Candidates::Web
        } else {
            Candidates::Browsers
        },
    };
    let mut whole = Detector::new(hints.clone());
    whole.feed(document);
    let answer = whole.rank();
    let mut random = hostile::Random::new(context);
    let mut parts = Detector::new(hints.clone());
    let mut rest = document;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(1 + random.below(rest.len().min(40)));
        parts.feed(chunk);
        rest = after;
    }
    assert_eq!(answer, parts.rank(), "{hints:?}");
    let Some(guess) = answer.0 else { return };
    assert!(
        !document.is_ascii() || memchr_escape_or_nul(document),
        "ASCII is ASCII"
    );
    assert!((0.0..=1.0).contains(&guess.probability));
    assert!(hints.allow_utf_8 || guess.encoding.name() != "UTF-8");
}

fn memchr_escape_or_nul(document: &[u8]) -> bool {
    document.iter().any(|b| matches!(b, 0 | 0x1b))
}
