//! Check and fix: they never panic, a mend keeps every character, and a mended document needs no further mend.

use unbake::{CheckOptions, CsvReader, Format};

use crate::{context_and_document, fix_laws, hostile};

/// The target.
pub fn run(data: &[u8]) {
    let Some((choice, document)) = context_and_document(data) else {
        return;
    };
    let mut context = hostile::context(choice);
    // The highest bits choose the format and the reader of CSV.
    let formats = Format::ALL.len() as u64;
    context.format = Some(Format::ALL[(choice >> 48) as usize % formats as usize])
        .filter(|_| (choice >> 62) < 3);
    let options = CheckOptions {
        csv_for: if choice >> 63 == 0 {
            CsvReader::Excel
        } else {
            CsvReader::Others
        },
        ..CheckOptions::default()
    };
    fix_laws::fix_keeps_every_character(document, &context, &options);
}

/// A document that is mostly sound, in an encoding that it mostly declares: the others are never mended.
pub fn make(choices: &[u16]) -> Vec<u8> {
    let seed = choices
        .iter()
        .take(4)
        .fold(0, |seed, &choice| seed << 16 | u64::from(choice));
    let (bytes, _, _) = fix_laws::document(choices, seed);
    let mut data = seed.to_le_bytes().to_vec();
    data.extend(bytes);
    data
}
