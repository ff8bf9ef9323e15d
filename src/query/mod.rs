//! Questions about where things are: rays, moving shapes, points, overlaps.
//!
//! [`Physics::query`](crate::Physics::query) answers for the poses **after the last step**. What a game wrote into its
//! components since then, and what it spawned or despawned, is seen after the next step; before the first step there is nothing
//! to be found. Queries change nothing: [`Queries`] can be copied, kept as long as the [`Physics`](crate::Physics) is not
//! stepped, and asked from several threads at once.
//!
//! | query | answer |
//! |---|---|
//! | [`Queries::ray`], [`Queries::rays`] | the first surface on a ray; of many rays at once |
//! | [`Queries::ray_all`] | every collider on a ray |
//! | [`Queries::shape_cast`], [`Queries::shape_casts`] | the first surface in the way of a moving shape |
//! | [`Queries::nearest`], [`Queries::nearests`] | the nearest surface to a point, or how deep the point is inside |
//! | [`Queries::containing`] | every collider that a point is inside of |
//! | [`Queries::overlapping`] | every collider that a shape overlaps |
//! | [`Queries::touching`] | where a shape touches what is near it, and how deep it is in it |
//! | [`Queries::in_box`] | every collider whose box overlaps a box |
//!
//! Answers do not depend on threads, rows or entity numbers: hits come in the order of distance, those of equal distance in that
//! of the colliders' slots, and lists without a distance in that of slots. What is asked with is checked when it is made
//! ([`Ray::new`], [`Probe::new`], [`ShapeCast::new`]), so that asking itself cannot fail.
//!
//! ```
//! use dolmen::prelude::*;
//! use dolmen::query::{Filter, Ray};
//! let mut world = hecs::World::new();
//! let mut physics = Physics::new(Settings::default());
//! let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
//! let block = world.spawn(Body::fixed(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 2.0, 0.0));
//! physics.step(&mut world, 1.0 / 60.0)?;
//!
//! let down = Ray::new(Vec3::Y * 10.0, -Vec3::Y, 100.0)?;
//! let hit = physics.query().ray(&down, &Filter::default()).unwrap();
//! assert_eq!((hit.entity, hit.distance, hit.normal), (block, 7.5, Vec3::Y));
//! let hit = physics.query().ray(&down, &Filter::default().exclude(&[block])).unwrap();
//! assert_eq!((hit.entity, hit.distance), (floor, 10.0));
//! assert!(Ray::new(Vec3::ZERO, Vec3::ZERO, 1.0).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approach;
mod asked;
mod cast;
mod error;
mod filter;
mod index;
mod overlap;
mod point;
mod ray;
mod ray_hit;
mod shape_point;
mod shape_ray;
mod solid_ray;
mod touch;

pub use crate::math::parry::shape::FeatureId;
pub use asked::{Probe, Ray, ShapeCast};
pub use error::QueryError;
pub use filter::{Filter, Predicate, Sensors};
pub(crate) use index::{Index, pose, tight};
pub(crate) use shape_point::{Nearest, nearest};

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::math::parry::partitioning::Bvh;
use crate::math::{Real, Vec3};
use crate::parallel;
use crate::systems::state::State;
use hecs::Entity;
use std::cell::Cell;

/// A point of a surface that a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The entity of the body.
    pub entity: Entity,
    /// The entity of the collider: the body's, or that of an extra collider.
    pub collider: Entity,
    /// Where on the surface (m, world).
    pub point: Vec3,
    /// Unit normal of the surface there. Along a ray or a moving shape it points against the motion, for a nearest point
    /// out of the shape.
    pub normal: Vec3,
    /// How far along the ray or the way, or from the point (m). For a nearest point it is negative inside the shape.
    pub distance: Real,
    /// The face, edge or vertex of the shape, in parry's numbering, where it is known.
    pub feature: FeatureId,
    /// The part of a composite shape: the number of the triangle or of the compound's part. Zero for a shape of one part.
    pub part: u32,
}

/// A collider that a query found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Overlap {
    /// The entity of the body.
    pub entity: Entity,
    /// The entity of the collider: the body's, or that of an extra collider.
    pub collider: Entity,
}

/// Queries against the state after the last step. See the [module](self).
#[derive(Clone, Copy)]
pub struct Queries<'a> {
    bodies: &'a Bodies,
    colliders: &'a Colliders,
    tree: &'a Bvh,
    index: &'a Index,
    crew: parallel::Crew<'a>,
}

/// Fewer questions of a batch than this are not worth handing to another thread.
const LEAST_BATCH: usize = 64;

impl<'a> Queries<'a> {
    pub(crate) fn new(state: &'a State, index: &'a Index, crew: parallel::Crew<'a>) -> Self {
        Self { bodies: &state.bodies, colliders: &state.colliders, tree: state.broad_phase.tree(), index, crew }
    }

    /// The broad phase's tree, and that of what left its boxes.
    fn trees(&self) -> [&'a Bvh; 2] {
        [self.tree, &self.index.strays]
    }

    /// Whether a leaf of one of the [`trees`](Self::trees) is a collider that the question is about.
    fn concerns(&self, tree: usize, leaf: u32, filter: &Filter) -> bool {
        self.index.is_stray(leaf as usize) == (tree == 1) && self.passes(leaf as usize, filter)
    }

    /// Whether a slot is a live collider that the question is about.
    pub(crate) fn passes(&self, slot: usize, filter: &Filter) -> bool {
        self.colliders.is_live(slot) && filter.passes(self.bodies, self.colliders, slot)
    }

    /// Answers many questions, on several threads if there are enough of them.
    fn batch<A: Sync, B: Send>(&self, items: &[A], answer: impl Fn(&A) -> B + Sync + Send) -> Vec<B> {
        self.crew.map(items, LEAST_BATCH, answer)
    }

    fn overlap(&self, slot: usize) -> Overlap {
        let body = self.colliders.body[slot] as usize;
        Overlap { entity: self.bodies.entity[body], collider: self.bodies.entity[slot] }
    }

    fn hit(&self, slot: usize, distance: Real, point: Vec3, normal: Vec3, feature: FeatureId, part: u32) -> Hit {
        let Overlap { entity, collider } = self.overlap(slot);
        Hit { entity, collider, point, normal, distance, feature, part }
    }
}

/// The best answer so far of a search through the trees: least distance, then least slot.
///
/// The trees prune what is not strictly better than the best; giving them the next number up keeps ties in the race, so
/// that the slot decides and not the shape of the tree.
struct Best<T>(Cell<Option<(Real, usize, T)>>);

impl<T: Copy> Best<T> {
    fn new() -> Self {
        Self(Cell::new(None))
    }

    /// The cost that the search may not exceed, for a greatest distance.
    fn limit(&self, reach: Real) -> Real {
        self.0.get().map_or(reach, |(distance, ..)| distance).next_up()
    }

    /// Takes an answer; returns its cost for the search.
    fn offer(&self, distance: Real, slot: usize, answer: T) -> Option<Real> {
        let better = self.0.get().is_none_or(|(d, s, _)| distance < d || distance == d && slot < s);
        if better {
            self.0.set(Some((distance, slot, answer)));
        }
        Some(distance.next_up())
    }

    fn into_answer(self) -> Option<(usize, T)> {
        self.0.into_inner().map(|(_, slot, answer)| (slot, answer))
    }
}
