//! The parts of a bundle's solve that several workers may share: rows of contacts, and units of which no two move the same body.

use super::bundle::{Bundle, Context};
use crate::index::NONE;
use crate::math::Real;
use crate::parallel::{Apart, Helpers};
use crate::solver::joint::passes::{self, Half, Visit};
use crate::solver::lanes::{Path, WIDTH};
use crate::tolerances::JOINT_BURDEN;

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

impl Bundle {
    /// Whether several workers may share it: it has units enough, of which no two move the same body.
    pub fn is_wide(&self) -> bool {
        self.apart && self.units.len() >= WIDE && !self.units.iter().any(|unit| unit.swept)
    }

    /// Rows of contacts.
    pub(super) fn fill_blocks(&mut self, context: &Context, h: Real, helpers: &Helpers) {
        let blocks = Apart::new(&mut self.blocks);
        let (lanes, sides, contacts) = (&self.lanes, &self.sides, &self.contacts);
        helpers.shares(lanes.len(), LEAST_BLOCKS, &|share| {
            // SAFETY: shares are apart.
            let blocks = unsafe { blocks.range(share.clone()) };
            for (index, block) in share.zip(blocks) {
                block.h = h;
                for (lane, &here) in lanes[index].iter().enumerate().filter(|(_, here)| **here != NONE) {
                    let contact = &context.contacts[contacts[here as usize] as usize];
                    let bodies = [&context.bodies[contact.a as usize], &context.bodies[contact.b as usize]];
                    let manifold = &context.pool[contact.manifold as usize];
                    block.fill(lane, contact, manifold, bodies, sides[index][lane], h / context.last_dt);
                }
            }
        });
    }

    /// Rows of joints, and what they begin with.
    pub(super) fn fill_units(&mut self, context: &Context, h: Real, team: Team) {
        let wide = self.is_wide();
        let Self { units, pools, ends, first_end, before, pressure, burdened, lines, starts, .. } = self;
        let (pools, burdens) = (pools.apart(), Apart::new(burdened));
        let (lines, starts) = (Apart::new(lines), Apart::new(starts));
        let (units, pressure) = (&*units, &*pressure);
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
            let mut burdened = false;
            let trees = unit.trees.iter().enumerate().filter(|(_, tree)| **tree != NONE);
            for (at, (lane, &tree)) in (before[number] as usize..).zip(trees) {
                let tree = &context.forest.trees[tree as usize];
                let lines = &ends[first_end[at] as usize..];
                let mut carried = false;
                for (&body, &line) in context.forest.bodies(tree).iter().zip(lines) {
                    let pressure = pressure[line as usize];
                    carried |= pressure > 0.0;
                    burdened |= pressure > JOINT_BURDEN * context.bodies[body as usize].linear_acceleration.length();
                }
                // A body of several swept joints would be kicked by each of them.
                parts.leap.0[lane] = if carried || unit.swept { 0.0 } else { 1.0 };
                for (place, (&body, &line)) in context.forest.bodies(tree).iter().zip(lines).enumerate() {
                    parts.fill_body(lane, place, line, &context.bodies[body as usize], h);
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

    /// Joints of a wide bundle, and the motion of their bodies.
    pub(super) fn visit_at_once(&mut self, context: &Context, h: Real, first: bool, team: Team) -> Real {
        let Self { units, pools, corrections, lines, kind, .. } = self;
        let (pools, lines, units) = (pools.apart(), Apart::new(lines), &*units);
        let made = Apart::new(corrections);
        team.helpers.pieces(units.len(), &|number| {
            let unit = &units[number];
            // SAFETY: each unit is visited once.
            let (mut parts, made) = unsafe { (pools.parts(context.forest, unit, number), made.get(number as u32)) };
            let rounds = context.rounds + u32::from(parts.program.bounded);
            let visit = Visit { h, half: Half::Whole, rounds, again: kind.heap && rounds == 1, first };
            // SAFETY: as in `fill_units`.
            let change = unsafe { passes::visit(team.path, &mut parts, lines.first().cast(), visit) };
            if let Some(made) = made {
                *made = change;
            }
        });
        corrections.iter().copied().fold(0.0, Real::max)
    }
}
