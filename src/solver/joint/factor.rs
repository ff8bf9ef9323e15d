//! The matrix of a tree of joints: assembly, factor, substitution, eight trees at a time.

use super::geometry::massed;
use super::program::{Linear, Program};
use super::unit::{BodyLanes, Parts, RowLanes};
use crate::math::Real;
use crate::solver::lanes::{Lane, Row, Vector};

/// Assembles the matrix of the active rows and factors it, `L D L^T`. The diagonal ends up as the inverse of D.
///
/// A little of each diagonal entry is added to it, so that rows that say the same thing twice share the load instead of
/// dividing by zero; what that leaves undone is done in the next pass. An inactive row is taken out of it.
#[inline(always)]
pub(super) fn factor<L: Lane>(parts: &mut Parts, o: usize, springs: bool) {
    let Parts { program, bodies, rows, matrix, .. } = parts;
    let (diagonal, below) = matrix.split_at_mut(rows.len());
    couple::<L>(program, bodies, rows, below, o);
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    for ((row, plan), entry) in rows.iter_mut().zip(&program.rows).zip(diagonal.iter_mut()) {
        let axis = Vector::<L>::load(&row.axis, o);
        let mut own = zero;
        for (side, &body) in program.joints[plan.joint as usize].bodies.iter().enumerate() {
            let angular = Vector::<L>::load(&row.arms[side], o).dot(Vector::load(&row.turns[side], o));
            own = own + (angular + axis.dot(massed(axis, &bodies[body as usize].mass, o)));
        }
        let active = L::load(&row.active, o);
        let slack = own * L::splat(plan.slack);
        let mut sum = own + slack;
        if springs {
            sum = sum + L::load(&row.softness, o);
        }
        let takes_part = L::and(own.gt(L::splat(Real::MIN_POSITIVE)), active.gt(zero));
        L::select(takes_part, sum, one).store(entry, o);
        L::select(takes_part, slack * L::splat(0.5), one).store(&mut row.least, o);
    }
    if program.bounded {
        // Take the inactive rows out.
        for (row, column) in rows.iter().zip(&program.columns) {
            let mine = L::load(&row.active, o);
            for (place, entry) in program.below[column.clone()].iter().zip(&mut below[column.clone()]) {
                let other = L::load(&rows[place.row as usize].active, o);
                (L::load(entry, o) * (mine * other)).store(entry, o);
            }
        }
    }
    for (number, column) in program.columns.iter().enumerate() {
        // Where rows say the same thing twice, rounding may leave less than nothing.
        let pivot = L::load(&diagonal[number], o).max(L::load(&rows[number].least, o));
        let inverse = one.div(pivot);
        inverse.store(&mut diagonal[number], o);
        // What is eliminated lies before all that it changes.
        let (done, later) = below.split_at_mut(column.end);
        for (at, place) in column.clone().zip(&program.below[column.clone()]) {
            let right = L::load(&done[at], o);
            let divided = right * inverse;
            let entry = &mut diagonal[place.row as usize];
            (L::load(entry, o) - divided * right).store(entry, o);
            for run in &program.runs[place.runs[0] as usize..place.runs[1] as usize] {
                let (left, first, count) = (run.left as usize, run.entry as usize - column.end, run.count as usize);
                for (entry, left) in later[first..first + count].iter_mut().zip(&done[left..left + count]) {
                    (L::load(entry, o) - divided * L::load(left, o)).store(entry, o);
                }
            }
            divided.store(&mut done[at], o);
        }
    }
}

/// The entries below the diagonal: what rows have to do with each other through the bodies that both move.
#[inline(always)]
fn couple<L: Lane>(program: &Program, bodies: &[BodyLanes], rows: &[RowLanes], below: &mut [Row], o: usize) {
    for entry in below.iter_mut() {
        L::splat(0.0).store(entry, o);
    }
    for couples in &program.couplings {
        let column = &rows[couples.column as usize];
        let body = &bodies[couples.body as usize];
        let [mine, other] = couples.sides.map(|side| usize::from(side & 1));
        let sign = L::splat(if mine == other { 1.0 } else { -1.0 });
        let turns = Vector::<L>::load(&column.turns[mine], o).scale(sign);
        let along = massed(Vector::<L>::load(&column.axis, o), &body.mass, o).scale(sign);
        let links = &program.links[couples.links[0] as usize..couples.links[1] as usize];
        let (first, entry) = (couples.row as usize, couples.entry as usize);
        let list = rows[first..first + links.len()].iter().zip(&mut below[entry..entry + links.len()]);
        for ((row, entry), link) in list.zip(links) {
            let angular = Vector::load(&row.arms[other], o).dot(turns);
            let both = match link {
                Linear::None => angular,
                Linear::Axis(k) => angular + L::load(&body.mass[usize::from(*k)], o) * sign,
                Linear::Any => angular + along.dot(Vector::load(&row.axis, o)),
            };
            (L::load(entry, o) + both).store(entry, o);
        }
    }
}

/// Solves for the rows' `changes`, in place.
#[inline(always)]
pub(super) fn substitute<L: Lane>(parts: &mut Parts, o: usize) {
    let Parts { program, rows, matrix, changes, .. } = parts;
    let (diagonal, below) = matrix.split_at(rows.len());
    for (number, column) in program.columns.iter().enumerate() {
        let x = L::load(&changes[number], o);
        for (place, entry) in program.below[column.clone()].iter().zip(&below[column.clone()]) {
            let change = &mut changes[place.row as usize];
            (L::load(change, o) - L::load(entry, o) * x).store(change, o);
        }
    }
    for (number, column) in program.columns.iter().enumerate().rev() {
        let mut x = L::load(&changes[number], o) * L::load(&diagonal[number], o);
        for (place, entry) in program.below[column.clone()].iter().zip(&below[column.clone()]) {
            x = x - L::load(entry, o) * L::load(&changes[place.row as usize], o);
        }
        x.store(&mut changes[number], o);
    }
}
