//! Which joints hang together, and what is done with them: trees, their programs, and units of eight.

use super::net::Form;
use super::program::{JointKind, Program};
use super::row::{JointRow, SolverJoint};
use super::taut::Held;
use super::thrift::Thrift;
use super::unit::{BodyLanes, JointLanes, Parts, RowLanes, Unit};
use crate::index::NONE;
use crate::parallel::Apart;
use crate::solver::lanes::{Row, WIDTH};
use crate::tolerances::JOINT_FILL;
use std::collections::BTreeMap;
use std::ops::Range;

/// Programs kept although nothing uses them at the moment.
const KEPT_PROGRAMS: usize = 256;

/// Joints that are solved at once, in the order of their program.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub program: u32,
    joints: Range<usize>,
    bodies: Range<usize>,
    /// Trees of the same colour share no body that moves.
    pub colour: u32,
    /// Whether it is a joint of what has too many loops: it is swept, with others that move its bodies.
    pub swept: bool,
    /// Whether its joints close a loop, through what cannot be moved or not.
    pub closed: bool,
    /// What it is in a [`Net`](super::net::Net), if it is one of those and has a place there.
    pub form: Option<Form>,
}

/// All joints of a step as trees; kept while they stay.
#[derive(Clone, Default)]
pub(crate) struct Forest {
    pub programs: Vec<Program>,
    known: BTreeMap<Vec<JointKind>, u32>,
    pub trees: Vec<Tree>,
    /// Joints of all trees; bodies of all trees.
    joints: Vec<u32>,
    bodies: Vec<u32>,
    /// What the trees were made of.
    made_of: Vec<JointKind>,
    movable: Vec<bool>,
}

impl Forest {
    /// The joints of a tree, in the order of its program.
    pub fn joints(&self, tree: &Tree) -> &[u32] {
        &self.joints[tree.joints.clone()]
    }

    /// The bodies of a tree, in the order of its program.
    pub fn bodies(&self, tree: &Tree) -> &[u32] {
        &self.bodies[tree.bodies.clone()]
    }

    /// Whether some row of a tree is not simply locked.
    pub fn is_bounded(&self, tree: &Tree) -> bool {
        self.programs[tree.program as usize].bounded
    }

    /// Whether the trees still are those of these joints.
    pub fn fits(&self, joints: &[SolverJoint], rows: &[JointRow], movable: &[bool]) -> bool {
        let same = |(known, joint): (&JointKind, &SolverJoint)| {
            let rows = &rows[joint.row_range()];
            known.bodies == [joint.a, joint.b]
                && known.rows.len() == rows.len()
                && known.rows.iter().zip(rows).all(|(known, row)| *known == (row.coordinate, row.law))
        };
        self.movable == movable && self.made_of.len() == joints.len() && self.made_of.iter().zip(joints).all(same)
    }

    /// Makes the trees anew.
    pub fn grow(&mut self, joints: &[SolverJoint], rows: &[JointRow], movable: &[bool]) {
        self.made_of.clear();
        self.made_of.extend(joints.iter().map(|joint| JointKind {
            bodies: [joint.a, joint.b],
            rows: rows[joint.row_range()].iter().map(|row| (row.coordinate, row.law)).collect(),
        }));
        self.movable.clear();
        self.movable.extend_from_slice(movable);
        self.trees.clear();
        self.joints.clear();
        self.bodies.clear();
        if self.programs.len() > KEPT_PROGRAMS {
            self.programs.clear();
            self.known.clear();
        }
        let mut loose = Vec::new();
        for group in components(joints, movable) {
            if !self.plant(&group, 0, false) {
                loose.extend(group);
            }
        }
        // What has too many loops: each joint by itself, coloured.
        let mut used = vec![0_u128; movable.len()];
        let mut last = u128::BITS;
        for joint in loose {
            let ends = self.made_of[joint as usize].bodies.map(|body| body as usize);
            let had = ends.iter().filter(|&&body| movable[body]).fold(0, |had, &body| had | used[body]);
            let mut colour = (!had).trailing_zeros();
            if colour == u128::BITS {
                colour = last;
                last += 1;
            } else {
                for body in ends {
                    used[body] |= 1 << colour;
                }
            }
            let planted = self.plant(&[joint], colour, true);
            debug_assert!(planted, "one joint has no fill");
        }
    }

    /// Makes a tree of joints; tells whether they can be solved at once.
    fn plant(&mut self, group: &[u32], colour: u32, swept: bool) -> bool {
        let first = self.bodies.len();
        let mut place = BTreeMap::new();
        let mut kinds = Vec::with_capacity(group.len());
        for &joint in group {
            let kind = &self.made_of[joint as usize];
            let bodies = kind.bodies.map(|body| {
                let next = (self.bodies.len() - first) as u32;
                let known = self.movable[body as usize].then(|| *place.entry(body).or_insert(next));
                // What cannot be moved couples nothing: it has a place for each joint.
                let at = known.unwrap_or(next);
                if at == next {
                    self.bodies.push(body);
                }
                at
            });
            kinds.push(JointKind { bodies, rows: kind.rows.clone() });
        }
        let program = match self.known.get(&kinds) {
            Some(&program) => program,
            None => {
                let Some(made) = Program::new(&kinds, self.bodies.len() - first, JOINT_FILL) else {
                    self.bodies.truncate(first);
                    return false;
                };
                self.programs.push(made);
                let number = self.programs.len() as u32 - 1;
                self.known.insert(kinds, number);
                number
            }
        };
        let start = self.joints.len();
        self.joints.extend_from_slice(group);
        let (joints, bodies) = (start..self.joints.len(), first..self.bodies.len());
        let closed = self.closes(joints.len(), bodies.clone());
        let form = group.first().filter(|_| swept).and_then(|&joint| Form::of(&self.made_of[joint as usize].rows));
        self.trees.push(Tree { program, joints, bodies, colour, swept, closed, form });
        true
    }

    /// Whether so many joints that hang together close a loop between bodies, of which those that cannot be moved are one.
    fn closes(&self, joints: usize, bodies: Range<usize>) -> bool {
        let fixed = self.bodies[bodies.clone()].iter().filter(|&&body| !self.movable[body as usize]).count();
        joints >= bodies.len() - fixed + fixed.min(1)
    }
}

/// Joints that hang together through bodies that move, each list in order; those without any, and those that
/// leave every axis free, are in none.
fn components(joints: &[SolverJoint], movable: &[bool]) -> Vec<Vec<u32>> {
    let mut sets = crate::islands::DisjointSets::default();
    sets.reset(movable.len());
    let moving = |body: u32| movable[body as usize];
    for joint in joints.iter().filter(|joint| !joint.row_range().is_empty() && moving(joint.a) && moving(joint.b)) {
        sets.union(joint.a, joint.b);
    }
    let mut number = vec![NONE; movable.len()];
    let mut out: Vec<Vec<u32>> = Vec::new();
    for (index, joint) in joints.iter().enumerate().filter(|(_, joint)| !joint.row_range().is_empty()) {
        let Some(body) = [joint.a, joint.b].into_iter().find(|&body| moving(body)) else { continue };
        let root = sets.find(body) as usize;
        if number[root] == NONE {
            number[root] = out.len() as u32;
            out.push(Vec::new());
        }
        out[number[root] as usize].push(index as u32);
    }
    out
}

/// Buffers of all units.
#[derive(Clone, Default)]
pub(crate) struct Pools {
    pub bodies: Vec<BodyLanes>,
    pub joints: Vec<JointLanes>,
    pub rows: Vec<RowLanes>,
    pub matrix: Vec<Row>,
    pub changes: Vec<Row>,
    /// By body of units that are stiff.
    pub held: Vec<Held>,
    /// By unit.
    pub leaps: Vec<Row>,
    pub spins: Vec<Row>,
    pub foretells: Vec<Row>,
    pub stands: Vec<Row>,
    pub mends: Vec<Row>,
    pub thrifts: Vec<Thrift>,
}

/// [`Pools`] for several workers.
pub(crate) struct PoolsApart<'a> {
    bodies: Apart<'a, BodyLanes>,
    joints: Apart<'a, JointLanes>,
    rows: Apart<'a, RowLanes>,
    matrix: Apart<'a, Row>,
    changes: Apart<'a, Row>,
    held: Apart<'a, Held>,
    leaps: Apart<'a, Row>,
    spins: Apart<'a, Row>,
    foretells: Apart<'a, Row>,
    stands: Apart<'a, Row>,
    mends: Apart<'a, Row>,
    thrifts: Apart<'a, Thrift>,
}

impl<'a> PoolsApart<'a> {
    /// The parts of a unit.
    ///
    /// # Safety
    /// While they live, nobody may ask for those of the same unit, and units share none.
    pub unsafe fn parts(&self, forest: &'a Forest, unit: &Unit, number: usize) -> Parts<'a> {
        // SAFETY: passed on to the caller.
        unsafe {
            Parts {
                program: &forest.programs[unit.program as usize],
                swept: unit.swept,
                stiff: unit.stiff,
                bodies: self.bodies.range(unit.bodies.clone()),
                joints: self.joints.range(unit.joints.clone()),
                rows: self.rows.range(unit.singles.clone()),
                matrix: self.matrix.range(unit.matrix.clone()),
                changes: self.changes.range(unit.rows.clone()),
                held: self.held.range(if unit.stiff && !unit.swept { unit.bodies.clone() } else { 0..0 }),
                leap: &mut self.leaps.range(number..number + 1)[0],
                spins: &mut self.spins.range(number..number + 1)[0],
                foretells: &mut self.foretells.range(number..number + 1)[0],
                stands: &mut self.stands.range(number..number + 1)[0],
                mends: &mut self.mends.range(number..number + 1)[0],
                thrift: &mut self.thrifts.range(number..number + 1)[0],
            }
        }
    }
}

/// Puts trees into units: those of a colour and program side by side. Units are in the order of colours.
pub(crate) fn pack(forest: &Forest, trees: &mut [u32], units: &mut Vec<Unit>, stiff: bool) {
    let key = |tree: u32| {
        let t = &forest.trees[tree as usize];
        (t.swept, t.colour, t.program, tree)
    };
    trees.sort_unstable_by_key(|&tree| key(tree));
    let mut at = 0;
    while at < trees.len() {
        let (swept, colour, program, _) = key(trees[at]);
        let same = |&&tree: &&u32| key(tree) == (swept, colour, program, tree);
        let count = trees[at..].iter().take(WIDTH).take_while(same).count();
        let mut lanes = [NONE; WIDTH];
        lanes[..count].copy_from_slice(&trees[at..at + count]);
        let plan = &forest.programs[program as usize];
        let behind = |of: fn(&Unit) -> usize, more: usize| {
            let start = units.last().map_or(0, of);
            start..start + more
        };
        let unit = Unit {
            program,
            swept,
            stiff,
            trees: lanes,
            bodies: behind(|u| u.bodies.end, plan.bodies),
            joints: behind(|u| u.joints.end, plan.joints.len()),
            rows: behind(|u| u.rows.end, plan.row_count()),
            singles: behind(|u| u.singles.end, plan.singles),
            matrix: behind(|u| u.matrix.end, plan.entries),
        };
        units.push(unit);
        at += count;
    }
}

impl Pools {
    /// Makes room for units.
    pub fn fit(&mut self, units: &[Unit]) {
        let Some(last) = units.last() else { return };
        let grow = |have: usize, want: usize| want.max(have);
        self.bodies.resize(grow(self.bodies.len(), last.bodies.end), BodyLanes::default());
        self.joints.resize(grow(self.joints.len(), last.joints.end), JointLanes::default());
        self.rows.resize(grow(self.rows.len(), last.singles.end), RowLanes::default());
        self.changes.resize(grow(self.changes.len(), last.rows.end), Row::default());
        if last.stiff {
            self.held.resize(grow(self.held.len(), last.bodies.end), Held::default());
        }
        self.matrix.resize(grow(self.matrix.len(), last.matrix.end), Row::default());
        self.leaps.resize(grow(self.leaps.len(), units.len()), Row::default());
        self.spins.resize(self.leaps.len(), Row::default());
        self.foretells.resize(self.leaps.len(), Row::default());
        self.stands.resize(self.leaps.len(), Row::default());
        self.mends.resize(self.leaps.len(), Row::default());
        self.thrifts.resize(self.leaps.len(), Thrift::default());
    }

    /// The buffers for several workers, each at units of its own.
    pub fn apart(&mut self) -> PoolsApart<'_> {
        PoolsApart {
            bodies: Apart::new(&mut self.bodies),
            joints: Apart::new(&mut self.joints),
            rows: Apart::new(&mut self.rows),
            matrix: Apart::new(&mut self.matrix),
            changes: Apart::new(&mut self.changes),
            held: Apart::new(&mut self.held),
            leaps: Apart::new(&mut self.leaps),
            spins: Apart::new(&mut self.spins),
            foretells: Apart::new(&mut self.foretells),
            stands: Apart::new(&mut self.stands),
            mends: Apart::new(&mut self.mends),
            thrifts: Apart::new(&mut self.thrifts),
        }
    }

    /// The parts of a unit.
    pub fn parts<'a>(&'a mut self, forest: &'a Forest, unit: &Unit, number: usize) -> Parts<'a> {
        // SAFETY: the buffers are borrowed for as long as the parts live.
        unsafe { self.apart().parts(forest, unit, number) }
    }
}
