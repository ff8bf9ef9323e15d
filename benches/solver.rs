//! The substepping solver alone: nanoseconds per manifold and substep at each SIMD level, and the
//! parts of a step.
//!
//! `cargo bench --bench solver`. Throughput counts manifolds times substeps: its inverse is the
//! time of one manifold in one substep. All scenes have settled for a second before the
//! measurement.

#[path = "../tests/support/mod.rs"]
mod support;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dolmen::solver::SimdLevel;
use std::hint::black_box;
use support::{World, scenes};

/// A settled scene, ready for its next solve.
fn settled(mut world: World) -> World {
    world.keep = true;
    world.parameters.stop = 0.0;
    world.run(60);
    world.collide();
    world.fill();
    world
}

/// One solve of a world whose bodies are not advanced.
fn solve(world: &mut World) {
    world.solver.step(&world.parameters, &world.contacts, &mut world.pool);
    black_box(world.solver.motions());
}

fn simd_levels(c: &mut Criterion) {
    let mut group = c.benchmark_group("pyramid_50");
    let mut world = settled(scenes::pyramid(50));
    world.parameters.threads = 1;
    group.throughput(Throughput::Elements(8 * world.contacts.len() as u64));
    for &level in SimdLevel::available() {
        world.parameters.simd = level;
        group.bench_function(BenchmarkId::from_parameter(level.name()), |b| b.iter(|| solve(&mut world)));
    }
    group.finish();
}

/// Cost of a step beside its substeps: the difference between one and two substeps is one of them.
fn parts(c: &mut Criterion) {
    let mut group = c.benchmark_group("pyramid_50_parts");
    let mut world = settled(scenes::pyramid(50));
    world.parameters.threads = 1;
    group.throughput(Throughput::Elements(world.contacts.len() as u64));
    for substeps in [1, 2] {
        world.parameters.substeps = Some(substeps);
        group.bench_function(format!("{substeps}_substeps"), |b| b.iter(|| solve(&mut world)));
    }
    world.parameters.substeps = Some(1);
    group.bench_function("rebuilt_layout", |b| {
        b.iter(|| {
            world.solver.forget();
            solve(&mut world);
        });
    });
    for contact in &mut world.contacts {
        contact.revision = 0;
    }
    group.bench_function("refilled_blocks", |b| b.iter(|| solve(&mut world)));
    group.finish();
}

fn threads(c: &mut Criterion) {
    let scenes = [
        ("tower_20", scenes::tower(20)),
        ("pyramid_20", scenes::pyramid(20)),
        ("pyramid_50", scenes::pyramid(50)),
        ("pyramid_100", scenes::pyramid(100)),
        ("wall_20", scenes::wall(20)),
        ("towers_400x10", scenes::towers(400, 10)),
    ];
    for (name, scene) in scenes {
        let mut group = c.benchmark_group(name);
        let mut world = settled(scene);
        for threads in [1, 2] {
            world.parameters.threads = threads;
            group.bench_function(format!("{threads}_threads"), |b| b.iter(|| solve(&mut world)));
        }
        group.finish();
    }
}

criterion_group!(benches, simd_levels, parts, threads);
criterion_main!(benches);
