//! The parts of a bundle's solve that several workers may share: rows of contacts, and units of which no two move the same body.

use super::bundle::{Bundle, Context};
use super::plan::Kind;
use crate::index::NONE;
use crate::math::Real;
use crate::parallel::{Apart, Helpers};
use crate::solver::block::Block;
use crate::solver::joint::passes::{self, Half, Visit};
use crate::solver::joint::tumble::tumble_of;
use crate::solver::joint::unit::{Parts, Unit};
use crate::solver::lanes::{Path, WIDTH};
use crate::tolerances::{JOINT_BURDEN, JOINT_MEND, JOINT_MORE, JOINT_THRIFT, NET_MEND};
use std::ops::Range;

/// Units that are worth sharing one bundle.
const WIDE: usize = 4;

/// Blocks of contacts that are worth another thread for being filled.
const LEAST_BLOCKS: usize = 16;

/// The lanes that a bundle runs on, and who helps.
#[derive(Clone, Copy)]
pub(super) struct Team<'a> {
    pub path: Path,
    pub helpers: &'a Helpers,
}

impl<'a> Team<'a> {
    /// Those who sweep nets.
    pub fn crew(self) -> (Path, &'a Helpers) {
        (self.path, self.helpers)
    }
}

/// What visits to units have in common.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// Length of the substep (s).
    pub h: Real,
    pub half: Half,
    /// Whether it is the first substep of the step.
    pub first: bool,
}

impl Turn {
    /// The visit to a unit in an island of a kind.
    pub fn of(&self, parts: &Parts, kind: &Kind) -> Visit {
        let (Kind { heap, foresees, .. }, rounds) = (*kind, kind.rounds());
        let bounded = parts.program.bounded && !parts.swept;
        // What is swept goes by the gains of one round, and what has bounds in a heap goes on for as long as it changes.
        let second = bounded && !(heap && rounds == 1);
        let rounds = if parts.swept { 1 } else { rounds + u32::from(second) };
        let again = rounds == 1 && !parts.swept && !bounded;
        let more = if heap && bounded { JOINT_MORE } else { 0 };
        Visit { h: self.h, half: self.half, rounds, again, more, heap, foresees, first: self.first }
    }
}

/// The part of what joints of a unit are apart by that a substep mends: less where they close a loop, and strain against each other.
fn mended_part(unit: &Unit, closed: bool) -> Real {
    if unit.swept {
        NET_MEND
    } else if closed && !unit.stiff {
        JOINT_MEND
    } else {
        1.0
    }
}

/// Which contact has which lane of which block.
struct Seats<'a> {
    lanes: &'a [[u32; WIDTH]],
    sides: &'a [[[u32; 2]; WIDTH]],
    contacts: &'a [u32],
}

impl Seats<'_> {
    /// Fills a block for substeps of `h` (s).
    #[inline]
    fn fill(&self, context: &Context, h: Real, index: usize, block: &mut Block) {
        block.h = h;
        for (lane, &here) in self.lanes[index].iter().enumerate().filter(|(_, here)| **here != NONE) {
            let contact = &context.contacts[self.contacts[here as usize] as usize];
            let bodies = [&context.bodies[contact.a as usize], &context.bodies[contact.b as usize]];
            let manifold = &context.pool[contact.manifold as usize];
            block.fill(lane, contact, manifold, bodies, self.sides[index][lane], h / context.last_dt);
        }
    }
}

impl Bundle {
    /// Whether several workers may share it: it has units enough, of which no two move the same body.
    pub fn is_wide(&self) -> bool {
        self.apart && self.units.len() >= WIDE && !self.units.iter().any(|unit| unit.swept)
    }

    /// Whether several workers may share the sweeps of its net.
    pub fn has_wide_net(&self) -> bool {
        self.net.is_wide()
    }

    /// Rows of contacts, block by block for several workers.
    pub(super) fn fill_blocks(&mut self, context: &Context, h: Real, helpers: &Helpers) {
        let blocks = Apart::new(&mut self.blocks);
        let seats = Seats { lanes: &self.lanes, sides: &self.sides, contacts: &self.contacts };
        helpers.shares(seats.lanes.len(), LEAST_BLOCKS, &|share| {
            // SAFETY: shares are apart.
            let blocks = unsafe { blocks.range(share.clone()) };
            for (index, block) in share.zip(blocks) {
                seats.fill(context, h, index, block);
            }
        });
    }

    /// The rows of one block.
    pub(super) fn fill_block(&mut self, context: &Context, h: Real, index: usize) {
        let seats = Seats { lanes: &self.lanes, sides: &self.sides, contacts: &self.contacts };
        seats.fill(context, h, index, &mut self.blocks[index]);
    }

    /// Rows of joints, and what they begin with.
    pub(super) fn fill_units(&mut self, context: &Context, h: Real, team: Team) {
        let wide = self.is_wide();
        let Self { units, pools, ends, first_end, before, pressure, touched, burdened, lines, starts, kind, .. } = self;
        let (pools, burdens) = (pools.apart(), Apart::new(burdened));
        let (lines, starts) = (Apart::new(lines), Apart::new(starts));
        let (units, pressure, touched) = (&*units, &*pressure, &*touched);
        let fill = |number: usize| {
            let unit = &units[number];
            // SAFETY: each unit is visited once.
            let (mut parts, Some(at_burden)) =
                (unsafe { (pools.parts(context.forest, unit, number), burdens.get(number as u32)) })
            else {
                return;
            };
            parts.clear(unit.trees.iter().all(|&tree| tree != NONE));
            parts.leap.0 = [0.0; WIDTH];
            parts.spins.0 = [0.0; WIDTH];
            *parts.thrift = Default::default();
            let mut burdened = false;
            let trees = unit.trees.iter().enumerate().filter(|(_, tree)| **tree != NONE);
            for (at, (lane, &tree)) in (before[number] as usize..).zip(trees) {
                let tree = &context.forest.trees[tree as usize];
                let ends = &ends[first_end[at] as usize..];
                let mut carried = false;
                for (&body, &line) in context.forest.bodies(tree).iter().zip(ends) {
                    let pressure = pressure[line as usize];
                    carried |= pressure > 0.0;
                    burdened |= pressure > JOINT_BURDEN * context.bodies[body as usize].linear_acceleration.length();
                }
                // A body of several swept joints would be kicked by each of them.
                parts.leap.0[lane] = if carried || unit.swept { 0.0 } else { 1.0 };
                // What has bounds would be driven for half a substep more.
                let spins = !(unit.swept || carried && (parts.program.bounded || kind.foresees));
                parts.spins.0[lane] = if spins { 1.0 } else { 0.0 };
                parts.mends.0[lane] = mended_part(unit, tree.closed);
                let strains = carried && tree.closed;
                if (strains || unit.stiff) && !unit.swept {
                    let bodies = context.forest.bodies(tree).iter().map(|&body| &context.bodies[body as usize]);
                    let joints = context.forest.joints(tree).iter().map(|&joint| &context.joints[joint as usize]);
                    let rows = joints.flat_map(|joint| &context.rows[joint.row_range()]);
                    parts.thrift.fill((lane, if strains { 0.0 } else { JOINT_THRIFT * h }), bodies, rows);
                }
                for (place, (&body, &line)) in context.forest.bodies(tree).iter().zip(ends).enumerate() {
                    let solver = &context.bodies[body as usize];
                    parts.fill_body(lane, place, line, solver, h);
                    // A body of several swept joints would turn its inertia with each of them.
                    if let Some(tumble) = tumble_of(context.tumbles, body).filter(|_| !unit.swept) {
                        parts.fill_tumble(lane, place, tumble, h);
                        // SAFETY: a body that moves is in one place of one tree that is not swept.
                        if let Some(line) = unsafe { lines.get(line) } {
                            line.spin_up((tumble.angular_acceleration - solver.angular_acceleration) * h);
                        }
                    }
                    if touched[line as usize] {
                        parts.bodies[place].clear_spin_kick(lane);
                    }
                }
                for (place, &joint) in context.forest.joints(tree).iter().enumerate() {
                    let joint = &context.joints[joint as usize];
                    parts.fill_joint(lane, place, joint, &context.rows[joint.row_range()], h);
                }
            }
            *at_burden = burdened && !unit.swept;
            // SAFETY: the lines are ours, a tree has a body that moves in one place, and where units are visited at once none moves
            // what another does.
            unsafe { passes::open(team.path, &mut parts, lines.first().cast(), starts.first().cast(), h) };
        };
        if wide {
            team.helpers.pieces(units.len(), &fill);
        } else {
            (0..units.len()).for_each(fill);
        }
    }

    /// Visits units, in turn or, where the bundle is wide, all at once; returns the greatest correction (m/s; rad/s counts alike). Only
    /// burdened ones settle.
    pub(super) fn visit_units(&mut self, context: &Context, turn: Turn, numbers: Range<usize>, team: Team) -> Real {
        let wide = self.is_wide();
        let Self { units, pools, corrections, lines, starts, kind, burdened, .. } = self;
        let (pools, lines, units, burdened) = (pools.apart(), Apart::new(lines), &*units, &*burdened);
        let starts = Apart::new(starts);
        let visit = |number: usize| {
            if turn.half == Half::Settle && !burdened[number] {
                return 0.0;
            }
            // SAFETY: each unit is visited by one worker at a time.
            let mut parts = unsafe { pools.parts(context.forest, &units[number], number) };
            let visit = turn.of(&parts, kind);
            // SAFETY: as in `fill_units`.
            unsafe { passes::visit(team.path, &mut parts, lines.first().cast(), starts.first().cast(), visit) }
        };
        if !wide {
            return numbers.map(visit).fold(0.0, Real::max);
        }
        let corrections = &mut corrections[numbers.clone()];
        let made = Apart::new(corrections);
        team.helpers.pieces(numbers.len(), &|k| {
            let change = visit(numbers.start + k);
            // SAFETY: each unit is visited once.
            if let Some(made) = unsafe { made.get(k as u32) } {
                *made = change;
            }
        });
        corrections.iter().copied().fold(0.0, Real::max)
    }
}
