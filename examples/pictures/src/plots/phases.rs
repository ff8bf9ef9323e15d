//! Normal velocity during an impact with two phases of compression: figure 2 of Baber 2011.

use super::axis::Axis;
use super::chart::{self, COLOURS, Line, draw};
use crate::Fault;
use dolmen::impact::frictional::{DEFAULT_TOLERANCE, Impact, trace};
use dolmen::math::{DMat3, DVec3};
use plotters::prelude::*;

/// The impact of section 1.2 of the paper.
const K: [f64; 9] = [20.0, -23.0, 4.0, -23.0, 31.0, -7.0, 4.0, -7.0, 4.0];
const VELOCITY: DVec3 = DVec3::new(630.0, -780.0, -0.22);
const FRICTION: f64 = 0.5;
const RESTITUTION: f64 = 0.9;
/// Pixels across and down.
const SIZE: (u32, u32) = (720, 400);

pub fn make() -> Result<String, Fault> {
    let impact =
        Impact { k: DMat3::from_cols_array(&K), velocity: VELOCITY, friction: FRICTION, restitution: RESTITUTION };
    let (outcome, moments) = trace(&impact, DEFAULT_TOLERANCE, 64)?;
    let points: Vec<(f64, f64)> = moments.iter().map(|moment| (moment.impulse.z, moment.velocity.z)).collect();
    let marks = |low: i32, high: i32, step: f64| (low..=high).map(|k| f64::from(k) * step).collect::<Vec<_>>();
    let axes = [Axis::linear("normal impulse p_z", &marks(0, 7, 10.0)), Axis::linear("u_z", &marks(-2, 7, 0.5))];
    let mut svg = String::new();
    {
        let area = chart::page(&mut svg, SIZE);
        let title = format!("Normal velocity: {} phases of compression (Baber 2011, figure 2)", outcome.phases);
        let mut chart = chart::axed(&area, &title, &axes, 20)?;
        let zero = Line::new("", vec![(0.0, 0.0), (70.0, 0.0)], 4);
        draw(&mut chart, &axes, &zero)?;
        draw(&mut chart, &axes, &Line::new("", points.clone(), 1))?;
        for pair in points.windows(2).filter(|pair| pair[0].1 * pair[1].1 < 0.0) {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let root = x0 + (x1 - x0) * y0 / (y0 - y1);
            chart.draw_series([Circle::new((root, 0.0), chart::px(4), COLOURS[0].filled())])?;
            chart::note(&area, &chart, (root, 0.0), (0, 16), &format!("{root:.1}"), COLOURS[0])?;
        }
        if let Some(&end) = points.last() {
            chart.draw_series([Circle::new(end, chart::px(4), COLOURS[1].filled())])?;
            chart::note(&area, &chart, end, (22, 0), "end", COLOURS[1])?;
        }
        area.present()?;
    }
    Ok(chart::tidy(svg, SIZE))
}
