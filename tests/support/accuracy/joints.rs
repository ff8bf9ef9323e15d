//! Pendulums and mechanisms.

use super::stage::{Stage, slick, v};
use super::{Check, EXACT};
use dolmen::math::{DVec3, Quat, Real, Vec3, from_f64};
use dolmen::prelude::*;
use hecs::Entity;
use serde_json::Value;
use std::f64::consts::{FRAC_PI_2, PI};

/// The step of a column (s): `Exact` is asked with a small one.
fn step() -> f64 {
    if EXACT { 1.0 / 240.0 } else { 1.0 / 60.0 }
}

/// A stage on which nothing falls asleep.
fn awake(dt: f64) -> Stage {
    let mut stage = Stage::upright(dt);
    stage.physics.settings.sleep = false;
    stage
}

fn join(stage: &mut Stage, joint: Joint) {
    stage.world.spawn((joint, JointState::default()));
}

/// A rod of 1 m and 1 kg that hangs from a place, turned by an angle about z, and its lower end.
fn rod(stage: &mut Stage, from: DVec3, angle: f64, last: Option<Entity>) -> (Entity, DVec3) {
    let down = DVec3::new(angle.sin(), -angle.cos(), 0.0);
    let inertia = Inertia { principal: v(1.0 / 12.0, 1e-3, 1.0 / 12.0), frame: Quat::IDENTITY };
    let turned = Quat::from_rotation_z(angle as Real);
    let body = stage.add(Body::free(1.0, inertia).position(from_f64(from + 0.5 * down)).orientation(turned));
    let hold = if last.is_some() { v(0.0, -0.5, 0.0) } else { from_f64(from) };
    join(stage, Joint::revolute(last, body).anchors(hold, v(0.0, 0.5, 0.0)).axes(Vec3::Z, Vec3::Z));
    (body, from + down)
}

/// The period of a rod of 1 m on its end, by the arithmetic-geometric mean (s).
fn period(degrees: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * degrees.to_radians()).cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    2.0 * PI * (2.0_f64 / (3.0 * 9.81)).sqrt() / a
}

/// J1: a rod that swings about its end.
pub fn pendulum(_: &Value) -> Vec<Check> {
    let swing = |degrees: f64| {
        let mut stage = awake(step());
        let (rod, _) = rod(&mut stage, DVec3::ZERO, degrees.to_radians(), None);
        let (mut crossings, mut before) = (Vec::new(), degrees);
        while crossings.len() < 11 {
            stage.step();
            let p = stage.position(rod);
            let now = p.x.atan2(-p.y);
            if before > 0.0 && now <= 0.0 {
                crossings.push(stage.time() - step() * now / (now - before));
            }
            before = now;
        }
        let measured = (crossings[10] - crossings[0]) / 10.0;
        Check::relative(format!("{degrees} degrees: period (s)"), measured, period(degrees), [1e-6, 1e-3])
    };
    [5.0, 30.0, 90.0, 150.0].map(swing).into()
}

/// The greatest change of a stage's energy over a time (J).
fn energy_drift(stage: &mut Stage, seconds: f64) -> f64 {
    stage.step();
    let start = stage.physics.energy();
    let mut worst: f64 = 0.0;
    for _ in 0..stage.steps_in(seconds) {
        stage.step();
        worst = worst.max((stage.physics.energy() - start).abs());
    }
    worst
}

/// J2: two rods in a row, let go level.
pub fn double_pendulum(_: &Value) -> Vec<Check> {
    let mut stage = awake(step());
    let (first, end) = rod(&mut stage, DVec3::ZERO, FRAC_PI_2, None);
    rod(&mut stage, end, FRAC_PI_2, Some(first));
    vec![Check::absolute("60 s: energy (J)", energy_drift(&mut stage, 60.0), 0.0, [1e-4, 0.1])]
}

/// J3: the office toy: five balls on rods.
pub fn office_toy(_: &Value) -> Vec<Check> {
    let dt = if EXACT { 1.0 / 2400.0 } else { 1.0 / 240.0 };
    let mut checks = Vec::new();
    for incoming in 1..=4 {
        let mut stage = awake(dt);
        let balls: Vec<Entity> = (0..5)
            .map(|k| {
                let angle: f64 = if k < incoming { -0.5 } else { 0.0 };
                let pivot = DVec3::new(0.2 * f64::from(k), 1.0, 0.0);
                let hang = DVec3::new(angle.sin(), -angle.cos(), 0.0);
                let ball = Body::dynamic(Collider::ball(0.1)).mass(1.0).material(slick(1.0));
                let ball = stage.add(ball.position(from_f64(pivot + hang)));
                join(&mut stage, Joint::distance(None, ball, 1.0, 1.0).anchors(from_f64(pivot), Vec3::ZERO));
                ball
            })
            .collect();
        let drift = energy_drift(&mut stage, 0.75);
        let out = balls.iter().rev().take_while(|&&ball| stage.velocity(ball).length() > 0.5).count();
        let still = balls.iter().filter(|&&ball| stage.velocity(ball).length() < 0.02).count();
        let right = out == incoming as usize && still == 5 - out;
        checks.push(Check::absolute(format!("{incoming} in: as many out"), f64::from(u8::from(right)), 1.0, [0.0; 2]));
        checks.push(Check::absolute(format!("{incoming} in: energy (J)"), drift, 0.0, [1e-6, 1e-3]));
    }
    checks
}

/// J4: a disc on an arm, its axis level, precesses at `m g r / (I w)`.
pub fn gyroscope(_: &Value) -> Vec<Check> {
    let (arm, spin, inertia) = (0.5, 60.0, 0.02);
    let rate = 9.81 * arm / (inertia * spin);
    let mut stage = awake(1e-3);
    let disc = Body::free(1.0, Inertia { principal: v(inertia, 0.0125, 0.0125), frame: Quat::IDENTITY });
    let disc = disc.position(v(arm, 0.0, 0.0)).angular_velocity(v(spin, rate, 0.0));
    let disc = stage.add(disc.linear_velocity(v(0.0, 0.0, -rate * arm)));
    join(&mut stage, Joint::spherical(None, disc).anchors(Vec3::ZERO, v(-arm, 0.0, 0.0)));
    let (mut turned, mut before, mut dip): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for _ in 0..stage.steps_in(2.0) {
        stage.step();
        let p = stage.position(disc);
        let now = (-p.z).atan2(p.x);
        turned += (now - before + PI).rem_euclid(2.0 * PI) - PI;
        before = now;
        dip = dip.max(p.y.abs());
    }
    vec![
        Check::relative("rate of precession (rad/s)", turned / stage.time(), rate, [1e-4, 1e-3]),
        Check::absolute("rise or fall of the disc (m)", dip, 0.0, [1e-4, 1e-3]),
    ]
}

/// J5: a hundred links of 0.2 m, let go level.
pub fn long_chain(_: &Value) -> Vec<Check> {
    let mut stage = awake(1.0 / 60.0);
    let inertia = Inertia { principal: Vec3::splat(2.56e-3), frame: Quat::IDENTITY };
    let mut last: Option<Entity> = None;
    let mut links = Vec::new();
    for k in 0..100 {
        let link = stage.add(Body::free(1.0, inertia).position(v(0.2 * f64::from(k) + 0.1, 0.0, 0.0)));
        let hold = if last.is_some() { v(0.1, 0.0, 0.0) } else { Vec3::ZERO };
        join(&mut stage, Joint::spherical(last, link).anchors(hold, v(-0.1, 0.0, 0.0)));
        links.push(link);
        last = Some(link);
    }
    let mut worst: f64 = 0.0;
    for _ in 0..stage.steps_in(10.0) {
        stage.step();
        let mut from = DVec3::ZERO;
        for &link in &links {
            let (p, arm) = (stage.position(link), stage.orientation(link) * DVec3::X * 0.1);
            worst = worst.max((p - arm - from).length());
            from = p + arm;
        }
    }
    vec![Check::absolute("10 s: joints apart (m)", worst, 0.0, [1e-9, 5e-4])]
}
