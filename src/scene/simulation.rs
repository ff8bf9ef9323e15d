//! A simulation of a scene, with timing and samples.

use super::build::build;
use super::error::SceneError;
use super::format::{BodyRef, OutputSpec, Scene, SelectionSpec};
use super::metrics::{Probe, Quality};
use super::result::{
    BodyState, ContactState, EnergyRange, Milliseconds, RunCounts, RunResult, Sample, StageMilliseconds,
};
use crate::error::StepError;
use crate::math::{Real, to_f64};
use crate::physics::Physics;
use crate::report::StepReport;
use hecs::{Entity, World};
use std::collections::HashMap;
use std::time::Duration;

/// A scene in a world of its own, stepped and timed.
///
/// ```no_run
/// use dolmen::scene::{Simulation, generators};
/// let tower = generators::make("tower", Some(20)).expect("there is such a scene");
/// let mut simulation = Simulation::new(&tower.scene)?;
/// for _ in 0..600 {
///     simulation.step()?;
/// }
/// println!("{} m deep at worst", simulation.quality().penetration_worst);
/// println!("{} ms a step", simulation.result().ms.median);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation {
    world: World,
    physics: Physics,
    entities: Vec<Entity>,
    joints: Vec<Entity>,
    names: Vec<Option<String>>,
    dt: Real,
    probe: Probe,
    /// Indices of the sampled bodies, and the number of steps between samples (0: no samples).
    sampled: Vec<usize>,
    every: u64,
    steps: u64,
    /// Wall time of each step (ms).
    times: Vec<f64>,
    stages: StageMilliseconds,
    counts: RunCounts,
    energy: Option<EnergyRange>,
    samples: Vec<Sample>,
}

impl Simulation {
    /// Builds the scene, and takes the first sample if samples are enabled.
    ///
    /// # Errors
    /// Those of [`build`].
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        let mut world = World::new();
        let built = build(scene, &mut world)?;
        let mut probe =
            Probe::new(&world, &built.entities, to_f64(built.settings.gravity)).map_err(|(entity, e)| {
                let index = built.entities.iter().position(|&other| other == entity).unwrap_or_default();
                SceneError::new(format!("bodies[{index}].shape"), e.to_string())
            })?;
        let energy = scene.output.energy.then(|| EnergyRange::starting(probe.energy(&world)));
        let mut simulation = Self {
            world,
            physics: Physics::new(built.settings),
            entities: built.entities,
            joints: built.joints,
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            dt: built.dt,
            probe,
            sampled: sampled(&scene.output, scene),
            every: scene.output.every,
            steps: 0,
            times: Vec::new(),
            stages: StageMilliseconds::default(),
            counts: RunCounts::default(),
            energy,
            samples: Vec::new(),
        };
        simulation.sample();
        Ok(simulation)
    }

    /// Takes one step. Samples and energy are not included in its time.
    ///
    /// # Errors
    /// Those of [`Physics::step`].
    pub fn step(&mut self) -> Result<(), StepError> {
        self.step_with(Physics::step)
    }

    /// Takes one step by a function that is called in place of [`Physics::step`], such as one that
    /// records it.
    ///
    /// # Errors
    /// Those of the function.
    pub fn step_with<E>(
        &mut self,
        step: impl FnOnce(&mut Physics, &mut World, Real) -> Result<StepReport, E>,
    ) -> Result<(), E> {
        let clock = self.physics.clock();
        let begun = clock.now();
        let report = step(&mut self.physics, &mut self.world, self.dt)?;
        let time = clock.now().saturating_sub(begun);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        self.steps += 1;
        self.times.push(ms(time));
        for (stage, time) in report.times.iter() {
            self.stages.0[stage as usize] += ms(time);
        }
        self.counts.add(&report.counts);
        if let Some(energy) = &mut self.energy {
            energy.add(self.probe.energy(&self.world));
        }
        self.sample();
        Ok(())
    }

    fn sample(&mut self) {
        if self.every == 0 || !self.steps.is_multiple_of(self.every) {
            return;
        }
        self.samples.push(Sample {
            step: self.steps,
            time: self.steps as f64 * f64::from(self.dt),
            energy: self.energy.map(|energy| energy.end),
            bodies: self.sampled.iter().map(|&body| self.body(body)).collect(),
        });
    }

    fn body(&self, index: usize) -> BodyState {
        BodyState::of(&self.world, self.entities[index], self.names[index].as_deref())
    }

    /// The current quality.
    pub fn quality(&mut self) -> Quality {
        self.probe.measure(&self.world)
    }

    /// The output of the run so far.
    pub fn result(&self) -> RunResult {
        let index: HashMap<Entity, usize> = self.entities.iter().enumerate().map(|(i, &e)| (e, i)).collect();
        let contact = |c| ContactState::of(&c, |entity| index.get(&entity).copied());
        RunResult {
            engine: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            steps: self.steps,
            threads: self.physics.threads(),
            scalar: super::SCALAR,
            simd: self.physics.simd(),
            ms: Milliseconds::of(&self.times, self.stages.clone()),
            counts: RunCounts { bodies: self.entities.len(), ..self.counts },
            energy: self.energy,
            samples: self.samples.clone(),
            bodies: (0..self.entities.len()).map(|i| self.body(i)).collect(),
            contacts: self.physics.contacts().map(contact).collect(),
        }
    }

    /// The path in the scene file of an error's entity: `bodies[3]`. `None` if it is not a body or
    /// joint of the scene.
    pub fn path_of(&self, error: &StepError) -> Option<String> {
        let entity = error.entity()?;
        let find = |list: &[Entity], name| list.iter().position(|&e| e == entity).map(|i| format!("{name}[{i}]"));
        find(&self.entities, "bodies").or_else(|| find(&self.joints, "joints"))
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The bodies' entities, in the order of the file.
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// The joints' entities, in the order of the file.
    pub fn joints(&self) -> &[Entity] {
        &self.joints
    }

    /// The world; edits take effect in the next step.
    pub fn world(&mut self) -> &mut World {
        &mut self.world
    }

    /// The physics.
    pub fn physics(&mut self) -> &mut Physics {
        &mut self.physics
    }
}

/// Indices of the sampled bodies.
fn sampled(output: &OutputSpec, scene: &Scene) -> Vec<usize> {
    let all = 0..scene.bodies.len();
    match &output.bodies {
        SelectionSpec::Every(_) => all.collect(),
        SelectionSpec::These(chosen) => chosen
            .iter()
            .flat_map(|body| match body {
                BodyRef::Index(index) => vec![*index],
                BodyRef::Name(name) => all.clone().filter(|&i| scene.bodies[i].name.as_deref() == Some(name)).collect(),
            })
            .collect(),
    }
}
