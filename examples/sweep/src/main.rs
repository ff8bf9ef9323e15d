//! Sweeps: a folder of scenes, or a grid of parameters over scenes, one row of a table a run.

mod columns;
mod figures;
mod parameter;
mod plan;
mod schedule;
mod table;

use clap::Parser;
use parameter::Parameter;
use plan::{Part, Plan};
use std::path::PathBuf;
use std::process::ExitCode;
use table::{Rows, Table};

/// What goes wrong, as a sentence.
type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Runs scenes on all cores, one world a core, and writes a CSV row a run.
///
/// A run is a pure function of its scene: rows do not depend on the number of cores, nor on the order in which runs end.
/// Runs whose rows the output has already are not repeated. A run that fails is a row with its error.
#[derive(Parser)]
struct Options {
    /// Scene files, and folders of them (`*.json`).
    #[arg(required = true)]
    inputs: Vec<PathBuf>,

    /// A field of the scene and its values: `bodies[*].restitution=0,0.5`, `settings.accuracy=game,exact`, `dt=0.005..0.02/4`
    /// (four evenly spaced). With several, all combinations.
    #[arg(long = "set", value_name = "PATH=VALUES")]
    parameters: Vec<Parameter>,

    /// Steps of each run instead of those of its scene; the same as `--set steps=N`, without a column.
    #[arg(long)]
    steps: Option<u64>,

    /// The table.
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    out: Option<PathBuf>,

    /// Tables whose rows are taken over; runs without a row are run.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,

    /// Only every Nth run, from the Kth on (K from 0): a task of N.
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,

    /// Worlds at once; without it one a core.
    #[arg(long)]
    threads: Option<usize>,

    /// Adds columns of wall time, which differ from run to run.
    #[arg(long)]
    times: bool,

    /// Prints the runs, and runs nothing.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(failed) => ExitCode::from(u8::from(failed)),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs the sweep; true if some run failed.
fn run(options: &Options) -> Result<bool, Fault> {
    let plan = Plan::new(&options.inputs, &options.parameters, options.steps)?;
    let runs: Vec<_> = plan.part(options.part).collect();
    let Some(out) = options.out.as_ref().filter(|_| !options.list) else {
        runs.iter().for_each(|run| println!("{run}"));
        return Ok(false);
    };
    let mut rows = Rows::of(&plan, columns::header(&plan.parameters, options.times));
    rows.take_over(&options.from)?;
    let table = Table::open(out, &mut rows)?;
    let missing: Vec<_> = runs.iter().copied().filter(|run| !rows.has(run)).collect();
    eprintln!("{} runs, {} of them done", runs.len(), runs.len() - missing.len());
    schedule::run(&missing, options.threads, options.times, &table)?;
    table.finish(&mut rows)?;
    let failed = rows.failed(&runs);
    if failed > 0 {
        eprintln!("{failed} of {} runs failed: see the column `error`", runs.len());
    }
    Ok(failed > 0)
}
