//! The plugin: settings, caches, and the step.

use crate::activity::Activity;
use crate::clock::Clock;
use crate::components::{RigidBody, SleepControl};
use crate::contact::kernels::PairKernels;
use crate::contact::{ContactHooks, ContactSources};
use crate::energy::{EnergyAccount, IslandEnergy};
use crate::error::{StepError, check_time_step};
use crate::event::Event;
use crate::game_time::GameTime;
use crate::ids::NONE;
use crate::math::{Real, Vec3};
use crate::parallel::{HAS_THREADS, Threads, current_threads};
use crate::persist::next_version;
use crate::pipeline::{Extensions, Pipeline};
use crate::query::{Queries, QueryIndex};
use crate::report::StepReport;
use crate::schedule::Schedule;
use crate::settings::Settings;
use crate::solver::SimdLevel;
use crate::stage::Stage;
use crate::state::State;
use crate::statics::{StaticsError, Structure};
use crate::systems;
use crate::systems::gather::Found;
use hecs::{Entity, World};
#[cfg(feature = "parallel")]
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;

/// Steps the bodies of a hecs world.
///
/// It holds settings, user systems and caches, and no state of the bodies: a new one in the middle
/// of a game continues from the components. Each world has a `Physics` of its own: one that steps two
/// worlds in turn meets all bodies anew in every step ([`Counts::added`](crate::Counts::added)).
///
/// ```
/// use dolmen::prelude::*;
/// let mut world = hecs::World::new();
/// let mut physics = Physics::new(Settings::default());
/// world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
/// let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 2.0, 0.0));
/// for _ in 0..120 {
///     physics.step(&mut world, 1.0 / 60.0)?;
/// }
/// let height = world.get::<&Position>(ball).unwrap().0.y;
/// assert!((height - 0.5).abs() < 1e-3);
/// # Ok::<(), dolmen::StepError>(())
/// ```
#[derive(Default)]
pub struct Physics {
    /// The settings; they may change between steps.
    pub settings: Settings,
    /// Steps and their scale, for [`advance`](Self::advance).
    pub time: GameTime,
    /// The user systems.
    pub schedule: Schedule,
    /// User-defined narrow-phase kernels for pairs of shapes.
    pub kernels: PairKernels,
    /// Sources of contacts without colliders.
    pub sources: ContactSources,
    /// User-defined filters and editors of contacts.
    pub hooks: ContactHooks,
    state: State,
    pipeline: Pipeline,
    clock: Clock,
    /// Version of the last step or restored snapshot.
    moment: u64,
    /// Built by the first query after a step.
    index: OnceLock<QueryIndex>,
    #[cfg(feature = "parallel")]
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Physics {
    /// A plugin with these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Steps the world by `dt` seconds, at most [`MAX_TIME_STEP`](crate::error::MAX_TIME_STEP).
    ///
    /// # Errors
    /// [`StepError`] for an impossible time step, setting or component; it names the entity, the
    /// component and the value. Then nothing was changed, and the next step works once the cause is
    /// removed.
    pub fn step(&mut self, world: &mut World, dt: Real) -> Result<StepReport, StepError> {
        self.step_checked(world, dt, |_| Ok(()))
    }

    /// Steps the world if `check` agrees, which sees what the game changed since the last step.
    ///
    /// # Errors
    /// As [`step`](Self::step), or what `check` refused; then nothing was changed.
    pub(crate) fn step_checked<E: From<StepError>>(
        &mut self,
        world: &mut World,
        dt: Real,
        check: impl FnOnce(&Found) -> Result<(), E>,
    ) -> Result<StepReport, E> {
        check_time_step(dt)?;
        self.settings.validate()?;
        self.prepare_pool()?;
        self.index.take();
        #[cfg(feature = "parallel")]
        self.state.helpers.begin(threads(self.settings.threads), self.pool.as_ref());
        #[cfg(not(feature = "parallel"))]
        self.state.helpers.begin(1);
        self.state.helpers.open();
        let begun = self.clock.now();
        let result = self.gather(world, dt, check).map(|()| self.run(world, begun));
        self.state.helpers.close();
        result
    }

    /// Reads the world, which can be refused.
    fn gather<E: From<StepError>>(
        &mut self,
        world: &mut World,
        dt: Real,
        check: impl FnOnce(&Found) -> Result<(), E>,
    ) -> Result<(), E> {
        let state = &mut self.state;
        state.contacts.begin_step(next_version());
        systems::velocity_limits::check(world)?;
        let driven = systems::kinematic_targets::run(world, dt)?;
        let asked = self.sources.collect(world, dt).map_err(E::from);
        let inputs = (&self.settings, &self.kernels);
        let read = asked.and_then(|()| self.pipeline.gather(world, state, inputs, dt, check));
        if read.is_err() {
            driven.undo(world);
        }
        read
    }

    /// Runs the stages of a step that nothing refused; it began at the time `begun`.
    fn run(&mut self, world: &World, mut begun: Duration) -> StepReport {
        let (state, pipeline) = (&mut self.state, &mut self.pipeline);
        let mut report = StepReport::default();
        let clock = self.clock;
        let mut lap = |report: &mut StepReport, stage| {
            let now = clock.now();
            report.times.set(stage, now.saturating_sub(begun));
            begun = now;
        };
        let extensions = Extensions {
            kernels: &self.kernels,
            hooks: &self.hooks,
            sources: &self.sources,
            user_systems: !self.schedule.is_empty(),
        };
        for stage in Stage::ALL {
            pipeline.run(stage, world, state, extensions);
            if self.schedule.run_after(stage, world, state) {
                state.update_active_bodies(true);
            }
            lap(&mut report, stage);
        }
        if !self.schedule.is_empty() {
            // User systems may have changed anything.
            state.bodies.mark_all_edited();
            state.contacts.mark_all();
            state.colliders.box_versions.fill(next_version());
        }
        self.moment = next_version();
        report.counts = state.counts;
        report.energy = state.settings.energy_tolerance.map(|_| pipeline.energy.account().sum());
        report
    }

    /// Builds the thread pool of the settings.
    fn prepare_pool(&mut self) -> Result<(), StepError> {
        #[cfg(feature = "parallel")]
        {
            let wanted = self.settings.threads.map(|_| self.threads()).filter(|&threads| threads > 1);
            if self.pool.as_ref().map(|pool| pool.current_num_threads()) != wanted {
                self.pool = match wanted {
                    None => None,
                    Some(threads) => {
                        Some(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
                            StepError::Setting {
                                setting: "threads",
                                problem: format!("no pool of {threads} threads: {e}"),
                            }
                        })?))
                    }
                };
            }
        }
        Ok(())
    }

    /// The events of the last step, in a deterministic order.
    pub fn events(&self) -> &[Event] {
        &self.state.events
    }

    /// The state after the last step: working set, contact graph, islands.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The workspaces of the stages.
    pub(crate) fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// The state, for tests of single stages.
    #[cfg(test)]
    pub(crate) fn state_mut(&mut self) -> &mut State {
        self.state_and_crew().0.0
    }

    /// The state and the workspaces, to be replaced, and the threads of this world. The index for
    /// queries is dropped.
    pub(crate) fn state_and_crew(&mut self) -> ((&mut State, &mut Pipeline), Threads<'_>) {
        self.index.take();
        self.moment = next_version();
        let threads = self.threads();
        #[cfg(feature = "parallel")]
        {
            ((&mut self.state, &mut self.pipeline), Threads::new(threads, self.pool.as_deref()))
        }
        #[cfg(not(feature = "parallel"))]
        {
            ((&mut self.state, &mut self.pipeline), Threads::new(threads))
        }
    }

    /// Queries against the state after the last step: rays, moving shapes, points, overlaps.
    pub fn query(&self) -> Queries<'_> {
        let index = self.index.get_or_init(|| QueryIndex::new(&self.state.bodies, &self.state.colliders));
        Queries::new(&self.state, self.pipeline.tree(), index, self.crew())
    }

    /// The threads of this world.
    pub(crate) fn crew(&self) -> Threads<'_> {
        #[cfg(feature = "parallel")]
        {
            Threads::new(self.threads(), self.pool.as_deref())
        }
        #[cfg(not(feature = "parallel"))]
        {
            Threads::new(self.threads())
        }
    }

    /// Kinetic energy of the dynamic bodies after the last step (J).
    pub fn kinetic_energy(&self) -> f64 {
        self.state.kinetic_energy()
    }

    /// Kinetic and potential energy of the dynamic bodies after the last step (J); potential energy
    /// is zero at the world's origin.
    pub fn energy(&self) -> f64 {
        self.state.kinetic_energy() + self.state.potential_energy()
    }

    /// The account of energy of the last step by island. Empty unless
    /// [`Settings::energy_tolerance`] is set.
    pub fn energy_account(&self) -> &EnergyAccount {
        self.pipeline.energy.account()
    }

    /// The account of the island of a body in the last step, and the entities of its bodies: `None`
    /// without an account, for bodies that are not dynamic, and for sleeping ones.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let mut world = hecs::World::new();
    /// let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).mass(2.0));
    /// let mut physics = Physics::new(Settings { energy_tolerance: Some(1e-3), ..Settings::default() });
    /// let report = physics.step(&mut world, 0.1)?;
    /// let (account, bodies) = physics.energy_of(&world, ball).unwrap();
    /// assert_eq!(bodies, [ball]);
    /// // It has fallen by g t² / 2.
    /// let fallen = 0.5 * 9.81 * 0.1 * 0.1;
    /// assert!((account.balance.gravity - 2.0 * 9.81 * fallen).abs() < 1e-5);
    /// assert!((account.balance.after - account.balance.gravity).abs() < 1e-5);
    /// assert_eq!(report.energy, Some(account.balance));
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    pub fn energy_of(&self, world: &World, body: Entity) -> Option<(&IslandEnergy, Vec<Entity>)> {
        let slot = self.slot(world, body)? as u32;
        let bodies = &self.state.bodies;
        let account = self.energy_account();
        let island = account.islands.iter().find(|island| account.bodies[island.bodies.clone()].contains(&slot))?;
        let members = &account.bodies[island.bodies.clone()];
        Some((island, members.iter().map(|&slot| bodies.entity[slot as usize]).collect()))
    }

    /// The structure of a dynamic body at the present poses: whether it stands, with which forces,
    /// and which load brings it down. Nothing is changed, and no step is needed before. The whole
    /// world is read, and its bodies are collided on a copy.
    ///
    /// # Errors
    /// [`StaticsError`], which names the entity.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// use dolmen::statics::Load;
    /// let mut world = hecs::World::new();
    /// world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    /// let block = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 0.5, 0.0).mass(2.0));
    /// let structure = Physics::default().statics(&world, block)?;
    /// assert!(structure.stability()?.stands);
    /// // A push at its upper edge tips it when it is half its weight.
    /// let push = Load::new(block, Vec3::X).at(Vec3::new(-0.5, 1.0, 0.0));
    /// let newtons = structure.breaking_load(&[push])?.factor;
    /// assert!((newtons - 0.5 * 2.0 * 9.81).abs() < 1e-4);
    /// # Ok::<(), dolmen::statics::StaticsError>(())
    /// ```
    pub fn statics(&self, world: &World, body: Entity) -> Result<Structure, StaticsError> {
        let Self { settings, kernels, hooks, sources, .. } = self;
        systems::statics::read(world, &systems::statics::StepInput { settings, kernels, hooks, sources }, body)
    }

    /// Whether a body sleeps after the last step, and if not, what keeps its island awake; `None` if
    /// the entity is no body of a step yet.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// use dolmen::Activity;
    /// let mut world = hecs::World::new();
    /// let mut physics = Physics::default();
    /// world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    /// let crates = [0.5, 1.5].map(|y| world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, y, 0.0)));
    /// for _ in 0..60 {
    ///     physics.step(&mut world, 1.0 / 60.0)?;
    /// }
    /// assert_eq!(physics.activity(&world, crates[0]), Some(Activity::Asleep { bodies: 2 }));
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    pub fn activity(&self, world: &World, entity: Entity) -> Option<Activity> {
        self.slot(world, entity).map(|slot| Activity::of(&self.state, slot))
    }

    /// The solver of the island of a dynamic body in the last step: `direct`, `substeps` or `joints`;
    /// `None` for bodies without an island, and for sleeping ones.
    pub fn solver_of(&self, world: &World, entity: Entity) -> Option<&'static str> {
        let slot = self.slot(world, entity).filter(|&slot| self.state.bodies.sleeping_island[slot] == NONE)?;
        let island = *self.state.islands.island_of.get(slot)?;
        Some(self.pipeline.solvers.solved.solvers.get(island as usize)?.name())
    }

    /// The slot of an entity that is a body.
    fn slot(&self, world: &World, entity: Entity) -> Option<usize> {
        let slot = world.get::<&crate::components::BodySlot>(entity).ok()?.get()? as usize;
        let bodies = &self.state.bodies;
        (bodies.entity.get(slot) == Some(&entity) && bodies.kind[slot].is_body()).then_some(slot)
    }

    /// The centre of mass of a body after the last step (m, world), if the entity is one.
    pub fn center_of_mass(&self, world: &World, entity: Entity) -> Option<Vec3> {
        self.slot(world, entity).map(|slot| self.state.bodies.center[slot])
    }

    /// Adds an impulse (N s) at a point (m, world) of a body, which acts at the start of the next
    /// step: [`ExternalImpulse::at_point`](crate::ExternalImpulse::at_point) about the centre of mass
    /// after the last step. A sleeping body wakes.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let mut world = hecs::World::new();
    /// let mut physics = Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() });
    /// let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).mass(2.0));
    /// physics.step(&mut world, 1.0 / 60.0)?;
    /// physics.apply_impulse(&mut world, ball, Vec3::X, Vec3::new(0.0, 0.5, 0.0))?;
    /// physics.step(&mut world, 1.0 / 60.0)?;
    /// assert!((world.get::<&LinearVelocity>(ball).unwrap().0.x - 0.5).abs() < 1e-6);
    /// assert!(world.get::<&AngularVelocity>(ball).unwrap().0.z < 0.0);
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    ///
    /// # Errors
    /// [`StepError::Component`] if the entity is no body, or has not been in a step yet: then its
    /// centre of mass is not known.
    pub fn apply_impulse(
        &self,
        world: &mut World,
        entity: Entity,
        impulse: Vec3,
        point: Vec3,
    ) -> Result<(), StepError> {
        let center = self.center_of_mass(world, entity).ok_or_else(|| StepError::Component {
            entity,
            component: "RigidBody",
            problem: "is missing, or has not been in a step yet, so that its centre of mass is not known".into(),
        })?;
        crate::components::ExternalImpulse::at_point(impulse, point, center).add_to(world, entity);
        Ok(())
    }

    /// Asks that the island of a body, or the body alone where nothing touches it, sleeps from the next
    /// step on: [`SleepControl::Asleep`]. Does nothing for a body that never sleeps.
    ///
    /// # Errors
    /// [`StepError::Component`] if the entity is no body.
    pub fn put_to_sleep(&self, world: &mut World, entity: Entity) -> Result<(), StepError> {
        request_sleep(world, entity, SleepControl::Asleep)
    }

    /// Asks that the island of a body is awake in the next step: [`SleepControl::Awake`].
    ///
    /// # Errors
    /// [`StepError::Component`] if the entity is no body.
    pub fn wake(&self, world: &mut World, entity: Entity) -> Result<(), StepError> {
        request_sleep(world, entity, SleepControl::Awake)
    }

    /// The SIMD level of a step: `avx512`, `avx2`, `sse2`, `neon`, `simd128` or `portable`.
    pub fn simd(&self) -> &'static str {
        self.state.simd.name()
    }

    /// Sets the SIMD level, to compare levels. The fastest is the default, and all give the same
    /// bits.
    pub fn set_simd(&mut self, level: SimdLevel) {
        self.state.simd = level;
    }

    /// Sets the clock that stage times are measured with: a function that returns the time since
    /// some fixed moment. Without it, stage times are zero on `wasm32-unknown-unknown`, which has no
    /// clock of its own.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// use std::time::Duration;
    /// let mut physics = Physics::new(Settings::default());
    /// // In a page: milliseconds of `performance.now()`.
    /// physics.set_clock(|| Duration::ZERO);
    /// let report = physics.step(&mut hecs::World::new(), 0.01)?;
    /// assert_eq!(report.times.total(), Duration::ZERO);
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    pub fn set_clock(&mut self, now: fn() -> Duration) {
        self.clock = Clock::new(now);
    }

    /// A number that differs after each step and each restored snapshot.
    #[cfg(feature = "serialize")]
    pub(crate) fn moment(&self) -> u64 {
        self.moment
    }

    /// The clock of stage times.
    #[cfg(feature = "serialize")]
    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// The number of threads that a step may use.
    pub fn threads(&self) -> usize {
        threads(self.settings.threads)
    }
}

/// Writes a request about sleep, but not over [`SleepControl::Never`].
fn request_sleep(world: &mut World, entity: Entity, request: SleepControl) -> Result<(), StepError> {
    if !world.satisfies::<&RigidBody>(entity) {
        return Err(StepError::Component { entity, component: "RigidBody", problem: "is missing".into() });
    }
    let known = world.get::<&mut SleepControl>(entity).map(|mut control| {
        if *control != SleepControl::Never {
            *control = request;
        }
    });
    if known.is_err() {
        world.insert_one(entity, request).expect("the entity was just seen");
    }
    Ok(())
}

/// The number of threads that a step may use: the world's own, or those of the pool it is called
/// in; one where the platform has no more.
fn threads(own: Option<usize>) -> usize {
    if HAS_THREADS { own.unwrap_or_else(current_threads) } else { 1 }
}
