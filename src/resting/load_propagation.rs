//! First guess for an island without impulses: loads propagated down, level by level.
//!
//! From the top down, each body is held still on its supports, under its own free motion and the
//! load it was given; its supports pass their forces on. Of the possible distributions the smallest
//! impulses are taken, so that no squeeze is invented. The guess fails if one of these is outside
//! its cone.
//!
//! It solves towers, walls and pyramids at once. Arches, piles and leaning structures need a
//! search. The result is checked against the laws like any other.

use super::block::{
    JacobianBlock, Vec6, ZERO, add_outer, add_scaled, cholesky, dot, solve_lower, solve_lower_transposed,
};
use super::cone::tangential;
use super::levels::{Levels, UNSUPPORTED};
use super::problem::Problem;
use super::residual::View;
use crate::math::DVec3;
use crate::tolerances::{LOAD_GUESS_SOFTNESS, ROUNDING};
use std::cmp::Reverse;

/// Rounds of load propagation per body. Each reduces the error by `LOAD_GUESS_SOFTNESS`, so four
/// reach the rounding of `f64`.
const LOAD_GUESS_ITERATIONS: usize = 4;

/// Load propagation and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct LoadPropagation {
    levels: Levels,
    /// Each contact under the body that it supports, from the top level down.
    order: Vec<(Reverse<u32>, u32, u32)>,
    /// The supports of the current body.
    supports: Vec<Support>,
}

/// A contact in the view of its upper body.
#[derive(Clone, Debug)]
struct Support {
    contact: usize,
    rows: JacobianBlock,
    /// Its velocity (m/s, contact axes) without load, with free motion below.
    offset: DVec3,
    compliance: f64,
    friction: f64,
    impulse: DVec3,
}

impl LoadPropagation {
    /// Replaces `impulses`, which are zero as `delta_v` is. False if they do not hold some body.
    pub fn propose(&mut self, problem: &Problem, view: &View, impulses: &mut [DVec3], delta_v: &mut [Vec6]) -> bool {
        self.sort(view);
        let mut rest = self.order.as_slice();
        while let Some(&(_, body, _)) = rest.first() {
            let (own, others) = rest.split_at(rest.partition_point(|&(_, other, _)| other == body));
            rest = others;
            self.supports.clear();
            self.supports
                .extend(own.iter().map(|&(_, _, contact)| Support::new(problem, view, body, contact as usize)));
            if !support_body(&mut self.supports, delta_v[body as usize]) {
                return false;
            }
            for support in &self.supports {
                impulses[support.contact] = support.impulse;
                view.jacobians[support.contact].add_transposed(support.impulse, delta_v);
            }
        }
        true
    }

    fn sort(&mut self, view: &View) {
        let Self { levels, order, .. } = self;
        levels.update(view);
        order.clear();
        for (i, row) in view.jacobians.iter().enumerate() {
            let (first, second) = (levels.of(row.first), levels.of(row.second));
            let (level, body) = if first > second { (first, row.first) } else { (second, row.second) };
            if first != second && level != UNSUPPORTED {
                order.push((Reverse(level), body, i as u32));
            }
        }
        order.sort_unstable();
    }
}

impl Support {
    fn new(problem: &Problem, view: &View, body: u32, contact: usize) -> Self {
        let (row, friction) = (&view.jacobians[contact], view.friction[contact]);
        let sides = [(row.first, &row.on_first), (row.second, &row.on_second)];
        let [(_, rows), (below, under)] = if row.first == body { sides } else { [sides[1], sides[0]] };
        let mut offset = view.offsets[contact];
        if (below as usize) < problem.bodies.len() {
            let falls = problem.free_change(below as usize);
            offset -= DVec3::new(dot(&under[0], &falls), dot(&under[1], &falls), dot(&under[2], &falls));
        }
        let mut rows = *rows;
        if friction == 0.0 {
            // No constraint along the surface.
            (rows[1], rows[2]) = ([0.0; 6], [0.0; 6]);
            offset = DVec3::new(offset.x, 0.0, 0.0);
        }
        Self {
            contact,
            rows,
            offset,
            compliance: rows.iter().map(|row| dot(row, row)).sum::<f64>() / 3.0,
            friction,
            impulse: DVec3::ZERO,
        }
    }

    fn velocity(&self, x: &Vec6) -> DVec3 {
        DVec3::new(dot(&self.rows[0], x), dot(&self.rows[1], x), dot(&self.rows[2], x)) + self.offset
    }

    fn add(&mut self, change: DVec3, x: &mut Vec6) {
        self.impulse += change;
        for (row, part) in self.rows.iter().zip(change.to_array()) {
            add_scaled(x, part, row);
        }
    }
}

/// Holds a body with the smallest impulses of its supports. False if one of them is outside its
/// cone.
fn support_body(supports: &mut [Support], mut x: Vec6) -> bool {
    let mut factor = ZERO;
    for d in 0..6 {
        factor[7 * d] = 1.0;
    }
    for support in supports.iter() {
        let stiffness = 1.0 / (LOAD_GUESS_SOFTNESS * support.compliance);
        let weighted = support.rows.map(|row| row.map(|value| value * stiffness));
        add_outer(&mut factor, &support.rows, &weighted);
    }
    if !cholesky(&mut factor) {
        return false;
    }
    for _ in 0..LOAD_GUESS_ITERATIONS {
        let mut next = x;
        for support in supports.iter() {
            for (row, offset) in support.rows.iter().zip(support.offset.to_array()) {
                add_scaled(&mut next, -offset / (LOAD_GUESS_SOFTNESS * support.compliance), row);
            }
        }
        solve_lower(&factor, &mut next);
        solve_lower_transposed(&factor, &mut next);
        for support in supports.iter_mut() {
            let change = -support.velocity(&next) / (LOAD_GUESS_SOFTNESS * support.compliance);
            support.add(change, &mut x);
        }
    }
    supports
        .iter()
        .all(|s| tangential(s.impulse) <= s.friction * s.impulse.x * (1.0 + ROUNDING.solution) && s.impulse.x >= 0.0)
}
