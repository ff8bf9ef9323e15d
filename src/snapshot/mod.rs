//! Snapshots: the whole state of a [`Physics`] beside the components, to go back to.
//!
//! A world that is restored goes on with the same bits as it did the first time, on any number of threads, in this
//! [`Physics`] or in another.
//!
//! **What a snapshot holds**: everything that the step keeps between steps (slots, contacts and their impulses, what the solver
//! has laid out, parked islands, joints), the events of the last step, and of every body the columns that the step
//! writes: [`Position`], [`Orientation`], [`LinearVelocity`], [`AngularVelocity`], [`ExternalImpulse`], [`BodySlot`]; of
//! joints [`JointState`].
//!
//! **What a game restores itself**, before it calls [`Physics::restore`]:
//! * components of its own, and those that only it writes, such as [`Mass`], [`Material`] or [`KinematicTarget`]: where they are
//!   other than they were, the next step takes that for an edit;
//! * entities: those that came since are despawned, or they are newcomers to the next step; those that went are spawned
//!   again, with [`hecs::World::spawn_at`] under the same entity (or any, with [`Physics::restore_with`]), with
//!   the [`Collider`]s that they had: clones of them, for an equal shape made anew is another shape (a
//!   snapshot from a file goes by what shapes are like);
//! * [`Settings`](crate::Settings), user systems, kernels, sources and hooks: they are the game's own.
//!
//! **Files**: with the feature `serialize` a snapshot is [written as bytes](Snapshot::to_bytes) and [read
//! again](Snapshot::from_bytes), or goes through any serde format; a file that is damaged or something else is an error. To go
//! on from a file, spawn what was there (with hecs' own serialisation, or from the game's records) and call
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
mod sound;

#[cfg(feature = "serialize")]
pub use file::SnapshotError;

use crate::bodies::Kind;
use crate::components::*;
use crate::event::Event;
use crate::parallel::Crew;
use crate::physics::Physics;
use crate::systems::gather::pending::{self, Pending};
use crate::systems::rows::Rows;
use crate::systems::scatter;
use crate::systems::state::{LEAST_SHARED, State};
use hecs::{Entity, World};

/// The state of a [`Physics`] at one moment: see the [module](self).
///
/// For rollback keep a ring of them and fill them again and again with [`Physics::save_into`]: nothing is allocated then, and what
/// only the game changes is copied only where it did.
#[derive(Default)]
pub struct Snapshot {
    pub(crate) state: State,
    /// What the game had said since the last step.
    pending: Vec<Pending>,
    joints: Vec<(Entity, JointState)>,
    /// Of a snapshot from a file the digests of its shapes, by slot: it holds none.
    #[cfg(feature = "serialize")]
    shapes: Option<Vec<u64>>,
    rows: Rows,
    changed: Vec<bool>,
}

/// What [`Physics::restore`] came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// Bodies, extra colliders and joints that are in their places again.
    pub entities: usize,
    /// Entities of the snapshot that are not in the world: the next step takes them for despawned.
    pub missing: Vec<Entity>,
}

impl Clone for Snapshot {
    fn clone(&self) -> Self {
        let mut snapshot = Self { pending: self.pending.clone(), joints: self.joints.clone(), ..Self::default() };
        snapshot.state.copy_kept(&self.state, Crew::alone());
        #[cfg(feature = "serialize")]
        snapshot.shapes.clone_from(&self.shapes);
        snapshot
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (bodies, pairs) = (self.state.bodies.live(), self.state.contacts.live);
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

    /// Saves over an older snapshot, whose buffers are used again.
    pub fn save_into(&self, world: &World, snapshot: &mut Snapshot) {
        #[cfg(feature = "serialize")]
        {
            snapshot.shapes = None;
        }
        let Snapshot { state, pending, joints, rows, changed, .. } = snapshot;
        let from = self.state();
        let crew = self.crew().for_items(from.awake_bodies(), LEAST_SHARED);
        let columns = || {
            pending::list(world, rows, &from.bodies, changed, pending);
            joints.clear();
            joints.extend(world.query::<(Entity, &JointState)>().with::<&Joint>().iter().map(|(e, shown)| (e, *shown)));
        };
        crew.join(|| state.copy_kept(from, crew), columns);
    }

    /// Goes back to a snapshot: the next step goes on from there with the same bits as it did then. What a game must restore
    /// before it calls this stands in the [module's documentation](crate::snapshot).
    pub fn restore(&mut self, world: &mut World, snapshot: &Snapshot) -> Restored {
        self.go_back(world, snapshot, None)
    }

    /// Goes back to a snapshot in a world where the same things may be other entities: `find` says which, or that it is gone.
    pub fn restore_with(
        &mut self,
        world: &mut World,
        snapshot: &Snapshot,
        mut find: impl FnMut(Entity) -> Option<Entity>,
    ) -> Restored {
        self.go_back(world, snapshot, Some(&mut find))
    }

    fn go_back(&mut self, world: &mut World, snapshot: &Snapshot, find: Option<Find>) -> Restored {
        let (state, crew) = self.state_and_crew();
        state.restore(&snapshot.state, crew);
        let (mut pending, mut joints) = (None, None);
        if let Some(find) = find {
            let mut renamed = (snapshot.pending.clone(), snapshot.joints.clone());
            rename(state, &mut renamed, find);
            (pending, joints) = (Some(renamed.0), Some(renamed.1));
        }
        #[cfg(feature = "serialize")]
        if let Some(shapes) = &snapshot.shapes {
            file::take_shapes(state, world, shapes);
        }
        let joints = joints.as_ref().unwrap_or(&snapshot.joints);
        let mut restored = Restored::default();
        claim(world, state, &mut restored);
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
        restored
    }
}

/// Which entity another one is now.
type Find<'a> = &'a mut dyn FnMut(Entity) -> Option<Entity>;

/// Gives everything in a state its new entities. What is gone keeps its old name where that is nobody's, else it has none.
fn rename(state: &mut State, (pending, joints): &mut (Vec<Pending>, Vec<(Entity, JointState)>), find: Find) {
    let mut name = |entity: &mut Entity| *entity = find(*entity).unwrap_or(Entity::DANGLING);
    let State { bodies, joints: known, events, sources, .. } = state;
    for slot in 0..bodies.slots() {
        if !matches!(bodies.kind[slot], Kind::Vacant | Kind::World) {
            name(&mut bodies.entity[slot]);
        }
        if let Some(of) = &mut bodies.inputs[slot].collider_of {
            name(&mut of.body);
        }
    }
    bodies.restamp_all();
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

/// Lets every row of the snapshot's entities claim its slot.
fn claim(world: &mut World, state: &mut State, restored: &mut Restored) {
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
