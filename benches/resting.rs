//! The direct solver against the number of contacts: linear programs, pivoting, Newton's method and
//! sweeps, cold and warm.
//!
//! "warm" starts from the last impulses after every contact point has moved by 1e-5 m, as for a
//! body at rest in `f32`; "settled" is the same island again, which costs one residual. All include
//! the resulting velocities and the certificate; "build" is the assembly of the contact problem.
//! "asleep" is the time of the island stages in a step of a world with one sleeping tower.

#[path = "../tests/support/islands.rs"]
mod islands;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dolmen::prelude::*;
use dolmen::resting::{FormulationLevel, Problem, RestingMethod, Workspace, solve, statics};
use islands::*;
use std::hint::black_box;
use std::time::Duration;

const LEVEL: FormulationLevel = FormulationLevel::Velocity { step: 1.0 / 60.0 };
const TOLERANCE: f64 = 1e-8;

fn assembled(island: &Island) -> Problem {
    let mut problem = Problem::new();
    problem.build(LEVEL, G, &island.bodies, &island.contacts).unwrap();
    problem
}

fn with_friction(c: &mut Criterion) {
    let mut group = c.benchmark_group("resting/friction");
    let scenes = [
        ("block", tower(1, 1.0, 0.5)),
        ("tower 10", tower(10, 1.0, 0.5)),
        ("tower 50", tower(50, 1.0, 0.5)),
        ("tower 100", tower(100, 1.0, 0.5)),
        ("heavy on ten", tower(11, 1000.0, 0.5)),
        ("arch", arch(21, 0.2, 0.8)),
        ("card house", card_house(0.5)),
        ("pyramid 5", pyramid(5, 0.5)),
        ("pyramid 10", pyramid(10, 0.5)),
        ("pile 50", pile(50, 0.5, 1)),
        ("pile 100", pile(100, 0.5, 1)),
        ("pile 200", pile(200, 0.5, 1)),
    ];
    for (name, island) in scenes {
        let mut island = island.jitter(5, 1e-3);
        let label = |what: &str| BenchmarkId::new(what, format!("{name} ({})", island.contacts.len()));
        let (build, cold, warm, settled, sweeps) =
            (label("build"), label("cold"), label("warm"), label("settled"), label("100 sweeps"));
        let mut problem = assembled(&island);
        let mut work = Workspace::new();
        group.bench_function(build, |b| {
            b.iter(|| problem.build(LEVEL, G, &island.bodies, black_box(&island.contacts)).unwrap());
        });
        group.bench_function(cold, |b| {
            b.iter(|| solve(&mut work, black_box(&problem), RestingMethod::Newton, TOLERANCE).report.residual);
        });
        group.bench_function(sweeps, |b| {
            b.iter(|| solve(&mut work, black_box(&problem), RestingMethod::Iterative, 0.0).report.residual);
        });
        let solution = solve(&mut work, &problem, RestingMethod::Newton, TOLERANCE);
        let (impulses, sticking) = (solution.impulses.to_vec(), solution.sticking.to_vec());
        island.remember(&impulses, &sticking);
        let same = assembled(&island);
        group.bench_function(settled, |b| {
            b.iter(|| solve(&mut work, black_box(&same), RestingMethod::Newton, TOLERANCE).report.residual);
        });
        let moved = assembled(&island.jitter(77, 1e-5));
        group.bench_function(warm, |b| {
            b.iter(|| solve(&mut work, black_box(&moved), RestingMethod::Newton, TOLERANCE).report.residual);
        });
    }
    group.finish();
}

fn frictionless(c: &mut Criterion) {
    let mut group = c.benchmark_group("resting/frictionless");
    let scenes = [
        ("tower 1", tower(1, 1.0, 0.0)),
        ("tower 5", tower(5, 1.0, 0.0)),
        ("tower 10", tower(10, 1.0, 0.0)),
        ("tower 20", tower(20, 1.0, 0.0)),
        ("tower 100", tower(100, 1.0, 0.0)),
        ("diamond 2", diamond(2, 0.0).0),
        ("diamond 3", diamond(3, 0.0).0),
        ("diamond 4", diamond(4, 0.0).0),
        ("pyramid 10", pyramid(10, 0.0)),
        ("pile 50", pile(50, 0.0, 1)),
        ("pile 200", pile(200, 0.0, 1)),
    ];
    for (name, mut island) in scenes {
        let contacts = island.contacts.len();
        let label = |what: &str| BenchmarkId::new(what, format!("{name} ({contacts})"));
        let mut problem = assembled(&island);
        let mut work = Workspace::new();
        if contacts <= 96 {
            group.bench_function(label("linear programs, cold"), |b| {
                b.iter(|| {
                    solve(&mut work, black_box(&problem), RestingMethod::LinearProgram, TOLERANCE).report.residual
                });
            });
        }
        if contacts > 48 {
            // Smaller islands go to linear programs first by this method.
            group.bench_function(label("pivoting, cold"), |b| {
                b.iter(|| solve(&mut work, black_box(&problem), RestingMethod::Auto, TOLERANCE).report.residual);
            });
        }
        let solution = solve(&mut work, &problem, RestingMethod::Auto, TOLERANCE);
        let (impulses, sticking) = (solution.impulses.to_vec(), solution.sticking.to_vec());
        island.remember(&impulses, &sticking);
        problem = assembled(&island.jitter(77, 1e-5));
        group.bench_function(label("pivoting, warm"), |b| {
            b.iter(|| solve(&mut work, black_box(&problem), RestingMethod::Auto, TOLERANCE).report.residual);
        });
    }
    group.finish();
}

fn questions(c: &mut Criterion) {
    let mut group = c.benchmark_group("resting/statics");
    for (name, island) in
        [("arch", arch(21, 0.2, 0.8)), ("tower 10", tower(10, 1.0, 0.5)), ("diamond 5", diamond(5, 0.0).0)]
    {
        let problem = assembled(&island);
        group.bench_function(BenchmarkId::new("stand", format!("{name} ({})", island.contacts.len())), |b| {
            b.iter(|| statics::stability(black_box(&problem), 1e-5).unwrap().acceleration);
        });
    }
    group.finish();
}

fn asleep(c: &mut Criterion) {
    let mut group = c.benchmark_group("resting/asleep");
    for cubes in [1_u16, 10, 100] {
        let (mut world, mut physics) = (hecs::World::new(), Physics::default());
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        for k in 0..cubes {
            world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, Real::from(k) + 0.5, 0.0));
        }
        let mut step = || physics.step(&mut world, 1.0 / 60.0).unwrap();
        while step().counts.asleep < usize::from(cubes) {}
        group.bench_function(BenchmarkId::from_parameter(format!("tower {cubes}")), |b| {
            b.iter_custom(|count| {
                let stages = [Stage::Islands, Stage::Impacts, Stage::Solve, Stage::Sleep];
                (0..count)
                    .map(|_| step())
                    .map(|report| stages.map(|stage| report.times.of(stage)).iter().sum::<Duration>())
                    .sum()
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    targets = with_friction, frictionless, questions, asleep
}
criterion_main!(benches);
