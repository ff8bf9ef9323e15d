//! The layout of a step: which manifold lies in which lane of which block, and what may run beside what.
//!
//! Small islands that want the same substeps are put together in bundles, until there is enough for one worker to chew on
//! in cache from the first substep to the last. A large island is cut into slabs across its longer horizontal axis: the
//! insides of all slabs run side by side, then every other interface between two slabs, then the ones between, then the
//! few contacts that reach farther. Either is a [`Group`]. The layout depends on the contacts and bodies alone, never
//! on the number of threads.

mod colours;
mod slabs;
mod survey;

use super::body::SolverBody;
use super::contact::ContactRef;
use super::lanes::WIDTH;
use crate::contact::Manifold;
use colours::Scheduler;
use slabs::Slabs;
use std::ops::Range;
pub(crate) use survey::Plan;
use survey::Survey;

/// No contact: an empty lane.
pub(crate) const NONE: u32 = u32::MAX;

/// Manifolds in a bundle: some 70 KB of blocks, which with its bodies stays in a core's second cache.
const BUNDLE: usize = 128;

/// An island of more manifolds than this is cut into slabs. Below, the barriers cost more than a second core brings.
const LARGE: usize = 640;

/// A run of blocks, and the lines that belong to whoever works on it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    pub blocks: Range<usize>,
    /// Empty for what lies between slabs.
    pub lines: Range<usize>,
    /// The lines that it moves on in the middle of a substep: see [`Group`].
    pub moves: Range<usize>,
}

/// A bundle (one item, inside) or a large island.
///
/// A substep of a large island goes through its phases forwards to solve and backwards to relax, so that what is solved
/// last is relaxed first, by the same worker while it is at it, and insides are relaxed together with the next substep's
/// solve. In between, all bodies move on: those of two slabs once the odd interface between them is solved, since all
/// else that touches them is; a slab without one has an odd item of its own for that. Where something lies in the rest,
/// the rest moves everything.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub plan: Plan,
    /// Items by phase: insides, even interfaces, odd interfaces, the rest. Items of one phase may run at once.
    pub phases: [Range<usize>; 4],
}

impl Group {
    /// All its items.
    pub fn items(&self) -> Range<usize> {
        self.phases[0].start..self.phases[3].end
    }

    /// Whether contacts reach farther than to the next slab.
    pub fn has_rest(&self) -> bool {
        !self.phases[3].is_empty()
    }

    /// Whether it is a large island in slabs.
    pub fn is_large(&self) -> bool {
        self.items().len() > 1
    }
}

/// A run of contacts with the same island number.
#[derive(Clone, Debug)]
pub(crate) struct Island {
    pub name: u32,
    pub contacts: Range<usize>,
    pub group: u32,
}

/// Where everything lies; kept while the contacts stay.
#[derive(Clone, Default)]
pub(crate) struct Layout {
    pub groups: Vec<Group>,
    pub items: Vec<Item>,
    pub islands: Vec<Island>,
    /// The contact of each lane of each block, or [`NONE`].
    pub lanes: Vec<[u32; WIDTH]>,
    /// The lines of the two bodies of each lane.
    pub lines: Vec<[[u32; 2]; WIDTH]>,
    /// The body of each line. Line 0 is body 0.
    pub bodies: Vec<u32>,
    /// Bodies that are in no group, in order: they move freely.
    pub loose: Vec<u32>,
    /// Manifolds in the pool that the contacts were checked against.
    pub pool: usize,
    /// Whether each body was movable when the layout was made.
    movable: Vec<bool>,
    scratch: Scratch,
}

/// Buffers that only [`Layout::build`] uses.
#[derive(Clone, Default)]
struct Scratch {
    /// The line of each body, good where the owner is the item at hand.
    line: Vec<u32>,
    owner: Vec<u32>,
    /// The island of each movable body.
    home: Vec<u32>,
    taken: Vec<bool>,
    survey: Survey,
    slabs: Slabs,
    scheduler: Scheduler,
    /// Bundles that still take islands; the next island of the bundle that an island is in.
    open: Vec<Open>,
    next: Vec<usize>,
    contacts: Vec<u32>,
}

/// A bundle that still takes islands: a list from the first to the last.
#[derive(Clone, Copy)]
struct Open {
    plan: Plan,
    first: usize,
    last: usize,
    contacts: usize,
}

/// No island follows.
const LAST: usize = usize::MAX;

impl Layout {
    /// Whether the layout still fits: as many bodies, of which the same can be moved, and no fewer manifolds.
    pub fn fits(&self, bodies: &[SolverBody], pool: usize) -> bool {
        self.pool <= pool
            && self.movable.len() == bodies.len()
            && self.movable.iter().zip(bodies).all(|(&was, body)| was == body.movable())
    }

    /// Fits nothing from now on, but keeps its buffers.
    pub fn forget(&mut self) {
        self.pool = usize::MAX;
    }

    /// Lays out a step anew.
    ///
    /// # Panics
    /// If a contact names a body or manifold that is not there, two contacts share a manifold, a movable body is in
    /// two islands, body 0 is movable, or an island's contacts are not together.
    pub fn build(&mut self, bodies: &[SolverBody], contacts: &[ContactRef], pool: &[Manifold], substeps: Option<u32>) {
        self.groups.clear();
        self.items.clear();
        self.lanes.clear();
        self.lines.clear();
        self.bodies.clear();
        self.bodies.push(0);
        self.movable.clear();
        self.movable.extend(bodies.iter().map(SolverBody::movable));
        self.pool = pool.len();
        self.check(contacts);

        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.line.clear();
        scratch.line.resize(bodies.len(), 0);
        scratch.owner.clear();
        scratch.owner.resize(bodies.len(), NONE);
        scratch.open.clear();
        scratch.next.clear();
        scratch.next.resize(self.islands.len(), LAST);
        for k in 0..self.islands.len() {
            let island = self.islands[k].contacts.clone();
            let refs = &contacts[island.clone()];
            let plan = scratch.survey.plan(refs, bodies, &self.movable, substeps);
            if refs.len() > LARGE {
                scratch.contacts.clear();
                scratch.contacts.extend(island.map(|c| c as u32));
                self.islands[k].group = self.groups.len() as u32;
                self.lay_large(&mut scratch, plan, bodies, contacts, pool);
                continue;
            }
            let open = match scratch.open.iter_mut().find(|open| open.plan == plan) {
                Some(open) => {
                    scratch.next[open.last] = k;
                    open.last = k;
                    open
                }
                None => {
                    scratch.open.push(Open { plan, first: k, last: k, contacts: 0 });
                    let last = scratch.open.len() - 1;
                    &mut scratch.open[last]
                }
            };
            open.contacts += refs.len();
            if open.contacts >= BUNDLE {
                let full = *open;
                scratch.open.retain(|open| open.plan != plan);
                self.lay_bundle(&mut scratch, full, contacts, pool);
            }
        }
        while let Some(open) = scratch.open.pop() {
            self.lay_bundle(&mut scratch, open, contacts, pool);
        }
        self.loose.clear();
        self.loose.extend(
            (0..bodies.len() as u32).filter(|&b| scratch.home[b as usize] == NONE || !self.movable[b as usize]),
        );
        self.scratch = scratch;
    }

    /// Finds the islands and rejects what would make two workers meet.
    fn check(&mut self, contacts: &[ContactRef]) {
        let bodies = self.movable.len();
        assert!(bodies == 0 || !self.movable[0], "body 0 is the fixed world and cannot be movable");
        let Scratch { home, taken, .. } = &mut self.scratch;
        home.clear();
        home.resize(bodies, NONE);
        taken.clear();
        taken.resize(self.pool, false);
        self.islands.clear();
        for (c, contact) in contacts.iter().enumerate() {
            match self.islands.last_mut() {
                Some(island) if island.name == contact.island => island.contacts.end = c + 1,
                last => {
                    assert!(
                        last.is_none_or(|last| last.name < contact.island),
                        "contact {c}: contacts must be sorted by island"
                    );
                    self.islands.push(Island { name: contact.island, contacts: c..c + 1, group: 0 });
                }
            }
            let run = self.islands.len() as u32 - 1;
            let used = &mut taken[contact.manifold as usize];
            assert!(!*used, "contact {c}: manifold {} is in use by another contact", contact.manifold);
            *used = true;
            assert!(contact.a != contact.b || contact.a == 0, "contact {c}: body {} touches itself", contact.a);
            for body in [contact.a as usize, contact.b as usize] {
                if self.movable[body] {
                    assert!(home[body] == NONE || home[body] == run, "body {body} is in two islands");
                    home[body] = run;
                }
            }
        }
    }

    /// Lays several small islands into one item.
    fn lay_bundle(&mut self, scratch: &mut Scratch, open: Open, contacts: &[ContactRef], pool: &[Manifold]) {
        scratch.contacts.clear();
        let mut k = open.first;
        while k != LAST {
            self.islands[k].group = self.groups.len() as u32;
            scratch.contacts.extend(self.islands[k].contacts.clone().map(|c| c as u32));
            k = scratch.next[k];
        }
        let first = self.items.len();
        let list = std::mem::take(&mut scratch.contacts);
        self.lay_item(scratch, &list, &[], contacts, pool);
        scratch.contacts = list;
        let end = self.items.len();
        self.groups.push(Group { plan: open.plan, phases: [first..end, end..end, end..end, end..end] });
    }

    /// Lays one large island into slabs.
    fn lay_large(
        &mut self,
        scratch: &mut Scratch,
        plan: Plan,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: &[Manifold],
    ) {
        let mut slabs = std::mem::take(&mut scratch.slabs);
        slabs.cut(&scratch.contacts, contacts, bodies, &self.movable);
        let mut phases = [0..0, 0..0, 0..0, 0..0];
        for (phase, range) in phases.iter_mut().enumerate() {
            range.start = self.items.len();
            for bucket in slabs.phase(phase) {
                self.lay_item(scratch, slabs.contacts(bucket), slabs.bodies(bucket), contacts, pool);
            }
            range.end = self.items.len();
        }
        scratch.slabs = slabs;
        let group = Group { plan, phases };
        if group.is_large() {
            self.share_moves(&group);
        }
        self.groups.push(group);
    }

    /// Says who moves which lines of a large island.
    fn share_moves(&mut self, group: &Group) {
        let [insides, _, odd, rest] = group.phases.clone();
        let last = insides.len() - 1;
        let lines = |items: &[Item], slab: usize| items[insides.start + slab].lines.clone();
        if !rest.is_empty() {
            self.items[rest.start].moves = lines(&self.items, 0).start..lines(&self.items, last).end;
            return;
        }
        // The odd items: the first slab by itself, then pairs, and where their number is even the last by itself.
        for (k, index) in odd.enumerate() {
            let (from, to) = ((2 * k).saturating_sub(1), (2 * k).min(last));
            self.items[index].moves = lines(&self.items, from).start..lines(&self.items, to).end;
        }
    }

    /// Lays a list of contacts into blocks. Bodies that have no line yet, and everything that cannot be moved, get lines
    /// of this item; `own` get theirs first.
    fn lay_item(
        &mut self,
        scratch: &mut Scratch,
        list: &[u32],
        own: &[u32],
        contacts: &[ContactRef],
        pool: &[Manifold],
    ) {
        let item = self.items.len() as u32;
        let (first_line, first_block) = (self.bodies.len(), self.lanes.len());
        for &body in own {
            self.line(scratch, item, body);
        }
        scratch.scheduler.begin();
        for &c in list {
            let contact = &contacts[c as usize];
            let movable = [self.movable[contact.a as usize], self.movable[contact.b as usize]];
            if movable == [false, false] {
                continue;
            }
            let lines = [self.line(scratch, item, contact.a), self.line(scratch, item, contact.b)];
            scratch.scheduler.add(c, lines, movable, pool[contact.manifold as usize].count);
        }
        scratch.scheduler.place(self.bodies.len(), &mut self.lanes, &mut self.lines);
        self.items.push(Item {
            blocks: first_block..self.lanes.len(),
            lines: first_line..self.bodies.len(),
            moves: 0..0,
        });
    }

    /// The line of a body for an item: the one it has, or a new one. What cannot be moved gets a line in each item, so
    /// that nobody reads what another worker writes.
    fn line(&mut self, scratch: &mut Scratch, item: u32, body: u32) -> u32 {
        if body == 0 {
            return 0;
        }
        let b = body as usize;
        let known = if self.movable[b] { scratch.owner[b] != NONE } else { scratch.owner[b] == item };
        if !known {
            scratch.owner[b] = item;
            scratch.line[b] = self.bodies.len() as u32;
            self.bodies.push(body);
        }
        scratch.line[b]
    }
}

#[cfg(test)]
mod tests;
