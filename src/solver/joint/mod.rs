//! Joints in the substep loop: sparse direct solve of whole joint groups, eight groups in SIMD
//! lanes.
//!
//! Projected Gauss-Seidel (PGS) passes a load along a chain by one link per sweep, so a long chain
//! under a heavy ball stretches. The Delassus matrix `A = J M^-1 J^T` of joints that form a tree
//! has an `L D L^T` factor about as sparse as itself: a direct solve costs little more than one
//! sweep and leaves no error (Baraff, "Linear-time dynamics using Lagrange multipliers", 1996). A
//! *joint group* is a connected component of the joint graph; groups of equal topology share one
//! [`SymbolicFactor`](symbolic::SymbolicFactor), and eight of them fill the lanes of one
//! [`JointBatch`](batch::JointBatch). Loops of moderate size add some fill. The three rows of a
//! point constraint share their arms and are assembled and eliminated together.
//!
//! A component with too much fill is solved by PGS, joint by joint, warm started from substep to
//! substep and from step to step, with a small decay of the impulses for stability
//! (`ITERATIVE_IMPULSE_DECAY`): equality joints in [`IterativeJoints`](iterative::IterativeJoints),
//! joints with motors, springs, friction or near limits as groups of one joint, by the same rules.
//!
//! The time integration is RATTLE (Andersen 1983): the impulses of a substep act along the Jacobian
//! of its start and satisfy the constraints at its end; then velocities are projected on the
//! Jacobian of the end. The scheme is symplectic: a pendulum keeps its energy and nothing drifts.
//! Limits, motors and friction are bounded rows, solved by an active set that persists between
//! passes. A substep that RATTLE's linearisation does not solve, as where slack light links snap
//! tight, is solved implicitly: [`implicit_projection`]. With `Accuracy::Exact`, where joints are
//! nearly rigid, [`geometric_stiffness`] raises inertias whose oscillation the substep cannot
//! resolve. Impulses are not warm started between substeps (a direct solve needs no guess): the
//! impulses that `begin_substep` repeats are removed again.

mod active_set;
mod assembly;
pub(crate) mod batch;
mod body_pair;
pub(crate) mod energy_guard;
mod geometric_stiffness;
pub(crate) mod gyroscopic;
mod implicit_projection;
mod impulse_prediction;
pub(crate) mod iterative;
mod jacobians;
pub(crate) mod joint_graph;
mod ldlt;
pub(crate) mod limit_prediction;
mod row;
pub(crate) mod substep_passes;
pub(crate) mod symbolic;

#[cfg(test)]
mod tests;

pub use row::{Coordinate, JointLoad, JointOutcome, JointRow, RowKind, SolverJoint};
