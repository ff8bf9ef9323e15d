//! The same bits whatever the number of threads, with everything that a game does in the middle of a run.

use dolmen::prelude::*;
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;

/// A heap of compounds, boxes and balls on a field of heights, with a zone that feels, parts on bodies, bodies that come and go,
/// and long enough for some to be parked; every component after every tenth step, every event, and the most bodies parked.
fn history(threads: usize, shuffled: bool) -> (Vec<u64>, Vec<String>, usize) {
    let mut world = World::new();
    let heights: Vec<Real> = (0..81).map(|i| 0.1 * ((i * 7) % 5) as Real).collect();
    world.spawn(Body::fixed(Collider::heightfield(9, 9, &heights, Vec3::new(30.0, 1.0, 30.0)).unwrap()));
    world.spawn(Body::fixed(Collider::cuboid(2.0, 2.0, 2.0)).at(0.0, 1.5, 0.0).sensor());
    let bar = Collider::compound(vec![
        (Vec3::X * 0.4, Quat::IDENTITY, Collider::cuboid(0.3, 0.2, 0.2)),
        (Vec3::X * -0.4, Quat::IDENTITY, Collider::ball(0.25)),
    ])
    .unwrap();
    let shapes = [Collider::cuboid(0.3, 0.3, 0.3), bar, Collider::ball(0.3), Collider::capsule(0.2, 0.2)];
    let spawn = |world: &mut World, i: usize, y: Real| {
        let at = Vec3::new((i % 6) as Real * 1.1 - 3.0, y + 0.3 * (i % 4) as Real, (i / 6 % 6) as Real * 1.1 - 3.0);
        world.spawn(Body::dynamic(shapes[i % 4].clone()).position(at))
    };
    let mut bodies = vec![Entity::DANGLING; 144];
    for k in 0..144 {
        let i = if shuffled { (k * 29) % 144 } else { k };
        bodies[i] = spawn(&mut world, i, 1.0 + (i / 36) as Real * 1.2);
    }
    // Alone in a corner, parked before long.
    bodies.push(world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.1, 0.5)).at(12.0, 1.5, 12.0)));
    let of = ColliderOf { body: bodies[3], position: Vec3::Y * 0.4, orientation: Quat::IDENTITY };
    world.spawn((Collider::ball(0.2), of));
    let mut physics = Physics::new(Settings { threads: Some(threads), ..Settings::default() });
    let (mut bits, mut events, mut parked) = (Vec::new(), Vec::new(), 0);
    for step in 0..200 {
        if step % 60 == 30 {
            for slot in bodies.iter_mut().skip(step / 60).step_by(9) {
                world.despawn(*slot).unwrap();
                *slot = Entity::DANGLING;
            }
            for (i, slot) in bodies.iter_mut().enumerate().filter(|(_, e)| **e == Entity::DANGLING) {
                // No two alike: between twins only the entity could decide.
                *slot = spawn(&mut world, i, 6.0 + 0.01 * i as Real);
            }
        }
        parked = parked.max(physics.step(&mut world, DT).unwrap().counts.parked);
        events.extend(physics.events().iter().map(|event| format!("{step} {event:?}")));
        if step % 10 == 0 {
            for &e in &bodies {
                let p = world.get::<&Position>(e).unwrap().0;
                let v = world.get::<&LinearVelocity>(e).unwrap().0;
                let w = world.get::<&AngularVelocity>(e).unwrap().0;
                bits.extend([p, v, w].iter().flat_map(|v| v.to_array()).map(|x| f64::from(x).to_bits()));
            }
        }
    }
    (bits, events, parked)
}

#[test]
fn composites_sensors_parts_parked_islands_and_newcomers_have_the_same_bits_on_any_threads_in_any_order() {
    let (bits, events, parked) = history(1, false);
    assert!(
        parked > 0 && events.iter().any(|e| e.contains("SensorEntered")) && events.iter().any(|e| e.contains("Impact"))
    );
    for threads in [2, 3, 8] {
        let other = history(threads, false);
        assert!(other.0 == bits, "{threads} threads: other bits");
        assert_eq!(other.1, events, "{threads} threads");
    }
    assert!(history(1, true).0 == bits, "the order of spawning shows");
}
