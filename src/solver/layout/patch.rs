//! Keeping a layout while contacts come and go.
//!
//! Contacts that are gone leave their seats; new ones take the first free seat of the item that both their bodies belong
//! to. A body that touches for the first time joins the item of what it touches; two of them make a new island in a
//! bundle; a small island that meets another moves over to it. What that cannot do, and a layout that has changed by
//! much or for long, is left to [`Layout::build`], which looks at every island anew.

use super::link::Link;
use super::{BUNDLE, Fit, Item, Layout, NONE, Plan, Scratch};
use crate::contact::Manifold;
use crate::solver::body::SolverBody;
use crate::solver::contact::ContactRef;
use crate::solver::lanes::WIDTH;

/// A layout is made anew once this share of its contacts, and `CHANGES` more, have come or gone. More, and blocks have
/// holes and islands the plan of what they were; less, and falling heaps are laid out over and over.
const CHANGED_SHARE: usize = 2;
/// See [`CHANGED_SHARE`].
const CHANGES: usize = 64;
/// A layout is made anew this many steps after its first change: half a second, in which no tower grows too tall for its
/// substeps.
const PATCHED_STEPS: u32 = 30;
/// Blocks and lines of a bundle that begins empty.
const BUNDLE_BLOCKS: usize = 2 * BUNDLE / WIDTH;
const BUNDLE_LINES: usize = 2 * BUNDLE;

/// What a patch cannot do.
struct Misfit;

impl Layout {
    /// Makes the layout fit the contacts: keeps it, changes it where they changed, or makes it anew.
    ///
    /// # Panics
    /// As [`Layout::build`]; but where it was not made anew, a body in two islands shows only when two islands meet.
    pub fn fit(
        &mut self,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: &[Manifold],
        substeps: Option<u32>,
    ) -> Fit {
        let worn = CHANGED_SHARE * self.changes > contacts.len() + CHANGES || self.age > PATCHED_STEPS;
        if self.made && !worn && self.substeps == substeps && self.home.len() <= bodies.len() {
            // A patch that fails or panics leaves nothing that could be used.
            self.made = false;
            let mut scratch = std::mem::take(&mut self.scratch);
            let fit = self.patch(&mut scratch, bodies, contacts, pool.len());
            self.scratch = scratch;
            if let Ok(fit) = fit {
                self.made = true;
                return fit;
            }
        }
        self.build(bodies, contacts, pool, substeps);
        Fit::Anew
    }

    fn patch(
        &mut self,
        scratch: &mut Scratch,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: usize,
    ) -> Result<Fit, Misfit> {
        let count = bodies.len();
        self.pool = pool;
        self.vacated.clear();
        self.home.resize(count, NONE);
        self.line.resize(count, 0);
        self.degree.resize(count, 0);
        self.movable.resize(count, false);
        self.find_islands(contacts);
        self.meet(scratch, contacts, pool);
        for &seat in &scratch.gone {
            self.vacate(seat);
        }
        self.turn(bodies)?;
        let mut changes = scratch.gone.len();
        for k in 0..scratch.born.len() {
            let c = scratch.born[k];
            if contacts[c as usize].bodies().iter().any(|&b| self.movable[b as usize]) {
                changes += 1;
                self.welcome(scratch, c, contacts, bodies)?;
            }
        }
        self.changes += changes;
        self.age += u32::from(self.changes > 0);
        Ok(if changes > 0 { Fit::Patched } else { Fit::Kept })
    }

    /// Looks at who is still there: lists the contacts without a seat, and the seats without a contact.
    fn meet(&mut self, scratch: &mut Scratch, contacts: &[ContactRef], pool: usize) {
        scratch.born.clear();
        scratch.gone.clear();
        self.seats.begin(pool);
        for (c, contact) in contacts.iter().enumerate() {
            let seat = self.seats.of(contact.manifold);
            // The manifold may have gone to another pair of bodies.
            match seat.filter(|&seat| self.seats.lines_of(seat).map(|l| self.bodies[l as usize]) == contact.bodies()) {
                Some(seat) => {
                    let first = self.seats.meet(seat, c as u32);
                    assert!(first, "contact {c}: manifold {} is in use by another contact", contact.manifold);
                }
                None => scratch.born.push(c as u32),
            }
        }
        if self.seats.count() + scratch.born.len() != contacts.len() {
            self.seats.missing(&mut scratch.gone);
        }
    }

    /// Empties a seat; a body whose last it was gives up its line.
    fn vacate(&mut self, seat: u32) {
        self.vacated.push(seat);
        for line in self.seats.leave(seat) {
            let body = self.bodies[line as usize] as usize;
            if self.home[body] != NONE {
                self.degree[body] -= 1;
                if self.degree[body] == 0 {
                    self.home[body] = NONE;
                    self.bodies[line as usize] = 0;
                }
            }
        }
    }

    /// Takes note of bodies that can be moved from now on, or no more.
    fn turn(&mut self, bodies: &[SolverBody]) -> Result<(), Misfit> {
        for (b, body) in bodies.iter().enumerate() {
            let movable = body.movable();
            if self.movable[b] != movable {
                assert!(b != 0, "body 0 is the fixed world and cannot be movable");
                let carried = movable && self.carried.keys().any(|&(_, body)| body as usize == b);
                if self.home[b] != NONE || carried {
                    return Err(Misfit);
                }
                self.movable[b] = movable;
            }
        }
        Ok(())
    }

    /// Finds a seat for a new contact.
    fn welcome(
        &mut self,
        scratch: &mut Scratch,
        c: u32,
        contacts: &[ContactRef],
        bodies: &[SolverBody],
    ) -> Result<(), Misfit> {
        let contact = &contacts[c as usize];
        assert!(contact.a != contact.b, "contact {c}: body {} touches itself", contact.a);
        let taken = self.seats.of(contact.manifold).is_some();
        assert!(!taken, "contact {c}: manifold {} is in use by another contact", contact.manifold);
        let item = match contact.bodies().map(|b| self.home[b as usize]) {
            [NONE, NONE] => {
                let refs = std::slice::from_ref(contact);
                let plan = scratch.survey.plan(refs, bodies, &self.movable, self.substeps);
                self.open_bundle(plan)
            }
            [item, NONE] | [NONE, item] => item,
            [a, b] if a == b => a,
            [a, b] if self.items[a as usize].group == self.items[b as usize].group => self.between(a, b)?,
            [a, b] => self.unite(scratch, [a, b], contact.island, contacts)?,
        };
        self.seat(item, c, contact)
    }

    /// The item between two slabs.
    fn between(&self, a: u32, b: u32) -> Result<u32, Misfit> {
        let group = &self.groups[self.items[a as usize].group as usize];
        let [insides, even, odd, rest] = group.phases.clone();
        let (low, high) = (a.min(b) as usize - insides.start, a.max(b) as usize - insides.start);
        let item = match (high - low, low % 2) {
            (1, 0) => even.start + low / 2,
            // The odd ones begin with one before the first slab.
            (1, _) => odd.start + low.div_ceil(2),
            _ if rest.is_empty() => return Err(Misfit),
            _ => rest.start,
        };
        Ok(item as u32)
    }

    /// Brings two islands that meet into one item, and says which: the smaller bundle's goes over to the other's.
    fn unite(
        &mut self,
        scratch: &mut Scratch,
        items: [u32; 2],
        island: u32,
        contacts: &[ContactRef],
    ) -> Result<u32, Misfit> {
        let group = |item: u32| &self.groups[self.items[item as usize].group as usize];
        let size = |item: u32| (group(item).is_large(), self.items[item as usize].blocks.len(), u32::MAX - item);
        let [a, b] = items;
        let (from, to) = if size(a) < size(b) { (a, b) } else { (b, a) };
        let (less, more) = (group(from).plan, group(to).plan);
        if group(from).is_large() || less.substeps > more.substeps || less.inner > more.inner {
            return Err(Misfit);
        }
        scratch.gone.clear();
        let blocks = self.items[from as usize].blocks.clone();
        scratch.gone.extend(
            self.seats.within(blocks).filter(|&seat| contacts[self.seats.contact(seat) as usize].island == island),
        );
        for seat in &mut scratch.gone {
            let contact = self.seats.contact(*seat);
            self.vacate(*seat);
            *seat = contact;
        }
        for &c in &scratch.gone {
            let contact = &contacts[c as usize];
            for body in contact.bodies() {
                assert!(self.home[body as usize] != from, "body {body} is in two islands");
            }
            self.seat(to, c, contact)?;
        }
        Ok(to)
    }

    /// Seats a contact in an item, whose bodies have their lines there or get them.
    fn seat(&mut self, item: u32, c: u32, contact: &ContactRef) -> Result<(), Misfit> {
        let [a, b] = contact.bodies();
        let lines = [self.line_in(item, a)?, self.line_in(item, b)?];
        let moved = match [a, b].map(|b| self.movable[b as usize]) {
            [true, true] => lines,
            [true, _] => [lines[0]; 2],
            _ => [lines[1]; 2],
        };
        let Item { blocks, block_room, .. } = &mut self.items[item as usize];
        let seat = match self.seats.find(blocks.clone(), moved) {
            Some(seat) => seat,
            None if blocks.end < *block_room => {
                blocks.end += 1;
                (WIDTH * (blocks.end - 1)) as u32
            }
            None => return Err(Misfit),
        };
        self.seats.sit(seat, c, contact.manifold, lines);
        for body in [a, b] {
            self.degree[body as usize] += u32::from(self.movable[body as usize]);
        }
        Ok(())
    }

    /// The line of a body for an item: the one it has, or one that is free.
    fn line_in(&mut self, item: u32, body: u32) -> Result<u32, Misfit> {
        let b = body as usize;
        if body == 0 {
            return Ok(0);
        }
        if self.home[b] != NONE {
            return Ok(self.line[b]);
        }
        if let Some(&line) = self.carried.get(&(item, body)) {
            return Ok(line);
        }
        let Item { lines, line_room, .. } = &mut self.items[item as usize];
        let line = match self.bodies[lines.clone()].iter().position(|&body| body == 0) {
            Some(free) => lines.start + free,
            None if lines.end < *line_room => {
                lines.end += 1;
                lines.end - 1
            }
            None => return Err(Misfit),
        };
        self.bodies[line] = body;
        if self.movable[b] {
            (self.home[b], self.line[b]) = (item, line as u32);
        } else {
            self.carried.insert((item, body), line as u32);
        }
        Ok(line as u32)
    }

    /// A bundle of this plan that has room for a new island.
    fn open_bundle(&mut self, plan: Plan) -> u32 {
        if let Some(open) = self.open {
            let item = &self.items[open as usize];
            let room = item.blocks.len() < BUNDLE / WIDTH && item.lines.end + 2 <= item.line_room;
            if room && self.groups[item.group as usize].plan == plan {
                return open;
            }
        }
        let (block, line) = (self.seats.blocks(), self.bodies.len());
        self.seats.enter(BUNDLE_BLOCKS, |_| NONE);
        self.bodies.resize(line + BUNDLE_LINES, 0);
        let item = self.items.len();
        self.items.push(Item {
            blocks: block..block,
            lines: line..line,
            moves: 0..0,
            block_room: self.seats.blocks(),
            line_room: self.bodies.len(),
            group: self.groups.len() as u32,
        });
        self.close_bundle(item, plan);
        self.open = Some(item as u32);
        item as u32
    }
}
