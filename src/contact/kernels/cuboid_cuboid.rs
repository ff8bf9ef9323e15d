//! Two cuboids.

use super::cache::{AxisCache, SearchStart};
use super::cuboid_axis::{CuboidAxis, CuboidPair};
use super::feature;
use super::gjk;
use super::local_manifold::{LocalManifold, LocalPoint};
use super::reduce::reduce;
use super::rounded_convex::Core;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{MANIFOLD, SEPARATING_AXIS};
use glam::Vec3Swizzles;

/// The contact of two cuboids of half extents `half_a` and `half_b` (m), in the first one's frame:
/// up to four points for two faces, or one where edges cross or corners meet.
///
/// The separating-axis test finds the normal, and the incident face is clipped against the sides of
/// the reference face. Lengths are measured from the smaller cuboid's centre and heights from the
/// planes of the faces, so that a slab hundreds of metres wide does not cost the separation its
/// digits. Give such a slab as the first shape: its normal offset from the small body is then an
/// input rather than a difference.
pub fn cuboid_cuboid(
    half_a: Vec3,
    half_b: Vec3,
    b_in_a: &Pose,
    prediction: Real,
    cache: &mut AxisCache,
) -> LocalManifold {
    let boxes = CuboidPair::new(half_a, half_b, b_in_a);
    if let Some(clearance) = boxes.cached_separation(*cache, prediction) {
        return LocalManifold::apart(clearance);
    }
    let best = match boxes.best(*cache, prediction) {
        Ok(best) => best,
        Err((axis, clearance)) => {
            *cache = axis;
            return LocalManifold::apart(clearance);
        }
    };
    let had_edges = cache.is_edges();
    *cache = best.cache;
    let along = |axis: CuboidAxis| match axis {
        CuboidAxis::FaceA(k) => (face_of_a(&boxes, k, prediction), best.face_separation),
        CuboidAxis::FaceB(k) => (face_of_b(&boxes, k, prediction), best.face_separation),
        CuboidAxis::Edges { i, j, normal, separation } => (edge_on_edge(&boxes, i, j, normal, separation), separation),
    };
    let mut axis = best.axis;
    let (mut out, mut separation) = along(axis);
    if let CuboidAxis::Edges { normal, .. } = axis {
        let lean = if had_edges { 0.5 * SEPARATING_AXIS.flat_angle } else { SEPARATING_AXIS.flat_angle };
        // Edges that do not cross within their lengths were only as good as the face within the
        // tie.
        let alone = out.is_none() && separation <= 0.0;
        // Most other normals lean too far from the face for clipping it.
        if alone || out.is_some() && is_nearly_parallel(&boxes, best.face, normal, lean) {
            let over_face = along(best.face);
            let flat = |over: &LocalManifold| out.as_ref().is_some_and(|edge| lies_flat(over, edge, boxes.tie()));
            if alone || over_face.0.as_ref().is_some_and(flat) {
                (axis, *cache) = (best.face, best.cache_of_face);
                (out, separation) = over_face;
            }
        }
    }
    let nearest =
        || gjk::nearest(&Core::Cuboid(half_a), &Core::Cuboid(half_b), b_in_a, prediction, SearchStart::default());
    match out {
        // Separate, with the closest corner beside the face: the points over the face may be
        // further away.
        Some(out) if separation > 0.0 && out.deepest() > separation + boxes.tie() => {
            let corner = nearest().manifold(b_in_a);
            if corner.deepest() < out.deepest() - boxes.tie() { corner } else { out }
        }
        Some(out) => out,
        // No face or pair of edges supports the contact: corners and edges pass each other.
        None if separation > 0.0 => nearest().manifold(b_in_a),
        None => deepest_corner(&boxes, &axis),
    }
}

/// True if the normal of a face and another one differ by less than an angle (rad).
fn is_nearly_parallel(boxes: &CuboidPair, face: CuboidAxis, normal: Vec3, lean: Real) -> bool {
    let over_face = match face {
        CuboidAxis::FaceB(k) => boxes.rotation.col(k),
        CuboidAxis::FaceA(k) => Vec3::AXES[k],
        CuboidAxis::Edges { normal, .. } => normal,
    };
    over_face.cross(normal).length_squared() <= lean * lean
}

/// True if cuboids whose best axis is a pair of edges lie flush on each other: the normals are
/// nearly parallel ([`is_nearly_parallel`]), and the overlap across the faces is hardly deeper.
/// `tie` is the depth of equal overlaps (m). On faces that lean by a few degrees the single point
/// of crossing edges jumps from end to end.
fn lies_flat(over_face: &LocalManifold, on_edge: &LocalManifold, tie: Real) -> bool {
    let separation = on_edge.deepest();
    over_face.deepest() >= separation - tie - SEPARATING_AXIS.edge_over_face * separation.abs()
}

/// A face of the reference cuboid and one of the incident cuboid. Vectors are in the reference
/// cuboid's axes, those of the face first and its normal last ([`permuted`]).
struct FacePair {
    /// Axis of the reference face.
    axis: usize,
    /// Outward sign of the reference face along its axis.
    sign: Real,
    half: Vec3,
    /// Incident cuboid: half extents, axes as rows of the reference frame, axis and outward sign of
    /// the incident face.
    incident_half: Vec3,
    incident_axes: [Vec3; 3],
    incident_axis: usize,
    incident_sign: Real,
    /// Centre of the incident cuboid from the common origin (m).
    incident_centre: Vec3,
    /// Centre of the reference cuboid from the common origin (m).
    reference_centre: Vec3,
    /// Height of the incident face over the origin along its own normal (m).
    incident_height: Real,
}

/// Vertex of the clipped face: its coordinates along the two axes of the reference face, and the
/// side that starts there: 0 to 3 for the incident face, 4 to 7 for the reference face.
#[derive(Clone, Copy, Default)]
struct Corner {
    u: Real,
    v: Real,
    side: u8,
}

/// Greatest number of corners: clipping four by four lines adds at most one for each.
const MAX_CORNERS: usize = 8;

#[derive(Clone, Copy)]
struct Outline {
    corners: [Corner; MAX_CORNERS],
    count: usize,
}

impl Outline {
    #[inline]
    fn push(&mut self, corner: Corner) {
        // A corner beyond the limit is a duplicate made by rounding.
        if self.count < MAX_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// Clips by a line (Sutherland and Hodgman 1974). `distance` is the distance of a corner inside
    /// the line.
    #[inline]
    fn clip(&mut self, slack: Real, side: u8, distance: impl Fn(&Corner) -> Real) {
        let count = self.count;
        let mut inside = [0.0; MAX_CORNERS];
        let mut least = Real::INFINITY;
        for (k, corner) in self.corners[..count].iter().enumerate() {
            inside[k] = distance(corner);
            least = least.min(inside[k]);
        }
        if least >= -slack {
            return;
        }
        let before = self.corners;
        self.count = 0;
        for k in 0..count {
            let next = if k + 1 == count { 0 } else { k + 1 };
            let (from, to) = (before[k], before[next]);
            let (d, e) = (inside[k], inside[next]);
            let crossing = |inner: Corner, outer: Corner, depth: Real, excess: Real, side: u8| {
                let t = depth / (depth - excess);
                Corner { u: inner.u + (outer.u - inner.u) * t, v: inner.v + (outer.v - inner.v) * t, side }
            };
            match (d >= -slack, e >= -slack) {
                (true, true) => self.push(from),
                // Within the tolerance a corner is kept as it is: the crossing coincides with it.
                (true, false) if d > 0.0 => {
                    self.push(from);
                    self.push(crossing(from, to, d, e, side));
                }
                (true, false) => self.push(Corner { side, ..from }),
                (false, true) if e > 0.0 => self.push(crossing(to, from, e, d, from.side)),
                _ => {}
            }
        }
    }
}

/// The components of `v` along the two axes after `axis`, and along itself.
#[inline]
fn permuted(v: Vec3, axis: usize) -> Vec3 {
    match axis {
        0 => v.yzx(),
        1 => v.zxy(),
        _ => v,
    }
}

/// The vector with these components.
#[inline]
fn unpermuted(v: Vec3, axis: usize) -> Vec3 {
    match axis {
        0 => v.zxy(),
        1 => v.yzx(),
        _ => v,
    }
}

/// Bit `axis` set if `sign` is positive.
#[inline]
fn bit(axis: usize, sign: Real) -> u32 {
    u32::from(sign > 0.0) << axis
}

/// Signs of the four corners of a face in order along its two axes.
const CORNER_SIGNS: [(Real, Real); 4] = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];

impl FacePair {
    /// Calls `emit` with each point on the reference face and on the incident face (both from the
    /// common origin), their separation, and the features of both cuboids.
    #[inline]
    fn points(&self, prediction: Real, mut emit: impl FnMut(Vec3, Vec3, Real, u16, u16)) {
        let (iu, iv) = ((self.incident_axis + 1) % 3, (self.incident_axis + 2) % 3);
        let normal = self.incident_axes[self.incident_axis] * self.incident_sign;
        let middle = self.incident_centre + normal * self.incident_half[self.incident_axis];
        let (du, dv) =
            (self.incident_axes[iu] * self.incident_half[iu], self.incident_axes[iv] * self.incident_half[iv]);
        let mut outline = Outline { corners: [Corner::default(); MAX_CORNERS], count: 4 };
        for (side, (su, sv)) in CORNER_SIGNS.into_iter().enumerate() {
            let corner = middle + du * su + dv * sv;
            outline.corners[side] = Corner { u: corner.x, v: corner.y, side: side as u8 };
        }
        let slack = MANIFOLD.clip_slack * self.half.x.min(self.half.y).min(self.incident_half.max_element());
        let (high, low) = (self.reference_centre + self.half, self.reference_centre - self.half);
        outline.clip(slack, 4, |c| high.x - c.u);
        outline.clip(slack, 5, |c| high.y - c.v);
        outline.clip(slack, 6, |c| c.u - low.x);
        outline.clip(slack, 7, |c| c.v - low.y);
        // Height of the reference face along its axis, and of the incident plane over each corner.
        let height = self.reference_centre.z + self.sign * self.half.z;
        let slope = 1.0 / normal.z;
        for n in 0..outline.count {
            let corner = outline.corners[n];
            let over = (self.incident_height - normal.x * corner.u - normal.y * corner.v) * slope;
            let separation = (over - height) * self.sign;
            if separation > prediction {
                continue;
            }
            let before = outline.corners[if n == 0 { outline.count - 1 } else { n - 1 }].side;
            let (of_reference, of_incident) = self.features(before, corner.side);
            let at = |height: Real| unpermuted(Vec3::new(corner.u, corner.v, height), self.axis);
            emit(at(height), at(over), separation, of_reference, of_incident);
        }
    }

    /// Features at the vertex between the side `before` and the side `after`.
    fn features(&self, before: u8, after: u8) -> (u16, u16) {
        let (k, u, v) = (self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3);
        let face_bit = bit(k, self.sign);
        let reference_face = feature::face(2 * k as u32 + u32::from(self.sign > 0.0));
        let incident_face = feature::face(2 * self.incident_axis as u32 + u32::from(self.incident_sign > 0.0));
        // Corner n of the incident face, and its side n from corner n to corner n + 1.
        let incident_corner = |n: u8| {
            let (su, sv) = CORNER_SIGNS[usize::from(n) & 3];
            bit(self.incident_axis, self.incident_sign)
                | bit((self.incident_axis + 1) % 3, su)
                | bit((self.incident_axis + 2) % 3, sv)
        };
        let incident_side = |n: u8| feature::edge(incident_corner(n), incident_corner(n + 1));
        let side_sign = |side: u8| if side < 6 { 1.0 } else { -1.0 };
        let reference_side = |side: u8| {
            let (along, across) = if side & 1 == 0 { (v, u) } else { (u, v) };
            let base = face_bit | bit(across, side_sign(side));
            feature::edge(base, base | bit(along, 1.0))
        };
        match (before < 4, after < 4) {
            (true, true) => (reference_face, feature::vertex(incident_corner(after))),
            (true, false) => (reference_side(after), incident_side(before)),
            (false, true) => (reference_side(before), incident_side(after)),
            (false, false) => {
                let sign = |odd: u8| if before & 1 == odd { side_sign(before) } else { side_sign(after) };
                (feature::vertex(face_bit | bit(u, sign(0)) | bit(v, sign(1))), incident_face)
            }
        }
    }
}

/// Axis and sign of the face that looks most against `normal`, of a cuboid with the axes `axes`.
#[inline]
fn incident_face(axes: &[Vec3; 3], normal: Vec3) -> (usize, Real) {
    let cosines = Vec3::new(axes[0].dot(normal), axes[1].dot(normal), axes[2].dot(normal));
    let axis = cosines.abs().max_position();
    (axis, if cosines[axis] > 0.0 { -1.0 } else { 1.0 })
}

fn face_of_a(boxes: &CuboidPair, k: usize, prediction: Real) -> Option<LocalManifold> {
    let sign = if boxes.centre_b[k] < 0.0 { -1.0 } else { 1.0 };
    let mut normal = Vec3::ZERO;
    normal[k] = sign;
    let rotation = boxes.rotation;
    let incident_axes = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    let (incident_axis, incident_sign) = incident_face(&incident_axes, normal);
    let from_a = measures_from_a(boxes);
    let (origin, incident_height) = if from_a {
        (Vec3::ZERO, boxes.along_b[incident_axis] * incident_sign + boxes.half_b[incident_axis])
    } else {
        (boxes.centre_b, boxes.half_b[incident_axis])
    };
    let pair = FacePair {
        axis: k,
        sign,
        half: permuted(boxes.half_a, k),
        incident_half: boxes.half_b,
        incident_axes: incident_axes.map(|axis| permuted(axis, k)),
        incident_axis,
        incident_sign,
        incident_centre: permuted(boxes.centre_b - origin, k),
        reference_centre: permuted(-origin, k),
        incident_height,
    };
    let from_centre_b = origin - boxes.centre_b;
    let to_b = rotation.transpose();
    gather(&pair, normal, prediction, |on_a, on_b, separation, of_a, of_b| LocalPoint {
        point_a: on_a + origin,
        point_b: to_b * (on_b + from_centre_b),
        separation,
        feature: feature::pack(of_a, of_b),
    })
}

fn face_of_b(boxes: &CuboidPair, k: usize, prediction: Real) -> Option<LocalManifold> {
    // Along the axes of b. Its outward normal points towards a.
    let sign = if boxes.along_b[k] < 0.0 { 1.0 } else { -1.0 };
    let mut outward = Vec3::ZERO;
    outward[k] = sign;
    let to_b = boxes.rotation.transpose();
    let incident_axes = [to_b.x_axis, to_b.y_axis, to_b.z_axis];
    let (incident_axis, incident_sign) = incident_face(&incident_axes, outward);
    let from_a = measures_from_a(boxes);
    let (origin, incident_height) = if from_a {
        (-boxes.along_b, boxes.half_a[incident_axis])
    } else {
        (Vec3::ZERO, boxes.half_a[incident_axis] - boxes.centre_b[incident_axis] * incident_sign)
    };
    let pair = FacePair {
        axis: k,
        sign,
        half: permuted(boxes.half_b, k),
        incident_half: boxes.half_a,
        incident_axes: incident_axes.map(|axis| permuted(axis, k)),
        incident_axis,
        incident_sign,
        incident_centre: permuted(-boxes.along_b - origin, k),
        reference_centre: permuted(-origin, k),
        incident_height,
    };
    // The origin is one of the two centres, so its position in the first frame is exact.
    let origin_in_a = if from_a { Vec3::ZERO } else { boxes.centre_b };
    gather(&pair, -(boxes.rotation.col(k) * sign), prediction, |on_b, on_a, separation, of_b, of_a| LocalPoint {
        point_a: boxes.rotation * on_a + origin_in_a,
        point_b: on_b + origin,
        separation,
        feature: feature::pack(of_a, of_b),
    })
}

/// True if lengths are measured from the centre of the first cuboid, the smaller one.
#[inline]
fn measures_from_a(boxes: &CuboidPair) -> bool {
    boxes.half_a.max_element() < boxes.half_b.max_element()
}

#[inline]
fn gather(
    pair: &FacePair,
    normal: Vec3,
    prediction: Real,
    point: impl Fn(Vec3, Vec3, Real, u16, u16) -> LocalPoint,
) -> Option<LocalManifold> {
    let mut points = [LocalPoint::default(); MAX_CORNERS];
    let mut count = 0;
    pair.points(prediction, |on_reference, on_incident, separation, of_reference, of_incident| {
        points[count] = point(on_reference, on_incident, separation, of_reference, of_incident);
        count += 1;
    });
    if count == 0 {
        return None;
    }
    let mut out = LocalManifold::with_normal(normal);
    reduce(&points[..count], &mut out);
    Some(out)
}

/// The closest points of two crossing edges, or `None` if they do not cross within their lengths.
fn edge_on_edge(boxes: &CuboidPair, i: usize, j: usize, normal: Vec3, separation: Real) -> Option<LocalManifold> {
    let mut corner_a = boxes.half_a.copysign(normal);
    corner_a[i] = 0.0;
    let local_normal = boxes.rotation.transpose() * normal;
    let mut corner_b = boxes.half_b.copysign(-local_normal);
    corner_b[j] = 0.0;
    let (along_a, along_b) = (Vec3::AXES[i], boxes.rotation.col(j));
    let between = boxes.centre_b + boxes.rotation * corner_b - corner_a;
    let cosine = along_b[i];
    let (on_a, on_b) = (between[i], between.dot(along_b));
    let scale = 1.0 / (1.0 - cosine * cosine);
    let s = (on_a - cosine * on_b) * scale;
    let t = (cosine * on_a - on_b) * scale;
    let slack =
        MANIFOLD.clip_slack * boxes.half_a[i].min(boxes.half_b[j]) + 8.0 * Real::EPSILON * boxes.centre_b.length();
    if s.abs() > boxes.half_a[i] + slack || t.abs() > boxes.half_b[j] + slack {
        return None;
    }
    let name = |corner: Vec3, axis: usize| {
        let signs = (0..3).filter(|&k| k != axis).fold(0, |bits, k| bits | bit(k, corner[k]));
        feature::edge(signs, signs | 1 << axis)
    };
    let mut out = LocalManifold::with_normal(normal);
    let mut on_b = corner_b;
    on_b[j] = t;
    out.push(LocalPoint {
        point_a: corner_a + along_a * s,
        point_b: on_b,
        separation,
        feature: feature::pack(name(corner_a, i), name(corner_b, j)),
    });
    Some(out)
}

/// The corner of one cuboid deepest under the chosen face of the other, for overlapping cuboids
/// whose incident face misses the reference face by rounding.
fn deepest_corner(boxes: &CuboidPair, axis: &CuboidAxis) -> LocalManifold {
    let to_b = boxes.rotation.transpose();
    let (normal, a_leads) = match *axis {
        CuboidAxis::FaceA(k) => (Vec3::AXES[k] * Real::copysign(1.0, boxes.centre_b[k]), true),
        CuboidAxis::FaceB(k) => (boxes.rotation.col(k) * Real::copysign(1.0, boxes.along_b[k]), false),
        CuboidAxis::Edges { normal, .. } => (normal, true),
    };
    let corner_a = boxes.half_a.copysign(normal);
    let corner_b = boxes.half_b.copysign(-(to_b * normal));
    let corner_b_in_a = boxes.centre_b + boxes.rotation * corner_b;
    let separation = (corner_b_in_a - corner_a).dot(normal);
    let (point_a, point_b) = if a_leads {
        ((corner_b_in_a - normal * separation).clamp(-boxes.half_a, boxes.half_a), corner_b)
    } else {
        let foot = to_b * (corner_a + normal * separation - boxes.centre_b);
        (corner_a, foot.clamp(-boxes.half_b, boxes.half_b))
    };
    let name = |corner: Vec3| feature::vertex(bit(0, corner.x) | bit(1, corner.y) | bit(2, corner.z));
    let mut out = LocalManifold::with_normal(normal);
    out.push(LocalPoint { point_a, point_b, separation, feature: feature::pack(name(corner_a), name(corner_b)) });
    out
}
