//! Filters of queries.

use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::components::{CollisionLayers, RigidBody};
use hecs::Entity;

/// Treatment of sensors in a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sensors {
    /// Sensors are ignored.
    #[default]
    Out,
    /// Sensors count like other colliders.
    In,
    /// Only sensors count.
    Only,
}

/// Predicate over colliders: the entity of the body, and that of the collider (equal but for extra
/// colliders).
pub type Predicate<'a> = &'a (dyn Fn(Entity, Entity) -> bool + Sync);

/// Filter of the colliders of a query. The default accepts all but sensors.
///
/// ```
/// use dolmen::prelude::*;
/// use dolmen::query::Filter;
/// let player = [hecs::Entity::DANGLING];
/// let filter = Filter::default().exclude(&player).kinds(&[RigidBody::Static]);
/// # let _ = filter;
/// ```
#[derive(Clone, Copy, Default)]
pub struct Filter<'a> {
    layers: Option<CollisionLayers>,
    excluded: &'a [Entity],
    /// One bit for each kind; zero for all.
    kinds: u8,
    sensors: Sensors,
    predicate: Option<Predicate<'a>>,
}

const fn bit(kind: Kind) -> u8 {
    1 << kind as u8
}

impl<'a> Filter<'a> {
    /// Only colliders that may collide with these layers.
    pub fn layers(mut self, layers: CollisionLayers) -> Self {
        self.layers = Some(layers);
        self
    }

    /// Excludes entities: a body's excludes all its colliders, an extra collider's only itself.
    pub fn exclude(mut self, entities: &'a [Entity]) -> Self {
        self.excluded = entities;
        self
    }

    /// Only bodies of these kinds.
    pub fn kinds(mut self, kinds: &[RigidBody]) -> Self {
        // For an empty list: a bit that no body has.
        self.kinds = kinds.iter().fold(bit(Kind::Vacant), |bits, &kind| bits | bit(kind.into()));
        self
    }

    /// Includes sensors, excludes them (the default), or selects them alone.
    pub fn sensors(mut self, sensors: Sensors) -> Self {
        self.sensors = sensors;
        self
    }

    /// Only colliders for which `predicate(body, collider)` holds. It is called last, once for each
    /// candidate collider, in no particular order, and from several threads in a batch.
    pub fn predicate(mut self, predicate: Predicate<'a>) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// True if a live collider passes.
    pub(super) fn passes(&self, bodies: &Bodies, colliders: &Colliders, slot: usize) -> bool {
        let body = colliders.body[slot] as usize;
        let sensor = match self.sensors {
            Sensors::Out => !colliders.sensor[slot],
            Sensors::In => true,
            Sensors::Only => colliders.sensor[slot],
        };
        if !sensor
            || self.kinds != 0 && self.kinds & bit(bodies.kind[body]) == 0
            || self.layers.is_some_and(|layers| !layers.meets(colliders.layers[slot]))
        {
            return false;
        }
        let (owner, own) = (bodies.entity[body], bodies.entity[slot]);
        !self.excluded.iter().any(|&entity| entity == owner || entity == own)
            && self.predicate.is_none_or(|predicate| predicate(owner, own))
    }
}
