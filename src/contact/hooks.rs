//! Contact hooks: user-defined filters of collider pairs, and editors of contacts before they are
//! solved.

use super::Manifold;
use crate::components::Material;
use crate::math::{Real, Vec3};
use hecs::{Entity, World};

type Filter = Box<dyn Fn(&World, [Entity; 2]) -> bool + Send + Sync>;
type Editor = Box<dyn Fn(&World, &mut ContactEdit<'_>) + Send + Sync>;

/// The filters and editors of a [`Physics`](crate::Physics).
#[derive(Default)]
pub struct ContactHooks {
    filters: Vec<Filter>,
    editors: Vec<Editor>,
    revision: u32,
}

impl ContactHooks {
    /// Adds a filter of collider pairs: two colliders may collide only if all filters agree. A
    /// filter is called once when the boxes of a pair begin to overlap, again when either collider
    /// changes, and after [`Self::refilter`]. To change contacts from step to step, use
    /// [`Self::edit_contacts`].
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// /// A component of the game: bodies of one team pass through each other.
    /// #[derive(PartialEq)]
    /// struct Team(u8);
    /// let mut physics = Physics::default();
    /// physics.hooks.filter_pairs(|world, [a, b]| {
    ///     let (a, b) = (world.get::<&Team>(a), world.get::<&Team>(b));
    ///     !matches!((a, b), (Ok(a), Ok(b)) if *a == *b)
    /// });
    /// ```
    pub fn filter_pairs(&mut self, filter: impl Fn(&World, [Entity; 2]) -> bool + Send + Sync + 'static) {
        self.filters.push(Box::new(filter));
        self.revision += 1;
    }

    /// Calls the filters for all pairs again in the next step: their input has changed.
    pub fn refilter(&mut self) {
        self.revision += 1;
    }

    /// Adds an editor of contacts. It is called in every step before the solver, for each pair that
    /// touches or may touch and has an awake dynamic body. Editors run in the order in which they
    /// were added and see each other's changes. Pairs are edited in parallel in no order, so an
    /// editor may depend only on its arguments.
    ///
    /// A platform that lets bodies through from below:
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// struct OneWay;
    /// const PASSING: u32 = 1;
    /// let mut physics = Physics::default();
    /// physics.hooks.edit_contacts(|world, contact| {
    ///     let is_platform = |&entity: &hecs::Entity| world.satisfies::<&OneWay>(entity);
    ///     let Some(side) = contact.entities.iter().position(is_platform) else { return };
    ///     if contact.user_data == PASSING && contact.separation() > 0.0 {
    ///         contact.user_data = 0;
    ///     }
    ///     if contact.user_data == PASSING || contact.normal_from(side).y < 0.7 {
    ///         contact.user_data = PASSING;
    ///         contact.disable();
    ///     }
    /// });
    /// ```
    pub fn edit_contacts(&mut self, editor: impl Fn(&World, &mut ContactEdit<'_>) + Send + Sync + 'static) {
        self.editors.push(Box::new(editor));
    }

    /// Revision number of the filters: changes whenever pairs must be filtered again.
    pub(crate) fn revision(&self) -> u32 {
        self.revision
    }

    /// True if all filters accept a pair of colliders.
    pub(crate) fn may_collide(&self, world: &World, colliders: [Entity; 2]) -> bool {
        self.filters.iter().all(|filter| filter(world, colliders))
    }

    /// True if there is neither a filter nor an editor.
    #[cfg(feature = "serialize")]
    pub(crate) fn is_empty(&self) -> bool {
        self.filters.is_empty() && self.editors.is_empty()
    }

    /// True if there is an editor.
    pub(crate) fn has_editors(&self) -> bool {
        !self.editors.is_empty()
    }

    /// Runs all editors on a contact.
    pub(crate) fn edit(&self, world: &World, contact: &mut ContactEdit<'_>) {
        self.editors.iter().for_each(|editor| editor(world, contact));
    }
}

/// Motion of a body of a contact at the start of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceMotion {
    /// Entity of the body. It equals the collider's but for extra colliders.
    pub entity: Entity,
    /// Centre of mass (m, world).
    pub center: Vec3,
    /// Velocity of the centre of mass (m/s).
    pub linear_velocity: Vec3,
    /// Angular velocity (rad/s, world).
    pub angular_velocity: Vec3,
}

/// Contact of two colliders, open to changes for the current step.
pub struct ContactEdit<'a> {
    /// Entities of the colliders, the one with the lower slot first.
    pub entities: [Entity; 2],
    /// Motion of their bodies.
    pub bodies: [SurfaceMotion; 2],
    /// Combined material. Invalid values are ignored.
    pub material: Material,
    /// Surface velocity of the second collider relative to its body less that of the first, in
    /// world axes (m/s). It starts from [`SurfaceVelocity`](crate::SurfaceVelocity). Values that
    /// are not finite are ignored.
    pub surface_velocity: Vec3,
    /// Data of the editors about the pair: 0 when its boxes begin to overlap, then the last value
    /// written, until they separate.
    pub user_data: u32,
    pub(crate) manifolds: &'a mut [Manifold],
}

impl ContactEdit<'_> {
    /// Manifolds of the pair: one, or several for composite shapes. Ignore those without points.
    pub fn manifolds(&self) -> &[Manifold] {
        self.manifolds
    }

    /// Keeps the manifolds that satisfy a predicate. The others carry no load in this step.
    pub fn retain(&mut self, mut keep: impl FnMut(&Manifold) -> bool) {
        for manifold in self.manifolds.iter_mut().filter(|m| m.count > 0) {
            if !keep(manifold) {
                *manifold = Manifold { normal: manifold.normal, ..Manifold::default() };
            }
        }
    }

    /// Removes the contact for this step: the colliders pass through each other.
    pub fn disable(&mut self) {
        self.retain(|_| false);
    }

    /// Least separation (m), negative for an overlap; infinite without points.
    pub fn separation(&self) -> Real {
        self.deepest().map_or(Real::INFINITY, |(separation, _)| separation)
    }

    /// Unit normal at the deepest point, pointing away from the first (0) or the second (1)
    /// collider.
    pub fn normal_from(&self, side: usize) -> Vec3 {
        let normal = self.deepest().map_or(Vec3::ZERO, |(_, normal)| normal);
        if side == 0 { normal } else { -normal }
    }

    fn deepest(&self) -> Option<(Real, Vec3)> {
        let points = self.manifolds.iter().flat_map(|m| m.points().iter().map(|p| (p.separation, m.normal)));
        points.reduce(|best, next| if next.0 < best.0 { next } else { best })
    }
}
