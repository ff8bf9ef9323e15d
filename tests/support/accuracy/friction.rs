//! Sliding, sticking, rolling.

use super::stage::{Stage, v};
use super::{Check, EXACT};
use dolmen::math::{DVec3, Quat, Real, Vec3};
use dolmen::prelude::*;
use hecs::Entity;
use serde_json::Value;

/// A cube of 1 m on a slope that falls towards +x.
fn cube_on_slope(degrees: f64, friction: f64, downhill: f64) -> (Stage, Entity, DVec3) {
    let mut stage = Stage::upright(1e-3);
    let angle = degrees.to_radians();
    let turned = Quat::from_rotation_z(-angle as Real);
    let material = Material::new(friction as Real, 0.0);
    let slope = v(angle.cos(), -angle.sin(), 0.0);
    let up = turned * Vec3::Y;
    stage.add(Body::fixed(Collider::half_space(Vec3::Y)).orientation(turned).material(material));
    let cube = Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).position(up * 0.5).orientation(turned);
    let cube = stage.add(cube.linear_velocity(slope * downhill as Real).material(material));
    (stage, cube, DVec3::new(angle.cos(), -angle.sin(), 0.0))
}

/// A8: a cube sliding down stops, and stays where it stopped.
pub fn slope_stop(_: &Value) -> Vec<Check> {
    let (mut stage, cube, slope) = cube_on_slope(20.0, 0.5, 3.0);
    let from = stage.position(cube);
    for _ in 0..stage.steps_in(3.0) {
        stage.step();
    }
    let stopped = stage.position(cube);
    let (angle, g) = (20f64.to_radians(), 9.81);
    let distance = 9.0 / (2.0 * g * (0.5 * angle.cos() - angle.sin()));
    for _ in 0..stage.steps_in(60.0) {
        stage.step();
    }
    let creep = (stage.position(cube) - stopped).length();
    vec![
        Check::relative("stopping distance (m), relative", (stopped - from).dot(slope), distance, [1e-4, 1e-2]),
        Check::absolute("creep in 60 s (m)", creep, 0.0, [1e-9, 1e-5]),
    ]
}

/// A9: a cube that friction holds.
pub fn slope_creep(_: &Value) -> Vec<Check> {
    let (mut stage, cube, _) = cube_on_slope(30.0, 0.6, 0.0);
    let from = stage.position(cube);
    for _ in 0..stage.steps_in(100.0) {
        stage.step();
    }
    vec![Check::absolute("creep in 100 s (m)", (stage.position(cube) - from).length(), 0.0, [1e-9, 1e-5])]
}

/// A10: a solid sphere with backspin, or none, slides until it rolls.
pub fn slip_roll(reference: &Value) -> Vec<Check> {
    let bars = if EXACT { [1e-3; 2] } else { [1e-2; 2] };
    let mut checks = Vec::new();
    for case in reference["cases"].as_array().unwrap() {
        let of = |key: &str| case[key].as_f64().unwrap();
        let (radius, back) = (of("R"), of("backspin"));
        let mut stage = Stage::upright(1e-3);
        let material = Material::new(of("mu") as Real, 0.0);
        stage.add(Body::fixed(Collider::half_space(Vec3::Y)).material(material));
        let ball = Body::dynamic(Collider::ball(radius as Real)).at(0.0, radius as Real, 0.0).material(material);
        let ball = stage.add(ball.linear_velocity(v(of("v0"), 0.0, 0.0)).angular_velocity(v(0.0, 0.0, back)));
        let slip = |stage: &Stage| stage.velocity(ball).x + radius * stage.spin(ball).z;
        // Slip falls linearly: two readings on the way give the moment at which it ends.
        let mut readings = Vec::new();
        let mut rolling = None;
        for step in 0..stage.steps_in(3.0) {
            stage.step();
            let t = stage.time();
            if step % 100 == 99 && t < 0.9 * of("t_roll") {
                readings.push((t, slip(&stage)));
            }
            if rolling.is_none() && slip(&stage).abs() < 1e-3 {
                rolling = Some((stage.position(ball).x, t));
            }
        }
        let [(t0, u0), .., (t1, u1)] = readings[..] else { unreachable!("sliding lasts for more than two readings") };
        let ends = t1 + u1 * (t1 - t0) / (u0 - u1);
        let name = |what: &str| format!("backspin {back} rad/s: {what}");
        let velocity = stage.velocity(ball).x;
        checks.push(Check::relative(name("time of rolling (s)"), ends, of("t_roll"), bars));
        checks.push(Check::relative(name("velocity of rolling (m/s)"), velocity, of("v_roll"), bars));
        if let Some((x, t)) = rolling {
            // The reading is late by less than a step, at the velocity of rolling.
            let x = x - of("v_roll") * (t - of("t_roll"));
            checks.push(Check::relative(name("place of rolling (m)"), x, of("x_at_roll"), bars));
        }
        checks.push(Check::relative(name("place at 3 s (m)"), stage.position(ball).x, of("x_at_3s"), bars));
    }
    checks
}
