//! Why an island went to one solver or the other.

/// The reason for which a step chose the solver of an island, or of two the direct one or substeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SolverReason {
    /// Substeps: a direct solve failed or was over its budget a short time ago.
    BackingOff,
    /// Substeps: [`Settings::resting_method`](crate::Settings::resting_method) asks for them.
    Method,
    /// Substeps: it has joints and moves.
    MovingJoints,
    /// Substeps: it has joints, and may not sleep.
    SleepOff,
    /// Substeps: it has too many contact points and joints.
    TooLarge,
    /// Substeps: it has joints, and no contact carries a load.
    Unloaded,
    /// Substeps: it has joints with motors, springs or friction, or near a limit.
    SoftJoints,
    /// Substeps: it is large and moves.
    MovingLarge,
    /// Substeps: it moves, and so do too many others.
    Crowded,
    /// Substeps: it has rolling friction on a contact of one or two points.
    RollingFriction,
    /// Substeps: it is quiet, and the step has taken over as many such islands as it may.
    Waiting,
    /// Direct: quiet and jointed, and its contacts carry a load.
    LoadedJoints,
    /// Direct: [`Settings::resting_method`](crate::Settings::resting_method) asks for it.
    Requested,
    /// Direct: it is quiet, and may be proved to be at rest.
    Quiet,
    /// Direct: it moves, with [`Accuracy::Exact`](crate::Accuracy::Exact).
    MovingExact,
    /// Direct: it moves and is small, and few others move.
    MovingSmall,
    /// Direct: it moves, and is a slender tower.
    MovingSlender,
}

impl SolverReason {
    /// All reasons: first those for substeps.
    pub const ALL: [Self; 17] = [
        Self::BackingOff,
        Self::Method,
        Self::MovingJoints,
        Self::SleepOff,
        Self::TooLarge,
        Self::Unloaded,
        Self::SoftJoints,
        Self::MovingLarge,
        Self::Crowded,
        Self::RollingFriction,
        Self::Waiting,
        Self::LoadedJoints,
        Self::Requested,
        Self::Quiet,
        Self::MovingExact,
        Self::MovingSmall,
        Self::MovingSlender,
    ];

    /// True if the direct solver was chosen.
    pub const fn is_direct(self) -> bool {
        use SolverReason::*;
        matches!(self, LoadedJoints | Requested | Quiet | MovingExact | MovingSmall | MovingSlender)
    }
}

/// Numbers of awake islands by [`SolverReason`]. An island on which the direct solver fails
/// ([`Counts::fallbacks`](crate::Counts::fallbacks)) counts where it was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SolverReasons {
    islands: [usize; SolverReason::ALL.len()],
}

impl SolverReasons {
    /// Number of islands of a reason.
    pub const fn of(&self, reason: SolverReason) -> usize {
        self.islands[reason as usize]
    }

    /// The reasons with their numbers of islands.
    pub fn iter(&self) -> impl Iterator<Item = (SolverReason, usize)> + '_ {
        SolverReason::ALL.iter().map(|&reason| (reason, self.of(reason)))
    }

    pub(crate) fn add(&mut self, reason: SolverReason) {
        self.islands[reason as usize] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_place_of_its_own() {
        let mut reasons = SolverReasons::default();
        for (place, reason) in SolverReason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, place);
            (0..=place).for_each(|_| reasons.add(reason));
        }
        assert!(reasons.iter().map(|(_, islands)| islands).eq(1..=SolverReason::ALL.len()));
    }
}
