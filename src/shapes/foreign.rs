//! Shapes from files: what contradicts itself is refused, and trees are built anew.
//!
//! Parry reads its shapes as they were written, with the lists that their parts name each other by.
//! An index beyond its list, or a tree with a loop, would show in the middle of a step.

use super::{check_parts, check_polyline, check_range, checked_mesh, with_scale};
use crate::error::ShapeError;
use crate::math::parry::shape::{
    Compound, ConvexPolyhedron, HeightField, Polyline, SharedShape, TriMesh, TriMeshFlags, TypedShape,
};
use crate::math::{Pose, Vec3};

/// A collider as it was read.
#[derive(serde::Deserialize)]
#[serde(rename = "Collider")]
pub(crate) struct ForeignShape(SharedShape);

impl ForeignShape {
    /// The same shape with sound lists, a tree of its own and sizes in range.
    pub(crate) fn checked(self) -> Result<SharedShape, ShapeError> {
        let shape = sound(self.0)?;
        check_range(&*shape)?;
        Ok(shape)
    }
}

fn unreadable(problem: &'static str) -> ShapeError {
    ShapeError::Unreadable { problem }
}

fn sound(shape: SharedShape) -> Result<SharedShape, ShapeError> {
    match shape.as_typed_shape() {
        TypedShape::TriMesh(mesh) => trimesh(mesh),
        TypedShape::HeightField(field) => height_field(field),
        TypedShape::Compound(compound) => self::compound(compound),
        TypedShape::Polyline(line) => polyline(line),
        TypedShape::ConvexPolyhedron(hull) if !is_sound(hull) => Err(unreadable("the lists of the hull")),
        TypedShape::RoundConvexPolyhedron(round) if !is_sound(&round.inner_shape) => {
            Err(unreadable("the lists of the hull"))
        }
        TypedShape::Voxels(_) => Err(unreadable("voxels, which cannot be checked")),
        _ => Ok(shape),
    }
}

fn trimesh(mesh: &TriMesh) -> Result<SharedShape, ShapeError> {
    let (vertices, indices) = (mesh.vertices().to_vec(), mesh.indices().to_vec());
    // The others ask for a topology, which no kernel uses.
    let flags = mesh.flags() & (TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED | TriMeshFlags::ORIENTED);
    checked_mesh(vertices, indices, flags).map(SharedShape::new)
}

fn height_field(field: &HeightField) -> Result<SharedShape, ShapeError> {
    let (heights, cells) = (field.heights(), field.cells_statuses());
    let (rows, columns, got) = (heights.nrows(), heights.ncols(), heights.data().len());
    if rows < 2 || columns < 2 || rows.checked_mul(columns) != Some(got) {
        return Err(ShapeError::HeightCount { rows, columns, got });
    }
    let expected = (rows - 1, columns - 1, (rows - 1) * (columns - 1));
    if (cells.nrows(), cells.ncols(), cells.data().len()) != expected {
        return Err(unreadable("the cells of the height field"));
    }
    Ok(SharedShape::new(with_scale(field, field.scale())))
}

fn compound(compound: &Compound) -> Result<SharedShape, ShapeError> {
    check_parts(compound.shapes())?;
    let part = |(pose, part): &(Pose, SharedShape)| Ok((*pose, sound(part.clone())?));
    let parts = compound.shapes().iter().map(part).collect::<Result<Vec<_>, ShapeError>>()?;
    Ok(SharedShape::new(Compound::with_flags(parts, compound.flags(), None)))
}

fn polyline(line: &Polyline) -> Result<SharedShape, ShapeError> {
    let (vertices, indices): (Vec<Vec3>, Vec<[u32; 2]>) = (line.vertices().to_vec(), line.indices().to_vec());
    check_polyline(&vertices, Some(&indices))?;
    Ok(SharedShape::polyline(vertices, Some(indices)))
}

/// True if the lists that kernels and masses read name only what exists.
fn is_sound(hull: &ConvexPolyhedron) -> bool {
    let (points, around) = (hull.points(), hull.vertices_adj_to_face());
    let face = |first: u32, count: u32| {
        let first = first as usize;
        count > 2 && around.get(first..first.saturating_add(count as usize)).is_some()
    };
    !hull.faces().is_empty()
        && hull.faces().iter().all(|f| face(f.first_vertex_or_edge, f.num_vertices_or_edges))
        && around.iter().all(|&corner| (corner as usize) < points.len())
        && hull.faces().iter().all(|f| f.normal.is_finite())
}
