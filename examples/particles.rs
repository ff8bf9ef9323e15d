//! A hundred thousand grains in a rotating drum.

#[path = "../tests/support/drum.rs"]
mod drum;

use clap::Parser;
use dolmen::prelude::*;
use drum::Drum;
use std::process::ExitCode;
use std::time::Instant;

/// Steps a drum, filled with grains to a third, at 60 Hz and prints figures four times a second.
#[derive(Parser)]
struct Options {
    /// Number of grains.
    #[arg(default_value_t = 100_000)]
    count: usize,

    /// Simulated time (s).
    #[arg(default_value_t = 1)]
    seconds: usize,

    /// Number of threads of the world's own pool; 0 for all cores.
    #[arg(default_value_t = 0)]
    threads: usize,
}

const GRAIN: Real = 0.025;

fn main() -> ExitCode {
    let Options { count, seconds, threads } = Options::parse();
    let mut drum = Drum::new(count, GRAIN, 0.8);
    drum.physics.settings.threads = (threads > 0).then_some(threads);
    println!("     s    pairs  touches  deepest  mean height  fastest  ms/step");
    let (mut times, mut fine) = (Vec::new(), true);
    for quarter in 1..=4 * seconds {
        let mut report = dolmen::particles::ParticleReport::default();
        for _ in 0..15 {
            let clock = Instant::now();
            report = drum.step(1.0 / 60.0);
            times.push(clock.elapsed().as_secs_f64() * 1e3);
        }
        let (mut height, mut fastest, mut out) = (0.0, 0.0 as Real, 0);
        for (position, velocity, _) in &mut drum.world.query::<(&Position, &LinearVelocity, &Particle)>() {
            height += f64::from(position.0.y);
            fastest = fastest.max(velocity.0.length());
            // The drum is a polygon and turns after the grains' last overlap correction.
            out += usize::from(position.0.truncate().length() > 1.1 * drum.radius || position.0.z.abs() > drum.half);
        }
        let mean = times.iter().rev().take(15).sum::<f64>() / 15.0;
        let (seconds, height) = (quarter as f64 / 4.0, height / report.particles as f64);
        println!(
            "{seconds:>6.2} {:>8} {:>8} {:>8.3} {height:>12.3} {fastest:>8.2} {mean:>8.2}",
            report.pairs, report.wall_contacts, report.deepest
        );
        fine &= out == 0 && fastest.is_finite() && report.particles == count;
    }
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!(
        "verdict: {} grains, {median:.2} ms a step (60 Hz asks for 16.67), {}",
        count,
        if fine { "all inside the drum" } else { "grains are lost" }
    );
    ExitCode::from(u8::from(!fine))
}
