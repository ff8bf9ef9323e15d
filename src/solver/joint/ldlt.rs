//! Numeric `L D L^T` factorisation and substitution, a panel of columns at a time.

use super::batch::BatchView;
use super::symbolic::{PANEL, Panel, SymbolicFactor};
use crate::solver::simd::{Simd, Wide};

/// Factors the matrix in place.
#[inline(always)]
pub(super) fn factorise<L: Simd>(
    factor: &SymbolicFactor,
    diagonal: &mut [Wide],
    min_pivots: &[Wide],
    below: &mut [Wide],
    o: usize,
) {
    for panel in &factor.panels {
        match panel.width {
            1 => factorise_panel::<L, 1>(factor, panel, diagonal, min_pivots, below, o),
            2 => factorise_panel::<L, 2>(factor, panel, diagonal, min_pivots, below, o),
            _ => factorise_panel::<L, 3>(factor, panel, diagonal, min_pivots, below, o),
        }
    }
}

/// The same span of the first N columns of a panel, which begin at `starts`: `count` entries from
/// entry `from` on.
#[inline(always)]
fn column_spans<const N: usize>(entries: &[Wide], starts: [usize; PANEL], from: usize, count: usize) -> [&[Wide]; N] {
    let mut columns = [&entries[..count]; N];
    for k in 0..N {
        columns[k] = &entries[starts[k] + from..][..count];
    }
    columns
}

/// The first N columns of a panel, which begin at `starts` one after the other: `count` entries of
/// each.
#[inline(always)]
fn column_spans_mut<const N: usize>(
    mut entries: &mut [Wide],
    starts: [usize; PANEL],
    count: usize,
) -> [&mut [Wide]; N] {
    let mut columns: [&mut [Wide]; N] = std::array::from_fn(|_| Default::default());
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
fn factorise_panel<L: Simd, const N: usize>(
    factor: &SymbolicFactor,
    panel: &Panel,
    diagonal: &mut [Wide],
    min_pivots: &[Wide],
    below: &mut [Wide],
    o: usize,
) {
    let one = L::splat(1.0);
    let (first, starts) = (panel.column as usize, panel.starts.map(|start| start as usize));
    let mut inverse = [one; N];
    // The panel's own entries, row by column, divided by the pivots.
    let mut own = [[one; N]; N];
    for k in 0..N {
        // For redundant rows rounding may leave a negative pivot.
        let pivot = L::load(&diagonal[first + k], o).max(L::load(&min_pivots[first + k], o));
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
    // Eliminated entries lie before all that they update.
    let count = panel.update_rows.len();
    let end = starts[N - 1] + count;
    let (done, later) = below.split_at_mut(end);
    let columns = column_spans_mut::<N>(done, starts, count);
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
    for (at, update_row) in factor.update_rows[panel.update_rows.clone()].iter().enumerate() {
        let mut divided = [one; N];
        let entry = &mut diagonal[update_row.row as usize];
        let mut sum = L::load(entry, o);
        for k in 0..N {
            let right = L::load(&done[starts[k] + at], o);
            divided[k] = right * inverse[k];
            sum = sum - divided[k] * right;
        }
        sum.store(entry, o);
        for update_span in
            &factor.update_spans[update_row.update_spans[0] as usize..update_row.update_spans[1] as usize]
        {
            let (left, entry, count) =
                (update_span.left as usize, update_span.entry as usize - end, update_span.count as usize);
            let lefts = column_spans::<N>(done, starts, left, count);
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
pub(super) fn substitute<L: Simd>(view: &mut BatchView, o: usize) {
    let BatchView { factor, matrix, changes, .. } = view;
    let (diagonal, below) = matrix.split_at(2 * factor.row_count());
    for panel in &factor.panels {
        match panel.width {
            1 => forward_substitute::<L, 1>(factor, panel, below, changes, o),
            2 => forward_substitute::<L, 2>(factor, panel, below, changes, o),
            _ => forward_substitute::<L, 3>(factor, panel, below, changes, o),
        }
    }
    for panel in factor.panels.iter().rev() {
        match panel.width {
            1 => backward_substitute::<L, 1>(factor, panel, (diagonal, below), changes, o),
            2 => backward_substitute::<L, 2>(factor, panel, (diagonal, below), changes, o),
            _ => backward_substitute::<L, 3>(factor, panel, (diagonal, below), changes, o),
        }
    }
}

/// Forward substitution: subtracts the contributions of N rows from the rows below.
#[allow(clippy::needless_range_loop, reason = "by number the compiler sees that all lists end together")]
#[inline(always)]
fn forward_substitute<L: Simd, const N: usize>(
    factor: &SymbolicFactor,
    panel: &Panel,
    below: &[Wide],
    changes: &mut [Wide],
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
    for span in &factor.row_spans[panel.row_spans.clone()] {
        let count = span.count as usize;
        let entries = column_spans::<N>(below, starts, at, count);
        let list = &mut changes[span.row as usize..][..count];
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

/// Backward substitution: N rows from the rows below.
#[allow(clippy::needless_range_loop, reason = "by number the compiler sees that all lists end together")]
#[inline(always)]
fn backward_substitute<L: Simd, const N: usize>(
    factor: &SymbolicFactor,
    panel: &Panel,
    (diagonal, below): (&[Wide], &[Wide]),
    changes: &mut [Wide],
    o: usize,
) {
    let (first, starts) = (panel.column as usize, panel.starts.map(|start| start as usize));
    let mut x = [L::splat(0.0); N];
    for k in 0..N {
        x[k] = L::load(&changes[first + k], o) * L::load(&diagonal[first + k], o);
    }
    let mut at = 0;
    for span in &factor.row_spans[panel.row_spans.clone()] {
        let count = span.count as usize;
        let entries = column_spans::<N>(below, starts, at, count);
        let list = &changes[span.row as usize..][..count];
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
