//! Equal bits for any number of threads, with all kinds of edits during the run.

use crate::{ragdoll, state_hash};
use dolmen::prelude::*;
use dolmen::solver::SimdLevel;
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;

/// A pile of compounds, boxes and balls on a height field, with a sensor, further colliders, and
/// bodies that are spawned and despawned, long enough for some to fall asleep. Returns all
/// components after every tenth step, all events, and the greatest number of sleeping bodies.
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
    // Alone in a corner, soon asleep.
    bodies.push(world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.1, 0.5)).at(12.0, 1.5, 12.0)));
    let of = ColliderOf { body: bodies[3], position: Vec3::Y * 0.4, orientation: Quat::IDENTITY };
    world.spawn((Collider::ball(0.2), of));
    let mut physics = Physics::new(Settings { threads: Some(threads), ..Settings::default() });
    let (mut bits, mut events, mut asleep) = (Vec::new(), Vec::new(), 0);
    for step in 0..200 {
        if step % 60 == 30 {
            for slot in bodies.iter_mut().skip(step / 60).step_by(9) {
                world.despawn(*slot).unwrap();
                *slot = Entity::DANGLING;
            }
            for (i, slot) in bodies.iter_mut().enumerate().filter(|(_, e)| **e == Entity::DANGLING) {
                // All different: only the entity could order equal bodies.
                *slot = spawn(&mut world, i, 6.0 + 0.01 * i as Real);
            }
        }
        asleep = asleep.max(physics.step(&mut world, DT).unwrap().counts.asleep);
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
    (bits, events, asleep)
}

#[test]
fn composites_sensors_parts_sleeping_islands_and_newcomers_have_the_same_bits_on_any_threads_in_any_order() {
    let (bits, events, asleep) = history(1, false);
    assert!(
        asleep > 0 && events.iter().any(|e| e.contains("SensorEntered")) && events.iter().any(|e| e.contains("Impact"))
    );
    for threads in [2, 3, 8] {
        let other = history(threads, false);
        assert!(other.0 == bits, "{threads} threads: other bits");
        assert_eq!(other.1, events, "{threads} threads");
    }
    assert!(history(1, true).0 == bits, "the order of spawning shows");
}

/// A thousand boxes, balls and capsules that fall past a rotating paddle onto a pile, some spinning
/// fast, some in hinged pairs, some with restitution: enough for every stage to be split among
/// threads. All bits of all bodies, and all events, after every tenth step.
fn pile(threads: usize) -> (Vec<u64>, Vec<String>) {
    let mut world = World::new();
    world.spawn(Body::fixed(Collider::cuboid(20.0, 1.0, 20.0)).at(0.0, -1.0, 0.0));
    world.spawn(
        Body::kinematic(Collider::cuboid(4.0, 0.5, 0.3)).at(0.0, 1.0, 0.0).angular_velocity(Vec3::new(0.0, 1.5, 0.0)),
    );
    let shapes = [Collider::cuboid(0.3, 0.2, 0.4), Collider::ball(0.3), Collider::capsule(0.2, 0.2)];
    let mut bodies = Vec::new();
    for i in 0..1000 {
        let (x, y, z) = (i % 12, i / 144, i / 12 % 12);
        let at =
            Vec3::new(0.9 * x as Real - 5.0, 1.2 + 1.1 * y as Real + 0.03 * (i % 7) as Real, 0.9 * z as Real - 5.0);
        let spin = if i % 50 == 7 { Vec3::new(40.0, 3.0, 5.0) } else { Vec3::new(0.1, 0.0, 0.2 * (i % 5) as Real) };
        let fall = if i % 90 == 11 { -60.0 } else { -1.0 };
        let body = Body::dynamic(shapes[i % 3].clone()).position(at).angular_velocity(spin);
        let entity = world.spawn(body.linear_velocity(Vec3::Y * fall));
        if i % 40 == 0 {
            world.insert_one(entity, Material { restitution: 0.6, ..Material::default() }).unwrap();
        }
        bodies.push(entity);
    }
    for two in bodies.chunks_exact(2).filter(|two| two[0].id() % 3 == 0) {
        world.spawn((Joint::spherical(two[0], two[1]).anchors(Vec3::X * 0.45, Vec3::X * -0.45),));
    }
    let mut physics = Physics::new(Settings { threads: Some(threads), ..Settings::default() });
    let (mut bits, mut events) = (Vec::new(), Vec::new());
    for step in 0..60 {
        physics.step(&mut world, DT).unwrap();
        events.extend(physics.events().iter().map(|event| format!("{step} {event:?}")));
        if step % 10 == 9 {
            for &e in &bodies {
                let (p, q) = (world.get::<&Position>(e).unwrap().0, world.get::<&Orientation>(e).unwrap().0);
                let v = world.get::<&LinearVelocity>(e).unwrap().0;
                let w = world.get::<&AngularVelocity>(e).unwrap().0;
                let vectors = [p, v, w].into_iter().flat_map(|v| v.to_array()).chain(q.to_array());
                bits.extend(vectors.map(|x| f64::from(x).to_bits()));
            }
        }
    }
    (bits, events)
}

#[test]
fn a_mixed_pile_has_the_same_bits_on_any_threads() {
    let alone = pile(1);
    assert!(alone.1.len() > 1000, "{} events", alone.1.len());
    for threads in [2, 3, 5] {
        let (bits, events) = pile(threads);
        assert!(bits == alone.0 && events == alone.1, "{threads} threads");
    }
}

/// Ragdolls with limits and friction at all joints that fall onto each other, optionally spawned in
/// another order: all bits of all parts and joints after every tenth step.
fn ragdolls(threads: usize, shuffled: bool) -> Vec<u64> {
    const COUNT: usize = 24;
    let mut world = World::new();
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let mut dolls = vec![Vec::new(); COUNT];
    for k in 0..COUNT {
        let i = if shuffled { (k * 7) % COUNT } else { k };
        // All different.
        let (x, y, z) = (i % 3, i / 6, i / 3 % 2);
        let at = [0.7 * x as Real + 0.003 * i as Real, 0.3 + 2.0 * y as Real, 0.5 * z as Real];
        dolls[i] = ragdoll::spawn(&mut world, Vec3::from(at));
    }
    ragdoll::limit(&mut world, 2.0);
    let number = |body: Option<Entity>| dolls.iter().flatten().position(|part| Some(*part) == body);
    let mut joints: Vec<(Entity, [Option<usize>; 2])> =
        world.query::<(Entity, &Joint)>().iter().map(|(e, joint)| (e, joint.bodies.map(number))).collect();
    joints.sort_by_key(|&(_, parts)| parts);
    let mut physics = Physics::new(Settings { threads: Some(threads), ..Settings::default() });
    let mut bits = Vec::new();
    for step in 0..120 {
        physics.step(&mut world, DT).unwrap();
        for &e in dolls.iter().flatten().filter(|_| step % 10 == 9) {
            let (p, q) = (world.get::<&Position>(e).unwrap().0, world.get::<&Orientation>(e).unwrap().0);
            bits.extend(p.to_array().into_iter().chain(q.to_array()).map(|x| f64::from(x).to_bits()));
        }
        for &(e, _) in joints.iter().filter(|_| step % 10 == 9) {
            let state = *world.get::<&JointState>(e).unwrap();
            let vectors = [state.angle, state.force, state.torque].into_iter().flat_map(|v| v.to_array());
            bits.extend(vectors.map(|x| f64::from(x).to_bits()));
        }
    }
    bits
}

#[test]
fn ragdolls_with_limits_and_friction_have_the_same_bits_on_any_threads_in_any_order() {
    let alone = ragdolls(1, false);
    for threads in [2, 3] {
        assert!(ragdolls(threads, false) == alone, "{threads} threads");
    }
    assert!(ragdolls(1, true) == alone, "the order of spawning shows");
}

/// A component of the game: bodies with it are in other archetypes, in another order of rows.
struct Tag;

/// How a world is run.
#[derive(Clone, Copy, Debug)]
struct Way {
    threads: usize,
    level: SimdLevel,
    /// Bodies come to their archetypes by way of others, and go between two of them in the run.
    wanders: bool,
    /// Half of the run is thrown away once, and run again from a snapshot.
    rewinds: bool,
}

/// Bodies of each shape with joints, restitution and spin on uneven ground. The hashes after every
/// fifth step.
fn hashes(way: Way) -> Vec<String> {
    let mut world = World::new();
    let heights: Vec<Real> = (0..81).map(|i| 0.1 * ((i * 7) % 5) as Real).collect();
    world.spawn(Body::fixed(Collider::heightfield(9, 9, &heights, Vec3::new(30.0, 1.0, 30.0)).unwrap()));
    let corners: Vec<Vec3> =
        (0..12).map(|k| Quat::from_rotation_y(k as Real) * Vec3::new(0.3, 0.05 * k as Real, 0.0)).collect();
    let bar = vec![
        (Vec3::X * 0.3, Quat::IDENTITY, Collider::cuboid(0.3, 0.1, 0.2)),
        (Vec3::X * -0.3, Quat::IDENTITY, Collider::ball(0.2)),
    ];
    let shapes = [
        Collider::ball(0.3),
        Collider::cuboid(0.3, 0.2, 0.25),
        Collider::capsule(0.2, 0.2),
        Collider::cylinder(0.2, 0.3),
        Collider::cone(0.3, 0.3),
        Collider::convex_hull(&corners).unwrap(),
        Collider::compound(bar).unwrap(),
    ];
    let mut bodies = Vec::new();
    for i in 0..180 {
        let at = Vec3::new((i % 6) as Real - 3.0 + 0.01 * i as Real, 1.5 + (i / 36) as Real, (i / 6 % 6) as Real - 3.0);
        let spin = Vec3::new(0.1, if i % 30 == 7 { 40.0 } else { 0.3 }, 0.2);
        let body = Body::dynamic(shapes[i % 7].clone()).position(at).angular_velocity(spin);
        bodies.push(world.spawn(body));
        if i % 10 == 0 {
            world.insert_one(bodies[i], Material { restitution: 0.6, ..Material::default() }).unwrap();
        }
    }
    for k in (0..180).step_by(20) {
        let anchors = (Vec3::X * 0.5, Vec3::X * -0.5);
        world.spawn((Joint::spherical(bodies[k], bodies[k + 1]).anchors(anchors.0, anchors.1),));
    }
    let wander = |world: &mut World, offset: usize| {
        for k in 0..180 {
            let body = bodies[(k * 49 + offset) % 180];
            if world.remove_one::<Tag>(body).is_err() {
                world.insert_one(body, Tag).unwrap();
            }
        }
    };
    if way.wanders {
        wander(&mut world, 0);
        bodies.iter().step_by(3).for_each(|&body| drop(world.remove_one::<Tag>(body)));
    }
    let mut physics = Physics::new(Settings { threads: Some(way.threads), ..Settings::default() });
    physics.set_simd(way.level);
    let (mut hashes, mut saved, mut rewound, mut step) = (Vec::new(), None, false, 0);
    while step < 60 {
        if step == 30 && saved.is_none() && way.rewinds {
            saved = Some(physics.save(&world));
        }
        if way.wanders && step % 7 == 3 {
            wander(&mut world, step);
        }
        physics.step(&mut world, DT).unwrap();
        step += 1;
        if step == 50
            && !rewound
            && let Some(snapshot) = &saved
        {
            physics.restore(&mut world, snapshot);
            rewound = true;
            hashes.truncate(6);
            step = 30;
        }
        if step % 5 == 0 && step / 5 > hashes.len() {
            hashes.push(state_hash::hash(&world));
        }
    }
    hashes
}

#[test]
fn bits_are_the_same_for_any_threads_lanes_archetypes_and_rewinds() {
    let usual = Way { threads: 1, level: SimdLevel::best(), wanders: false, rewinds: false };
    let expected = hashes(usual);
    assert_eq!(expected.len(), 12);
    assert!(expected.windows(2).all(|two| two[0] != two[1]), "nothing moves");
    let mut ways: Vec<Way> = [2, 3, 8].map(|threads| Way { threads, ..usual }).to_vec();
    ways.extend(SimdLevel::available().iter().map(|&level| Way { level, ..usual }));
    ways.extend([1, 3].map(|threads| Way { threads, wanders: true, ..usual }));
    ways.extend([1, 2].map(|threads| Way { threads, rewinds: true, ..usual }));
    // All at once, with each set of lanes.
    ways.extend(SimdLevel::available().iter().map(|&level| Way { threads: 8, level, wanders: true, rewinds: true }));
    for way in ways {
        assert_eq!(hashes(way), expected, "{way:?}");
    }
}
