//! Before the step: checks the velocity limits. After the motion: applies them.

use crate::bodies::Bodies;
use crate::components::{BodySlot, Disabled, VelocityLimit};
use crate::error::StepError;
use crate::motion::damping::limit;
use crate::ranges::not_negative;
use hecs::{Entity, World};

/// Checks all limits, before the step.
///
/// # Errors
/// [`StepError::Component`] for a limit that is negative or not a number.
pub(crate) fn check(world: &World) -> Result<(), StepError> {
    for (entity, most) in world.query::<(Entity, &VelocityLimit)>().without::<&Disabled>().iter() {
        for (name, value) in [("linear", most.linear), ("angular", most.angular)] {
            not_negative(name, value).map_err(|problem| StepError::Component {
                entity,
                component: "VelocityLimit",
                problem,
            })?;
        }
    }
    Ok(())
}

/// Clamps the velocities of bodies with a [`VelocityLimit`].
pub(crate) fn run(world: &World, bodies: &mut Bodies) {
    for (entity, most, slot) in world.query::<(Entity, &VelocityLimit, &BodySlot)>().iter() {
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
