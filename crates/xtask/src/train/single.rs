//! The tables of the single-byte encodings and the language models of their scripts.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;

use super::alphabet::{self, Alphabet, GROUPS, KIND_CASELESS, KIND_OTHER, KIND_UPPER};
use super::corpus::Corpus;
use super::encodings::{FOREIGN, Single, singles};
use super::lm::{Counts, quantise};

/// Lanes a row of the prior table has.
const PRIOR_STRIDE: usize = 64;
/// Columns a row of the first-look table has.
const LOOK_STRIDE: usize = 32;

/// Lines of a lane, in the form in which the lane's encodings hold them.
fn lane_lines(corpus: &Corpus, lane: &str) -> Vec<(String, u32)> {
    match lane {
        "he-visual" => corpus
            .text("he")
            .into_iter()
            .map(|(l, w)| (visual(l), w))
            .collect(),
        "vi" => corpus
            .text("vi")
            .into_iter()
            .enumerate()
            .map(|(i, (l, w))| (windows_1258(l, i % 2 == 0), w))
            .collect(),
        _ => corpus
            .text(lane)
            .into_iter()
            .map(|(l, w)| (l.nfc().collect(), w))
            .collect(),
    }
}

/// Hebrew in visual order: the line reversed, numbers and Latin words kept.
fn visual(line: &str) -> String {
    let mut out: Vec<char> = Vec::new();
    let mut run: Vec<char> = Vec::new();
    for c in line.chars().rev() {
        let c = match c {
            '(' => ')',
            ')' => '(',
            '[' => ']',
            ']' => '[',
            c => c,
        };
        if c.is_ascii_alphanumeric() {
            run.push(c);
        } else {
            out.extend(run.drain(..).rev());
            out.push(c);
        }
    }
    out.extend(run.drain(..).rev());
    out.into_iter().collect()
}

/// Vietnamese as windows-1258 holds it: tone marks apart, where there is no letter that has them
/// or (`all`) everywhere.
fn windows_1258(line: &str, all: bool) -> String {
    let mut out = String::new();
    for c in line.nfc() {
        let encodable = encoding_rs::WINDOWS_1258
            .encode(c.encode_utf8(&mut [0; 4]))
            .2;
        let parts: Vec<char> = std::iter::once(c).nfd().collect();
        let tone = |m: char| matches!(m, '\u{300}' | '\u{301}' | '\u{303}' | '\u{309}' | '\u{323}');
        if c.is_alphabetic() && parts.iter().any(|m| tone(*m)) && (all || encodable) {
            out.extend(parts.iter().copied().filter(|m| !tone(*m)).nfc());
            out.extend(parts.iter().copied().filter(|m| tone(*m)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Sections: byte tables, priors, case costs, first look, groups' sizes, five tables a group.
pub(crate) fn build(corpus: &Corpus, sections: &mut Vec<Vec<u8>>) -> Result<(), String> {
    let singles = singles();
    let alphabets: Vec<Alphabet> = (0..GROUPS.len())
        .map(|g| {
            Alphabet::new(
                g,
                &singles
                    .iter()
                    .filter(|s| s.group == g)
                    .map(|s| s.encoding)
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    let lanes: Vec<Vec<Vec<(String, u32)>>> = GROUPS
        .iter()
        .map(|g| g.lanes.iter().map(|l| lane_lines(corpus, l)).collect())
        .collect();
    for (g, group) in GROUPS.iter().enumerate() {
        for (l, lane) in group.lanes.iter().enumerate() {
            let size: usize = lanes[g][l].iter().map(|(t, _)| t.chars().count()).sum();
            crate::say(&format!(
                "  {lane}: {} lines, {size} characters",
                lanes[g][l].len()
            ));
            if size < 20_000 {
                crate::say(&format!("  warning: little text for `{lane}`"));
            }
        }
    }
    sections.push(byte_tables(&singles, &alphabets));
    sections.push(priors(&singles));
    sections.push(case_costs(&alphabets, &lanes));
    sections.push(first_look(&singles, &lanes)?);
    let mut meta = Vec::new();
    for (g, group) in GROUPS.iter().enumerate() {
        meta.extend((alphabets[g].classes as u16).to_le_bytes());
        meta.push(group.stride as u8);
        meta.push(group.bits as u8);
        meta.push(group.lanes.len() as u8);
        meta.push(Alphabet::first_letter());
    }
    sections.push(meta);
    for (g, group) in GROUPS.iter().enumerate() {
        let mut counts = Counts::new(&alphabets[g], group.lanes.len());
        for (l, lines) in lanes[g].iter().enumerate() {
            for (line, weight) in lines {
                counts.add(&alphabets[g], l, line, f64::from(*weight));
            }
        }
        let t = counts.tables(&alphabets[g], group);
        sections.extend([t.uni, t.bi_index, t.bi_rows, t.tri_slots, t.tri_rows]);
    }
    Ok(())
}

/// Per encoding and byte: class, extra cost, kind.
fn byte_tables(singles: &[Single], alphabets: &[Alphabet]) -> Vec<u8> {
    let mut out = Vec::new();
    for s in singles {
        let mut rows = [Vec::new(), Vec::new(), Vec::new()];
        for byte in 0..=255_u8 {
            let (class, extra, kind) = match alphabet::decode_byte(s.encoding, byte) {
                Some(c) => alphabets[s.group].class(c),
                None => (alphabet::UNMAPPED, 14.0, KIND_OTHER),
            };
            rows[0].push(class);
            rows[1].push(quantise(extra));
            rows[2].push(kind);
        }
        for r in rows {
            out.extend(r);
        }
    }
    out
}

fn priors(singles: &[Single]) -> Vec<u8> {
    let mut out = Vec::new();
    for s in singles {
        let natives: Vec<&str> = s.natives.split(' ').collect();
        let lanes = GROUPS[s.group].lanes;
        out.extend((0..PRIOR_STRIDE).map(|l| match lanes.get(l) {
            Some(lane) if natives.contains(lane) => quantise(s.prior),
            Some(_) => quantise(s.prior + FOREIGN),
            None => 255,
        }));
    }
    out
}

/// Cost of a lower and an upper case letter after two characters of given kinds.
fn case_costs(alphabets: &[Alphabet], lanes: &[Vec<Vec<(String, u32)>>]) -> Vec<u8> {
    let mut counts = [[[1.0_f64; 2]; 3]; 3];
    for g in 0..3 {
        for line in lanes[g].iter().flatten() {
            let (mut pp, mut p) = (0_usize, 0_usize);
            for c in line.0.chars() {
                let kind = alphabets[g].class(c).2;
                if kind != KIND_OTHER && kind != KIND_CASELESS {
                    counts[pp][p][usize::from(kind == KIND_UPPER)] += 1.0;
                }
                (pp, p) = (
                    p,
                    if kind == KIND_CASELESS {
                        0
                    } else {
                        usize::from(kind)
                    },
                );
            }
        }
    }
    let mut out = Vec::new();
    for c in counts.iter().flatten() {
        let sum = c[0] + c[1];
        out.push(quantise(-(c[0] / sum).ln()));
        out.push(quantise(-(c[1] / sum).ln()));
    }
    out
}

/// -ln P(byte | it is not ASCII, what is before it) per encoding, over the languages it was made for: a first look that
/// drops encodings which cannot be meant. `[context 3][byte 128][encoding 32]`.
fn first_look(singles: &[Single], lanes: &[Vec<Vec<(String, u32)>>]) -> Result<Vec<u8>, String> {
    let mut out = vec![255_u8; 3 * 128 * LOOK_STRIDE];
    for (e, s) in singles.iter().enumerate() {
        let mut reverse: BTreeMap<char, u8> = BTreeMap::new();
        for byte in 0..=255_u8 {
            if let Some(c) = alphabet::decode_byte(s.encoding, byte) {
                reverse.entry(alphabet::merge(c)).or_insert(byte);
            }
        }
        let mut best = vec![[f64::MAX; 256]; 3];
        for (l, lane) in GROUPS[s.group].lanes.iter().enumerate() {
            if !s.natives.split(' ').any(|n| n == *lane) {
                continue;
            }
            let lines = &lanes[s.group][l];
            let mut lane_counts = vec![[0.0_f64; 256]; 3];
            let (mut total, mut lost) = (0.0_f64, 0.0);
            for (line, _) in lines {
                // Headings in capitals are rare in the corpora and common on the web.
                let upper: String = line.to_uppercase();
                for (line, weight) in [(line.as_str(), 0.8), (upper.as_str(), 0.2)] {
                    let mut context = 1;
                    for c in line.chars() {
                        total += weight;
                        let Some(&byte) = reverse.get(&alphabet::merge(c)) else {
                            if c.is_alphabetic() && weight > 0.5 {
                                lost += weight;
                            }
                            context = 1;
                            continue;
                        };
                        if byte >= 0x80 {
                            lane_counts[context][usize::from(byte)] += weight;
                            context = 2;
                        } else {
                            context = usize::from(!byte.is_ascii_alphabetic());
                        }
                    }
                }
            }
            // A corpus that its own encoding cannot hold is a mistake in the table above.
            if total > 0.0 && lost / total > 0.05 {
                return Err(format!(
                    "`{lane}` does not survive {}: {:.1} % of its letters are lost",
                    s.encoding.name(),
                    100.0 * lost / total
                ));
            }
            // The most favourable language counts: nobody may be dropped for being one of many.
            for context in 0..3 {
                let sum: f64 = lane_counts[context].iter().sum::<f64>();
                for byte in 128..256 {
                    let p = (lane_counts[context][byte] + 0.02 * sum / 128.0 + 0.01)
                        / (1.02 * sum + 1.28);
                    best[context][byte] = best[context][byte].min(-p.ln());
                }
            }
        }
        for (context, costs) in best.iter().enumerate() {
            for byte in 128..256 {
                out[(context * 128 + byte - 128) * LOOK_STRIDE + e] = quantise(costs[byte]);
            }
        }
    }
    Ok(out)
}
