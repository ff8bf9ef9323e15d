use crate::math::Real;

/// The most that the velocities of a body come to at the end of a step; what is faster is shortened, not turned. Without it
/// nothing is limited.
///
/// | | size | alignment |
/// |---|---|---|
/// | `VelocityLimit` in `f32` / `f64` | 8 / 16 | 4 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct VelocityLimit {
    /// Speed of the centre of mass (m/s), at least 0; infinity limits nothing.
    pub linear: Real,
    /// Angular speed (rad/s), at least 0; infinity limits nothing.
    pub angular: Real,
}
