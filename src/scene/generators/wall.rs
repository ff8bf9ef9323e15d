use super::common::{Generated, at, cuboid, empty, floor, standing};

/// Bricks of 2 m by 1 m by 1 m in running bond, 1 cm apart; half bricks close every other row.
pub(super) fn wall(size: usize) -> Generated {
    const JOINT: f64 = 0.01;
    let (brick, half) = (cuboid(1.0 - JOINT / 2.0, 0.5, 0.5), cuboid(0.5 - JOINT / 2.0, 0.5, 0.5));
    let left = -(size as f64);
    let mut scene = empty(500, 0.6);
    scene.bodies.push(floor((size as f64 + 1.0).max(200.0)));
    for row in 0..size {
        let y = row as f64 + 0.5;
        let shifted = row % 2 == 1;
        let first = if shifted { 2.0 } else { 1.0 };
        if shifted {
            scene.bodies.push(at(half.clone(), left + 0.5, y, 0.0));
        }
        let whole = if shifted { size - 1 } else { size };
        scene.bodies.extend((0..whole).map(|i| at(brick.clone(), left + first + 2.0 * i as f64, y, 0.0)));
        if shifted {
            scene.bodies.push(at(half.clone(), -left - 0.5, y, 0.0));
        }
    }
    standing(scene)
}
