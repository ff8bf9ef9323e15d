//! After the motion: velocities no greater than the game allows.

use crate::bodies::Bodies;
use crate::components::{BodySlot, VelocityLimit};
use crate::motion::damping::limit;
use hecs::World;

/// Shortens the velocities of bodies with a [`VelocityLimit`]. One that is not a number limits nothing.
pub(crate) fn run(world: &World, bodies: &mut Bodies) {
    for (entity, most, slot) in world.query::<(hecs::Entity, &VelocityLimit, &BodySlot)>().iter() {
        let Some(slot) = slot.get().map(|slot| slot as usize).filter(|&slot| bodies.entity.get(slot) == Some(&entity))
        else {
            continue;
        };
        if bodies.is_active(slot) {
            bodies.linear_velocity[slot] = limit(bodies.linear_velocity[slot], most.linear.max(0.0));
            bodies.angular_velocity[slot] = limit(bodies.angular_velocity[slot], most.angular.max(0.0));
        }
    }
}
