//! The recorder of a running world.

use super::changes::{self, Change};
use super::digest::Digests;
use super::mirror::Mirror;
use super::shapes::Shapes;
use super::{Extensions, RecordedStep, Recording, Start};
use crate::components::Particle;
use crate::error::StepError;
use crate::math::Real;
use crate::physics::Physics;
use crate::report::StepReport;
use crate::settings::Settings;
use hecs::{Entity, World};
use rustc_hash::FxHashMap;
use std::fmt;

/// Why a world could not be recorded. The step was not taken.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordError {
    /// The entity has a shape that no file can contain: a custom one.
    Shape {
        /// The entity.
        entity: Entity,
    },
    /// The entity is a particle: [`Particles`](crate::particles::Particles) are stepped by themselves,
    /// and no recording contains them.
    Particle {
        /// The entity.
        entity: Entity,
    },
    /// The world was stepped, or a snapshot restored, without the recorder: record it anew.
    Interrupted,
    /// The game added its first, or removed its last, extension of a kind: record it anew.
    Extension {
        /// The kind: pair kernels, contact hooks, contact sources or user systems.
        extension: &'static str,
    },
    /// The step itself was refused. The next step works once the cause is removed.
    Step(StepError),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { entity } => write!(f, "{entity:?}: the shape of its Collider cannot be recorded"),
            Self::Particle { entity } => write!(f, "{entity:?}: a Particle cannot be recorded"),
            Self::Interrupted => write!(f, "the world was stepped or restored without its recorder"),
            Self::Extension { extension } => write!(f, "{extension} were added or removed while recording"),
            Self::Step(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecordError {}

impl From<StepError> for RecordError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

/// A part of a recording: its start and the steps from there.
struct Part {
    start: Start,
    steps: Vec<RecordedStep>,
    /// Length of the steps (s).
    seconds: f64,
}

impl Part {
    fn new(world: &World, physics: &Physics, shapes: &mut Shapes) -> Result<Self, RecordError> {
        check_particles(world)?;
        let entities = changes::all(world, &physics.state().bodies, shapes)?;
        let start = Start {
            extensions: Extensions::of(physics),
            settings: physics.settings.clone(),
            snapshot: physics.save(world).to_bytes(),
            entities,
        };
        Ok(Self { start, steps: Vec::new(), seconds: 0.0 })
    }
}

impl Start {
    /// Drops newcomers of the first step that the start has with the same components.
    fn forget_known(&self, changes: &mut Vec<Change>) {
        let bytes = |change: &Change| postcard::to_allocvec(change).ok();
        let is_newcomer = |change: &Change| matches!(change, Change::Spawned(..));
        if changes.iter().any(is_newcomer) {
            let known: FxHashMap<Entity, &Change> = self.entities.iter().map(|known| (known.entity(), known)).collect();
            let is_known =
                |change: &Change| known.get(&change.entity()).is_some_and(|known| bytes(known) == bytes(change));
            changes.retain(|change| !(is_newcomer(change) && is_known(change)));
        }
    }
}

/// Refuses particles, at the cost of a look at each archetype.
fn check_particles(world: &World) -> Result<(), RecordError> {
    match world.query::<Entity>().with::<&Particle>().iter().next() {
        Some(entity) => Err(RecordError::Particle { entity }),
        None => Ok(()),
    }
}

/// Parts of a ring: the one that is written, and the whole one before.
const KEPT_PARTS: usize = 2;

/// Records a running world: see the [module](super).
pub struct Recorder {
    parts: Vec<Part>,
    shapes: Shapes,
    mirror: Mirror,
    digests: Digests,
    settings: Settings,
    moment: u64,
    /// The least time that is kept (s), if not everything is.
    kept: Option<f64>,
    /// Why the state could not be saved after the last step.
    refused: Option<RecordError>,
}

impl Recorder {
    /// Starts to record a world as it is now, before its first step or between any two.
    ///
    /// # Errors
    /// [`RecordError::Shape`] for an entity with a custom shape, [`RecordError::Particle`] for a
    /// particle.
    pub fn new(world: &World, physics: &Physics) -> Result<Self, RecordError> {
        let mut shapes = Shapes::default();
        let part = Part::new(world, physics, &mut shapes)?;
        Ok(Self {
            parts: vec![part],
            shapes,
            mirror: Mirror::new(world, &physics.state().bodies),
            digests: Digests::new(),
            settings: physics.settings.clone(),
            moment: physics.moment(),
            kept: None,
            refused: None,
        })
    }

    /// Starts a recording that keeps the last `seconds` (s, at least 0), and up to as much again. The state
    /// is saved anew every `seconds`, in the step that ends them.
    ///
    /// # Errors
    /// As [`Recorder::new`].
    pub fn ring(world: &World, physics: &Physics, seconds: Real) -> Result<Self, RecordError> {
        Ok(Self { kept: Some(f64::from(seconds.max(0.0))), ..Self::new(world, physics)? })
    }

    /// Records what the game changed since the last step, steps the world by `dt` seconds, and
    /// records the result.
    ///
    /// # Errors
    /// [`RecordError`]; then nothing was stepped or recorded.
    pub fn step(&mut self, physics: &mut Physics, world: &mut World, dt: Real) -> Result<StepReport, RecordError> {
        if let Some(refused) = self.refused.take() {
            return Err(refused);
        }
        if physics.moment() != self.moment {
            return Err(RecordError::Interrupted);
        }
        self.check_extensions(physics)?;
        check_particles(world)?;
        let (mut changes, shapes, mirror) = (Vec::new(), &mut self.shapes, &mut self.mirror);
        let report = physics.step_checked(world, dt, |found| {
            changes = changes::of(found, shapes)?;
            // Nothing refuses the step after this.
            mirror.changes(found.world, found.bodies(), &mut changes);
            Ok::<(), RecordError>(())
        })?;
        self.moment = physics.moment();
        let settings = (self.settings != physics.settings).then(|| Box::new(physics.settings.clone()));
        if settings.is_some() {
            self.settings.clone_from(&physics.settings);
        }
        let digest = self.digests.after_step(physics.state());
        self.digests.advance();
        let kept = self.kept;
        let part = self.part();
        if part.steps.is_empty() {
            part.start.forget_known(&mut changes);
        }
        part.seconds += f64::from(dt);
        part.steps.push(RecordedStep { dt, settings, changes, hash: digest.hash.to_le_bytes(), bodies: digest.bodies });
        if kept.is_some_and(|kept| part.seconds >= kept) {
            self.refused = self.begin_part(world, physics).err();
        }
        Ok(report)
    }

    /// The recording so far.
    pub fn recording(&self) -> Recording {
        Recording {
            start: self.parts[0].start.clone(),
            shapes: self.shapes.stored(),
            steps: self.parts.iter().flat_map(|part| &part.steps).cloned().collect(),
        }
    }

    /// The part that is written now.
    fn part(&mut self) -> &mut Part {
        self.parts.last_mut().expect("a recorder has a part from its start")
    }

    /// Begins another part, and forgets the last but one.
    fn begin_part(&mut self, world: &World, physics: &Physics) -> Result<(), RecordError> {
        self.shapes.part += 1;
        self.parts.push(Part::new(world, physics, &mut self.shapes)?);
        if self.parts.len() > KEPT_PARTS {
            self.parts.remove(0);
        }
        self.shapes.forget_before(self.shapes.part + 1 - self.parts.len() as u64);
        Ok(())
    }

    fn check_extensions(&self, physics: &Physics) -> Result<(), RecordError> {
        match Extensions::of(physics).difference(self.parts[0].start.extensions) {
            Some((extension, _)) => Err(RecordError::Extension { extension }),
            None => Ok(()),
        }
    }
}
