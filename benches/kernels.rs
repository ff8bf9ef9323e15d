//! Nanoseconds per pair for each kernel, cold and coherent, beside parry's.
//!
//! Each measurement runs over 1024 pairs at random poses. "touching" pairs overlap slightly or lie
//! within the prediction distance, "apart" pairs do not. "cold" starts from an empty cache,
//! "coherent" from the cache of the same pose.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dolmen::contact::kernels::{Geometry, Manifolds, PairCache, collide};
use dolmen::math::parry::query::details::ContactManifoldsWorkspace;
use dolmen::math::parry::query::{self, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use dolmen::math::parry::shape::{SharedShape, TriMeshFlags};
use dolmen::math::{Pose, Quat, Real, Vec3};
use std::hint::black_box;
use std::time::Duration;

const PAIRS: usize = 1024;
const PREDICTION: Real = 0.02;

/// A generator of our own, so that the poses are the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 40) as Real / (1_u64 << 24) as Real) * 2.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn turn(&mut self) -> Quat {
        Quat::from_xyzw(self.next(), self.next(), self.next(), self.next()).normalize()
    }
}

/// Poses with a distance of the shapes between `nearest` and `furthest` (m).
fn poses(a: &SharedShape, b: &SharedShape, nearest: Real, furthest: Real) -> Vec<Pose> {
    let mut random = Random(7);
    let mut found = Vec::with_capacity(PAIRS);
    while found.len() < PAIRS {
        let turn = random.turn();
        let Some(way) = random.vector().try_normalize() else { continue };
        let gap = |s: Real| {
            let pose = Pose::from_parts(way * s, turn);
            query::contact(&Pose::IDENTITY, &**a, &pose, &**b, 10.0).ok().flatten().map_or(10.0, |c| c.dist)
        };
        let target = nearest + (furthest - nearest) * (0.5 + 0.5 * random.next());
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            if gap(middle) < target { low = middle } else { high = middle }
        }
        found.push(Pose::from_parts(way * high, turn));
    }
    found
}

/// Poses of the second shape flat on the top face of the first.
fn resting(height: Real) -> Vec<Pose> {
    let mut random = Random(11);
    let mut one = || {
        let place = Vec3::new(0.3 * random.next(), height + 1e-4 * random.next(), 0.3 * random.next());
        Pose::from_parts(place, Quat::from_rotation_y(3.0 * random.next()))
    };
    (0..PAIRS).map(|_| one()).collect()
}

fn measure(c: &mut Criterion, name: &str, a: &SharedShape, b: &SharedShape, poses: &[Pose]) {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(PAIRS as u64)).sample_size(10);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(300));
    let (geometry_a, geometry_b) = (Geometry::from(a), Geometry::from(b));
    let mut out = Manifolds::default();
    group.bench_with_input(BenchmarkId::new("dolmen", "cold"), poses, |bencher, poses| {
        bencher.iter(|| {
            for pose in poses {
                collide(&geometry_a, &geometry_b, pose, PREDICTION, &mut PairCache::default(), &mut out).unwrap();
                black_box(out.as_slice());
            }
        });
    });
    let mut caches = vec![PairCache::default(); poses.len()];
    group.bench_with_input(BenchmarkId::new("dolmen", "coherent"), poses, |bencher, poses| {
        bencher.iter(|| {
            for (pose, cache) in poses.iter().zip(&mut caches) {
                collide(&geometry_a, &geometry_b, pose, PREDICTION, cache, &mut out).unwrap();
                black_box(out.as_slice());
            }
        });
    });
    type Manifold = ContactManifold<(), ()>;
    let parry = |pose: &Pose, found: &mut Vec<Manifold>, room: &mut Option<ContactManifoldsWorkspace>| {
        let _ = DefaultQueryDispatcher.contact_manifolds(pose, &**a, &**b, PREDICTION, found, room);
    };
    group.bench_with_input(BenchmarkId::new("parry", "cold"), poses, |bencher, poses| {
        bencher.iter(|| {
            for pose in poses {
                let mut found = Vec::new();
                parry(pose, &mut found, &mut None);
                black_box(&found);
            }
        });
    });
    let mut kept: Vec<(Vec<Manifold>, Option<ContactManifoldsWorkspace>)> =
        (0..poses.len()).map(|_| (Vec::new(), None)).collect();
    group.bench_with_input(BenchmarkId::new("parry", "coherent"), poses, |bencher, poses| {
        bencher.iter(|| {
            for (pose, (found, room)) in poses.iter().zip(&mut kept) {
                parry(pose, found, room);
                black_box(found);
            }
        });
    });
    group.finish();
}

fn hull() -> SharedShape {
    let mut random = Random(3);
    let points: Vec<Vec3> = (0..32).map(|_| random.vector().normalize() * 0.6).collect();
    SharedShape::convex_hull(&points).expect("a hull")
}

fn ground() -> SharedShape {
    let vertex = |i: u32, k: u32| Vec3::new(i as Real - 4.0, 0.0, k as Real - 4.0);
    let vertices: Vec<Vec3> = (0..=8).flat_map(|i| (0..=8).map(move |k| vertex(i, k))).collect();
    let at = |i: u32, k: u32| 9 * i + k;
    let cell =
        |i: u32, k: u32| [[at(i, k), at(i, k + 1), at(i + 1, k + 1)], [at(i, k), at(i + 1, k + 1), at(i + 1, k)]];
    let triangles = (0..8).flat_map(|i| (0..8).flat_map(move |k| cell(i, k))).collect();
    SharedShape::trimesh_with_flags(vertices, triangles, TriMeshFlags::FIX_INTERNAL_EDGES).expect("a mesh")
}

fn kernels(c: &mut Criterion) {
    let ball = SharedShape::ball(0.5);
    let cuboid = SharedShape::cuboid(0.5, 0.4, 0.6);
    let capsule = SharedShape::capsule_y(0.5, 0.3);
    let cylinder = SharedShape::cylinder(0.5, 0.4);
    let hull = hull();
    let pairs = [
        ("ball ball", &ball, &ball),
        ("cuboid ball", &cuboid, &ball),
        ("capsule ball", &capsule, &ball),
        ("capsule capsule", &capsule, &capsule),
        ("cuboid capsule", &cuboid, &capsule),
        ("cuboid cuboid", &cuboid, &cuboid),
        ("hull cuboid", &hull, &cuboid),
        ("hull hull", &hull, &hull),
        ("cylinder cuboid", &cylinder, &cuboid),
    ];
    for (name, a, b) in pairs {
        measure(c, &format!("{name}, touching"), a, b, &poses(a, b, -0.02, 0.01));
        measure(c, &format!("{name}, apart"), a, b, &poses(a, b, 0.03, 0.3));
    }
    measure(c, "cuboid cuboid, resting", &cuboid, &cuboid, &resting(0.8));
    measure(c, "hull cuboid, resting", &cuboid, &hull, &resting(0.9));
    let plane = SharedShape::halfspace(Vec3::Y);
    measure(c, "half-space cuboid, resting", &plane, &cuboid, &resting(0.4));
    measure(c, "half-space hull, resting", &plane, &hull, &resting(0.5));
    let mesh = ground();
    measure(c, "mesh ball, resting", &mesh, &ball, &resting(0.5));
    measure(c, "mesh cuboid, resting", &mesh, &cuboid, &resting(0.4));
}

criterion_group!(benches, kernels);
criterion_main!(benches);
