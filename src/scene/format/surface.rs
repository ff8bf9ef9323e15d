//! Friction and restitution.

use crate::components::Material;
use serde::{Deserialize, Serialize};

/// What a scene or a body says of its surface. What it leaves out it takes from elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurfaceSpec {
    /// Coefficient of friction while the surfaces stick, at least `dynamic_friction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Coefficient of friction while they slide, at least 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dynamic_friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
}

/// A surface with nothing left open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coefficient of friction while the surfaces stick.
    pub static_friction: f64,
    /// Coefficient of friction while they slide.
    pub dynamic_friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

impl Default for Surface {
    /// That of [`Material`].
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
    /// This surface, and for what it leaves out that of `base`.
    ///
    /// Where it names only one of the two frictions and the other one's base would make sliding harder than sticking, the
    /// other follows the one that is named.
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
