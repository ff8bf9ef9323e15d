//! Islands with joints that one worker solves, from the first substep to the last.

use super::plan::{Kind, Swings};
use super::shared::Team;
use crate::contact::Manifold;
use crate::index::NONE;
use crate::math::Real;
use crate::parallel::Helpers;
use crate::solver::block::Block;
use crate::solver::body::{BodyMotion, Line, SolverBody, Start, close, open};
use crate::solver::contact::ContactRef;
use crate::solver::joint::forest::{Forest, Pools, pack};
use crate::solver::joint::net::{Form, Net};
use crate::solver::joint::passes::{self, Half, Visit};
use crate::solver::joint::unit::Unit;
use crate::solver::joint::{JointOutcome, JointRow, SolverJoint};
use crate::solver::kernels::{advance, begin_substep, drift_turning, finish, pass, stiffen};
use crate::solver::lanes::{Kernel, Lane, Path, WIDTH};
use crate::solver::layout::Scheduler;
use crate::solver::soft::Soft;
use std::ops::Range;

/// What all bundles read.
pub(super) struct Context<'a> {
    pub dt: Real,
    /// The step that the manifolds' impulses belong to (s).
    pub last_dt: Real,
    /// Stop when nothing changes by more than this (m/s).
    pub stop: Real,
    /// Whether a bundle may take more substeps than planned.
    pub may_refine: bool,
    /// Times that joints are brought together in a pass.
    pub rounds: u32,
    pub bodies: &'a [SolverBody],
    pub contacts: &'a [ContactRef],
    /// The manifolds of the step's contacts as they were when it began.
    pub pool: &'a [Manifold],
    pub joints: &'a [SolverJoint],
    pub rows: &'a [JointRow],
    pub forest: &'a Forest,
}

/// Buffers that only live while bundles are laid out.
#[derive(Default)]
pub(super) struct Scratch {
    /// By body: the bundle that it was last seen in, and its line there.
    owner: Vec<u32>,
    line: Vec<u32>,
    scheduler: Scheduler,
}

impl Scratch {
    /// Begins a step.
    pub fn begin(&mut self, bodies: usize) {
        self.owner.clear();
        self.owner.resize(bodies, NONE);
        self.line.resize(bodies, 0);
    }
}

/// Contacts and joints in a bundle: what stays in a core's second cache.
const BUNDLE: usize = 192;

/// Islands with joints, and everything that their solve works on.
#[derive(Default)]
pub(super) struct Bundle {
    number: u32,
    pub(super) kind: Kind,
    substeps: u32,
    ran: u32,
    weight: usize,
    /// The body of each line. Line 0 is body 0.
    bodies: Vec<u32>,
    pub(super) lines: Vec<Line>,
    pub(super) starts: Vec<Start>,
    /// Its contacts, by their places in the step.
    pub(super) contacts: Vec<u32>,
    /// The contact of each lane of each block, by its place here, and its lines.
    pub(super) lanes: Vec<[u32; WIDTH]>,
    pub(super) sides: Vec<[[u32; 2]; WIDTH]>,
    pub(super) blocks: Vec<Block>,
    /// Lines below this are the world's and those of bodies that trees move.
    own: usize,
    /// Whether no two trees move the same body.
    pub(super) apart: bool,
    /// By line: what contacts pressed on it with over the last step, all together, over its mass (m/s²).
    pub(super) pressure: Vec<Real>,
    /// By unit: whether one of its bodies carries many times its weight.
    pub(super) burdened: Vec<bool>,
    /// What has too many loops, as far as nets have a form for it; all other joints, swept or not.
    net: Net,
    trees: Vec<u32>,
    pub(super) units: Vec<Unit>,
    /// The lines of the bodies of its trees, tree by tree.
    pub(super) ends: Vec<u32>,
    /// Where the lines of each tree begin.
    pub(super) first_end: Vec<u32>,
    /// By unit: the trees before it, and the greatest correction of its last visit (m/s; rad/s counts alike).
    pub(super) before: Vec<u32>,
    pub(super) corrections: Vec<Real>,
    pub(super) pools: Pools,
}

/// A bundle's step in the lanes of a path.
struct Solve<'a, 'b> {
    bundle: &'a mut Bundle,
    context: &'a Context<'b>,
    team: Team<'a>,
}

impl Kernel for Solve<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        self.bundle.run_on::<L>(self.context, self.team);
    }
}

impl Bundle {
    /// Empties it.
    pub fn begin(&mut self, kind: Kind) {
        (self.kind, self.substeps, self.ran, self.weight) = (kind, kind.substeps, 0, 0);
        self.apart = true;
        self.bodies.clear();
        self.bodies.push(0);
        for list in [&mut self.contacts, &mut self.trees, &mut self.ends, &mut self.first_end] {
            list.clear();
        }
        self.net.begin();
        self.units.clear();
        self.lanes.clear();
        self.sides.clear();
    }

    /// Substeps that were run.
    pub fn taken(&self) -> u32 {
        self.ran
    }

    /// Contacts and joints in it.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Whether it has enough to do. Trees lie side by side: some more may be taken until the last lanes are not empty.
    pub fn is_full(&self) -> bool {
        self.weight >= BUNDLE && (self.trees.len().is_multiple_of(WIDTH) || self.weight >= 2 * BUNDLE)
    }

    /// Adds an island; `in_net` says of the joints that lock axes which of them a net may take.
    #[allow(clippy::too_many_arguments)]
    pub fn add(
        &mut self,
        number: u32,
        own: Range<usize>,
        trees: &[(u32, u32)],
        forest: &Forest,
        contacts: &[ContactRef],
        movable: &[bool],
        in_net: &dyn Fn(u32) -> bool,
        scratch: &mut Scratch,
    ) {
        self.number = number;
        self.weight += own.len();
        for c in own {
            let contact = &contacts[c];
            if movable[contact.a as usize] || movable[contact.b as usize] {
                self.contacts.push(c as u32);
            }
        }
        for &(_, tree) in trees {
            let number = tree;
            let tree = &forest.trees[tree as usize];
            let first = forest.joints(tree)[0];
            match tree.form.filter(|form| *form != Form::Lock || in_net(first)) {
                Some(form) => self.net.add(first, form),
                None => self.trees.push(number),
            }
            self.weight += forest.joints(tree).len();
            self.apart &= !tree.swept;
            // Bodies of joints first, tree by tree: they lie side by side.
            for &body in forest.bodies(tree).iter().filter(|&&body| movable[body as usize]) {
                self.line(body, scratch);
            }
        }
    }

    /// The line of a body.
    fn line(&mut self, body: u32, scratch: &mut Scratch) -> u32 {
        line_of(body, &mut self.bodies, (self.number, &mut scratch.owner, &mut scratch.line))
    }
}

/// The line of a body in the bundle of a number, which has these bodies so far.
fn line_of(body: u32, bodies: &mut Vec<u32>, (number, owner, line): (u32, &mut [u32], &mut [u32])) -> u32 {
    if body == 0 {
        return 0;
    }
    let b = body as usize;
    if owner[b] != number {
        owner[b] = number;
        line[b] = bodies.len() as u32;
        bodies.push(body);
    }
    line[b]
}

impl Bundle {
    /// Puts contacts into lanes and joints into units and nets, once every island is there.
    pub fn close(
        &mut self,
        joints: &[SolverJoint],
        forest: &Forest,
        contacts: &[ContactRef],
        movable: &[bool],
        pool: &[Manifold],
        scratch: &mut Scratch,
    ) {
        // Others may have seen the same bodies since, where they cannot be moved.
        for (line, &body) in self.bodies.iter().enumerate() {
            scratch.owner[body as usize] = self.number;
            scratch.line[body as usize] = line as u32;
        }
        self.own = self.bodies.len();
        for tree in 0..self.trees.len() {
            let tree = &forest.trees[self.trees[tree] as usize];
            for &body in forest.bodies(tree).iter().filter(|&&body| !movable[body as usize]) {
                self.line(body, scratch);
            }
        }
        let (Scratch { owner, line, scheduler }, most) = (&mut *scratch, movable.len());
        let line = |body| line_of(body, &mut self.bodies, (self.number, owner, line));
        self.net.place(joints, movable, scheduler, line, most);
        scratch.scheduler.begin();
        for here in 0..self.contacts.len() {
            let contact = &contacts[self.contacts[here] as usize];
            let moves = [contact.a, contact.b].map(|body| movable[body as usize]);
            let lines = [self.line(contact.a, scratch), self.line(contact.b, scratch)];
            scratch.scheduler.add(here as u32, lines, moves, pool[contact.manifold as usize].count);
        }
        scratch.scheduler.place(self.bodies.len(), &mut self.lanes, &mut self.sides);
        pack(forest, &mut self.trees, &mut self.units);
        self.before.clear();
        self.corrections.clear();
        self.corrections.resize(self.units.len(), 0.0);
        for unit in &self.units {
            self.before.push(self.first_end.len() as u32);
            for &tree in unit.trees.iter().filter(|&&tree| tree != NONE) {
                self.first_end.push(self.ends.len() as u32);
                let bodies = forest.bodies(&forest.trees[tree as usize]);
                self.ends.extend(bodies.iter().map(|&body| if body == 0 { 0 } else { scratch.line[body as usize] }));
            }
        }
        self.pools.fit(&self.units);
        self.lines.resize(self.bodies.len(), Line::default());
        self.starts.resize(self.bodies.len(), Start::default());
        self.blocks.resize(self.lanes.len(), Block::default());
        for (block, _) in self.blocks.iter_mut().zip(&self.lanes).filter(|(_, lanes)| lanes.contains(&NONE)) {
            // What is left over in a lane that is filled is written over; one that stays empty must be all zeros.
            *block = Block::default();
        }
    }

    /// Solves the step; with helpers where it is wide, and else alone. The bits are the same.
    pub fn run(&mut self, context: &Context, path: Path, helpers: &Helpers) {
        path.run(Solve { bundle: self, context, team: Team { path, helpers } });
    }

    /// Runs the step, and again in shorter substeps if the joints bore more than was planned for.
    #[inline(always)]
    fn run_on<L: Lane>(&mut self, context: &Context, team: Team) {
        // A blow asks once, and in a heap for nothing.
        let mut blows = !self.kind.heap;
        loop {
            let h = self.attempt::<L>(context, team);
            let asked = if context.may_refine { self.asked(context, h, blows) } else { 0 };
            if asked <= self.substeps {
                self.finish::<L>(context, h, team.path);
                return;
            }
            (self.substeps, blows) = (asked, false);
        }
    }

    /// The substeps that the joints ask for by what they bore, `blows` among it or not.
    fn asked(&mut self, context: &Context, h: Real, blows: bool) -> u32 {
        let time = h * self.ran as Real;
        let mut swings = Swings::beyond(self.substeps, context.dt, self.kind.net);
        for (number, unit) in self.units.iter().enumerate() {
            let parts = self.pools.parts(context.forest, unit, number);
            for (lane, &tree) in unit.trees.iter().enumerate().filter(|(_, tree)| **tree != NONE) {
                let carried = if unit.swept { self.kind.carried } else { parts.leap.0[lane] == 0.0 };
                for (place, &joint) in context.forest.joints(&context.forest.trees[tree as usize]).iter().enumerate() {
                    let joint = &context.joints[joint as usize];
                    let load = parts.load(lane, place, joint.load, time, h);
                    swings.add(joint, context.bodies, load, carried, !self.kind.carried);
                }
            }
        }
        for (joint, outcome) in self.net.outcomes(context.joints, time, h) {
            let joint = &context.joints[joint as usize];
            swings.add(joint, context.bodies, outcome.load, self.kind.carried, !self.kind.carried);
        }
        swings.substeps(context.dt, blows)
    }

    /// The substeps of a step; returns their length (s).
    #[inline(always)]
    fn attempt<L: Lane>(&mut self, context: &Context, team: Team) -> Real {
        let soft = Soft::new(context.dt / self.substeps as Real);
        let h = soft.h;
        self.prepare::<L>(context, h, team);
        // A force that swings through zero rests for one substep, not for two.
        let mut steady = 0;
        for substep in 0..self.substeps {
            let change = self.substep::<L>(context, &soft, substep == 0, team);
            self.ran = substep + 1;
            steady = if substep > 0 && change < context.stop { steady + 1 } else { 0 };
            if steady == 2 {
                break;
            }
        }
        let left = self.substeps - self.ran;
        if left > 0 {
            drift_turning::<L>(&mut self.lines, left as Real * h);
        }
        h
    }

    /// Lines, rows of contacts and joints, and the warm start of contacts.
    #[inline(always)]
    fn prepare<L: Lane>(&mut self, context: &Context, h: Real, team: Team) {
        for (k, &body) in self.bodies.iter().enumerate() {
            (self.lines[k], self.starts[k]) = open(&context.bodies[body as usize], h);
        }
        self.pressure.clear();
        self.pressure.resize(self.bodies.len(), 0.0);
        self.burdened.clear();
        self.fill_blocks(context, h, team.helpers);
        for (index, block) in self.blocks.iter_mut().enumerate() {
            for (lane, &here) in self.lanes[index].iter().enumerate().filter(|(_, here)| **here != NONE) {
                let contact = &context.contacts[self.contacts[here as usize] as usize];
                let manifold = &context.pool[contact.manifold as usize];
                let force = manifold.points().iter().map(|p| p.normal_impulse).sum::<Real>() / context.last_dt;
                for (line, body) in self.sides[index][lane].into_iter().zip([contact.a, contact.b]) {
                    self.pressure[line as usize] += force * context.bodies[body as usize].inverse_mass;
                }
            }
            // SAFETY: the lines are ours, a block has none of those that it moves twice, and all ids are below their number.
            unsafe { finish::<L>(block, self.lines.as_mut_ptr().cast(), true) };
        }
        self.burdened.resize(self.units.len(), false);
        self.fill_units(context, h, team);
        let lines = self.lines.as_mut_ptr().cast();
        // SAFETY: the lines are ours.
        unsafe { self.net.open(team.path, (context.joints, context.rows), context.bodies, lines, h) };
    }

    /// Contacts, joints, the bodies' motion, joints, contacts, and joints again under burdens. Returns the greatest change (m/s; rad/s
    /// counts alike).
    #[inline(always)]
    fn substep<L: Lane>(&mut self, context: &Context, soft: &Soft, first: bool, team: Team) -> Real {
        let lines = self.lines.as_mut_ptr().cast();
        let mut change = 0.0;
        if first {
            for block in &mut self.blocks {
                // SAFETY: as in `prepare`.
                unsafe { stiffen::<L>(block, lines, soft) };
            }
        } else {
            change = begin_substep::<L, true>(&mut self.lines, &mut self.starts);
            // SAFETY: as in `prepare`.
            unsafe { self.net.turn(team.path, lines, soft.h) };
            for number in self.swept() {
                let mut parts = self.pools.parts(context.forest, &self.units[number], number);
                let visit = Visit { h: soft.h, half: Half::Turn, rounds: 0, again: false, first };
                // SAFETY: as in `prepare`.
                unsafe { passes::visit(team.path, &mut parts, lines, visit) };
            }
        }
        // SAFETY: as in `prepare`.
        change = change.max(unsafe { pass::<L, false>(&mut self.blocks, lines, soft, self.kind.inner) });
        change = change.max(self.visit::<L>(context, soft.h, first, team));
        // SAFETY: as in `prepare`.
        change = change.max(unsafe { pass::<L, true>(&mut self.blocks, lines, soft, self.kind.inner) });
        change.max(self.settle(context, soft.h, team.path))
    }

    /// The units that are swept: the last ones.
    fn swept(&self) -> Range<usize> {
        self.units.partition_point(|unit| !unit.swept)..self.units.len()
    }

    /// Joints of what is burdened, once more.
    fn settle(&mut self, context: &Context, h: Real, path: Path) -> Real {
        let mut change: Real = 0.0;
        for (number, unit) in self.units.iter().enumerate().filter(|(number, _)| self.burdened[*number]) {
            let mut parts = self.pools.parts(context.forest, unit, number);
            let visit = Visit { h, half: Half::Settle, rounds: 1, again: false, first: false };
            // SAFETY: as in `prepare`.
            change = change.max(unsafe { passes::visit(path, &mut parts, self.lines.as_mut_ptr().cast(), visit) });
        }
        change
    }

    /// Joints, and the motion of all bodies.
    #[inline(always)]
    fn visit<L: Lane>(&mut self, context: &Context, h: Real, first: bool, team: Team) -> Real {
        if team.helpers.threads() > 1 && self.is_wide() {
            let change = self.visit_at_once(context, h, first, team);
            // Units that share no bodies have moved their own.
            drift_turning::<L>(&mut self.lines[self.own..], h);
            return change;
        }
        let path = team.path;
        let halves: &[Half] = if self.apart { &[Half::Whole] } else { &[Half::Solve, Half::Relax] };
        let mut change: Real = 0.0;
        for &half in halves {
            let visit = |bundle: &mut Self, number: usize| {
                let unit = &bundle.units[number];
                let mut parts = bundle.pools.parts(context.forest, unit, number);
                // What is swept goes by the gains of one round.
                let rounds = if unit.swept { 1 } else { context.rounds + u32::from(parts.program.bounded) };
                let again = bundle.kind.heap && rounds == 1 && !unit.swept;
                let lines = bundle.lines.as_mut_ptr().cast();
                // SAFETY: as in `prepare`.
                unsafe { passes::visit(path, &mut parts, lines, Visit { h, half, rounds, again, first }) }
            };
            // Sweeps go the same way in both halves: to and fro, the last ones of the way out would be the first ones back, and slow modes
            // of a net would gain energy.
            if half == Half::Relax {
                (0..self.units.len()).for_each(|number| change = change.max(visit(self, number)));
                let lines = self.lines.as_mut_ptr().cast();
                // SAFETY: as in `prepare`.
                change = change.max(unsafe { self.net.relax(path, lines) });
            } else {
                (0..self.units.len()).for_each(|number| change = change.max(visit(self, number)));
                let lines = self.lines.as_mut_ptr().cast();
                // SAFETY: as in `prepare`.
                (0..context.rounds).for_each(|_| unsafe { self.net.solve(path, lines) });
                // Units that share no bodies have moved their own.
                let rest = if half == Half::Whole { self.own } else { 0 };
                drift_turning::<L>(&mut self.lines[rest..], h);
            }
        }
        change
    }

    /// The last half kick of trees that leap, and separations of contacts.
    #[inline(always)]
    fn finish<L: Lane>(&mut self, context: &Context, h: Real, path: Path) {
        let lines = self.lines.as_mut_ptr().cast();
        // What is swept does not leap.
        for (number, unit) in self.units[..self.swept().start].iter().enumerate().rev() {
            let mut parts = self.pools.parts(context.forest, unit, number);
            // SAFETY: as in `prepare`.
            unsafe { passes::close(path, &mut parts, lines, h) };
        }
        for block in &mut self.blocks {
            // SAFETY: as in `prepare`.
            unsafe { advance::<L>(block, lines) };
        }
    }

    /// Motions of the bodies.
    pub fn read(&self, bodies: &[SolverBody], dt: Real, motions: &mut [BodyMotion]) {
        for (&body, line) in self.bodies.iter().zip(&self.lines) {
            let from = &bodies[body as usize];
            if from.movable() {
                motions[body as usize] = close(from, line, dt);
            }
        }
    }

    /// Impulses and separations of the manifolds.
    pub fn read_contacts(&self, contacts: &[ContactRef], pool: &mut [Manifold]) {
        for (block, lanes) in self.blocks.iter().zip(&self.lanes) {
            for (lane, &here) in lanes.iter().enumerate().filter(|(_, here)| **here != NONE) {
                let contact = &contacts[self.contacts[here as usize] as usize];
                block.store(lane, &mut pool[contact.manifold as usize], self.substeps as Real);
            }
        }
    }

    /// Forces of the joints.
    pub fn read_joints(
        &mut self,
        forest: &Forest,
        dt: Real,
        joints: &[SolverJoint],
        rows: &mut [JointRow],
        outcomes: &mut [JointOutcome],
    ) {
        let h = dt / self.substeps as Real;
        let time = h * self.ran as Real;
        for (number, unit) in self.units.iter().enumerate() {
            let parts = self.pools.parts(forest, unit, number);
            for (lane, &tree) in unit.trees.iter().enumerate().filter(|(_, tree)| **tree != NONE) {
                for (place, &joint) in forest.joints(&forest.trees[tree as usize]).iter().enumerate() {
                    let rows = &mut rows[joints[joint as usize].row_range()];
                    let before = joints[joint as usize].load;
                    outcomes[joint as usize] = parts.store_joint(lane, place, rows, before, (time, h));
                }
            }
        }
        for (joint, outcome) in self.net.outcomes(joints, time, h) {
            outcomes[joint as usize] = outcome;
        }
        self.net.store(joints, rows, h);
    }
}
