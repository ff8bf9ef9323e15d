/// Which colliders may meet: a pair is tested when each one's mask has a bit of the other's layers. Default: layer 0
/// alone, meeting everything.
///
/// | | size | alignment |
/// |---|---|---|
/// | `CollisionLayers` | 8 | 4 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct CollisionLayers {
    /// The layers this collider is in, one a bit.
    pub layers: u32,
    /// The layers it meets, one a bit.
    pub mask: u32,
}

impl Default for CollisionLayers {
    fn default() -> Self {
        Self { layers: 1, mask: u32::MAX }
    }
}

impl CollisionLayers {
    /// Whether two colliders may meet. Symmetric.
    pub const fn meets(self, other: Self) -> bool {
        self.layers & other.mask != 0 && other.layers & self.mask != 0
    }
}
