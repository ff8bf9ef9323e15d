//! Ghost contacts: contacts of shapes that a face of one of them separates for the whole step.
//!
//! On a floor of several shapes the next tile lies beside a sliding body. Its side is closer than
//! its top, and a speculative contact with that side would stop a body that has nothing in its way.
//! Whatever the normal of a contact, two shapes do not meet while a plane separates them.

use super::local_manifold::LocalPoint;
use super::polygon::newell;
use super::rounded_convex::{Core, RoundedConvex};
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{GHOST_CLOSING, GHOST_CONTACTS, GHOST_DEPTH, GHOST_TOUCH, SEPARATING_AXIS};

/// Predicted pose of the second shape in the first one's frame at the end of the step, without any
/// change of velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredictedPose {
    pub b_in_a: Pose,
    /// Whether the first shape moves and the second is static.
    pub first_moves: bool,
    /// The world's unit of length (m).
    pub length_unit: Real,
}

/// Edge or corner of a mesh's triangle on which a contact lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MeshEdge {
    /// The shape is no triangle of a mesh.
    None,
    /// The mesh goes on. On a ridge the planes of its faces tell nothing about a contact.
    Inside,
    /// The mesh ends here, or bends by a right angle or more.
    Sharp,
}

impl PredictedPose {
    /// The same for parts at these poses in their wholes.
    pub fn of_parts(&self, a: &Option<Pose>, b: &Option<Pose>) -> Self {
        let b_in_a = b.map_or(self.b_in_a, |pose| self.b_in_a * pose);
        Self { b_in_a: a.map_or(b_in_a, |pose| pose.inv_mul(&b_in_a)), ..*self }
    }

    /// The same with the shapes exchanged.
    fn mirrored(&self) -> Self {
        Self { b_in_a: self.b_in_a.inverse(), first_moves: !self.first_moves, ..*self }
    }

    /// Normal, in the first shape's axes and towards the second, of a face that separates two
    /// shapes now and until the end of the step but for `GHOST_DEPTH`, while their contact
    /// at `points` has another `normal`: then the contact is a ghost. It is none on a rim without a
    /// closing velocity.
    pub fn separating_face(
        &self,
        a: &RoundedConvex,
        b: &RoundedConvex,
        now: &Pose,
        normal: Vec3,
        points: &[LocalPoint],
    ) -> Option<Vec3> {
        self.separating_part([a, b], now, normal, points, [MeshEdge::None; 2])
    }

    /// [`Self::separating_face`] of parts, where triangles of meshes know about their neighbours.
    pub fn separating_part(
        &self,
        [a, b]: [&RoundedConvex; 2],
        now: &Pose,
        normal: Vec3,
        points: &[LocalPoint],
        [edge_a, edge_b]: [MeshEdge; 2],
    ) -> Option<Vec3> {
        if points.is_empty() {
            return None;
        }
        if self.first_moves {
            let back = now.inverse();
            let normal = -(back.rotation * normal);
            let face = self.mirrored().separating_part([b, a], &back, normal, points, [edge_b, edge_a])?;
            return Some(-(now.rotation * face));
        }
        let inside = [edge_a, edge_b].iter().any(|edge| matches!(edge, MeshEdge::Inside));
        let deepest = points.iter().fold(Real::INFINITY, |least, p| least.min(p.separation));
        let radii = a.radius + b.radius;
        // Velocity of the shapes, not of their points: a rolling surface carries those along.
        let closes = || {
            let outward = self.b_in_a.rotation.inverse() * -normal;
            let nearest = self.b_in_a * b.core.support(outward).0 - a.core.support(normal).0;
            nearest.dot(normal) - radii < -GHOST_CLOSING * self.length_unit
        };
        let slack = GHOST_DEPTH * self.length_unit;
        // The depth, in a direction in its axes, at which the second shape has lost half of one side: a
        // plane that is deeper in it goes through it, and separates nothing.
        let quarter_width =
            |along: Vec3| 0.25 * (b.core.support(along).0 - b.core.support(-along).0).dot(along) + 0.5 * b.radius;
        // `origin` is the height of the other shape's origin over the face: most are far below.
        // `cosine` is that of the angle between its normal and the contact's.
        let parts =
            |cosine: Real, origin: Real, between: &dyn Fn(&Pose) -> Real, quarter_width: &dyn Fn(&Pose) -> Real| {
                if origin < -slack || cosine > GHOST_CONTACTS.same_cosine {
                    return false;
                }
                let apart = between(now);
                let separates = |pose: &Pose, apart: Real| apart >= -slack && apart > -quarter_width(pose);
                // A body that has just slid over an edge is deeper along the side where it came from
                // than along the top.
                (deepest >= -GHOST_TOUCH * self.length_unit || apart > deepest)
                    && separates(now, apart)
                    && (cosine.abs() <= SEPARATING_AXIS.flat_angle || !inside && closes())
                    && separates(&self.b_in_a, between(&self.b_in_a))
            };
        let mut found = None;
        let mut consider = |face: Vec3, point: Vec3| {
            let over = |pose: &Pose| {
                let nearest = *pose * b.core.support(pose.rotation.inverse() * -face).0;
                (nearest - point).dot(face) - radii
            };
            let width = |pose: &Pose| quarter_width(pose.rotation.inverse() * face);
            if found.is_none() && parts(face.dot(normal), (now.translation - point).dot(face), &over, &width) {
                found = Some(face);
            }
        };
        a.core.faces(&mut consider);
        // A triangle does not know the faces beside it. At a right angle they look along its plane.
        if let (MeshEdge::Sharp, Core::Triangle(corners)) = (edge_a, a.core) {
            let face = newell(&corners);
            if let Some(aside) = (normal - face * normal.dot(face)).try_normalize() {
                consider(aside, a.core.support(aside).0);
            }
        }
        // In the second shape's axes no face has to be turned before it is known to matter.
        let back = now.rotation.inverse();
        let (origin, seen) = (back * now.translation, back * normal);
        b.core.faces(|face, point| {
            let over = |pose: &Pose| {
                let outward = pose.rotation * face;
                (a.core.support(-outward).0 - *pose * point).dot(outward) - radii
            };
            if found.is_none() && parts(-face.dot(seen), -(origin + point).dot(face), &over, &|_| quarter_width(face)) {
                found = Some(now.rotation * -face);
            }
        });
        found
    }

    /// Transfers the points of the predicted pose, where the shapes touch along the normal `face`,
    /// back to the current pose: they carry load as soon as the body is over the face. False for
    /// points with another normal.
    ///
    /// Points move along with a flat body, and stay under a rolling one.
    pub fn transfer_points(&self, now: &Pose, face: Vec3, normal: Vec3, points: &mut [LocalPoint]) -> bool {
        if self.first_moves {
            let exchange = |p: &mut LocalPoint| std::mem::swap(&mut p.point_a, &mut p.point_b);
            points.iter_mut().for_each(exchange);
            let (back, then) = (now.inverse(), self.b_in_a.rotation.inverse());
            let comes = self.mirrored().transfer_points(&back, -(back.rotation * face), -(then * normal), points);
            points.iter_mut().for_each(exchange);
            return comes;
        }
        let slack = GHOST_DEPTH * self.length_unit;
        if normal.dot(face) < GHOST_CONTACTS.same_cosine || points.iter().any(|p| p.separation < -2.0 * slack) {
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
    use super::PredictedPose;
    use crate::contact::kernels::{Geometry, Manifolds, PairCache, PairKernels, collide_cached};
    use crate::math::parry::shape::SharedShape;
    use crate::math::{Pose, Quat, Real, Vec3};

    const TILE: Geometry = Geometry::Cuboid { half: Vec3::new(0.5, 1.0, 2.0) };
    const BOX: Geometry = Geometry::Cuboid { half: Vec3::splat(0.3) };
    const BALL: Geometry = Geometry::Ball { radius: 0.3 };

    fn drum() -> Geometry {
        Geometry::from(&SharedShape::cylinder(0.3, 0.3))
    }

    /// Number of contacts with the edge and with the top of a tile, of a shape centred `at` over
    /// its top edge that moves by `step` (m) and turns by `turn` (rad).
    fn contacts(shape: &Geometry, at: Vec3, step: Vec3, turn: Vec3) -> [usize; 2] {
        let now = Pose::from_parts(Vec3::new(-0.5, 1.0, 0.0) + at, Quat::IDENTITY);
        let predicted = Pose::from_parts(now.translation + step, Quat::from_scaled_axis(turn));
        let both = [false, true].map(|exchanged| {
            let (mut cache, mut found) = (PairCache::default(), Manifolds::default());
            let (pair, now, then) = match exchanged {
                false => ([&TILE, shape], now, predicted),
                true => ([shape, &TILE], now.inverse(), predicted.inverse()),
            };
            let predicted = Some(PredictedPose { b_in_a: then, first_moves: exchanged, length_unit: 1.0 });
            let caches = (&mut cache, None);
            collide_cached(&PairKernels::NONE, pair[0], pair[1], &now, 0.1, caches, predicted, &mut found).unwrap();
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
            // Before the tile, flush with its side, and half on it. A body that will be on the tile
            // is carried by it.
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
        // A step above the threshold; a fall onto the edge; a body at rest in a groove.
        assert!(edges(&BOX, Vec3::new(-0.31, 0.29, 0.0), Vec3::X * 0.06) > 0);
        assert!(edges(&BOX, Vec3::new(-0.31, 0.31, 0.0), Vec3::new(0.06, -0.06, 0.0)) > 0);
        assert!(edges(&BALL, Vec3::new(-0.1, 0.3, 0.0), Vec3::new(0.06, -0.06, 0.0)) > 0);
        let groove = contacts(&BALL, Vec3::new(-0.01, 0.2998, 0.0), Vec3::ZERO, Vec3::ZERO);
        assert_eq!(groove.iter().sum::<usize>(), 1);
    }
}
