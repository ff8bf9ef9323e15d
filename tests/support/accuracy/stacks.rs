//! Structures that stand, and structures that cannot.

use super::stage::{Stage, slick, v};
use super::{Check, EXACT};
use dolmen::math::{DVec3, Real, Vec3};
use dolmen::prelude::*;
use hecs::Entity;
use serde_json::Value;

/// Displacement of each body from its start (m).
fn moves(stage: &Stage, start: &[(Entity, DVec3)]) -> impl Iterator<Item = DVec3> {
    start.iter().map(|(e, from)| stage.position(*e) - *from)
}

fn starts(stage: &Stage, bodies: &[Entity]) -> Vec<(Entity, DVec3)> {
    bodies.iter().map(|&e| (e, stage.position(e))).collect()
}

/// A24: columns of unit cubes.
pub fn columns(_: &Value) -> Vec<Check> {
    let mut checks = Vec::new();
    for count in [20, 50, 100] {
        let mut stage = Stage::upright(1.0 / 60.0);
        stage.add(Body::fixed(Collider::half_space(Vec3::Y)));
        let cubes: Vec<Entity> = (0..count)
            .map(|i| stage.add(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, i as Real + 0.5, 0.0)))
            .collect();
        let start = starts(&stage, &cubes);
        for _ in 0..stage.steps_in(20.0) {
            stage.step();
        }
        let (mut sink, mut lean) = (0.0_f64, 0.0_f64);
        for moved in moves(&stage, &start) {
            sink = sink.max(moved.y.abs());
            lean = lean.max(moved.x.hypot(moved.z));
        }
        checks.push(Check::absolute(format!("{count} cubes: sink in 20 s (m)"), sink, 0.0, [1e-6, 1e-3]));
        checks.push(Check::absolute(format!("{count} cubes: lean in 20 s (m)"), lean, 0.0, [1e-6, 1e-3]));
    }
    checks
}

/// A diamond of frictionless bricks of 1 m by 0.2 m, `rows` in its widest row: each brick with its
/// row and place. Bricks of a row stand side by side and do not touch: only what is above and below
/// does.
fn diamond(rows: usize, dt: f64) -> (Stage, Vec<(Entity, usize, f64)>) {
    let mut stage = Stage::upright(dt);
    stage.add(Body::fixed(Collider::half_space(Vec3::Y)).material(slick(0.0)));
    let mut bricks = Vec::new();
    for row in 0..2 * rows - 1 {
        let count = if row < rows { row + 1 } else { 2 * rows - 1 - row };
        for k in 0..count {
            let x = k as f64 - 0.5 * (count as f64 - 1.0);
            let layers = CollisionLayers { layers: 1 << (row + 1), mask: 1 | 1 << row | 1 << (row + 2) };
            let brick = Body::dynamic(Collider::cuboid(0.5, 0.1, 0.5)).material(slick(0.0)).layers(layers);
            bricks.push((stage.add(brick.position(v(x, 0.2 * row as f64 + 0.1, 0.0))), row, x));
        }
    }
    (stage, bricks)
}

/// A14: diamonds of up to four rows stand, without friction.
pub fn small_diamonds(_: &Value) -> Vec<Check> {
    let seconds = if EXACT { 600.0 } else { 60.0 };
    [2, 3, 4]
        .into_iter()
        .map(|rows| {
            let (mut stage, bricks) = diamond(rows, 1.0 / 60.0);
            let bodies: Vec<Entity> = bricks.iter().map(|b| b.0).collect();
            let start = starts(&stage, &bodies);
            for _ in 0..stage.steps_in(seconds) {
                stage.step();
            }
            let drift = moves(&stage, &start).fold(0.0_f64, |most, moved| most.max(moved.length()));
            Check::absolute(format!("{rows} rows: drift in {seconds} s (m)"), drift, 0.0, [1e-6, 1e-2])
        })
        .collect()
}

/// The brick of a diamond in a row at a place.
fn brick(bricks: &[(Entity, usize, f64)], row: usize, x: f64) -> Entity {
    bricks.iter().find(|b| b.1 == row && (b.2 - x).abs() < 1e-9).expect("it is one of the diamond's places").0
}

/// A15: the diamond of five rows cannot stand.
pub fn large_diamond(reference: &Value) -> Vec<Check> {
    let dt = 1.0 / 240.0;
    let (mut stage, bricks) = diamond(5, dt);
    let outer = brick(&bricks, 4, 2.0);
    stage.step();
    let falls = stage.velocity(outer).y / dt * (9.81 / stage.gravity());
    let answer = reference["outer_acceleration"].as_f64().unwrap();
    for _ in 1..stage.steps_in(0.5) {
        stage.step();
    }
    let fell = 0.9 - stage.position(outer).y;
    vec![
        Check::absolute("acceleration of the outer brick of the widest row (m/s²)", falls, answer, [1e-6, 1e-4]),
        Check::absolute("fall of that brick in 0.5 s, short of 0.1 m (m)", (0.1 - fell).max(0.0), 0.0, [0.0, 0.0]),
    ]
}

/// A15: it falls alike on both sides.
pub fn diamond_symmetry(_: &Value) -> Vec<Check> {
    let (mut stage, bricks) = diamond(5, 1.0 / 240.0);
    for _ in 0..stage.steps_in(0.5) {
        stage.step();
    }
    let mut uneven = 0.0_f64;
    for &(one, row, x) in &bricks {
        let (here, there) = (stage.position(one), stage.position(brick(&bricks, row, -x)));
        uneven = uneven.max((here.x + there.x).abs()).max((here.y - there.y).abs());
    }
    vec![Check::absolute("difference between the sides after 0.5 s (m)", uneven, 0.0, [1e-6, 1e-1])]
}

/// A3: a box on 25 balls is pushed across the axes, and everything rolls. For two seconds: from the
/// third on the box has gone so far that it lies on the balls behind no more.
pub fn rolling(_: &Value) -> Vec<Check> {
    let mut stage = Stage::upright(1e-3);
    let rough = Material::new(0.8, 0.0);
    stage.add(Body::fixed(Collider::half_space(Vec3::Y)).material(rough));
    let push = DVec3::new(1.0, 0.0, 1.0).normalize() * 150.0;
    let plate = Body::dynamic(Collider::cuboid(10.0, 0.5, 10.0)).at(0.0, 1.5, 0.0).mass(100.0).material(rough);
    let plate = stage.add(plate.force(v(push.x, push.y, push.z)));
    let mut balls = Vec::new();
    for i in 0..25 {
        let place = v(2.0 * (i % 5) as f64 - 4.0, 0.5, 2.0 * (i / 5) as f64 - 4.0);
        balls.push(stage.add(Body::dynamic(Collider::ball(0.5)).position(place).mass(25.0).material(rough)));
    }
    // The kinetic energy is v² (M + n m (1 + 2/5) / 4) / 2, as the balls go at half the box's
    // speed.
    let acceleration = push / (100.0 + 25.0 * 25.0 * 1.4 / 4.0);
    let (mut sum, steps) = (0.0, stage.steps_in(2.0));
    for _ in 0..steps {
        stage.step();
        let exact = acceleration * stage.time();
        sum += (stage.velocity(plate) - exact).length_squared();
        sum += balls.iter().map(|&b| (stage.velocity(b) - 0.5 * exact).length_squared()).sum::<f64>();
    }
    let error = sum / (steps as f64 * 26.0);
    vec![Check::absolute("mean square error of the velocities (m²/s²)", error, 0.0, [4e-15, 1e-6])]
}
