//! [`Audit`]: everything that is counted in one run. Parts can be merged; the order does not matter.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::groups::Groups;
use super::page::{FITS, NONE, Seen};
use super::tally::{Example, Problem, Tally};
use crate::error::{Error, Kind};
use crate::row::ErrorRow;

/// The shape of the JSON.
pub const SCHEMA: &str = "unbake-audit/1";

/// What pages are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum By {
    /// Top-level domain of the URL.
    Tld,
    /// Host of the URL.
    Host,
    /// Language of the root element.
    Lang,
    /// Label of the first declaration.
    Declared,
    /// Decided encoding.
    Encoding,
    /// Rule that decided.
    Rule,
    /// Day of the fetch.
    Day,
    /// Label, wherever it was written.
    Label,
}

impl By {
    /// All, in the order of their declaration.
    pub const ALL: [By; 8] = [
        By::Tld,
        By::Host,
        By::Lang,
        By::Declared,
        By::Encoding,
        By::Rule,
        By::Day,
        By::Label,
    ];

    /// The name in options and metrics.
    pub fn id(self) -> &'static str {
        match self {
            By::Tld => "tld",
            By::Host => "host",
            By::Lang => "lang",
            By::Declared => "declared",
            By::Encoding => "encoding",
            By::Rule => "rule",
            By::Day => "day",
            By::Label => "label",
        }
    }

    /// The group of that name.
    pub fn from_id(id: &str) -> Option<By> {
        By::ALL.into_iter().find(|by| by.id() == id)
    }
}

/// How many values of a group are kept, hosts apart.
const GROUP_CAP: usize = 2000;
/// How many hosts are kept unless it is said otherwise.
pub const HOST_CAP: usize = 50_000;
/// How many examples of a problem are kept for the whole run.
const POOL: usize = 6;
/// How many errors are kept with their place.
const LOST: usize = 20;

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lost {
    /// The file.
    pub file: String,
    /// Where.
    ///
    /// # Units
    /// Bytes of the file as it is stored.
    pub at: Option<u64>,
    /// The kind of error.
    pub kind: String,
    /// What went wrong.
    pub message: String,
}

/// The counts of one run, or of several merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audit {
    /// The settings under which pages were decoded.
    pub settings: String,
    /// The versions of the program.
    pub unbake: BTreeSet<String>,
    /// How many inputs were read.
    pub inputs: u64,
    /// All pages or rows.
    pub all: Tally,
    /// The groups.
    pub groups: BTreeMap<String, Groups>,
    /// `transport UTF-8 over meta windows-1252`: how often the bytes fit the winner, the loser, either, neither.
    pub conflicts: BTreeMap<String, [u64; FITS.len()]>,
    /// Errors by kind.
    pub errors: BTreeMap<String, u64>,
    /// Records of other types, by type.
    pub skipped: BTreeMap<String, u64>,
    /// The first errors, by file and place.
    pub lost: Vec<Lost>,
    /// Examples: a random choice by the digest of the page's name.
    pub examples: BTreeMap<Problem, Vec<Example>>,
}

impl Audit {
    /// Nothing counted yet. `host_cap` bounds the number of hosts that are kept.
    pub fn new(settings: String, host_cap: usize) -> Audit {
        let groups = By::ALL.iter().map(|by| {
            let cap = if *by == By::Host {
                host_cap.max(1)
            } else {
                GROUP_CAP
            };
            (by.id().to_owned(), Groups::new(cap))
        });
        Audit {
            settings,
            unbake: BTreeSet::from([env!("CARGO_PKG_VERSION").to_owned()]),
            inputs: 0,
            all: Tally::default(),
            groups: groups.collect(),
            conflicts: BTreeMap::new(),
            errors: BTreeMap::new(),
            skipped: BTreeMap::new(),
            lost: Vec::new(),
            examples: BTreeMap::new(),
        }
    }

    /// The groups of one kind.
    pub fn by(&self, by: By) -> &Groups {
        static EMPTY: std::sync::LazyLock<Groups> = std::sync::LazyLock::new(|| Groups::new(0));
        self.groups.get(by.id()).unwrap_or(&EMPTY)
    }

    /// Adds one page or row.
    pub fn add(&mut self, seen: Seen) {
        let Seen {
            mut tally,
            host,
            tld,
            lang,
            declared,
            encoding,
            rule,
            day,
            labels,
            conflicts,
            is_page,
        } = seen;
        let examples = std::mem::take(&mut tally.examples);
        for (by, value) in [
            (By::Tld, tld.as_deref().or(Some(NONE))),
            (By::Lang, lang.as_deref().or(Some(NONE))),
            (By::Declared, declared.as_deref().or(Some(NONE))),
            (By::Encoding, Some(encoding)),
            (By::Rule, Some(rule)),
            (By::Day, day.as_deref()),
        ] {
            let wanted = value.filter(|_| is_page);
            if let (Some(value), Some(groups)) = (wanted, self.groups.get_mut(by.id())) {
                groups.add(value, &tally);
                groups.show(value, examples.iter());
            }
        }
        if let Some(groups) = self.groups.get_mut(By::Host.id()) {
            let host = host.as_deref().unwrap_or(NONE);
            groups.add(host, &tally);
            groups.show(host, examples.iter().take(1));
        }
        if let Some(groups) = self.groups.get_mut(By::Label.id()) {
            for (label, means) in labels {
                let mut counted = Tally {
                    pages: 1,
                    ..Tally::default()
                };
                counted.settled.insert(means.to_owned(), 1);
                groups.add(&label, &counted);
            }
        }
        for (pair, fits) in conflicts {
            let counts = self.conflicts.entry(pair).or_default();
            if let Some(count) = counts.get_mut(fits) {
                *count += 1;
            }
        }
        self.all.add(&tally);
        for (problem, example) in examples {
            pool(self.examples.entry(problem).or_default(), example);
        }
    }

    /// Adds something that could not be read.
    pub fn add_error(&mut self, error: &ErrorRow, file: &str) {
        *self.errors.entry(error.error.kind.to_owned()).or_default() += 1;
        self.lost.push(Lost {
            file: file.to_owned(),
            at: error.error.at,
            kind: error.error.kind.to_owned(),
            message: error.error.message.clone(),
        });
        self.lost.sort();
        self.lost.truncate(LOST);
    }

    /// Adds a record that holds no page.
    pub fn add_skipped(&mut self, kind: &str) {
        match self.skipped.get_mut(kind) {
            Some(n) => *n += 1,
            None => {
                self.skipped.insert(kind.to_owned(), 1);
            }
        }
    }

    /// Adds the counts of another part.
    ///
    /// # Errors
    /// The parts were made under different settings: their counts do not mean the same.
    pub fn merge(&mut self, other: &Audit) -> Result<(), Error> {
        if self.settings != other.settings {
            let message = format!(
                "the parts were made under different settings: `{}` and `{}`",
                self.settings, other.settings
            );
            return Err(
                Error::new(Kind::Schema, message).with_hint("audit both with the same options")
            );
        }
        self.unbake.extend(other.unbake.iter().cloned());
        self.inputs += other.inputs;
        self.all.add(&other.all);
        for (by, groups) in &other.groups {
            match self.groups.get_mut(by) {
                Some(sum) => sum.merge(groups),
                None => {
                    self.groups.insert(by.clone(), groups.clone());
                }
            }
        }
        for (pair, counts) in &other.conflicts {
            let sums = self.conflicts.entry(pair.clone()).or_default();
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        for (kind, n) in &other.errors {
            *self.errors.entry(kind.clone()).or_default() += n;
        }
        for (kind, n) in &other.skipped {
            *self.skipped.entry(kind.clone()).or_default() += n;
        }
        self.lost.extend(other.lost.iter().cloned());
        self.lost.sort();
        self.lost.truncate(LOST);
        for (problem, examples) in &other.examples {
            let known = self.examples.entry(*problem).or_default();
            for example in examples {
                pool(known, example.clone());
            }
        }
        Ok(())
    }

    /// The counts in a document of JSON that [`Audit::from_json`] reads.
    pub fn to_json(&self) -> Value {
        let counts = serde_json::to_value(self).unwrap_or_default();
        serde_json::json!({ "schema": SCHEMA, "counts": counts })
    }

    /// Reads the counts of an earlier run.
    ///
    /// # Errors
    /// It is no JSON, or of another schema.
    pub fn from_json(bytes: &[u8], name: &str) -> Result<Audit, Error> {
        let wrong = |message: String| Error::new(Kind::Schema, message).with_path(name);
        let value: Value =
            serde_json::from_slice(bytes).map_err(|e| wrong(format!("it is no JSON: {e}")))?;
        match value.get("schema").and_then(Value::as_str) {
            Some(SCHEMA) => {}
            Some(other) => {
                let short: String = other.chars().take(60).collect();
                return Err(wrong(format!("its schema is `{short}`, not `{SCHEMA}`"))
                    .with_hint("make it again with this version: `unbake audit --json`"));
            }
            None => {
                return Err(wrong("it is no audit: there is no `schema`".to_owned())
                    .with_hint("`unbake audit --json INPUT > FILE` writes one"));
            }
        }
        let counts = value.get("counts").cloned().unwrap_or_default();
        let mut audit: Audit = serde_json::from_value(counts)
            .map_err(|e| wrong(format!("its counts do not have the right shape: {e}")))?;
        for examples in audit.examples.values_mut() {
            for example in std::mem::take(examples) {
                pool(examples, example);
            }
        }
        Ok(audit)
    }
}

/// Keeps the examples whose names have the smallest digests: a choice that depends on no order.
fn pool(known: &mut Vec<Example>, example: Example) {
    let key = |example: &Example| Sha256::digest(example.page.as_bytes());
    let digest = key(&example);
    let place = known.partition_point(|known| (key(known), known) <= (digest, &example));
    if place < POOL {
        known.insert(place, example);
        known.truncate(POOL);
    }
}
