//! Soft welds, drags, and wheels on chassis.

use crate::stage::*;
use dolmen::math::{Real, consts::FRAC_PI_2};
use dolmen::prelude::*;

#[test]
fn a_soft_weld_sags_and_turns_by_load_over_stiffness() {
    let mut stage = Bench::game();
    let torque = Vec3::new(0.3, -0.2, 0.25);
    let body = stage.world.spawn(bob(2.0, 0.5).torque(torque));
    let linear = JointSpring::Si { stiffness: 400.0, damping: 40.0 };
    let angular = JointSpring::Si { stiffness: 5.0, damping: 1.0 };
    let joint = stage.join(Joint::soft_weld(None, body, linear, angular));
    stage.run(10.0);
    let state = stage.state(joint);
    assert!((state.position - Vec3::NEG_Y * (2.0 * G / 400.0)).length() < 1e-4, "{}", state.position);
    assert!((state.angle - torque / 5.0).length() < 1e-3, "{}", state.angle);
}

#[test]
fn a_drag_pulls_with_its_greatest_force_and_no_more() {
    let mut stage = Bench::game().weightless();
    let body = stage.world.spawn(bob(2.0, 0.5));
    let spring = JointSpring::Tuned { frequency: 5.0, damping_ratio: 1.0 };
    let joint = Joint::drag(None, body, spring, 6.0).anchors(Vec3::X * 100.0, Vec3::ZERO);
    let joint = stage.join(joint);
    stage.run(1.0);
    // 6 N move 2 kg by 3 m/s².
    assert!((stage.velocity(body).x - 3.0).abs() < 0.01, "{}", stage.velocity(body));
    assert!((stage.state(joint).force.x - 6.0).abs() < 0.01, "{}", stage.state(joint).force);
    // It follows a pointer.
    stage.world.get::<&mut Joint>(joint).unwrap().kind = Joint::drag(None, body, spring, 500.0).kind;
    for k in 0..300 {
        let to = Vec3::new(0.5, 0.01 * k as Real, 0.0);
        stage.world.get::<&mut Joint>(joint).unwrap().frames[0].anchor = to;
        stage.step();
    }
    let off = stage.position(body) - Vec3::new(0.5, 2.99, 0.0);
    assert!(off.length() < 0.1, "{off}");
}

#[test]
fn a_car_on_wheel_joints_sags_drives_steers_and_brakes() {
    let mut stage = Bench::game();
    let grip = Material::new(1.0, 0.0);
    stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(grip));
    let (radius, stiffness, mass): (Real, Real, Real) = (0.4, 40000.0, 1000.0);
    let chassis = stage.world.spawn(Body::dynamic(Collider::cuboid(2.0, 0.3, 0.7)).mass(mass).at(0.0, 1.0, 0.0));
    let spring = Motor::position(0.0, JointSpring::Si { stiffness, damping: 4000.0 }, Real::INFINITY);
    let suspension = JointAxis { limits: Some([-0.3, 0.3]), motor: Some(spring), friction: 0.0 };
    let straight = JointSpring::Tuned { frequency: 10.0, damping_ratio: 1.0 };
    let steering = |angle| JointAxis {
        limits: Some([-0.6, 0.6]),
        motor: Some(Motor::position(angle, straight, Real::INFINITY)),
        friction: 0.0,
    };
    let wheels = [(1.5, 1.0), (1.5, -1.0), (-1.5, 1.0), (-1.5, -1.0)].map(|(x, z)| {
        let at = Vec3::new(x, radius, z);
        let wheel = Body::dynamic(Collider::cylinder(0.12, radius)).mass(30.0).material(grip);
        let wheel = stage.world.spawn(wheel.position(at).orientation(Quat::from_rotation_x(FRAC_PI_2)));
        let steers = (x > 0.0).then(|| steering(0.0));
        let joint = Joint::wheel(chassis, wheel, suspension, steers, JointAxis::default());
        stage.join(joint.placed_in(&stage.world, at, Vec3::Y, Vec3::Z).unwrap())
    });
    let drive = |stage: &mut Bench, speed: Real, torque| {
        for joint in wheels {
            // A wheel rolls forwards (x) about -z.
            stage.world.get::<&mut Joint>(joint).unwrap().axis_mut(4).unwrap().motor =
                Some(Motor::velocity(-speed / radius, torque));
        }
    };
    drive(&mut stage, 0.0, 1000.0);
    stage.run(4.0);
    for joint in wheels {
        let sag = stage.state(joint).position.x;
        assert!((sag - mass * G / (4.0 * stiffness)).abs() < 1e-3, "{sag}");
    }
    drive(&mut stage, 5.0, 300.0);
    stage.run(8.0);
    let speed = stage.velocity(chassis).x;
    assert!((speed - 5.0).abs() < 0.05, "{speed}");
    assert!(stage.position(chassis).z.abs() < 0.05, "it drifts to {}", stage.position(chassis));
    // A turn to the left, towards -z: the wheel base over the tangent of the steering angle.
    for joint in &wheels[..2] {
        *stage.world.get::<&mut Joint>(*joint).unwrap().axis_mut(3).unwrap() = steering(0.2);
    }
    stage.run(3.0);
    let (speed, spin) = (stage.velocity(chassis).length(), stage.spin(chassis).y);
    let turns = 3.0 / (0.2 as Real).tan();
    assert!((speed / spin / turns - 1.0).abs() < 0.15, "radius {} for {turns}", speed / spin);
    drive(&mut stage, 0.0, 1000.0);
    stage.run(4.0);
    assert!(stage.velocity(chassis).length() < 1e-2, "{}", stage.velocity(chassis));
}
