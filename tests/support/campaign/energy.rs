//! Islands that nothing drives gain no energy.
//!
//! A body that is pushed out of an overlap is lifted, at most by the depth at the step's start: that
//! work of gravity and forces is no gain. Islands in overlaps that are deep against their bodies are
//! counted apart.

use super::live::Live;
use super::plan::Plan;
use super::tally::{Fault, FaultKind, Tally};
use dolmen::components::{ColliderOf, Position};
use dolmen::math::Real;
use hecs::Entity;
use std::collections::{BTreeMap, HashMap};

/// Gain from which the guard takes it out.
const GUARD: f64 = 0.1;

/// Gain that an event tells.
const TOLD: f64 = 1e-3;

/// Speed in lengths a second of what rests without weight, whose energy would be nothing to compare
/// with.
const CREEP: f64 = 1e-3;

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
        let creep = CREEP * f64::from(live.physics.settings.length_unit);
        let mut overlaps = None;
        for island in account.islands.iter().filter(|island| !island.driven) {
            let members = &account.bodies[island.bodies.clone()];
            let mass: f64 = members.iter().map(|&slot| f64::from(bodies.mass[slot as usize])).sum();
            let scale = island.scale + 0.5 * mass * creep * creep;
            let of = |gain: f64| gain.max(0.0) / scale;
            let ratio = of(island.balance.gained);
            tally.islands += 1;
            if ratio <= TOLD {
                tally.gain = tally.gain.max(ratio);
                continue;
            }
            let overlaps = overlaps.get_or_insert_with(|| overlapping(live));
            let met = || members.iter().filter_map(|&slot| overlaps.get(&bodies.entity[slot as usize]));
            let depth = met().fold(0.0, |most: Real, overlap| most.max(overlap.depth));
            let force = |slot: u32| f64::from(bodies.mass[slot as usize] * bodies.acceleration[slot as usize].length());
            let lift = f64::from(depth) * members.iter().map(|&slot| force(slot)).sum::<f64>();
            let ratio = of(island.balance.gained - lift);
            if ratio <= TOLD {
                tally.gain = tally.gain.max(ratio);
                continue;
            }
            if met().any(|overlap| overlap.relative > DEEP) {
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

/// The deepest overlap of a body at the step's start.
#[derive(Clone, Copy, Default)]
struct Overlap {
    /// m.
    depth: Real,
    /// Relative to the smaller body's reach.
    relative: Real,
}

/// Bodies that began the step in an overlap.
fn overlapping(live: &Live) -> HashMap<Entity, Overlap> {
    let reach: BTreeMap<Entity, Real> =
        live.bodies.iter().filter_map(|(id, &e)| Some((e, *live.reach.get(id)?))).collect();
    let of = |e: Entity| reach.get(&e).copied().unwrap_or(Real::INFINITY);
    let mut overlaps: HashMap<Entity, Overlap> = HashMap::new();
    for contact in live.physics.contacts().filter(|contact| contact.separation < 0.0) {
        let [a, b] = contact.entities;
        let (depth, reach) = (-contact.separation, of(a).min(of(b)));
        for body in contact.entities.map(|e| body_of(live, e)) {
            let overlap = overlaps.entry(body).or_default();
            overlap.depth = overlap.depth.max(depth);
            overlap.relative = overlap.relative.max(depth / reach);
        }
    }
    overlaps
}

/// The body of a collider.
pub fn body_of(live: &Live, collider: Entity) -> Entity {
    match live.world.get::<&ColliderOf>(collider) {
        Ok(of) if live.world.get::<&Position>(collider).is_err() => of.body,
        _ => collider,
    }
}
