//! Makes what a world shows as small as it gets.

use crate::campaign::{BodyPlan, Fault, FaultKind, Plan, Shape, plan, run};
use crate::workers::Run;
use dolmen::math::{Quat, Vec3};
use std::path::Path;
use std::time::{Duration, Instant};

/// Worlds of one kind of fault that are shrunk.
const EACH: usize = 3;

/// Time for one world.
const PATIENCE: Duration = Duration::from_secs(60);

/// Shrinks the first faults of each kind, and writes them to a folder.
pub fn save(run: &Run, steps: Option<usize>, folder: &Path) {
    std::fs::create_dir_all(folder).expect("a folder");
    for kind in FaultKind::ALL.into_iter().filter(|kind| *kind != FaultKind::Hang) {
        let worlds = run.found.iter().filter(|(_, fault)| fault.kind == kind).take(EACH);
        for (&seed, fault) in worlds {
            let mut whole = plan(run.mode, seed);
            whole.steps = steps.unwrap_or(whole.steps);
            let (small, fault) = shrink(whole, fault);
            let name = format!("{}_{:?}_{seed}.json", run.mode.name(), kind).to_lowercase();
            let text = serde_json::to_string(&small).expect("a plan is plain data");
            println!("{name}: {} bodies, {fault}", small.bodies.len());
            std::fs::write(folder.join(name), text + "\n").expect("a file that can be written");
        }
    }
}

/// True if two faults have one cause, as far as can be seen.
fn is_alike(a: &Fault, b: &Fault) -> bool {
    let place = |fault: &Fault| fault.text.rsplit(" at ").next().map(str::to_owned);
    a.kind == b.kind && (a.kind != FaultKind::Panic || place(a) == place(b))
}

/// A smaller plan with the same fault.
pub fn shrink(whole: Plan, fault: &Fault) -> (Plan, Fault) {
    let mut search = Search { best: whole, fault: fault.clone(), until: Instant::now() + PATIENCE };
    loop {
        let before = search.best.clone();
        search.with(|plan, step| plan.steps = step + 1);
        search.thin(|plan| &mut plan.edits);
        search.thin(|plan| &mut plan.joints);
        search.thin(|plan| &mut plan.bodies);
        search.calm();
        if search.best == before || Instant::now() > search.until {
            return (search.best, search.fault);
        }
    }
}

struct Search {
    best: Plan,
    fault: Fault,
    until: Instant,
}

impl Search {
    /// Keeps a change if the fault stays.
    fn with(&mut self, change: impl FnOnce(&mut Plan, usize)) -> bool {
        let mut tried = self.best.clone();
        change(&mut tried, self.fault.step);
        if tried == self.best || Instant::now() > self.until {
            return false;
        }
        let clock = (self.fault.kind == FaultKind::Work).then_some(crate::workers::worked as fn() -> Duration);
        match run(&tried, clock).1 {
            Some(fault) if is_alike(&fault, &self.fault) => {
                (self.best, self.fault) = (tried, fault);
                true
            }
            _ => false,
        }
    }

    /// Drops as much of a list as it can, in pieces that get smaller.
    fn thin<T>(&mut self, list: fn(&mut Plan) -> &mut Vec<T>) {
        let mut piece = list(&mut self.best).len();
        while piece > 0 {
            let mut from = 0;
            while from < list(&mut self.best).len() {
                let dropped = self.with(|plan, _| {
                    let list = list(plan);
                    let to = (from + piece).min(list.len());
                    list.drain(from..to);
                });
                if !dropped {
                    from += piece;
                }
            }
            piece /= 2;
        }
    }

    /// Makes bodies and settings plain.
    fn calm(&mut self) {
        self.with(|plan, _| plan.rules = Default::default());
        self.with(|plan, _| plan.dt = 1.0 / 60.0);
        for k in 0..self.best.bodies.len() {
            let mut each = |change: &dyn Fn(&mut BodyPlan)| self.with(|plan, _| change(&mut plan.bodies[k]));
            each(&|body| body.parts.clear());
            each(&|body| body.linear = Vec3::ZERO);
            each(&|body| body.angular = Vec3::ZERO);
            each(&|body| body.orientation = Quat::IDENTITY);
            for part in (0..self.best.bodies[k].parts.len()).rev() {
                self.with(|plan, _| _ = plan.bodies[k].parts.remove(part));
            }
            while let Shape::Compound(parts) = &self.best.bodies[k].shape
                && (0..parts.len()).rev().any(|part| self.with(|plan, _| drop_part(&mut plan.bodies[k].shape, part)))
            {
            }
        }
    }
}

/// Drops a part of a compound, but not the last one.
fn drop_part(shape: &mut Shape, part: usize) {
    if let Shape::Compound(parts) = shape
        && parts.len() > 1
    {
        parts.remove(part);
    }
}
