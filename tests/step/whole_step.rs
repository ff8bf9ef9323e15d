//! The whole step on a hecs world: edits between steps, and invariants after them.

use crate::game::{DT, floor, position, run};
use dolmen::prelude::*;
use dolmen::{Event, StepError};
use hecs::{Entity, World};

/// A pile of boxes and balls above a floor, in a given order of spawning.
fn pile(world: &mut World, count: usize, order: impl Fn(usize) -> usize) -> Vec<Entity> {
    floor(world);
    let mut entities = vec![Entity::DANGLING; count];
    for i in (0..count).map(order) {
        let (x, y, z) = (i % 4, i / 16, i / 4 % 4);
        let shape = if i % 3 == 0 { Collider::ball(0.5) } else { Collider::cuboid(0.5, 0.5, 0.5) };
        let at = Vec3::new(x as Real * 1.05, 1.0 + y as Real * 1.2, z as Real * 1.05 + y as Real * 0.1);
        entities[i] = world.spawn(Body::dynamic(shape).position(at));
    }
    entities
}

/// The bits of every body's components, in the order of `entities`.
fn bits(world: &World, entities: &[Entity]) -> Vec<[u8; size_of::<Real>()]> {
    let mut bits = Vec::new();
    for &e in entities.iter().filter(|&&e| world.contains(e)) {
        let p = position(world, e);
        let q = world.get::<&Orientation>(e).unwrap().0;
        let v = world.get::<&LinearVelocity>(e).unwrap().0;
        let w = world.get::<&AngularVelocity>(e).unwrap().0;
        for x in [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z] {
            bits.push(x.to_ne_bytes());
        }
    }
    bits
}

#[test]
fn an_empty_world_steps() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!(report.counts.bodies, 0);
    assert!(physics.events().is_empty());
}

#[test]
fn one_body_falls_on_the_exact_parabola() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).linear_velocity(Vec3::new(3.0, 4.0, 0.0)));
    run(&mut world, &mut physics, 60);
    let exact = Vec3::new(3.0, 4.0 - 0.5 * 9.81, 0.0);
    assert!((position(&world, ball) - exact).length() < 1e-5, "{}", position(&world, ball));
}

#[test]
fn free_flight_keeps_momentum_and_energy() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.gravity = Vec3::ZERO;
    let spin = Vec3::new(0.1, 5.0, 0.2);
    world.spawn(Body::dynamic(Collider::cuboid(0.05, 0.2, 0.45)).linear_velocity(Vec3::X).angular_velocity(spin));
    physics.step(&mut world, 1e-3).unwrap();
    let before = physics.energy();
    for _ in 0..5000 {
        physics.step(&mut world, 1e-3).unwrap();
    }
    assert!((physics.energy() / before - 1.0).abs() < 1e-5, "{} {}", physics.energy(), before);
}

#[test]
fn two_bodies_collide_with_their_momentum_kept_and_their_energy_not_raised() {
    for restitution in [0.0, 0.5, 1.0] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.settings.gravity = Vec3::ZERO;
        let material = Material::new(0.3, restitution);
        let a =
            Body::dynamic(Collider::ball(0.5)).mass(2.0).linear_velocity(Vec3::new(3.0, 0.2, 0.0)).material(material);
        let b = Body::dynamic(Collider::ball(0.5)).mass(1.0).at(2.0, 0.1, 0.0).material(material);
        let (a, b) = (world.spawn(a), world.spawn(b));
        physics.step(&mut world, DT).unwrap();
        let energy = physics.energy();
        let mut impacts = 0;
        for _ in 0..60 {
            physics.step(&mut world, DT).unwrap();
            impacts += physics.events().iter().filter(|e| matches!(e, Event::Impact { .. })).count();
            assert!(physics.energy() <= energy * (1.0 + 1e-5));
        }
        let v = |e| world.get::<&LinearVelocity>(e).unwrap().0;
        let momentum = v(a) * 2.0 + v(b);
        assert!((momentum - Vec3::new(6.0, 0.4, 0.0)).length() < 1e-4, "{momentum}");
        assert_eq!(impacts, 1, "restitution {restitution}");
        assert!(v(b).x > v(a).x - 1e-3);
    }
}

#[test]
fn a_ball_bounces_to_e_squared_of_its_height() {
    for restitution in [0.5, 0.8, 0.9] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        floor(&mut world);
        let ball = Body::dynamic(Collider::ball(0.1)).at(0.0, 1.1, 0.0).material(Material::new(0.0, restitution));
        let ball = world.spawn(ball);
        let (mut peak, mut bounced) = (0.0 as Real, false);
        for _ in 0..120 {
            physics.step(&mut world, DT).unwrap();
            let hit = physics.events().iter().any(|e| matches!(e, Event::Impact { .. }));
            if hit && bounced {
                break;
            }
            bounced |= hit;
            if bounced {
                peak = peak.max(position(&world, ball).y - 0.1);
            }
        }
        let exact = restitution * restitution;
        assert!((peak / exact - 1.0).abs() < 2e-2, "{restitution}: {peak}");
    }
}

#[test]
fn a_box_on_the_floor_stays_and_falls_asleep() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    let brick = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 0.5, 0.0));
    run(&mut world, &mut physics, 120);
    assert!((position(&world, brick) - Vec3::new(0.0, 0.5, 0.0)).length() < 1e-3, "{}", position(&world, brick));
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!(report.counts.asleep, 1);
    assert_eq!(world.get::<&LinearVelocity>(brick).unwrap().0, Vec3::ZERO);
    let weight: Vec3 = physics.contacts().map(|c| c.impulse).sum();
    assert!((weight.y / (1000.0 * 9.81 * DT) - 1.0).abs() < 1e-2, "forces stay readable: {weight}");
}

#[test]
fn sleeping_bodies_wake_when_touched_changed_or_unsupported() {
    let events = |physics: &Physics| physics.events().iter().filter(|e| matches!(e, Event::WokeUp { .. })).count();
    let sleeping = || {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let floor = floor(&mut world);
        let brick = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 0.5, 0.0));
        let upper = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 1.5, 0.0));
        run(&mut world, &mut physics, 180);
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 2);
        (world, physics, floor, brick, upper)
    };

    let (mut world, mut physics, _, brick, upper) = sleeping();
    world.insert_one(brick, ExternalForce(Vec3::new(20_000.0, 0.0, 0.0))).unwrap();
    physics.step(&mut world, DT).unwrap();
    assert_eq!(events(&physics), 2, "as a whole");
    run(&mut world, &mut physics, 10);
    assert!(position(&world, brick).x > 0.01);
    assert!(world.contains(upper));

    let (mut world, mut physics, floor, brick, _) = sleeping();
    world.despawn(floor).unwrap();
    run(&mut world, &mut physics, 30);
    assert!(position(&world, brick).y < 0.0);

    let (mut world, mut physics, _, _, upper) = sleeping();
    let ball = Body::dynamic(Collider::ball(0.3)).at(0.0, 4.0, 0.0).linear_velocity(Vec3::new(0.0, -5.0, 0.0));
    world.spawn(ball);
    let mut woke_up = 0;
    for _ in 0..40 {
        physics.step(&mut world, DT).unwrap();
        woke_up += events(&physics);
    }
    assert_eq!(woke_up, 2);
    assert!(world.contains(upper));
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let mut all = Vec::new();
    for threads in [1, 2, 3, 8] {
        let mut world = World::new();
        let entities = pile(&mut world, 300, |i| i);
        let mut physics = Physics::new(Settings { threads: Some(threads), ..Settings::default() });
        run(&mut world, &mut physics, 600);
        all.push(bits(&world, &entities));
    }
    for other in &all[1..] {
        assert_eq!(&all[0], other);
    }
}

#[test]
fn the_order_of_spawning_and_of_rows_shows_in_no_result() {
    let simulate = |order: &dyn Fn(usize) -> usize, mark: bool| {
        let mut world = World::new();
        let entities = pile(&mut world, 64, order);
        if mark {
            for &e in entities.iter().step_by(3) {
                world.insert_one(e, "a game's own component").unwrap();
            }
        }
        let mut physics = Physics::default();
        run(&mut world, &mut physics, 200);
        bits(&world, &entities)
    };
    let straight = simulate(&|i| i, false);
    assert_eq!(straight, simulate(&|i| 63 - i, false));
    assert_eq!(straight, simulate(&|i| (i * 29) % 64, true));
}

#[test]
fn despawn_spawn_teleport_and_shape_change_in_the_middle_of_a_pile() {
    let mut world = World::new();
    let entities = pile(&mut world, 100, |i| i);
    let mut physics = Physics::default();
    run(&mut world, &mut physics, 60);
    for &e in entities.iter().step_by(5) {
        world.despawn(e).unwrap();
    }
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!(report.counts.bodies, 81);
    // hecs reuses the ids of despawned entities.
    let newcomers: Vec<Entity> = (0..20)
        .map(|i| world.spawn(Body::dynamic(Collider::ball(0.3)).at(i as Real % 4.0, 8.0 + i as Real * 0.7, 1.0)))
        .collect();
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!(report.counts.bodies, 101);
    assert!(newcomers.iter().all(|&e| world.get::<&BodySlot>(e).unwrap().get().is_some()));
    run(&mut world, &mut physics, 60);

    let moved = entities[1];
    world.get::<&mut Position>(moved).unwrap().0 = Vec3::new(20.0, 0.5, 20.0);
    *world.get::<&mut LinearVelocity>(moved).unwrap() = LinearVelocity::default();
    *world.get::<&mut AngularVelocity>(moved).unwrap() = AngularVelocity::default();
    *world.get::<&mut Orientation>(moved).unwrap() = Orientation::default();
    run(&mut world, &mut physics, 60);
    assert!((position(&world, moved) - Vec3::new(20.0, 0.5, 20.0)).length() < 1e-2, "{}", position(&world, moved));

    *world.get::<&mut Collider>(moved).unwrap() = Collider::cuboid(0.25, 0.25, 0.25);
    run(&mut world, &mut physics, 60);
    assert!((position(&world, moved).y - 0.25).abs() < 1e-2, "{}", position(&world, moved));
    let mass = 0.5 * 0.5 * 0.5 * 1000.0;
    let weight: Real = physics.contacts().filter(|c| c.entities.contains(&moved)).map(|c| c.impulse.y).sum();
    assert!((weight.abs() / (mass * 9.81 * DT) - 1.0).abs() < 0.05, "{weight}");

    run(&mut world, &mut physics, 120);
    let lowest = world
        .query::<(&Position, &RigidBody)>()
        .iter()
        .filter(|(_, k)| **k == RigidBody::Dynamic)
        .map(|(p, _)| p.0.y)
        .fold(Real::MAX, Real::min);
    assert!(lowest > 0.2, "nothing fell through: {lowest}");
}

#[test]
fn a_dozen_archetypes_that_change_while_stepping() {
    let mut world = World::new();
    let entities = pile(&mut world, 60, |i| i);
    let mut plain_world = World::new();
    let plain = pile(&mut plain_world, 60, |i| i);
    let (mut physics, mut plain_physics) = (Physics::default(), Physics::default());
    for step in 0..200 {
        for (i, &e) in entities.iter().enumerate() {
            match (i + step) % 12 {
                0 => drop(world.insert_one(e, step as u8)),
                1 => drop(world.insert_one(e, step as u16)),
                2 => drop(world.insert_one(e, step as u32)),
                3 => drop(world.insert_one(e, step as f64)),
                4 => drop(world.remove_one::<u8>(e)),
                5 => drop(world.remove_one::<u32>(e)),
                _ => {}
            }
        }
        physics.step(&mut world, DT).unwrap();
        plain_physics.step(&mut plain_world, DT).unwrap();
    }
    assert_eq!(bits(&world, &entities), bits(&plain_world, &plain));
}

#[test]
fn a_plugin_dropped_in_the_middle_goes_on_from_the_components() {
    let mut world = World::new();
    let entities = pile(&mut world, 40, |i| i);
    run(&mut world, &mut Physics::default(), 100);
    let before = position(&world, entities[7]);
    let mut physics = Physics::default();
    run(&mut world, &mut physics, 1);
    assert!((position(&world, entities[7]) - before).length() < 0.2);
    run(&mut world, &mut physics, 300);
    assert!(entities.iter().all(|&e| position(&world, e).y > 0.3));
}

#[test]
fn extra_colliders_belong_to_their_body_and_go_with_it() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    // A dumbbell: a light bar, with two heavy balls as further colliders.
    let bar = world.spawn(Body::dynamic(Collider::cuboid(1.0, 0.1, 0.1)).at(0.0, 3.0, 0.0));
    let ball = |x| {
        let of = ColliderOf { body: bar, position: Vec3::new(x, 0.0, 0.0), orientation: Quat::IDENTITY };
        (Collider::ball(0.4), Density(3000.0), of)
    };
    let (left, right) = (world.spawn(ball(-1.0)), world.spawn(ball(1.0)));
    run(&mut world, &mut physics, 180);
    assert!((position(&world, bar).y - 0.4).abs() < 1e-2, "it rests on its balls: {}", position(&world, bar));
    let touching: Vec<Entity> = physics.contacts().flat_map(|c| c.entities).collect();
    assert!(touching.contains(&left) && touching.contains(&right) && !touching.contains(&bar));
    world.despawn(left).unwrap();
    run(&mut world, &mut physics, 120);
    assert!(physics.contacts().all(|c| !c.entities.contains(&left)));
    let tilt = world.get::<&Orientation>(bar).unwrap().0 * Vec3::X;
    assert!(tilt.y.abs() > 0.1, "it lies on its side now: {tilt}");
    world.despawn(bar).unwrap();
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!((report.counts.orphans, report.counts.manifolds), (1, 0));
    assert!(world.contains(right));
}

#[test]
fn sensors_report_contacts_but_do_not_push() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let gate = world.spawn(Body::fixed(Collider::cuboid(1.0, 1.0, 1.0)).sensor());
    let ball = world.spawn(Body::dynamic(Collider::ball(0.25)).at(0.0, 3.0, 0.0));
    let (mut entered, mut left) = (0, 0);
    for _ in 0..120 {
        physics.step(&mut world, DT).unwrap();
        for event in physics.events() {
            match event {
                Event::SensorEntered { entities } => {
                    assert!(entities.contains(&gate) && entities.contains(&ball));
                    entered += 1;
                }
                Event::SensorLeft { .. } => left += 1,
                _ => {}
            }
        }
    }
    assert_eq!((entered, left), (1, 1));
    assert!((position(&world, ball).y - (3.0 - 0.5 * 9.81 * 4.0)).abs() < 1e-3);
}

#[test]
fn layers_that_do_not_meet_pass_through() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let floor = Body::fixed(Collider::half_space(Vec3::Y)).layers(CollisionLayers { layers: 2, mask: 2 });
    world.spawn(floor);
    let solid = world
        .spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 1.0, 0.0).layers(CollisionLayers { layers: 2, mask: 2 }));
    let ghost = world.spawn(Body::dynamic(Collider::ball(0.5)).at(5.0, 1.0, 0.0));
    run(&mut world, &mut physics, 120);
    assert!((position(&world, solid).y - 0.5).abs() < 1e-2);
    assert!(position(&world, ghost).y < -5.0);
}

#[test]
fn user_systems_run_between_stages_and_may_change_the_working_set() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)));
    physics.schedule.add_after(dolmen::Stage::Solve, |_, state| {
        for slot in 0..state.bodies.slots() {
            state.bodies.linear_velocity[slot].x = 2.0;
        }
    });
    run(&mut world, &mut physics, 60);
    assert!((position(&world, ball).x - 2.0).abs() < 1e-4);
}

#[test]
fn an_impulse_acts_once() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.gravity = Vec3::ZERO;
    let impulse = ExternalImpulse { linear: Vec3::new(6.0, 0.0, 0.0), angular: Vec3::ZERO };
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).mass(2.0).impulse(impulse));
    run(&mut world, &mut physics, 60);
    assert!((world.get::<&LinearVelocity>(ball).unwrap().0.x - 3.0).abs() < 1e-5);
    assert_eq!(*world.get::<&ExternalImpulse>(ball).unwrap(), ExternalImpulse::default());
}

#[test]
fn locked_axes_stay_locked_in_contact() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    let flat = |x: Real, y: Real| Body::dynamic(Collider::ball(0.5)).at(x, y, 0.0).locked(LockedAxes::PLANE_XY);
    let entities = [world.spawn(flat(0.0, 0.6)), world.spawn(flat(0.3, 1.7)), world.spawn(flat(-0.2, 2.8))];
    run(&mut world, &mut physics, 300);
    for e in entities {
        assert_eq!(position(&world, e).z, 0.0);
        let w = world.get::<&AngularVelocity>(e).unwrap().0;
        assert_eq!((w.x, w.y), (0.0, 0.0));
    }
}

#[test]
fn every_shape_rests_on_the_floor() {
    let hull = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z].map(|v| v * 0.5);
    let shapes = [
        (Collider::ball(0.5), 0.5),
        (Collider::cuboid(0.5, 0.3, 0.4), 0.3),
        (Collider::capsule(0.4, 0.3), 0.7),
        (Collider::cylinder(0.4, 0.5), 0.4),
        (Collider::cone(0.4, 0.5), 0.4),
        (Collider::convex_hull(&hull).unwrap(), 0.5),
        (
            Collider::compound(vec![
                (Vec3::new(-0.5, 0.0, 0.0), Quat::IDENTITY, Collider::cuboid(0.5, 0.25, 0.5)),
                (Vec3::new(0.5, 0.0, 0.0), Quat::IDENTITY, Collider::cuboid(0.5, 0.25, 0.5)),
            ])
            .unwrap(),
            0.25,
        ),
    ];
    let grounds = [
        (Collider::half_space(Vec3::Y), 0.0),
        (Collider::cuboid(30.0, 1.0, 30.0), -1.0),
        (
            Collider::trimesh(
                vec![
                    Vec3::new(-30.0, 0.0, -30.0),
                    Vec3::new(-30.0, 0.0, 30.0),
                    Vec3::new(30.0, 0.0, 30.0),
                    Vec3::new(30.0, 0.0, -30.0),
                ],
                vec![[0, 1, 2], [0, 2, 3]],
            )
            .unwrap(),
            0.0,
        ),
        (Collider::heightfield(5, 5, &[0.0; 25], Vec3::new(60.0, 1.0, 60.0)).unwrap(), 0.0),
    ];
    for (ground, height) in grounds {
        let (mut world, mut physics) = (World::new(), Physics::default());
        world.spawn(Body::fixed(ground.clone()).at(0.0, height, 0.0));
        let mut entities = Vec::new();
        for (i, (shape, rest)) in shapes.iter().enumerate() {
            let at = Vec3::new(3.1 * i as Real - 9.0, rest + 0.05, 0.3);
            entities.push((world.spawn(Body::dynamic(shape.clone()).position(at)), *rest));
        }
        run(&mut world, &mut physics, 120);
        for (i, &(e, _)) in entities.iter().enumerate() {
            let y = position(&world, e).y;
            assert!(y > 0.15 && y < 1.0, "{ground:?} under {:?}: {y}", shapes[i].0);
        }
        for (i, &(e, rest)) in entities.iter().enumerate().filter(|(i, _)| [0, 1, 3, 4, 6].contains(i)) {
            let y = position(&world, e).y;
            assert!((y - rest).abs() < 5e-3, "{ground:?} under {:?}: {y}", shapes[i].0);
        }
    }
}

mod bad_input {
    use super::*;

    /// Steps a world with one invalid entity: the error names it and the component, nothing
    /// changes, and the step works after the correction.
    fn check(component: &str, break_it: impl Fn(&mut World, Entity), correct: impl Fn(&mut World, Entity)) {
        let mut world = World::new();
        let entities = pile(&mut world, 20, |i| i);
        let mut physics = Physics::default();
        run(&mut world, &mut physics, 30);
        let mut twin_world = World::new();
        let twins = pile(&mut twin_world, 20, |i| i);
        let mut twin = Physics::default();
        run(&mut twin_world, &mut twin, 30);

        let bad = entities[9];
        let before = bits(&world, &entities);
        break_it(&mut world, bad);
        match physics.step(&mut world, DT) {
            Err(StepError::Component { entity, component: named, problem }) => {
                assert_eq!((entity, named), (bad, component), "{problem}");
            }
            Err(StepError::Shape { entity, error }) => assert_eq!((entity, "Collider"), (bad, component), "{error}"),
            other => panic!("{component}: {other:?}"),
        }
        correct(&mut world, bad);
        assert_eq!(before, bits(&world, &entities), "{component}: the world was changed");
        run(&mut world, &mut physics, 30);
        run(&mut twin_world, &mut twin, 30);
        assert_eq!(bits(&world, &entities), bits(&twin_world, &twins), "{component}: the caches were changed");
    }

    /// The fault is a component that is inserted, the correction its removal.
    fn extra<T: hecs::Component + Clone>(component: &str, values: &[T]) {
        for value in values {
            check(
                component,
                |world, e| world.insert_one(e, value.clone()).unwrap(),
                |world, e| drop(world.remove_one::<T>(e).unwrap()),
            );
        }
    }

    /// The fault is a changed component, the correction its old value.
    fn changed<T: hecs::Component + Clone>(component: &str, values: &[T]) {
        for value in values {
            let old = std::cell::RefCell::new(None);
            check(
                component,
                |world, e| {
                    old.replace(Some(std::mem::replace(&mut *world.get::<&mut T>(e).unwrap(), value.clone())));
                },
                |world, e| *world.get::<&mut T>(e).unwrap() = old.borrow_mut().take().unwrap(),
            );
        }
    }

    #[test]
    fn velocity_limits() {
        let of = |linear, angular| VelocityLimit { linear, angular };
        extra("VelocityLimit", &[of(Real::NAN, 1.0), of(1.0, Real::NAN), of(-1.0, 1.0), of(1.0, -0.5)]);
    }

    #[test]
    fn a_rejected_step_does_not_change_bodies_with_a_target() {
        let target = KinematicTarget::at(Vec3::new(1.0, 2.0, 3.0));
        let mut world = World::new();
        let lift = world.spawn(Body::kinematic(Collider::ball(0.5)).linear_velocity(Vec3::X));
        world.insert_one(lift, target).unwrap();
        let bare = world.spawn((RigidBody::Kinematic, Collider::ball(0.5), Position(Vec3::Y), target));
        let bad = world.spawn(Body::dynamic(Collider::ball(0.5)).at(9.0, 0.0, 0.0));
        world.insert_one(bad, LinearVelocity(Vec3::new(0.0, Real::NAN, 0.0))).unwrap();
        let mut physics = Physics::default();
        let error = physics.step(&mut world, DT).unwrap_err();
        assert!(matches!(error, StepError::Component { entity, .. } if entity == bad), "{error}");
        assert_eq!(world.get::<&LinearVelocity>(lift).unwrap().0, Vec3::X);
        assert!(world.get::<&LinearVelocity>(bare).is_err() && world.get::<&AngularVelocity>(bare).is_err());
        world.insert_one(bad, LinearVelocity(Vec3::ZERO)).unwrap();
        physics.step(&mut world, DT).unwrap();
        for body in [lift, bare] {
            assert!((position(&world, body) - target.position).length() < 1e-4, "{}", position(&world, body));
        }
    }

    #[test]
    fn motion() {
        let bad = [Vec3::new(Real::NAN, 0.0, 0.0), Vec3::new(0.0, Real::INFINITY, 0.0)];
        changed("Position", &bad.map(Position));
        changed("LinearVelocity", &bad.map(LinearVelocity));
        changed("AngularVelocity", &bad.map(AngularVelocity));
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        changed("Orientation", &[Orientation(zero), Orientation(Quat::from_xyzw(Real::NAN, 0.0, 0.0, 1.0))]);
    }

    #[test]
    fn mass() {
        extra("Mass", &[0.0, -1.0, Real::NAN, Real::INFINITY].map(Mass));
        extra("Density", &[0.0, -1.0, Real::NAN, Real::INFINITY].map(Density));
        extra("CenterOfMass", &[CenterOfMass(Vec3::splat(Real::NAN))]);
        extra(
            "Inertia",
            &[
                Inertia::diagonal(1.0, 1.0, 3.0),
                Inertia::diagonal(0.0, 1.0, 1.0),
                Inertia::diagonal(-1.0, 1.0, 1.0),
                Inertia::diagonal(Real::NAN, 1.0, 1.0),
                Inertia { principal: Vec3::ONE, frame: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0) },
            ],
        );
        let taken = std::cell::RefCell::new(None);
        check(
            "Mass",
            |world, e| drop(taken.replace(Some(world.remove_one::<Collider>(e).unwrap()))),
            |world, e| world.insert_one(e, taken.take().unwrap()).unwrap(),
        );
    }

    #[test]
    fn shapes() {
        let bad = [
            Collider::ball(0.0),
            Collider::ball(-1.0),
            Collider::ball(Real::NAN),
            Collider::cuboid(1.0, 0.0, 1.0),
            Collider::cuboid(1.0, Real::INFINITY, 1.0),
            Collider::capsule(0.5, -0.1),
            Collider::cylinder(0.0, 1.0),
            Collider::cone(1.0, Real::NAN),
            Collider::half_space(Vec3::Y),
            Collider::heightfield(2, 2, &[0.0; 4], Vec3::ONE).unwrap(),
        ];
        changed("Collider", &bad);
        assert!(Collider::convex_hull(&[]).is_err());
        let flat = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::X + Vec3::Z];
        assert!(Collider::convex_hull(&flat).is_err());
        assert!(Collider::convex_hull(&[Vec3::NAN, Vec3::X, Vec3::Y, Vec3::Z]).is_err());
        assert!(Collider::trimesh(vec![Vec3::ZERO], vec![[0, 1, 2]]).is_err());
        assert!(Collider::trimesh(vec![], vec![]).is_err());
        assert!(Collider::heightfield(1, 2, &[0.0; 2], Vec3::ONE).is_err());
        assert!(Collider::compound(vec![]).is_err());
        assert!(Collider::compound(vec![(Vec3::ZERO, Quat::IDENTITY, Collider::ball(-0.5))]).is_err());
    }

    #[test]
    fn surfaces_forces_and_the_rest() {
        let good = Material::default();
        extra(
            "Material",
            &[
                Material { dynamic_friction: -0.1, ..good },
                Material { static_friction: 0.1, dynamic_friction: 0.2, ..good },
                Material { restitution: 1.1, ..good },
                Material { restitution: Real::NAN, ..good },
                Material { rolling_friction: -1.0, ..good },
            ],
        );
        extra("ExternalForce", &[ExternalForce(Vec3::splat(Real::NAN))]);
        extra("ExternalTorque", &[ExternalTorque(Vec3::splat(Real::INFINITY))]);
        extra("ExternalImpulse", &[ExternalImpulse { linear: Vec3::ZERO, angular: Vec3::NAN }]);
        extra("GravityScale", &[GravityScale(Real::NAN)]);
        extra("Damping", &[Damping { linear: -1.0, angular: 0.0 }, Damping { linear: 0.0, angular: Real::NAN }]);
        let of = |body| ColliderOf { body, position: Vec3::ZERO, orientation: Quat::IDENTITY };
        extra("ColliderOf", &[of(Entity::DANGLING)]);
    }

    #[test]
    fn an_extra_collider_of_a_missing_body() {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let gone = world.spawn(());
        world.despawn(gone).unwrap();
        let of = ColliderOf { body: gone, position: Vec3::ZERO, orientation: Quat::IDENTITY };
        let part = world.spawn((Collider::ball(1.0), of));
        let error = physics.step(&mut world, DT).unwrap_err();
        assert!(
            matches!(error, StepError::Component { entity, component: "ColliderOf", .. } if entity == part),
            "{error}"
        );
    }

    #[test]
    fn time_steps_and_settings() {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let ball = world.spawn(Body::dynamic(Collider::ball(0.5)));
        for dt in [0.0, -1.0, Real::NAN, Real::INFINITY] {
            assert!(matches!(physics.step(&mut world, dt), Err(StepError::TimeStep { .. })));
        }
        physics.settings.gravity.x = Real::NAN;
        let error = physics.step(&mut world, DT).unwrap_err();
        assert!(error.to_string().contains("gravity"), "{error}");
        physics.settings = Settings { substeps: Some(0), ..Settings::default() };
        assert!(matches!(physics.step(&mut world, DT), Err(StepError::Setting { setting: "substeps", .. })));
        physics.settings = Settings::default();
        physics.step(&mut world, DT).unwrap();
        assert!(position(&world, ball).y < 0.0);
    }
}
