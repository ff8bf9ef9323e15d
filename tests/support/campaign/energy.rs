//! Islands that nothing drives gain no energy.
//!
//! Bodies that are born or teleported into each other are pushed out, which lifts them: their
//! islands are counted apart.

use super::live::Live;
use super::plan::Plan;
use super::tally::{Fault, FaultKind, Tally};
use dolmen::components::{ColliderOf, Position};
use dolmen::math::Real;
use hecs::Entity;
use std::collections::{BTreeMap, HashSet};

/// Gain from which the guard takes it out.
const GUARD: f64 = 0.1;

/// Gain that an event tells.
const TOLD: f64 = 1e-3;

/// Overlap from which bodies are pushed out, relative to the smaller body's reach.
const DEEP: Real = 0.01;

/// Looks at the account of energy.
pub struct Energy {
    fault: f64,
}

impl Energy {
    pub fn new(plan: &Plan) -> Self {
        Self { fault: plan.gain.unwrap_or(f64::INFINITY) }
    }

    pub fn look(&mut self, live: &Live, tally: &mut Tally) -> Result<(), Fault> {
        let (account, bodies) = (live.physics.energy_account(), &live.physics.state().bodies);
        let mut deep = None;
        for island in account.islands.iter().filter(|island| !island.driven) {
            let ratio = if island.balance.gained > 0.0 { island.balance.gained / island.scale } else { 0.0 };
            tally.islands += 1;
            if ratio <= TOLD {
                tally.gain = tally.gain.max(ratio);
                continue;
            }
            let deep = deep.get_or_insert_with(|| overlapping(live));
            let members = &account.bodies[island.bodies.clone()];
            if members.iter().any(|&slot| deep.contains(&bodies.entity[slot as usize])) {
                tally.deep_islands += 1;
                tally.deep_guarded += u64::from(ratio > GUARD);
                tally.deep_gain = tally.deep_gain.max(ratio);
                continue;
            }
            tally.gains += 1;
            tally.guarded += u64::from(ratio > GUARD);
            tally.gain = tally.gain.max(ratio);
            if ratio > self.fault {
                let text =
                    format!("{ratio:.3e} of {:.3e} J, {} bodies, {:?}", island.scale, members.len(), island.balance);
                return Err(Fault::new(FaultKind::Gain, text));
            }
        }
        Ok(())
    }
}

/// Bodies that began the step in a deep overlap.
fn overlapping(live: &Live) -> HashSet<Entity> {
    let reach: BTreeMap<Entity, Real> =
        live.bodies.iter().filter_map(|(id, &e)| Some((e, *live.reach.get(id)?))).collect();
    let of = |e: Entity| reach.get(&e).copied().unwrap_or(Real::INFINITY);
    let mut deep = HashSet::new();
    for contact in live.physics.contacts() {
        let [a, b] = contact.entities;
        if contact.separation < -DEEP * of(a).min(of(b)) {
            deep.extend(contact.entities.iter().map(|&e| body_of(live, e)));
        }
    }
    deep
}

/// The body of a collider.
pub fn body_of(live: &Live, collider: Entity) -> Entity {
    match live.world.get::<&ColliderOf>(collider) {
        Ok(of) if live.world.get::<&Position>(collider).is_err() => of.body,
        _ => collider,
    }
}
