use super::common::{Generated, at, cube, empty, floor, standing};

/// A pyramid wall of unit cubes, 5 cm apart within a row; each row has one cube less than the row
/// below.
pub(super) fn pyramid(base: usize) -> Generated {
    const PITCH: f64 = 1.05;
    let mut scene = empty(500, 0.6);
    scene.bodies.push(floor((base as f64).max(200.0)));
    for row in 0..base {
        let count = base - row;
        for column in 0..count {
            let x = (column as f64 - (count - 1) as f64 / 2.0) * PITCH;
            scene.bodies.push(at(cube(), x, row as f64 + 0.5, 0.0));
        }
    }
    standing(scene)
}
