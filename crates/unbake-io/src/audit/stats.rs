//! The statistics of shares and of their change. Errors cluster by host, so hosts are the units.

/// The upper tail of the standard normal distribution.
///
/// Complementary error function by W. J. Cody's idea in the form of Numerical Recipes' Chebyshev fit; the
/// relative error is below 2e-7 everywhere.
pub fn normal_upper(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * x);
    let poly = [
        0.170_872_77,
        -0.822_152_23,
        1.488_515_87,
        -1.135_203_98,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_68,
    ]
    .iter()
    .fold(0.0, |sum, coefficient| sum * t + coefficient)
        * t
        - 1.265_512_23;
    let erfc = t * (-x * x + poly).exp();
    if z >= 0.0 {
        0.5 * erfc
    } else {
        1.0 - 0.5 * erfc
    }
}

/// Wilson's interval for `x` of `n`, at 95 %.
///
/// It takes the pages as independent; where hosts cluster it is too narrow, and only a rough guide.
pub fn wilson(x: u64, n: u64) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    let (z, x, n) = (1.959_964, x as f64, n as f64);
    let p = x / n;
    let centre = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (
        ((centre - half) / scale).max(0.0),
        ((centre + half) / scale).min(1.0),
    )
}

/// One host in both runs: rows and rows with the damage, before and now. A host that is absent has no rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// Rows before.
    pub n0: u64,
    /// Damaged rows before.
    pub x0: u64,
    /// Rows now.
    pub n1: u64,
    /// Damaged rows now.
    pub x1: u64,
}

/// How a rise was tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Difference of rates with cluster-robust variance.
    Clusters,
    /// McNemar's exact test on hosts present in both runs.
    McNemar,
    /// Fisher's exact test on the share of hosts with damage.
    Fisher,
    /// Too few hosts for any test.
    None,
}

impl Test {
    /// The name in reports.
    pub fn id(self) -> &'static str {
        match self {
            Test::Clusters => "clusters",
            Test::McNemar => "mcnemar",
            Test::Fisher => "fisher",
            Test::None => "none",
        }
    }
}

/// Below this number of hosts in either run, hosts are counted instead of rows.
pub const FEW_HOSTS: usize = 30;

/// One-sided p-value of "the rate has not risen", and the test it comes from.
///
/// The test is chosen by the numbers of hosts alone, never by their damage: else the level would not hold.
pub fn rise(hosts: &[Pair]) -> (f64, Test) {
    let before = hosts.iter().filter(|h| h.n0 > 0).count();
    let now = hosts.iter().filter(|h| h.n1 > 0).count();
    let both = hosts.iter().filter(|h| h.n0 > 0 && h.n1 > 0).count();
    if before < 2 || now < 2 {
        (1.0, Test::None)
    } else if before >= FEW_HOSTS && now >= FEW_HOSTS {
        (clusters(hosts), Test::Clusters)
    } else if both * 5 >= before.max(now) * 4 {
        (mc_nemar(hosts), Test::McNemar)
    } else {
        (fisher(hosts, before, now), Test::Fisher)
    }
}

/// Difference of two rates over hosts. The variance is that of the sum of the hosts' own contributions,
/// so that a host in both runs counts once, with whatever correlation its two values have.
pub fn clusters(hosts: &[Pair]) -> f64 {
    let sum = |f: fn(&Pair) -> u64| hosts.iter().map(f).sum::<u64>() as f64;
    let (n0, x0, n1, x1) = (sum(|h| h.n0), sum(|h| h.x0), sum(|h| h.n1), sum(|h| h.x1));
    if n0 == 0.0 || n1 == 0.0 {
        return 1.0;
    }
    let (p0, p1) = (x0 / n0, x1 / n1);
    let squares: f64 = hosts
        .iter()
        .map(|h| {
            let now = (h.x1 as f64 - p1 * h.n1 as f64) / n1;
            let before = (h.x0 as f64 - p0 * h.n0 as f64) / n0;
            (now - before) * (now - before)
        })
        .sum();
    let hosts = hosts.len() as f64;
    let variance = squares * hosts / (hosts - 1.0).max(1.0);
    if variance > 0.0 {
        normal_upper((p1 - p0) / variance.sqrt())
    } else if p1 > p0 {
        // Every row of every host changed in the same way.
        0.0
    } else {
        1.0
    }
}

/// The share of rows before and now, as independent rows: for comparison alone, it rings falsely where hosts cluster.
pub fn independent_rows(hosts: &[Pair]) -> f64 {
    let sum = |f: fn(&Pair) -> u64| hosts.iter().map(f).sum::<u64>() as f64;
    let (n0, x0, n1, x1) = (sum(|h| h.n0), sum(|h| h.x0), sum(|h| h.n1), sum(|h| h.x1));
    let pooled = (x0 + x1) / (n0 + n1);
    let variance = pooled * (1.0 - pooled) * (1.0 / n0 + 1.0 / n1);
    if variance > 0.0 {
        normal_upper((x1 / n1 - x0 / n0) / variance.sqrt())
    } else {
        1.0
    }
}

/// Hosts that broke against hosts that healed: under "no change" each is as likely.
fn mc_nemar(hosts: &[Pair]) -> f64 {
    let both = || hosts.iter().filter(|h| h.n0 > 0 && h.n1 > 0);
    let broke = both().filter(|h| h.x0 == 0 && h.x1 > 0).count() as u64;
    let healed = both().filter(|h| h.x0 > 0 && h.x1 == 0).count() as u64;
    let n = broke + healed;
    let tail: f64 = (broke..=n)
        .map(|k| (ln_choose(n, k) - n as f64 * std::f64::consts::LN_2).exp())
        .sum();
    tail.min(1.0)
}

/// Hosts with damage, before and now: the hypergeometric tail.
fn fisher(hosts: &[Pair], before: usize, now: usize) -> f64 {
    let broken0 = hosts.iter().filter(|h| h.x0 > 0).count() as u64;
    let broken1 = hosts.iter().filter(|h| h.x1 > 0).count() as u64;
    let (before, now, broken) = (before as u64, now as u64, broken0 + broken1);
    let tail: f64 = (broken1..=broken.min(now))
        .filter(|k| broken - k <= before)
        .map(|k| {
            (ln_choose(now, k) + ln_choose(before, broken - k) - ln_choose(before + now, broken))
                .exp()
        })
        .sum();
    tail.min(1.0)
}

/// The logarithm of n over k.
fn ln_choose(n: u64, k: u64) -> f64 {
    let ln_factorial = |n: u64| (2..=n).map(|i| (i as f64).ln()).sum::<f64>();
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// Holm's adjustment: p-values that can be compared with the level of the whole family.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    let value = |index: &usize| p.get(*index).copied().unwrap_or(1.0);
    order.sort_by(|a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
    let mut adjusted = vec![1.0; p.len()];
    let mut highest: f64 = 0.0;
    for (rank, index) in order.iter().enumerate() {
        highest = highest.max(value(index) * (p.len() - rank) as f64).min(1.0);
        if let Some(slot) = adjusted.get_mut(*index) {
            *slot = highest;
        }
    }
    adjusted
}

/// Population stability index of two histograms: below 0.1 is calm, above 0.25 is another population. For
/// reports alone. Cells are smoothed by half a page.
pub(super) fn stability_index(cells: &[(u64, u64)]) -> f64 {
    let total = |f: fn(&(u64, u64)) -> u64| {
        cells.iter().map(f).sum::<u64>() as f64 + 0.5 * cells.len() as f64
    };
    let (all0, all1) = (total(|c| c.0), total(|c| c.1));
    cells
        .iter()
        .map(|(c0, c1)| {
            let (s0, s1) = ((*c0 as f64 + 0.5) / all0, (*c1 as f64 + 0.5) / all1);
            (s1 - s0) * (s1 / s0).ln()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-5
    }

    #[test]
    fn tails_and_intervals() {
        assert!(near(normal_upper(0.0), 0.5));
        assert!(near(normal_upper(1.644_854), 0.05));
        assert!(near(normal_upper(-1.644_854), 0.95));
        assert!((normal_upper(5.0) / 2.866_516e-7 - 1.0).abs() < 1e-4);
        // Wilson, 1927: 10 of 100.
        let (low, high) = wilson(10, 100);
        assert!(
            near(low, 0.055_229) && near(high, 0.174_366),
            "{low} {high}"
        );
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn exact_tests() {
        let host = |n0, x0, n1, x1| Pair { n0, x0, n1, x1 };
        // Eight hosts broke, none healed: 2^-8.
        let broke = vec![host(10, 0, 10, 1); 8];
        assert_eq!(rise(&broke).1, Test::McNemar);
        assert!(near(rise(&broke).0, 1.0 / 256.0));
        // The lady tasting tea, four of four: 1 in 70.
        let mut tea = vec![host(1, 0, 0, 0); 4];
        tea.extend(vec![host(0, 0, 1, 1); 4]);
        assert_eq!(rise(&tea).1, Test::Fisher);
        assert!(near(rise(&tea).0, 1.0 / 70.0));
        assert_eq!(rise(&[host(10, 0, 10, 10)]), (1.0, Test::None));
        assert_eq!(rise(&[]), (1.0, Test::None));
    }

    #[test]
    fn holm_of_a_textbook() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let wanted = [0.03, 0.06, 0.06, 0.02];
        assert!(
            adjusted.iter().zip(wanted).all(|(a, b)| near(*a, b)),
            "{adjusted:?}"
        );
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn a_rise_everywhere_is_certain() {
        let hosts = vec![
            Pair {
                n0: 10,
                x0: 0,
                n1: 10,
                x1: 10
            };
            40
        ];
        assert!(rise(&hosts).0 < 1e-12);
        let calm = vec![
            Pair {
                n0: 10,
                x0: 1,
                n1: 10,
                x1: 1
            };
            40
        ];
        assert!(rise(&calm).0 >= 0.5);
    }
}
