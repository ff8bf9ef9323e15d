//! Closest point of a shape's surface, in the shape's own axes.

use super::height_field;
use crate::contact::kernels::Geometry;
use crate::math::parry::shape::{FeatureId, Shape, TypedShape};
use crate::math::{Real, Vec3, orthonormal_basis};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
