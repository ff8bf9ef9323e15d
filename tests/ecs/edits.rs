//! Edits of the game between steps: kinds, masses, surfaces, slots and worlds.

use crate::game::{DT, cube, floor, position, run, velocity};
use dolmen::prelude::*;
use dolmen::{Event, StepError};
use hecs::{Entity, World};

/// A pile of cubes on a floor.
fn pile(world: &mut World, count: usize) -> Vec<Entity> {
    floor(world);
    let at = |i: usize| {
        Vec3::new(
            (i % 4) as Real * 1.05,
            0.6 + (i / 16) as Real * 1.1,
            (i / 4 % 4) as Real * 1.05 + 0.1 * (i / 16) as Real,
        )
    };
    (0..count).map(|i| world.spawn(Body::dynamic(cube()).position(at(i)))).collect()
}

#[test]
fn a_moving_body_that_turns_static_stands_still_for_what_it_touches() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.gravity = Vec3::ZERO;
    let elastic = Material::new(0.5, 1.0);
    let wall = world.spawn(Body::dynamic(cube()).linear_velocity(Vec3::X * 5.0).material(elastic));
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(2.0, 0.0, 0.0).material(elastic));
    physics.step(&mut world, DT).unwrap();
    *world.get::<&mut RigidBody>(wall).unwrap() = RigidBody::Static;
    let x = position(&world, wall).x + 1.0005;
    world.get::<&mut Position>(ball).unwrap().0.x = x;
    run(&mut world, &mut physics, 10);
    assert_eq!(velocity(&world, ball), Vec3::ZERO);
    *world.get::<&mut LinearVelocity>(ball).unwrap() = LinearVelocity::new(-2.0, 0.0, 0.0);
    run(&mut world, &mut physics, 10);
    assert!((velocity(&world, ball).x - 2.0).abs() < 1e-4, "it bounces off a wall at rest: {}", velocity(&world, ball));
}

#[test]
fn a_centre_of_mass_moved_by_the_game_does_not_throw_the_body() {
    for rest in [true, false] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.settings.sleep = rest;
        floor(&mut world);
        let lower = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
        let upper = world.spawn(Body::dynamic(cube()).at(0.0, 1.5, 0.0));
        run(&mut world, &mut physics, 60);
        world.insert_one(lower, CenterOfMass(Vec3::Y * 0.3)).unwrap();
        for _ in 0..30 {
            physics.step(&mut world, DT).unwrap();
            let (a, b) = (position(&world, lower), position(&world, upper));
            assert!((a - Vec3::Y * 0.5).length() < 2e-3 && (b - Vec3::Y * 1.5).length() < 2e-3, "{a} {b}");
        }
    }
}

#[test]
fn another_material_is_another_friction_and_not_another_contact() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let slope = Quat::from_rotation_z(0.3);
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).orientation(slope).material(Material::new(0.5, 0.0)));
    let brick = world.spawn(Body::dynamic(cube()).position(slope * (Vec3::Y * 0.5)).orientation(slope));
    run(&mut world, &mut physics, 60);
    let before = position(&world, brick);
    assert!(before.length() < 0.51, "it holds: {before}");
    world.insert_one(brick, Material::new(0.0, 0.0)).unwrap();
    let mut events = Vec::new();
    for _ in 0..60 {
        physics.step(&mut world, DT).unwrap();
        events.extend(physics.events().iter().filter(|e| !matches!(e, Event::WokeUp { .. })).copied());
    }
    assert_eq!(events, []);
    let slid = (position(&world, brick) - before).length();
    let exact = 0.5 * 9.81 * (0.3 as Real).sin();
    assert!((slid / exact - 1.0).abs() < 0.03, "{slid} {exact}");
}

#[test]
fn a_newcomer_in_the_slot_of_a_sleeping_body_is_not_reported_as_woken() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    let old = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
    run(&mut world, &mut physics, 120);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 1);
    world.despawn(old).unwrap();
    let new = world.spawn(Body::dynamic(cube()).at(0.0, 5.0, 0.0));
    physics.step(&mut world, DT).unwrap();
    assert!(!physics.events().iter().any(|e| matches!(e, Event::WokeUp { .. })), "{:?}", physics.events());
    assert!(world.contains(new));
}

#[test]
fn only_bodies_have_a_centre_of_mass() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let body = world.spawn(Body::dynamic(cube()).at(1.0, 2.0, 3.0));
    let of = ColliderOf { body, position: Vec3::ZERO, orientation: Quat::IDENTITY };
    let part = world.spawn((cube(), of));
    let other = world.spawn((Position::default(),));
    physics.step(&mut world, DT).unwrap();
    assert!(physics.center_of_mass(&world, body).is_some());
    assert_eq!(physics.center_of_mass(&world, part), None);
    assert_eq!(physics.center_of_mass(&world, other), None);
}

#[test]
fn an_error_leaves_events_counts_energy_gravity_and_sleeping_islands_as_they_were() {
    let scene = || {
        let (mut world, mut physics) = (World::new(), Physics::default());
        floor(&mut world);
        let sleeper = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
        let falling = world.spawn(Body::dynamic(cube()).at(9.0, 400.0, 0.0));
        run(&mut world, &mut physics, 120);
        world.spawn(Body::dynamic(cube()).at(5.0, 0.5, 0.0));
        physics.step(&mut world, DT).unwrap();
        (world, physics, sleeper, falling)
    };
    let (mut world, mut physics, sleeper, falling) = scene();
    let (events, energy, counts) = (physics.events().to_vec(), physics.energy(), physics.state().counts);
    assert!(!events.is_empty() && counts.asleep == 1);

    physics.settings.gravity = Vec3::X;
    world.insert_one(sleeper, ExternalForce(Vec3::X)).unwrap();
    world.insert_one(falling, Mass(-1.0)).unwrap();
    world.spawn(Body::dynamic(cube()).at(0.0, 1.5, 0.0));
    assert!(matches!(physics.step(&mut world, 1.0), Err(StepError::Component { component: "Mass", .. })));
    assert_eq!(physics.events(), events);
    assert_eq!(physics.energy(), energy);
    assert_eq!(physics.state().counts, counts);
    assert_eq!((physics.state().dt, physics.state().settings.gravity.x), (DT, 0.0));
}

#[test]
fn kinds_that_change_in_a_pile_lose_nothing() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let entities = pile(&mut world, 60);
    let kinds = [RigidBody::Static, RigidBody::Kinematic, RigidBody::Dynamic];
    for round in 0..40 {
        for (i, &e) in entities.iter().enumerate().filter(|(i, _)| (i + round) % 7 == 0) {
            *world.get::<&mut RigidBody>(e).unwrap() = kinds[(i + round) % 3];
            world.get::<&mut LinearVelocity>(e).unwrap().0 = Vec3::ZERO;
            world.get::<&mut AngularVelocity>(e).unwrap().0 = Vec3::ZERO;
        }
        run(&mut world, &mut physics, 4);
    }
    for &e in &entities {
        *world.get::<&mut RigidBody>(e).unwrap() = RigidBody::Dynamic;
    }
    run(&mut world, &mut physics, 300);
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!(report.counts.dynamic, 60);
    for &e in &entities {
        let p = position(&world, e);
        assert!(p.y > 0.4 && p.y < 6.0 && p.length() < 30.0, "{p}");
    }
}

#[test]
fn a_slot_that_is_removed_or_copied_onto_another_entity_is_replaced() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let entities = pile(&mut world, 8);
    run(&mut world, &mut physics, 60);
    let slot = *world.get::<&BodySlot>(entities[0]).unwrap();
    *world.get::<&mut BodySlot>(entities[1]).unwrap() = slot;
    world.remove_one::<BodySlot>(entities[2]).unwrap();
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!(report.counts.bodies, 9);
    let mut slots: Vec<u32> = world.query::<&BodySlot>().iter().map(|s| s.get().unwrap()).collect();
    slots.sort_unstable();
    slots.dedup();
    assert_eq!(slots.len(), 9);
    run(&mut world, &mut physics, 60);
    assert!(entities.iter().all(|&e| position(&world, e).y > 0.49));
}

#[test]
fn two_plugins_may_take_turns_on_a_world_and_one_may_go_to_another() {
    let (mut world, mut first, mut second) = (World::new(), Physics::default(), Physics::default());
    let entities = pile(&mut world, 30);
    for _ in 0..60 {
        first.step(&mut world, DT).unwrap();
        second.step(&mut world, DT).unwrap();
    }
    assert_eq!(first.state().bodies.live(), 31);
    assert!(entities.iter().all(|&e| position(&world, e).y > 0.45), "nothing falls through");

    let mut other = World::new();
    let ball = other.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 3.0, 0.0));
    let report = first.step(&mut other, DT).unwrap();
    assert_eq!((report.counts.bodies, report.counts.pairs, report.counts.asleep), (1, 0, 0));
    run(&mut other, &mut first, 29);
    let exact = 3.0 - 0.5 * 9.81 * 0.25;
    assert!((position(&other, ball).y - exact).abs() < 1e-4, "{}", position(&other, ball));
}

#[test]
fn thousands_spawned_and_despawned_in_any_order_leave_nothing_behind() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.threads = Some(1);
    // A field of heights, so that every pair with the ground is a composite one.
    world.spawn(Body::fixed(Collider::heightfield(9, 9, &[0.0; 81], Vec3::new(80.0, 1.0, 80.0)).unwrap()));
    let mut alive: Vec<Entity> = Vec::new();
    let mut random = 1_u32;
    let mut next = move |n: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % n
    };
    for _ in 0..100 {
        while alive.len() > 150 {
            let gone = alive.swap_remove(next(alive.len()));
            world.despawn(gone).unwrap();
        }
        for _ in 0..100 {
            let at =
                Vec3::new(next(600) as Real * 0.1 - 30.0, 0.4 + next(20) as Real * 0.1, next(600) as Real * 0.1 - 30.0);
            let body = world.spawn(Body::dynamic(Collider::ball(0.3)).position(at));
            alive.push(body);
            if next(3) == 0 {
                let of = ColliderOf { body, position: Vec3::Y * 0.4, orientation: Quat::IDENTITY };
                alive.push(world.spawn((Collider::ball(0.2), of)));
            }
        }
        physics.step(&mut world, DT).unwrap();
    }
    assert!(physics.state().bodies.slots() < 600, "{}", physics.state().bodies.slots());
    assert!(physics.state().contacts.pairs.len() < 6000, "{}", physics.state().contacts.pairs.len());
    for e in alive.drain(..) {
        world.despawn(e).unwrap();
    }
    let report = physics.step(&mut world, DT).unwrap();
    let counts = report.counts;
    assert_eq!((counts.bodies, counts.orphans, counts.pairs, counts.manifolds), (1, 0, 0, 0));
    assert_eq!(physics.contacts().count(), 0);
    assert!(physics.state().contacts.manifolds.iter().all(|m| m.count == 0));
}
