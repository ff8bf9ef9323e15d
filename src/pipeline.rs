//! The stages in their order, and the workspaces that they keep between steps.
//!
//! Each stage takes the [`State`] and its own workspace; data of another stage's workspace are
//! passed as arguments.

use crate::contact::kernels::PairKernels;
use crate::contact::{ContactHooks, ContactSources};
use crate::error::StepError;
use crate::math::Real;
use crate::math::parry::partitioning::Bvh;
use crate::parallel::Threads;
use crate::settings::Settings;
use crate::stage::Stage;
use crate::state::State;
use crate::systems;
use hecs::World;

/// Number of awake bodies from which on a snapshot is copied by two threads.
pub(crate) const LEAST_SHARED: usize = 1000;

/// The game's own kernels, hooks and sources, for the stages, and whether it has systems too.
#[derive(Clone, Copy)]
pub(crate) struct Extensions<'a> {
    pub kernels: &'a PairKernels,
    pub hooks: &'a ContactHooks,
    pub sources: &'a ContactSources,
    /// True if the game has systems between the stages.
    pub user_systems: bool,
}

/// The workspaces of all stages. Fields without `skip` outlive a step and are part of a snapshot.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Pipeline {
    #[cfg_attr(feature = "serialize", serde(skip))]
    gather: systems::gather::Scratch,
    broad_phase: systems::broad_phase::BroadPhase,
    pub(crate) sources: systems::contact_sources::SourcePairs,
    #[cfg_attr(feature = "serialize", serde(skip))]
    narrow_phase: systems::narrow_phase::NarrowPhase,
    impacts: systems::impacts::Impacts,
    pub(crate) solvers: systems::solve::Solvers,
    #[cfg_attr(feature = "serialize", serde(skip))]
    motion: systems::motion::Motion,
    #[cfg_attr(feature = "serialize", serde(skip))]
    ccd: systems::ccd::CcdStage,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) energy: systems::energy::EnergyStage,
}

impl Pipeline {
    /// Runs the first stage, the only one that can refuse; `check` sees what the game changed.
    ///
    /// # Errors
    /// [`StepError::Component`] for the first impossible component found, or what `check` refused;
    /// then nothing was changed.
    pub(crate) fn gather<E: From<StepError>>(
        &mut self,
        world: &mut World,
        state: &mut State,
        inputs: (&Settings, &PairKernels),
        dt: Real,
        check: impl FnOnce(&systems::gather::Found) -> Result<(), E>,
    ) -> Result<(), E> {
        systems::gather::run(world, state, &mut self.gather, inputs, dt, check)
    }

    /// Runs a stage after [`gather`](Self::gather).
    pub(crate) fn run(&mut self, stage: Stage, world: &World, state: &mut State, extensions: Extensions) {
        let Extensions { kernels, hooks, sources, user_systems } = extensions;
        match stage {
            Stage::Gather => {
                state.update_active_bodies(false);
                systems::out_of_range::hold_driven(state);
            }
            Stage::BroadPhase => systems::broad_phase::run(world, state, &mut self.broad_phase, kernels, hooks),
            Stage::ContactSources => systems::contact_sources::run(world, state, &mut self.sources, sources),
            Stage::NarrowPhase => {
                systems::narrow_phase::run(state, &mut self.narrow_phase, self.impacts.written(), kernels, hooks);
                state.contacts.mark_awake(&state.active_set.pairs);
            }
            Stage::ContactHooks => systems::contact_hooks::run(world, state, hooks),
            Stage::Islands => {
                systems::islands::run(state);
                if !state.sleep.requested.is_empty() {
                    systems::sleep_requests::run(state);
                }
            }
            Stage::Impacts => {
                systems::energy::begin(state, &mut self.energy);
                systems::impacts::run(state, &mut self.impacts);
                if state.counts.impacts > 0 {
                    systems::out_of_range::hold_pushed(state);
                }
                systems::energy::after_impacts(state, &mut self.energy);
            }
            Stage::Solve => {
                systems::solve::run(state, &mut self.solvers, kernels, hooks.has_editors());
                systems::out_of_range::hold_pushed(state);
            }
            Stage::Motion => {
                let (tree, solved) = (self.broad_phase.tree(), &mut self.solvers.solved);
                let rules = systems::ccd::CollisionRules { world, kernels, hooks };
                systems::motion::run(state, &mut self.motion, &mut self.ccd, solved, tree, &rules);
                systems::velocity_limits::run(world, &mut state.bodies);
                let struck = (self.impacts.work_of_drives(), self.ccd.collisions());
                systems::energy::end(state, &mut self.energy, struck, user_systems);
            }
            Stage::Sleep => systems::sleep::run(state, &self.solvers.solved),
            Stage::Scatter => systems::scatter::run(world, state, &mut self.solvers, user_systems),
            Stage::Events => {
                systems::events::run(state, &mut self.sources);
                state.contacts.mark_awake(&state.active_set.pairs);
                state.contacts.mark_composites();
            }
        }
    }

    /// The enlarged boxes of all live colliders, at the poses before the bodies moved; leaves are
    /// slots.
    pub(crate) fn tree(&self) -> &Bvh {
        self.broad_phase.tree()
    }

    /// Copies what outlives a step, without the indices that follow from it: the copy is stored and
    /// not stepped.
    pub(crate) fn copy_persistent(&mut self, state: &mut State, (from, stored): (&State, &Self), crew: Threads) {
        let crew = crew.for_items(from.awake_bodies(), LEAST_SHARED);
        let edited = state.bodies.edit_version != from.bodies.edit_version;
        let bodies = || {
            state.colliders.copy_persistent(&from.colliders, edited);
            let moved = state.bodies.copy_persistent(&from.bodies);
            state.sleep.copy_persistent(&from.sleep, moved);
        };
        let contacts = || {
            state.contacts.copy_persistent(&from.contacts);
            self.solvers.copy_solver(&stored.solvers);
        };
        crew.join(bodies, contacts);
        state.copy_others(from);
        self.copy_others(stored);
    }

    /// Restores a copy.
    pub(crate) fn restore(&mut self, state: &mut State, (from, stored): (&State, &Self), crew: Threads) {
        let crew = crew.for_items(state.awake_bodies().max(from.awake_bodies()), LEAST_SHARED);
        let edited = state.bodies.edit_version != from.bodies.edit_version;
        let bodies = || {
            self.broad_phase.restore_tree(&state.colliders, &from.colliders);
            state.colliders.copy_persistent(&from.colliders, edited);
            let moved = state.bodies.restore(&from.bodies);
            state.sleep.copy_persistent(&from.sleep, moved);
        };
        let contacts = || {
            state.contacts.restore(&from.contacts);
            self.solvers.copy_solver(&stored.solvers);
        };
        crew.join(bodies, contacts);
        state.copy_others(from);
        self.copy_others(stored);
        state.forget();
    }

    /// Copies the small rest, bodies and contacts excepted.
    fn copy_others(&mut self, from: &Self) {
        self.broad_phase.copy_persistent(&from.broad_phase);
        self.sources.copy_persistent(&from.sources);
        self.impacts.copy_persistent(&from.impacts);
        self.solvers.copy_persistent(&from.solvers);
    }
}
