/// Sleep in the hands of the game. Default: bodies at rest sleep, and wake when something touches or
/// edits them.
///
/// [`Asleep`](Self::Asleep) and [`Awake`](Self::Awake) are requests: the next step carries them out
/// and sets the component back to [`Automatic`](Self::Automatic).
/// [`Physics::put_to_sleep`](crate::Physics::put_to_sleep) and [`Physics::wake`](crate::Physics::wake)
/// write them. An edit of the component wakes the body, as every edit does.
///
/// ```
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
/// // A castle that costs nothing until somebody comes.
/// let bricks = [0.5, 1.5, 2.5].map(|y| {
///     world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, y, 0.0).with(SleepControl::Asleep))
/// });
/// assert_eq!(physics.step(&mut world, 1.0 / 60.0)?.counts.asleep, 3);
/// physics.wake(&mut world, bricks[0])?;
/// assert_eq!(physics.step(&mut world, 1.0 / 60.0)?.counts.asleep, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// | | size | alignment |
/// |---|---|---|
/// | `SleepControl` | 1 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum SleepControl {
    /// The island of the body sleeps when it is proved to be at rest.
    #[default]
    Automatic,
    /// The body, and with it its island, never sleeps.
    Never,
    /// The island of the body, or the body alone where nothing touches it, sleeps from the next step
    /// on, moving or not: its velocities become zero. It wakes as usual. Ignored for an island with a
    /// body that never sleeps, and while [`Settings::sleep`](crate::Settings::sleep) is off.
    Asleep,
    /// The island of the body is awake in the next step.
    Awake,
}
