//! What holds for every document. Proptest draws documents, contexts and cuts, and shrinks what breaks a law to a line for
//! `testdata/cases`.

#[path = "support/content_type_oracle.rs"]
mod content_type_oracle;
#[path = "support/hostile.rs"]
mod hostile;
#[path = "support/laws.rs"]
mod laws;
#[path = "support/prescan_oracle.rs"]
mod prescan_oracle;

use proptest::collection::vec;
use proptest::prelude::*;
use unbake::{EncodeMode, Encoding, encode};

/// `PROPTEST_CASES` asks for another number of cases.
fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: asked.and_then(|asked| asked.parse().ok()).unwrap_or(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(6000))]

    #[test]
    fn whole_is_any_chunking(
        choices in vec(any::<u16>(), 1..24),
        context in any::<u64>(),
        sizes in vec(any::<u16>(), 1..12),
    ) {
        let (bytes, context) = (hostile::page(&choices), hostile::context(context));
        laws::whole_is_any_chunking(&bytes, &context, &hostile::sizes(&sizes));
    }

    #[test]
    fn flushed_at_any_time(
        choices in vec(any::<u16>(), 1..16),
        context in any::<u64>(),
        at in 0_usize..2000,
    ) {
        laws::flushed_at_any_time(&hostile::page(&choices), &hostile::context(context), at);
    }

    #[test]
    fn decoded_as_decided(choices in vec(any::<u16>(), 1..24), context in any::<u64>()) {
        laws::decoded_as_decided(&hostile::page(&choices), &hostile::context(context));
    }

    #[test]
    fn bytes_decoded_as_decided(bytes in vec(any::<u8>(), 0..64), context in any::<u64>()) {
        let context = hostile::context(context);
        laws::decoded_as_decided(&bytes, &context);
        laws::whole_is_any_chunking(&bytes, &context, &[1]);
    }

    #[test]
    fn prescan_is_the_standards(choices in vec(any::<u16>(), 1..16)) {
        laws::prescan_is_the_standards(&hostile::page(&choices));
    }

    #[test]
    fn content_type_is_the_standards(lines in vec(vec(any::<u16>(), 0..14), 0..4)) {
        let lines: Vec<Vec<u8>> = lines.iter().map(|line| laws::header(line)).collect();
        laws::content_type_is_the_standards(&lines);
    }
}

proptest! {
    #![proptest_config(config(2000))]

    /// What can be encoded comes back as it was.
    #[test]
    fn encode_then_decode_is_identity(text in ".{0,40}", pick in any::<prop::sample::Index>()) {
        let names: Vec<Encoding> = hostile::LABELS
            .iter()
            .filter_map(|label| unbake::get_an_encoding(label.as_bytes()))
            .collect();
        let encoding = *pick.get(&names);
        // What these encoders merge, as the standard asks: the fullwidth minus, the yen sign and the overline, halfwidth katakana, the euro of GBK's
        // neighbours; and replacement writes UTF-8.
        let merged = |c: char| matches!(c, '\u{2212}' | '¥' | '‾' | '\u{FF61}'..='\u{FF9F}' | '\u{E000}'..='\u{F8FF}');
        if encoding.name() == "replacement" || text.chars().any(merged) {
            return Ok(());
        }
        let Ok(bytes) = encode(&text, encoding, EncodeMode::Fatal) else { return Ok(()) };
        let Encoding::Web(web) = encoding else { return Ok(()) };
        let (back, errors) = web.decode_without_bom_handling(&bytes);
        prop_assert_eq!((back.as_ref(), errors), (text.as_str(), false), "{}", encoding);
    }
}
