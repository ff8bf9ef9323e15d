//! The part of a solid below a plane: its volume and centre.
//!
//! Balls take the closed form of a spherical cap. Polyhedra are cut exactly: the part below is a sum
//! of signed tetrahedra over the cut surface triangles, with their common tip on the plane, so that
//! the flat lid adds nothing (the divergence theorem; as in the buoyancy of Catto, *Game Programming
//! Gems 6*, 2006, but without a step that closes the cut). Capsules, cylinders and cones are prisms of
//! 24 sides, and other convex shapes polyhedra of 288 triangles between their support points, both
//! scaled to the exact volume; a part is off by about a hundredth at most.

use crate::contact::kernels::RoundedConvex;
use crate::mass;
use crate::math::consts::{FRAC_PI_2, PI, TAU};
use crate::math::parry::shape::{Shape, TypedShape};
use crate::math::{Pose, Quat, Real, Vec3, from_f64, real};

/// A plane: the part of a solid on the side that its normal points away from is below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point of the plane (m).
    pub point: Vec3,
    /// Unit normal.
    pub normal: Vec3,
}

/// The part of a solid below a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Submerged {
    /// Volume (m³).
    pub volume: Real,
    /// Centre of the volume (m, world); the origin for none.
    pub center: Vec3,
}

impl Submerged {
    /// Adds another part; overlaps count twice.
    pub fn add(&mut self, other: &Self) {
        let volume = self.volume + other.volume;
        if volume > 0.0 {
            self.center = self.center * (self.volume / volume) + other.center * (other.volume / volume);
            self.volume = volume;
        }
    }
}

/// The part of a shape at a pose below a plane. Shapes without volume, and half-spaces, have none;
/// meshes count if they are closed, and compounds are summed over their parts.
///
/// ```
/// use dolmen::control::fields::submerged::{Plane, submerged};
/// use dolmen::math::{Pose, Vec3};
/// let cube = dolmen::Collider::cuboid(0.5, 0.5, 0.5);
/// let surface = Plane { point: Vec3::Y * 0.25, normal: Vec3::Y };
/// let below = submerged(&*cube.shape().0, &Pose::IDENTITY, &surface);
/// assert!((below.volume - 0.75).abs() < 1e-6 && (below.center.y + 0.125).abs() < 1e-6);
/// ```
pub fn submerged(shape: &dyn Shape, pose: &Pose, plane: &Plane) -> Submerged {
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => cap(ball.radius, pose.translation, plane),
        TypedShape::Compound(compound) => {
            let mut whole = Submerged::default();
            for (place, part) in compound.shapes() {
                whole.add(&submerged(&**part, &(*pose * *place), plane));
            }
            whole
        }
        _ => {
            // In the shape's axes the plane is turned, and not each corner.
            let local = Plane {
                point: pose.inverse_transform_point(plane.point),
                normal: pose.rotation.inverse() * plane.normal,
            };
            let below = all_or_nothing(shape, &local).unwrap_or_else(|| {
                let mut cut = Cut::new(local);
                let exact = surface(shape, &mut |triangle| cut.add(triangle));
                cut.finish(exact)
            });
            if below.volume > 0.0 { Submerged { volume: below.volume, center: *pose * below.center } } else { below }
        }
    }
}

/// The whole of a convex shape that is below a plane, nothing of one above it, and `None` of one that
/// the plane cuts.
fn all_or_nothing(shape: &dyn Shape, plane: &Plane) -> Option<Submerged> {
    let solid = RoundedConvex::of(shape)?;
    let height = |direction: Vec3| {
        let farthest = solid.core.support(direction).0 + direction * solid.radius;
        (farthest - plane.point).dot(plane.normal)
    };
    if height(-plane.normal) >= 0.0 {
        return Some(Submerged::default());
    }
    if height(plane.normal) > 0.0 {
        return None;
    }
    let whole = mass::of_shape(shape, 1.0).ok()?;
    Some(Submerged { volume: whole.mass as Real, center: from_f64(whole.center) })
}

/// A spherical cap: `π h² (3 r - h) / 3`, its centre `3 (2 r - h)² / (4 (3 r - h))` from the ball's.
fn cap(radius: Real, center: Vec3, plane: &Plane) -> Submerged {
    let above = (center - plane.point).dot(plane.normal);
    let height = (radius - above).clamp(0.0, 2.0 * radius);
    if height == 0.0 {
        return Submerged::default();
    }
    let rest = 3.0 * radius - height;
    let off = 0.75 * (2.0 * radius - height) * (2.0 * radius - height) / rest;
    Submerged { volume: PI * height * height * rest / 3.0, center: center - plane.normal * off }
}

/// Sums over the surface triangles below a plane.
struct Cut {
    plane: Plane,
    /// Six times the volume, and 24 times its first moment about the plane's point.
    volume: Real,
    moment: Vec3,
    /// Six times the volume of the whole, about the same point.
    whole: Real,
}

impl Cut {
    fn new(plane: Plane) -> Self {
        Self { plane, volume: 0.0, moment: Vec3::ZERO, whole: 0.0 }
    }

    fn add(&mut self, triangle: [Vec3; 3]) {
        let corners = triangle.map(|corner| corner - self.plane.point);
        let heights = corners.map(|corner| corner.dot(self.plane.normal));
        self.whole += corners[0].dot(corners[1].cross(corners[2]));
        // What is left is a triangle or a quadrilateral.
        let (mut left, mut count) = ([Vec3::ZERO; 4], 0);
        for k in 0..3 {
            let next = (k + 1) % 3;
            if heights[k] <= 0.0 {
                left[count] = corners[k];
                count += 1;
            }
            if (heights[k] < 0.0 && heights[next] > 0.0) || (heights[k] > 0.0 && heights[next] < 0.0) {
                // From the lower end, so that both triangles of an edge get the same point.
                let (low, high) = if heights[k] < 0.0 { (k, next) } else { (next, k) };
                let share = heights[low] / (heights[low] - heights[high]);
                left[count] = corners[low] + (corners[high] - corners[low]) * share;
                count += 1;
            }
        }
        for k in 2..count {
            let [a, b, c] = [left[0], left[k - 1], left[k]];
            let volume = a.dot(b.cross(c));
            self.volume += volume;
            self.moment += (a + b + c) * volume;
        }
    }

    /// The result; with an exact volume of the whole (m³) that of an approximate surface is scaled.
    fn finish(self, exact: Option<Real>) -> Submerged {
        if self.volume <= 0.0 {
            return Submerged::default();
        }
        let scale = exact.map_or(1.0, |exact| exact * 6.0 / self.whole);
        let center = self.plane.point + self.moment / (4.0 * self.volume);
        Submerged { volume: self.volume / 6.0 * scale, center }
    }
}

/// Calls `visit` with each triangle of a closed surface, counter-clockwise seen from outside. Returns
/// the exact volume (m³) where the surface is approximate.
fn surface(shape: &dyn Shape, visit: &mut dyn FnMut([Vec3; 3])) -> Option<Real> {
    match shape.as_typed_shape() {
        TypedShape::Cuboid(cuboid) => {
            let corners = mass::box_corners(cuboid).map(from_f64);
            mass::BOX_TRIANGLES.iter().for_each(|triangle| visit(triangle.map(|corner| corners[corner as usize])));
        }
        TypedShape::ConvexPolyhedron(hull) => {
            let corners = hull.vertices_adj_to_face();
            for face in hull.faces() {
                let first = face.first_vertex_or_edge as usize;
                let ring = &corners[first..first + face.num_vertices_or_edges as usize];
                let at = |k: usize| hull.points()[ring[k] as usize];
                (2..ring.len()).for_each(|k| visit([at(0), at(k - 1), at(k)]));
            }
        }
        TypedShape::Cylinder(s) => {
            let (h, r) = (s.half_height, s.radius);
            lathe(&[(0.0, -h), (r, -h), (r, h), (0.0, h)], visit);
        }
        TypedShape::Cone(s) => lathe(&[(0.0, -s.half_height), (s.radius, -s.half_height), (0.0, s.half_height)], visit),
        TypedShape::Capsule(s) => {
            let (middle, axis) = (0.5 * (s.segment.a + s.segment.b), s.segment.b - s.segment.a);
            let turn = Quat::from_rotation_arc(Vec3::Y, axis.try_normalize().unwrap_or(Vec3::Y));
            let half = 0.5 * axis.length();
            let arc = |k: usize| {
                let angle = FRAC_PI_2 * (k as Real / ARC as Real);
                (s.radius * real::cos(angle), half + s.radius * real::sin(angle))
            };
            let mut profile = [(0.0, 0.0); 2 * ARC + 2];
            for k in 0..=ARC {
                let (r, y) = if k == ARC { (0.0, half + s.radius) } else { arc(k) };
                (profile[ARC - k], profile[ARC + 1 + k]) = ((r, -y), (r, y));
            }
            lathe(&profile, &mut |triangle| visit(triangle.map(|point| middle + turn * point)));
            return mass::of_shape(shape, 1.0).ok().map(|whole| whole.mass as Real);
        }
        TypedShape::TriMesh(mesh) if mass::of_shape(shape, 1.0).is_ok() => {
            mesh.triangles().for_each(|t| visit([t.a, t.b, t.c]));
        }
        _ => {
            let exact = mass::of_shape(shape, 1.0).ok()?.mass as Real;
            let solid = RoundedConvex::of(shape)?;
            for nudge in [NUDGE, -NUDGE] {
                let support = |direction: Vec3| {
                    let direction = (direction + nudge).normalize();
                    solid.core.support(direction).0 + direction * solid.radius
                };
                supported_surface(&support, visit);
            }
            return Some(exact);
        }
    }
    None
}

/// Sides of the prism that stands for a solid of revolution, and pieces of a quarter of its profile.
const SIDES: usize = 24;
const ARC: usize = 4;

/// The prism about y through a profile of radii and heights, from below to above; its sides lie out so
/// far that each slice has the area of the circle.
fn lathe(profile: &[(Real, Real)], visit: &mut dyn FnMut([Vec3; 3])) {
    let angle = TAU / SIDES as Real;
    let wide = (angle / real::sin(angle)).sqrt();
    let at =
        |(radius, y): (Real, Real), (sin, cos): (Real, Real)| Vec3::new(radius * wide * cos, y, radius * wide * sin);
    let direction = |side: usize| (real::sin(angle * side as Real), real::cos(angle * side as Real));
    let mut from = direction(0);
    for side in 1..=SIDES {
        // The last side ends where the first begins, to the bit.
        let to = direction(side % SIDES);
        for band in profile.windows(2) {
            let [a, b, c, d] = [at(band[0], from), at(band[1], from), at(band[0], to), at(band[1], to)];
            visit([a, b, c]);
            visit([c, b, d]);
        }
        from = to;
    }
}

/// Pieces along an edge of the octahedron whose directions a support map is asked for.
const PIECES: usize = 6;

/// Change of the directions, so that none of them has two support points. It is taken both ways, and
/// the sum of both polyhedra is symmetric where the shape is.
const NUDGE: Vec3 = Vec3::new(1e-4, 1.3e-4, 1.7e-4);

/// The polyhedron between the support points of a divided octahedron's directions.
fn supported_surface(support: &dyn Fn(Vec3) -> Vec3, visit: &mut dyn FnMut([Vec3; 3])) {
    const ROW: usize = PIECES + 1;
    for octant in 0..8 {
        let sign = |bit: i32| if octant >> bit & 1 == 1 { -1.0 } else { 1.0 };
        let signs = Vec3::new(sign(0), sign(1), sign(2));
        let mut points = [[Vec3::ZERO; ROW]; ROW];
        for (i, row) in points.iter_mut().enumerate() {
            for (k, point) in row[..ROW - i].iter_mut().enumerate() {
                let direction = Vec3::new(i as Real, k as Real, (PIECES - i - k) as Real) * signs;
                *point = support(direction.normalize());
            }
        }
        let inward = signs.x * signs.y * signs.z < 0.0;
        let mut add = |[a, b, c]: [Vec3; 3]| visit(if inward { [a, c, b] } else { [a, b, c] });
        for i in 0..PIECES {
            for k in 0..PIECES - i {
                add([points[i][k], points[i + 1][k], points[i][k + 1]]);
                if i + k + 1 < PIECES {
                    add([points[i + 1][k], points[i + 1][k + 1], points[i][k + 1]]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::Collider;

    fn below(collider: &Collider, pose: &Pose, height: Real) -> Submerged {
        submerged(&*collider.shape().0, pose, &Plane { point: Vec3::Y * height, normal: Vec3::Y })
    }

    fn shapes() -> Vec<Collider> {
        let corners: Vec<Vec3> =
            (0..8).map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real) - 0.5).collect();
        let part = (Vec3::X, Quat::IDENTITY, Collider::ball(0.3));
        vec![
            Collider::ball(0.5),
            Collider::cuboid(0.5, 0.3, 0.4),
            Collider::convex_hull(&corners).unwrap(),
            Collider::capsule(0.4, 0.3),
            Collider::cylinder(0.4, 0.3),
            Collider::cone(0.4, 0.3),
            Collider::round_cuboid(0.3, 0.2, 0.2, 0.1),
            Collider::compound(vec![part, (Vec3::ZERO, Quat::IDENTITY, Collider::cuboid(0.2, 0.2, 0.2))]).unwrap(),
        ]
    }

    #[test]
    fn what_is_wholly_below_is_the_whole_and_what_is_above_is_nothing() {
        let pose = Pose::from_parts(Vec3::new(1.0, -3.0, 2.0), Quat::from_rotation_x(0.7));
        for shape in shapes() {
            let whole = mass::of_shape(&*shape.shape().0, 1.0).unwrap();
            let got = below(&shape, &pose, 0.0);
            assert!((f64::from(got.volume) / whole.mass - 1.0).abs() < 1e-4, "{shape:?}: {}", got.volume);
            let center = pose * crate::math::from_f64(whole.center);
            assert!((got.center - center).length() < 3e-3, "{shape:?}: {} and {center}", got.center);
            assert_eq!(below(&shape, &pose, -6.0), Submerged::default(), "{shape:?}");
        }
    }

    #[test]
    fn both_sides_of_a_plane_make_the_whole() {
        for (k, shape) in shapes().into_iter().enumerate() {
            let whole = mass::of_shape(&*shape.shape().0, 1.0).unwrap().mass as Real;
            for step in -4..=4 {
                let pose =
                    Pose::from_parts(Vec3::ZERO, Quat::from_rotation_z(0.3 * k as Real) * Quat::from_rotation_x(1.0));
                let height = 0.15 * step as Real;
                let up = below(&shape, &pose, height);
                let plane = Plane { point: Vec3::Y * height, normal: Vec3::NEG_Y };
                let down = submerged(&*shape.shape().0, &pose, &plane);
                assert!(((up.volume + down.volume) / whole - 1.0).abs() < 1e-3, "{shape:?} at {height}");
                assert!(up.volume == 0.0 || up.center.y <= height + 1e-5);
            }
        }
    }

    #[test]
    fn a_tilted_cube_cut_through_its_middle_is_half_and_a_corner_is_a_sixth_of_its_edges_product() {
        let cube = Collider::cuboid(0.5, 0.5, 0.5);
        // On its corner: the diagonal upright.
        let upright = Quat::from_rotation_arc(Vec3::ONE.normalize(), Vec3::Y);
        let pose = Pose::from_parts(Vec3::ZERO, upright);
        assert!((below(&cube, &pose, 0.0).volume - 0.5).abs() < 1e-6);
        // Up to a height h over the lowest corner, a tetrahedron with edges of h √3.
        let lowest = -(0.75 as Real).sqrt();
        for h in [0.1, 0.3, 0.5] {
            let edge = h * (3.0 as Real).sqrt();
            let got = below(&cube, &pose, lowest + h);
            assert!((got.volume / (edge * edge * edge / 6.0) - 1.0).abs() < 1e-4, "{h}: {}", got.volume);
            assert!((got.center.y - (lowest + 0.75 * h)).abs() < 1e-5, "{h}: {}", got.center);
        }
    }

    #[test]
    fn a_lying_cylinder_has_the_segment_of_a_circle() {
        let (half, radius) = (1.0, 0.5);
        let pose = Pose::from_parts(Vec3::ZERO, Quat::from_rotation_x(crate::math::consts::FRAC_PI_2));
        for height in [-0.25, 0.0, 0.25] {
            let angle = 2.0 * crate::math::real::atan2((radius * radius - height * height as Real).sqrt(), -height);
            let area = 0.5 * radius * radius * (angle - crate::math::real::sin(angle));
            let got = below(&Collider::cylinder(half, radius), &pose, height);
            assert!(
                (got.volume / (2.0 * half * area) - 1.0).abs() < 0.01,
                "{height}: {} {}",
                got.volume,
                2.0 * half * area
            );
        }
    }
}
