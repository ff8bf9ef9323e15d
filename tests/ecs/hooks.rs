//! Filters, contact editors, and surface velocities.

use crate::{DT, bits, cube, position, run, velocity};
use dolmen::math::parry::shape::SharedShape;
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A component of the game: bodies of one team pass through each other.
#[derive(PartialEq)]
pub struct Team(pub u8);

pub fn teams(physics: &mut Physics) {
    physics.hooks.filter_pairs(|world, [a, b]| {
        let (a, b) = (world.get::<&Team>(a), world.get::<&Team>(b));
        !matches!((a, b), (Ok(a), Ok(b)) if *a == *b)
    });
}

#[test]
fn a_filter_lets_a_team_pass_through_its_own_until_pairs_are_filtered_again() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    teams(&mut physics);
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let own = world.spawn(Body::fixed(cube()).at(0.0, 1.0, 0.0));
    world.insert_one(own, Team(1)).unwrap();
    let mate = world.spawn(Body::dynamic(Collider::ball(0.25)).at(0.0, 2.5, 0.0));
    world.insert_one(mate, Team(1)).unwrap();
    let foe = world.spawn(Body::dynamic(Collider::ball(0.25)).at(0.4, 2.5, 0.3).locked(LockedAxes::ROTATION));
    world.insert_one(foe, Team(2)).unwrap();
    run(&mut world, &mut physics, 120);
    assert!((position(&world, mate).y - 0.25).abs() < 1e-3, "it fell through to the ground");
    assert!((position(&world, foe).y - 1.75).abs() < 1e-3, "it lies on top");
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 2);
    // The foe changes sides, without effect until the pairs are filtered again.
    *world.get::<&mut Team>(foe).unwrap() = Team(1);
    run(&mut world, &mut physics, 10);
    assert!((position(&world, foe).y - 1.75).abs() < 1e-3);
    physics.hooks.refilter();
    let mut ended = 0;
    for _ in 0..120 {
        physics.step(&mut world, DT).unwrap();
        ended += physics.events().iter().filter(|e| matches!(e, Event::ContactEnded { .. })).count();
    }
    assert!((position(&world, foe).y - 0.25).abs() < 1e-3, "it falls through, although it slept");
    assert_eq!(ended, 1);
    // And back again, while it lies inside: rejected pairs are found.
    *world.get::<&mut Team>(foe).unwrap() = Team(2);
    world.get::<&mut Position>(foe).unwrap().0 = Vec3::new(0.0, 1.9, 0.0);
    physics.hooks.refilter();
    run(&mut world, &mut physics, 60);
    assert!((position(&world, foe).y - 1.75).abs() < 1e-3, "{}", position(&world, foe));
}

struct OneWay;

/// A platform of a thickness that lets bodies through from below.
pub fn one_way(world: &mut World, physics: &mut Physics, open: &Arc<AtomicBool>) -> Entity {
    let open = open.clone();
    physics.hooks.edit_contacts(move |world, contact| {
        const PASSING: u32 = 1;
        let Some(side) = contact.entities.iter().position(|&e| world.satisfies::<&OneWay>(e)) else { return };
        if contact.user_data == PASSING && contact.separation() > 0.0 {
            contact.user_data = 0;
        }
        if open.load(Ordering::Relaxed) || contact.user_data == PASSING || contact.normal_from(side).y < 0.7 {
            contact.user_data = PASSING;
            contact.disable();
        }
    });
    let platform = world.spawn(Body::fixed(Collider::cuboid(2.0, 0.1, 2.0)).at(0.0, 2.0, 0.0));
    world.insert_one(platform, OneWay).unwrap();
    platform
}

#[test]
fn a_one_way_platform_lets_a_body_up_and_holds_it_on_the_way_down() {
    let part = |shape: Collider| Collider(SharedShape::compound(vec![(dolmen::math::Pose::IDENTITY, shape.0)]));
    for shape in [Collider::ball(0.25), Collider::cuboid(0.25, 0.25, 0.25), part(Collider::ball(0.25))] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let open = Arc::new(AtomicBool::new(false));
        one_way(&mut world, &mut physics, &open);
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let body = world.spawn(Body::dynamic(shape).at(0.1, 0.3, 0.1).linear_velocity(Vec3::Y * 8.0));
        let start = velocity(&world, body).y;
        let mut reported = 0;
        for step in 1..=25 {
            physics.step(&mut world, DT).unwrap();
            reported += physics.events().iter().filter(|e| matches!(e, Event::ContactBegan { .. })).count();
            let expected = start - 9.81 * DT * step as Real;
            assert!((velocity(&world, body).y - expected).abs() < 1e-3, "nothing holds it up on its way");
        }
        assert!(position(&world, body).y > 2.5, "{}", position(&world, body));
        assert_eq!(reported, 0, "a disabled contact is not reported");
        run(&mut world, &mut physics, 240);
        assert!((position(&world, body).y - 2.35).abs() < 2e-3, "it landed: {}", position(&world, body));
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 1);
        // The trap opens; the game wakes the bodies on it.
        open.store(true, Ordering::Relaxed);
        world.get::<&mut LinearVelocity>(body).unwrap().0.y = -0.1;
        run(&mut world, &mut physics, 120);
        assert!((position(&world, body).y - 0.25).abs() < 2e-3, "it fell through: {}", position(&world, body));
    }
}

#[test]
fn an_editor_changes_friction_and_bounce_of_a_contact() {
    struct Ice;
    struct Rubber;
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.hooks.edit_contacts(|world, contact| {
        if contact.entities.iter().any(|&e| world.satisfies::<&Ice>(e)) {
            contact.material = Material::new(0.0, 0.0);
        }
        if contact.entities.iter().any(|&e| world.satisfies::<&Rubber>(e)) {
            contact.material.restitution = 1.0;
        }
        if contact.entities.iter().any(|&e| world.satisfies::<&Team>(e)) {
            contact.material.dynamic_friction = Real::NAN;
        }
    });
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let slide = |x: Real| Body::dynamic(cube()).at(x, 0.5, 0.0).linear_velocity(Vec3::Z * 3.0);
    let (ice, stone) = (world.spawn(slide(0.0)), world.spawn(slide(5.0)));
    let odd = world.spawn(slide(10.0));
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(-5.0, 2.5, 0.0));
    world.insert_one(ice, Ice).unwrap();
    world.insert_one(ball, Rubber).unwrap();
    world.insert_one(odd, Team(0)).unwrap();
    let mut top: Real = 0.0;
    for step in 0..120 {
        physics.step(&mut world, DT).unwrap();
        if step > 60 {
            top = top.max(position(&world, ball).y);
        }
    }
    assert!((velocity(&world, ice) - Vec3::Z * 3.0).length() < 1e-3, "{}", velocity(&world, ice));
    assert_eq!(velocity(&world, stone), Vec3::ZERO);
    assert_eq!(velocity(&world, odd), Vec3::ZERO, "a friction that is not finite is ignored");
    assert!((top - 2.5).abs() < 2e-2, "it bounces to where it fell from: {top}");
}

#[test]
fn an_editor_that_keeps_a_part_of_a_contact_leaves_that_part_to_carry_all() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    // A step of two treads: only level ground carries.
    physics.hooks.edit_contacts(|_, contact| contact.retain(|m| m.normal.y.abs() > 0.9));
    let parts = vec![
        (Vec3::new(0.0, -0.5, 0.0), Quat::IDENTITY, Collider::cuboid(5.0, 0.5, 5.0)),
        (Vec3::new(3.0, 0.5, 0.0), Quat::IDENTITY, Collider::cuboid(1.0, 0.5, 5.0)),
    ];
    world.spawn(Body::fixed(Collider::compound(parts).unwrap()));
    let body = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0).material(Material::new(0.0, 0.0)));
    world.get::<&mut LinearVelocity>(body).unwrap().0.x = 1.5;
    run(&mut world, &mut physics, 70);
    let at = position(&world, body);
    assert!(at.x > 1.6, "the riser does not stop it: {at}");
}

#[test]
fn a_conveyor_belt_carries_bodies_at_its_speed_however_it_is_turned() {
    let turn = Quat::from_rotation_y(0.7);
    for belt_is_part in [false, true] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let belt = SurfaceVelocity(Vec3::X * 2.0);
        if belt_is_part {
            let frame = world.spawn((RigidBody::Static, Orientation(turn)));
            let of = ColliderOf { body: frame, position: Vec3::Y * -0.5, orientation: Quat::IDENTITY };
            world.spawn((Collider::cuboid(20.0, 0.5, 20.0), of, belt));
        } else {
            let frame = Body::fixed(Collider::cuboid(20.0, 0.5, 20.0)).at(0.0, -0.5, 0.0).orientation(turn);
            world.spawn(frame.surface_velocity(belt.0));
        }
        let box_ = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
        let expected = turn * Vec3::X * 2.0;
        // Friction 0.5 brings it up to speed: v = mu g t.
        run(&mut world, &mut physics, 12);
        let speed = velocity(&world, box_).length();
        assert!((speed - 0.5 * 9.81 * 0.2).abs() < 2e-2, "{speed}");
        run(&mut world, &mut physics, 60);
        assert!((velocity(&world, box_) - expected).length() < 2e-3, "{}", velocity(&world, box_));
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 0, "what is carried is not at rest");
    }
}

#[test]
fn a_belt_that_stops_or_starts_is_felt_at_once_even_by_sleeping_bodies() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let belt = world.spawn(Body::fixed(Collider::cuboid(20.0, 0.5, 20.0)).at(0.0, -0.5, 0.0));
    let body = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
    run(&mut world, &mut physics, 60);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 1);
    world.insert_one(belt, SurfaceVelocity(Vec3::Z)).unwrap();
    run(&mut world, &mut physics, 60);
    assert!((velocity(&world, body) - Vec3::Z).length() < 2e-3, "{}", velocity(&world, body));
    world.remove_one::<SurfaceVelocity>(belt).unwrap();
    run(&mut world, &mut physics, 60);
    assert_eq!(velocity(&world, body), Vec3::ZERO);
}

#[test]
fn a_ball_that_bounces_off_a_belt_is_spun_and_thrown_by_it() {
    // A solid ball falls straight onto a belt of 1 m/s with much friction: it leaves with its
    // surface at the belt's speed, of which 2/7 is its own (J = 2/7 m u for a solid ball that
    // sticks).
    let (mut world, mut physics) = (World::new(), Physics::default());
    let surface = Material::new(10.0, 0.5);
    let floor = Body::fixed(Collider::half_space(Vec3::Y)).surface_velocity(Vec3::X).material(surface);
    world.spawn(floor);
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 1.5, 0.0).material(surface));
    while velocity(&world, ball).y <= 0.0 {
        physics.step(&mut world, DT).unwrap();
    }
    let (v, w) = (velocity(&world, ball), world.get::<&AngularVelocity>(ball).unwrap().0);
    assert!((v.x - 2.0 / 7.0).abs() < 1e-3, "{v}");
    assert!((v.x + w.z * 0.5 - 1.0).abs() < 1e-3, "its surface runs with the belt: {v} {w}");
}

#[test]
fn hooks_give_the_same_bits_on_any_number_of_threads() {
    let mut ends = Vec::new();
    for threads in [1, 2, 5] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.settings.threads = Some(threads);
        teams(&mut physics);
        physics.hooks.edit_contacts(|_, contact| {
            contact.user_data += 1;
            contact.material.dynamic_friction *= 0.5;
            contact.surface_velocity += Vec3::X * (contact.user_data % 7) as Real * 0.1;
        });
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let bodies: Vec<Entity> = (0..300)
            .map(|i| {
                let at = Vec3::new((i % 10) as Real * 0.9, 0.6 + (i / 100) as Real * 1.1, (i / 10 % 10) as Real * 0.9);
                let body = world.spawn(Body::dynamic(Collider::cuboid(0.4, 0.4, 0.4)).position(at));
                world.insert_one(body, Team((i % 13) as u8)).unwrap();
                body
            })
            .collect();
        run(&mut world, &mut physics, 40);
        ends.push(bits(&world, &bodies));
    }
    assert!(ends[0] == ends[1] && ends[0] == ends[2]);
}
