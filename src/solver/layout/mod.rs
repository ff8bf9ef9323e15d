//! The layout of a step: which manifold lies in which lane of which block, and what may run beside what.
//!
//! Small islands that want the same substeps are put together in bundles, until there is enough for one worker to chew on
//! in cache from the first substep to the last. A large island is cut into slabs across its longer horizontal axis: the
//! insides of all slabs run side by side, then every other interface between two slabs, then the ones between, then the
//! few contacts that reach farther. Either is a [`Group`]. The layout never depends on the number of threads.
//!
//! While the contacts change a little, the layout is changed where they do ([`Layout::fit`]): it follows from its own past
//! and is part of the state of a solver. A clone goes on with the same bits. Making it anew ([`Layout::build`]) depends
//! on the contacts and bodies alone.

mod colours;
mod link;
mod patch;
mod seats;
mod slabs;
#[cfg(feature = "serialize")]
mod sound;
mod survey;

use super::body::SolverBody;
use super::contact::ContactRef;
use crate::contact::Manifold;
use crate::index::NONE;
use crate::kept::copy_fields;
use crate::math::Real;
pub(crate) use colours::Scheduler;
pub(super) use link::Link;
use rustc_hash::FxHashMap;
use seats::Seats;
pub(crate) use seats::place;
use slabs::Slabs;
use std::ops::Range;
pub(crate) use survey::Plan;
pub(crate) use survey::{MAX_SUBSTEPS, Survey};

/// Manifolds in a bundle: some 70 KB of blocks, which with its bodies stays in a core's second cache.
const BUNDLE: usize = 128;

/// Room for more in an item: a part of its blocks and of its lines, and so many lines besides. A block weighs 2.6 KB.
const SPARE_BLOCKS: usize = 6;
const SPARE_LINES_PART: usize = 4;
const SPARE_LINES: usize = 16;

/// An island of more manifolds than this is cut into slabs. Below, the barriers cost more than a second core brings.
const LARGE: usize = 640;

/// A run of blocks, and the lines that belong to whoever works on it.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Item {
    pub blocks: Range<usize>,
    /// Empty for what lies between slabs.
    pub lines: Range<usize>,
    /// The lines that it moves on in the middle of a substep: see [`Group`].
    pub moves: Range<usize>,
    /// Where the room for more blocks and lines ends.
    block_room: usize,
    line_room: usize,
    group: u32,
}

/// A bundle (one item, inside) or a large island.
///
/// A substep of a large island goes through its phases forwards to solve and backwards to relax, so that what is solved
/// last is relaxed first, by the same worker while it is at it, and insides are relaxed together with the next substep's
/// solve. In between, all bodies move on: those of two slabs once the odd interface between them is solved, since all
/// else that touches them is; a slab without one has an odd item of its own for that. Where something lies in the rest,
/// the rest moves everything.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Group {
    pub plan: Plan,
    /// The substeps of the step at hand.
    pub substeps: u32,
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
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Island {
    pub name: u32,
    pub contacts: Range<usize>,
}

/// How a layout came to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// As it was.
    Kept,
    /// Changed where the contacts did.
    Patched,
    /// Made anew.
    Anew,
}

/// Where everything lies; kept while the contacts stay, and patched while few of them change.
#[derive(Clone, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Layout {
    pub groups: Vec<Group>,
    pub items: Vec<Item>,
    pub islands: Vec<Island>,
    pub seats: Seats,
    /// The body of each line; 0 for a line that nobody has. Line 0 is body 0.
    pub bodies: Vec<u32>,
    /// Seats that were given up in the last patch, some of which others may have taken.
    pub vacated: Vec<u32>,
    /// Manifolds in the pool that the contacts were checked against.
    pub pool: usize,
    /// Whether it was made, and for how many substeps the caller asked.
    made: bool,
    substeps: Option<u32>,
    /// By body: whether it can be moved; if so, the item its line belongs to, or [`NONE`], the line, and its contacts.
    movable: Vec<bool>,
    home: Vec<u32>,
    line: Vec<u32>,
    degree: Vec<u32>,
    /// The line of a body that moves but cannot be moved, by item and body. Only ever looked up.
    carried: FxHashMap<(u32, u32), u32>,
    /// The bundle that takes new islands.
    open: Option<u32>,
    /// Contacts that came or went since the layout was made, and steps since the first of them.
    changes: usize,
    age: u32,
    #[cfg_attr(feature = "serialize", serde(skip))]
    scratch: Scratch,
}

/// Buffers that only live while a layout is made or changed.
#[derive(Clone, Default)]
struct Scratch {
    /// The island of each movable body.
    island: Vec<u32>,
    taken: Vec<bool>,
    survey: Survey,
    slabs: Slabs,
    scheduler: Scheduler,
    /// Bundles that still take islands; the next island of the bundle that an island is in.
    open: Vec<Open>,
    next: Vec<usize>,
    contacts: Vec<u32>,
    born: Vec<u32>,
    gone: Vec<u32>,
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
    /// Fits nothing from now on, but keeps its buffers.
    pub fn forget(&mut self) {
        self.made = false;
    }

    /// Whether it may fit anything.
    pub fn is_made(&self) -> bool {
        self.made
    }

    /// Copies all but what only lives while a layout is made.
    pub fn copy_kept(&mut self, from: &Self) {
        copy_fields!(self, from; groups, items, islands, seats, bodies, vacated, pool, made, substeps, movable, home, line,
            degree, carried, open, changes, age);
    }

    /// Whether the body of a line can be moved.
    #[cfg(feature = "serialize")]
    pub fn moves(&self, line: u32) -> bool {
        self.movable[self.bodies[line as usize] as usize]
    }

    /// The number of an island's group; `None` if nothing in it can be moved.
    pub fn group(&self, island: &Island, contacts: &[ContactRef]) -> Option<usize> {
        let bodies = contacts[island.contacts.clone()].iter().flat_map(Link::bodies);
        let home = bodies.map(|b| self.home[b as usize]).find(|&home| home != NONE)?;
        Some(self.items[home as usize].group as usize)
    }

    /// Gives each group its substeps for a step of `dt` (s).
    pub fn time(&mut self, dt: Real) {
        for group in &mut self.groups {
            group.substeps = if self.substeps.is_some() { group.plan.substeps } else { group.plan.within(dt) };
        }
    }

    /// Bodies that are in no group: they move freely.
    pub fn loose(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.home.len()).filter(|&body| self.home[body] == NONE)
    }

    /// Lays out a step anew.
    ///
    /// # Panics
    /// If a contact names a body or manifold that is not there, two contacts share a manifold, a movable body is in
    /// two islands, body 0 is movable, or an island's contacts are not together.
    pub fn build(&mut self, bodies: &[SolverBody], contacts: &[ContactRef], pool: &[Manifold], substeps: Option<u32>) {
        self.groups.clear();
        self.items.clear();
        self.seats.clear(pool.len());
        self.bodies.clear();
        self.bodies.push(0);
        self.movable.clear();
        self.movable.extend(bodies.iter().map(SolverBody::movable));
        for (list, nothing) in [(&mut self.home, NONE), (&mut self.line, 0), (&mut self.degree, 0)] {
            list.clear();
            list.resize(bodies.len(), nothing);
        }
        self.carried.clear();
        self.vacated.clear();
        self.open = None;
        (self.changes, self.age) = (0, 0);
        self.pool = pool.len();
        self.substeps = substeps;
        self.made = false;
        self.check(contacts);

        let mut scratch = std::mem::take(&mut self.scratch);
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
        self.scratch = scratch;
        self.made = true;
    }

    /// Finds the islands and rejects what would make two workers meet.
    fn check(&mut self, contacts: &[ContactRef]) {
        let bodies = self.movable.len();
        assert!(bodies == 0 || !self.movable[0], "body 0 is the fixed world and cannot be movable");
        self.find_islands(contacts);
        let Scratch { island: home, taken, .. } = &mut self.scratch;
        home.clear();
        home.resize(bodies, NONE);
        taken.clear();
        taken.resize(self.pool, false);
        for (c, contact) in contacts.iter().enumerate() {
            let used = &mut taken[contact.manifold as usize];
            assert!(!*used, "contact {c}: manifold {} is in use by another contact", contact.manifold);
            *used = true;
            assert!(contact.a != contact.b || contact.a == 0, "contact {c}: body {} touches itself", contact.a);
            for body in contact.bodies() {
                if self.movable[body as usize] {
                    let home = &mut home[body as usize];
                    assert!(*home == NONE || *home == contact.island, "body {body} is in two islands");
                    *home = contact.island;
                }
            }
        }
    }

    /// Finds the runs of contacts of one island.
    fn find_islands(&mut self, contacts: &[ContactRef]) {
        self.islands.clear();
        for (c, contact) in contacts.iter().enumerate() {
            match self.islands.last_mut() {
                Some(island) if island.name == contact.island => island.contacts.end = c + 1,
                last => {
                    assert!(
                        last.is_none_or(|last| last.name < contact.island),
                        "contact {c}: contacts must be sorted by island"
                    );
                    self.islands.push(Island { name: contact.island, contacts: c..c + 1 });
                }
            }
        }
    }

    /// Lays several small islands into one item.
    fn lay_bundle(&mut self, scratch: &mut Scratch, open: Open, contacts: &[ContactRef], pool: &[Manifold]) {
        scratch.contacts.clear();
        let mut k = open.first;
        while k != LAST {
            scratch.contacts.extend(self.islands[k].contacts.clone().map(|c| c as u32));
            k = scratch.next[k];
        }
        let first = self.items.len();
        let list = std::mem::take(&mut scratch.contacts);
        self.lay_item(scratch, &list, &[], contacts, pool);
        scratch.contacts = list;
        self.close_bundle(first, open.plan);
    }

    /// Makes a bundle of one item, the last.
    fn close_bundle(&mut self, first: usize, plan: Plan) {
        let end = first + 1;
        self.groups.push(Group { plan, substeps: plan.substeps, phases: [first..end, end..end, end..end, end..end] });
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
        let group = Group { plan, substeps: plan.substeps, phases };
        if group.is_large() {
            self.share_moves(&group);
        }
        self.groups.push(group);
    }

    /// Says who moves which lines of a large island: all that slabs have room for.
    fn share_moves(&mut self, group: &Group) {
        let [insides, _, odd, rest] = group.phases.clone();
        let last = insides.len() - 1;
        let lines = |items: &[Item], slab: usize| {
            let item = &items[insides.start + slab];
            item.lines.start..item.line_room
        };
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
        let (first_line, first_block) = (self.bodies.len(), self.seats.blocks());
        for &body in own {
            self.line(item, body);
        }
        scratch.scheduler.begin();
        for &c in list {
            let contact = &contacts[c as usize];
            let movable = contact.bodies().map(|b| self.movable[b as usize]);
            if movable == [false, false] {
                continue;
            }
            let lines = contact.bodies().map(|body| self.line(item, body));
            for body in contact.bodies() {
                self.degree[body as usize] += u32::from(self.movable[body as usize]);
            }
            scratch.scheduler.add(c, lines, movable, pool[contact.manifold as usize].count);
        }
        let Seats { contacts: lanes, lines, .. } = &mut self.seats;
        scratch.scheduler.place(self.bodies.len(), lanes, lines);
        let (blocks, lines) = (first_block..self.seats.blocks(), first_line..self.bodies.len());
        let name = |c: u32| contacts[c as usize].manifold;
        self.seats.enter(blocks.len() / SPARE_BLOCKS + 1, name);
        if !lines.is_empty() {
            self.bodies.resize(lines.end + lines.len() / SPARE_LINES_PART + SPARE_LINES, 0);
        }
        self.items.push(Item {
            blocks,
            lines,
            moves: 0..0,
            block_room: self.seats.blocks(),
            line_room: self.bodies.len(),
            group: self.groups.len() as u32,
        });
    }

    /// The line of a body for an item: the one it has, or a new one. What cannot be moved gets a line in each item, so
    /// that nobody reads what another worker writes.
    fn line(&mut self, item: u32, body: u32) -> u32 {
        let b = body as usize;
        let next = self.bodies.len() as u32;
        if body == 0 {
            return 0;
        }
        let line = if self.movable[b] {
            if self.home[b] != NONE {
                return self.line[b];
            }
            (self.home[b], self.line[b]) = (item, next);
            next
        } else {
            *self.carried.entry((item, body)).or_insert(next)
        };
        if line == next {
            self.bodies.push(body);
        }
        line
    }
}

#[cfg(test)]
mod tests;
