//! Laws of rest: the contact problem of an island and its exact solvers. Pure functions, always in `f64`.
//!
//! [`Problem`] poses the problem, [`solve`] finds the impulses with the [`Law`] asked for, and [`Equilibrium`] says
//! whether they hold every body at rest. Contacts obey Signorini's and Coulomb's laws exactly, with circular cones; joints are
//! [ties](Tie) of the same system, with all of space for a cone.
//!
//! Residuals are those of the natural map, `max |j - P(j - (u + mu |u_t| n) / g)| g / V`: the speed by which the worst
//! contact misses the laws, as a part of the island's speed `V`. At 60 Hz under gravity, 1e-8 is 1.6e-9 m/s.

mod block;
mod block_cholesky;
mod bond;
mod carry;
mod certificate;
pub mod cone;
mod gauss_seidel;
mod input;
mod island;
mod laws;
mod levels;
pub mod local;
pub mod lp;
mod newton;
pub mod patch;
mod pivoting;
mod problem;
mod residual;
mod row;
mod shock;
mod sparse;
pub mod statics;
mod tie;

pub use bond::Bond;
pub use certificate::{Equilibrium, equilibrium, equilibrium_with_ties};
pub use input::{Body, Contact, Level, NormalCarrier, ProblemError, WORLD};
pub use island::{Effort, Report, Solution, Workspace, push_apart, solve, solve_with};
pub use laws::Law;
pub use problem::Problem;
pub use tie::Tie;
