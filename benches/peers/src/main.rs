//! The same scenes in dolmen and in other engines.
//!
//! The engines take turns step by step, so that other load of the machine affects all of them, and
//! never run at the same time. Quality is measured from poses, by the same code for all.

#[cfg(feature = "box3d")]
mod box3d;
mod engine;
mod plot;
mod rapier;

use dolmen::scene::generators::{self, Generated, Generator};
use dolmen::scene::metrics::{Probe, Quality};
use dolmen::scene::{Built, build};
use engine::{Dolmen, Engine, Task};
use hecs::World;
use plot::{Line, svg};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Steps the same scenes in several engines and prints one table.

usage: dolmen-peers [--scene NAME[,NAME]] [--size N[,N]] [--steps N] [--threads N] [--svg FILE]

  --scene LIST  these scenes (default: pyramid,towers,pile)
  --size LIST   in these sizes (default: the scene's usual one)
  --steps N     so many steps of each (default: as many as the scene has)
  --threads N   threads of each engine (default: 1)
  --svg FILE    plots the medians of ms a step against bodies, one scene only

columns: ms a step, median and over the last hundred steps; ratio of the median to the fastest other engine's; penetration,
mean and deepest, how far the top has moved and the worst sideways drift, in mm, at the end;
bodies lost; how far the anchors of joints are apart at worst, in mm.";

struct Options {
    scenes: Vec<&'static Generator>,
    sizes: Vec<usize>,
    steps: Option<u64>,
    threads: usize,
    svg: Option<PathBuf>,
}

/// The result of one engine in one scene.
struct Run {
    engine: &'static str,
    bodies: usize,
    median: f64,
    last: f64,
    quality: Quality,
    top: Option<f64>,
    lost: usize,
    gap: Option<f64>,
}

fn main() -> ExitCode {
    match options(std::env::args().skip(1)) {
        Ok(Some(options)) => match compare(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("{problem}");
                ExitCode::FAILURE
            }
        },
        Ok(None) => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem} (--help tells more)");
            ExitCode::from(2)
        }
    }
}

/// The options; `None` for help.
fn options(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut names = "pyramid,towers,pile".to_owned();
    let mut options = Options { scenes: Vec::new(), sizes: Vec::new(), steps: None, threads: 1, svg: None };
    while let Some(argument) = arguments.next() {
        if matches!(argument.as_str(), "--help" | "-h") {
            return Ok(None);
        }
        let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
        let number = |text: &str| match text.parse::<usize>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("{argument} must be a whole number of at least 1, got {text:?}")),
        };
        match argument.as_str() {
            "--scene" => names = value,
            "--size" => options.sizes = value.split(',').map(number).collect::<Result<_, _>>()?,
            "--steps" => options.steps = Some(number(&value)? as u64),
            "--threads" => options.threads = number(&value)?,
            "--svg" => options.svg = Some(value.into()),
            _ => return Err(format!("unknown argument {argument}")),
        }
    }
    for name in names.split(',') {
        let scene = generators::ALL.iter().find(|scene| scene.name == name);
        options.scenes.push(scene.ok_or_else(|| format!("unknown scene {name}"))?);
    }
    if options.svg.is_some() && options.scenes.len() > 1 {
        return Err("--svg plots one scene: name it with --scene".to_owned());
    }
    Ok(Some(options))
}

fn compare(options: &Options) -> Result<(), String> {
    println!(
        "{:15}{:>7}{:>8}  {:8}{:>10}{:>10}{:>7}{:>9}{:>9}{:>9}{:>9}{:>6}{:>9}",
        "scene",
        "size",
        "bodies",
        "engine",
        "median",
        "last 100",
        "ratio",
        "pen",
        "deepest",
        "top",
        "drift",
        "lost",
        "gap"
    );
    let mut lines: Vec<Line> = Vec::new();
    for scene in &options.scenes {
        let usual = [scene.usual];
        for &size in if options.sizes.is_empty() { &usual[..] } else { &options.sizes } {
            let mut generated = scene.make(size);
            generated.scene.steps = options.steps.unwrap_or(generated.scene.steps);
            let runs = run(&generated, options.threads).map_err(|e| format!("{} {size}: {e}", scene.name))?;
            print(scene.name, size, &runs, generated.top.is_some());
            for run in runs {
                let line = lines.iter_mut().find(|line| line.name == run.engine);
                let point = (run.bodies as f64, run.median);
                match line {
                    Some(line) => line.points.push(point),
                    None => lines.push(Line { name: run.engine.to_owned(), points: vec![point] }),
                }
            }
        }
    }
    if let Some(file) = &options.svg {
        let threads = if options.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", options.threads) };
        let plot = svg(&format!("{}, {threads}", options.scenes[0].name), &lines);
        std::fs::write(file, plot).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(())
}

fn run(generated: &Generated, threads: usize) -> Result<Vec<Run>, String> {
    // The output world, in which all engines' poses are measured.
    let mut world = World::new();
    let Built { entities, settings, dt, .. } = build(&generated.scene, &mut world).map_err(|e| e.to_string())?;
    let mut probe = Probe::new(&world, &entities, settings.gravity.as_dvec3()).map_err(|(_, e)| e.to_string())?;
    let task = Task { settings, dt, threads };
    let mut own = World::new();
    let built = build(&generated.scene, &mut own).map_err(|e| e.to_string())?;
    let bodies = engine::bodies(&world, &entities)?;
    let pins = engine::pins(&generated.scene.joints)?;
    let mut engines: Vec<(&'static str, Box<dyn Engine>)> = vec![
        ("dolmen", Box::new(Dolmen::new(own, built.entities, entities.clone(), &task))),
        ("rapier", Box::new(rapier::Rapier::new(&bodies, &pins, &task)?)),
        #[cfg(feature = "box3d")]
        ("box3d", Box::new(box3d::Box3d::new(&bodies, &pins, &task)?)),
    ];
    let mut times = vec![Vec::with_capacity(generated.scene.steps as usize); engines.len()];
    for _ in 0..generated.scene.steps {
        for ((_, engine), times) in engines.iter_mut().zip(&mut times) {
            let clock = Instant::now();
            engine.step()?;
            times.push(clock.elapsed().as_secs_f64() * 1e3);
        }
    }
    let measured = engines.iter().zip(times).map(|((engine, it), times)| {
        it.write(&mut world);
        let tail = &times[times.len().saturating_sub(100)..];
        Run {
            engine,
            bodies: generated.dynamic(),
            last: median(tail),
            median: median(&times),
            quality: probe.measure(&world),
            top: generated.top_error(&world, &entities),
            lost: generated.lost(&world, &entities),
            gap: engine::worst_gap(&world, &entities, &pins),
        }
    });
    Ok(measured.collect())
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn print(scene: &str, size: usize, runs: &[Run], stands: bool) {
    for run in runs {
        let others = runs.iter().filter(|other| other.engine != run.engine).map(|other| other.median);
        let ratio = run.median / others.fold(f64::INFINITY, f64::min);
        let millimetres = |length: Option<f64>| length.map_or_else(|| "-".to_owned(), |m| format!("{:.3}", m * 1e3));
        println!(
            "{scene:15}{size:>7}{:>8}  {:8}{:>10.3}{:>10.3}{ratio:>7.2}{:>9}{:>9}{:>9}{:>9}{:>6}{:>9}",
            run.bodies,
            run.engine,
            run.median,
            run.last,
            millimetres(Some(run.quality.penetration_mean)),
            millimetres(Some(run.quality.penetration_worst)),
            millimetres(run.top),
            millimetres(stands.then_some(run.quality.drift)),
            run.lost,
            millimetres(run.gap)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dolmen::scene::format::JointKind;

    /// A few steps of a small pile: all engines must have the same scene.
    #[test]
    fn every_engine_steps_the_same_bodies_and_loses_none() {
        let mut pile = generators::make("mixed", Some(30)).expect("there is such a scene");
        pile.scene.steps = 60;
        let runs = run(&pile, 1).expect("every engine takes it");
        assert!(runs.len() >= 2);
        for run in &runs {
            assert_eq!((run.bodies, run.lost, run.quality.not_finite), (30, 0, 0), "{}", run.engine);
            assert!(run.quality.kinetic > 0.0, "{} fell nowhere", run.engine);
        }
    }

    #[test]
    fn every_engine_keeps_the_joints_of_a_net_and_others_are_refused() {
        let mut net = generators::make("net", Some(6)).expect("there is such a scene");
        net.scene.steps = 60;
        let runs = run(&net, 1).expect("every engine takes it");
        for run in &runs {
            assert_eq!((run.lost, run.quality.not_finite), (0, 0), "{}", run.engine);
            assert!(run.gap.is_some_and(|gap| gap < 0.05), "{} is apart by {:?}", run.engine, run.gap);
        }
        net.scene.joints[0].kind = JointKind::Fixed;
        assert!(run(&net, 1).is_err_and(|problem| problem.contains("joint 0") && problem.contains("fixed")));
    }
}
