//! A cuboid and a capsule.

use super::ball_capsule::part;
use super::capsule_capsule::CapsuleShape;
use super::feature;
use super::local_manifold::{LocalManifold, LocalPoint};
use super::segments::has_direction;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{GEOMETRY, MANIFOLD, SEPARATING_AXIS};

/// The contact of a cuboid of half extents `half` (m) with a capsule, in the cuboid's frame: two
/// points if the segment lies over a face or along an edge, else one.
///
/// The squared distance from a point of the segment to the cuboid is convex and piecewise quadratic
/// in the segment's parameter, with breaks where a coordinate passes a face: the root of its
/// derivative is the exact closest point. For a segment that enters the cuboid, the normal is the
/// best of the faces and of the edges' cross products.
pub fn cuboid_capsule(half: Vec3, capsule: &CapsuleShape, capsule_in_cuboid: &Pose, prediction: Real) -> LocalManifold {
    let start = *capsule_in_cuboid * capsule.a;
    let along = capsule_in_cuboid.rotation * (capsule.b - capsule.a);
    let reach = capsule.radius + prediction;
    let segment = Segment { half, start, along };
    let faces = segment.face_separations();
    let (best_face, face_gap) = faces;
    if face_gap > reach {
        return LocalManifold::apart(face_gap - capsule.radius);
    }
    let s = segment.nearest_parameter();
    let point = start + along * s;
    let nearest = point.clamp(-half, half);
    let offset = point - nearest;
    let distance = offset.length();
    if distance > reach {
        return LocalManifold::apart(distance - capsule.radius);
    }
    let tie = SEPARATING_AXIS.hysteresis * half.min_element().min(capsule.radius);
    let emit = Emit { segment: &segment, capsule, pose: capsule_in_cuboid, prediction };
    if has_direction(distance, point.length()) {
        let aside = offset - best_face * offset.dot(best_face);
        if aside.length() <= GEOMETRY.same_normal * distance
            && let Some(out) = emit.over_face(best_face)
            && out.deepest() <= distance - capsule.radius + MANIFOLD.clip_slack
        {
            return out;
        }
        return emit.off_face(offset / distance, s);
    }
    let (axis, gap) = segment.edge_separation();
    if gap > face_gap + tie {
        return emit.through_edge(axis);
    }
    emit.over_face(best_face).unwrap_or_else(|| emit.through_edge(best_face))
}

struct Segment {
    half: Vec3,
    start: Vec3,
    along: Vec3,
}

impl Segment {
    /// The face whose plane is furthest from the segment on its side, and that distance (m).
    fn face_separations(&self) -> (Vec3, Real) {
        let (low, high) = (self.start.min(self.start + self.along), self.start.max(self.start + self.along));
        let (above, below) = (low - self.half, -high - self.half);
        let gap = above.max(below);
        let axis = gap.max_position();
        let mut normal = Vec3::ZERO;
        normal[axis] = if above[axis] >= below[axis] { 1.0 } else { -1.0 };
        (normal, gap[axis])
    }

    /// The best cross product of an edge with the segment, and the separation along it.
    fn edge_separation(&self) -> (Vec3, Real) {
        let mut best = (Vec3::Y, Real::NEG_INFINITY);
        let squared = self.along.length_squared();
        for edge in [Vec3::X, Vec3::Y, Vec3::Z] {
            let cross = edge.cross(self.along);
            let length = cross.length_squared();
            if length <= GEOMETRY.coincident * squared || length <= GEOMETRY.coincident * GEOMETRY.coincident {
                continue;
            }
            let axis = cross / length.sqrt();
            let along = axis.dot(self.start);
            let gap = along.abs() - axis.abs().dot(self.half);
            if gap > best.1 {
                best = (if along < 0.0 { -axis } else { axis }, gap);
            }
        }
        best
    }

    /// Half the derivative of the squared distance to the cuboid at the parameter `s`.
    #[inline]
    fn slope(&self, s: Real) -> Real {
        let p = self.start + self.along * s;
        (p - p.clamp(-self.half, self.half)).dot(self.along)
    }

    /// Parameter in [0, 1] of the segment's point closest to the cuboid.
    fn nearest_parameter(&self) -> Real {
        let (mut low, mut high) = (0.0, 1.0);
        let (mut slope_low, mut slope_high) = (self.slope(0.0), self.slope(1.0));
        if slope_low >= 0.0 {
            return 0.0;
        }
        if slope_high <= 0.0 {
            return 1.0;
        }
        for i in 0..3 {
            let rate = self.along[i];
            if rate.abs() <= GEOMETRY.coincident {
                continue;
            }
            for face in [-self.half[i], self.half[i]] {
                let s = (face - self.start[i]) / rate;
                if s <= low || s >= high {
                    continue;
                }
                let slope = self.slope(s);
                if slope < 0.0 {
                    (low, slope_low) = (s, slope);
                } else {
                    (high, slope_high) = (s, slope);
                }
            }
        }
        let rise = slope_high - slope_low;
        if rise > 0.0 { (low - slope_low * (high - low) / rise).clamp(low, high) } else { low }
    }

    /// Interval of the segment over the cuboid's extents along the axes other than `skip`.
    fn clipped(&self, skip: impl Fn(usize) -> bool) -> Option<(Real, Real)> {
        let (mut low, mut high): (Real, Real) = (0.0, 1.0);
        for i in (0..3).filter(|&i| !skip(i)) {
            let (start, rate, half) = (self.start[i], self.along[i], self.half[i]);
            if rate.abs() <= GEOMETRY.coincident {
                if start.abs() > half {
                    return None;
                }
                continue;
            }
            let (s, t) = ((-half - start) / rate, (half - start) / rate);
            low = low.max(s.min(t));
            high = high.min(s.max(t));
        }
        (low <= high).then_some((low, high))
    }
}

struct Emit<'a> {
    segment: &'a Segment,
    capsule: &'a CapsuleShape,
    pose: &'a Pose,
    prediction: Real,
}

impl Emit<'_> {
    /// Adds the point at the parameter `s`, opposite `on_cuboid` on the cuboid.
    fn point(&self, out: &mut LocalManifold, s: Real, on_cuboid: Vec3, of_cuboid: u16, of_capsule: u16) {
        let normal = out.normal;
        let core = self.segment.start + self.segment.along * s;
        let separation = (core - on_cuboid).dot(normal) - self.capsule.radius;
        if separation > self.prediction {
            return;
        }
        let local = self.capsule.a + (self.capsule.b - self.capsule.a) * s;
        out.push(LocalPoint {
            point_a: on_cuboid,
            point_b: local - self.pose.rotation.inverse() * (normal * self.capsule.radius),
            separation,
            feature: feature::pack(of_cuboid, of_capsule),
        });
    }

    /// Contact at the ends of the interval over the face of outward `normal`, or `None` if there is
    /// none.
    fn over_face(&self, normal: Vec3) -> Option<LocalManifold> {
        let axis = normal.abs().max_position();
        let (low, high) = self.segment.clipped(|i| i == axis)?;
        let foot = |s: Real| {
            let mut foot = self.segment.start + self.segment.along * s;
            foot[axis] = self.segment.half[axis] * normal[axis];
            foot
        };
        let mut out = LocalManifold::with_normal(normal);
        let face = feature::face(2 * axis as u32 + u32::from(normal[axis] > 0.0));
        let side = feature::face(0);
        // Only the lower end of a steep capsule lies on its surface.
        let rise = self.segment.along[axis] * normal[axis];
        let steep = rise.abs() > SEPARATING_AXIS.flat_angle * self.segment.along.length();
        let single = high - low <= GEOMETRY.coincident;
        if single || !steep || rise > 0.0 {
            self.point(&mut out, low, foot(low), face, if low > 0.0 { side } else { feature::vertex(0) });
        }
        if !single && (!steep || rise <= 0.0) {
            self.point(&mut out, high, foot(high), face, if high < 1.0 { side } else { feature::vertex(1) });
        }
        // The closest point may lie outside the interval: then the face does not support the
        // contact.
        (out.count > 0).then_some(out)
    }

    /// Contact at the closest point of parameter `s`, or at both ends of the interval along an edge
    /// parallel to the segment.
    fn off_face(&self, normal: Vec3, s: Real) -> LocalManifold {
        let mut out = LocalManifold::with_normal(normal);
        let (segment, squared) = (self.segment, self.segment.along.length_squared());
        let axis = segment.along.abs().max_position();
        let across = squared - segment.along[axis] * segment.along[axis];
        let parallel = across <= MANIFOLD.parallel_sine * MANIFOLD.parallel_sine * squared
            && squared > GEOMETRY.coincident * GEOMETRY.coincident;
        let nearest = |s: Real| (segment.start + segment.along * s).clamp(-segment.half, segment.half);
        if parallel
            && normal[axis].abs() <= MANIFOLD.parallel_sine
            && let Some((low, high)) = segment.clipped(|i| i != axis)
            && high - low > GEOMETRY.coincident
        {
            let edge = feature::edge(axis as u32, 7);
            self.point(&mut out, low, nearest(low), edge, feature::vertex(0));
            self.point(&mut out, high, nearest(high), edge, feature::vertex(1));
        }
        if out.count == 0 {
            self.point(&mut out, s, nearest(s), feature::edge(0, 7), part(s));
        }
        out
    }

    /// Contact at the point of the segment deepest along `normal`.
    fn through_edge(&self, normal: Vec3) -> LocalManifold {
        let segment = self.segment;
        let corner = segment.half.copysign(normal);
        let rise = segment.along.dot(normal);
        let flat = rise.abs() <= MANIFOLD.parallel_sine * segment.along.length();
        let s = if flat {
            // The crossing with the edge, which runs along the axis most orthogonal to the normal.
            let mut edge = Vec3::ZERO;
            edge[normal.abs().min_position()] = 1.0;
            super::segments::nearest(
                segment.start,
                segment.along,
                corner - edge * corner.dot(edge) * 2.0,
                edge * corner.dot(edge) * 2.0,
            )
            .0
        } else if rise > 0.0 {
            0.0
        } else {
            1.0
        };
        let core = segment.start + segment.along * s;
        let on_cuboid = (core - normal * (core - corner).dot(normal)).clamp(-segment.half, segment.half);
        let mut out = LocalManifold::with_normal(normal);
        self.point(&mut out, s, on_cuboid, feature::edge(1, 7), part(s));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, consts::PI};

    fn capsule() -> CapsuleShape {
        CapsuleShape { a: -Vec3::Y, b: Vec3::Y, radius: 0.25 }
    }

    #[test]
    fn a_capsule_lying_on_a_face_touches_at_both_ends() {
        let lying = Pose::from_parts(Vec3::new(0.0, 0.74, 0.0), Quat::from_rotation_z(PI / 2.0));
        let m = cuboid_capsule(Vec3::new(3.0, 0.5, 3.0), &capsule(), &lying, 0.02);
        assert_eq!((m.count, m.normal), (2, Vec3::Y));
        for p in m.points() {
            assert!((p.separation + 0.01).abs() < 1e-6);
            assert!((p.point_a.x.abs() - 1.0).abs() < 1e-6 && (p.point_a.y - 0.5).abs() < 1e-6);
        }
    }

    #[test]
    fn a_capsule_overhanging_a_face_touches_up_to_its_edge() {
        let lying = Pose::from_parts(Vec3::new(0.6, 0.75, 0.0), Quat::from_rotation_z(PI / 2.0));
        let m = cuboid_capsule(Vec3::splat(0.5), &capsule(), &lying, 0.02);
        let mut x: Vec<Real> = m.points().iter().map(|p| p.point_a.x).collect();
        x.sort_by(Real::total_cmp);
        assert!(x.len() == 2 && (x[0] + 0.4).abs() < 1e-5 && (x[1] - 0.5).abs() < 1e-5, "{x:?}");
    }

    #[test]
    fn a_capsule_standing_on_a_face_touches_once() {
        let m = cuboid_capsule(Vec3::splat(0.5), &capsule(), &Pose::from_translation(Vec3::Y * 1.75), 0.02);
        assert_eq!((m.count, m.normal), (1, Vec3::Y));
        assert!(m.points[0].separation.abs() < 1e-6);
    }

    #[test]
    fn a_capsule_along_an_edge_touches_it_at_two_points() {
        let pose = Pose::from_translation(Vec3::new(0.7, 0.0, 0.7));
        let m = cuboid_capsule(Vec3::splat(0.5), &capsule(), &pose, 0.1);
        assert_eq!(m.count, 2);
        let gap = (0.08 as Real).sqrt() - 0.25;
        assert!(m.points().iter().all(|p| (p.separation - gap).abs() < 1e-6));
        assert!(m.points().iter().all(|p| (p.point_a.y.abs() - 0.5).abs() < 1e-6));
    }

    #[test]
    fn a_segment_inside_leaves_through_the_nearest_face() {
        let pose = Pose::from_translation(Vec3::new(0.1, 0.0, 0.4));
        let m = cuboid_capsule(Vec3::new(0.5, 2.0, 0.5), &capsule(), &pose, 0.0);
        assert_eq!((m.count, m.normal), (2, Vec3::Z));
        assert!(m.points().iter().all(|p| (p.separation + 0.35).abs() < 1e-6));
    }
}
