//! Control systems: what they add to a step of a thousand bodies.

use criterion::{Criterion, criterion_group, criterion_main};
use dolmen::control::fields::{Drag, GravityField, Water, Wind, step_fields};
use dolmen::control::{PoseController, step_pose_controllers};
use dolmen::prelude::*;
use hecs::World;
use std::hint::black_box;

const DT: Real = 1.0 / 60.0;

/// A thousand bodies in a grid, known to a step.
fn bodies(collider: &Collider) -> (World, Physics) {
    let (mut world, mut physics) = (World::new(), Physics::default());
    for k in 0..1000 {
        let at = Vec3::new((k % 10) as Real, 0.0, (k / 10) as Real) * 3.0;
        world.spawn(Body::dynamic(collider.clone()).position(at).density(500.0).with(Drag(0.5)));
    }
    physics.step(&mut world, DT).unwrap();
    (world, physics)
}

fn fields(c: &mut Criterion) {
    let mut group = c.benchmark_group("a thousand bodies in a field");
    let shapes = [
        ("ball", Collider::ball(0.5)),
        ("cuboid", Collider::cuboid(0.5, 0.5, 0.5)),
        ("cylinder", Collider::cylinder(0.5, 0.5)),
    ];
    for (name, collider) in shapes {
        let (mut world, physics) = bodies(&collider);
        world.spawn((Water::fresh(Vec3::splat(1000.0)),));
        group.bench_function(format!("water, {name}"), |b| {
            b.iter(|| step_fields(black_box(&mut world), &physics, DT).unwrap());
        });
    }
    let (mut world, physics) = bodies(&Collider::ball(0.5));
    world.spawn((GravityField::planet(1e5),));
    group.bench_function("a planet", |b| b.iter(|| step_fields(black_box(&mut world), &physics, DT).unwrap()));
    let (mut world, physics) = bodies(&Collider::ball(0.5));
    world.spawn((Wind::everywhere(Vec3::X * 9.0),));
    group.bench_function("wind", |b| b.iter(|| step_fields(black_box(&mut world), &physics, DT).unwrap()));
    let (mut world, physics) = bodies(&Collider::ball(0.5));
    group.bench_function("none", |b| b.iter(|| step_fields(black_box(&mut world), &physics, DT).unwrap()));
}

fn controllers(c: &mut Criterion) {
    let (mut world, physics) = bodies(&Collider::cuboid(0.5, 0.2, 0.3));
    let all: Vec<Entity> = world.query::<Entity>().with::<&RigidBody>().iter().collect();
    for body in all {
        let goal =
            PoseController { orientation: Some(Quat::from_rotation_y(1.0)), ..PoseController::position(Vec3::Y, 1e4) };
        world.insert_one(body, goal).unwrap();
    }
    c.bench_function("a thousand pose controllers", |b| {
        b.iter(|| step_pose_controllers(black_box(&mut world), &physics, DT).unwrap());
    });
}

criterion_group!(benches, fields, controllers);
criterion_main!(benches);
