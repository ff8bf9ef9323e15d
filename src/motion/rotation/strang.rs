//! Splitting of free rotation into exact rotations.
//!
//! With the moments of inertia `I_a`, `I_m`, `I_c` and the components `L_a`, `L_m`, `L_c` of the
//! angular momentum along the principal axes, the kinetic energy is
//!
//! `|L|²/(2 I_m) + (1/I_a - 1/I_m) L_a²/2 + (1/I_c - 1/I_m) L_c²/2`.
//!
//! Each term alone gives a rotation in closed form. The first turns the body about the fixed vector
//! `L` at the rate `|L|/I_m`, and commutes with the others; these turn it about one of its own
//! axes, at `(1/I_a - 1/I_m) L_a` and likewise for `c`. One step is: half a step about `a`, a whole
//! one about `c`, half a one about `a`, and the turn about `L` at any time (Strang 1968 for the
//! order; Dullweber, Leimkuhler and McLachlan 1997, and Touma and Wisdom 1994, for splittings of
//! rigid rotation).
//!
//! `m` is the middle moment, which minimises the part that does not commute, the product of
//! `1/I_a - 1/I_m` and `1/I_c - 1/I_m`: zero if two moments are equal. Every piece keeps `|L|` and
//! `L` in world axes; the method is reversible, so its energy error stays bounded. It is at most
//! `0.058 x³` of the energy in a step, with `x³ = (|L| h)³ d² e`, where `d` and `e` are the larger and
//! the smaller of `|1/I_a - 1/I_m|` and `|1/I_c - 1/I_m|`: the greatest of 200,000 random bodies for
//! each of five `x` from 0.02 to 0.5.
//!
//! A torque changes `L` in two half kicks, before and after.

use super::{
    PrincipalInertia, RotationState,
    state::{Moments, PlainRotation, l1_norm, momentum},
    unit_quat::UnitQuat,
};
use crate::{
    math::{Norm, Real, Vec3},
    motion::trig::{SMALL, sin_cos, small_sin_cos},
    tolerances::MOTION,
};

/// Rotates a body for `h` seconds under a constant `torque` (N m, world axes) by one splitting
/// step.
///
/// The error of the orientation is of second order in `h`; that of the angular momentum is zero.
/// Exact for free bodies with two or three equal moments of inertia, at any angular speed.
#[inline]
pub fn strang(spin: RotationState, inertia: &PrincipalInertia, torque: Vec3, h: Real) -> RotationState {
    let (moments, frame) = (inertia.moments(), UnitQuat::from_quat(inertia.frame()));
    let kick = torque * (0.5 * h);
    let start = StrangStart::new::<true>(PlainRotation::from_state(&spin), moments, frame, kick);
    let end = if start.turn_bound(moments, h) <= SMALL {
        start.end::<true, true>(moments, frame, kick, h)
    } else {
        start.end::<true, false>(moments, frame, kick, h)
    };
    end.to_state()
}

/// True if `x` of the [module](self)'s bound on the error of the energy exceeds `MOTION.part_rotation`,
/// for a body with the angular momentum `l` (kg m²/s) and these inverse moments of inertia.
#[inline(always)]
pub(in crate::motion) fn is_coarse(l: Vec3, inverse: Vec3, torque: Vec3, h: Real) -> bool {
    const LIMIT: Real = MOTION.part_rotation * MOTION.part_rotation * MOTION.part_rotation;
    let larger = |p: Real, q: Real| if p > q { p } else { q };
    let smaller = |p: Real, q: Real| if p > q { q } else { p };
    let (x, y, z) = (inverse.x, inverse.y, inverse.z);
    let (least, most) = (smaller(smaller(x, y), z), larger(larger(x, y), z));
    let middle = larger(smaller(x, y), smaller(larger(x, y), z));
    let (d, e) = (larger(most - middle, middle - least), smaller(most - middle, middle - least));
    let angle = (l.norm() + torque.norm() * (0.5 * h.abs())) * h.abs();
    (angle * d) * (angle * d) * (angle * e) > LIMIT
}

/// A body at the start of a step.
#[derive(Clone, Copy)]
pub(super) struct StrangStart {
    /// The orientation of the principal axes.
    pub principal: UnitQuat,
    /// Angular momentum with the torque's first half, in world axes.
    pub world: Vec3,
    /// The same in principal axes.
    pub body: Vec3,
}

impl StrangStart {
    /// Reads a body; `kick` is the torque's half kick. `FRAMED` says whether the principal frame
    /// differs from the identity; if not, the bits are the same either way.
    #[inline(always)]
    pub(super) fn new<const FRAMED: bool>(spin: PlainRotation, moments: Moments, frame: UnitQuat, kick: Vec3) -> Self {
        let principal = if FRAMED { spin.orientation.times(frame) } else { spin.orientation };
        let axes = principal.axes();
        let world = momentum(axes, moments.principal, spin.velocity, spin.residual) + kick;
        Self { principal, world, body: axes.to_body(world) }
    }

    /// A bound on the half angle (rad) of each turn of the step.
    #[inline(always)]
    pub(super) fn turn_bound(&self, moments: Moments, h: Real) -> Real {
        let i = moments.inverse;
        let most = if i.x > i.y { i.x } else { i.y };
        let most = if most > i.z { most } else { i.z };
        l1_norm(self.world) * (0.5 * h.abs() * most)
    }

    /// Makes the step. `SMALL` says that the half angles are at most [`SMALL`]; if so, the bits are
    /// the same either way.
    #[inline(always)]
    pub(super) fn end<const FRAMED: bool, const SMALL: bool>(
        self,
        moments: Moments,
        frame: UnitQuat,
        kick: Vec3,
        h: Real,
    ) -> PlainRotation {
        let end = drift::<SMALL>(self.principal, self.body, self.world, moments, h);
        PlainRotation::write::<FRAMED>(end, self.world + kick, moments, frame)
    }
}

/// Free rotation of the principal axes for `h` seconds with the momentum `world`, which is `body`
/// in their own axes.
#[inline(always)]
pub(super) fn drift<const SMALL: bool>(
    start: UnitQuat,
    body: Vec3,
    world: Vec3,
    moments: Moments,
    h: Real,
) -> UnitQuat {
    let i = moments.inverse;
    // Cyclic permutation with the middle moment second: (a, m, c) is a right-handed order of the
    // axes.
    let between = |a: Real, b: Real, c: Real| ((a <= b) & (b <= c)) | ((a >= b) & (b >= c));
    let z_is_middle = between(i.x, i.z, i.y);
    let x_is_middle = between(i.y, i.x, i.z) & !z_is_middle;
    let pick = |x: Real, y: Real, z: Real| {
        let y = if z_is_middle { z } else { y };
        if x_is_middle { x } else { y }
    };
    let rename = |v: Vec3| Vec3::new(pick(v.z, v.x, v.y), pick(v.x, v.y, v.z), pick(v.y, v.z, v.x));
    let back = |v: Vec3| Vec3::new(pick(v.y, v.x, v.z), pick(v.z, v.y, v.x), pick(v.x, v.z, v.y));
    let turn = |half: Real| if SMALL { small_sin_cos(half) } else { sin_cos(half) };
    let (rate, l) = (rename(i), rename(body));
    // Half angles, for quaternions.
    let (about_a, about_c) = (0.25 * h * (rate.x - rate.y), 0.5 * h * (rate.z - rate.y));

    let (s1, c1) = turn(about_a * l.x);
    let (m, c) = rotate_axes_back(l.y, l.z, s1, c1);
    let (s2, c2) = turn(about_c * c);
    let (a, _) = rotate_axes_back(l.x, m, s2, c2);
    let (s3, c3) = turn(about_a * a);
    // (c1 + s1 i)(c2 + s2 k)(c3 + s3 i)
    let (sum_s, sum_c) = (s1 * c3 + c1 * s3, c1 * c3 - s1 * s3);
    let (difference_s, difference_c) = (c1 * s3 - s1 * c3, c1 * c3 + s1 * s3);
    let own = UnitQuat { v: back(Vec3::new(c2 * sum_s, s2 * difference_s, s2 * difference_c)), w: c2 * sum_c };
    let half = world * (0.5 * h * rate.y);
    let whole = if SMALL { UnitQuat::exp_small(half) } else { UnitQuat::exp(half) };
    whole.times(start.times(own)).renormalized()
}

/// The components `(p, q)` of a fixed vector after its axes have turned about the third by twice
/// the angle of this sine and cosine.
#[inline(always)]
fn rotate_axes_back(p: Real, q: Real, sin: Real, cos: Real) -> (Real, Real) {
    let (s, c) = (2.0 * sin * cos, 1.0 - 2.0 * sin * sin);
    (c * p + s * q, c * q - s * p)
}
