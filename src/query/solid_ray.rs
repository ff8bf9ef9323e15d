//! A ray through a hull, a cylinder or a cone, in closed form: what is left of the ray once every surface has cut it.
//!
//! Parry walks to such shapes by support points, which takes a microsecond and can end millimetres off the surface.

use super::ray_hit::RayHit;
use crate::math::parry::shape::{Cone, ConvexPolyhedron, Cylinder, FeatureId, Shape, TypedShape};
use crate::math::{Real, Vec3};
use crate::tolerances::HULL_FLAT;

/// Where a ray crosses a surface.
#[derive(Clone, Copy)]
struct Crossing {
    /// Along the ray (m).
    distance: Real,
    /// Unit normal, outward.
    normal: Vec3,
    feature: FeatureId,
}

/// The part of a line that lies in a convex solid.
struct Span {
    enters: Crossing,
    leaves: Crossing,
}

impl Span {
    fn whole() -> Self {
        let at = |distance| Crossing { distance, normal: Vec3::ZERO, feature: FeatureId::Unknown };
        Self { enters: at(Real::NEG_INFINITY), leaves: at(Real::INFINITY) }
    }

    /// Keeps what is not above a plane, which the ray's origin is `height` above (m).
    fn below(&mut self, height: Real, direction: Vec3, normal: Vec3, feature: FeatureId) -> Option<()> {
        let rate = normal.dot(direction);
        if rate == 0.0 {
            return (height <= 0.0).then_some(());
        }
        let crossing = Crossing { distance: -height / rate, normal, feature };
        if rate < 0.0 { self.keep_from(crossing) } else { self.keep_until(crossing) }
    }

    fn keep_from(&mut self, crossing: Crossing) -> Option<()> {
        if crossing.distance > self.enters.distance {
            self.enters = crossing;
        }
        self.is_left()
    }

    fn keep_until(&mut self, crossing: Crossing) -> Option<()> {
        if crossing.distance < self.leaves.distance {
            self.leaves = crossing;
        }
        self.is_left()
    }

    fn is_left(&self) -> Option<()> {
        (self.enters.distance <= self.leaves.distance).then_some(())
    }

    /// What the ray hits first, from its origin on, which lies `ahead` along it (m).
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

/// Casts the ray from `origin` along the unit vector `direction`; none if the shape is not one of the three kinds, else the hit,
/// if there is one. `hollow` as in [`super::shape_ray::cast`].
pub(super) fn cast(shape: &dyn Shape, origin: Vec3, direction: Vec3, hollow: bool) -> Option<Option<RayHit>> {
    // From the point nearest to the shape's own origin, so that no two large numbers are subtracted.
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

/// None if a face is too bent to be cut at its folds.
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
            if around.len() > MOST_FOLDED {
                return None;
            }
            let mut list = [Vec3::ZERO; MOST_FOLDED];
            list.iter_mut().zip(around).for_each(|(place, &point)| *place = points[point as usize]);
            below_folds(&mut span, &list[..around.len()], face.normal, [origin, direction], feature)
        } else {
            span.below(face.normal.dot(origin - corner(0)), direction, face.normal, feature)
        };
        if cut.is_none() {
            return Some(None);
        }
    }
    Some(Some(span))
}

/// Corners of a face that is cut at its folds, at most: each three of them are tried.
const MOST_FOLDED: usize = 8;

/// Keeps what is below a face that is not flat: parry joins triangles whose planes are a degree or so apart, under one normal. Cuts with
/// the planes through three corners that have all others below them.
fn below_folds(
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

/// Along the y axis.
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
    span.keep_from(side(enters))?;
    span.keep_until(side(leaves))?;
    Some(span)
}

/// Along the y axis, its tip at the upper end.
fn through_cone(cone: &Cone, origin: Vec3, direction: Vec3) -> Option<Span> {
    let mut span = Span::whole();
    span.below(-origin.y - cone.half_height, direction, -Vec3::Y, FeatureId::Unknown)?;
    // The double cone about the tip: where the distance from the axis is no more than `slope` times that below the tip.
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
    // The roots without cancellation; where `a` is zero one of them is at infinity.
    let q = -(b + spread.max(0.0).sqrt().copysign(b));
    let first = q / a;
    let second = if q == 0.0 { first } else { c / q };
    let (near, far) = (first.min(second), first.max(second));
    if a > 0.0 {
        if !below_tip(0.5 * (near + far)) {
            return None;
        }
        span.keep_from(side(near))?;
        span.keep_until(side(far))?;
    } else if direction.y < 0.0 {
        // Steeper than the side: out of the upper half, and from then on in the lower.
        span.keep_from(side(if far.is_finite() { far } else { near }))?;
    } else {
        span.keep_until(side(if near.is_finite() { near } else { far }))?;
    }
    Some(span)
}

/// The part of a line that is no farther than `radius` from an axis (m): from what lies across the axis of the way to the line's origin
/// from it, and of the line's direction.
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
