//! Mass properties of triangle meshes, solid and hollow (Baber 2006, section 3.2).
//!
//! A solid is the signed sum of the tetrahedra from one point to its triangles. The point may lie
//! anywhere, and the signs handle holes and cavities. A hollow body is the sum of its triangles.
//! With the corners `b`, `c`, `d` and the point at the origin:
//!
//! * tetrahedron: `6 V = b . (c x d)`, `∫ x x^T dV = V/20 [(b+c+d)(b+c+d)^T + b b^T + c c^T + d
//!   d^T]`;
//! * triangle: `∫ x x^T dA = A/12 [(b+c+d)(b+c+d)^T + b b^T + c c^T + d d^T]`.
//!
//! (The thesis prints `∫ p² = 1/24` over the unit tetrahedron; it is `1/60`. Its final formula is
//! right.)

use glam::{DMat3, DVec3};

use super::{
    MassError, MassProperties,
    closed::{ClosedMesh, check_indices},
    error::positive,
    moments::Moments,
    tensors::outer,
};
use crate::tolerances::ROUNDING;

/// A solid of uniform `density` (kg/m³) bounded by triangles, counter-clockwise from outside.
///
/// The origin may lie anywhere, also outside. Handles (a torus), cavities (a shell wound inwards
/// inside another) and separate parts are supported. Overlapping parts count twice in their
/// overlap. Vertices at exactly the same position count as one.
///
/// # Errors
/// [`MassError::OpenEdge`] where triangles lie on one side of an edge only (also where a vertex
/// lies within another triangle's edge: split that edge), [`MassError::Winding`],
/// [`MassError::InsideOut`], [`MassError::PartInsideOut`] for wrong winding,
/// [`MassError::NoVolume`] for a flat mesh, and the errors of invalid indices, vertices and
/// density.
///
/// ```
/// use dolmen::{mass::{solid_mesh, MassError}, math::DVec3};
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let mut triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// let body = solid_mesh(&corners, &triangles, 6.0)?;
/// assert!((body.mass - 1.0).abs() < 1e-15 && (body.center - DVec3::splat(0.25)).length() < 1e-15);
/// triangles.pop();
/// assert_eq!(solid_mesh(&corners, &triangles, 6.0), Err(MassError::OpenEdge { edge: [1, 2] }));
/// # Ok::<(), MassError>(())
/// ```
pub fn solid_mesh(vertices: &[DVec3], triangles: &[[u32; 3]], density: f64) -> Result<MassProperties, MassError> {
    positive("density", density)?;
    let mesh = ClosedMesh::new(vertices, triangles)?;
    let reference = mesh.reference();
    let moments = solid_moments(&mesh, reference);
    let extent = mesh.vertices.iter().fold(0.0_f64, |extent, &v| extent.max((v - reference).length()));
    if moments.volume.abs() <= ROUNDING.relative * extent * extent * extent {
        return Err(MassError::NoVolume { shape: "flat mesh" });
    }
    if moments.volume < 0.0 {
        return Err(MassError::InsideOut { volume: moments.volume });
    }
    mesh.check_parts()?;
    let body = moments.properties(reference, density);
    body.validate()?;
    Ok(body)
}

/// A thin shell of these triangles, of uniform `density` per area (kg/m²).
///
/// The mesh need not be closed, and its winding does not matter.
///
/// # Errors
/// [`MassError::NoVolume`] if all triangles are degenerate, and the errors of invalid indices,
/// vertices and density.
pub fn hollow_mesh(vertices: &[DVec3], triangles: &[[u32; 3]], density: f64) -> Result<MassProperties, MassError> {
    positive("density", density)?;
    check_indices(vertices, triangles)?;
    let reference = vertices[triangles[0][0] as usize];
    let mut moments = Moments::zero();
    for triangle in triangles {
        let [b, c, d] = triangle.map(|v| vertices[v as usize] - reference);
        let area = 0.5 * (c - b).cross(d - b).length();
        let sum = b + c + d;
        moments.add(&Moments {
            volume: area,
            first: sum * (area / 3.0),
            second: (outer(sum, sum) + corner_moments([b, c, d])) * (area / 12.0),
        });
    }
    if moments.volume <= 0.0 {
        return Err(MassError::NoVolume { shape: "mesh of degenerate triangles" });
    }
    let body = moments.properties(reference, density);
    body.validate()?;
    Ok(body)
}

/// Moments of the inside of a closed mesh about `reference`.
pub(super) fn solid_moments(mesh: &ClosedMesh, reference: DVec3) -> Moments {
    let mut moments = Moments::zero();
    for &triangle in &mesh.triangles {
        let [b, c, d] = mesh.corners(triangle).map(|v| v - reference);
        let volume = b.dot(c.cross(d)) / 6.0;
        let sum = b + c + d;
        moments.add(&Moments {
            volume,
            first: sum * (volume / 4.0),
            second: (outer(sum, sum) + corner_moments([b, c, d])) * (volume / 20.0),
        });
    }
    moments
}

fn corner_moments([b, c, d]: [DVec3; 3]) -> DMat3 {
    outer(b, b) + outer(c, c) + outer(d, d)
}
