//! Before the step: the velocities of kinematic bodies that have a target.

use crate::components::{
    AngularVelocity, CenterOfMass, KinematicTarget, LinearVelocity, Orientation, Position, RigidBody,
};
use crate::error::StepError;
use crate::math::{Pose, Real, Vec3};
use crate::motion::center::velocity_between;
use hecs::{Entity, World};

type Driven<'a> = (Entity, &'a KinematicTarget, &'a RigidBody, Option<&'a Position>, Option<&'a Orientation>);

/// Gives each kinematic body with a [`KinematicTarget`] the velocities that lead there in `dt` seconds.
///
/// # Errors
/// [`StepError::Component`] for a target that is not finite or not an orientation; nothing is changed then.
pub(crate) fn run(world: &mut World, dt: Real) -> Result<(), StepError> {
    let mut driven: Vec<(Entity, LinearVelocity, AngularVelocity)> = Vec::new();
    for (entity, target, kind, position, orientation) in world.query::<Driven>().iter() {
        if *kind != RigidBody::Kinematic {
            continue;
        }
        let KinematicTarget { position: place, orientation: turned } = *target;
        if !place.is_finite() || !turned.is_finite() || turned.length_squared() == 0.0 {
            let problem = format!("must be a finite place and an orientation, got {place} and {turned}");
            return Err(StepError::Component { entity, component: "KinematicTarget", problem });
        }
        let from = Pose::from_parts(position.map_or(Vec3::ZERO, |p| p.0), orientation.copied().unwrap_or_default().0);
        let center = world.get::<&CenterOfMass>(entity).map_or(Vec3::ZERO, |center| center.0);
        let to = Pose::from_parts(place, turned.normalize());
        let (linear, angular) = velocity_between(&from, &to, center, dt);
        driven.push((entity, LinearVelocity(linear), AngularVelocity(angular)));
    }
    for (entity, linear, angular) in driven {
        let known = world.query_one_mut::<(&mut LinearVelocity, &mut AngularVelocity)>(entity);
        if let Ok((v, w)) = known {
            (*v, *w) = (linear, angular);
        } else {
            world.insert(entity, (linear, angular)).expect("the entity was there a moment ago");
        }
    }
    Ok(())
}
