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
/// Colours for colour-blind readers (Okabe and Ito).
const COLOURS: [&str; 4] = ["#d55e00", "#0072b2", "#009e73", "#cc79a7"];

/// Least distance between two names at the ends of lines (points).
const LINE_HEIGHT: f64 = 16.0;

/// A logarithmic axis that starts and ends at 1, 2 or 5 times a power of ten.
struct Axis {
    marks: Vec<f64>,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32 + 1;
        // Divides for negative powers: 0.01 is not exact.
        let power = |digit: f64, d: i32| if d < 0 { digit / 10f64.powi(-d) } else { digit * 10f64.powi(d) };
        let marks: Vec<f64> = decades.flat_map(|d| [1.0, 2.0, 5.0].map(|digit| power(digit, d))).collect();
        let first = marks.iter().rposition(|&mark| mark <= low).unwrap_or(0);
        let last = marks.iter().position(|&mark| mark >= high).unwrap_or(marks.len() - 1).max(first + 1);
        Self { marks: marks[first..=last].to_vec() }
    }

    /// The position of a value: 0 at the low end, 1 at the high one.
    fn at(&self, value: f64) -> f64 {
        let (low, high) = (self.marks[0], self.marks[self.marks.len() - 1]);
        (value / low).ln() / (high / low).ln()
    }
}

/// Moves heights apart until neighbours keep [`LINE_HEIGHT`] between them, downwards from the
/// topmost.
fn apart(mut heights: Vec<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&a, &b| heights[a].total_cmp(&heights[b]));
    for pair in order.windows(2) {
        heights[pair[1]] = heights[pair[1]].max(heights[pair[0]] + LINE_HEIGHT);
    }
    heights
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
    for &bodies in &across.marks {
        let (x, foot) = (x(bodies), HEIGHT - BOTTOM);
        let _ = writeln!(out, r##"<line x1="{x:.1}" y1="{TOP}" x2="{x:.1}" y2="{foot}" stroke="#ddd"/>"##);
        let _ = writeln!(out, r#"<text x="{x:.1}" y="{}" text-anchor="middle">{bodies}</text>"#, foot + 18.0);
    }
    for &ms in &up.marks {
        let (y, right) = (y(ms), WIDTH - RIGHT);
        let _ = writeln!(out, r##"<line x1="{LEFT}" y1="{y:.1}" x2="{right}" y2="{y:.1}" stroke="#ddd"/>"##);
        let _ = writeln!(out, r#"<text x="{}" y="{:.1}" text-anchor="end">{ms}</text>"#, LEFT - 8.0, y + 4.0);
    }
    let (middle, half) = ((LEFT + WIDTH - RIGHT) / 2.0, (TOP + HEIGHT - BOTTOM) / 2.0);
    let _ = writeln!(out, r#"<text x="{middle}" y="{}" text-anchor="middle">bodies</text>"#, HEIGHT - 10.0);
    let _ =
        writeln!(out, r#"<text transform="translate(18 {half}) rotate(-90)" text-anchor="middle">ms a step</text>"#);
    let drawn: Vec<(&Line, &(f64, f64))> =
        lines.iter().filter_map(|line| line.points.last().map(|last| (line, last))).collect();
    let names = apart(drawn.iter().map(|(_, last)| y(last.1)).collect());
    for (((line, last), name), colour) in drawn.into_iter().zip(names).zip(COLOURS.iter().cycle()) {
        let path: Vec<String> = line.points.iter().map(|&(n, ms)| format!("{:.1},{:.1}", x(n), y(ms))).collect();
        let path = path.join(" ");
        let _ = writeln!(out, r#"<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>"#);
        for &(n, ms) in &line.points {
            let _ = writeln!(out, r#"<circle cx="{:.1}" cy="{:.1}" r="3" fill="{colour}"/>"#, x(n), y(ms));
        }
        let (x, y) = (x(last.0) + 8.0, name + 4.0);
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
    fn an_axis_ends_at_the_marks_around_its_values() {
        assert_eq!(Axis::around([0.3, 7.0].into_iter()).marks, [0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!(Axis::around([2.0, 2.0].into_iter()).marks, [2.0, 5.0]);
    }

    #[test]
    fn names_are_moved_apart_and_keep_their_order() {
        assert_eq!(apart(vec![20.0, 12.0, 100.0]), [28.0, 12.0, 100.0]);
    }

    #[test]
    fn a_plot_names_each_engine_that_has_points() {
        let line = |name: &str, points| Line { name: name.to_owned(), points };
        let plot = svg("pile", &[line("this", vec![(10.0, 0.1), (1000.0, 2.0)]), line("that", vec![])]);
        assert!(plot.contains(">this</text>") && !plot.contains(">that</text>"), "{plot}");
        assert_eq!(plot.matches("<circle").count(), 2);
    }
}
