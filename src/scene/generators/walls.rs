use super::common::{Generated, at, cuboid, on_floor};
use super::rubble::shoot;
use crate::math::{DQuat, DVec3};
use crate::scene::format::BodySpec;

/// Walls of bricks in running bond, ten rows of ten, side by side. A heavy ball hits each, at eight moments in turn.
pub(super) fn walls(count: usize) -> Generated {
    const ACROSS: usize = 10;
    const PITCH: f64 = 16.0;
    let mut scene = on_floor(300, 100.0 + PITCH * count as f64);
    for wall in 0..count {
        let x = PITCH * (wall as f64 - 0.5 * (count - 1) as f64);
        for row in 0..ACROSS {
            let shift = if row.is_multiple_of(2) { 0.0 } else { 0.5 };
            let place = |i: usize| x + i as f64 + shift - 0.5 * ACROSS as f64;
            let bricks = (0..ACROSS).map(|i| at(cuboid(0.5, 0.25, 0.25), place(i), 0.25 + 0.5 * row as f64, 0.0));
            scene.bodies.extend(bricks);
        }
        let from = DVec3::new(x, 2.0, 4.0 + 1.25 * (wall % 8) as f64);
        shoot(&mut scene, (0.5, 5000.0), from, DVec3::NEG_Z * 25.0);
    }
    Generated { scene, top: None, bound: None }
}

/// Dominoes in a ring, of which the first is pushed.
pub(super) fn dominoes(count: usize) -> Generated {
    const PITCH: f64 = 0.5;
    let around = std::f64::consts::TAU / count as f64;
    let radius = (PITCH * count as f64 / std::f64::consts::TAU).max(1.0);
    let mut scene = on_floor(600, 100.0 + radius);
    for i in 0..count {
        let angle = around * i as f64;
        let (x, z) = (radius * libm::cos(angle), radius * libm::sin(angle));
        // The thin side, along x, looks along the ring.
        let turn = DQuat::from_rotation_y(-angle - 0.5 * std::f64::consts::PI);
        let push = if i == 0 { turn * DVec3::new(0.0, 0.0, -2.0) } else { DVec3::ZERO };
        let orientation = turn.into();
        scene.bodies.push(BodySpec {
            orientation,
            angular_velocity: push.into(),
            ..at(cuboid(0.05, 0.5, 0.25), x, 0.5, z)
        });
    }
    Generated { scene, top: None, bound: None }
}
