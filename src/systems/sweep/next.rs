//! The next meeting of two colliders, in the order in which meetings happen.

use crate::motion::Meeting;
use std::cmp::Ordering;

/// How two colliders meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// With their surfaces.
    Surfaces,
    /// One with its core, behind surfaces that touch already.
    Cores,
    /// So deep that no core is left: they must not go on.
    Through,
}

/// A meeting that is to come, if neither body is hit before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Next {
    pub meeting: Meeting,
    pub met: Met,
    /// How fast the surfaces close (m/s).
    pub speed: f64,
    /// Slots of the colliders.
    pub colliders: [u32; 2],
    /// How often each body had been hit when it was foretold.
    pub versions: [u32; 2],
}

impl Eq for Next {}

impl Ord for Next {
    /// The greatest is the next: earliest, then fastest, then the least colliders.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .meeting
            .t
            .total_cmp(&self.meeting.t)
            .then(self.speed.total_cmp(&other.speed))
            .then(other.colliders.cmp(&self.colliders))
            .then(other.versions.cmp(&self.versions))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
