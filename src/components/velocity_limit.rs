use crate::math::Real;

/// Upper bounds on the velocities of a body at the end of a step: a faster velocity is scaled, and
/// keeps its direction. Default: no bounds.
///
/// | | size | alignment |
/// |---|---|---|
/// | `VelocityLimit` in `f32` / `f64` | 8 / 16 | 4 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct VelocityLimit {
    /// Greatest speed of the centre of mass (m/s), at least 0; infinity for no bound.
    pub linear: Real,
    /// Greatest angular speed (rad/s), at least 0; infinity for no bound.
    pub angular: Real,
}
