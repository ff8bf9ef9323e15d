/// A collision filter by bit masks: a pair collides if the mask of each has a bit of the other's
/// layers. Default: layer 0, colliding with all layers.
///
/// | | size | alignment |
/// |---|---|---|
/// | `CollisionLayers` | 8 | 4 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct CollisionLayers {
    /// The layers of this collider, one per bit.
    pub layers: u32,
    /// The layers that it collides with, one per bit.
    pub mask: u32,
}

impl Default for CollisionLayers {
    fn default() -> Self {
        Self { layers: 1, mask: u32::MAX }
    }
}

impl CollisionLayers {
    /// True if two colliders may collide. Symmetric.
    pub const fn meets(self, other: Self) -> bool {
        self.layers & other.mask != 0 && other.layers & self.mask != 0
    }
}
