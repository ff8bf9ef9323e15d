//! Islands that nothing drives gain no energy, by the definitions of the campaign's account.
//!
//! The account: kinetic energy at the end, less that at the start and the work of gravity. What
//! lifting an island out of its deepest overlap or closing its widest gap takes is no gain.

use crate::campaign::energy::{CREEP, DEEP, Energy, reaches, strained};
use crate::campaign::{Fault, Plan, Tally};
use crate::islands::{Island, islands};
use crate::rival::Rival;
use dolmen::math::{DVec3, Real};
use hecs::Entity;
use rapier3d::math::{Pose, Vector};
use rapier3d::prelude::{RigidBody, RigidBodyHandle};
use std::collections::HashMap;

/// A body at the start of a step.
pub struct Start {
    pub pose: Pose,
    /// Centre of mass in the world (m).
    center: DVec3,
    /// Kinetic energy (J).
    kinetic: f64,
    awake: bool,
}

/// The bodies at the start of a step.
pub type Starts = HashMap<RigidBodyHandle, Start>;

pub fn starts(rival: &Rival) -> Starts {
    let start = |&handle: &RigidBodyHandle| {
        let body = &rival.world.bodies[handle];
        let (pose, awake) = (*body.position(), !body.is_sleeping());
        (handle, Start { pose, center: center(body), kinetic: kinetic(body), awake })
    };
    rival.bodies.values().map(start).collect()
}

/// Looks at the islands of a step; returns the bodies that something drives.
pub fn look(
    plan: &Plan,
    energy: &Energy,
    rival: &Rival,
    starts: &Starts,
    tally: &mut Tally,
) -> Result<Vec<Entity>, Fault> {
    let reach = reaches(&rival.live);
    let mut driven = Vec::new();
    for island in islands(rival, starts, &reach) {
        let members: Vec<Entity> = island.members.iter().map(|(entity, _)| *entity).collect();
        if island.driven {
            driven.extend(members);
            continue;
        }
        let wakes = |(_, body): &(_, RigidBodyHandle)| starts[body].awake || !rival.world.bodies[*body].is_sleeping();
        if island.edited || !island.members.iter().any(wakes) {
            continue;
        }
        let (ratio, scale) = gain(plan, rival, starts, &island);
        let is_deep = || {
            let least = members.iter().filter_map(|entity| reach.get(entity).copied()).fold(Real::INFINITY, Real::min);
            island.depth > DEEP * least || strained(&rival.live, &members)
        };
        let text = || format!("of {scale:.3e} J, {} bodies", members.len());
        energy.count(ratio, is_deep, text, tally)?;
    }
    Ok(driven)
}

/// The gain of an island, relative to its scale, and this scale (J).
fn gain(plan: &Plan, rival: &Rival, starts: &Starts, island: &Island) -> (f64, f64) {
    let (gravity, dt) = (wide(rival.world.gravity), f64::from(rival.live.dt));
    let creep = CREEP * f64::from(rival.live.physics.settings.length_unit);
    let [mut before, mut after, mut work, mut fall, mut weight, mut rest] = [0.0; 6];
    for (_, handle) in &island.members {
        let (body, start) = (&rival.world.bodies[*handle], &starts[handle]);
        let mass = f64::from(body.mass());
        let pull = gravity * f64::from(body.gravity_scale());
        before += start.kinetic;
        after += kinetic(body);
        work += mass * pull.dot(center(body) - start.center);
        fall += 0.5 * mass * (pull * dt).length_squared();
        weight += mass * pull.length();
        rest += 0.5 * mass * creep * creep;
    }
    let lift = if plan.strict { 0.0 } else { weight * f64::from(island.depth) };
    let scale = before + work.abs() + fall + rest;
    ((after - before - work - lift).max(0.0) / scale, scale)
}

/// Kinetic energy of a body (J).
fn kinetic(body: &RigidBody) -> f64 {
    let mass = &body.mass_properties().local_mprops;
    let axes = body.position().rotation * mass.principal_inertia_local_frame;
    let spin = wide(axes.inverse() * body.angvel());
    let moments = wide(mass.principal_inertia());
    0.5 * (f64::from(mass.mass()) * wide(body.linvel()).length_squared() + (moments * spin).dot(spin))
}

/// Centre of mass in the world (m), to the last bit of the pose.
fn center(body: &RigidBody) -> DVec3 {
    let pose = body.position();
    wide(pose.translation) + wide(pose.rotation * body.mass_properties().local_mprops.local_com)
}

fn wide(v: Vector) -> DVec3 {
    v.as_dvec3()
}
