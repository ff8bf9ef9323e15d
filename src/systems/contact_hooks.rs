//! After the narrow phase, **contact hooks**: surfaces that run, and what the game's editors make of the contacts.

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::contact::{ContactEdit, ContactGraph, ContactHooks, Look, Manifold, Pair, Record, Status, SurfaceMotion};
use crate::index::NONE;
use crate::math::Real;
use crate::parallel::Apart;
use crate::systems::state::State;
use crate::tolerances::TOUCH;
use hecs::World;

/// Fewer pairs than this are not worth handing to another thread.
const LEAST_PIECE: usize = 256;

struct Context<'a> {
    world: &'a World,
    bodies: &'a Bodies,
    colliders: &'a Colliders,
    hooks: &'a ContactHooks,
    touch: Real,
}

/// Runs the stage.
pub fn run(world: &World, state: &mut State, hooks: &ContactHooks) {
    let State { bodies, colliders, contacts, settings, helpers, awake, .. } = state;
    if !hooks.edits() && !colliders.any_runs {
        return;
    }
    let context = Context { world, bodies, colliders, hooks, touch: TOUCH * settings.length_unit };
    let ContactGraph { pairs, status, looks, places, records, manifolds, composites, .. } = contacts;
    let (own, parts) = manifolds.split_at_mut(records.len());
    let (own, of_pairs) = (Apart::new(own), Apart::new(records));
    helpers.over_listed(
        &awake.pairs,
        (pairs, status, looks),
        &mut vec![],
        LEAST_PIECE,
        &|number, _, status, _| {
            let place = places[number as usize];
            own.call(place);
            of_pairs.call(place);
            place != NONE && !status.has(Status::COMPOSITE)
        },
        &|number, pair, status, look, ()| {
            let place = places[number as usize];
            // SAFETY: each number is visited once, and no two pairs own the same place.
            if let (Some(manifold), Some(record)) = unsafe { (own.get(place), of_pairs.get(place)) } {
                context.visit(pair, status, look, record, std::slice::from_mut(manifold));
            }
        },
    );
    let mut rest = parts;
    for composite in composites.iter() {
        let (parts, behind) = rest.split_at_mut(composite.parts.len());
        rest = behind;
        let pair = composite.pair as usize;
        let record = &mut records[places[pair] as usize];
        context.visit(&mut pairs[pair], &mut status[pair], &mut looks[pair], record, parts);
    }
}

impl Context<'_> {
    fn visit(
        &self,
        pair: &mut Pair,
        status: &mut Status,
        look: &mut Look,
        record: &mut Record,
        manifolds: &mut [Manifold],
    ) {
        if pair.a == NONE || !status.has(Status::ACTIVE) {
            return;
        }
        let Self { bodies, colliders, .. } = *self;
        let slots = [pair.a, pair.b].map(|slot| slot as usize);
        let owners = slots.map(|slot| colliders.body[slot] as usize);
        // What was let through is asked about again even when it is parked: it must not be taken for a contact.
        if !status.has(Status::DISABLED) && !owners.iter().any(|&body| bodies.is_active(body)) {
            return;
        }
        let ran = record.surface_velocity;
        if !status.has(Status::SOURCE) {
            let [on_a, on_b] = [0, 1].map(|i| bodies.orientation[owners[i]] * colliders.surface_velocity[slots[i]]);
            record.surface_velocity = on_b - on_a;
            if self.hooks.edits() {
                record.material = colliders.material[slots[0]].with(&colliders.material[slots[1]]);
            }
        }
        if self.hooks.edits() {
            let taken = self.edit(slots, owners, status, (look, record), manifolds);
            if taken {
                // The narrow phase looks at it again in the next step.
                pair.valid_until = f64::NEG_INFINITY;
                record.valid_until = f64::NEG_INFINITY;
            }
        }
        if record.surface_velocity != ran {
            // What the solver keeps of the pair says otherwise.
            record.renew();
        }
    }

    /// Lets the editors at a contact; tells whether they took points away.
    fn edit(
        &self,
        slots: [usize; 2],
        owners: [usize; 2],
        status: &mut Status,
        (look, record): (&mut Look, &mut Record),
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
            memory: look.memory,
            manifolds,
        };
        self.hooks.edit(self.world, &mut contact);
        let ContactEdit { material, surface_velocity, memory, manifolds, .. } = contact;
        look.memory = memory;
        if material.problem().is_none() {
            record.material = material;
        }
        if surface_velocity.is_finite() {
            record.surface_velocity = surface_velocity;
        }
        let after = points(manifolds);
        if after < before {
            record.renew();
            let touches = manifolds.iter().any(|m| m.points().iter().any(|p| p.separation <= self.touch));
            status.set(Status::TOUCHING, touches);
        }
        status.set(Status::ACTIVE, after > 0);
        status.set(Status::DISABLED, after == 0);
        after < before
    }
}
