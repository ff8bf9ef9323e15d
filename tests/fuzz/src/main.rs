//! The fuzz campaign: random worlds in all modes over all cores, shrinking of what they find, and
//! inputs of arbitrary bytes. Prints a table; exits with one if anything is found.

mod byte_run;
#[path = "../../support/campaign/mod.rs"]
mod campaign;
mod mutate;
mod seeds;
mod shrink;
mod table;
mod targets;
mod workers;

use campaign::{Mode, Plan, note_panics, plan};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Parser)]
#[command(about = "Random worlds and arbitrary bytes against dolmen")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the worlds of a range of seeds.
    Worlds {
        /// The mode; without it all.
        #[arg(long)]
        mode: Option<ModeName>,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        from: u64,
        /// The number of worlds of each mode.
        #[arg(long, default_value_t = 1000)]
        count: u64,
        /// The number of steps of each world, instead of random ones.
        #[arg(long)]
        steps: Option<usize>,
        /// Threads; without it one a core.
        #[arg(long)]
        threads: Option<usize>,
        /// Seconds of a world after which it counts as a hang.
        #[arg(long, default_value_t = 120)]
        patience: u64,
        /// A folder for what is found, shrunk, as files for `replay`.
        #[arg(long)]
        save: Option<PathBuf>,
    },
    /// Runs one world.
    World {
        mode: ModeName,
        seed: u64,
        /// Prints it as JSON.
        #[arg(long)]
        print: bool,
    },
    /// Runs worlds from files.
    Replay { files: Vec<PathBuf> },
    /// Gives mutated inputs to a target, or to all.
    Bytes {
        #[arg(long)]
        target: Option<String>,
        #[arg(long, default_value_t = 0)]
        from: u64,
        #[arg(long, default_value_t = 10_000)]
        count: u64,
    },
    /// Writes valid inputs of each target to a folder of its name, for cargo-fuzz.
    Seeds { folder: PathBuf },
}

#[derive(Clone, Copy, ValueEnum)]
enum ModeName {
    Sane,
    Extreme,
    Hostile,
    Mechanisms,
}

impl ModeName {
    fn mode(self) -> Mode {
        Mode::ALL[self as usize]
    }
}

fn main() -> ExitCode {
    note_panics();
    let found = match Arguments::parse().command {
        Command::Worlds { mode, from, count, steps, threads, patience, save } => {
            let modes = mode.map_or(Mode::ALL.to_vec(), |name| vec![name.mode()]);
            let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
            let patience = Duration::from_secs(patience);
            let asked = workers::Asked { from, count, steps, threads, patience, run: campaign::run };
            let runs: Vec<_> = modes.into_iter().map(|mode| workers::campaign(mode, &asked)).collect();
            print!("{}", table::of(&runs));
            let found: usize = runs.iter().map(|run| run.found.len()).sum();
            if let Some(folder) = save {
                runs.iter().for_each(|run| shrink::save(run, steps, &folder));
            }
            found
        }
        Command::World { mode, seed, print } => {
            let plan = plan(mode.mode(), seed);
            if print {
                println!("{}", serde_json::to_string_pretty(&plan).expect("a plan is plain data"));
            }
            tell(&format!("{} {seed}", mode.mode().name()), &plan)
        }
        Command::Replay { files } => files
            .iter()
            .map(|file| {
                let text = std::fs::read_to_string(file).expect("a file that can be read");
                tell(&file.display().to_string(), &serde_json::from_str(&text).expect("a plan"))
            })
            .sum(),
        Command::Seeds { folder } => {
            seeds::write(&folder).expect("a folder that can be written");
            0
        }
        Command::Bytes { target, from, count } => byte_run::run(target.as_deref(), from, count),
    };
    // Threads that hang are ended with the process.
    std::process::exit(i32::from(found > 0));
}

/// Runs a plan and prints what it finds; returns the number of faults.
fn tell(name: &str, plan: &Plan) -> usize {
    let (tally, fault) = campaign::run(plan, Some(workers::worked));
    println!("{name}: {tally:?}");
    match fault {
        Some(fault) => println!("{name}: {fault}"),
        None => return 0,
    }
    1
}
