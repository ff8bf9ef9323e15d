//! What a node becomes: by the end of its name, or by its extras, which go first.

use super::item_error;
use crate::ImportError;
use dolmen::prelude::*;
use gltf::Node;
use hecs::EntityBuilder;
use serde::Deserialize;

/// The object `dolmen` in the extras of a node.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    /// Kind of body; without it the node is a collider of the body that it lies in, or static.
    pub body: Option<BodyKind>,
    /// Shape; without it a hull for what moves, and a mesh for what does not.
    pub shape: Option<ShapeKind>,
    /// Mass (kg).
    mass: Option<Real>,
    /// Density (kg/m³).
    density: Option<Real>,
    friction: Option<Real>,
    restitution: Option<Real>,
    #[serde(default)]
    sensor: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BodyKind {
    Static,
    Kinematic,
    Dynamic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ShapeKind {
    Mesh,
    Hull,
    Box,
    Ball,
    /// Convex hulls that cover the mesh.
    Parts,
}

impl From<BodyKind> for RigidBody {
    fn from(kind: BodyKind) -> Self {
        match kind {
            BodyKind::Static => Self::Static,
            BodyKind::Kinematic => Self::Kinematic,
            BodyKind::Dynamic => Self::Dynamic,
        }
    }
}

impl Rules {
    /// The rules of a node; `None` if it is no body and no collider.
    pub fn of(node: &Node, name: &str) -> Result<Option<Self>, ImportError> {
        let by_name = [
            ("_col", None, ShapeKind::Mesh),
            ("_hull", None, ShapeKind::Hull),
            ("_dyn", Some(BodyKind::Dynamic), ShapeKind::Hull),
        ];
        // Editors number copies: `crate_dyn.001`.
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('.');
        let suffix = by_name.into_iter().find(|(suffix, ..)| stem.ends_with(suffix));
        let named = suffix.map(|(_, body, shape)| Self { body, shape: Some(shape), ..Self::default() });
        let Some(extras) = node.extras() else { return Ok(named) };
        let refused = |problem: String| item_error(name, format!("extras: {problem}"));
        let all: serde_json::Value = serde_json::from_str(extras.get()).map_err(|error| refused(error.to_string()))?;
        let Some(own) = all.get("dolmen") else { return Ok(named) };
        let own = Self::deserialize(own).map_err(|error| refused(error.to_string()))?;
        own.check().map_err(refused)?;
        let named = named.unwrap_or_default();
        Ok(Some(Self { body: own.body.or(named.body), shape: own.shape.or(named.shape), ..own }))
    }

    fn check(&self) -> Result<(), String> {
        for (key, value) in [("mass", self.mass), ("density", self.density)] {
            if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
                return Err(format!("`{key}` must be positive and finite, got {value}"));
            }
        }
        let (friction, restitution) = (self.friction.unwrap_or(0.0), self.restitution.unwrap_or(0.0));
        if !(friction >= 0.0 && friction.is_finite()) {
            return Err(format!("`friction` must be at least 0 and finite, got {friction}"));
        }
        if !(0.0..=1.0).contains(&restitution) {
            return Err(format!("`restitution` must be from 0 to 1, got {restitution}"));
        }
        if self.mass.is_some() && self.body != Some(BodyKind::Dynamic) {
            return Err("`mass` is for a node with `body: dynamic`; colliders have a `density`".into());
        }
        if self.shape == Some(ShapeKind::Mesh) && self.body == Some(BodyKind::Dynamic) {
            return Err("a dynamic body of a mesh is hollow: take `hull` or `parts`".into());
        }
        Ok(())
    }

    /// The shape that is built.
    pub fn shape_kind(&self) -> ShapeKind {
        let moves = self.body.is_some_and(|body| body != BodyKind::Static);
        self.shape.unwrap_or(if moves { ShapeKind::Hull } else { ShapeKind::Mesh })
    }

    /// Adds the components of a collider.
    pub fn add_to(&self, row: &mut EntityBuilder) {
        if self.friction.is_some() || self.restitution.is_some() {
            let default = Material::default();
            let friction = self.friction.unwrap_or(default.static_friction);
            row.add(Material::new(friction, self.restitution.unwrap_or(default.restitution)));
        }
        if let Some(density) = self.density {
            row.add(Density(density));
        }
        if self.sensor {
            row.add(Sensor);
        }
    }

    /// Adds the components of a body.
    pub fn add_mass_to(&self, row: &mut EntityBuilder) {
        if let Some(mass) = self.mass {
            row.add(Mass(mass));
        }
    }
}
