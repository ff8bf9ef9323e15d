use crate::components::CollisionLayers;
use crate::error::StepError;
use crate::math::Real;

/// How particles are stepped. Change it between steps as you like.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ParticleSettings {
    /// Leapfrog steps in each step, at least 1. Default 1.
    pub substeps: u32,
    /// Passes over the impacts of each leapfrog step, at least 1; over the overlaps there are two at most. More make deep heaps stiffer.
    /// Default 6.
    pub iterations: u32,
    /// The part of an overlap of two particles that is taken out in each leapfrog step, 0 to 1 (`k_p`). From 1/2 on, heaps may
    /// shake. Default 0.4.
    pub projection: Real,
    /// Impacts between particles, and repeated ones on walls, that are slower than this do not bounce (m/s); or `None` for
    /// what gravity adds in one leapfrog step. Zero, with or without gravity, lets no contact be remembered: then deep heaps
    /// give way. Default `None`.
    pub rest_speed: Option<Real>,
    /// The collision layers of all particles, for the colliders that they meet. Particles always meet each other.
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
