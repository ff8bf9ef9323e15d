//! The worlds of the fuzz campaign in Rapier: the same plans, edits and invariants, and the same
//! table.

mod bodies;
#[allow(unused_imports, reason = "the campaign names more than Rapier needs")]
#[path = "../../support/campaign/mod.rs"]
mod campaign;
mod depth;
mod energy;
mod islands;
mod joints;
mod left_out;
mod mass;
mod rival;
mod run;
mod shapes;
#[path = "../../fuzz/src/table.rs"]
mod table;
#[cfg(test)]
mod tests;
#[path = "../../fuzz/src/workers.rs"]
mod workers;

use campaign::{Mode, note_panics, plan};
use clap::{Parser, Subcommand};
use left_out::LeftOut;
use std::time::Duration;

#[derive(Parser)]
#[command(about = "The random worlds of the fuzz campaign in Rapier")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the worlds of a range of seeds.
    Worlds {
        /// The mode: sane, extreme, hostile or mechanisms.
        #[arg(value_parser = mode)]
        mode: Mode,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        from: u64,
        /// The number of worlds.
        #[arg(long, default_value_t = 1000)]
        count: u64,
        /// Threads that take worlds; Rapier runs on one.
        #[arg(long, default_value_t = 1)]
        threads: usize,
        /// Seconds of a world after which it counts as a hang.
        #[arg(long, default_value_t = 120)]
        patience: u64,
    },
    /// Runs one world.
    World {
        #[arg(value_parser = mode)]
        mode: Mode,
        seed: u64,
    },
}

fn mode(name: &str) -> Result<Mode, String> {
    Mode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| format!("{name} is no mode"))
}

fn main() {
    note_panics();
    match Arguments::parse().command {
        Command::Worlds { mode, from, count, threads, patience } => {
            let patience = Duration::from_secs(patience);
            let asked = workers::Asked { from, count, steps: None, threads, patience, run: run::run };
            print!("{}", table::of(&[workers::campaign(mode, &asked)]));
            let mut left_out = LeftOut::default();
            (from..from + count).for_each(|seed| left_out += LeftOut::of(&plan(mode, seed)));
            let LeftOut { joints, breaks, parts, edits } = left_out;
            println!("left out: {joints} joints, {breaks} bounds of joints, {parts} components, {edits} edits");
        }
        Command::World { mode, seed } => {
            let (tally, fault) = run::run(&plan(mode, seed), Some(workers::worked));
            println!("{} {seed}: {tally:?}", mode.name());
            fault.into_iter().for_each(|fault| println!("{} {seed}: {fault}", mode.name()));
        }
    }
    // Threads that hang are ended with the process.
    std::process::exit(0);
}
