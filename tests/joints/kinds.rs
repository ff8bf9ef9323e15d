//! Every kind of joint: free and locked axes, limits, motors, friction, springs, breaking.

use crate::stage::*;
use dolmen::Event;
use dolmen::math::{Real, consts::PI};
use dolmen::prelude::*;

const ALL: Real = Real::INFINITY;

/// A ball of 1 kg with an inertia of 0.1 kg m² about every axis, at the origin.
fn ball() -> Body {
    bob(1.0, 0.5)
}

#[test]
fn each_kind_holds_what_it_locks_and_leaves_the_rest_free() {
    let free = |axes: &[usize]| {
        let mut list = [JointFreedom::Locked; 6];
        axes.iter().for_each(|&k| list[k] = JointFreedom::FREE);
        list
    };
    // The free axes among x, y, z and the rotations about them.
    let kinds: Vec<(Joint, [u8; 6])> = vec![
        (Joint::fixed(None, None), [0, 0, 0, 0, 0, 0]),
        (Joint::spherical(None, None), [0, 0, 0, 1, 1, 1]),
        (Joint::revolute(None, None), [0, 0, 0, 1, 0, 0]),
        (Joint::prismatic(None, None), [1, 0, 0, 0, 0, 0]),
        (Joint::generic(None, None, free(&[1, 5])), [0, 1, 0, 0, 0, 1]),
        (Joint::generic(None, None, free(&[0, 2])), [1, 0, 1, 0, 0, 0]),
        (Joint::generic(None, None, free(&[3, 4])), [0, 0, 0, 1, 1, 0]),
        (Joint::generic(None, None, free(&[4])), [0, 0, 0, 0, 1, 0]),
        (Joint::generic(None, None, free(&[])), [0, 0, 0, 0, 0, 0]),
    ];
    for (mut joint, mask) in kinds {
        let mut stage = Bench::game().weightless();
        let body = ball().force(Vec3::new(0.5, 0.7, -0.6)).torque(Vec3::new(0.03, -0.02, 0.025));
        let body = stage.world.spawn(body);
        joint.bodies[1] = Some(body);
        let kind = format!("{:?}", joint.kind);
        let joint = stage.join(joint);
        stage.run(1.0);
        let state = stage.state(joint);
        for (k, &free) in mask.iter().enumerate() {
            let at = if k < 3 { state.position[k] } else { state.angle[k - 3] };
            if free == 1 {
                assert!(at.abs() > 0.03, "{kind}: axis {k} is at {at}");
            } else {
                assert!(at.abs() < 2e-4, "{kind}: axis {k} is at {at}");
            }
        }
    }
}

#[test]
fn limits_hold_across_half_a_turn_and_beyond_a_whole_one() {
    for (least, greatest, torque) in [(-0.5, 4.0, 0.3), (-4.5, 0.5, -0.3), (0.0, 10.0, 0.3), (-20.0, -1.0, -0.3)] {
        let mut stage = Bench::game().weightless();
        let body = stage.world.spawn(ball().torque(Vec3::X * torque));
        let joint = stage.join(Joint::revolute(None, body).limits(least, greatest));
        stage.run(15.0);
        let limit = if torque > 0.0 { greatest } else { least };
        let state = stage.state(joint);
        assert!((state.angle.x - limit).abs() < 1e-3, "{} for {limit}", state.angle.x);
        assert!((state.torque.x + torque).abs() < 1e-3, "the limit bears {}", state.torque);
        // And it breaks.
        stage.world.insert_one(body, ExternalTorque(Vec3::X * -torque)).unwrap();
        stage.run(0.5);
        assert!((stage.state(joint).angle.x - limit).abs() > 0.1);
    }
}

#[test]
fn what_goes_fast_goes_on_until_its_limit_and_stops_there() {
    // Speeds on both sides of the maximum correction speed.
    for speed in [-100.0, -21.0, -20.0, 5.0, 19.0, 21.0, 60.0, 100.0] as [Real; 8] {
        let mut stage = Bench::game().weightless();
        let (arm, range) = (Vec3::Z * 0.65, 10.0);
        let turning = Vec3::X * speed;
        let door = ball().position(arm).angular_velocity(turning).linear_velocity(turning.cross(arm));
        let door = stage.world.spawn(door);
        let hinge = stage.join(Joint::revolute(None, door).anchors(Vec3::ZERO, -arm).limits(-range, range));
        let carriage = stage.world.spawn(ball().linear_velocity(turning));
        let rail = stage.join(Joint::prismatic(None, carriage).limits(-range, range));
        let tied = stage.world.spawn(ball().linear_velocity(turning));
        let rope = stage.join(Joint::distance(None, tied, 0.0, range));
        let steps = (range / (speed.abs() * stage.dt)).floor() as usize;
        // In each of the four substeps of a step the centre moves along a chord, which differs from
        // the arc by a sixth of the square of the rotation.
        let late = 1e-4 + (speed * stage.dt / 4.0).powi(2) / 6.0;
        for step in 0..steps + 10 {
            stage.step();
            let [turn, way, length] =
                [stage.state(hinge).angle.x, stage.state(rail).position.x, stage.position(tied).length()];
            if step + 1 < steps {
                let so_far = speed * stage.dt * (step + 1) as Real;
                assert!((turn - so_far).abs() < late * so_far.abs(), "{speed}, {step}: {turn} for {so_far}");
                assert!((way - so_far).abs() < 1e-4 * so_far.abs(), "{speed}, {step}: {way} for {so_far}");
                assert!((length - so_far.abs()).abs() < 1e-4 * so_far.abs(), "{speed}, {step}: {length} for {so_far}");
            }
            assert!(turn.abs() < range + 2e-3 && way.abs() < range + 1e-3 && length < range + 1e-3, "{speed}, {step}");
        }
        let ends = [stage.state(hinge).angle.x, stage.state(rail).position.x, stage.state(rope).position.length()];
        let want = range * speed.signum();
        let misses = [ends[0] - want, ends[1] - want, ends[2] - range];
        assert!(misses.iter().all(|miss| miss.abs() < 2e-3), "{speed}: {ends:?}");
        let speeds = [stage.spin(door).length(), stage.velocity(carriage).length(), stage.velocity(tied).length()];
        assert!(speeds.iter().all(|&left| left < 1e-2), "{speed}: {speeds:?}");
    }
}

#[test]
fn a_slider_falls_to_its_limit_and_a_rope_goes_taut() {
    let mut stage = Bench::game();
    let body = stage.world.spawn(ball());
    let slider = Joint::prismatic(None, body).axes(Vec3::NEG_Y, Vec3::NEG_Y).limits(-1.0, 0.7);
    let slider = stage.join(slider);
    let hung = stage.world.spawn(ball().at(5.2, 0.0, 0.0));
    let rope = stage.join(Joint::distance(None, hung, 0.0, 1.0).anchors(Vec3::X * 5.0, Vec3::ZERO));
    let mut longest: Real = 0.0;
    for _ in 0..300 {
        stage.step();
        longest = longest.max(stage.state(rope).position.x);
    }
    assert!((stage.state(slider).position.x - 0.7).abs() < 1e-4, "{:?}", stage.state(slider));
    assert!((stage.state(slider).force.y - G).abs() < 1e-2, "{:?}", stage.state(slider));
    assert!(longest < 1.0 + 1e-3 && longest > 0.99, "{longest}");
}

#[test]
fn a_motor_accelerates_with_its_torque_to_its_speed() {
    let mut stage = Bench::game().weightless();
    let body = stage.world.spawn(ball());
    let joint = stage.join(Joint::revolute(None, body).motor(Motor::velocity(6.0, 0.2)));
    // The angular acceleration is 2 rad/s², so that the speed is reached after 3 s.
    stage.run(2.0);
    assert!((stage.spin(body).x - 4.0).abs() < 1e-3, "{}", stage.spin(body));
    assert!((stage.state(joint).angle.x - 4.0).abs() < 2e-2, "{}", stage.state(joint).angle);
    stage.run(2.0);
    assert!((stage.spin(body) - Vec3::X * 6.0).length() < 1e-3, "{}", stage.spin(body));
    assert!((stage.state(joint).angle.x - 15.0).abs() < 2e-2, "{}", stage.state(joint).angle);
}

#[test]
fn a_motor_that_runs_into_a_limit_stands_there_however_strong_it_is() {
    for (speed, torque) in [(1.0, 5.0), (1.0, 200.0), (-1.0, 200.0), (0.2, 1e4), (20.0, 1e5), (3.0, ALL)] {
        for slider in [false, true] {
            let mut bench = Bench::game();
            let body = bench.world.spawn(ball());
            let joint = if slider { Joint::prismatic(None, body) } else { Joint::revolute(None, body) };
            let joint = bench.join(joint.limits(-0.3, 0.5).motor(Motor::velocity(speed, torque)).friction(0.1));
            bench.run(5.0);
            let state = *bench.world.get::<&JointState>(joint).unwrap();
            let reached = if slider { state.position.x } else { state.angle.x };
            let limit = if speed > 0.0 { 0.5 } else { -0.3 };
            assert!((reached - limit).abs() < 2e-3, "{speed} with {torque}, slider {slider}: {reached}");
            let moving = bench.world.get::<&LinearVelocity>(body).unwrap().0.length();
            let turning = bench.world.get::<&AngularVelocity>(body).unwrap().0.length();
            assert!(moving < 1e-3 && turning < 1e-3, "{speed} with {torque}, slider {slider}: {moving} {turning}");
        }
    }
}

#[test]
fn a_servo_goes_where_it_is_told_and_holds_a_weight_there() {
    let mut stage = Bench::game();
    let arm = stage.world.spawn(ball().at(0.5, 0.0, 0.0));
    let spring = JointSpring::Tuned { frequency: 8.0, damping_ratio: 1.0 };
    let hinge = Joint::revolute(None, arm).anchors(Vec3::ZERO, Vec3::NEG_X * 0.5).axes(Vec3::Z, Vec3::Z);
    let joint = stage.join(hinge.motor(Motor::position(0.8, spring, 50.0)));
    stage.run(4.0);
    // The torque of the weight over the spring's stiffness, which is the inertia about the joint
    // times the square of the frequency.
    let inertia = 0.1 + 0.25;
    let stiffness = inertia * (2.0 * PI * 8.0) * (2.0 * PI * 8.0);
    let sag = G * 0.5 * (0.8 as Real).cos() / stiffness;
    let angle = stage.state(joint).angle.x;
    assert!((angle - (0.8 - sag)).abs() < 0.1 * sag + 1e-4, "{angle}, sag {sag}");
    assert!(stage.spin(arm).length() < 1e-3);
}

#[test]
fn a_servo_that_is_too_weak_gives_way_and_its_hinge_does_not() {
    let mut stage = Bench::game();
    let arm = stage.world.spawn(ball().at(0.5, 0.0, 0.0));
    let spring = JointSpring::Tuned { frequency: 8.0, damping_ratio: 1.0 };
    let hinge = Joint::revolute(None, arm).anchors(Vec3::ZERO, Vec3::NEG_X * 0.5).axes(Vec3::Z, Vec3::Z);
    stage.join(hinge.motor(Motor::position(0.0, spring, 1.0)));
    let mut lowest: Real = 0.0;
    for _ in 0..60 {
        stage.step();
        lowest = lowest.min(stage.position(arm).y);
        assert!(stage.worst_gap() < 1e-4, "{}", stage.worst_gap());
    }
    assert!(lowest < -0.3, "{lowest}");
}

#[test]
fn springs_swing_at_their_frequency_and_keep_their_energy() {
    // 1 kg on 100 N/m, and a spring given by the same frequency.
    let omega: Real = 10.0;
    let si = JointSpring::Si { stiffness: 100.0, damping: 0.0 };
    let tuned = JointSpring::Tuned { frequency: omega / (2.0 * PI), damping_ratio: 0.0 };
    for spring in [si, tuned] {
        let mut stage = Bench::game().weightless();
        let body = stage.world.spawn(bob(1.0, 0.1).at(1.3, 0.0, 0.0));
        stage.join(Joint::spring(None, body, 1.0, spring));
        let (mut crossings, mut before, mut time, mut most): (Vec<Real>, Real, Real, Real) =
            (Vec::new(), 0.3, 0.0, 0.0);
        while crossings.len() < 21 {
            stage.step();
            let now = stage.position(body).x - 1.0;
            if before > 0.0 && now <= 0.0 {
                crossings.push(time + stage.dt * before / (before - now));
            }
            time += stage.dt;
            before = now;
            most = if crossings.len() >= 19 { most.max(now.abs()) } else { 0.0 };
        }
        let period = (crossings[20] - crossings[0]) / 20.0;
        assert!((period * omega / (2.0 * PI) - 1.0).abs() < 1e-3, "{period}");
        assert!((most / 0.3 - 1.0).abs() < 1e-2, "{most}");
    }
}

#[test]
fn a_spring_far_stiffer_than_a_substep_resolves_stays_put() {
    let mut stage = Bench::game();
    let body = stage.world.spawn(bob(1.0, 0.1).at(1.0, 0.0, 0.0));
    let spring = JointSpring::Si { stiffness: 1e8, damping: 0.0 };
    let joint = stage.join(Joint::spring(None, body, 1.0, spring));
    for _ in 0..600 {
        stage.step();
        assert!((stage.state(joint).position.x - 1.0).abs() < 1e-3, "{:?}", stage.state(joint));
    }
}

#[test]
fn friction_stops_a_wheel_in_the_time_that_its_torque_takes() {
    let mut stage = Bench::game().weightless();
    let body = stage.world.spawn(ball().angular_velocity(Vec3::X * 4.0));
    stage.join(Joint::revolute(None, body).friction(0.2));
    stage.run(1.0);
    assert!((stage.spin(body).x - 2.0).abs() < 1e-3, "{}", stage.spin(body));
    stage.run(1.5);
    assert!(stage.spin(body).length() < 1e-5, "{}", stage.spin(body));
}

#[test]
fn a_joint_breaks_at_its_strength_and_not_below() {
    for (strength, breaks) in [(G * 0.9, true), (G * 1.1, false)] {
        let mut stage = Bench::game();
        let body = stage.world.spawn(ball());
        let joint = stage.join(Joint::fixed(None, body).breaks_at(strength, ALL));
        stage.step();
        let broke =
            stage.physics.events().iter().any(|e| matches!(e, Event::JointBroke { joint: j, .. } if *j == joint));
        assert_eq!((broke, stage.state(joint).broken), (breaks, breaks));
        stage.run(1.0);
        assert_eq!(stage.position(body).y < -1.0, breaks);
    }
}

#[test]
fn the_force_of_a_joint_is_the_weight_that_hangs_on_it() {
    for kind in 0..4 {
        let mut stage = Bench::game();
        let body = stage.world.spawn(bob(3.0, 0.2).at(0.0, -1.0, 0.0));
        let up = Vec3::Y;
        let joint = match kind {
            0 => Joint::fixed(None, body).anchors(Vec3::ZERO, up),
            1 => Joint::spherical(None, body).anchors(Vec3::ZERO, up),
            2 => Joint::revolute(None, body).anchors(Vec3::ZERO, up),
            _ => Joint::distance(None, body, 1.0, 1.0),
        };
        let joint = stage.join(joint);
        stage.run(0.5);
        let state = stage.state(joint);
        assert!((state.force - up * 3.0 * G).length() < 1e-2, "{kind}: {}", state.force);
        assert!(state.torque.length() < 1e-2, "{kind}: {}", state.torque);
    }
}
