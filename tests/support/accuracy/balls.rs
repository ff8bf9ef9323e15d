//! Bouncing balls and what else collides in the engine.

use super::Check;
use super::stage::{Stage, slick, v};
use dolmen::math::{DVec3, Quat, Real, Vec3, consts};
use dolmen::prelude::*;
use hecs::Entity;
use serde_json::Value;

/// The mean over a run of the square of the energy's error (J²).
fn energy_error(stage: &mut Stage, exact: f64, seconds: f64) -> f64 {
    let steps = stage.steps_in(seconds);
    let mut sum = 0.0;
    for _ in 0..steps {
        stage.step();
        sum += (stage.physics.energy() - exact).powi(2);
    }
    sum / steps as f64
}

/// A4: 49 elastic balls of 10 kg bounce from 5 m.
pub fn bouncing(_: &Value) -> Vec<Check> {
    [(1e-3, [1e-6, 1.0]), (1e-2, [1e-3, 100.0]), (0.1, [1e-3, 100.0])]
        .into_iter()
        .map(|(dt, bars)| {
            let mut stage = Stage::upright(dt);
            stage.add(Body::fixed(Collider::half_space(Vec3::Y)).material(slick(1.0)));
            for i in 0..49 {
                let ball = Body::dynamic(Collider::ball(0.1)).mass(10.0).material(slick(1.0));
                stage.add(ball.at((i % 7) as Real * 2.0, 5.0, (i / 7) as Real * 2.0));
            }
            let exact = 49.0 * 10.0 * stage.gravity() * 5.0;
            let error = energy_error(&mut stage, exact, 20.0);
            Check::absolute(format!("dt {dt}: mean square energy error (J²)"), error, 0.0, bars)
        })
        .collect()
}

/// Six by six by six balls of 10 kg and radius 0.1 m over a floor, 0.21 m apart and up to 1 mm out
/// of line.
fn heap(dt: f64, restitution: f64) -> (Stage, Vec<Entity>) {
    let mut stage = Stage::upright(dt);
    stage.add(Body::fixed(Collider::half_space(Vec3::Y)).material(slick(restitution)));
    let mut balls = Vec::new();
    for i in 0..216u32 {
        // Fractional parts of multiples of irrationals: scattered, and the same everywhere. The
        // source draws them at random.
        let jitter = |k: f64| 0.001 * ((f64::from(i) + 1.0) * k).fract();
        let (x, y, z) = (f64::from(i / 36), f64::from(i % 6), f64::from(i / 6 % 6));
        let at = v(
            0.21 * x + jitter(0.7548776662),
            1.101 + 0.21 * y + jitter(0.4301597090),
            0.21 * z + jitter(0.5698402910),
        );
        balls.push(stage.add(Body::dynamic(Collider::ball(0.1)).mass(10.0).position(at).material(slick(restitution))));
    }
    (stage, balls)
}

/// A6: an elastic pile that scatters.
pub fn elastic_heap(_: &Value) -> Vec<Check> {
    elastic(1e-3)
}

/// A6 with longer steps.
pub fn elastic_heap_long_steps(_: &Value) -> Vec<Check> {
    [4e-3, 1e-2].into_iter().flat_map(elastic).collect()
}

/// A6 with steps in which balls cross several others.
pub fn elastic_heap_longest_steps(_: &Value) -> Vec<Check> {
    elastic(0.1)
}

fn elastic(dt: f64) -> Vec<Check> {
    let (mut stage, balls) = heap(dt, 1.0);
    let exact = balls.iter().map(|&e| 10.0 * stage.gravity() * stage.position(e).y).sum();
    let error = energy_error(&mut stage, exact, 10.0);
    vec![Check::absolute(format!("dt {dt}: mean square energy error (J²)"), error, 0.0, [1e-2, 10.0])]
}

/// A5: a plastic pile that settles.
pub fn plastic_heap(_: &Value) -> Vec<Check> {
    const EVERY: u64 = 10;
    let (mut stage, balls) = heap(1e-3, 0.0);
    let (mut sum, mut worst) = (0.0, 0.0f64);
    let steps = stage.steps_in(10.0);
    for step in 0..steps {
        stage.step();
        if step % EVERY != 0 {
            continue;
        }
        let at: Vec<DVec3> = balls.iter().map(|&e| stage.position(e)).collect();
        let mut add = |depth: f64| {
            sum += depth.max(0.0).powi(2);
            worst = worst.max(depth);
        };
        for (i, a) in at.iter().enumerate() {
            add(0.1 - a.y);
            for b in &at[..i] {
                if (a.x - b.x).abs() < 0.2 {
                    add(0.2 - (*a - *b).length());
                }
            }
        }
    }
    let mean = sum / (steps / EVERY) as f64;
    vec![Check::absolute(format!("mean sum of penetration² (m²), worst {worst:.1e} m"), mean, 0.0, [1e-8, 1e-4])]
}

/// A11: a ball dropped from 1 m.
pub fn dropped(reference: &Value) -> Vec<Check> {
    [1e-3, 1.0 / 240.0, 1.0 / 60.0].into_iter().flat_map(|dt| dropped_at(reference, dt)).collect()
}

fn dropped_at(reference: &Value, dt: f64) -> Vec<Check> {
    let mut checks = Vec::new();
    for case in reference["cases"].as_array().unwrap() {
        let restitution = case["e"].as_f64().unwrap();
        let mut stage = Stage::upright(dt);
        stage.add(Body::fixed(Collider::half_space(Vec3::Y)).material(slick(restitution)));
        let ball = stage.add(Body::dynamic(Collider::ball(0.1)).at(0.0, 1.1, 0.0).material(slick(restitution)));
        let (g, radius) = (stage.gravity(), f64::from(0.1 as Real));
        let (mut top, mut peaks, mut settled) = (1.0, Vec::new(), 0.0);
        for _ in 0..stage.steps_in(10.0) {
            let before = stage.time();
            stage.step();
            // In flight the energy says how high it goes.
            let peak = stage.position(ball).y - radius + stage.velocity(ball).y.powi(2) / (2.0 * g);
            if peak < 0.97 * top {
                peaks.push(peak);
                top = peak;
            }
            for event in stage.physics.events() {
                if let Event::BouncingEnded { after, .. } = event {
                    settled = before + f64::from(*after);
                }
            }
        }
        let name = |what: String| format!("dt {dt:.4}, e {restitution}: {what}");
        for n in 0..5 {
            let exact = case["peaks"][n].as_f64().unwrap();
            let peak = peaks.get(n).copied().unwrap_or(0.0);
            checks.push(Check::relative(name(format!("height of peak {} (m)", n + 1)), peak, exact, [1e-3, 2e-2]));
        }
        let exact = case["zeno_time"].as_f64().unwrap();
        checks.push(Check::relative(name("time of rest (s)".into()), settled, exact, [1e-3, 2e-2]));
    }
    checks
}

/// A12: k of five touching balls come in, and k go out.
pub fn cradle(_: &Value) -> Vec<Check> {
    let mut checks = Vec::new();
    for (k, dt) in (1..5).flat_map(|k| [(k, 1e-3), (k, 1.0 / 60.0), (k, 0.1)]) {
        let mut stage = Stage::new(dt, DVec3::ZERO);
        let balls: Vec<Entity> = (0..5)
            .map(|i| {
                let back = if i < k { 0.05 } else { 0.0 };
                let ball = Body::dynamic(Collider::ball(0.5)).at(i as Real - back, 0.0, 0.0).material(slick(1.0));
                stage.add(ball.linear_velocity(v(if i < k { 1.0 } else { 0.0 }, 0.0, 0.0)))
            })
            .collect();
        for _ in 0..stage.steps_in(0.2) {
            stage.step();
        }
        let worst = balls
            .iter()
            .enumerate()
            .map(|(i, &e)| (stage.velocity(e) - DVec3::X * f64::from(u8::from(i + k >= 5))).length())
            .fold(0.0, f64::max);
        checks.push(Check::absolute(
            format!("dt {dt:.4}, {k} in: velocities, worst error (m/s)"),
            worst,
            0.0,
            [1e-6, 1e-3],
        ));
    }
    checks
}

/// A23: a thin rod of 1 m falls at 2 m/s on one end.
pub fn rod(reference: &Value) -> Vec<Check> {
    let mut checks = Vec::new();
    for case in reference["cases"].as_array().unwrap() {
        let of = |key: &str| case[key].as_f64().unwrap();
        let (degrees, restitution) = (of("theta_deg"), of("e"));
        if degrees < 1.0 {
            // Both ends land within the step there.
            continue;
        }
        let mut stage = Stage::new(1e-3, DVec3::ZERO);
        stage.add(Body::fixed(Collider::half_space(Vec3::Y)).material(slick(restitution)));
        let (angle, radius) = (degrees.to_radians(), 0.01);
        let inertia = Inertia::diagonal(1.0 / 12.0, 1e-4, 1.0 / 12.0);
        let rod = Body::dynamic(Collider::capsule(0.5, radius as Real)).mass(1.0).inertia(inertia);
        let rod = rod.at(0.0, (radius + 0.5 * angle.sin() + 0.0105) as Real, 0.0);
        let upright = 0.5 * consts::PI as f64 - angle;
        let rod = rod.orientation(Quat::from_rotation_z(upright as Real)).linear_velocity(v(0.0, -2.0, 0.0));
        let rod = stage.add(rod.material(slick(restitution)));
        while stage.spin(rod).z == 0.0 && stage.time() < 0.05 {
            stage.step();
        }
        let name = |what: &str| format!("{degrees} degrees, e {restitution}: {what}");
        let (velocity, spin) = (stage.velocity(rod).y, stage.spin(rod).length());
        checks.push(Check::absolute(name("velocity (m/s)"), velocity, of("vz_cm"), [1e-9, 1e-4]));
        checks.push(Check::absolute(name("spin (rad/s)"), spin, of("omega"), [1e-9, 1e-4]));
    }
    checks
}
