//! Shapes.

use super::row::{Quaternion, Row, Vector, identity};
use serde::{Deserialize, Serialize};

/// A shape, in the body's axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeSpec {
    /// A ball.
    Ball {
        /// (m)
        radius: f64,
    },
    /// A box.
    Cuboid {
        /// Half its sides (m).
        half_extents: Vector,
    },
    /// A capsule along y.
    Capsule {
        /// Half the length of its straight part (m).
        half_height: f64,
        /// (m)
        radius: f64,
    },
    /// A cylinder along y.
    Cylinder {
        /// (m)
        half_height: f64,
        /// (m)
        radius: f64,
    },
    /// A cone along y, its tip up, its origin halfway between base and tip.
    Cone {
        /// (m)
        half_height: f64,
        /// Of its base (m).
        radius: f64,
    },
    /// The convex hull of points.
    ConvexHull {
        /// (m)
        points: Vec<Vector>,
    },
    /// Everything below a plane through the origin.
    HalfSpace {
        /// Out of the solid; of any length but zero.
        normal: Vector,
    },
    /// A mesh of triangles, counter-clockwise seen from outside.
    Trimesh {
        /// (m)
        vertices: Vec<Vector>,
        /// Three vertices for each triangle.
        indices: Vec<Row<u32, 3>>,
    },
    /// Heights over the x-z plane, centred on the origin.
    Heightfield {
        /// Heights along z, at least 2.
        rows: usize,
        /// Heights along x, at least 2.
        columns: usize,
        /// Row by row.
        heights: Vec<f64>,
        /// The whole extent along x and z (m), and a factor on the heights in y.
        scale: Vector,
    },
    /// Several convex shapes as one.
    Compound(Vec<PartSpec>),
    /// No shape: the body touches nothing.
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
    /// A convex, bounded shape. Required.
    pub shape: ShapeSpec,
    /// In the body's axes (m).
    #[serde(default)]
    pub position: Vector,
    /// In the body's axes.
    #[serde(default = "identity")]
    pub orientation: Quaternion,
}
