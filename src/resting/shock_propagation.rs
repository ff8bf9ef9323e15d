//! Shock propagation: after some sweeps, contacts are solved level by level from the ground up,
//! with fixed bodies below (Guendelman, Bridson and Fedkiw 2003; Bender and Schmitt 2006, section
//! 3.2).
//!
//! It stops a stack at once whose forces are not found yet; the sweeps of later steps find them.
//! Its velocity changes have no reaction below. So momentum is not conserved, the returned impulses
//! are those of the sweeps alone, and a leaning stack is held up until its forces are found.

use super::block::{JacobianBlock, Vec6, dot};
use super::levels::{Levels, UNSUPPORTED};
use super::local::solve_contact;
use super::residual::View;
use crate::math::{DMat3, DVec3};
use crate::tolerances::GAUSS_SEIDEL;

/// Shock propagation and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct ShockPropagation {
    levels: Levels,
    /// Contacts by level, each with its level: the higher one of its two bodies.
    order: Vec<(u32, u32)>,
    impulses: Vec<DVec3>,
}

impl ShockPropagation {
    /// Stops the bodies: changes `delta_v`, the change of their scaled velocities. `impulses` are
    /// those of the sweeps.
    pub fn propagate(&mut self, view: &View, grams: &[DMat3], impulses: &[DVec3], delta_v: &mut [Vec6]) {
        self.sort(view);
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
        let mut rest = self.order.as_slice();
        while let Some(&(level, _)) = rest.first() {
            let (here, above) = rest.split_at(rest.partition_point(|&(other, _)| other == level));
            rest = above;
            for _ in 0..GAUSS_SEIDEL.sweeps_per_check {
                for &(_, contact) in here {
                    resolve(&self.levels, level, view, grams, &mut self.impulses, delta_v, contact as usize);
                }
            }
        }
    }

    fn sort(&mut self, view: &View) {
        self.levels.update(view);
        let Self { levels, order, .. } = self;
        order.clear();
        let contacts = view
            .jacobians
            .iter()
            .enumerate()
            .map(|(i, row)| (levels.of(row.first).max(levels.of(row.second)), i as u32));
        order.extend(contacts.filter(|&(level, _)| level != UNSUPPORTED));
        order.sort_unstable();
    }
}

/// Solves one contact with fixed bodies below `level`.
fn resolve(
    levels: &Levels,
    level: u32,
    view: &View,
    grams: &[DMat3],
    impulses: &mut [DVec3],
    delta_v: &mut [Vec6],
    contact: usize,
) {
    let row = &view.jacobians[contact];
    let moves = [row.first, row.second].map(|body| levels.of(body) == level);
    let sides = [&row.on_first, &row.on_second];
    let response = match moves {
        [true, true] => grams[contact],
        [first, _] => gram(sides[usize::from(!first)]),
    };
    let old = impulses[contact];
    let u = row.apply(delta_v) + view.offsets[contact];
    let new = solve_contact(&response, u - response * old, view.friction[contact], old);
    impulses[contact] = new;
    let change = new - old;
    for ((body, rows), moves) in [row.first, row.second].into_iter().zip(sides).zip(moves) {
        if moves {
            let target = &mut delta_v[body as usize];
            for k in 0..6 {
                target[k] += change.x * rows[0][k] + change.y * rows[1][k] + change.z * rows[2][k];
            }
        }
    }
}

/// `J J^T` of one side.
fn gram(rows: &JacobianBlock) -> DMat3 {
    let at = |r: usize, c: usize| dot(&rows[r], &rows[c]);
    let column = |c: usize| DVec3::new(at(0, c), at(1, c), at(2, c));
    DMat3::from_cols(column(0), column(1), column(2))
}
