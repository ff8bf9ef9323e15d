//! Validation of a layout read from a snapshot: nothing out of range, and no body state that two
//! workers could touch at once.

use super::{Group, Item, Layout, NONE};
use std::ops::Range;

type Checked = Result<(), &'static str>;

fn ensure(condition: bool, problem: &'static str) -> Checked {
    if condition { Ok(()) } else { Err(problem) }
}

impl Layout {
    /// Checks a layout; one that was not built is valid.
    ///
    /// # Errors
    /// The inconsistent part.
    pub fn validate(&self) -> Checked {
        if !self.built {
            return Ok(());
        }
        self.lane_slots.validate(self.bodies.len())?;
        self.check_ranges()?;
        self.check_bodies()?;
        self.groups.iter().try_for_each(|group| self.check_states(group))?;
        // The drift ranges follow from the rest.
        let mut expected = Self { items: self.items.clone(), ..Self::default() };
        self.groups.iter().filter(|group| group.is_large()).for_each(|group| expected.assign_drift(group));
        let same = |(a, b): (&Item, &Item)| a.drift == b.drift;
        ensure(expected.items.iter().zip(&self.items).all(same), "the drift ranges")
    }

    /// Items are consecutive, and groups take them in order.
    fn check_ranges(&self) -> Checked {
        let (mut block, mut state) = (0, 1);
        for item in &self.items {
            let in_order = |range: &Range<usize>, capacity: usize, from: usize, to: usize| {
                from <= range.start && range.start <= range.end && range.end <= capacity && capacity <= to
            };
            ensure(in_order(&item.blocks, item.block_capacity, block, self.lane_slots.blocks()), "an item's blocks")?;
            ensure(in_order(&item.states, item.state_capacity, state, self.bodies.len()), "an item's states")?;
            (block, state) = (item.block_capacity, item.state_capacity);
        }
        let mut next = 0;
        for (number, group) in self.groups.iter().enumerate() {
            for phase in &group.phases {
                ensure(phase.start == next && phase.end >= next && phase.end <= self.items.len(), "a group's items")?;
                next = phase.end;
            }
            ensure(!group.phases[0].is_empty(), "a group without interiors")?;
            ensure(self.items[group.items()].iter().all(|item| item.group as usize == number), "an item's group")?;
            // Boundaries are found by the numbers of the subdomains that they separate.
            let [interiors, even, odd, _] = group.phases.each_ref().map(Range::len);
            ensure(!group.is_large() || even == interiors / 2 && odd == interiors / 2 + 1, "a group's boundaries")?;
            ensure(
                (1..=1 << 16).contains(&group.plan.substeps) && (1..=64).contains(&group.plan.inner),
                "a group's plan",
            )?;
        }
        ensure(next == self.items.len(), "an item without a group")?;
        let bundle =
            |item: u32| self.items.get(item as usize).is_some_and(|item| !self.groups[item.group as usize].is_large());
        ensure(self.open_bundle.is_none_or(bundle), "the open bundle")
    }

    /// Each state belongs to its body, each movable body has one, and contact counts are right.
    fn check_bodies(&self) -> Checked {
        let count = self.movable.len();
        let lists = [self.item_of.len(), self.state_of.len(), self.contact_count.len()];
        ensure(lists == [count; 3] && count > 0 && !self.movable[0], "the lists of bodies")?;
        ensure(self.bodies.first() == Some(&0), "the state of the fixed world")?;
        ensure(self.bodies.iter().all(|&body| (body as usize) < count), "a state's body")?;
        for (number, item) in self.items.iter().enumerate() {
            for state in item.states.clone().filter(|&state| self.bodies[state] != 0) {
                let body = self.bodies[state];
                let own = if self.movable[body as usize] {
                    (self.item_of[body as usize], self.state_of[body as usize]) == (number as u32, state as u32)
                } else {
                    self.immovable_states.get(&(number as u32, body)) == Some(&(state as u32))
                };
                ensure(own, "a state ensure is not its body's")?;
            }
        }
        for body in (0..count).filter(|&body| self.item_of[body] != NONE) {
            let state = self.state_of[body] as usize;
            let own = self.items.get(self.item_of[body] as usize).is_some_and(|item| item.states.contains(&state));
            ensure(own && self.bodies[state] as usize == body, "a body ensure is not its state's")?;
        }
        for (&(item, body), &state) in &self.immovable_states {
            let own = self.items.get(item as usize).is_some_and(|item| item.states.contains(&(state as usize)));
            ensure(own && self.bodies[state as usize] == body, "the state of an immovable body")?;
        }
        let mut counts = vec![0; count];
        for slot in self.lane_slots.occupied_in(0..self.lane_slots.blocks()) {
            for state in self.lane_slots.states_of(slot) {
                let body = self.bodies[state as usize] as usize;
                counts[body] += u32::from(self.movable[body]);
            }
        }
        ensure(counts == self.contact_count, "the contact count of a body")
    }

    /// Items of one phase share no state, interiors use only their own states, and no occupied slot
    /// lies beyond the blocks of an item.
    fn check_states(&self, group: &Group) -> Checked {
        let interiors = &self.items[group.phases[0].clone()];
        let reach = interiors[0].states.start..interiors[interiors.len() - 1].state_capacity;
        let mut first_user = std::collections::BTreeMap::new();
        for (phase, items) in group.phases.iter().enumerate() {
            first_user.clear();
            for number in items.clone() {
                let item = &self.items[number];
                let spare = self.lane_slots.occupied_in(item.blocks.end..item.block_capacity).next();
                ensure(spare.is_none(), "a contact beyond an item's blocks")?;
                for state in
                    self.lane_slots.occupied_in(item.blocks.clone()).flat_map(|slot| self.lane_slots.states_of(slot))
                {
                    let at = state as usize;
                    let allowed = item.states.contains(&at) || phase > 0 && reach.contains(&at);
                    ensure(state == 0 || allowed, "a state of another group")?;
                    let first = *first_user.entry(state).or_insert(number);
                    ensure(state == 0 || first == number, "a state ensure two workers touch")?;
                }
            }
        }
        Ok(())
    }
}
