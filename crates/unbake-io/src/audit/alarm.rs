//! Alarms: absolute ceilings, rises against an earlier run, hosts that changed their encoding.

use std::collections::BTreeMap;

use serde::Serialize;

use super::counts::{Audit, By};
use super::stats::{self, Pair, Test};
use super::tally::{Measure, Tally};

/// When an alarm rings.
#[derive(Clone, Debug, PartialEq)]
pub struct Thresholds {
    /// The probability of any false alarm among the rises of one run, at most.
    pub level: f64,
    /// The smallest rise of a share that rings.
    pub min_rise: f64,
    /// The smallest number of hosts that became worse.
    pub min_hosts: usize,
    /// Ceilings of shares: of one field or of all.
    pub max_rates: Vec<(Option<String>, Measure, f64)>,
    /// The largest share of hosts whose usual encoding, or rule, may change.
    pub max_flips: f64,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            level: 0.01,
            min_rise: 0.001,
            min_hosts: 5,
            max_rates: Vec::new(),
            max_flips: 0.005,
        }
    }
}

/// One question that was asked of a run, and its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// `rise`, `max-rate`, `encoding-flips`, `rule-flips`.
    pub check: &'static str,
    /// The field, where it is about one.
    pub field: Option<String>,
    /// The measure, where it is about one.
    pub measure: Option<&'static str>,
    /// Does it ring?
    pub rings: bool,
    /// The share before.
    pub before: Option<f64>,
    /// The share now.
    pub now: f64,
    /// The limit of a ceiling.
    pub limit: Option<f64>,
    /// How it was tested.
    pub test: Option<&'static str>,
    /// The p-value, after Holm's adjustment.
    pub p: Option<f64>,
    /// How many hosts became worse, or changed.
    pub hosts: usize,
    /// In words.
    pub message: String,
    /// The hosts to look at first.
    pub culprits: Vec<Culprit>,
}

/// A host that became worse, or changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Culprit {
    /// The host.
    pub host: String,
    /// Before: `0 of 12`, `UTF-8 transport`; `absent`.
    pub before: String,
    /// Now.
    pub now: String,
}

/// How many hosts a check names.
const CULPRITS: usize = 10;
/// A host with fewer pages in either run has no usual encoding.
const FEW_PAGES: u64 = 3;

/// Everything that was asked of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Checks {
    /// The checks, in a fixed order.
    pub checks: Vec<Check>,
    /// Population stability index of the encodings against the earlier run: for reports, it never rings.
    pub encoding_stability: Option<f64>,
}

impl Checks {
    /// The checks that ring.
    pub fn ringing(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.rings)
    }
}

/// Asks everything of a run, and of a run against an earlier one.
pub fn check(now: &Audit, baseline: Option<&Audit>, thresholds: &Thresholds) -> Checks {
    let mut checks = ceilings(now, thresholds);
    let mut encoding_stability = None;
    if let Some(before) = baseline {
        checks.extend(rises(before, now, thresholds));
        checks.extend(flips(before, now, thresholds));
        encoding_stability = stability(before, now);
    }
    Checks {
        checks,
        encoding_stability,
    }
}

fn share(x: u64, n: u64) -> f64 {
    if n == 0 { 0.0 } else { x as f64 / n as f64 }
}

fn percent(share: f64) -> String {
    format!("{:.3} %", share * 100.0)
}

fn ceilings(now: &Audit, thresholds: &Thresholds) -> Vec<Check> {
    let mut out = Vec::new();
    for (wanted, measure, limit) in &thresholds.max_rates {
        for (name, field) in &now.all.fields {
            if wanted.as_ref().is_some_and(|wanted| wanted != name) {
                continue;
            }
            let damaged = field.damaged(*measure);
            let rate = share(damaged, field.rows);
            let mut worst: Vec<(u64, &str, u64)> = now
                .by(By::Host)
                .iter()
                .filter_map(|(host, tally)| {
                    let field = tally.fields.get(name)?;
                    Some((field.damaged(*measure), host, field.rows))
                })
                .filter(|(damaged, ..)| *damaged > 0)
                .collect();
            worst.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
            let rings = rate > *limit;
            out.push(Check {
                check: "max-rate",
                field: Some(name.clone()),
                measure: Some(measure.id()),
                rings,
                before: None,
                now: rate,
                limit: Some(*limit),
                test: None,
                p: None,
                hosts: worst.len(),
                message: format!(
                    "`{name}`: {} in {damaged} of {} rows ({}), limit {}",
                    measure.words(),
                    field.rows,
                    percent(rate),
                    percent(*limit),
                ),
                culprits: worst
                    .iter()
                    .take(if rings { CULPRITS } else { 0 })
                    .map(|(damaged, host, rows)| Culprit {
                        host: (*host).to_owned(),
                        before: String::new(),
                        now: format!("{damaged} of {rows}"),
                    })
                    .collect(),
            });
        }
    }
    out
}

/// One host's name and its rows in both runs.
type Host<'a> = (&'a str, Pair);

fn rises(before: &Audit, now: &Audit, thresholds: &Thresholds) -> Vec<Check> {
    let hosts = before.by(By::Host).pairs(now.by(By::Host));
    let mut found = Vec::new();
    for (name, field) in &now.all.fields {
        let Some(old) = before.all.fields.get(name) else {
            continue;
        };
        for measure in Measure::ALL {
            let rows = |tally: Option<&Tally>| {
                let field = tally.and_then(|tally| tally.fields.get(name));
                field.map_or((0, 0), |field| (field.rows, field.damaged(measure)))
            };
            let pairs: Vec<Host<'_>> = hosts
                .iter()
                .map(|(host, before, now)| {
                    let ((n0, x0), (n1, x1)) = (rows(*before), rows(*now));
                    (*host, Pair { n0, x0, n1, x1 })
                })
                .filter(|(_, pair)| pair.n0 > 0 || pair.n1 > 0)
                .collect();
            let units: Vec<Pair> = pairs.iter().map(|(_, pair)| *pair).collect();
            let (p, test) = stats::rise(&units);
            let rates = (
                share(old.damaged(measure), old.rows),
                share(field.damaged(measure), field.rows),
            );
            found.push((name, measure, rates, pairs, p, test));
        }
    }
    let adjusted = stats::holm(&found.iter().map(|found| found.4).collect::<Vec<_>>());
    found
        .into_iter()
        .zip(adjusted)
        .map(|((name, measure, rates, pairs, _, test), p)| {
            rise(name, measure, rates, &pairs, (p, test), thresholds)
        })
        .collect()
}

fn rise(
    name: &str,
    measure: Measure,
    (before, now): (f64, f64),
    hosts: &[Host<'_>],
    (p, test): (f64, Test),
    thresholds: &Thresholds,
) -> Check {
    // Became worse: damaged now, and not before or at less than half the share.
    let mut worse: Vec<&Host<'_>> = hosts
        .iter()
        .filter(|(_, h)| h.x1 > 0 && share(h.x1, h.n1) >= 2.0 * share(h.x0, h.n0))
        .collect();
    worse.sort_by(|(a_name, a), (b_name, b)| {
        // Hosts of both runs first: they are the proof.
        let key = |h: &Pair| (h.n0 == 0, std::cmp::Reverse(h.x1));
        key(a).cmp(&key(b)).then(a_name.cmp(b_name))
    });
    let rings = test != Test::None
        && p < thresholds.level
        && now - before >= thresholds.min_rise
        && worse.len() >= thresholds.min_hosts;
    let tested = match test {
        Test::None => "not tested: fewer than 2 hosts in a run".to_owned(),
        _ => format!("p {p:.2e} ({})", test.id()),
    };
    let rows = |x: u64, n: u64| {
        if n == 0 {
            "absent".to_owned()
        } else {
            format!("{x} of {n}")
        }
    };
    Check {
        check: "rise",
        field: Some(name.to_owned()),
        measure: Some(measure.id()),
        rings,
        before: Some(before),
        now,
        limit: None,
        test: Some(test.id()),
        p: Some(p),
        hosts: worse.len(),
        message: format!(
            "`{name}`: {} {} before, {} now; {tested}; {} hosts worse",
            measure.words(),
            percent(before),
            percent(now),
            worse.len(),
        ),
        culprits: worse
            .iter()
            .take(if rings { CULPRITS } else { 0 })
            .map(|(host, h)| Culprit {
                host: (*host).to_owned(),
                before: rows(h.x0, h.n0),
                now: rows(h.x1, h.n1),
            })
            .collect(),
    }
}

/// The value of more than half of the pages.
fn majority<'a>(counts: &BTreeMap<&'a str, u64>, pages: u64) -> Option<&'a str> {
    counts
        .iter()
        .find(|(_, n)| **n * 2 > pages)
        .map(|(value, _)| *value)
}

fn flips(before: &Audit, now: &Audit, thresholds: &Thresholds) -> Vec<Check> {
    let (mut judged, mut encodings, mut rules) = (0, Vec::new(), Vec::new());
    for (host, old, new) in before.by(By::Host).pairs(now.by(By::Host)) {
        let (Some(old), Some(new)) = (old, new) else {
            continue;
        };
        if old.pages < FEW_PAGES || new.pages < FEW_PAGES || host == super::page::NONE {
            continue;
        }
        let encoding = (
            majority(&old.encodings(), old.pages),
            majority(&new.encodings(), new.pages),
        );
        let rule = (
            majority(&old.rules(), old.pages),
            majority(&new.rules(), new.pages),
        );
        let ((Some(from), Some(to)), (by, now_by)) = (encoding, rule) else {
            continue;
        };
        judged += 1;
        let usual = |encoding: &str, rule: Option<&str>| {
            format!("{encoding} by {}", rule.unwrap_or("several rules"))
        };
        let culprit = || Culprit {
            host: host.to_owned(),
            before: usual(from, by),
            now: usual(to, now_by),
        };
        if from != to {
            encodings.push((new.pages, culprit()));
        } else if by != now_by && by.is_some() && now_by.is_some() {
            rules.push((new.pages, culprit()));
        }
    }
    if judged == 0 {
        return Vec::new();
    }
    [
        ("encoding-flips", "encoding", encodings),
        ("rule-flips", "rule", rules),
    ]
    .into_iter()
    .map(|(check, what, mut flipped)| {
        flipped.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.host.cmp(&b.1.host)));
        let rate = share(flipped.len() as u64, judged);
        Check {
            check,
            field: None,
            measure: None,
            rings: rate > thresholds.max_flips,
            before: None,
            now: rate,
            limit: Some(thresholds.max_flips),
            test: None,
            p: None,
            hosts: flipped.len(),
            message: format!(
                "{} of {judged} hosts changed their usual {what} ({}), limit {}",
                flipped.len(),
                percent(rate),
                percent(thresholds.max_flips),
            ),
            culprits: flipped
                .into_iter()
                .take(CULPRITS)
                .map(|(_, culprit)| culprit)
                .collect(),
        }
    })
    .collect()
}

fn stability(before: &Audit, now: &Audit) -> Option<f64> {
    let (old, new) = (before.all.encodings(), now.all.encodings());
    let names: std::collections::BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let count = |counts: &BTreeMap<&str, u64>, name: &str| counts.get(name).copied().unwrap_or(0);
    let cells: Vec<(u64, u64)> = names
        .iter()
        .map(|name| (count(&old, name), count(&new, name)))
        .collect();
    (before.all.pages > 0 && now.all.pages > 0 && !cells.is_empty())
        .then(|| stats::stability_index(&cells))
}
