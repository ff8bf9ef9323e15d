//! What takes no part: disabled bodies, colliders and joints, pairs that are ignored, and pairs
//! without a response.

use crate::game::{DT, cube, floor, position, run, velocity};
use crate::{bits, momentum};
use dolmen::prelude::*;
use hecs::{Entity, World};

fn block(x: Real, y: Real) -> Body {
    Body::dynamic(cube()).at(x, y, 0.0).mass(1.0)
}

#[test]
fn a_disabled_body_keeps_its_state_and_is_met_by_nothing() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    let thrown = world.spawn(block(0.0, 3.0).linear_velocity(Vec3::X * 2.0).angular_velocity(Vec3::Z));
    let above = world.spawn(block(0.0, 5.0));
    run(&mut world, &mut physics, 10);
    world.insert_one(thrown, Disabled).unwrap();
    let before = bits(&world, &[thrown]);
    run(&mut world, &mut physics, 120);
    assert_eq!(bits(&world, &[thrown]), before);
    assert!((position(&world, above).y - 0.5).abs() < 1e-3, "it fell through where the other was");
    assert_eq!(physics.state().counts.bodies, 2);
    let ray = Ray::new(position(&world, thrown) + Vec3::Y * 2.0, Vec3::NEG_Y, 100.0).unwrap();
    assert_ne!(physics.query().ray(&ray, &Filter::default()).unwrap().entity, thrown);
    // Enabled, it continues: the first step is the next of its flight.
    world.remove_one::<Disabled>(thrown).unwrap();
    let (at, v) = (position(&world, thrown), velocity(&world, thrown));
    physics.step(&mut world, DT).unwrap();
    assert!((velocity(&world, thrown) - (v - Vec3::Y * 9.81 * DT)).length() < 1e-5);
    assert!((position(&world, thrown) - at - v * DT).length() < 9.81 * DT * DT);
    run(&mut world, &mut physics, 120);
    assert!(position(&world, thrown).y > 0.4);
}

#[test]
fn parts_and_joints_rest_with_their_disabled_body_and_come_back_with_it() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let post = world.spawn(Body::fixed(Collider::ball(0.1)).at(0.0, 5.0, 0.0));
    let bob = world.spawn(block(0.0, 4.0));
    let part = ColliderOf { body: bob, position: Vec3::X * 0.8, orientation: Quat::IDENTITY };
    let part = world.spawn((Collider::ball(0.2), part));
    let hinge = Joint::revolute(post, bob).axes(Vec3::Z, Vec3::Z).anchors(Vec3::ZERO, Vec3::Y);
    let hinge = world.spawn((hinge, JointState::default()));
    run(&mut world, &mut physics, 30);
    let angle = world.get::<&JointState>(hinge).unwrap().angle;
    assert!(angle.length() > 1e-3, "the part makes it swing");
    world.insert_one(bob, Disabled).unwrap();
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!((report.counts.joints, report.counts.orphans), (0, 0));
    assert!(physics.events().is_empty(), "{:?}", physics.events());
    run(&mut world, &mut physics, 30);
    assert!(world.contains(hinge) && world.contains(part));
    assert_eq!(world.get::<&JointState>(hinge).unwrap().angle, angle);
    world.remove_one::<Disabled>(bob).unwrap();
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!((report.counts.joints, report.counts.orphans), (1, 0));
    run(&mut world, &mut physics, 60);
    assert!((position(&world, bob).distance(Vec3::Y * 5.0) - 1.0).abs() < 1e-3);
}

#[test]
fn a_body_that_is_despawned_while_disabled_takes_its_joints_along_and_leaves_its_parts_at_rest() {
    // Disabled from the start, or after some steps; with a joint that is disabled too.
    for (steps, joint_too) in [(0, false), (3, false), (3, true)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let bodies = [0.0, 1.0, 2.0].map(|x| world.spawn(block(2.0 * x, 4.0)));
        let link = |a: usize, b: usize| (Joint::distance(bodies[a], bodies[b], 0.0, 2.0), JointState::default());
        let (lost, kept) = (world.spawn(link(0, 1)), world.spawn(link(1, 2)));
        let of = ColliderOf { body: bodies[0], position: Vec3::Y, orientation: Quat::IDENTITY };
        let part = world.spawn((Collider::ball(0.2), of, BodySlot::UNASSIGNED));
        run(&mut world, &mut physics, steps);
        world.insert_one(bodies[0], Disabled).unwrap();
        if joint_too {
            world.insert_one(lost, Disabled).unwrap();
        }
        run(&mut world, &mut physics, 3);
        assert!(physics.events().is_empty() && world.contains(lost), "{:?}", physics.events());
        world.despawn(bodies[0]).unwrap();
        if joint_too {
            run(&mut world, &mut physics, 3);
            world.remove_one::<Disabled>(lost).unwrap();
        }
        let report = physics.step(&mut world, DT).unwrap();
        assert!(physics.events().contains(&Event::JointLost { joint: lost }), "{:?}", physics.events());
        assert!(!world.contains(lost) && world.contains(kept) && world.contains(part));
        assert_eq!((report.counts.joints, report.counts.bodies), (1, 2));
        world.insert_one(part, Collider::ball(0.3)).unwrap();
        run(&mut world, &mut physics, 3);
        // One that did not rest is an error that names it.
        let stranger = world.spawn((Joint::distance(bodies[1], bodies[0], 0.0, 2.0), JointState::default()));
        let error = physics.step(&mut world, DT).unwrap_err().to_string();
        assert!(error.contains("is not a body") && error.contains(&format!("{stranger:?}")), "{error}");
    }
}

#[test]
fn a_disabled_joint_lets_go_and_holds_again() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.gravity = Vec3::ZERO;
    let post = world.spawn(Body::fixed(Collider::ball(0.1)));
    let bob = world.spawn(block(2.0, 0.0).linear_velocity(Vec3::Y));
    let rod = Joint::distance(post, bob, 2.0, 2.0);
    let rod = world.spawn((rod, JointState::default(), Disabled));
    run(&mut world, &mut physics, 60);
    assert!((position(&world, bob) - Vec3::new(2.0, 1.0, 0.0)).length() < 1e-4, "{}", position(&world, bob));
    world.get::<&mut Position>(bob).unwrap().0 = Vec3::X * 2.0;
    world.remove_one::<Disabled>(rod).unwrap();
    run(&mut world, &mut physics, 60);
    let at = position(&world, bob);
    assert!((at.length() - 2.0).abs() < 1e-3 && (at.y.atan2(at.x) - 0.5).abs() < 0.01, "{at}");
}

#[test]
fn a_further_collider_is_disabled_alone() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    let body = world.spawn(block(0.0, 0.5));
    let of = ColliderOf { body, position: Vec3::Y * -0.5, orientation: Quat::IDENTITY };
    let leg = world.spawn((Collider::cuboid(0.1, 0.5, 0.1), of, Disabled));
    run(&mut world, &mut physics, 30);
    assert!((position(&world, body).y - 0.5).abs() < 1e-3);
    world.get::<&mut Position>(body).unwrap().0.y = 1.0;
    world.remove_one::<Disabled>(leg).unwrap();
    physics.step(&mut world, DT).unwrap();
    let lowest = physics.contacts().map(|c| c.point.y).fold(Real::MAX, Real::min);
    run(&mut world, &mut physics, 5);
    assert!(lowest.abs() < 0.51 && position(&world, body).y > 0.98, "{lowest}");
}

#[test]
fn an_ignored_pair_passes_through_by_body_and_by_collider_fast_or_slow() {
    let at = |name: &dyn Fn(&mut World, Entity, Entity), speed: Real, ccd: bool| {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.settings.gravity = Vec3::ZERO;
        let wall = world.spawn(Body::dynamic(cube()).at(3.0, 0.0, 0.0).mass(1.0));
        let bullet = Body::dynamic(Collider::ball(0.1)).mass(1.0).linear_velocity(Vec3::X * speed);
        let bullet = world.spawn(bullet);
        if ccd {
            world.insert_one(bullet, Ccd).unwrap();
        }
        name(&mut world, wall, bullet);
        for _ in 0..(6.0 / speed / DT) as usize {
            physics.step(&mut world, DT).unwrap();
            assert!(physics.events().is_empty());
        }
        (velocity(&world, bullet).x - speed).abs() < 1e-4 && momentum(&world, &[(wall, 1.0)]).length() == 0.0
    };
    let on_bullet = |world: &mut World, wall: Entity, bullet: Entity| {
        world.insert_one(bullet, IgnoreContactsWith::from([wall])).unwrap();
    };
    let on_wall = |world: &mut World, wall: Entity, bullet: Entity| {
        world.insert_one(wall, IgnoreContactsWith::from([bullet])).unwrap();
    };
    for (speed, ccd) in [(2.0, false), (200.0, true)] {
        assert!(at(&on_bullet, speed, ccd) && at(&on_wall, speed, ccd), "{speed} m/s");
    }
}

#[test]
fn a_pair_that_is_no_longer_ignored_meets_and_one_that_is_from_now_on_parts() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ground = floor(&mut world);
    let body = world.spawn(block(0.0, 0.5));
    run(&mut world, &mut physics, 60);
    assert_eq!(physics.state().counts.asleep, 1);
    world.insert_one(body, IgnoreContactsWith::from([ground])).unwrap();
    run(&mut world, &mut physics, 10);
    assert!(position(&world, body).y < 0.45, "it falls through the floor");
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    world.insert_one(body, IgnoreContactsWith(vec![gone])).unwrap();
    world.get::<&mut Position>(body).unwrap().0.y = 1.0;
    run(&mut world, &mut physics, 60);
    assert!((position(&world, body).y - 0.5).abs() < 1e-3);
    let mut list = world.get::<&mut IgnoreContactsWith>(body).unwrap();
    list.retain_alive(&world);
    assert!(list.0.is_empty());
}

#[test]
fn pairs_without_a_response_are_reported_as_sensors_are_also_at_speed() {
    for (speed, expected) in [(1.0, 2), (300.0, 0)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.settings.gravity = Vec3::ZERO;
        let ghost = SolverLayers(CollisionLayers::layer(1).not_with([0]));
        let wall = world.spawn(Body::fixed(Collider::cuboid(0.05, 1.0, 1.0)).at(1.0, 0.0, 0.0));
        let thing = world.spawn(block(0.0, 0.0).linear_velocity(Vec3::X * speed).with(ghost));
        let other = world.spawn(block(20.0, 0.0));
        let mut met = 0;
        for _ in 0..(2.5 / speed / DT).max(3.0) as usize {
            physics.step(&mut world, DT).unwrap();
            for event in physics.events() {
                assert!(matches!(event, Event::SensorEntered { .. } | Event::SensorLeft { .. }), "{event:?}");
                met += usize::from(event.other(wall) == Some(thing));
            }
        }
        assert!((velocity(&world, thing).x - speed).abs() < 1e-3);
        assert!(met >= expected && velocity(&world, other) == Vec3::ZERO);
        // Among themselves they exert forces.
        world.insert_one(other, SolverLayers(CollisionLayers::layer(1))).unwrap();
        world.get::<&mut Position>(thing).unwrap().0 = Vec3::new(18.9, 0.0, 0.0);
        world.get::<&mut LinearVelocity>(thing).unwrap().0 = Vec3::X;
        run(&mut world, &mut physics, 30);
        assert!((momentum(&world, &[(thing, 1.0), (other, 1.0)]) - Vec3::X).length() < 1e-4);
        assert!(velocity(&world, other).x > 0.4);
    }
}

#[test]
fn a_character_passes_what_it_ignores() {
    use dolmen::control::{Character, CharacterState, step_characters};
    for ignores in [false, true] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        floor(&mut world);
        let door = world.spawn(Body::fixed(Collider::cuboid(0.1, 1.0, 2.0)).at(2.0, 1.0, 0.0));
        let hero = world.spawn(Body::kinematic(Collider::capsule(0.5, 0.3)).at(0.0, 0.81, 0.0));
        world.insert(hero, (Character::default(), CharacterState::default())).unwrap();
        if ignores {
            world.insert_one(hero, IgnoreContactsWith::from([door])).unwrap();
        }
        for _ in 0..120 {
            world.get::<&mut Character>(hero).unwrap().walk = Vec3::X * 2.0;
            step_characters(&mut world, &physics, DT).unwrap();
            physics.step(&mut world, DT).unwrap();
        }
        assert_eq!(position(&world, hero).x > 3.0, ignores, "{}", position(&world, hero));
    }
}

#[test]
fn layers_are_made_by_number() {
    let [a, b] = [2, 5].map(CollisionLayers::layer);
    assert_eq!(a, CollisionLayers::new(4, u32::MAX));
    assert!(a.meets(b) && !a.only_with([1, 3]).meets(b) && a.only_with([5]).meets(b) && !a.meets(b.not_with([2])));
    assert_eq!(CollisionLayers::layer(33), CollisionLayers::layer(1));
}
