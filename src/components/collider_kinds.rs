use super::Collider;
use crate::error::ShapeError;
use crate::math::parry::shape::{Cone, Cylinder, Polyline, RoundShape, Segment, SharedShape, Triangle};
use crate::math::{Real, Vec3};
use crate::shapes::{self, Decomposition};

/// Rounded shapes: all points within a radius of a core.
impl Collider {
    /// A box with rounded edges: half extents of its core along the body's axes, and the radius of the
    /// border about it (m). It reaches as far as both together.
    pub fn round_cuboid(hx: Real, hy: Real, hz: Real, border: Real) -> Self {
        Self(SharedShape::round_cuboid(hx, hy, hz, border))
    }

    /// A cylinder along y with rounded edges: half the height and the radius of its core, and the
    /// radius of the border about it (m).
    pub fn round_cylinder(half_height: Real, radius: Real, border: Real) -> Self {
        let inner_shape = Cylinder { half_height, radius };
        Self(SharedShape::new(RoundShape { inner_shape, border_radius: border }))
    }

    /// A cone along y with rounded edges, its tip up: half the height and the radius of its core, and
    /// the radius of the border about it (m).
    pub fn round_cone(half_height: Real, radius: Real, border: Real) -> Self {
        let inner_shape = Cone { half_height, radius };
        Self(SharedShape::new(RoundShape { inner_shape, border_radius: border }))
    }

    /// The convex hull of points (m), with a border of a radius (m) about it.
    ///
    /// # Errors
    /// As [`convex_hull`](Self::convex_hull), and [`ShapeError::Size`] for the radius.
    pub fn round_convex_hull(points: &[Vec3], border: Real) -> Result<Self, ShapeError> {
        let inner_shape = shapes::checked_hull(points)?;
        let made = Self(SharedShape::new(RoundShape { inner_shape, border_radius: border }));
        made.check()?;
        Ok(made)
    }

    /// A triangle (m) with a border of a radius (m) about it.
    pub fn round_triangle(a: Vec3, b: Vec3, c: Vec3, border: Real) -> Self {
        Self(SharedShape::new(RoundShape { inner_shape: Triangle::new(a, b, c), border_radius: border }))
    }
}

/// Shapes without volume. On a dynamic body they need a [`Mass`](super::Mass) and an
/// [`Inertia`](super::Inertia).
impl Collider {
    /// A segment between two points (m).
    pub fn segment(a: Vec3, b: Vec3) -> Self {
        Self(SharedShape::new(Segment::new(a, b)))
    }

    /// A triangle (m), solid from both sides.
    pub fn triangle(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Self(SharedShape::new(Triangle::new(a, b, c)))
    }

    /// A polyline: vertices (m), and the pairs of them that segments join. Without pairs, each vertex
    /// is joined to the next.
    ///
    /// # Errors
    /// [`ShapeError`] if it has no segment, an index is out of range or a coordinate is not finite.
    pub fn polyline(vertices: Vec<Vec3>, segments: Option<Vec<[u32; 2]>>) -> Result<Self, ShapeError> {
        shapes::check_polyline(&vertices, segments.as_deref())?;
        Ok(Self(SharedShape::new(Polyline::new(vertices, segments))))
    }
}

/// Shapes made of others.
impl Collider {
    /// The shape scaled along its axes: by 1 it keeps its size, negative factors mirror it.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let crate_ = Collider::cuboid(0.5, 0.5, 0.5).scaled(Vec3::new(2.0, 1.0, 1.0))?;
    /// assert_eq!(crate_.shape().as_cuboid().unwrap().half_extents.x, 1.0);
    /// // A stretched ball is no ball.
    /// assert!(Collider::ball(0.5).scaled(Vec3::new(2.0, 1.0, 1.0)).is_err());
    /// # Ok::<(), dolmen::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::Scale`] for a factor that is zero or not finite, for a ball, capsule, or rounded
    /// shape with unequal factors, for a cylinder or cone with unequal factors along x and z, for
    /// turned parts of a compound with unequal factors, and for voxels and custom shapes; else as the
    /// shape's constructor.
    pub fn scaled(&self, by: Vec3) -> Result<Self, ShapeError> {
        shapes::scaled(&*self.0.0, by).map(Self)
    }

    /// A compound of convex hulls that cover a closed mesh about as it is: vertices (m) and triples of
    /// indices, counter-clockwise seen from outside. It takes from milliseconds to minutes
    /// ([`Decomposition::resolution`]); `progress` is told the share done, from 0 to 1, in larger
    /// steps.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// // A step of two boxes, as one mesh.
    /// let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    /// let vertices: Vec<Vec3> =
    ///     [0.0, 1.0].iter().flat_map(|&z| outline.map(|(x, y)| Vec3::new(x, y, z))).collect();
    /// let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    /// let mut triangles: Vec<[u32; 3]> = caps.iter().flat_map(|&[a, b, c]| [[a, c, b], [a + 6, b + 6, c + 6]]).collect();
    /// triangles.extend((0..6).flat_map(|k| [[k, (k + 1) % 6, k + 6], [(k + 1) % 6, (k + 1) % 6 + 6, k + 6]]));
    /// let mut done = 0.0;
    /// let step = Collider::convex_decomposition(&vertices, &triangles, &Default::default(), |share| done = share)?;
    /// let parts = step.shape().as_compound().unwrap().shapes().len();
    /// assert!((2..=8).contains(&parts) && done == 1.0, "{parts}");
    /// # Ok::<(), dolmen::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for an impossible mesh, and [`ShapeError::FlatHull`] if it encloses no volume.
    pub fn convex_decomposition(
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        how: &Decomposition,
        mut progress: impl FnMut(f32),
    ) -> Result<Self, ShapeError> {
        let hulls = shapes::decompose(vertices, triangles, how, &mut progress)?;
        Ok(Self(SharedShape::compound(hulls)))
    }
}
