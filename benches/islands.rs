//! What many islands cost beside their manifolds: 800 stacks of five boxes on a static floor, and on a floor that is a
//! dynamic body with all axes locked, so that the same contacts are one island. Both are solved in substeps, and take
//! turns step by step. Run with `cargo bench --bench islands`.

use dolmen::prelude::*;
use dolmen::resting::RestingMethod;
use dolmen::{Counts, Stage};
use hecs::World;

const SIDE: usize = 28;
const HEIGHT: usize = 5;
/// Steps before the measurement, and steps that are measured.
const SETTLING: usize = 30;
const STEPS: usize = 400;

/// A world of stacks, whose floor is a body of its own kind.
struct Stacks {
    world: World,
    physics: Physics,
    /// Time of each stage and of the step (ms), step by step.
    times: Vec<Vec<f64>>,
    counts: Counts,
}

impl Stacks {
    fn new(joined: bool) -> Self {
        let mut world = World::new();
        let slab = Collider::cuboid(40.0, 0.5, 40.0);
        let floor = if joined { Body::dynamic(slab) } else { Body::fixed(slab) };
        let floor = world.spawn(floor.at(0.0, -0.5, 0.0));
        if joined {
            let all = LockedAxes::TRANSLATION | LockedAxes::ROTATION;
            world.insert_one(floor, all).expect("the floor was spawned");
        }
        let cube = Collider::cuboid(0.25, 0.25, 0.25);
        for i in 0..SIDE * SIDE {
            let place = |k: usize| 2.0 * (k as Real - 0.5 * SIDE as Real);
            for level in 0..HEIGHT {
                let height = 0.25 + 0.5 * level as Real;
                world.spawn(Body::dynamic(cube.clone()).at(place(i % SIDE), height, place(i / SIDE)));
            }
        }
        let resting_method = RestingMethod::Iterative;
        let settings = Settings { threads: Some(1), sleep: false, resting_method, ..Settings::default() };
        Self { world, physics: Physics::new(settings), times: Vec::new(), counts: Counts::default() }
    }

    fn step(&mut self) {
        let report = self.physics.step(&mut self.world, 1.0 / 60.0).expect("the world is sound");
        let stages = report.times.iter().map(|(_, time)| time.as_secs_f64() * 1e3);
        self.times.push(stages.chain([report.times.total().as_secs_f64() * 1e3]).collect());
        self.counts = report.counts;
    }

    /// Median over the measured steps of a column of `times` (ms).
    fn median(&self, column: usize) -> f64 {
        let mut all: Vec<f64> = self.times[SETTLING..].iter().map(|row| row[column]).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    }
}

fn main() {
    let mut worlds = [Stacks::new(false), Stacks::new(true)];
    for _ in 0..SETTLING + STEPS {
        worlds.iter_mut().for_each(Stacks::step);
    }
    let [many, one] = worlds;
    println!(
        "{} and {} islands, {} and {} manifolds, {} and {} substeps; median ms of {STEPS} steps, one thread",
        many.counts.islands,
        one.counts.islands,
        many.counts.manifolds,
        one.counts.manifolds,
        many.counts.substeps,
        one.counts.substeps
    );
    println!("{:16}{:>10}{:>10}{:>14}", "stage", "many", "one", "ns an island");
    let names = Stage::ALL.iter().map(|stage| stage.name()).chain(["step"]);
    for (column, name) in names.enumerate() {
        let [many_ms, one_ms] = [&many, &one].map(|stacks| stacks.median(column));
        let an_island = (many_ms - one_ms) * 1e6 / many.counts.islands as f64;
        println!("{name:16}{many_ms:>10.3}{one_ms:>10.3}{an_island:>14.0}");
    }
}
