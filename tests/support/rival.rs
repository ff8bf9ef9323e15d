//! An independent solver for the forces of an island: projected gradients with momentum, on forces
//! in world axes and the bodies' velocities.
//!
//! With the velocities `v(j)` after impulses `j` and the relative velocities `u_i` at the contacts,
//! all three questions minimise one convex function of `j`, `f(j) = |v(j) - v(0)|²/2 + sum j_i .
//! (u_i(0) + s_i n_i)`, lengths weighted by mass: Gauss's constraint of the impulses, in its dual
//! form. They differ in the [allowed](Allowed) impulses and in the shift `s`.

use super::islands::Island;
use dolmen::math::DVec3;
use dolmen::resting::WORLD;

/// The set of allowed impulses.
#[derive(Clone, Copy, Debug)]
pub enum Allowed<'a> {
    /// All inside the friction cones.
    Cones,
    /// Those with this friction and pushing normal parts.
    Normals(&'a [DVec3]),
    /// Those with these normal parts, with friction inside the discs that these allow.
    Friction(&'a [DVec3]),
}

/// An island's impulses as a convex problem.
pub struct Rival<'a> {
    island: &'a Island,
    step: f64,
    /// `s_i`.
    pub shift: Vec<f64>,
    /// A third of the trace of a contact's own response.
    compliance: Vec<f64>,
    /// The largest eigenvalue of the response, scaled with the above.
    steepest: f64,
}

/// A velocity and an angular velocity for each body.
type Motion = Vec<(DVec3, DVec3)>;

impl<'a> Rival<'a> {
    /// Assembles the problem without shifts.
    pub fn new(island: &'a Island, step: f64) -> Self {
        let count = island.contacts.len();
        let mut rival = Self { island, step, shift: vec![0.0; count], compliance: vec![1.0; count], steepest: 1.0 };
        for i in 0..count {
            let trace: f64 = DVec3::AXES.iter().map(|axis| rival.own_response(i, *axis).dot(*axis)).sum();
            rival.compliance[i] = trace / 3.0;
        }
        // Power iteration, with a margin.
        let mut j: Vec<DVec3> = (0..count).map(|i| DVec3::new(1.0, 0.3, 0.7) * (1.0 + i as f64 % 3.0)).collect();
        for _ in 0..60 {
            let length = j.iter().zip(&rival.compliance).map(|(j, g)| g * j.length_squared()).sum::<f64>().sqrt();
            j.iter_mut().for_each(|j| *j /= length);
            let motion = rival.motion(&j);
            let u: Vec<DVec3> = (0..count).map(|i| rival.relative(i, &motion)).collect();
            rival.steepest = 1.1 * u.iter().zip(&j).map(|(u, j)| u.dot(*j)).sum::<f64>();
            j = u.iter().zip(&rival.compliance).map(|(u, g)| *u / *g).collect();
        }
        rival
    }

    fn own_response(&self, i: usize, j: DVec3) -> DVec3 {
        let mut alone = vec![DVec3::ZERO; self.island.contacts.len()];
        alone[i] = j;
        self.relative(i, &self.motion(&alone))
    }

    /// The velocity changes of the bodies by impulses.
    fn motion(&self, impulses: &[DVec3]) -> Motion {
        let mut motion = vec![(DVec3::ZERO, DVec3::ZERO); self.island.bodies.len()];
        for (contact, &j) in self.island.contacts.iter().zip(impulses) {
            for (body, j) in [(contact.first, -j), (contact.second, j)] {
                if body != WORLD {
                    let of = &self.island.bodies[body as usize];
                    let torque = of.principal_axes.transpose() * (contact.point - of.position).cross(j);
                    motion[body as usize].0 += of.inverse_mass * j;
                    motion[body as usize].1 += of.principal_axes * (of.inverse_inertia * torque);
                }
            }
        }
        motion
    }

    fn relative(&self, i: usize, motion: &Motion) -> DVec3 {
        let contact = &self.island.contacts[i];
        let of = |body: u32| {
            if body == WORLD {
                return DVec3::ZERO;
            }
            let (velocity, spin) = motion[body as usize];
            velocity + spin.cross(contact.point - self.island.bodies[body as usize].position)
        };
        of(contact.second) - of(contact.first)
    }

    /// The relative velocities without impulses, biases included.
    fn free(&self) -> Vec<DVec3> {
        let motion = self.island.bodies.iter().map(|b| {
            (b.velocity + b.acceleration * self.step, b.angular_velocity + b.angular_acceleration * self.step)
        });
        let motion: Motion = motion.collect();
        let contacts = self.island.contacts.iter().enumerate();
        contacts.map(|(i, c)| self.relative(i, &motion) + c.surface_velocity + c.bias * c.normal).collect()
    }

    /// The relative velocities under these impulses.
    pub fn velocities(&self, impulses: &[DVec3]) -> Vec<DVec3> {
        let motion = self.motion(impulses);
        self.free().into_iter().enumerate().map(|(i, u)| u + self.relative(i, &motion)).collect()
    }

    /// Half the square of the change of velocity, weighted by mass: the unit of comparison of
    /// constraints.
    pub fn energy(&self, impulses: &[DVec3]) -> f64 {
        let motion = self.motion(impulses);
        0.5 * impulses.iter().enumerate().map(|(i, j)| j.dot(self.relative(i, &motion))).sum::<f64>()
    }

    /// `f(j)`.
    pub fn constraint(&self, impulses: &[DVec3]) -> f64 {
        let shifts = self.island.contacts.iter().zip(&self.shift).map(|(c, s)| *s * c.normal);
        let work = self.free().into_iter().zip(shifts).zip(impulses).map(|((u, s), j)| (u + s).dot(*j));
        self.energy(impulses) + work.sum::<f64>()
    }

    /// The nearest allowed impulses.
    pub fn project(&self, allowed: Allowed, impulses: &mut [DVec3]) {
        for (i, (j, contact)) in impulses.iter_mut().zip(&self.island.contacts).enumerate() {
            let n = contact.normal;
            let presses = j.dot(n);
            let along = *j - presses * n;
            let (length, mu) = (along.length(), contact.dynamic_friction);
            *j = match allowed {
                Allowed::Normals(held) => held[i] - held[i].dot(n) * n + presses.max(0.0) * n,
                Allowed::Friction(held) => {
                    let most = mu * held[i].dot(n).max(0.0);
                    held[i].dot(n) * n + along * if length > most { most / length } else { 1.0 }
                }
                Allowed::Cones if mu * length <= -presses => DVec3::ZERO,
                Allowed::Cones if length <= mu * presses => *j,
                Allowed::Cones => {
                    // On the cone, at the foot of the perpendicular.
                    let side = (n + along * (mu / length)) / (1.0 + mu * mu).sqrt();
                    side * j.dot(side)
                }
            };
        }
    }

    /// The best allowed impulses after `steps` steps from `start`.
    pub fn minimise(&self, allowed: Allowed, start: &[DVec3], steps: usize) -> Vec<DVec3> {
        let mut best = start.to_vec();
        self.project(allowed, &mut best);
        let (mut at, mut momentum) = (best.clone(), 1.0_f64);
        for _ in 0..steps {
            let gradient = self.velocities(&at);
            let mut next = at.clone();
            for (i, j) in next.iter_mut().enumerate() {
                let slope = gradient[i] + self.shift[i] * self.island.contacts[i].normal;
                *j -= slope / (self.steepest * self.compliance[i]);
            }
            self.project(allowed, &mut next);
            // Momentum that leads uphill is dropped (O'Donoghue and Candès 2015).
            let uphill: f64 =
                (0..next.len()).map(|i| self.compliance[i] * (at[i] - next[i]).dot(next[i] - best[i])).sum();
            let grown = if uphill > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) };
            let carry = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / grown };
            at = next.iter().zip(&best).map(|(new, old)| *new + (*new - *old) * carry).collect();
            (best, momentum) = (next, grown);
        }
        best
    }
}
