//! Passivity: joints without drives and contacts gain no energy, also where masses differ by a
//! thousand.

use crate::stage::*;
use dolmen::math::Real;
use dolmen::prelude::*;
use fastrand::Rng;
use hecs::Entity;

fn uniform(random: &mut Rng, low: f64, high: f64) -> Real {
    (low + (high - low) * random.f64()) as Real
}

/// A pallet of 30 kg with a load of 20 to 500 kg, that falls by two metres into its four chains of ten
/// links of 0.1 to 3 kg.
fn pallet(stage: &mut Bench, seed: u64) {
    let random = &mut Rng::with_seed(seed);
    let (slant, link) = (uniform(random, 0.0, 0.8), (10.0 as Real).powf(uniform(random, -1.0, 0.5)));
    let load = uniform(random, 20.0, 500.0);
    let speed = (2.0 * G * 2.0).sqrt() * load / (30.0 + load);
    let spin = Vec3::new(uniform(random, -1.0, 1.0), 0.0, uniform(random, -1.0, 1.0));
    let plate = block(30.0 + load, Vec3::new(1.0, 0.1, 1.0)).at(0.0, 1.0, 0.0);
    let plate = stage.world.spawn(plate.linear_velocity(Vec3::NEG_Y * speed).angular_velocity(spin));
    for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        let (low, high) = (Vec3::new(x, 1.05, z), Vec3::new(x * (1.0 - slant), 4.0, z * (1.0 - slant)));
        let along = (high - low) / 10.0;
        let mut last = plate;
        for k in 0..10 {
            let half = Vec3::new(0.02, 0.4 * along.length(), 0.02);
            let turned = Quat::from_rotation_arc(Vec3::Y, along.normalize());
            let body = block(link, half).position(low + along * (k as Real + 0.5)).orientation(turned);
            let body = stage.world.spawn(body);
            let joint = Joint::spherical(last, body).placed(&stage.world, low + along * k as Real, Vec3::Z).unwrap();
            stage.join(joint);
            last = body;
        }
        let joint = Joint::spherical(None, last).placed(&stage.world, high, Vec3::Z).unwrap();
        stage.join(joint);
    }
}

/// A line or a ring of up to twelve blocks of 5 kg, some of them of 50 to 5000, whipped about.
fn whip(stage: &mut Bench, seed: u64) {
    let random = &mut Rng::with_seed(seed);
    let (links, heavy) = (random.usize(3..=12), (10.0 as Real).powf(uniform(random, 1.7, 3.7)));
    let mut bodies: Vec<Entity> = Vec::new();
    for k in 0..links {
        let mass = if random.u8(0..4) == 0 { heavy } else { 5.0 };
        let half = Vec3::new(0.2, uniform(random, 0.05, 0.2), uniform(random, 0.05, 0.6));
        bodies.push(stage.world.spawn(block(mass, half).at(0.5 * k as Real + 0.25, 0.0, 0.0)));
        let (last, from) = match k {
            0 => (None, Vec3::ZERO),
            _ => (Some(bodies[k - 1]), Vec3::X * 0.25),
        };
        stage.join(Joint::spherical(last, bodies[k]).anchors(from, Vec3::X * -0.25));
    }
    if random.bool() {
        // The far end hangs in the world too.
        let last = bodies[links - 1];
        stage.join(Joint::spherical(None, last).anchors(Vec3::X * (0.5 * links as Real), Vec3::X * 0.25));
    }
}

/// The largest rise of the energy since the start, over that of a fall of all bodies by a metre, and
/// the largest gap (m).
fn gain(stage: &mut Bench, seconds: f64) -> (f64, f64) {
    let mass: Real = stage.world.query::<&Mass>().iter().map(|mass| mass.0).sum();
    let energy = |stage: &Bench| {
        let state = stage.physics.state();
        state.kinetic_energy() + state.potential_energy()
    };
    stage.step();
    let start = energy(stage);
    let (mut most, mut gap) = (start, stage.worst_gap());
    for _ in 0..(seconds / f64::from(stage.dt)) as usize {
        stage.step();
        (most, gap) = (most.max(energy(stage)), gap.max(stage.worst_gap()));
    }
    ((most - start) / f64::from(mass * G), gap)
}

fn pallets_gain_nothing(seeds: std::ops::Range<u64>) {
    for (seed, accuracy) in seeds.flat_map(|seed| [(seed, Accuracy::Game), (seed, Accuracy::Exact)]) {
        let mut stage = Bench::new(1.0 / 60.0, accuracy);
        pallet(&mut stage, seed);
        let (gain, gap) = gain(&mut stage, 6.0);
        println!("pallet {seed}, {accuracy:?}: {gain:.1e}, {gap:.1e} m");
        assert!(gain < 1e-3 && gap < 2e-3, "pallet {seed}, {accuracy:?}: {gain:e}, {gap} m");
    }
}

#[test]
fn pallets_that_fall_into_their_chains_gain_no_energy_and_stay_on_them() {
    // One of them asks for more substeps than there are: its light chains bear a heavy load.
    pallets_gain_nothing(62..65);
}

#[test]
#[ignore = "a thousand poses take three quarters of an hour"]
fn a_thousand_pallets_gain_no_energy_and_stay_on_their_chains() {
    pallets_gain_nothing(0..1000);
}

#[test]
fn whips_gain_no_energy() {
    for (accuracy, bar) in [(Accuracy::Game, 5e-3), (Accuracy::Exact, 1e-3)] {
        for rate in [60.0, 240.0] {
            for seed in 0..5 {
                let mut stage = Bench::new(1.0 / rate, accuracy);
                whip(&mut stage, seed);
                let (gain, gap) = gain(&mut stage, 4.0);
                println!("whip {seed} at {rate} Hz, {accuracy:?}: {gain:.1e}, {gap:.1e} m");
                assert!(gain < bar && gap < 2e-3, "whip {seed} at {rate} Hz, {accuracy:?}: {gain:e}, {gap} m");
            }
        }
    }
}
