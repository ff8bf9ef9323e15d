//! The scalable contact solver: many manifolds at once, in wide lanes, over substeps.
//!
//! A step is cut into substeps. Each solves the contacts as stiff, damped springs without friction, moves the bodies, and
//! relaxes: friction, then the contacts as rigid, so that no push-out velocity is left (Macklin et al., "Small steps
//! in physics simulation", 2019; Catto, "Solver2D", 2024). Substeps are what buys stiffness, so a contact must be cheap:
//! manifolds lie eight to a block, in reduced manifold space, and kernels written once run in whatever lanes the
//! processor has ([`Path`]), with the same bits.
//!
//! Islands with joints run in a loop of their own with the same kernels: see [`Articulated`]. There is no restitution here; impacts are over before a step gets this far.

mod articulated;
mod block;
mod body;
mod contact;
mod joint;
mod kernels;
pub(crate) mod lanes;
mod layout;
mod run;
mod soft;
mod step;
mod team;

pub use articulated::{Articulated, Precision, swing_on};
pub use body::{BodyMotion, SolverBody};
pub use contact::{ContactRef, Surface};
pub(crate) use joint::tumble::Tumble;
pub use joint::{Coordinate, JointLoad, JointOutcome, JointRow, Law, SolverJoint};
#[cfg(target_arch = "x86_64")]
pub use lanes::Path;
pub use step::{IslandFigures, Parameters, Solver};
