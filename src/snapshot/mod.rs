//! Snapshots: the complete state of a [`Physics`], for rollback and saved games.
//!
//! A restored world continues with the same bits as the first time, on any number of threads, in
//! the same [`Physics`] or in another.
//!
//! **A snapshot contains** all state kept between steps (slots, contacts and their impulses, the
//! layout of the solver, sleeping islands, joints), the events of the last step, and the columns
//! that the step writes: for bodies [`Position`], [`Orientation`], [`LinearVelocity`],
//! [`AngularVelocity`], [`ExternalImpulse`], [`SleepControl`], [`BodySlot`]; for joints [`JointState`].
//!
//! **The game restores itself**, before it calls [`Physics::restore`]:
//! * its own components, and those that only the game writes, such as [`Mass`], [`Material`] [`Disabled`] or
//!   [`KinematicTarget`]: a difference counts as an edit in the next step;
//! * entities. Despawn those spawned since the snapshot ([`Restored::newcomers`]; else they are new
//!   bodies in the next step). Spawn those despawned since, with [`hecs::World::spawn_at`] under the same entity (or
//!   under any entity, with [`Physics::restore_with`]), and with clones of their [`Collider`]s: a
//!   new collider of equal size is a different shape. (A snapshot from a file compares shapes by
//!   digest.)
//! * [`Settings`](crate::Settings), user systems, kernels, contact sources and hooks.
//!
//! **Files**: with the feature `serialize`, [`Snapshot::to_bytes`] and [`Snapshot::from_bytes`]
//! write and read files; any serde format works too. Corrupt files are errors. To continue from a
//! file, spawn the entities (with hecs' serialisation, or from the game's own data) and call
//! [`Physics::restore_with`].
//!
//! ```
//! use dolmen::prelude::*;
//! let mut world = hecs::World::new();
//! let mut physics = Physics::new(Settings::default());
//! world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
//! let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 2.0, 0.0));
//! physics.step(&mut world, 1.0 / 60.0)?;
//! let snapshot = physics.save(&world);
//! let mut run = |physics: &mut Physics, world: &mut hecs::World| {
//!     for _ in 0..60 {
//!         physics.step(world, 1.0 / 60.0).unwrap();
//!     }
//!     world.get::<&Position>(ball).unwrap().0
//! };
//! let first = run(&mut physics, &mut world);
//! let restored = physics.restore(&mut world, &snapshot);
//! assert!(restored.missing.is_empty());
//! assert_eq!(run(&mut physics, &mut world), first);
//! # Ok::<(), dolmen::StepError>(())
//! ```

#[cfg(feature = "serialize")]
mod file;
#[cfg(feature = "serialize")]
mod shapes;
#[cfg(feature = "serialize")]
mod validate;

#[cfg(feature = "serialize")]
pub use file::SnapshotError;

use crate::bodies::Kind;
use crate::components::*;
use crate::event::Event;
use crate::ids::NONE;
use crate::parallel::Threads;
use crate::physics::Physics;
use crate::pipeline::{LEAST_SHARED, Pipeline};
use crate::rows::{Rows, entity_of};
use crate::state::State;
use crate::systems::contact_sources::SourcePairs;
use crate::systems::gather::pending::{self, Pending};
use crate::systems::scatter;
use hecs::{Entity, World};
use rustc_hash::FxHashSet;

/// The state of a [`Physics`] at one moment: see the [module](self).
///
/// For rollback, keep a ring of snapshots and reuse them with [`Physics::save_into`]: this does not
/// allocate, and copies data that only the game changes only where it has changed.
#[derive(Default)]
pub struct Snapshot {
    pub(crate) state: State,
    pipeline: Pipeline,
    /// Edits of the game since the last step.
    pending: Vec<Pending>,
    joints: Vec<(Entity, JointState)>,
    /// Digests of the shapes by slot, for a snapshot from a file, which contains no shapes.
    #[cfg(feature = "serialize")]
    shapes: Option<Vec<u64>>,
    rows: Rows,
    changed: Vec<bool>,
}

/// The result of [`Physics::restore`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// Number of restored bodies, further colliders and joints.
    pub entities: usize,
    /// Entities of the snapshot that are not in the world: despawned, to the next step.
    pub missing: Vec<Entity>,
    /// Bodies, further colliders and joints of the world that are not in the snapshot, in the order of
    /// entities: new ones to the next step. A rollback despawns them.
    pub newcomers: Vec<Entity>,
}

impl Clone for Snapshot {
    fn clone(&self) -> Self {
        let mut snapshot = Self { pending: self.pending.clone(), joints: self.joints.clone(), ..Self::default() };
        snapshot.pipeline.copy_persistent(&mut snapshot.state, (&self.state, &self.pipeline), Threads::single());
        #[cfg(feature = "serialize")]
        snapshot.shapes.clone_from(&self.shapes);
        snapshot
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (bodies, pairs) = (self.state.bodies.live(), self.state.contacts.live_pairs);
        f.debug_struct("Snapshot").field("bodies", &bodies).field("pairs", &pairs).finish_non_exhaustive()
    }
}

impl Physics {
    /// A snapshot of the state between two steps.
    pub fn save(&self, world: &World) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.save_into(world, &mut snapshot);
        snapshot
    }

    /// Saves into an existing snapshot, and reuses its buffers.
    pub fn save_into(&self, world: &World, snapshot: &mut Snapshot) {
        #[cfg(feature = "serialize")]
        {
            snapshot.shapes = None;
        }
        let Snapshot { state, pipeline, pending, joints, rows, changed, .. } = snapshot;
        let (from, kept) = (self.state(), self.pipeline());
        let crew = self.crew().for_items(from.awake_bodies(), LEAST_SHARED);
        let columns = || {
            pending::list(world, rows, &from.bodies, changed, pending);
            joints.clear();
            joints.extend(world.query::<(Entity, &JointState)>().with::<&Joint>().iter().map(|(e, shown)| (e, *shown)));
        };
        crew.join(|| pipeline.copy_persistent(state, (from, kept), crew), columns);
    }

    /// Restores a snapshot: the next step gives the same bits as the step after the snapshot did.
    /// The [module](crate::snapshot) lists what the game must restore before.
    pub fn restore(&mut self, world: &mut World, snapshot: &Snapshot) -> Restored {
        self.restore_state(world, snapshot, None)
    }

    /// Restores a snapshot in a world with different entities: `find` maps an entity of the
    /// snapshot to one of the world, or to `None`.
    pub fn restore_with(
        &mut self,
        world: &mut World,
        snapshot: &Snapshot,
        mut find: impl FnMut(Entity) -> Option<Entity>,
    ) -> Restored {
        self.restore_state(world, snapshot, Some(&mut find))
    }

    fn restore_state(&mut self, world: &mut World, snapshot: &Snapshot, find: Option<Find>) -> Restored {
        let ((state, pipeline), crew) = self.state_and_crew();
        pipeline.restore(state, (&snapshot.state, &snapshot.pipeline), crew);
        let (mut pending, mut joints) = (None, None);
        if let Some(find) = find {
            let mut renamed = (snapshot.pending.clone(), snapshot.joints.clone());
            rename_entities(state, &mut pipeline.sources, &mut renamed, find);
            (pending, joints) = (Some(renamed.0), Some(renamed.1));
        }
        #[cfg(feature = "serialize")]
        if let Some(shapes) = &snapshot.shapes {
            shapes::take_shapes(state, world, shapes);
        }
        let joints = joints.as_ref().unwrap_or(&snapshot.joints);
        let mut restored = Restored::default();
        claim_slots(world, state, &mut restored);
        state.bodies.dirty.fill(true);
        scatter::write_dirty(world, &mut state.bodies, &mut state.rows);
        for pending in pending.as_ref().unwrap_or(&snapshot.pending) {
            pending.write(world);
        }
        for &(entity, shown) in joints {
            match world.insert_one(entity, shown) {
                Ok(()) => restored.entities += 1,
                Err(_) => restored.missing.push(entity),
            }
        }
        restored.newcomers.extend(newcomers(world, &state.rows, joints));
        restored
    }
}

/// Maps an entity of a snapshot to an entity of the world.
type Find<'a> = &'a mut dyn FnMut(Entity) -> Option<Entity>;

/// Replaces all entities of a state by their new ones; entities without one become
/// [`Entity::DANGLING`].
fn rename_entities(
    state: &mut State,
    sources: &mut SourcePairs,
    (pending, joints): &mut (Vec<Pending>, Vec<(Entity, JointState)>),
    find: Find,
) {
    let mut name = |entity: &mut Entity| *entity = find(*entity).unwrap_or(Entity::DANGLING);
    let State { bodies, joints: known, events, .. } = state;
    for slot in 0..bodies.slots() {
        if !matches!(bodies.kind[slot], Kind::Vacant | Kind::World) {
            name(&mut bodies.entity[slot]);
        }
        if let Some(of) = &mut bodies.inputs[slot].collider_of {
            name(&mut of.body);
        }
        if let Some(ignored) = &mut bodies.inputs[slot].ignored {
            ignored.0.iter_mut().for_each(&mut name);
        }
    }
    bodies.mark_all_edited();
    for (slot, spec) in known.specs.iter_mut().enumerate() {
        if let Some(spec) = spec {
            name(&mut known.entity[slot]);
            known.owners[slot].iter_mut().chain(&mut spec.bodies).flatten().for_each(&mut name);
        }
    }
    sources.entities_mut().for_each(&mut name);
    events.iter_mut().flat_map(Event::entities_mut).for_each(&mut name);
    pending.iter_mut().for_each(|pending| name(&mut pending.entity));
    joints.iter_mut().for_each(|(entity, _)| name(entity));
}

/// The bodies, further colliders and joints that a snapshot does not know, in the order of entities.
fn newcomers(world: &World, rows: &Rows, joints: &[(Entity, JointState)]) -> Vec<Entity> {
    let mut all: Vec<Entity> = Vec::new();
    for (archetype, slots) in rows.archetypes(world).filter(|(_, slots)| slots.contains(&NONE)) {
        let unknown = (0..slots.len()).filter(|&row| slots[row] == NONE);
        all.extend(unknown.map(|row| entity_of(world, archetype, row)));
    }
    let known: FxHashSet<Entity> = joints.iter().map(|(entity, _)| *entity).collect();
    let mut query = world.query::<Entity>().with::<&Joint>();
    all.extend(query.iter().filter(|entity| !known.contains(entity)));
    all.sort_unstable_by_key(|entity| entity.to_bits());
    all.dedup();
    all
}

/// Writes the slots of the snapshot's entities to the world's rows.
fn claim_slots(world: &mut World, state: &mut State, restored: &mut Restored) {
    let State { bodies, rows, .. } = state;
    restored.entities = rows.read(world, bodies);
    if restored.entities == bodies.live() {
        return;
    }
    restored.entities = 0;
    for slot in (0..bodies.slots()).filter(|&slot| !matches!(bodies.kind[slot], Kind::Vacant | Kind::World)) {
        let entity = bodies.entity[slot];
        let own = world.get::<&mut BodySlot>(entity).map(|mut written| written.0 = slot as u32).is_ok();
        if own || world.insert_one(entity, BodySlot(slot as u32)).is_ok() {
            restored.entities += 1;
        } else {
            restored.missing.push(entity);
        }
    }
    rows.read(world, bodies);
}
