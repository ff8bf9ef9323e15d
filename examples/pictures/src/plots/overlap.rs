//! Time against overlap, with 4 to 32 substeps in the other engines.

use super::axis::Axis;
use super::chart::{Line, chart};
use super::peers::{ENGINES, rows};
use crate::Fault;

/// Scenes, and what is added to the names of their lines.
const SCENES: [(&str, &str); 2] = [("pile", "pile"), ("pyramid", "pyramid")];

pub fn make() -> Result<String, Fault> {
    let rows = rows(include_str!("../../../../benches/peers/data/overlap.csv"))?;
    let mut lines = Vec::new();
    for (scene, of) in SCENES {
        for (k, (engine, name)) in ENGINES.iter().enumerate() {
            let own = rows.iter().filter(|row| row.scene == scene && row.engine == *engine);
            let points = own.map(|row| (row.ms, row.overlap)).collect();
            lines.push(Line::new(format!("{name}, {of}"), points, k).dotted());
        }
    }
    let axes = [
        Axis::logarithmic("ms a step", &[1.0, 2.0, 5.0], rows.iter().map(|row| row.ms)),
        Axis::logarithmic("mean overlap (mm)", &[1.0, 2.0, 5.0], rows.iter().map(|row| row.overlap)),
    ];
    chart("No number of substeps buys it: others with 4, 8, 16 and 32", (720, 440), &axes, &lines)
}
