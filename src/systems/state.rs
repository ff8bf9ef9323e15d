//! Everything a step works on: the working set, the caches and what was asked for.

use crate::awake::Awake;
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
use crate::kept::copy_fields;
use crate::math::{Real, Vec3};
use crate::parallel::{Crew, Helpers};
use crate::report::Counts;
use crate::rest::Rest;
use crate::settings::Settings;
use crate::solver::{Articulated, Solver};
use crate::systems;
use hecs::Entity;

/// With fewer bodies awake than this a snapshot is not worth handing to another thread.
pub(crate) const LEAST_SHARED: usize = 1000;

/// What the game changed since the last step, as `gather` found it. Lists of slots.
#[derive(Default)]
pub(crate) struct Changes {
    /// Slots whose entity is gone, and that entity.
    pub removed: Vec<(u32, Entity)>,
    /// Colliders that are new, or whose shape, layers, body or body's kind changed.
    pub reshaped: Vec<u32>,
    /// Colliders whose surface changed, or their place about the body's centre of mass.
    pub refreshed: Vec<u32>,
    /// Bodies in which anything changed.
    pub woken: Vec<u32>,
    /// Extra colliders whose body is still to be looked up.
    pub unadopted: Vec<u32>,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.reshaped.is_empty() && self.refreshed.is_empty() && self.woken.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.removed.clear();
        self.reshaped.clear();
        self.refreshed.clear();
        self.woken.clear();
        self.unadopted.clear();
    }
}

/// The state of a step: what the systems read and write. A user system gets it between two stages.
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
    /// What happened in this step, in a deterministic order.
    pub events: Vec<Event>,
    /// Counts of this step.
    pub counts: Counts,
    /// The threads that work on this step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) helpers: Helpers,
    /// The gravity that the bodies' accelerations hold.
    pub(crate) gravity_applied: Vec3,
    /// Whether gravity is another than in the last step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) gravity_changed: bool,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) changes: Changes,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) rows: systems::rows::Rows,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) gather: systems::gather::Scratch,
    pub(crate) broad_phase: systems::broad_phase::BroadPhase,
    pub(crate) sources: systems::contact_sources::Sources,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) awake: Awake,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) narrow_phase: systems::narrow_phase::NarrowPhase,
    pub(crate) impacts: systems::impacts::Impacts,
    pub(crate) solver: Solver,
    pub(crate) articulated: Articulated,
    pub(crate) resting: systems::resting::Resting,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) sweep: systems::sweep::Sweep,
    pub(crate) rest: Rest,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) motion: systems::motion::Motion,
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
            self.bodies.restamp([]);
        }
    }

    /// Copies what outlives a step, without the indices that follow from it: what it is copied into is only kept.
    pub(crate) fn copy_kept(&mut self, from: &Self, crew: Crew) {
        let crew = crew.for_items(from.awake_bodies(), LEAST_SHARED);
        let anew = self.bodies.edition != from.bodies.edition;
        let bodies = || {
            self.colliders.copy_kept(&from.colliders, anew);
            let moved = self.bodies.copy_kept(&from.bodies);
            self.rest.copy_kept(&from.rest, moved);
        };
        let contacts = || {
            self.contacts.copy_kept(&from.contacts);
            self.solver.copy_kept(&from.solver);
        };
        crew.join(bodies, contacts);
        self.copy_others(from);
    }

    /// Goes back to what was kept.
    pub(crate) fn restore(&mut self, from: &Self, crew: Crew) {
        let crew = crew.for_items(self.awake_bodies().max(from.awake_bodies()), LEAST_SHARED);
        let anew = self.bodies.edition != from.bodies.edition;
        let bodies = || {
            self.broad_phase.restore_tree(&self.colliders, &from.colliders);
            self.colliders.copy_kept(&from.colliders, anew);
            let moved = self.bodies.restore(&from.bodies);
            self.rest.copy_kept(&from.rest, moved);
        };
        let contacts = || {
            self.contacts.restore(&from.contacts);
            self.solver.copy_kept(&from.solver);
        };
        crew.join(bodies, contacts);
        self.copy_others(from);
        self.changes.clear();
        self.rows.outdate();
        self.awake.forget();
        self.narrow_phase.forget();
        self.islands.clear(self.bodies.slots());
    }

    /// Gives a slot the shape that the game's component has.
    #[cfg(feature = "serialize")]
    pub(crate) fn take_shape(&mut self, slot: usize, collider: &Collider) {
        self.colliders.geometry[slot] = Some(Geometry::from(&collider.0));
        self.bodies.inputs[slot].collider = Some(collider.clone());
        self.bodies.note_inputs(slot);
    }

    /// Bodies that a step works on.
    pub(crate) fn awake_bodies(&self) -> usize {
        self.bodies.live() - self.rest.body_count().min(self.bodies.live())
    }

    /// Copies what is neither of bodies nor of contacts, and little.
    fn copy_others(&mut self, from: &Self) {
        copy_fields!(self, from; settings, dt, gravity_applied, events, counts);
        self.joints.copy_kept(&from.joints);
        self.broad_phase.copy_kept(&from.broad_phase);
        self.sources.copy_kept(&from.sources);
        self.impacts.copy_kept(&from.impacts);
        self.articulated.copy_kept(&from.articulated);
        self.resting.copy_kept(&from.resting);
    }

    /// Kinetic energy of the dynamic bodies (J).
    pub fn kinetic_energy(&self) -> f64 {
        self.dynamic().map(|slot| self.kinetic_energy_of(slot)).sum()
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

    fn kinetic_energy_of(&self, slot: usize) -> f64 {
        let bodies = &self.bodies;
        let v = crate::math::to_f64(bodies.linear_velocity[slot]);
        // In principal axes the inertia is diagonal: no inverse of the world's inverse inertia is needed.
        let w: Vec3 = (bodies.orientation[slot] * bodies.frame[slot]).inverse() * bodies.angular_velocity[slot];
        let w = crate::math::to_f64(w);
        let spin = (crate::math::to_f64(bodies.principal[slot]) * w).dot(w);
        0.5 * (f64::from(bodies.mass[slot]) * v.length_squared() + spin)
    }
}
