//! Saving and restoring 10,000 bodies: asleep, in flight, and in stacks that are awake.
//! Run with `cargo bench --bench snapshots`. The bar is 100 microseconds each way.
//!
//! Recording 10,000 bodies: steps with and without a recorder, in turn, and the bytes of a step for
//! each body that moves. The bars are 5 % of a step and eight bytes.

use criterion::{Criterion, criterion_group, criterion_main};
use dolmen::Snapshot;
use dolmen::prelude::*;
use dolmen::recording::Recorder;
use hecs::World;
use std::hint::black_box;
use std::time::{Duration, Instant};

const BODIES: usize = 10_000;
const DT: Real = 1.0 / 60.0;

/// Stacks of ten boxes, or separate bodies in flight, after some steps.
fn world(flying: bool, sleep: bool, steps: usize) -> (World, Physics) {
    let mut world = World::new();
    let brick = Collider::cuboid(0.5, 0.4, 0.3);
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for i in 0..BODIES {
        let spacing = if flying { Vec3::splat(3.0) } else { Vec3::new(1.2, 0.8, 0.8) };
        let at = Vec3::new((i % 32) as Real, (i / 1024) as Real, (i / 32 % 32) as Real) * spacing;
        let lift = if flying { 40.0 } else { 0.4 };
        world.spawn(Body::dynamic(brick.clone()).position(at + Vec3::Y * lift));
    }
    let mut physics = Physics::new(Settings { sleep, ..Settings::default() });
    for _ in 0..steps {
        physics.step(&mut world, DT).expect("a good world");
    }
    (world, physics)
}

fn snapshots(criterion: &mut Criterion) {
    for (name, flying, sleep, steps) in
        [("asleep", false, true, 120), ("in flight", true, true, 20), ("awake in stacks", false, false, 60)]
    {
        let (mut world, mut physics) = world(flying, sleep, steps);
        let mut ring: Vec<Snapshot> = (0..3).map(|_| physics.save(&world)).collect();
        let mut group = criterion.benchmark_group(name);
        group.sample_size(30);
        let snapshot = physics.save(&world);
        // The steps in between are not timed.
        group.bench_function("restore after three steps", |bencher| {
            bencher.iter_custom(|rounds| {
                let mut spent = Duration::ZERO;
                for _ in 0..rounds {
                    for _ in 0..3 {
                        physics.step(&mut world, DT).expect("a good world");
                    }
                    let start = Instant::now();
                    physics.restore(&mut world, &snapshot);
                    spent += start.elapsed();
                }
                spent
            });
        });
        group.bench_function("save after a step", |bencher| {
            bencher.iter_custom(|rounds| {
                let mut spent = Duration::ZERO;
                for round in 0..rounds {
                    // Restores now and then, since flying bodies would land.
                    if round % 30 == 0 {
                        physics.restore(&mut world, &snapshot);
                    }
                    physics.step(&mut world, DT).expect("a good world");
                    let start = Instant::now();
                    physics.save_into(&world, &mut ring[round as usize % 3]);
                    spent += start.elapsed();
                }
                spent
            });
        });
        group.finish();
    }
}

/// Steps of two equal worlds in turn, of which one is recorded.
fn recordings(_: &mut Criterion) {
    const STEPS: u32 = 120;
    for (name, flying, sleep, steps) in
        [("asleep", false, true, 120), ("in flight", true, true, 20), ("awake in stacks", false, false, 60)]
    {
        let [mut plain, mut recorded] = [0, 1].map(|_| world(flying, sleep, steps));
        let mut recorder = Recorder::new(&recorded.0, &recorded.1).expect("shapes of files");
        let before = recorder.recording().to_bytes().len();
        let mut spent = [Duration::ZERO; 2];
        for _ in 0..STEPS {
            let begun = Instant::now();
            black_box(plain.1.step(&mut plain.0, DT)).expect("a good world");
            spent[0] += begun.elapsed();
            let begun = Instant::now();
            black_box(recorder.step(&mut recorded.1, &mut recorded.0, DT)).expect("a good world");
            spent[1] += begun.elapsed();
        }
        let bytes = (recorder.recording().to_bytes().len() - before) as f64 / f64::from(STEPS);
        let [alone, with] = spent.map(|time| time.as_secs_f64() * 1e6 / f64::from(STEPS));
        println!(
            "recording, {name}: {:.0} us a step of {alone:.0} us ({:.1} %), {bytes:.0} bytes a step, {:.2} a body",
            with - alone,
            100.0 * (with - alone) / alone,
            bytes / BODIES as f64
        );
    }
}

criterion_group!(benches, snapshots, recordings);
criterion_main!(benches);
