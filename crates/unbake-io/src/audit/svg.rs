//! Charts as inline SVG: colours come from the style sheet, and every figure stands in words too.

use std::fmt::Write as _;

use super::metrics::xml;

/// One bar.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) share: f64,
    pub(super) note: String,
}

/// One group of bars.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) shares: Vec<f64>,
}

const WIDTH: f64 = 460.0;
const LEFT: f64 = 120.0;

fn open(title: &str, height: f64, words: &str, out: &mut String) {
    let _ = write!(
        out,
        "<figure class=\"chart\"><figcaption>{0}</figcaption>\n<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{0}: {1}\">\n",
        xml(title),
        xml(words),
    );
}

fn short(name: &str, length: usize) -> String {
    if name.chars().count() <= length {
        return name.to_owned();
    }
    let mut out: String = name.chars().take(length - 1).collect();
    out.push('…');
    out
}

/// Horizontal bars, a row each.
pub(super) fn bars(title: &str, bars: &[Bar], out: &mut String) {
    let step = 24.0;
    let words: Vec<String> = bars
        .iter()
        .map(|bar| format!("{} {}", bar.name, bar.note))
        .collect();
    open(
        title,
        step * bars.len() as f64 + 8.0,
        &words.join("; "),
        out,
    );
    let room = WIDTH - LEFT - 130.0;
    for (n, bar) in bars.iter().enumerate() {
        let y = step * n as f64 + 4.0;
        let width = (bar.share.clamp(0.0, 1.0) * room).max(1.0);
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text><rect class=\"s0\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"16\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT - 6.0,
            y + 12.5,
            xml(&short(&bar.name, 17)),
            LEFT + width + 6.0,
            y + 12.5,
            xml(&bar.note),
        );
    }
    out.push_str("</svg></figure>\n");
}

/// Vertical bars in groups, from 0 to 100 %.
pub(super) fn grouped(title: &str, names: &[&str], groups: &[Series], out: &mut String) {
    let words: Vec<String> = groups
        .iter()
        .map(|group| {
            let shares: Vec<String> = names
                .iter()
                .zip(&group.shares)
                .map(|(name, share)| format!("{name} {:.1} %", share * 100.0))
                .collect();
            format!("{}: {}", group.name, shares.join(", "))
        })
        .collect();
    let (top, floor) = (28.0, 200.0);
    open(title, 226.0, &words.join("; "), out);
    axis(top, floor, 1.0, out);
    for (n, name) in names.iter().enumerate() {
        let x = 44.0 + 104.0 * n as f64;
        let _ = writeln!(
            out,
            "<rect class=\"s{n}\" x=\"{x:.0}\" y=\"4\" width=\"12\" height=\"12\"/><text x=\"{:.0}\" y=\"14\">{}</text>",
            x + 16.0,
            xml(name)
        );
    }
    let step = (WIDTH - 50.0) / groups.len().max(1) as f64;
    let width = (step * 0.8 / names.len().max(1) as f64).min(24.0);
    for (g, group) in groups.iter().enumerate() {
        let x0 = 44.0 + step * g as f64;
        for (n, share) in group.shares.iter().enumerate() {
            let height = share.clamp(0.0, 1.0) * (floor - top);
            let _ = writeln!(
                out,
                "<rect class=\"s{n}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>",
                x0 + width * n as f64,
                floor - height,
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"216\" text-anchor=\"middle\">{}</text>",
            x0 + width * names.len() as f64 / 2.0,
            xml(&short(&group.name, 8))
        );
    }
    out.push_str("</svg></figure>\n");
}

fn axis(top: f64, floor: f64, highest: f64, out: &mut String) {
    for part in [0.0, 0.5, 1.0] {
        let y = floor - part * (floor - top);
        let label = highest * part * 100.0;
        let label = if highest < 0.1 {
            format!("{label:.1}%")
        } else {
            format!("{label:.0}%")
        };
        let _ = writeln!(
            out,
            "<line class=\"axis\" x1=\"40\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"36\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            y + 4.0
        );
    }
}

/// A share over days: `(day, x, n)` in order.
pub(super) fn line(title: &str, days: &[(&str, u64, u64)], out: &mut String) {
    if days.is_empty() {
        return;
    }
    let share = |x: u64, n: u64| if n == 0 { 0.0 } else { x as f64 / n as f64 };
    let words: Vec<String> = days
        .iter()
        .map(|(day, x, n)| format!("{day} {x} of {n}"))
        .collect();
    let highest = days
        .iter()
        .map(|(_, x, n)| share(*x, *n))
        .fold(0.0, f64::max);
    // The axis ends at a round share above the highest.
    let scale = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
    let highest = scale
        .into_iter()
        .find(|limit| *limit >= highest)
        .unwrap_or(1.0);
    let (top, floor) = (16.0, 160.0);
    open(title, 190.0, &words.join("; "), out);
    axis(top, floor, highest, out);
    let step = if days.len() > 1 {
        (WIDTH - 70.0) / (days.len() - 1) as f64
    } else {
        0.0
    };
    let points: Vec<(f64, f64)> = days
        .iter()
        .enumerate()
        .map(|(n, (_, x, all))| {
            (
                52.0 + step * n as f64,
                floor - share(*x, *all) / highest * (floor - top),
            )
        })
        .collect();
    let path: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _ = writeln!(
        out,
        "<polyline class=\"l0\" points=\"{}\"/>",
        path.join(" ")
    );
    for (x, y) in points.iter().take(400) {
        let _ = writeln!(
            out,
            "<circle class=\"s0\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
        );
    }
    if let (Some((first, ..)), Some((last, ..))) = (days.first(), days.last()) {
        let _ = writeln!(out, "<text x=\"44\" y=\"182\">{}</text>", xml(first));
        if days.len() > 1 {
            let _ = writeln!(
                out,
                "<text x=\"{WIDTH}\" y=\"182\" text-anchor=\"end\">{}</text>",
                xml(last)
            );
        }
    }
    out.push_str("</svg></figure>\n");
}
