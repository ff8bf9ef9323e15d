//! The matrix of a tree of joints: assembly, factor, substitution, eight trees at a time.

use super::geometry::massed;
use super::program::Linear;
use super::unit::Parts;
use crate::math::Real;
use crate::solver::lanes::{Lane, Vector};

/// Assembles the matrix of the active rows and factors it, `L D L^T`. The diagonal ends up as the inverse of D.
///
/// A little of each diagonal entry is added to it, so that rows that say the same thing twice share the load instead of
/// dividing by zero; what that leaves undone is done in the next pass. An inactive row is taken out of it.
#[inline(always)]
pub(super) fn factor<L: Lane>(parts: &mut Parts, o: usize, springs: bool) {
    let Parts { program, bodies, rows, matrix, .. } = parts;
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    for entry in matrix.iter_mut() {
        zero.store(entry, o);
    }
    for coupling in &program.couplings {
        let row = &rows[coupling.row as usize];
        let body = &bodies[coupling.body as usize];
        let (side, other) = (usize::from(coupling.sides[0]), usize::from(coupling.sides[1]));
        let arms = Vector::<L>::load(&row.arms[side], o);
        let along = massed(Vector::<L>::load(&row.axis, o), &body.mass, o);
        for couple in &program.couples[coupling.list[0] as usize..coupling.list[1] as usize] {
            let column = &rows[couple.column as usize];
            let angular = arms.dot(Vector::load(&column.turns[other], o));
            let both = match couple.linear {
                Linear::None => angular,
                Linear::Axis(k) => angular + L::load(&body.mass[usize::from(k)], o),
                Linear::Any => angular + along.dot(Vector::load(&column.axis, o)),
            };
            let entry = &mut matrix[couple.entry as usize];
            let sum = if side == other { L::load(entry, o) + both } else { L::load(entry, o) - both };
            sum.store(entry, o);
        }
    }
    for ((row, plan), entry) in rows.iter_mut().zip(&program.rows).zip(matrix.iter_mut()) {
        let own = L::load(entry, o);
        let active = L::load(&row.active, o);
        let slack = own * L::splat(plan.slack);
        let mut diagonal = own + slack;
        if springs {
            diagonal = diagonal + L::load(&row.softness, o);
        }
        let takes_part = L::and(own.gt(L::splat(Real::MIN_POSITIVE)), active.gt(zero));
        L::select(takes_part, diagonal, one).store(entry, o);
        L::select(takes_part, slack * L::splat(0.5), one).store(&mut row.least, o);
    }
    if program.bounded {
        // Take the inactive rows out.
        for (column, plan) in program.columns.iter().enumerate() {
            let mine = L::load(&rows[column].active, o);
            for below in &program.below[plan.below[0] as usize..plan.below[1] as usize] {
                let other = L::load(&rows[below.row as usize].active, o);
                let entry = &mut matrix[below.entry as usize];
                (L::load(entry, o) * (mine * other)).store(entry, o);
            }
        }
    }
    for (column, plan) in program.columns.iter().enumerate() {
        // Where rows say the same thing twice, rounding may leave less than nothing.
        let pivot = L::load(&matrix[column], o).max(L::load(&rows[column].least, o));
        let inverse = one.div(pivot);
        inverse.store(&mut matrix[column], o);
        let list = &program.below[plan.below[0] as usize..plan.below[1] as usize];
        let mut updates = program.updates[plan.updates[0] as usize..plan.updates[1] as usize].iter();
        // The last one first: what is to its left is not divided by the pivot yet when it is asked for.
        for (k, left) in list.iter().enumerate().rev() {
            let divided = L::load(&matrix[left.entry as usize], o) * inverse;
            for (right, &entry) in list[..=k].iter().zip(&mut updates) {
                let right = L::load(&matrix[right.entry as usize], o);
                let entry = &mut matrix[entry as usize];
                (L::load(entry, o) - divided * right).store(entry, o);
            }
            divided.store(&mut matrix[left.entry as usize], o);
        }
    }
}

/// Solves for the rows' `change`, in place.
#[inline(always)]
pub(super) fn substitute<L: Lane>(parts: &mut Parts, o: usize) {
    let Parts { program, rows, matrix, .. } = parts;
    for (column, plan) in program.columns.iter().enumerate() {
        let x = L::load(&rows[column].change, o);
        for below in &program.below[plan.below[0] as usize..plan.below[1] as usize] {
            let row = &mut rows[below.row as usize].change;
            (L::load(row, o) - L::load(&matrix[below.entry as usize], o) * x).store(row, o);
        }
    }
    for (column, plan) in program.columns.iter().enumerate().rev() {
        let mut x = L::load(&rows[column].change, o) * L::load(&matrix[column], o);
        for below in &program.below[plan.below[0] as usize..plan.below[1] as usize] {
            x = x - L::load(&matrix[below.entry as usize], o) * L::load(&rows[below.row as usize].change, o);
        }
        x.store(&mut rows[column].change, o);
    }
}
