//! Friction and restitution in scene files.

use crate::components::Material;
use serde::{Deserialize, Serialize};

/// The surface fields of a scene or body; missing fields have defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurfaceSpec {
    /// Coefficient of static friction, at least `dynamic_friction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Coefficient of dynamic friction, at least 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dynamic_friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
}

/// A complete surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coefficient of static friction.
    pub static_friction: f64,
    /// Coefficient of dynamic friction.
    pub dynamic_friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

impl Default for Surface {
    /// The default of [`Material`].
    fn default() -> Self {
        let Material { static_friction, dynamic_friction, restitution, .. } = Material::default();
        Self {
            static_friction: f64::from(static_friction),
            dynamic_friction: f64::from(dynamic_friction),
            restitution: f64::from(restitution),
        }
    }
}

impl SurfaceSpec {
    /// This surface, with missing fields taken from `base`.
    ///
    /// If only one of the two coefficients of friction is given, the other is adjusted where
    /// necessary, so that dynamic friction is at most static friction.
    pub fn over(&self, base: Surface) -> Surface {
        let (static_friction, dynamic_friction) = match (self.static_friction, self.dynamic_friction) {
            (None, None) => (base.static_friction, base.dynamic_friction),
            (Some(sticking), None) => (sticking, base.dynamic_friction.min(sticking)),
            (None, Some(sliding)) => (base.static_friction.max(sliding), sliding),
            (Some(sticking), Some(sliding)) => (sticking, sliding),
        };
        Surface { static_friction, dynamic_friction, restitution: self.restitution.unwrap_or(base.restitution) }
    }
}
