//! Worlds at rest, of which a step looks at what changed alone: nothing that a game does is missed,
//! and no result depends on what is left out.

use crate::game::{DT, cube, floor};
use dolmen::prelude::*;
use dolmen::{BodySlot, Stage};
use hecs::{Entity, World};

/// A component of a game, which moves its entity to another archetype.
struct Marker;

fn stacks(world: &mut World, count: usize) -> Vec<Entity> {
    let places = (0..count).map(|k| ((k % 10) as Real * 3.0, (k / 10 % 10) as Real * 3.0, 0.5 + (k / 100) as Real));
    places.map(|(x, z, y)| world.spawn(Body::dynamic(cube()).at(x, y, z))).collect()
}

/// Fails if the working set does not hold what the columns of an entity hold.
fn check(world: &World, physics: &Physics, entity: Entity, step: usize) {
    let bodies = &physics.state().bodies;
    let (Ok(slot), false) = (world.get::<&BodySlot>(entity), world.satisfies::<&Disabled>(entity)) else { return };
    let slot = slot.get().expect("a body has a slot after a step") as usize;
    assert_eq!(bodies.entity[slot], entity, "step {step}");
    assert_eq!(bodies.position[slot], world.get::<&Position>(entity).unwrap().0, "step {step}");
    assert_eq!(bodies.orientation[slot], world.get::<&Orientation>(entity).unwrap().0, "step {step}");
    assert_eq!(bodies.linear_velocity[slot], world.get::<&LinearVelocity>(entity).unwrap().0, "step {step}");
    assert_eq!(bodies.angular_velocity[slot], world.get::<&AngularVelocity>(entity).unwrap().0, "step {step}");
    if let (Ok(mass), true) =
        (world.get::<&Mass>(entity), *world.get::<&RigidBody>(entity).unwrap() == RigidBody::Dynamic)
    {
        assert_eq!(bodies.mass[slot], mass.0, "step {step}");
    }
    if let Ok(material) = world.get::<&Material>(entity) {
        assert_eq!(physics.state().colliders.material[slot], *material, "step {step}");
    }
}

#[test]
fn no_edit_of_a_world_at_rest_is_missed() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    let mut bodies = stacks(&mut world, 300);
    bodies.extend((0..40).map(|k| world.spawn(Body::fixed(cube()).at(k as Real * 3.0, 0.5, -20.0))));
    bodies.extend((0..40).map(|k| world.spawn(Body::kinematic(cube()).at(k as Real * 3.0, 0.5, -30.0))));
    let mut random = fastrand::Rng::with_seed(5);
    // Where bodies were before they were moved away.
    let mut away: Vec<(Entity, Vec3)> = Vec::new();
    let mut asleep = 0;
    for step in 0..900 {
        // Three edits in a step, and times without any, so that all falls asleep again.
        for _ in 0..if step % 90 < 30 { 3 } else { 0 } {
            let index = random.usize(0..bodies.len());
            let entity = bodies[index];
            match random.u8(0..10) {
                0 => {
                    let place = world.get::<&Position>(entity).unwrap().0;
                    away.push((entity, place));
                    world.get::<&mut Position>(entity).unwrap().0 = place + Vec3::Y * 40.0;
                }
                1 => {
                    for (entity, place) in away.drain(..) {
                        if let Ok(mut position) = world.get::<&mut Position>(entity) {
                            position.0 = place;
                        }
                    }
                }
                2 => drop(world.insert_one(entity, Marker)),
                3 => drop(world.remove_one::<Marker>(entity)),
                4 => {
                    let place = world.get::<&Position>(entity).unwrap().0;
                    world.despawn(entity).unwrap();
                    bodies[index] = world.spawn(Body::dynamic(cube()).position(place));
                }
                5 => {
                    // The same components, its slot too, under another generation of its number.
                    let mut other = World::new();
                    let there = other.spawn(world.take(entity).unwrap());
                    bodies[index] = world.spawn(other.take(there).unwrap());
                }
                6 => drop(world.insert_one(entity, Mass(1.0 + random.u8(0..4) as Real))),
                7 => drop(world.insert_one(
                    entity,
                    Material { restitution: 0.1 * random.u8(0..4) as Real, ..Material::default() },
                )),
                8 => drop(world.insert_one(entity, Disabled)),
                _ => drop(world.remove_one::<Disabled>(entity)),
            }
        }
        asleep = asleep.max(physics.step(&mut world, DT).unwrap().counts.asleep);
        bodies.iter().for_each(|&entity| check(&world, &physics, entity, step));
    }
    assert!(asleep > 250, "{asleep} asleep at most");
}

/// Everything that starts, stops, wakes and moves bodies, in one world; `all` has each step look at
/// every body.
fn play(all: bool, threads: usize) -> Vec<[Vec3; 3]> {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.threads = Some(threads);
    // The guard trusts a world with user systems.
    physics.settings.energy_guard = false;
    if all {
        for stage in Stage::ALL {
            physics.schedule.add_after(stage, |_, _| {});
        }
    }
    floor(&mut world);
    let stacks = stacks(&mut world, 300);
    let platform = world.spawn(Body::kinematic(Collider::cuboid(1.0, 0.1, 1.0)).at(-5.0, 0.1, 0.0));
    let rider = world.spawn(Body::dynamic(cube()).at(-5.0, 0.7, 0.0));
    let wall = world.spawn(Body::fixed(cube()).at(0.0, 0.5, -20.0));
    let part = Collider::ball(0.3);
    let [a, b] = [0.0, 1.2].map(|x| world.spawn(Body::dynamic(cube()).at(-10.0 + x, 0.5, 0.0)));
    let mut joint = None;
    let mut poses = Vec::new();
    for step in 0..700 {
        match step {
            150 => drop(world.spawn(Body::dynamic(Collider::ball(0.4)).at(0.0, 6.0, 0.1))),
            200 => world.get::<&mut LinearVelocity>(platform).unwrap().0 = Vec3::Y * 0.5,
            240 => world.get::<&mut LinearVelocity>(platform).unwrap().0 = Vec3::ZERO,
            260 => world.get::<&mut Position>(wall).unwrap().0 = Vec3::new(3.4, 0.5, 6.6),
            300 => {
                let bullet = Body::dynamic(Collider::ball(0.1)).at(-3.0, 0.6, 9.0).linear_velocity(Vec3::X * 200.0);
                world.spawn(bullet.with(Ccd));
            }
            340 => drop(world.spawn((
                ColliderOf { body: stacks[40], position: Vec3::Z * 0.6, orientation: Quat::IDENTITY },
                part.clone(),
            ))),
            380 => world.despawn(stacks[55]).unwrap(),
            420 => {
                joint =
                    Some(world.spawn((
                        Joint::spherical(a, b).anchors(Vec3::X * 0.6, Vec3::NEG_X * 0.6),
                        JointState::default(),
                    )))
            }
            460 => world.get::<&mut Position>(a).unwrap().0.y += 2.0,
            520 => world.despawn(joint.take().unwrap()).unwrap(),
            560 => physics.settings.gravity = Vec3::new(1.0, -9.0, 0.0),
            600 => world.get::<&mut LinearVelocity>(platform).unwrap().0 = Vec3::new(0.0, -0.5, 1.0),
            _ => {}
        }
        physics.step(&mut world, DT).unwrap();
        for &entity in stacks.iter().chain([&rider, &platform, &a, &b]) {
            let Ok(position) = world.get::<&Position>(entity) else { continue };
            let linear = world.get::<&LinearVelocity>(entity).unwrap().0;
            let angular = world.get::<&AngularVelocity>(entity).unwrap().0;
            poses.push([position.0, linear, angular]);
        }
    }
    poses
}

#[test]
fn no_result_depends_on_the_bodies_that_a_step_does_not_look_at() {
    let all = play(true, 1);
    for threads in [1, 2] {
        let some = play(false, threads);
        assert_eq!(some.len(), all.len());
        let differs = some.iter().zip(&all).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{threads} threads: the first differing row, of 304 a step");
    }
}
