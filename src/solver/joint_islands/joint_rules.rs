//! Decision table of islands with joints: how stiff their joints are, and what they may fall back
//! to.
//!
//! Pure functions; costly facts are closures, asked for by the rows that need them only. The table
//! of the solve stage, which gives an island to this solver at all, is that of
//! `systems::solve::assign`. The number of substeps follows from the rule and the joint loads: see
//! [`substep_plan`](super::substep_plan).
//!
//! # Joint rule
//!
//! | # | condition | rule |
//! |---|---|---|
//! | 1 | `Game` | [`Compliant`](JointRule::Compliant) |
//! | 2 | substeps not fixed, a fallible group overloaded | [`Compliant`](JointRule::Compliant) |
//! | 3 | some group is fallible | [`RigidWithFallback`](JointRule::RigidWithFallback) |
//! | 4 | else | [`Rigid`](JointRule::Rigid) |
//!
//! A group is fallible, so that it [may fall back](may_fall_back), if it is direct, has a loop, and
//! has bounded rows or contacts in its island: nearly redundant rigid rows then give huge impulses.
//! Overloaded: its mean load of the last step exceeds the ratio
//! `JOINTS.rigid_loop_load_ratio`.
//!
//! # Flags
//!
//! | flag | condition |
//! |---|---|
//! | joints count for a pile | all groups are direct, of at most `JOINTS.pile_max_joints` joints |
//! | predicts | `Game`, a pile, more than `IMPACTS.small_island` contacts |

use crate::solver::joint::joint_graph::{JointGraph, JointGroup};
use crate::tolerances::{IMPACTS, JOINTS};

/// Accuracy of the joint solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// One solution per substep.
    Game,
    /// Several solutions per substep; heavily loaded loops as in `Game`: see
    /// `JOINTS.rigid_loop_load_ratio`.
    Exact,
}

/// Stiffness of the joints of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointRule {
    /// The CFM of `Game`.
    Compliant,
    /// The least CFM.
    Rigid,
    /// The least CFM; the step is repeated with that of `Game` if the joints turn out overloaded.
    RigidWithFallback,
}

impl JointRule {
    /// The rule of an island. `overloaded`: some group that may fall back was overloaded in the
    /// last step. `may_fall_back`: some group may.
    pub fn new(
        precision: Precision,
        fixed_substeps: bool,
        overloaded: impl FnOnce() -> bool,
        may_fall_back: impl FnOnce() -> bool,
    ) -> Self {
        if precision == Precision::Game || !fixed_substeps && overloaded() {
            Self::Compliant
        } else if may_fall_back() {
            Self::RigidWithFallback
        } else {
            Self::Rigid
        }
    }

    /// True if the CFM is the least.
    pub fn is_rigid(self) -> bool {
        self != Self::Compliant
    }
}

/// True if a group of the graph may fall back to compliant joints.
pub(super) fn may_fall_back(graph: &JointGraph, group: &JointGroup, has_contacts: bool) -> bool {
    group_may_fall_back(group.iterative, group.has_loop, has_contacts, || graph.has_bounds(group))
}

fn group_may_fall_back(iterative: bool, has_loop: bool, has_contacts: bool, has_bounds: impl FnOnce() -> bool) -> bool {
    !iterative && has_loop && (has_contacts || has_bounds())
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
    fn each_row_of_the_joint_rule_holds() {
        let rule = |precision, fixed, overloaded, may| JointRule::new(precision, fixed, || overloaded, || may);
        assert_eq!(rule(Game, false, false, false), JointRule::Compliant);
        assert_eq!(rule(Exact, false, true, true), JointRule::Compliant);
        assert_eq!(rule(Exact, true, true, true), JointRule::RigidWithFallback);
        assert_eq!(rule(Exact, false, false, true), JointRule::RigidWithFallback);
        assert_eq!(rule(Exact, false, false, false), JointRule::Rigid);
        let never = || -> bool { unreachable!("a fact that no row needs") };
        assert!(!JointRule::new(Game, false, never, never).is_rigid());
        assert!(JointRule::new(Exact, true, never, || false).is_rigid());
    }

    #[test]
    fn closed_groups_that_something_presses_may_fall_back() {
        let may = |iterative, closed, contacts, bounds| group_may_fall_back(iterative, closed, contacts, || bounds);
        assert!(may(false, true, true, false) && may(false, true, false, true));
        assert!(!may(false, true, false, false) && !may(false, false, true, true) && !may(true, true, true, true));
    }

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
