//! Moments of a game, and the inputs since: to save, load, and go back in time.

use crate::game::State;
use crate::input::Input;
use dolmen::Snapshot;
use dolmen::control::{AppliedLoad, Character, CharacterState, DriveTrain, PoseController, Vehicle};
use dolmen::prelude::*;
use hecs::{Component, World};
use std::collections::VecDeque;

/// Steps between two moments that are kept.
const APART: u64 = 30;
/// Steps that can be undone.
const LONGEST: u64 = 900;

/// A column of a world: each entity with its component.
type Column<C> = Vec<(Entity, C)>;

fn column<C: Component + Clone>(world: &World) -> Column<C> {
    world.query::<(Entity, &C)>().iter().map(|(entity, component)| (entity, component.clone())).collect()
}

/// Writes a column again, and removes the component where it was not.
fn put_back<C: Component + Clone>(world: &mut World, rows: &Column<C>) {
    let now: Vec<Entity> = world.query::<(Entity, &C)>().iter().map(|(entity, _)| entity).collect();
    for entity in now.into_iter().filter(|entity| !rows.iter().any(|(known, _)| known == entity)) {
        world.remove_one::<C>(entity).expect("it has the component");
    }
    for (entity, component) in rows {
        world.insert_one(*entity, component.clone()).expect("the arena despawns nothing");
    }
}

/// The components that the game and its controllers write, besides those of a snapshot.
#[derive(Clone)]
struct Columns {
    disabled: Column<Disabled>,
    targets: Column<KinematicTarget>,
    joints: Column<Joint>,
    characters: Column<Character>,
    character_states: Column<CharacterState>,
    vehicles: Column<Vehicle>,
    trains: Column<DriveTrain>,
    controllers: Column<PoseController>,
    loads: Column<AppliedLoad>,
    forces: Column<ExternalForce>,
    torques: Column<ExternalTorque>,
}

/// A moment of a game.
#[derive(Clone)]
pub struct Moment {
    snapshot: Snapshot,
    columns: Columns,
    state: State,
}

impl Moment {
    /// The game as it is.
    pub fn of(world: &World, physics: &Physics, state: &State) -> Self {
        let columns = Columns {
            disabled: column(world),
            targets: column(world),
            joints: column(world),
            characters: column(world),
            character_states: column(world),
            vehicles: column(world),
            trains: column(world),
            controllers: column(world),
            loads: column(world),
            forces: column(world),
            torques: column(world),
        };
        Self { snapshot: physics.save(world), columns, state: state.clone() }
    }

    /// The game as it was.
    pub fn restore(&self, world: &mut World, physics: &mut Physics, state: &mut State) {
        let Columns { disabled, targets, joints, characters, character_states, .. } = &self.columns;
        put_back(world, disabled);
        put_back(world, targets);
        put_back(world, joints);
        put_back(world, characters);
        put_back(world, character_states);
        let Columns { vehicles, trains, controllers, loads, forces, torques, .. } = &self.columns;
        put_back(world, vehicles);
        put_back(world, trains);
        put_back(world, controllers);
        put_back(world, loads);
        put_back(world, forces);
        put_back(world, torques);
        let restored = physics.restore(world, &self.snapshot);
        assert!(restored.missing.is_empty() && restored.newcomers.is_empty(), "the arena has always the same bodies");
        *state = self.state.clone();
    }
}

/// The last fifteen seconds: moments, and the inputs of all steps after the first of them.
#[derive(Default)]
pub struct History {
    moments: VecDeque<Moment>,
    inputs: VecDeque<Input>,
}

impl History {
    /// Remembers a step that is about to be taken.
    pub fn record(&mut self, world: &World, physics: &Physics, state: &State, input: Input) {
        if self.moments.is_empty() || state.step.is_multiple_of(APART) {
            self.moments.push_back(Moment::of(world, physics, state));
        }
        self.inputs.push_back(input);
        while let Some(second) = self.moments.get(1).map(|moment| moment.state.step)
            && second + LONGEST <= state.step
            && let Some(first) = self.moments.pop_front()
        {
            self.inputs.drain(..(second - first.state.step) as usize);
        }
    }

    /// Forgets all after a step, which must be one that is known or the next one: returns the moment
    /// before it, and the inputs from there to it.
    pub fn back_to(&mut self, step: u64) -> Option<(Moment, Vec<Input>)> {
        let first = self.moments.front()?.state.step;
        let step = step.max(first);
        self.inputs.truncate((step - first) as usize);
        while self.moments.back().is_some_and(|last| last.state.step > step) {
            self.moments.pop_back();
        }
        let moment = self.moments.pop_back()?;
        let inputs = self.inputs.split_off((moment.state.step - first) as usize);
        Some((moment, inputs.into()))
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
