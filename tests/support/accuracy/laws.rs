//! Problems for the laws by themselves.

use super::Check;
use dolmen::impact::propagation::{Cluster, ClusterBody, ClusterContact, Limits, SimultaneousRule};
use dolmen::math::{DMat3, DVec3};
use serde_json::Value;

fn limits(simultaneous: SimultaneousRule) -> Limits {
    Limits { horizon: 1e-3, threshold: 1e-9, touch: 1e-9, per_contact: 50, visits: u64::MAX, simultaneous }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// A13: a stick falls flat on two points and settles it between its ends.
pub fn stick(reference: &Value) -> Vec<Check> {
    let mut checks = Vec::new();
    for case in reference["cases"].as_array().unwrap() {
        let inertia = number(&case["inertia"]);
        let mut cluster = Cluster::default();
        cluster.bodies.push(ClusterBody::FIXED);
        cluster.bodies.push(ClusterBody {
            velocity: DVec3::NEG_Y,
            inverse_mass: DVec3::ONE,
            inverse_inertia: DMat3::from_diagonal(DVec3::splat(1.0 / inertia)),
            ..ClusterBody::FIXED
        });
        for (key, side) in [1.0, -1.0].into_iter().enumerate() {
            let end = ClusterContact::new([0, 1], [DVec3::ZERO, DVec3::X * side], DVec3::Y, 0.0);
            cluster.contacts.push(ClusterContact { key: key as u64, restitution: 1.0, ..end });
        }
        let done = cluster.run(&limits(SimultaneousRule::Sequential));
        let impulses: Vec<f64> = case["impulses"].as_array().unwrap().iter().map(number).collect();
        let of_end = |end: usize| impulses.iter().skip(end).step_by(2).sum::<f64>();
        let bars = [1e-9; 2];
        let name = |what: &str| format!("inertia {inertia:.4}: {what}");
        checks.push(Check::absolute(name("impacts"), done.impacts.into(), impulses.len() as f64, [0.0; 2]));
        for end in 0..2 {
            let sum = cluster.contacts[end].impulse.y;
            checks.push(Check::absolute(name("impulses of an end (N s)"), sum, of_end(end), bars));
        }
        let stick = cluster.bodies[1];
        checks.push(Check::absolute(name("velocity (m/s)"), stick.velocity.y, number(&case["final_v"]), bars));
        let spin = stick.angular_velocity.z;
        checks.push(Check::absolute(name("spin (rad/s)"), spin.abs(), number(&case["final_omega"]).abs(), bars));
    }
    checks
}

/// A25: one ball runs into a row of touching ones, and all collide at once.
pub fn row(reference: &Value) -> Vec<Check> {
    let mut checks = Vec::new();
    for case in reference["cases"].as_array().unwrap() {
        let expected: Vec<f64> = case["velocities"].as_array().unwrap().iter().map(number).collect();
        let n = expected.len();
        let mut cluster = Cluster::default();
        for i in 0..n {
            cluster.bodies.push(ClusterBody {
                velocity: if i == 0 { DVec3::X } else { DVec3::ZERO },
                inverse_mass: DVec3::ONE,
                ..ClusterBody::FIXED
            });
        }
        for i in 1..n as u32 {
            let contact = ClusterContact::new([i - 1, i], [DVec3::X * 0.5, DVec3::X * -0.5], DVec3::X, 0.0);
            cluster.contacts.push(ClusterContact { key: i.into(), restitution: 1.0, ..contact });
        }
        cluster.run(&limits(SimultaneousRule::Simultaneous));
        for (i, (body, v)) in cluster.bodies.iter().zip(&expected).enumerate() {
            let what = format!("{n} balls: velocity of the {}. (m/s)", i + 1);
            checks.push(Check::absolute(what, body.velocity.x, *v, [1e-9; 2]));
        }
    }
    checks
}
