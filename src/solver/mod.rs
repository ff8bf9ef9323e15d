//! The substepping solver of contacts and joints: many manifolds at once, in SIMD, over substeps.
//!
//! A step is divided into substeps (TGS soft). Each substep solves the contacts as stiff, damped
//! springs without friction, advances the bodies, and relaxes: friction, then the contacts as
//! rigid, so that no push-out velocity is left (Macklin et al., "Small steps in physics
//! simulation", 2019; Catto, "Solver2D", 2024). Stiffness comes from the number of substeps, so a
//! contact must be cheap: eight manifolds form a block, in reduced manifold space, and kernels
//! written once run on the widest registers of the processor ([`SimdLevel`]), with the same bits.
//!
//! Islands with joints have a substep loop of their own with the same kernels: see
//! [`JointIslandSolver`]. There is no restitution here; impacts are solved by an earlier stage.

mod block;
mod body;
mod contact;
mod joint;
mod joint_islands;
mod kernels;
mod layout;
mod mass_scaling;
mod phase_scheduler;
pub(crate) mod simd;
mod soft;
mod stages;
mod substepping;

pub use body::{BodyMotion, SolverBody};
pub use contact::{ContactRef, Surface};
pub(crate) use joint::gyroscopic::GyroscopicBody;
pub use joint::{Coordinate, JointLoad, JointOutcome, JointRow, RowKind, SolverJoint};
pub use joint_islands::{JointIslandSolver, Precision, swing_frequency_squared};
pub use simd::SimdLevel;
pub use substepping::{IslandStats, Parameters, Solver};
