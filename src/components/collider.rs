use crate::error::ShapeError;
use crate::math::parry::shape::{Cone, Cylinder, SharedShape, TriMeshFlags};
use crate::math::{Pose, Quat, Real, Vec3, is_direction};
use crate::shapes;
use hecs::Entity;

/// A collision shape: any parry shape, shared by its clones, so that a thousand bricks store one
/// box.
///
/// **One rule for all constructors**: none panics, and what is impossible is one [`ShapeError`]
/// wherever it is met. Those that take lists (points, triangles, heights, parts) return it, with the
/// index. Those that take sizes alone give a shape whatever the sizes are, and [`Self::check`]
/// returns it; so do the first step, with the entity, and queries. Sizes are from 1e-9 m to 1e9 m.
///
/// On an entity with [`RigidBody`](super::RigidBody) it is the collider of that body, in the body's
/// axes. Further colliders of the same body live on entities of their own with [`ColliderOf`].
///
/// ```
/// use dolmen::components::Collider;
/// let brick = Collider::cuboid(1.0, 0.5, 0.5);
/// assert!(brick.check().is_ok());
/// assert!(Collider::ball(-1.0).check().is_err());
/// assert!(Collider::convex_hull(&[]).is_err());
/// ```
///
/// | | size | alignment |
/// |---|---|---|
/// | `Collider` | 16 | 8 |
#[derive(Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(try_from = "shapes::ForeignShape"))]
pub struct Collider(pub SharedShape);

#[cfg(feature = "serialize")]
impl TryFrom<shapes::ForeignShape> for Collider {
    type Error = ShapeError;

    fn try_from(shape: shapes::ForeignShape) -> Result<Self, ShapeError> {
        shape.checked().map(Self)
    }
}

impl std::fmt::Debug for Collider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Collider({:?})", self.0.shape_type())
    }
}

impl PartialEq for Collider {
    /// True if both share one shape; two shapes of equal size are different.
    fn eq(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&self.0.0, &other.0.0)
    }
}

impl Collider {
    /// A ball of a radius (m), about the origin.
    pub fn ball(radius: Real) -> Self {
        Self(SharedShape::ball(radius))
    }

    /// A box with half extents along the body's axes (m).
    pub fn cuboid(hx: Real, hy: Real, hz: Real) -> Self {
        Self(SharedShape::cuboid(hx, hy, hz))
    }

    /// A capsule along y: half the length of its straight part, and its radius (m).
    pub fn capsule(half_height: Real, radius: Real) -> Self {
        Self(SharedShape::capsule_y(half_height, radius))
    }

    /// A cylinder along y: half its height and its radius (m).
    pub fn cylinder(half_height: Real, radius: Real) -> Self {
        Self(SharedShape::new(Cylinder { half_height, radius }))
    }

    /// A cone along y, its tip up: half its height and the radius of its base (m).
    pub fn cone(half_height: Real, radius: Real) -> Self {
        Self(SharedShape::new(Cone { half_height, radius }))
    }

    /// The half-space below the plane through the origin with this normal. For static bodies.
    pub fn half_space(normal: Vec3) -> Self {
        Self(SharedShape::halfspace(normal.normalize()))
    }

    /// The convex hull of points (m).
    ///
    /// # Errors
    /// [`ShapeError`] if a coordinate is out of range, or the points span no volume.
    pub fn convex_hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        shapes::checked_hull(points).map(|hull| Self(SharedShape::new(hull)))
    }

    /// A triangle mesh: vertices (m) and triples of indices, counter-clockwise seen from outside.
    /// Internal edges are marked, to avoid ghost contacts with them.
    ///
    /// # Errors
    /// [`ShapeError`] if it has no triangle, an index is out of range or a coordinate is not
    /// finite.
    pub fn trimesh(vertices: Vec<Vec3>, indices: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        let mesh = shapes::checked_mesh(vertices, indices, TriMeshFlags::FIX_INTERNAL_EDGES)?;
        Ok(Self(SharedShape::new(mesh)))
    }

    /// A height field over the x-z plane, centred on the origin: `heights` row by row along z, each
    /// row with `columns` values along x. `scale` is the full extent in x and z, and a factor on
    /// the heights in y.
    ///
    /// # Errors
    /// [`ShapeError`] for fewer than two rows or columns, a wrong number of heights, a height that is
    /// not finite, an extent out of range, or a factor that is negative.
    pub fn heightfield(rows: usize, columns: usize, heights: &[Real], scale: Vec3) -> Result<Self, ShapeError> {
        if rows < 2 || columns < 2 || rows.checked_mul(columns) != Some(heights.len()) {
            return Err(ShapeError::HeightCount { rows, columns, got: heights.len() });
        }
        let by_column = (0..columns).flat_map(|c| (0..rows).map(move |r| heights[r * columns + c])).collect::<Vec<_>>();
        let heights = crate::math::parry::utils::Array2::new(rows, columns, by_column);
        let field = crate::math::parry::shape::HeightField::with_flags(
            heights,
            scale,
            crate::math::parry::shape::HeightFieldFlags::FIX_INTERNAL_EDGES,
        );
        let made = Self(SharedShape::new(field));
        made.check()?;
        Ok(made)
    }

    /// A compound of convex shapes, each at its own position (m) and orientation, which is normalised.
    ///
    /// # Errors
    /// [`ShapeError`] if there is no part, a part is a compound, a mesh or a half-space, or a part or
    /// its pose is impossible.
    pub fn compound(parts: Vec<(Vec3, Quat, Collider)>) -> Result<Self, ShapeError> {
        let unit = |q: Quat| if q.is_normalized() || !is_direction(q) { q } else { q.normalize() };
        let parts = parts.into_iter().map(|(p, q, c)| (Pose::from_parts(p, unit(q)), c.0)).collect::<Vec<_>>();
        shapes::check_parts(&parts)?;
        Ok(Self(SharedShape::compound(parts)))
    }

    /// Cubes of a grid, as voxel games have them: cell `[x, y, z]` is the box of these sizes (m) with
    /// its least corner at `[x, y, z] * size`. A cell may be named twice. The shape is a compound of
    /// as few boxes as runs of equal cells give, without inner edges: an open floor is one box.
    ///
    /// To dig or build, replace the component by one of the cells as they are then. Only bodies near
    /// the difference wake.
    ///
    /// # Errors
    /// [`ShapeError`] if there is no cell, or a size or the place of a box is out of range.
    pub fn voxels(size: Vec3, cells: &[[i32; 3]]) -> Result<Self, ShapeError> {
        let box_of = |(at, count): ([i32; 3], [i64; 3])| {
            let whole = |k: [f64; 3]| Vec3::new(k[0] as Real, k[1] as Real, k[2] as Real);
            let half = whole(count.map(|n| 0.5 * n as f64));
            let middle = whole([0, 1, 2].map(|k| f64::from(at[k]) + 0.5 * count[k] as f64));
            let half = half * size;
            (middle * size, Quat::IDENTITY, Self::cuboid(half.x, half.y, half.z))
        };
        Self::compound(shapes::merge_cells(cells).into_iter().map(box_of).collect())
    }

    /// A height field with other heights: `height` gets the row, the column and the height of each,
    /// and returns the new one. A crater in a landscape wakes only the bodies near it.
    ///
    /// # Errors
    /// [`ShapeError`] if this is no height field, and for a height that is not finite or out of range.
    pub fn with_heights(&self, height: impl FnMut(usize, usize, Real) -> Real) -> Result<Self, ShapeError> {
        let field = self.0.as_heightfield().ok_or(ShapeError::OtherKind { needed: "height field" })?;
        let made = Self(SharedShape::new(shapes::with_heights(field, height)));
        made.check().map(|()| made)
    }

    /// A compound of the parts for which `keep`, which gets their numbers, is true. A part that
    /// breaks off a static body wakes only the bodies near it.
    ///
    /// # Errors
    /// [`ShapeError`] if this is no compound, and if no part is left.
    pub fn with_parts(&self, mut keep: impl FnMut(usize) -> bool) -> Result<Self, ShapeError> {
        let all = self.0.as_compound().ok_or(ShapeError::OtherKind { needed: "compound" })?.shapes();
        let kept = all.iter().enumerate().filter(|(part, _)| keep(*part)).map(|(_, part)| part.clone());
        let kept: Vec<_> = kept.collect();
        shapes::check_parts(&kept).map(|()| Self(SharedShape::compound(kept)))
    }

    /// Checks what the constructors that take sizes do not: a step and a query refuse a shape that
    /// is impossible by the same error.
    ///
    /// # Errors
    /// [`ShapeError`] for a size out of range; in a compound, with the index of the part.
    pub fn check(&self) -> Result<(), ShapeError> {
        shapes::check_range(&*self.0.0)
    }

    /// The parry shape.
    pub fn shape(&self) -> &SharedShape {
        &self.0
    }
}

/// A further collider of a body on another entity: the pose of this entity's [`Collider`] in the
/// body's axes.
///
/// The entity may have its own [`Material`](super::Material), [`Density`](super::Density),
/// [`CollisionLayers`](super::CollisionLayers) and [`Sensor`](super::Sensor). It is an error at the
/// first step if `body` is not a body. When the body is despawned later, its further colliders stop
/// colliding and are counted as orphans in the report until the game despawns them. Orphans may be
/// edited, and collide again if `body` becomes a body again.
///
/// | | size | alignment |
/// |---|---|---|
/// | `ColliderOf` in `f32` / `f64` | 48 / 64 | 16 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ColliderOf {
    /// The entity of the body.
    pub body: Entity,
    /// Position of the collider's origin in the body's axes (m).
    pub position: Vec3,
    /// Orientation of the collider in the body's axes.
    pub orientation: Quat,
}
