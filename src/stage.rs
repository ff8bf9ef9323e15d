//! The stages of a step, in the order of the schedule.

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
