//! A plot of milliseconds a step against bodies, both logarithmic, as SVG.

use std::fmt::Write as _;

/// One engine's line: its name, and its points (bodies, ms a step).
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Told apart by the colour-blind too (Okabe and Ito).
const COLOURS: [&str; 4] = ["#d55e00", "#0072b2", "#009e73", "#cc79a7"];

/// A logarithmic axis, in whole decades.
struct Axis {
    low: i32,
    high: i32,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
        let low = low.log10().floor() as i32;
        Self { low, high: (high.log10().ceil() as i32).max(low + 1) }
    }

    /// Where a value lies: 0 at the low end, 1 at the high one.
    fn at(&self, value: f64) -> f64 {
        (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low..=self.high).map(|d| 10f64.powi(d))
    }
}

/// The plot. Lines without points are left out.
pub fn svg(title: &str, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    if points().next().is_none() {
        return format!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"/>"#);
    }
    let (across, up) = (Axis::around(points().map(|p| p.0)), Axis::around(points().map(|p| p.1)));
    let x = |bodies: f64| LEFT + across.at(bodies) * (WIDTH - LEFT - RIGHT);
    let y = |ms: f64| HEIGHT - BOTTOM - up.at(ms) * (HEIGHT - TOP - BOTTOM);
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="white"/>
<text x="{LEFT}" y="24" font-size="16">{title}</text>
"#
    );
    // Writing to a String cannot fail.
    for bodies in across.decades() {
        let (x, foot) = (x(bodies), HEIGHT - BOTTOM);
        let _ = writeln!(out, r##"<line x1="{x}" y1="{TOP}" x2="{x}" y2="{foot}" stroke="#ddd"/>"##);
        let _ = writeln!(out, r#"<text x="{x}" y="{}" text-anchor="middle">{bodies}</text>"#, foot + 18.0);
    }
    for ms in up.decades() {
        let (y, right) = (y(ms), WIDTH - RIGHT);
        let _ = writeln!(out, r##"<line x1="{LEFT}" y1="{y}" x2="{right}" y2="{y}" stroke="#ddd"/>"##);
        let _ = writeln!(out, r#"<text x="{}" y="{}" text-anchor="end">{ms}</text>"#, LEFT - 8.0, y + 4.0);
    }
    let _ = writeln!(out, r#"<text x="{}" y="{}">bodies</text>"#, WIDTH - RIGHT + 8.0, HEIGHT - BOTTOM + 18.0);
    let _ = writeln!(out, r#"<text x="8" y="{}">ms a step</text>"#, TOP - 8.0);
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let Some(&(last_bodies, last_ms)) = line.points.last() else { continue };
        let path: Vec<String> = line.points.iter().map(|&(n, ms)| format!("{:.1},{:.1}", x(n), y(ms))).collect();
        let path = path.join(" ");
        let _ = writeln!(out, r#"<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>"#);
        for &(n, ms) in &line.points {
            let _ = writeln!(out, r#"<circle cx="{:.1}" cy="{:.1}" r="3" fill="{colour}"/>"#, x(n), y(ms));
        }
        let (x, y) = (x(last_bodies) + 8.0, y(last_ms) + 4.0);
        let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" fill="{colour}">{}</text>"#, line.name);
    }
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_decade_is_twice_as_far() {
        let axis = Axis::around([1.0, 100.0].into_iter());
        assert_eq!((axis.at(1.0), axis.at(10.0), axis.at(100.0)), (0.0, 0.5, 1.0));
    }

    #[test]
    fn a_plot_names_each_engine_that_has_points() {
        let line = |name: &str, points| Line { name: name.to_owned(), points };
        let plot = svg("pile", &[line("this", vec![(10.0, 0.1), (1000.0, 2.0)]), line("that", vec![])]);
        assert!(plot.contains(">this</text>") && !plot.contains(">that</text>"), "{plot}");
        assert_eq!(plot.matches("<circle").count(), 2);
    }
}
