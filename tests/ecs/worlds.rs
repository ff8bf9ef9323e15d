//! Several worlds at once.

use crate::{DT, bits};
use dolmen::prelude::*;
use hecs::{Entity, World};

fn sendable<T: Send>() {}

#[test]
fn a_plugin_may_be_handed_to_another_thread() {
    sendable::<Physics>();
    sendable::<dolmen::Snapshot>();
    sendable::<dolmen::StepError>();
    sendable::<dolmen::StepReport>();
}

/// Final state of a small pile that differs with its number.
fn simulate(number: usize) -> Vec<u64> {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).surface_velocity(Vec3::X * 0.1));
    let shapes = [Collider::cuboid(0.4, 0.4, 0.4), Collider::ball(0.4), Collider::capsule(0.3, 0.3)];
    let bodies: Vec<Entity> = (0..60)
        .map(|i| {
            let at = Vec3::new((i % 4) as Real, 1.0 + (i / 16) as Real * 1.1, (i / 4 % 4) as Real * 0.9);
            let bounce = Material::new(0.5, 0.1 * number as Real);
            world.spawn(Body::dynamic(shapes[(i + number) % 3].clone()).position(at).material(bounce))
        })
        .collect();
    for _ in 0..90 {
        physics.step(&mut world, DT).unwrap();
    }
    bits(&world, &bodies)
}

#[test]
fn several_worlds_on_several_threads_end_as_they_do_one_after_the_other() {
    let alone: Vec<_> = (0..6).map(simulate).collect();
    let together: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|number| scope.spawn(move || simulate(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(alone == together);
    assert!(alone[0] != alone[1]);
}
