//! Rotation of a free body, with its angular momentum in world axes kept exactly.
//!
//! A game sees an orientation and an angular velocity in world axes, and may change either between steps. But in
//! single precision those two cannot carry the momentum: written back rounded and read again, an elongated body's
//! momentum is off by half a percent after ten thousand steps. So a [`Spin`] keeps a third thing, the `residual`: the
//! momentum that orientation and angular velocity are short of. It is as small as the rounding it makes up for, a few
//! units in the last place. Reading the three again gives the momentum to the last bit. The residual is a cache:
//! whoever sets it to zero at any time loses a rounding error and nothing else, and where the game stops or slows a
//! body it is dropped by itself (it would no longer be small).
//!
//! Three ways to turn, all from the state before the step to the state after it:
//!
//! * [`strang`]: a splitting into exact rotations. Second order, reversible, bounded energy error at any spin, exact
//!   for bodies with two equal moments of inertia. The cheap way; [`strang_many`] runs it over many bodies in vector
//!   registers.
//! * [`runge_kutta`]: the classical fourth-order method on the quaternion (Baber 2006, section 3.3). The accurate
//!   way.
//! * [`isotropic`]: one rotation, for bodies with three equal moments of inertia, where nothing is left to integrate.
//!
//! All are exact in the angular momentum: `L(h) = L(0) + torque h`.

mod exponential;
mod fastest;
mod isotropic;
pub(super) mod rows;
mod runge_kutta;
mod spin;
mod strang;
pub(super) mod unit;
mod wide;

pub use exponential::{integrate_orientation, one_after_another, rotation_near, rotation_vector};
pub use fastest::fastest;
pub use isotropic::isotropic;
pub(super) use isotropic::isotropic_lanes;
pub use rows::{LANES, Row};
pub use runge_kutta::runge_kutta;
pub use spin::{PrincipalInertia, Spin};
pub use strang::strang;
pub(super) use wide::strang_lanes;
pub use wide::{SpinBlock, strang_block, strang_many};

use crate::math::{Real, Vec3};

/// Which law turns a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RotationLaw {
    /// [`strang`]: second order, the cheapest.
    #[default]
    Strang,
    /// [`runge_kutta`]: fourth order.
    RungeKutta,
}

/// Turns a body for `h` seconds (s) under a constant `torque` (N m, world axes) by the given law; a body with three
/// equal moments of inertia by [`isotropic`], which is more accurate than either.
pub fn rotate(law: RotationLaw, spin: Spin, inertia: &PrincipalInertia, torque: Vec3, h: Real) -> Spin {
    if inertia.is_isotropic() {
        return isotropic(spin, inertia.principal().x, torque, h);
    }
    match law {
        RotationLaw::Strang => strang(spin, inertia, torque, h),
        RotationLaw::RungeKutta => runge_kutta(spin, inertia, torque, h),
    }
}
