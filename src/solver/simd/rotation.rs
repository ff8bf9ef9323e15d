//! Rotation vectors in SIMD registers: axis times angle, which a step composes substep by substep.

use super::{Simd, Vector};
use crate::math::{Real, consts::TAU};
use crate::tolerances::ROTATION_WRAP_ANGLE;

/// Sine of the angle between successive rotations below which the axis counts as constant. Larger:
/// see `ROTATION_WRAP_ANGLE`; smaller: fast wheels on axles with springs or limits jump by a turn.
const WRAP_ASIDE: Real = 0.1;

/// Product of two rotations (rad^2) and the sine between their axes, above which they are composed
/// by quaternions instead of a series. Larger: fast gyroscopic motion gains energy; smaller: cost.
const WRAP_WOBBLE: Real = 0.02;

/// Terms of the series of a rotation. Angles above one radian are halved [`HALVINGS`] times before,
/// and above most of a turn whole turns are left out.
const TERMS: usize = if size_of::<Real>() == 4 { 5 } else { 9 };
const HALVINGS: usize = 3;

/// Coefficients of `x^2k` in `sin(x)/x` and `(1 - cos x)/x²`: 1/(2k+1)! and 1/(2k+2)! with
/// alternating signs.
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

/// Evaluates a series by Horner's rule.
#[inline(always)]
fn series<L: Simd>(coefficients: &[f64; 9], x: L) -> L {
    let mut sum = L::splat(coefficients[TERMS - 1] as Real);
    for &c in coefficients[..TERMS - 1].iter().rev() {
        sum = sum * x + L::splat(c as Real);
    }
    sum
}

/// `sin(x)/x` and `(1 - cos x)/x²` from `x²`.
#[inline(always)]
pub(crate) fn rotation_coefficients<L: Simd>(square: L) -> (L, L) {
    let round = square.gt(L::splat(ROTATION_WRAP_ANGLE * ROTATION_WRAP_ANGLE));
    let one = L::splat(1.0);
    // Sine and cosine are those of the rest without whole turns. The series are inlined once, for
    // both cases.
    let (mut left, mut part) = (square, one);
    let turns = L::bits(round) != 0;
    if turns {
        let angle = L::select(round, square, one).sqrt();
        let rest = angle - nearest_whole_turns(angle);
        (left, part) = (L::select(round, rest * rest, square), L::select(round, rest.div(angle), one));
    }
    let (s, c) = coefficients_within_turn(left);
    if turns { (s * part, c * part * part) } else { (s, c) }
}

/// The angle (rad) of the nearest number of whole turns.
#[inline(always)]
fn nearest_whole_turns<L: Simd>(angle: L) -> L {
    nearest_whole(angle * L::splat(1.0 / TAU)) * L::splat(TAU)
}

/// The nearest integer.
#[inline(always)]
pub(crate) fn nearest_whole<L: Simd>(x: L) -> L {
    // Adding a number without fractional bits rounds to an integer.
    let whole = L::splat(1.5 / Real::EPSILON);
    x + whole - whole
}

/// The same for angles up to about one turn.
#[inline(always)]
fn coefficients_within_turn<L: Simd>(square: L) -> (L, L) {
    let near = (series(&SERIES[0], square), series(&SERIES[1], square));
    let far = square.gt(L::splat(1.0));
    if L::bits(far) == 0 {
        return near;
    }
    let mut x = square * L::splat(1.0 / 64.0);
    let (mut s, mut c) = (series(&SERIES[0], x), series(&SERIES[1], x));
    for _ in 0..HALVINGS {
        (s, c) = (s * (L::splat(1.0) - x * c), L::splat(0.5) * s * s);
        x = x * L::splat(4.0);
    }
    (L::select(far, s, near.0), L::select(far, c, near.1))
}

/// Change of a vector by a rotation with these [`rotation_coefficients`]: small where the angle is
/// small, so that it keeps its digits.
#[inline(always)]
pub(crate) fn rotation_change<L: Simd>(turn: Vector<L>, (s, c): (L, L), v: Vector<L>) -> Vector<L> {
    let once = turn.cross(v);
    once.scale(s) + turn.cross(once).scale(c)
}

/// Coefficients of `x^2k` in `(1 - x/2 cot(x/2)) / x²`, the third term of the
/// Baker-Campbell-Hausdorff series of a rotation vector.
const BCH_COEFFICIENTS: [f64; 6] =
    [1.0 / 12.0, 1.0 / 720.0, 1.0 / 30_240.0, 1.0 / 1_209_600.0, 1.0 / 47_900_160.0, 691.0 / 1_307_674_368_000.0];

/// Composes rotation vectors: a small rotation `by` (rad) after the rotation `turn` (rad), both in
/// fixed axes.
///
/// The series diverge near a whole turn, so whole turns of rotations beyond `ROTATION_WRAP_ANGLE`
/// are left out, and added again where the axis stays: springs and limits of shafts that turn by
/// more than that in a step need the full angle.
#[inline(always)]
pub(crate) fn compose<L: Simd>(turn: Vector<L>, by: Vector<L>) -> Vector<L> {
    let most = L::splat(ROTATION_WRAP_ANGLE * ROTATION_WRAP_ANGLE);
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let far = L::bits(turn.dot(turn).max(by.dot(by)).gt(most)) != 0;
    let (mut rest, mut rest_by, mut there) = (turn, by, Vector::new(zero, zero, zero));
    if far {
        let (whole, whole_by);
        (whole, rest) = whole_turns(turn, most);
        (whole_by, rest_by) = whole_turns(by, most);
        there = whole + whole_by;
    }
    // Inlined once, for both cases.
    let sum = compose_within_turn(rest, rest_by);
    if !far {
        return sum;
    }
    // Whole turns are added along the axis of the rest, which leaves the rotation the same; if the
    // rest has another axis, they are dropped.
    let (off, size) = (sum.cross(there), sum.dot(sum));
    let along = L::splat(WRAP_ASIDE * WRAP_ASIDE) * size * there.dot(there);
    let stays = L::and(size.gt(L::splat(Real::MIN_POSITIVE)), along.gt(off.dot(off)));
    let length = L::select(stays, size, one).sqrt();
    // The sum of the omitted parts is a multiple of a turn only up to rounding, and only where both
    // axes agree.
    let whole = nearest_whole_turns(there.dot(sum).div(length)).div(length);
    Vector::select(stays, sum + sum.scale(whole), sum)
}

/// The whole turns in a rotation vector whose square is above `most` (rad²), and the rest.
#[inline(always)]
fn whole_turns<L: Simd>(v: Vector<L>, most: L) -> (Vector<L>, Vector<L>) {
    let square = v.dot(v);
    let far = square.gt(most);
    let angle = L::select(far, square, L::splat(1.0)).sqrt();
    let part = L::select(far, nearest_whole_turns(angle).div(angle), L::splat(0.0));
    (v.scale(part), Vector::select(far, v - v.scale(part), v))
}

/// The same for rotations of less than `ROTATION_WRAP_ANGLE`.
///
/// For large rotations about different axes, [`bch_series`] falls short of the product of their
/// quaternions; the remaining small rotation is composed once more.
#[inline(always)]
fn compose_within_turn<L: Simd>(turn: Vector<L>, by: Vector<L>) -> Vector<L> {
    let normal = turn.cross(by);
    let off = normal.dot(normal);
    let mut sum = bch_series(turn, by, normal);
    let wobbles = off.gt(L::splat(WRAP_WOBBLE * WRAP_WOBBLE));
    if L::bits(wobbles) != 0 {
        let (first, first_w) = quaternion(turn);
        let (then, then_w) = quaternion(by);
        let (got, got_w) = quaternion(sum);
        let both = then.scale(first_w) + first.scale(then_w) + then.cross(first);
        let both_w = then_w * first_w - then.dot(first);
        let rest = both.scale(got_w) - got.scale(both_w) - both.cross(got);
        let rest_w = both_w * got_w + both.dot(got);
        let two = L::select(rest_w.gt(L::splat(0.0)), L::splat(2.0), L::splat(-2.0));
        let rest = rest.scale(two);
        sum = Vector::select(wobbles, bch_series(sum, rest, sum.cross(rest)), sum);
    }
    // About a fixed axis there is no series, and angles are unbounded.
    let aside = off.gt(turn.dot(turn) * by.dot(by) * L::splat(WRAP_ASIDE * WRAP_ASIDE));
    wrapped(sum, aside)
}

/// The same by a series; `normal` is the cross product of both.
///
/// Rotation vectors add only about a common axis. The rest is the Baker-Campbell-Hausdorff series:
/// to all orders of `turn` in the terms of first order in `by`, and to the second order in `by`.
#[inline(always)]
fn bch_series<L: Simd>(turn: Vector<L>, by: Vector<L>, normal: Vector<L>) -> Vector<L> {
    let mut third = L::splat(BCH_COEFFICIENTS[5] as Real);
    let square = turn.dot(turn);
    for &c in BCH_COEFFICIENTS[..5].iter().rev() {
        third = third * square + L::splat(c as Real);
    }
    turn + by - normal.scale(L::splat(0.5)) + (turn - by).cross(normal).scale(third)
}

/// Quaternion of a rotation vector: vector part and scalar part.
#[inline(always)]
fn quaternion<L: Simd>(turn: Vector<L>) -> (Vector<L>, L) {
    let square = turn.dot(turn) * L::splat(0.25);
    let (s, c) = rotation_coefficients(square);
    (turn.scale(s * L::splat(0.5)), L::splat(1.0) - c * square)
}

/// The same rotation; in marked lanes beyond `ROTATION_WRAP_ANGLE` expressed the other way round.
#[inline(always)]
fn wrapped<L: Simd>(turn: Vector<L>, marked: L::Mask) -> Vector<L> {
    let square = turn.dot(turn);
    let far = L::and(marked, square.gt(L::splat(ROTATION_WRAP_ANGLE * ROTATION_WRAP_ANGLE)));
    if L::bits(far) == 0 {
        return turn;
    }
    let angle = L::select(far, square, L::splat(1.0)).sqrt();
    Vector::select(far, turn.scale(L::splat(1.0) - L::splat(TAU).div(angle)), turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, Vec3, angle_between};
    use crate::motion::rotation::{integrate_orientation, rotation_vector_near};
    use crate::solver::simd::{Portable, Wide};

    #[test]
    fn the_series_turn_as_sine_and_cosine_do() {
        for angle in [1e-9, 1e-3, 0.3, 0.999, 1.0, 1.001, 3.0, 6.0, 12.0] {
            let x = angle as Real;
            let (s, c) = rotation_coefficients(Portable::splat(x * x));
            let mut row = [Wide::default(); 2];
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
    fn rotations_about_other_axes_compose_as_their_quaternions_do() {
        let lanes = |v: Vec3| Vector::new(Portable::splat(v.x), Portable::splat(v.y), Portable::splat(v.z));
        for (angle, small) in [(0.0, 0.3), (1e-3, 1e-3), (0.5, 0.1), (1.5, 0.03), (3.0, 0.01)] {
            let (turn, by) = (Vec3::new(0.6, 0.0, 0.8) * angle, Vec3::new(-0.48, 0.8, 0.36) * small);
            let mut rows = [Wide::default(); 3];
            compose(lanes(turn), lanes(by)).store(&mut rows, 0);
            let got = Vec3::new(rows[0].0[0], rows[1].0[0], rows[2].0[0]);
            let both = integrate_orientation(integrate_orientation(Quat::IDENTITY, turn), by);
            let error = (got - rotation_vector_near(both, turn + by)).length();
            // The remaining error is of the third order in the small rotation.
            assert!(error < small * small * 0.3 * angle + 4.0 * Real::EPSILON, "{angle}, {small}: {error:e}");
            assert!(angle == 0.0 || error < 0.1 * (turn + by - got).length().max(1e-6), "{angle}, {small}: {error:e}");
        }
    }

    #[test]
    fn rotations_of_more_than_three_quarters_of_a_turn_go_on_the_other_way_round() {
        let lanes = |v: Vec3| Vector::new(Portable::splat(v.x), Portable::splat(v.y), Portable::splat(v.z));
        let vector = |v: Vector<Portable>| {
            let mut rows = [Wide::default(); 3];
            v.store(&mut rows, 0);
            Vec3::new(rows[0].0[0], rows[1].0[0], rows[2].0[0])
        };
        // Ten turns about a wandering axis.
        let (mut turn, mut both) = (lanes(Vec3::ZERO), Quat::IDENTITY);
        let mut worst: Real = 0.0;
        for k in 0..1000 {
            let axis = Vec3::new(1.0, (0.02 * k as Real).sin(), 0.3 * (0.013 * k as Real).cos()).normalize();
            (turn, both) = (compose(turn, lanes(axis * 0.0628)), integrate_orientation(both, axis * 0.0628));
            worst = worst.max(integrate_orientation(Quat::IDENTITY, vector(turn)).angle_between(both));
        }
        assert!(worst < 5e-3, "{worst}");
        // About a fixed axis angles add up.
        let mut turn = lanes(Vec3::ZERO);
        (0..200).for_each(|_| turn = compose(turn, lanes(Vec3::Z * 0.1)));
        assert!((vector(turn) - Vec3::Z * 20.0).length() < 1e-3, "{:?}", vector(turn));
    }

    #[test]
    fn rotations_of_many_turns_are_where_their_quaternions_are() {
        let lanes = |v: Vec3| Vector::new(Portable::splat(v.x), Portable::splat(v.y), Portable::splat(v.z));
        let vector = |v: Vector<Portable>| {
            let mut rows = [Wide::default(); 3];
            v.store(&mut rows, 0);
            Vec3::new(rows[0].0[0], rows[1].0[0], rows[2].0[0])
        };
        // About a fixed axis, and about one that leans by the rounding of a wheel's axle.
        for lean in [0.0, 1e-6] {
            for by in [0.7, 2.0, 4.2, 6.3, 12.5, 50.0] {
                let (mut turn, mut both) = (lanes(Vec3::ZERO), Quat::IDENTITY);
                for k in 0..8 {
                    let axis = Vec3::new(lean * (k as Real).sin(), 1.0, lean * (k as Real).cos()).normalize();
                    turn = compose(turn, lanes(axis * by));
                    both = Quat::from_axis_angle(axis, by) * both;
                }
                let got = vector(turn);
                let error = angle_between(Quat::from_scaled_axis(got), both);
                let bar = 800.0 * Real::EPSILON * by + 5.0 * lean;
                assert!(error < bar, "{lean}, {by}: {error:e}, {got}");
                assert!(lean > 0.0 || (got.y - 8.0 * by).abs() < 1e-3 * by, "{by}: {got}");
            }
        }
    }
}
