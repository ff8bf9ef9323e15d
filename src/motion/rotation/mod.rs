//! Rotation of a free body with exact conservation of its angular momentum in world axes.
//!
//! Users see an orientation and an angular velocity in world axes, and may change either between
//! steps. In single precision those two lose momentum by rounding: half a percent after ten
//! thousand steps for an elongated body. So a [`RotationState`] also has a `residual`, the exact
//! momentum less that of orientation and angular velocity, a few units in the last place. The three
//! together give the momentum to the last bit. The residual is a cache: a reset to zero costs one
//! rounding error, and it is dropped if a user stops or slows the body, for it would no longer be
//! small.
//!
//! Three rotation laws, each from the state before the step to the state after it:
//!
//! * [`strang`]: a splitting into exact rotations. Second order, reversible, bounded energy error
//!   at any angular speed, exact for bodies with two equal moments of inertia. The cheap law;
//!   [`strang_many`] applies it to many bodies in vector registers.
//! * [`runge_kutta`]: the classical fourth-order method on the quaternion (Baber 2006, section
//!   3.3). The accurate law.
//! * [`isotropic`]: one closed-form rotation, for bodies with three equal moments of inertia.
//!
//! [`rotate`] takes the splitting up to the angle at which its energy is off by a thousandth.
//!
//! All conserve the angular momentum exactly: `L(h) = L(0) + torque h`.

mod exponential;
mod isotropic;
pub(super) mod lane_rows;
mod max_angular_speed;
mod runge_kutta;
mod state;
mod strang;
pub(super) mod unit_quat;
mod wide;

pub use exponential::{compose_rotation_vectors, integrate_orientation, rotation_vector, rotation_vector_near};
pub use isotropic::isotropic;
pub(super) use isotropic::isotropic_lanes;
pub use lane_rows::{LANES, LaneRow};
pub use max_angular_speed::max_angular_speed;
pub use runge_kutta::{TabulatedRotation, runge_kutta};
pub use state::{PrincipalInertia, RotationState};
pub(super) use strang::is_coarse;
pub use strang::strang;
pub(super) use wide::strang_lanes;
pub use wide::{RotationBlock, strang_block, strang_many};

use crate::math::{Real, Vec3};

/// The rotation law of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RotationLaw {
    /// [`strang`]: second order, the cheapest. A body that tumbles so fast that its energy would
    /// change by a thousandth in a step takes [`runge_kutta`].
    #[default]
    Strang,
    /// [`runge_kutta`]: fourth order.
    RungeKutta,
}

/// Rotates a body for `h` seconds under a constant `torque` (N m, world axes) by the given law; a
/// body with three equal moments of inertia by [`isotropic`], which is more accurate than either.
pub fn rotate(
    law: RotationLaw,
    spin: RotationState,
    inertia: &PrincipalInertia,
    torque: Vec3,
    h: Real,
) -> RotationState {
    if inertia.is_isotropic() {
        return isotropic(spin, inertia.principal().x, torque, h);
    }
    if is_splitting(law, spin, inertia, torque, h) {
        strang(spin, inertia, torque, h)
    } else {
        runge_kutta(spin, inertia, torque, h)
    }
}

/// True if the law is [`strang`] over `h` seconds.
fn is_splitting(law: RotationLaw, spin: RotationState, inertia: &PrincipalInertia, torque: Vec3, h: Real) -> bool {
    law == RotationLaw::Strang && !is_coarse(spin.momentum(inertia), inertia.inverse(), torque, h)
}

/// The same rotation with its orientations in between, if it takes several stages.
pub(super) fn tabulate(
    law: RotationLaw,
    spin: RotationState,
    inertia: &PrincipalInertia,
    torque: Vec3,
    h: Real,
) -> Option<TabulatedRotation> {
    if inertia.is_isotropic() || is_splitting(law, spin, inertia, torque, h) {
        return None;
    }
    TabulatedRotation::new(spin, inertia, torque, h)
}
