//! Shapes from files: what contradicts itself is refused, and trees are built anew.
//!
//! Parry reads its shapes as they were written, with the lists that their parts name each other by.
//! An index beyond its list, or a tree with a loop, would show in the middle of a step.

use crate::components::Collider;
use crate::error::ShapeError;
use crate::math::parry::shape::{
    Compound, CompoundFlags, ConvexPolyhedron, HeightField, Polyline, SharedShape, TriMesh, TriMeshFlags, TypedShape,
};
use crate::math::{Pose, Vec3};

/// A collider as it was read.
#[derive(serde::Deserialize)]
#[serde(rename = "Collider")]
pub(crate) struct ForeignShape(SharedShape);

impl TryFrom<ForeignShape> for Collider {
    type Error = ShapeError;

    fn try_from(ForeignShape(shape): ForeignShape) -> Result<Self, ShapeError> {
        checked(shape).map(Self)
    }
}

fn unreadable(problem: &str) -> ShapeError {
    ShapeError::Unreadable { problem: problem.into() }
}

/// The same shape with sound lists, and a tree of its own.
fn checked(shape: SharedShape) -> Result<SharedShape, ShapeError> {
    match shape.as_typed_shape() {
        TypedShape::TriMesh(mesh) => trimesh(mesh),
        TypedShape::HeightField(field) => height_field(field),
        TypedShape::Compound(compound) => self::compound(compound),
        TypedShape::Polyline(line) => polyline(line),
        TypedShape::ConvexPolyhedron(hull) if !is_sound(hull) => Err(unreadable("the lists of the hull")),
        TypedShape::RoundConvexPolyhedron(round) if !is_sound(&round.inner_shape) => {
            Err(unreadable("the lists of the hull"))
        }
        _ => Ok(shape),
    }
}

fn trimesh(mesh: &TriMesh) -> Result<SharedShape, ShapeError> {
    let (vertices, indices) = (mesh.vertices().to_vec(), mesh.indices().to_vec());
    Collider::check_trimesh(&vertices, &indices)?;
    // The others ask for a topology, which no kernel uses.
    let flags = mesh.flags() & (TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED | TriMeshFlags::ORIENTED);
    let mesh = TriMesh::with_flags(vertices, indices, flags);
    mesh.map(SharedShape::new).map_err(|error| ShapeError::BadMesh(error.to_string()))
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
    if let Some(index) = heights.data().iter().position(|height| !height.is_finite()) {
        return Err(ShapeError::NotFinite { index });
    }
    let mut made = HeightField::with_flags(heights.clone(), field.scale(), field.flags());
    for (row, column) in (0..rows - 1).flat_map(|row| (0..columns - 1).map(move |column| (row, column))) {
        made.set_cell_status(row, column, field.cell_status(row, column));
    }
    Ok(SharedShape::new(made))
}

fn compound(compound: &Compound) -> Result<SharedShape, ShapeError> {
    if compound.flags() != CompoundFlags::empty() {
        return Err(unreadable("flags of a compound"));
    }
    let part = |(pose, part): &(Pose, SharedShape)| Ok((*pose, checked(part.clone())?));
    let parts: Vec<(Pose, SharedShape)> = compound.shapes().iter().map(part).collect::<Result<_, ShapeError>>()?;
    Collider::check_parts(&parts)?;
    Ok(SharedShape::compound(parts))
}

fn polyline(line: &Polyline) -> Result<SharedShape, ShapeError> {
    let (vertices, indices): (Vec<Vec3>, Vec<[u32; 2]>) = (line.vertices().to_vec(), line.indices().to_vec());
    let beyond = |segment: &[u32; 2]| segment.iter().any(|&index| index as usize >= vertices.len());
    if indices.is_empty() || indices.iter().any(beyond) {
        return Err(unreadable("the segments of the polyline"));
    }
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
        && points.iter().all(|point| point.is_finite())
}
