//! Gears, racks and pinions, winches.

use crate::stage::*;
use dolmen::math::{Real, to_f64};
use dolmen::prelude::*;
use hecs::Entity;

/// A wheel of a mass (kg) with an inertia of 0.4 m r² about every axis, on a hinge along z.
fn wheel(stage: &mut Bench, on: Option<Entity>, mass: Real, radius: Real, at: Vec3) -> (Entity, Entity) {
    let body = stage.world.spawn(bob(mass, radius).position(at));
    let hinge = Joint::revolute(on, body).placed(&stage.world, at, Vec3::Z).unwrap();
    (body, stage.join(hinge))
}

fn mesh(stage: &mut Bench, [a, b]: [Entity; 2], ratio: Real) -> Entity {
    stage.join(Joint::gear(a, b, ratio).axes(Vec3::Z, Vec3::Z))
}

fn inertia(mass: Real, radius: Real) -> f64 {
    f64::from(0.4 * mass * radius * radius)
}

#[test]
fn two_gears_share_their_momentum_by_their_ratio_and_keep_their_energy() {
    // Outer teeth, and a pinion within a ring.
    for (ratio, distance) in [(3.0, 0.4), (0.5, 0.3), (-3.0, 0.4)] as [(Real, Real); 3] {
        let mut stage = Bench::game();
        let (a, on_a) = wheel(&mut stage, None, 2.0, 0.2, Vec3::ZERO);
        let (b, on_b) = wheel(&mut stage, None, 3.0, 0.4, Vec3::X * distance);
        mesh(&mut stage, [a, b], ratio);
        stage.world.get::<&mut AngularVelocity>(a).unwrap().0 = Vec3::Z * 10.0;
        stage.step();
        let [i, k] = [inertia(2.0, 0.2), inertia(3.0, 0.4)];
        // The impulse at the teeth turns both: w1 = w0 I1 q² / (I1 q² + I2), w2 = -w1 / q.
        let q = f64::from(ratio);
        let first = 10.0 * i * q * q / (i * q * q + k);
        let spins = |stage: &Bench| [a, b].map(|body| f64::from(stage.spin(body).z));
        let [x, y] = spins(&stage);
        assert!((x - first).abs() < 2e-3 * first && (y + first / q).abs() < 2e-3 * first, "{ratio}: {x} {y}, {first}");
        let energy = |[x, y]: [f64; 2]| 0.5 * (i * x * x + k * y * y);
        let before = energy(spins(&stage));
        stage.run(10.0);
        let after = energy(spins(&stage));
        assert!((after / before - 1.0).abs() < 1e-3, "{ratio}: {before} {after}");
        let [turned, other] = [on_a, on_b].map(|joint| f64::from(stage.state(joint).angle.x));
        assert!((turned + q * other).abs() < 1e-3 + 1e-5 * turned, "{ratio}: {turned} {other}");
    }
}

#[test]
fn fast_gears_do_not_slip() {
    for speed in [30.0, 200.0, 500.0] as [Real; 3] {
        let mut stage = Bench::game();
        let (a, on_a) = wheel(&mut stage, None, 2.0, 0.2, Vec3::ZERO);
        let (b, on_b) = wheel(&mut stage, None, 3.0, 0.4, Vec3::new(0.24, 0.32, 0.0));
        mesh(&mut stage, [a, b], 2.5);
        stage.world.get::<&mut Joint>(on_a).unwrap().axis_mut(3).unwrap().motor =
            Some(Motor::velocity(speed, Real::INFINITY));
        stage.run(5.0);
        let [x, y] = [on_a, on_b].map(|joint| f64::from(stage.state(joint).angle.x));
        assert!(x > 4.5 * f64::from(speed), "it turned {x} rad");
        assert!((x + 2.5 * y).abs() < 2e-3 + 2e-5 * x, "{speed}: {x} {y}");
    }
}

#[test]
fn gears_on_a_floating_carrier_keep_momentum_and_angular_momentum() {
    let mut stage = Bench::game().weightless();
    let carrier = stage.world.spawn(bob(4.0, 0.5));
    let (sun, on_sun) = wheel(&mut stage, Some(carrier), 2.0, 0.2, Vec3::ZERO);
    let (planet, on_planet) = wheel(&mut stage, Some(carrier), 1.0, 0.2, Vec3::X * 0.5);
    mesh(&mut stage, [sun, planet], 1.5);
    stage.world.get::<&mut Joint>(on_sun).unwrap().axis_mut(3).unwrap().motor = Some(Motor::velocity(8.0, 5.0));
    let bodies = [(carrier, 4.0, 0.5), (sun, 2.0, 0.2), (planet, 1.0, 0.2)] as [(Entity, Real, Real); 3];
    stage.run(4.0);
    let (mut momentum, mut angular, mut size) = (to_f64(Vec3::ZERO), to_f64(Vec3::ZERO), 0.0);
    for (body, mass, radius) in bodies {
        let (at, velocity, spin) =
            (to_f64(stage.position(body)), to_f64(stage.velocity(body)), to_f64(stage.spin(body)));
        momentum += velocity * f64::from(mass);
        let own = spin * inertia(mass, radius) + at.cross(velocity) * f64::from(mass);
        angular += own;
        size += own.length();
    }
    assert!(size > 0.3, "nothing turns: {size}");
    assert!(momentum.length() < 1e-4 && angular.length() < 1e-4 * size, "{momentum} {angular} of {size}");
    // Seen from the carrier, the ratio holds.
    let [frame, sun, planet] = bodies.map(|(body, ..)| f64::from(stage.spin(body).z));
    assert!((sun - frame - 8.0).abs() < 1e-2, "{sun} {frame}");
    assert!((sun - frame + 1.5 * (planet - frame)).abs() < 1e-3, "{sun} {planet} on {frame}");
    let [turned, other] = [on_sun, on_planet].map(|joint| f64::from(stage.state(joint).angle.x));
    assert!(turned > 20.0 && (turned + 1.5 * other).abs() < 2e-3, "{turned} {other}");
    assert!(frame.abs() > 0.1, "the carrier turns at {frame}");
}

/// Teeth that no other joint holds in mesh, some with both anchors at one place: they push on as
/// well as they can, and energy stays bounded.
#[test]
fn loose_teeth_and_ropes_do_not_explode() {
    let mut gains = Vec::new();
    for k in 0..60 {
        let mut stage = Bench::game().weightless();
        let turn = |n: i32| Quat::from_scaled_axis(Vec3::new((k * n) as Real, (k + n) as Real, (k * k) as Real) * 0.3);
        let a = stage.world.spawn(bob(2.0, 0.2).angular_velocity(Vec3::new(3.0, -4.0, 5.0)));
        let b = stage.world.spawn(bob(1.0, 0.3).at(0.4, 0.1, 0.0).linear_velocity(Vec3::new(0.5, -1.0, 0.2)));
        let place = Vec3::new(0.2, 0.05, 0.3) * [1.0, 3.0, 10.0][k as usize % 3];
        let at =
            if k < 30 { [Vec3::splat(0.02), Vec3::splat(0.04)] } else { [place, place - Vec3::new(0.4, 0.1, 0.0)] };
        let frames = [0, 1].map(|n| JointFrame { anchor: at[n], orientation: turn(1 + n as i32) });
        let joint = match k % 5 {
            0 => Joint::rack_and_pinion(a, b, 0.2),
            1 => Joint::winch(a, b, 0.1, 0.4),
            2 => Joint::gear(a, b, 2.0),
            3 => Joint::gear(a, b, 0.3),
            _ => Joint::gear(a, b, -3.0),
        };
        stage.join(joint.frames(frames[0], frames[1]));
        let energy = |stage: &Bench| -> f64 {
            let of = |(body, mass, radius): (Entity, Real, Real)| {
                let turning = inertia(mass, radius) * f64::from(stage.spin(body).length_squared());
                0.5 * (f64::from(mass * stage.velocity(body).length_squared()) + turning)
            };
            [(a, 2.0, 0.2), (b, 1.0, 0.3)].map(of).iter().sum()
        };
        let before = energy(&stage);
        let mut most: f64 = 0.0;
        for _ in 0..600 {
            stage.step();
            most = most.max(energy(&stage));
        }
        gains.push((most / before, k));
    }
    gains.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Those that turn by a large part of a radian in a step are not resolved.
    assert!(gains[0].0 < 1.1 && gains[10].0 < 1.001, "{:?}", &gains[..20]);
}

#[test]
fn a_rack_goes_the_arc_of_its_pinion_and_holds_its_load() {
    for radius in [0.2, -0.2] as [Real; 2] {
        let mut stage = Bench::game();
        let (pinion, on_pinion) = wheel(&mut stage, None, 1.0, 0.2, Vec3::ZERO);
        let at = Vec3::X * radius;
        let rack = stage.world.spawn(bob(5.0, 0.3).position(at));
        let slider = Joint::prismatic(None, rack).placed(&stage.world, at, Vec3::Y).unwrap();
        let slider = stage.join(slider);
        let mesh = stage.join(Joint::rack_and_pinion(pinion, rack, radius).axes(Vec3::Z, Vec3::Y));
        // Held by the torque of its weight alone.
        stage.world.insert_one(pinion, ExternalTorque(Vec3::Z * (5.0 * G * radius))).unwrap();
        stage.run(2.0);
        let sunk = stage.state(slider).position.x;
        assert!(sunk.abs() < 2e-3, "{sunk}");
        let force = stage.state(mesh).force;
        assert!((force - Vec3::Y * (5.0 * G)).length() < 0.1, "{force}");
        // Driven by a motor.
        stage.world.remove_one::<ExternalTorque>(pinion).unwrap();
        stage.world.get::<&mut Joint>(on_pinion).unwrap().axis_mut(3).unwrap().motor =
            Some(Motor::velocity(7.0, Real::INFINITY));
        stage.run(3.0);
        let (turned, gone) = (stage.state(on_pinion).angle.x, stage.state(slider).position.x);
        assert!(turned > 20.0 && (gone - turned * radius).abs() < 1e-4, "{turned} rad, {gone} m");
    }
}

#[test]
fn a_winch_hoists_its_load_by_its_arc_and_a_motor_too_weak_lets_it_down() {
    let mut stage = Bench::game();
    let (drum, on_drum) = wheel(&mut stage, None, 2.0, 0.25, Vec3::ZERO);
    let load = stage.world.spawn(bob(10.0, 0.2).at(0.25, -6.0, 0.0));
    // About z the rope leaves the drum on the right, and a turn winds it up.
    let winch = stage.join(Joint::winch(drum, load, 0.25, 6.0).axes(Vec3::Z, Vec3::X));
    let motor = |stage: &mut Bench, speed: Real, torque: Real| {
        stage.world.get::<&mut Joint>(on_drum).unwrap().axis_mut(3).unwrap().motor =
            Some(Motor::velocity(speed, torque));
    };
    motor(&mut stage, 0.0, 100.0);
    stage.run(1.0);
    let sag = stage.position(load) - Vec3::new(0.25, -6.0, 0.0);
    assert!(sag.length() < 1e-3, "{sag}");
    let force = stage.state(winch).force;
    assert!((force - Vec3::Y * (10.0 * G)).length() < 0.1, "{force}");
    motor(&mut stage, 2.0, 100.0);
    stage.run(5.0);
    let (turned, height) = (stage.state(on_drum).angle.x, stage.position(load).y);
    assert!(turned > 9.0 && (height + 6.0 - turned * 0.25).abs() < 2e-3, "{turned} rad, {height} m");
    // Its torque is less than the load's 24.5 N m: both fall as an Atwood machine.
    motor(&mut stage, 2.0, 10.0);
    let before = stage.velocity(load).y;
    stage.run(0.5);
    let inertia = 10.0 + inertia(2.0, 0.25) as Real / 0.0625;
    let expected = before - 0.5 * (10.0 * G - 10.0 / 0.25) / inertia;
    assert!((stage.velocity(load).y - expected).abs() < 0.05, "{} for {expected}", stage.velocity(load).y);
}

#[test]
fn a_pulley_balances_by_the_ratio_of_its_drums() {
    // Two ropes on one drum: 3 kg on 0.3 m against m on 0.1 m.
    for (mass, falls) in [(9.0, 0.0), (12.0, 1.0)] as [(Real, Real); 2] {
        let mut stage = Bench::game();
        let (drum, on_drum) = wheel(&mut stage, None, 0.5, 0.2, Vec3::ZERO);
        let light = stage.world.spawn(bob(3.0, 0.2).at(0.3, -3.0, 0.0));
        let heavy = stage.world.spawn(bob(mass, 0.2).at(-0.1, -2.0, 0.0));
        stage.join(Joint::winch(drum, light, 0.3, 3.0).axes(Vec3::Z, Vec3::X));
        stage.join(Joint::winch(drum, heavy, -0.1, 2.0).axes(Vec3::Z, Vec3::X));
        stage.run(1.0);
        // The drum's acceleration about z, from both loads.
        let inertia = 3.0 * 0.09 + mass * 0.01 + inertia(0.5, 0.2) as Real;
        let turned = 0.5 * G * (mass * 0.1 - 3.0 * 0.3) / inertia;
        let got = stage.state(on_drum).angle.x;
        assert!((got - turned).abs() < 0.01 * (1.0 + falls * turned.abs()), "{mass}: {got} for {turned}");
        let [up, down] = [stage.position(light).y + 3.0, stage.position(heavy).y + 2.0];
        assert!((up + 3.0 * down).abs() < 2e-3, "{mass}: {up} {down}");
    }
}

#[test]
fn a_load_that_swings_on_a_winch_keeps_its_energy_and_a_slack_rope_bears_nothing() {
    let mut stage = Bench::game();
    let drum = stage.world.spawn(Body::kinematic(Collider::ball(0.1)).at(0.0, 0.0, 0.0));
    let load = stage.world.spawn(bob(1.0, 0.1).at(1.0, -1.0, 0.6));
    let winch = stage.join(Joint::winch(drum, load, 0.2, 1.6).axes(Vec3::Z, Vec3::X));
    let energy =
        |stage: &Bench| f64::from(0.5 * stage.velocity(load).length_squared() + G * (stage.position(load).y + 2.0));
    let before = energy(&stage);
    stage.step();
    assert!(stage.state(winch).force.length() < 1e-6, "it is slack at first: {}", stage.state(winch).force);
    stage.run(1.0);
    let taut = energy(&stage);
    assert!(taut < before * 1.001, "{before} {taut}");
    let mut most = 0.0_f64;
    for _ in 0..1200 {
        stage.step();
        most = most.max(energy(&stage));
        let z = stage.state(winch).angle.z;
        assert!(z < 1.6 + 2e-3, "{z}");
    }
    assert!(most < taut * 1.002, "{taut} {most}");
}

#[test]
fn impossible_gears_are_errors() {
    for mut joint in [
        Joint::gear(None, None, 0.0),
        Joint::gear(None, None, -1.0),
        Joint::gear(None, None, Real::NAN),
        Joint::rack_and_pinion(None, None, 0.0),
        Joint::rack_and_pinion(None, None, Real::INFINITY),
        Joint::winch(None, None, 0.0, 1.0),
        Joint::winch(None, None, 0.1, -1.0),
        Joint::gear(None, None, 2.0).limits(0.0, 1.0),
    ] {
        let mut stage = Bench::game();
        let body = stage.world.spawn(bob(1.0, 0.5));
        joint.bodies[1] = Some(body);
        stage.join(joint.clone());
        assert!(stage.physics.step(&mut stage.world, stage.dt).is_err(), "{joint:?}");
    }
}
