//! The matrix of a tree of joints: assembly, factor, substitution, eight trees at a time.

use super::geometry::massed;
use super::program::{Couple, NONE, Panel, Place, Program};
use super::unit::{BodyLanes, JointLanes, Parts, RowLanes};
use crate::math::Real;
use crate::solver::lanes::{Lane, Row, Vector};
use crate::tolerances::JOINT_SLACK;

/// Assembles the matrix of the active rows and factors it, `L D L^T`. The diagonal ends up as the inverse of D.
///
/// A little of each diagonal entry is added to it, so that rows that say the same thing twice share the load instead of
/// dividing by zero; what that leaves undone is done in the next pass. An inactive row is taken out of it.
#[inline(always)]
pub(super) fn factor<L: Lane>(parts: &mut Parts, o: usize, springs: bool) {
    let Parts { program, bodies, joints, rows, matrix, stands, .. } = parts;
    let count = program.row_count();
    let (diagonal, below) = matrix.split_at_mut(2 * count);
    let (diagonal, least) = diagonal.split_at_mut(count);
    for (number, (kind, place)) in program.joints.iter().zip(&program.places).enumerate() {
        let pair = kind.bodies.map(|body| &bodies[body as usize]);
        let singles = &rows[place.singles()];
        if place.pinned {
            own_pin::<L>(place, &joints[number], pair, singles, (diagonal, below), o);
        }
        own_singles::<L>(place, pair, singles, (diagonal, below), o);
        let stands = L::load(stands, o);
        for row in place.row as usize..place.single_row() {
            give_way(&mut diagonal[row], &mut least[row], (L::splat(JOINT_SLACK), L::splat(0.0)), stands, o);
        }
        for (k, row) in place.singles().zip(place.single_row()..) {
            let soft = if springs { L::load(&rows[k].softness, o) } else { L::splat(0.0) };
            let ways = (L::splat(program.slack[k]), soft);
            give_way(&mut diagonal[row], &mut least[row], ways, L::load(&rows[k].active, o), o);
        }
    }
    for &entry in &program.fill {
        L::splat(0.0).store(&mut below[entry as usize], o);
    }
    for couple in &program.couples {
        join::<L>(program, couple, bodies, joints, rows, below, o);
    }
    if program.bounded {
        leave_out::<L>(program, rows, L::load(stands, o), below, o);
    }
    eliminate::<L>(program, diagonal, least, below, o);
}

/// The entries of a pin among themselves, and of the other rows of its joint in its columns.
#[inline(always)]
fn own_pin<L: Lane>(
    place: &Place,
    joint: &JointLanes,
    bodies: [&BodyLanes; 2],
    singles: &[RowLanes],
    (diagonal, below): (&mut [Row], &mut [Row]),
    o: usize,
) {
    let arms = [Vector::<L>::load(&joint.arms[0], o), Vector::<L>::load(&joint.arms[1], o)];
    let mass = Vector::<L>::load(&bodies[0].mass, o) + Vector::load(&bodies[1].mass, o);
    for k in 0..3 {
        let turns = [Vector::<L>::load(&joint.turns[0][k], o), Vector::<L>::load(&joint.turns[1][k], o)];
        let mut column = turns[0].cross(arms[0]) + turns[1].cross(arms[1]);
        match k {
            0 => column.x = column.x + mass.x,
            1 => column.y = column.y + mass.y,
            _ => column.z = column.z + mass.z,
        }
        let row = place.row as usize + k;
        let entries = &mut below[place.column(k)..][..place.count as usize - 1 - k];
        let column = [column.x, column.y, column.z];
        column[k].store(&mut diagonal[row], o);
        for under in k + 1..3 {
            column[under].store(&mut entries[under - k - 1], o);
        }
        for (row, entry) in singles.iter().zip(&mut entries[2 - k..]) {
            // What is beside a pin is about turning.
            let angular = Vector::load(&row.arms[0], o).dot(turns[0]) + Vector::load(&row.arms[1], o).dot(turns[1]);
            angular.store(entry, o);
        }
    }
}

/// The entries among themselves of the rows of a joint that are not of a pin.
#[inline(always)]
fn own_singles<L: Lane>(
    place: &Place,
    bodies: [&BodyLanes; 2],
    singles: &[RowLanes],
    (diagonal, below): (&mut [Row], &mut [Row]),
    o: usize,
) {
    for (k, column) in singles.iter().enumerate() {
        let turns = [Vector::<L>::load(&column.turns[0], o), Vector::<L>::load(&column.turns[1], o)];
        let axis = Vector::<L>::load(&column.axis, o);
        let along = massed(axis, &bodies[0].mass, o) + massed(axis, &bodies[1].mass, o);
        single_by_single(column, turns, along, o).store(&mut diagonal[place.single_row() + k], o);
        for (row, entry) in singles[k + 1..].iter().zip(&mut below[place.column(place.pin() + k)..]) {
            single_by_single(row, turns, along, o).store(entry, o);
        }
    }
}

/// The entry of a row that is not of a pin in a column of the same joint.
#[inline(always)]
fn single_by_single<L: Lane>(row: &RowLanes, turns: [Vector<L>; 2], along: Vector<L>, o: usize) -> L {
    let angular = Vector::load(&row.arms[0], o).dot(turns[0]) + Vector::load(&row.arms[1], o).dot(turns[1]);
    angular + Vector::load(&row.axis, o).dot(along)
}

/// Adds what a row gives way to its entry of the diagonal, and notes the least that elimination may leave of it. `ways` is a
/// fraction of the entry, and what is added beside.
#[inline(always)]
fn give_way<L: Lane>(entry: &mut Row, least: &mut Row, (slack, soft): (L, L), active: L, o: usize) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let own = L::load(entry, o);
    let slack = own * slack;
    let takes_part = L::and(own.gt(L::splat(Real::MIN_POSITIVE)), active.gt(zero));
    L::select(takes_part, own + slack + soft, one).store(entry, o);
    L::select(takes_part, slack * L::splat(0.5), one).store(least, o);
}

/// The entries of two joints that share a body: the rows of the second in the columns of the first.
#[inline(always)]
fn join<L: Lane>(
    program: &Program,
    couple: &Couple,
    bodies: &[BodyLanes],
    joints: &[JointLanes],
    rows: &[RowLanes],
    below: &mut [Row],
    o: usize,
) {
    let [first, second] = couple.joints.map(|joint| &program.places[joint as usize]);
    let [mine, other] = couple.sides.map(usize::from);
    let sign = L::splat(if mine == other { 1.0 } else { -1.0 });
    let mass = Vector::<L>::load(&bodies[couple.body as usize].mass, o).scale(sign);
    let column = &joints[couple.joints[0] as usize];
    let under = &joints[couple.joints[1] as usize];
    let arm = Vector::<L>::load(&under.arms[other], o).scale(sign);
    let singles = &rows[second.singles()];
    // Each column lists the rest of its own joint first.
    let at = |k: usize| first.column(k) + first.count as usize - 1 - k + couple.offset as usize;
    if first.pinned {
        for k in 0..3 {
            let entries = &mut below[at(k)..];
            let turns = Vector::<L>::load(&column.turns[mine][k], o);
            let along = [mass.x, mass.y, mass.z][k];
            if second.pinned {
                let mut v = turns.cross(arm);
                match k {
                    0 => v.x = v.x + along,
                    1 => v.y = v.y + along,
                    _ => v.z = v.z + along,
                }
                put_pin(v, entries, couple.adds, o);
            }
            for (row, entry) in singles.iter().zip(&mut entries[second.pin()..]) {
                let angular = Vector::load(&row.arms[other], o).dot(turns) * sign;
                put(angular + along * L::load(&row.axis[k], o), entry, couple.adds, o);
            }
        }
    }
    for (k, column) in rows[first.singles()].iter().enumerate() {
        let entries = &mut below[at(first.pin() + k)..];
        let turns = Vector::<L>::load(&column.turns[mine], o);
        let axis = Vector::<L>::load(&column.axis, o);
        let along = Vector::new(axis.x * mass.x, axis.y * mass.y, axis.z * mass.z);
        if second.pinned {
            put_pin(turns.cross(arm) + along, entries, couple.adds, o);
        }
        for (row, entry) in singles.iter().zip(&mut entries[second.pin()..]) {
            let angular = Vector::load(&row.arms[other], o).dot(turns) * sign;
            put(angular + Vector::load(&row.axis, o).dot(along), entry, couple.adds, o);
        }
    }
}

/// Puts the three entries of a pin in a column, or adds to them.
#[inline(always)]
fn put_pin<L: Lane>(v: Vector<L>, entries: &mut [Row], adds: bool, o: usize) {
    for (x, entry) in [v.x, v.y, v.z].into_iter().zip(entries) {
        put(x, entry, adds, o);
    }
}

/// Puts an entry, or adds to it.
#[inline(always)]
fn put<L: Lane>(x: L, entry: &mut Row, adds: bool, o: usize) {
    let x = if adds { L::load(entry, o) + x } else { x };
    x.store(entry, o);
}

/// Takes the inactive rows out.
#[inline(always)]
fn leave_out<L: Lane>(program: &Program, rows: &[RowLanes], stands: L, below: &mut [Row], o: usize) {
    for (row, column) in program.columns.iter().enumerate() {
        let mine = active(program, rows, stands, row, o);
        for (&under, entry) in program.below[column.entries.clone()].iter().zip(&mut below[column.entries.clone()]) {
            let other = active(program, rows, stands, under as usize, o);
            (L::load(entry, o) * (mine * other)).store(entry, o);
        }
    }
}

/// 1 where a row takes part, else 0.
#[inline(always)]
fn active<L: Lane>(program: &Program, rows: &[RowLanes], stands: L, row: usize, o: usize) -> L {
    match program.columns[row].single {
        NONE => stands,
        single => L::load(&rows[single as usize].active, o),
    }
}

/// Factors the matrix in place.
#[inline(always)]
fn eliminate<L: Lane>(program: &Program, diagonal: &mut [Row], least: &[Row], below: &mut [Row], o: usize) {
    for panel in &program.panels {
        match panel.width {
            1 => eliminate_panel::<L, 1>(program, panel, diagonal, least, below, o),
            2 => eliminate_panel::<L, 2>(program, panel, diagonal, least, below, o),
            _ => eliminate_panel::<L, 3>(program, panel, diagonal, least, below, o),
        }
    }
}

/// Eliminates N columns.
#[inline(always)]
fn eliminate_panel<L: Lane, const N: usize>(
    program: &Program,
    panel: &Panel,
    diagonal: &mut [Row],
    least: &[Row],
    below: &mut [Row],
    o: usize,
) {
    let one = L::splat(1.0);
    let (first, starts) = (panel.column as usize, panel.starts.map(|start| start as usize));
    let mut inverse = [one; N];
    // The panel's own entries, row by column, divided by the pivots.
    let mut own = [[one; N]; N];
    for k in 0..N {
        // Where rows say the same thing twice, rounding may leave less than nothing.
        let pivot = L::load(&diagonal[first + k], o).max(L::load(&least[first + k], o));
        inverse[k] = one.div(pivot);
        inverse[k].store(&mut diagonal[first + k], o);
        for j in k + 1..N {
            let right = L::load(&below[starts[k] + j - N], o);
            own[j][k] = right * inverse[k];
            let entry = &mut diagonal[first + j];
            (L::load(entry, o) - own[j][k] * right).store(entry, o);
            for i in j + 1..N {
                let left = L::load(&below[starts[k] + i - N], o);
                let entry = &mut below[starts[j] + i - N];
                (L::load(entry, o) - own[j][k] * left).store(entry, o);
            }
        }
        for j in k + 1..N {
            own[j][k].store(&mut below[starts[k] + j - N], o);
        }
    }
    // What is eliminated lies before all that it changes.
    let count = panel.unders.len();
    let end = starts[N - 1] + count;
    let (done, later) = below.split_at_mut(end);
    for at in 0..count {
        let mut entries = [one; N];
        for k in 0..N {
            entries[k] = L::load(&done[starts[k] + at], o);
            for m in 0..k {
                entries[k] = entries[k] - own[k][m] * entries[m];
            }
            entries[k].store(&mut done[starts[k] + at], o);
        }
    }
    for (at, under) in program.unders[panel.unders.clone()].iter().enumerate() {
        let mut divided = [one; N];
        let entry = &mut diagonal[under.row as usize];
        let mut sum = L::load(entry, o);
        for k in 0..N {
            let right = L::load(&done[starts[k] + at], o);
            divided[k] = right * inverse[k];
            sum = sum - divided[k] * right;
        }
        sum.store(entry, o);
        for run in &program.runs[under.runs[0] as usize..under.runs[1] as usize] {
            let (left, entry, count) = (run.left as usize, run.entry as usize - end, run.count as usize);
            let mut lefts = [&done[..count]; N];
            for k in 0..N {
                lefts[k] = &done[starts[k] + left..][..count];
            }
            for (s, entry) in later[entry..][..count].iter_mut().enumerate() {
                let mut sum = L::load(entry, o);
                for k in 0..N {
                    sum = sum - divided[k] * L::load(&lefts[k][s], o);
                }
                sum.store(entry, o);
            }
        }
        for k in 0..N {
            divided[k].store(&mut done[starts[k] + at], o);
        }
    }
}

/// Solves for the rows' `changes`, in place.
#[inline(always)]
pub(super) fn substitute<L: Lane>(parts: &mut Parts, o: usize) {
    let Parts { program, matrix, changes, .. } = parts;
    let (diagonal, below) = matrix.split_at(2 * program.row_count());
    for panel in &program.panels {
        match panel.width {
            1 => substitute_down::<L, 1>(program, panel, below, changes, o),
            2 => substitute_down::<L, 2>(program, panel, below, changes, o),
            _ => substitute_down::<L, 3>(program, panel, below, changes, o),
        }
    }
    for panel in program.panels.iter().rev() {
        match panel.width {
            1 => substitute_up::<L, 1>(program, panel, (diagonal, below), changes, o),
            2 => substitute_up::<L, 2>(program, panel, (diagonal, below), changes, o),
            _ => substitute_up::<L, 3>(program, panel, (diagonal, below), changes, o),
        }
    }
}

/// Takes what N rows have to do with those below off those.
#[inline(always)]
fn substitute_down<L: Lane, const N: usize>(
    program: &Program,
    panel: &Panel,
    below: &[Row],
    changes: &mut [Row],
    o: usize,
) {
    let (first, starts) = (panel.column as usize, panel.starts.map(|start| start as usize));
    let mut x = [L::splat(0.0); N];
    for k in 0..N {
        x[k] = L::load(&changes[first + k], o);
        for m in 0..k {
            x[k] = x[k] - L::load(&below[starts[m] + k - N], o) * x[m];
        }
        x[k].store(&mut changes[first + k], o);
    }
    let mut at = 0;
    for stretch in &program.stretches[panel.stretches.clone()] {
        let count = stretch.count as usize;
        let mut entries = [&below[..count]; N];
        for k in 0..N {
            entries[k] = &below[starts[k] + at..][..count];
        }
        for (s, change) in changes[stretch.row as usize..][..count].iter_mut().enumerate() {
            let mut sum = L::load(change, o);
            for k in 0..N {
                sum = sum - L::load(&entries[k][s], o) * x[k];
            }
            sum.store(change, o);
        }
        at += count;
    }
}

/// Finds the changes of N rows from those below.
#[inline(always)]
fn substitute_up<L: Lane, const N: usize>(
    program: &Program,
    panel: &Panel,
    (diagonal, below): (&[Row], &[Row]),
    changes: &mut [Row],
    o: usize,
) {
    let (first, starts) = (panel.column as usize, panel.starts.map(|start| start as usize));
    let mut x = [L::splat(0.0); N];
    for k in 0..N {
        x[k] = L::load(&changes[first + k], o) * L::load(&diagonal[first + k], o);
    }
    let mut at = 0;
    for stretch in &program.stretches[panel.stretches.clone()] {
        let count = stretch.count as usize;
        let mut entries = [&below[..count]; N];
        for k in 0..N {
            entries[k] = &below[starts[k] + at..][..count];
        }
        for (s, change) in changes[stretch.row as usize..][..count].iter().enumerate() {
            let change = L::load(change, o);
            for k in 0..N {
                x[k] = x[k] - L::load(&entries[k][s], o) * change;
            }
        }
        at += count;
    }
    for k in (0..N).rev() {
        for j in k + 1..N {
            x[k] = x[k] - L::load(&below[starts[k] + j - N], o) * x[j];
        }
        x[k].store(&mut changes[first + k], o);
    }
}
