//! Sums over many steps that do not wear out.
//!
//! In single precision a falling body's velocity takes ten thousand small additions in ten seconds, each rounded the
//! same way, and ends off by centimetres per second; its position follows. A [`Carried`] keeps what each addition was
//! rounded by and adds it to the next (Kahan 1965, with Knuth's branch-free error term).

use crate::{
    math::{Real, Vec3},
    tolerances::CARRIED_REST,
};

/// A vector that a game sees, and what rounding has left of it: the true value is their sum.
///
/// The rest is a cache. A game may overwrite the value at any time; a rest that is no longer as small as rounding
/// leaves it is dropped when the two are read, and setting it to zero costs one rounding.
///
/// ```
/// use dolmen::{math::Vec3, motion::Carried};
/// let mut place = Carried::new(Vec3::splat(1000.0));
/// for _ in 0..100_000 {
///     place = place.plus(Vec3::splat(1e-5));
/// }
/// assert!((place.value - Vec3::splat(1001.0)).length() < 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// The vector, rounded.
    pub value: Vec3,
    /// What it is short of.
    pub rest: Vec3,
}

impl Carried {
    /// A vector as a game gives it.
    #[inline(always)]
    pub fn new(value: Vec3) -> Self {
        Self { value, rest: Vec3::ZERO }
    }

    /// A vector read back from the game with the rest kept from its last step.
    #[inline(always)]
    pub fn read(value: Vec3, rest: Vec3) -> Self {
        let keep = |value: Real, rest: Real| if rest.abs() <= CARRIED_REST * value.abs() { rest } else { 0.0 };
        Self { value, rest: Vec3::new(keep(value.x, rest.x), keep(value.y, rest.y), keep(value.z, rest.z)) }
    }

    /// The sum with `change`, rounded, and what it was rounded by.
    #[inline(always)]
    pub fn plus(self, change: Vec3) -> Self {
        let change = change + self.rest;
        let value = self.value + change;
        // Exactly what was lost, whichever of the two is larger (Knuth, TAOCP 2, section 4.2.2, theorem B).
        let took = value - self.value;
        Self { value, rest: (self.value - (value - took)) + (change - took) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_and_rest_together_are_the_exact_sum() {
        let (a, b) = (Vec3::new(1e7, -3.0, 1e-3), Vec3::new(1.0 / 3.0, 1e-9, -2e4));
        let sum = Carried::new(a).plus(b);
        assert_eq!(sum.value, a + b);
        for k in 0..3 {
            let exact = f64::from(a[k]) + f64::from(b[k]);
            let carried = f64::from(sum.value[k]) + f64::from(sum.rest[k]);
            assert!((carried - exact).abs() <= 1e-16 * exact.abs());
        }
    }

    #[test]
    fn a_rest_outlives_rounding_but_not_a_teleport() {
        let far = Carried::new(Vec3::splat(12345.678)).plus(Vec3::splat(1.0 / 3.0));
        assert_eq!(Carried::read(far.value, far.rest), far);
        assert_eq!(Carried::read(Vec3::ZERO, far.rest).rest, Vec3::ZERO);
    }
}
