//! A collider's shape, classified once so that every call dispatches by a match.

use super::capsule_capsule::CapsuleShape;
use super::rounded_convex::{Core, RoundedConvex, max_distance};
use crate::math::parry::bounding_volume::Aabb;
use crate::math::parry::shape::{Ball, Capsule, Cuboid, HalfSpace, Shape, ShapeType, SharedShape, TypedShape};
use crate::math::{Mat3, Pose, Real, Vec3};
use crate::tolerances::MOTION;

/// A view of a parry [`SharedShape`], made once for each collider.
#[derive(Clone)]
#[non_exhaustive]
pub enum Geometry {
    /// A ball about the origin.
    Ball {
        /// Metres.
        radius: Real,
    },
    /// A cuboid about the origin, along the axes.
    Cuboid {
        /// Half extents (m).
        half: Vec3,
    },
    /// All points within the radius of a segment.
    Capsule {
        /// Start of the segment (m).
        a: Vec3,
        /// End of the segment (m).
        b: Vec3,
        /// Metres.
        radius: Real,
    },
    /// All points with a component of at most zero along the normal.
    HalfSpace {
        /// Outward unit normal.
        normal: Vec3,
    },
    /// Any other convex shape: hull, cylinder, cone, triangle, segment, the rounded ones, and
    /// convex custom shapes.
    Convex(SharedShape),
    /// A shape of many parts: triangle mesh, height field, compound, polyline.
    Composite(SharedShape),
    /// A shape that no kernel supports, such as voxels: colliding it is an error.
    Other(SharedShape),
}

impl From<&SharedShape> for Geometry {
    fn from(shape: &SharedShape) -> Self {
        if let Some(primitive) = Self::primitive(&*shape.0) {
            return primitive;
        }
        match shape.as_typed_shape() {
            TypedShape::HalfSpace(s) => Self::HalfSpace { normal: s.normal },
            TypedShape::HeightField(_) => Self::Composite(shape.clone()),
            _ if RoundedConvex::of(&*shape.0).is_some() => Self::Convex(shape.clone()),
            _ if shape.as_composite_shape().is_some() => Self::Composite(shape.clone()),
            _ => Self::Other(shape.clone()),
        }
    }
}

impl Geometry {
    /// Parry's type of the shape.
    pub fn shape_type(&self) -> ShapeType {
        match self {
            Self::Ball { .. } => ShapeType::Ball,
            Self::Cuboid { .. } => ShapeType::Cuboid,
            Self::Capsule { .. } => ShapeType::Capsule,
            Self::HalfSpace { .. } => ShapeType::HalfSpace,
            Self::Convex(shape) | Self::Composite(shape) | Self::Other(shape) => shape.shape_type(),
        }
    }

    /// View of a ball, cuboid or capsule: it needs no shared shape.
    #[inline]
    pub(crate) fn primitive(shape: &dyn Shape) -> Option<Self> {
        match shape.as_typed_shape() {
            TypedShape::Ball(s) => Some(Self::Ball { radius: s.radius }),
            TypedShape::Cuboid(s) => Some(Self::Cuboid { half: s.half_extents }),
            TypedShape::Capsule(s) => Some(Self::Capsule { a: s.segment.a, b: s.segment.b, radius: s.radius }),
            _ => None,
        }
    }

    /// True if it has parts, so that it may give several manifolds.
    pub fn is_composite(&self) -> bool {
        matches!(self, Self::Composite(_))
    }

    /// True if all faces are flat, for compounds those of all parts. Meshes do not count: bodies
    /// slide over them from face to face.
    pub(crate) fn is_flat_faced(&self) -> bool {
        let is_flat = |shape: &dyn Shape| shape.as_cuboid().is_some() || shape.as_convex_polyhedron().is_some();
        match self {
            Self::Cuboid { .. } | Self::HalfSpace { .. } => true,
            Self::Convex(shape) => is_flat(&**shape),
            Self::Composite(shape) => {
                shape.as_compound().is_some_and(|all| all.shapes().iter().all(|(_, part)| is_flat(&**part)))
            }
            _ => false,
        }
    }

    /// True if contact points move over the surface as the body rolls: all but flat-faced shapes.
    pub(crate) fn is_round(&self) -> bool {
        match self {
            Self::Cuboid { .. } | Self::HalfSpace { .. } | Self::Composite(_) => false,
            Self::Convex(shape) => shape.as_convex_polyhedron().is_none(),
            _ => true,
        }
    }

    /// Axis-aligned bounding box at `pose` (m). A half-space's reaches half the largest number in
    /// every direction.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Ball { radius } => Aabb::from_half_extents(pose.translation, Vec3::splat(*radius)),
            Self::Cuboid { half } => {
                let axes = Mat3::from_quat(pose.rotation);
                let reach = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
                Aabb::from_half_extents(pose.translation, reach)
            }
            Self::Capsule { a, b, radius } => {
                let (a, b) = (*pose * *a, *pose * *b);
                Aabb::new(a.min(b) - Vec3::splat(*radius), a.max(b) + Vec3::splat(*radius))
            }
            Self::HalfSpace { normal } => HalfSpace::new(*normal).compute_aabb(pose),
            Self::Convex(shape) | Self::Composite(shape) | Self::Other(shape) => shape.compute_aabb(pose),
        }
    }

    /// Largest distance of the shape's points from `point`, in its own frame (m): a bound of the
    /// displacement by a rotation about `point`. Infinite for a half-space. Exact, but for custom
    /// shapes and voxels, whose bounding sphere is used.
    pub fn radius_about(&self, point: Vec3) -> Real {
        match self {
            Self::Ball { radius } => point.length() + radius,
            Self::Cuboid { half } => (point.abs() + *half).length(),
            Self::Capsule { a, b, radius } => a.distance(point).max(b.distance(point)) + radius,
            Self::HalfSpace { .. } => Real::INFINITY,
            Self::Convex(shape) | Self::Composite(shape) | Self::Other(shape) => shape_radius_about(&**shape, point),
        }
    }

    /// [`radius_about`](Self::radius_about) without the rounded border, which rotates into itself:
    /// a bound of the displacement of the surface relative to its surroundings by a rotation about
    /// `point` (m).
    pub fn core_radius_about(&self, point: Vec3) -> Real {
        match self {
            Self::Ball { .. } => point.length(),
            Self::Capsule { a, b, .. } => a.distance(point).max(b.distance(point)),
            _ => self.radius_about(point),
        }
    }

    /// Unit axis of revolution through `point`, in the shape's own frame; none for a ball, which
    /// has many.
    pub fn axis_of_revolution(&self, point: Vec3) -> Option<Vec3> {
        let (on_axis, axis) = match self {
            Self::Capsule { a, b, .. } => (*a, (*b - *a).try_normalize()?),
            Self::Convex(shape) => match shape.shape_type() {
                ShapeType::Cone | ShapeType::Cylinder | ShapeType::RoundCone | ShapeType::RoundCylinder => {
                    (Vec3::ZERO, Vec3::Y)
                }
                _ => return None,
            },
            _ => return None,
        };
        let off = (point - on_axis).cross(axis).length();
        (off <= MOTION.symmetry * self.radius_about(point)).then_some(axis)
    }

    /// The rounded convex view, if the shape is convex.
    pub(crate) fn as_convex(&self) -> Option<RoundedConvex<'_>> {
        match self {
            Self::Ball { radius } => Some(RoundedConvex { core: Core::Point, radius: *radius }),
            Self::Cuboid { half } => Some(RoundedConvex { core: Core::Cuboid(*half), radius: 0.0 }),
            Self::Capsule { a, b, radius } => Some(RoundedConvex { core: Core::Segment(*a, *b), radius: *radius }),
            Self::Convex(shape) => RoundedConvex::of(&**shape),
            Self::HalfSpace { .. } | Self::Composite(_) | Self::Other(_) => None,
        }
    }

    /// Calls `f` with parry's object of the shape.
    pub(crate) fn with_shape<T>(&self, f: impl FnOnce(&dyn Shape) -> T) -> T {
        match self {
            Self::Ball { radius } => f(&Ball::new(*radius)),
            Self::Cuboid { half } => f(&Cuboid::new(*half)),
            Self::Capsule { a, b, radius } => f(&Capsule::new(*a, *b, *radius)),
            Self::HalfSpace { normal } => f(&HalfSpace::new(*normal)),
            Self::Convex(shape) | Self::Composite(shape) | Self::Other(shape) => f(&**shape),
        }
    }

    /// The capsule, if it is one.
    pub(crate) fn capsule(&self) -> Option<CapsuleShape> {
        match *self {
            Self::Capsule { a, b, radius } => Some(CapsuleShape { a, b, radius }),
            _ => None,
        }
    }
}

/// Largest distance of a shape's points from `point` (m).
fn shape_radius_about(shape: &dyn Shape, point: Vec3) -> Real {
    if let Some(solid) = RoundedConvex::of(shape)
        && let Some(core) = solid.core.radius_about(point)
    {
        return core + solid.radius;
    }
    match shape.as_typed_shape() {
        TypedShape::TriMesh(s) => max_distance(s.vertices().iter().copied(), point),
        TypedShape::Polyline(s) => max_distance(s.vertices().iter().copied(), point),
        TypedShape::HeightField(s) => max_distance(s.triangles().flat_map(|t| [t.a, t.b, t.c]), point),
        TypedShape::Compound(s) => s
            .shapes()
            .iter()
            .map(|(pose, part)| shape_radius_about(&**part, pose.inverse_transform_point(point)))
            .fold(0.0, Real::max),
        _ => {
            let sphere = shape.compute_local_bounding_sphere();
            sphere.center().distance(point) + sphere.radius()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn shapes() -> Vec<SharedShape> {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 2.0, Vec3::Z * 0.5];
        vec![
            SharedShape::ball(0.4),
            SharedShape::cuboid(0.5, 0.2, 0.9),
            SharedShape::capsule(Vec3::new(-0.3, 0.1, 0.0), Vec3::new(0.5, 0.4, 0.2), 0.25),
            SharedShape::cylinder(0.6, 0.3),
            SharedShape::cone(0.6, 0.3),
            SharedShape::round_cuboid(0.3, 0.2, 0.1, 0.05),
            SharedShape::convex_hull(&corners).unwrap(),
            SharedShape::trimesh(corners.to_vec(), vec![[0, 1, 2], [1, 2, 3]]).unwrap(),
            SharedShape::compound(vec![
                (Pose::from_translation(Vec3::X), SharedShape::ball(0.4)),
                (Pose::from_translation(Vec3::Y), SharedShape::cuboid(0.1, 0.2, 0.3)),
            ]),
        ]
    }

    #[test]
    fn boxes_are_parrys() {
        let pose = Pose::from_parts(Vec3::new(1.0, -2.0, 0.5), Quat::from_rotation_z(0.7) * Quat::from_rotation_x(1.1));
        for shape in shapes() {
            let (ours, parrys) = (Geometry::from(&shape).aabb(&pose), shape.compute_aabb(&pose));
            assert!((ours.mins - parrys.mins).length() < 1e-5, "{:?}", shape.shape_type());
            assert!((ours.maxs - parrys.maxs).length() < 1e-5, "{:?}", shape.shape_type());
        }
    }

    #[test]
    fn the_radius_is_that_of_the_smallest_ball_about_the_point_over_all_directions() {
        // The box at every rotation about the point lies within the radius, and touches it at some
        // rotation.
        for shape in shapes().into_iter().filter(|shape| shape.is_convex()) {
            let geometry = Geometry::from(&shape);
            let point = Vec3::new(0.3, -0.2, 0.45);
            let radius = geometry.radius_about(point);
            let mut most: Real = 0.0;
            for i in 0..60 {
                for j in 0..60 {
                    let turn = Quat::from_rotation_z(0.105 * i as Real) * Quat::from_rotation_y(0.105 * j as Real);
                    let pose = Pose::from_parts(turn * -point, turn);
                    most = most.max(geometry.aabb(&pose).maxs.x);
                }
            }
            assert!(most <= radius + 1e-5 && most > 0.995 * radius, "{:?} {most} {radius}", shape.shape_type());
        }
    }

    #[test]
    fn the_radius_of_a_composite_is_that_of_its_furthest_part() {
        let [.., mesh, compound] = &shapes()[..] else { unreachable!() };
        let point = Vec3::new(0.3, -0.2, 0.45);
        assert!((Geometry::from(mesh).radius_about(point) - Vec3::new(-0.3, 2.2, -0.45).length()).abs() < 1e-6);
        let corner = Vec3::new(0.3 + 0.1, 1.2 + 0.2, 0.45 + 0.3).length();
        assert!((Geometry::from(compound).radius_about(point) - corner).abs() < 1e-6);
    }

    #[test]
    fn shapes_of_many_parts_are_composite() {
        let flags: Vec<bool> = shapes().iter().map(|s| Geometry::from(s).is_composite()).collect();
        assert_eq!(flags, [false, false, false, false, false, false, false, true, true]);
    }

    #[test]
    fn cuboids_hulls_and_compounds_of_them_have_flat_faces_alone() {
        let flags: Vec<bool> = shapes().iter().map(|s| Geometry::from(s).is_flat_faced()).collect();
        assert_eq!(flags, [false, true, false, false, false, false, true, false, false]);
        let bars = vec![(Pose::IDENTITY, shapes()[1].clone()), (Pose::from_translation(Vec3::Y), shapes()[6].clone())];
        assert!(Geometry::from(&SharedShape::compound(bars)).is_flat_faced());
    }
}
