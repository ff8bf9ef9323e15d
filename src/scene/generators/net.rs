use super::common::{Generated, at, empty, fixed, pin};
use crate::math::{DQuat, DVec3};
use crate::scene::format::ShapeSpec;

/// Greatest number of fixed balls, in the middle of the net's upper edge.
const FIXED: usize = 7;

/// A square net of balls with spherical joints between neighbours, hanging from the middle of its
/// upper edge.
pub(super) fn net(side: usize) -> Generated {
    let mut scene = empty(300, 0.6);
    let ball = || ShapeSpec::Ball { radius: 0.4 };
    let fixed_balls = FIXED.min(side / 2);
    let first = (side - fixed_balls) / 2;
    for column in 0..side {
        for row in 0..side {
            let place = DVec3::new(column as f64, (2 * side - row) as f64, 0.0);
            let holds = |column: usize| (first..first + fixed_balls).contains(&column);
            let hangs = row == 0 && holds(column);
            scene.bodies.push(if hangs {
                fixed(ball(), place, DQuat::IDENTITY)
            } else {
                at(ball(), place.x, place.y, place.z)
            });
            let here = scene.bodies.len() - 1;
            if row > 0 {
                pin(&mut scene, [here - 1, here], [0.5 * DVec3::NEG_Y, 0.5 * DVec3::Y]);
            }
            // Two fixed balls need no joint.
            if column > 0 && !(hangs && holds(column - 1)) {
                pin(&mut scene, [here - side, here], [0.5 * DVec3::X, 0.5 * DVec3::NEG_X]);
            }
        }
    }
    Generated { scene, top: None, bound: None }
}
