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
    /// Layers and mask, one bit a layer.
    pub const fn new(layers: u32, mask: u32) -> Self {
        Self { layers, mask }
    }

    /// In one layer, from 0 to 31, and collides with all. A number above 31 is that modulo 32.
    pub const fn layer(number: u32) -> Self {
        Self { layers: 1 << (number % 32), mask: u32::MAX }
    }

    /// Collides with these layers alone.
    ///
    /// ```
    /// use dolmen::CollisionLayers;
    /// const GHOSTS: u32 = 3;
    /// let ghost = CollisionLayers::layer(GHOSTS).only_with([0]);
    /// assert!(ghost.meets(CollisionLayers::default()) && !ghost.meets(ghost));
    /// ```
    #[must_use]
    pub fn only_with(self, layers: impl IntoIterator<Item = u32>) -> Self {
        Self { mask: layers.into_iter().fold(0, |mask, number| mask | 1 << (number % 32)), ..self }
    }

    /// Collides with all that it did, but not with these layers.
    #[must_use]
    pub fn not_with(self, layers: impl IntoIterator<Item = u32>) -> Self {
        Self { mask: layers.into_iter().fold(self.mask, |mask, number| mask & !(1 << (number % 32))), ..self }
    }

    /// True if two colliders may collide. Symmetric.
    pub const fn meets(self, other: Self) -> bool {
        self.layers & other.mask != 0 && other.layers & self.mask != 0
    }
}

/// Layers for the response to contacts. A pair that collides by its [`CollisionLayers`] and does not
/// meet by these exerts no forces, and is reported as a pair with a [`Sensor`](super::Sensor) is.
/// Default: layer 0, meeting all layers.
///
/// ```
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// // A ghost walks through doors, and doors notice.
/// let ghost_layer = SolverLayers(CollisionLayers::layer(1).not_with([0]));
/// let door = world.spawn(Body::fixed(Collider::cuboid(0.1, 1.0, 0.5)));
/// let ghost = Body::dynamic(Collider::ball(0.3)).at(-1.0, 0.0, 0.0).gravity_scale(0.0).linear_velocity(Vec3::X);
/// let ghost = world.spawn(ghost.with(ghost_layer));
/// let mut met = 0;
/// for _ in 0..120 {
///     physics.step(&mut world, 1.0 / 60.0)?;
///     met += physics.events().iter().filter(|event| event.other(ghost) == Some(door)).count();
/// }
/// assert_eq!(met, 2, "it entered and left");
/// assert!((world.get::<&Position>(ghost).unwrap().0.x - 1.0).abs() < 1e-4);
/// # Ok::<(), dolmen::StepError>(())
/// ```
///
/// | | size | alignment |
/// |---|---|---|
/// | `SolverLayers` | 8 | 4 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SolverLayers(pub CollisionLayers);
