//! Sleeping bodies: which fall asleep, which must not, and their waking.

use crate::game::{DT, cube, floor, position, run};
use dolmen::Event;
use dolmen::prelude::*;
use hecs::{Entity, World};

/// A floor with a sleeping stack of two cubes.
fn sleeping_stack() -> (World, Physics, [Entity; 2]) {
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    let stack = [0.5, 1.5].map(|y| world.spawn(Body::dynamic(cube()).at(0.0, y, 0.0)));
    run(&mut world, &mut physics, 180);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 2);
    (world, physics, stack)
}

#[test]
fn a_static_body_put_into_a_sleeping_one_pushes_it_out() {
    let (mut world, mut physics, stack) = sleeping_stack();
    world.spawn(Body::fixed(cube()).at(0.9, 0.5, 0.0));
    run(&mut world, &mut physics, 60);
    assert!(position(&world, stack[0]).x < -0.05, "spawned: {}", position(&world, stack[0]));

    let (mut world, mut physics, stack) = sleeping_stack();
    let wall = world.spawn(Body::fixed(cube()).at(10.0, 0.5, 0.0));
    run(&mut world, &mut physics, 10);
    world.get::<&mut Position>(wall).unwrap().0.x = 0.9;
    run(&mut world, &mut physics, 60);
    assert!(position(&world, stack[0]).x < -0.05, "teleported: {}", position(&world, stack[0]));
}

#[test]
fn a_sleeping_stack_falls_when_its_ground_is_taken_away_sideways() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ground = world.spawn(Body::fixed(Collider::cuboid(5.0, 1.0, 5.0)).at(0.0, -1.0, 0.0));
    let brick = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
    run(&mut world, &mut physics, 120);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 1);
    world.get::<&mut Position>(ground).unwrap().0.x = 100.0;
    run(&mut world, &mut physics, 60);
    assert!((position(&world, brick).y - (0.5 - 0.5 * 9.81)).abs() < 1e-2, "{}", position(&world, brick));
}

#[test]
fn nothing_sleeps_on_a_platform_that_moves_however_slowly() {
    for velocity in [Vec3::new(0.004, 0.0, 0.0), Vec3::new(0.0, -0.004, 0.0), Vec3::new(0.0, 0.004, 0.0)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let slab = Body::kinematic(Collider::cuboid(5.0, 1.0, 5.0)).at(0.0, -1.0, 0.0).linear_velocity(velocity);
        let slab = world.spawn(slab);
        let brick = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
        for _ in 0..600 {
            let report = physics.step(&mut world, DT).unwrap();
            assert_eq!(report.counts.asleep, 0, "{velocity}");
        }
        let carried = position(&world, brick) - position(&world, slab);
        assert!((carried - Vec3::Y * 1.5).length() < 2e-3, "{velocity}: {carried}");
        // It may sleep once the platform stops.
        world.get::<&mut LinearVelocity>(slab).unwrap().0 = Vec3::ZERO;
        run(&mut world, &mut physics, 120);
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 1);
    }
}

#[test]
fn another_gravity_and_sleep_turned_off_wake_everything() {
    let (mut world, mut physics, stack) = sleeping_stack();
    physics.settings.gravity = Vec3::new(6.0, -9.81, 0.0);
    physics.step(&mut world, DT).unwrap();
    assert_eq!(physics.events().iter().filter(|e| matches!(e, Event::WokeUp { .. })).count(), 2);
    run(&mut world, &mut physics, 60);
    assert!(position(&world, stack[0]).x > 0.3, "{}", position(&world, stack[0]));

    let (mut world, mut physics, stack) = sleeping_stack();
    physics.settings.sleep = false;
    run(&mut world, &mut physics, 60);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 0);
    assert!((position(&world, stack[1]).y - 1.5).abs() < 2e-3);
    physics.settings.sleep = true;
    run(&mut world, &mut physics, 60);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 2);
}

#[test]
fn a_sleeping_body_inside_a_sensor_is_not_collided_in_every_step() {
    for zone in [Collider::cuboid(30.0, 5.0, 30.0), Collider::ball(30.0)] {
        let (mut world, mut physics, _) = sleeping_stack();
        world.spawn(Body::fixed(zone).at(0.0, 1.0, 0.0).sensor());
        run(&mut world, &mut physics, 5);
        let report = physics.step(&mut world, DT).unwrap();
        assert_eq!((report.counts.asleep, report.counts.collided), (2, 0));
    }
}

/// An awake stack of two cubes, in a step in which its cached equilibrium is used, and its floor.
fn cached_stack() -> (World, Physics, [Entity; 2], Entity) {
    let mut physics = Physics::new(Settings { sleep: false, ..Settings::default() });
    let mut world = World::new();
    let floor = floor(&mut world);
    let stack = [0.5, 1.5].map(|y| world.spawn(Body::dynamic(cube()).at(0.0, y, 0.0)));
    run(&mut world, &mut physics, 120);
    // Not in the last step of the interval, after which it is solved again in any case.
    let mut asked = false;
    for _ in 0..100 {
        let cached = physics.step(&mut world, DT).unwrap().counts.cached_islands;
        if asked && cached == 1 {
            return (world, physics, stack, floor);
        }
        asked = cached == 0;
    }
    panic!("an awake stack at rest is solved at intervals and otherwise skipped");
}

#[test]
fn a_stack_with_a_cached_equilibrium_reacts_to_every_change_in_the_same_step() {
    type Change = fn(&mut World, &mut Physics, [Entity; 2], Entity);
    let changes: [(&str, Change); 8] = [
        ("nothing", |_, _, _, _| {}),
        ("force", |world, _, stack, _| world.insert_one(stack[1], ExternalForce(Vec3::X * 9000.0)).unwrap()),
        ("torque", |world, _, stack, _| world.insert_one(stack[1], ExternalTorque(Vec3::X * 9000.0)).unwrap()),
        ("velocity", |world, _, stack, _| world.get::<&mut LinearVelocity>(stack[1]).unwrap().0.x = 1.0),
        ("position", |world, _, stack, _| world.get::<&mut Position>(stack[1]).unwrap().0.y += 0.5),
        ("gravity", |_, physics, _, _| physics.settings.gravity = Vec3::new(9.0, -9.81, 0.0)),
        ("support", |world, _, _, floor| world.despawn(floor).unwrap()),
        ("floor", |world, _, _, floor| world.get::<&mut Position>(floor).unwrap().0.y -= 1.0),
    ];
    for (name, change) in changes {
        let (mut world, mut physics, stack, floor) = cached_stack();
        let before = stack.map(|body| position(&world, body));
        change(&mut world, &mut physics, stack, floor);
        let cached = physics.step(&mut world, DT).unwrap().counts.cached_islands;
        run(&mut world, &mut physics, 5);
        let moved = (0..2).map(|k| (position(&world, stack[k]) - before[k]).length()).fold(0.0, Real::max);
        if name == "nothing" {
            assert!(cached == 1 && moved < 1e-5, "skipped: cached {cached}, moved {moved}");
        } else {
            assert_eq!(cached, 0, "{name}");
            assert!(moved > 1e-4, "{name}: moved {moved}");
        }
    }
}

#[test]
fn a_ball_that_hits_a_stack_ends_its_cached_equilibrium() {
    let (mut world, mut physics, stack, _) = cached_stack();
    let ball = Body::dynamic(Collider::ball(0.3)).at(-1.2, 1.5, 0.0).linear_velocity(Vec3::X * 20.0);
    world.spawn(ball);
    let before = position(&world, stack[1]);
    run(&mut world, &mut physics, 30);
    let moved = position(&world, stack[1]) - before;
    assert!(moved.x > 1e-2, "{moved}");
}

/// Planks slide into each other's wedges and lie on each other almost flat.
#[test]
fn a_pile_of_planks_comes_to_rest() {
    let (mut world, mut physics) = (World::new(), Physics::new(Settings { sleep: false, ..Settings::default() }));
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for (x, z) in [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)] {
        let wall = Collider::half_space(Vec3::new(-x, 0.0, -z));
        world.spawn(Body::fixed(wall).at(2.5 * x, 0.0, 2.5 * z));
    }
    let planks: Vec<Entity> = (0..150)
        .map(|i| {
            let (row, column, layer) = ((i % 3) as Real, (i / 3 % 3) as Real, (i / 9) as Real);
            let turn = Quat::from_axis_angle(Vec3::new(1.0, row - 1.0, column - 0.7).normalize(), 2.4 * i as Real);
            let place = Vec3::new(1.6 * (row - 1.0), 1.0 + 0.8 * layer, 1.6 * (column - 1.0));
            world.spawn(Body::dynamic(Collider::cuboid(0.7, 0.05, 0.2)).position(place).orientation(turn))
        })
        .collect();
    run(&mut world, &mut physics, 480);
    for &plank in &planks {
        let speed = world.get::<&LinearVelocity>(plank).unwrap().0.length();
        assert!(speed < 0.05 && position(&world, plank).y > 0.0, "{speed} m/s at {}", position(&world, plank));
    }
    let deepest = physics.contacts().map(|c| -c.separation).fold(0.0, Real::max);
    assert!(deepest < 0.01, "{deepest} m");
}

/// A body that is small against its floor stands on all its corners: contact points are merged by
/// the size of the smaller face.
#[test]
fn small_bodies_come_to_rest_on_floors_of_any_size() {
    let hull = |r: Real| {
        let corner = |k: usize| {
            Vec3::new(
                if k & 1 > 0 { 1.0 } else { -1.0 },
                if k & 2 > 0 { 0.8 } else { -0.9 },
                if k & 4 > 0 { 0.7 } else { -1.1 },
            )
        };
        let bent = |k: usize| corner(k) + Vec3::new(0.0, 0.1, -0.1) * (k % 3) as Real;
        let points: Vec<Vec3> = (0..8).map(|k| bent(k) * r).collect();
        Collider::convex_hull(&points).unwrap()
    };
    for half in [10.0, 200.0, 1000.0] {
        for r in [0.02, 0.05, 0.5] {
            for at in [0.0, 0.37, 0.9] {
                let (mut world, mut physics) = (World::new(), Physics::default());
                world.spawn(Body::fixed(Collider::cuboid(half, 0.5, half)).at(0.0, -0.5, 0.0));
                let shapes = [hull(r), Collider::cylinder(r, r), Collider::cuboid(r, 0.8 * r, 1.2 * r)];
                let bodies: Vec<Entity> = (0..)
                    .zip(shapes)
                    .map(|(k, shape)| {
                        // Cylinders stand; a lying one would roll on.
                        let turn = if k == 1 { 0.02 } else { 0.5 };
                        let body = Body::dynamic(shape).at(at * half - 4.0 * r * k as Real, 1.6 * r, at * half);
                        world.spawn(body.orientation(Quat::from_rotation_z(turn)))
                    })
                    .collect();
                run(&mut world, &mut physics, 400);
                let asleep = physics.step(&mut world, DT).unwrap().counts.asleep;
                let lowest = bodies.iter().map(|&body| position(&world, body).y).fold(Real::INFINITY, Real::min);
                assert!(asleep == 3 && lowest > 0.5 * r, "{half} {r} {at}: {asleep} asleep, {lowest} high");
            }
        }
    }
}
