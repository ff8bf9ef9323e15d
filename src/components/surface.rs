use crate::math::{Real, Vec3};

/// Velocity of the collider's surface relative to the body, as of a conveyor belt, in the
/// collider's axes (m/s). It acts through friction only; its component along the contact normal has
/// no effect.
///
/// | | size in `f32` / `f64` | alignment |
/// |---|---|---|
/// | `SurfaceVelocity` | 12 / 24 | 4 / 8 |
///
/// ```
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// let belt = world.spawn(Body::fixed(Collider::cuboid(5.0, 0.5, 1.0)).at(0.0, -0.5, 0.0));
/// world.insert_one(belt, SurfaceVelocity(Vec3::X * 2.0)).unwrap();
/// let crate_ = world.spawn(Body::dynamic(Collider::cuboid(0.2, 0.2, 0.2)).at(-4.0, 0.2, 0.0));
/// for _ in 0..60 {
///     physics.step(&mut world, 1.0 / 60.0)?;
/// }
/// assert!((world.get::<&LinearVelocity>(crate_).unwrap().0.x - 2.0).abs() < 1e-2);
/// # Ok::<(), dolmen::StepError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SurfaceVelocity(pub Vec3);

/// Contacts of the entity's collider with at least this force (N) are reported as
/// [`ContactForce`](crate::Event::ContactForce), in every step.
///
/// | | size in `f32` / `f64` | alignment |
/// |---|---|---|
/// | `ContactForceThreshold` | 4 / 8 | 4 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactForceThreshold(pub Real);
