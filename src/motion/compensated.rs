//! Compensated summation over many steps.
//!
//! In single precision the velocity of a falling body is the sum of thousands of small terms, each
//! rounded the same way, and its error reaches centimetres per second. A [`CompensatedSum`] stores
//! the rounding error of each addition and adds it to the next one (Kahan 1965, with Knuth's
//! branch-free error term).

use crate::math::{Real, Vec3};

/// Largest remainder of a compensated sum, relative to its value: one rounding. Larger: a position
/// that the user has changed leaves more. Smaller: true rounding errors are dropped.
const COMPENSATION_BOUND: Real = Real::EPSILON;

/// A vector visible to users, and its rounding remainder: the exact value is their sum.
///
/// The remainder is a cache. Users may overwrite the value at any time; a remainder that is too
/// large for a rounding error is dropped when the two are read, and a reset to zero costs one
/// rounding.
///
/// ```
/// use dolmen::{math::Vec3, motion::CompensatedSum};
/// let mut place = CompensatedSum::new(Vec3::splat(1000.0));
/// for _ in 0..100_000 {
///     place = place.plus(Vec3::splat(1e-5));
/// }
/// assert!((place.value - Vec3::splat(1001.0)).length() < 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompensatedSum {
    /// The vector, rounded.
    pub value: Vec3,
    /// The exact value less `value`.
    pub remainder: Vec3,
}

impl CompensatedSum {
    /// A vector from user values.
    #[inline(always)]
    pub fn new(value: Vec3) -> Self {
        Self { value, remainder: Vec3::ZERO }
    }

    /// A user vector with the remainder of its last step.
    #[inline(always)]
    pub fn read(value: Vec3, remainder: Vec3) -> Self {
        let keep = |value: Real, remainder: Real| {
            if remainder.abs() <= COMPENSATION_BOUND * value.abs() { remainder } else { 0.0 }
        };
        Self {
            value,
            remainder: Vec3::new(keep(value.x, remainder.x), keep(value.y, remainder.y), keep(value.z, remainder.z)),
        }
    }

    /// The rounded sum with `change`, and its rounding error.
    #[inline(always)]
    pub fn plus(self, change: Vec3) -> Self {
        let change = change + self.remainder;
        let value = self.value + change;
        // The exact rounding error, whichever of the two is larger (Knuth, TAOCP 2, section 4.2.2,
        // theorem B).
        let took = value - self.value;
        Self { value, remainder: (self.value - (value - took)) + (change - took) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_and_rest_together_are_the_exact_sum() {
        let (a, b) = (Vec3::new(1e7, -3.0, 1e-3), Vec3::new(1.0 / 3.0, 1e-9, -2e4));
        let sum = CompensatedSum::new(a).plus(b);
        assert_eq!(sum.value, a + b);
        for k in 0..3 {
            let exact = f64::from(a[k]) + f64::from(b[k]);
            let carried = f64::from(sum.value[k]) + f64::from(sum.remainder[k]);
            assert!((carried - exact).abs() <= 1e-16 * exact.abs());
        }
    }

    #[test]
    fn a_rest_outlives_rounding_but_not_a_teleport() {
        let far = CompensatedSum::new(Vec3::splat(12345.678)).plus(Vec3::splat(1.0 / 3.0));
        assert_eq!(CompensatedSum::read(far.value, far.remainder), far);
        assert_eq!(CompensatedSum::read(Vec3::ZERO, far.remainder).remainder, Vec3::ZERO);
    }
}
