//! Errors of shapes, meshes and inertias.

use std::fmt;

use glam::DVec3;

/// The reason why a shape or a mesh has no mass properties.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MassError {
    /// A density, mass or length is not positive and finite.
    NotPositive {
        /// The quantity: `"density"`, `"radius"`, ...
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// The shape is unbounded.
    Unbounded {
        /// The kind of shape.
        shape: &'static str,
    },
    /// The shape encloses no volume: a segment, a flat triangle, a surface that is open by nature.
    NoVolume {
        /// The kind of shape.
        shape: &'static str,
    },
    /// A mesh without triangles or a compound without parts.
    Empty,
    /// A vertex with a coordinate that is not finite.
    NotFinite {
        /// Index of the vertex.
        vertex: u32,
    },
    /// A triangle with the index of a missing vertex.
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: u32,
        /// The index.
        index: u32,
    },
    /// An edge with triangles on one side only: the mesh is open.
    OpenEdge {
        /// The edge's ends: indices of vertices.
        edge: [u32; 2],
    },
    /// Two triangles run along this edge in the same direction: their windings differ.
    Winding {
        /// The edge's ends: indices of vertices.
        edge: [u32; 2],
    },
    /// The mesh is closed but wound inwards: reverse all triangles.
    InsideOut {
        /// The volume it would have (m³), negative.
        volume: f64,
    },
    /// A separate part of the mesh is wound inwards and is no cavity: no other part encloses it.
    PartInsideOut {
        /// A triangle of that part.
        triangle: u32,
    },
    /// A principal moment of inertia is not positive and finite.
    InertiaNotPositive {
        /// The principal moments (kg m²).
        principal: DVec3,
    },
    /// One principal moment exceeds the sum of the other two: no distribution of mass can have it.
    InertiaTriangle {
        /// The principal moments (kg m²).
        principal: DVec3,
    },
    /// A part of a compound has no mass properties.
    Part {
        /// Index of the part.
        part: usize,
        /// Its error.
        error: Box<MassError>,
    },
}

impl fmt::Display for MassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPositive { what, value } => write!(f, "the {what} is {value}, but has to be positive and finite"),
            Self::Unbounded { shape } => write!(f, "a {shape} has no end, so it has no mass: give mass and inertia"),
            Self::NoVolume { shape } => {
                write!(f, "a {shape} encloses no volume, so it has no mass: give mass and inertia")
            }
            Self::Empty => write!(f, "there is nothing to weigh: no triangles or no parts"),
            Self::NotFinite { vertex } => write!(f, "vertex {vertex} is not finite"),
            Self::IndexOutOfRange { triangle, index } => {
                write!(f, "triangle {triangle} names vertex {index}, which does not exist")
            }
            Self::OpenEdge { edge: [a, b] } => {
                write!(f, "the mesh is open at the edge from vertex {a} to vertex {b}, so it has no inside")
            }
            Self::Winding { edge: [a, b] } => {
                write!(f, "the triangles that meet at the edge from vertex {a} to vertex {b} are wound differently")
            }
            Self::InsideOut { volume } => {
                write!(f, "the mesh is wound inwards (its volume is {volume} m³): turn its triangles round")
            }
            Self::PartInsideOut { triangle } => {
                write!(f, "the part of the mesh with triangle {triangle} is wound inwards and is no cavity")
            }
            Self::InertiaNotPositive { principal } => {
                write!(f, "the principal moments of inertia {principal} are not all positive and finite")
            }
            Self::InertiaTriangle { principal } => write!(
                f,
                "no body has the principal moments of inertia {principal}: one exceeds the sum of the other two"
            ),
            Self::Part { part, error } => write!(f, "part {part}: {error}"),
        }
    }
}

impl std::error::Error for MassError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Part { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// `value`, or the error that `what` must be positive and finite.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, MassError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(MassError::NotPositive { what, value }) }
}
