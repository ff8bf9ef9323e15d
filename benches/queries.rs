//! Queries in a world of 10,000 bodies: boxes, balls, capsules and hulls in a loose pile over a
//! half-space, in motion. Run with `cargo bench --bench queries`. The printed time is that of one
//! query.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dolmen::prelude::*;
use dolmen::query::{Filter, Probe, Ray, ShapeCast};
use std::hint::black_box;

const BODIES: usize = 10_000;
const ASKED: usize = 4096;

/// Evenly spread numbers from 0 to 1.
fn numbers() -> impl FnMut() -> Real {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as f64 / (1_u64 << 31) as f64) as Real
    }
}

fn world() -> (hecs::World, Physics) {
    let (mut world, mut next) = (hecs::World::new(), numbers());
    let ring = |k: usize| {
        let turn = 0.9 * k as Real;
        Vec3::new(0.5 * turn.cos(), 0.08 * k as Real - 0.5, 0.5 * turn.sin())
    };
    let shapes = [
        Collider::cuboid(0.5, 0.4, 0.3),
        Collider::ball(0.5),
        Collider::capsule(0.3, 0.3),
        Collider::convex_hull(&(0..14).map(ring).collect::<Vec<_>>()).expect("a hull"),
    ];
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for i in 0..BODIES {
        let at = Vec3::new((i % 25) as Real, (i / 625) as Real + 1.0, (i / 25 % 25) as Real) * 1.6;
        let velocity = Vec3::new(next(), next(), next()) - 0.5;
        let turn = Quat::from_rotation_x(next() * 3.0) * Quat::from_rotation_y(next() * 3.0);
        world.spawn(Body::dynamic(shapes[i % 4].clone()).position(at).orientation(turn).linear_velocity(velocity));
    }
    let mut physics = Physics::new(Settings::default());
    for _ in 0..20 {
        physics.step(&mut world, 1.0 / 60.0).expect("a good world");
    }
    (world, physics)
}

fn queries(criterion: &mut Criterion) {
    let (_world, physics) = world();
    let mut next = numbers();
    let mut point = || Vec3::new(next() * 40.0, next() * 26.0, next() * 40.0);
    let points: Vec<Vec3> = (0..ASKED).map(|_| point()).collect();
    // From around the pile to somewhere in it, like a game's lines of sight, and straight down from
    // above.
    let across: Vec<Ray> = points
        .iter()
        .map(|&to| {
            Ray::new(Vec3::new(20.0, 13.0, 20.0) + (to - 20.0).normalize() * 60.0, to - 20.0 - (to - 20.0) * 2.0, 200.0)
        })
        .map(|ray| ray.expect("a good ray"))
        .collect();
    let down: Vec<Ray> =
        points.iter().map(|&p| Ray::new(p.with_y(50.0), -Vec3::Y, 100.0).expect("a good ray")).collect();
    let short: Vec<Ray> =
        points.iter().zip(&across).map(|(&p, r)| Ray::new(p, r.direction(), 2.0).expect("a good ray")).collect();
    let ball = Collider::ball(0.3);
    let probes: Vec<Probe> =
        points.iter().map(|&p| Probe::new(&ball, p, Quat::IDENTITY).expect("a good probe")).collect();
    let casts: Vec<ShapeCast> = points
        .iter()
        .map(|&p| Probe::new(&ball, p.with_y(50.0), Quat::IDENTITY).expect("a good probe"))
        .map(|probe| ShapeCast::new(probe, -Vec3::Y, 100.0).expect("a good way"))
        .collect();
    let (query, all) = (physics.query(), Filter::default());

    let mut group = criterion.benchmark_group("queries");
    group.throughput(Throughput::Elements(1));
    let mut k = 0;
    macro_rules! bench {
        ($name:literal, $items:ident, $item:ident => $ask:expr) => {
            group.bench_function($name, |bencher| {
                bencher.iter(|| {
                    k = (k + 1) % ASKED;
                    let $item = &$items[k];
                    black_box($ask)
                });
            });
        };
    }
    bench!("ray across the heap", across, ray => query.ray(ray, &all));
    bench!("ray from above", down, ray => query.ray(ray, &all));
    bench!("ray of 2 m inside", short, ray => query.ray(ray, &all));
    bench!("all on a ray from above", down, ray => query.ray_all(ray, &all));
    bench!("ball from above", casts, cast => query.shape_cast(cast, &all));
    bench!("nearest within 1 m", points, point => query.nearest(*point, 1.0, &all));
    bench!("containing", points, point => query.containing(*point, &all));
    bench!("ball overlapping", probes, probe => query.overlapping(probe, &all));
    group.throughput(Throughput::Elements(ASKED as u64));
    group.bench_function("batch of 4096 rays from above", |bencher| bencher.iter(|| query.rays(&down, &all)));
    group.finish();
}

criterion_group!(benches, queries);
criterion_main!(benches);
