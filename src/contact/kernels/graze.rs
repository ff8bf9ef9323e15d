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
    /// Whether it is the first that moves, and the second not.
    pub first_moves: bool,
    /// The world's unit of length (m).
    pub unit: Real,
}

impl Ahead {
    /// The same for parts that stand so in their wholes.
    pub fn of_parts(&self, a: &Option<Pose>, b: &Option<Pose>) -> Self {
        let b_in_a = b.map_or(self.b_in_a, |pose| self.b_in_a * pose);
        Self { b_in_a: a.map_or(b_in_a, |pose| pose.inv_mul(&b_in_a)), ..*self }
    }

    /// The same with the shapes exchanged.
    fn mirrored(&self) -> Self {
        Self { b_in_a: self.b_in_a.inverse(), first_moves: !self.first_moves, ..*self }
    }

    /// The outward normal of a plane, in the first shape's axes and towards the second, that parts two shapes now and until the step's end
    /// but for [`GRAZE_DEPTH`], where they touch, or are about to, along another `normal` at `points`: then they do not meet. On a rim
    /// that is not about to close they do.
    pub fn grazes(&self, a: &Solid, b: &Solid, now: &Pose, normal: Vec3, points: &[LocalPoint]) -> Option<Vec3> {
        if points.is_empty() {
            return None;
        }
        if self.first_moves {
            let back = now.inverse();
            let face = self.mirrored().grazes(b, a, &back, -(back.rotation * normal), points)?;
            return Some(-(now.rotation * face));
        }
        let deepest = points.iter().fold(Real::INFINITY, |least, p| least.min(p.separation));
        let radii = a.radius + b.radius;
        // Not their points: a surface that rolls takes those along.
        let closes = || {
            let outward = self.b_in_a.rotation.inverse() * -normal;
            let nearest = self.b_in_a * b.core.support(outward).0 - a.core.support(normal).0;
            nearest.dot(normal) - radii < -GRAZE_CLOSING * self.unit
        };
        let slack = GRAZE_DEPTH * self.unit;
        // `origin` is how high the other shape's origin lies over the face: most are far below.
        let parts = |face: Vec3, origin: Real, between: &dyn Fn(&Pose) -> Real| {
            let cosine = face.dot(normal);
            if origin < -slack || cosine > GRAZE_SAME {
                return false;
            }
            let apart = between(now);
            // What has just slid over an edge is deeper along the side that it came from than along the top.
            (deepest >= -GRAZE_TOUCH * self.unit || apart > deepest)
                && apart >= -slack
                && (cosine.abs() <= GRAZE_ASIDE || closes())
                && between(&self.b_in_a) >= -slack
        };
        let mut found = None;
        a.core.faces(|face, point| {
            let over = |pose: &Pose| {
                let nearest = *pose * b.core.support(pose.rotation.inverse() * -face).0;
                (nearest - point).dot(face) - radii
            };
            if found.is_none() && parts(face, (now.translation - point).dot(face), &over) {
                found = Some(face);
            }
        });
        b.core.faces(|face, point| {
            let over = |pose: &Pose| {
                let outward = pose.rotation * face;
                (a.core.support(-outward).0 - *pose * point).dot(outward) - radii
            };
            let inward = now.rotation * -face;
            if found.is_none() && parts(inward, (*now * point).dot(inward), &over) {
                found = Some(inward);
            }
        });
        found
    }

    /// Takes points that two shapes will have at the step's end, where they come to lie on a face with the normal `face`, back to where
    /// they are now: they carry as soon as the body is over it. False if they are others.
    ///
    /// What is flat takes them along; under what rolls they stay.
    pub fn bring_back(&self, now: &Pose, face: Vec3, normal: Vec3, points: &mut [LocalPoint]) -> bool {
        if self.first_moves {
            let exchange = |p: &mut LocalPoint| std::mem::swap(&mut p.point_a, &mut p.point_b);
            points.iter_mut().for_each(exchange);
            let (back, then) = (now.inverse(), self.b_in_a.rotation.inverse());
            let comes = self.mirrored().bring_back(&back, -(back.rotation * face), -(then * normal), points);
            points.iter_mut().for_each(exchange);
            return comes;
        }
        let slack = GRAZE_DEPTH * self.unit;
        if normal.dot(face) < GRAZE_SAME || points.iter().any(|p| p.separation < -2.0 * slack) {
            return false;
        }
        let shift = self.b_in_a.translation - now.translation;
        for p in points {
            let carried = *now * p.point_b;
            let height = (carried - p.point_a).dot(normal);
            let (place, height) = if height.abs() <= slack {
                (carried, height)
            } else {
                let left = self.b_in_a * p.point_b - shift;
                (left, (left - p.point_a).dot(normal))
            };
            *p = LocalPoint {
                point_a: place - normal * height,
                point_b: now.inverse_transform_point(place),
                separation: height,
                ..*p
            };
        }
        true
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

    /// The contacts with the edge and with the top of a tile of a shape whose centre is `at` over its top edge, and that moves by `step` (m) and turns by `turn` (rad).
    fn contacts(shape: &Geometry, at: Vec3, step: Vec3, turn: Vec3) -> [usize; 2] {
        let now = Pose::from_parts(Vec3::new(-0.5, 1.0, 0.0) + at, Quat::IDENTITY);
        let ahead = Pose::from_parts(now.translation + step, Quat::from_scaled_axis(turn));
        let both = [false, true].map(|exchanged| {
            let (mut cache, mut found) = (PairCache::default(), Manifolds::default());
            let (pair, now, then) = match exchanged {
                false => ([&TILE, shape], now, ahead),
                true => ([shape, &TILE], now.inverse(), ahead.inverse()),
            };
            let ahead = Some(Ahead { b_in_a: then, first_moves: exchanged, unit: 1.0 });
            let remembered = (&mut cache, None);
            collide_remembering(&PairKernels::NONE, pair[0], pair[1], &now, 0.1, remembered, ahead, &mut found)
                .unwrap();
            let count = |top: bool| {
                let those = found.as_slice().iter().filter(|manifold| (manifold.normal.y.abs() > 0.999) == top);
                those.map(|manifold| manifold.points().len()).sum()
            };
            [count(false), count(true)]
        });
        assert_eq!(both[0], both[1], "exchanged");
        both[0]
    }

    #[test]
    fn what_slides_or_rolls_over_flush_tiles_meets_no_edge() {
        let still = Vec3::ZERO;
        for depth in [0.0, 1e-4, 5e-4] {
            let at = |x: Real| Vec3::new(x, 0.3 - depth, 0.2);
            // Before the tile, flush with its side, and half on it; what will be on it is carried by it.
            for (x, carried) in [(-0.5, 0), (-0.31, 4), (-0.3, 4), (-0.29999, 4), (-0.1, 4)] {
                assert_eq!(contacts(&BOX, at(x), Vec3::X * 0.06, still), [0, carried], "{x} {depth}");
                assert_eq!(contacts(&BOX, at(x), still, still)[0], 0, "{x} {depth}");
            }
            assert_eq!(contacts(&drum(), at(-0.35), Vec3::X * 0.06, still)[0], 0, "{depth}");
            let rolls = |x: Real| contacts(&BALL, at(x), Vec3::X * 0.06, -Vec3::Z * 0.2);
            assert_eq!([rolls(-0.1), rolls(-0.03), rolls(0.1)], [[0, 0], [0, 1], [0, 1]], "{depth}");
        }
    }

    #[test]
    fn what_is_in_the_way_stays_there() {
        let edges = |shape, at, step| contacts(shape, at, step, Vec3::ZERO)[0];
        // A step higher than what counts; a fall onto the edge; what lies still in a groove.
        assert!(edges(&BOX, Vec3::new(-0.31, 0.29, 0.0), Vec3::X * 0.06) > 0);
        assert!(edges(&BOX, Vec3::new(-0.31, 0.31, 0.0), Vec3::new(0.06, -0.06, 0.0)) > 0);
        assert!(edges(&BALL, Vec3::new(-0.1, 0.3, 0.0), Vec3::new(0.06, -0.06, 0.0)) > 0);
        let groove = contacts(&BALL, Vec3::new(-0.01, 0.2998, 0.0), Vec3::ZERO, Vec3::ZERO);
        assert_eq!(groove.iter().sum::<usize>(), 1);
    }
}
