//! Sliding velocities during impacts that differ in where they start: figure 4 of Baber 2011.

use super::axis::Axis;
use super::chart::{self, COLOURS, Line, draw};
use crate::Fault;
use dolmen::impact::frictional::{DEFAULT_TOLERANCE, Ending, Impact, trace};
use dolmen::impact::rays::rays;
use dolmen::math::{DMat3, DVec3};
use plotters::prelude::*;
use std::f64::consts::TAU;

/// The collision matrix and the friction of section 3.7 of the paper.
const K: [f64; 9] = [20.0, 0.0, 1.0, 0.0, 4.0, 6.0, 1.0, 6.0, 10.0];
const FRICTION: f64 = 0.7;
/// Starts around the circle.
const STARTS: u32 = 16;
/// Half the side of the figure.
const HALF: f64 = 1.5;
/// The sector from which trajectories reach the origin, and the others.
const STOPS: RGBColor = RGBColor(226, 236, 247);
const PASSES: RGBColor = RGBColor(251, 235, 229);
/// Pixels across and down.
const SIZE: (u32, u32) = (560, 560);

pub fn make() -> Result<String, Fault> {
    let k = DMat3::from_cols_array(&K);
    let marks: Vec<f64> = (-3..=3).map(|n| 0.5 * f64::from(n)).collect();
    let axes = [Axis::linear("u_x", &marks), Axis::linear("u_y", &marks)];
    let mut svg = String::new();
    {
        let area = chart::page(&mut svg, SIZE);
        let title = "Sliding velocity during an impact (Baber 2011, figure 4)";
        let mut chart = chart::axed(&area, title, &axes, 20)?;
        let found = rays(k, FRICTION);
        let away: Vec<f64> = found.iter().filter(|ray| !ray.attracts).map(|ray| ray.angle).collect();
        let [low, high] = away[..] else { return Err("two rays repel in the paper".into()) };
        for (from, to, colour) in [(low, high, STOPS), (high, low + TAU, PASSES)] {
            chart.draw_series([Polygon::new(sector(from, to), colour.filled())])?;
        }
        for ray in &found {
            let end = edge(ray.angle);
            let dot = |part: f64| [part, part + 0.008].map(|t| (end.0 * t, end.1 * t));
            let dots = (0..60).map(|n| dot(f64::from(n) / 60.0));
            for [a, b] in dots {
                chart.draw_series(LineSeries::new([a, b], COLOURS[4].stroke_width(chart::FINE)))?;
            }
        }
        for n in 0..STARTS {
            let angle = TAU * f64::from(n) / f64::from(STARTS);
            // Compressed enough for every trajectory to reach its ray.
            let velocity = DVec3::new(angle.cos(), angle.sin(), -100.0);
            let impact = Impact { k, velocity, friction: FRICTION, restitution: 0.5 };
            let (outcome, moments) = trace(&impact, DEFAULT_TOLERANCE, 8)?;
            let points = moments.iter().map(|moment| (moment.velocity.x, moment.velocity.y));
            let inside = points.take_while(|point| point.0.abs() <= HALF && point.1.abs() <= HALF);
            let stops = outcome.ended_by == Ending::UnstableSticking;
            let mut line = Line::new("", inside.collect(), if stops { 1 } else { 0 });
            draw(&mut chart, &axes, &line)?;
            line.points.truncate(1);
            draw(&mut chart, &axes, &line.dotted())?;
        }
        for ray in &found {
            let words = format!("{:.1}°", ray.angle.to_degrees());
            let end = edge(ray.angle);
            let off = if ray.growth > 0.0 {
                (-60, 12)
            } else {
                ((-22.0 * ray.angle.cos() - 16.0 * ray.angle.sin().abs()) as i32, (14.0 * ray.angle.sin()) as i32)
            };
            chart::note(&area, &chart, end, off, &words, COLOURS[4])?;
        }
        area.present()?;
    }
    Ok(chart::tidy(svg, SIZE))
}

/// Where a ray from the origin leaves the figure.
fn edge(angle: f64) -> (f64, f64) {
    let (sin, cos) = angle.sin_cos();
    let reach = HALF / sin.abs().max(cos.abs());
    (reach * cos, reach * sin)
}

/// The part of the figure between two angles.
fn sector(from: f64, to: f64) -> Vec<(f64, f64)> {
    let fine = (0..=200).map(|n| edge(from + (to - from) * f64::from(n) / 200.0));
    std::iter::once((0.0, 0.0)).chain(fine).collect()
}
