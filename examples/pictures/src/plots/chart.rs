//! Lines between axes, with their names at their ends.

use super::axis::Axis;
use crate::Fault;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Colours for colour-blind readers (Okabe and Ito).
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(90, 90, 90),
    RGBColor(230, 159, 0),
];
const INK: RGBColor = RGBColor(50, 55, 60);
const GRID: RGBColor = RGBColor(222, 224, 228);
const FONT: &str = "sans-serif";
/// Parts of a pixel: plotters rounds coordinates to whole numbers.
pub const FINE: u32 = 8;
/// Least distance between two names at the ends of lines (parts of a pixel).
const LINE_HEIGHT: i32 = px(17);
/// Room for names at the right (pixels).
const NAMES: u32 = 150;

/// Pixels in parts of a pixel.
pub const fn px(pixels: i32) -> i32 {
    pixels * FINE as i32
}

/// A line with a name.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub colour: RGBColor,
    /// True if its points are marked.
    pub dots: bool,
}

impl Line {
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>, colour: usize) -> Self {
        Self { name: name.into(), points, colour: COLOURS[colour % COLOURS.len()], dots: false }
    }

    pub fn dotted(self) -> Self {
        Self { dots: true, ..self }
    }
}

/// A plot before it has lines.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// A plot with axes.
pub type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A plot of some lines.
pub fn chart(title: &str, size: (u32, u32), axes: &[Axis; 2], lines: &[Line]) -> Result<String, Fault> {
    let mut svg = String::new();
    {
        let area = page(&mut svg, size);
        let mut chart = axed(&area, title, axes, NAMES)?;
        lines.iter().try_for_each(|line| draw(&mut chart, axes, line))?;
        name_ends(&area, &chart, axes, lines)?;
        area.present()?;
    }
    Ok(tidy(svg, size))
}

/// A plot of a size (pixels), to be drawn on.
pub fn page(svg: &mut String, (width, height): (u32, u32)) -> Area<'_> {
    SVGBackend::with_string(svg, (width * FINE, height * FINE)).into_drawing_area()
}

/// Axes with a grid, on white.
pub fn axed<'a, 'b>(area: &'a Area<'b>, title: &str, axes: &[Axis; 2], right: u32) -> Result<Chart<'a, 'b>, Fault> {
    area.fill(&WHITE)?;
    let [across, up] = axes;
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, px(17)).into_font().color(&INK))
        .margin(px(14))
        .margin_right(right * FINE)
        .top_x_label_area_size(px(8))
        .x_label_area_size(px(44))
        .y_label_area_size(px(58))
        .build_cartesian_2d(across.range(), up.range())?;
    // The marks are this file's own: those of plotters are not those of a logarithm.
    let text = |size: i32| (FONT, px(size)).into_font().color(&INK);
    let (plot_x, plot_y) = chart.plotting_area().get_pixel_range();
    for (place, label) in across.places().into_iter().map(|place| (place, across.label(place))) {
        let (x, _) = chart.backend_coord(&(place, up.range().start));
        area.draw(&PathElement::new([(x, plot_y.start), (x, plot_y.end)], GRID.stroke_width(FINE)))?;
        area.draw(&Text::new(label, (x, plot_y.end + px(7)), text(13).pos(Pos::new(HPos::Center, VPos::Top))))?;
    }
    for (place, label) in up.places().into_iter().map(|place| (place, up.label(place))) {
        let (_, y) = chart.backend_coord(&(across.range().start, place));
        area.draw(&PathElement::new([(plot_x.start, y), (plot_x.end, y)], GRID.stroke_width(FINE)))?;
        area.draw(&Text::new(label, (plot_x.start - px(8), y), text(13).pos(Pos::new(HPos::Right, VPos::Center))))?;
    }
    let middle = ((plot_x.start + plot_x.end) / 2, (plot_y.start + plot_y.end) / 2);
    area.draw(&Text::new(
        across.title(),
        (middle.0, plot_y.end + px(27)),
        text(14).pos(Pos::new(HPos::Center, VPos::Top)),
    ))?;
    let upright = text(14).transform(FontTransform::Rotate270).pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new(up.title(), (plot_x.start - px(54), middle.1), upright))?;
    chart.configure_mesh().disable_mesh().disable_axes().draw()?;
    Ok(chart)
}

/// Draws a line, without its name.
pub fn draw(chart: &mut Chart, axes: &[Axis; 2], line: &Line) -> Result<(), Fault> {
    let places: Vec<(f64, f64)> = line.points.iter().map(|&(x, y)| (axes[0].at(x), axes[1].at(y))).collect();
    chart.draw_series(LineSeries::new(places.iter().copied(), line.colour.stroke_width(2 * FINE)))?;
    if line.dots {
        chart.draw_series(places.iter().map(|&place| Circle::new(place, px(3), line.colour.filled())))?;
    }
    Ok(())
}

/// Writes the name of each line at its end.
fn name_ends(area: &Area, chart: &Chart, axes: &[Axis; 2], lines: &[Line]) -> Result<(), Fault> {
    let ends: Vec<(&Line, (i32, i32))> = lines
        .iter()
        .filter_map(|line| {
            let &(x, y) = line.points.last()?;
            Some((line, chart.backend_coord(&(axes[0].at(x), axes[1].at(y)))))
        })
        .collect();
    let heights = apart(ends.iter().map(|(_, (_, y))| *y).collect());
    for ((line, (x, _)), y) in ends.into_iter().zip(heights) {
        let style = (FONT, px(13)).into_font().color(&line.colour).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(line.name.clone(), (x + px(9), y), style))?;
    }
    Ok(())
}

/// Moves heights apart until neighbours keep [`LINE_HEIGHT`] between them, downwards from the
/// topmost.
fn apart(mut heights: Vec<i32>) -> Vec<i32> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by_key(|&k| heights[k]);
    for pair in order.windows(2) {
        heights[pair[1]] = heights[pair[1]].max(heights[pair[0]] + LINE_HEIGHT);
    }
    heights
}

/// Writes words at a place of a chart.
pub fn note(
    area: &Area,
    chart: &Chart,
    at: (f64, f64),
    off: (i32, i32),
    words: &str,
    colour: RGBColor,
) -> Result<(), Fault> {
    let (x, y) = chart.backend_coord(&at);
    let style = (FONT, px(13)).into_font().color(&colour).pos(Pos::new(HPos::Center, VPos::Center));
    Ok(area.draw(&Text::new(words.to_owned(), (x + px(off.0), y + px(off.1)), style))?)
}

/// Sizes in whole pixels, and one new line at the end.
pub fn tidy(svg: String, (width, height): (u32, u32)) -> String {
    let fine = format!("width=\"{}\" height=\"{}\"", width * FINE, height * FINE);
    svg.trim_end().replacen(&fine, &format!("width=\"{width}\" height=\"{height}\""), 1) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_moved_apart_and_keep_their_order() {
        assert_eq!(apart(vec![px(20), px(12), px(100)]), [px(29), px(12), px(100)]);
    }

    #[test]
    fn a_chart_names_each_line_that_has_points() {
        let axes = [Axis::linear("x", &[0.0, 1.0]), Axis::linear("y", &[0.0, 1.0])];
        let lines = [Line::new("this", vec![(0.0, 0.0), (1.0, 0.5)], 0).dotted(), Line::new("that", vec![], 1)];
        let plot = chart("some", (400, 300), &axes, &lines).expect("a chart");
        assert!(plot.contains("this\n") && !plot.contains("that\n"), "{plot}");
        assert_eq!(plot.matches("<circle").count(), 2);
        assert!(plot.starts_with("<svg width=\"400\" height=\"300\" viewBox=\"0 0 3200 2400\""), "{plot}");
    }
}
