//! Any two convex shapes: a separating axis, then the support features along it, one clipped by the
//! other.

use super::cache::{Corners, SearchStart};
use super::convex_axis::{Axis, CorePair};
use super::feature;
use super::gjk::{self, Nearest, WITNESS};
use super::local_manifold::LocalPoint;
use super::polygon::{Clipper, Polygon};
use super::rounded_convex::{Constraints, Core, RoundedConvex};
use super::segments;
use crate::math::parry::query::details::NormalConstraintsPair;
use crate::math::parry::shape::SupportMap;
use crate::math::{Mat3, Pose, Real, Vec3};
use crate::tolerances::{GEOMETRY, GJK, INTERNAL_EDGES, MANIFOLD, PROJECTED_FACE_COSINE, SEPARATING_AXIS};

/// Buffers for one pair at a time, reused so that no pair allocates.
#[derive(Default)]
pub(crate) struct ConvexScratch {
    face_a: Polygon,
    face_b: Polygon,
    tip: Polygon,
    clipper: Clipper,
    /// Points found, before the reduction.
    pub points: Vec<LocalPoint>,
}

impl ConvexScratch {
    /// Least separation of the points found (m); infinite without points.
    pub fn least(&self) -> Real {
        self.points.iter().fold(Real::INFINITY, |least, p| least.min(p.separation))
    }
}

/// Result of a pair of convex shapes.
pub(crate) struct ConvexContact {
    /// Normal in the first shape's axes; the points are in the scratch.
    pub normal: Vec3,
    /// Direction for the next warm start.
    pub direction: Vec3,
    /// Corners for the next warm start.
    pub corners: Corners,
    /// Lower bound of the distance of the shapes where it exceeds the prediction (m); else 0.
    pub clearance: Real,
}

/// The two shapes and the common origin: the smaller one's centre.
struct ContactFrame<'a> {
    a: RoundedConvex<'a>,
    b: RoundedConvex<'a>,
    b_in_a: &'a Pose,
    rotation: Mat3,
    origin: Vec3,
    prediction: Real,
}

/// Writes the points where two convex shapes are at most `prediction` (m) apart to
/// `scratch.points`.
///
/// `start` is the result of the last call. `constraints` are the ranges of normals allowed on parts
/// of composites: a normal outside is projected to the closest allowed one, and the contact is kept
/// only where the part's face lies under it.
pub(crate) fn convex_convex(
    a: &RoundedConvex,
    b: &RoundedConvex,
    b_in_a: &Pose,
    prediction: Real,
    start: SearchStart,
    constraints: (Constraints, Constraints),
    scratch: &mut ConvexScratch,
) -> ConvexContact {
    scratch.points.clear();
    let cores = CorePair::new(a.core, b.core, b_in_a);
    let radii = a.radius + b.radius;
    let size = scale(a).min(scale(b));
    // The last separating direction mostly still separates them.
    let apart = |direction: Vec3| {
        let clearance = cores.separation(direction) - radii;
        (direction.is_normalized() && clearance > prediction).then_some(ConvexContact {
            normal: Vec3::ZERO,
            direction,
            corners: start.corners,
            clearance,
        })
    };
    let without =
        |direction: Vec3| ConvexContact { normal: Vec3::ZERO, direction, corners: Corners::default(), clearance: 0.0 };
    if let Some(outcome) = start.direction.and_then(apart) {
        return outcome;
    }
    // A face that supported the contact mostly still does: if its points agree, no search is
    // needed.
    let cached = start.direction.and_then(|direction| cached_face(&cores, direction, size));
    let allowed = |axis: &Axis| {
        let (mut normal, mut back) = (axis.normal, cores.back * -axis.normal);
        constraints.project_local_normals(b_in_a, &mut normal, &mut back)
            && (normal - axis.normal).length_squared() <= GEOMETRY.same_normal * GEOMETRY.same_normal
    };
    if let Some(axis) = cached.filter(allowed) {
        if axis.separation > radii + prediction {
            return apart(axis.normal).unwrap_or_else(|| without(axis.normal));
        }
        let frame = ContactFrame::new([a, b], b_in_a, &cores, (axis.normal, axis.faces), prediction, scratch);
        frame.face_points(axis.normal, false, scratch);
        if scratch.least() <= axis.separation - radii + SEPARATING_AXIS.hysteresis * size {
            return ConvexContact {
                normal: axis.normal,
                direction: axis.normal,
                corners: start.corners,
                clearance: 0.0,
            };
        }
        scratch.points.clear();
    }
    let mut axis = match cores.best(radii + prediction, start, size, radii > 0.0) {
        Ok(axis) => axis,
        Err(direction) => {
            return apart(direction).unwrap_or_else(|| without(direction));
        }
    };
    let mut normal = axis.normal;
    let mut back = cores.back * -normal;
    let reachable = constraints.project_local_normals(b_in_a, &mut normal, &mut back);
    let forced = (normal - axis.normal).length_squared() > GEOMETRY.same_normal * GEOMETRY.same_normal;
    if !reachable || forced {
        // The shortest way out is through the part's back, or aside through its neighbours. A body
        // that lies deep inside and has come from the front is pushed back there.
        let along = |direction: Vec3| Axis::new(direction, cores.separation(direction));
        let deep = axis.separation - radii < -GJK.deep_overlap * size;
        let from_front = |face: &Vec3| start.direction.is_some_and(|last| last.dot(*face) > SEPARATING_AXIS.flat_angle);
        let front = cores.one_sided_face(constraints).filter(|face| deep && from_front(face)).map(along);
        if reachable {
            let frame = ContactFrame::new([a, b], b_in_a, &cores, (normal, [None; 2]), prediction, scratch);
            frame.face_points(normal, true, scratch);
            // A part of a composite does not know the depth of the whole along a projected normal: a
            // body that only touches the part's side must not be pushed out over its top.
            let worst = INTERNAL_EDGES.depth_ratio * (axis.separation - radii).min(0.0) - GJK.deep_overlap * size;
            scratch.points.retain(|p| p.separation >= worst);
            if front.as_ref().is_none_or(|front| scratch.least() <= front.separation - radii) {
                let direction = front.map_or(axis.normal, |front| front.normal);
                return ConvexContact { normal, direction, corners: axis.corners, clearance: 0.0 };
            }
            scratch.points.clear();
        }
        let last = || start.direction.filter(|direction| direction.is_normalized()).map(along).filter(allowed);
        let Some(front) = front.or_else(last) else { return without(axis.normal) };
        (axis, normal) = (front, front.normal);
    }
    let frame = ContactFrame::new([a, b], b_in_a, &cores, (normal, axis.faces), prediction, scratch);
    frame.face_points(normal, false, scratch);
    frame.edge_points(normal, scratch);
    let least = scratch.least();
    let missed = axis.separation - radii + SEPARATING_AXIS.hysteresis * size;
    // Closest points beside the faces: corners that pass each other, and rims between the
    // corners of their outlines.
    if least > missed
        && let Some(normal) = frame.single_point(&cores, &axis, least, scratch)
    {
        let (mut allowed, mut back) = (normal, cores.back * -normal);
        if !constraints.project_local_normals(b_in_a, &mut allowed, &mut back)
            || (allowed - normal).length_squared() > GEOMETRY.same_normal * GEOMETRY.same_normal
        {
            // Beside the part, where its neighbour takes over.
            scratch.points.clear();
        }
        return ConvexContact { normal, direction: normal, corners: axis.corners, clearance: 0.0 };
    }
    ConvexContact { normal, direction: axis.normal, corners: axis.corners, clearance: 0.0 }
}

/// The axis of the support face along the cached direction, unless the cores overlap by more than a
/// tie: then another axis may separate them, or be less deep.
fn cached_face(cores: &CorePair, direction: Vec3, size: Real) -> Option<Axis> {
    let tie = cores.tie(size);
    cores.face_along(direction, cores.facing(direction), MANIFOLD.face_cosine, -tie, tie)
}

/// Characteristic length of a small shape (m).
fn scale(solid: &RoundedConvex) -> Real {
    solid.radius
        + match solid.core {
            Core::Point => 0.0,
            Core::Segment(a, b) => (b - a).length(),
            Core::Cuboid(half) => half.min_element(),
            Core::Triangle([a, b, c]) => (b - a).length().max((c - a).length()),
            Core::Hull(hull) => hull.points()[0].distance(hull.points()[1]),
            Core::Cylinder(half, radius) | Core::Cone(half, radius) => half.min(radius),
            Core::Custom(support, _) => {
                (support.local_support_point(Vec3::Y) - support.local_support_point(-Vec3::Y)).length()
            }
        }
}

/// Sine of the angle between a flat feature and the plane orthogonal to `normal`.
fn slant(feature: &Polygon, normal: Vec3) -> Real {
    match &feature.vertices[..] {
        [from, to] => (*to - *from).try_normalize().map_or(0.0, |along| along.dot(normal).abs()),
        _ => feature.normal.cross(normal).length(),
    }
}

impl<'a> ContactFrame<'a> {
    /// Writes the support features along a normal to the scratch, measured from the smaller one's
    /// centre. The faces may be known ([`Axis::faces`]).
    fn new(
        [a, b]: [&RoundedConvex<'a>; 2],
        b_in_a: &'a Pose,
        cores: &CorePair,
        (normal, faces): (Vec3, [Option<usize>; 2]),
        prediction: Real,
        scratch: &mut ConvexScratch,
    ) -> Self {
        a.core.feature_with_hint(normal, faces[0], &mut scratch.face_a);
        b.core.feature_with_hint(cores.back * -normal, faces[1], &mut scratch.face_b);
        let a_is_smaller = scratch.face_a.extent() < scratch.face_b.extent();
        let origin = if a_is_smaller { Vec3::ZERO } else { b_in_a.translation };
        scratch.face_a.transform(&Mat3::IDENTITY, -origin);
        scratch.face_b.transform(&cores.rotation, b_in_a.translation - origin);
        Self { a: *a, b: *b, b_in_a, rotation: cores.rotation, origin, prediction }
    }

    fn point(&self, on_a: Vec3, on_b: Vec3, normal: Vec3, feature: u32) -> LocalPoint {
        let back = self.rotation.transpose();
        LocalPoint {
            point_a: on_a + self.origin + normal * self.a.radius,
            point_b: back * (on_b + (self.origin - self.b_in_a.translation) - normal * self.b.radius),
            separation: (on_b - on_a).dot(normal) - self.a.radius - self.b.radius,
            feature,
        }
    }

    /// Clips the other shape's feature by a face that looks along the normal, if there is one.
    fn face_points(&self, normal: Vec3, forced: bool, scratch: &mut ConvexScratch) {
        let ConvexScratch { face_a, face_b, tip, clipper, points, .. } = scratch;
        let (cosine_a, cosine_b) = (face_a.normal.dot(normal), -face_b.normal.dot(normal));
        let least = if forced { PROJECTED_FACE_COSINE } else { MANIFOLD.face_cosine };
        if cosine_a.max(cosine_b) < least {
            return;
        }
        let a_leads = if (cosine_a - cosine_b).abs() < 1.0 - MANIFOLD.face_cosine {
            face_a.extent() >= face_b.extent()
        } else {
            cosine_a > cosine_b
        };
        let (reference, incident, cosine) =
            if a_leads { (&*face_a, &*face_b, cosine_a) } else { (&*face_b, &*face_a, cosine_b) };
        let plane = reference.vertices[0];
        // Signed distance along the normal from the first shape to the second.
        let gap = |place: Vec3| reference.normal.dot(place - plane) / cosine;
        let place = |on_incident: Vec3, name: u32| {
            let over = gap(on_incident);
            let (on_a, on_b) = if a_leads {
                (on_incident - normal * over, on_incident)
            } else {
                (on_incident, on_incident + normal * over)
            };
            LocalPoint { separation: over - self.a.radius - self.b.radius, ..self.point(on_a, on_b, normal, name) }
        };
        let name = |of_reference: u16, of_incident: u16| {
            if a_leads { feature::pack(of_reference, of_incident) } else { feature::pack(of_incident, of_reference) }
        };
        clipper.clip(reference, incident, normal, |p| {
            let point = place(p.on_incident, name(p.of_reference, p.of_incident));
            if point.separation <= self.prediction {
                points.push(point);
            }
        });
        let incident_radius = if a_leads { self.b.radius } else { self.a.radius };
        if incident_radius > 0.0 && slant(incident, normal) > SEPARATING_AXIS.flat_angle {
            // Only the lowest corners of an inclined rounded feature lie on its surface.
            let least = points.iter().fold(Real::INFINITY, |least, p| least.min(p.separation));
            let tie = SEPARATING_AXIS.hysteresis * incident.extent();
            points.retain(|p| p.separation <= least + tie);
        }
        // The rim may be deeper between the corners of its outline.
        let curved = if a_leads { self.b.core.is_curved() } else { self.a.core.is_curved() };
        if curved {
            tip.clear();
            tip.push(self.tip(normal, !a_leads), feature::vertex(WITNESS));
            let deepest = points.iter().fold(self.prediction, |least, p| least.min(p.separation));
            clipper.clip(reference, tip, normal, |p| {
                let point = place(p.on_incident, name(p.of_reference, p.of_incident));
                if point.separation < deepest - MANIFOLD.clip_slack {
                    points.push(point);
                }
            });
        }
        // The lowest face of a hull that has sunk in is one side of it, over which it turns: its other
        // corners hold it too.
        let incident_core = if a_leads { self.b.core } else { self.a.core };
        if let Core::Hull(hull) = incident_core {
            for (k, &corner) in hull.points().iter().enumerate() {
                let (corner, vertex) = (self.placed(corner, !a_leads), feature::vertex(k as u32));
                if gap(corner) >= 0.0 || incident.names.contains(&vertex) {
                    continue;
                }
                tip.clear();
                tip.push(corner, vertex);
                clipper.clip(reference, tip, normal, |p| {
                    points.push(place(p.on_incident, name(p.of_reference, p.of_incident)));
                });
            }
        }
    }

    /// A point of one core from the common origin.
    fn placed(&self, point: Vec3, of_a: bool) -> Vec3 {
        if of_a { point - self.origin } else { self.rotation * point + (self.b_in_a.translation - self.origin) }
    }

    /// Support point of one core towards the other along the normal, from the common origin.
    fn tip(&self, normal: Vec3, of_a: bool) -> Vec3 {
        let local = match of_a {
            true => self.a.core.local_support_point(normal),
            false => self.b.core.local_support_point(self.rotation.transpose() * -normal),
        };
        self.placed(local, of_a)
    }

    /// Two points of two edges that are nearly parallel.
    fn edge_points(&self, normal: Vec3, scratch: &mut ConvexScratch) {
        let ConvexScratch { face_a, face_b, points, .. } = scratch;
        let ([p, q], [r, s]) = (&face_a.vertices[..], &face_b.vertices[..]) else { return };
        let (along_a, along_b) = (*q - *p, *s - *r);
        let Some(ends) = segments::overlap_interval(*p, along_a, *r, along_b) else { return };
        let size =
            self.a.radius.max(self.b.radius) + SEPARATING_AXIS.hysteresis * along_a.length().min(along_b.length());
        for (k, (s, t)) in ends.into_iter().enumerate() {
            let (on_a, on_b) = (*p + along_a * s, *r + along_b * t);
            let aside = on_b - on_a - normal * (on_b - on_a).dot(normal);
            let name = feature::pack(feature::vertex(k as u32), feature::face(k as u32));
            let point = self.point(on_a, on_b, normal, name);
            if point.separation <= self.prediction && aside.length() <= size {
                points.push(point);
            }
        }
    }

    /// The closest or deepest points, if no face supports the contact or the points found are
    /// shallower.
    ///
    /// Returns the normal if these points are used.
    fn single_point(&self, cores: &CorePair, axis: &Axis, least: Real, scratch: &mut ConvexScratch) -> Option<Vec3> {
        let name = feature::pack(feature::vertex(WITNESS), feature::vertex(WITNESS));
        let radii = self.a.radius + self.b.radius;
        let mut axis = *axis;
        if axis.nearest.is_none() && axis.separation > 0.0 {
            let reach = self.prediction + radii;
            match gjk::nearest(&cores.a, &cores.b, self.b_in_a, reach, axis.start()) {
                Nearest::Found { on_a, on_b, normal, distance, corners } => {
                    axis = Axis { nearest: Some((on_a, on_b)), corners, ..Axis::new(normal, distance) };
                }
                Nearest::Apart(_) => return None,
                Nearest::Overlap => {}
            }
        }
        if !scratch.points.is_empty()
            && (axis.nearest.is_none() || least <= axis.separation - radii + MANIFOLD.clip_slack)
        {
            return None;
        }
        let (on_a, on_b) = match axis.nearest {
            // The points are those of an iteration; the separation along the normal is more
            // accurate.
            Some((on_a, on_b)) => {
                let off = axis.normal * ((axis.separation - (on_b - on_a).dot(axis.normal)) * 0.5);
                (on_a - self.origin - off, on_b - self.origin + off)
            }
            None => self.crossing(&axis, scratch),
        };
        let point = self.point(on_a, on_b, axis.normal, name);
        if point.separation > self.prediction {
            return None;
        }
        scratch.points.clear();
        scratch.points.push(point);
        Some(axis.normal)
    }

    /// Crossing of the edges of the two features after the overlap is undone.
    fn crossing(&self, axis: &Axis, scratch: &ConvexScratch) -> (Vec3, Vec3) {
        let shift = axis.normal * axis.separation;
        let (a, b) = (&scratch.face_a.vertices, &scratch.face_b.vertices);
        let mut best = (Real::INFINITY, a[0], b[0]);
        for (i, &p) in a.iter().enumerate() {
            let along_a = a[(i + 1) % a.len()] - p;
            for (j, &q) in b.iter().enumerate() {
                let along_b = b[(j + 1) % b.len()] - q;
                let (s, t) = segments::nearest(p, along_a, q - shift, along_b);
                let (on_a, on_b) = (p + along_a * s, q + along_b * t);
                let apart = (on_b - shift - on_a).length_squared();
                if apart < best.0 {
                    best = (apart, on_a, on_b);
                }
            }
        }
        (best.1, best.2)
    }
}
