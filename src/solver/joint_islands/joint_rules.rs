//! Decision table of islands with joints.
//!
//! Pure functions. The table of the solve stage, which gives an island to this solver at all, is that
//! of `systems::solve::assign`. The number of substeps follows from the joint loads: see
//! [`substep_plan`](super::substep_plan).
//!
//! # Flags
//!
//! | flag | condition |
//! |---|---|
//! | joints count for a pile | all groups are direct, of at most `JOINTS.pile_max_joints` joints |
//! | predicts | `Game`, a pile, more than `IMPACTS.small_island` contacts |

use crate::tolerances::{IMPACTS, JOINTS};

/// Accuracy of the joint solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// One solution per substep; the CFM grows as substeps shorten.
    Game,
    /// Several solutions per substep; the least CFM; the energy guard.
    Exact,
}

/// True if a group of joints may be part of a pile.
pub(super) fn is_pile_group(iterative: bool, joints: usize) -> bool {
    !iterative && joints <= JOINTS.pile_max_joints
}

/// True if the poses of joints are predicted with their last impulses.
pub(super) fn predicts(precision: Precision, pile: bool, contacts: usize) -> bool {
    precision == Precision::Game && pile && contacts > IMPACTS.small_island
}

#[cfg(test)]
mod tests {
    use super::*;
    use Precision::{Exact, Game};

    #[test]
    fn piles_are_of_small_direct_groups_and_predict_with_many_contacts() {
        assert!(
            is_pile_group(false, JOINTS.pile_max_joints)
                && !is_pile_group(false, JOINTS.pile_max_joints + 1)
                && !is_pile_group(true, 1)
        );
        assert!(predicts(Game, true, IMPACTS.small_island + 1) && !predicts(Game, true, IMPACTS.small_island));
        assert!(!predicts(Game, false, IMPACTS.small_island + 1) && !predicts(Exact, true, IMPACTS.small_island + 1));
    }
}
