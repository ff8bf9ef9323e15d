//! One run: a pure function from a scene to the figures of its row.

use crate::columns::{FIGURES, TIMES};
use crate::plan::Run;
use dolmen::scene::result::{BodyState, RunResult};
use dolmen::scene::{Simulation, read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use xxhash_rust::xxh3::xxh3_64;

/// The row of a run: its name, then its error or its figures.
pub fn row(run: &Run, times: bool) -> Vec<String> {
    let ran = match &run.input {
        Ok(scene) => catch_unwind(AssertUnwindSafe(|| figures(scene, times))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(format!("panic: {}", text.unwrap_or_default()))
        }),
        Err(error) => Err(error.clone()),
    };
    let (error, figures) = match ran {
        Ok(figures) => (String::new(), figures),
        Err(error) => (error, vec![String::new(); FIGURES.len() + if times { TIMES.len() } else { 0 }]),
    };
    let name = std::iter::once(&run.scene).chain(&run.values).chain([&run.digest, &error]).cloned();
    name.chain(figures).collect()
}

/// Steps a scene on one thread. Its figures, in the order of the columns.
fn figures(scene: &str, times: bool) -> Result<Vec<String>, String> {
    let mut scene = read(scene).map_err(|e| e.to_string())?;
    scene.settings.threads = Some(1);
    scene.output.every = 0;
    let mut simulation = Simulation::new(&scene).map_err(|e| e.to_string())?;
    while simulation.steps() < scene.steps {
        simulation.step().map_err(|error| {
            let place = simulation.path_of(&error).map(|path| format!("{path}: ")).unwrap_or_default();
            format!("after {} steps: {place}{error}", simulation.steps())
        })?;
    }
    let (quality, result) = (simulation.quality(), simulation.result());
    let energy = |of: fn(&dolmen::scene::result::EnergyRange) -> f64| {
        result.energy.as_ref().map(|energy| of(energy).to_string()).unwrap_or_default()
    };
    let mut figures = vec![
        result.steps.to_string(),
        energy(|energy| energy.start),
        energy(|energy| energy.end),
        energy(|energy| energy.max),
        quality.kinetic.to_string(),
        quality.penetration_mean.to_string(),
        quality.penetration_worst.to_string(),
        quality.drift.to_string(),
        quality.not_finite.to_string(),
        result.counts.points.to_string(),
        result.counts.asleep.to_string(),
        result.counts.impacts.to_string(),
        hash(&result),
    ];
    if times {
        figures.extend([result.ms.total, result.ms.median].map(|ms| ms.to_string()));
    }
    Ok(figures)
}

/// Hash of all bodies' poses and velocities, bit for bit.
fn hash(result: &RunResult) -> String {
    let numbers = |body: &BodyState| {
        let vectors = [body.position, body.linear_velocity, body.angular_velocity].into_iter().flatten();
        vectors.chain(body.orientation).flat_map(|number| number.to_bits().to_le_bytes()).collect::<Vec<_>>()
    };
    let bytes: Vec<u8> = result.bodies.iter().flat_map(numbers).collect();
    format!("{:016x}", xxh3_64(&bytes))
}
