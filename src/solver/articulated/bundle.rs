//! Islands with joints that are solved together, from the first substep to the last, and how they are laid out.

use super::plan::Kind;
use crate::contact::Manifold;
use crate::index::NONE;
use crate::math::Real;
use crate::solver::block::Block;
use crate::solver::body::{Line, SolverBody, Start};
use crate::solver::contact::ContactRef;
use crate::solver::joint::forest::{Forest, Pools, pack};
use crate::solver::joint::net::{Form, Net};
use crate::solver::joint::tumble::Tumble;
use crate::solver::joint::unit::Unit;
use crate::solver::joint::{JointRow, SolverJoint};
use crate::solver::lanes::WIDTH;
use crate::solver::layout::Scheduler;
use std::ops::Range;

/// What all bundles read.
pub(super) struct Context<'a> {
    pub dt: Real,
    /// The step that the manifolds' impulses belong to (s).
    pub last_dt: Real,
    /// Stop when nothing changes by more than this (m/s).
    pub stop: Real,
    pub bodies: &'a [SolverBody],
    pub contacts: &'a [ContactRef],
    /// The manifolds of the step's contacts as they were when it began.
    pub pool: &'a [Manifold],
    pub joints: &'a [SolverJoint],
    pub rows: &'a [JointRow],
    pub forest: &'a Forest,
    /// Sorted by body.
    pub tumbles: &'a [(u32, Tumble)],
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
    pub(super) substeps: u32,
    pub(super) ran: u32,
    weight: usize,
    /// The body of each line. Line 0 is body 0.
    pub(super) bodies: Vec<u32>,
    pub(super) lines: Vec<Line>,
    pub(super) starts: Vec<Start>,
    /// Its contacts, by their places in the step.
    pub(super) contacts: Vec<u32>,
    /// The contact of each lane of each block, by its place here, and its lines.
    pub(super) lanes: Vec<[u32; WIDTH]>,
    pub(super) sides: Vec<[[u32; 2]; WIDTH]>,
    pub(super) blocks: Vec<Block>,
    /// Lines below this are the world's and those of bodies that trees move.
    pub(super) own: usize,
    /// Whether no two trees move the same body.
    pub(super) apart: bool,
    /// By line: what contacts pressed on it with over the last step, all together, over its mass (m/s²).
    pub(super) pressure: Vec<Real>,
    /// By line: whether a contact of the step is on it.
    pub(super) touched: Vec<bool>,
    /// By unit: whether one of its bodies carries many times its weight.
    pub(super) burdened: Vec<bool>,
    /// What has too many loops, as far as nets have a form for it; all other joints, swept or not.
    pub(super) net: Net,
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
    /// Puts contacts into lanes and joints into units and nets, once every island is there; nets so that threads may share them
    /// (`shared`), or not.
    pub fn close(
        &mut self,
        joints: &[SolverJoint],
        forest: &Forest,
        contacts: &[ContactRef],
        movable: &[bool],
        pool: &[Manifold],
        (scratch, shared): (&mut Scratch, bool),
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
        self.net.place(joints, movable, scheduler, line, (most, shared));
        scratch.scheduler.begin();
        for here in 0..self.contacts.len() {
            let contact = &contacts[self.contacts[here] as usize];
            let moves = [contact.a, contact.b].map(|body| movable[body as usize]);
            let lines = [self.line(contact.a, scratch), self.line(contact.b, scratch)];
            scratch.scheduler.add(here as u32, lines, moves, pool[contact.manifold as usize].count);
        }
        scratch.scheduler.place(self.bodies.len(), &mut self.lanes, &mut self.sides);
        pack(forest, &mut self.trees, &mut self.units, self.kind.stiff);
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
}
