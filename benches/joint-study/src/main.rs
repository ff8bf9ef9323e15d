//! Methods for joints side by side: gains and losses of energy, gaps and time a step, on mechanisms
//! without contacts.

mod block_cholesky;
mod mechanism;
mod methods;
mod scenes;
mod system;

use clap::{Parser, ValueEnum};
use methods::Kind;
use scenes::Scene;
use std::time::Instant;

#[derive(Parser)]
#[command(about = "Methods for joints side by side, on mechanisms without contacts")]
struct Arguments {
    /// Kinds of mechanisms; all unless given.
    #[arg(long, value_delimiter = ',')]
    scenes: Vec<Scene>,
    /// Methods; all unless given.
    #[arg(long, value_delimiter = ',')]
    methods: Vec<Kind>,
    /// Substeps of every prototype, instead of those it is known for.
    #[arg(long)]
    substeps: Option<usize>,
    /// Mechanisms of each random kind, instead of its own number.
    #[arg(long)]
    count: Option<u64>,
    /// Steps a second.
    #[arg(long, default_value_t = 60.0)]
    rate: f64,
    /// Print energy (J) and gap (m) after every step.
    #[arg(long)]
    trace: bool,
}

/// What a method did on the mechanisms of a kind.
#[derive(Default)]
struct Outcome {
    mechanisms: usize,
    /// Mechanisms that ended with values that are no numbers.
    broken: usize,
    /// Mechanisms whose energy rose by more than a thousandth of that of a fall by a metre.
    gaining: usize,
    /// Largest rise and fall of the energy since the start, over the energy of the fall or the start.
    gain: f64,
    loss: f64,
    /// Largest rise of the energy in a step, over the kinetic energy before it, what gravity did, and
    /// the energy of a step of free fall; steps with a rise above a thousandth.
    rise: f64,
    rises: usize,
    gap: f64,
    seconds: f64,
    steps: usize,
}

impl Outcome {
    /// Runs a method on all mechanisms of a kind; none if it cannot move them.
    fn of(scene: Scene, kind: Kind, arguments: &Arguments) -> Option<Self> {
        let mut outcome = Self::default();
        for seed in 0..scene.count(arguments.count) {
            let mut mechanism = scene.make(seed);
            let substeps = arguments.substeps.unwrap_or(kind.substeps());
            let Some(mut method) = kind.start(&mechanism, substeps) else { continue };
            let mass: f64 = mechanism.bodies.iter().map(|body| body.mass).sum();
            let kinetic: f64 = mechanism.bodies.iter().map(|body| body.kinetic_energy()).sum();
            let unit = (mass * 9.81).max(kinetic);
            let (start, mut highest, mut last) = (mechanism.energy(), f64::NEG_INFINITY, 0.0);
            let mut before = start;
            let steps = (scene.steps() as f64 * arguments.rate / 60.0) as usize;
            for _ in 0..steps {
                let kinetic: f64 = mechanism.bodies.iter().map(|body| body.kinetic_energy()).sum();
                let clock = Instant::now();
                method.step(&mut mechanism, arguments.rate.recip());
                outcome.seconds += clock.elapsed().as_secs_f64();
                outcome.steps += 1;
                last = mechanism.energy();
                outcome.gap = outcome.gap.max(mechanism.gap());
                if arguments.trace {
                    println!("{} {:e} {:e}", outcome.steps, last - start, mechanism.gap());
                }
                highest = highest.max(last);
                let after: f64 = mechanism.bodies.iter().map(|body| body.kinetic_energy()).sum();
                let gravity = ((last - after) - (before - kinetic)).abs();
                let fall = 0.5 * mass * (9.81 / arguments.rate).powi(2);
                let rise = (last - before) / (kinetic + gravity + fall);
                (outcome.rise, before) = (outcome.rise.max(rise), last);
                outcome.rises += usize::from(rise > 1e-3);
                if !last.is_finite() {
                    break;
                }
            }
            outcome.mechanisms += 1;
            if last.is_finite() {
                let gain = (highest - start) / unit;
                outcome.gaining += usize::from(gain > 1e-3);
                outcome.gain = outcome.gain.max(gain);
                outcome.loss = outcome.loss.max((start - last) / unit);
            } else {
                outcome.broken += 1;
            }
        }
        (outcome.mechanisms > 0).then_some(outcome)
    }
}

fn main() {
    let mut arguments = Arguments::parse();
    if arguments.scenes.is_empty() {
        arguments.scenes = Scene::value_variants().to_vec();
    }
    if arguments.methods.is_empty() {
        arguments.methods = Kind::value_variants().to_vec();
    }
    let name = |value: Option<clap::builder::PossibleValue>| value.map_or(String::new(), |v| v.get_name().to_string());
    for &scene in &arguments.scenes {
        println!("\n{}\n", name(scene.to_possible_value()));
        println!(
            "| method | of | no numbers | gain > 1e-3 | gain | loss | rise in a step | steps with rises > 1e-3 | gap (m) | ms a step |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for &kind in &arguments.methods {
            let method = name(kind.to_possible_value());
            let Some(o) = Outcome::of(scene, kind, &arguments) else {
                println!("| {method} | not possible | | | | | | | | |");
                continue;
            };
            println!(
                "| {method} | {} | {} | {} | {:.1e} | {:.1e} | {:.1e} | {} | {:.1e} | {:.3} |",
                o.mechanisms,
                o.broken,
                o.gaining,
                o.gain,
                o.loss,
                o.rise,
                o.rises,
                o.gap,
                1e3 * o.seconds / o.steps as f64
            );
        }
    }
}
