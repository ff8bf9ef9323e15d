use super::common::{Generated, at, cuboid, empty, fixed, floor, grid, pin, pit};
use super::rng::Rng;
use crate::math::{DQuat, DVec3};
use crate::scene::format::{BodySpec, ShapeSpec};

/// Chains of ten links that fall from level, each from a support of its own.
pub(super) fn chains(side: usize) -> Generated {
    const LINKS: usize = 10;
    const HALF: f64 = 0.3;
    const SUPPORT: f64 = 0.1;
    let mut scene = empty(250, 0.6);
    scene.bodies.push(floor(100.0 + 7.0 * side as f64));
    for chain in 0..side * side {
        let place = grid(chain, side) * DVec3::new(7.0, 0.0, 0.6) + DVec3::Y * 8.0;
        scene.bodies.push(fixed(cuboid(SUPPORT, SUPPORT, SUPPORT), place, DQuat::IDENTITY));
        for link in 0..LINKS {
            let x = place.x + SUPPORT + HALF * (2 * link + 1) as f64;
            scene.bodies.push(at(cuboid(HALF, 0.1, 0.1), x, place.y, place.z));
            let first = if link == 0 { SUPPORT } else { HALF };
            let here = scene.bodies.len() - 1;
            pin(&mut scene, [here - 1, here], [DVec3::X * first, DVec3::NEG_X * HALF]);
        }
    }
    Generated { scene, top: None, bound: None }
}

/// Upright capsules of a ragdoll: the part that holds it, its place to the side, the height of the joint between them,
/// its own height, half its straight part and its radius (m). Pelvis, chest, head, upper and lower arms and legs.
const PARTS: [(usize, f64, f64, f64, f64, f64); 11] = [
    (0, 0.0, 0.98, 0.98, 0.03, 0.08),
    (0, 0.0, 1.095, 1.32, 0.1, 0.12),
    (1, 0.0, 1.545, 1.68, 0.03, 0.1),
    (1, -0.26, 1.46, 1.32, 0.1, 0.05),
    (3, -0.26, 1.157, 1.0, 0.1, 0.045),
    (1, 0.26, 1.46, 1.32, 0.1, 0.05),
    (5, 0.26, 1.157, 1.0, 0.1, 0.045),
    (0, -0.1, 0.86, 0.65, 0.14, 0.06),
    (7, -0.1, 0.445, 0.25, 0.14, 0.05),
    (0, 0.1, 0.86, 0.65, 0.14, 0.06),
    (9, 0.1, 0.445, 0.25, 0.14, 0.05),
];

/// Ragdolls of eleven capsules on spherical joints without limits, dropped into a pit.
pub(super) fn ragdolls(count: usize) -> Generated {
    const PITCH: f64 = 2.2;
    let side = (libm::cbrt(count as f64).ceil() as usize).max(1);
    let half = 0.5 * PITCH * side as f64 + 1.0;
    let mut scene = empty(250, 0.6);
    pit(&mut scene, half, 60.0);
    let mut rng = Rng::new(9);
    for ragdoll in 0..count {
        let place = grid(ragdoll, side) * PITCH + 2.0 * DVec3::Y + 0.05 * rng.in_cube();
        let turn = rng.rotation();
        let first = scene.bodies.len();
        for (part, (holder, aside, joint, height, half_height, radius)) in PARTS.into_iter().enumerate() {
            let position = place + turn * DVec3::new(aside, height - 1.0, 0.0);
            let shape = ShapeSpec::Capsule { half_height, radius };
            let orientation = turn.into();
            scene.bodies.push(BodySpec { orientation, ..at(shape, position.x, position.y, position.z) });
            if part > 0 {
                let (_, of_holder, _, above, ..) = PARTS[holder];
                let on_holder = DVec3::new(aside - of_holder, joint - above, 0.0);
                pin(&mut scene, [first + holder, first + part], [on_holder, DVec3::Y * (joint - height)]);
            }
        }
    }
    Generated { scene, top: None, bound: Some(half) }
}
