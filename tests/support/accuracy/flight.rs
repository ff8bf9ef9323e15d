//! Free flight.

use super::Check;
use super::stage::{Stage, slick, v};
use dolmen::math::{DMat3, DQuat, DVec3, from_f64};
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

/// A18: a heavy top that stands on its tip and goes round steadily. Friction holds the tip.
pub fn heavy_top(reference: &Value) -> Vec<Check> {
    let of = |key: &str| reference[key].as_f64().unwrap();
    let (height, radius, tilt) = (of("height"), of("radius"), of("theta_deg").to_radians());
    let mut stage = Stage::upright(1e-3);
    let grip = Material::new(0.8, 0.0);
    stage.add(Body::fixed(Collider::half_space(Vec3::Y)).material(grip));
    // The axis points from the tip, at the origin, up along the cone's axis: it leans towards x.
    let axis = DVec3::new(tilt.sin(), tilt.cos(), 0.0);
    let (precession, spin) = (of("precession"), of("spin"));
    let turning = DVec3::Y * precession + axis * (spin - precession * tilt.cos());
    // The cone's base looks down in its own axes, and its middle is half way up.
    let turned = DQuat::from_rotation_arc(DVec3::NEG_Y, axis);
    let place = axis * (0.5 * height);
    let center = axis * (0.75 * height);
    let body = Body::dynamic(Collider::cone(0.5 * height as Real, radius as Real)).mass(of("mass") as Real);
    let body = body.position(from_f64(place)).material(grip).orientation(rounded(turned));
    let top = stage.add(body.linear_velocity(from_f64(turning.cross(center))).angular_velocity(from_f64(turning)));
    let axis_of = |stage: &Stage| stage.orientation(top) * DVec3::NEG_Y;
    let (mut angle, mut before) = (0.0, axis_of(&stage));
    for _ in 0..stage.steps_in(10.0) {
        stage.step();
        let now = axis_of(&stage);
        // About y, from z towards x.
        angle += (before.z * now.x - before.x * now.z).atan2(before.x * now.x + before.z * now.z);
        before = now;
    }
    let rate = angle / stage.time();
    vec![Check::relative("precession (rad/s), relative", rate, precession, [1e-4, 1e-2])]
}

/// A26: a slab slides off a table without friction, and tips over its edge.
pub fn off_table(reference: &Value) -> Vec<Check> {
    let mut checks = Vec::new();
    for case in reference["cases"].as_array().unwrap() {
        let of = |key: &str| case[key].as_f64().unwrap();
        let lasts = of("t_from_COM_at_edge");
        // So that the moment at which it leaves the edge is the end of a step.
        let steps = (lasts / 1e-3).round();
        let mut stage = Stage::upright(lasts / steps);
        let table = Body::fixed(Collider::cuboid(2.0, 0.5, 1.0)).at(-2.0, -0.5, 0.0);
        stage.add(table.material(slick(0.0)));
        let half = (0.5 * of("w"), 0.5 * of("h"));
        let slab = Body::dynamic(Collider::cuboid(half.0 as Real, half.1 as Real, 0.25)).position(v(0.0, half.1, 0.0));
        let slab = slab.locked(LockedAxes::PLANE_XY).material(slick(0.0));
        let slab = stage.add(slab.linear_velocity(v(of("v"), 0.0, 0.0)));
        for _ in 0..steps as u32 {
            stage.step();
        }
        let tilt = 2.0 * stage.orientation(slab).z.abs().asin().to_degrees();
        let name = |what: &str| format!("at {} m/s: {what}", of("v"));
        checks.push(Check::relative(name("angle when contact is lost (degrees)"), tilt, of("theta_deg"), [1e-3, 2e-2]));
        let spin = stage.spin(slab).z.abs();
        checks.push(Check::relative(name("spin then (rad/s)"), spin, of("omega"), [1e-3, 2e-2]));
    }
    checks
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

fn rounded(q: DQuat) -> Quat {
    Quat::from_xyzw(q.x as Real, q.y as Real, q.z as Real, q.w as Real)
}
