//! "Restored snapshots diverge."

use crate::rollback::{Arena, STEPS, first_run, replay};
use crate::{DT, alone, position, run, velocity};
use dolmen::prelude::*;
use dolmen::snapshot::SnapshotError;
use dolmen::{Restored, Snapshot};
use hecs::World;

/// Number of restores; set by the environment variable `DOLMEN_RESTORES`.
fn restores() -> usize {
    std::env::var("DOLMEN_RESTORES").map_or(60, |n| n.parse().expect("DOLMEN_RESTORES must be a number"))
}

#[test]
fn restored_snapshots_do_not_diverge_on_any_number_of_threads() {
    let mut arena = Arena::new(2);
    let (hashes, saves) = first_run(&mut arena, 5);
    let count = restores();
    for (threads, share) in [(2, 2), (1, 4), (3, 4)] {
        arena.physics().settings.threads = Some(threads);
        let replayed = replay(&mut arena, &hashes, &saves, count / share).unwrap();
        println!("{threads} threads: restored {} times, {replayed} steps played again", count / share);
    }
}

#[test]
fn a_snapshot_from_a_file_goes_on_in_another_world_with_the_same_bits() {
    let mut arena = Arena::new(2);
    let (hashes, mut saves) = first_run(&mut arena, 60);
    for saved in &mut saves {
        saved.snapshot = Snapshot::from_bytes(&saved.snapshot.to_bytes()).unwrap();
    }
    let count = restores();
    let replayed = replay(&mut arena, &hashes, &saves, count).unwrap();
    println!("restored from files {count} times, {replayed} steps played again");
    for saved in saves.iter().skip(1).step_by(2) {
        let mut other = Arena::elsewhere(saved, 1);
        other.restore_renamed(saved, &arena);
        for _ in 0..40.min(STEPS - other.step) {
            let step = other.step;
            assert_eq!(other.play(), hashes[step], "step {step}");
        }
    }
}

/// A small pile with a swing, after some steps.
fn pile() -> (World, Physics) {
    let (mut world, mut physics) = (World::new(), alone());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for i in 0..30 {
        let at = Vec3::new((i % 3) as Real * 0.9, 0.5 + (i / 9) as Real, (i / 3 % 3) as Real * 0.9);
        world.spawn(Body::dynamic(Collider::cuboid(0.4, 0.4, 0.4)).position(at));
    }
    let bob = world.spawn(Body::dynamic(Collider::ball(0.2)).at(8.0, 2.0, 0.0));
    world.spawn((Joint::spherical(None, bob).anchors(Vec3::new(7.0, 3.0, 0.0), Vec3::new(-1.0, 1.0, 0.0)),));
    run(&mut world, &mut physics, 20);
    (world, physics)
}

/// Jacks and trees (compounds) that fall onto a mesh and onto each other.
fn rubble() -> (World, Physics) {
    let (mut world, mut physics) = (World::new(), alone());
    let vertices =
        (0..81).map(|k| Vec3::new((k % 9) as Real - 4.0, 0.1 * ((k * 7) % 4) as Real, (k / 9) as Real - 4.0));
    let corners = (0..64).map(|k| k / 8 * 9 + k % 8);
    let triangles: Vec<[u32; 3]> = corners.flat_map(|k| [[k, k + 9, k + 1], [k + 1, k + 9, k + 10]]).collect();
    world.spawn(Body::fixed(Collider::trimesh(vertices.collect(), triangles).unwrap()));
    let bar = |x, y, z| (Vec3::ZERO, Quat::IDENTITY, Collider::cuboid(x, y, z));
    let jack = Collider::compound(vec![bar(0.5, 0.1, 0.1), bar(0.1, 0.5, 0.1), bar(0.1, 0.1, 0.5)]).unwrap();
    let tree = Collider::compound(vec![
        (Vec3::ZERO, Quat::IDENTITY, Collider::cylinder(0.4, 0.1)),
        (Vec3::Y * 0.6, Quat::IDENTITY, Collider::cone(0.3, 0.3)),
    ])
    .unwrap();
    for i in 0..40 {
        let at = Vec3::new((i % 4) as Real - 1.5, 1.0 + 0.6 * (i / 4) as Real, (i * 3 % 4) as Real - 1.5);
        let shape = if i % 2 == 0 { &jack } else { &tree };
        let turn = Quat::from_rotation_z(0.4 * i as Real) * Quat::from_rotation_x(0.9 * i as Real);
        world.spawn(Body::dynamic(shape.clone()).position(at).orientation(turn));
    }
    run(&mut world, &mut physics, 70);
    (world, physics)
}

#[test]
fn parts_remember_the_same_after_a_restore_and_in_another_world() {
    let (mut world, mut physics) = rubble();
    let snapshot = physics.save(&world);
    let bytes = snapshot.to_bytes();
    run(&mut world, &mut physics, 60);
    let went = physics.save(&world).to_bytes();
    physics.restore(&mut world, &snapshot);
    run(&mut world, &mut physics, 60);
    assert!(physics.save(&world).to_bytes() == went, "restored");
    let (mut world, mut physics) = rubble();
    physics.restore(&mut world, &Snapshot::from_bytes(&bytes).unwrap());
    run(&mut world, &mut physics, 60);
    assert!(physics.save(&world).to_bytes() == went, "from a file");
}

fn places(world: &World) -> Vec<(hecs::Entity, Vec3)> {
    let mut places: Vec<_> = world.query::<(hecs::Entity, &Position)>().iter().map(|(e, p)| (e, p.0)).collect();
    places.sort_by_key(|(entity, _)| *entity);
    places
}

#[test]
fn a_damaged_or_foreign_file_is_an_error() {
    let (world, physics) = pile();
    let file = physics.save(&world).to_bytes();
    assert!(Snapshot::from_bytes(&file).is_ok());
    for at in (24..file.len()).step_by(file.len() / 200) {
        let mut damaged = file.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(matches!(Snapshot::from_bytes(&damaged), Err(SnapshotError::Damaged { .. })), "byte {at}");
        assert!(Snapshot::from_bytes(&file[..at]).is_err(), "cut off at {at}");
    }
    assert_eq!(Snapshot::from_bytes(b"GIF89a and so on for a while").unwrap_err(), SnapshotError::NotASnapshot);
    assert_eq!(Snapshot::from_bytes(&[]).unwrap_err(), SnapshotError::NotASnapshot);
    let mut newer = file.clone();
    newer[8] = 200;
    assert_eq!(Snapshot::from_bytes(&newer).unwrap_err(), SnapshotError::Version { found: 200 });
    let mut other = file;
    other[12] = 2;
    assert_eq!(Snapshot::from_bytes(&other).unwrap_err(), SnapshotError::Scalar { found: 2 });
}

/// The checksum in a file's header.
fn checksum(content: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64 ^ content.len() as u64;
    content.chunks(8).fold(start, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^ hash >> 32
    })
}

#[test]
fn a_file_that_was_forged_with_its_checksum_is_an_error_or_a_state_but_never_a_crash() {
    let (mut world, physics) = pile();
    let file = physics.save(&world).to_bytes();
    let (head, content) = file.split_at(24);
    assert_eq!(head[16..], checksum(content).to_le_bytes(), "the test knows the format");
    let (mut refused, mut taken) = (0, 0);
    for turn in 0..2000 {
        let mut forged = content.to_vec();
        let at = turn * 7919 % forged.len();
        forged[at] = forged[at].wrapping_add(1 + (turn % 255) as u8);
        let mut file = head[..16].to_vec();
        file.extend(checksum(&forged).to_le_bytes());
        file.extend(forged);
        match Snapshot::from_bytes(&file) {
            Err(SnapshotError::Damaged { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
            Ok(snapshot) => {
                alone().restore(&mut world, &snapshot);
                taken += 1;
            }
        }
    }
    assert!(refused > 100 && taken > 100, "{refused} refused, {taken} taken for other states");
}

#[test]
fn a_snapshot_goes_through_a_text_format_with_every_bit() {
    let (mut world, mut physics) = pile();
    let text = serde_json::to_string(&physics.save(&world)).unwrap();
    run(&mut world, &mut physics, 30);
    let first = places(&world);
    physics.restore(&mut world, &serde_json::from_str(&text).unwrap());
    run(&mut world, &mut physics, 30);
    assert_eq!(places(&world), first);
    assert!(serde_json::from_str::<Snapshot>("[1,2,3]").is_err());
}

#[test]
fn edits_before_a_save_are_restored() {
    let (mut world, mut physics) = pile();
    let pushed = places(&world)[3].0;
    world.get::<&mut Position>(pushed).unwrap().0.y += 3.0;
    world.get::<&mut LinearVelocity>(pushed).unwrap().0.x = 2.0;
    let newcomer = world.spawn(Body::dynamic(Collider::ball(0.3)).at(0.0, 7.0, 0.0));
    let snapshot = physics.save(&world);
    run(&mut world, &mut physics, 40);
    let first = places(&world);
    let restored = physics.restore(&mut world, &snapshot.clone());
    assert_eq!(position(&world, newcomer).y, 7.0);
    assert!(restored.missing.is_empty());
    run(&mut world, &mut physics, 40);
    assert_eq!(places(&world), first);
}

#[test]
fn the_velocities_of_a_frozen_body_are_there_when_it_thaws_after_a_restore() {
    let (mut world, mut physics) = pile();
    let ball = world.spawn(Body::dynamic(Collider::ball(0.3)).at(0.0, 9.0, 0.0).linear_velocity(Vec3::X));
    run(&mut world, &mut physics, 5);
    let before = velocity(&world, ball);
    *world.get::<&mut RigidBody>(ball).unwrap() = RigidBody::Static;
    run(&mut world, &mut physics, 3);
    let snapshot = physics.save(&world);
    let thaw = |physics: &mut Physics, world: &mut World| {
        *world.get::<&mut RigidBody>(ball).unwrap() = RigidBody::Dynamic;
        run(world, physics, 20);
        places(world)
    };
    let first = thaw(&mut physics, &mut world);
    for snapshot in [snapshot.clone(), Snapshot::from_bytes(&snapshot.to_bytes()).unwrap()] {
        let mut other = alone();
        *world.get::<&mut RigidBody>(ball).unwrap() = RigidBody::Static;
        other.restore_with(&mut world, &snapshot, Some);
        assert_eq!(velocity(&world, ball), before);
        assert_eq!(thaw(&mut other, &mut world), first);
    }
}

#[test]
fn entities_that_went_since_are_named_and_those_that_came_are_newcomers() {
    let (mut world, mut physics) = pile();
    let snapshot = physics.save(&world);
    let gone = places(&world)[5].0;
    world.despawn(gone).unwrap();
    let came = world.spawn(Body::dynamic(Collider::ball(0.3)).at(4.0, 3.0, 0.0));
    run(&mut world, &mut physics, 5);
    let Restored { missing, .. } = physics.restore(&mut world, &snapshot);
    assert_eq!(missing, [gone]);
    run(&mut world, &mut physics, 60);
    assert!((position(&world, came).y - 0.3).abs() < 1e-2, "it fell onto the ground: {}", position(&world, came));
    assert!(
        physics
            .query()
            .in_box(Vec3::splat(-20.0), Vec3::splat(20.0), &Default::default())
            .iter()
            .all(|o| { world.contains(o.entity) })
    );
}

/// The shapes that a file names may be gone from the world, and what was restored is a state like any
/// other: it can be saved again, and the next step finds what is there.
#[test]
fn a_file_is_restored_where_colliders_have_gone_or_are_others() {
    let (mut world, mut physics) = pile();
    let mut file = physics.save(&world).to_bytes();
    let [gone, bare, other] = [3, 8, 15].map(|k| places(&world)[k].0);
    world.despawn(gone).unwrap();
    world.remove_one::<Collider>(bare).unwrap();
    world.insert(bare, (Mass(1.0), Inertia::diagonal(1.0, 1.0, 1.0))).unwrap();
    world.insert_one(other, Collider::ball(0.2)).unwrap();
    for _ in 0..3 {
        let restored = physics.restore(&mut world, &Snapshot::from_bytes(&file).unwrap());
        assert_eq!(restored.missing, [gone]);
        file = physics.save(&world).to_bytes();
    }
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!(report.counts.bodies, 31);
    run(&mut world, &mut physics, 200);
    assert!(position(&world, bare).y < -1.0, "without a collider it falls: {}", position(&world, bare));
    assert!(position(&world, other).y > 0.15, "the new shape lies on the ground: {}", position(&world, other));
}

#[test]
fn a_snapshot_may_be_restored_in_another_plugin_and_taken_over_and_over() {
    let (mut world, mut physics) = pile();
    let mut ring: Vec<Snapshot> = (0..4).map(|_| Snapshot::default()).collect();
    let mut seen = Vec::new();
    for step in 0..40 {
        physics.save_into(&world, &mut ring[step % 4]);
        physics.step(&mut world, DT).unwrap();
        seen.push(places(&world));
    }
    let mut other = alone();
    other.restore(&mut world, &ring[1]);
    for expected in &seen[37..] {
        other.step(&mut world, DT).unwrap();
        assert_eq!(&places(&world), expected);
    }
}

#[test]
fn a_rollback_names_what_was_spawned_since() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let old = world.spawn(Body::dynamic(Collider::ball(0.5)));
    let joint = world.spawn((Joint::spherical(None, old), JointState::default()));
    physics.step(&mut world, 0.01).unwrap();
    let snapshot = physics.save(&world);
    let body = world.spawn(Body::dynamic(Collider::ball(0.5)).at(3.0, 0.0, 0.0));
    let of = ColliderOf { body: old, position: Vec3::X, orientation: Quat::IDENTITY };
    let part = world.spawn((Collider::ball(0.1), of));
    let rope = world.spawn((Joint::distance(old, body, 0.0, 5.0), JointState::default()));
    world.spawn(("no body",));
    for stepped in [false, true] {
        if stepped {
            physics.step(&mut world, 0.01).unwrap();
        }
        let restored = physics.restore(&mut world, &snapshot);
        assert_eq!(restored, Restored { entities: 2, missing: vec![], newcomers: vec![body, part, rope] });
    }
    for entity in physics.restore(&mut world, &snapshot).newcomers {
        world.despawn(entity).unwrap();
    }
    assert!(world.contains(joint));
    assert_eq!(physics.restore(&mut world, &snapshot).newcomers, []);
    assert_eq!(physics.step(&mut world, 0.01).unwrap().counts.bodies, 1);
}
