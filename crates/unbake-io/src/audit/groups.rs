//! [`Groups`]: tallies by the value of something, in bounded memory.
//!
//! Hosts and labels come from strangers and have no end. Past the cap, only the values with the smallest
//! digests are kept: a random sample of the values, each with all of its pages. Whatever the order in which
//! parts are added, the same values stay, so merged parts equal the whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tally::{Example, Problem, Tally};

/// Tallies by value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Groups {
    cap: usize,
    /// A value was left out.
    sampled: bool,
    by_digest: BTreeMap<u64, (String, Tally)>,
}

/// The form in JSON: by value, so that people can read it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    cap: usize,
    sampled: bool,
    values: BTreeMap<String, Tally>,
}

impl From<Stored> for Groups {
    fn from(stored: Stored) -> Groups {
        let mut groups = Groups::new(stored.cap);
        groups.sampled = stored.sampled;
        for (value, tally) in stored.values {
            groups.by_digest.insert(digest(&value), (value, tally));
        }
        groups.trim();
        groups
    }
}

impl From<Groups> for Stored {
    fn from(groups: Groups) -> Stored {
        Stored {
            cap: groups.cap,
            sampled: groups.sampled,
            values: groups.by_digest.into_values().collect(),
        }
    }
}

fn digest(value: &str) -> u64 {
    let digest = Sha256::digest(value.as_bytes());
    digest
        .iter()
        .take(8)
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

impl Groups {
    /// At most `cap` values.
    pub fn new(cap: usize) -> Groups {
        Groups {
            cap,
            sampled: false,
            by_digest: BTreeMap::new(),
        }
    }

    /// Adds to the tally of a value, if the value is among those that are kept.
    pub fn add(&mut self, value: &str, tally: &Tally) {
        let digest = digest(value);
        if let Some((_, sum)) = self.by_digest.get_mut(&digest) {
            sum.add(tally);
            return;
        }
        if self.by_digest.len() >= self.cap
            && self
                .by_digest
                .last_key_value()
                .is_none_or(|(last, _)| digest > *last)
        {
            self.sampled = true;
            return;
        }
        self.by_digest
            .insert(digest, (value.to_owned(), tally.clone()));
        self.trim();
    }

    /// Adds examples to a value that is kept.
    pub fn show<'e>(
        &mut self,
        value: &str,
        examples: impl Iterator<Item = (&'e Problem, &'e Example)>,
    ) {
        if let Some((_, tally)) = self.by_digest.get_mut(&digest(value)) {
            examples.for_each(|(problem, example)| tally.show(*problem, example));
        }
    }

    fn trim(&mut self) {
        while self.by_digest.len() > self.cap {
            self.by_digest.pop_last();
            self.sampled = true;
        }
    }

    /// Adds the groups of another part. The smaller cap holds for both.
    pub fn merge(&mut self, other: &Groups) {
        self.cap = self.cap.min(other.cap);
        self.trim();
        for (value, tally) in other.by_digest.values() {
            self.add(value, tally);
        }
        self.sampled |= other.sampled;
    }

    /// Were there more values than are kept?
    pub fn is_sampled(&self) -> bool {
        self.sampled
    }

    /// How many values there were: exact, or an estimate from the largest digest that was kept.
    pub fn estimated_values(&self) -> u64 {
        let kept = self.by_digest.len();
        match self.by_digest.last_key_value() {
            Some((last, _)) if self.sampled && kept > 1 => {
                ((kept - 1) as f64 * (u64::MAX as f64 / *last as f64)) as u64
            }
            _ => kept as u64,
        }
    }

    /// How many values are kept.
    pub fn len(&self) -> usize {
        self.by_digest.len()
    }

    /// No value at all.
    pub fn is_empty(&self) -> bool {
        self.by_digest.is_empty()
    }

    /// Hosts of two runs side by side, as far as both runs keep them. Where a run keeps a sample, only the
    /// values that are in the samples of both, or would be, are comparable.
    pub fn pairs<'a>(
        &'a self,
        now: &'a Groups,
    ) -> Vec<(&'a str, Option<&'a Tally>, Option<&'a Tally>)> {
        let limit = |groups: &Groups| match groups.by_digest.last_key_value() {
            Some((last, _)) if groups.sampled => *last,
            _ => u64::MAX,
        };
        let limit = limit(self).min(limit(now));
        let digests: std::collections::BTreeSet<u64> = self
            .by_digest
            .keys()
            .chain(now.by_digest.keys())
            .copied()
            .filter(|d| *d <= limit)
            .collect();
        digests
            .into_iter()
            .filter_map(|digest| {
                let (before, now) = (self.by_digest.get(&digest), now.by_digest.get(&digest));
                let value = now.or(before).map(|(value, _)| value.as_str())?;
                Some((
                    value,
                    before.map(|(_, tally)| tally),
                    now.map(|(_, tally)| tally),
                ))
            })
            .collect()
    }

    /// The tally of a value, if it is kept.
    pub fn get(&self, value: &str) -> Option<&Tally> {
        self.by_digest
            .get(&digest(value))
            .filter(|(known, _)| known == value)
            .map(|(_, tally)| tally)
    }

    /// Every value that is kept, in the order of its digest.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tally)> {
        self.by_digest
            .values()
            .map(|(value, tally)| (value.as_str(), tally))
    }

    /// The values with the most of something, most first, then by name; values with none left out.
    pub fn most(&self, limit: usize, of: impl Fn(&Tally) -> u64) -> Vec<(&str, &Tally)> {
        let mut all: Vec<(&str, &Tally)> = self.iter().filter(|(_, tally)| of(tally) > 0).collect();
        all.sort_by(|a, b| of(b.1).cmp(&of(a.1)).then(a.0.cmp(b.0)));
        all.truncate(limit);
        all
    }
}
