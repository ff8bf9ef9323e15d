//! What rides on a kinematic body.
//!
//! A step knows velocities at its start and its end, and takes the path between them for a parabola. What lies on a turntable
//! goes along an arc, and what stands on a platform that speeds up goes where the platform goes, which has one velocity from the
//! step's start to its end. So what stuck to a kinematic body in the last step, and does in this one, moves exactly as that body
//! does; and so does what sticks to such a body.

use super::moved::Moved;
use super::posing::{Context, Stand};
use crate::bodies::Kind;
use crate::contact::Contact;
use crate::index::NONE;
use crate::islands::Island;
use crate::math::{DQuat, DVec3, to_f64};
use crate::resting;
use crate::tolerances::{FACE_POINTS, RIDING_SLIP};

/// The motion of a kinematic body in the step.
struct Ride {
    stand: Stand,
    velocity: DVec3,
    spin: DVec3,
    displacement: DVec3,
    rotation: DVec3,
}

impl Ride {
    fn new(context: &Context, slot: usize) -> Self {
        let bodies = context.bodies;
        let (velocity, spin) = (bodies.linear_velocity[slot], bodies.angular_velocity[slot]);
        Self {
            stand: context.stand(slot),
            velocity: to_f64(velocity),
            spin: to_f64(spin),
            displacement: to_f64(velocity * context.dt),
            rotation: to_f64(spin * context.dt),
        }
    }

    /// Takes a body along, if its velocities at the end are those of something fixed to this one.
    fn take(&self, center: DVec3, radius: f64, slip: f64, moved: &mut Moved) -> bool {
        let start = center - self.stand.center;
        let end = DQuat::from_scaled_axis(self.rotation) * start;
        let off = moved.velocity - (self.velocity + self.spin.cross(end));
        let slips = off.length() + (moved.spin - self.spin).length() * radius > slip;
        if !slips {
            moved.displacement = self.displacement + (end - start);
            moved.rotation = self.rotation;
        }
        !slips
    }
}

/// Moves the bodies of an island that ride on kinematic ones. Each contact point comes with what the solution says of it:
/// its impulse, and whether it sticks. `carriers` is room.
pub(super) fn ride(
    context: &Context,
    island: &Island,
    moved: &mut [Moved],
    (impulses, sticking): (&[DVec3], &[bool]),
    carriers: &mut Vec<u32>,
) {
    let contacts = &context.graph.contacts[island.contact_range()];
    let is_kinematic = |slot: u32| context.bodies.kind[slot as usize] == Kind::Kinematic;
    if !contacts.iter().any(|c| is_kinematic(c.a) || is_kinematic(c.b)) {
        return;
    }
    let slip = RIDING_SLIP * f64::from(context.settings.length_unit);
    carriers.clear();
    carriers.resize(moved.len(), NONE);
    // Up a stack, one storey in a round at least.
    loop {
        let (mut more, mut next) = (false, 0);
        for c in contacts {
            let range = next..next + context.graph.manifolds[c.manifold as usize].count as usize;
            next = range.end;
            let carrier = |slot: u32| match context.bodies.is_active(slot as usize) {
                true => carriers[context.place[slot as usize] as usize],
                false if is_kinematic(slot) => slot,
                false => NONE,
            };
            let (rider, carrier) = match [carrier(c.a), carrier(c.b)] {
                [NONE, carrier] if carrier != NONE => (c.a, carrier),
                [carrier, NONE] if carrier != NONE => (c.b, carrier),
                _ => continue,
            };
            let at = rider as usize;
            if !context.bodies.is_active(at) || !sticks(context, c, &impulses[range.clone()], &sticking[range]) {
                continue;
            }
            let (place, radius) = (context.place[at] as usize, f64::from(context.bodies.radius[at]));
            let center = context.stand(at).center;
            if Ride::new(context, carrier as usize).take(center, radius, slip, &mut moved[place]) {
                carriers[place] = carrier;
                more = true;
            }
        }
        if !more {
            return;
        }
    }
}

/// Whether a contact stuck in the last step and sticks in this one.
fn sticks(context: &Context, c: &Contact, impulses: &[DVec3], sticking: &[bool]) -> bool {
    let manifold = &context.graph.manifolds[c.manifold as usize];
    let stuck = !manifold.sliding && manifold.points().iter().any(|p| p.normal_impulse > 0.0);
    let driven = context.graph.records[c.record as usize].surface_velocity != crate::math::Vec3::ZERO;
    let presses = |j: &DVec3| *j != DVec3::ZERO;
    let holds = impulses.iter().zip(sticking).all(|(j, &sticks)| sticks || !presses(j));
    stuck && !driven && holds && impulses.iter().any(presses)
}

/// Adds to what the contacts of an island ask for what the turning of its bodies about the normals does to the velocities of
/// their points until the step's end, `times` as much. It is what a kinematic body's surface does too: a body that lies on a
/// turntable, and turns with it, slips at none of its points.
pub(super) fn turn_arms(context: &Context, island: &Island, contacts: &mut [resting::Contact], times: f64) {
    let mut next = 0;
    for c in &context.graph.contacts[island.contact_range()] {
        let count = context.graph.manifolds[c.manifold as usize].count as usize;
        let points = &mut contacts[next..next + count];
        next += count;
        // What stands on a tip or lies on an edge may be round, on a mesh too: then other points come under the contact.
        if count < FACE_POINTS {
            continue;
        }
        for (slot, sign) in [(c.a as usize, -times), (c.b as usize, times)] {
            if !context.bodies.is_active(slot) {
                continue;
            }
            let spin = to_f64(context.bodies.angular_velocity[slot]);
            let center = context.stand(slot).center;
            for contact in points.iter_mut().filter(|contact| spin.dot(contact.normal) != 0.0) {
                let about = contact.normal * spin.dot(contact.normal);
                let arm = contact.point - center;
                let turned = DQuat::from_scaled_axis(about * f64::from(context.dt)) * arm;
                contact.surface_velocity += about.cross(turned - arm) * sign;
            }
        }
    }
}
