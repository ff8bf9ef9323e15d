//! What is known of a body, as lines of text.

use crate::world::Run;
use dolmen::prelude::*;

/// The body's kind, mass, motion, contacts, solver, and why it is awake or asleep. Empty if there is no such body.
pub fn lines(run: &Run, body: Entity) -> Vec<String> {
    let (world, physics) = (run.world(), run.physics());
    let (Ok(kind), Some(slot)) = (world.get::<&RigidBody>(body), run.slot(body)) else { return Vec::new() };
    let bodies = &physics.state().bodies;
    let mass = if *kind == RigidBody::Dynamic { format!(", {:.3} kg", bodies.mass[slot]) } else { String::new() };
    let [speed, spin] = [bodies.linear_velocity[slot], bodies.angular_velocity[slot]].map(|v| v.length());
    let mut lines = vec![format!("{body:?}: {kind:?}{mass}"), format!("{speed:.3} m/s, {spin:.3} rad/s")];
    if let Ok(material) = world.get::<&Material>(body) {
        let Material { static_friction, dynamic_friction, restitution, .. } = *material;
        lines.push(format!("friction {static_friction:.2}, {dynamic_friction:.2}, restitution {restitution:.2}"));
    }
    let (mut points, mut others, mut force) = (0, Vec::new(), Vec3::ZERO);
    for contact in physics.contacts() {
        let [a, b] = contact.entities;
        if a != body && b != body {
            continue;
        }
        points += 1;
        let (other, sign) = if a == body { (b, -1.0) } else { (a, 1.0) };
        force += contact.force * sign;
        if !others.contains(&other) {
            others.push(other);
        }
    }
    lines.push(format!("{points} contact points with {} others, {:.2} N in all", others.len(), force.length()));
    if let Some(solver) = physics.solver_of(world, body) {
        lines.push(format!("solver of its island: {solver}"));
    }
    lines.extend(physics.activity(world, body).map(|activity| activity.to_string()));
    lines
}
