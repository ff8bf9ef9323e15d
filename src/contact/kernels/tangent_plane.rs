//! A small shape on a round one of a far larger radius: contact with the tangent plane.
//!
//! The closest point of a face on a large ball crosses the whole face within a step as the body
//! rocks by a hair. A contact at that point alone drops the other side, and a body sinks in from
//! side to side. Where the normals of the round surface hardly differ below a shape, the surface is
//! its tangent plane under the shape's middle, and all vertices near the plane are contacts. The
//! plane does not turn as the shape rocks, so that the separations change as the points move.

use super::geometry::Geometry;
use super::half_space::half_space_convex;
use super::local_manifold::{LocalManifold, LocalPoint};
use super::reduce::reduce_vertices;
use super::rounded_convex::{Core, RoundedConvex};
use crate::math::{DVec3, Pose, Quat, Real, Vec3, from_f64, quat_to_f64, real, to_f64};
use crate::tolerances::SEPARATING_AXIS;

/// Projections of the middle of a bar's section to the axis and back. More: only cost. Fewer: the
/// section of a bar that lies askew on a cylinder lags.
const PROJECTIONS: u32 = 3;

/// Surface at a radius about a segment (m).
struct Round {
    start: Vec3,
    end: Vec3,
    radius: Real,
    /// Half length of a cylinder, whose side ends there (m); infinite for others.
    half: Real,
}

impl Round {
    fn of(shape: &Geometry) -> Option<Self> {
        let half = Real::INFINITY;
        match shape {
            Geometry::Ball { radius } => Some(Self { start: Vec3::ZERO, end: Vec3::ZERO, radius: *radius, half }),
            Geometry::Capsule { a, b, radius } => Some(Self { start: *a, end: *b, radius: *radius, half }),
            Geometry::Convex(shape) => match RoundedConvex::of(&**shape)? {
                RoundedConvex { core: Core::Cylinder(half, side), radius } => {
                    Some(Self { start: Vec3::Y * -half, end: Vec3::Y * half, radius: side + radius, half })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The point of the segment closest to another.
    fn on_axis(&self, point: DVec3) -> DVec3 {
        let (start, along) = (to_f64(self.start), to_f64(self.end - self.start));
        let squared = along.length_squared();
        let share = if squared > 0.0 { ((point - start).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 };
        start + along * share
    }

    /// Largest distance from the middle of a shape for which the tangent plane replaces the surface
    /// (m).
    fn reach(&self) -> Real {
        0.5 * SEPARATING_AXIS.flat_angle * self.radius
    }
}

/// Part of a shape that the tangent plane meets: the whole, or the section of a bar closest to the
/// round surface.
struct Section<'a> {
    solid: RoundedConvex<'a>,
    /// Half extents of the box, along the bar, in which the section's middle moves (m).
    play: Vec3,
    /// Largest distance of its points from its middle (m).
    size: Real,
}

impl<'a> Section<'a> {
    fn of(shape: &'a Geometry, reach: Real) -> Option<Self> {
        let solid = shape.as_convex()?;
        match solid.core {
            Core::Point | Core::Triangle(_) => return None,
            // Most hulls are too large by their first corner.
            Core::Hull(hull) if hull.points()[0].length() > reach => return None,
            Core::Cuboid(half) if half.length() + solid.radius > reach => {
                let (long, thin) = (half.max_position(), half.min_element());
                let mut section = half;
                section[long] = thin;
                let size = section.length() + solid.radius;
                let solid = RoundedConvex { core: Core::Cuboid(section), ..solid };
                return (size <= reach).then_some(Self { solid, play: half - section, size });
            }
            Core::Cylinder(half, side) if real::hypot(half, side) + solid.radius > reach && half > side => {
                let (core, size) = (Core::Cylinder(side, side), real::hypot(side, side) + solid.radius);
                let solid = RoundedConvex { core, ..solid };
                return (size <= reach).then_some(Self { solid, play: Vec3::Y * (half - side), size });
            }
            _ => {}
        }
        let size = solid.core.radius_about(Vec3::ZERO)? + solid.radius;
        (size <= reach).then_some(Self { solid, play: Vec3::ZERO, size })
    }
}

/// True if one shape is round and the other meets its tangent plane, but for the ends of a cylinder.
pub(crate) fn meets_tangent_plane(a: &Geometry, b: &Geometry) -> bool {
    let fits = |a: &Geometry, b: &Geometry| Round::of(a).is_some_and(|round| Section::of(b, round.reach()).is_some());
    fits(a, b) || fits(b, a)
}

/// The contact of a round shape with one far smaller than its radius, of which one is the first;
/// `None` for other shapes.
pub(super) fn tangent_plane(
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    points: &mut Vec<LocalPoint>,
) -> Option<LocalManifold> {
    let found = contact(a, b, || (to_f64(b_in_a.translation), b_in_a.rotation), prediction, points);
    found.or_else(|| {
        // A rounded inverse would change the large distance.
        let a_in_b = || {
            let back = quat_to_f64(b_in_a.rotation).inverse();
            (back * -to_f64(b_in_a.translation), b_in_a.rotation.inverse())
        };
        let found = contact(b, a, a_in_b, prediction, points)?;
        Some(LocalManifold { clearance: found.clearance, ..found.mirrored(b_in_a) })
    })
}

/// The contact in the round shape's frame. The small one's pose there is asked for if they fit.
fn contact(
    round: &Geometry,
    small: &Geometry,
    small_in_round: impl FnOnce() -> (DVec3, Quat),
    prediction: Real,
    points: &mut Vec<LocalPoint>,
) -> Option<LocalManifold> {
    let round = Round::of(round)?;
    let section = Section::of(small, round.reach())?;
    let (at, rotation) = small_in_round();
    // The section of a bar that is closest to the axis, by projections from one to the other.
    let (mut middle, mut offset) = (at, Vec3::ZERO);
    for _ in 0..if section.play == Vec3::ZERO { 0 } else { PROJECTIONS } {
        let towards = rotation.inverse() * from_f64(round.on_axis(middle) - at);
        offset = towards.clamp(-section.play, section.play);
        middle = at + to_f64(rotation * offset);
    }
    if middle.y.abs() as Real + section.size > round.half {
        return None;
    }
    let axis = round.on_axis(middle);
    let (distance, radius) = ((middle - axis).length(), f64::from(round.radius));
    if distance < 0.5 * radius {
        return None;
    }
    // Heights over the plane come from the difference of two large distances.
    let up = (middle - axis) / distance;
    let normal = from_f64(up).normalize();
    let over = Pose::from_parts(normal * (distance - radius) as Real, rotation);
    points.clear();
    half_space_convex(normal, &section.solid, &over, prediction, points);
    let foot = from_f64(axis + up * radius);
    for p in points.iter_mut() {
        p.point_a += foot;
        p.point_b += offset;
    }
    let mut out = LocalManifold::with_normal(normal);
    reduce_vertices(points, &mut out);
    if out.count == 0 {
        out.clearance = ((distance - radius) as Real - section.size - section.play.length()).max(prediction);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::consts::FRAC_PI_2;
    use crate::math::parry::shape::SharedShape;

    fn contact(round: &Geometry, small: &Geometry, pose: &Pose) -> Option<LocalManifold> {
        let found = tangent_plane(round, small, pose, 0.02, &mut Vec::new());
        let exchanged = tangent_plane(small, round, &pose.inverse(), 0.02, &mut Vec::new());
        assert_eq!(found.map(|m| m.count), exchanged.map(|m| m.count));
        found
    }

    #[test]
    fn what_lies_flat_on_a_large_radius_touches_with_its_corners() {
        let slab = Geometry::Cuboid { half: Vec3::new(0.6, 0.1, 0.6) };
        let lying = Quat::from_rotation_z(FRAC_PI_2);
        let rounds = [
            Geometry::Ball { radius: 200.0 },
            Geometry::Capsule { a: Vec3::X * -9.0, b: Vec3::X * 9.0, radius: 200.0 },
            Geometry::from(&SharedShape::cylinder(50.0, 200.0)),
        ];
        for (round, turn) in rounds.iter().zip([Quat::IDENTITY, Quat::IDENTITY, lying]) {
            let pose = Pose::from_parts(turn.inverse() * (Vec3::Y * 200.1), turn.inverse());
            let found = contact(round, &slab, &pose).unwrap();
            assert_eq!(found.count, 4);
            assert!(found.points().iter().all(|p| p.separation.abs() < 1e-4), "{found:?}");
            assert!((turn * found.normal - Vec3::Y).length() < 1e-6);
        }
    }

    #[test]
    fn a_rocking_bar_touches_across_its_width_where_it_is_lowest() {
        let bar = Geometry::Cuboid { half: Vec3::new(2.0, 0.05, 0.15) };
        let tilt = Quat::from_rotation_z(0.04);
        let found = contact(&Geometry::Ball { radius: 20.0 }, &bar, &Pose::from_parts(Vec3::Y * 20.05, tilt)).unwrap();
        let x = found.points().iter().map(|p| p.point_b.x).sum::<Real>() / found.count as Real;
        assert!((x + 0.04 * 20.05).abs() < 0.01, "{found:?}");
        let width = found.points().iter().fold(0.0, |most: Real, p| most.max(p.point_b.z.abs()));
        assert!((width - 0.15).abs() < 1e-6);
    }

    #[test]
    fn shapes_of_like_size_and_the_ends_of_a_cylinder_have_no_tangent_plane() {
        let block = Geometry::Cuboid { half: Vec3::splat(0.5) };
        let none = |round: &Geometry, at: Vec3| contact(round, &block, &Pose::from_translation(at)).is_none();
        assert!(none(&Geometry::Ball { radius: 5.0 }, Vec3::Y * 5.5));
        let drum = Geometry::from(&SharedShape::cylinder(10.0, 200.0));
        assert!(none(&drum, Vec3::new(200.5, 9.5, 0.0)) && !none(&drum, Vec3::new(200.5, 5.0, 0.0)));
        let ground = Geometry::Cuboid { half: Vec3::new(50.0, 1.0, 50.0) };
        assert!(
            contact(&Geometry::Ball { radius: 200.0 }, &ground, &Pose::from_translation(Vec3::Y * 201.0)).is_none()
        );
    }
}
