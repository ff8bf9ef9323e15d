//! Extreme scales: strong forces, tiny and huge bodies, distant places, varying time steps, empty
//! worlds.

use crate::game::{DT, position, run};
use dolmen::prelude::*;
use hecs::{Entity, World};

#[test]
fn no_force_throws_a_body_at_rest_through_a_wall_in_one_step() {
    for newtons_per_kilogram in [1e3, 2e4] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.settings.gravity = Vec3::ZERO;
        world.spawn(Body::fixed(Collider::cuboid(0.05, 5.0, 5.0)).at(2.0, 0.0, 0.0));
        let force = Vec3::X * newtons_per_kilogram;
        let ball = world.spawn(Body::dynamic(Collider::ball(0.2)).mass(1.0));
        run(&mut world, &mut physics, 5);
        world.insert_one(ball, ExternalForce(force)).unwrap();
        physics.step(&mut world, DT).unwrap();
        world.remove_one::<ExternalForce>(ball).unwrap();
        run(&mut world, &mut physics, 5);
        assert!(position(&world, ball).x < 2.0, "{newtons_per_kilogram}: {}", position(&world, ball));
    }
}

#[test]
fn a_stack_stands_at_every_scale() {
    for unit in [0.01, 0.1, 10.0, 100.0] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.settings.length_unit = unit;
        physics.settings.gravity *= unit;
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let half = 0.5 * unit;
        let stack: Vec<Entity> = (0..5)
            .map(|i| {
                world.spawn(Body::dynamic(Collider::cuboid(half, half, half)).at(0.0, (2 * i + 1) as Real * half, 0.0))
            })
            .collect();
        run(&mut world, &mut physics, 180);
        for (i, &e) in stack.iter().enumerate() {
            let off = (position(&world, e) - Vec3::Y * (2 * i + 1) as Real * half).length() / unit;
            assert!(off < 5e-3, "unit {unit}, {i}: {off}");
        }
    }
}

#[test]
fn thrown_boxes_of_any_size_come_to_rest_in_a_world_of_metres() {
    for size in [0.02, 0.05, 0.1, 0.5] as [Real; 4] {
        for on_box in [false, true] {
            for k in 0..20 {
                let (mut world, mut physics) = (World::new(), Physics::default());
                let material = Material::new(0.5, 0.0);
                let ground = if on_box { Collider::cuboid(9.0, 1.0, 9.0) } else { Collider::half_space(Vec3::Y) };
                let depth = if on_box { -1.0 } else { 0.0 };
                world.spawn(Body::fixed(ground).at(0.0, depth, 0.0).material(material));
                // A different length each time, none of them a round number.
                let of = |phase: Real| (2.4 * k as Real + phase).sin();
                let half = Vec3::new(0.65 + 0.35 * of(1.0), 0.65 + 0.35 * of(2.5), 0.65 + 0.35 * of(4.1)) * size;
                let body = Body::dynamic(Collider::cuboid(half.x, half.y, half.z)).material(material);
                let body = body.at(0.0, 2.0 * size, 0.0).linear_velocity(Vec3::new(of(0.3), of(1.9), of(3.2)));
                let body = body.orientation(Quat::from_scaled_axis(Vec3::new(of(0.7), of(2.2), of(5.0)) * 3.0));
                world.spawn(body.angular_velocity(Vec3::new(of(1.4), of(3.7), of(5.5)) * 5.0));
                run(&mut world, &mut physics, 600);
                let name = format!("{size} m, box {on_box}, {k}");
                assert_eq!(physics.state().counts.asleep, 1, "{name}");
                let deepest = physics.contacts().map(|c| -c.separation).fold(0.0, Real::max);
                assert!(deepest < 0.01 * size, "{name}: {deepest}");
            }
        }
    }
}

#[test]
fn a_stack_stands_while_the_time_step_changes() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.sleep = false;
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let stack: Vec<Entity> = (0..5)
        .map(|i| world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 0.5 + i as Real, 0.0)))
        .collect();
    for step in 0..400 {
        let dt = [1.0 / 60.0, 1.0 / 240.0, 1.0 / 30.0, 1.0 / 100.0][step / 3 % 4];
        physics.step(&mut world, dt).unwrap();
    }
    for (i, &e) in stack.iter().enumerate() {
        let off = (position(&world, e) - Vec3::Y * (0.5 + i as Real)).length();
        // Contact compliance grows with the time step: as the step varies, the stack oscillates and
        // drifts by some centimetres.
        assert!(off < 5e-2, "{i}: {off}");
    }
}

#[test]
fn a_box_rests_far_from_the_origin() {
    for far in [1e3, 1e4] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        world.spawn(Body::fixed(Collider::cuboid(5.0, 1.0, 5.0)).at(far, -1.0, far));
        let brick = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(far, 0.6, far));
        run(&mut world, &mut physics, 240);
        let at = position(&world, brick) - Vec3::new(far, 0.5, far);
        assert!(at.length() < 5e-3, "{far}: {at}");
    }
}

#[test]
fn worlds_with_nothing_to_collide_step() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    for i in 0..10 {
        world.spawn(Body::fixed(Collider::cuboid(1.0, 1.0, 1.0)).at(i as Real, 0.0, 0.0));
    }
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!((report.counts.bodies, report.counts.pairs), (10, 0));
    let flyer = world.spawn(Body::free(2.0, Inertia::diagonal(1.0, 1.0, 1.0)).at(0.0, 0.0, 0.0));
    run(&mut world, &mut physics, 60);
    assert!((position(&world, flyer).y + 0.5 * 9.81).abs() < 1e-4);
    let apart = [-1e5, 1e5].map(|x| world.spawn(Body::dynamic(Collider::ball(0.5)).at(x, 0.0, 0.0)));
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!((report.counts.bodies, report.counts.pairs), (13, 0));
    assert!(apart.iter().all(|&e| position(&world, e).y < 0.0));
}
