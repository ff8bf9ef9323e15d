//! The colliders that a character or vehicle may meet: the same as in the step, by layers, pair
//! filters and contact editors.

use crate::components::{BodySlot, CollisionLayers};
use crate::contact::{ContactEdit, Manifold, ManifoldPoint, SurfaceMotion};
use crate::math::{Real, Vec3};
use crate::physics::Physics;
use crate::query::{Filter, Hit, Probe, Queries, Ray, ShapeCast};
use crate::state::State;
use crate::systems::pair_rules::{ignore_each_other, is_sensor_pair};
use hecs::{Entity, World};
use std::cell::RefCell;

/// The user data of contact editors for the colliders near a character or vehicle:
/// [`user_data`](crate::contact::ContactEdit::user_data). Written by the systems of this module if
/// there are editors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactEditorMemory {
    memory: Vec<(Entity, u32)>,
}

impl ContactEditorMemory {
    fn find(list: &[(Entity, u32)], collider: Entity) -> Option<u32> {
        list.iter().find(|(known, _)| *known == collider).map(|(_, memory)| *memory)
    }
}

/// The filter of one character or vehicle.
#[derive(Clone, Copy)]
pub(super) struct CollisionFilter<'a> {
    pub world: &'a World,
    pub physics: &'a Physics,
    /// The body of the character or vehicle, and its slot.
    pub own: (Entity, usize),
    pub layers: CollisionLayers,
    /// A body to ignore.
    pub ignored: Option<Entity>,
    pub editor_memory: &'a EditorMemory,
}

/// The editors' user data before and after this step.
#[derive(Default)]
pub(super) struct EditorMemory {
    before: ContactEditorMemory,
    now: RefCell<Vec<(Entity, u32)>>,
}

impl EditorMemory {
    pub fn of(world: &World, entity: Entity) -> Self {
        let before =
            world.get::<&ContactEditorMemory>(entity).map_or(ContactEditorMemory::default(), |known| (*known).clone());
        Self { before, ..Self::default() }
    }

    /// The new user data, or `None` if nothing changed. Data of colliders not met again is dropped.
    pub fn into_changes(self) -> Option<ContactEditorMemory> {
        let mut memory = self.now.into_inner();
        memory.retain(|(_, memory)| *memory != 0);
        (memory != self.before.memory).then_some(ContactEditorMemory { memory })
    }
}

impl<'a> CollisionFilter<'a> {
    pub fn query(&self) -> Queries<'a> {
        self.physics.query()
    }

    /// The first hit of a shape cast.
    pub fn shape_cast(&self, cast: &ShapeCast) -> Option<Hit> {
        let ask = |filter: &Filter| self.query().shape_cast(cast, filter);
        let gap = |hit: &Hit| {
            if hit.distance > 0.0 {
                return -hit.distance * hit.normal.dot(cast.direction());
            }
            let only = |_, collider: Entity| collider == hit.collider;
            let touching = self.query().touching(cast.probe(), 0.0, &Filter::default().predicate(&only));
            touching.first().map_or(0.0, |deepest| deepest.distance)
        };
        self.first(ask, gap)
    }

    /// The first hit of a ray.
    pub fn ray(&self, ray: &Ray) -> Option<Hit> {
        self.first(|filter| self.query().ray(ray, filter), |hit| hit.distance)
    }

    /// All hits within a distance (m) of a shape.
    pub fn touching(&self, probe: &Probe, within: Real) -> Vec<Hit> {
        let may = may_meet(self.world, self.physics, self.own, self.ignored, &[]);
        let filter = Filter::default().layers(self.layers).predicate(&may);
        let mut hits = self.query().touching(probe, within, &filter);
        hits.retain(|hit| self.edited(hit, hit.distance).is_some());
        hits
    }

    /// The first hit of `ask` that the editors do not disable; `gap` is its distance (m).
    fn first(&self, ask: impl Fn(&Filter) -> Option<Hit>, gap: impl Fn(&Hit) -> Real) -> Option<Hit> {
        let mut excluded = Vec::new();
        loop {
            let hit = {
                let may = may_meet(self.world, self.physics, self.own, self.ignored, &excluded);
                ask(&Filter::default().layers(self.layers).predicate(&may))?
            };
            if !self.physics.hooks.has_editors() || self.edited(&hit, gap(&hit)).is_some() {
                return Some(hit);
            }
            excluded.push(hit.collider);
        }
    }

    /// The surface velocity at a hit, relative to its body (m/s, world), after the editors.
    pub fn edited_surface_velocity(&self, hit: &Hit) -> Vec3 {
        self.edited(hit, hit.distance).unwrap_or(Vec3::ZERO)
    }

    /// Calls the editors for a hit at a distance `gap` (m): its surface velocity relative to its
    /// body (m/s), or `None` if they disable the contact.
    fn edited(&self, hit: &Hit, gap: Real) -> Option<Vec3> {
        let (hooks, state) = (&self.physics.hooks, self.physics.state());
        let (bodies, colliders) = (&state.bodies, &state.colliders);
        let Some(other) = slot_of(self.world, hit.collider) else { return Some(Vec3::ZERO) };
        let body = colliders.body[other] as usize;
        let surface_velocity = bodies.orientation[body] * colliders.surface_velocity[other];
        if !hooks.has_editors() {
            return Some(surface_velocity);
        }
        // The smaller slot comes first, as in the step.
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
        let own_surface_velocity = bodies.orientation[own] * colliders.surface_velocity[own];
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
            surface_velocity: (surface_velocity - own_surface_velocity) * sign,
            user_data: self.stored_user_data(hit.collider),
            manifolds: std::slice::from_mut(&mut manifold),
        };
        hooks.edit(self.world, &mut contact);
        let (velocity, memory) = (contact.surface_velocity * sign + own_surface_velocity, contact.user_data);
        self.store_user_data(hit.collider, memory);
        (manifold.count > 0).then_some(if velocity.is_finite() { velocity } else { surface_velocity })
    }

    fn stored_user_data(&self, collider: Entity) -> u32 {
        let now = ContactEditorMemory::find(&self.editor_memory.now.borrow(), collider);
        now.or_else(|| ContactEditorMemory::find(&self.editor_memory.before.memory, collider)).unwrap_or(0)
    }

    fn store_user_data(&self, collider: Entity, memory: u32) {
        let mut now = self.editor_memory.now.borrow_mut();
        match now.iter_mut().find(|(known, _)| *known == collider) {
            Some(known) => known.1 = memory,
            None => now.push((collider, memory)),
        }
    }
}

/// The slot of a collider, if the last step knew it.
fn slot_of(world: &World, collider: Entity) -> Option<usize> {
    world.get::<&BodySlot>(collider).ok()?.get().map(|slot| slot as usize)
}

/// The predicate for queries: the game's pair filters, without the colliders in `excluded`.
fn may_meet<'a>(
    world: &'a World,
    physics: &'a Physics,
    own: (Entity, usize),
    ignored: Option<Entity>,
    excluded: &'a [Entity],
) -> impl Fn(Entity, Entity) -> bool + Sync + 'a {
    let hooks = &physics.hooks;
    let State { bodies, colliders, .. } = physics.state();
    move |body, collider| {
        let (entity, slot) = own;
        if body == entity || Some(body) == ignored || excluded.contains(&collider) {
            return false;
        }
        let other = slot_of(world, collider);
        let pass = |other: usize| {
            is_sensor_pair(bodies, colliders, [slot, other]) || ignore_each_other(bodies, colliders, [slot, other])
        };
        if other.is_some_and(pass) {
            return false;
        }
        let first = other.is_none_or(|other| slot < other);
        hooks.may_collide(world, if first { [entity, collider] } else { [collider, entity] })
    }
}
