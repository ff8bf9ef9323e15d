use crate::components::CollisionLayers;
use crate::error::StepError;
use crate::math::Real;

/// Settings of [`Particles`](super::Particles). They may be changed between steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ParticleSettings {
    /// Leapfrog steps per step, at least 1. Default 1.
    pub substeps: u32,
    /// Passes over the contacts in each leapfrog step, at least 1; overlaps get at most two. More
    /// passes make deep piles stiffer. Default 6.
    pub iterations: u32,
    /// The part of an overlap of two particles that is corrected in each leapfrog step, 0 to 1
    /// (`k_p`). From 1/2 on, piles may shake. Default 0.4.
    pub projection: Real,
    /// The approach speed (m/s) below which impacts between particles, and repeated impacts on
    /// walls, do not bounce; `None` is the speed that gravity adds in one leapfrog step. With zero,
    /// contacts are not warm-started and deep piles yield. Default `None`.
    pub rest_speed: Option<Real>,
    /// The collision layers of all particles, for contacts with colliders. Particles always collide
    /// with each other.
    pub layers: CollisionLayers,
}

impl Default for ParticleSettings {
    fn default() -> Self {
        Self { substeps: 1, iterations: 6, projection: 0.4, rest_speed: None, layers: CollisionLayers::default() }
    }
}

impl ParticleSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`StepError::Setting`] with the field's name and value.
    pub fn validate(&self) -> Result<(), StepError> {
        let bad = |setting, problem: String| Err(StepError::Setting { setting, problem });
        if self.substeps == 0 {
            return bad("substeps", "must be at least 1, got 0".into());
        }
        if self.iterations == 0 {
            return bad("iterations", "must be at least 1, got 0".into());
        }
        if !(0.0..=1.0).contains(&self.projection) {
            return bad("projection", format!("must be from 0 to 1, got {}", self.projection));
        }
        if let Some(speed) = self.rest_speed.filter(|speed| !(*speed >= 0.0 && speed.is_finite())) {
            return bad("rest_speed", format!("must be at least 0 and finite, got {speed}"));
        }
        Ok(())
    }
}
