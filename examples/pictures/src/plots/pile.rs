//! Milliseconds a step against bodies.

use super::axis::Axis;
use super::chart::{Line, chart};
use super::peers::{ENGINES, rows};
use crate::Fault;

pub fn make() -> Result<String, Fault> {
    let rows = rows(include_str!("../../../../benches/peers/data/pile.csv"))?;
    let lines: Vec<Line> = ENGINES
        .iter()
        .enumerate()
        .map(|(k, (engine, name))| {
            let points = rows.iter().filter(|row| row.engine == *engine).map(|row| (row.bodies, row.ms)).collect();
            Line::new(*name, points, k).dotted()
        })
        .collect();
    let digits = [1.0, 2.0, 5.0];
    let axes = [
        Axis::logarithmic("cubes", &digits, rows.iter().map(|row| row.bodies)),
        Axis::logarithmic("ms a step", &digits, rows.iter().map(|row| row.ms)),
    ];
    chart("Cubes that fall into a pit, one thread, nothing asleep", (720, 440), &axes, &lines)
}
