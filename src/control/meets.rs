//! What a steered body meets: what the step would let it, by layers, pair filters and contact editors.

use crate::components::{BodySlot, CollisionLayers};
use crate::contact::{ContactEdit, Manifold, ManifoldPoint, SurfaceMotion};
use crate::math::{Real, Vec3};
use crate::physics::Physics;
use crate::query::{Filter, Hit, Probe, Queries, Ray, ShapeCast};
use hecs::{Entity, World};
use std::cell::RefCell;

/// What the contact editors remember of the colliders that a character or a vehicle is near: their
/// [`memory`](crate::contact::ContactEdit::memory). Written by the systems of this module where there are editors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Acquaintance {
    memory: Vec<(Entity, u32)>,
}

impl Acquaintance {
    fn find(list: &[(Entity, u32)], collider: Entity) -> Option<u32> {
        list.iter().find(|(known, _)| *known == collider).map(|(_, memory)| *memory)
    }
}

/// What one steered body may meet.
#[derive(Clone, Copy)]
pub(super) struct Meets<'a> {
    pub world: &'a World,
    pub physics: &'a Physics,
    /// The steered body, and its slot.
    pub own: (Entity, usize),
    pub layers: CollisionLayers,
    /// A body that does not count.
    pub without: Option<Entity>,
    pub known: &'a Known,
}

/// What the editors remember, before and after this step.
#[derive(Default)]
pub(super) struct Known {
    before: Acquaintance,
    now: RefCell<Vec<(Entity, u32)>>,
}

impl Known {
    pub fn of(world: &World, entity: Entity) -> Self {
        let before = world.get::<&Acquaintance>(entity).map_or(Acquaintance::default(), |known| (*known).clone());
        Self { before, ..Self::default() }
    }

    /// What is remembered from now on: what was not met again is forgotten. `None` if nothing changed.
    pub fn into_changes(self) -> Option<Acquaintance> {
        let mut memory = self.now.into_inner();
        memory.retain(|(_, memory)| *memory != 0);
        (memory != self.before.memory).then_some(Acquaintance { memory })
    }
}

impl<'a> Meets<'a> {
    pub fn query(&self) -> Queries<'a> {
        self.physics.query()
    }

    /// The first surface in the way of a shape.
    pub fn shape_cast(&self, cast: &ShapeCast) -> Option<Hit> {
        let ask = |filter: &Filter| self.query().shape_cast(cast, filter);
        let gap = |hit: &Hit| {
            if hit.distance > 0.0 {
                return -hit.distance * hit.normal.dot(cast.direction());
            }
            let only = |_, collider: Entity| collider == hit.collider;
            let touching = self.query().touching(cast.probe(), 0.0, &Filter::default().predicate(&only));
            touching.ok().and_then(|hits| hits.first().map(|deepest| deepest.distance)).unwrap_or(0.0)
        };
        self.first(ask, gap)
    }

    /// The first surface on a ray.
    pub fn ray(&self, ray: &Ray) -> Option<Hit> {
        self.first(|filter| self.query().ray(ray, filter), |hit| hit.distance)
    }

    /// Everything that a shape touches or comes within a distance of (m).
    pub fn touching(&self, probe: &Probe, within: Real) -> Vec<Hit> {
        let may = may_meet(self.world, self.physics, self.own, self.without, &[]);
        let filter = Filter::default().layers(self.layers).predicate(&may);
        let mut hits = self.query().touching(probe, within, &filter).unwrap_or_default();
        hits.retain(|hit| self.edited(hit, hit.distance).is_some());
        hits
    }

    /// The first of what `ask` finds that the editors leave; `gap` is how far off it is (m).
    fn first(&self, ask: impl Fn(&Filter) -> Option<Hit>, gap: impl Fn(&Hit) -> Real) -> Option<Hit> {
        let mut passed = Vec::new();
        loop {
            let hit = {
                let may = may_meet(self.world, self.physics, self.own, self.without, &passed);
                ask(&Filter::default().layers(self.layers).predicate(&may))?
            };
            if !self.physics.hooks.edits() || self.edited(&hit, gap(&hit)).is_some() {
                return Some(hit);
            }
            passed.push(hit.collider);
        }
    }

    /// How the surface of what was met runs over its body there (m/s, world), as the editors leave it.
    pub fn surface_velocity(&self, hit: &Hit) -> Vec3 {
        self.edited(hit, hit.distance).unwrap_or(Vec3::ZERO)
    }

    /// Asks the editors about a surface that is a gap (m) off: its velocity over its body (m/s), or nothing if they take it away.
    fn edited(&self, hit: &Hit, gap: Real) -> Option<Vec3> {
        let (hooks, state) = (&self.physics.hooks, self.physics.state());
        let (bodies, colliders) = (&state.bodies, &state.colliders);
        let Some(other) = slot_of(self.world, hit.collider) else { return Some(Vec3::ZERO) };
        let body = colliders.body[other] as usize;
        let runs = bodies.orientation[body] * colliders.surface_velocity[other];
        if !hooks.edits() {
            return Some(runs);
        }
        // The lesser slot comes first, as in a step.
        let (entity, own) = self.own;
        let first = own < other;
        let order = |pair: [Entity; 2]| if first { pair } else { [pair[1], pair[0]] };
        let motion = |body: usize| SurfaceMotion {
            entity: bodies.entity[body],
            center: bodies.center[body],
            linear_velocity: bodies.linear_velocity[body],
            angular_velocity: bodies.angular_velocity[body],
        };
        let sign = if first { 1.0 } else { -1.0 };
        let own_runs = bodies.orientation[own] * colliders.surface_velocity[own];
        let [a, b] = if first { [own, body] } else { [body, own] };
        let mut manifold = Manifold { normal: hit.normal * -sign, count: 1, ..Manifold::default() };
        let own_point = hit.point + hit.normal * gap;
        let [on_a, on_b] = if first { [own_point, hit.point] } else { [hit.point, own_point] };
        let anchor = |body: usize, point: Vec3| bodies.orientation[body].inverse() * (point - bodies.center[body]);
        let (anchor_a, anchor_b) = (anchor(a, on_a), anchor(b, on_b));
        manifold.points[0] = ManifoldPoint { anchor_a, anchor_b, separation: gap, ..ManifoldPoint::default() };
        let material = if first { [own, other] } else { [other, own] }.map(|slot| &colliders.material[slot]);
        let mut contact = ContactEdit {
            entities: order([entity, hit.collider]),
            bodies: [motion(a), motion(b)],
            material: material[0].with(material[1]),
            surface_velocity: (runs - own_runs) * sign,
            memory: self.remembered(hit.collider),
            manifolds: std::slice::from_mut(&mut manifold),
        };
        hooks.edit(self.world, &mut contact);
        let (velocity, memory) = (contact.surface_velocity * sign + own_runs, contact.memory);
        self.remember(hit.collider, memory);
        (manifold.count > 0).then_some(if velocity.is_finite() { velocity } else { runs })
    }

    fn remembered(&self, collider: Entity) -> u32 {
        let now = Acquaintance::find(&self.known.now.borrow(), collider);
        now.or_else(|| Acquaintance::find(&self.known.before.memory, collider)).unwrap_or(0)
    }

    fn remember(&self, collider: Entity, memory: u32) {
        let mut now = self.known.now.borrow_mut();
        match now.iter_mut().find(|(known, _)| *known == collider) {
            Some(known) => known.1 = memory,
            None => now.push((collider, memory)),
        }
    }
}

/// The slot of a collider that the last step knew.
fn slot_of(world: &World, collider: Entity) -> Option<usize> {
    world.get::<&BodySlot>(collider).ok()?.get().map(|slot| slot as usize)
}

/// Whether the game's filters let a steered body meet a collider, and it is none of those that it `passed` by already.
fn may_meet<'a>(
    world: &'a World,
    physics: &'a Physics,
    own: (Entity, usize),
    without: Option<Entity>,
    passed: &'a [Entity],
) -> impl Fn(Entity, Entity) -> bool + Sync + 'a {
    let hooks = &physics.hooks;
    move |body, collider| {
        let (entity, slot) = own;
        if body == entity || Some(body) == without || passed.contains(&collider) {
            return false;
        }
        let first = slot_of(world, collider).is_none_or(|other| slot < other);
        hooks.may_meet(world, if first { [entity, collider] } else { [collider, entity] })
    }
}
