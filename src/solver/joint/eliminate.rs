//! Elimination and substitution in the matrix of a tree of joints, a panel of columns at a time.

use super::program::{PANEL, Panel, Program};
use super::unit::Parts;
use crate::solver::lanes::{Lane, Row};

/// Factors the matrix in place.
#[inline(always)]
pub(super) fn eliminate<L: Lane>(program: &Program, diagonal: &mut [Row], least: &[Row], below: &mut [Row], o: usize) {
    for panel in &program.panels {
        match panel.width {
            1 => eliminate_panel::<L, 1>(program, panel, diagonal, least, below, o),
            2 => eliminate_panel::<L, 2>(program, panel, diagonal, least, below, o),
            _ => eliminate_panel::<L, 3>(program, panel, diagonal, least, below, o),
        }
    }
}

/// The same stretch of the first N of a panel's columns, which begin at `starts`: `count` entries from their entry `from` on.
#[inline(always)]
fn side_by_side<const N: usize>(entries: &[Row], starts: [usize; PANEL], from: usize, count: usize) -> [&[Row]; N] {
    let mut columns = [&entries[..count]; N];
    for k in 0..N {
        columns[k] = &entries[starts[k] + from..][..count];
    }
    columns
}

/// The first N of a panel's columns, which begin at `starts` one behind the other: `count` entries of each.
#[inline(always)]
fn beside<const N: usize>(mut entries: &mut [Row], starts: [usize; PANEL], count: usize) -> [&mut [Row]; N] {
    let mut columns: [&mut [Row]; N] = std::array::from_fn(|_| Default::default());
    let mut before = 0;
    for k in 0..N {
        let (column, behind) = entries.split_at_mut(starts[k] - before).1.split_at_mut(count);
        (columns[k], entries, before) = (column, behind, starts[k] + count);
    }
    columns
}

/// Eliminates N columns.
#[allow(clippy::needless_range_loop, reason = "by number the compiler sees that all lists end together")]
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
    let columns = beside::<N>(done, starts, count);
    for at in 0..count {
        let mut entries = [one; N];
        for k in 0..N {
            entries[k] = L::load(&columns[k][at], o);
            for m in 0..k {
                entries[k] = entries[k] - own[k][m] * entries[m];
            }
            entries[k].store(&mut columns[k][at], o);
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
            let lefts = side_by_side::<N>(done, starts, left, count);
            let entries = &mut later[entry..][..count];
            for s in 0..count {
                let mut sum = L::load(&entries[s], o);
                for k in 0..N {
                    sum = sum - divided[k] * L::load(&lefts[k][s], o);
                }
                sum.store(&mut entries[s], o);
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
#[allow(clippy::needless_range_loop, reason = "by number the compiler sees that all lists end together")]
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
        let entries = side_by_side::<N>(below, starts, at, count);
        let list = &mut changes[stretch.row as usize..][..count];
        for s in 0..count {
            let mut sum = L::load(&list[s], o);
            for k in 0..N {
                sum = sum - L::load(&entries[k][s], o) * x[k];
            }
            sum.store(&mut list[s], o);
        }
        at += count;
    }
}

/// Finds the changes of N rows from those below.
#[allow(clippy::needless_range_loop, reason = "by number the compiler sees that all lists end together")]
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
        let entries = side_by_side::<N>(below, starts, at, count);
        let list = &changes[stretch.row as usize..][..count];
        for s in 0..count {
            let change = L::load(&list[s], o);
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
