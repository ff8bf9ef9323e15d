//! Nineteen scenes and the hashes of their states: for the test of the table in
//! `tests/data/hashes.json`, and for `tools/hashes`, which compares processors.

use crate::{bridge, drum::Drum, ragdoll, state_hash::hash};
use dolmen::prelude::*;
use dolmen::resting::RestingMethod;
use dolmen::scene::{Simulation, generators};
use dolmen::solver::SimdLevel;
use hecs::World;
use std::collections::BTreeMap;

const DT: Real = 1.0 / 60.0;
/// Name of the engine's scalar in the table.
pub const SCALAR: &str = if size_of::<Real>() == 4 { "f32" } else { "f64" };

/// How the scenes are stepped: none of it may show in their bits.
#[derive(Clone, Copy)]
pub struct Way {
    pub level: SimdLevel,
    /// As in [`Settings::threads`].
    pub threads: Option<usize>,
}

impl Way {
    fn set(self, physics: &mut Physics) {
        physics.set_simd(self.level);
        physics.settings.threads = self.threads;
    }
}

/// A scene of a generator after so many steps.
fn generated(way: Way, (name, size): (&str, usize), steps: usize, adjust: fn(&mut Settings)) -> String {
    let made = generators::make(name, Some(size)).unwrap();
    let mut simulation = Simulation::new(&made.scene).unwrap();
    adjust(&mut simulation.physics().settings);
    way.set(simulation.physics());
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    hash(simulation.world())
}

/// A world of one's own after so many steps.
fn stepped(way: Way, accuracy: Accuracy, steps: usize, spawn: impl FnOnce(&mut World)) -> String {
    of_settings(way, Settings { accuracy, ..Settings::default() }, steps, spawn)
}

fn of_settings(way: Way, settings: Settings, steps: usize, spawn: impl FnOnce(&mut World)) -> String {
    let (mut world, mut physics) = (World::new(), Physics::new(settings));
    way.set(&mut physics);
    spawn(&mut world);
    for _ in 0..steps {
        physics.step(&mut world, DT).unwrap();
    }
    hash(&world)
}

/// Ragdolls with limits and friction on a floor.
fn ragdolls(world: &mut World) {
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for i in 0..8 {
        let at = [0.7 * (i % 2) as Real + 0.003 * i as Real, 0.3 + 2.0 * (i / 4) as Real, 0.5 * (i / 2 % 2) as Real];
        ragdoll::spawn(world, Vec3::from(at));
    }
    ragdoll::limit(world, 2.0);
}

/// Shapes of every kind on a mesh and a field of heights, some fast, some bouncy, some in zones,
/// past a paddle that turns.
fn shapes(world: &mut World) {
    let heights: Vec<Real> = (0..81).map(|i| 0.1 * ((i * 7) % 5) as Real).collect();
    world.spawn(Body::fixed(Collider::heightfield(9, 9, &heights, Vec3::new(20.0, 1.0, 20.0)).unwrap()));
    let corners = [[-8.0, 0.4, -8.0], [8.0, 0.4, -8.0], [8.0, 1.6, 8.0], [-8.0, 1.6, 8.0]].map(Vec3::from);
    let mesh = Collider::trimesh(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap();
    world.spawn(Body::fixed(mesh));
    world.spawn(
        Body::kinematic(Collider::cuboid(4.0, 0.5, 0.3)).at(0.0, 2.0, 0.0).angular_velocity(Vec3::new(0.0, 1.5, 0.0)),
    );
    let bar = Collider::compound(vec![
        (Vec3::X * 0.4, Quat::IDENTITY, Collider::cuboid(0.3, 0.2, 0.2)),
        (Vec3::X * -0.4, Quat::IDENTITY, Collider::ball(0.25)),
    ])
    .unwrap();
    // No sines or cosines: compilers may fold them to other bits than those of a library.
    let rock: Vec<Vec3> = (0..14)
        .map(|k| {
            let (t, height) = (0.3 * (k % 7) as Real - 0.9, (k as Real - 6.5) / 7.0);
            let (side, ahead) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
            let wide = (1.0 - height * height).sqrt() * if k < 7 { 1.0 } else { -1.0 };
            0.35 * Vec3::new(wide * side, height, wide * ahead)
        })
        .collect();
    let kinds = [
        Collider::cuboid(0.3, 0.2, 0.4),
        Collider::ball(0.3),
        Collider::capsule(0.3, 0.2),
        Collider::cylinder(0.25, 0.3),
        Collider::cone(0.3, 0.3),
        Collider::convex_hull(&rock).unwrap(),
        bar,
    ];
    for i in 0..84 {
        let (x, y, z) = (i % 6, i / 36, i / 6 % 6);
        let at =
            Vec3::new(1.1 * x as Real - 3.0, 3.0 + 1.2 * y as Real + 0.05 * (i % 5) as Real, 1.1 * z as Real - 3.0);
        let spin = if i % 20 == 7 { Vec3::new(40.0, 3.0, 5.0) } else { Vec3::new(0.1, 0.0, 0.2 * (i % 5) as Real) };
        let fall = if i % 30 == 11 { -60.0 } else { -1.0 };
        let body = Body::dynamic(kinds[i % 7].clone()).position(at).angular_velocity(spin);
        let entity = world.spawn(body.linear_velocity(Vec3::Y * fall));
        if i % 10 == 0 {
            world.insert_one(entity, Material { restitution: 0.6, ..Material::default() }).unwrap();
        }
    }
}

/// A joint of each kind with limits, motors and friction, beside and upon each other.
fn mechanisms(world: &mut World) {
    world.spawn(Body::fixed(Collider::cuboid(20.0, 1.0, 20.0)).at(0.0, -1.0, 0.0));
    for i in 0..12 {
        let at = Vec3::new(1.5 * (i % 4) as Real, 2.0 + 0.02 * i as Real, 1.5 * (i / 4) as Real);
        let first = world.spawn(Body::dynamic(Collider::cuboid(0.4, 0.1, 0.2)).position(at));
        let second = world.spawn(Body::dynamic(Collider::ball(0.25)).position(at + Vec3::X * 0.7));
        let (end, turn) = (Vec3::X * 0.4, Vec3::new(0.0, 0.6, 0.8));
        let joint = match i % 6 {
            0 => Joint::spherical(first, second).anchors(end, Vec3::X * -0.3),
            1 => Joint::revolute(first, second).anchors(end, Vec3::X * -0.3).axes(turn, turn).limits(-0.5, 0.5),
            2 => Joint::prismatic(first, second).axes(Vec3::X, Vec3::X).limits(0.6, 1.0).friction(3.0),
            3 => Joint::distance(first, second, 0.5, 0.8),
            4 => Joint::spring(first, second, 0.6, JointSpring::Si { stiffness: 200.0, damping: 5.0 }),
            _ => Joint::fixed(first, second).anchors(end, Vec3::X * -0.3),
        };
        world.spawn((joint, JointState::default()));
        if i < 4 {
            world.spawn((Joint::spherical(first, None).anchors(-end, at - end), JointState::default()));
        }
    }
}

/// Runs a drum of grains.
fn grains(way: Way) -> String {
    let mut drum = Drum::new(1500, 0.06, 0.8);
    way.set(&mut drum.physics);
    for _ in 0..60 {
        drum.step(DT);
    }
    hash(&drum.world)
}

fn of_method(way: Way, method: RestingMethod) -> String {
    let settings = Settings { resting_method: method, accuracy: Accuracy::Exact, ..Settings::default() };
    of_settings(way, settings, 40, |world| {
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        for i in 0..8 {
            let at = Vec3::new(0.1 * (i % 3) as Real, 0.5 + 1.01 * i as Real, 0.07 * (i % 2) as Real);
            world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).position(at));
        }
    })
}

fn game(settings: &mut Settings) {
    settings.sleep = false;
}

fn exact(settings: &mut Settings) {
    settings.accuracy = Accuracy::Exact;
}

/// A scene's name, and what gives its hash.
type Scene = (&'static str, fn(Way) -> String);

/// All scenes.
const SCENES: [Scene; 19] = [
    ("pyramid 14", |way| generated(way, ("pyramid", 14), 90, game)),
    ("towers 5 with sleep", |way| generated(way, ("towers", 5), 90, |_| {})),
    ("pile 400", |way| generated(way, ("pile", 400), 240, game)),
    ("mixed 250", |way| generated(way, ("mixed", 250), 240, game)),
    ("funnel 120", |way| generated(way, ("funnel", 120), 150, game)),
    ("breach 6", |way| generated(way, ("breach", 6), 120, game)),
    ("toppled 4", |way| generated(way, ("toppled", 4), 120, game)),
    ("arch 21 and mass ratio, exact", |way| {
        generated(way, ("arch", 21), 40, exact) + &generated(way, ("mass_ratio", 8), 40, exact)
    }),
    ("net 12", |way| generated(way, ("net", 12), 120, game)),
    ("bridge 30", |way| stepped(way, Accuracy::Game, 120, |world| _ = bridge::spawn(world, 30))),
    ("bridge 10, exact", |way| stepped(way, Accuracy::Exact, 60, |world| _ = bridge::spawn(world, 10))),
    ("ragdolls", |way| stepped(way, Accuracy::Game, 150, ragdolls)),
    ("shapes", |way| stepped(way, Accuracy::Game, 150, shapes)),
    ("shapes, exact", |way| stepped(way, Accuracy::Exact, 60, shapes)),
    ("mechanisms", |way| stepped(way, Accuracy::Game, 150, mechanisms)),
    ("mechanisms, exact", |way| stepped(way, Accuracy::Exact, 90, mechanisms)),
    ("grains", grains),
    ("tower, Newton's method", |way| of_method(way, RestingMethod::Newton)),
    ("tower, shock propagation", |way| of_method(way, RestingMethod::ShockPropagation)),
];

/// The hashes of the scenes whose names are wanted.
pub fn scenes(way: Way, wanted: impl Fn(&str) -> bool) -> BTreeMap<&'static str, String> {
    SCENES.iter().filter(|(name, _)| wanted(name)).map(|(name, hash)| (*name, hash(way))).collect()
}
