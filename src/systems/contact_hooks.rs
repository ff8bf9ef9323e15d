//! After the narrow phase, **contact hooks**: surfaces that run, and what the game's editors make of the contacts.

use crate::bodies::{Bodies, NONE};
use crate::colliders::Colliders;
use crate::contact::{ContactEdit, ContactGraph, ContactHooks, Manifold, Pair, Record, Status, SurfaceMotion};
use crate::math::Real;
use crate::parallel;
use crate::state::State;
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
    let State { bodies, colliders, contacts, settings, threads, awake, .. } = state;
    if !hooks.edits() && !colliders.any_runs {
        return;
    }
    let context = Context { world, bodies, colliders, hooks, touch: TOUCH * settings.length_unit };
    let ContactGraph { pairs, status, records, manifolds, composites, .. } = contacts;
    let (own, parts) = manifolds.split_at_mut(pairs.len());
    let slices = (pairs.as_mut_slice(), status.as_mut_slice(), records.as_mut_slice(), own);
    parallel::sum_over_listed(&awake.pairs, slices, *threads, LEAST_PIECE, &|pair, status, record, manifold| {
        if !status.has(Status::COMPOSITE) {
            context.visit(pair, status, record, std::slice::from_mut(manifold));
        }
        0
    });
    let mut rest = parts;
    for composite in composites.iter() {
        let (parts, behind) = rest.split_at_mut(composite.parts.len());
        rest = behind;
        let pair = composite.pair as usize;
        context.visit(&mut pairs[pair], &mut status[pair], &mut records[pair], parts);
    }
}

impl Context<'_> {
    fn visit(&self, pair: &mut Pair, status: &mut Status, record: &mut Record, manifolds: &mut [Manifold]) {
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
            let taken = self.edit(slots, owners, status, record, manifolds);
            if taken {
                // The narrow phase looks at it again in the next step.
                pair.valid_until = f64::NEG_INFINITY;
                record.valid_until = f64::NEG_INFINITY;
            }
        }
        if record.surface_velocity != ran {
            // What the solver keeps of the pair says otherwise.
            record.revision = record.revision.wrapping_add(1).max(1);
        }
    }

    /// Lets the editors at a contact; tells whether they took points away.
    fn edit(
        &self,
        slots: [usize; 2],
        owners: [usize; 2],
        status: &mut Status,
        record: &mut Record,
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
            memory: record.memory,
            manifolds,
        };
        self.hooks.edit(self.world, &mut contact);
        let ContactEdit { material, surface_velocity, memory, manifolds, .. } = contact;
        record.memory = memory;
        if material.problem().is_none() {
            record.material = material;
        }
        if surface_velocity.is_finite() {
            record.surface_velocity = surface_velocity;
        }
        let after = points(manifolds);
        if after < before {
            record.revision = record.revision.wrapping_add(1).max(1);
            let touches = manifolds.iter().any(|m| m.points().iter().any(|p| p.separation <= self.touch));
            status.set(Status::TOUCHING, touches);
        }
        status.set(Status::ACTIVE, after > 0);
        status.set(Status::DISABLED, after == 0);
        after < before
    }
}
