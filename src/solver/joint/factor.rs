//! The matrix of a tree of joints: assembly, factor, substitution, eight trees at a time.

use super::geometry::massed;
use super::program::Linear;
use super::unit::Parts;
use crate::math::Real;
use crate::solver::lanes::{Lane, Vector};
use crate::tolerances::JOINT_SLACK;

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
    for couple in &program.couples {
        let (i, j) = (&rows[couple.rows[0] as usize], &rows[couple.rows[1] as usize]);
        let body = &bodies[couple.body as usize];
        let (si, sj) = (usize::from(couple.sides[0]), usize::from(couple.sides[1]));
        let angular = Vector::<L>::load(&i.arms[si], o).dot(Vector::load(&j.turns[sj], o));
        let both = match couple.linear {
            Linear::None => angular,
            Linear::Axis(k) => angular + L::load(&body.mass[usize::from(k)], o),
            Linear::Any => angular + massed(Vector::<L>::load(&i.axis, o), &body.mass, o).dot(Vector::load(&j.axis, o)),
        };
        let entry = &mut matrix[couple.entry as usize];
        let sum = if si == sj { L::load(entry, o) + both } else { L::load(entry, o) - both };
        sum.store(entry, o);
    }
    for (row, entry) in rows.iter_mut().zip(matrix.iter_mut()) {
        let own = L::load(entry, o);
        let active = L::load(&row.active, o);
        let slack = own * L::splat(JOINT_SLACK);
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
        for update in &program.updates[plan.updates[0] as usize..plan.updates[1] as usize] {
            let left = L::load(&matrix[update.left as usize], o);
            let right = L::load(&matrix[update.right as usize], o);
            let entry = &mut matrix[update.entry as usize];
            (L::load(entry, o) - left * inverse * right).store(entry, o);
        }
        for below in &program.below[plan.below[0] as usize..plan.below[1] as usize] {
            let entry = &mut matrix[below.entry as usize];
            (L::load(entry, o) * inverse).store(entry, o);
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
