//! Contact sources: contacts without colliders.

use crate::contact_source::{Hills, run as run_hills};
use crate::{DT, SINGLE, bits, cube, momentum, position, run, velocity};
use dolmen::StepError;
use dolmen::contact::{SourceContact, SourceContacts, SourcePoint};
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// User-defined box without a collider: half extents (m).
#[derive(Clone, Copy)]
struct Block(Vec3);

/// A block of 1 m and 1 kg.
fn block(world: &mut World, at: Vec3, surface: Material) -> Entity {
    let inertia = Inertia::diagonal(1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0);
    let entity = world.spawn(Body::free(1.0, inertia).position(at).material(surface));
    world.insert_one(entity, Block(Vec3::splat(0.5))).unwrap();
    entity
}

/// Emits the corners of every block over the plane through the origin with this normal.
fn plane(world: &World, out: &mut SourceContacts, normal: Vec3, height: Real, material: Option<Material>) {
    for (body, place, turn, block) in world.query::<(Entity, &Position, &Orientation, &Block)>().iter() {
        let points: Vec<SourcePoint> = (0..8)
            .map(|k| {
                let sign = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
                let corner = place.0 + turn.0 * (block.0 * Vec3::new(sign(1), sign(2), sign(4)));
                SourcePoint::new(corner, normal, corner.dot(normal) - height, k)
            })
            .collect();
        out.push(&SourceContact { material, ..SourceContact::with_world(body, 7, normal, &points) });
    }
}

/// A world with a level floor from a source at the height that `millimetres` says.
fn floor(millimetres: &Arc<AtomicI32>) -> Physics {
    let mut physics = Physics::default();
    let height = millimetres.clone();
    physics.sources.add("floor", move |world: &World, out| {
        plane(world, out, Vec3::Y, height.load(Ordering::Relaxed) as Real * 1e-3, None);
    });
    physics
}

#[test]
fn bodies_rest_on_hills_that_are_nowhere_stored() {
    let (deepest, asleep) = run_hills(Hills { height: 1.0, wave: 0.3 }, 16, 20);
    assert!(deepest < 0.05, "{deepest}");
    assert_eq!(asleep, 16);
}

#[test]
fn a_body_without_a_collider_rests_on_a_source_as_on_a_half_space() {
    let mut ends = Vec::new();
    for by_source in [true, false] {
        let (mut world, mut physics) = (World::new(), floor(&Arc::default()));
        let surface = Material::new(0.6, 0.4);
        let tilt = Quat::from_rotation_z(0.2);
        let body = if by_source {
            block(&mut world, Vec3::Y * 1.5, surface)
        } else {
            world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
            world.spawn(Body::dynamic(cube()).at(0.0, 1.5, 0.0).mass(1.0).material(surface))
        };
        world.insert_one(body, Orientation(tilt)).unwrap();
        world.insert_one(body, LinearVelocity(Vec3::X)).unwrap();
        let mut impacts = 0;
        for _ in 0..240 {
            let report = physics.step(&mut world, DT).unwrap();
            impacts += report.counts.impacts;
        }
        assert!(impacts > 2, "{impacts}");
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 1);
        let carried: Vec3 = physics.contacts().map(|c| c.impulse).sum();
        let sign = if physics.contacts().all(|c| c.entities[1] == body) { 1.0 } else { -1.0 };
        assert!((carried * sign - Vec3::Y * (9.81 * DT)).length() < 2e-3, "{carried}");
        ends.push(position(&world, body));
    }
    assert!((ends[0].y - 0.5).abs() < 1e-3 && (ends[0].y - ends[1].y).abs() < 1e-3, "{ends:?}");
    // The first bounces are alike; the tumbling after them may differ by the origin from which the
    // manifolds are measured.
    assert!((ends[0].x - ends[1].x).abs() < 0.2, "{ends:?}");
}

#[test]
fn a_ball_rests_on_a_source_whether_it_was_there_before_the_world_or_came_later() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.sources.add("floor", |world: &World, out| {
        for (body, place, _) in world.query::<(Entity, &Position, &RigidBody)>().iter() {
            let lowest = place.0 - Vec3::Y * 0.5;
            let point = SourcePoint::new(lowest, Vec3::Y, lowest.y, 0);
            out.push(&SourceContact::with_world(body, 0, Vec3::Y, &[point]));
        }
    });
    let ball = |world: &mut World, x: Real| world.spawn(Body::dynamic(Collider::ball(0.5)).at(x, 0.7, 0.0));
    let early = ball(&mut world, 0.0);
    run(&mut world, &mut physics, 60);
    let late = ball(&mut world, 5.0);
    run(&mut world, &mut physics, 60);
    for ball in [early, late] {
        assert!((position(&world, ball).y - 0.5).abs() < 1e-3, "{}", position(&world, ball));
    }
}

#[test]
fn friction_of_a_source_holds_up_to_its_angle_and_no_further() {
    for (slope, holds) in [(0.45_f64, true), (0.55, false)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let angle = slope.atan() as Real;
        let turn = Quat::from_rotation_z(angle);
        let surface = Some(Material::new(0.5, 0.0));
        physics.sources.add("slope", move |world: &World, out| plane(world, out, turn * Vec3::Y, 0.0, surface));
        let body = block(&mut world, turn * Vec3::Y * 0.5, Material::new(0.1, 0.0));
        world.insert_one(body, Orientation(turn)).unwrap();
        run(&mut world, &mut physics, 120);
        let slid = (position(&world, body) - turn * Vec3::Y * 0.5).length();
        let speed = 9.81 * (f64::from(angle).sin() - 0.5 * f64::from(angle).cos()) * 2.0;
        let expected = if holds { 0.0 } else { speed as Real };
        assert!((slid - expected).abs() < 2e-2 * expected.max(0.1), "{slope}: slid {slid}, not {expected}");
    }
}

#[test]
fn a_tower_whose_every_contact_is_a_sources_stands_warm_and_falls_asleep() {
    let (mut world, mut physics) = (World::new(), floor(&Arc::default()));
    let tower: Vec<Entity> =
        (0..8).map(|i| block(&mut world, Vec3::Y * (0.5 + i as Real), Material::default())).collect();
    let members = tower.clone();
    physics.sources.add("tower", move |world: &World, out| {
        for pair in members.windows(2) {
            let [low, high] = [pair[0], pair[1]].map(|e| (position(world, e), world.get::<&Orientation>(e).unwrap().0));
            let normal = low.1 * Vec3::Y;
            let points: Vec<SourcePoint> = (0..4)
                .map(|k| {
                    let corner = Vec3::new((k & 1) as Real - 0.5, -0.5, (k >> 1) as Real - 0.5);
                    let corner = high.0 + high.1 * corner;
                    SourcePoint::new(corner, normal, (corner - low.0).dot(normal) - 0.5, k)
                })
                .collect();
            out.push(&SourceContact::between(pair[0], pair[1], 0, normal, &points));
        }
    });
    for step in 0..400 {
        let report = physics.step(&mut world, DT).unwrap();
        if step == 1 {
            assert_eq!(report.counts.islands, 1, "the floor and the tower are one island");
        }
    }
    for (i, &e) in tower.iter().enumerate() {
        let off = (position(&world, e) - Vec3::Y * (0.5 + i as Real)).length();
        assert!(off < 2e-3, "{i}: {off}");
    }
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 8);
}

#[test]
fn ground_that_goes_wakes_what_lay_on_it_and_ground_that_stays_does_not() {
    let height = Arc::new(AtomicI32::new(0));
    let (mut world, mut physics) = (World::new(), floor(&height));
    let body = block(&mut world, Vec3::Y * 0.5, Material::default());
    run(&mut world, &mut physics, 60);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 1);
    let before = bits(&world, &[body]);
    run(&mut world, &mut physics, 60);
    assert_eq!(bits(&world, &[body]), before, "nothing moves while it sleeps");
    height.store(-5, Ordering::Relaxed);
    physics.step(&mut world, DT).unwrap();
    assert!(physics.events().contains(&Event::WokeUp { entity: body }));
    run(&mut world, &mut physics, 60);
    assert!((position(&world, body).y - 0.495).abs() < 1e-3);
    height.store(-10_000, Ordering::Relaxed);
    physics.step(&mut world, DT).unwrap();
    let ended = Event::ContactEnded { entities: [body, Entity::DANGLING] };
    let other = Event::ContactEnded { entities: [Entity::DANGLING, body] };
    assert!(physics.events().iter().any(|e| *e == ended || *e == other), "{:?}", physics.events());
    run(&mut world, &mut physics, 30);
    assert!(position(&world, body).y < -0.5, "it falls");
}

#[test]
fn contacts_of_a_source_begin_and_end_once_for_two_bodies_however_many_keys_they_have() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.sources.add("four feet", |world: &World, out| {
        for (body, place) in world.query::<(Entity, &Position)>().with::<&Block>().iter() {
            for k in 0..4 {
                let foot = place.0 + Vec3::new((k & 1) as Real - 0.5, -0.5, (k >> 1) as Real - 0.5);
                let point = SourcePoint::new(foot, Vec3::Y, foot.y, 0);
                out.push(&SourceContact::with_world(body, k, Vec3::Y, &[point]));
            }
        }
    });
    let body = block(&mut world, Vec3::Y * 0.6, Material::default());
    let other = block(&mut world, Vec3::new(5.0, 0.6, 0.0), Material::default());
    let (mut began, mut ended) = (Vec::new(), Vec::new());
    for step in 0..60 {
        if step == 50 {
            world.despawn(body).unwrap();
        }
        physics.step(&mut world, DT).unwrap();
        for event in physics.events() {
            match event {
                Event::ContactBegan { entities } => began.extend(*entities),
                Event::ContactEnded { entities } => ended.extend(*entities),
                _ => {}
            }
        }
    }
    assert_eq!(began.iter().filter(|e| **e == body).count(), 1);
    assert_eq!(began.iter().filter(|e| **e == other).count(), 1);
    assert_eq!(ended.iter().filter(|e| **e != Entity::DANGLING).collect::<Vec<_>>(), [&body], "none is lost");
}

#[test]
fn a_newcomer_in_the_slot_of_a_body_that_is_gone_inherits_none_of_its_contacts() {
    let (mut world, mut physics) = (World::new(), floor(&Arc::default()));
    let body = block(&mut world, Vec3::Y * 0.5, Material::default());
    run(&mut world, &mut physics, 30);
    world.despawn(body).unwrap();
    let newcomer = block(&mut world, Vec3::Y * 0.5, Material::default());
    physics.step(&mut world, DT).unwrap();
    let of = |e: Entity| {
        physics.events().iter().filter(move |event| match event {
            Event::ContactBegan { entities } | Event::ContactEnded { entities } => entities.contains(&e),
            _ => false,
        })
    };
    assert!(matches!(of(body).collect::<Vec<_>>()[..], [Event::ContactEnded { .. }]), "{:?}", physics.events());
    assert!(matches!(of(newcomer).collect::<Vec<_>>()[..], [Event::ContactBegan { .. }]), "{:?}", physics.events());
}

#[test]
fn a_contact_of_two_bodies_keeps_their_momentum_and_bounces_by_its_own_material() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.gravity = Vec3::ZERO;
    let a = block(&mut world, Vec3::X * -1.0, Material::default());
    let b = block(&mut world, Vec3::X * 1.0, Material::default());
    world.insert_one(a, LinearVelocity(Vec3::X * 2.0)).unwrap();
    // A rod between them that pushes once they are within 1.5 m.
    physics.sources.add("rod", move |world: &World, out| {
        let (p, q) = (position(world, a), position(world, b));
        let normal = (q - p).normalize();
        let gap = (q - p).length() - 1.5;
        let point = SourcePoint { on_a: p + normal * 0.75, on_b: q - normal * 0.75, separation: gap, feature: 0 };
        let material = Some(Material::new(0.1, 1.0));
        out.push(&SourceContact { material, ..SourceContact::between(a, b, 0, normal, &[point]) });
    });
    for _ in 0..60 {
        physics.step(&mut world, DT).unwrap();
        assert!((momentum(&world, &[(a, 1.0), (b, 1.0)]) - Vec3::X * 2.0).length() < 1e-5);
    }
    let rounding = if SINGLE { 1e-5 } else { 1e-12 };
    assert!(velocity(&world, a).length() < rounding && (velocity(&world, b) - Vec3::X * 2.0).length() < rounding);
}

#[test]
fn a_source_with_a_surface_velocity_carries_bodies() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.sources.add("belt", |world: &World, out| {
        for (body, place) in world.query::<(Entity, &Position)>().with::<&Block>().iter() {
            let points = [0, 1, 2, 3].map(|k| {
                let foot = place.0 + Vec3::new((k & 1) as Real - 0.5, -0.5, (k >> 1) as Real - 0.5);
                SourcePoint::new(foot, Vec3::Y, foot.y, k as u32)
            });
            let contact = SourceContact::with_world(body, 0, Vec3::Y, &points);
            out.push(&SourceContact { surface_velocity: Vec3::Z * 1.5, ..contact });
        }
    });
    let body = block(&mut world, Vec3::Y * 0.5, Material::default());
    run(&mut world, &mut physics, 60);
    assert!((velocity(&world, body) - Vec3::Z * 1.5).length() < 1e-3, "{}", velocity(&world, body));
}

#[test]
fn the_order_in_which_contacts_are_emitted_does_not_show() {
    let mut ends = Vec::new();
    for backwards in [false, true] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.sources.add("floor", move |world: &World, out| {
            let mut all: Vec<(Entity, Vec3)> = world
                .query::<(Entity, &Position)>()
                .with::<&Block>()
                .iter()
                .map(|(body, place)| (body, place.0))
                .collect();
            if backwards {
                all.reverse();
            }
            for (body, place) in all {
                // Two contacts of one key, which does not distinguish them.
                for x in if backwards { [0.5, -0.5] } else { [-0.5, 0.5] } {
                    let foot = place + Vec3::new(x, -0.5, 0.1);
                    let point = SourcePoint::new(foot, Vec3::Y, foot.y, 0);
                    out.push(&SourceContact::with_world(body, 0, Vec3::Y, &[point]));
                }
            }
        });
        let bodies: Vec<Entity> = (0..5)
            .map(|i| block(&mut world, Vec3::new(i as Real * 2.0, 0.6 + 0.1 * i as Real, 0.0), Material::default()))
            .collect();
        run(&mut world, &mut physics, 90);
        ends.push(bits(&world, &bodies));
    }
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn an_invalid_emission_is_an_error_that_names_it_and_changes_nothing() {
    let stranger = World::new().spawn(());
    type Emit = Box<dyn Fn(Entity, &mut SourceContacts) + Send>;
    let cases: [(&str, Emit); 4] = [
        ("normal", Box::new(|e, out| out.push(&SourceContact::with_world(e, 0, Vec3::ZERO, &[])))),
        (
            "finite",
            Box::new(|e, out| {
                let point = SourcePoint { separation: Real::NAN, ..SourcePoint::default() };
                out.push(&SourceContact::with_world(e, 0, Vec3::Y, &[point]));
            }),
        ),
        ("itself", Box::new(|e, out| out.push(&SourceContact::between(e, e, 0, Vec3::Y, &[])))),
        ("not a body", Box::new(move |_, out| out.push(&SourceContact::with_world(stranger, 0, Vec3::Y, &[])))),
    ];
    for (word, emit) in cases {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let _empty = world.spawn(());
        let body = block(&mut world, Vec3::Y, Material::default());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        physics.sources.add("mist", move |_: &World, out| {
            if count.fetch_add(1, Ordering::Relaxed) == 0 {
                emit(body, out);
            }
        });
        match physics.step(&mut world, DT) {
            Err(StepError::ContactSource { source, problem }) => {
                assert_eq!(source, "mist");
                assert!(problem.contains(word), "{problem}");
            }
            other => panic!("{word}: {other:?}"),
        }
        assert_eq!(position(&world, body), Vec3::Y);
        physics.step(&mut world, DT).unwrap();
        assert!(position(&world, body).y < 1.0);
    }
}
