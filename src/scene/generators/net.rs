use super::Generated;
use super::common::{at, empty, fixed};
use crate::math::{DQuat, DVec3};
use crate::scene::format::{JointKind, JointSpec, Row, ShapeSpec};

/// How many balls hold the net, at most, in the middle of its upper edge.
const HELD: usize = 7;

/// A square net of balls, each pinned to its neighbours half way between them, that hangs from the middle of its upper edge.
pub(super) fn net(side: usize) -> Generated {
    let mut scene = empty(300, 0.6);
    let ball = || ShapeSpec::Ball { radius: 0.4 };
    let held = HELD.min(side / 2);
    let first = (side - held) / 2;
    for column in 0..side {
        for row in 0..side {
            let place = DVec3::new(column as f64, (2 * side - row) as f64, 0.0);
            let holds = |column: usize| (first..first + held).contains(&column);
            let hangs = row == 0 && holds(column);
            scene.bodies.push(if hangs {
                fixed(ball(), place, DQuat::IDENTITY)
            } else {
                at(ball(), place.x, place.y, place.z)
            });
            let here = scene.bodies.len() - 1;
            let mut pin = |other: usize, way: [f64; 3]| {
                let back = way.map(|x| -x);
                let anchors = Row([Row(way), Row(back)]);
                scene.joints.push(JointSpec { anchors, ..JointSpec::new(JointKind::Spherical, other, here) });
            };
            if row > 0 {
                pin(here - 1, [0.0, -0.5, 0.0]);
            }
            // Two that are held need no joint.
            if column > 0 && !(hangs && holds(column - 1)) {
                pin(here - side, [0.5, 0.0, 0.0]);
            }
        }
    }
    Generated { scene, top: None, bound: None }
}
