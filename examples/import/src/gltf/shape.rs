//! The shape of a node, from the triangles of its mesh.

use super::item_error;
use super::rules::{Rules, ShapeKind};
use crate::ImportError;
use dolmen::math::{DMat3, DVec3, from_f64};
use dolmen::prelude::*;
use dolmen::{Decomposition, ShapeError};
use gltf::Node;
use gltf::mesh::Mode;

/// The collider of a node: its mesh under a linear map.
pub(super) fn of(
    node: &Node,
    name: &str,
    rules: &Rules,
    baked: &DMat3,
    buffers: &[Vec<u8>],
) -> Result<Collider, ImportError> {
    let (vertices, mut triangles) = triangles(node, name, baked, buffers)?;
    if baked.determinant() < 0.0 {
        triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
    }
    let made = match rules.shape_kind() {
        ShapeKind::Mesh => Collider::trimesh(vertices, triangles),
        ShapeKind::Hull => Collider::convex_hull(&vertices),
        ShapeKind::Parts => Collider::convex_decomposition(&vertices, &triangles, &Decomposition::default(), |_| ()),
        ShapeKind::Box => around(&vertices, |half| Collider::cuboid(half.x, half.y, half.z)),
        ShapeKind::Ball => around(&vertices, |half| Collider::ball(half.max_element())),
    };
    made.map_err(|error| ImportError::Shape { kind: "node", name: name.into(), error })
}

/// A shape about the box of points.
fn around(points: &[Vec3], shape: impl Fn(Vec3) -> Collider) -> Result<Collider, ShapeError> {
    let first = points.first().copied().ok_or(ShapeError::EmptyMesh)?;
    let (least, most) = points.iter().fold((first, first), |(least, most), &p| (least.min(p), most.max(p)));
    let (center, shape) = (0.5 * (least + most), shape(0.5 * (most - least)));
    shape.check()?;
    // A box about the origin is simpler, and faster, than a compound of one part.
    if center == Vec3::ZERO { Ok(shape) } else { Collider::compound(vec![(center, Quat::IDENTITY, shape)]) }
}

type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

/// Vertices and triangles of all primitives of a node's mesh.
fn triangles(node: &Node, name: &str, baked: &DMat3, buffers: &[Vec<u8>]) -> Result<Triangles, ImportError> {
    let mesh = node.mesh().ok_or_else(|| item_error(name, "is a collider and has no mesh"))?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for primitive in mesh.primitives().filter(|primitive| primitive.mode() == Mode::Triangles) {
        let refused = |problem: &str| item_error(name, format!("primitive {}: {problem}", primitive.index()));
        if primitive.get(&gltf::Semantic::Positions).is_some_and(|accessor| !fits(&accessor, buffers))
            || primitive.indices().is_some_and(|accessor| !fits(&accessor, buffers))
        {
            return Err(refused("an accessor reaches beyond its buffer"));
        }
        let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
        let positions = reader.read_positions().ok_or_else(|| refused("has no positions"))?;
        let first = vertices.len() as u32;
        vertices.extend(positions.map(|p| from_f64(*baked * DVec3::from_array(p.map(f64::from)))));
        let count = vertices.len() as u32 - first;
        let indices: Vec<u32> = match reader.read_indices() {
            Some(indices) => indices.into_u32().collect(),
            None => (0..count).collect(),
        };
        if let Some(index) = indices.iter().find(|&&index| index >= count) {
            return Err(refused(&format!("index {index} is beyond its {count} vertices")));
        }
        triangles
            .extend(indices.chunks_exact(3).map(|corner| [corner[0] + first, corner[1] + first, corner[2] + first]));
    }
    Ok((vertices, triangles))
}

/// True if all elements of an accessor lie in its view, and that in its buffer.
fn fits(accessor: &gltf::Accessor, buffers: &[Vec<u8>]) -> bool {
    // Without a view, or with sparse elements, the accessor has other data than a mesh of triangles.
    let Some(view) = accessor.view().filter(|_| accessor.sparse().is_none()) else { return false };
    let size = accessor.size();
    let stride = view.stride().unwrap_or(size);
    let end = accessor
        .count()
        .checked_sub(1)
        .and_then(|last| last.checked_mul(stride)?.checked_add(size)?.checked_add(accessor.offset()));
    let in_view = end.is_some_and(|end| end <= view.length());
    let view_end = view.offset().checked_add(view.length());
    let bytes = buffers.get(view.buffer().index()).map_or(0, Vec::len);
    stride >= size && in_view && view_end.is_some_and(|end| end <= bytes)
}
