//! The multi-byte encodings: a cost and a class for each pair of bytes, straight from the index tables.

use std::collections::BTreeMap;

use encoding_rs as e;

use super::corpus::Corpus;
use super::lm::quantise;

/// Classes of characters in East Asian text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Letter = 0,
    Digit = 1,
    Space = 2,
    Punctuation = 3,
    WidePunctuation = 4,
    Hiragana = 5,
    Katakana = 6,
    Han = 7,
    Hangul = 8,
    WideLetter = 9,
    HalfKatakana = 10,
    Other = 11,
}

/// Number of classes a transition row has.
pub(crate) const KINDS: usize = 12;

pub(crate) fn kind(c: char) -> Kind {
    match c {
        'a'..='z' | 'A'..='Z' => Kind::Letter,
        '0'..='9' => Kind::Digit,
        ' ' | '\n' | '\r' | '\t' => Kind::Space,
        '\u{0}'..='\u{7f}' => Kind::Punctuation,
        '\u{3001}'..='\u{3004}'
        | '\u{3008}'..='\u{3020}'
        | '\u{3000}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff5e}'
        | '\u{2010}'..='\u{2026}'
        | '\u{b7}'
        | '\u{30fb}' => Kind::WidePunctuation,
        '\u{3041}'..='\u{309f}' => Kind::Hiragana,
        '\u{30a0}'..='\u{30ff}' => Kind::Katakana,
        '\u{3005}'..='\u{3007}' | '\u{4e00}'..='\u{9fff}' => Kind::Han,
        '\u{ac00}'..='\u{d7a3}' => Kind::Hangul,
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            Kind::WideLetter
        }
        '\u{ff61}'..='\u{ff9f}' => Kind::HalfKatakana,
        _ => Kind::Other,
    }
}

/// The statistics of one language.
struct Language {
    unigram: BTreeMap<char, f64>,
    of_kind: [f64; KINDS],
    transitions: [[f64; KINDS]; KINDS],
}

fn read<'a>(
    lines: impl Iterator<Item = (String, u32)> + 'a,
    extra: &BTreeMap<char, f64>,
) -> Language {
    let mut l = Language {
        unigram: BTreeMap::new(),
        of_kind: [0.0; KINDS],
        transitions: [[0.5; KINDS]; KINDS],
    };
    for (line, weight) in lines {
        let mut before = Kind::Space;
        for c in line.chars().chain(std::iter::once(' ')) {
            let k = kind(c);
            if k == Kind::Space && before == Kind::Space {
                continue;
            }
            *l.unigram.entry(c).or_default() += f64::from(weight);
            l.of_kind[k as usize] += f64::from(weight);
            l.transitions[before as usize][k as usize] += f64::from(weight);
            before = k;
        }
    }
    // General text, at the weight of all that was read.
    let total: f64 = extra.values().sum();
    let own = l.of_kind[Kind::Han as usize];
    for (c, n) in extra {
        let n = n / total * own;
        *l.unigram.entry(*c).or_default() += n;
        l.of_kind[Kind::Han as usize] += n;
    }
    l
}

/// Pairs of one encoding: `first - 0x81`, `second - 0x40`, and the characters of a decoded pair.
const PAIRS: usize = 126 * 192;

fn decode(encoding: &'static e::Encoding, bytes: &[u8]) -> Option<String> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    (!text.chars().any(|c| ('\u{e000}'..='\u{f8ff}').contains(&c))
        && text.chars().next().is_some_and(|c| c >= '\u{80}'))
    .then(|| text.into_owned())
}

fn pair_table(
    l: &Language,
    encoding: &'static e::Encoding,
    prefix: &[u8],
    rare: impl Fn(u8, u8) -> f64,
) -> (Vec<u8>, Vec<u8>) {
    let mut costs = vec![255_u8; PAIRS];
    let mut kinds = vec![15_u8; PAIRS];
    let mut cells: Vec<(usize, [u8; 2], char)> = Vec::new();
    for first in 0x81..=0xfe_u8 {
        for second in 0x40..=0xff_u8 {
            let mut bytes = prefix.to_vec();
            bytes.extend([first, second]);
            // One character (or a base with its mark), of both bytes.
            let Some(text) = decode(encoding, &bytes) else {
                continue;
            };
            let mut chars = text.chars();
            let Some(c) = chars.next() else { continue };
            if chars
                .next()
                .is_some_and(|m| !matches!(m, '\u{304}' | '\u{30c}'))
            {
                continue;
            }
            cells.push((
                usize::from(first - 0x81) * 192 + usize::from(second - 0x40),
                [first, second],
                c,
            ));
        }
    }
    // What has not been seen shares a small mass, by how rare its part of the table is.
    let mut unseen = [0.0_f64; KINDS];
    for (_, pair, c) in &cells {
        unseen[kind(*c) as usize] += rare(pair[0], pair[1]);
    }
    for (at, pair, c) in cells {
        let k = kind(c) as usize;
        let total = l.of_kind[k].max(1.0);
        let w = (150.0 / (150.0 + total)).max(0.002);
        let p = (1.0 - w) * l.unigram.get(&c).copied().unwrap_or(0.0) / total
            + w * rare(pair[0], pair[1]) / unseen[k].max(1e-9);
        costs[at] = quantise(-p.max(1e-7).ln()).min(254);
        kinds[at] = k as u8;
    }
    (costs, kinds)
}

/// Sections: per encoding costs and kinds (Shift_JIS, EUC-JP, JIS X 0212, GBK, Big5, EUC-KR), then the
/// transitions of ja, zh-Hans, zh-Hant, ko, then the costs of U+4E00 to U+9FFF and of U+AC00 to U+D7A3.
pub(crate) fn build(corpus: &Corpus, sections: &mut Vec<Vec<u8>>) -> Result<(), String> {
    let own = |tag: &str| {
        corpus
            .text(tag)
            .into_iter()
            .map(|(l, w)| (l.to_owned(), w))
            .collect::<Vec<_>>()
    };
    let hanzi: BTreeMap<char, f64> = corpus.hanzi.iter().map(|(c, n)| (*c, *n as f64)).collect();
    let to_traditional = |c: char| corpus.traditional.get(&c).copied().unwrap_or(c);
    let mut hanzi_traditional: BTreeMap<char, f64> = BTreeMap::new();
    for (c, n) in &hanzi {
        *hanzi_traditional.entry(to_traditional(*c)).or_default() += n;
    }
    let mut traditional = own("zh-Hant");
    traditional.extend(
        own("zh-Hans")
            .into_iter()
            .map(|(l, w)| (l.chars().map(to_traditional).collect(), w)),
    );
    let nothing = BTreeMap::new();
    let ja = read(own("ja").into_iter(), &nothing);
    let hans = read(own("zh-Hans").into_iter(), &hanzi);
    let hant = read(traditional.into_iter(), &hanzi_traditional);
    let ko = read(own("ko").into_iter(), &nothing);
    for (name, l) in [
        ("ja", &ja),
        ("zh-Hans", &hans),
        ("zh-Hant", &hant),
        ("ko", &ko),
    ] {
        crate::say(&format!(
            "  {name}: {} characters, {} different",
            l.of_kind.iter().sum::<f64>(),
            l.unigram.len()
        ));
        if l.unigram.len() < 500 {
            return Err(format!("too little text for `{name}`"));
        }
    }
    let jis = |first: u8, _| {
        if first < 0x98 || (0xb0..0xd0).contains(&first) {
            1.0
        } else {
            0.05
        }
    };
    for (costs, kinds) in [
        pair_table(&ja, e::SHIFT_JIS, &[], |f, _| {
            if f < 0x98 {
                1.0
            } else if f < 0xeb {
                0.05
            } else {
                0.003
            }
        }),
        pair_table(&ja, e::EUC_JP, &[], jis),
        pair_table(&ja, e::EUC_JP, &[0x8f], |_, _| 1.0),
        pair_table(&hans, e::GBK, &[], |f, s| {
            if s < 0xa1 {
                0.01
            } else if (0xb0..0xd8).contains(&f) {
                1.0
            } else {
                0.05
            }
        }),
        pair_table(&hant, e::BIG5, &[], |f, _| {
            if (0xa4..0xc7).contains(&f) {
                1.0
            } else if (0xc9..0xfa).contains(&f) {
                0.05
            } else {
                0.005
            }
        }),
        pair_table(&ko, e::EUC_KR, &[], |f, s| {
            if s >= 0xa1 && (0xb0..0xc9).contains(&f) {
                1.0
            } else {
                0.02
            }
        }),
    ] {
        sections.push(costs);
        sections.push(kinds);
    }
    let tables = &sections[sections.len() - 12..];
    let by_character = |first: char, last: char, encodings: &[(&'static e::Encoding, usize)]| {
        (first..=last)
            .map(|c| cheapest(c, encodings.iter().map(|(e, at)| (*e, &*tables[*at]))))
            .collect::<Vec<u8>>()
    };
    let han = by_character(
        '\u{4e00}',
        '\u{9fff}',
        &[(e::GBK, 6), (e::SHIFT_JIS, 0), (e::BIG5, 8)],
    );
    let hangul = by_character('\u{ac00}', '\u{d7a3}', &[(e::EUC_KR, 10)]);
    let mut transitions = Vec::new();
    for l in [&ja, &hans, &hant, &ko] {
        for (before, row) in l.transitions.iter().enumerate() {
            let sum: f64 = row.iter().sum();
            transitions.extend(row.iter().enumerate().map(|(k, n)| {
                let half = Kind::HalfKatakana as usize;
                // The corpora hold no half-width katakana; where they occur they come in runs.
                let p = match (before == half, k == half) {
                    (true, true) => 0.9,
                    (false, true) => 0.0002,
                    _ => 0.9998 * n / sum + 0.0002 / KINDS as f64,
                };
                quantise(-p.ln())
            }));
        }
    }
    sections.push(transitions);
    sections.push(han);
    sections.push(hangul);
    Ok(())
}

/// The cost of a character in the encoding that has it cheapest: what UTF-16 text is judged by.
fn cheapest<'a>(c: char, encodings: impl Iterator<Item = (&'static e::Encoding, &'a [u8])>) -> u8 {
    let mut buffer = [0; 4];
    let text: &str = c.encode_utf8(&mut buffer);
    encodings
        .filter_map(|(encoding, costs)| {
            let (bytes, _, lost) = encoding.encode(text);
            match (lost, bytes.as_ref()) {
                (false, &[a, b]) if a >= 0x81 && b >= 0x40 => {
                    Some(costs[usize::from(a - 0x81) * 192 + usize::from(b - 0x40)])
                }
                _ => None,
            }
        })
        .min()
        .unwrap_or(u8::MAX)
}
