//! Time-of-impact events, in the order of their moments.

use crate::motion::TimeOfImpact;
use std::cmp::Ordering;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToiKind {
    /// The surfaces touch.
    Surfaces,
    /// The core of one touches, behind surfaces that touch already.
    Cores,
    /// Deeper than the smallest core: the bodies must stop.
    PassedThrough,
    /// The search has ended here, with the surfaces apart: the bodies must stop.
    Unknown,
}

/// A predicted event, valid if neither body is hit before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ToiEvent {
    pub toi: TimeOfImpact,
    pub kind: ToiKind,
    /// Approach speed (m/s).
    pub speed: f64,
    /// Slots of the colliders.
    pub colliders: [u32; 2],
    /// Trajectory versions of both bodies at the prediction.
    pub versions: [u32; 2],
}

impl Eq for ToiEvent {}

impl Ord for ToiEvent {
    /// The greatest comes first: earliest, then fastest, then the lowest colliders.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .toi
            .t
            .total_cmp(&self.toi.t)
            .then(self.speed.total_cmp(&other.speed))
            .then(other.colliders.cmp(&self.colliders))
            .then(other.versions.cmp(&self.versions))
    }
}

impl PartialOrd for ToiEvent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
