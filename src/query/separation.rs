//! Distance and closest points of two entities.

use super::Queries;
use crate::contact::kernels::{Distance, LocalPoint, Manifolds, PairCache, collide, distance};
use crate::math::{Real, Vec3};
use hecs::Entity;

/// The closest points of two entities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Distance (m); for an overlap its depth, negative.
    pub distance: Real,
    /// The closest points of the first and the second, or the deepest ones (m, world).
    pub points: [Vec3; 2],
    /// Unit normal from the first to the second.
    pub normal: Vec3,
    /// The colliders, of the first and of the second.
    pub colliders: [Entity; 2],
}

impl Queries<'_> {
    /// The closest points of two entities, which are bodies, with all their colliders, or further
    /// colliders; `None` if they are farther apart than `within` (m; may be infinite), or have no
    /// collider. One test for each collider of the world finds those of the two.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    /// let tower = world.spawn(Body::fixed(Collider::cuboid(0.5, 4.0, 0.5)));
    /// let ball = world.spawn(Body::fixed(Collider::ball(0.5)).at(3.0, 1.0, 0.0));
    /// physics.step(&mut world, 1.0 / 60.0)?;
    /// let apart = physics.query().separation(tower, ball, Real::INFINITY).unwrap();
    /// assert!((apart.distance - 2.0).abs() < 1e-6 && apart.normal == Vec3::X);
    /// assert!((apart.points[0] - Vec3::new(0.5, 1.0, 0.0)).length() < 1e-6);
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    pub fn separation(&self, first: Entity, second: Entity, within: Real) -> Option<Separation> {
        let [of_first, of_second] = [first, second].map(|entity| self.colliders_of(entity));
        let mut best: Option<Separation> = None;
        for &a in &of_first {
            for &b in &of_second {
                let reach = best.map_or(within.min(Real::MAX), |best| best.distance.max(0.0));
                if let Some(found) = self.separation_of([a, b], reach)
                    && best.is_none_or(|best| found.distance < best.distance)
                {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// The slots of the colliders of a body, or of a further collider.
    fn colliders_of(&self, entity: Entity) -> Vec<usize> {
        let belongs = |&slot: &usize| self.colliders.is_live(slot) && self.colliders.is_of(self.bodies, slot, entity);
        (0..self.bodies.slots()).filter(belongs).collect()
    }

    fn separation_of(&self, slots: [usize; 2], within: Real) -> Option<Separation> {
        let [(a, pose_a), (b, pose_b)] = [self.shape_at(slots[0])?, self.shape_at(slots[1])?];
        let b_in_a = pose_a.inv_mul(&pose_b);
        let colliders = slots.map(|slot| self.bodies.entity[slot]);
        match distance(&a, &b, &b_in_a, within) {
            Distance::Apart => None,
            Distance::Near { on_b, normal, distance } => {
                let on_b = b_in_a.translation + on_b;
                let points = [on_b - normal * distance, on_b].map(|point| pose_a * point);
                Some(Separation { distance, points, normal: pose_a.rotation * normal, colliders })
            }
            Distance::Overlap => {
                let mut found = Manifolds::default();
                // Unsupported parts are ignored here and reported by the step.
                let _ = collide(&a, &b, &b_in_a, 0.0, &mut PairCache::default(), &mut found);
                let all = found.as_slice().iter().flat_map(|m| m.points().iter().map(move |p| (m.normal, p)));
                let depth = |p: &(Vec3, &LocalPoint)| p.1.separation;
                let (normal, point) = all.min_by(|p, q| depth(p).total_cmp(&depth(q)))?;
                let points = [pose_a * point.point_a, pose_b * point.point_b];
                Some(Separation { distance: point.separation, points, normal: pose_a.rotation * normal, colliders })
            }
        }
    }
}
