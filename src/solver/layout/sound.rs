//! Whether a layout that came from outside keeps what the workers rely on: nothing out of range, and no line that two of
//! them could touch at once.

use super::{Group, Item, Layout, NONE};
use std::ops::Range;

type Checked = Result<(), &'static str>;

fn that(holds: bool, problem: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(problem) }
}

impl Layout {
    /// Checks a layout; one that was not made is sound.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_sound(&self) -> Checked {
        if !self.made {
            return Ok(());
        }
        self.seats.check_sound(self.bodies.len())?;
        self.check_ranges()?;
        self.check_bodies()?;
        self.groups.iter().try_for_each(|group| self.check_lines(group))?;
        // Who moves which lines follows from the rest.
        let mut anew = Self { items: self.items.clone(), ..Self::default() };
        self.groups.iter().filter(|group| group.is_large()).for_each(|group| anew.share_moves(group));
        let same = |(a, b): (&Item, &Item)| a.moves == b.moves;
        that(anew.items.iter().zip(&self.items).all(same), "lines are moved by others than they should be")
    }

    /// Items lie one behind the other, and groups take them in their order.
    fn check_ranges(&self) -> Checked {
        let (mut block, mut line) = (0, 1);
        for item in &self.items {
            let in_order = |range: &Range<usize>, room: usize, from: usize, to: usize| {
                from <= range.start && range.start <= range.end && range.end <= room && room <= to
            };
            that(in_order(&item.blocks, item.block_room, block, self.seats.blocks()), "an item's blocks")?;
            that(in_order(&item.lines, item.line_room, line, self.bodies.len()), "an item's lines")?;
            (block, line) = (item.block_room, item.line_room);
        }
        let mut next = 0;
        for (number, group) in self.groups.iter().enumerate() {
            for phase in &group.phases {
                that(phase.start == next && phase.end >= next && phase.end <= self.items.len(), "a group's items")?;
                next = phase.end;
            }
            that(!group.phases[0].is_empty(), "a group without insides")?;
            that(self.items[group.items()].iter().all(|item| item.group as usize == number), "an item's group")?;
            // Interfaces are found by the numbers of the slabs between which they lie.
            let [insides, even, odd, _] = group.phases.each_ref().map(Range::len);
            that(!group.is_large() || even == insides / 2 && odd == insides / 2 + 1, "a group's interfaces")?;
            that(
                (1..=1 << 16).contains(&group.plan.substeps) && (1..=64).contains(&group.plan.inner),
                "a group's plan",
            )?;
        }
        that(next == self.items.len(), "an item without a group")?;
        let bundle =
            |item: u32| self.items.get(item as usize).is_some_and(|item| !self.groups[item.group as usize].is_large());
        that(self.open.is_none_or(bundle), "the open bundle")
    }

    /// Each line is its body's, each movable body has one, and counts its contacts right.
    fn check_bodies(&self) -> Checked {
        let count = self.movable.len();
        let lists = [self.home.len(), self.line.len(), self.degree.len()];
        that(lists == [count; 3] && count > 0 && !self.movable[0], "the lists of bodies")?;
        that(self.bodies.first() == Some(&0), "the line of the fixed world")?;
        that(self.bodies.iter().all(|&body| (body as usize) < count), "a line's body")?;
        for (number, item) in self.items.iter().enumerate() {
            for line in item.lines.clone().filter(|&line| self.bodies[line] != 0) {
                let body = self.bodies[line];
                let own = if self.movable[body as usize] {
                    (self.home[body as usize], self.line[body as usize]) == (number as u32, line as u32)
                } else {
                    self.carried.get(&(number as u32, body)) == Some(&(line as u32))
                };
                that(own, "a line that is not its body's")?;
            }
        }
        for body in (0..count).filter(|&body| self.home[body] != NONE) {
            let line = self.line[body] as usize;
            let own = self.items.get(self.home[body] as usize).is_some_and(|item| item.lines.contains(&line));
            that(own && self.bodies[line] as usize == body, "a body that is not its line's")?;
        }
        for (&(item, body), &line) in &self.carried {
            let own = self.items.get(item as usize).is_some_and(|item| item.lines.contains(&(line as usize)));
            that(own && self.bodies[line as usize] == body, "the line of what cannot be moved")?;
        }
        let mut degree = vec![0; count];
        for seat in self.seats.within(0..self.seats.blocks()) {
            for line in self.seats.lines_of(seat) {
                let body = self.bodies[line as usize] as usize;
                degree[body] += u32::from(self.movable[body]);
            }
        }
        that(degree == self.degree, "how many contacts a body has")
    }

    /// Items of one phase share no line; insides know only their own, and nothing of an item lies beyond its blocks.
    fn check_lines(&self, group: &Group) -> Checked {
        let insides = &self.items[group.phases[0].clone()];
        let reach = insides[0].lines.start..insides[insides.len() - 1].line_room;
        let mut taken_by = std::collections::BTreeMap::new();
        for (phase, items) in group.phases.iter().enumerate() {
            taken_by.clear();
            for number in items.clone() {
                let item = &self.items[number];
                let spare = self.seats.within(item.blocks.end..item.block_room).next();
                that(spare.is_none(), "a contact where an item has none")?;
                for line in self.seats.within(item.blocks.clone()).flat_map(|seat| self.seats.lines_of(seat)) {
                    let at = line as usize;
                    let known = item.lines.contains(&at) || phase > 0 && reach.contains(&at);
                    that(line == 0 || known, "a line of another group")?;
                    let first = *taken_by.entry(line).or_insert(number);
                    that(line == 0 || first == number, "a line that two workers touch")?;
                }
            }
        }
        Ok(())
    }
}
