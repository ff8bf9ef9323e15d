//! What must hold after every step.

use super::live::Live;
use super::tally::{Fault, FaultKind};
use dolmen::Event;
use dolmen::components::*;
use dolmen::math::{Real, Vec3};
use hecs::Entity;

/// Largest error of the length of a quaternion.
const UNIT: Real = 1e-4;

/// Everything that the step writes is a number, and every orientation a rotation.
pub fn numbers(live: &Live) -> Result<(), Fault> {
    type All<'a> = (Entity, &'a Position, &'a Orientation, &'a LinearVelocity, &'a AngularVelocity);
    // A disabled body keeps what the game gave it.
    for (entity, p, q, v, w) in live.world.query::<All>().without::<&Disabled>().iter() {
        for (name, value) in [("Position", p.0), ("LinearVelocity", v.0), ("AngularVelocity", w.0)] {
            finite(value, || format!("{name} of {entity:?}"))?;
        }
        let length = q.0.length();
        if !length.is_finite() || (length - 1.0).abs() > UNIT {
            return Err(Fault::new(
                FaultKind::Rotation,
                format!("the orientation of {entity:?} has a length of {length}"),
            ));
        }
    }
    for (joint, state) in live.world.query::<(Entity, &JointState)>().iter() {
        for value in [state.position, state.angle, state.force, state.torque] {
            finite(value, || format!("{state:?} of joint {joint:?}"))?;
        }
    }
    for contact in live.physics.contacts() {
        for value in [contact.point, contact.normal, contact.impulse, contact.force] {
            finite(value, || format!("{contact:?}"))?;
        }
    }
    for event in live.physics.events() {
        let values = match *event {
            Event::Impact { point, impulse, speed, .. } => [point, impulse, Vec3::splat(speed)],
            Event::ContactForce { force, point, .. } => [force, point, Vec3::ZERO],
            Event::JointBroke { force, torque, .. } => [Vec3::splat(force), Vec3::splat(torque), Vec3::ZERO],
            Event::BouncingEnded { after, .. } => [Vec3::splat(after), Vec3::ZERO, Vec3::ZERO],
            Event::EnergyGained { allowed, gained, removed, .. } => {
                [Vec3::splat(allowed), Vec3::splat(gained), Vec3::splat(removed)]
            }
            _ => continue,
        };
        for value in values {
            finite(value, || format!("{event:?}"))?;
        }
    }
    let energy = live.physics.kinetic_energy();
    if !energy.is_finite() {
        return Err(Fault::new(FaultKind::Number, format!("kinetic energy {energy}")));
    }
    Ok(())
}

fn finite(value: Vec3, what: impl FnOnce() -> String) -> Result<(), Fault> {
    if value.is_finite() { Ok(()) } else { Err(Fault::new(FaultKind::Number, format!("{}: {value}", what()))) }
}

/// Contacts and events name entities that are there, or were before the step's edits.
pub fn names(live: &Live) -> Result<(), Fault> {
    let there = |e: &Entity| live.world.contains(*e);
    for contact in live.physics.contacts() {
        if !contact.entities.iter().all(there) {
            return Err(Fault::new(FaultKind::Stale, format!("{contact:?}")));
        }
    }
    for event in live.physics.events().iter().filter(|event| !matches!(event, Event::JointLost { .. })) {
        if !event.entities().iter().all(|e| there(e) || live.gone.contains(e)) {
            return Err(Fault::new(FaultKind::Stale, format!("{event:?}")));
        }
    }
    Ok(())
}
