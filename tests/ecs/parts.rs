//! Extra colliders: changes of a body's parts by the game, and their effect on the body.

use crate::game::{DT, position, run, velocity};
use dolmen::prelude::*;
use dolmen::{Event, StepError};
use hecs::{Entity, World};

fn of(body: Entity, x: Real, y: Real, z: Real) -> ColliderOf {
    ColliderOf { body, position: Vec3::new(x, y, z), orientation: Quat::IDENTITY }
}

fn floating() -> (World, Physics) {
    let mut physics = Physics::default();
    physics.settings.gravity = Vec3::ZERO;
    (World::new(), physics)
}

/// A cube of 1000 kg with another one as its part, and the part.
fn pair_of_cubes(world: &mut World, x: Real) -> (Entity, Entity) {
    let cube = || Collider::cuboid(0.5, 0.5, 0.5);
    let body = world.spawn(Body::dynamic(cube()).at(x, 0.0, 0.0));
    let part = world.spawn((cube(), of(body, 0.0, 2.0, 0.0)));
    (body, part)
}

/// Pushes a body through its centre; returns its mass from the acceleration (kg).
fn weigh(world: &mut World, physics: &mut Physics, body: Entity) -> Real {
    let before = velocity(world, body);
    let impulse = ExternalImpulse { linear: Vec3::Z * 600.0, angular: Vec3::ZERO };
    world.insert_one(body, impulse).unwrap();
    physics.step(world, DT).unwrap();
    600.0 / (velocity(world, body) - before).z
}

#[test]
fn a_part_given_to_another_body_takes_its_mass_along() {
    let (mut world, mut physics) = floating();
    let (first, part) = pair_of_cubes(&mut world, 0.0);
    let second = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(10.0, 0.0, 0.0));
    physics.step(&mut world, DT).unwrap();
    assert!((physics.center_of_mass(&world, first).unwrap() - Vec3::Y).length() < 1e-5);
    *world.get::<&mut ColliderOf>(part).unwrap() = of(second, 0.0, 2.0, 0.0);
    physics.step(&mut world, DT).unwrap();
    assert!(physics.center_of_mass(&world, first).unwrap().length() < 1e-5);
    assert!((physics.center_of_mass(&world, second).unwrap() - Vec3::new(10.0, 1.0, 0.0)).length() < 1e-4);
    assert!((weigh(&mut world, &mut physics, first) / 1000.0 - 1.0).abs() < 1e-4);
    assert!((weigh(&mut world, &mut physics, second) / 2000.0 - 1.0).abs() < 1e-4);
}

#[test]
fn a_part_that_becomes_a_body_leaves_its_old_body_lighter() {
    let (mut world, mut physics) = floating();
    let (body, part) = pair_of_cubes(&mut world, 0.0);
    physics.step(&mut world, DT).unwrap();
    world.remove_one::<ColliderOf>(part).unwrap();
    world.insert(part, (RigidBody::Dynamic, Position::new(0.0, 5.0, 0.0))).unwrap();
    physics.step(&mut world, DT).unwrap();
    assert!(physics.center_of_mass(&world, body).unwrap().length() < 1e-5);
    assert!((physics.center_of_mass(&world, part).unwrap() - Vec3::Y * 5.0).length() < 1e-5);
    assert!((weigh(&mut world, &mut physics, body) / 1000.0 - 1.0).abs() < 1e-4);
    assert!((weigh(&mut world, &mut physics, part) / 1000.0 - 1.0).abs() < 1e-4);
}

#[test]
fn a_body_that_becomes_a_part_orphans_its_own_parts() {
    let (mut world, mut physics) = floating();
    let (body, part) = pair_of_cubes(&mut world, 0.0);
    let other = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(10.0, 0.0, 0.0));
    physics.step(&mut world, DT).unwrap();
    world.remove_one::<RigidBody>(body).unwrap();
    world.insert_one(body, of(other, 0.0, 2.0, 0.0)).unwrap();
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!((report.counts.bodies, report.counts.orphans), (1, 1));
    assert!((weigh(&mut world, &mut physics, other) / 2000.0 - 1.0).abs() < 1e-4);
    // A ball flies through where the orphan would be, and through where the body was.
    let ball = world.spawn(Body::dynamic(Collider::ball(0.1)).at(0.0, 2.0, -3.0).linear_velocity(Vec3::Z * 10.0));
    run(&mut world, &mut physics, 60);
    assert!((position(&world, ball).z - 7.0).abs() < 1e-3, "{}", position(&world, ball));
    assert!(world.contains(part));
}

#[test]
fn an_orphan_is_adopted_again_when_its_entity_is_a_body_again() {
    let (mut world, mut physics) = floating();
    let (body, part) = pair_of_cubes(&mut world, 0.0);
    physics.step(&mut world, DT).unwrap();
    world.remove_one::<RigidBody>(body).unwrap();
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.orphans, 1);
    world.insert_one(body, RigidBody::Static).unwrap();
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.orphans, 0);
    let ball = world.spawn(Body::dynamic(Collider::ball(0.1)).at(0.0, 2.0, -3.0).linear_velocity(Vec3::Z * 10.0));
    run(&mut world, &mut physics, 60);
    assert!(position(&world, ball).z < -0.59, "stopped by the part: {}", position(&world, ball));
    assert!(world.contains(part));
}

#[test]
fn an_orphan_that_becomes_a_body_beside_a_newcomer_is_a_body() {
    let (mut world, mut physics) = floating();
    let (body, part) = pair_of_cubes(&mut world, 0.0);
    physics.step(&mut world, DT).unwrap();
    world.despawn(body).unwrap();
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.orphans, 1);
    world.spawn(Body::dynamic(Collider::ball(0.1)).at(5.0, 0.0, 0.0));
    world.remove_one::<ColliderOf>(part).unwrap();
    world.insert_one(part, RigidBody::Dynamic).unwrap();
    let counts = physics.step(&mut world, DT).unwrap().counts;
    assert_eq!((counts.bodies, counts.orphans), (2, 0));
    assert!((weigh(&mut world, &mut physics, part) / 1000.0 - 1.0).abs() < 1e-4);
}

#[test]
fn an_orphan_may_be_edited_and_stays_an_orphan() {
    let (mut world, mut physics) = floating();
    let (body, part) = pair_of_cubes(&mut world, 0.0);
    physics.step(&mut world, DT).unwrap();
    world.despawn(body).unwrap();
    world.insert_one(part, Density(500.0)).unwrap();
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.orphans, 1, "both in one step");
    world.get::<&mut ColliderOf>(part).unwrap().position.x = 1.0;
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.orphans, 1);
    world.get::<&mut ColliderOf>(part).unwrap().position.x = Real::NAN;
    assert!(matches!(physics.step(&mut world, DT), Err(StepError::Component { entity, .. }) if entity == part));
    world.despawn(part).unwrap();
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.orphans, 0);
}

#[test]
fn parts_added_and_taken_away_later_change_how_far_the_body_reaches() {
    let (mut world, mut physics) = floating();
    let body = world.spawn(Body::kinematic(Collider::ball(0.5)));
    physics.step(&mut world, DT).unwrap();
    let reach = |world: &World, physics: &Physics| {
        let slot = world.get::<&BodySlot>(body).unwrap().get().unwrap();
        physics.state().bodies.radius[slot as usize]
    };
    assert!((reach(&world, &physics) - 0.5).abs() < 1e-6);
    let part = world.spawn((Collider::ball(0.5), of(body, 4.0, 0.0, 0.0)));
    physics.step(&mut world, DT).unwrap();
    assert!((reach(&world, &physics) - 4.5).abs() < 1e-5, "{}", reach(&world, &physics));
    world.get::<&mut ColliderOf>(part).unwrap().position.x = 6.0;
    physics.step(&mut world, DT).unwrap();
    assert!((reach(&world, &physics) - 6.5).abs() < 1e-5, "{}", reach(&world, &physics));
    world.despawn(part).unwrap();
    physics.step(&mut world, DT).unwrap();
    assert!((reach(&world, &physics) - 0.5).abs() < 1e-6);
}

#[test]
fn a_body_that_stands_on_its_parts_stands_when_it_turns_from_static_to_dynamic() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::cuboid(20.0, 1.0, 20.0)).at(0.0, -1.0, 0.0));
    let table = world.spawn(Body::fixed(Collider::cuboid(1.0, 0.1, 1.0)).at(0.0, 1.1, 0.0));
    for (x, z) in [(0.9, 0.9), (-0.9, 0.9), (0.9, -0.9), (-0.9, -0.9)] {
        world.spawn((Collider::cuboid(0.1, 0.5, 0.1), of(table, x, -0.6, z)));
    }
    run(&mut world, &mut physics, 3);
    *world.get::<&mut RigidBody>(table).unwrap() = RigidBody::Dynamic;
    let mut lowest = Real::MAX;
    for _ in 0..60 {
        physics.step(&mut world, DT).unwrap();
        lowest = lowest.min(position(&world, table).y);
    }
    assert!(lowest > 1.099, "{lowest}");
}

#[test]
fn a_sensor_part_feels_and_a_part_in_other_layers_meets_nothing() {
    let (mut world, mut physics) = floating();
    let body = world.spawn(Body::dynamic(Collider::ball(0.5)).linear_velocity(Vec3::X * 10.0));
    let feeler = world.spawn((Collider::ball(0.2), of(body, 0.0, 2.0, 0.0), Sensor));
    let nothing = CollisionLayers { layers: 2, mask: 2 };
    world.spawn((Collider::ball(0.2), of(body, 0.0, -2.0, 0.0), nothing));
    let post = |y| Body::fixed(Collider::cuboid(0.5, 0.5, 0.5)).at(5.0, y, 0.0);
    let upper = world.spawn(post(2.0));
    world.spawn(post(-2.0));
    let (mut entered, mut left) = (0, 0);
    for _ in 0..60 {
        physics.step(&mut world, DT).unwrap();
        for event in physics.events() {
            match event {
                Event::SensorEntered { entities } if entities.contains(&feeler) && entities.contains(&upper) => {
                    entered += 1
                }
                Event::SensorLeft { .. } => left += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!((entered, left), (1, 1));
    assert!((velocity(&world, body).x - 10.0).abs() < 1e-5);
}

#[test]
fn a_part_that_the_game_moves_a_little_every_step_goes_on_touching() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.sleep = false;
    world.spawn(Body::fixed(Collider::cuboid(20.0, 1.0, 20.0)).at(0.0, -1.0, 0.0));
    let body = world.spawn(Body::dynamic(Collider::cuboid(0.2, 0.2, 0.2)).at(0.0, 1.0, 0.0));
    let foot = world.spawn((Collider::cuboid(1.0, 0.25, 1.0), of(body, 0.0, -0.75, 0.0)));
    run(&mut world, &mut physics, 30);
    let mut events = Vec::new();
    for step in 0..60 {
        world.get::<&mut ColliderOf>(foot).unwrap().position.x = 1e-3 * (step % 2) as Real;
        physics.step(&mut world, DT).unwrap();
        events.extend_from_slice(physics.events());
    }
    assert_eq!(events, []);
    assert!((position(&world, body).y - 1.0).abs() < 2e-3, "{}", position(&world, body));
}

#[test]
fn a_half_space_is_no_part_of_a_dynamic_body() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    // Mass and inertia are given, so that no mass must follow from the shapes.
    let body = Body::dynamic(Collider::ball(0.5)).mass(1.0).inertia(Inertia::diagonal(1.0, 1.0, 1.0));
    let body = world.spawn(body);
    let part = world.spawn((Collider::half_space(Vec3::Y), of(body, 0.0, 0.0, 0.0)));
    let error = physics.step(&mut world, DT).unwrap_err();
    assert!(matches!(error, StepError::Component { entity, component: "ColliderOf", .. } if entity == part), "{error}");
    *world.get::<&mut RigidBody>(body).unwrap() = RigidBody::Static;
    physics.step(&mut world, DT).unwrap();
}
