//! Joints that are added, removed and changed; invalid joints; sleep, threads and order.

use crate::chains::chain;
use crate::stage::*;
use dolmen::math::Real;
use dolmen::prelude::*;
use dolmen::{Event, StepError};

#[test]
fn invalid_joints_are_refused_by_name_and_change_nothing() {
    let mut stage = Bench::game();
    let a = stage.world.spawn(bob(1.0, 0.1));
    let b = stage.world.spawn(bob(1.0, 0.1).at(1.0, 0.0, 0.0));
    let gone = stage.world.spawn(());
    stage.world.despawn(gone).unwrap();
    let not_a_body = stage.world.spawn(());
    let nan = Real::NAN;
    let limited = |least, greatest| Joint::revolute(a, b).limits(least, greatest);
    let bad = vec![
        Joint::revolute(a, b).axes(Vec3::ZERO, Vec3::X),
        Joint::revolute(a, b).axes(Vec3::X, Vec3::new(nan, 0.0, 0.0)),
        limited(1.0, -1.0),
        limited(nan, 1.0),
        Joint::spherical(a, a),
        Joint::spherical(None, None),
        Joint::spherical(a, gone),
        Joint::spherical(not_a_body, b),
        Joint::spherical(a, b).anchors(Vec3::X * nan, Vec3::ZERO),
        Joint::revolute(a, b).motor(Motor::velocity(nan, 1.0)),
        Joint::revolute(a, b).motor(Motor::velocity(1.0, -1.0)),
        Joint::revolute(a, b).friction(-1.0),
        Joint::distance(a, b, 2.0, 1.0),
        Joint::distance(a, b, -1.0, 1.0),
        Joint::spring(a, b, 1.0, JointSpring::Si { stiffness: -1.0, damping: 0.0 }),
        Joint::spring(a, b, 1.0, JointSpring::Tuned { frequency: nan, damping_ratio: 0.0 }),
        Joint::generic(a, b, [JointFreedom::limited(1.0, 0.0); 6]),
        Joint::fixed(a, b).breaks_at(-1.0, 1.0),
    ];
    for joint in bad {
        let text = format!("{joint:?}");
        let entity = stage.world.spawn((joint,));
        match stage.physics.step(&mut stage.world, stage.dt) {
            Err(StepError::Component { entity: e, component: "Joint", problem })
                if e == entity && !problem.is_empty() => {}
            other => panic!("{text}: {other:?}"),
        }
        assert_eq!(stage.position(a), Vec3::ZERO, "{text}");
        stage.world.despawn(entity).unwrap();
    }
    stage.step();
}

#[test]
fn a_body_that_is_despawned_takes_its_joints_along() {
    let mut stage = Bench::game();
    let links = chain(&mut stage, 3, |_| 1.0);
    stage.step();
    assert_eq!(stage.physics.state().counts.joints, 3);
    stage.world.despawn(links[1]).unwrap();
    stage.step();
    let lost = stage.physics.events().iter().filter(|e| matches!(e, Event::JointLost { .. })).count();
    assert_eq!((lost, stage.world.query::<&Joint>().iter().count()), (2, 1));
    assert_eq!(stage.physics.state().counts.joints, 1);
    // The last link falls freely.
    let before = stage.velocity(links[2]).y;
    stage.step();
    assert!((stage.velocity(links[2]).y - before + G * stage.dt).abs() < 1e-5);
}

#[test]
fn a_body_that_is_a_joint_too_outlives_the_joint() {
    let mut stage = Bench::game();
    let [a, b, c] = [0.0, 1.0, 2.0].map(|x| stage.world.spawn(bob(1.0, 0.1).at(x, 0.0, 0.0)));
    stage.world.insert(a, (Joint::distance(b, c, 0.0, 1.0), JointState::default())).unwrap();
    stage.step();
    assert_eq!(stage.physics.state().counts.joints, 1);
    stage.world.despawn(c).unwrap();
    let other = stage.join(Joint::distance(a, b, 0.0, 1.0));
    stage.step();
    assert!(stage.physics.events().contains(&Event::JointLost { joint: a }));
    assert!(stage.world.satisfies::<&RigidBody>(a) && !stage.world.satisfies::<&Joint>(a));
    assert_eq!(stage.physics.state().counts.joints, 1);
    assert_eq!(stage.world.query::<&Joint>().iter().count(), 1);
    assert!(stage.world.contains(other));
    stage.step();
}

#[test]
fn a_joint_that_is_taken_away_lets_go_and_one_that_is_edited_holds_anew() {
    let mut stage = Bench::game();
    let body = stage.world.spawn(bob(1.0, 0.1));
    let joint = stage.join(Joint::fixed(None, body));
    stage.run(0.2);
    assert!(stage.position(body).length() < 1e-5);
    stage.world.remove_one::<Joint>(joint).unwrap();
    stage.run(0.2);
    assert!(stage.position(body).y < -0.1);
    let at = stage.position(body);
    stage.world.insert_one(joint, Joint::fixed(None, body).anchors(at, Vec3::ZERO)).unwrap();
    stage.run(0.5);
    assert!((stage.position(body) - at).length() < 1e-4);
    stage.world.get::<&mut Joint>(joint).unwrap().kind = JointKind::Distance { least: 0.0, greatest: 1.0 };
    stage.run(1.0);
    assert!(stage.position(body).y < at.y - 0.5);
}

#[test]
fn joined_bodies_collide_only_when_asked() {
    for collide in [false, true] {
        let mut stage = Bench::game().weightless();
        let a = stage.world.spawn(Body::dynamic(Collider::ball(0.5)));
        let b = stage.world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.9, 0.0, 0.0));
        let rope = stage.join(Joint::distance(a, b, 0.0, 5.0).collide(collide));
        stage.run(0.5);
        let apart = (stage.position(b) - stage.position(a)).length();
        assert_eq!(apart > 0.98, collide, "{apart}");
        // Without the joint they do collide.
        stage.world.despawn(rope).unwrap();
        stage.run(0.5);
        assert!((stage.position(b) - stage.position(a)).length() > 0.98);
    }
}

#[test]
fn a_hanging_chain_comes_to_rest_and_wakes_when_it_is_pushed() {
    let mut stage = Bench::game();
    stage.physics.settings.sleep = true;
    let mut last = None;
    for k in 0..10 {
        let link = stage.world.spawn(bob(1.0, 0.08).at(0.0, -0.2 * k as Real - 0.1, 0.0));
        let joint = Joint::spherical(last, link);
        let top = if last.is_some() { Vec3::Y * -0.1 } else { Vec3::ZERO };
        stage.join(joint.anchors(top, Vec3::Y * 0.1));
        last = Some(link);
    }
    let last = last.unwrap();
    stage.run(2.0);
    assert_eq!(stage.physics.state().counts.asleep, 10);
    assert!(stage.worst_gap() < 1e-5);
    stage.world.insert_one(last, ExternalImpulse { linear: Vec3::X, angular: Vec3::ZERO }).unwrap();
    stage.step();
    assert_eq!(stage.physics.state().counts.asleep, 0);
    assert!(stage.velocity(last).x > 0.1);
}

#[test]
fn a_kinematic_body_leads_what_is_joined_to_it() {
    let mut stage = Bench::game().weightless();
    stage.physics.settings.sleep = true;
    let lead = stage.world.spawn(Body::kinematic(Collider::ball(0.1)).linear_velocity(Vec3::X));
    let body = stage.world.spawn(bob(1.0, 0.1).at(0.0, 1.0, 0.0).linear_velocity(Vec3::X));
    stage.join(Joint::fixed(lead, body).anchors(Vec3::Y, Vec3::ZERO));
    stage.run(3.0);
    assert!((stage.position(body) - Vec3::new(3.0, 1.0, 0.0)).length() < 1e-3, "{}", stage.position(body));
}

/// Bits of everything after two seconds of chains that fall on the ground.
fn bits(threads: usize, backwards: bool) -> Vec<[u64; 7]> {
    let mut stage = Bench::game();
    stage.physics.settings.threads = Some(threads);
    stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).at(0.0, -3.0, 0.0));
    let mut order: Vec<usize> = (0..40).collect();
    if backwards {
        order.reverse();
    }
    let mut bodies = vec![None; 240];
    for &k in &order {
        let at = Vec3::new(2.0 * (k % 8) as Real, 0.1 * k as Real, 2.0 * (k / 8) as Real);
        for link in 0..6 {
            let body = Body::dynamic(Collider::capsule(0.1, 0.05)).position(at + Vec3::Y * (0.3 * link as Real));
            bodies[6 * k + link] =
                Some(stage.world.spawn(body.angular_velocity(Vec3::new(0.3, 0.1, 0.5 * link as Real))));
        }
        for link in 1..6 {
            let [a, b] = [bodies[6 * k + link - 1], bodies[6 * k + link]];
            stage.join(Joint::spherical(a, b).anchors(Vec3::Y * 0.15, Vec3::Y * -0.15));
        }
    }
    stage.run(2.0);
    let of = |body: Option<hecs::Entity>| {
        let (p, q) = (stage.position(body.unwrap()), stage.orientation(body.unwrap()));
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w].map(|x| u64::from(x.to_bits()))
    };
    bodies.into_iter().map(of).collect()
}

#[test]
fn neither_threads_nor_the_order_of_spawning_changes_a_bit() {
    let one = bits(1, false);
    assert_eq!(one, bits(2, false));
    assert_eq!(one, bits(1, true));
}
