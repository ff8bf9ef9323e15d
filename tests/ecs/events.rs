//! Events: each is reported, and once.

use crate::events_example;
use crate::{DT, cube, run};
use dolmen::prelude::*;
use hecs::{Entity, World};

#[test]
fn every_kind_of_event_is_reported_in_its_order() {
    let (heard, forces) = events_example::run(false);
    assert_eq!(heard, events_example::EXPECTED);
    // 2 kg that fall 2.7 m come to rest on the plate within a step.
    let least = 2.0 * (2.0_f64 * 9.81 * 2.7).sqrt() * 60.0;
    assert!(forces.iter().all(|f| f64::from(*f) > 0.9 * least && f64::from(*f) < 2.5 * least), "{forces:?} {least}");
}

#[test]
fn a_shape_that_changes_while_it_touches_goes_on_touching() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let gate = world.spawn(Body::fixed(Collider::cuboid(2.0, 2.0, 2.0)).sensor());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let body = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
    run(&mut world, &mut physics, 30);
    let shapes = [Collider::cuboid(0.6, 0.5, 0.4), Collider::cylinder(0.5, 0.4), Collider::cuboid(0.4, 0.5, 0.4)];
    for shape in shapes {
        *world.get::<&mut Collider>(body).unwrap() = shape;
        for _ in 0..10 {
            physics.step(&mut world, DT).unwrap();
            let reported =
                physics.events().iter().find(|e| !matches!(e, Event::WokeUp { .. } | Event::FellAsleep { .. }));
            assert_eq!(reported, None);
        }
    }
    // Layers that still meet, too; and what no longer touches has ended once.
    world.insert_one(body, CollisionLayers { layers: 2, mask: u32::MAX }).unwrap();
    physics.step(&mut world, DT).unwrap();
    assert!(!physics.events().iter().any(|e| matches!(e, Event::ContactEnded { .. } | Event::ContactBegan { .. })));
    *world.get::<&mut Collider>(body).unwrap() = Collider::ball(0.2);
    physics.step(&mut world, DT).unwrap();
    let ended: Vec<_> = physics.events().iter().filter(|e| matches!(e, Event::ContactEnded { .. })).collect();
    assert_eq!(ended.len(), 1, "{:?}", physics.events());
    assert!(!physics.events().iter().any(|e| matches!(e, Event::SensorLeft { .. })), "it is still in the gate");
    world.insert_one(gate, CollisionLayers { layers: 1, mask: 0 }).unwrap();
    physics.step(&mut world, DT).unwrap();
    assert!(physics.events().iter().any(|e| matches!(e, Event::SensorLeft { .. })), "{:?}", physics.events());
}

#[test]
fn no_end_is_lost_when_bodies_go_however_they_go() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let gate = world.spawn(Body::fixed(Collider::cuboid(50.0, 2.0, 50.0)).sensor());
    let spawn = |world: &mut World, i: usize| {
        let at = Vec3::new((i % 7) as Real * 1.5, 0.5 + (i / 7) as Real * 0.99, 0.0);
        world.spawn(Body::dynamic(cube()).position(at))
    };
    let mut bodies: Vec<Entity> = (0..28).map(|i| spawn(&mut world, i)).collect();
    let mut open: Vec<(bool, [Entity; 2])> = Vec::new();
    let mut chance = 12345_u64;
    for step in 0..200 {
        if step % 3 == 0 {
            chance = chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let i = (chance >> 33) as usize % bodies.len();
            match chance >> 20 & 3 {
                0 => {
                    world.remove_one::<RigidBody>(bodies[i]).unwrap();
                }
                _ => world.despawn(bodies[i]).unwrap(),
            }
            bodies[i] = spawn(&mut world, i);
        }
        physics.step(&mut world, DT).unwrap();
        for event in physics.events() {
            match *event {
                Event::ContactBegan { entities } | Event::SensorEntered { entities } => {
                    let entry = (matches!(event, Event::SensorEntered { .. }), entities);
                    assert!(!open.contains(&entry), "{event:?} twice");
                    open.push(entry);
                }
                Event::ContactEnded { entities } | Event::SensorLeft { entities } => {
                    let entry = (matches!(event, Event::SensorLeft { .. }), entities);
                    let at = open.iter().position(|e| *e == entry);
                    open.remove(at.unwrap_or_else(|| panic!("{event:?} never began")));
                }
                _ => {}
            }
        }
        for (_, entities) in &open {
            for e in entities {
                assert!(world.satisfies::<&RigidBody>(*e), "{e:?} is gone, and its contact never ended");
            }
        }
    }
    for e in bodies.into_iter().chain([floor, gate]) {
        world.despawn(e).unwrap();
    }
    physics.step(&mut world, DT).unwrap();
    let ends = physics.events().iter().filter(|e| matches!(e, Event::ContactEnded { .. } | Event::SensorLeft { .. }));
    assert_eq!(ends.count(), open.len());
}

#[test]
fn a_force_is_reported_while_it_is_above_the_threshold_of_either_collider() {
    for (threshold, reported) in [(9.0, true), (11.0, false)] {
        for on_floor in [false, true] {
            let (mut world, mut physics) = (World::new(), Physics::default());
            physics.settings.sleep = false;
            let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
            let body = world.spawn(Body::dynamic(cube()).at(0.2, 0.5, 0.1).mass(1.0));
            let heavy = if on_floor { floor } else { body };
            world.insert_one(heavy, ContactForceThreshold(threshold)).unwrap();
            run(&mut world, &mut physics, 60);
            let forces: Vec<_> = physics
                .events()
                .iter()
                .filter_map(|e| match e {
                    Event::ContactForce { entities, force, point } => Some((*entities, *force, *point)),
                    _ => None,
                })
                .collect();
            assert_eq!(forces.len(), usize::from(reported));
            if let [(entities, force, point)] = forces[..] {
                let sign = if entities[1] == body { 1.0 } else { -1.0 };
                assert!((force * sign - Vec3::Y * 9.81).length() < 0.05, "{force}");
                assert!((point - Vec3::new(0.2, 0.0, 0.1)).length() < 2e-2, "{point}");
            }
        }
    }
}
