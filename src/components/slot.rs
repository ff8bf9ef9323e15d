/// The stable number of a body or extra collider in one [`Physics`](crate::Physics), given by the step on first sight.
///
/// [`Body`](crate::Body) spawns with it unassigned; where it is missing the step adds it. Results are ordered by it, never by
/// [`Entity`](hecs::Entity) or row. A copy on another entity is noticed and replaced.
///
/// | | size | alignment |
/// |---|---|---|
/// | `BodySlot` | 4 | 4 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct BodySlot(pub(crate) u32);

impl BodySlot {
    /// No number yet: the next step gives one.
    pub const UNASSIGNED: Self = Self(u32::MAX);

    /// The number, if one was given.
    pub const fn get(self) -> Option<u32> {
        if self.0 == u32::MAX { None } else { Some(self.0) }
    }
}

impl Default for BodySlot {
    fn default() -> Self {
        Self::UNASSIGNED
    }
}
