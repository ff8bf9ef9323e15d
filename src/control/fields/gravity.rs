//! Gravity as a function of place.

use super::{Field, Floating, Placed, Region};
use crate::math::{Real, Vec3};

/// Gravity of a place: a planet, a zone without weight, a tunnel in which down is sideways.
///
/// A body takes the fields of the highest priority whose region holds its centre of mass, and those of
/// lower ones down to the first that replaces what is below it; the world's gravity is below all.
/// [`Settings::gravity`](crate::Settings::gravity) stays the scale by which a step tells resting
/// contacts from impacts: leave it at the usual strength. [`GravityScale`](crate::GravityScale) is a
/// factor on fields too.
///
/// ```
/// use dolmen::control::fields::{GravityField, step_fields};
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// // A planet of 50 m, on whose surface things weigh what they do on Earth.
/// let planet = Body::fixed(Collider::ball(50.0));
/// world.spawn(planet.with(GravityField::planet(9.81 * 50.0 * 50.0)));
/// let pole = world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, -51.0, 0.0));
/// for _ in 0..120 {
///     step_fields(&mut world, &physics, 1.0 / 60.0)?;
///     physics.step(&mut world, 1.0 / 60.0)?;
/// }
/// assert!((world.get::<&Position>(pole).unwrap().0.y + 50.5).abs() < 0.01);
/// # Ok::<(), dolmen::StepError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct GravityField {
    /// The places where it acts.
    pub region: Region,
    /// Its acceleration.
    pub law: GravityLaw,
    /// Fields of higher priority come first.
    pub priority: i32,
    /// True if fields of lower priority, and the world's gravity, do not act where this one does.
    pub replaces: bool,
}

/// The acceleration of a gravity field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum GravityLaw {
    /// The same everywhere, in the axes of the entity (m/s²).
    Uniform(Vec3),
    /// Towards the entity's origin, of one magnitude (m/s²); negative: away from it.
    Central(Real),
    /// Towards the entity's origin, with the inverse square of the distance.
    InverseSquare {
        /// Newton's constant times the mass (m³/s²).
        mu: Real,
    },
}

impl GravityField {
    /// The field of a planet or star with this `mu` (m³/s²), instead of the world's gravity.
    pub const fn planet(mu: Real) -> Self {
        Self { region: Region::Everywhere, law: GravityLaw::InverseSquare { mu }, priority: 0, replaces: true }
    }

    /// A uniform acceleration (m/s²) in a region, instead of the world's gravity.
    pub const fn zone(region: Region, acceleration: Vec3) -> Self {
        Self { region, law: GravityLaw::Uniform(acceleration), priority: 0, replaces: true }
    }
}

impl GravityLaw {
    /// The acceleration at a point in the axes of the entity (m/s²).
    pub fn at(&self, point: Vec3) -> Vec3 {
        match *self {
            Self::Uniform(acceleration) => acceleration,
            Self::Central(magnitude) => point.normalize_or_zero() * -magnitude,
            Self::InverseSquare { mu } => {
                let squared = point.length_squared();
                if squared > 0.0 { point.normalize_or_zero() * -(mu / squared) } else { Vec3::ZERO }
            }
        }
    }
}

impl Field for GravityField {
    const NAME: &'static str = "GravityField";

    fn problem(&self) -> Option<String> {
        let finite = match self.law {
            GravityLaw::Uniform(acceleration) => acceleration.is_finite(),
            GravityLaw::Central(value) | GravityLaw::InverseSquare { mu: value } => value.is_finite(),
        };
        let law = (!finite).then(|| format!("the law must be finite, got {:?}", self.law));
        law.or_else(|| self.region.problem())
    }

    fn key(self) -> impl Iterator<Item = Real> {
        let law = match self.law {
            GravityLaw::Uniform(acceleration) => acceleration,
            GravityLaw::Central(value) => Vec3::new(value, 1.0, 0.0),
            GravityLaw::InverseSquare { mu } => Vec3::new(mu, 0.0, 1.0),
        };
        law.to_array().into_iter().chain(self.region.extent().to_array())
    }
}

/// The acceleration of a body by the gravity of its place (m/s²).
pub(super) fn acceleration(fields: &[Placed<GravityField>], body: &Floating) -> Vec3 {
    let mut sum = Vec3::ZERO;
    let mut below: Option<i32> = None;
    loop {
        let here = |placed: &&Placed<GravityField>| {
            below.is_none_or(|below| placed.field.priority < below)
                && placed.field.region.contains(placed.pose.inverse_transform_point(body.center))
        };
        let Some(priority) = fields.iter().filter(here).map(|placed| placed.field.priority).max() else {
            return sum + body.world_gravity();
        };
        let mut replaces = false;
        for placed in fields.iter().filter(here).filter(|placed| placed.field.priority == priority) {
            let point = placed.pose.inverse_transform_point(body.center_midway());
            let scale = body.physics.state().bodies.inputs[body.slot].gravity_scale.unwrap_or_default().0;
            sum += placed.pose.rotation * placed.field.law.at(point) * scale;
            replaces |= placed.field.replaces;
        }
        if replaces {
            return sum;
        }
        below = Some(priority);
    }
}
