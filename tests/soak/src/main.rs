//! Hours of game time: a row a minute of memory, step times, bodies awake and the drift of parked
//! stacks, while bodies come and go at a steady rate.

mod table;
mod yard;

use clap::Parser;
use dolmen::Counts;
use dolmen::prelude::*;
use std::process::ExitCode;
use std::time::Instant;
use table::{Minute, resident};
use yard::Yard;

/// Steps of a minute of game time.
const MINUTE: usize = 3600;

#[derive(Parser)]
#[command(about = "Hours of game time with bodies that come and go")]
struct Arguments {
    /// Minutes of game time.
    #[arg(long, default_value_t = 60)]
    minutes: usize,
    /// Bodies in parked stacks of ten.
    #[arg(long, default_value_t = 2000)]
    parked: usize,
    /// Bodies that live for a while.
    #[arg(long, default_value_t = 3000)]
    passing: usize,
    /// Steps from one body that comes to the next.
    #[arg(long, default_value_t = 2)]
    every: usize,
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// No body sleeps.
    #[arg(long)]
    awake: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), StepError> {
    let mut world = hecs::World::new();
    let mut physics =
        Physics::new(Settings { threads: Some(arguments.threads), sleep: !arguments.awake, ..Settings::default() });
    let mut yard = Yard::new(&mut world, arguments.parked, arguments.passing);
    let mut times = Vec::with_capacity(MINUTE);
    println!("{}", table::HEAD);
    for minute in 1..=arguments.minutes {
        times.clear();
        let mut counts = Counts::default();
        for step in 0..MINUTE {
            if step % arguments.every.max(1) == 0 {
                yard.exchange(&mut world);
            }
            let start = Instant::now();
            counts = physics.step(&mut world, 1.0 / 60.0)?.counts;
            times.push(start.elapsed());
        }
        if minute == 1 {
            yard.park(&world);
        }
        times.sort_unstable();
        let drift = yard.drift(&world);
        let (median, worst) = (times[MINUTE / 2], times[MINUTE - 1]);
        println!("{}", Minute { minute, resident: resident(), median, worst, counts, drift });
    }
    Ok(())
}
