//! Rotation vectors in lanes: a direction times an angle, which a step sums up substep by substep.

use super::{Lane, Vector};
use crate::math::Real;

const PI: Real = std::f64::consts::PI as Real;

/// Terms of the series of a rotation; angles are halved [`HALVINGS`] times before. Exact to rounding up to two turns a step.
const TERMS: usize = if size_of::<Real>() == 4 { 5 } else { 9 };
const HALVINGS: usize = 3;

/// Coefficients of `x^2k` in `sin(x)/x` and `(1 - cos x)/x²`: 1/(2k+1)! and 1/(2k+2)! with alternating signs.
const SERIES: [[f64; 9]; 2] = [
    [
        1.0,
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 355_687_428_096_000.0,
    ],
    [
        0.5,
        -1.0 / 24.0,
        1.0 / 720.0,
        -1.0 / 40_320.0,
        1.0 / 3_628_800.0,
        -1.0 / 479_001_600.0,
        1.0 / 87_178_291_200.0,
        -1.0 / 20_922_789_888_000.0,
        1.0 / 6_402_373_705_728_000.0,
    ],
];

/// A series by Horner's rule.
#[inline(always)]
fn series<L: Lane>(coefficients: &[f64; 9], x: L) -> L {
    let mut sum = L::splat(coefficients[TERMS - 1] as Real);
    for &c in coefficients[..TERMS - 1].iter().rev() {
        sum = sum * x + L::splat(c as Real);
    }
    sum
}

/// `sin(x)/x` and `(1 - cos x)/x²` from `x²`.
#[inline(always)]
pub(crate) fn coefficients<L: Lane>(square: L) -> (L, L) {
    let mut x = square * L::splat(1.0 / 64.0);
    let (mut s, mut c) = (series(&SERIES[0], x), series(&SERIES[1], x));
    for _ in 0..HALVINGS {
        (s, c) = (s * (L::splat(1.0) - x * c), L::splat(0.5) * s * s);
        x = x * L::splat(4.0);
    }
    (s, c)
}

/// Coefficients of `x^2k` in `(1 - x/2 cot(x/2)) / x²`, the third term of the series of a rotation vector's rate.
const THIRD: [f64; 6] =
    [1.0 / 12.0, 1.0 / 720.0, 1.0 / 30_240.0, 1.0 / 1_209_600.0, 1.0 / 47_900_160.0, 691.0 / 1_307_674_368_000.0];

/// The rotation vector of a small rotation `by` (rad) after the rotation `turn` (rad), both in axes that stay.
///
/// They add up only where they share their axis. The rest is the Baker-Campbell-Hausdorff series: to all orders of `turn` in
/// the terms of first order in `by`, and to the second order in `by`.
#[inline(always)]
pub(crate) fn followed<L: Lane>(turn: Vector<L>, by: Vector<L>) -> Vector<L> {
    let normal = turn.cross(by);
    let mut third = L::splat(THIRD[5] as Real);
    let square = turn.dot(turn);
    for &c in THIRD[..5].iter().rev() {
        third = third * square + L::splat(c as Real);
    }
    shorter(turn + by - normal.scale(L::splat(0.5)) + (turn - by).cross(normal).scale(third))
}

/// The same rotation, the other way round where it is more than half a turn: near a whole one the series for what follows ends.
#[inline(always)]
fn shorter<L: Lane>(turn: Vector<L>) -> Vector<L> {
    let square = turn.dot(turn);
    let far = square.gt(L::splat(PI * PI));
    if L::bits(far) == 0 {
        return turn;
    }
    let angle = L::select(far, square, L::splat(1.0)).sqrt();
    Vector::select(far, turn.scale(L::splat(1.0) - L::splat(2.0 * PI).div(angle)), turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, Vec3};
    use crate::motion::rotation::{integrate_orientation, rotation_near};
    use crate::solver::lanes::{Portable, Row};

    #[test]
    fn the_series_turn_as_sine_and_cosine_do() {
        for angle in [1e-9, 1e-3, 0.3, 1.0, 3.0, 6.0, 12.0] {
            let x = angle as Real;
            let (s, c) = coefficients(Portable::splat(x * x));
            let mut row = [Row::default(); 2];
            s.store(&mut row[0], 0);
            c.store(&mut row[1], 0);
            let [s, c] = [f64::from(row[0].0[0]), f64::from(row[1].0[0])];
            let x = f64::from(x);
            let bound = 64.0 * f64::from(Real::EPSILON);
            assert!((s - x.sin() / x).abs() < bound, "{angle}: {s}");
            let half = (0.5 * x).sin() / x;
            assert!((c - 2.0 * half * half).abs() < bound, "{angle}: {c}");
        }
    }

    #[test]
    fn rotations_about_other_axes_follow_each_other_as_their_quaternions_do() {
        let lanes = |v: Vec3| Vector::new(Portable::splat(v.x), Portable::splat(v.y), Portable::splat(v.z));
        for (angle, small) in [(0.0, 0.3), (1e-3, 1e-3), (0.5, 0.1), (1.5, 0.03), (3.0, 0.01)] {
            let (turn, by) = (Vec3::new(0.6, 0.0, 0.8) * angle, Vec3::new(-0.48, 0.8, 0.36) * small);
            let mut rows = [Row::default(); 3];
            followed(lanes(turn), lanes(by)).store(&mut rows, 0);
            let got = Vec3::new(rows[0].0[0], rows[1].0[0], rows[2].0[0]);
            let both = integrate_orientation(integrate_orientation(Quat::IDENTITY, turn), by);
            let error = (got - rotation_near(both, turn + by)).length();
            // What is left is of the third order in the small one.
            assert!(error < small * small * 0.3 * angle + 4.0 * Real::EPSILON, "{angle}, {small}: {error:e}");
            assert!(angle == 0.0 || error < 0.1 * (turn + by - got).length().max(1e-6), "{angle}, {small}: {error:e}");
        }
    }
}
