/// The entity's collider feels others and reports them, but nothing bounces off it.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Sensor` | 0 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Sensor;

/// The body does not pass through other moving bodies either, however fast and small it is. Against static bodies that
/// holds for every dynamic body.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Ccd` | 0 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Ccd;
