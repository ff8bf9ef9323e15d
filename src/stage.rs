//! The stages of a step, in the order of the schedule.

/// A stage of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Reads the hecs columns into the working set.
    Gather,
    /// Finds overlapping boxes.
    BroadPhase,
    /// Takes the contacts of the game's contact sources.
    ContactSources,
    /// Computes contact points.
    NarrowPhase,
    /// Lets the game's hooks edit contacts before they are solved.
    ContactHooks,
    /// Finds islands: bodies connected by contacts and joints.
    Islands,
    /// Resolves collisions (by the propagation model).
    Impacts,
    /// Solves lasting contacts and joints: forces over the step.
    Solve,
    /// Integrates positions and orientations.
    Motion,
    /// Puts islands to sleep that are proved to be at rest.
    Sleep,
    /// Writes the working set back into the hecs columns.
    Scatter,
    /// Writes the events, in order.
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
        Self::Solve,
        Self::Motion,
        Self::Sleep,
        Self::Scatter,
        Self::Events,
    ];

    /// The stage's name in reports: `broad_phase`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::BroadPhase => "broad_phase",
            Self::ContactSources => "contact_sources",
            Self::NarrowPhase => "narrow_phase",
            Self::ContactHooks => "contact_hooks",
            Self::Islands => "islands",
            Self::Impacts => "impacts",
            Self::Solve => "solve",
            Self::Motion => "motion",
            Self::Sleep => "sleep",
            Self::Scatter => "scatter",
            Self::Events => "events",
        }
    }
}
