//! The same scenes in dolmen and in other engines.
//!
//! The engines take turns step by step, so that other load of the machine affects all of them, and
//! never run at the same time. Quality is measured from poses, by the same code for all.

#[cfg(feature = "box3d")]
mod box3d;
mod engine;
mod options;
mod poses;
mod rapier;
mod table;

use clap::Parser;
use dolmen::scene::generators::Generated;
use dolmen::scene::metrics::Probe;
use dolmen::scene::{Built, build};
use engine::{Dolmen, Engine, Task};
use hecs::World;
use options::Options;
use poses::{Frames, Poses};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use table::Run;

fn main() -> ExitCode {
    match compare(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn compare(options: &Options) -> Result<(), String> {
    if options.poses.is_some() && (options.scene.len() > 1 || options.size.len() > 1) {
        return Err("--poses writes one scene in one size: name them with --scene and --size".to_owned());
    }
    println!("{}", table::head());
    let mut csv = table::CSV_HEAD.to_owned();
    for scene in &options.scene {
        let usual = [scene.usual];
        let sizes: Vec<usize> = options.size.iter().map(|size| size.get()).collect();
        for &size in if sizes.is_empty() { &usual[..] } else { &sizes } {
            let mut generated = scene.make(size);
            generated.scene.steps = options.steps.unwrap_or(generated.scene.steps);
            generated.scene.settings.sleep |= options.sleep;
            let (runs, frames) = run(&generated, options).map_err(|e| format!("{} {size}: {e}", scene.name))?;
            for row in table::rows(scene.name, size, &runs, generated.top.is_some()) {
                println!("{row}");
            }
            csv += &table::csv(scene.name, size, &runs);
            if let (Some(file), Some(every)) = (&options.poses, options.every) {
                let command = format!(
                    "cargo run --release -p dolmen-peers --features box3d -- --scene {} --size {size} --steps {} \
                     --every {every} --poses FILE",
                    scene.name, generated.scene.steps
                );
                let poses = Poses { command, every, engines: frames };
                write(file, &(serde_json::to_string(&poses).map_err(|e| e.to_string())? + "\n"))?;
            }
        }
    }
    options.csv.as_ref().map_or(Ok(()), |file| write(file, &csv))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}

/// An engine in a run: its name, its substeps if they are not its own, and the world in it.
type Named = (&'static str, Option<usize>, Box<dyn Engine>);

/// The results of all engines, and the poses of the others if they are asked for.
fn run(generated: &Generated, options: &Options) -> Result<(Vec<Run>, Vec<Frames>), String> {
    // The output world, in which all engines' poses are measured.
    let mut world = World::new();
    let Built { entities, settings, dt, .. } = build(&generated.scene, &mut world).map_err(|e| e.to_string())?;
    let mut probe = Probe::new(&world, &entities, settings.gravity.as_dvec3()).map_err(|(_, e)| e.to_string())?;
    let mut task = Task { settings, dt, threads: options.threads.get(), substeps: None };
    let mut own = World::new();
    let built = build(&generated.scene, &mut own).map_err(|e| e.to_string())?;
    let bodies = engine::bodies(&world, &entities)?;
    let pins = engine::pins(&generated.scene.joints)?;
    let mut engines: Vec<Named> =
        vec![("dolmen", None, Box::new(Dolmen::new(own, built.entities, entities.clone(), &task)))];
    let usual = [None];
    let asked: Vec<Option<usize>> =
        options.substeps.iter().map(|&substeps| Some(NonZeroUsize::get(substeps))).collect();
    for &substeps in if asked.is_empty() { &usual[..] } else { &asked } {
        task.substeps = substeps;
        engines.push(("rapier", substeps, Box::new(rapier::Rapier::new(&bodies, &pins, &task)?)));
        #[cfg(feature = "box3d")]
        engines.push(("box3d", substeps, Box::new(box3d::Box3d::new(&bodies, &pins, &task)?)));
    }
    let mut times = vec![Vec::with_capacity(generated.scene.steps as usize); engines.len()];
    let mut frames: Vec<Frames> = engines[1..]
        .iter()
        .map(|(engine, ..)| Frames { engine: (*engine).to_owned(), frames: vec![poses::poses(&world, &entities)] })
        .collect();
    for step in 1..=generated.scene.steps {
        for ((.., engine), times) in engines.iter_mut().zip(&mut times) {
            let clock = Instant::now();
            engine.step()?;
            times.push(clock.elapsed().as_secs_f64() * 1e3);
        }
        if options.every.is_some_and(|every| step.is_multiple_of(every)) {
            for ((.., engine), frames) in engines[1..].iter().zip(&mut frames) {
                engine.write(&mut world);
                frames.frames.push(poses::poses(&world, &entities));
            }
        }
    }
    let measured = engines.iter().zip(times).map(|((engine, substeps, it), times)| {
        it.write(&mut world);
        let tail = &times[times.len().saturating_sub(100)..];
        Run {
            engine,
            substeps: *substeps,
            bodies: generated.dynamic(),
            last: quantile(tail, 0.5),
            mean: times.iter().sum::<f64>() / times.len().max(1) as f64,
            median: quantile(&times, 0.5),
            p95: quantile(&times, 0.95),
            worst: quantile(&times, 1.0),
            quality: probe.measure(&world),
            top: generated.top_error(&world, &entities),
            lost: generated.lost(&world, &entities),
            gap: engine::worst_gap(&world, &entities, &pins),
        }
    });
    Ok((measured.collect(), frames))
}

/// The time that this share of the steps takes at most.
fn quantile(times: &[f64], share: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (share * sorted.len() as f64) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dolmen::scene::format::JointKind;
    use dolmen::scene::generators;

    fn options(arguments: &[&str]) -> Options {
        Options::parse_from(["peers"].iter().chain(arguments))
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_times() {
        let times: Vec<f64> = (0..100).rev().map(f64::from).collect();
        assert_eq!([0.5, 0.95, 1.0].map(|share| quantile(&times, share)), [50.0, 95.0, 99.0]);
        assert_eq!(quantile(&[], 0.5), 0.0);
    }

    /// A few steps of a small pile: all engines must have the same scene.
    #[test]
    fn every_engine_steps_the_same_bodies_and_loses_none() {
        let mut pile = generators::make("mixed", Some(30)).expect("there is such a scene");
        pile.scene.steps = 60;
        let asked = options(&["--substeps", "2,4", "--every", "30", "--poses", "none"]);
        let (runs, frames) = run(&pile, &asked).expect("every engine takes it");
        assert!(runs.len() >= 3 && frames.len() == runs.len() - 1);
        for run in &runs {
            assert_eq!((run.bodies, run.lost, run.quality.not_finite), (30, 0, 0), "{}", run.engine);
            assert!(run.quality.kinetic > 0.0, "{} fell nowhere", run.engine);
        }
        for of in &frames {
            assert_eq!(of.frames.iter().map(Vec::len).collect::<Vec<_>>(), [6 * pile.scene.bodies.len(); 3]);
            assert_ne!(of.frames[1], of.frames[2], "{}", of.engine);
        }
    }

    #[test]
    fn every_engine_keeps_the_joints_of_a_net_and_others_are_refused() {
        let mut net = generators::make("net", Some(6)).expect("there is such a scene");
        net.scene.steps = 60;
        let (runs, _) = run(&net, &options(&[])).expect("every engine takes it");
        for run in &runs {
            assert_eq!((run.lost, run.quality.not_finite), (0, 0), "{}", run.engine);
            assert!(run.gap.is_some_and(|gap| gap < 0.05), "{} is apart by {:?}", run.engine, run.gap);
        }
        net.scene.joints[0].kind = JointKind::Fixed;
        assert!(
            run(&net, &options(&[])).is_err_and(|problem| problem.contains("joint 0") && problem.contains("fixed"))
        );
    }
}
