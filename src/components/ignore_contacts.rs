use hecs::Entity;

/// Bodies or further colliders that the colliders of this entity do not meet: no contact, no event,
/// no continuous collision detection. One side of a pair is enough. On a body it holds for its own
/// collider, and where the body is named for all colliders of it.
///
/// A despawned entity in the list is harmless: hecs gives no other entity the same number and
/// generation. [`retain_alive`](Self::retain_alive) drops those that are gone.
///
/// ```
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// let cannon = world.spawn(Body::fixed(Collider::cuboid(1.0, 1.0, 1.0)));
/// let ball = Body::dynamic(Collider::ball(0.2)).linear_velocity(Vec3::X * 20.0);
/// let ball = world.spawn(ball.with(IgnoreContactsWith::from([cannon])));
/// for _ in 0..60 {
///     physics.step(&mut world, 1.0 / 60.0)?;
/// }
/// assert!((world.get::<&Position>(ball).unwrap().0.x - 20.0).abs() < 1e-3);
/// # Ok::<(), dolmen::StepError>(())
/// ```
///
/// | | size | alignment |
/// |---|---|---|
/// | `IgnoreContactsWith` | 24 | 8 |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct IgnoreContactsWith(pub Vec<Entity>);

impl IgnoreContactsWith {
    /// True if an entity is in the list.
    pub fn contains(&self, entity: Entity) -> bool {
        self.0.contains(&entity)
    }

    /// Drops entities that are no longer in the world.
    pub fn retain_alive(&mut self, world: &hecs::World) {
        self.0.retain(|&entity| world.contains(entity));
    }
}

impl<const N: usize> From<[Entity; N]> for IgnoreContactsWith {
    fn from(entities: [Entity; N]) -> Self {
        Self(entities.into())
    }
}
