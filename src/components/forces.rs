use crate::math::{Real, Vec3};
use hecs::{Entity, World};

/// A force on the centre of mass in world axes (N), constant until the game changes it. Default:
/// none.
///
/// | | size | alignment |
/// |---|---|---|
/// | `ExternalForce` in `f32` / `f64` | 12 / 24 | 4 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ExternalForce(pub Vec3);

/// A torque in world axes (N m), constant until the game changes it. Default: none.
///
/// | | size | alignment |
/// |---|---|---|
/// | `ExternalTorque` in `f32` / `f64` | 12 / 24 | 4 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ExternalTorque(pub Vec3);

impl ExternalForce {
    /// The force on the centre of mass and the torque that are equivalent to a force (N) at a
    /// point, all in world axes; `center` is the body's centre of mass in the world (m).
    pub fn at_point(force: Vec3, point: Vec3, center: Vec3) -> (Self, ExternalTorque) {
        (Self(force), ExternalTorque((point - center).cross(force)))
    }
}

/// An impulse that acts at the start of the next step, after which the step sets it to zero.
///
/// | | size | alignment |
/// |---|---|---|
/// | `ExternalImpulse` in `f32` / `f64` | 24 / 48 | 4 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ExternalImpulse {
    /// On the centre of mass, world axes (N s).
    pub linear: Vec3,
    /// Angular, world axes (N m s).
    pub angular: Vec3,
}

impl ExternalImpulse {
    /// An impulse (N s) at a point, both in world axes; `center` is the body's centre of mass in
    /// the world (m).
    pub fn at_point(impulse: Vec3, point: Vec3, center: Vec3) -> Self {
        Self { linear: impulse, angular: (point - center).cross(impulse) }
    }

    /// Adds this impulse to that of an entity; does nothing if the entity does not exist. A
    /// sleeping body wakes.
    pub fn add_to(self, world: &mut World, entity: Entity) {
        if let Ok(known) = world.query_one_mut::<&mut Self>(entity) {
            known.linear += self.linear;
            known.angular += self.angular;
        } else if world.contains(entity) {
            world.insert_one(entity, self).expect("the entity is there");
        }
    }
}

/// Factor on gravity for one body; may be zero or negative. Default 1.
///
/// | | size | alignment |
/// |---|---|---|
/// | `GravityScale` in `f32` / `f64` | 4 / 8 | 4 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct GravityScale(pub Real);

impl Default for GravityScale {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Exponential damping of the velocities (1/s), at least 0: after a time t the linear velocity has
/// been multiplied by `exp(-linear t)`. Default: none.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Damping` in `f32` / `f64` | 8 / 16 | 4 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Damping {
    /// Rate for the linear velocity (1/s).
    pub linear: Real,
    /// Rate for the angular velocity (1/s).
    pub angular: Real,
}
