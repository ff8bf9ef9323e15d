//! The propagation model: collisions one after the other in the order of their moments, each a
//! frictional impact (Baber 2006, section 3.4).
//!
//! A body is stored as its **extrapolated start**: the velocity and displacement that, continued
//! from the step's start under constant acceleration, give its true motion after its last impact.
//! An impact at the moment `t` that changes the velocity by `dv` changes the extrapolated velocity
//! by `dv` and the extrapolated displacement by `-dv t`, exactly. Bodies need not be advanced to a
//! common time, and bodies without impacts are not touched.
//!
//! A priority queue orders events by moment, then by approach speed (fastest first), then by the
//! contact's key. After an impact only the contacts of its two bodies are updated, and a body adds
//! its contacts to the cluster at its first impact, so the work is proportional to the impacts and
//! not to the size of the pile. A contact enters the queue if it approaches faster than the resting
//! threshold (Mirtich; Bender and Schmitt 2006).
//!
//! Jointed bodies react to an impact all at once ([`linkage`](super::linkage)): the collision
//! matrix is that of the whole linkage, and every body of it gets a new velocity. A body's linkage
//! is requested at its first impact.
//!
//! The work is bounded for each contact and for the whole cluster. A contact that reaches its bound
//! goes on with plastic impacts, so a sequence of ever shorter hops ends. A contact that reaches it
//! again is in a jam: what is light and lies between heavy bodies and the ground takes one impact
//! for each part by which their masses differ. All contacts that touch there are then resolved at
//! once, plastically, if the cluster is small; else their approach is left. If the whole budget is
//! used up, the remaining approach is removed by plastic impulses that start from zero: they only
//! lose energy, however early they stop. Both cases are counted.

mod body;
mod cluster;
mod gap_function;
mod jam;
mod links;
mod manifold_points;
mod plastic_finish;
mod provider;
mod queue;
mod resolve;
mod response;

pub use body::{ClusterBody, LinkState};
pub use cluster::{Cluster, Limits, PropagationStats, SimultaneousRule};
pub(crate) use gap_function::closing_time;
pub use gap_function::{ClusterContact, Gap, SingleLaw};
pub use provider::ContactProvider;

use crate::tolerances::IMPACTS;
use cluster::END;
use gap_function::Window;
use queue::Event;

/// Plastic impacts of a contact in a step after its last bounce and before it is resolved together
/// with those around it. More: only cost. Fewer: more contacts that the others would stop are
/// resolved at once.
const IMPACTS_BEFORE_BLOCK: u32 = 4;

impl Cluster {
    /// Runs all impacts within the step.
    pub fn run(&mut self, limits: &Limits) -> PropagationStats {
        self.run_with_provider(limits, &mut ())
    }

    /// Runs all impacts within the step. At a body's first impact `provider` adds its contacts and
    /// its linkage.
    pub fn run_with_provider(&mut self, limits: &Limits, provider: &mut impl ContactProvider) -> PropagationStats {
        self.reset();
        let mut window = Window { now: 0.0, horizon: limits.horizon, threshold: limits.threshold, touch: limits.touch };
        let mut done = PropagationStats::default();
        for manifold in 0..self.manifolds.len() {
            self.update_events(manifold, &window);
        }
        while let Some(event) = self.queue.pop() {
            window.now = event.moment();
            if done.visits >= limits.visits {
                done.unfinished += self.finish_plastic(event, limits, provider);
                break;
            }
            let contact = event.contact as usize;
            let impacts = self.contacts[contact].impacts;
            done.unfinished += u32::from(impacts == limits.per_contact);
            let jams = impacts >= limits.per_contact + IMPACTS_BEFORE_BLOCK;
            if jams {
                if self.contacts.len() > IMPACTS.small_island {
                    continue;
                }
                self.gather_touching(event, limits, provider);
            } else {
                self.gather_group(event, limits, provider);
            }
            if self.link_group(provider) {
                // Velocities that fit the joints may bring another event forward: all events of the
                // group are computed again.
                done.visits += self.update_known_events_of_group(&window);
                continue;
            }
            let collided = if jams { self.resolve_jam(event.moment()) } else { self.collide(event, limits) };
            if !collided {
                continue;
            }
            done.impacts += self.group.len() as u32;
            done.visits += self.update_events_around_group(&window, provider);
        }
        done
    }

    /// Updates the events of the known contacts of the bodies in `self.group`, and of all bodies
    /// linked to them. Returns the number of bodies.
    fn update_known_events_of_group(&mut self, window: &Window) -> u64 {
        let mut visits = 0;
        for i in 0..self.group.len() {
            let ClusterContact { a, b, .. } = self.contacts[self.group[i] as usize];
            for body in [a, b] {
                let linkage = self.bodies[body as usize].link.linkage();
                for place in 0..linkage.map_or(1, |linkage| self.linkages[linkage as usize].bodies().len()) {
                    let body = linkage.map_or(body, |linkage| self.linkages[linkage as usize].bodies()[place]);
                    visits += 1;
                    if !self.bodies[body as usize].is_immovable() {
                        self.update_known_events(body, window);
                    }
                }
            }
        }
        visits
    }

    /// Updates the events of the known contacts of a body.
    fn update_known_events(&mut self, body: u32, window: &Window) {
        let mut next = self.last_manifold[body as usize];
        while next != END {
            self.update_events(next as usize, window);
            next = self.previous_manifold[next as usize][usize::from(self.manifolds[next as usize].b == body)];
        }
    }

    /// Updates the events of all contacts around those of `self.group`. Returns the work.
    fn update_events_around_group(&mut self, window: &Window, provider: &mut impl ContactProvider) -> u64 {
        let mut visits = 0;
        for i in 0..self.group.len() {
            let ClusterContact { a, b, .. } = self.contacts[self.group[i] as usize];
            visits += 2 + self.update_events_around(a, None, window, provider);
            // The contacts between the two are already updated, if the first body has an adjacency.
            let skip = Some(a).filter(|&a| !self.bodies[a as usize].is_immovable());
            visits += self.update_events_around(b, skip, window, provider);
        }
        visits
    }

    /// [`Self::update_events_of_body`] of a body and of all bodies linked to it.
    fn update_events_around(
        &mut self,
        body: u32,
        skip: Option<u32>,
        window: &Window,
        provider: &mut impl ContactProvider,
    ) -> u64 {
        let linkage = |body: u32| self.bodies[body as usize].link.linkage();
        let Some(index) = linkage(body) else {
            return self.update_events_of_body(body, skip, window, provider);
        };
        if skip.and_then(linkage) == Some(index) {
            return 0;
        }
        let index = index as usize;
        let all = 0..self.linkages[index].bodies().len();
        all.map(|place| self.update_events_of_body(self.linkages[index].bodies()[place], None, window, provider)).sum()
    }

    /// Updates the events of all contacts of a body except those with the body `skip`. Returns the
    /// number of its contacts.
    fn update_events_of_body(
        &mut self,
        body: u32,
        skip: Option<u32>,
        window: &Window,
        provider: &mut impl ContactProvider,
    ) -> u64 {
        let adjacency = self.expand(body, provider);
        for place in adjacency.range() {
            let number = self.adjacent[place] as usize;
            let manifold = &self.manifolds[number];
            if ![Some(manifold.a), Some(manifold.b)].contains(&skip) {
                self.update_events(number, window);
            }
        }
        adjacency.contacts.into()
    }

    /// Updates the events of the contacts of a manifold.
    #[inline]
    fn update_events(&mut self, manifold: usize, window: &Window) {
        let manifold = &mut self.manifolds[manifold];
        let rates = manifold.approach_rates(&self.bodies, window);
        let mut left = rates.mask | manifold.queued;
        manifold.queued = 0;
        while left != 0 {
            let place = left.trailing_zeros();
            left &= left - 1;
            let contact = manifold.contact(place);
            let gap_function = &self.gap_functions[contact as usize];
            let contact_rates = (rates.acceleration, rates.start[place as usize]);
            let approaches = rates.mask >> place & 1 == 1;
            let next = if approaches { gap_function.next_event(&self.bodies, window, contact_rates) } else { None };
            match next {
                Some((t, speed)) if speed > gap_function.rest_speed => {
                    manifold.queued |= 1 << place;
                    self.queue.put(contact, t, speed, gap_function.key);
                }
                _ => self.queue.withdraw(contact),
            }
        }
    }

    /// Collects the contacts that take part in one event in `self.group`.
    fn gather_group(&mut self, event: Event, limits: &Limits, provider: &mut impl ContactProvider) {
        match limits.simultaneous {
            SimultaneousRule::Sequential => {
                self.group.clear();
                self.group.push(event.contact);
            }
            SimultaneousRule::Batch => self.gather_equal(event, limits.horizon),
            SimultaneousRule::Simultaneous => self.gather_touching(event, limits, provider),
        }
    }

    /// Resolves one event of the contacts in `self.group`.
    fn collide(&mut self, event: Event, limits: &Limits) -> bool {
        if self.group.len() == 1 {
            return self.resolve_single(event, limits);
        }
        self.resolve_group(event.moment(), limits)
    }

    /// Collects the event's contact and the next events of equal moment and speed.
    fn gather_equal(&mut self, event: Event, horizon: f64) {
        self.group.clear();
        self.group.push(event.contact);
        let resolution = f64::from(IMPACTS.resolution);
        let (latest, slowest) = (event.moment() + resolution * horizon, event.speed() * (1.0 - resolution));
        while let Some(next) = self.queue.pop_if(|next| next.moment() <= latest && next.speed() >= slowest) {
            self.group.push(next.contact);
        }
    }

    /// Collects the event's contact and those connected to it that touch at its moment.
    fn gather_touching(&mut self, event: Event, limits: &Limits, provider: &mut impl ContactProvider) {
        self.group.clear();
        self.group.push(event.contact);
        let mut reached = 0;
        while reached < self.group.len() {
            let c = self.contacts[self.group[reached] as usize];
            reached += 1;
            for body in [c.a, c.b] {
                for place in self.expand(body, provider).range() {
                    for contact in self.manifolds[self.adjacent[place] as usize].contacts() {
                        let touches = self.gap_functions[contact as usize].gap_at(&self.bodies, event.moment()).gap
                            <= limits.touch;
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
