//! Rays against hulls, cylinders and cones, in closed form: the interval of the ray left after
//! clipping by every surface.
//!
//! Parry marches to such shapes by support points, which takes a microsecond and can end
//! millimetres off the surface.

use super::ray_hit::RayHit;
use crate::math::parry::shape::{Cone, ConvexPolyhedron, Cylinder, FeatureId, Shape, TypedShape};
use crate::math::{Real, Vec3};
use crate::tolerances::HULL_FLAT;

/// Crossing of a ray with a surface.
#[derive(Clone, Copy)]
struct Crossing {
    /// Distance along the ray (m).
    distance: Real,
    /// Unit normal, outward.
    normal: Vec3,
    feature: FeatureId,
}

/// Interval of a line inside a convex solid.
struct Span {
    enters: Crossing,
    leaves: Crossing,
}

impl Span {
    fn whole() -> Self {
        let at = |distance| Crossing { distance, normal: Vec3::ZERO, feature: FeatureId::Unknown };
        Self { enters: at(Real::NEG_INFINITY), leaves: at(Real::INFINITY) }
    }

    /// Clips to the half-space below a plane. `height` is the height of the ray's origin above it
    /// (m).
    fn below(&mut self, height: Real, direction: Vec3, normal: Vec3, feature: FeatureId) -> Option<()> {
        let rate = normal.dot(direction);
        if rate == 0.0 {
            return (height <= 0.0).then_some(());
        }
        let crossing = Crossing { distance: -height / rate, normal, feature };
        if rate < 0.0 { self.clip_entry(crossing) } else { self.clip_exit(crossing) }
    }

    fn clip_entry(&mut self, crossing: Crossing) -> Option<()> {
        if crossing.distance > self.enters.distance {
            self.enters = crossing;
        }
        self.is_left()
    }

    fn clip_exit(&mut self, crossing: Crossing) -> Option<()> {
        if crossing.distance < self.leaves.distance {
            self.leaves = crossing;
        }
        self.is_left()
    }

    fn is_left(&self) -> Option<()> {
        (self.enters.distance <= self.leaves.distance).then_some(())
    }

    /// First hit of the ray, whose origin is at the parameter `ahead` (m).
    fn hit(&self, ahead: Real, hollow: bool) -> Option<RayHit> {
        let inside = self.enters.distance <= ahead;
        if self.leaves.distance < ahead {
            return None;
        }
        if inside && !hollow {
            return Some(RayHit::INSIDE);
        }
        let at = if inside { self.leaves } else { self.enters };
        Some(RayHit::new(at.distance - ahead, at.normal, at.feature))
    }
}

/// Casts the ray from `origin` along the unit vector `direction`. The outer option is none for
/// other types of shape. `hollow` as in [`super::shape_ray::cast`].
pub(super) fn cast(shape: &dyn Shape, origin: Vec3, direction: Vec3, hollow: bool) -> Option<Option<RayHit>> {
    // Measure from the point closest to the shape's own origin, so that no two large numbers are
    // subtracted.
    let ahead = origin.dot(direction);
    let origin = origin - direction * ahead;
    let span = match shape.as_typed_shape() {
        TypedShape::ConvexPolyhedron(hull) => through_hull(hull, origin, direction)?,
        TypedShape::Cylinder(cylinder) => through_cylinder(cylinder, origin, direction),
        TypedShape::Cone(cone) => through_cone(cone, origin, direction),
        _ => return None,
    };
    Some(span.and_then(|span| span.hit(ahead, hollow)))
}

/// None if a face has too many corners to be clipped at its folds.
fn through_hull(hull: &ConvexPolyhedron, origin: Vec3, direction: Vec3) -> Option<Option<Span>> {
    let (points, corners) = (hull.points(), hull.vertices_adj_to_face());
    let mut span = Span::whole();
    for (k, face) in hull.faces().iter().enumerate() {
        let first = face.first_vertex_or_edge as usize;
        let around = &corners[first..first + face.num_vertices_or_edges as usize];
        let corner = |k: usize| points[around[k] as usize];
        let feature = FeatureId::Face(k as u32);
        let off_plane = |k: usize| {
            let along = corner(k) - corner(0);
            face.normal.dot(along).abs() > HULL_FLAT * along.length()
        };
        let cut = if around.len() > 3 && (1..around.len()).any(off_plane) {
            if around.len() > MAX_FOLDED_CORNERS {
                return None;
            }
            let mut list = [Vec3::ZERO; MAX_FOLDED_CORNERS];
            list.iter_mut().zip(around).for_each(|(place, &point)| *place = points[point as usize]);
            clip_folded_face(&mut span, &list[..around.len()], face.normal, [origin, direction], feature)
        } else {
            span.below(face.normal.dot(origin - corner(0)), direction, face.normal, feature)
        };
        if cut.is_none() {
            return Some(None);
        }
    }
    Some(Some(span))
}

/// Greatest number of corners of a face that is clipped at its folds: each triple of them is tried.
const MAX_FOLDED_CORNERS: usize = 8;

/// Clips by a face that is not flat: parry merges triangles whose planes are a degree or so apart,
/// under one normal. Uses the planes through three corners that have all others below them.
fn clip_folded_face(
    span: &mut Span,
    corners: &[Vec3],
    outward: Vec3,
    [origin, direction]: [Vec3; 2],
    feature: FeatureId,
) -> Option<()> {
    for (k, &c) in corners.iter().enumerate() {
        for (j, &b) in corners[..k].iter().enumerate() {
            for &a in &corners[..j] {
                let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
                let normal = if normal.dot(outward) < 0.0 { -normal } else { normal };
                let is_top = |&corner: &Vec3| normal.dot(corner - a) <= HULL_FLAT * (corner - a).length();
                if corners.iter().all(is_top) {
                    span.below(normal.dot(origin - a), direction, normal, feature)?;
                }
            }
        }
    }
    Some(())
}

/// Cylinder along the y axis.
fn through_cylinder(cylinder: &Cylinder, origin: Vec3, direction: Vec3) -> Option<Span> {
    let mut span = Span::whole();
    for end in [Vec3::Y, -Vec3::Y] {
        span.below(end.dot(origin) - cylinder.half_height, direction, end, FeatureId::Unknown)?;
    }
    let (across, drift) = (origin.with_y(0.0), direction.with_y(0.0));
    let [enters, leaves] = near_axis(across, drift, cylinder.radius)?;
    let side = |distance: Real| {
        let normal = (across + drift * distance).normalize_or(Vec3::X);
        Crossing { distance, normal, feature: FeatureId::Unknown }
    };
    span.clip_entry(side(enters))?;
    span.clip_exit(side(leaves))?;
    Some(span)
}

/// Cone along the y axis, with its tip at the upper end.
fn through_cone(cone: &Cone, origin: Vec3, direction: Vec3) -> Option<Span> {
    let mut span = Span::whole();
    span.below(-origin.y - cone.half_height, direction, -Vec3::Y, FeatureId::Unknown)?;
    // The double cone about the tip: points whose distance from the axis is at most `slope` times
    // that below the tip.
    let slope = cone.radius / (2.0 * cone.half_height);
    let tip = Vec3::Y * cone.half_height;
    let form = |u: Vec3, v: Vec3| u.x * v.x + u.z * v.z - slope * slope * (u.y * v.y);
    let from_tip = origin - tip;
    let (a, b, c) = (form(direction, direction), form(from_tip, direction), form(from_tip, from_tip));
    let side = |distance: Real| {
        let at = from_tip + direction * distance;
        let out = at.with_y(0.0).normalize_or(Vec3::X);
        let normal = (out + Vec3::Y * slope).normalize();
        Crossing { distance, normal, feature: FeatureId::Unknown }
    };
    let below_tip = |distance: Real| from_tip.y + direction.y * distance <= 0.0;
    let spread = b * b - a * c;
    if a > 0.0 && spread < 0.0 || a == 0.0 && b * direction.y <= 0.0 {
        return None;
    }
    // The roots without cancellation; if `a` is zero one of them is infinite.
    let q = -(b + spread.max(0.0).sqrt().copysign(b));
    let first = q / a;
    let second = if q == 0.0 { first } else { c / q };
    let (near, far) = (first.min(second), first.max(second));
    if a > 0.0 {
        if !below_tip(0.5 * (near + far)) {
            return None;
        }
        span.clip_entry(side(near))?;
        span.clip_exit(side(far))?;
    } else if direction.y < 0.0 {
        // Steeper than the side: the ray leaves the upper half, or is in the lower half from then
        // on.
        span.clip_entry(side(if far.is_finite() { far } else { near }))?;
    } else {
        span.clip_exit(side(if near.is_finite() { near } else { far }))?;
    }
    Some(span)
}

/// Interval of a line within `radius` of an axis (m). `origin` and `direction` are the components
/// of the line's origin and direction orthogonal to the axis.
pub(super) fn near_axis(origin: Vec3, direction: Vec3, radius: Real) -> Option<[Real; 2]> {
    let a = direction.length_squared();
    if a == 0.0 {
        return (origin.length_squared() <= radius * radius).then_some([Real::NEG_INFINITY, Real::INFINITY]);
    }
    let nearest = -origin.dot(direction) / a;
    let chord = radius * radius - (origin + direction * nearest).length_squared();
    (chord >= 0.0).then(|| {
        let half = (chord / a).sqrt();
        [nearest - half, nearest + half]
    })
}
