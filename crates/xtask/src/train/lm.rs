//! Character n-gram models per language, interpolated and quantised to 1/16 nat.

use std::collections::BTreeMap;

use super::alphabet::{Alphabet, Group, SPACE};

/// Cost units per nat.
pub(crate) const UNIT: f64 = 16.0;
/// The share of text that is not in the language at all.
const NOISE: f64 = 0.01;
/// What a symbol of the web is worth where the corpora do not show it: ©, ª, º, no-break space.
const SYMBOL_FLOOR: f64 = 3e-4;

pub(crate) fn quantise(nats: f64) -> u8 {
    (nats * UNIT).round().clamp(0.0, 255.0) as u8
}

/// The tables of one group, as they are written.
pub(crate) struct Tables {
    pub(crate) uni: Vec<u8>,
    pub(crate) bi_index: Vec<u8>,
    pub(crate) bi_rows: Vec<u8>,
    pub(crate) tri_slots: Vec<u8>,
    pub(crate) tri_rows: Vec<u8>,
}

/// Counts of one group: n-grams of classes by lane.
pub(crate) struct Counts {
    lanes: usize,
    uni: Vec<Vec<f64>>,
    bi: BTreeMap<(u8, u8), Vec<f64>>,
    tri: BTreeMap<(u8, u8, u8), Vec<f64>>,
}

impl Counts {
    pub(crate) fn new(alphabet: &Alphabet, lanes: usize) -> Counts {
        Counts {
            lanes,
            uni: vec![vec![0.0; lanes]; alphabet.classes],
            bi: BTreeMap::new(),
            tri: BTreeMap::new(),
        }
    }

    /// Counts one line.
    pub(crate) fn add(&mut self, alphabet: &Alphabet, lane: usize, line: &str, weight: f64) {
        let (mut a, mut b) = (SPACE, SPACE);
        for c in line.chars().chain(std::iter::once(' ')) {
            let class = alphabet.class(c).0;
            if class == SPACE && b == SPACE {
                continue;
            }
            let lanes = self.lanes;
            self.uni[usize::from(class)][lane] += weight;
            self.bi
                .entry((b, class))
                .or_insert_with(|| vec![0.0; lanes])[lane] += weight;
            let a_seen = if Alphabet::is_letter(b) { a } else { SPACE };
            if Alphabet::is_letter(b) {
                self.tri
                    .entry((a_seen, b, class))
                    .or_insert_with(|| vec![0.0; lanes])[lane] += weight;
            }
            (a, b) = (if Alphabet::is_letter(b) { b } else { SPACE }, class);
        }
    }

    /// Interpolates (Witten-Bell) and picks the rows that matter most.
    pub(crate) fn tables(&self, alphabet: &Alphabet, group: &Group) -> Tables {
        let (n, lanes) = (alphabet.classes, self.lanes);
        let total: Vec<f64> = (0..lanes)
            .map(|l| self.uni.iter().map(|u| u[l]).sum::<f64>().max(1.0))
            .collect();
        // The average language, for what a language has not shown.
        let mut global: Vec<f64> = (0..n)
            .map(|c| {
                (0..lanes).map(|l| self.uni[c][l] / total[l]).sum::<f64>() / lanes as f64 + 3e-6
            })
            .collect();
        let sum: f64 = global.iter().sum();
        for g in &mut global {
            *g /= sum;
        }
        let p1 = |c: usize, l: usize| -> f64 {
            let k = (0.003 * total[l]).max(20.0);
            (self.uni[c][l] + k * global[c]) / (total[l] + k)
        };
        let noise = |p: f64, c: usize| {
            let floor = if Alphabet::is_symbol(c as u8) {
                SYMBOL_FLOOR
            } else {
                0.0
            };
            (1.0 - NOISE) * p + NOISE * global[c] + floor
        };
        // Contexts: how often, and how many different successors.
        let mut bi_context = vec![vec![(0.0, 0.0); lanes]; n];
        for ((b, _), counts) in &self.bi {
            for l in 0..lanes {
                if counts[l] > 0.0 {
                    bi_context[usize::from(*b)][l].0 += counts[l];
                    bi_context[usize::from(*b)][l].1 += 1.0;
                }
            }
        }
        let lambda = |seen: f64, kinds: f64, floor: f64| -> f64 {
            if seen == 0.0 {
                1.0
            } else {
                (kinds * 2.0 / (seen + kinds * 2.0)).max(floor)
            }
        };
        let zero = vec![0.0; lanes];
        let p2 = |b: u8, c: u8, l: usize| -> f64 {
            let (seen, kinds) = bi_context[usize::from(b)][l];
            let w = lambda(seen, kinds, 0.02);
            let ml = if seen > 0.0 {
                self.bi.get(&(b, c)).unwrap_or(&zero)[l] / seen
            } else {
                0.0
            };
            (1.0 - w) * ml + w * p1(usize::from(c), l)
        };
        let mut tri_context: BTreeMap<(u8, u8), Vec<(f64, f64)>> = BTreeMap::new();
        for ((a, b, _), counts) in &self.tri {
            let context = tri_context
                .entry((*a, *b))
                .or_insert_with(|| vec![(0.0, 0.0); lanes]);
            for l in 0..lanes {
                if counts[l] > 0.0 {
                    context[l].0 += counts[l];
                    context[l].1 += 1.0;
                }
            }
        }
        let stride = group.stride;
        let mut uni = vec![255_u8; n * stride];
        for c in 0..n {
            for l in 0..lanes {
                uni[c * stride + l] = quantise(-noise(p1(c, l), c).ln());
            }
        }
        // Bigrams: the most frequent pairs, counted per language so that small ones are heard.
        let mut ranked: Vec<(f64, (u8, u8))> = self
            .bi
            .iter()
            .map(|(k, v)| ((0..lanes).map(|l| v[l] / total[l]).sum(), *k))
            .collect();
        ranked.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        ranked.truncate(group.bigrams);
        ranked.sort_by_key(|x| x.1);
        let mut bi_index = vec![0xff_u8; n * n * 2];
        let mut bi_rows = Vec::new();
        for (row, (_, (b, c))) in ranked.iter().enumerate() {
            let at = (usize::from(*b) * n + usize::from(*c)) * 2;
            bi_index[at..at + 2].copy_from_slice(&(row as u16).to_le_bytes());
            bi_rows.extend((0..stride).map(|l| {
                if l < lanes {
                    quantise(-noise(p2(*b, *c, l), usize::from(*c)).ln())
                } else {
                    255
                }
            }));
        }
        // Trigrams: those that say most beyond their bigram.
        let mut ranked: Vec<(f64, (u8, u8, u8), Vec<u8>)> = Vec::new();
        for (&(a, b, c), counts) in &self.tri {
            let context = &tri_context[&(a, b)];
            let mut gain = 0.0;
            let mut row = vec![255_u8; stride];
            for l in 0..lanes {
                let (seen, kinds) = context[l];
                let w = lambda(seen, kinds, 0.04);
                let ml = if seen > 0.0 { counts[l] / seen } else { 0.0 };
                let two = p2(b, c, l);
                let three = (1.0 - w) * ml + w * two;
                let cost = -noise(three, usize::from(c)).ln();
                row[l] = quantise(cost);
                gain +=
                    (counts[l] + 0.2) / total[l] * (cost + noise(two, usize::from(c)).ln()).abs();
            }
            ranked.push((gain, (a, b, c), row));
        }
        ranked.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        crate::say(&format!(
            "  {}: {} classes, {} bigrams, {} trigrams seen",
            group.name,
            n,
            self.bi.len(),
            ranked.len()
        ));
        ranked.truncate(group.trigrams);
        ranked.sort_by_key(|x| x.1);
        let slots = 1_usize << group.bits;
        let mut tri_slots = vec![0xff_u8; slots * 4];
        let mut tri_rows = Vec::new();
        for (row, (_, (a, b, c), costs)) in ranked.iter().enumerate() {
            let mixed = mix(*a, *b, *c);
            let mut at = (mixed >> (24 - group.bits)) as usize;
            while tri_slots[at * 4..at * 4 + 4] != [0xff; 4] {
                at = (at + 1) % slots;
            }
            let entry = ((mixed & 0xffff) << 16) | row as u32;
            tri_slots[at * 4..at * 4 + 4].copy_from_slice(&entry.to_le_bytes());
            tri_rows.extend_from_slice(costs);
        }
        Tables {
            uni,
            bi_index,
            bi_rows,
            tri_slots,
            tri_rows,
        }
    }
}

/// A bijection of 24 bits: the top bits choose the slot, the low 16 tell keys of near slots apart.
pub(crate) fn mix(a: u8, b: u8, c: u8) -> u32 {
    let key = (u32::from(a) << 16) | (u32::from(b) << 8) | u32::from(c);
    let x = key.wrapping_mul(0x9e_3779) & 0xff_ffff;
    let x = x ^ (x >> 12);
    x.wrapping_mul(0xc2_b2ad) & 0xff_ffff
}
