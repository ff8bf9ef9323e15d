//! What only slides past: shapes that a face of one of them keeps apart for the whole step.
//!
//! Where a floor is laid of several shapes, the next tile lies beside what slides over it. Its side is nearer than its top, and a
//! contact with that side, which is only about to close, would stop a body that has nothing in its way. Whatever the normal
//! of a contact, two shapes do not meet while a plane parts them.

use super::local::LocalPoint;
use super::solid::Solid;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{GRAZE_ASIDE, GRAZE_CLOSING, GRAZE_DEPTH, GRAZE_SAME, GRAZE_TOUCH};

/// Where the second shape will be at the step's end in the first one's frame, if nothing changes how the bodies move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    pub b_in_a: Pose,
    /// The world's unit of length (m).
    pub unit: Real,
}

impl Ahead {
    /// The same for parts that stand so in their wholes.
    pub fn of_parts(&self, a: &Option<Pose>, b: &Option<Pose>) -> Self {
        let b_in_a = b.map_or(self.b_in_a, |pose| self.b_in_a * pose);
        Self { b_in_a: a.map_or(b_in_a, |pose| pose.inv_mul(&b_in_a)), ..*self }
    }

    /// Whether two shapes that touch, or are about to, along `normal` at `points` do not meet, but for [`GRAZE_DEPTH`], before the step's end: a plane of a face parts them
    /// now and then. A contact that stands on that plane is none to be left out, nor one on a rim that is not about to close.
    pub fn grazes(&self, a: &Solid, b: &Solid, now: &Pose, normal: Vec3, points: &[LocalPoint]) -> bool {
        let deepest = points.iter().fold(Real::INFINITY, |least, p| least.min(p.separation));
        let radii = a.radius + b.radius;
        // Not their points: a surface that rolls takes those along.
        let closes = || {
            let outward = self.b_in_a.rotation.inverse() * -normal;
            let nearest = self.b_in_a * b.core.support(outward).0 - a.core.support(normal).0;
            nearest.dot(normal) - radii < -GRAZE_CLOSING * self.unit
        };
        let slack = GRAZE_DEPTH * self.unit;
        let parts = |face: Vec3, between: &dyn Fn(&Pose) -> Real| {
            let (cosine, apart) = (face.dot(normal), between(now));
            // What has just slid over an edge is deeper along the side that it came from than along the top.
            (deepest >= -GRAZE_TOUCH * self.unit || apart > deepest)
                && (cosine.abs() <= GRAZE_ASIDE || cosine <= GRAZE_SAME && closes())
                && apart >= -slack
                && between(&self.b_in_a) >= -slack
        };
        let mut found = false;
        a.core.faces(|face, point| {
            let over = |pose: &Pose| {
                let nearest = *pose * b.core.support(pose.rotation.inverse() * -face).0;
                (nearest - point).dot(face) - radii
            };
            found = found || parts(face, &over);
        });
        b.core.faces(|face, point| {
            let over = |pose: &Pose| {
                let outward = pose.rotation * face;
                (a.core.support(-outward).0 - *pose * point).dot(outward) - radii
            };
            found = found || parts(now.rotation * -face, &over);
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Ahead;
    use crate::contact::kernels::{Geometry, Manifolds, PairCache, PairKernels, collide_remembering};
    use crate::math::parry::shape::SharedShape;
    use crate::math::{Pose, Quat, Real, Vec3};

    const TILE: Geometry = Geometry::Cuboid { half: Vec3::new(0.5, 1.0, 2.0) };
    const BOX: Geometry = Geometry::Cuboid { half: Vec3::splat(0.3) };
    const BALL: Geometry = Geometry::Ball { radius: 0.3 };

    fn drum() -> Geometry {
        Geometry::from(&SharedShape::cylinder(0.3, 0.3))
    }

    /// The contacts of a shape whose centre is `at` over the top edge of a tile, and that moves by `step` (m) and turns by `turn` (rad).
    fn contacts(shape: &Geometry, at: Vec3, step: Vec3, turn: Vec3) -> usize {
        let now = Pose::from_parts(Vec3::new(-0.5, 1.0, 0.0) + at, Quat::IDENTITY);
        let ahead = Pose::from_parts(now.translation + step, Quat::from_scaled_axis(turn));
        let (mut cache, mut found) = (PairCache::default(), Manifolds::default());
        let ahead = Some(Ahead { b_in_a: ahead, unit: 1.0 });
        let remembered = (&mut cache, None);
        collide_remembering(&PairKernels::NONE, &TILE, shape, &now, 0.1, remembered, ahead, &mut found).unwrap();
        found.as_slice().iter().map(|manifold| manifold.points().len()).sum()
    }

    #[test]
    fn what_slides_or_rolls_over_flush_tiles_meets_no_edge() {
        for depth in [0.0, 1e-4, 5e-4] {
            // Before the tile, flush with its side, and half on it.
            for x in [-0.35, -0.31, -0.3, -0.29999] {
                assert_eq!(
                    contacts(&BOX, Vec3::new(x, 0.3 - depth, 0.0), Vec3::X * 0.06, Vec3::ZERO),
                    0,
                    "{x} {depth}"
                );
                assert_eq!(contacts(&BOX, Vec3::new(x, 0.3 - depth, 0.0), Vec3::ZERO, Vec3::ZERO), 0, "{x} {depth}");
            }
            assert_eq!(contacts(&BOX, Vec3::new(-0.1, 0.3 - depth, 0.0), Vec3::X * 0.06, Vec3::ZERO), 4);
            let drum = contacts(&drum(), Vec3::new(-0.35, 0.3 - depth, 0.2), Vec3::X * 0.06, Vec3::ZERO);
            assert_eq!(drum, 0, "{depth}");
            let rolls = |x: Real| contacts(&BALL, Vec3::new(x, 0.3 - depth, 0.0), Vec3::X * 0.06, -Vec3::Z * 0.2);
            assert_eq!([rolls(-0.1), rolls(-0.03), rolls(0.1)], [0, 0, 1], "{depth}");
        }
    }

    #[test]
    fn what_is_in_the_way_stays_there() {
        // A step higher than what counts; a fall onto the edge; what lies still in a groove.
        assert!(contacts(&BOX, Vec3::new(-0.31, 0.29, 0.0), Vec3::X * 0.06, Vec3::ZERO) > 0);
        assert!(contacts(&BOX, Vec3::new(-0.31, 0.31, 0.0), Vec3::new(0.06, -0.06, 0.0), Vec3::ZERO) > 0);
        assert!(contacts(&BALL, Vec3::new(-0.1, 0.3, 0.0), Vec3::new(0.06, -0.06, 0.0), Vec3::ZERO) > 0);
        assert!(contacts(&BALL, Vec3::new(-0.01, 0.2998, 0.0), Vec3::ZERO, Vec3::ZERO) > 0);
    }
}
