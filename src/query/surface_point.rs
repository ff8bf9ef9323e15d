//! Closest point of a shape's surface, in the shape's own axes.

use super::height_field;
use crate::contact::kernels::{Core, Distance, Geometry, RoundedConvex, convex_distance};
use crate::math::parry::shape::{ConvexPolyhedron, FeatureId, Shape, TypedShape};
use crate::math::{Pose, Real, Vec3, orthonormal_basis};
use crate::tolerances::NORMAL_CONE_SLACK;

/// Closest point of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfacePoint {
    pub point: Vec3,
    /// Outward unit normal.
    pub normal: Vec3,
    /// Signed distance, negative inside (m).
    pub distance: Real,
    pub feature: FeatureId,
    pub part: u32,
}

impl SurfacePoint {
    fn new(point: Vec3, normal: Vec3, distance: Real, feature: FeatureId) -> Self {
        Self { point, normal, distance, feature, part: 0 }
    }
}

/// The point of the surface closest to `point`, if that is inside the shape or within `reach` of it
/// (m). Triangle meshes and height fields are surfaces and have no inside.
pub(crate) fn nearest_surface_point(geometry: &Geometry, point: Vec3, reach: Real) -> Option<SurfacePoint> {
    let found = match geometry {
        Geometry::Ball { radius } => around(Vec3::ZERO, Vec3::Y, point, *radius),
        Geometry::Cuboid { half } => cuboid(point, *half),
        Geometry::Capsule { a, b, radius } => {
            let axis = *b - *a;
            let along = (point - *a).dot(axis) / axis.length_squared().max(Real::MIN_POSITIVE);
            let across = axis.try_normalize().map_or(Vec3::Y, |axis| orthonormal_basis(axis).0);
            around(*a + axis * along.clamp(0.0, 1.0), across, point, *radius)
        }
        Geometry::HalfSpace { normal } => {
            let height = normal.dot(point);
            SurfacePoint::new(point - *normal * height, *normal, height, FeatureId::Face(0))
        }
        Geometry::Convex(shape) | Geometry::Composite(shape) | Geometry::Other(shape) => {
            return other(&**shape, point, reach).filter(|found| found.distance <= reach);
        }
    };
    (found.distance <= reach).then_some(found)
}

/// The surface at `radius` about the closest point of a core. `fallback` is the normal of a point
/// on the core.
fn around(core: Vec3, fallback: Vec3, point: Vec3, radius: Real) -> SurfacePoint {
    let normal = (point - core).try_normalize().unwrap_or(fallback);
    let distance = point.distance(core) - radius;
    SurfacePoint::new(core + normal * radius, normal, distance, FeatureId::Face(0))
}

fn cuboid(point: Vec3, half: Vec3) -> SurfacePoint {
    let outside = point - point.clamp(-half, half);
    let gaps = point.abs() - half;
    let (mut axis, mut count) = (0, 0);
    for k in 0..3 {
        count += u32::from(gaps[k] > 0.0);
        if gaps[k] > gaps[axis] {
            axis = k;
        }
    }
    let side = if point[axis] < 0.0 { -1.0 } else { 1.0 };
    let face = FeatureId::Face(axis as u32 + if side < 0.0 { 3 } else { 0 });
    match (count, outside.try_normalize()) {
        (2.., Some(normal)) => SurfacePoint::new(point - outside, normal, outside.length(), FeatureId::Unknown),
        _ => {
            let normal = Vec3::AXES[axis] * side;
            SurfacePoint::new(point - normal * gaps[axis], normal, gaps[axis], face)
        }
    }
}

fn other(shape: &dyn Shape, point: Vec3, reach: Real) -> Option<SurfacePoint> {
    if let TypedShape::Compound(compound) = shape.as_typed_shape() {
        // Inside one part the surface of another may be closer but covered: the deepest part
        // decides.
        let mut best: Option<SurfacePoint> = None;
        for (part, (pose, shape)) in compound.shapes().iter().enumerate() {
            let local = pose.inverse_transform_point(point);
            let reach = best.map_or(reach, |best| best.distance);
            let found = nearest_surface_point(&Geometry::from(shape), local, reach);
            if let Some(found) = found.filter(|found| best.is_none_or(|best| found.distance < best.distance)) {
                best = Some(SurfacePoint {
                    point: *pose * found.point,
                    normal: pose.rotation * found.normal,
                    part: part as u32,
                    ..found
                });
            }
        }
        return best;
    }
    if let Some(field) = shape.as_heightfield() {
        let (on, part) = height_field::nearest_point(field, point, reach)?;
        let distance = on.distance(point);
        let normal = (point - on).try_normalize().or_else(|| field.triangle_at_id(part)?.normal()).unwrap_or(Vec3::Y);
        return Some(SurfacePoint { part, ..SurfacePoint::new(on, normal, distance, FeatureId::Unknown) });
    }
    match shape.as_typed_shape() {
        TypedShape::ConvexPolyhedron(hull) => return on_hull(hull, point, reach),
        TypedShape::RoundConvexPolyhedron(s) => return rounded(&s.inner_shape, s.border_radius, point, reach),
        TypedShape::RoundCuboid(s) => return rounded(&s.inner_shape, s.border_radius, point, reach),
        TypedShape::RoundCylinder(s) => return rounded(&s.inner_shape, s.border_radius, point, reach),
        TypedShape::RoundCone(s) => return rounded(&s.inner_shape, s.border_radius, point, reach),
        TypedShape::RoundTriangle(s) => return rounded(&s.inner_shape, s.border_radius, point, reach),
        _ => {}
    }
    let (projection, feature) = if shape.is_convex() {
        shape.project_local_point_and_get_feature(point)
    } else {
        // Infinite reaches overflow in the search over cells.
        let projection = if reach < Real::MAX.sqrt() {
            shape.project_local_point_with_max_dist(point, false, reach)?
        } else {
            shape.project_local_point(point, false)
        };
        (projection, FeatureId::Unknown)
    };
    let away = point - projection.point;
    let length = away.length();
    // Parry reports points behind a mesh's triangle as inside, even for open meshes.
    let inside = projection.is_inside && shape.is_convex();
    let (distance, sign) = if inside { (-length, -1.0) } else { (length, 1.0) };
    let normal = (away * sign)
        .try_normalize()
        .or_else(|| shape.feature_normal_at_point(projection.subshape, feature, projection.point))
        .unwrap_or_else(|| projection.point.normalize_or(Vec3::Y));
    Some(SurfacePoint { point: projection.point, normal, distance, feature, part: projection.subshape })
}

/// The surface at `border` (m) around a convex core: as far from the core's surface on either side.
fn rounded(core: &dyn Shape, border: Real, point: Vec3, reach: Real) -> Option<SurfacePoint> {
    let found = match Geometry::primitive(core) {
        Some(primitive) => nearest_surface_point(&primitive, point, reach + border),
        None => other(core, point, reach + border),
    }?;
    Some(SurfacePoint { point: found.point + found.normal * border, distance: found.distance - border, ..found })
}

/// The surface of a hull. Parry's search for a point inside one may panic.
fn on_hull(hull: &ConvexPolyhedron, point: Vec3, reach: Real) -> Option<SurfacePoint> {
    let solid = RoundedConvex { core: Core::Hull(hull), radius: 0.0 };
    let place = Pose::from_translation(point);
    match convex_distance(&solid, None, &RoundedConvex::POINT, &place, reach, None) {
        Distance::Apart => None,
        Distance::Near { normal, distance, .. } => {
            let face = solid.core.support_face(normal).filter(|face| face.cosine >= 1.0 - NORMAL_CONE_SLACK);
            let feature = face.and_then(|face| face.number).map_or(FeatureId::Unknown, |k| FeatureId::Face(k as u32));
            Some(SurfacePoint::new(point - normal * distance, normal, distance, feature))
        }
        Distance::Overlap => {
            let (mut distance, mut normal, mut face, mut number) = (Real::NEG_INFINITY, Vec3::Y, 0, 0);
            solid.core.faces(|outward, corner| {
                let height = outward.dot(point - corner);
                if height > distance {
                    (distance, normal, face) = (height, outward, number);
                }
                number += 1;
            });
            Some(SurfacePoint::new(point - normal * distance, normal, distance, FeatureId::Face(face)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::Collider;
    use crate::math::parry::shape::SharedShape;

    #[test]
    fn a_point_in_a_box_is_nearest_to_its_nearest_face() {
        let block = Geometry::Cuboid { half: Vec3::new(1.0, 2.0, 3.0) };
        let found = nearest_surface_point(&block, Vec3::new(-0.75, 0.5, 1.0), 10.0).unwrap();
        assert_eq!((found.distance, found.normal), (-0.25, -Vec3::X));
        assert_eq!(found.feature, FeatureId::Face(3));
        let found = nearest_surface_point(&block, Vec3::new(4.0, 6.0, 0.0), 10.0).unwrap();
        assert_eq!((found.distance, found.point), (5.0, Vec3::new(1.0, 2.0, 0.0)));
        assert!(nearest_surface_point(&block, Vec3::new(4.0, 6.0, 0.0), 4.9).is_none());
    }

    #[test]
    fn a_point_on_the_axis_of_a_capsule_has_a_normal_across() {
        let capsule = Geometry::Capsule { a: -Vec3::Y, b: Vec3::Y, radius: 0.5 };
        let found = nearest_surface_point(&capsule, Vec3::ZERO, 1.0).unwrap();
        assert_eq!(found.distance, -0.5);
        assert!(found.normal.dot(Vec3::Y).abs() < 1e-6 && (found.normal.length() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_hull_has_the_surface_of_the_box_that_it_is() {
        let half = Vec3::new(0.5, 0.2, 0.3);
        let sign = |k: usize, bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let corners: Vec<Vec3> = (0..8).map(|k| half * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect();
        let (hull, block) = (Collider::convex_hull(&corners).unwrap(), Geometry::Cuboid { half });
        for k in 0..343 {
            let at = Vec3::new((k % 7) as Real, (k / 7 % 7) as Real, (k / 49) as Real) * 0.23 - Vec3::splat(0.71);
            let (found, exact) = (
                nearest_surface_point(&Geometry::from(&hull.0), at, 10.0).unwrap(),
                nearest_surface_point(&block, at, 10.0).unwrap(),
            );
            assert!((found.distance - exact.distance).abs() < 1e-5, "{at}: {} {}", found.distance, exact.distance);
            assert!(found.normal.dot(exact.normal) > 0.9999, "{at}: {} {}", found.normal, exact.normal);
            assert!(found.point.distance(exact.point) < 1e-5, "{at}: {} {}", found.point, exact.point);
        }
    }

    #[test]
    fn a_border_moves_the_surface_of_a_core_outwards_on_both_sides() {
        let half = Vec3::new(0.5, 0.2, 0.3);
        let (border, core) = (0.15, Geometry::Cuboid { half });
        let round = Geometry::from(&SharedShape::round_cuboid(half.x, half.y, half.z, border));
        let tip = [Vec3::ZERO, Vec3::X, Vec3::Z];
        let sheet = Geometry::from(&SharedShape::round_triangle(tip[0], tip[1], tip[2], border));
        for k in 0..343 {
            let at = Vec3::new((k % 7) as Real, (k / 7 % 7) as Real, (k / 49) as Real) * 0.23 - Vec3::splat(0.71);
            let exact = nearest_surface_point(&core, at, 10.0).unwrap().distance - border;
            let found = nearest_surface_point(&round, at, 10.0).unwrap();
            assert!((found.distance - exact).abs() < 1e-6, "{at}: {} {exact}", found.distance);
            assert!((found.point - at).dot(found.normal) + found.distance < 1e-6, "{at}: {found:?}");
            // Above the sheet, and within its border.
            let (x, z) = (0.3 + 0.01 * (k % 7) as Real, 0.2 + 0.01 * (k / 49) as Real);
            let over = Vec3::new(x, at.y, z);
            let found = nearest_surface_point(&sheet, over, 10.0).unwrap();
            assert!((found.distance - (at.y.abs() - border)).abs() < 1e-6, "{over}: {}", found.distance);
        }
        assert!(nearest_surface_point(&round, Vec3::X * 0.8, 0.1).is_none());
    }
}
