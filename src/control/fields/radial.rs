//! Impulses away from a point.

use crate::bodies::Kind;
use crate::components::ExternalImpulse;
use crate::math::{Real, Vec3};
use crate::physics::Physics;
use crate::query::{Filter, QueryError, Ray};
use hecs::{Entity, World};

/// An impulse away from a point: an explosion. Negative: towards it.
///
/// ```
/// use dolmen::control::fields::{RadialImpulse, radial_impulse};
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// let barrel = world.spawn(Body::dynamic(Collider::ball(0.5)).at(2.0, 0.0, 0.0).mass(10.0).gravity_scale(0.0));
/// physics.step(&mut world, 1.0 / 60.0)?;
/// let pushed = radial_impulse(&mut world, &physics, &RadialImpulse::new(Vec3::ZERO, 4.0, 100.0))?;
/// // Half as much in the middle of the radius.
/// assert_eq!(pushed, [(barrel, Vec3::X * 50.0)]);
/// physics.step(&mut world, 1.0 / 60.0)?;
/// assert_eq!(world.get::<&LinearVelocity>(barrel).unwrap().0, Vec3::X * 5.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadialImpulse {
    /// The point (m, world).
    pub center: Vec3,
    /// Bodies with their centre of mass within this distance are pushed (m).
    pub radius: Real,
    /// The impulse at the point (N s).
    pub impulse: Real,
    /// How it falls off.
    pub falloff: Falloff,
    /// True if bodies behind others, seen from the point, are not pushed.
    pub shielded: bool,
}

/// How an impulse falls off with the distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Falloff {
    /// Not at all.
    Constant,
    /// In proportion to the distance, to zero at the radius.
    #[default]
    Linear,
    /// With the inverse square of the distance beyond a core (m), inside which it is constant.
    InverseSquare {
        /// Radius of the core (m).
        core: Real,
    },
}

impl Falloff {
    /// The factor at a distance (m), for a radius (m).
    pub fn at(&self, distance: Real, radius: Real) -> Real {
        match *self {
            Self::Constant => 1.0,
            Self::Linear => (1.0 - distance / radius).max(0.0),
            Self::InverseSquare { core } if distance > core => (core / distance) * (core / distance),
            Self::InverseSquare { .. } => 1.0,
        }
    }
}

impl RadialImpulse {
    /// A linear falloff, nothing shielded.
    pub const fn new(center: Vec3, radius: Real, impulse: Real) -> Self {
        Self { center, radius, impulse, falloff: Falloff::Linear, shielded: false }
    }

    /// Bodies behind others are not pushed.
    #[must_use]
    pub const fn shielded(self) -> Self {
        Self { shielded: true, ..self }
    }
}

/// Adds the impulse to the dynamic bodies around, at their centres of mass after the last step; it acts
/// at the start of the next one. Returns the bodies with their impulses (N s), in the order of slots.
///
/// # Errors
/// [`QueryError`] for a centre, impulse or core that is not finite, or a radius that is negative or no
/// number; then nothing was changed.
pub fn radial_impulse(
    world: &mut World,
    physics: &Physics,
    how: &RadialImpulse,
) -> Result<Vec<(Entity, Vec3)>, QueryError> {
    let RadialImpulse { center, radius, impulse, falloff, shielded } = *how;
    // A ray checks the values as queries do.
    Ray::new(center, Vec3::X, radius)?;
    let core = if let Falloff::InverseSquare { core } = falloff { core } else { 0.0 };
    for (argument, value) in [("impulse", impulse), ("core", core)] {
        if !value.is_finite() {
            return Err(QueryError::NotFinite { argument, value: value.to_string() });
        }
    }
    let bodies = &physics.state().bodies;
    let mut pushed = Vec::new();
    for slot in (0..bodies.slots()).filter(|&slot| bodies.kind[slot] == Kind::Dynamic) {
        let (entity, away) = (bodies.entity[slot], bodies.center[slot] - center);
        let distance = away.length();
        if distance > radius || (shielded && is_shielded(physics, center, bodies.center[slot], entity)) {
            continue;
        }
        // A body about the point itself is pushed nowhere.
        let push = away.normalize_or_zero() * (impulse * falloff.at(distance, radius));
        if push != Vec3::ZERO {
            pushed.push((entity, push));
        }
    }
    for &(entity, linear) in &pushed {
        ExternalImpulse { linear, angular: Vec3::ZERO }.add_to(world, entity);
    }
    Ok(pushed)
}

/// True if the first surface on the way is another body's.
fn is_shielded(physics: &Physics, from: Vec3, to: Vec3, entity: Entity) -> bool {
    let ray = Ray::between(from, to).ok();
    ray.and_then(|ray| physics.query().ray(&ray, &Filter::default())).is_some_and(|hit| hit.entity != entity)
}
