//! Incremental update of a layout while contacts come and go.
//!
//! Removed contacts clear their slots; new ones take the first free slot of the item that both
//! their bodies belong to. A body that touches for the first time joins the item of the other body;
//! two such bodies make a new island in a bundle; a small island that touches another moves over to
//! its item. All else, and a layout that has changed by much or for long, is left to
//! [`Layout::build`], which analyses every island again.

use super::edge::Edge;
use super::{BUNDLE, Fit, IslandPlan, Item, Layout, NONE, Scratch};
use crate::contact::Manifold;
use crate::solver::body::SolverBody;
use crate::solver::contact::ContactRef;
use crate::solver::simd::WIDTH;

/// A layout is rebuilt once contacts added and removed, times this factor, exceed the contacts plus
/// [`CHANGES`]. Smaller: blocks have holes and islands the plan of what they were. Larger: falling
/// piles are rebuilt over and over.
const CHANGED_FACTOR: usize = 2;
/// Contacts added and removed before a rebuild, whatever the size: see [`CHANGED_FACTOR`].
const CHANGES: usize = 64;
/// Steps after the first change at which a layout is rebuilt: half a second, in which no tower
/// grows too tall for its substeps.
const UPDATED_STEPS: u32 = 30;
/// Blocks and states of a bundle that begins empty.
const BUNDLE_BLOCKS: usize = 2 * BUNDLE / WIDTH;
const BUNDLE_STATES: usize = 2 * BUNDLE;

/// A change that needs a rebuild.
struct NeedsRebuild;

impl Layout {
    /// Makes the layout fit the contacts: keeps it, updates it where they changed, or rebuilds it.
    ///
    /// # Panics
    /// As [`Layout::build`]; but without a rebuild, a body in two islands is noticed only when two
    /// islands touch.
    pub fn fit(
        &mut self,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: &[Manifold],
        substeps: Option<u32>,
    ) -> Fit {
        let is_worn = CHANGED_FACTOR * self.changes > contacts.len() + CHANGES || self.age > UPDATED_STEPS;
        if self.built && !is_worn && self.substeps == substeps && self.item_of.len() <= bodies.len() {
            // An update that fails or panics leaves nothing usable.
            self.built = false;
            let mut scratch = std::mem::take(&mut self.scratch);
            let fit = self.update(&mut scratch, bodies, contacts, pool.len());
            self.scratch = scratch;
            if let Ok(fit) = fit {
                self.built = true;
                return fit;
            }
        }
        self.build(bodies, contacts, pool, substeps);
        Fit::Rebuilt
    }

    fn update(
        &mut self,
        scratch: &mut Scratch,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: usize,
    ) -> Result<Fit, NeedsRebuild> {
        let count = bodies.len();
        self.pool = pool;
        self.cleared_slots.clear();
        self.item_of.resize(count, NONE);
        self.state_of.resize(count, 0);
        self.contact_count.resize(count, 0);
        self.movable.resize(count, false);
        self.find_islands(contacts);
        self.match_contacts(scratch, contacts, pool);
        for &slot in &scratch.removed {
            self.remove_contact(slot);
        }
        self.update_movable(bodies)?;
        let mut changes = scratch.removed.len();
        for k in 0..scratch.added.len() {
            let c = scratch.added[k];
            if contacts[c as usize].bodies().iter().any(|&b| self.movable[b as usize]) {
                changes += 1;
                self.add_contact(scratch, c, contacts, bodies)?;
            }
        }
        self.changes += changes;
        self.age += u32::from(self.changes > 0);
        Ok(if changes > 0 { Fit::Updated } else { Fit::Unchanged })
    }

    /// Matches contacts with slots: lists the contacts without a slot, and the slots without a
    /// contact.
    fn match_contacts(&mut self, scratch: &mut Scratch, contacts: &[ContactRef], pool: usize) {
        scratch.added.clear();
        scratch.removed.clear();
        self.lane_slots.begin_step(pool);
        for (c, contact) in contacts.iter().enumerate() {
            let slot = self.lane_slots.slot_of(contact.manifold);
            // The manifold may belong to another pair of bodies now.
            match slot
                .filter(|&slot| self.lane_slots.states_of(slot).map(|l| self.bodies[l as usize]) == contact.bodies())
            {
                Some(slot) => {
                    let first = self.lane_slots.mark_seen(slot, c as u32);
                    assert!(first, "contact {c}: manifold {} is in use by another contact", contact.manifold);
                }
                None => scratch.added.push(c as u32),
            }
        }
        if self.lane_slots.count() + scratch.added.len() != contacts.len() {
            self.lane_slots.unseen(&mut scratch.removed);
        }
    }

    /// Clears a slot; a body without further contacts gives up its state.
    fn remove_contact(&mut self, slot: u32) {
        self.cleared_slots.push(slot);
        for state in self.lane_slots.remove(slot) {
            let body = self.bodies[state as usize] as usize;
            if self.item_of[body] != NONE {
                self.contact_count[body] -= 1;
                if self.contact_count[body] == 0 {
                    self.item_of[body] = NONE;
                    self.bodies[state as usize] = 0;
                }
            }
        }
    }

    /// Updates which bodies are movable.
    fn update_movable(&mut self, bodies: &[SolverBody]) -> Result<(), NeedsRebuild> {
        for (b, body) in bodies.iter().enumerate() {
            let movable = body.movable();
            if self.movable[b] != movable {
                assert!(b != 0, "body 0 is the fixed world and cannot be movable");
                let is_shared = movable && self.immovable_states.keys().any(|&(_, body)| body as usize == b);
                if self.item_of[b] != NONE || is_shared {
                    return Err(NeedsRebuild);
                }
                self.movable[b] = movable;
            }
        }
        Ok(())
    }

    /// Finds an item for a new contact, and a slot in it.
    fn add_contact(
        &mut self,
        scratch: &mut Scratch,
        c: u32,
        contacts: &[ContactRef],
        bodies: &[SolverBody],
    ) -> Result<(), NeedsRebuild> {
        let contact = &contacts[c as usize];
        assert!(contact.a != contact.b, "contact {c}: body {} touches itself", contact.a);
        let taken = self.lane_slots.slot_of(contact.manifold).is_some();
        assert!(!taken, "contact {c}: manifold {} is in use by another contact", contact.manifold);
        let item = match contact.bodies().map(|b| self.item_of[b as usize]) {
            [NONE, NONE] => {
                let refs = std::slice::from_ref(contact);
                let plan = scratch.island_analysis.plan(refs, bodies, &self.movable, self.substeps);
                self.bundle_for(plan)
            }
            [item, NONE] | [NONE, item] => item,
            [a, b] if a == b => a,
            [a, b] if self.items[a as usize].group == self.items[b as usize].group => self.boundary_item(a, b)?,
            [a, b] => self.merge_islands(scratch, [a, b], contact.island, contacts)?,
        };
        self.insert_contact(item, c, contact)
    }

    /// The item of contacts between two subdomains.
    fn boundary_item(&self, a: u32, b: u32) -> Result<u32, NeedsRebuild> {
        let group = &self.groups[self.items[a as usize].group as usize];
        let [interiors, even, odd, remainder] = group.phases.clone();
        let (low, high) = (a.min(b) as usize - interiors.start, a.max(b) as usize - interiors.start);
        let item = match (high - low, low % 2) {
            (1, 0) => even.start + low / 2,
            // The odd boundaries begin with one before the first subdomain.
            (1, _) => odd.start + low.div_ceil(2),
            _ if remainder.is_empty() => return Err(NeedsRebuild),
            _ => remainder.start,
        };
        Ok(item as u32)
    }

    /// Merges two islands into one item and returns it: the smaller bundle moves over to the other.
    fn merge_islands(
        &mut self,
        scratch: &mut Scratch,
        items: [u32; 2],
        island: u32,
        contacts: &[ContactRef],
    ) -> Result<u32, NeedsRebuild> {
        let group = |item: u32| &self.groups[self.items[item as usize].group as usize];
        let size = |item: u32| (group(item).is_large(), self.items[item as usize].blocks.len(), u32::MAX - item);
        let [a, b] = items;
        let (from, to) = if size(a) < size(b) { (a, b) } else { (b, a) };
        let (smaller, larger) = (group(from).plan, group(to).plan);
        if group(from).is_large() || smaller.substeps > larger.substeps || smaller.inner > larger.inner {
            return Err(NeedsRebuild);
        }
        scratch.removed.clear();
        let blocks = self.items[from as usize].blocks.clone();
        scratch.removed.extend(
            self.lane_slots
                .occupied_in(blocks)
                .filter(|&slot| contacts[self.lane_slots.contact(slot) as usize].island == island),
        );
        for slot in &mut scratch.removed {
            let contact = self.lane_slots.contact(*slot);
            self.remove_contact(*slot);
            *slot = contact;
        }
        for &c in &scratch.removed {
            let contact = &contacts[c as usize];
            for body in contact.bodies() {
                assert!(self.item_of[body as usize] != from, "body {body} is in two islands");
            }
            self.insert_contact(to, c, contact)?;
        }
        Ok(to)
    }

    /// Puts a contact into an item; its bodies have their states there or get them.
    fn insert_contact(&mut self, item: u32, c: u32, contact: &ContactRef) -> Result<(), NeedsRebuild> {
        let [a, b] = contact.bodies();
        let states = [self.state_in(item, a)?, self.state_in(item, b)?];
        let written = match [a, b].map(|b| self.movable[b as usize]) {
            [true, true] => states,
            [true, _] => [states[0]; 2],
            _ => [states[1]; 2],
        };
        let Item { blocks, block_capacity, .. } = &mut self.items[item as usize];
        let slot = match self.lane_slots.find_free(blocks.clone(), written) {
            Some(slot) => slot,
            None if blocks.end < *block_capacity => {
                blocks.end += 1;
                (WIDTH * (blocks.end - 1)) as u32
            }
            None => return Err(NeedsRebuild),
        };
        self.lane_slots.insert(slot, c, contact.manifold, states);
        for body in [a, b] {
            self.contact_count[body as usize] += u32::from(self.movable[body as usize]);
        }
        Ok(())
    }

    /// The state of a body for an item: its own, or a free one.
    fn state_in(&mut self, item: u32, body: u32) -> Result<u32, NeedsRebuild> {
        let b = body as usize;
        if body == 0 {
            return Ok(0);
        }
        if self.item_of[b] != NONE {
            return Ok(self.state_of[b]);
        }
        if let Some(&state) = self.immovable_states.get(&(item, body)) {
            return Ok(state);
        }
        let Item { states, state_capacity, .. } = &mut self.items[item as usize];
        let state = match self.bodies[states.clone()].iter().position(|&body| body == 0) {
            Some(free) => states.start + free,
            None if states.end < *state_capacity => {
                states.end += 1;
                states.end - 1
            }
            None => return Err(NeedsRebuild),
        };
        self.bodies[state] = body;
        if self.movable[b] {
            (self.item_of[b], self.state_of[b]) = (item, state as u32);
        } else {
            self.immovable_states.insert((item, body), state as u32);
        }
        Ok(state as u32)
    }

    /// A bundle of this plan with room for a new island.
    fn bundle_for(&mut self, plan: IslandPlan) -> u32 {
        if let Some(open) = self.open_bundle {
            let item = &self.items[open as usize];
            let room = item.blocks.len() < BUNDLE / WIDTH && item.states.end + 2 <= item.state_capacity;
            if room && self.groups[item.group as usize].plan == plan {
                return open;
            }
        }
        let (block, state) = (self.lane_slots.blocks(), self.bodies.len());
        self.lane_slots.append(BUNDLE_BLOCKS, |_| NONE);
        self.bodies.resize(state + BUNDLE_STATES, 0);
        let item = self.items.len();
        self.items.push(Item {
            blocks: block..block,
            states: state..state,
            drift: 0..0,
            block_capacity: self.lane_slots.blocks(),
            state_capacity: self.bodies.len(),
            group: self.groups.len() as u32,
        });
        self.push_bundle(item, plan);
        self.open_bundle = Some(item as u32);
        item as u32
    }
}
