//! Before the step: velocities of kinematic bodies that have a target.

use crate::components::{
    AngularVelocity, CenterOfMass, Disabled, KinematicTarget, LinearVelocity, Orientation, Position, RigidBody,
};
use crate::error::StepError;
use crate::math::{Pose, Real, Vec3, is_direction};
use crate::motion::center::velocity_between;
use crate::ranges::FARTHEST;
use crate::systems::gather::is_near;
use hecs::{Entity, World};

type Motion<'a> = (Option<&'a LinearVelocity>, Option<&'a AngularVelocity>);

type Targeted<'a> =
    (Entity, &'a KinematicTarget, &'a RigidBody, Option<&'a Position>, Option<&'a Orientation>, Motion<'a>);

/// The bodies whose velocities were set, with their former velocities.
pub(crate) struct Driven(Vec<Drive>);

struct Drive {
    entity: Entity,
    velocities: (LinearVelocity, AngularVelocity),
    before: (Option<LinearVelocity>, Option<AngularVelocity>),
}

impl Driven {
    /// Restores the former velocities: a refused step changes nothing.
    pub(crate) fn undo(self, world: &mut World) {
        for Drive { entity, before: (linear, angular), .. } in self.0 {
            match linear {
                Some(linear) => world.insert_one(entity, linear).expect("a step despawns no entity"),
                None => drop(world.remove_one::<LinearVelocity>(entity)),
            }
            match angular {
                Some(angular) => world.insert_one(entity, angular).expect("a step despawns no entity"),
                None => drop(world.remove_one::<AngularVelocity>(entity)),
            }
        }
    }
}

/// Sets the velocities of each kinematic body with a [`KinematicTarget`] so that it arrives there
/// in `dt` seconds.
///
/// # Errors
/// [`StepError::Component`] for a target that is not finite or not an orientation, and for one of a
/// body that is not kinematic; then nothing is changed.
pub(crate) fn run(world: &mut World, dt: Real) -> Result<Driven, StepError> {
    let mut driven = Vec::new();
    for (entity, target, kind, position, orientation, motion) in world.query::<Targeted>().without::<&Disabled>().iter()
    {
        let refused = |problem| Err(StepError::Component { entity, component: "KinematicTarget", problem });
        if *kind != RigidBody::Kinematic {
            return refused(format!(
                "is for kinematic bodies, and this one is {kind:?}: remove it, or change the kind"
            ));
        }
        let now = orientation.copied().unwrap_or_default().0;
        let KinematicTarget { position: place, orientation: turned } = *target;
        let turned = turned.unwrap_or(now);
        if !(is_near(place) && is_direction(turned)) {
            return refused(format!(
                "must be a place within {FARTHEST:e} m and an orientation, got {place} and {turned}"
            ));
        }
        let from = Pose::from_parts(position.map_or(Vec3::ZERO, |p| p.0), now);
        let center = world.get::<&CenterOfMass>(entity).map_or(Vec3::ZERO, |center| center.0);
        let to = Pose::from_parts(place, turned.normalize());
        let (linear, angular) = velocity_between(&from, &to, center, dt);
        if !is_near(linear) || !is_near(angular) {
            return refused(format!("{place} is too far from {} for a step of {dt} s", from.translation));
        }
        let velocities = (LinearVelocity(linear), AngularVelocity(angular));
        driven.push(Drive { entity, velocities, before: (motion.0.copied(), motion.1.copied()) });
    }
    for &Drive { entity, velocities, .. } in &driven {
        let known = world.query_one_mut::<(&mut LinearVelocity, &mut AngularVelocity)>(entity);
        if let Ok((v, w)) = known {
            (*v, *w) = velocities;
        } else {
            world.insert(entity, velocities).expect("the entity was there a moment ago");
        }
    }
    Ok(Driven(driven))
}
