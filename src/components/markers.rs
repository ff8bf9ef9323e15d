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
