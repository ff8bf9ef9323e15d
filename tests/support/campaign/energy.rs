//! Islands that nothing drives gain no energy.
//!
//! Islands in overlaps that are deep against their bodies, and those with a joint whose ends an
//! edit may have taken apart, are counted apart.

use super::live::Live;
use super::plan::Plan;
use super::tally::{Fault, FaultKind, Tally};
use dolmen::components::Joint;
use dolmen::math::Real;
use hecs::Entity;
use std::collections::HashMap;

/// Gain from which the guard takes it out.
const GUARD: f64 = 0.1;

/// Gain that an event tells.
pub const TOLD: f64 = 1e-3;

/// Speed in lengths a second of what rests without weight, whose energy would be nothing to compare
/// with.
pub const CREEP: f64 = 1e-3;

/// Overlap from which an island counts as deep, relative to its smallest body's reach.
pub const DEEP: Real = 0.01;

/// Looks at the account of energy.
pub struct Energy {
    fault: f64,
    strict: bool,
}

impl Energy {
    pub fn new(plan: &Plan) -> Self {
        Self { fault: plan.gain.unwrap_or(f64::INFINITY), strict: plan.strict }
    }

    pub fn look(&self, live: &Live, tally: &mut Tally) -> Result<(), Fault> {
        let (account, bodies) = (live.physics.energy_account(), &live.physics.state().bodies);
        let creep = CREEP * f64::from(live.physics.settings.length_unit);
        tally.fired += account.islands.iter().filter(|island| island.balance.removed > 0.0).count() as u64;
        let mut reach = None;
        for island in account.islands.iter().filter(|island| !island.driven) {
            let members = &account.bodies[island.bodies.clone()];
            let mass: f64 = members.iter().map(|&slot| f64::from(bodies.mass[slot as usize])).sum();
            let scale = island.scale + 0.5 * mass * creep * creep;
            let lifted = if self.strict { island.balance.push_out } else { 0.0 };
            let ratio = (island.balance.gained + lifted - island.balance.removed) / scale;
            let is_deep = || {
                let reach = reach.get_or_insert_with(|| reaches(live));
                let members: Vec<Entity> = members.iter().map(|&slot| bodies.entity[slot as usize]).collect();
                let reaches = members.iter().filter_map(|entity| reach.get(entity).copied());
                island.depth > f64::from(DEEP * reaches.fold(Real::INFINITY, Real::min)) || strained(live, &members)
            };
            let text = || format!("of {:.3e} J, {} bodies, {:?}", island.scale, members.len(), island.balance);
            self.count(ratio, is_deep, text, tally)?;
        }
        Ok(())
    }

    /// Counts an island that nothing drives, and its gain relative to its scale.
    pub fn count(
        &self,
        ratio: f64,
        is_deep: impl FnOnce() -> bool,
        text: impl FnOnce() -> String,
        tally: &mut Tally,
    ) -> Result<(), Fault> {
        tally.islands += 1;
        if ratio <= self.fault.min(TOLD) {
            tally.gain = tally.gain.max(ratio);
            return Ok(());
        }
        if !self.strict && is_deep() {
            tally.deep_islands += 1;
            tally.deep_guarded += u64::from(ratio > GUARD);
            tally.deep_gain = tally.deep_gain.max(ratio);
            return Ok(());
        }
        tally.gains += 1;
        tally.guarded += u64::from(ratio > GUARD);
        tally.gain = tally.gain.max(ratio);
        if ratio > self.fault { Err(Fault::new(FaultKind::Gain, format!("{ratio:.3e} {}", text()))) } else { Ok(()) }
    }
}

/// Bodies of the islands that something drives.
pub fn driven(live: &Live) -> Vec<Entity> {
    let (account, bodies) = (live.physics.energy_account(), &live.physics.state().bodies);
    let islands = account.islands.iter().filter(|island| island.driven);
    let slots = islands.flat_map(|island| &account.bodies[island.bodies.clone()]);
    slots.map(|&slot| bodies.entity[slot as usize]).collect()
}

/// Radii of balls that contain the bodies (m).
pub fn reaches(live: &Live) -> HashMap<Entity, Real> {
    live.bodies.iter().filter_map(|(id, &e)| Some((e, *live.reach.get(id)?))).collect()
}

/// True if an edit may have taken the ends of a joint of these bodies apart.
pub fn strained(live: &Live, members: &[Entity]) -> bool {
    live.strained
        .iter()
        .filter_map(|&joint| live.world.get::<&Joint>(joint).ok())
        .any(|joint| joint.bodies.into_iter().flatten().any(|body| members.contains(&body)))
}
