//! Free flight.

use super::Check;
use super::stage::{Stage, v};
use dolmen::math::{DMat3, DQuat, DVec3};
use dolmen::prelude::*;
use serde_json::Value;

/// A1: a box that flies and tumbles for 10 s.
pub fn free_box(_: &Value) -> Vec<Check> {
    let mut stage = Stage::new(1e-3, DVec3::NEG_Z * 9.8);
    let (start, spin) = (v(-2.0, 2.0, 8.0), v(0.1, 5.0, 0.1));
    let body = Body::dynamic(Collider::cuboid(0.05, 0.2, 0.45)).mass(10.0);
    let e = stage.add(body.linear_velocity(start).angular_velocity(spin));
    let (x, y, z) = (0.1f64, 0.4, 0.9);
    let inertia = DVec3::new(y * y + z * z, z * z + x * x, x * x + y * y) * (10.0 / 12.0);
    let momentum = |stage: &Stage| {
        let turned = DMat3::from_quat(stage.orientation(e));
        turned * (inertia * (turned.transpose() * stage.spin(e)))
    };
    let (at_start, v0) = (momentum(&stage), stage.velocity(e));
    for _ in 0..stage.steps_in(10.0) {
        stage.step();
    }
    let t = stage.time();
    let path = v0 * t + DVec3::NEG_Z * (0.5 * stage.gravity() * t * t);
    let turned = (momentum(&stage) - at_start).length() / at_start.length();
    vec![
        Check::absolute("angular momentum, relative error", turned, 0.0, [1e-12, 1e-5]),
        Check::absolute("position, error (m)", (stage.position(e) - path).length(), 0.0, [1e-9, 1e-3]),
    ]
}

/// A2: a top that turns over again and again.
pub fn dzhanibekov(reference: &Value) -> Vec<Check> {
    let mut stage = Stage::new(1.0 / 60.0, DVec3::ZERO);
    let e = stage.add(Body::free(1.0, Inertia::diagonal(1.0, 2.0, 3.0)).angular_velocity(v(0.01, 5.0, 0.01)));
    for _ in 0..600 {
        stage.step();
    }
    let q: Vec<f64> = reference["q_wxyz"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let exact = DQuat::from_xyzw(q[1], q[2], q[3], q[0]).normalize();
    let apart = (stage.orientation(e).inverse() * exact).normalize();
    let angle = 2.0 * apart.xyz().length().atan2(apart.w.abs()).to_degrees();
    vec![Check::absolute("angle to the reference (degrees)", angle, 0.0, [0.05, 2.0])]
}
