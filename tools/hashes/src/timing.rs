//! Time of the substepping solver on a SIMD level. Under emulation only its ratio to another level means something.

use dolmen::Stage;
use dolmen::resting::RestingMethod;
use dolmen::scene::{Simulation, generators};
use dolmen::solver::SimdLevel;

/// Steps before the measurement, in which the pile falls, and those of it.
const STEPS: [usize; 2] = [60, 40];

/// Nanoseconds of the solve stage per manifold and substep, in a pile of 400 cubes on one thread: the least of several
/// steps. `None` without a clock.
pub fn solve(level: SimdLevel) -> Option<f64> {
    let mut scene = generators::make("pile", Some(400))?.scene;
    scene.settings.threads = Some(1);
    scene.settings.sleep = false;
    let mut simulation = Simulation::new(&scene).ok()?;
    simulation.physics().settings.resting_method = RestingMethod::Iterative;
    simulation.physics().set_simd(level);
    let mut least = f64::INFINITY;
    for step in 0..STEPS[0] + STEPS[1] {
        let mut work = 0;
        let mut time = 0.0;
        simulation
            .step_with(|physics, world, dt| {
                physics.step(world, dt).inspect(|report| {
                    work = report.counts.manifolds * report.counts.substeps;
                    time = report.times.of(Stage::Solve).as_secs_f64() * 1e9;
                })
            })
            .ok()?;
        if step >= STEPS[0] && work > 0 {
            least = least.min(time / work as f64);
        }
    }
    (least > 0.0 && least.is_finite()).then_some(least)
}
