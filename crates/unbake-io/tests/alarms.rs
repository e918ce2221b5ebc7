//! The alarms of the audit: what rings, what does not, and how often they ring falsely.
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)] // a simulation has figures to tell

mod common;

use std::fmt::Write as _;

use common::{UTF_8, seen};
use unbake_io::audit::{
    self, Audit, HOST_CAP, Measure, Pair, Thresholds, clusters, independent_rows,
};
use unbake_io::generate::Random;

/// Pages of many hosts; `broken` tells how many of a host's pages are malformed.
fn hosts(n: usize, pages: impl Fn(usize) -> usize, broken: impl Fn(usize) -> usize) -> Audit {
    let mut audit = Audit::new(String::new(), HOST_CAP);
    for host in 0..n {
        for page in 0..pages(host) {
            let body: &[u8] = if page < broken(host) {
                b"caf\xE9"
            } else {
                b"caf\xC3\xA9"
            };
            audit.add(seen(&format!("h{host}.example"), body, UTF_8));
        }
    }
    audit
}

fn draw(
    random: &mut Random,
    hosts: usize,
    pages: u64,
    rate: f64,
    correlation: f64,
) -> Vec<(u64, u64)> {
    let uniform = |random: &mut Random| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    (0..hosts)
        .map(|_| {
            // Hosts differ in size: a geometric distribution with this mean.
            let size =
                1.0 + ((1.0 - uniform(random)).ln() / (1.0 - 1.0 / pages as f64).ln()).floor();
            let pages = size as u64;
            // Polya's urn: the same as drawing from a beta distribution first.
            let strength = (1.0 - correlation) / correlation;
            let (mut damaged, mut drawn) = (0, 0);
            for _ in 0..pages {
                let p = (rate * strength + damaged as f64) / (strength + f64::from(drawn));
                damaged += u64::from(uniform(random) < p);
                drawn += 1;
            }
            (pages, damaged)
        })
        .collect()
}

/// How often the two tests ring at 1 %, in per cent: by rows, by hosts.
fn rings(
    seed: u64,
    hosts: usize,
    pages: u64,
    rate: f64,
    correlation: f64,
    times: f64,
) -> (f64, f64) {
    let mut random = Random::new(seed);
    let runs = 400;
    let (mut by_rows, mut by_hosts) = (0, 0);
    for _ in 0..runs {
        let before = draw(&mut random, hosts, pages, rate, correlation);
        let now = draw(&mut random, hosts, pages, rate * times, correlation);
        // Other hosts in each run, as in the published simulation.
        let mut pairs: Vec<Pair> = before
            .iter()
            .map(|(n, x)| Pair {
                n0: *n,
                x0: *x,
                ..Pair::default()
            })
            .collect();
        pairs.extend(now.iter().map(|(n, x)| Pair {
            n1: *n,
            x1: *x,
            ..Pair::default()
        }));
        by_rows += u32::from(independent_rows(&pairs) < 0.01);
        by_hosts += u32::from(clusters(&pairs) < 0.01);
    }
    (f64::from(by_rows) / 4.0, f64::from(by_hosts) / 4.0)
}

#[test]
fn rows_ring_falsely_where_errors_cluster_and_hosts_do_not() {
    let mut table = String::new();
    let mut power = Vec::new();
    // Hosts, pages a host, rate, correlation; the least that the test by rows rings falsely.
    for (hosts, pages, rate, correlation, false_by_rows) in [
        (200, 10, 0.01, 0.001, 0.0),
        (200, 10, 0.01, 0.1, 5.0),
        (200, 10, 0.01, 0.5, 10.0),
        (1000, 10, 0.01, 0.3, 12.0),
        (1000, 50, 0.01, 0.3, 25.0),
    ] {
        let (rows, clustered) = rings(42, hosts, pages, rate, correlation, 1.0);
        let (_, twice) = rings(43, hosts, pages, rate, correlation, 2.0);
        let (_, thrice) = rings(44, hosts, pages, rate, correlation, 3.0);
        let _infallible = writeln!(
            table,
            "{hosts} x {pages}, {rate}, {correlation}: rows {rows} %, hosts {clustered} %, power {twice} {thrice}"
        );
        assert!(rows >= false_by_rows, "{table}");
        assert!(clustered <= 2.75, "{table}");
        power.push((twice, thrice));
    }
    println!("{table}");
    // Where errors do not cluster, a doubling is mostly found and a trebling nearly always.
    assert!(power[0].0 > 50.0 && power[0].1 > 95.0, "{table}");
    assert!(power[3].1 > 80.0 && power[4].1 > 80.0, "{table}");
}

#[test]
fn whole_checks_ring_rarely_where_nothing_changed() {
    // The same hosts in both runs, errors clustered, every field and measure of a run asked at once.
    let mut random = Random::new(7);
    let mut rang = 0;
    for _ in 0..60 {
        let one = |random: &mut Random| {
            let counts = draw(random, 120, 5, 0.03, 0.2);
            hosts(
                120,
                |host| counts[host].0 as usize,
                |host| counts[host].1 as usize,
            )
        };
        let (before, now) = (one(&mut random), one(&mut random));
        let checks = audit::check(&now, Some(&before), &Thresholds::default());
        rang += u32::from(checks.ringing().any(|check| check.check == "rise"));
    }
    assert!(rang <= 3, "{rang} of 60");
}

#[test]
fn a_rise_names_its_hosts() {
    let before = hosts(60, |_| 4, |host| usize::from(host == 1));
    let now = hosts(
        60,
        |_| 4,
        |host| {
            if host >= 40 {
                4
            } else {
                usize::from(host == 1)
            }
        },
    );
    let checks = audit::check(&now, Some(&before), &Thresholds::default());
    let rise: Vec<_> = checks
        .ringing()
        .filter(|check| check.check == "rise")
        .collect();
    assert_eq!(rise.len(), 1, "{checks:#?}");
    assert_eq!((rise[0].measure, rise[0].hosts), (Some("made"), 20));
    assert_eq!(
        (
            rise[0].culprits[0].before.as_str(),
            rise[0].culprits[0].now.as_str()
        ),
        ("0 of 4", "4 of 4")
    );
    // The same run is no alarm, and neither is a change for the better.
    for (now, before) in [(&now, &now), (&before, &now)] {
        assert_eq!(
            audit::check(now, Some(before), &Thresholds::default())
                .ringing()
                .count(),
            0
        );
    }
    // The floor: too few hosts, or too small a rise.
    for thresholds in [
        Thresholds {
            min_hosts: 21,
            ..Thresholds::default()
        },
        Thresholds {
            min_rise: 0.9,
            ..Thresholds::default()
        },
    ] {
        assert_eq!(
            audit::check(&now, Some(&before), &thresholds)
                .ringing()
                .count(),
            0
        );
    }
}

#[test]
fn a_ceiling_and_a_flip_ring() {
    let mut now = Audit::new(String::new(), HOST_CAP);
    let mut before = Audit::new(String::new(), HOST_CAP);
    for host in 0..20 {
        for _ in 0..4 {
            let name = format!("h{host}.example");
            before.add(seen(&name, b"caf\xC3\xA9", UTF_8));
            // A proxy adds a header: no U+FFFD ever shows it.
            let header = if host < 3 {
                "text/html; charset=iso-8859-1"
            } else {
                UTF_8
            };
            now.add(seen(&name, b"caf\xC3\xA9", header));
        }
    }
    let checks = audit::check(&now, Some(&before), &Thresholds::default());
    let names: Vec<&str> = checks.ringing().map(|check| check.check).collect();
    assert_eq!(names, ["encoding-flips"]);
    let flip = checks.ringing().next().unwrap();
    assert_eq!(flip.culprits[0].before, "UTF-8 by transport");
    assert_eq!(flip.culprits[0].now, "windows-1252 by transport");
    assert_eq!(flip.hosts, 3);
    let all_bad = hosts(1, |_| 4, |_| 4);
    let limit = |rate| Thresholds {
        max_rates: vec![(None, Measure::Made, rate)],
        ..Thresholds::default()
    };
    assert_eq!(
        audit::check(&all_bad, None, &limit(0.99)).ringing().count(),
        1
    );
    assert_eq!(
        audit::check(&all_bad, None, &limit(1.0)).ringing().count(),
        0
    );
    // One host in each run can not be tested, and that is said.
    let checks = audit::check(
        &all_bad,
        Some(&hosts(1, |_| 4, |_| 0)),
        &Thresholds::default(),
    );
    assert_eq!(
        checks
            .ringing()
            .filter(|check| check.check == "rise")
            .count(),
        0
    );
    assert!(
        checks
            .checks
            .iter()
            .any(|check| check.message.contains("not tested"))
    );
}
