//! One contact alone, solved exactly: separate, stick or slide.
//!
//! `u = G j + b` with `G` the 3x3 response of the contact itself. Of several solutions (Painlevé:
//! only long bodies with much friction), separation comes first, then sticking, then the slide with
//! the least normal impulse.

use super::cone::{BILATERAL, project, tangential};
use crate::math::{DMat3, DVec3};
use crate::tolerances::{DIRECT_NEWTON, ROUNDING};

/// Largest Newton step (rad) for the direction in which a single contact slides.
const MAX_ANGLE_STEP: f64 = 0.7;

/// Bisections of a bracketed direction: every bit of it.
const BISECTIONS: usize = 60;

/// Directions scanned. Fewer: one of two close solutions may be missed.
const ANGLE_SAMPLES: usize = 64;

/// The impulse (contact axes, N s) of one contact with response `gram` (1/kg), free velocity `free`
/// (m/s) and friction `mu`. The direction of `last`, its last impulse, is tried first for sliding.
///
/// ```
/// use dolmen::math::{DMat3, DVec3};
/// use dolmen::resting::local::solve_contact;
/// // A point of 1 kg that comes down at 1 m/s and slides at 2 m/s, mu = 0.5.
/// let j = solve_contact(&DMat3::IDENTITY, DVec3::new(-1.0, 2.0, 0.0), 0.5, DVec3::ZERO);
/// assert!((j - DVec3::new(1.0, -0.5, 0.0)).length() < 1e-12);
/// ```
pub fn solve_contact(gram: &DMat3, free: DVec3, mu: f64, last: DVec3) -> DVec3 {
    if mu == BILATERAL {
        // Rows of a joint may be redundant: the compliance makes them share the load.
        let softness =
            DMat3::from_diagonal(DVec3::splat(ROUNDING.solution * (gram.x_axis.x + gram.y_axis.y + gram.z_axis.z)));
        return (*gram + softness).inverse() * -free;
    }
    if free.x >= 0.0 {
        return DVec3::ZERO;
    }
    if mu == 0.0 {
        return DVec3::new(-free.x / gram.x_axis.x, 0.0, 0.0);
    }
    let stick = gram.inverse() * -free;
    if stick.is_finite() && tangential(stick) <= mu * stick.x {
        return stick;
    }
    let slide = Slide::new(gram, free, mu);
    for start in [DVec3::new(0.0, last.y, last.z), DVec3::new(0.0, -free.y, -free.z)] {
        if let Some(j) = slide.newton(start) {
            return j;
        }
    }
    slide.scan().unwrap_or_else(|| {
        // No slide was found in finite precision: one step of the projection iteration stays in the
        // cone.
        let compliance = (gram.x_axis.x + gram.y_axis.y + gram.z_axis.z) / 3.0;
        project(last - (gram * last + free) / compliance, mu)
    })
}

/// The sliding contact as one equation for the direction of its friction, `d = (cos a, sin a)`.
struct Slide {
    gnn: f64,
    gnt: [f64; 2],
    gtt: [f64; 3],
    free: DVec3,
    mu: f64,
    scale: f64,
}

/// The equation's terms in one direction.
struct Probe {
    normal: f64,
    slip: [f64; 2],
    cross: f64,
    slope: f64,
}

impl Slide {
    fn new(gram: &DMat3, free: DVec3, mu: f64) -> Self {
        Self {
            gnn: gram.x_axis.x,
            gnt: [gram.x_axis.y, gram.x_axis.z],
            gtt: [gram.y_axis.y, gram.y_axis.z, gram.z_axis.z],
            free,
            mu,
            scale: free.length(),
        }
    }

    /// Normal impulse, slip velocity, `d x u_t` and its slope at the direction `d`; `None` where no
    /// positive normal impulse holds the contact.
    fn probe(&self, d: [f64; 2]) -> Option<Probe> {
        let stiffness = self.gnn + self.mu * (self.gnt[0] * d[0] + self.gnt[1] * d[1]);
        if stiffness.is_nan() || stiffness <= 0.0 {
            return None;
        }
        let normal = -self.free.x / stiffness;
        let tangential =
            |d: [f64; 2]| [self.gtt[0] * d[0] + self.gtt[1] * d[1], self.gtt[1] * d[0] + self.gtt[2] * d[1]];
        let along = tangential(d);
        let push = [self.mu * along[0] + self.gnt[0], self.mu * along[1] + self.gnt[1]];
        let slip = [normal * push[0] + self.free.y, normal * push[1] + self.free.z];
        let turned = [-d[1], d[0]];
        let normal_rate = -normal * self.mu * (self.gnt[0] * turned[0] + self.gnt[1] * turned[1]) / stiffness;
        let across = tangential(turned);
        let slip_rate = [
            normal_rate * push[0] + normal * self.mu * across[0],
            normal_rate * push[1] + normal * self.mu * across[1],
        ];
        let cross = d[0] * slip[1] - d[1] * slip[0];
        let slope = turned[0] * slip[1] - turned[1] * slip[0] + d[0] * slip_rate[1] - d[1] * slip_rate[0];
        Some(Probe { normal, slip, cross, slope })
    }

    /// The impulse, if friction along `d` acts against the slip it leaves.
    fn accept(&self, d: [f64; 2], probe: &Probe) -> Option<DVec3> {
        let with = d[0] * probe.slip[0] + d[1] * probe.slip[1];
        let good = probe.cross.abs() <= ROUNDING.relative * (self.scale + with.abs())
            && with <= ROUNDING.relative * self.scale;
        good.then(|| DVec3::new(probe.normal, self.mu * probe.normal * d[0], self.mu * probe.normal * d[1]))
    }

    fn newton(&self, start: DVec3) -> Option<DVec3> {
        let length = tangential(start);
        if length.is_nan() || length <= 0.0 {
            return None;
        }
        let mut d = [start.y / length, start.z / length];
        for _ in 0..DIRECT_NEWTON.stagnation_iterations {
            let probe = self.probe(d)?;
            if let Some(j) = self.accept(d, &probe) {
                return Some(j);
            }
            let turn = (-probe.cross / probe.slope).clamp(-MAX_ANGLE_STEP, MAX_ANGLE_STEP);
            if !turn.is_finite() {
                return None;
            }
            let (s, c) = libm::sincos(turn);
            let next = [c * d[0] - s * d[1], s * d[0] + c * d[1]];
            let norm = (next[0] * next[0] + next[1] * next[1]).sqrt();
            d = [next[0] / norm, next[1] / norm];
        }
        None
    }

    /// Scans all directions, and returns the slide with the least normal impulse.
    fn scan(&self) -> Option<DVec3> {
        let direction = |k: usize| {
            let (s, c) = libm::sincos(std::f64::consts::TAU * k as f64 / ANGLE_SAMPLES as f64);
            [c, s]
        };
        let mut best: Option<DVec3> = None;
        for k in 0..ANGLE_SAMPLES {
            let (mut low, mut high) = (direction(k), direction((k + 1) % ANGLE_SAMPLES));
            let (Some(at_low), Some(at_high)) = (self.probe(low), self.probe(high)) else { continue };
            if (at_low.cross > 0.0) == (at_high.cross > 0.0) {
                continue;
            }
            for _ in 0..BISECTIONS {
                let sum = [low[0] + high[0], low[1] + high[1]];
                let norm = (sum[0] * sum[0] + sum[1] * sum[1]).sqrt();
                let middle = [sum[0] / norm, sum[1] / norm];
                let Some(probe) = self.probe(middle) else { break };
                if (probe.cross > 0.0) == (at_low.cross > 0.0) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let found = self.probe(low).and_then(|probe| self.accept(low, &probe));
            if let Some(j) = found
                && best.is_none_or(|b| j.x < b.x)
            {
                best = Some(j);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A slender rod that touches the ground with one end.
    fn rod(angle: f64, turn: f64, thickness: f64, mass: f64) -> DMat3 {
        let axis = DVec3::new(angle.sin(), angle.cos() * turn.cos(), angle.cos() * turn.sin());
        let arm = -0.5 * axis;
        let (along, across) = (mass * thickness * thickness / 2.0, mass / 12.0);
        let outer = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        let inverse_inertia = outer * (1.0 / along) + (DMat3::IDENTITY - outer) * (1.0 / across);
        let cross = DMat3::from_cols(
            DVec3::new(0.0, arm.z, -arm.y),
            DVec3::new(-arm.z, 0.0, arm.x),
            DVec3::new(arm.y, -arm.x, 0.0),
        );
        DMat3::IDENTITY * (1.0 / mass) - cross * inverse_inertia * cross
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn every_rod_finds_an_impulse_that_obeys_coulomb(
            angle in 0.02..1.55f64, turn in 0.0..std::f64::consts::TAU, thickness in 0.01..0.1f64, mass in 0.1..10.0f64,
            down in -2.0..0.5f64, y in -2.0..2.0f64, z in -2.0..2.0f64, mu in 0.0..3.0f64,
        ) {
            let gram = rod(angle, turn, thickness, mass);
            let free = DVec3::new(down, y, z);
            let j = solve_contact(&gram, free, mu, DVec3::ZERO);
            let mut u = gram * j + free;
            let g = (gram.x_axis.x + gram.y_axis.y + gram.z_axis.z) / 3.0;
            u.x += mu * tangential(u);
            let residual = (j - project(j - u / g, mu)).length() * g;
            prop_assert!(residual < 1e-9 * (1.0 + mu) * (1.0 + g * j.length()), "{residual} {j}");
        }
    }
}
