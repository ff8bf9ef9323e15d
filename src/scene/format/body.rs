//! Bodies in scene files.

use super::locked::LockedSpec;
use super::row::{Quaternion, Row, Vector, identity};
use super::shape::ShapeSpec;
use super::surface::SurfaceSpec;
use crate::components::Density;
use crate::math::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

fn one() -> f64 {
    1.0
}

/// The kind of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KindSpec {
    /// Moved by gravity, forces, contacts and joints.
    #[default]
    Dynamic,
    /// Moved by its own velocities only.
    Kinematic,
    /// Not moved.
    Static,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// A name for the output, or none. Several bodies may share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kind. Default `dynamic`.
    #[serde(default)]
    pub kind: KindSpec,
    /// The shape. Required.
    pub shape: ShapeSpec,
    /// The position of its origin (m).
    #[serde(default)]
    pub position: Vector,
    /// Its orientation, of any length but zero. Default: the identity.
    #[serde(default = "identity")]
    pub orientation: Quaternion,
    /// The velocity of its centre of mass (m/s).
    #[serde(default)]
    pub linear_velocity: Vector,
    /// Its angular velocity in world axes (rad/s).
    #[serde(default)]
    pub angular_velocity: Vector,
    /// Density (kg/m³), positive. Default 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass (kg), positive, instead of the density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Inertia about the centre of mass in body axes (kg m²), instead of the shape's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<InertiaSpec>,
    /// Centre of mass in body axes (m), instead of the shape's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center_of_mass: Option<Vector>,
    /// Coefficient of static friction. Default: that of `materials`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Coefficient of dynamic friction. Default: that of `materials`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamic_friction: Option<f64>,
    /// Coefficient of restitution. Default: that of `materials`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// A constant force on the centre of mass in world axes (N).
    #[serde(default)]
    pub force: Vector,
    /// A constant torque in world axes (N m).
    #[serde(default)]
    pub torque: Vector,
    /// Factor on gravity. Default 1.
    #[serde(default = "one")]
    pub gravity_scale: f64,
    /// True if continuous collision detection applies against dynamic bodies too.
    #[serde(default)]
    pub ccd: bool,
    /// Locked axes.
    #[serde(default)]
    pub locked: LockedSpec,
}

impl BodySpec {
    /// A dynamic body at the origin, with defaults for everything but its shape.
    pub fn dynamic(shape: ShapeSpec) -> Self {
        Self {
            name: None,
            kind: KindSpec::Dynamic,
            shape,
            position: Vector::default(),
            orientation: identity(),
            linear_velocity: Vector::default(),
            angular_velocity: Vector::default(),
            density: None,
            mass: None,
            inertia: None,
            center_of_mass: None,
            static_friction: None,
            dynamic_friction: None,
            restitution: None,
            force: Vector::default(),
            torque: Vector::default(),
            gravity_scale: 1.0,
            ccd: false,
            locked: LockedSpec::default(),
        }
    }

    /// The density (kg/m³), or the default of [`Density`].
    pub fn density(&self) -> f64 {
        self.density.unwrap_or(Density::default().0.into())
    }

    /// The surface fields of the body.
    pub fn surface(&self) -> SurfaceSpec {
        let Self { static_friction, dynamic_friction, restitution, .. } = *self;
        SurfaceSpec { static_friction, dynamic_friction, restitution }
    }
}

/// An inertia about the centre of mass, in body axes (kg m²).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be three principal moments, or a 3x3 matrix row by row")]
pub enum InertiaSpec {
    /// Principal moments along the body's own axes.
    Principal(Vector),
    /// A symmetric matrix, three rows.
    Rows(Row<Vector, 3>),
    /// A symmetric matrix, its nine entries row by row.
    Flat(Row<f64, 9>),
}

impl InertiaSpec {
    /// The tensor.
    pub fn matrix(&self) -> DMat3 {
        let rows = match self {
            Self::Principal(principal) => return DMat3::from_diagonal(principal.vec()),
            Self::Rows(rows) => rows.0.map(|row| row.vec()),
            Self::Flat(Row([a, b, c, d, e, f, g, h, i])) => {
                [DVec3::new(*a, *b, *c), DVec3::new(*d, *e, *f), DVec3::new(*g, *h, *i)]
            }
        };
        DMat3::from_cols(rows[0], rows[1], rows[2]).transpose()
    }
}
