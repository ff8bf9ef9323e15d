//! Stacks and piles of many bodies: speed and quality.

use clap::Parser;
use clap::builder::PossibleValuesParser;
use dolmen::scene::generators::{self, Generated};
use dolmen::scene::metrics::Quality;
use dolmen::scene::result::RunResult;
use dolmen::scene::{SCALAR, Simulation};
use indicatif::ProgressBar;
use std::fmt::Write as _;
use std::io::{Write as _, stdout};
use std::process::ExitCode;

/// What the columns of the table are.
const COLUMNS: &str = "\
columns:
  bodies        dynamic bodies
  contacts      contact points after the last step
  median, p95, worst
                wall time of a step (ms): median, 95th percentile and the longest
  bodies/s      dynamic bodies times steps per second
  pen mean, max penetration of overlapping pairs at the end (mm), measured from the shapes
  drift         greatest sideways displacement of a body (mm); - if bodies fall
  top           change of the top body's height (mm); - if bodies fall
  kinetic       kinetic energy at the end (J)
  lost          bodies that left the pit or fell through the floor: should be 0
";

/// The runs without arguments: scene, sizes, steps.
const SUITE: &[(&str, &[usize], u64)] = &[
    ("pyramid", &[10, 30, 60], 300),
    ("wall", &[10, 20, 40], 300),
    ("towers", &[10, 20, 40], 300),
    ("pile", &[500, 2000, 5000, 10_000], 450),
];

/// Steps stacks and piles of growing size and prints one table of speed and quality.
///
/// Without arguments: pyramids, walls, fields of towers and piles of growing size, about a minute in all. Build it with
/// --release, and run nothing else on the machine.
#[derive(Parser)]
#[command(after_help = help())]
struct Options {
    /// This scene only (below).
    #[arg(long, value_name = "NAME", value_parser = scene_names(), hide_possible_values = true)]
    scene: Option<String>,

    /// Size of the scene.
    #[arg(long, value_name = "N", requires = "scene", value_parser = clap::value_parser!(u32).range(1..))]
    size: Option<u32>,

    /// Number of steps of every scene.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,

    /// Number of threads; all without it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Option<u32>,

    /// Lets islands fall asleep; without it every body is stepped in every step.
    #[arg(long)]
    sleep: bool,

    /// Comma-separated values instead of the table, lengths in m, energy in J.
    #[arg(long)]
    csv: bool,
}

fn scene_names() -> PossibleValuesParser {
    PossibleValuesParser::new(generators::ALL.iter().map(|scene| scene.name))
}

/// One line of the table.
struct Row {
    scene: &'static str,
    size: usize,
    generated: Generated,
    result: RunResult,
    quality: Quality,
    top: Option<f64>,
    lost: usize,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> String {
    let mut text = format!("{COLUMNS}\nscenes (and their usual sizes):\n");
    for scene in generators::ALL {
        let _ = writeln!(text, "  {:15} {}; size: {} ({})", scene.name, scene.about, scene.counts, scene.usual);
    }
    text
}

fn run(options: &Options) -> Result<(), String> {
    let runs: Vec<(&str, usize, Option<u64>)> = match &options.scene {
        Some(name) => generators::ALL
            .iter()
            .filter(|scene| scene.name == name)
            .map(|scene| (scene.name, options.size.map_or(scene.usual, |size| size as usize), options.steps))
            .collect(),
        None => SUITE
            .iter()
            .flat_map(|&(name, sizes, steps)| {
                sizes.iter().map(move |&size| (name, size, Some(options.steps.unwrap_or(steps))))
            })
            .collect(),
    };
    for (i, (name, size, steps)) in runs.into_iter().enumerate() {
        let row = measure(name, size, steps, options)?;
        if i == 0 {
            print(&heading(&row.result, options.csv))?;
        }
        print(&if options.csv { csv(&row) } else { line(&row) })?;
    }
    Ok(())
}

fn measure(name: &str, size: usize, steps: Option<u64>, options: &Options) -> Result<Row, String> {
    let Some(generator) = generators::ALL.iter().find(|scene| scene.name == name) else {
        return Err(format!("unknown scene {name}"));
    };
    let mut generated = generator.make(size);
    generated.scene.steps = steps.unwrap_or(generated.scene.steps);
    generated.scene.settings.threads = options.threads.map(|threads| threads as usize);
    generated.scene.settings.sleep = options.sleep;
    generated.scene.output.energy = options.csv;
    let steps = generated.scene.steps;
    let progress = ProgressBar::new(steps).with_message(format!("{name} {size}"));
    let mut simulation = Simulation::new(&generated.scene).map_err(|e| format!("{name} {size}: {e}"))?;
    while simulation.steps() < steps {
        simulation.step().map_err(|e| format!("{name} {size}, step {}: {e}", simulation.steps() + 1))?;
        progress.set_position(simulation.steps());
    }
    progress.finish_and_clear();
    let quality = simulation.quality();
    let result = simulation.result();
    let entities = simulation.entities().to_vec();
    let world = simulation.world();
    let (top, lost) = (generated.top_error(world, &entities), generated.lost(world, &entities));
    Ok(Row { scene: generator.name, size, generated, result, quality, top, lost })
}

impl Row {
    /// Dynamic bodies times steps per second of stepping.
    fn bodies_per_second(&self) -> f64 {
        self.generated.dynamic() as f64 * self.result.steps as f64 / (self.result.ms.total * 1e-3)
    }

    /// Greatest sideways displacement of a body, for scenes that should stand.
    fn drift(&self) -> Option<f64> {
        self.generated.top.map(|_| self.quality.drift)
    }
}

fn heading(result: &RunResult, csv: bool) -> String {
    if csv {
        return "scene,size,bodies,contacts,steps,median_ms,p95_ms,max_ms,total_ms,bodies_per_second,pairs,penetration_mean,\
                penetration_max,drift,top_error,kinetic,energy_start,energy_end,energy_max,lost,threads,scalar,simd\n"
            .to_owned();
    }
    let (threads, simd) = (result.threads, result.simd);
    let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    format!(
        "dolmen {}, {threads}, {SCALAR}, {simd}\n\n\
         {:15}{:>7}{:>8}{:>9}{:>10}{:>9}{:>9}{:>12}{:>10}{:>9}{:>10}{:>9}{:>10}{:>6}\n{:15}{:>7}{:>8}{:>9}{:>10}{:>9}{:>9}{:>12}{:>10}{:>9}{:>10}{:>9}{:>10}{:>6}\n",
        result.version,
        "scene",
        "size",
        "bodies",
        "contacts",
        "median",
        "p95",
        "worst",
        "bodies/s",
        "pen mean",
        "max",
        "drift",
        "top",
        "kinetic",
        "lost",
        "",
        "",
        "",
        "",
        "ms/step",
        "ms",
        "ms",
        "",
        "mm",
        "mm",
        "mm",
        "mm",
        "J",
        "",
    )
}

fn line(row: &Row) -> String {
    let Row { scene, size, result, quality, lost, .. } = row;
    let millimetres = |length: Option<f64>| length.map_or_else(|| "-".to_owned(), |m| format!("{:.3}", m * 1e3));
    format!(
        "{scene:15}{size:>7}{:>8}{:>9}{:>10.3}{:>9.3}{:>9.3}{:>12.0}{:>10}{:>9}{:>10}{:>9}{:>10.3e}{lost:>6}\n",
        row.generated.dynamic(),
        result.counts.points,
        result.ms.median,
        result.ms.p95,
        result.ms.max,
        row.bodies_per_second(),
        millimetres(Some(quality.penetration_mean)),
        millimetres(Some(quality.penetration_worst)),
        millimetres(row.drift()),
        millimetres(row.top),
        quality.kinetic,
    )
}

fn csv(row: &Row) -> String {
    let Row { scene, size, result, quality, lost, .. } = row;
    let optional = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let ms = &result.ms;
    let energy = |of: fn(&dolmen::scene::result::EnergyRange) -> f64| optional(result.energy.as_ref().map(of));
    let columns = [
        (*scene).to_owned(),
        size.to_string(),
        row.generated.dynamic().to_string(),
        result.counts.points.to_string(),
        result.steps.to_string(),
        ms.median.to_string(),
        ms.p95.to_string(),
        ms.max.to_string(),
        ms.total.to_string(),
        row.bodies_per_second().to_string(),
        quality.pairs.to_string(),
        quality.penetration_mean.to_string(),
        quality.penetration_worst.to_string(),
        optional(row.drift()),
        optional(row.top),
        quality.kinetic.to_string(),
        energy(|e| e.start),
        energy(|e| e.end),
        energy(|e| e.max),
        lost.to_string(),
        result.threads.to_string(),
        SCALAR.to_owned(),
        result.simd.to_owned(),
    ];
    columns.join(",") + "\n"
}

fn print(text: &str) -> Result<(), String> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|e| format!("standard output: {e}"))
}
