//! Mechanisms against closed forms: closed chains, a gyroscope, colliding pendulums.

use crate::pendulums::rod;
use crate::stage::*;
use dolmen::math::{Real, consts::PI, to_f64};
use dolmen::prelude::*;

#[test]
fn a_driven_crank_moves_its_slider_by_the_closed_form() {
    let (r, l, omega): (Real, Real, Real) = (0.3, 1.0, 2.0);
    let mut stage = Bench::game();
    let crank = stage.world.spawn(bob(1.0, 0.2).at(0.5 * r, 0.0, 0.0));
    let connecting = stage.world.spawn(bob(1.0, 0.2).at(r + 0.5 * l, 0.0, 0.0));
    let slider = stage.world.spawn(bob(1.0, 0.2).at(r + l, 0.0, 0.0));
    let hinge = |joint: Joint, a: Real, b: Real| joint.anchors(Vec3::X * a, Vec3::X * b).axes(Vec3::Z, Vec3::Z);
    let driven = hinge(Joint::revolute(None, crank), 0.0, -0.5 * r).motor(Motor::velocity(omega, Real::INFINITY));
    let driven = stage.join(driven);
    stage.join(hinge(Joint::revolute(crank, connecting), 0.5 * r, -0.5 * l));
    stage.join(hinge(Joint::revolute(connecting, slider), 0.5 * l, 0.0));
    stage.join(Joint::prismatic(None, slider));
    let mut worst: Real = 0.0;
    for _ in 0..600 {
        stage.step();
        let angle = stage.state(driven).angle.x;
        let closed = r * angle.cos() + (l * l - r * r * angle.sin() * angle.sin()).sqrt();
        worst = worst.max((stage.position(slider).x - closed).abs()).max(stage.position(slider).y.abs());
    }
    println!("crank: {worst:e}, angle {:e}", stage.state(driven).angle.x - omega * 10.0);
    assert!(worst < 2e-4, "{worst}");
    assert!((stage.state(driven).angle.x - omega * 10.0).abs() < 0.02);
}

#[test]
fn a_four_bar_linkage_stays_closed_and_keeps_its_energy() {
    let mut stage = Bench::game();
    // A parallelogram of two rods that hang 2 m apart and a third one between their ends, released
    // with a lean.
    let lean = Quat::from_rotation_z(0.7);
    let down = lean * Vec3::NEG_Y;
    let across = Quat::from_rotation_z(-0.5 * PI);
    let a = stage.world.spawn(rod().position(down * 0.5).orientation(lean));
    let b = stage.world.spawn(rod().position(Vec3::X + down * 0.5).orientation(lean));
    let c = stage.world.spawn(rod().position(Vec3::X * 0.5 + down).orientation(across));
    let end = Vec3::Y * 0.5;
    let z = Vec3::Z;
    let joints = [
        Joint::revolute(None, a).anchors(Vec3::ZERO, end),
        Joint::revolute(None, b).anchors(Vec3::X, end),
        Joint::revolute(a, c).anchors(-end, -end),
        Joint::revolute(b, c).anchors(-end, end),
    ];
    for joint in joints {
        stage.join(joint.axes(z, z));
    }
    stage.step();
    let start = stage.physics.energy();
    let (mut gap, mut energy): (f64, f64) = (0.0, 0.0);
    for _ in 0..1200 {
        stage.step();
        gap = gap.max(stage.worst_gap());
        energy = energy.max((stage.physics.energy() - start).abs());
        assert!((stage.orientation(c) * Vec3::X).z.abs() < 1e-4);
    }
    println!("four-bar: gap {gap:e}, energy {energy:e}");
    assert!(gap < 1e-4 && energy < 0.05, "{gap} {energy}");
}

/// Angle about the y axis of a body whose arm starts along x after so many seconds (rad), and its
/// largest height or depth (m).
fn precession(stage: &mut Bench, disc: hecs::Entity, seconds: f64) -> (f64, f64) {
    let (mut turned, mut before, mut dip): (f64, f64, f64) = (0.0, 0.0, 0.0);
    let turn = std::f64::consts::TAU;
    for _ in 0..(seconds / f64::from(stage.dt)).round() as usize {
        stage.step();
        let p = to_f64(stage.position(disc));
        let now = (-p.z).atan2(p.x);
        turned += (now - before + 0.5 * turn).rem_euclid(turn) - 0.5 * turn;
        before = now;
        dip = dip.max(p.y.abs());
    }
    (turned, dip)
}

/// A disc of 1 kg about x.
fn disc(inertia: Real) -> Body {
    Body::free(1.0, Inertia { principal: Vec3::new(inertia, 0.0125, 0.0125), frame: Quat::IDENTITY })
}

#[test]
fn a_gyroscope_precesses_at_the_rate_of_its_weight_over_its_spin() {
    // On an arm of half a metre with a level axis: exactly `m g r / (I w)`, at any speed.
    let (arm, inertia): (Real, Real) = (0.5, 0.02);
    // A step should rotate the disc by half a radian at most.
    for (rate_of_steps, spin, bar) in
        [(60.0, 20.0, 0.02), (240.0, 60.0, 1e-3), (1000.0, 60.0, 1e-4), (1000.0, 200.0, 1e-3)]
    {
        let rate = G * arm / (inertia * spin);
        let mut stage = Bench::new(1.0 / rate_of_steps, Accuracy::Game);
        let disc = disc(inertia).at(arm, 0.0, 0.0).angular_velocity(Vec3::new(spin, rate, 0.0));
        let disc = stage.world.spawn(disc.linear_velocity(Vec3::new(0.0, 0.0, -rate * arm)));
        stage.join(Joint::spherical(None, disc).anchors(Vec3::ZERO, Vec3::NEG_X * arm));
        let (turned, dip) = precession(&mut stage, disc, 2.0);
        let error = turned / (2.0 * f64::from(rate)) - 1.0;
        println!("gyroscope at {rate_of_steps} Hz, {spin} rad/s: {error:e}, dip {dip:e}");
        assert!(error.abs() < bar && dip < bar, "{rate_of_steps} Hz, {spin} rad/s: {error}, dip {dip}");
    }
}

#[test]
fn a_gyroscope_in_a_gimbal_precesses_as_one_on_a_ball() {
    // The disc turns in a frame of 0.1 kg with its weight half way out; the frame yaws and pitches
    // on a cross.
    let (arm, spin, inertia, light): (Real, Real, Real, Real) = (0.5, 60.0, 0.02, 0.1);
    let rate = G * arm * (1.0 + 0.5 * light) / (inertia * spin);
    let mut stage = Bench::new(1.0 / 240.0, Accuracy::Game);
    let carried = |body: Body, r: Real| body.linear_velocity(Vec3::new(0.0, 0.0, -rate * r));
    let disc = disc(inertia).at(arm, 0.0, 0.0).angular_velocity(Vec3::new(spin, rate, 0.0));
    let disc = stage.world.spawn(carried(disc, arm));
    let frame = bob(light, 0.05).at(0.5 * arm, 0.0, 0.0).angular_velocity(Vec3::Y * rate);
    let frame = stage.world.spawn(carried(frame, 0.5 * arm));
    // Free about the world's y and then about the frame's z; held about the third.
    let mut axes = [JointFreedom::Locked; 6];
    (axes[4], axes[5]) = (JointFreedom::FREE, JointFreedom::FREE);
    stage.join(Joint::generic(None, frame, axes).anchors(Vec3::ZERO, Vec3::NEG_X * 0.5 * arm));
    stage.join(Joint::revolute(frame, disc).anchors(Vec3::X * 0.5 * arm, Vec3::ZERO).axes(Vec3::X, Vec3::X));
    let (turned, dip) = precession(&mut stage, disc, 2.0);
    let error = turned / (2.0 * f64::from(rate)) - 1.0;
    println!("gimbal: {error:e}, dip {dip:e}");
    assert!(error.abs() < 5e-3 && dip < 5e-3, "{error}, dip {dip}");
}

#[test]
fn of_five_balls_on_rods_as_many_go_out_as_come_in() {
    for incoming in 1..=4 {
        let (accuracy, dt, bar) =
            if F64 { (Accuracy::Exact, 1.0 / 2400.0, 1e-6) } else { (Accuracy::Game, 1.0 / 240.0, 1e-3) };
        let mut stage = Bench::new(dt, accuracy);
        let lean = Quat::from_rotation_z(-0.5);
        let mut balls = Vec::new();
        for k in 0..5 {
            let pivot = Vec3::new(0.2 * k as Real, 1.0, 0.0);
            let turn = if k < incoming { lean } else { Quat::IDENTITY };
            let body = Body::dynamic(Collider::ball(0.1)).mass(1.0).material(Material::new(0.0, 1.0));
            let ball = stage.world.spawn(body.position(pivot + turn * Vec3::NEG_Y));
            stage.join(Joint::distance(None, ball, 1.0, 1.0).anchors(pivot, Vec3::ZERO));
            balls.push(ball);
        }
        stage.step();
        let start = stage.physics.energy();
        let mut worst: f64 = 0.0;
        // A quarter of a period down, and half a quarter more.
        stage.run(0.75);
        let speeds: Vec<f64> = balls.iter().map(|&ball| to_f64(stage.velocity(ball)).length()).collect();
        for _ in 0..(1.0 / dt) as usize {
            stage.step();
            worst = worst.max((stage.physics.energy() - start).abs());
        }
        println!("{incoming} in: {speeds:.4?}, energy {worst:e}");
        let out = speeds.iter().rev().take_while(|&&speed| speed > 0.5).count();
        assert_eq!(out, incoming, "{speeds:?}");
        assert!(speeds[..5 - incoming].iter().all(|&speed| speed < 0.02), "{speeds:?}");
        assert!(worst < bar, "{worst}");
    }
}
