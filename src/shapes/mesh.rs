//! Triangle meshes of checked lists.

use super::check_triangles;
use crate::error::ShapeError;
use crate::math::Vec3;
use crate::math::parry::shape::{TriMesh, TriMeshFlags};

/// The mesh of vertices (m) and triangles.
///
/// # Errors
/// [`ShapeError`] if it has no triangle, an index is out of range, a coordinate is not finite, or parry
/// refuses it.
pub(crate) fn checked_mesh(
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    flags: TriMeshFlags,
) -> Result<TriMesh, ShapeError> {
    check_triangles(&vertices, &triangles)?;
    TriMesh::with_flags(vertices, triangles, flags).map_err(|error| ShapeError::BadMesh(error.to_string()))
}
