//! The fixed schedule, and where a game's own systems hook in.
//!
//! A step runs the stages of [`Stage::ALL`] in their order, always. User systems run between any two of them, in the order
//! in which they were added.

use crate::state::State;
use hecs::World;

/// A stage of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// hecs columns into the working set.
    Gather,
    /// Which boxes overlap.
    BroadPhase,
    /// What contact sources of the game's own emitted.
    ContactSources,
    /// Which surfaces touch, and where.
    NarrowPhase,
    /// What the game makes of the contacts before they are solved.
    ContactHooks,
    /// Which bodies hang together.
    Islands,
    /// Collisions: the propagation model.
    Impacts,
    /// Contacts that last: forces over the step.
    Resting,
    /// New positions and orientations.
    Motion,
    /// Which islands hold still for good.
    Rest,
    /// The working set back into hecs columns.
    Scatter,
    /// What happened, in order.
    Events,
}

impl Stage {
    /// All stages in the order of the schedule.
    pub const ALL: [Self; 12] = [
        Self::Gather,
        Self::BroadPhase,
        Self::ContactSources,
        Self::NarrowPhase,
        Self::ContactHooks,
        Self::Islands,
        Self::Impacts,
        Self::Resting,
        Self::Motion,
        Self::Rest,
        Self::Scatter,
        Self::Events,
    ];

    /// The stage's name, as in reports: `broad_phase`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::BroadPhase => "broad_phase",
            Self::ContactSources => "contact_sources",
            Self::NarrowPhase => "narrow_phase",
            Self::ContactHooks => "contact_hooks",
            Self::Islands => "islands",
            Self::Impacts => "impacts",
            Self::Resting => "resting",
            Self::Motion => "motion",
            Self::Rest => "rest",
            Self::Scatter => "scatter",
            Self::Events => "events",
        }
    }
}

/// A user system: sees the world as it was when the step began, and the working set as the stages left it.
pub type UserSystem = Box<dyn FnMut(&World, &mut State) + Send>;

/// The user systems of a [`Physics`](crate::Physics), each to run after a stage.
#[derive(Default)]
pub struct Schedule {
    systems: Vec<(Stage, UserSystem)>,
}

impl Schedule {
    /// Adds a system that runs after `stage` and before the next one, after the systems added there earlier.
    ///
    /// Between [`Stage::Gather`] and [`Stage::Scatter`] it may change the working set; what it changes there is what the game
    /// sees after the step.
    pub fn add_after(&mut self, stage: Stage, system: impl FnMut(&World, &mut State) + Send + 'static) {
        self.systems.push((stage, Box::new(system)));
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.systems.is_empty()
    }

    pub(crate) fn run_after(&mut self, stage: Stage, world: &World, state: &mut State) {
        for (_, system) in self.systems.iter_mut().filter(|(at, _)| *at == stage) {
            system(world, state);
        }
    }
}
