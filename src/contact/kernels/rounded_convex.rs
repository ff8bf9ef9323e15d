//! Rounded convex shapes: a convex core and a radius.

use super::feature;
use super::polygon::{Polygon, newell};
use crate::math::consts::FRAC_1_SQRT_2;
use crate::math::parry::query::details::NormalConstraints;
use crate::math::parry::shape::{
    ConvexPolyhedron, PolygonalFeature, PolygonalFeatureMap, Shape, SupportMap, TypedShape,
};
use crate::math::{Real, Vec3, real};

/// Rounded convex shape: all points within `radius` of its core.
#[derive(Clone, Copy)]
pub(crate) struct RoundedConvex<'a> {
    pub core: Core<'a>,
    /// Metres.
    pub radius: Real,
}

/// Convex core, without a rounded border.
#[derive(Clone, Copy)]
pub(crate) enum Core<'a> {
    /// The origin.
    Point,
    Segment(Vec3, Vec3),
    /// Half extents (m).
    Cuboid(Vec3),
    Triangle([Vec3; 3]),
    Hull(&'a ConvexPolyhedron),
    /// Half height along y and radius (m).
    Cylinder(Real, Real),
    /// Half height along y and radius of the base, which is at negative y (m).
    Cone(Real, Real),
    /// User-defined shape.
    Custom(&'a dyn SupportMap, Option<&'a dyn PolygonalFeatureMap>),
}

/// Support face: the flat face of a core whose normal is closest to a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SupportFace {
    /// Cosine of the angle between its normal and the direction.
    pub cosine: Real,
    /// Outward unit normal.
    pub normal: Vec3,
    /// A point on it (m).
    pub point: Vec3,
    /// Index of the face, where finding it takes a search.
    pub number: Option<usize>,
}

/// Range of normals allowed on a part of a composite.
pub(crate) type Constraints<'a> = Option<&'a dyn NormalConstraints>;

/// Unit circle in twelve steps: outline of a cap.
const RIM: [(Real, Real); 12] = {
    const H: Real = 0.5;
    #[allow(clippy::excessive_precision, reason = "the digits are for f64")]
    const R: Real = 0.866_025_403_784_438_6;
    [
        (1.0, 0.0),
        (R, H),
        (H, R),
        (0.0, 1.0),
        (-H, R),
        (-R, H),
        (-1.0, 0.0),
        (-R, -H),
        (-H, -R),
        (0.0, -1.0),
        (H, -R),
        (R, -H),
    ]
};

impl<'a> RoundedConvex<'a> {
    /// A point at the origin.
    pub const POINT: Self = Self { core: Core::Point, radius: 0.0 };

    /// The rounded convex view of a parry shape, or `None` if it is not convex or gives no support
    /// map.
    pub fn of(shape: &'a dyn Shape) -> Option<Self> {
        let sharp = |core| Some(Self { core, radius: 0.0 });
        let round = |core, radius| Some(Self { core, radius });
        match shape.as_typed_shape() {
            TypedShape::Ball(s) => round(Core::Point, s.radius),
            TypedShape::Cuboid(s) => sharp(Core::Cuboid(s.half_extents)),
            TypedShape::Capsule(s) => round(Core::Segment(s.segment.a, s.segment.b), s.radius),
            TypedShape::Segment(s) => sharp(Core::Segment(s.a, s.b)),
            TypedShape::Triangle(s) => sharp(Core::Triangle([s.a, s.b, s.c])),
            TypedShape::ConvexPolyhedron(s) => sharp(Core::Hull(s)),
            TypedShape::Cylinder(s) => sharp(Core::Cylinder(s.half_height, s.radius)),
            TypedShape::Cone(s) => sharp(Core::Cone(s.half_height, s.radius)),
            TypedShape::RoundCuboid(s) => round(Core::Cuboid(s.inner_shape.half_extents), s.border_radius),
            TypedShape::RoundTriangle(s) => {
                round(Core::Triangle([s.inner_shape.a, s.inner_shape.b, s.inner_shape.c]), s.border_radius)
            }
            TypedShape::RoundCylinder(s) => {
                round(Core::Cylinder(s.inner_shape.half_height, s.inner_shape.radius), s.border_radius)
            }
            TypedShape::RoundCone(s) => {
                round(Core::Cone(s.inner_shape.half_height, s.inner_shape.radius), s.border_radius)
            }
            TypedShape::RoundConvexPolyhedron(s) => round(Core::Hull(&s.inner_shape), s.border_radius),
            TypedShape::Custom(s) => {
                if let Some((features, radius)) = s.as_polygonal_feature_map() {
                    round(Core::Custom(features, Some(features)), radius)
                } else {
                    s.as_support_map().and_then(|support| sharp(Core::Custom(support, None)))
                }
            }
            _ => None,
        }
    }
}

impl SupportMap for Core<'_> {
    fn local_support_point(&self, dir: Vec3) -> Vec3 {
        self.support(dir).0
    }
}

/// The point furthest along `dir`, and its index.
#[inline]
fn support_vertex(points: &[Vec3], dir: Vec3) -> (Vec3, u8) {
    let (mut most, mut which) = (Real::NEG_INFINITY, 0);
    for (k, point) in points.iter().enumerate() {
        let height = point.dot(dir);
        if height > most {
            (most, which) = (height, k);
        }
    }
    (points[which], which as u8)
}

/// Largest distance of points from another (m).
pub(crate) fn max_distance(points: impl IntoIterator<Item = Vec3>, from: Vec3) -> Real {
    points.into_iter().fold(0.0, |most: Real, p| most.max(p.distance_squared(from))).sqrt()
}

/// Support point of a rim about the y axis.
fn rim_toward(dir: Vec3, radius: Real, y: Real) -> Vec3 {
    let flat = Vec3::new(dir.x, 0.0, dir.z).try_normalize().unwrap_or(Vec3::X);
    flat * radius + Vec3::Y * y
}

impl Core<'_> {
    /// Support point along `dir`, and the number of its corner where corners are numbered
    /// ([`Self::has_corner_numbers`]).
    #[inline]
    pub fn support(&self, dir: Vec3) -> (Vec3, u8) {
        match self {
            Self::Point => (Vec3::ZERO, 0),
            Self::Segment(a, b) => {
                if a.dot(dir) >= b.dot(dir) {
                    (*a, 0)
                } else {
                    (*b, 1)
                }
            }
            Self::Cuboid(half) => (half.copysign(dir), dir.is_negative_bitmask() as u8),
            Self::Triangle([a, b, c]) => {
                let (x, y, z) = (a.dot(dir), b.dot(dir), c.dot(dir));
                if x >= y && x >= z {
                    (*a, 0)
                } else if y >= z {
                    (*b, 1)
                } else {
                    (*c, 2)
                }
            }
            Self::Hull(hull) => support_vertex(hull.points(), dir),
            Self::Cylinder(half, radius) => (rim_toward(dir, *radius, Real::copysign(*half, dir.y)), 0),
            Self::Cone(half, radius) => {
                let base = rim_toward(dir, *radius, -half);
                let apex = Vec3::Y * *half;
                (if apex.dot(dir) > base.dot(dir) { apex } else { base }, 0)
            }
            Self::Custom(support, _) => (support.local_support_point(dir), 0),
        }
    }

    /// True if every support point is one of at most 256 corners.
    pub fn has_corner_numbers(&self) -> bool {
        match self {
            Self::Point | Self::Segment(..) | Self::Cuboid(_) | Self::Triangle(_) => true,
            Self::Hull(hull) => hull.points().len() <= 256,
            Self::Cylinder(..) | Self::Cone(..) | Self::Custom(..) => false,
        }
    }

    /// Corner of a number, if it exists.
    pub fn corner(&self, number: u8) -> Option<Vec3> {
        match self {
            Self::Point => Some(Vec3::ZERO),
            Self::Segment(a, b) => [*a, *b].get(usize::from(number)).copied(),
            Self::Cuboid(half) => {
                let sign = |bit: u8| if number & bit == 0 { 1.0 } else { -1.0 };
                Some(*half * Vec3::new(sign(1), sign(2), sign(4)))
            }
            Self::Triangle(vertices) => vertices.get(usize::from(number)).copied(),
            Self::Hull(hull) => hull.points().get(usize::from(number)).copied(),
            Self::Cylinder(..) | Self::Cone(..) | Self::Custom(..) => None,
        }
    }

    /// Largest distance of the core's points from `point`, in its own frame (m), if it can be
    /// computed.
    pub fn radius_about(&self, point: Vec3) -> Option<Real> {
        let rim = |y: Real, radius: Real| real::hypot(Vec3::new(point.x, 0.0, point.z).length() + radius, point.y - y);
        Some(match self {
            Self::Point => point.length(),
            Self::Segment(a, b) => max_distance([*a, *b], point),
            Self::Cuboid(half) => (point.abs() + *half).length(),
            Self::Triangle(vertices) => max_distance(*vertices, point),
            Self::Hull(hull) => max_distance(hull.points().iter().copied(), point),
            Self::Cylinder(half, radius) => rim(-half, *radius).max(rim(*half, *radius)),
            Self::Cone(half, radius) => rim(-half, *radius).max(point.distance(Vec3::Y * *half)),
            Self::Custom(..) => return None,
        })
    }

    /// Distance from the centroid of a hull's corners to its closest face (m). Infinite for other
    /// cores, whose dimensions tell their thickness.
    pub fn thickness(&self) -> Real {
        let Self::Hull(hull) = self else { return Real::INFINITY };
        let middle = hull.points().iter().sum::<Vec3>() / hull.points().len() as Real;
        let mut least = Real::INFINITY;
        self.faces(|normal, point| least = least.min((point - middle).dot(normal)));
        least
    }

    /// True if the shape has a rim, whose outline [`Core::feature`] approximates.
    pub fn is_curved(&self) -> bool {
        matches!(self, Self::Cylinder(..) | Self::Cone(..) | Self::Custom(..))
    }

    /// Calls `f` with the outward unit normal of each flat face and with a point on it.
    pub fn faces(&self, mut f: impl FnMut(Vec3, Vec3)) {
        match self {
            Self::Point | Self::Segment(..) | Self::Custom(..) => {}
            Self::Cuboid(half) => {
                for axis in Vec3::AXES {
                    f(axis, *half);
                    f(-axis, -*half);
                }
            }
            Self::Triangle(vertices) => {
                let normal = newell(vertices);
                if normal != Vec3::ZERO {
                    f(normal, vertices[0]);
                    f(-normal, vertices[0]);
                }
            }
            Self::Hull(hull) => {
                for face in hull.faces() {
                    let vertex = hull.vertices_adj_to_face()[face.first_vertex_or_edge as usize];
                    f(face.normal, hull.points()[vertex as usize]);
                }
            }
            Self::Cylinder(half, _) => {
                f(Vec3::Y, Vec3::Y * *half);
                f(-Vec3::Y, Vec3::Y * -half);
            }
            Self::Cone(half, _) => f(-Vec3::Y, Vec3::Y * -half),
        }
    }

    /// Support face along the unit vector `dir`.
    pub fn support_face(&self, dir: Vec3) -> Option<SupportFace> {
        match self {
            Self::Cuboid(half) => {
                let axis = dir.abs().max_position();
                let mut normal = Vec3::ZERO;
                normal[axis] = Real::signum(dir[axis]);
                Some(SupportFace { cosine: dir[axis].abs(), normal, point: *half * normal, number: None })
            }
            Self::Hull(hull) => {
                let (number, cosine) = hull_face_toward(hull, dir)?;
                let face = &hull.faces()[number];
                let vertex = hull.vertices_adj_to_face()[face.first_vertex_or_edge as usize];
                Some(SupportFace {
                    cosine,
                    normal: face.normal,
                    point: hull.points()[vertex as usize],
                    number: Some(number),
                })
            }
            _ => {
                let mut best: Option<SupportFace> = None;
                self.faces(|normal, point| {
                    let cosine = normal.dot(dir);
                    if best.is_none_or(|face| cosine > face.cosine) {
                        best = Some(SupportFace { cosine, normal, point, number: None });
                    }
                });
                best
            }
        }
    }

    /// Edge directions of shapes that have at most three.
    pub fn edges(&self) -> Option<[Vec3; 3]> {
        match self {
            Self::Cuboid(_) => Some(Vec3::AXES),
            Self::Triangle([a, b, c]) => Some([*b - *a, *c - *b, *a - *c]),
            _ => None,
        }
    }

    /// Writes the support feature (face, edge or corner) along the unit vector `dir` to `out`.
    pub fn feature(&self, dir: Vec3, out: &mut Polygon) {
        self.feature_with_hint(dir, None, out);
    }

    /// [`Self::feature`] with the index of the face, if known ([`SupportFace::number`]).
    pub fn feature_with_hint(&self, dir: Vec3, number: Option<usize>, out: &mut Polygon) {
        out.clear();
        match self {
            Self::Point => out.push(Vec3::ZERO, feature::vertex(0)),
            Self::Segment(a, b) => {
                out.push(*a, feature::vertex(0));
                out.push(*b, feature::vertex(1));
                out.name = feature::face(0);
            }
            Self::Cuboid(half) => cuboid_face(*half, dir, out),
            Self::Triangle(vertices) => {
                let normal = newell(vertices);
                for (k, &vertex) in vertices.iter().enumerate() {
                    out.push(vertex, feature::vertex(k as u32));
                }
                out.normal = if normal.dot(dir) < 0.0 { -normal } else { normal };
                out.name = feature::face(0);
            }
            Self::Hull(hull) => {
                if let Some(number) = number.or_else(|| hull_face_toward(hull, dir).map(|(number, _)| number)) {
                    hull_face(hull, number, out);
                }
            }
            Self::Cylinder(half, radius) => {
                if dir.y.abs() > FRAC_1_SQRT_2 {
                    cap(*radius, *half, Real::signum(dir.y), out);
                } else {
                    out.push(rim_toward(dir, *radius, -half), feature::vertex(0));
                    out.push(rim_toward(dir, *radius, *half), feature::vertex(16));
                    out.name = feature::face(2);
                }
            }
            Self::Cone(half, radius) => {
                if dir.y < -FRAC_1_SQRT_2 {
                    cap(*radius, *half, -1.0, out);
                } else {
                    out.push(rim_toward(dir, *radius, -half), feature::vertex(0));
                    out.push(Vec3::Y * *half, feature::vertex(16));
                    out.name = feature::face(2);
                }
            }
            Self::Custom(support, features) => custom_feature(*support, *features, dir, out),
        }
    }
}

fn cuboid_face(half: Vec3, dir: Vec3, out: &mut Polygon) {
    let axis = dir.abs().max_position();
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let sign = Real::signum(dir[axis]);
    out.normal[axis] = sign;
    out.name = feature::face(2 * axis as u32 + u32::from(sign > 0.0));
    for (su, sv) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
        let mut signs = Vec3::ZERO;
        signs[axis] = sign;
        signs[u] = su;
        signs[v] = sv;
        let bits = (0..3).fold(0, |bits, k| bits | u32::from(signs[k] > 0.0) << k);
        out.push(signs * half, feature::vertex(bits));
    }
}

/// Index of the support face along `dir`, and its cosine.
fn hull_face_toward(hull: &ConvexPolyhedron, dir: Vec3) -> Option<(usize, Real)> {
    let looks = hull.faces().iter().map(|face| face.normal.dot(dir));
    looks.enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best })
}

fn hull_face(hull: &ConvexPolyhedron, index: usize, out: &mut Polygon) {
    let face = &hull.faces()[index];
    let first = face.first_vertex_or_edge as usize;
    out.normal = face.normal;
    out.name = feature::face(index as u32);
    for &vertex in &hull.vertices_adj_to_face()[first..first + face.num_vertices_or_edges as usize] {
        out.push(hull.points()[vertex as usize], feature::vertex(vertex));
    }
}

fn cap(radius: Real, half: Real, sign: Real, out: &mut Polygon) {
    out.normal = Vec3::Y * sign;
    out.name = feature::face(u32::from(sign > 0.0));
    let base = if sign > 0.0 { 16 } else { 0 };
    for (k, (x, z)) in RIM.into_iter().enumerate() {
        out.push(Vec3::new(x * radius, half * sign, z * radius), feature::vertex(base + k as u32));
    }
}

fn custom_feature(support: &dyn SupportMap, features: Option<&dyn PolygonalFeatureMap>, dir: Vec3, out: &mut Polygon) {
    let Some(features) = features else {
        out.push(support.local_support_point(dir), feature::vertex(0));
        return;
    };
    let mut found = PolygonalFeature::default();
    features.local_support_feature(dir, &mut found);
    for k in 0..found.num_vertices {
        out.push(found.vertices[k], feature::vertex(found.vids[k].0));
    }
    out.name = feature::face(found.fid.0);
    let normal = newell(&out.vertices);
    out.normal = if normal.dot(dir) < 0.0 { -normal } else { normal };
}
