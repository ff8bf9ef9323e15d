//! Joints in whole steps: milliseconds per step of scenes that are kept awake.
//!
//! `cargo bench --bench joints`. Throughput counts joints. Every scene has moved for a second
//! before the measurement, and goes on moving.

#[path = "../tests/support/bridge.rs"]
mod bridge;
#[path = "../tests/support/ragdoll.rs"]
mod ragdoll;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dolmen::prelude::*;
use dolmen::scene::{build, generators};
use hecs::World;
use std::time::Duration;

/// A world of joints, moving.
struct Scene {
    world: World,
    physics: Physics,
}

impl Scene {
    fn new(fill: impl FnOnce(&mut World)) -> Self {
        let settings = Settings { sleep: false, threads: Some(1), ..Settings::default() };
        let mut scene = Self { world: World::new(), physics: Physics::new(settings) };
        fill(&mut scene.world);
        (0..60).for_each(|_| scene.step());
        scene
    }

    fn step(&mut self) {
        self.physics.step(&mut self.world, 1.0 / 60.0).expect("the scene is sound");
    }
}

/// Sixty-four chains of twenty links, released level.
fn chains(world: &mut World) {
    let half = Vec3::X * 0.15;
    for chain in 0..64 {
        let start = Vec3::new(0.0, 0.0, chain as Real);
        let mut last = None;
        for k in 0..20 {
            let at = start + Vec3::X * (0.3 * k as Real + 0.15);
            let link = world.spawn(Body::dynamic(Collider::cuboid(0.14, 0.05, 0.05)).position(at));
            let from = if last.is_some() { half } else { start };
            world.spawn((Joint::spherical(last, link).anchors(from, -half), JointState::default()));
            last = Some(link);
        }
    }
}

/// Sixty-four ragdolls, falling and landed.
fn ragdolls(world: &mut World) {
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for k in 0..64 {
        ragdoll::spawn(world, Vec3::new(1.5 * (k % 8) as Real, 0.5, 1.5 * (k / 8) as Real));
    }
}

/// A grid of a hundred by a hundred balls, each joined to its neighbours: 19,794 joints in closed
/// loops.
fn net(world: &mut World) {
    let net = generators::make("net", None).expect("there is such a scene");
    build(&net.scene, world).expect("the scene is sound");
}

/// Fills a world with a scene.
type Fill = fn(&mut World);

fn joints(c: &mut Criterion) {
    let mut group = c.benchmark_group("joints");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    let scenes: [(&str, Fill); 4] = [
        ("chains_64x20", chains),
        ("ragdolls_64", ragdolls),
        ("net_100x100", net),
        ("bridge_100", |world| {
            bridge::spawn(world, 100);
        }),
    ];
    for (name, fill) in scenes {
        let mut scene = Scene::new(fill);
        group.throughput(Throughput::Elements(scene.physics.state().counts.joints as u64));
        group.bench_function(name, |b| b.iter(|| scene.step()));
    }
    group.finish();
}

criterion_group!(benches, joints);
criterion_main!(benches);
