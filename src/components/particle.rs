use crate::math::{Real, consts};

/// A particle: a ball without rotation, for large numbers. A particle is not a body:
/// [`Particles`](crate::particles::Particles) steps it, with its [`Position`](super::Position),
/// [`LinearVelocity`](super::LinearVelocity) and [`Material`](super::Material), which have the
/// usual defaults.
///
/// ```
/// use dolmen::prelude::*;
/// let mut world = hecs::World::new();
/// let grain = Particle::of_density(0.01, 2600.0);
/// world.spawn((grain, Position::new(0.0, 1.0, 0.0), LinearVelocity::default(), Material::new(0.6, 0.2)));
/// assert!((grain.mass - 0.01089).abs() < 1e-5);
/// ```
///
/// | | size | alignment |
/// |---|---|---|
/// | `Particle` in `f32` / `f64` | 8 / 16 | 4 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Particle {
    /// Radius (m), positive.
    pub radius: Real,
    /// Mass (kg), positive.
    pub mass: Real,
}

impl Particle {
    /// A solid ball of a radius (m) and a density (kg/m³).
    pub fn of_density(radius: Real, density: Real) -> Self {
        Self { radius, mass: density * (4.0 / 3.0) * consts::PI * radius * radius * radius }
    }
}
