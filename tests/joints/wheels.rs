//! Wheels, shafts, and loads on redundant ropes.

use crate::stage::*;
use dolmen::math::{Real, consts::FRAC_PI_2};
use dolmen::prelude::*;

const GRIP: Material = Material::new(1.0, 0.0);

#[test]
fn a_cylinder_rolls_on_at_its_speed_and_stays_where_it_stands() {
    let radius = 0.4;
    // Alone, and under a load on its axle; on a plane and on a box.
    for (load, on_box) in [(0.0, false), (0.0, true), (20.0, false), (250.0, false)] {
        for speed in [0.0, 0.2, 5.0] as [Real; 3] {
            let mut stage = Bench::game();
            let ground = if on_box { Collider::cuboid(100.0, 0.5, 5.0) } else { Collider::half_space(Vec3::Y) };
            let depth = if on_box { -0.5 } else { 0.0 };
            stage.world.spawn(Body::fixed(ground).at(0.0, depth, 0.0).material(GRIP));
            let way = Vec3::X * speed;
            let wheel = Body::dynamic(Collider::cylinder(0.12, radius)).mass(20.0).material(GRIP);
            let wheel = wheel.at(0.0, radius, 0.0).orientation(Quat::from_rotation_x(FRAC_PI_2));
            let wheel = wheel.linear_velocity(way).angular_velocity(Vec3::NEG_Z * (speed / radius));
            let wheel = stage.world.spawn(wheel);
            if load > 0.0 {
                let upright = LockedAxes::PLANE_XY.union(LockedAxes::ROTATION);
                let car = bob(load, 0.5).at(0.0, radius, 0.0).linear_velocity(way).locked(upright);
                let car = stage.world.spawn(car);
                let axle = Joint::revolute(car, wheel).placed(&stage.world, Vec3::Y * radius, Vec3::Z).unwrap();
                stage.join(axle);
            }
            let mut highest: Real = 0.0;
            for _ in 0..600 {
                stage.step();
                highest = highest.max(stage.position(wheel).y - radius);
            }
            let now = stage.velocity(wheel).x;
            assert!((now - speed).abs() < 1e-3, "{load} kg, box {on_box}: {now} for {speed}");
            assert!(highest < 1e-3, "{load} kg, box {on_box}, {speed}: hops by {highest}");
        }
    }
}

#[test]
fn a_car_on_springs_sags_by_its_weight_and_is_driven_and_braked_by_its_motors() {
    let mut stage = Bench::game();
    stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(GRIP));
    let (radius, stiffness, mass): (Real, Real, Real) = (0.4, 40000.0, 1000.0);
    let chassis = Body::dynamic(Collider::cuboid(2.0, 0.3, 0.7)).mass(mass).at(0.0, 1.0, 0.0);
    let chassis = stage.world.spawn(chassis);
    let (mut springs, mut drives) = (Vec::new(), Vec::new());
    for (x, z) in [(1.5, 1.2), (1.5, -1.2), (-1.5, 1.2), (-1.5, -1.2)] {
        let at = Vec3::new(x, radius, z);
        let hub = stage.world.spawn(bob(10.0, 0.2).position(at));
        let wheel = Body::dynamic(Collider::cylinder(0.12, radius)).mass(20.0).material(GRIP);
        let wheel = stage.world.spawn(wheel.position(at).orientation(Quat::from_rotation_x(FRAC_PI_2)));
        let spring = Motor::position(0.0, JointSpring::Si { stiffness, damping: 3000.0 }, Real::INFINITY);
        let strut = Joint::prismatic(chassis, hub).placed(&stage.world, at, Vec3::Y).unwrap();
        springs.push(stage.join(strut.motor(spring).limits(-0.3, 0.3)));
        drives.push(stage.join(Joint::revolute(hub, wheel).placed(&stage.world, at, Vec3::Z).unwrap()));
    }
    let drive = |stage: &mut Bench, speed: Real, torque: Real| {
        for &joint in &drives {
            let mut joint = stage.world.get::<&mut Joint>(joint).unwrap();
            let driven = joint.clone().motor(Motor::velocity(speed, torque));
            *joint = driven;
        }
    };
    stage.run(4.0);
    let sag = mass * G / 4.0 / stiffness;
    for &spring in &springs {
        let state = stage.state(spring);
        assert!((state.position.x - sag).abs() < 0.01 * sag, "{} for {sag}", state.position.x);
        assert!((state.force.y + mass * G / 4.0).abs() < 0.01 * mass * G / 4.0, "{}", state.force);
    }
    assert!(stage.velocity(chassis).length() < 1e-3, "it rolls off at {}", stage.velocity(chassis));
    // The rotation of a wheel counts as half of its mass.
    let (torque, moved) = (100.0, mass + 4.0 * (30.0 + 10.0));
    drive(&mut stage, -30.0, torque);
    stage.run(1.0);
    let slow = stage.velocity(chassis).x;
    stage.run(2.0);
    let gained = (stage.velocity(chassis).x - slow) / 2.0;
    let wanted = 4.0 * torque / radius / moved;
    assert!((gained / wanted - 1.0).abs() < 0.02, "{gained} m/s² for {wanted}");
    stage.run(20.0);
    let top = stage.velocity(chassis).x;
    assert!((top / (30.0 * radius) - 1.0).abs() < 0.01, "{top} m/s");
    assert!(stage.position(chassis).z.abs() < 0.2, "it leaves its lane by {}", stage.position(chassis).z);
    drive(&mut stage, 0.0, 500.0);
    stage.run(2.0);
    let braked = (top - stage.velocity(chassis).x) / 2.0;
    assert!((braked / (5.0 * wanted) - 1.0).abs() < 0.03, "{braked} m/s²");
}

#[test]
fn a_shaft_without_colliders_goes_on_as_long_as_its_motor_drives_it_and_a_universal_joint_by_its_closed_form() {
    for degrees in [15.0, 30.0, 45.0] {
        let mut stage = Bench::game().weightless();
        stage.physics.settings.sleep = true;
        let bend = (degrees as Real).to_radians();
        let out = Vec3::new(bend.cos(), bend.sin(), 0.0);
        let shaft = |stage: &mut Bench, way: Vec3, at: Vec3| {
            stage.world.spawn(bob(1.0, 0.3).position(at).orientation(Quat::from_rotation_arc(Vec3::X, way)))
        };
        let one = shaft(&mut stage, Vec3::X, Vec3::NEG_X * 0.5);
        let two = shaft(&mut stage, out, out * 0.5);
        let bearing =
            |stage: &Bench, body, way: Vec3| Joint::revolute(None, body).placed(&stage.world, Vec3::ZERO, way).unwrap();
        let driven = bearing(&stage, one, Vec3::X).motor(Motor::velocity(5.0, Real::INFINITY));
        let driven = stage.join(driven);
        let follows = bearing(&stage, two, out);
        stage.join(follows);
        let mut axes = [JointFreedom::FREE; 6];
        axes[3] = JointFreedom::Locked;
        stage.join(Joint::generic(one, two, axes));
        stage.run(0.5);
        for _ in 0..300 {
            stage.step();
            let angle = stage.state(driven).angle.x;
            let ratio = stage.spin(two).dot(out) / stage.spin(one).x;
            // Its first axis lies in the plane of both shafts at first.
            let closed = bend.cos() / (1.0 - (bend.sin() * angle.cos()).powi(2));
            assert!((ratio - closed).abs() < 1e-4, "{degrees} degrees at {angle}: {ratio} for {closed}");
        }
        let turned = stage.state(driven).angle.x;
        assert!((turned - 5.0 * 5.5).abs() < 0.01, "{turned}");
    }
}

#[test]
fn a_wheel_of_any_speed_keeps_to_its_axle_and_its_turns_are_counted() {
    // Up to two and a half turns in a step.
    for speed in [50.0, 200.0, 300.0, 400.0, 700.0, 1000.0] as [Real; 6] {
        let mut stage = Bench::game();
        let disc = Body::dynamic(Collider::cylinder(0.1, 0.4)).mass(10.0).angular_velocity(Vec3::Y * speed);
        let disc = stage.world.spawn(disc);
        let axle = stage.join(Joint::revolute(None, disc).axes(Vec3::Y, Vec3::Y));
        stage.run(5.0);
        let (spin, angle) = (stage.spin(disc), stage.state(axle).angle.x);
        assert!((spin.y / speed - 1.0).abs() < 1e-5, "{speed}: {spin}");
        assert!((angle / (5.0 * speed) - 1.0).abs() < 1e-4, "{speed}: turned by {angle}");
        assert!((stage.orientation(disc) * Vec3::Y).y > 1.0 - 1e-5 && stage.worst_gap() < 1e-6, "{speed}");
    }
}

#[test]
fn a_loaded_platform_hangs_still_from_four_ropes_and_is_lifted() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        let mut stage = Bench::new(1.0 / 60.0, accuracy);
        let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
        let top = stage.world.spawn(Body::kinematic(Collider::cuboid(1.0, 0.1, 1.0)).at(0.0, 5.0, 0.0));
        let cage = Body::dynamic(Collider::cuboid(1.0, 0.1, 1.0)).mass(200.0).at(0.0, 2.0, 0.0).material(GRIP);
        let cage = stage.world.spawn(cage);
        let ropes = corners.map(|at| stage.join(Joint::distance(top, cage, 0.0, 3.0).anchors(at, at)));
        let load = Body::dynamic(Collider::cuboid(0.2, 0.2, 0.2)).mass(100.0).at(0.5, 2.3, 0.0).material(GRIP);
        let load = stage.world.spawn(load);
        stage.run(2.0);
        let weight = 300.0 * G;
        // Three ropes would suffice, so only the sum of the forces and their moments are
        // determined.
        let pulls = ropes.map(|rope| stage.state(rope).force.y);
        let sum: Real = pulls.iter().sum();
        let lean: Real = pulls[0] + pulls[1] - pulls[2] - pulls[3];
        assert!(pulls.iter().all(|&pull| pull > -1.0 && pull < 0.6 * weight), "{accuracy:?}: {pulls:?}");
        assert!((sum / weight - 1.0).abs() < 1e-2, "{accuracy:?}: {sum} for {weight}");
        assert!((lean - 100.0 * G * 0.5).abs() < 0.02 * weight, "{accuracy:?}: {lean}");
        assert!((stage.position(cage) - Vec3::Y * 2.0).length() < 5e-3, "{accuracy:?}: {}", stage.position(cage));
        // Up at 2 m/s² for a second.
        let (mut heaved, mut steps): (Real, Real) = (0.0, 0.0);
        for step in 1..=60 {
            let speed = 2.0 * stage.dt * step as Real;
            stage.world.get::<&mut LinearVelocity>(top).unwrap().0 = Vec3::Y * speed;
            stage.step();
            if step > 20 {
                heaved += ropes.iter().map(|&rope| stage.state(rope).force.y).sum::<Real>();
                steps += 1.0;
            }
        }
        let mean = heaved / steps;
        assert!((mean / (300.0 * (G + 2.0)) - 1.0).abs() < 0.02, "{accuracy:?}: {mean}");
        let lag = stage.velocity(cage) - Vec3::Y * 2.0;
        assert!(lag.length() < 0.05 && (stage.velocity(load) - Vec3::Y * 2.0).length() < 0.05, "{accuracy:?}: {lag}");
    }
}
