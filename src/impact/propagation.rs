//! The propagation model: several collisions one after the other, each a frictional impact (Baber 2006, section 3.4), in
//! the order of the moments at which they happen.
//!
//! A body in flight is described by its **extrapolated start**: the velocity and the displacement that, carried on from the
//! step's start under constant acceleration, give its true motion from its last impact on. An impact at the moment `t` that
//! changes the velocity by `dv` changes the extrapolated velocity by `dv` and the extrapolated displacement by `-dv t`, and
//! that is exact. So every body has a clock of its own without being advanced, and what did not take part is not touched.
//!
//! Events wait in a queue by moment, then by approach, deepest first, then by the contact's key. After each impact only the
//! contacts of its two bodies are looked at again, and a body brings its contacts along only when it is first hit, so that
//! the work follows the impacts and not the size of the heap they happen in. A contact enters if it approaches faster than
//! the resting threshold (Mirtich; Bender and Schmitt 2006).
//!
//! The work is bounded, for each contact and for the whole. What still approaches at the bound is closed out: plastic
//! impulses from zero, all at once, which can only lose energy, however early they are cut short. It is counted.

mod body;
mod contact;
mod strike;

pub use body::ClusterBody;
pub(crate) use contact::closing_time;
pub use contact::{ClusterContact, SingleLaw};

use crate::tolerances::{CLOSE_OUT_SWEEPS, TIE_APPROACH, TIE_MOMENT};
use contact::{Row, Window};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A problem: bodies and the contacts between them. Buffers are kept for the next one.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The bodies.
    pub bodies: Vec<ClusterBody>,
    /// The contacts.
    pub contacts: Vec<ClusterContact>,
    rows: Vec<Row>,
    heap: BinaryHeap<Event>,
    /// The newest event of each contact: older ones in the queue are void.
    version: Vec<u32>,
    /// The last contact of each body, and before each contact the one before it of either body: lists that grow.
    last: Vec<u32>,
    before: Vec<[u32; 2]>,
    /// Bodies that have brought along their contacts.
    expanded: Vec<bool>,
    /// Contacts that collide at once.
    group: Vec<u32>,
    /// Plastic impulse and response of each contact.
    pushes: Vec<(f64, f64)>,
}

/// The end of a list.
const END: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    t: f64,
    speed: f64,
    key: u64,
    contact: u32,
    version: u32,
}

impl Eq for Event {}

impl Ord for Event {
    /// The greatest is the next: earliest, then fastest, then least key.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .t
            .total_cmp(&self.t)
            .then(self.speed.total_cmp(&other.speed))
            .then(other.key.cmp(&self.key))
            .then(other.version.cmp(&self.version))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// How several contacts that close in the same moment collide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Together {
    /// One after the other, by their keys.
    #[default]
    Sequential,
    /// Those of equal approach at once, by Poisson's law along their normals: symmetric impacts stay symmetric.
    Batch,
    /// All that touch at once, by Newton's simultaneous law along their normals (Baber 2006, end of section 3.4).
    Simultaneous,
}

/// Bounds and thresholds of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The step (s).
    pub horizon: f64,
    /// Slower approach is rest (m/s).
    pub threshold: f64,
    /// Gaps up to this are touching (m).
    pub touch: f64,
    /// The most impacts of one contact.
    pub per_contact: u32,
    /// The most impacts of all.
    pub in_all: u32,
    /// What happens in the same moment.
    pub together: Together,
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Propagated {
    /// Impacts solved.
    pub impacts: u32,
    /// Contacts that still approached at the bound and were closed out.
    pub left: u32,
}

impl Cluster {
    /// Empties the problem, keeping its buffers.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
    }

    /// Runs all impacts within the step.
    pub fn run(&mut self, limits: &Limits) -> Propagated {
        self.run_growing(limits, |_, _, _| {})
    }

    /// Runs all impacts within the step. When a body is hit for the first time, `expand` is asked for its contacts that are
    /// not there yet, and may add bodies with them.
    pub fn run_growing(
        &mut self,
        limits: &Limits,
        mut expand: impl FnMut(&mut Vec<ClusterBody>, &mut Vec<ClusterContact>, u32),
    ) -> Propagated {
        self.reset();
        let mut window = Window { now: 0.0, horizon: limits.horizon, threshold: limits.threshold, touch: limits.touch };
        let mut done = Propagated::default();
        for contact in 0..self.contacts.len() {
            self.enqueue(contact, &window);
        }
        while let Some(event) = self.heap.pop() {
            let contact = event.contact as usize;
            if event.version != self.version[contact] {
                continue;
            }
            if self.contacts[contact].impacts >= limits.per_contact || done.impacts >= limits.in_all {
                done.left += 1;
                continue;
            }
            window.now = event.t;
            if !self.collide(event, limits) {
                continue;
            }
            done.impacts += self.group.len() as u32;
            for i in 0..self.group.len() {
                let ClusterContact { a, b, .. } = self.contacts[self.group[i] as usize];
                for body in [a, b] {
                    self.look_again(body, &window, &mut expand);
                }
            }
        }
        if done.left > 0 {
            self.close_out(window.now, limits.horizon, limits.touch, CLOSE_OUT_SWEEPS);
        }
        done
    }

    /// How the gap of a contact at the step's start has changed by extrapolation (m): what impacts within the step leave.
    pub fn shift(&self, contact: usize) -> f64 {
        self.rows[contact].shift(&self.bodies)
    }

    /// The rate at which the gap of a contact changes at the moment `t` (m/s).
    pub fn rate(&self, contact: usize, t: f64) -> f64 {
        self.rows[contact].at(&self.bodies, t).rate
    }

    fn reset(&mut self) {
        self.heap.clear();
        self.rows.clear();
        self.version.clear();
        self.before.clear();
        self.last.clear();
        self.expanded.clear();
        self.link();
    }

    /// Takes in bodies and contacts that are new.
    fn link(&mut self) {
        self.last.resize(self.bodies.len(), END);
        self.expanded.resize(self.bodies.len(), false);
        for contact in self.rows.len()..self.contacts.len() {
            let c = &self.contacts[contact];
            self.rows.push(Row::new(c));
            self.version.push(0);
            let mut before = [END; 2];
            for (before, body) in before.iter_mut().zip([c.a, c.b]) {
                *before = std::mem::replace(&mut self.last[body as usize], contact as u32);
            }
            self.before.push(before);
        }
    }

    /// Looks at all contacts of a body again.
    fn look_again(
        &mut self,
        body: u32,
        window: &Window,
        expand: &mut impl FnMut(&mut Vec<ClusterBody>, &mut Vec<ClusterContact>, u32),
    ) {
        if self.bodies[body as usize].is_immovable() {
            return;
        }
        if !self.expanded[body as usize] {
            self.expanded[body as usize] = true;
            expand(&mut self.bodies, &mut self.contacts, body);
            self.link();
        }
        let mut contact = self.last[body as usize];
        while contact != END {
            let at = contact as usize;
            self.enqueue(at, window);
            contact = self.before[at][usize::from(self.rows[at].b == body)];
        }
    }

    #[inline]
    fn enqueue(&mut self, contact: usize, window: &Window) {
        self.version[contact] += 1;
        if let Some((t, speed)) = self.rows[contact].next_event(&self.bodies, window) {
            let key = self.contacts[contact].key;
            self.heap.push(Event { t, speed, key, contact: contact as u32, version: self.version[contact] });
        }
    }

    /// Takes one event; `self.group` are the contacts that took part.
    fn collide(&mut self, event: Event, limits: &Limits) -> bool {
        self.group.clear();
        self.group.push(event.contact);
        match limits.together {
            Together::Sequential => {}
            Together::Batch => self.gather_ties(event, limits.horizon),
            Together::Simultaneous => self.gather_touching(event, limits),
        }
        if self.group.len() == 1 {
            return self.strike(event.contact as usize, event.t, event.speed);
        }
        self.strike_together(event.t, limits.together == Together::Simultaneous)
    }

    /// The next events that are at the same moment and as fast.
    fn gather_ties(&mut self, event: Event, horizon: f64) {
        while let Some(&next) = self.heap.peek() {
            if next.t - event.t > TIE_MOMENT * horizon || next.speed < event.speed * (1.0 - TIE_APPROACH) {
                break;
            }
            self.heap.pop();
            if next.version == self.version[next.contact as usize] {
                self.group.push(next.contact);
            }
        }
    }

    /// The contacts that hang together with the event's and touch at its moment.
    fn gather_touching(&mut self, event: Event, limits: &Limits) {
        let mut reached = 0;
        while reached < self.group.len() {
            let c = self.contacts[self.group[reached] as usize];
            reached += 1;
            for body in [c.a, c.b] {
                if self.bodies[body as usize].is_immovable() {
                    continue;
                }
                let mut contact = self.last[body as usize];
                while contact != END {
                    let at = contact as usize;
                    if !self.group.contains(&contact) && self.rows[at].at(&self.bodies, event.t).gap <= limits.touch {
                        self.group.push(contact);
                    }
                    contact = self.before[at][usize::from(self.rows[at].b == body)];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
