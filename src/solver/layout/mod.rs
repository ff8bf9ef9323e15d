//! Layout of a step: the block and lane of each manifold, and the parts that may run in parallel.
//!
//! Small islands with the same plan are put together in bundles, each large enough to keep one
//! worker busy in cache from the first substep to the last. A large island is divided into
//! subdomains across its longer horizontal axis (domain decomposition): the interiors of all
//! subdomains run in parallel, then every other boundary between two subdomains, then the
//! boundaries between, then the few contacts that reach farther. Either is a [`Group`]. The layout
//! never depends on the number of threads.
//!
//! While few contacts change, the layout is updated incrementally ([`Layout::fit`]): it depends on
//! its own past and is part of the state of a solver, so a clone continues with the same bits. A
//! rebuild ([`Layout::build`]) depends on the contacts and bodies alone.

mod colours;
mod edge;
mod incremental;
mod island_analysis;
mod lane_slots;
mod subdomains;
#[cfg(feature = "serialize")]
mod validate;

use super::body::SolverBody;
use super::contact::ContactRef;
use crate::contact::Manifold;
use crate::ids::NONE;
use crate::math::Real;
use crate::persist::copy_fields;
pub(crate) use colours::Scheduler;
pub(super) use edge::Edge;
pub(crate) use island_analysis::IslandPlan;
pub(crate) use island_analysis::{IslandAnalysis, MAX_SUBSTEPS};
use lane_slots::LaneSlots;
pub(crate) use lane_slots::block_and_lane;
use rustc_hash::FxHashMap;
use std::ops::Range;
use subdomains::Subdomains;

/// Manifolds in a bundle: some 70 KB of blocks, which with its bodies stays in the second cache of
/// a core.
const BUNDLE: usize = 128;

/// Spare capacity of an item: a part of its blocks and of its states, and a number of states
/// besides. A block has 2.6 KB.
const SPARE_BLOCKS: usize = 6;
const SPARE_STATES_PART: usize = 4;
const SPARE_STATES: usize = 16;

/// Number of manifolds above which an island is divided into subdomains. Below, the barriers cost
/// more than a second core gains.
const LARGE: usize = 640;

/// A run of blocks, and the body states that belong to the worker that runs it.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Item {
    pub blocks: Range<usize>,
    /// Empty for boundaries.
    pub states: Range<usize>,
    /// The states that it advances in the middle of a substep: see [`Group`].
    pub drift: Range<usize>,
    /// Ends of the spare capacity for blocks and states.
    block_capacity: usize,
    state_capacity: usize,
    group: u32,
}

/// A bundle (one item, an interior) or a large island.
///
/// A substep of a large island runs its phases forwards to solve and backwards to relax, so that
/// the phase solved last is relaxed first, by the same worker, and interiors are relaxed together
/// with the solve of the next substep. In between all bodies advance: those of two subdomains once
/// the odd boundary between them is solved, since all else that touches them is; a subdomain
/// without an odd boundary has an odd item of its own for that. If the remainder is not empty, it
/// advances all bodies.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Group {
    pub plan: IslandPlan,
    /// Substeps of the current step.
    pub substeps: u32,
    /// Items by phase: interiors, even boundaries, odd boundaries, remainder. Items of one phase
    /// may run in parallel.
    pub phases: [Range<usize>; 4],
}

impl Group {
    /// All its items.
    pub fn items(&self) -> Range<usize> {
        self.phases[0].start..self.phases[3].end
    }

    /// True if contacts reach farther than to the next subdomain.
    pub fn has_remainder(&self) -> bool {
        !self.phases[3].is_empty()
    }

    /// True if it is a large island in subdomains.
    pub fn is_large(&self) -> bool {
        self.items().len() > 1
    }
}

/// A run of contacts with the same island number (its key).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Island {
    pub key: u32,
    pub contacts: Range<usize>,
}

/// Result of [`Layout::fit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Unchanged.
    Unchanged,
    /// Updated where the contacts changed.
    Updated,
    /// Rebuilt.
    Rebuilt,
}

/// The layout of all contacts and bodies; unchanged while the contacts stay, and updated while few
/// of them change.
#[derive(Clone, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Layout {
    pub groups: Vec<Group>,
    pub items: Vec<Item>,
    pub islands: Vec<Island>,
    pub lane_slots: LaneSlots,
    /// The body of each state; 0 for an unused state. State 0 is body 0.
    pub bodies: Vec<u32>,
    /// Slots that were cleared in the last update, some of which may be occupied again.
    pub cleared_slots: Vec<u32>,
    /// Number of manifolds of the pool that the contacts were checked against.
    pub pool: usize,
    /// State of the layout: built or not, and the number of substeps that the caller asked for.
    built: bool,
    substeps: Option<u32>,
    /// By body: true if movable; then the item that its state belongs to, or [`NONE`], the state,
    /// and the number of its contacts.
    movable: Vec<bool>,
    item_of: Vec<u32>,
    state_of: Vec<u32>,
    contact_count: Vec<u32>,
    /// The state of an immovable body, by item and body. Only ever looked up.
    immovable_states: FxHashMap<(u32, u32), u32>,
    /// The bundle that takes new islands.
    open_bundle: Option<u32>,
    /// Contacts added or removed since the layout was built, and steps since the first of them.
    changes: usize,
    age: u32,
    #[cfg_attr(feature = "serialize", serde(skip))]
    scratch: Scratch,
}

/// Buffers used only while a layout is built or updated.
#[derive(Clone, Default)]
struct Scratch {
    /// The island of each movable body.
    island: Vec<u32>,
    is_used: Vec<bool>,
    island_analysis: IslandAnalysis,
    subdomains: Subdomains,
    scheduler: Scheduler,
    /// Bundles that still take islands; by island, the next island of its bundle.
    open: Vec<OpenBundle>,
    next: Vec<usize>,
    contacts: Vec<u32>,
    added: Vec<u32>,
    removed: Vec<u32>,
}

/// A bundle that still takes islands: a linked list of islands.
#[derive(Clone, Copy)]
struct OpenBundle {
    plan: IslandPlan,
    first: usize,
    last: usize,
    contacts: usize,
}

/// End of the list.
const LAST: usize = usize::MAX;

impl Layout {
    /// Invalidates the layout, but keeps its buffers.
    pub fn forget(&mut self) {
        self.built = false;
    }

    /// True if it is valid.
    pub fn is_built(&self) -> bool {
        self.built
    }

    /// Copies everything but the scratch buffers.
    pub fn copy_persistent(&mut self, from: &Self) {
        copy_fields!(self, from; groups, items, islands, lane_slots, bodies, cleared_slots, pool, built, substeps, movable, item_of, state_of,
            contact_count, immovable_states, open_bundle, changes, age);
    }

    /// True if the body of a state is movable.
    #[cfg(feature = "serialize")]
    pub fn is_movable(&self, state: u32) -> bool {
        self.movable[self.bodies[state as usize] as usize]
    }

    /// The number of an island's group; `None` if none of its bodies is movable.
    pub fn group(&self, island: &Island, contacts: &[ContactRef]) -> Option<usize> {
        let bodies = contacts[island.contacts.clone()].iter().flat_map(Edge::bodies);
        let item_of = bodies.map(|b| self.item_of[b as usize]).find(|&item_of| item_of != NONE)?;
        Some(self.items[item_of as usize].group as usize)
    }

    /// Sets the substeps of each group for a step of `dt` (s).
    pub fn set_substeps(&mut self, dt: Real) {
        for group in &mut self.groups {
            group.substeps =
                if self.substeps.is_some() { group.plan.substeps } else { group.plan.substeps_for_step(dt) };
        }
    }

    /// Bodies in no group: they move freely.
    pub fn unconstrained(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.item_of.len()).filter(|&body| self.item_of[body] == NONE)
    }

    /// Builds the layout of a step from scratch.
    ///
    /// # Panics
    /// If a contact names a body or manifold out of range, or a movable body twice; if two contacts share a manifold;
    /// if a movable body is in two islands; if body 0 is movable; or if the contacts are not sorted by island.
    pub fn build(&mut self, bodies: &[SolverBody], contacts: &[ContactRef], pool: &[Manifold], substeps: Option<u32>) {
        self.groups.clear();
        self.items.clear();
        self.lane_slots.clear(pool.len());
        self.bodies.clear();
        self.bodies.push(0);
        self.movable.clear();
        self.movable.extend(bodies.iter().map(SolverBody::movable));
        for (list, nothing) in [(&mut self.item_of, NONE), (&mut self.state_of, 0), (&mut self.contact_count, 0)] {
            list.clear();
            list.resize(bodies.len(), nothing);
        }
        self.immovable_states.clear();
        self.cleared_slots.clear();
        self.open_bundle = None;
        (self.changes, self.age) = (0, 0);
        self.pool = pool.len();
        self.substeps = substeps;
        self.built = false;
        self.check(contacts);

        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.open.clear();
        scratch.next.clear();
        scratch.next.resize(self.islands.len(), LAST);
        for k in 0..self.islands.len() {
            let island = self.islands[k].contacts.clone();
            let refs = &contacts[island.clone()];
            let plan = scratch.island_analysis.plan(refs, bodies, &self.movable, substeps);
            if refs.len() > LARGE {
                scratch.contacts.clear();
                scratch.contacts.extend(island.map(|c| c as u32));
                self.build_large(&mut scratch, plan, bodies, contacts, pool);
                continue;
            }
            let open = match scratch.open.iter_mut().find(|open| open.plan == plan) {
                Some(open) => {
                    scratch.next[open.last] = k;
                    open.last = k;
                    open
                }
                None => {
                    scratch.open.push(OpenBundle { plan, first: k, last: k, contacts: 0 });
                    let last = scratch.open.len() - 1;
                    &mut scratch.open[last]
                }
            };
            open.contacts += refs.len();
            if open.contacts >= BUNDLE {
                let full = *open;
                scratch.open.retain(|open| open.plan != plan);
                self.build_bundle(&mut scratch, full, contacts, pool);
            }
        }
        while let Some(open) = scratch.open.pop() {
            self.build_bundle(&mut scratch, open, contacts, pool);
        }
        self.scratch = scratch;
        self.built = true;
    }

    /// Finds the islands and rejects input that would let two workers touch the same body or
    /// manifold.
    fn check(&mut self, contacts: &[ContactRef]) {
        let bodies = self.movable.len();
        assert!(bodies == 0 || !self.movable[0], "body 0 is the fixed world and cannot be movable");
        self.find_islands(contacts);
        let Scratch { island: island_of, is_used, .. } = &mut self.scratch;
        island_of.clear();
        island_of.resize(bodies, NONE);
        is_used.clear();
        is_used.resize(self.pool, false);
        for (c, contact) in contacts.iter().enumerate() {
            let used = &mut is_used[contact.manifold as usize];
            assert!(!*used, "contact {c}: manifold {} is in use by another contact", contact.manifold);
            *used = true;
            assert!(contact.a != contact.b || contact.a == 0, "contact {c}: body {} touches itself", contact.a);
            for body in contact.bodies() {
                if self.movable[body as usize] {
                    let island = &mut island_of[body as usize];
                    assert!(*island == NONE || *island == contact.island, "body {body} is in two islands");
                    *island = contact.island;
                }
            }
        }
    }

    /// Finds the runs of contacts of each island.
    fn find_islands(&mut self, contacts: &[ContactRef]) {
        self.islands.clear();
        for (c, contact) in contacts.iter().enumerate() {
            match self.islands.last_mut() {
                Some(island) if island.key == contact.island => island.contacts.end = c + 1,
                last => {
                    assert!(
                        last.is_none_or(|last| last.key < contact.island),
                        "contact {c}: contacts must be sorted by island"
                    );
                    self.islands.push(Island { key: contact.island, contacts: c..c + 1 });
                }
            }
        }
    }

    /// Puts several small islands into one item.
    fn build_bundle(&mut self, scratch: &mut Scratch, open: OpenBundle, contacts: &[ContactRef], pool: &[Manifold]) {
        scratch.contacts.clear();
        let mut k = open.first;
        while k != LAST {
            scratch.contacts.extend(self.islands[k].contacts.clone().map(|c| c as u32));
            k = scratch.next[k];
        }
        let first = self.items.len();
        let list = std::mem::take(&mut scratch.contacts);
        self.build_item(scratch, &list, &[], contacts, pool);
        scratch.contacts = list;
        self.push_bundle(first, open.plan);
    }

    /// Makes a bundle of the last item.
    fn push_bundle(&mut self, first: usize, plan: IslandPlan) {
        let end = first + 1;
        self.groups.push(Group { plan, substeps: plan.substeps, phases: [first..end, end..end, end..end, end..end] });
    }

    /// Divides one large island into subdomains.
    fn build_large(
        &mut self,
        scratch: &mut Scratch,
        plan: IslandPlan,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: &[Manifold],
    ) {
        let mut subdomains = std::mem::take(&mut scratch.subdomains);
        subdomains.cut(&scratch.contacts, contacts, bodies, &self.movable);
        let mut phases = [0..0, 0..0, 0..0, 0..0];
        for (phase, range) in phases.iter_mut().enumerate() {
            range.start = self.items.len();
            for bucket in subdomains.phase(phase) {
                self.build_item(scratch, subdomains.contacts(bucket), subdomains.bodies(bucket), contacts, pool);
            }
            range.end = self.items.len();
        }
        scratch.subdomains = subdomains;
        let group = Group { plan, substeps: plan.substeps, phases };
        if group.is_large() {
            self.assign_drift(&group);
        }
        self.groups.push(group);
    }

    /// Assigns the states of a large island, with the spare ones, to the items that advance them.
    fn assign_drift(&mut self, group: &Group) {
        let [interiors, _, odd, remainder] = group.phases.clone();
        let last = interiors.len() - 1;
        let states = |items: &[Item], subdomain: usize| {
            let item = &items[interiors.start + subdomain];
            item.states.start..item.state_capacity
        };
        if !remainder.is_empty() {
            self.items[remainder.start].drift = states(&self.items, 0).start..states(&self.items, last).end;
            return;
        }
        // The odd items: the first subdomain by itself, then pairs, and for an even number of
        // subdomains the last by itself.
        for (k, index) in odd.enumerate() {
            let (from, to) = ((2 * k).saturating_sub(1), (2 * k).min(last));
            self.items[index].drift = states(&self.items, from).start..states(&self.items, to).end;
        }
    }

    /// Puts a list of contacts into the blocks of a new item. Bodies without a state, and all
    /// immovable bodies, get states of this item; those of `own` get theirs first.
    fn build_item(
        &mut self,
        scratch: &mut Scratch,
        list: &[u32],
        own: &[u32],
        contacts: &[ContactRef],
        pool: &[Manifold],
    ) {
        let item = self.items.len() as u32;
        let (first_state, first_block) = (self.bodies.len(), self.lane_slots.blocks());
        for &body in own {
            self.add_state(item, body);
        }
        scratch.scheduler.begin();
        for &c in list {
            let contact = &contacts[c as usize];
            let movable = contact.bodies().map(|b| self.movable[b as usize]);
            if movable == [false, false] {
                continue;
            }
            let states = contact.bodies().map(|body| self.add_state(item, body));
            for body in contact.bodies() {
                self.contact_count[body as usize] += u32::from(self.movable[body as usize]);
            }
            scratch.scheduler.add(c, states, movable, pool[contact.manifold as usize].count);
        }
        let LaneSlots { contacts: lanes, states, .. } = &mut self.lane_slots;
        scratch.scheduler.place(self.bodies.len(), lanes, states);
        let (blocks, states) = (first_block..self.lane_slots.blocks(), first_state..self.bodies.len());
        let key = |c: u32| contacts[c as usize].manifold;
        self.lane_slots.append(blocks.len() / SPARE_BLOCKS + 1, key);
        if !states.is_empty() {
            self.bodies.resize(states.end + states.len() / SPARE_STATES_PART + SPARE_STATES, 0);
        }
        self.items.push(Item {
            blocks,
            states,
            drift: 0..0,
            block_capacity: self.lane_slots.blocks(),
            state_capacity: self.bodies.len(),
            group: self.groups.len() as u32,
        });
    }

    /// The state of a body for an item: its own, or a new one. An immovable body gets a state in
    /// each item, so that no worker reads a state that another writes.
    fn add_state(&mut self, item: u32, body: u32) -> u32 {
        let b = body as usize;
        let next = self.bodies.len() as u32;
        if body == 0 {
            return 0;
        }
        let state = if self.movable[b] {
            if self.item_of[b] != NONE {
                return self.state_of[b];
            }
            (self.item_of[b], self.state_of[b]) = (item, next);
            next
        } else {
            *self.immovable_states.entry((item, body)).or_insert(next)
        };
        if state == next {
            self.bodies.push(body);
        }
        state
    }
}

#[cfg(test)]
mod tests;
