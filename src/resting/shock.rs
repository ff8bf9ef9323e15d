//! Shock propagation: after a few sweeps, contacts are resolved level by level from the ground up, and what is below is held
//! (Guendelman, Bridson and Fedkiw 2003; Bender and Schmitt 2006, section 3.2).
//!
//! It stills a stack at once whose forces the sweeps have not found yet; as the bodies stay where they are, the sweeps of the
//! steps that follow find them. What it adds to the velocities has no reaction below. So momentum is not kept where the sweeps
//! fell short, the impulses that are handed back are those of the sweeps alone, and a stack that leans as a whole, though each
//! body stands on the one below, is held up for as long as its forces are not found. Whoever wants the truth takes another
//! law.

use super::block::{Rows, Vec6, dot};
use super::levels::{ALOFT, Levels};
use super::local::solve_contact;
use super::residual::View;
use crate::math::{DMat3, DVec3};
use crate::tolerances::SHOCK_SWEEPS;

/// The propagation and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Shock {
    levels: Levels,
    /// Contacts by level, each with its level: the higher one of its two bodies.
    order: Vec<(u32, u32)>,
    impulses: Vec<DVec3>,
}

impl Shock {
    /// Stills the bodies: `image` (the change of their scaled velocities) in, and out again. `impulses` are those of the sweeps.
    pub fn propagate(&mut self, view: &View, grams: &[DMat3], impulses: &[DVec3], image: &mut [Vec6]) {
        self.sort(view);
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
        let mut rest = self.order.as_slice();
        while let Some(&(level, _)) = rest.first() {
            let (here, above) = rest.split_at(rest.partition_point(|&(other, _)| other == level));
            rest = above;
            for _ in 0..SHOCK_SWEEPS {
                for &(_, contact) in here {
                    resolve(&self.levels, level, view, grams, &mut self.impulses, image, contact as usize);
                }
            }
        }
    }

    fn sort(&mut self, view: &View) {
        self.levels.update(view);
        let Self { levels, order, .. } = self;
        order.clear();
        let contacts =
            view.rows.iter().enumerate().map(|(i, row)| (levels.of(row.first).max(levels.of(row.second)), i as u32));
        order.extend(contacts.filter(|&(level, _)| level != ALOFT));
        order.sort_unstable();
    }
}

/// Resolves one contact with what is below `level` held.
fn resolve(
    levels: &Levels,
    level: u32,
    view: &View,
    grams: &[DMat3],
    impulses: &mut [DVec3],
    image: &mut [Vec6],
    contact: usize,
) {
    let row = &view.rows[contact];
    let gives = [row.first, row.second].map(|body| levels.of(body) == level);
    let sides = [&row.on_first, &row.on_second];
    let response = match gives {
        [true, true] => grams[contact],
        [first, _] => gram(sides[usize::from(!first)]),
    };
    let old = impulses[contact];
    let u = row.apply(image) + view.offsets[contact];
    let new = solve_contact(&response, u - response * old, view.friction[contact], old);
    impulses[contact] = new;
    let change = new - old;
    for ((body, rows), gives) in [row.first, row.second].into_iter().zip(sides).zip(gives) {
        if gives {
            let target = &mut image[body as usize];
            for k in 0..6 {
                target[k] += change.x * rows[0][k] + change.y * rows[1][k] + change.z * rows[2][k];
            }
        }
    }
}

/// `J J^T` of one side.
fn gram(rows: &Rows) -> DMat3 {
    let at = |r: usize, c: usize| dot(&rows[r], &rows[c]);
    let column = |c: usize| DVec3::new(at(0, c), at(1, c), at(2, c));
    DMat3::from_cols(column(0), column(1), column(2))
}
