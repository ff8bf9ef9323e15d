//! Spatial queries: rays, shape casts, closest points, overlaps.
//!
//! [`Physics::query`](crate::Physics::query) uses the poses **after the last step**. Later changes
//! of components, spawns and despawns are visible after the next step; before the first step the
//! world is empty. Queries change nothing: [`Queries`] can be copied, kept until the next step of
//! the [`Physics`](crate::Physics), and used from several threads at once.
//!
//! | query | result |
//! |---|---|
//! | [`Queries::ray`], [`Queries::rays`] | the first surface on a ray; of many rays at once |
//! | [`Queries::ray_all`] | every collider on a ray |
//! | [`Queries::shape_cast`], [`Queries::shape_casts`] | the first surface hit |
//! | [`Queries::shape_cast_all`] | every collider on the way |
//! | [`Queries::motion_cast`] | the first surface met on a motion with rotation |
//! | [`Queries::separation`] | distance and closest points of two entities |
//! | [`Queries::nearest`], [`Queries::nearests`] | the closest surface to a point |
//! | [`Queries::containing`] | every collider that contains a point |
//! | [`Queries::overlapping`] | every collider that a shape overlaps |
//! | [`Queries::touching`] | the contacts of a shape with its surroundings, with their depths |
//! | [`Queries::in_box`], [`Queries::in_planes`] | every collider whose box overlaps a box, or is in a frustum |
//!
//! Results do not depend on threads, rows or entity numbers. Hits are sorted by distance, equal
//! distances by the colliders' slots, and lists without a distance by slots. The inputs are
//! validated by their constructors ([`Ray::new`], [`Probe::new`], [`ShapeCast::new`]), so that
//! queries cannot fail.
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

mod cast;
mod convex_ray;
mod error;
mod filter;
mod height_field;
mod index;
mod inputs;
mod linear_cast;
mod motion_cast;
mod overlap;
mod point;
mod ray;
mod ray_hit;
mod separation;
mod shape_ray;
mod surface_point;
mod touch;

pub use crate::math::parry::shape::FeatureId;
pub use error::QueryError;
pub use filter::{Filter, Predicate, Sensors};
pub(crate) use index::{QueryIndex, collider_pose, tight_aabb};
pub use inputs::{Probe, Ray, ShapeCast};
pub use motion_cast::{MotionCast, MotionHit};
pub use separation::Separation;
pub(crate) use surface_point::{SurfacePoint, nearest_surface_point};

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::math::parry::partitioning::Bvh;
use crate::math::{Real, Vec3};
use crate::parallel;
use crate::state::State;
use hecs::Entity;
use std::cell::Cell;

/// Point of a surface found by a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The entity of the body.
    pub entity: Entity,
    /// The entity of the collider: the body's, or that of an extra collider.
    pub collider: Entity,
    /// Point on the surface (m, world).
    pub point: Vec3,
    /// Unit normal of the surface. For a ray or a shape cast it points against the motion, for a
    /// closest point out of the shape.
    pub normal: Vec3,
    /// Distance along the ray or the cast, or from the point (m). For a closest point it is
    /// negative inside the shape.
    pub distance: Real,
    /// Face, edge or vertex of the shape in parry's numbering, if known.
    pub feature: FeatureId,
    /// Index of the triangle of a mesh or of the part of a compound. Zero for a shape of one part.
    pub part: u32,
}

/// Collider found by a query.
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
    index: &'a QueryIndex,
    threads: parallel::Threads<'a>,
}

/// Least number of queries of a batch for another thread.
const MIN_BATCH: usize = 64;

impl<'a> Queries<'a> {
    pub(crate) fn new(state: &'a State, tree: &'a Bvh, index: &'a QueryIndex, threads: parallel::Threads<'a>) -> Self {
        Self { bodies: &state.bodies, colliders: &state.colliders, tree, index, threads }
    }

    /// The broad phase's tree, and that of the colliders that left their boxes.
    fn trees(&self) -> [&'a Bvh; 2] {
        [self.tree, &self.index.strays]
    }

    /// True if a leaf of one of the [`trees`](Self::trees) is a collider that passes the filter.
    fn is_candidate(&self, tree: usize, leaf: u32, filter: &Filter) -> bool {
        self.index.is_stray(leaf as usize) == (tree == 1) && self.passes(leaf as usize, filter)
    }

    /// True if a slot is a live collider that passes the filter.
    pub(crate) fn passes(&self, slot: usize, filter: &Filter) -> bool {
        self.colliders.is_live(slot) && filter.passes(self.bodies, self.colliders, slot)
    }

    /// Runs a batch of queries, on several threads if it is large enough.
    fn batch<A: Sync, B: Send>(&self, items: &[A], answer: impl Fn(&A) -> B + Sync + Send) -> Vec<B> {
        self.threads.map(items, MIN_BATCH, answer)
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

/// Best hit of a search through the trees: least distance, then least slot.
///
/// The trees prune everything not strictly better than the best. A limit of the next larger number
/// keeps ties alive, so that the slot decides and not the shape of the tree.
struct Best<T>(Cell<Option<(Real, usize, T)>>);

impl<T: Copy> Best<T> {
    fn new() -> Self {
        Self(Cell::new(None))
    }

    /// Greatest cost for the search, given the greatest distance.
    fn limit(&self, reach: Real) -> Real {
        self.0.get().map_or(reach, |(distance, ..)| distance).next_up()
    }

    /// Considers a hit and returns its cost for the search.
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
