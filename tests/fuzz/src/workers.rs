//! Worlds over all cores, and a look at those that do not end.

use crate::campaign::{Clock, Fault, FaultKind, Mode, Plan, Tally, plan};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The time that this thread has worked.
pub fn worked() -> Duration {
    cpu_time::ThreadTime::now().as_duration()
}

/// Runs a plan up to its first fault.
pub type Runner = fn(&Plan, Option<Clock>) -> (Tally, Option<Fault>);

/// What to run.
#[derive(Clone, Copy)]
pub struct Asked {
    pub from: u64,
    pub count: u64,
    pub steps: Option<usize>,
    pub threads: usize,
    /// Time of a world after which it counts as a hang.
    pub patience: Duration,
    pub run: Runner,
}

/// What a mode gave.
pub struct Run {
    pub mode: Mode,
    pub tally: Tally,
    /// Faults by seed.
    pub found: BTreeMap<u64, Fault>,
    /// Time of the run.
    pub took: Duration,
    /// Seed of the largest gain among passive islands.
    pub most_gain: u64,
}

enum Message {
    Begun { worker: usize, seed: u64 },
    Done { worker: usize, seed: u64, tally: Tally, fault: Option<Fault> },
    Idle { worker: usize },
}

/// Runs the worlds of a mode.
pub fn campaign(mode: Mode, asked: &Asked) -> Run {
    let begun = Instant::now();
    let (sender, receiver) = channel();
    let next = Arc::new(AtomicU64::new(asked.from));
    let mut run = Run { mode, tally: Tally::default(), found: BTreeMap::new(), took: begun.elapsed(), most_gain: 0 };
    // By worker: the seed at work and since when.
    let mut at_work: BTreeMap<usize, Option<(u64, Instant)>> = BTreeMap::new();
    let mut workers = 0;
    while workers < asked.threads {
        start(workers, mode, *asked, &next, &sender);
        at_work.insert(workers, None);
        workers += 1;
    }
    while !at_work.is_empty() {
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok(Message::Begun { worker, seed }) => {
                if let Some(slot) = at_work.get_mut(&worker) {
                    *slot = Some((seed, Instant::now()));
                }
            }
            Ok(Message::Done { worker, seed, tally, fault }) if at_work.contains_key(&worker) => {
                at_work.insert(worker, None);
                if tally.gain > run.tally.gain {
                    run.most_gain = seed;
                }
                run.tally += tally;
                if let Some(fault) = fault {
                    eprintln!("{} {seed}: {fault}", mode.name());
                    run.found.insert(seed, fault);
                }
            }
            Ok(Message::Idle { worker }) => _ = at_work.remove(&worker),
            // A worker that was given up has come back.
            Ok(Message::Done { .. }) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let stuck = at_work.iter().find_map(|(&worker, slot)| {
            slot.filter(|(_, since)| since.elapsed() > asked.patience).map(|(seed, _)| (worker, seed))
        });
        if let Some((worker, seed)) = stuck {
            eprintln!("{} {seed}: does not end", mode.name());
            run.found.insert(seed, Fault::new(FaultKind::Hang, format!("not done after {:?}", asked.patience)));
            at_work.remove(&worker);
            start(workers, mode, *asked, &next, &sender);
            at_work.insert(workers, None);
            workers += 1;
        }
    }
    run.took = begun.elapsed();
    run
}

/// Starts a thread that takes seeds until none are left.
fn start(worker: usize, mode: Mode, asked: Asked, next: &Arc<AtomicU64>, sender: &Sender<Message>) {
    let (next, sender) = (Arc::clone(next), sender.clone());
    std::thread::spawn(move || {
        // The campaign may have ended while this thread was stuck.
        let tell = |message| sender.send(message).is_ok();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= asked.from + asked.count || !tell(Message::Begun { worker, seed }) {
                break;
            }
            let mut plan = plan(mode, seed);
            plan.steps = asked.steps.unwrap_or(plan.steps);
            let (tally, fault) = (asked.run)(&plan, Some(worked));
            if !tell(Message::Done { worker, seed, tally, fault }) {
                break;
            }
        }
        tell(Message::Idle { worker });
    });
}
