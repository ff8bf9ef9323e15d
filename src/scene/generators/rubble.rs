use super::common::{Generated, at, cube, cuboid, empty, grid, on_floor, pit};
use super::rng::Rng;
use crate::math::{DQuat, DVec3};
use crate::scene::format::{BodySpec, Row, Scene, ShapeSpec};

/// A heavy ball breaks a wall of bricks in running bond, 30 bricks wide.
pub(super) fn breach(rows: usize) -> Generated {
    const ACROSS: usize = 30;
    let mut scene = on_floor(300, 300.0);
    scene.bodies.extend(bricks(0.0, ACROSS, rows));
    shoot(&mut scene, (0.8, 5000.0), DVec3::new(0.0, 2.5, 12.0), DVec3::new(0.0, 1.0, -25.0));
    loose(scene)
}

/// Walls of bricks in running bond, ten rows of ten, side by side. A heavy ball hits each, at eight moments in turn.
pub(super) fn walls(count: usize) -> Generated {
    const ACROSS: usize = 10;
    const PITCH: f64 = 16.0;
    let mut scene = on_floor(300, 100.0 + PITCH * count as f64);
    for wall in 0..count {
        let x = PITCH * (wall as f64 - 0.5 * (count - 1) as f64);
        scene.bodies.extend(bricks(x, ACROSS, ACROSS));
        let from = DVec3::new(x, 2.0, 4.0 + 1.25 * (wall % 8) as f64);
        shoot(&mut scene, (0.5, 5000.0), from, DVec3::NEG_Z * 25.0);
    }
    loose(scene)
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
    loose(scene)
}

/// Volleys of small heavy balls hit a wall of 120 cubes.
pub(super) fn shots(balls: usize) -> Generated {
    const ACROSS: usize = 15;
    let mut scene = on_floor(300, 300.0);
    scene.bodies.extend((0..120).map(|i| at(cube(), 1.01 * ((i % 12) as f64 - 6.0), 0.5 + (i / 12) as f64, 0.0)));
    for i in 0..balls {
        let (x, y) = (0.8 * ((i % ACROSS) as f64 - 7.0), 1.0 + 0.8 * (i / ACROSS % 10) as f64);
        shoot(&mut scene, (0.1, 4000.0), DVec3::new(x, y, 10.0 + 0.3 * i as f64), DVec3::NEG_Z * 60.0);
    }
    loose(scene)
}

/// A field of towers of three boxes; every other tower is pushed over.
pub(super) fn toppled(side: usize) -> Generated {
    const PITCH: f64 = 1.2;
    let mut scene = on_floor(250, 100.0 + PITCH * side as f64);
    for i in 0..side * side {
        let place = grid(i, side) * PITCH;
        for level in 1..=3 {
            let speed = if i.is_multiple_of(2) { 0.0 } else { 0.5 * f64::from(level) };
            let height = 0.8 * f64::from(level) - 0.4;
            let linear_velocity = Row([speed, 0.0, 0.0]);
            scene.bodies.push(BodySpec { linear_velocity, ..at(cuboid(0.2, 0.4, 0.2), place.x, height, place.z) });
        }
    }
    loose(scene)
}

/// A field of stacks of five boxes, all thrown sideways at once, each in a direction of its own.
pub(super) fn thrown(side: usize) -> Generated {
    const PITCH: f64 = 2.5;
    let mut scene = on_floor(300, 100.0 + PITCH * side as f64);
    let mut rng = Rng::new(5);
    for i in 0..side * side {
        let place = grid(i, side) * PITCH;
        let angle = std::f64::consts::PI * rng.unit();
        for level in 0..5 {
            let speed = 1.0 + f64::from(level);
            let linear_velocity = Row([speed * libm::cos(angle), 1.0, speed * libm::sin(angle)]);
            let height = 0.25 + 0.5 * f64::from(level);
            scene.bodies.push(BodySpec { linear_velocity, ..at(cuboid(0.25, 0.25, 0.25), place.x, height, place.z) });
        }
    }
    loose(scene)
}

/// A slab of steel falls by a metre on four layers of small boxes.
pub(super) fn crush(boxes: usize) -> Generated {
    const PITCH: f64 = 0.26;
    let side = (libm::sqrt(0.25 * boxes as f64).ceil() as usize).max(1);
    let mut scene = on_floor(300, 100.0 + PITCH * side as f64);
    for i in 0..boxes {
        let place = grid(i, side);
        scene.bodies.push(at(cuboid(0.1, 0.1, 0.1), PITCH * place.x, 0.1 + 0.2 * place.y, PITCH * place.z));
    }
    let (half, layers) = (0.5 * PITCH * side as f64 + 0.5, boxes.div_ceil(side * side));
    let slab = at(cuboid(half, 0.25, half), 0.0, 0.2 * layers as f64 + 1.25, 0.0);
    scene.bodies.push(BodySpec { density: Some(7800.0), ..slab });
    loose(scene)
}

/// Cubes of 0.3 to 0.6 m, and 1.2 m every twentieth, dropped into a pit.
pub(super) fn sizes(bodies: usize) -> Generated {
    const PITCH: f64 = 2.1;
    let side = (libm::cbrt(bodies as f64).ceil() as usize).max(1);
    let half = 0.5 * PITCH * side as f64 + 1.0;
    let mut scene = empty(400, 0.5);
    pit(&mut scene, half, 100.0 + PITCH * side as f64);
    let mut rng = Rng::new(11);
    for i in 0..bodies {
        let half = if i.is_multiple_of(20) { 0.6 } else { 0.225 + 0.075 * rng.unit() };
        let place = grid(i, side) * PITCH + DVec3::new(0.0, 1.1, 0.0) + 0.01 * rng.in_cube();
        let orientation = rng.rotation().into();
        scene.bodies.push(BodySpec { orientation, ..at(cuboid(half, half, half), place.x, place.y, place.z) });
    }
    Generated { scene, top: None, bound: Some(half) }
}

/// A wall in running bond of bricks of 1 m by 0.5 m by 0.5 m, in the plane of x and y about `middle` (m).
fn bricks(middle: f64, across: usize, rows: usize) -> impl Iterator<Item = BodySpec> {
    (0..rows).flat_map(move |row| {
        let left = middle + if row.is_multiple_of(2) { 0.0 } else { 0.5 } - 0.5 * across as f64;
        (0..across).map(move |i| at(cuboid(0.5, 0.25, 0.25), left + i as f64, 0.25 + 0.5 * row as f64, 0.0))
    })
}

/// Adds a ball with a radius (m), a density (kg/m³), a position and a velocity.
fn shoot(scene: &mut Scene, (radius, density): (f64, f64), from: DVec3, velocity: DVec3) {
    let linear_velocity = velocity.into();
    let ball = at(ShapeSpec::Ball { radius }, from.x, from.y, from.z);
    scene.bodies.push(BodySpec { linear_velocity, density: Some(density), ..ball });
}

fn loose(scene: Scene) -> Generated {
    Generated { scene, top: None, bound: None }
}
