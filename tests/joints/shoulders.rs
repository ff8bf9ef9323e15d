//! Swing-twist joints: elliptic cones, twists, motors.

use crate::stage::*;
use dolmen::math::{Real, consts::TAU, to_f64};
use dolmen::prelude::*;
use hecs::Entity;

/// A bob of 1 kg on an arm of 1 m along x, on a shoulder at the origin.
fn arm(stage: &mut Bench, limits: SwingTwist, start: Vec3) -> (Entity, Entity) {
    let turned = Quat::from_scaled_axis(start);
    let body = bob(1.0, 0.3).position(turned * Vec3::X).orientation(turned);
    let body = stage.world.spawn(body.with(Damping { linear: 0.0, angular: 0.0 }));
    let joint = Joint::swing_twist(None, body, limits).anchors(Vec3::ZERO, Vec3::NEG_X);
    (body, stage.join(joint))
}

/// How far a swing (rad) is out of a cone: 1 on its rim.
fn reach(cone: [Real; 2], swing: Vec3) -> f64 {
    let angle = to_f64(swing).length();
    let half = to_f64(swing) / angle * (0.5 * angle).sin();
    let sines = cone.map(|half| (0.5 * f64::from(half)).sin());
    (half.y / sines[0]).hypot(half.z / sines[1])
}

#[test]
fn a_falling_arm_stops_at_the_lowest_place_of_its_cone() {
    for cone in [[0.6, 0.6], [0.3, 1.1], [1.4, 0.8], [2.4, 2.0]] as [[Real; 2]; 4] {
        for k in 0..8 {
            let mut stage = Bench::game();
            let down = TAU * k as Real / 8.0;
            let gravity = Vec3::new(0.0, -down.cos(), down.sin()) * G;
            stage.physics.settings.gravity = gravity;
            let (body, joint) = arm(&mut stage, SwingTwist { cone, ..SwingTwist::default() }, Vec3::ZERO);
            stage.world.get::<&mut Damping>(body).unwrap().linear = 2.0;
            stage.run(12.0);
            let state = stage.state(joint);
            let swing = state.angle.with_x(0.0);
            let reach = reach(cone, swing);
            if cone[0] > 2.0 {
                // It hangs freely.
                let hangs = (stage.position(body) - gravity.normalize()).length();
                assert!(hangs < 1e-2 && reach < 1.0, "{cone:?} {k}: {hangs} m off, reach {reach}");
                continue;
            }
            assert!((reach - 1.0).abs() < 2e-3, "{cone:?} {k}: {reach} of the rim, {swing}");
            // No other place of the rim is lower.
            let height = |swing: Vec3| -gravity.dot(Quat::from_scaled_axis(swing) * Vec3::X);
            let lowest = (0..3600).map(|n| {
                let angle = TAU * n as Real / 3600.0;
                let half = Vec3::new(0.0, angle.cos() * (0.5 * cone[0]).sin(), angle.sin() * (0.5 * cone[1]).sin());
                height(half.normalize() * 2.0 * half.length().asin())
            });
            let lowest = lowest.fold(Real::MAX, Real::min);
            assert!(height(swing) < lowest + 0.02, "{cone:?} {k}: {} above {lowest}", height(swing));
        }
    }
}

#[test]
fn an_arm_that_runs_round_its_rim_keeps_its_energy() {
    for cone in [[0.7, 0.7], [0.5, 0.9]] as [[Real; 2]; 2] {
        let mut stage = Bench::game().weightless();
        let limits = SwingTwist { cone, ..SwingTwist::default() };
        let (body, joint) = arm(&mut stage, limits, Vec3::Y * (cone[0] - 0.01));
        let spin = stage.orientation(body) * (Vec3::NEG_Z * 2.0) + Vec3::X * 1.0;
        *stage.world.get::<&mut AngularVelocity>(body).unwrap() = AngularVelocity(spin);
        let at = stage.position(body);
        *stage.world.get::<&mut LinearVelocity>(body).unwrap() = LinearVelocity(spin.cross(at));
        let energy = |stage: &Bench| {
            let turning = 0.4 * 0.09 * stage.spin(body).length_squared();
            f64::from(0.5 * (stage.velocity(body).length_squared() + turning))
        };
        let before = energy(&stage);
        let (mut most, mut farthest, mut round) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut last = stage.position(body);
        for _ in 0..600 {
            stage.step();
            most = most.max(energy(&stage) / before);
            farthest = farthest.max(reach(cone, stage.state(joint).angle.with_x(0.0)));
            let now = stage.position(body);
            round += f64::from((last.y * now.z - last.z * now.y).atan2(last.y * now.y + last.z * now.z));
            last = now;
        }
        assert!(most < 1.0 + 1e-3, "{cone:?}: energy up to {most}");
        assert!(farthest < 1.01, "{cone:?}: {farthest} of the rim");
        assert!(round.abs() > 6.0, "{cone:?}: only {round} rad round");
    }
}

#[test]
fn a_twist_stops_at_its_limits_wherever_the_arm_points() {
    for swing in [Vec3::ZERO, Vec3::Y * 0.7, Vec3::new(0.0, -0.4, 0.9)] {
        for (torque, limit) in [(0.5, 0.8), (-0.5, -0.3)] as [(Real, Real); 2] {
            let mut stage = Bench::game().weightless();
            let (body, joint) = arm(&mut stage, SwingTwist::new([1.2, 1.2], [-0.3, 0.8]), swing);
            let along = Quat::from_scaled_axis(swing) * Vec3::X;
            stage.world.insert_one(body, ExternalTorque(along * torque)).unwrap();
            stage.run(2.0);
            let state = stage.state(joint);
            assert!((state.angle.x - limit).abs() < 2e-3, "{swing}: {} for {limit}", state.angle);
        }
    }
}

#[test]
fn its_motors_bring_an_arm_to_a_pose_and_hold_it_there() {
    let spring = JointSpring::Tuned { frequency: 4.0, damping_ratio: 1.0 };
    let target = Vec3::new(0.5, -0.4, 0.7);
    let to = |k: usize| Some(Motor::position(target[k], spring, Real::INFINITY));
    let mut limits = SwingTwist::new([1.2, 1.2], [-1.0, 1.0]);
    limits.twist.motor = to(0);
    limits.swing_motors = [to(1), to(2)];
    let mut stage = Bench::game().weightless();
    let (_, joint) = arm(&mut stage, limits, Vec3::ZERO);
    stage.run(3.0);
    let angle = stage.state(joint).angle;
    assert!((angle - target).length() < 2e-3, "{angle} for {target}");
}

#[test]
fn an_arm_that_points_the_other_way_stays_in_the_range_of_numbers() {
    // There the direction of a swing is that of rounding.
    let cone = [3.0, 1.9];
    for k in 0..24 {
        let axis = Quat::from_rotation_x(TAU * k as Real / 24.0) * Vec3::Y;
        for off in [0.0, 1e-6, 1e-5, 1e-4, 2e-4, 3e-4, 1e-3] {
            let mut stage = Bench::game();
            let (body, _) = arm(&mut stage, SwingTwist { cone, ..SwingTwist::default() }, axis * (0.5 * TAU - off));
            for _ in 0..10 {
                let report = stage.physics.step(&mut stage.world, 1.0 / 60.0).unwrap();
                assert_eq!(report.counts.out_of_range, 0, "about {axis}, {off} off");
            }
            let velocity = stage.world.get::<&LinearVelocity>(body).unwrap().0;
            assert!(velocity.length() < 100.0, "about {axis}, {off} off: {velocity}");
        }
    }
}

#[test]
fn impossible_cones_are_errors_that_say_which() {
    for (limits, word) in [
        (SwingTwist { cone: [0.5, 0.0], ..SwingTwist::default() }, "half angle about z"),
        (SwingTwist { cone: [4.0, 0.5], ..SwingTwist::default() }, "half angle about y"),
        (SwingTwist { cone: [Real::NAN, 0.5], ..SwingTwist::default() }, "half angle about y"),
        (SwingTwist::new([0.5, 0.5], [-4.0, 1.0]), "limits of a twist"),
        (SwingTwist::new([0.5, 0.5], [1.0, -1.0]), "twist: the least limit"),
        (SwingTwist { swing_friction: -1.0, ..SwingTwist::default() }, "swing_friction"),
    ] {
        let mut stage = Bench::game();
        arm(&mut stage, limits, Vec3::ZERO);
        let error = stage.physics.step(&mut stage.world, stage.dt).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}
