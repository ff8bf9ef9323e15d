//! Resting contact: the contact problem of an island and its direct solvers. Pure functions, always
//! in `f64`.
//!
//! [`Problem`] assembles the problem, [`solve`] finds the impulses by a [`RestingMethod`], and
//! [`Equilibrium`] is the proof that they hold every body at rest. Contacts obey Signorini's and
//! Coulomb's laws exactly, with circular cones. Joints are [constraints](JointConstraint) of the
//! same system, with the whole space for a cone.
//!
//! Residuals are those of the natural map, `max |j - P(j - (u + mu |u_t| n) / g)| g / V`: the speed
//! by which the worst contact violates the laws, as a part of the island's speed `V`. At 60 Hz
//! under gravity, 1e-8 is 1.6e-9 m/s.

mod block;
mod block_cholesky;
mod certificate;
pub mod cone;
mod force_row;
mod gauss_seidel;
mod input;
mod island;
mod jacobian;
mod joint_constraint;
mod levels;
mod load_propagation;
pub mod local;
pub mod lp;
mod methods;
mod newton;
pub mod patch_wrench;
mod pivoting;
mod problem;
mod report;
mod residual;
mod shock_propagation;
mod sparse;
pub mod statics;

pub use certificate::{Equilibrium, equilibrium, equilibrium_with_joints};
pub use force_row::ForceRow;
pub use input::{Body, Contact, FormulationLevel, NormalCarrier, ProblemError, WORLD};
pub use island::{Solution, Workspace, resolve_overlaps, solve, solve_with};
pub use joint_constraint::JointConstraint;
pub use methods::RestingMethod;
pub use problem::Problem;
pub use report::{Report, SolveLimits};
