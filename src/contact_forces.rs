//! Contact forces after a step: by point, by pair of colliders, by body.
//!
//! Forces are means over the step, in newtons: impulse over time. They are those of lasting
//! contacts; an impact is an event of its own ([`Event::Impact`](crate::Event::Impact)). A sleeping
//! contact keeps the force of the step in which it fell asleep.

use crate::bodies::Bodies;
use crate::contact::{MAX_POINTS, Manifold};
use crate::math::{DVec3, Real, Vec3, from_f64, to_f64};
use crate::physics::Physics;
use crate::resting::patch_wrench::{Friction, distribute};
use crate::state::State;
use crate::systems::narrow_phase::world_point;
use hecs::Entity;

/// A contact point after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPoint {
    /// The entities of the two colliders, the one with the lesser slot first.
    pub entities: [Entity; 2],
    /// The contact point (m, world).
    pub point: Vec3,
    /// Unit normal from the first to the second.
    pub normal: Vec3,
    /// Impulse on the second body over the step (N s, world), friction included: the friction of
    /// the manifold is distributed among its points by their normal impulses.
    pub impulse: Vec3,
    /// Mean force on the second body over the step (N, world).
    pub force: Vec3,
    /// Separation of the surfaces at the step's start (m): negative where they overlap.
    pub separation: Real,
}

/// The force between two colliders, all their contact points together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct PairForce {
    /// The entities of the two colliders, the one with the lesser slot first. Contacts of a contact
    /// source have those of the bodies, and [`Entity::DANGLING`] for the world.
    pub entities: [Entity; 2],
    /// Mean force on the second over the step, friction included (N, world).
    pub force: Vec3,
    /// The centre of pressure (m, world): the mean of the points, weighted by their normal forces.
    pub point: Vec3,
    /// Mean torque on the second about that point (N m, world).
    pub torque: Vec3,
}

impl ContactPoint {
    /// The same contact seen from the other side.
    fn swapped(self) -> Self {
        let Self { entities: [a, b], normal, impulse, force, .. } = self;
        Self { entities: [b, a], normal: -normal, impulse: -impulse, force: -force, ..self }
    }
}

impl Physics {
    /// The contact points of the last step, sleeping islands included, in the order of pairs.
    pub fn contacts(&self) -> impl Iterator<Item = ContactPoint> + '_ {
        let state = self.state();
        state.contacts.touching_manifolds().flat_map(move |(pair, manifold)| {
            let contact = LoadedManifold::new(state, pair, manifold);
            (0..manifold.count as usize).map(move |k| contact.point(k))
        })
    }

    /// The contact points of a body or collider after the last step, seen from its side: it is the
    /// second of each, so that normal, impulse and force are those on it. Without allocation, one
    /// test for each pair of the world.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    /// let hero = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 0.5, 0.0));
    /// let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    /// physics.step(&mut world, 1.0 / 60.0)?;
    /// let stands = physics.contacts_of(hero).any(|c| c.normal.y > 0.7 && c.force.y > 0.0);
    /// assert!(stands && physics.contacts_of(hero).all(|c| c.entities == [floor, hero]));
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    pub fn contacts_of(&self, entity: Entity) -> impl Iterator<Item = ContactPoint> + '_ {
        let state = self.state();
        let belongs = move |slot: u32| state.colliders.is_of(&state.bodies, slot as usize, entity);
        let sides = move |&(pair, _): &(usize, _)| {
            let pair = state.contacts.pairs[pair];
            belongs(pair.a) || belongs(pair.b)
        };
        state.contacts.touching_manifolds().filter(sides).flat_map(move |(pair, manifold)| {
            let first = belongs(state.contacts.pairs[pair].a);
            let contact = LoadedManifold::new(state, pair, manifold);
            (0..manifold.count as usize).map(move |k| if first { contact.point(k).swapped() } else { contact.point(k) })
        })
    }

    /// The force of each pair of colliders that touch or nearly do, sleeping islands included, in
    /// the order of pairs.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    /// let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    /// let [lower, upper] =
    ///     [0.5, 1.5].map(|y| world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, y, 0.0).mass(2.0)));
    /// for _ in 0..60 {
    ///     physics.step(&mut world, 1.0 / 60.0)?;
    /// }
    /// let weight = 2.0 * 9.81;
    /// assert!((physics.force_between(floor, lower).y - 2.0 * weight).abs() < 1e-3 * weight);
    /// assert!((physics.force_between(upper, lower).y + weight).abs() < 1e-3 * weight);
    /// assert!((physics.force_on(lower).y - weight).abs() < 1e-3 * weight);
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    pub fn pair_forces(&self) -> impl Iterator<Item = PairForce> + '_ {
        let state = self.state();
        let mut manifolds = state.contacts.touching_manifolds().peekable();
        std::iter::from_fn(move || {
            let (pair, manifold) = manifolds.next()?;
            let first = LoadedManifold::new(state, pair, manifold);
            let mut sum = PairSum::default();
            sum.add(&first);
            while let Some((_, part)) = manifolds.next_if(|(other, _)| *other == pair) {
                sum.add(&LoadedManifold::new(state, pair, part));
            }
            Some(sum.finish(first.entities))
        })
    }

    /// The mean force over the last step of all contacts of a body or collider on it (N, world). It
    /// iterates over all pairs: for many bodies, use [`pair_forces`](Self::pair_forces) once.
    pub fn force_on(&self, entity: Entity) -> Vec3 {
        let State { bodies, colliders, .. } = self.state();
        let belongs = |slot: u32| colliders.is_of(bodies, slot as usize, entity);
        self.sum_forces(|pair| i8::from(belongs(pair[1])) - i8::from(belongs(pair[0])))
    }

    /// The mean force over the last step that one collider exerts on another (N, world): zero if
    /// they do not touch. Extra colliders of the same body do not count.
    pub fn force_between(&self, from: Entity, on: Entity) -> Vec3 {
        let entity = |slot: u32| self.state().bodies.entity[slot as usize];
        self.sum_forces(|pair| {
            let pair = pair.map(entity);
            i8::from(pair == [from, on]) - i8::from(pair == [on, from])
        })
    }

    /// The sum of the forces on the second of each pair, times `sign` of its two slots.
    fn sum_forces(&self, sign: impl Fn([u32; 2]) -> i8) -> Vec3 {
        let state = self.state();
        let mut sum = DVec3::ZERO;
        for (number, manifold) in state.contacts.touching_manifolds() {
            let pair = state.contacts.pairs[number];
            let sign = sign([pair.a, pair.b]);
            if sign != 0 {
                let impulse = to_f64(manifold.friction_impulse) + to_f64(manifold.normal) * manifold.normal_impulse();
                sum += impulse * f64::from(sign) / LoadedManifold::new(state, number, manifold).time;
            }
        }
        from_f64(sum)
    }
}

/// A manifold with the impulse of each of its points.
struct LoadedManifold {
    manifold: Manifold,
    entities: [Entity; 2],
    points: [DVec3; MAX_POINTS],
    /// Impulses on the second body (N s).
    impulses: [DVec3; MAX_POINTS],
    /// The time over which they acted (s).
    time: f64,
}

impl LoadedManifold {
    fn new(state: &State, pair: usize, manifold: &Manifold) -> Self {
        let State { bodies, colliders, contacts, sleep, dt, .. } = state;
        let pair = contacts.pairs[pair];
        let [a, b] = [pair.a, pair.b].map(|slot| colliders.body[slot as usize]);
        let step = sleep.impulse_step(bodies, a).or_else(|| sleep.impulse_step(bodies, b)).unwrap_or(*dt);
        let count = manifold.count as usize;
        let (mut points, mut impulses) = ([DVec3::ZERO; MAX_POINTS], [DVec3::ZERO; MAX_POINTS]);
        let mut normal_impulses = [0.0; MAX_POINTS];
        for (k, p) in manifold.points().iter().enumerate() {
            points[k] = to_f64(world_point(bodies, a as usize, b as usize, p));
            normal_impulses[k] = f64::from(p.normal_impulse);
        }
        let friction = Friction { force: to_f64(manifold.friction_impulse), twist: manifold.twist_impulse.into() };
        distribute(
            to_f64(manifold.normal),
            &points[..count],
            &normal_impulses[..count],
            friction,
            &mut impulses[..count],
        );
        let entities = entities(bodies, [pair.a, pair.b]);
        Self { manifold: *manifold, entities, points, impulses, time: f64::from(step) }
    }

    fn point(&self, k: usize) -> ContactPoint {
        ContactPoint {
            entities: self.entities,
            point: from_f64(self.points[k]),
            normal: self.manifold.normal,
            impulse: from_f64(self.impulses[k]),
            force: from_f64(self.impulses[k] / self.time),
            separation: self.manifold.points[k].separation,
        }
    }
}

fn entities(bodies: &Bodies, slots: [u32; 2]) -> [Entity; 2] {
    slots.map(|slot| bodies.entity[slot as usize])
}

/// The forces of a pair, summed about the world's origin.
#[derive(Default)]
struct PairSum {
    force: DVec3,
    torque: DVec3,
    weighted: DVec3,
    weight: f64,
    places: DVec3,
    count: f64,
}

impl PairSum {
    fn add(&mut self, contact: &LoadedManifold) {
        let manifold = &contact.manifold;
        for (k, p) in manifold.points().iter().enumerate() {
            let (place, force, presses) =
                (contact.points[k], contact.impulses[k] / contact.time, f64::from(p.normal_impulse));
            self.force += force;
            self.torque += place.cross(force);
            self.weighted += place * presses;
            self.weight += presses;
            self.places += place;
            self.count += 1.0;
        }
        self.torque += to_f64(manifold.rolling_impulse) / contact.time;
    }

    fn finish(self, entities: [Entity; 2]) -> PairForce {
        let point = if self.weight > 0.0 { self.weighted / self.weight } else { self.places / self.count };
        PairForce {
            entities,
            force: from_f64(self.force),
            point: from_f64(point),
            torque: from_f64(self.torque - point.cross(self.force)),
        }
    }
}
