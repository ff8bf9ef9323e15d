//! Bodies held by joints and contacts come to rest and fall asleep.

use crate::bridge;
use crate::stage::*;
use dolmen::math::{Real, consts::FRAC_PI_2};
use dolmen::prelude::*;
use hecs::Entity;

/// A bench with sleeping enabled.
fn sleeping_bench() -> Bench {
    let mut stage = Bench::game();
    stage.physics.settings.sleep = true;
    stage
}

/// Time (s) until this many bodies are asleep, if that is within `most`.
fn asleep_after(stage: &mut Bench, most: f64, bodies: usize) -> Option<f64> {
    let steps = (most / f64::from(stage.dt)) as usize;
    let at = (0..steps).find(|_| {
        stage.step();
        stage.physics.state().counts.asleep == bodies
    });
    at.map(|step| step as f64 * f64::from(stage.dt))
}

/// Spawns a bridge in thick air, and a truck that drops on it.
pub fn damped_bridge(stage: &mut Bench, planks: usize) -> Entity {
    let truck = bridge::spawn(&mut stage.world, planks);
    let bodies: Vec<Entity> = stage.world.query::<(Entity, &LinearVelocity)>().iter().map(|(body, _)| body).collect();
    for body in bodies {
        stage.world.insert_one(body, Damping { linear: 1.0, angular: 1.0 }).unwrap();
    }
    truck
}

#[test]
fn a_loaded_bridge_falls_asleep_wakes_when_struck_and_falls_asleep_again() {
    // In `f32` rounding keeps longer bridges oscillating by fractions of a millimetre a second.
    let sizes: &[usize] = if F64 { &[8, 20] } else { &[8] };
    for &planks in sizes {
        let mut stage = sleeping_bench();
        let truck = damped_bridge(&mut stage, planks);
        let first = asleep_after(&mut stage, 60.0, planks + 1);
        println!("bridge of {planks}: asleep after {first:.1?} s, gap {:e}", stage.worst_gap());
        assert!(first.is_some(), "{planks}");
        let at = stage.position(truck);
        stage.run(5.0);
        assert_eq!(stage.position(truck), at);
        // The speed after a fall by a twentieth of a metre.
        stage.world.get::<&mut LinearVelocity>(truck).unwrap().0 = Vec3::NEG_Y;
        stage.step();
        assert_eq!(stage.physics.state().counts.asleep, 0, "{planks}");
        let again = asleep_after(&mut stage, 60.0, planks + 1);
        println!("bridge of {planks}: asleep again after {again:.1?} s");
        assert!(again.is_some(), "{planks}");
    }
}

#[test]
fn what_lies_on_a_plank_on_a_hinge_stays_where_it_is() {
    // The plank of 40 kg leans by 0.25 rad against its limit, or is held there by a motor.
    let lean = Quat::from_rotation_z(0.25);
    for motor in [false, true] {
        for mass in [2.0, 5.0, 20.0, 40.0, 100.0, 300.0] as [Real; 6] {
            for rest in [false, true] {
                let mut stage = Bench::game();
                stage.physics.settings.sleep = rest;
                let plank = Body::dynamic(Collider::cuboid(4.0, 0.1, 0.5)).mass(40.0).orientation(lean);
                let plank = stage.world.spawn(plank.material(Material::new(0.6, 0.0)));
                let hinge = Joint::revolute(None, plank).axes(Vec3::Z, Vec3::Z);
                let hinge = if motor { hinge.motor(Motor::velocity(0.0, 1e5)) } else { hinge.limits(-0.25, 0.25) };
                stage.join(hinge);
                let body = Body::dynamic(Collider::cuboid(0.4, 0.4, 0.4)).mass(mass).orientation(lean);
                let body = body.position(lean * Vec3::new(-2.5, 0.5, 0.0)).material(Material::new(0.6, 0.0));
                let load = stage.world.spawn(body);
                stage.run(3.0);
                let before = stage.position(load);
                stage.run(5.0);
                let way = (stage.position(load) - before).length();
                assert!(way < 1e-4, "{mass} kg, motor {motor}, rest {rest}: slid by {way} m in 5 s");
                if rest {
                    assert_eq!(stage.physics.state().counts.asleep, 2, "{mass} kg, motor {motor}");
                }
            }
        }
    }
}

#[test]
fn joints_carry_a_sleeping_bridge() {
    let mut stage = sleeping_bench();
    damped_bridge(&mut stage, 8);
    asleep_after(&mut stage, 60.0, 9).expect("it falls asleep");
    // The load hangs on the two ends alone.
    let bodies = &stage.physics.state().bodies;
    let masses = bodies.mass.iter().zip(&bodies.kind).filter(|(_, kind)| **kind == dolmen::bodies::Kind::Dynamic);
    let weight = masses.map(|(mass, _)| f64::from(*mass)).sum::<f64>() * f64::from(G);
    let ends = stage.world.query::<(&Joint, &JointState)>().iter().fold(0.0, |sum, (joint, state)| {
        let up = f64::from(state.force.y);
        sum + if joint.bodies[0].is_none() {
            up
        } else if joint.bodies[1].is_none() {
            -up
        } else {
            0.0
        }
    });
    println!("ends carry {ends} of {weight} N");
    assert!((ends / weight - 1.0).abs() < 1e-3, "{ends} {weight}");
}

/// A board on hinges at both ends, 20 degrees from level, and a box on it with this friction.
fn ramp(friction: Real) -> (Bench, Entity) {
    let mut stage = sleeping_bench();
    let turned = Quat::from_rotation_z((20.0 as Real).to_radians());
    let surface = Material::new(friction, 0.0);
    let board = Body::dynamic(Collider::cuboid(2.0, 0.1, 1.0)).material(surface).orientation(turned);
    let board = stage.world.spawn(board);
    for end in [-2.0, 2.0] {
        let end = Vec3::X * end;
        stage.join(Joint::revolute(None, board).anchors(turned * end, end).axes(Vec3::Z, Vec3::Z));
    }
    let at = turned * Vec3::Y * 0.35;
    let load = Body::dynamic(Collider::cuboid(0.25, 0.25, 0.25)).material(surface).orientation(turned).position(at);
    let load = stage.world.spawn(load);
    (stage, load)
}

#[test]
fn a_load_that_sticks_falls_asleep_and_one_that_slides_does_not() {
    let (mut stage, load) = ramp(0.5);
    let after = asleep_after(&mut stage, 5.0, 2);
    println!("a load that sticks is asleep after {after:?} s");
    assert!(after.is_some());
    let at = stage.position(load);
    // A board held by joints releases a load that friction does not hold: tan 20° = 0.364.
    let (mut stage, load) = ramp(0.36);
    assert_eq!(asleep_after(&mut stage, 4.0, 2), None);
    assert!((stage.position(load) - at).length() > 0.1, "{}", stage.position(load));
}

#[test]
fn what_rolls_slowly_on_joints_rolls_on_at_its_speed() {
    // Two capsules joined at their ends roll over a floor by 25 micrometres a step. A contact point
    // that moved with the surface would lie behind the centre, and push them on.
    let (radius, speed, steps) = (0.1, 1.5e-3, 180);
    let mut stage = Bench::game();
    stage.world.spawn(Body::fixed(Collider::cuboid(5.0, 0.5, 5.0)).at(0.0, -0.5, 0.0));
    let lying = Quat::from_rotation_z(-FRAC_PI_2);
    let [a, b] = [0.0, 0.6].map(|x| {
        let capsule = Body::dynamic(Collider::capsule(0.2, radius)).at(x, radius, 0.0).orientation(lying);
        stage.world.spawn(capsule.linear_velocity(Vec3::Z * speed).angular_velocity(Vec3::X * (speed / radius)))
    });
    stage.join(Joint::spherical(a, b).anchors(Vec3::Y * 0.3, Vec3::Y * -0.3));
    (0..steps).for_each(|_| stage.step());
    let want = steps as Real * stage.dt * speed;
    let way = [a, b].map(|body| stage.position(body).z);
    println!("rolled {way:?} m for {want}");
    assert!(way.into_iter().all(|way| (way - want).abs() < 0.05 * want), "{way:?} for {want}");
}
