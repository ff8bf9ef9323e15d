//! Bodies carried by kinematic platforms.
//!
//! The direct solver knows velocities at the start and the end of a step, and takes a parabola
//! between them. A body on a turntable moves along an arc, and a platform has one velocity for the
//! whole step. So a body that stuck to a kinematic body in the last step and sticks in this one
//! gets exactly that body's motion, and so does a body that sticks to it in turn.

use super::assemble::{BodyPose, SolveContext};
use super::body_step::BodyStep;
use crate::bodies::Kind;
use crate::contact::Contact;
use crate::contact::FACE_POINTS;
use crate::ids::NONE;
use crate::islands::Island;
use crate::math::{DQuat, DVec3, to_f64};
use crate::resting;
use crate::tolerances::MIDPOINT;

/// Motion of a kinematic body in the step.
struct PlatformMotion {
    pose: BodyPose,
    velocity: DVec3,
    angular_velocity: DVec3,
    displacement: DVec3,
    rotation: DVec3,
}

impl PlatformMotion {
    fn new(context: &SolveContext, slot: usize) -> Self {
        let bodies = context.bodies;
        let (velocity, angular_velocity) = (bodies.linear_velocity[slot], bodies.angular_velocity[slot]);
        Self {
            pose: context.pose(slot),
            velocity: to_f64(velocity),
            angular_velocity: to_f64(angular_velocity),
            displacement: to_f64(velocity * context.dt),
            rotation: to_f64(angular_velocity * context.dt),
        }
    }

    /// Gives a body this motion if its velocities at the end are those of a point fixed to the
    /// platform; returns whether it did.
    fn carry(&self, center: DVec3, radius: f64, slip: f64, step: &mut BodyStep) -> bool {
        let start = center - self.pose.center;
        let end = DQuat::from_scaled_axis(self.rotation) * start;
        let off = step.velocity - (self.velocity + self.angular_velocity.cross(end));
        let slips = off.length() + (step.angular_velocity - self.angular_velocity).length() * radius > slip;
        if !slips {
            step.displacement = self.displacement + (end - start);
            step.rotation = self.rotation;
        }
        !slips
    }
}

/// Moves the bodies of an island that kinematic bodies carry. The solution gives the impulse of
/// each contact point, and whether it sticks. `platforms` is a buffer.
pub(super) fn carry_with_platforms(
    context: &SolveContext,
    island: &Island,
    steps: &mut [BodyStep],
    (impulses, sticking): (&[DVec3], &[bool]),
    platforms: &mut Vec<u32>,
) {
    let contacts = &context.graph.contacts[island.contact_range()];
    let is_kinematic = |slot: u32| context.bodies.kind[slot as usize] == Kind::Kinematic;
    if !contacts.iter().any(|c| is_kinematic(c.a) || is_kinematic(c.b)) {
        return;
    }
    let slip = MIDPOINT.platform_slip * f64::from(context.settings.length_unit);
    platforms.clear();
    platforms.resize(steps.len(), NONE);
    // Each round goes up a stack by at least one level.
    loop {
        let (mut more, mut next) = (false, 0);
        for c in contacts {
            let range = next..next + context.graph.manifolds[c.manifold as usize].count as usize;
            next = range.end;
            let platform = |slot: u32| match context.bodies.is_active(slot as usize) {
                true => platforms[context.index[slot as usize] as usize],
                false if is_kinematic(slot) => slot,
                false => NONE,
            };
            let (passenger, platform) = match [platform(c.a), platform(c.b)] {
                [NONE, platform] if platform != NONE => (c.a, platform),
                [platform, NONE] if platform != NONE => (c.b, platform),
                _ => continue,
            };
            let at = passenger as usize;
            if !context.bodies.is_active(at) || !sticks(context, c, &impulses[range.clone()], &sticking[range]) {
                continue;
            }
            let (index, radius) = (context.index[at] as usize, f64::from(context.bodies.radius[at]));
            let center = context.pose(at).center;
            if PlatformMotion::new(context, platform as usize).carry(center, radius, slip, &mut steps[index]) {
                platforms[index] = platform;
                more = true;
            }
        }
        if !more {
            return;
        }
    }
}

/// True if a contact stuck in the last step and sticks in this one.
fn sticks(context: &SolveContext, c: &Contact, impulses: &[DVec3], sticking: &[bool]) -> bool {
    let manifold = &context.graph.manifolds[c.manifold as usize];
    let stuck = !manifold.sliding && manifold.points().iter().any(|p| p.normal_impulse > 0.0);
    let driven = context.graph.records[c.record as usize].surface_velocity != crate::math::Vec3::ZERO;
    let presses = |j: &DVec3| *j != DVec3::ZERO;
    let holds = impulses.iter().zip(sticking).all(|(j, &sticks)| sticks || !presses(j));
    stuck && !driven && holds && impulses.iter().any(presses)
}

/// Adds to the surface velocities of an island's contacts the change of the points' velocities as
/// the bodies turn about the normals until the step's end, scaled by `sign` (-1 takes it back).
/// Kinematic surfaces get the same term, so that a body which turns with a turntable slips at none
/// of its points.
pub(super) fn rotate_arms(context: &SolveContext, island: &Island, contacts: &mut [resting::Contact], sign: f64) {
    let mut next = 0;
    for c in &context.graph.contacts[island.contact_range()] {
        let count = context.graph.manifolds[c.manifold as usize].count as usize;
        let points = &mut contacts[next..next + count];
        next += count;
        // A contact at a tip or an edge may be that of a round body, whose contact point does not
        // turn with it.
        if count < FACE_POINTS {
            continue;
        }
        for (slot, sign) in [(c.a as usize, -sign), (c.b as usize, sign)] {
            if !context.bodies.is_active(slot) {
                continue;
            }
            let angular_velocity = to_f64(context.bodies.angular_velocity[slot]);
            let center = context.pose(slot).center;
            for contact in points.iter_mut().filter(|contact| angular_velocity.dot(contact.normal) != 0.0) {
                let about = contact.normal * angular_velocity.dot(contact.normal);
                let arm = contact.point - center;
                let turned = DQuat::from_scaled_axis(about * f64::from(context.dt)) * arm;
                contact.surface_velocity += about.cross(turned - arm) * sign;
            }
        }
    }
}
