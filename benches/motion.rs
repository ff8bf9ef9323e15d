//! Rotation and flight of 10,000 boxes: nanoseconds per body per step are the printed time over
//! 10,000.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use dolmen::math::{Quat, Real, Vec3};
use dolmen::motion::ballistic::Flight;
use dolmen::motion::damping::Decay;
use dolmen::motion::rotation::{
    LANES, PrincipalInertia, RotationBlock, RotationLaw, RotationState, integrate_orientation, isotropic, rotate,
    strang_block, strang_many,
};
use dolmen::prelude::{Body, Collider, Physics, Settings, Stage};

const BODIES: usize = 10_000;
const H: Real = 1.0 / 60.0;

struct Bodies {
    spins: Vec<RotationState>,
    inertias: Vec<PrincipalInertia>,
    torques: Vec<Vec3>,
}

fn boxes() -> Bodies {
    let mut state = 1_u64;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as f64 / (1u64 << 31) as f64) as Real
    };
    let mut vector = move |size: Real| (Vec3::new(next(), next(), next()) - 0.5) * (2.0 * size);
    let (mut spins, mut inertias) = (Vec::new(), Vec::new());
    for _ in 0..BODIES {
        let half = vector(0.5).abs() + 0.1;
        let s = half * half;
        let mass = 8000.0 * half.element_product();
        let principal = Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0);
        inertias.push(PrincipalInertia::new(principal, integrate_orientation(Quat::IDENTITY, vector(1.0))));
        spins.push(RotationState::new(integrate_orientation(Quat::IDENTITY, vector(2.0)), vector(8.0)));
    }
    Bodies { spins, inertias, torques: vec![Vec3::ZERO; BODIES] }
}

fn blocks(bodies: &Bodies) -> Vec<RotationBlock> {
    let mut blocks = vec![RotationBlock::default(); BODIES.div_ceil(LANES)];
    for i in 0..BODIES {
        blocks[i / LANES].set(i % LANES, &bodies.spins[i], &bodies.inertias[i], bodies.torques[i]);
    }
    blocks
}

fn motion(c: &mut Criterion) {
    let mut group = c.benchmark_group("motion");
    group.throughput(Throughput::Elements(BODIES as u64));
    let bodies = boxes();

    for (name, law) in [("runge_kutta", RotationLaw::RungeKutta), ("strang", RotationLaw::Strang)] {
        group.bench_function(name, |b| {
            let mut spins = bodies.spins.clone();
            b.iter(|| {
                for (i, spin) in spins.iter_mut().enumerate() {
                    *spin = rotate(law, *spin, &bodies.inertias[i], bodies.torques[i], H);
                }
                black_box(&spins);
            });
        });
    }
    group.bench_function("strang_many", |b| {
        let mut spins = bodies.spins.clone();
        b.iter(|| {
            strang_many(&mut spins, &bodies.inertias, &bodies.torques, H);
            black_box(&spins);
        });
    });
    group.bench_function("strang_block", |b| {
        let mut blocks = blocks(&bodies);
        b.iter(|| {
            blocks.iter_mut().for_each(|block| strang_block(block, H));
            black_box(&blocks);
        });
    });
    group.bench_function("isotropic", |b| {
        let mut spins = bodies.spins.clone();
        b.iter(|| {
            spins.iter_mut().for_each(|spin| *spin = isotropic(*spin, 0.4, Vec3::ZERO, H));
            black_box(&spins);
        });
    });
    group.bench_function("flight", |b| {
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        b.iter_batched_ref(
            || bodies.spins.iter().map(|spin| Flight::new(Vec3::ZERO, spin.velocity)).collect::<Vec<_>>(),
            |flights| flights.iter_mut().for_each(|flight| *flight = flight.step(gravity, H, Decay::NONE)),
            BatchSize::LargeInput,
        );
    });
    // The motion stage over the bodies of a world: without fast bodies, and with only fast ones.
    for (name, speed) in [("stage", 2.0), ("stage_swept", 200.0)] {
        let (mut world, mut physics) = (hecs::World::new(), weightless());
        for i in 0..BODIES {
            let place = Vec3::new((i % 100) as Real, (i / 100) as Real, 0.0) * 4.0;
            let body = Body::dynamic(Collider::cuboid(0.2, 0.5, 0.9)).position(place);
            let spin = bodies.spins[i].velocity.normalize() * 3.0;
            world.spawn(body.linear_velocity(Vec3::Z * speed).angular_velocity(spin));
        }
        group.bench_function(name, |b| {
            b.iter_custom(|steps| {
                let step = |_| physics.step(&mut world, H).unwrap().times.of(Stage::Motion);
                (0..steps).map(step).sum()
            });
        });
    }
    group.finish();
}

fn weightless() -> Physics {
    Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })
}

criterion_group!(benches, motion);
criterion_main!(benches);
