//! Limits and report of a search.

use super::certificate::Equilibrium;
use super::lp::LpCounts;
use crate::tolerances::DIRECT_NEWTON;

/// The accuracy of an island's impulses, and limits of the search for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveLimits {
    /// Impulses with a residual below this (of [`Problem::speed`](super::Problem::speed)) are kept:
    /// a settled island costs one residual.
    pub accept: f64,
    /// A search ends below this. If lower than `accept`, the island then stays below `accept` for
    /// many steps.
    pub target: f64,
    /// The most outer iterations of Newton's method, and the most sweeps.
    pub iterations: usize,
    /// The most matrices to factor; then the search ends with the best impulses found.
    pub factorisations: usize,
}

impl SolveLimits {
    /// One tolerance for both, and the default limit of iterations.
    pub const fn within(tolerance: f64) -> Self {
        Self { accept: tolerance, target: tolerance, iterations: DIRECT_NEWTON.iterations, factorisations: usize::MAX }
    }
}

/// Report of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// Residual of the contact laws, in the island's speed
    /// ([`Problem::speed`](super::Problem::speed)); see [`crate::resting`].
    pub residual: f64,
    /// True if that is within the tolerance asked for.
    pub converged: bool,
    /// Outer iterations of Newton's method, proximal steps of pivoting, or Gauss-Seidel sweeps.
    pub iterations: usize,
    /// Matrices factored.
    pub factorisations: usize,
    /// Distance of the bodies from equilibrium under these impulses. An island may sleep if it
    /// [holds](Equilibrium::holds), the search converged, and its bodies are slow.
    pub equilibrium: Equilibrium,
    /// Outcomes of the linear programs, if any were tried.
    pub linear_programs: LpCounts,
}
