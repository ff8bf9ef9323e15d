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
    state::{Moments, PlainRotation, momentum},
    strang::drift,
    unit_quat::UnitQuat,
};
use crate::{
    math::{Real, Vec3},
    tolerances::MOTION,
};
use std::sync::Arc;

/// Cap on Runge-Kutta stages in one step; faster bodies take as many splitting steps, and keep their
/// energy by [`Scheme::on_polhode`]. Larger: only cost. Smaller: the axis of bodies that turn by tens
/// of radians is wrong.
const MAX_RUNGE_KUTTA_STEPS: u32 = 256;

/// Rotates a body for `h` seconds under a constant `torque` (N m, world axes) by the fourth-order
/// Runge-Kutta method.
///
/// Only the orientation is integrated, with the angular momentum `L(0) + torque t` as the variable
/// (Baber 2006, section 3.3). The quaternion is normalized at the end.
///
/// A body that turns by more than `MOTION.part_rotation` takes several stages. If more than
/// `MAX_RUNGE_KUTTA_STEPS` are needed, it takes that many steps of [`strang`](super::strang())
/// instead; without torque it then turns on to the energy of its start.
pub fn runge_kutta(spin: RotationState, inertia: &PrincipalInertia, torque: Vec3, h: Real) -> RotationState {
    let (scheme, mut q) = Scheme::new(spin, inertia, torque, h);
    for stage in 0..scheme.stages {
        q = scheme.advance(q, stage, scheme.part);
    }
    scheme.state(q, h)
}

/// The free rotation of a body over a time, with its orientations between the stages: its state at
/// any moment costs one stage.
#[derive(Clone, Debug)]
pub struct TabulatedRotation(Arc<Table>);

#[derive(Debug)]
struct Table {
    scheme: Scheme,
    /// The time (s).
    h: Real,
    /// Principal axes at the starts of the stages, and at the end.
    axes: Vec<UnitQuat>,
}

impl TabulatedRotation {
    /// A rotation by [`runge_kutta`] for `h` seconds; `None` if it takes a single stage.
    pub(in crate::motion) fn new(
        spin: RotationState,
        inertia: &PrincipalInertia,
        torque: Vec3,
        h: Real,
    ) -> Option<Self> {
        let (scheme, start) = Scheme::new(spin, inertia, torque, h);
        let next = |q: &UnitQuat, stage: u32| (stage < scheme.stages).then(|| scheme.advance(*q, stage, scheme.part));
        let mut stage = 0;
        let axes = std::iter::successors(Some(start), |q| {
            stage += 1;
            next(q, stage - 1)
        });
        (scheme.stages > 1).then(|| Self(Arc::new(Table { axes: axes.collect(), scheme, h })))
    }

    /// The state after `t` seconds, at most the whole time.
    pub(in crate::motion) fn state_at(&self, t: Real) -> RotationState {
        let Table { scheme, h, axes } = &*self.0;
        let Scheme { stages, part, .. } = *scheme;
        if t >= *h {
            return scheme.state(axes[stages as usize], *h);
        }
        let stage = ((t / part) as u32).min(stages - 1);
        let rest = t - part * stage as Real;
        scheme.state(scheme.advance(axes[stage as usize], stage, rest), t)
    }
}

/// A free rotation in equal stages.
#[derive(Clone, Copy, Debug)]
struct Scheme {
    /// Angular momentum at the start (N m s), and torque (N m), world axes.
    start: Vec3,
    torque: Vec3,
    moments: Moments,
    frame: UnitQuat,
    rates: Rates,
    stages: u32,
    /// Duration of a stage (s).
    part: Real,
    /// True if stages are steps of [`strang`](super::strang()).
    splits: bool,
    /// Twice the energy of the start for a momentum of one, which splitting steps without torque do not
    /// keep by themselves.
    energy: Option<Real>,
}

impl Scheme {
    /// The scheme for `h` seconds, and the principal axes at the start.
    fn new(spin: RotationState, inertia: &PrincipalInertia, torque: Vec3, h: Real) -> (Self, UnitQuat) {
        let (moments, frame) = (inertia.moments(), UnitQuat::from_quat(inertia.frame()));
        let q = UnitQuat::from_quat(spin.orientation).times(frame);
        let start = momentum(q.axes(), moments.principal, spin.velocity, spin.residual);
        let rates = Rates::new(moments.inverse);
        let (stages, most) =
            ((rates.largest_turn(start, torque, h) / MOTION.part_rotation).ceil(), MAX_RUNGE_KUTTA_STEPS as Real);
        let splits = stages > most;
        let stages = stages.clamp(1.0, most);
        let part = h / stages;
        let energy = (splits && torque == Vec3::ZERO).then(|| {
            let m = q.axes().to_body(start).normalize_or_zero();
            (m * m).dot(moments.inverse)
        });
        (Self { start, torque, moments, frame, rates, stages: stages as u32, part, splits, energy }, q)
    }

    /// The principal axes `t` seconds after the start of a stage, where they are `q`.
    fn advance(&self, q: UnitQuat, stage: u32, t: Real) -> UnitQuat {
        let begun = self.part * stage as Real;
        if self.splits {
            let middle = self.start + self.torque * (begun + 0.5 * t);
            return drift::<false>(q, q.axes().to_body(middle), middle, self.moments, t);
        }
        self.rates.step(q, self.start + self.torque * begun, self.torque, t)
    }

    /// The least turn of the principal axes `q` after which the constant angular momentum gives the
    /// energy of the start: in the body's axes the tip of the momentum goes along its sphere to the
    /// polhode, the curve of that energy (Goldstein, "Classical Mechanics", 1980, section 5-6). It
    /// goes towards the axis of the greatest inverse moment if energy is missing, else of the least.
    fn on_polhode(&self, q: UnitQuat) -> UnitQuat {
        let (Some(energy), size) = (self.energy, self.start.length()) else { return q };
        if size <= 0.0 {
            return q;
        }
        let (m, inverse) = (q.axes().to_body(self.start) / size, self.moments.inverse);
        let now = (m * m).dot(inverse);
        let axis = if now < energy { inverse.max_position() } else { inverse.min_position() };
        let to = inverse[axis];
        let along = m[axis] * m[axis];
        // What the other two axes have of it, if they had it all.
        let others = (now - along * to) / (1.0 - along);
        let share = (energy - others) / (to - others);
        if !(share > along && share <= 1.0) {
            return q;
        }
        let mut end = m * ((1.0 - share) / (1.0 - along)).sqrt();
        end[axis] = share.sqrt().copysign(m[axis]);
        let turn = UnitQuat { v: m.cross(end), w: 1.0 + m.dot(end) };
        q.times(turn.normalized().conjugate())
    }

    /// The body's state with these principal axes after `t` seconds.
    fn state(&self, q: UnitQuat, t: Real) -> RotationState {
        let q = self.on_polhode(q);
        PlainRotation::write::<true>(q, self.start + self.torque * t, self.moments, self.frame).to_state()
    }
}

/// Inverse moments of inertia: the middle one, and the differences from it.
#[derive(Clone, Copy, Debug)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    /// The table's end has the bits of the whole rotation, and its states in between are those of a
    /// rotation that ends there.
    #[test]
    fn a_table_has_the_states_of_the_rotation() {
        let inertia = PrincipalInertia::aligned(Vec3::new(0.2, 0.9, 1.0));
        for (speed, torque) in [(3.0, 0.0), (200.0, 0.0), (200.0, 5.0), (4000.0, 0.0)] as [(Real, Real); 4] {
            let spin = RotationState::new(Quat::IDENTITY, Vec3::new(0.3, 1.0, 0.2) * speed);
            let (torque, h) = (Vec3::X * torque, 1.0 / 60.0);
            let Some(table) = TabulatedRotation::new(spin, &inertia, torque, h) else {
                assert_eq!(speed, 3.0);
                continue;
            };
            assert_eq!(table.state_at(h), runge_kutta(spin, &inertia, torque, h));
            for k in 0..=20 {
                let t = h * k as Real / 20.0;
                let (got, wanted) = (table.state_at(t), runge_kutta(spin, &inertia, torque, t));
                let off = got.orientation.angle_between(wanted.orientation);
                assert!(off < 0.03, "{speed} rad/s after {t} s: {off}");
            }
        }
    }
}
