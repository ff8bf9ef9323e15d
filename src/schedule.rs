//! The fixed schedule, and user systems between its stages.
//!
//! A step always runs the stages of [`Stage::ALL`] in their order. User systems run between any two
//! of them, in the order in which they were added.

use crate::stage::Stage;
use crate::state::State;
use hecs::World;

/// A user system: it sees the world at the step's start, and the working set as the stages left it.
pub type UserSystem = Box<dyn FnMut(&World, &mut State) + Send>;

/// The user systems of a [`Physics`](crate::Physics), each with the stage after which it runs.
#[derive(Default)]
pub struct Schedule {
    systems: Vec<(Stage, UserSystem)>,
}

impl Schedule {
    /// Adds a system that runs after `stage` and before the next one, after the systems added there
    /// earlier.
    ///
    /// Between [`Stage::Gather`] and [`Stage::Scatter`] it may change the working set;
    /// [`Stage::Scatter`] writes those changes to the world.
    pub fn add_after(&mut self, stage: Stage, system: impl FnMut(&World, &mut State) + Send + 'static) {
        self.systems.push((stage, Box::new(system)));
    }

    /// True if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.systems.is_empty()
    }

    /// Runs the systems after a stage. Returns whether there are any.
    pub(crate) fn run_after(&mut self, stage: Stage, world: &World, state: &mut State) -> bool {
        let mut any = false;
        for (_, system) in self.systems.iter_mut().filter(|(at, _)| *at == stage) {
            system(world, state);
            any = true;
        }
        any
    }
}
