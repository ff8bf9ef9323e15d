/// The kind of a body. An entity with this component is a body; the step finds it without
/// registration.
///
/// | | size | alignment |
/// |---|---|---|
/// | `RigidBody` | 1 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum RigidBody {
    /// Moved by gravity, forces, contacts and joints. Its mass follows from its colliders or is
    /// given.
    #[default]
    Dynamic,
    /// Moved by the game, by its velocities or by writing its pose; contacts and joints do not move
    /// it. Its velocities push and carry dynamic bodies. If only its pose is written, it pushes out
    /// overlapping bodies and carries none.
    Kinematic,
    /// Does not move. It may be teleported, which wakes the bodies that rest on it.
    Static,
}
