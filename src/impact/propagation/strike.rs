//! One event of a cluster: a single impact, or several that happen at once.

use super::contact::SingleLaw;
use super::{Cluster, ClusterContact};
use crate::impact::collision_matrix::{contact_frame, in_contact_frame};
use crate::impact::frictional::{self, Impact};
use crate::impact::newton::{self, NewtonImpact};
use crate::impact::planar::{self, DMat2, DVec2, PlanarImpact};
use crate::impact::simultaneous::{self, Block, MAX_CONTACTS};
use crate::math::{DMat3, DVec3};
use crate::tolerances::IMPACT_TOLERANCE;

/// The impulse on the second body in the world by the contact's law. `None` where the law refuses, because nothing gives
/// way along the normal.
fn single(c: &ClusterContact, k: DMat3, velocity: DVec3) -> Option<DVec3> {
    if let SingleLaw::Planar(axis) = c.law {
        let tangent = DVec3::AXES[axis as usize].cross(c.normal);
        let flat = |v: DVec3| DVec2::new(tangent.dot(v), c.normal.dot(v));
        let impact = PlanarImpact {
            k: DMat2::from_cols(flat(k * tangent), flat(k * c.normal)),
            velocity: flat(velocity),
            friction: c.friction,
            restitution: c.restitution,
        };
        let impulse = planar::solve(&impact).ok()?.impulse;
        return Some(tangent * impulse.x + c.normal * impulse.y);
    }
    let frame = contact_frame(c.normal);
    let (k, velocity) = (in_contact_frame(k, frame), frame.transpose() * velocity);
    let impulse = if c.law == SingleLaw::Newton {
        newton::solve(&NewtonImpact {
            k,
            velocity,
            static_friction: c.static_friction,
            dynamic_friction: c.friction,
            restitution: c.restitution,
        })
        .ok()?
        .impulse
    } else {
        let impact = Impact { k, velocity, friction: c.friction, restitution: c.restitution };
        frictional::solve(&impact, IMPACT_TOLERANCE).ok()?.impulse
    };
    Some(frame * impulse)
}

impl Cluster {
    /// One impact at the moment `t`. An impact that the law refuses, because both bodies are immovable along the normal, is
    /// none.
    pub(super) fn strike(&mut self, contact: usize, t: f64, speed: f64) -> bool {
        self.turn_to(contact, t);
        let c = self.contacts[contact];
        let k = self.bodies[c.a as usize].response(c.arms[0]) + self.bodies[c.b as usize].response(c.arms[1]);
        let Some(impulse) = single(&c, k, c.relative(&self.bodies, t)) else { return false };
        self.apply(contact, impulse, t, speed);
        true
    }

    /// Turns the normal and the arms of a contact of balls to where they meet.
    fn turn_to(&mut self, contact: usize, t: f64) {
        let c = &mut self.contacts[contact];
        if let Some([a, b]) = c.balls {
            c.normal = self.rows[contact].normal(&self.bodies, t);
            c.arms = [c.normal * a, c.normal * -b];
            c.surface_velocity -= c.normal * c.normal.dot(c.surface_velocity);
        }
    }

    fn apply(&mut self, contact: usize, impulse: DVec3, t: f64, speed: f64) {
        let c = &mut self.contacts[contact];
        self.bodies[c.a as usize].push(-impulse, c.arms[0], t);
        self.bodies[c.b as usize].push(impulse, c.arms[1], t);
        if c.impacts == 0 {
            c.speed = speed;
        }
        c.impulse += impulse;
        c.impacts += 1;
    }

    /// Several contacts at once at the moment `t`, along their normals: those of `self.group`. Contacts beyond what a block
    /// holds are left out.
    pub(super) fn strike_together(&mut self, t: f64, newton: bool) -> bool {
        self.group.sort_unstable_by_key(|&c| self.contacts[c as usize].key);
        self.group.truncate(MAX_CONTACTS);
        for i in 0..self.group.len() {
            self.turn_to(self.group[i] as usize, t);
        }
        let contacts: Vec<ClusterContact> = self.group.iter().map(|&c| self.contacts[c as usize]).collect();
        let velocity: Vec<f64> = contacts.iter().map(|c| c.relative(&self.bodies, t).dot(c.normal)).collect();
        let restitution: Vec<f64> = contacts.iter().map(|c| c.restitution).collect();
        let matrix: Vec<f64> =
            contacts.iter().flat_map(|i| contacts.iter().map(|j| self.coupling(i, j)).collect::<Vec<_>>()).collect();
        let block = Block { matrix: &matrix, velocity: &velocity, restitution: &restitution };
        let outcome = if newton { simultaneous::newton(&block) } else { simultaneous::poisson(&block) };
        let Ok(outcome) = outcome else { return false };
        for (i, c) in contacts.iter().enumerate() {
            if outcome.impulses[i] > 0.0 {
                let contact = self.group[i] as usize;
                self.apply(contact, c.normal * outcome.impulses[i], t, -velocity[i]);
            }
        }
        true
    }

    /// The change of the normal velocity at one contact per normal impulse at another (1/kg).
    fn coupling(&self, at: &ClusterContact, by: &ClusterContact) -> f64 {
        let mut sum = 0.0;
        for (body, arm, sign) in [(by.a, by.arms[0], -1.0), (by.b, by.arms[1], 1.0)] {
            let (dv, dw) = self.bodies[body as usize].kick(by.normal * sign, arm);
            if at.a == body {
                sum -= (dv + dw.cross(at.arms[0])).dot(at.normal);
            }
            if at.b == body {
                sum += (dv + dw.cross(at.arms[1])).dot(at.normal);
            }
        }
        sum
    }

    /// What is left when the bound is reached: at the moment `t`, no contact may approach faster than its gap takes until the
    /// step's end. Impulses along the normals from zero, by Gauss and Seidel's sweeps: each lowers the kinetic energy, so
    /// that stopping early can only lose some.
    pub(super) fn close_out(&mut self, t: f64, horizon: f64, touch: f64, sweeps: u32) {
        self.pushes.clear();
        self.pushes.resize(self.contacts.len(), (0.0, 0.0));
        let left = horizon - t;
        for _ in 0..sweeps {
            let mut changed = false;
            for contact in 0..self.contacts.len() {
                let now = self.rows[contact].at(&self.bodies, t);
                let room = if now.gap <= touch { 0.0 } else { now.gap / left };
                let (push, yielding) = self.pushes[contact];
                let closing = now.rate + room;
                if push == 0.0 && closing >= 0.0 {
                    continue;
                }
                let yielding = if yielding > 0.0 {
                    yielding
                } else {
                    self.turn_to(contact, t);
                    let c = self.contacts[contact];
                    self.coupling(&c, &c)
                };
                if yielding <= 0.0 {
                    continue;
                }
                let new = (push - closing / yielding).max(0.0);
                self.pushes[contact] = (new, yielding);
                if new != push {
                    let c = self.contacts[contact];
                    let impulse = c.normal * (new - push);
                    self.bodies[c.a as usize].push(-impulse, c.arms[0], t);
                    self.bodies[c.b as usize].push(impulse, c.arms[1], t);
                    self.contacts[contact].impulse += impulse;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }
}
