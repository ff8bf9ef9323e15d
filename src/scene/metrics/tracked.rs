//! A measured body.

use super::state::KinematicState;
use crate::components::Collider;
use crate::mass::MassProperties;
use hecs::Entity;

/// A measured body.
pub(super) struct Tracked {
    pub entity: Entity,
    pub collider: Option<Collider>,
    /// Mass properties of a dynamic body.
    pub weight: Option<MassProperties>,
    pub gravity_scale: f64,
    pub start: KinematicState,
    pub now: KinematicState,
}

impl Tracked {
    pub fn dynamic(&self) -> bool {
        self.weight.is_some()
    }
}
