//! Results of the stage for the stages after it.

use super::assign::IslandSolver;
use crate::math::Real;

/// Results of the stage, by island and by slot.
#[derive(Default)]
pub(crate) struct Solved {
    /// Solver of each island.
    pub solvers: Vec<IslandSolver>,
    /// True if the direct solver proved that each island is in equilibrium.
    pub in_equilibrium: Vec<bool>,
    /// Mean acceleration of each slot over the step (m/s²), from the substepping solvers.
    pub residual: Vec<Real>,
    /// True if a contact or joint acted on each slot in this step.
    pub pushed: Vec<bool>,
}
