//! Stage 5, **contact hooks**: surface velocities, and user-defined contact editors.

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::contact::{
    ContactEdit, ContactGraph, ContactHooks, ContactRecord, Manifold, NarrowPhaseCache, Pair, Status, SurfaceMotion,
};
use crate::ids::NONE;
use crate::math::Real;
use crate::parallel::DisjointSlice;
use crate::state::State;
use crate::tolerances::CONTACT;
use hecs::World;

/// Least number of pairs for another thread.
const MIN_CHUNK: usize = 256;

struct Context<'a> {
    world: &'a World,
    bodies: &'a Bodies,
    colliders: &'a Colliders,
    hooks: &'a ContactHooks,
    touch: Real,
}

/// Runs the stage.
pub fn run(world: &World, state: &mut State, hooks: &ContactHooks) {
    let State { bodies, colliders, contacts, settings, helpers, active_set, .. } = state;
    if !hooks.has_editors() && !colliders.any_runs {
        return;
    }
    let context = Context { world, bodies, colliders, hooks, touch: CONTACT.touch * settings.length_unit };
    let ContactGraph { pairs, status, caches, manifold_index, records, manifolds, composites, .. } = contacts;
    let (pool, parts) = manifolds.split_at_mut(records.len());
    let (pool, record_pool) = (DisjointSlice::new(pool), DisjointSlice::new(records));
    helpers.for_each_listed(
        &active_set.pairs,
        (pairs, status, caches),
        &mut vec![],
        MIN_CHUNK,
        &|number, _, status, _| {
            let index = manifold_index[number as usize];
            pool.prefetch(index);
            record_pool.prefetch(index);
            index != NONE && !status.has(Status::COMPOSITE)
        },
        &|number, pair, status, cached, ()| {
            let index = manifold_index[number as usize];
            // SAFETY: each pair is visited once, and no two pairs own the same entry.
            if let (Some(manifold), Some(record)) = unsafe { (pool.get(index), record_pool.get(index)) } {
                context.update_pair(pair, status, cached, record, std::slice::from_mut(manifold));
            }
        },
    );
    let mut rest = parts;
    for composite in composites.iter() {
        let (parts, behind) = rest.split_at_mut(composite.parts.len());
        rest = behind;
        let pair = composite.pair as usize;
        let record = &mut records[manifold_index[pair] as usize];
        context.update_pair(&mut pairs[pair], &mut status[pair], &mut caches[pair], record, parts);
    }
}

impl Context<'_> {
    fn update_pair(
        &self,
        pair: &mut Pair,
        status: &mut Status,
        cached: &mut NarrowPhaseCache,
        record: &mut ContactRecord,
        manifolds: &mut [Manifold],
    ) {
        if pair.a == NONE || !status.has(Status::ACTIVE) {
            return;
        }
        let Self { bodies, colliders, .. } = *self;
        let slots = [pair.a, pair.b].map(|slot| slot as usize);
        let owners = slots.map(|slot| colliders.body[slot] as usize);
        // A disabled contact is edited again even if its bodies sleep: it must not count as a
        // contact.
        if !status.has(Status::DISABLED) && !owners.iter().any(|&body| bodies.is_active(body)) {
            return;
        }
        let previous_surface_velocity = record.surface_velocity;
        if !status.has(Status::SOURCE) {
            let [on_a, on_b] = [0, 1].map(|i| bodies.orientation[owners[i]] * colliders.surface_velocity[slots[i]]);
            record.surface_velocity = on_b - on_a;
            if self.hooks.has_editors() {
                record.material = colliders.material[slots[0]].with(&colliders.material[slots[1]]);
            }
        }
        if self.hooks.has_editors() {
            let taken = self.edit(slots, owners, status, (cached, record), manifolds);
            if taken {
                // The narrow phase updates the pair again in the next step.
                pair.valid_until = f64::NEG_INFINITY;
                record.valid_until = f64::NEG_INFINITY;
            }
        }
        if record.surface_velocity != previous_surface_velocity {
            // The solver's rows of the pair are out of date.
            record.bump_revision();
        }
    }

    /// Runs the editors on a contact; tells whether they removed points.
    fn edit(
        &self,
        slots: [usize; 2],
        owners: [usize; 2],
        status: &mut Status,
        (cached, record): (&mut NarrowPhaseCache, &mut ContactRecord),
        manifolds: &mut [Manifold],
    ) -> bool {
        let bodies = self.bodies;
        let points = |manifolds: &[Manifold]| manifolds.iter().map(|m| m.count).sum::<u32>();
        let before = points(manifolds);
        let mut contact = ContactEdit {
            entities: slots.map(|slot| bodies.entity[slot]),
            bodies: owners.map(|body| SurfaceMotion {
                entity: bodies.entity[body],
                center: bodies.center[body],
                linear_velocity: bodies.linear_velocity[body],
                angular_velocity: bodies.angular_velocity[body],
            }),
            material: record.material,
            surface_velocity: record.surface_velocity,
            user_data: cached.user_data,
            manifolds,
        };
        self.hooks.edit(self.world, &mut contact);
        let ContactEdit { material, surface_velocity, user_data, manifolds, .. } = contact;
        cached.user_data = user_data;
        if material.problem().is_none() {
            record.material = material;
        }
        if surface_velocity.is_finite() {
            record.surface_velocity = surface_velocity;
        }
        let after = points(manifolds);
        if after < before {
            record.bump_revision();
            let touches = manifolds.iter().any(|m| m.points().iter().any(|p| p.separation <= self.touch));
            status.set(Status::TOUCHING, touches);
        }
        status.set(Status::ACTIVE, after > 0);
        status.set(Status::DISABLED, after == 0);
        after < before
    }
}
