//! Shapes in scene files.

use super::row::{Quaternion, Row, Vector, identity};
use serde::{Deserialize, Serialize};

/// A shape, in the body's axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeSpec {
    /// A ball.
    Ball {
        /// Radius (m).
        radius: f64,
    },
    /// A box.
    Cuboid {
        /// Half extents (m).
        half_extents: Vector,
    },
    /// A capsule along y.
    Capsule {
        /// Half the length of its straight part (m).
        half_height: f64,
        /// Radius (m).
        radius: f64,
    },
    /// A cylinder along y.
    Cylinder {
        /// Half the height (m).
        half_height: f64,
        /// Radius (m).
        radius: f64,
    },
    /// A cone along y, its tip up, its origin halfway between base and tip.
    Cone {
        /// Half the height (m).
        half_height: f64,
        /// Radius of the base (m).
        radius: f64,
    },
    /// The convex hull of points.
    ConvexHull {
        /// Points (m).
        points: Vec<Vector>,
    },
    /// The half-space below a plane through the origin.
    HalfSpace {
        /// Outward normal, of any length but zero.
        normal: Vector,
    },
    /// A triangle mesh, counter-clockwise seen from outside.
    Trimesh {
        /// Vertices (m).
        vertices: Vec<Vector>,
        /// Three vertices for each triangle.
        indices: Vec<Row<u32, 3>>,
    },
    /// A height field over the x-z plane, centred on the origin.
    Heightfield {
        /// Number of heights along z, at least 2.
        rows: usize,
        /// Number of heights along x, at least 2.
        columns: usize,
        /// Heights, row by row.
        heights: Vec<f64>,
        /// Full extent along x and z (m), and a factor on the heights in y.
        scale: Vector,
    },
    /// A compound of convex shapes.
    Compound(Vec<PartSpec>),
    /// No shape, no collisions.
    None,
}

impl ShapeSpec {
    /// The name in a file.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Ball { .. } => "ball",
            Self::Cuboid { .. } => "cuboid",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::ConvexHull { .. } => "convex_hull",
            Self::HalfSpace { .. } => "half_space",
            Self::Trimesh { .. } => "trimesh",
            Self::Heightfield { .. } => "heightfield",
            Self::Compound(_) => "compound",
            Self::None => "none",
        }
    }
}

/// A part of a compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartSpec {
    /// A convex and bounded shape. Required.
    pub shape: ShapeSpec,
    /// Position in the body's axes (m).
    #[serde(default)]
    pub position: Vector,
    /// Orientation in the body's axes.
    #[serde(default = "identity")]
    pub orientation: Quaternion,
}
