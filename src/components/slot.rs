/// The stable number of a body or further collider in one [`Physics`](crate::Physics), assigned in
/// its first step.
///
/// [`Body`](crate::Body) spawns with it unassigned; if it is missing, the step adds it. Results
/// depend on the order of slots, not on [`Entity`](hecs::Entity) ids or rows. A copy on another
/// entity is detected and replaced.
///
/// | | size | alignment |
/// |---|---|---|
/// | `BodySlot` | 4 | 4 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct BodySlot(pub(crate) u32);

impl BodySlot {
    /// No number yet: the next step assigns one.
    pub const UNASSIGNED: Self = Self(u32::MAX);

    /// The number, if one is assigned.
    pub const fn get(self) -> Option<u32> {
        if self.0 == u32::MAX { None } else { Some(self.0) }
    }
}

impl Default for BodySlot {
    fn default() -> Self {
        Self::UNASSIGNED
    }
}
