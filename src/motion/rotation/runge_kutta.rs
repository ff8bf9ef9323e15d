//! The classical Runge-Kutta method on the quaternion, in axes that turn with the body's mean
//! rotation.
//!
//! The angular velocity is `L/I_m` plus `(1/I - 1/I_m) R^T L` in the body's axes, with the middle
//! moment `I_m`. The first part is the rotation `W(t)` of a ball in closed form
//! ([`isotropic`](super::isotropic())). With `q = W p` only the second is integrated, `dp/dt = p w
//! / 2` with `w = (1/I - 1/I_m) R(p)^T (W^-1 L)`. It is slower, so the error is smaller: 50,000
//! times for Dzhanibekov's nut at 60 steps a second, and zero with equal moments. Without torque
//! `W` is a rotation about the fixed `L`, which it does not change.

use super::{
    PrincipalInertia, RotationState,
    isotropic::mean_turn,
    state::{PlainRotation, momentum},
    strang::drift,
    unit_quat::UnitQuat,
};
use crate::{
    math::{Real, Vec3},
    tolerances::MOTION,
};

/// Cap on Runge-Kutta stages in one step; faster bodies take as many splitting steps, whose energy
/// error is bounded at any rate. Larger: only cost. Smaller: bodies that turn by tens of radians gain
/// energy.
const MAX_RUNGE_KUTTA_STEPS: u32 = 256;

/// Rotates a body for `h` seconds under a constant `torque` (N m, world axes) by the fourth-order
/// Runge-Kutta method.
///
/// Only the orientation is integrated, with the angular momentum `L(0) + torque t` as the variable
/// (Baber 2006, section 3.3). The quaternion is normalized at the end.
///
/// A body that turns by more than `MOTION.part_rotation` takes several stages. If more than
/// `MAX_RUNGE_KUTTA_STEPS` are needed, it takes that many steps of [`strang`](super::strang())
/// instead.
pub fn runge_kutta(spin: RotationState, inertia: &PrincipalInertia, torque: Vec3, h: Real) -> RotationState {
    let (moments, frame) = (inertia.moments(), UnitQuat::from_quat(inertia.frame()));
    let mut q = UnitQuat::from_quat(spin.orientation).times(frame);
    let start = momentum(q.axes(), moments.principal, spin.velocity, spin.residual);
    let rates = Rates::new(moments.inverse);

    let stages = (rates.largest_turn(start, torque, h) / MOTION.part_rotation).ceil();
    let most = MAX_RUNGE_KUTTA_STEPS as Real;
    if stages <= most {
        let stages = stages.max(1.0);
        let part = h / stages;
        for stage in 0..stages as u32 {
            q = rates.step(q, start + torque * (part * stage as Real), torque, part);
        }
    } else {
        let part = h / most;
        for stage in 0..MAX_RUNGE_KUTTA_STEPS {
            let middle = start + torque * (part * (stage as Real + 0.5));
            q = drift::<false>(q, q.axes().to_body(middle), middle, moments, part);
        }
    }
    PlainRotation::write::<true>(q, start + torque * h, moments, frame).to_state()
}

/// Inverse moments of inertia: the middle one, and the differences from it.
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

    /// A bound on the integrated angle (rad).
    fn largest_turn(&self, l: Vec3, torque: Vec3, h: Real) -> Real {
        let difference = self.differences.abs().max_element();
        // With a torque the mean rotation is a series, accurate for small angles only.
        let rate = if torque == Vec3::ZERO { difference } else { difference + self.middle };
        (l.length() + torque.length() * h.abs()) * rate * h.abs()
    }

    /// One stage: the principal axes `q` after `h` seconds, with the momentum `l` at its start.
    fn step(&self, q: UnitQuat, l: Vec3, torque: Vec3, h: Real) -> UnitQuat {
        let mean = |t: Real| mean_turn(l * self.middle, torque * self.middle, t);
        let whole = mean(h);
        let (half_l, whole_l) = if torque == Vec3::ZERO {
            (l, l)
        } else {
            (mean(0.5 * h).axes().to_body(l + torque * (0.5 * h)), whole.axes().to_body(l + torque * h))
        };
        let slope =
            |p: UnitQuat, l: Vec3| p.times(UnitQuat { v: p.axes().to_body(l) * self.differences * 0.5, w: 0.0 });
        let ahead = |slope: UnitQuat, t: Real| UnitQuat { v: q.v + slope.v * t, w: q.w + slope.w * t };
        let k1 = slope(q, l);
        let k2 = slope(ahead(k1, 0.5 * h), half_l);
        let k3 = slope(ahead(k2, 0.5 * h), half_l);
        let k4 = slope(ahead(k3, h), whole_l);
        let v = (k1.v + k4.v) + (k2.v + k3.v) * 2.0;
        let w = (k1.w + k4.w) + (k2.w + k3.w) * 2.0;
        whole.times(UnitQuat { v: q.v + v * (h / 6.0), w: q.w + w * (h / 6.0) }).normalized()
    }
}
