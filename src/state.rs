//! The data of a step: bodies, colliders, joints, contacts, settings and events. The stages' own
//! caches are in their workspaces (see `pipeline`).

use crate::active_set::ActiveSet;
use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
#[cfg(feature = "serialize")]
use crate::components::Collider;
use crate::contact::ContactGraph;
#[cfg(feature = "serialize")]
use crate::contact::kernels::Geometry;
use crate::event::Event;
use crate::islands::Islands;
use crate::joints::Joints;
use crate::math::parry::bounding_volume::Aabb;
use crate::math::{Real, Vec3};
use crate::parallel::WorkerPool;
use crate::persist::copy_fields;
use crate::quarantine::Quarantine;
use crate::report::Counts;
use crate::rows::Rows;
use crate::settings::Settings;
use crate::sleep::SleepState;
use crate::solver::SimdLevel;
use hecs::Entity;

/// The game's changes since the last step, as `gather` found them. Lists of slots.
#[derive(Default)]
pub(crate) struct Changes {
    /// Slots of removed entities, with those entities.
    pub removed: Vec<(u32, Entity)>,
    /// Colliders that are new, or with other shape, layers, body or kind of body.
    pub reshaped: Vec<u32>,
    /// Colliders with another surface, or another pose relative to the centre of mass.
    pub refreshed: Vec<u32>,
    /// Static bodies that changed only inside a box (m, world axes), where parts of their shape came
    /// or went.
    pub mended: Vec<(u32, Aabb)>,
    /// Bodies with any change.
    pub woken: Vec<u32>,
    /// New and edited joints, in order.
    pub joints: Vec<u32>,
    /// Extra colliders without a body yet.
    pub orphans: Vec<u32>,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.reshaped.is_empty() && self.refreshed.is_empty() && self.woken.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.removed.clear();
        self.reshaped.clear();
        self.refreshed.clear();
        self.mended.clear();
        self.joints.clear();
        self.woken.clear();
        self.orphans.clear();
    }
}

/// The state of a step, read and written by the stages. User systems get it between two stages.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// The settings of this step.
    pub settings: Settings,
    /// The time step (s).
    pub dt: Real,
    /// All bodies, by slot.
    pub bodies: Bodies,
    /// All colliders, by slot.
    pub colliders: Colliders,
    /// All joints, by slots of their own.
    pub joints: Joints,
    /// Pairs, manifolds and the contacts of this step.
    pub contacts: ContactGraph,
    /// The islands of this step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub islands: Islands,
    /// Events of this step, in a deterministic order.
    pub events: Vec<Event>,
    /// Counts of this step.
    pub counts: Counts,
    /// The threads that work on this step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) helpers: WorkerPool,
    /// The SIMD level of the kernels; no result depends on it.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) simd: SimdLevel,
    /// The gravity that is contained in the bodies' accelerations.
    pub(crate) gravity_applied: Vec3,
    /// True if gravity differs from that of the last step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) gravity_changed: bool,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) changes: Changes,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) rows: Rows,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) active_set: ActiveSet,
    pub(crate) sleep: SleepState,
    /// Bodies that may differ from their columns: a buffer of `scatter`.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) changed: Vec<u32>,
    /// Bodies that take no part in this step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) quarantine: Quarantine,
}

impl State {
    /// Begins a step that has passed every check.
    pub(crate) fn begin(&mut self, settings: &Settings, dt: Real) {
        self.dt = dt;
        self.settings.clone_from(settings);
        self.events.clear();
        self.gravity_changed = self.gravity_applied != self.settings.gravity;
        if self.gravity_changed {
            self.gravity_applied = self.settings.gravity;
            for slot in 0..self.bodies.slots() {
                self.bodies.refresh_forces(slot, self.settings.gravity);
            }
            self.bodies.mark_edited([]);
        }
    }

    /// Gives a slot the shape of the component.
    #[cfg(feature = "serialize")]
    pub(crate) fn take_shape(&mut self, slot: usize, collider: &Collider) {
        self.colliders.geometry[slot] = Some(Geometry::from(&collider.0));
        self.bodies.inputs[slot].collider = Some(collider.clone());
        self.bodies.cache_inputs(slot);
    }

    /// The number of awake bodies of all kinds.
    pub(crate) fn awake_bodies(&self) -> usize {
        self.bodies.live() - self.sleep.body_count().min(self.bodies.live())
    }

    /// Updates the lists of active bodies and colliders; `revised` if a user system may have changed
    /// anything.
    pub(crate) fn update_active_bodies(&mut self, revised: bool) {
        self.active_set.update_bodies(&self.bodies, &self.colliders.body, &self.sleep, revised);
    }

    /// Updates the lists of active bodies, colliders and pairs.
    pub(crate) fn update_active_set(&mut self) {
        self.active_set.update(&self.bodies, &self.colliders.body, &self.contacts, &self.sleep);
    }

    /// Copies what outlives a step, bodies and contacts excepted.
    pub(crate) fn copy_others(&mut self, from: &Self) {
        copy_fields!(self, from; settings, dt, gravity_applied, events, counts);
        self.joints.copy_persistent(&from.joints);
    }

    /// Discards the data that follow from the bodies of the last step.
    pub(crate) fn forget(&mut self) {
        self.changes.clear();
        self.rows.forget();
        self.active_set.forget();
        self.islands.clear(self.bodies.slots());
    }

    /// Kinetic energy of the dynamic bodies (J).
    pub fn kinetic_energy(&self) -> f64 {
        self.dynamic().map(|slot| self.bodies.kinetic_energies(slot).iter().sum::<f64>()).sum()
    }

    /// Potential energy of the dynamic bodies in gravity (J), zero at the world's origin.
    pub fn potential_energy(&self) -> f64 {
        let bodies = &self.bodies;
        self.dynamic()
            .map(|slot| {
                let g = bodies.inputs[slot].gravity(self.settings.gravity);
                -f64::from(bodies.mass[slot]) * crate::math::to_f64(g).dot(crate::math::to_f64(bodies.center[slot]))
            })
            .sum()
    }

    fn dynamic(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bodies.slots()).filter(|&slot| self.bodies.kind[slot] == Kind::Dynamic)
    }
}
