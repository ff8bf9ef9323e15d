/// The entity's collider reports contacts as events and exerts no force.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Sensor` | 0 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Sensor;

/// Continuous collision detection against dynamic bodies: however fast and small, the body does not
/// pass through them. Against static and kinematic bodies this holds for every dynamic body.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Ccd` | 0 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Ccd;

/// The body, further collider or joint takes no part in steps and queries, as if it were not there;
/// its components stay as they are. Without the marker it continues with them. Joints and further
/// colliders of a disabled body rest with it; when it is despawned, its joints are lost, as those of
/// any body, and its colliders go on resting.
///
/// ```
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 10.0, 0.0).with(Disabled));
/// physics.step(&mut world, 1.0 / 60.0)?;
/// assert_eq!(world.get::<&Position>(ball).unwrap().0.y, 10.0);
/// world.remove_one::<Disabled>(ball).unwrap();
/// physics.step(&mut world, 1.0 / 60.0)?;
/// assert!(world.get::<&Position>(ball).unwrap().0.y < 10.0);
/// # Ok::<(), dolmen::StepError>(())
/// ```
///
/// | | size | alignment |
/// |---|---|---|
/// | `Disabled` | 0 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Disabled;
