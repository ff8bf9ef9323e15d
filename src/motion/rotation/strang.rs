//! The splitting of free rotation into exact ones.
//!
//! With the moments of inertia `I_a`, `I_m`, `I_c` and the angular momentum's parts `L_a`, `L_m`, `L_c` along the principal axes, the
//! kinetic energy is
//!
//! `|L|²/(2 I_m) + (1/I_a - 1/I_m) L_a²/2 + (1/I_c - 1/I_m) L_c²/2`.
//!
//! Each term alone moves the body by a rotation that is known exactly. The first turns it about the fixed vector `L` at the rate
//! `|L|/I_m`, and commutes with the others; these turn it about one of its own axes, at `(1/I_a - 1/I_m) L_a` and alike. So one step is:
//! half a step about `a`, a whole one about `c`, half a one about `a`, and the turn about `L` at any time (Strang 1968 for the order;
//! Dullweber, Leimkuhler and McLachlan 1997, and Touma and Wisdom 1994, for splittings of rigid rotation).
//!
//! `m` is the middle moment, which leaves the least to the part that does not commute: `(1/I_a - 1/I_m)(1/I_c - 1/I_m)`, zero where
//! two moments are equal. Every piece keeps `|L|` and the world's `L`; the method is reversible, so its energy error stays bounded.
//!
//! A torque kicks `L` by half before and by half after.

use super::{
    PrincipalInertia, Spin,
    spin::{momentum, principal_axes},
    unit::Unit,
};
use crate::{
    math::{Real, Vec3},
    motion::elementary::sin_cos,
};

/// Turns a body for `h` seconds under a constant `torque` (N m, world axes) by one splitting step.
///
/// The error of the orientation is of second order in `h`; that of the angular momentum is zero. Exact for free bodies with two
/// or three equal moments of inertia, at any rate of spin.
#[inline]
pub fn strang(spin: Spin, inertia: &PrincipalInertia, torque: Vec3, h: Real) -> Spin {
    let (orientation, velocity, residual) = strang_step(
        Unit::from_quat(spin.orientation),
        spin.velocity,
        spin.residual,
        inertia.principal,
        Unit::from_quat(inertia.frame),
        torque,
        h,
    );
    Spin { orientation: orientation.to_quat(), velocity, residual }
}

/// [`strang`] without branches, for one lane of many.
#[inline(always)]
pub(super) fn strang_step(
    orientation: Unit,
    velocity: Vec3,
    residual: Vec3,
    inertia: Vec3,
    frame: Unit,
    torque: Vec3,
    h: Real,
) -> (Unit, Vec3, Vec3) {
    let start = principal_axes(orientation, frame);
    let axes = start.axes();
    let before = momentum(axes, inertia, velocity, residual);
    let kicked = before + torque * (0.5 * h);
    let end = drift(start, axes.to_body(kicked), kicked, inertia, h);
    Spin::write(end, before + torque * h, inertia, frame)
}

/// Free rotation of the principal axes for `h` seconds with the momentum `world`, which is `body` in their own axes.
#[inline(always)]
pub(super) fn drift(start: Unit, body: Vec3, world: Vec3, inertia: Vec3, h: Real) -> Unit {
    let inverse = Vec3::new(1.0 / inertia.x, 1.0 / inertia.y, 1.0 / inertia.z);
    // Renamed by turns, so that the middle one comes second: (a, m, c) is a right-handed order of the axes.
    let between = |a: Real, b: Real, c: Real| ((a <= b) & (b <= c)) | ((a >= b) & (b >= c));
    let x_is_middle = between(inertia.y, inertia.x, inertia.z);
    let z_is_middle = between(inertia.x, inertia.z, inertia.y);
    let rename = |v: Vec3| {
        let v = if z_is_middle { Vec3::new(v.y, v.z, v.x) } else { v };
        if x_is_middle && !z_is_middle { Vec3::new(v.z, v.x, v.y) } else { v }
    };
    let back = |v: Vec3| {
        let v = if x_is_middle && !z_is_middle { Vec3::new(v.y, v.z, v.x) } else { v };
        if z_is_middle { Vec3::new(v.z, v.x, v.y) } else { v }
    };
    let (rate, l) = (rename(inverse), rename(body));
    // Half angles: quaternions want their sine and cosine.
    let (about_a, about_c) = (0.5 * h * (rate.x - rate.y), 0.5 * h * (rate.z - rate.y));

    let (s1, c1) = sin_cos(0.5 * about_a * l.x);
    let (m, c) = turn_back(l.y, l.z, s1, c1);
    let (s2, c2) = sin_cos(about_c * c);
    let (a, _) = turn_back(l.x, m, s2, c2);
    let (s3, c3) = sin_cos(0.5 * about_a * a);
    // (c1 + s1 i)(c2 + s2 k)(c3 + s3 i)
    let (sum_s, sum_c) = (s1 * c3 + c1 * s3, c1 * c3 - s1 * s3);
    let (difference_s, difference_c) = (c1 * s3 - s1 * c3, c1 * c3 + s1 * s3);
    let own = Unit { v: back(Vec3::new(c2 * sum_s, s2 * difference_s, s2 * difference_c)), w: c2 * sum_c };
    let whole = Unit::exp(world * (0.5 * h * rate.y));
    whole.times(start.times(own)).normalized()
}

/// The parts `(p, q)` of a fixed vector after its axes have turned about the third by twice the angle of this sine and cosine.
#[inline(always)]
fn turn_back(p: Real, q: Real, sin: Real, cos: Real) -> (Real, Real) {
    let (s, c) = (2.0 * sin * cos, 1.0 - 2.0 * sin * sin);
    (c * p + s * q, c * q - s * p)
}
