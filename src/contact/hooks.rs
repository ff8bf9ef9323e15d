//! Contact hooks: functions of the game's own that say which colliders may meet, and edit contacts before they are solved.

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
    /// Lets `filter` say which two colliders may meet; all filters must agree. It is asked once when their boxes meet, and
    /// again when either is another than before, or after [`Self::ask_again`]. For what changes from step to step, edit the
    /// contacts.
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

    /// Lets the next step ask the filters about all pairs again: the game changed what they look at.
    pub fn ask_again(&mut self) {
        self.revision += 1;
    }

    /// Lets `editor` change contacts before they are solved, in every step, wherever two colliders touch or are about to and
    /// one of them can move and is awake. Editors see each other's changes in the order in which they were added. They run on
    /// several threads, in no order: they must depend on nothing but what they are given and does not change meanwhile.
    ///
    /// A platform that lets bodies through from below:
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// struct OneWay;
    /// const PASSING: u32 = 1;
    /// let mut physics = Physics::default();
    /// physics.hooks.edit_contacts(|world, contact| {
    ///     let Some(side) = contact.entities.iter().position(|&e| world.satisfies::<&OneWay>(e)) else { return };
    ///     if contact.memory == PASSING && contact.separation() > 0.0 {
    ///         contact.memory = 0;
    ///     }
    ///     if contact.memory == PASSING || contact.normal_from(side).y < 0.7 {
    ///         contact.memory = PASSING;
    ///         contact.disable();
    ///     }
    /// });
    /// ```
    pub fn edit_contacts(&mut self, editor: impl Fn(&World, &mut ContactEdit<'_>) + Send + Sync + 'static) {
        self.editors.push(Box::new(editor));
    }

    /// Changes whenever the filters may answer otherwise.
    pub(crate) fn revision(&self) -> u32 {
        self.revision
    }

    /// Whether all filters let two colliders meet.
    pub(crate) fn may_meet(&self, world: &World, colliders: [Entity; 2]) -> bool {
        self.filters.iter().all(|filter| filter(world, colliders))
    }

    /// Whether any contact is edited.
    pub(crate) fn edits(&self) -> bool {
        !self.editors.is_empty()
    }

    /// Lets all editors at a contact.
    pub(crate) fn edit(&self, world: &World, contact: &mut ContactEdit<'_>) {
        self.editors.iter().for_each(|editor| editor(world, contact));
    }
}

/// How a body of a contact moves at the step's start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceMotion {
    /// The body's entity: the collider's own, unless it is an extra one.
    pub entity: Entity,
    /// Centre of mass (m, world).
    pub center: Vec3,
    /// Velocity of the centre of mass (m/s).
    pub linear_velocity: Vec3,
    /// Angular velocity (rad/s, world).
    pub angular_velocity: Vec3,
}

/// A contact of two colliders that an editor may change for the step at hand.
pub struct ContactEdit<'a> {
    /// The colliders' entities, the one with the lesser slot first.
    pub entities: [Entity; 2],
    /// Their bodies.
    pub bodies: [SurfaceMotion; 2],
    /// The two surfaces combined. What no material can be is not taken, nor a velocity that is not finite.
    pub material: Material,
    /// Velocity of the second surface over its body less that of the first over its own, world axes (m/s): that of
    /// [`SurfaceVelocity`](crate::SurfaceVelocity) to begin with.
    pub surface_velocity: Vec3,
    /// What editors remember of the two: 0 when their boxes meet, then what was written last, until the boxes part.
    pub memory: u32,
    pub(crate) manifolds: &'a mut [Manifold],
}

impl ContactEdit<'_> {
    /// Where they touch: one manifold, or several where a shape has parts. Those without points do not count.
    pub fn manifolds(&self) -> &[Manifold] {
        self.manifolds
    }

    /// Keeps the manifolds of which `keep` says so; the others carry nothing in this step.
    pub fn retain(&mut self, mut keep: impl FnMut(&Manifold) -> bool) {
        for manifold in self.manifolds.iter_mut().filter(|m| m.count > 0) {
            if !keep(manifold) {
                *manifold = Manifold { normal: manifold.normal, ..Manifold::default() };
            }
        }
    }

    /// Lets the two pass through each other in this step.
    pub fn disable(&mut self) {
        self.retain(|_| false);
    }

    /// The least separation (m): negative where they overlap. Infinite without a point.
    pub fn separation(&self) -> Real {
        self.deepest().map_or(Real::INFINITY, |(separation, _)| separation)
    }

    /// The unit normal at the deepest point that leads away from the first (0) or the second (1) of the two.
    pub fn normal_from(&self, side: usize) -> Vec3 {
        let normal = self.deepest().map_or(Vec3::ZERO, |(_, normal)| normal);
        if side == 0 { normal } else { -normal }
    }

    fn deepest(&self) -> Option<(Real, Vec3)> {
        let points = self.manifolds.iter().flat_map(|m| m.points().iter().map(|p| (p.separation, m.normal)));
        points.reduce(|best, next| if next.0 < best.0 { next } else { best })
    }
}
