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
//! Where joints hold bodies together an impact is felt by all of them at once ([`linkage`](super::linkage)): the collision matrix is that of
//! the whole, and every body that answers goes on with a velocity of its own. What holds a body is asked when it is first struck.
//!
//! The work is bounded, for each contact and for the whole. A contact that has collided as often as it may goes on
//! plastically, at its own moments, so that a sequence of ever shorter hops ends. What still approaches when the whole
//! budget is used up is closed out: plastic impulses from zero, which can only lose energy, however early they are cut
//! short. Both are counted.

mod answer;
mod around;
mod body;
mod close_out;
mod contact;
mod patch;
mod queue;
mod strike;

pub use around::{Around, Held};
pub use body::ClusterBody;
pub(crate) use contact::closing_time;
pub use contact::{ClusterContact, Gap, SingleLaw};

use super::linkage::{Change, Linkage};
use crate::tolerances::{PLASTIC_IMPACTS, TIE_APPROACH, TIE_MOMENT};
use close_out::CloseOut;
use contact::{Row, Window};
use patch::Patch;
use queue::{Event, Queue};
use std::ops::Range;
use strike::Response;

/// A problem: bodies and the contacts between them. Buffers are kept for the next one.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The bodies.
    pub bodies: Vec<ClusterBody>,
    /// The contacts.
    pub contacts: Vec<ClusterContact>,
    /// What holds bodies together.
    pub linkages: Vec<Linkage>,
    /// What the impulse that is being asked about changes, body by body.
    changes: Vec<(u32, Change)>,
    rows: Vec<Row>,
    patches: Vec<Patch>,
    queue: Queue,
    /// The last patch of each body, and before each patch the one before it of either body: lists that grow.
    last: Vec<u32>,
    before: Vec<[u32; 2]>,
    /// The patches of the bodies that have brought theirs along, side by side, and the part of each body.
    around: Vec<u32>,
    parts: Vec<Part>,
    /// Contacts that collide at once.
    group: Vec<u32>,
    /// How each contact answers to impulses, once it has been asked.
    responses: Vec<Response>,
    close_out: CloseOut,
}

/// The end of a list.
const END: u32 = u32::MAX;

/// The patches of a body in [`Cluster::around`], and how many contacts they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    first: u32,
    end: u32,
    contacts: u32,
}

impl Part {
    /// That of what no impulse moves.
    const NONE: Self = Self { first: 0, end: 0, contacts: 0 };

    /// That of a body whose contacts have not been brought along.
    const UNEXPANDED: Self = Self { first: END, end: END, contacts: 0 };

    fn range(self) -> Range<usize> {
        self.first as usize..self.end as usize
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
    /// The most impacts of one contact before it goes on plastically.
    pub per_contact: u32,
    /// The most work: each impact counts one, and one more for each contact that it makes look at again.
    pub visits: u64,
    /// What happens in the same moment.
    pub together: Together,
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Propagated {
    /// Impacts solved.
    pub impacts: u32,
    /// Contacts that came to their bound, or still approached when the work of all came to its: they went on plastically.
    pub left: u32,
    /// How often a contact was looked at.
    pub visits: u64,
}

impl Cluster {
    /// Empties the problem, keeping its buffers.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
        self.linkages.clear();
    }

    /// Runs all impacts within the step.
    pub fn run(&mut self, limits: &Limits) -> Propagated {
        self.run_growing(limits, &mut ())
    }

    /// Runs all impacts within the step. When a body is hit for the first time, `around` is asked what holds it, and what touches it.
    pub fn run_growing(&mut self, limits: &Limits, around: &mut impl Around) -> Propagated {
        self.reset();
        let mut window = Window { now: 0.0, horizon: limits.horizon, threshold: limits.threshold, touch: limits.touch };
        let mut done = Propagated::default();
        for patch in 0..self.patches.len() {
            self.ask(patch, &window);
        }
        while let Some(event) = self.queue.pop() {
            window.now = event.moment();
            if done.visits >= limits.visits {
                done.left += self.close_out(event, limits, around);
                break;
            }
            let contact = event.contact as usize;
            let impacts = self.contacts[contact].impacts;
            if impacts >= limits.per_contact {
                done.left += u32::from(impacts == limits.per_contact);
                if impacts >= limits.per_contact + PLASTIC_IMPACTS {
                    continue;
                }
            }
            self.gather(event, limits, around);
            if self.hold_group(around) {
                // With velocities that joints allow something else may come first: all that was to collide is asked again.
                done.visits += self.ask_group(&window);
                continue;
            }
            if !self.collide(event, limits) {
                continue;
            }
            done.impacts += self.group.len() as u32;
            done.visits += self.look_around_group(&window, around);
        }
        done
    }

    /// How the gap of a contact at the step's start has changed by extrapolation (m): what impacts within the step leave.
    pub fn shift(&self, contact: usize) -> f64 {
        self.rows[contact].shift(&self.bodies)
    }

    /// The gap of a contact at the moment `t`, from its last impact on.
    pub fn gap(&self, contact: usize, t: f64) -> Gap {
        self.rows[contact].at(&self.bodies, t)
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.rows.clear();
        self.patches.clear();
        self.before.clear();
        self.last.clear();
        self.around.clear();
        self.parts.clear();
        self.responses.clear();
        self.link();
    }

    /// Takes in bodies and contacts that are new.
    fn link(&mut self) {
        self.last.resize(self.bodies.len(), END);
        self.parts.resize(self.bodies.len(), Part::UNEXPANDED);
        self.queue.resize(self.contacts.len());
        self.responses.resize(self.contacts.len(), Response::default());
        let linked = self.patches.len();
        for contact in self.rows.len()..self.contacts.len() {
            let c = &self.contacts[contact];
            self.rows.push(Row::new(c));
            if self.patches[linked..].last_mut().is_some_and(|patch| patch.takes(c)) {
                continue;
            }
            let mut before = [END; 2];
            for (before, body) in before.iter_mut().zip([c.a, c.b]) {
                *before = std::mem::replace(&mut self.last[body as usize], self.patches.len() as u32);
            }
            self.before.push(before);
            self.patches.push(Patch::new(contact, c));
        }
    }

    /// Has a body bring along its contacts, unless it has already. No impulse moves what is immovable: it brings none.
    fn expand(&mut self, body: u32, around: &mut impl Around) -> Part {
        let at = body as usize;
        if self.bodies[at].is_immovable() {
            return Part::NONE;
        }
        if self.parts[at] == Part::UNEXPANDED {
            around.touch(&mut self.bodies, &mut self.contacts, body);
            self.link();
            let first = self.around.len() as u32;
            let mut contacts = 0;
            let mut next = self.last[at];
            while next != END {
                let patch = &self.patches[next as usize];
                self.around.push(next);
                contacts += patch.count() as u32;
                next = self.before[next as usize][usize::from(patch.b == body)];
            }
            self.parts[at] = Part { first, end: self.around.len() as u32, contacts };
        }
        self.parts[at]
    }

    /// Asks the contacts that are known of the bodies of those of `self.group`, and of what joints hold to these; how many bodies they are.
    fn ask_group(&mut self, window: &Window) -> u64 {
        let mut visits = 0;
        for i in 0..self.group.len() {
            let ClusterContact { a, b, .. } = self.contacts[self.group[i] as usize];
            for body in [a, b] {
                let held = self.bodies[body as usize].held.linkage();
                for place in 0..held.map_or(1, |held| self.linkages[held as usize].bodies().len()) {
                    let body = held.map_or(body, |held| self.linkages[held as usize].bodies()[place]);
                    visits += 1;
                    if !self.bodies[body as usize].is_immovable() {
                        self.ask_known(body, window);
                    }
                }
            }
        }
        visits
    }

    /// Asks the contacts of a body that are known so far.
    fn ask_known(&mut self, body: u32, window: &Window) {
        let mut next = self.last[body as usize];
        while next != END {
            self.ask(next as usize, window);
            next = self.before[next as usize][usize::from(self.patches[next as usize].b == body)];
        }
    }

    /// Looks again at all contacts around those of `self.group`; how much work that was.
    fn look_around_group(&mut self, window: &Window, around: &mut impl Around) -> u64 {
        let mut visits = 0;
        for i in 0..self.group.len() {
            let ClusterContact { a, b, .. } = self.contacts[self.group[i] as usize];
            visits += 2 + self.look_around(a, None, window, around);
            // What lies between the two has just been looked at, if the first brought it along.
            let seen = Some(a).filter(|&a| !self.bodies[a as usize].is_immovable());
            visits += self.look_around(b, seen, window, around);
        }
        visits
    }

    /// Looks again at all contacts of a body and of those that joints hold to it, as [`Self::look_again`].
    fn look_around(&mut self, body: u32, seen: Option<u32>, window: &Window, around: &mut impl Around) -> u64 {
        let linkage = |body: u32| self.bodies[body as usize].held.linkage();
        let Some(held) = linkage(body) else {
            return self.look_again(body, seen, window, around);
        };
        if seen.and_then(linkage) == Some(held) {
            return 0;
        }
        let held = held as usize;
        let all = 0..self.linkages[held].bodies().len();
        all.map(|place| self.look_again(self.linkages[held].bodies()[place], None, window, around)).sum()
    }

    /// Looks again at all contacts of a body but those with the body `seen`; how many contacts it has.
    fn look_again(&mut self, body: u32, seen: Option<u32>, window: &Window, around: &mut impl Around) -> u64 {
        let part = self.expand(body, around);
        for place in part.range() {
            let number = self.around[place] as usize;
            let patch = &self.patches[number];
            if ![Some(patch.a), Some(patch.b)].contains(&seen) {
                self.ask(number, window);
            }
        }
        part.contacts.into()
    }

    /// Asks the contacts of a patch for their next events.
    #[inline]
    fn ask(&mut self, patch: usize, window: &Window) {
        let patch = &mut self.patches[patch];
        let approaches = patch.approaches(&self.bodies, window);
        let mut left = approaches.which | patch.queued;
        patch.queued = 0;
        while left != 0 {
            let place = left.trailing_zeros();
            left &= left - 1;
            let contact = patch.contact(place);
            let row = &self.rows[contact as usize];
            let rates = (approaches.acceleration, approaches.start[place as usize]);
            let approaches = approaches.which >> place & 1 == 1;
            let next = if approaches { row.next_event(&self.bodies, window, rates) } else { None };
            match next {
                Some((t, speed)) if speed > row.rest => {
                    patch.queued |= 1 << place;
                    self.queue.put(contact, t, speed, row.key);
                }
                _ => self.queue.withdraw(contact),
            }
        }
    }

    /// Finds the contacts that take part in one event: `self.group`.
    fn gather(&mut self, event: Event, limits: &Limits, around: &mut impl Around) {
        self.group.clear();
        self.group.push(event.contact);
        match limits.together {
            Together::Sequential => {}
            Together::Batch => self.gather_ties(event, limits.horizon),
            Together::Simultaneous => self.gather_touching(event, limits, around),
        }
    }

    /// Takes one event of the contacts in `self.group`.
    fn collide(&mut self, event: Event, limits: &Limits) -> bool {
        if self.group.len() == 1 {
            return self.strike(event, limits);
        }
        self.strike_together(event.moment(), limits)
    }

    /// The next events that are at the same moment and as fast.
    fn gather_ties(&mut self, event: Event, horizon: f64) {
        let (latest, slowest) = (event.moment() + TIE_MOMENT * horizon, event.speed() * (1.0 - TIE_APPROACH));
        while let Some(next) = self.queue.pop_if(|next| next.moment() <= latest && next.speed() >= slowest) {
            self.group.push(next.contact);
        }
    }

    /// The contacts that hang together with the event's and touch at its moment.
    fn gather_touching(&mut self, event: Event, limits: &Limits, around: &mut impl Around) {
        let mut reached = 0;
        while reached < self.group.len() {
            let c = self.contacts[self.group[reached] as usize];
            reached += 1;
            for body in [c.a, c.b] {
                for place in self.expand(body, around).range() {
                    for contact in self.patches[self.around[place] as usize].contacts() {
                        let touches = self.rows[contact as usize].at(&self.bodies, event.moment()).gap <= limits.touch;
                        if touches && !self.group.contains(&contact) {
                            self.group.push(contact);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
