//! What is parked, what wakes it, and what must not be parked.

use dolmen::Event;
use dolmen::prelude::*;
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;

fn position(world: &World, entity: Entity) -> Vec3 {
    world.get::<&Position>(entity).unwrap().0
}

fn run(world: &mut World, physics: &mut Physics, steps: usize) {
    for _ in 0..steps {
        physics.step(world, DT).unwrap();
    }
}

fn cube() -> Collider {
    Collider::cuboid(0.5, 0.5, 0.5)
}

/// A floor with a parked stack of two cubes.
fn parked_stack() -> (World, Physics, [Entity; 2]) {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::cuboid(50.0, 1.0, 50.0)).at(0.0, -1.0, 0.0));
    let stack = [0.5, 1.5].map(|y| world.spawn(Body::dynamic(cube()).at(0.0, y, 0.0)));
    run(&mut world, &mut physics, 180);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.parked, 2);
    (world, physics, stack)
}

#[test]
fn a_static_body_put_into_a_parked_one_pushes_it_out() {
    let (mut world, mut physics, stack) = parked_stack();
    world.spawn(Body::fixed(cube()).at(0.9, 0.5, 0.0));
    run(&mut world, &mut physics, 60);
    assert!(position(&world, stack[0]).x < -0.05, "spawned: {}", position(&world, stack[0]));

    let (mut world, mut physics, stack) = parked_stack();
    let wall = world.spawn(Body::fixed(cube()).at(10.0, 0.5, 0.0));
    run(&mut world, &mut physics, 10);
    world.get::<&mut Position>(wall).unwrap().0.x = 0.9;
    run(&mut world, &mut physics, 60);
    assert!(position(&world, stack[0]).x < -0.05, "teleported: {}", position(&world, stack[0]));
}

#[test]
fn a_parked_stack_falls_when_its_ground_is_taken_away_sideways() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ground = world.spawn(Body::fixed(Collider::cuboid(5.0, 1.0, 5.0)).at(0.0, -1.0, 0.0));
    let brick = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
    run(&mut world, &mut physics, 120);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.parked, 1);
    world.get::<&mut Position>(ground).unwrap().0.x = 100.0;
    run(&mut world, &mut physics, 60);
    assert!((position(&world, brick).y - (0.5 - 0.5 * 9.81)).abs() < 1e-2, "{}", position(&world, brick));
}

#[test]
fn nothing_is_parked_on_a_platform_that_moves_however_slowly() {
    for velocity in [Vec3::new(0.004, 0.0, 0.0), Vec3::new(0.0, -0.004, 0.0), Vec3::new(0.0, 0.004, 0.0)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let slab = Body::kinematic(Collider::cuboid(5.0, 1.0, 5.0)).at(0.0, -1.0, 0.0).linear_velocity(velocity);
        let slab = world.spawn(slab);
        let brick = world.spawn(Body::dynamic(cube()).at(0.0, 0.5, 0.0));
        for _ in 0..600 {
            let report = physics.step(&mut world, DT).unwrap();
            assert_eq!(report.counts.parked, 0, "{velocity}");
        }
        let carried = position(&world, brick) - position(&world, slab);
        assert!((carried - Vec3::Y * 1.5).length() < 2e-3, "{velocity}: {carried}");
        // It may rest once the platform does.
        world.get::<&mut LinearVelocity>(slab).unwrap().0 = Vec3::ZERO;
        run(&mut world, &mut physics, 120);
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.parked, 1);
    }
}

#[test]
fn another_gravity_and_rest_turned_off_wake_everything() {
    let (mut world, mut physics, stack) = parked_stack();
    physics.settings.gravity = Vec3::new(6.0, -9.81, 0.0);
    physics.step(&mut world, DT).unwrap();
    assert_eq!(physics.events().iter().filter(|e| matches!(e, Event::Woken { .. })).count(), 2);
    run(&mut world, &mut physics, 60);
    assert!(position(&world, stack[0]).x > 0.3, "{}", position(&world, stack[0]));

    let (mut world, mut physics, stack) = parked_stack();
    physics.settings.rest = false;
    run(&mut world, &mut physics, 60);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.parked, 0);
    assert!((position(&world, stack[1]).y - 1.5).abs() < 2e-3);
    physics.settings.rest = true;
    run(&mut world, &mut physics, 60);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.parked, 2);
}

#[test]
fn a_parked_body_inside_a_sensor_is_not_collided_anew_in_every_step() {
    for zone in [Collider::cuboid(30.0, 5.0, 30.0), Collider::ball(30.0)] {
        let (mut world, mut physics, _) = parked_stack();
        world.spawn(Body::fixed(zone).at(0.0, 1.0, 0.0).sensor());
        run(&mut world, &mut physics, 5);
        let report = physics.step(&mut world, DT).unwrap();
        assert_eq!((report.counts.parked, report.counts.collided), (2, 0));
    }
}
