//! Lists of points and triangles, before parry makes a hull or a mesh of them.

use crate::error::ShapeError;
use crate::math::{Real, Vec3};
use crate::ranges::{LARGEST, SMALLEST};
use crate::tolerances::FLAT_HULL;

pub(super) fn is_near(v: Vec3) -> bool {
    v.abs().cmple(Vec3::splat(LARGEST)).all()
}

/// Checks that points are finite, and near enough for the areas of their triangles.
pub(super) fn check_points(points: &[Vec3]) -> Result<(), ShapeError> {
    match points.iter().position(|&p| !is_near(p)) {
        Some(index) if points[index].is_finite() => Err(ShapeError::TooFar { index }),
        Some(index) => Err(ShapeError::NotFinite { index }),
        None => Ok(()),
    }
}

/// Checks the vertices of a mesh and its triangles, of which there is at least one.
pub(crate) fn check_triangles(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    check_points(vertices)?;
    if triangles.is_empty() {
        return Err(ShapeError::EmptyMesh);
    }
    match triangles.iter().position(|t| t.iter().any(|&i| i as usize >= vertices.len())) {
        Some(triangle) => Err(ShapeError::IndexOutOfRange { triangle }),
        None => Ok(()),
    }
}

/// Checks the vertices of a polyline and its segments, of which there is at least one.
pub(crate) fn check_polyline(vertices: &[Vec3], segments: Option<&[[u32; 2]]>) -> Result<(), ShapeError> {
    check_points(vertices)?;
    if segments.map_or(vertices.len() < 2, <[_]>::is_empty) {
        return Err(ShapeError::EmptyPolyline);
    }
    let beyond = |segment: &[u32; 2]| segment.iter().any(|&index| index as usize >= vertices.len());
    match segments.and_then(|segments| segments.iter().position(beyond)) {
        Some(segment) => Err(ShapeError::SegmentOutOfRange { segment }),
        None => Ok(()),
    }
}

/// Checks that points span a volume of which a hull can be made.
pub(crate) fn check_hull(points: &[Vec3]) -> Result<(), ShapeError> {
    check_points(points)?;
    let size = points.iter().fold(0.0, |size: Real, p| size.max(p.distance(points[0])));
    if !points.is_empty() && size < SMALLEST {
        return Err(ShapeError::TooSmall { size: f64::from(size) });
    }
    if spans_volume(points) { Ok(()) } else { Err(ShapeError::FlatHull) }
}

/// True if four of the points span a tetrahedron that is not too thin for their extent.
fn spans_volume(points: &[Vec3]) -> bool {
    let Some(&o) = points.first() else { return false };
    let far = |key: &dyn Fn(Vec3) -> Real| {
        points.iter().map(|&p| p - o).fold(Vec3::ZERO, |m, p| if key(p) > key(m) { p } else { m })
    };
    let a = far(&|p| p.length_squared());
    let b = far(&|p| a.cross(p).length_squared());
    let normal = a.cross(b).normalize_or_zero();
    let c = far(&|p| normal.dot(p).abs());
    normal.dot(c).abs() > FLAT_HULL * a.length()
}
