//! Shapes as time-of-impact searches see them: convex ones, half-spaces, and composites.

use super::convex_distance::{Distance, convex_distance, half_space_distance};
use super::geometry::Geometry;
use super::rounded_convex::{Core, RoundedConvex};
use crate::math::parry::shape::{Shape, SupportMap};
use crate::math::{Pose, Real, Vec3};

/// Shape of a time-of-impact query.
#[derive(Clone, Copy)]
pub(crate) enum QueryShape<'a> {
    Solid(RoundedConvex<'a>),
    /// Half-space below the plane through the origin with this outward unit normal.
    HalfSpace(Vec3),
    /// Composite: its parts are queried one by one.
    Parts(&'a dyn Shape),
    /// Unsupported: nothing meets it.
    Unknown,
}

impl<'a> From<&'a Geometry> for QueryShape<'a> {
    fn from(shape: &'a Geometry) -> Self {
        match shape {
            Geometry::HalfSpace { normal } => Self::HalfSpace(*normal),
            Geometry::Composite(parts) => Self::Parts(&**parts),
            _ => shape.as_convex().map_or(Self::Unknown, Self::Solid),
        }
    }
}

impl QueryShape<'_> {
    /// Distance of two shapes without parts at most `reach` (m) apart, in the first one's axes.
    /// `guess` is an expected normal.
    pub fn distance(&self, other: &QueryShape, b_in_a: &Pose, reach: Real, guess: Option<Vec3>) -> Distance {
        match (self, other) {
            (QueryShape::Solid(a), QueryShape::Solid(b)) => convex_distance(a, None, b, b_in_a, reach, guess),
            (QueryShape::HalfSpace(normal), QueryShape::Solid(b)) => half_space_distance(*normal, b, b_in_a, reach),
            (QueryShape::Solid(a), QueryShape::HalfSpace(normal)) => {
                let a_in_b = b_in_a.inverse();
                half_space_distance(*normal, a, &a_in_b, reach).mirrored(&a_in_b)
            }
            _ => Distance::Apart,
        }
    }

    /// Calls `f` with the shape shrunk by the share `shrink` (0 to 1) of its thickness, so that
    /// touching shapes are separate, and to its middle with a share of one. Half-spaces are unchanged.
    pub fn shrunk<T>(&self, shrink: Real, f: impl FnOnce(QueryShape) -> T) -> T {
        match self {
            QueryShape::Solid(solid) if shrink > 0.0 => with_shrunk(solid, shrink, |rest| f(QueryShape::Solid(rest))),
            _ => f(*self),
        }
    }
}

/// Calls `f` with the shrunk shape.
fn with_shrunk<T>(solid: &RoundedConvex, shrink: Real, f: impl FnOnce(RoundedConvex) -> T) -> T {
    let RoundedConvex { core, radius } = *solid;
    let thickness = radius
        + match &core {
            Core::Cuboid(half) => half.min_element(),
            Core::Cylinder(half, radius) => half.min(*radius),
            _ => 0.0,
        };
    let depth = shrink * thickness;
    if depth <= radius && thickness > 0.0 && shrink < 1.0 {
        return f(RoundedConvex { core, radius: radius - depth });
    }
    let rest = depth - radius;
    match core {
        Core::Cuboid(_) | Core::Cylinder(..) if shrink >= 1.0 => f(RoundedConvex::POINT),
        Core::Segment(a, b) if shrink >= 1.0 => {
            let middle = 0.5 * (a + b);
            f(RoundedConvex { core: Core::Segment(middle, middle), radius: 0.0 })
        }
        Core::Cuboid(half) => f(RoundedConvex { core: Core::Cuboid(half - rest), radius: 0.0 }),
        Core::Cylinder(half, rim) => f(RoundedConvex { core: Core::Cylinder(half - rest, rim - rest), radius: 0.0 }),
        _ => {
            let center = Vec3::AXES
                .iter()
                .fold(Vec3::ZERO, |sum, &axis| sum + core.local_support_point(axis) + core.local_support_point(-axis))
                / 6.0;
            let scaled = Scaled { core, center, scale: 1.0 - shrink };
            f(RoundedConvex { core: Core::Custom(&scaled, None), radius: 0.0 })
        }
    }
}

/// Core scaled about a point inside it.
struct Scaled<'a> {
    core: Core<'a>,
    center: Vec3,
    scale: Real,
}

impl SupportMap for Scaled<'_> {
    fn local_support_point(&self, dir: Vec3) -> Vec3 {
        self.center + (self.core.local_support_point(dir) - self.center) * self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::parry::shape::SharedShape;

    fn found(a: &SharedShape, b: &SharedShape, b_in_a: &Pose, shrink: Real) -> Real {
        let shapes = [a, b].map(Geometry::from);
        let [a, b] = [0, 1].map(|k| QueryShape::from(&shapes[k]));
        match b.shrunk(shrink, |b| a.distance(&b, b_in_a, 100.0, None)) {
            Distance::Near { distance, .. } => distance,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_shrunk_is_farther_off_by_that_part_of_its_thickness_and_at_last_a_point() {
        let wall = SharedShape::cuboid(0.5, 2.0, 2.0);
        let turned = Pose::from_translation(Vec3::new(2.0, 0.0, 0.0));
        for (shape, reach, thickness) in [
            (SharedShape::ball(0.2), 0.2, 0.2),
            (SharedShape::cuboid(0.4, 0.1, 0.3), 0.4, 0.1),
            (SharedShape::cylinder(0.1, 0.4), 0.4, 0.1),
            (SharedShape::capsule(Vec3::X * -0.3, Vec3::X * 0.3, 0.1), 0.4, 0.1),
            (SharedShape::round_cuboid(0.3, 0.1, 0.1, 0.05), 0.35, 0.15),
        ] {
            assert!((found(&wall, &shape, &turned, 0.0) - (1.5 - reach)).abs() < 1e-5);
            assert!((found(&wall, &shape, &turned, 0.5) - (1.5 - reach + 0.5 * thickness)).abs() < 1e-5);
            assert!((found(&wall, &shape, &turned, 1.0) - 1.5).abs() < 1e-5);
        }
    }
}
