//! The time of one impact: the solver for 100,000 random box, capsule and ball impacts, and for
//! comparison the Euler loop of Baber 2011, section 4, with a step for an error of 0.1 %.
//!
//! Also the time per impulse in cascades through islands of a hundred, a thousand and ten thousand
//! contacts.
//!
//! `cargo bench --bench impacts` first prints the errors of both, then their times per impact. It
//! asserts an error of at most 1e-5 in 999 of 1000 impacts, at the engine's tolerance.

#[path = "../tests/support/impacts.rs"]
mod impacts;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dolmen::impact::frictional::{DEFAULT_TOLERANCE, TIGHT_TOLERANCE};
use dolmen::impact::frictional::{Impact, solve};
use dolmen::impact::newton::{self, NewtonImpact};
use dolmen::impact::planar::{self, DMat2, DVec2, PlanarImpact};
use dolmen::impact::propagation::{Cluster, ClusterBody, ClusterContact, Limits, SimultaneousRule};
use dolmen::impact::rays::rays;
use dolmen::math::{DMat3, DVec3};
use impacts::{Random, ordinary};
use std::hint::black_box;

/// Number of random impacts.
const IMPACTS: usize = 100_000;
/// Number of impacts for the Euler loop.
const EULER_IMPACTS: usize = 1_000;

/// Approximate number of Euler steps per impact, for an error of 0.1 %.
const EULER_STEPS: f64 = 4500.0;

/// The final velocity by the paper's algorithm, steps 3 to 6, with its typo at `e = 0` corrected.
/// The step in `p_z` is a fraction of the frictionless impulse.
fn euler(impact: &Impact) -> DVec3 {
    let Impact { k, velocity, friction, restitution } = *impact;
    let k_inverse = k.inverse();
    let squared = restitution * restitution;
    let delta = (1.0 + restitution) * -velocity.z / k.z_axis.z.max(1.0 / k_inverse.z_axis.z) / EULER_STEPS;
    let stopped = delta * friction * (k.x_axis.x + k.y_axis.y);
    let (mut u, mut compression, mut decompression) = (velocity, 0.0, 0.0);
    loop {
        let speed = u.truncate().length();
        if speed <= stopped {
            break;
        }
        if u.z < 0.0 {
            compression += u.z * delta;
        } else {
            decompression += u.z * delta;
        }
        u += k * DVec3::new(-friction * u.x / speed, -friction * u.y / speed, 1.0) * delta;
        if u.z >= 0.0 && decompression >= -squared * compression {
            return u;
        }
    }
    // Sticking: the rest of the impact is a straight line.
    let holding = k_inverse.z_axis / k_inverse.z_axis.z;
    let push = if holding.truncate().length() <= friction {
        holding
    } else {
        let ray = rays(k, friction).into_iter().max_by(|a, b| a.growth.total_cmp(&b.growth));
        let angle = ray.expect("a contact that does not stick has a diverging ray").angle;
        DVec3::new(-friction * angle.cos(), -friction * angle.sin(), 1.0)
    };
    let rate = k * push;
    let before = u.z;
    if u.z < 0.0 {
        compression -= u.z * u.z / (2.0 * rate.z);
        u.z = 0.0;
    }
    u.z = (2.0 * rate.z * (-squared * compression - decompression).max(0.0) + u.z * u.z).sqrt();
    DVec3::new(rate.x, rate.y, 0.0) * ((u.z - before) / rate.z) + DVec3::new(0.0, 0.0, u.z)
}

/// The errors at the median, 99th and 99.9th percentile.
fn percentiles(mut errors: Vec<f64>) -> [f64; 3] {
    errors.sort_by(f64::total_cmp);
    [0.5, 0.99, 0.999].map(|part| errors[((errors.len() - 1) as f64 * part) as usize])
}

fn bench(criterion: &mut Criterion) {
    let mut random = Random(1);
    let set: Vec<Impact> = (0..IMPACTS).map(|_| ordinary(&mut random)).collect();
    let exact: Vec<_> = set.iter().map(|impact| solve(impact, TIGHT_TOLERANCE).unwrap()).collect();
    let errors = percentiles(
        set.iter()
            .zip(&exact)
            .map(|(impact, exact)| {
                (solve(impact, DEFAULT_TOLERANCE).unwrap().impulse - exact.impulse).length() / exact.impulse.length()
            })
            .collect(),
    );
    let euler_errors = percentiles(
        set.iter()
            .zip(&exact)
            .take(EULER_IMPACTS)
            .map(|(impact, exact)| {
                (impact.k.inverse() * (euler(impact) - exact.velocity)).length() / exact.impulse.length()
            })
            .collect(),
    );
    let show = |errors: [f64; 3]| errors.map(|error| format!("{error:.1e}")).join(" ");
    println!("relative error at 50, 99 and 99.9 %: solver {}, Euler loop {}", show(errors), show(euler_errors));
    assert!(errors[2] <= 1e-5);

    let mut group = criterion.benchmark_group("impacts");
    group.sample_size(20);
    group.throughput(Throughput::Elements(IMPACTS as u64));
    group.bench_function("frictional", |b| {
        b.iter(|| set.iter().map(|i| solve(black_box(i), DEFAULT_TOLERANCE).unwrap().impulse.z).sum::<f64>());
    });
    let planar_set: Vec<PlanarImpact> = set
        .iter()
        .map(|i| PlanarImpact {
            k: DMat2::from_cols_array(&[i.k.x_axis.x, i.k.x_axis.z, i.k.z_axis.x, i.k.z_axis.z]),
            velocity: DVec2::new(i.velocity.x, i.velocity.z),
            friction: i.friction,
            restitution: i.restitution,
        })
        .collect();
    group.bench_function("planar", |b| {
        b.iter(|| planar_set.iter().map(|i| planar::solve(black_box(i)).unwrap().impulse.y).sum::<f64>());
    });
    let newton_set: Vec<NewtonImpact> = set
        .iter()
        .map(|i| NewtonImpact {
            k: i.k,
            velocity: i.velocity,
            static_friction: i.friction,
            dynamic_friction: i.friction,
            restitution: i.restitution,
        })
        .collect();
    group.bench_function("newton", |b| {
        b.iter(|| newton_set.iter().map(|i| newton::solve(black_box(i)).unwrap().impulse.z).sum::<f64>());
    });
    group.sample_size(10);
    group.throughput(Throughput::Elements(EULER_IMPACTS as u64));
    group.bench_function("euler loop", |b| {
        b.iter(|| set.iter().take(EULER_IMPACTS).map(|i| euler(black_box(i)).z).sum::<f64>());
    });
    group.finish();
    cascades(criterion);
}

/// A cube of touching balls that falls on a floor at 1 m/s: one island of connected impacts.
fn lattice(side: u32) -> Cluster {
    let mut cluster = Cluster::default();
    cluster.bodies.push(ClusterBody::FIXED);
    for _ in 0..side.pow(3) {
        cluster.bodies.push(ClusterBody {
            velocity: DVec3::NEG_Y,
            acceleration: DVec3::NEG_Y * 9.81,
            inverse_mass: DVec3::ONE,
            inverse_inertia: DMat3::from_diagonal(DVec3::splat(10.0)),
            ..ClusterBody::FIXED
        });
    }
    let mut touch = |a: u32, b: u32, normal: DVec3, balls| {
        let contact = ClusterContact::new([a, b], [normal * 0.5, normal * -0.5], normal, 0.0);
        let key = cluster.contacts.len() as u64;
        cluster.contacts.push(ClusterContact { key, balls, friction: 0.3, restitution: 0.9, ..contact });
    };
    for i in 0..side.pow(3) {
        let body = i + 1;
        let [x, y, z] = [i % side, i / side % side, i / (side * side)];
        if y == 0 {
            touch(0, body, DVec3::Y, None);
        }
        for (at, normal, next) in [(x, DVec3::X, 1), (y, DVec3::Y, side), (z, DVec3::Z, side * side)] {
            if at + 1 < side {
                touch(body, body + next, normal, Some([0.5; 2]));
            }
        }
    }
    cluster
}

/// The time per impulse must not grow with the island.
fn cascades(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cascade");
    group.sample_size(10);
    for side in [4, 7, 15] {
        let start = lattice(side);
        let limits = Limits {
            horizon: 1e-3,
            threshold: 0.044,
            touch: 1e-9,
            per_contact: 8,
            visits: u64::MAX,
            simultaneous: SimultaneousRule::Sequential,
        };
        let (mut cluster, contacts) = (start.clone(), start.contacts.len());
        let done = cluster.run(&limits);
        println!(
            "{contacts} contacts: {} impulses, {:.1} visits each",
            done.impacts,
            done.visits as f64 / f64::from(done.impacts)
        );
        group.throughput(Throughput::Elements(done.impacts.into()));
        group.bench_function(format!("{contacts} contacts"), |b| {
            b.iter(|| {
                cluster.clone_from(&start);
                cluster.run(black_box(&limits)).impacts
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
