//! Gather and scatter: ns per body and step, for 10,000 bodies in 1, 8 and 64 archetypes, all in free
//! flight without contacts, so that every row is read, compared and written back; and whole steps of
//! 16,000 bodies asleep. Run with `cargo bench --bench gather`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dolmen::prelude::*;
use std::time::Duration;

const BODIES: usize = 10_000;

/// Adds one component for each bit of `kind`, so that 64 kinds make 64 archetypes.
fn mark(world: &mut hecs::World, entity: hecs::Entity, kind: usize) {
    macro_rules! mark {
        ($($bit:literal $type:ty),*) => {
            $(if kind >> $bit & 1 != 0 {
                world.insert_one(entity, <$type>::default()).expect("the entity is there");
            })*
        };
    }
    mark!(0 u8, 1 u16, 2 u32, 3 u64, 4 i8, 5 i16);
}

fn world(archetypes: usize) -> hecs::World {
    let mut world = hecs::World::new();
    let shape = Collider::cuboid(0.5, 0.5, 0.5);
    for i in 0..BODIES {
        let at = Vec3::new((i % 22) as Real, (i / 22 % 22) as Real, (i / 484) as Real) * 3.0;
        let body = Body::dynamic(shape.clone()).position(at).linear_velocity(Vec3::new(1.0, 0.0, 0.0));
        let entity = world.spawn(body);
        mark(&mut world, entity, i % archetypes);
    }
    world
}

fn gather_and_scatter(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gather and scatter");
    group.throughput(Throughput::Elements(BODIES as u64));
    for archetypes in [1, 8, 64] {
        let mut world = world(archetypes);
        let mut physics = Physics::new(Settings { threads: Some(1), ..Settings::default() });
        physics.step(&mut world, 1e-3).expect("a good world");
        group.bench_function(BenchmarkId::from_parameter(archetypes), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut time = Duration::ZERO;
                for _ in 0..iterations {
                    let report = physics.step(&mut world, 1e-3).expect("a good world");
                    time += report.times.of(Stage::Gather) + report.times.of(Stage::Scatter);
                }
                time
            });
        });
    }
    group.finish();
}

fn at_rest(criterion: &mut Criterion) {
    const STACKS: usize = 1600;
    const HEIGHT: usize = 10;
    let mut group = criterion.benchmark_group("a step at rest");
    group.throughput(Throughput::Elements((STACKS * HEIGHT) as u64));
    for (name, material) in [("plain", None), ("with a material each", Some(Material::default()))] {
        let mut world = hecs::World::new();
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let shape = Collider::cuboid(0.5, 0.5, 0.5);
        for i in 0..STACKS * HEIGHT {
            let (stack, y) = (i / HEIGHT, i % HEIGHT);
            let at = Vec3::new((stack / 40) as Real * 2.0, 0.5 + y as Real, (stack % 40) as Real * 2.0);
            let entity = world.spawn(Body::dynamic(shape.clone()).position(at));
            if let Some(material) = material {
                world.insert_one(entity, material).expect("the entity is there");
            }
        }
        let mut physics = Physics::new(Settings { threads: Some(1), ..Settings::default() });
        while physics.step(&mut world, 1.0 / 60.0).expect("a good world").counts.asleep < STACKS * HEIGHT {}
        group.bench_function(name, |bencher| {
            bencher.iter(|| physics.step(&mut world, 1.0 / 60.0).expect("a good world"));
        });
    }
    group.finish();
}

criterion_group!(benches, gather_and_scatter, at_rest);
criterion_main!(benches);
