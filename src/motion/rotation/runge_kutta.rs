//! The classical Runge-Kutta method on the quaternion, in axes that turn with the body's mean rotation.
//!
//! The angular velocity is `L/I_m` plus what the moments of inertia differ from the middle one: `(1/I - 1/I_m) R^T L`
//! in the body's axes. The first part is the rotation of a ball, which [`isotropic`](super::isotropic()) knows:
//! `W(t)`. With `q = W p` only the second is left to integrate, `dp/dt = p w / 2` with `w = (1/I - 1/I_m) R(p)^T
//! (W^-1 L)`. It is slower, so the error is smaller: 50,000 times for Dzhanibekov's nut at 60 steps a second, and
//! none at all for one with equal moments. Without torque `W` is the turn about the fixed `L`, which it leaves where
//! it is.

use super::{
    PrincipalInertia, Spin,
    isotropic::mean_turn,
    spin::{PlainSpin, momentum},
    strang::drift,
    unit::Unit,
};
use crate::{
    math::{Real, Vec3},
    tolerances::{RUNGE_KUTTA_STAGES, RUNGE_KUTTA_TURN},
};

/// Turns a body for `h` seconds under a constant `torque` (N m, world axes) by Runge and Kutta's fourth-order method.
///
/// Only the orientation is integrated, with the angular momentum `L(0) + torque t` for the variable (Baber 2006,
/// section 3.3). The quaternion is brought back to length one at the end.
///
/// A body that would turn by more than [`RUNGE_KUTTA_TURN`] takes several stages, and one too fast for
/// [`RUNGE_KUTTA_STAGES`] of them so many steps of [`strang`](super::strang()).
pub fn runge_kutta(spin: Spin, inertia: &PrincipalInertia, torque: Vec3, h: Real) -> Spin {
    let (moments, frame) = (inertia.moments(), Unit::from_quat(inertia.frame()));
    let mut q = Unit::from_quat(spin.orientation).times(frame);
    let start = momentum(q.axes(), moments.principal, spin.velocity, spin.residual);
    let rates = Rates::new(moments.inverse);

    let stages = (rates.largest_turn(start, torque, h) / RUNGE_KUTTA_TURN).ceil();
    let most = RUNGE_KUTTA_STAGES as Real;
    if stages <= most {
        let stages = stages.max(1.0);
        let part = h / stages;
        for stage in 0..stages as u32 {
            q = rates.step(q, start + torque * (part * stage as Real), torque, part);
        }
    } else {
        let part = h / most;
        for stage in 0..RUNGE_KUTTA_STAGES {
            let middle = start + torque * (part * (stage as Real + 0.5));
            q = drift::<false>(q, q.axes().to_body(middle), middle, moments, part);
        }
    }
    PlainSpin::write::<true>(q, start + torque * h, moments, frame).to_spin()
}

/// Inverse moments of inertia: the middle one, and what the others differ from it.
struct Rates {
    middle: Real,
    differences: Vec3,
}

impl Rates {
    fn new(inverse: Vec3) -> Self {
        let (least, most) = (inverse.min_element(), inverse.max_element());
        let middle = inverse.x.min(inverse.y).max(inverse.x.max(inverse.y).min(inverse.z)).clamp(least, most);
        Self { middle, differences: inverse - middle }
    }

    /// A bound on the angle (rad) that is left to integrate.
    fn largest_turn(&self, l: Vec3, torque: Vec3, h: Real) -> Real {
        let difference = self.differences.abs().max_element();
        // Under a torque the mean rotation is a series, good while it is short.
        let rate = if torque == Vec3::ZERO { difference } else { difference + self.middle };
        (l.length() + torque.length() * h.abs()) * rate * h.abs()
    }

    /// One stage: the principal axes `q` after `h` seconds, with the momentum `l` at its start.
    fn step(&self, q: Unit, l: Vec3, torque: Vec3, h: Real) -> Unit {
        let mean = |t: Real| mean_turn(l * self.middle, torque * self.middle, t);
        let whole = mean(h);
        let (half_l, whole_l) = if torque == Vec3::ZERO {
            (l, l)
        } else {
            (mean(0.5 * h).axes().to_body(l + torque * (0.5 * h)), whole.axes().to_body(l + torque * h))
        };
        let slope = |p: Unit, l: Vec3| p.times(Unit { v: p.axes().to_body(l) * self.differences * 0.5, w: 0.0 });
        let ahead = |slope: Unit, t: Real| Unit { v: q.v + slope.v * t, w: q.w + slope.w * t };
        let k1 = slope(q, l);
        let k2 = slope(ahead(k1, 0.5 * h), half_l);
        let k3 = slope(ahead(k2, 0.5 * h), half_l);
        let k4 = slope(ahead(k3, h), whole_l);
        let v = (k1.v + k4.v) + (k2.v + k3.v) * 2.0;
        let w = (k1.w + k4.w) + (k2.w + k3.w) * 2.0;
        whole.times(Unit { v: q.v + v * (h / 6.0), w: q.w + w * (h / 6.0) }).normalized()
    }
}
