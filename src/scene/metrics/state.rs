//! Pose and velocities of a body.

use crate::components::{AngularVelocity, LinearVelocity, Orientation, Position};
use crate::math::{DQuat, DVec3, Pose, Quat, Vec3, from_f64, quat_to_f64, to_f64};
use crate::scene::quat;
use hecs::{Entity, World};

/// Pose and velocities of a body, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KinematicState {
    /// Position of its origin (m).
    pub position: DVec3,
    /// Orientation, a unit quaternion.
    pub orientation: DQuat,
    /// Velocity of its centre of mass (m/s).
    pub linear: DVec3,
    /// Angular velocity in world axes (rad/s).
    pub angular: DVec3,
}

impl KinematicState {
    /// The state of an entity; missing components have their defaults.
    pub fn of(world: &World, entity: Entity) -> Self {
        let part = |v: Option<Vec3>| v.map_or(DVec3::ZERO, to_f64);
        let orientation = world.get::<&Orientation>(entity).map_or(Quat::IDENTITY, |q| q.0);
        Self {
            position: part(world.get::<&Position>(entity).ok().map(|p| p.0)),
            orientation: quat_to_f64(orientation),
            linear: part(world.get::<&LinearVelocity>(entity).ok().map(|v| v.0)),
            angular: part(world.get::<&AngularVelocity>(entity).ok().map(|v| v.0)),
        }
    }

    /// True if all values are finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.orientation.is_finite() && self.linear.is_finite() && self.angular.is_finite()
    }

    /// The pose in the engine's scalar.
    pub(super) fn pose(&self) -> Pose {
        Pose::from_parts(from_f64(self.position), quat::from_f64(self.orientation))
    }
}
