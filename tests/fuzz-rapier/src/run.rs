//! Runs a plan in Rapier, and looks after each step.

use crate::campaign::energy::{Energy, TOLD};
use crate::campaign::floor::Floor;
use crate::campaign::run::{caught, work};
use crate::campaign::{Clock, Fault, FaultKind, Plan, Tally, checks};
use crate::energy;
use crate::rival::Rival;
use std::cell::Cell;
use std::time::Duration;

/// Time of a step after which a world is given up: a step cannot be interrupted.
const LONGEST: Duration = Duration::from_secs(2);

/// Runs a plan up to its first fault. Work is compared only with a clock.
pub fn run(plan: &Plan, clock: Option<Clock>) -> (Tally, Option<Fault>) {
    caught(|tally, at| steps(plan, clock, tally, at))
}

fn steps(plan: &Plan, clock: Option<Clock>, tally: &mut Tally, at: &Cell<usize>) -> Result<(), Fault> {
    let mut rival = Rival::new(plan);
    // dolmen alone has an exact mode, with a bar of its own.
    let energy = Energy::new(&Plan { gain: plan.gain.map(|gain| gain.max(TOLD)), ..plan.clone() });
    // A floor that Rapier refuses promises nothing.
    let stands = rival.live.bodies.get(&0).is_some_and(|floor| rival.bodies.contains_key(floor));
    let mut floor = stands.then(|| Floor::new(plan));
    let mut times = Vec::new();
    let mut edits = plan.edits.iter().peekable();
    for step in 0..plan.steps {
        at.set(step);
        while let Some(next) = edits.next_if(|next| next.step <= step) {
            rival.edit(&next.edit)?;
            tally.edits += 1;
        }
        rival.describe();
        tally.refused = rival.refused;
        let starts = energy::starts(&rival);
        let begun = clock.map(|now| now());
        rival.step();
        if let (Some(now), Some(begun)) = (clock, begun) {
            let took = now() - begun;
            times.push((took, step));
            if took > LONGEST {
                return Err(Fault::new(FaultKind::Work, format!("step {step} took {took:?}")));
            }
        }
        tally.steps += 1;
        tally.body_steps += rival.bodies.values().filter(|body| rival.world.bodies[**body].is_dynamic()).count() as u64;
        let lost = rival.world.quarantine().bodies().len();
        tally.out_of_range += lost as u64;
        rival.write_back();
        if !rival.spoilt {
            checks::numbers(&rival.live)?;
            if plan.gain.is_some() && lost > 0 {
                return Err(Fault::new(FaultKind::Lost, format!("{lost} bodies are disabled: they have no numbers")));
            }
            let driven = energy::look(plan, &energy, &rival, &starts, tally)?;
            if let Some(floor) = &mut floor {
                floor.look(&rival.live, driven)?;
            }
        }
        rival.touched.clear();
        rival.live.gone.clear();
        rival.live.fresh.clear();
        rival.live.strained.clear();
        rival.live.undo.clear();
    }
    work(times)
}
