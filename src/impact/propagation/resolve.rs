//! Resolution of one event of a cluster: a single impact, or several simultaneous ones.

use super::body::{ClusterBody, LinkState};
use super::cluster::{Cluster, ContactResponse, Limits, SimultaneousRule};
use super::gap_function::{ClusterContact, Gap, SingleLaw, bounce_duration};
use super::queue::Event;
use crate::impact::collision_matrix::{contact_frame, in_contact_frame};
use crate::impact::frictional::{self, Impact};
use crate::impact::newton::{self, NewtonImpact};
use crate::impact::planar::{self, DMat2, DVec2, PlanarImpact};
use crate::impact::simultaneous::{self, Block, MAX_CONTACTS};
use crate::math::{DMat3, DVec3};
use crate::tolerances::{IMPACT, ROUNDING};

/// The impulse on the second body in the contact's frame. `None` if the law rejects the input
/// because the normal response is zero.
fn solve_spatial(c: &ClusterContact, k: DMat3, velocity: DVec3, restitution: f64) -> Option<DVec3> {
    if c.law == SingleLaw::Newton {
        let impact =
            NewtonImpact { k, velocity, static_friction: c.static_friction, dynamic_friction: c.friction, restitution };
        return Some(newton::solve(&impact).ok()?.impulse);
    }
    let impact = Impact { k, velocity, friction: c.friction, restitution };
    Some(frictional::solve(&impact, IMPACT.tolerance).ok()?.impulse)
}

/// The impulse in world axes by the planar law, in the plane perpendicular to an axis.
fn solve_planar(c: &ClusterContact, axis: u8, k: DMat3, velocity: DVec3, restitution: f64) -> Option<DVec3> {
    let tangent = DVec3::AXES[axis as usize].cross(c.normal);
    let flat = |v: DVec3| DVec2::new(tangent.dot(v), c.normal.dot(v));
    let impact = PlanarImpact {
        k: DMat2::from_cols(flat(k * tangent), flat(k * c.normal)),
        velocity: flat(velocity),
        friction: c.friction,
        restitution,
    };
    let impulse = planar::solve(&impact).ok()?.impulse;
    Some(tangent * impulse.x + c.normal * impulse.y)
}

impl Cluster {
    /// Resolves one impact, without restitution if the contact has reached its bound. Returns false
    /// if the law rejects it because both bodies are immovable along the normal.
    pub(super) fn resolve_single(&mut self, event: Event, limits: &Limits) -> bool {
        let (contact, t, speed) = (event.contact as usize, event.moment(), event.speed());
        let per_contact = limits.per_contact;
        self.update_ball_normal(contact, t);
        let c = &self.contacts[contact];
        let velocity = c.relative(&self.bodies, t);
        let restitution = if c.impacts >= per_contact { 0.0 } else { c.restitution };
        let c = *c;
        let impulse = if let SingleLaw::Planar(axis) = c.law {
            solve_planar(&c, axis, self.matrix(&c), velocity, restitution)
        } else {
            let (frame, k) = self.framed_matrix(contact);
            solve_spatial(&c, k, frame.transpose() * velocity, restitution).map(|impulse| frame * impulse)
        };
        let Some(impulse) = impulse else { return false };
        self.record_impulse(contact, impulse, t, speed);
        self.update_bounces_end(contact, t, restitution, limits);
        true
    }

    /// Updates the end of a contact's bounce sequence after an impact, and supports the body if its
    /// next hop would end within the step.
    fn update_bounces_end(&mut self, contact: usize, t: f64, restitution: f64, limits: &Limits) {
        let Gap { rate, acceleration, .. } = self.gap_functions[contact].gap_at(&self.bodies, t);
        let ends = rate <= limits.threshold;
        self.contacts[contact].bounces_end =
            if ends { t + bounce_duration(rate.max(0.0), acceleration, restitution) } else { f64::INFINITY };
        if ends && rate >= 0.0 && acceleration < 0.0 && t - 2.0 * rate / acceleration < limits.horizon {
            self.stop_on_support(contact, t, rate);
        }
    }

    /// Stops a body on an immovable one instead of a hop at `rate` that would land within the step:
    /// from the moment `t` on its normal velocity and acceleration are zero. Only for contacts in
    /// line with the centre of mass: others rotate the body.
    fn stop_on_support(&mut self, contact: usize, t: f64, rate: f64) {
        let c = &self.contacts[contact];
        let (body, sign) = if self.bodies[c.a as usize].is_immovable() {
            (c.b as usize, 1.0)
        } else if self.bodies[c.b as usize].is_immovable() {
            (c.a as usize, -1.0)
        } else {
            return;
        };
        let arm = c.arms[usize::from(sign > 0.0)];
        if self.bodies[body].link != LinkState::Free
            || arm.cross(c.normal).length() > ROUNDING.single * arm.length()
            || self.bodies[body].isotropic_mass().is_none()
        {
            return;
        }
        let stop = c.normal * (-sign * rate);
        let removed = c.normal * c.normal.dot(self.bodies[body].acceleration);
        let body = &mut self.bodies[body];
        body.acceleration -= removed;
        body.velocity += stop + removed * t;
        body.displacement -= stop * t + removed * (0.5 * t * t);
    }

    /// The frame of a contact and the collision matrix in that frame.
    fn framed_matrix(&mut self, contact: usize) -> (DMat3, DMat3) {
        let c = self.contacts[contact];
        let frame = contact_frame(c.normal);
        if let ContactResponse::Constant(k) | ContactResponse::WithoutJoints(k) = self.responses[contact] {
            return (frame, k);
        }
        let without_joints = self.is_unaffected_by_joints(&c);
        let free =
            |body: u32| Some(&self.bodies[body as usize]).filter(|body| without_joints || body.link == LinkState::Free);
        let isotropic = |body: u32| free(body).and_then(ClusterBody::isotropic);
        let (k, constant) = match (c.balls, isotropic(c.a), isotropic(c.b)) {
            (Some(radii), Some(a), Some(b)) => {
                let along = a.0 + b.0;
                let across = along + radii[0] * radii[0] * a.1 + radii[1] * radii[1] * b.1;
                (DMat3::from_diagonal(DVec3::new(across, across, along)), true)
            }
            (balls, ..) => (
                in_contact_frame(if without_joints { self.free_matrix(&c) } else { self.matrix(&c) }, frame),
                balls.is_none(),
            ),
        };
        self.responses[contact] = match constant {
            true if without_joints => ContactResponse::WithoutJoints(k),
            true => ContactResponse::Constant(k),
            false => ContactResponse::PerImpact,
        };
        (frame, k)
    }

    /// Updates the normal and the arms of a contact between balls to the moment `t`.
    pub(super) fn update_ball_normal(&mut self, contact: usize, t: f64) {
        let c = &mut self.contacts[contact];
        if let Some([a, b]) = c.balls {
            c.normal = self.gap_functions[contact].normal(&self.bodies, t);
            c.arms = [c.normal * a, c.normal * -b];
            c.surface_velocity -= c.normal * c.normal.dot(c.surface_velocity);
        }
    }

    pub(super) fn record_impulse(&mut self, contact: usize, impulse: DVec3, t: f64, speed: f64) {
        self.apply_impulse(contact, impulse, t);
        let c = &mut self.contacts[contact];
        if c.impacts == 0 {
            c.speed = speed;
        }
        c.impulse += impulse;
        c.impacts += 1;
    }

    /// Resolves the contacts of `self.group` at once at the moment `t`, along their normals.
    /// Contacts beyond [`MAX_CONTACTS`], and those that joints block, are left out.
    pub(super) fn resolve_group(&mut self, t: f64, limits: &Limits) -> bool {
        self.group.sort_unstable_by_key(|&c| self.contacts[c as usize].key);
        self.group.truncate(MAX_CONTACTS);
        for i in 0..self.group.len() {
            self.update_ball_normal(self.group[i] as usize, t);
        }
        if !self.retain_unblocked() {
            return false;
        }
        let contacts: Vec<ClusterContact> = self.group.iter().map(|&c| self.contacts[c as usize]).collect();
        let velocity: Vec<f64> = contacts.iter().map(|c| c.relative(&self.bodies, t).dot(c.normal)).collect();
        let restitution: Vec<f64> =
            contacts.iter().map(|c| if c.impacts >= limits.per_contact { 0.0 } else { c.restitution }).collect();
        let mut matrix = Vec::with_capacity(contacts.len() * contacts.len());
        for i in &contacts {
            matrix.extend(contacts.iter().map(|j| self.coupling(i, j)));
        }
        let block = Block { matrix: &matrix, velocity: &velocity, restitution: &restitution };
        let outcome = if limits.simultaneous == SimultaneousRule::Simultaneous {
            simultaneous::newton(&block)
        } else {
            simultaneous::poisson(&block)
        };
        let Ok(outcome) = outcome else { return false };
        for (i, c) in contacts.iter().enumerate() {
            if outcome.impulses[i] > 0.0 {
                let contact = self.group[i] as usize;
                self.record_impulse(contact, c.normal * outcome.impulses[i], t, -velocity[i]);
            }
        }
        for (i, &restitution) in restitution.iter().enumerate() {
            let contact = self.group[i] as usize;
            if self.contacts[contact].impacts > 0 {
                self.update_bounces_end(contact, t, restitution, limits);
            }
        }
        true
    }
}
