//! Runs a plan, and looks after each step.

use super::checks;
use super::energy::{self, Energy};
use super::floor::Floor;
use super::live::Live;
use super::plan::Plan;
use super::tally::{Fault, FaultKind, Tally};
use dolmen::StepError;
use dolmen::math::{Real, Vec3};
use hecs::{Entity, World};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The time that a thread has worked.
pub type Clock = fn() -> Duration;

/// Largest work of a step in medians of its world.
const MOST_WORK: u32 = 100;

/// Work of a step below which it is not compared: clocks and caches show.
const LEAST_MEDIAN: Duration = Duration::from_micros(200);

/// Refusals of a step after which a world is given up.
const MOST_REFUSALS: usize = 40;

thread_local! {
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the places of panics for the texts of faults, instead of printing them.
pub fn note_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line()));
        PLACE.with_borrow_mut(|p| *p = place.unwrap_or_default());
    }));
}

/// The place of this thread's last panic, as the end of a sentence.
pub fn panic_place() -> String {
    PLACE.with_borrow(String::clone)
}

/// Runs a plan up to its first fault. Work is compared only with a clock.
pub fn run(plan: &Plan, clock: Option<Clock>) -> (Tally, Option<Fault>) {
    caught(|tally, at| steps(plan, clock, tally, at))
}

/// Takes the steps of a world, which note the number of each. A panic is a fault.
pub fn caught(steps: impl FnOnce(&mut Tally, &Cell<usize>) -> Result<(), Fault>) -> (Tally, Option<Fault>) {
    let mut tally = Tally { worlds: 1, ..Tally::default() };
    let at = Cell::new(0);
    let ran = catch_unwind(AssertUnwindSafe(|| steps(&mut tally, &at)));
    let fault = match ran {
        Ok(done) => done.err(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default();
            Some(Fault::new(FaultKind::Panic, text + &panic_place()))
        }
    };
    (tally, fault.map(|fault| Fault { step: at.get(), ..fault }))
}

fn steps(plan: &Plan, clock: Option<Clock>, tally: &mut Tally, at: &Cell<usize>) -> Result<(), Fault> {
    let mut live = Live::new(plan);
    let (mut floor, energy) = (Floor::new(plan), Energy::new(plan));
    let mut times = Vec::new();
    let mut edits = plan.edits.iter().peekable();
    for step in 0..plan.steps {
        at.set(step);
        while let Some(next) = edits.next_if(|next| next.step <= step) {
            live.edit(&next.edit)?;
            tally.edits += 1;
        }
        let begun = clock.map(|now| now());
        let report = take_step(plan, &mut live, tally)?;
        let Some(report) = report else { return Ok(()) };
        if let (Some(now), Some(begun)) = (clock, begun) {
            times.push((now() - begun, step));
        }
        tally.steps += 1;
        tally.body_steps += report.counts.dynamic as u64;
        tally.out_of_range += report.counts.out_of_range as u64;
        checks::numbers(&live)?;
        checks::names(&live)?;
        if plan.gain.is_some() && report.counts.out_of_range > 0 {
            return Err(Fault::new(FaultKind::Lost, format!("{:?}", live.physics.events())));
        }
        energy.look(&live, tally)?;
        floor.look(&live, energy::driven(&live))?;
        live.gone.clear();
        live.fresh.clear();
        live.strained.clear();
    }
    work(times)
}

/// One step. What is refused is taken back or despawned, and tried again; `None` if that does not
/// end. A plan without hostile values is not to be refused, unless its shapes are extreme.
fn take_step(plan: &Plan, live: &mut Live, tally: &mut Tally) -> Result<Option<dolmen::StepReport>, Fault> {
    for _ in 0..MOST_REFUSALS {
        let before = (plan.gain.is_none()).then(|| poses(&live.world));
        let refused = match live.physics.step(&mut live.world, live.dt) {
            Ok(report) => {
                // What a step took is the game's will from now on.
                live.undo.clear();
                return Ok(Some(report));
            }
            Err(refused) => refused,
        };
        tally.refused += 1;
        if plan.gain.is_some() {
            return Err(Fault::new(FaultKind::Refused, refused.to_string()));
        }
        if before != Some(poses(&live.world)) {
            return Err(Fault::new(FaultKind::Refused, format!("a refused step changed the world: {refused}")));
        }
        if !live.undo.is_empty() {
            live.take_back();
            continue;
        }
        match refused {
            StepError::Component { entity, .. } if live.world.contains(entity) => live.despawn(entity),
            other => return Err(Fault::new(FaultKind::Refused, format!("without a cause: {other}"))),
        }
    }
    Ok(None)
}

/// Bits of the poses and velocities of all bodies.
fn poses(world: &World) -> Vec<(Entity, [u64; 13])> {
    use dolmen::components::{AngularVelocity, LinearVelocity, Orientation, Position};
    type All<'a> = (Entity, &'a Position, &'a Orientation, &'a LinearVelocity, &'a AngularVelocity);
    let bits = |v: Vec3| v.to_array().map(bits);
    let mut query = world.query::<All>();
    let all = query.iter().map(|(entity, p, q, v, w)| {
        let [[a, b, c], [d, e, f], [g, h, i]] = [p.0, v.0, w.0].map(bits);
        let [j, k, l, m] = q.0.to_array().map(self::bits);
        (entity, [a, b, c, d, e, f, g, h, i, j, k, l, m])
    });
    all.collect()
}

/// The bits of a number.
fn bits(x: Real) -> u64 {
    f64::from(x).to_bits()
}

/// Compares the steps with their median.
pub fn work(mut times: Vec<(Duration, usize)>) -> Result<(), Fault> {
    times.sort_unstable();
    let (Some(&(median, _)), Some(&(most, step))) = (times.get(times.len() / 2), times.last()) else { return Ok(()) };
    if most > median.max(LEAST_MEDIAN) * MOST_WORK {
        return Err(Fault::new(FaultKind::Work, format!("step {step} took {most:?}, the median {median:?}")));
    }
    Ok(())
}
