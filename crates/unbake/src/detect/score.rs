//! Likelihoods: how probable the bytes are, read in an encoding as text of a language.

use super::candidates::{Bonus, Candidate, MultiByte};
use super::model::{self, ByteTable, Group, KINDS, LOOK_STRIDE, Model, Pairs, SINGLES};

/// Bytes scored between two looks at who is still in the race.
const BLOCK: usize = 224;
/// The first block is short: most leave after it.
const FIRST_BLOCK: usize = 48;
/// Who is this far behind (1/16 nat) leaves the race.
const BEHIND: u32 = 30 * 16;
/// The same in nats: no greater margin is told, for who is further behind has left.
pub(super) const MOST_MARGIN: f64 = 30.0;
/// Who is this far behind after the first look, and this much more a byte looked at, is not tried.
const LOOK_BEHIND: u32 = 14 * 16;
const LOOK_BEHIND_PER_BYTE: u32 = 24;
/// Where no more bytes than this are not ASCII, windows-1252 is always tried: it is what little evidence falls back to.
const SHORT: usize = 3;
/// Bytes of the first look.
const LOOK_BYTES: usize = 192;
/// What a word of ASCII letters costs in a text whose script is not Latin.
const FOREIGN_WORD: u32 = 40;
/// What a letter of another script costs right beside an ASCII letter.
const MIXED_WORD: u32 = 64;
/// What it costs that a script other than Latin shows one letter at a time, never two in a row.
const LONE: u32 = 6 * 16;
/// How much rarer each script is on the web than Latin.
const SCRIPT_PRIOR: [u32; model::GROUPS] = [0, 24, 48, 56, 48, 48];
/// A character that the end of the text cuts.
const CUT: u32 = 6 * 16;
/// A control character; what the single-byte encodings pay too.
const CONTROL: u32 = 18 * 16;
/// A pair of bytes that no table has.
const BROKEN: u32 = 14 * 16;

/// One candidate's standing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) candidate: Candidate,
    pub(super) language: &'static str,
    /// Cost in 1/16 nat; lower is better.
    pub(super) cost: u32,
}

struct Single {
    index: usize,
    group: usize,
    table: ByteTable,
    lanes: Box<[u32; 48]>,
    alone: u32,
}

/// Scores every candidate that the first look leaves, best first.
pub(super) fn score(text: &[u8], bonus: Option<&Bonus<'_>>) -> Vec<Scored> {
    let m = Model::get();
    let lone = !text
        .windows(2)
        .any(|pair| pair[0] >= 0x80 && pair[1] >= 0x80);
    let mut singles: Vec<Single> = first_look(&m, text)
        .into_iter()
        .filter_map(|index| {
            let group = Candidate::group(index);
            let mut lanes = Box::new([u32::MAX / 2; 48]);
            let alone = if group > 0 && lone { LONE } else { 0 };
            let names = model::LANES.get(group)?;
            for (lane, prior) in lanes.iter_mut().zip(m.priors_of(index)).take(names.len()) {
                *lane = u32::from(*prior);
            }
            if let Some(bonus) = bonus {
                for (lane, name) in lanes.iter_mut().zip(*names) {
                    *lane += bonus(Candidate::Single(index), name);
                }
            }
            Some(Single {
                index,
                group,
                table: m.byte_table(index)?,
                lanes,
                alone: alone + SCRIPT_PRIOR[group],
            })
        })
        .collect();
    let mut multis: Vec<MultiByte> = MultiByte::all(bonus);
    let Some(latin) = m.byte_table(0) else {
        return Vec::new();
    };
    let mut shared = [0_u32; 48];
    let mut foreign_words = 0;
    let groups: [Group; model::GROUPS] = std::array::from_fn(|g| m.group(g));
    let mut dropped: Vec<Scored> = Vec::new();
    let mut at = 0;
    let mut positions: Vec<u32> = Vec::with_capacity(BLOCK);
    while at < text.len() {
        let block = if at == 0 { FIRST_BLOCK } else { BLOCK };
        let end = (at + block).min(text.len());
        positions.clear();
        let mut ascii = [0_u16; BLOCK];
        let mut ascii_len = 0;
        let high = |i: usize| text.get(i).is_some_and(|b| *b >= 0x80);
        for i in at..end {
            if high(i) || (i > 0 && high(i - 1)) || (i > 1 && high(i - 2) && text[i - 1] != b' ') {
                positions.push(i as u32);
            } else {
                ascii[ascii_len] = (i - at) as u16;
                ascii_len += 1;
            }
        }
        // Stretches of ASCII say nothing about the encoding, only about the language: counted once.
        let positions_ascii = ascii[..ascii_len].iter().map(|i| at + usize::from(*i));
        walk::<48>(
            &groups[0],
            &latin,
            m.case,
            text,
            positions_ascii,
            &mut shared,
            false,
        );
        foreign_words += ascii[..ascii_len]
            .iter()
            .map(|i| at + usize::from(*i))
            .filter(|i| {
                text[*i].is_ascii_alphabetic() && (*i == 0 || !text[i - 1].is_ascii_alphabetic())
            })
            .count() as u32;
        let foreign = shared.iter().min().copied().unwrap_or(0) + foreign_words * FOREIGN_WORD;
        // Encodings of a group that read these bytes alike are walked once.
        let mut high_bytes = [false; 256];
        for b in &text[at.saturating_sub(2)..end] {
            high_bytes[usize::from(*b)] = *b >= 0x80;
        }
        let high_bytes: Vec<u8> = (0x80..=0xff_u8)
            .filter(|b| high_bytes[usize::from(*b)])
            .collect();
        let mut walked: Vec<(usize, usize, [u32; 48], u32)> = Vec::new();
        for k in 0..singles.len() {
            let s = &singles[k];
            let same = walked
                .iter()
                .find(|w| w.0 == s.group && s.table.agrees(&singles[w.1].table, &high_bytes));
            let (sums, alone) = if let Some(w) = same {
                (w.2, w.3)
            } else {
                let mut sums = [0; 48];
                let positions = positions.iter().map(|i| *i as usize);
                let alone = if s.group == 0 {
                    walk::<48>(
                        &groups[0], &s.table, m.case, text, positions, &mut sums, true,
                    )
                } else {
                    walk::<8>(
                        &groups[s.group],
                        &s.table,
                        m.case,
                        text,
                        positions,
                        &mut sums,
                        true,
                    )
                };
                walked.push((s.group, k, sums, alone));
                (sums, alone)
            };
            let s = &mut singles[k];
            for (lane, sum) in s.lanes.iter_mut().zip(sums) {
                *lane = lane.saturating_add(sum);
            }
            s.alone += alone;
        }
        for s in &mut multis {
            s.walk(text, at..end);
        }
        at = end;
        // Who is hopeless leaves.
        let cost = |s: &Single| cost_of(s, &shared, foreign, &groups);
        let last = at == text.len();
        if last {
            for s in &mut multis {
                s.close();
            }
        }
        let best = singles
            .iter()
            .map(|s| cost(s).0)
            .chain(multis.iter().map(|s| s.cost.saturating_add(foreign)))
            .min()
            .unwrap_or(0);
        // Those that leave early have seen less text: they stand behind all who saw more, in the order in
        // which they left and by how far they were behind then.
        let standing = |cost: u32| {
            if last {
                cost
            } else {
                (u32::MAX / 2 - at as u32 * 4096 / BLOCK as u32)
                    .saturating_add((cost - best).min(4095))
            }
        };
        let mut keep = Vec::with_capacity(singles.len());
        for s in singles {
            let (now, best_lane) = cost(&s);
            if last || now > best.saturating_add(BEHIND) {
                dropped.push(Scored {
                    candidate: Candidate::Single(s.index),
                    language: model::LANES[s.group].get(best_lane).copied().unwrap_or(""),
                    cost: standing(now),
                });
            } else {
                keep.push(s);
            }
        }
        singles = keep;
        multis.retain(|s| {
            let cost = s.cost.saturating_add(foreign);
            let out = last || cost > best.saturating_add(BEHIND);
            if out {
                dropped.push(Scored {
                    candidate: s.answer(),
                    language: s.language(),
                    cost: standing(cost),
                });
            }
            !out
        });
        if singles.len() + multis.len() == 1 && !last {
            // Nobody else is left: the rest of the text can change nothing.
            if let Some(s) = singles.first() {
                let (cost, best_lane) = cost(s);
                dropped.push(Scored {
                    candidate: Candidate::Single(s.index),
                    language: model::LANES[s.group].get(best_lane).copied().unwrap_or(""),
                    cost,
                });
            } else if let Some(s) = multis.first() {
                dropped.push(Scored {
                    candidate: s.answer(),
                    language: s.language(),
                    cost: s.cost.saturating_add(foreign),
                });
            }
            break;
        }
    }
    dropped.sort_by_key(|s| s.cost);
    dropped
}

/// Where the bytes spell no letter and windows-1252 reads them alike, windows-1252 is the answer: a
/// no-break space or a copyright sign is no evidence for anything rarer.
pub(super) fn prefer_common(text: &[u8], browsers: bool, scored: &mut [Scored]) {
    let m = Model::get();
    let high: Vec<u8> = text.iter().copied().filter(|b| *b >= 0x80).collect();
    let at = scored
        .iter()
        .position(|s| s.candidate == Candidate::Single(0));
    let (Some(first), Some(at)) = (scored.first().copied(), at) else {
        return;
    };
    let gap = scored.get(at).map_or(0, |s| s.cost - first.cost);
    let few = if browsers { FEW_IN_BROWSERS } else { FEW };
    let few = few.get(high.len()).is_some_and(|allowed| gap <= *allowed);
    let alike = || {
        let Candidate::Single(best) = first.candidate else {
            return false;
        };
        let (Some(table), Some(common)) = (m.byte_table(best), m.byte_table(0)) else {
            return false;
        };
        Candidate::group(best) == 0
            && high.iter().all(|b| table.kind[usize::from(*b)] == 0)
            && table.agrees(&common, &high)
    };
    if !(few || alike()) {
        return;
    }
    if let Some(s) = scored.get_mut(at) {
        s.cost = first.cost;
    }
    if let Some(front) = scored.get_mut(..=at) {
        front.rotate_right(1);
    }
}

/// One, two or three bytes prove little: windows-1252 may be this far behind (1/16 nat).
const FEW: [u32; 4] = [0, 96, 32, 16];
/// The same where the question is what browsers show: they fall back sooner.
const FEW_IN_BROWSERS: [u32; 4] = [0, 192, 96, 32];

/// What a candidate costs so far, and in which of its languages. Scripts other than Latin take the
/// stretches of ASCII in whatever language fits them best.
fn cost_of(
    s: &Single,
    shared: &[u32; 48],
    foreign: u32,
    groups: &[Group; model::GROUPS],
) -> (u32, usize) {
    s.lanes
        .iter()
        .zip(shared)
        .take(groups[s.group].lanes)
        .enumerate()
        .map(|(l, (a, b))| {
            (
                a.saturating_add(s.alone) + if s.group == 0 { *b } else { foreign },
                l,
            )
        })
        .min()
        .unwrap_or((u32::MAX, 0))
}

/// Adds the costs at some positions to each language of a group; what does not depend on the language
/// is returned.
fn walk<const L: usize>(
    group: &Group,
    table: &ByteTable,
    case: &[u8],
    text: &[u8],
    positions: impl Iterator<Item = usize>,
    sums: &mut [u32; 48],
    with_case: bool,
) -> u32 {
    let mut block = [0_u16; L];
    let mut alone = 0_u32;
    let byte = |i: usize, back: usize| -> u8 {
        if i >= back {
            text.get(i - back).copied().unwrap_or(b' ')
        } else {
            b' '
        }
    };
    for i in positions {
        let c = byte(i, 0);
        let b = byte(i, 1);
        let a = byte(i, 2);
        let (cc, cb) = (table.class[usize::from(c)], table.class[usize::from(b)]);
        let ca = table.class[usize::from(a)];
        let ca = if group.is_letter(ca) { ca } else { 0 };
        let (row, more) = group.row::<L>(ca, cb, cc);
        for (sum, cost) in block.iter_mut().zip(row) {
            *sum += u16::from(*cost);
        }
        alone += u32::from(more) + u32::from(table.extra[usize::from(c)]);
        if L == 8 && (c ^ b) >= 0x80 && group.is_mixed(cb, cc) {
            alone += MIXED_WORD;
        }
        if with_case {
            let kind = table.kind[usize::from(c)];
            if kind == 1 || kind == 2 {
                let before = |k: u8| if k == 3 { 0 } else { usize::from(k) };
                let (pp, p) = (
                    before(table.kind[usize::from(a)]),
                    before(table.kind[usize::from(b)]),
                );
                let at = (pp * 3 + p) * 2 + usize::from(kind == 2);
                alone += case.get(at).map_or(0, |c| u32::from(*c));
            }
        }
    }
    for (sum, cost) in sums.iter_mut().zip(block) {
        *sum += u32::from(cost);
    }
    if with_case {
        alone
    } else {
        for sum in sums.iter_mut() {
            *sum += alone;
        }
        0
    }
}

/// The single-byte encodings that are worth a closer look.
fn first_look(m: &Model, text: &[u8]) -> Vec<usize> {
    let mut sums = [0_u32; LOOK_STRIDE];
    let mut block = [0_u16; LOOK_STRIDE];
    let mut seen = 0;
    let mut context = 1;
    for &b in text {
        if b >= 0x80 {
            for (sum, cost) in block.iter_mut().zip(m.look(context, b)) {
                *sum += u16::from(*cost);
            }
            seen += 1;
            if seen == LOOK_BYTES {
                break;
            }
            context = 2;
        } else {
            context = usize::from(!b.is_ascii_alphabetic());
        }
    }
    for (sum, cost) in sums.iter_mut().zip(block) {
        *sum = u32::from(cost);
    }
    let best = sums.iter().take(SINGLES).min().copied().unwrap_or(0);
    let limit = best + LOOK_BEHIND + LOOK_BEHIND_PER_BYTE * seen as u32;
    (0..SINGLES)
        .filter(|e| sums[*e] <= limit || (*e == 0 && seen <= SHORT))
        .collect()
}

/// Costs within the kinds of ASCII characters in East Asian text: letter, digit, space, punctuation.
const ASCII_WITHIN: [u32; 4] = [36, 37, 0, 45];

impl MultiByte {
    /// Scores the next stretch of text. Pairs that are cut by its end are finished in the next.
    fn walk(&mut self, text: &[u8], range: std::ops::Range<usize>) {
        let high = |i: usize| text.get(i).is_some_and(|b| *b >= 0x80);
        for i in range {
            let Some(&b) = text.get(i) else { break };
            if b < 0x80 && self.lead == 0 {
                let near = i > 0 && high(i - 1) || i > 1 && high(i - 2) && text[i - 1] != b' ';
                self.ascii(b, near);
            } else {
                self.step(b);
            }
        }
        if self.errors > 2 + self.pairs / 16 {
            self.cost = u32::MAX / 4;
        }
    }

    /// The end: too many errors for what was read well?
    fn close(&mut self) {
        if self.lead != 0 {
            // The text ends inside a character: no error where others were read well.
            if self.pairs < 2 {
                self.broken();
            } else {
                self.cost += CUT;
            }
        }
        if self.errors > u32::from(self.pairs >= 4) + self.pairs / 16 {
            self.cost = u32::MAX / 4;
        }
    }

    fn add(&mut self, cost: u32, kind: usize) {
        let transition = self
            .transitions
            .get(self.before * KINDS + kind)
            .copied()
            .unwrap_or(255);
        self.cost += cost + u32::from(transition);
        self.before = kind;
    }

    fn broken(&mut self) {
        self.errors += 1;
        self.cost += BROKEN;
        self.lead = 0;
        self.four = 0;
    }

    #[inline]
    fn step(&mut self, b: u8) {
        if self.lead == 0 {
            if b < 0x80 {
                self.ascii(b, true);
            } else {
                self.first(b);
            }
            return;
        }
        let lead = self.lead;
        if self.which == Pairs::GBK && (0x30..=0x39).contains(&b) && self.four == 0 {
            self.four = 1;
            return;
        }
        if self.four > 0 {
            self.four_byte(b);
            return;
        }
        if self.which == Pairs::EUC_JP && lead == 0x8e {
            self.lead = 0;
            if (0xa1..=0xdf).contains(&b) {
                self.pairs += 1;
                self.add(66 + 16, 10);
            } else {
                self.broken();
                self.again(b);
            }
            return;
        }
        if self.which == Pairs::EUC_JP && lead == 0x8f {
            if self.second == 0 {
                if b < 0xa1 {
                    self.broken();
                    self.again(b);
                } else {
                    self.second = b;
                }
                return;
            }
            let first = self.second;
            self.second = 0;
            self.lead = 0;
            match self.extra.pair(first, b) {
                Some((cost, kind)) => {
                    self.pairs += 1;
                    self.add(u32::from(cost) + 48, usize::from(kind));
                }
                None => self.broken(),
            }
            return;
        }
        self.lead = 0;
        if let Some((cost, kind)) = self.table.pair(lead, b) {
            self.pairs += 1;
            self.add(u32::from(cost), usize::from(kind));
        } else {
            self.broken();
            if b < 0x80 {
                self.again(b);
            }
        }
    }

    fn again(&mut self, b: u8) {
        self.second = 0;
        if b < 0x80 {
            self.ascii(b, true);
        } else {
            self.first(b);
        }
    }

    #[inline]
    fn ascii(&mut self, b: u8, near: bool) {
        let kind = match b {
            b'a'..=b'z' | b'A'..=b'Z' => 0,
            b'0'..=b'9' => 1,
            b' ' | b'\n' | b'\r' | b'\t' => 2,
            0x20.. => 3,
            _ => {
                self.cost += CONTROL;
                3
            }
        };
        if near {
            self.add(ASCII_WITHIN[kind], kind);
        } else {
            self.before = kind;
        }
    }

    fn first(&mut self, b: u8) {
        if self.which == Pairs::SHIFT_JIS && (0xa1..=0xdf).contains(&b) {
            self.add(66, 10);
            return;
        }
        if self.which == Pairs::GBK && b == 0x80 {
            self.add(8 * 16, 11);
            return;
        }
        if self.which.can_lead(b) {
            self.lead = b;
        } else {
            self.broken();
        }
    }

    /// The four-byte characters of gb18030: a lead and a digit, twice.
    fn four_byte(&mut self, b: u8) {
        if self.four == 1 {
            if (0x81..=0xfe).contains(&b) {
                self.four = 2;
            } else {
                self.broken();
                self.again(b);
            }
            return;
        }
        self.lead = 0;
        self.four = 0;
        if (0x30..=0x39).contains(&b) {
            self.pairs += 1;
            self.four_bytes += 1;
            self.add(10 * 16, 11);
        } else {
            self.broken();
        }
    }
}
