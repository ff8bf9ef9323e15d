//! Air that moves, and drag in it.

use super::{Field, Floating, Placed, Region};
use crate::control::first_negative;
use crate::error::StepError;
use crate::math::{Real, Vec3};
use crate::ranges::at_least_zero;
use hecs::{Entity, World};

/// Air, at rest or moving. It acts on bodies with [`Drag`]; where several overlap, each does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Wind {
    /// The places where it blows.
    pub region: Region,
    /// Velocity in the axes of the entity (m/s).
    pub velocity: Vec3,
    /// Density (kg/m³), 1.2 for air.
    pub density: Real,
}

impl Wind {
    /// Air of 1.2 kg/m³ everywhere, with a velocity (m/s).
    pub const fn everywhere(velocity: Vec3) -> Self {
        Self { region: Region::Everywhere, velocity, density: 1.2 }
    }
}

/// The drag of a body: a force of half the density times this area times the square of the velocity
/// against the air.
///
/// | | size in `f32` / `f64` | alignment |
/// |---|---|---|
/// | `Drag` | 4 / 8 | 4 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Drag(
    /// Drag coefficient times frontal area (m²): about 0.47 π r² for a ball.
    pub Real,
);

/// # Errors
/// [`StepError::Component`] for an area that is negative or not finite.
pub(super) fn check_drag(world: &World) -> Result<(), StepError> {
    for (entity, drag) in world.query::<(Entity, &Drag)>().iter() {
        at_least_zero("the area", drag.0).map_err(|problem| StepError::Component {
            entity,
            component: "Drag",
            problem,
        })?;
    }
    Ok(())
}

impl Field for Wind {
    const NAME: &'static str = "Wind";

    fn problem(&self) -> Option<String> {
        if !self.velocity.is_finite() {
            return Some(format!("the velocity must be finite, got {}", self.velocity));
        }
        first_negative(&[("the density", self.density)]).or_else(|| self.region.problem())
    }

    fn key(self) -> impl Iterator<Item = Real> {
        self.velocity.to_array().into_iter().chain([self.density]).chain(self.region.extent().to_array())
    }
}

/// The velocity after a time `t` (s) under quadratic drag alone, `dv/dt = -k |v| v` with `k` in 1/m:
/// `v / (1 + k |v| t)`.
pub(super) fn slowed(velocity: Vec3, k: Real, t: Real) -> Vec3 {
    velocity / (1.0 + k * velocity.length() * t)
}

/// The mean force of the winds on a body that falls with an acceleration (N), and no torque.
///
/// The velocity is that of the middle of the step without drag, and the loss that of the exact law
/// over the step from there.
pub(super) fn force(winds: &[Placed<Wind>], drag: &Drag, body: &Floating, fall: Vec3) -> [Vec3; 2] {
    let mut force = Vec3::ZERO;
    for Placed { field, pose } in winds {
        if field.region.contains(pose.inverse_transform_point(body.center)) && body.mass > 0.0 {
            let against = body.velocity + fall * (0.5 * body.dt) - pose.rotation * field.velocity;
            let k = 0.5 * field.density * drag.0 / body.mass;
            force += (slowed(against, k, body.dt) - against) * (body.mass / body.dt);
        }
    }
    [force, Vec3::ZERO]
}
