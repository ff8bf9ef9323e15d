//! Bounds of input: the largest and smallest values that a game may give. What is beyond is refused
//! with an error that names it.

use crate::math::Real;

/// # Errors
/// A sentence with the name and the value, unless that is at least 0 and finite.
pub(crate) fn at_least_zero(what: &str, value: Real) -> Result<(), String> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(format!("{what} must be at least 0 and finite, got {value}"))
    }
}

/// As [`at_least_zero`], but infinite is allowed.
pub(crate) fn not_negative(what: &str, value: Real) -> Result<(), String> {
    if value >= 0.0 { Ok(()) } else { Err(format!("{what} must be at least 0, got {value}")) }
}

/// The longest time step (s). Substeps are of a length of their own, so a step takes time in
/// proportion to its length; many short steps do the same, and more accurately.
pub const MAX_TIME_STEP: Real = 1.0;

/// Largest coordinate of a position, anchor, velocity, angular velocity or gravity (m, m/s, rad/s,
/// m/s²). Larger: squares overflow in `f32`. Smaller: bodies that fall for hours are stopped, since
/// a body that gets there in a step is held as it was before.
pub(crate) const FARTHEST: Real = 1e15;

/// Largest size and coordinate of a shape (m). Larger: squared areas overflow in `f32`. Smaller:
/// planets are refused.
pub(crate) const LARGEST: Real = 1e9;

/// Smallest size of a shape (m). Larger: grains of dust are refused. Smaller: squared areas vanish
/// in `f32`.
pub(crate) const SMALLEST: Real = 1.0 / LARGEST;
