//! One event of a cluster: a single impact, or several that happen at once.

use super::contact::{Gap, SingleLaw, bouncing_time};
use super::queue::Event;
use super::{Cluster, ClusterBody, ClusterContact, Held, Limits, Together};
use crate::impact::collision_matrix::{contact_frame, in_contact_frame};
use crate::impact::frictional::{self, Impact};
use crate::impact::newton::{self, NewtonImpact};
use crate::impact::planar::{self, DMat2, DVec2, PlanarImpact};
use crate::impact::simultaneous::{self, Block, MAX_CONTACTS};
use crate::math::{DMat3, DVec3};
use crate::tolerances::{CENTRAL, IMPACT_TOLERANCE};

/// How a contact answers to impulses, kept from its first impact on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Response {
    /// Not asked yet.
    #[default]
    Unknown,
    /// The collision matrix in the contact's frame: the normal keeps its direction, or it is between balls that turn about
    /// every axis alike.
    Kept(DMat3),
    /// The same, and its impulses pass by the joints of its bodies.
    Aside(DMat3),
    /// To be asked anew each time: balls that do not.
    Turning,
}

/// The impulse on the second body, in the contact's frame. `None` where the law refuses, because nothing gives way along the
/// normal.
fn single(c: &ClusterContact, k: DMat3, velocity: DVec3, restitution: f64) -> Option<DVec3> {
    if c.law == SingleLaw::Newton {
        let impact =
            NewtonImpact { k, velocity, static_friction: c.static_friction, dynamic_friction: c.friction, restitution };
        return Some(newton::solve(&impact).ok()?.impulse);
    }
    let impact = Impact { k, velocity, friction: c.friction, restitution };
    Some(frictional::solve(&impact, IMPACT_TOLERANCE).ok()?.impulse)
}

/// The same in the world by the planar law, in the plane square to an axis.
fn flat(c: &ClusterContact, axis: u8, k: DMat3, velocity: DVec3, restitution: f64) -> Option<DVec3> {
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
    /// One impact, without restitution if the contact has had its share of bounces. An impact that the law refuses, because
    /// both bodies are immovable along the normal, is none.
    pub(super) fn strike(&mut self, event: Event, limits: &Limits) -> bool {
        let (contact, t, speed) = (event.contact as usize, event.moment(), event.speed());
        let per_contact = limits.per_contact;
        self.turn_to(contact, t);
        let c = &self.contacts[contact];
        let velocity = c.relative(&self.bodies, t);
        let restitution = if c.impacts >= per_contact { 0.0 } else { c.restitution };
        let c = *c;
        let impulse = if let SingleLaw::Planar(axis) = c.law {
            flat(&c, axis, self.matrix(&c), velocity, restitution)
        } else {
            let (frame, k) = self.framed(contact);
            single(&c, k, frame.transpose() * velocity, restitution).map(|impulse| frame * impulse)
        };
        let Some(impulse) = impulse else { return false };
        self.apply(contact, impulse, t, speed);
        self.look_for_the_end(contact, t, restitution, limits);
        true
    }

    /// Whether a contact that has just collided is too slow for another impact, and when its bounces end.
    fn look_for_the_end(&mut self, contact: usize, t: f64, restitution: f64, limits: &Limits) {
        let Gap { rate, acceleration, .. } = self.rows[contact].at(&self.bodies, t);
        let ends = rate <= limits.threshold;
        self.contacts[contact].settles =
            if ends { t + bouncing_time(rate.max(0.0), acceleration, restitution) } else { f64::INFINITY };
        if ends && rate >= 0.0 && acceleration < 0.0 && t - 2.0 * rate / acceleration < limits.horizon {
            self.hold(contact, t, rate);
        }
    }

    /// Holds a body on what nothing moves, instead of the hop at `rate` that would land again within the step: from the
    /// moment `t` on it neither moves nor is pulled along the normal. Only contacts in line with the centre of mass are held:
    /// about others a body turns.
    fn hold(&mut self, contact: usize, t: f64, rate: f64) {
        let c = &self.contacts[contact];
        let (body, sign) = if self.bodies[c.a as usize].is_immovable() {
            (c.b as usize, 1.0)
        } else if self.bodies[c.b as usize].is_immovable() {
            (c.a as usize, -1.0)
        } else {
            return;
        };
        let arm = c.arms[usize::from(sign > 0.0)];
        if self.bodies[body].held != Held::Not
            || arm.cross(c.normal).length() > CENTRAL * arm.length()
            || self.bodies[body].isotropic_mass().is_none()
        {
            return;
        }
        let stop = c.normal * (-sign * rate);
        let held = c.normal * c.normal.dot(self.bodies[body].acceleration);
        let body = &mut self.bodies[body];
        body.acceleration -= held;
        body.velocity += stop + held * t;
        body.shift -= stop * t + held * (0.5 * t * t);
    }

    /// The frame of a contact and the collision matrix in it.
    fn framed(&mut self, contact: usize) -> (DMat3, DMat3) {
        let c = self.contacts[contact];
        let frame = contact_frame(c.normal);
        if let Response::Kept(k) | Response::Aside(k) = self.responses[contact] {
            return (frame, k);
        }
        let aside = self.passes_by(&c);
        let free = |body: u32| Some(&self.bodies[body as usize]).filter(|body| aside || body.held == Held::Not);
        let isotropic = |body: u32| free(body).and_then(ClusterBody::isotropic);
        let (k, kept) = match (c.balls, isotropic(c.a), isotropic(c.b)) {
            (Some(radii), Some(a), Some(b)) => {
                let along = a.0 + b.0;
                let across = along + radii[0] * radii[0] * a.1 + radii[1] * radii[1] * b.1;
                (DMat3::from_diagonal(DVec3::new(across, across, along)), true)
            }
            (balls, ..) => {
                (in_contact_frame(if aside { self.free_matrix(&c) } else { self.matrix(&c) }, frame), balls.is_none())
            }
        };
        self.responses[contact] = match kept {
            true if aside => Response::Aside(k),
            true => Response::Kept(k),
            false => Response::Turning,
        };
        (frame, k)
    }

    /// Turns the normal and the arms of a contact of balls to where they meet.
    pub(super) fn turn_to(&mut self, contact: usize, t: f64) {
        let c = &mut self.contacts[contact];
        if let Some([a, b]) = c.balls {
            c.normal = self.rows[contact].normal(&self.bodies, t);
            c.arms = [c.normal * a, c.normal * -b];
            c.surface_velocity -= c.normal * c.normal.dot(c.surface_velocity);
        }
    }

    fn apply(&mut self, contact: usize, impulse: DVec3, t: f64, speed: f64) {
        self.give(contact, impulse, t);
        let c = &mut self.contacts[contact];
        if c.impacts == 0 {
            c.speed = speed;
        }
        c.impulse += impulse;
        c.impacts += 1;
    }

    /// Several contacts at once at the moment `t`, along their normals: those of `self.group`. Contacts beyond what a block
    /// holds are left out.
    pub(super) fn strike_together(&mut self, t: f64, limits: &Limits) -> bool {
        self.group.sort_unstable_by_key(|&c| self.contacts[c as usize].key);
        self.group.truncate(MAX_CONTACTS);
        for i in 0..self.group.len() {
            self.turn_to(self.group[i] as usize, t);
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
        let outcome = if limits.together == Together::Simultaneous {
            simultaneous::newton(&block)
        } else {
            simultaneous::poisson(&block)
        };
        let Ok(outcome) = outcome else { return false };
        for (i, c) in contacts.iter().enumerate() {
            if outcome.impulses[i] > 0.0 {
                let contact = self.group[i] as usize;
                self.apply(contact, c.normal * outcome.impulses[i], t, -velocity[i]);
            }
        }
        for (i, &restitution) in restitution.iter().enumerate() {
            let contact = self.group[i] as usize;
            if self.contacts[contact].impacts > 0 {
                self.look_for_the_end(contact, t, restitution, limits);
            }
        }
        true
    }
}
