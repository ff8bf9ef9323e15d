/// What kind of body an entity is. An entity with this component is a body; the step sees it by itself.
///
/// | | size | alignment |
/// |---|---|---|
/// | `RigidBody` | 1 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum RigidBody {
    /// Moved by gravity, forces, contacts and joints. Needs a mass: from its colliders, or given.
    #[default]
    Dynamic,
    /// Moved by the game: by its velocities, or by writing its pose. Nothing pushes it. By its velocities it pushes dynamic bodies
    /// and carries what stands on it; one that is only put elsewhere pushes out what it overlaps and carries nothing along.
    Kinematic,
    /// Never moves by itself. It may be teleported; what rests on it wakes.
    Static,
}
