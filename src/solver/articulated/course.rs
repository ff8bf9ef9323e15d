//! The course of a bundle's step: its substeps, and what is done in each.

use super::bundle::{Bundle, Context};
use super::shared::{Team, Turn};
use crate::math::Real;
use crate::parallel::{Apart, Helpers};
use crate::solver::body::open;
use crate::solver::joint::passes::{self, Half};
use crate::solver::joint::reach;
use crate::solver::kernels::{
    advance, begin_free_substep, begin_substep, drift_turning, finish, pass, set_friction, stiffen,
};
use crate::solver::lanes::{Path, WIDTH};
use crate::solver::soft::Soft;
use crate::tolerances::WEDGED;
use std::ops::Range;

impl Bundle {
    /// Solves the step, and again in shorter substeps if the joints bore more than was planned for; with helpers where it is wide or
    /// has a net that is, and else alone. The bits are the same.
    pub fn run(&mut self, context: &Context, path: Path, helpers: &Helpers) {
        let team = Team { path, helpers };
        // A blow asks once, and in a heap for nothing.
        let mut blows = !self.kind.heap;
        loop {
            let h = self.attempt(context, team);
            if let Some(substeps) = self.kind.yields_to
                && self.is_strained(context, h)
            {
                self.give_in(substeps);
                continue;
            }
            let asked = if self.kind.refines { self.asked(context, h, blows) } else { 0 };
            if asked <= self.substeps {
                self.finish(context, h, path);
                return;
            }
            (self.substeps, blows) = (asked, false);
        }
    }

    /// The substeps of a step; returns their length (s).
    fn attempt(&mut self, context: &Context, team: Team) -> Real {
        let [h, softest] = [self.substeps, self.kind.contacts_for].map(|substeps| context.dt / substeps as Real);
        let soft = Soft::new(h).no_stiffer_than_in(softest);
        let h = soft.h;
        self.prepare(context, h, team);
        // A force that swings through zero rests for one substep, not for two.
        let mut steady = 0;
        for substep in 0..self.substeps {
            let change = self.substep(context, &soft, substep == 0, team);
            self.ran = substep + 1;
            steady = if substep > 0 && change < context.stop { steady + 1 } else { 0 };
            if steady == 2 {
                if !self.nears_limits(context, (self.substeps - self.ran) as Real * h, team.path) {
                    break;
                }
                steady = 1;
            }
        }
        let left = self.substeps - self.ran;
        if left > 0 {
            drift_turning(team.path, &mut self.lines, left as Real * h);
        }
        h
    }

    /// Whether a limit stops some joint within a `time` (s) of going on as it goes: what is steady on its way there is not through.
    fn nears_limits(&mut self, context: &Context, time: Real, path: Path) -> bool {
        let lines = self.lines.as_mut_ptr().cast();
        self.units.iter().enumerate().any(|(number, unit)| {
            let mut parts = self.pools.parts(context.forest, unit, number);
            // SAFETY: as in `prepare`.
            parts.program.bounded && unsafe { reach::is_near(path, &mut parts, lines, time, context.stop) }
        })
    }

    /// Lines, rows of contacts and joints, and the warm start of contacts.
    fn prepare(&mut self, context: &Context, h: Real, team: Team) {
        for (k, &body) in self.bodies.iter().enumerate() {
            (self.lines[k], self.starts[k]) = open(&context.bodies[body as usize], h);
        }
        self.pressure.clear();
        self.pressure.resize(self.bodies.len(), 0.0);
        self.touched.clear();
        self.touched.resize(self.bodies.len(), false);
        self.burdened.clear();
        // Who is alone warms each block while it is at hand.
        let alone = team.helpers.threads() < 2;
        if !alone {
            self.fill_blocks(context, h, team.helpers);
        }
        for index in 0..self.blocks.len() {
            if alone {
                self.fill_block(context, h, index);
            }
            self.press(h, index);
            set_friction(&mut self.blocks[index]);
            self.unlock(index);
            // SAFETY: the lines are ours, a block has none of those that it moves twice, and all ids are below their number.
            unsafe { finish(team.path, &mut self.blocks[index], self.lines.as_mut_ptr().cast(), true) };
        }
        self.burdened.resize(self.units.len(), false);
        self.fill_units(context, h, team);
        let lines = Apart::new(&mut self.lines);
        // SAFETY: the lines are ours.
        unsafe { self.net.open(team.crew(), (context.joints, context.rows), context.bodies, &lines, h) };
    }

    /// Lets what joints have wedged slip out: see [`WEDGED`].
    fn unlock(&mut self, index: usize) {
        let block = &mut self.blocks[index];
        let jointed = 1..self.own as u32;
        for (lane, sides) in self.sides[index].iter().enumerate() {
            let count = usize::from(block.counts[lane]);
            let deepest = block.points[..count].iter().fold(0.0, |most: Real, rows| most.max(-rows.separation.0[lane]));
            if deepest > WEDGED && sides.iter().all(|line| jointed.contains(line)) {
                block.friction.0[lane] *= WEDGED / deepest;
            }
        }
    }

    /// Notes the bodies of a block that was filled, and adds up what its contacts press on them with.
    fn press(&mut self, h: Real, index: usize) {
        let block = &self.blocks[index];
        let mut impulses = [0.0; WIDTH];
        for rows in &block.points[..block.count as usize] {
            for (sum, impulse) in impulses.iter_mut().zip(rows.impulse.0) {
                *sum += impulse;
            }
        }
        for (impulse, sides) in impulses.into_iter().zip(self.sides[index]) {
            for line in sides {
                self.touched[line as usize] = true;
                // The inverse mass lies behind the velocity.
                self.pressure[line as usize] += impulse / h * self.lines[line as usize].velocity.0[3];
            }
        }
    }

    /// Contacts, joints, the bodies' motion, joints, contacts, and joints again under burdens. Returns the greatest change (m/s; rad/s
    /// counts alike).
    fn substep(&mut self, context: &Context, soft: &Soft, first: bool, team: Team) -> Real {
        let lines = self.lines.as_mut_ptr().cast();
        let mut change = 0.0;
        if first {
            // SAFETY: as in `prepare`.
            unsafe { stiffen(team.path, &mut self.blocks, lines, soft) };
        } else {
            change = if self.blocks.is_empty() {
                begin_free_substep(team.path, &mut self.lines, &mut self.starts)
            } else {
                begin_substep::<true>(team.path, &mut self.lines, &mut self.starts)
            };
            // SAFETY: as in `prepare`.
            unsafe { self.net.turn(team.crew(), &Apart::new(&mut self.lines), soft.h) };
            change =
                change.max(self.visit_units(context, Turn { h: soft.h, half: Half::Turn, first }, self.swept(), team));
        }
        // SAFETY: as in `prepare`.
        change = change.max(unsafe { pass::<false>(team.path, &mut self.blocks, lines, soft, self.kind.inner) });
        change = change.max(self.visit(context, soft.h, first, team));
        // SAFETY: as in `prepare`.
        change = change.max(unsafe { pass::<true>(team.path, &mut self.blocks, lines, soft, self.kind.inner) });
        change.max(self.settle(context, soft.h, team))
    }

    /// The units that are swept: the last ones.
    fn swept(&self) -> Range<usize> {
        self.units.partition_point(|unit| !unit.swept)..self.units.len()
    }

    /// Joints of what is burdened, once more.
    fn settle(&mut self, context: &Context, h: Real, team: Team) -> Real {
        if !self.burdened.contains(&true) {
            return 0.0;
        }
        self.visit_units(context, Turn { h, half: Half::Settle, first: false }, 0..self.units.len(), team)
    }

    /// Joints, and the motion of all bodies.
    fn visit(&mut self, context: &Context, h: Real, first: bool, team: Team) -> Real {
        let halves: &[Half] = if self.apart { &[Half::Whole] } else { &[Half::Solve, Half::Relax] };
        let path = team.path;
        let mut change: Real = 0.0;
        for &half in halves {
            let turn = Turn { h, half, first };
            // Sweeps go the same way in both halves: to and fro, the last ones of the way out would be the first ones back, and slow modes
            // of a net would gain energy.
            change = change.max(self.visit_units(context, turn, 0..self.units.len(), team));
            if half == Half::Relax {
                // SAFETY: as in `prepare`.
                change = change.max(unsafe { self.net.relax(team.crew(), &Apart::new(&mut self.lines)) });
                continue;
            }
            // SAFETY: as in `prepare`.
            (0..self.kind.rounds()).for_each(|_| unsafe { self.net.solve(team.crew(), &Apart::new(&mut self.lines)) });
            // Units that share no bodies have moved their own.
            let rest = if half == Half::Whole { self.own } else { 0 };
            drift_turning(path, &mut self.lines[rest..], h);
        }
        change
    }

    /// The last half kick of what leaps, and separations of contacts.
    fn finish(&mut self, context: &Context, h: Real, path: Path) {
        let lines = self.lines.as_mut_ptr().cast();
        // What is swept does not leap.
        for (number, unit) in self.units[..self.swept().start].iter().enumerate().rev() {
            let mut parts = self.pools.parts(context.forest, unit, number);
            // SAFETY: as in `prepare`.
            unsafe { passes::close(path, &mut parts, lines, h) };
        }
        for block in &mut self.blocks {
            // SAFETY: as in `prepare`.
            unsafe { advance(path, block, lines) };
        }
    }
}
