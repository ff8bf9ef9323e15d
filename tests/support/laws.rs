//! The contact laws, checked one by one on a solution, independently of the solver's residual.

use super::islands::{G, Island};
use dolmen::math::DVec3;
use dolmen::resting::{Contact, Solution, WORLD};

/// The worst violation of each law by a contact (of the island's speed).
#[derive(Clone, Copy, Debug, Default)]
pub struct Violations {
    /// (a) A gap closes.
    pub closing: f64,
    /// (b) A force pulls, as a part of the largest force.
    pub pulling: f64,
    /// (c) A force acts where a gap opens.
    pub complementarity: f64,
    /// Friction beyond its cone, as a part of the largest force.
    pub cone: f64,
    /// Friction that does not oppose the slip with all its strength.
    pub dissipation: f64,
}

impl Violations {
    pub fn worst(&self) -> f64 {
        self.closing.max(self.pulling).max(self.complementarity).max(self.cone).max(self.dissipation)
    }
}

/// The velocity of the second surface against the first at a contact at the end of the step, with
/// the contact's bias.
pub fn relative_velocity(island: &Island, solution: &Solution, contact: &Contact) -> DVec3 {
    let of = |body: u32| {
        if body == WORLD {
            return DVec3::ZERO;
        }
        let arm = contact.point - island.bodies[body as usize].position;
        solution.velocities[body as usize] + solution.angular_velocities[body as usize].cross(arm)
    };
    of(contact.second) - of(contact.first) + contact.surface_velocity + contact.bias * contact.normal
}

/// Checks every contact of a solution at the level of velocities, with its dynamic friction.
pub fn violations(island: &Island, solution: &Solution, step: f64) -> Violations {
    let mut out = Violations::default();
    let speed = G * step;
    let largest = solution.impulses.iter().fold(f64::MIN_POSITIVE, |most, j| most.max(j.length()));
    for (contact, &j) in island.contacts.iter().zip(solution.impulses) {
        let n = contact.normal;
        let u = relative_velocity(island, solution, contact);
        let (un, jn) = (u.dot(n), j.dot(n));
        let (ut, jt) = (u - un * n, j - jn * n);
        let mu = contact.dynamic_friction;
        out.closing = out.closing.max(-un / speed);
        out.pulling = out.pulling.max(-jn / largest);
        out.complementarity = out.complementarity.max(un * jn / (speed * largest));
        out.cone = out.cone.max((jt.length() - mu * jn) / largest);
        out.dissipation = out.dissipation.max((jt.dot(ut) + mu * jn * ut.length()) / (speed * largest));
    }
    out
}
