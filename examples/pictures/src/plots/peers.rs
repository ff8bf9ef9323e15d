//! Tables that `dolmen-peers` wrote.

use crate::Fault;

/// A row of a table (see `benches/peers/src/table.rs`).
pub struct Row {
    pub scene: String,
    pub bodies: f64,
    pub engine: String,
    /// ms a step.
    pub ms: f64,
    /// Mean overlap (mm).
    pub overlap: f64,
}

/// The rows of a table. Lines that begin with `#` tell where it comes from.
pub fn rows(csv: &str) -> Result<Vec<Row>, Fault> {
    let mut lines = csv.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<&str> = lines.next().ok_or("an empty table")?.split(',').collect();
    let column = |name: &str| head.iter().position(|other| *other == name).ok_or_else(|| format!("no column {name}"));
    let [scene, bodies, engine, ms, overlap] = ["scene", "bodies", "engine", "ms", "overlap_mm"].map(column);
    let (scene, bodies, engine, ms, overlap) = (scene?, bodies?, engine?, ms?, overlap?);
    let row = |line: &str| -> Result<Row, Fault> {
        let cells: Vec<&str> = line.split(',').collect();
        let cell = |k: usize| cells.get(k).copied().ok_or_else(|| format!("a short row: {line}"));
        Ok(Row {
            scene: cell(scene)?.to_owned(),
            bodies: cell(bodies)?.parse()?,
            engine: cell(engine)?.to_owned(),
            ms: cell(ms)?.parse()?,
            overlap: cell(overlap)?.parse()?,
        })
    };
    lines.map(row).collect()
}

/// The engines, in the order of their colours, with their names as they write them.
pub const ENGINES: [(&str, &str); 3] = [("dolmen", "dolmen"), ("rapier", "Rapier"), ("box3d", "Box3D")];
