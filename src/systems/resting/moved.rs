//! What a step does to one body of an island that the exact laws solve.

use crate::math::DVec3;

/// What the step does to a body.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Moved {
    pub velocity: DVec3,
    pub spin: DVec3,
    pub displacement: DVec3,
    pub rotation: DVec3,
    pub pushed: bool,
}
