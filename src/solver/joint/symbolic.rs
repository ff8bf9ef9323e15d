//! Symbolic factorisation of the Delassus matrix of a joint group, computed once per topology.

use super::row::{Coordinate, RowKind};
use crate::ids::NONE;
use crate::math::Real;
use crate::tolerances::JOINTS;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Coordinate and constraint type of a row.
pub(crate) type RowSpec = (Coordinate, RowKind);

/// A joint of a group: its two bodies by their indices in the group, and the types of its rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JointKind {
    pub bodies: [u32; 2],
    pub rows: Vec<RowSpec>,
}

/// Off-diagonal block of two joints with a common movable body: the rows of the first are columns
/// of the matrix, the rows of the second lie below.
#[derive(Clone, Copy, Debug)]
pub(super) struct OffDiagonal {
    pub joints: [u32; 2],
    /// Side of the common body in each joint.
    pub sides: [u8; 2],
    pub body: u32,
    /// Offset of the second joint's entries in the last column of the first. In each column before,
    /// it is larger by one.
    pub offset: u32,
    /// Whether an earlier block of the same two joints exists: then this one adds to its entries.
    pub accumulates: bool,
}

/// Maximum number of columns per panel.
pub(super) const PANEL: usize = 3;

/// Adjacent columns of a joint, eliminated together: below the panel they have the same sparsity.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub column: u32,
    /// Number of columns, at most [`PANEL`].
    pub width: u32,
    /// Index of the first entry below the panel in each column, among the entries below the
    /// diagonal.
    pub starts: [u32; PANEL],
    /// The rows below the panel; the same as spans of adjacent rows.
    pub update_rows: Range<usize>,
    pub row_spans: Range<usize>,
}

/// A row below a panel, and the spans of entries in the column `row` that its elimination updates.
#[derive(Clone, Copy, Debug)]
pub(super) struct UpdateRow {
    pub row: u32,
    pub update_spans: [u32; 2],
}

/// Adjacent entries to update: index of the first among the entries below the diagonal; index of
/// the first factor among the rows below the panel.
#[derive(Clone, Copy, Debug)]
pub(super) struct UpdateSpan {
    pub entry: u32,
    pub left: u32,
    pub count: u32,
}

/// A column of the matrix.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Its entries, among those below the diagonal.
    pub entries: Range<usize>,
    /// Index of its scalar row, or [`NONE`] for the rows of a point constraint.
    pub scalar: u32,
}

/// Adjacent rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowSpan {
    pub row: u32,
    pub count: u32,
}

/// Positions of a joint's rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointBlock {
    /// First matrix row, in the order of elimination, and their number.
    pub row: u32,
    pub count: u32,
    /// First scalar row, among all scalar rows, and their number.
    pub scalar: u32,
    pub scalar_count: u32,
    /// Whether its first three rows are a point constraint along the world axes.
    pub has_point: bool,
    /// Index of the first entry of its first column, among those below the diagonal, and their
    /// number: one less in each further column.
    pub entries: u32,
    pub length: u32,
}

impl JointBlock {
    /// Index of the first entry of its column `k`.
    pub fn column(&self, k: usize) -> usize {
        self.entries as usize + k * self.length as usize - k * k.saturating_sub(1) / 2
    }

    /// Number of rows of its point constraint.
    pub fn point_rows(&self) -> usize {
        if self.has_point { 3 } else { 0 }
    }

    /// Range of its scalar rows, among all scalar rows.
    pub fn scalar_rows(&self) -> Range<usize> {
        let first = self.scalar as usize;
        first..first + self.scalar_count as usize
    }

    /// Scalar rows with a matrix row of their own: the first ones.
    pub fn leads(&self) -> Range<usize> {
        let first = self.scalar as usize;
        first..first + self.count as usize - self.point_rows()
    }

    /// Scalar rows that share a matrix row with a leading one.
    pub fn followers(&self) -> Range<usize> {
        self.leads().end..self.scalar_rows().end
    }

    /// Matrix row of its first scalar row.
    pub fn first_scalar_row(&self) -> usize {
        self.row as usize + self.point_rows()
    }
}

/// Symbolic `L D L^T` factor of all groups of one topology. Layout of the numeric matrix: the
/// diagonal by row, then the minimal pivots, then the lower triangle with its fill.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicFactor {
    /// The joints of the group with their bodies; the rows of each in the order of `sources`.
    pub joints: Vec<JointKind>,
    pub bodies: usize,
    /// Positions of the rows of each joint.
    pub(super) blocks: Vec<JointBlock>,
    /// Number of scalar rows.
    pub scalar_rows: usize,
    /// By scalar row: its index among the caller's rows of the joint; its matrix row; and its CFM
    /// while active, as a fraction of the diagonal entry.
    pub(super) sources: Vec<u32>,
    pub(super) slots: Vec<u32>,
    pub(super) cfm: Vec<Real>,
    /// True if some row is not an equality.
    pub has_bounds: bool,
    /// True if a rope over fixed points of the world holds its groups.
    pub has_pulley: bool,
    /// True if some row is a spring.
    pub has_springs: bool,
    pub entries: usize,
    pub(super) off_diagonals: Vec<OffDiagonal>,
    /// Entries filled by elimination alone, by their indices below the diagonal.
    pub(super) fill: Vec<u32>,
    pub(super) columns: Vec<Column>,
    /// Row of each entry below the diagonal.
    pub(super) below: Vec<u32>,
    pub(super) panels: Vec<Panel>,
    pub(super) row_spans: Vec<RowSpan>,
    pub(super) update_rows: Vec<UpdateRow>,
    pub(super) update_spans: Vec<UpdateSpan>,
}

impl SymbolicFactor {
    /// Number of matrix rows.
    pub fn row_count(&self) -> usize {
        self.columns.len()
    }

    /// Factor of these joints, or `None` if it would have more than `fill` couplings per joint.
    ///
    /// `bodies` is the number of bodies that the joints name. Immovable bodies must not be shared.
    pub fn new(joints: &[JointKind], bodies: usize, fill: usize) -> Option<Self> {
        let (order, later) = elimination_order(joints, bodies, fill)?;
        let RowLayout { joints, mut blocks, sources, slots, cfm } = lay_out_rows(joints, &order);
        let joints = &joints[..];
        let rows_of = |block: &JointBlock| block.row..block.row + block.count;

        // Entries below the diagonal, column by column.
        let mut index = BTreeMap::new();
        let (mut below, mut columns) = (Vec::new(), Vec::new());
        for &joint in &order {
            let own = rows_of(&blocks[joint]);
            blocks[joint].entries = below.len() as u32;
            for (k, column) in own.clone().enumerate() {
                let start = below.len();
                let others = later[joint].iter().flat_map(|&other| rows_of(&blocks[other]));
                for row in (column + 1..own.end).chain(others) {
                    index.insert((row, column), below.len() as u32);
                    below.push(row);
                }
                let block = &blocks[joint];
                let scalar = if k < block.point_rows() { NONE } else { block.scalar + (k - block.point_rows()) as u32 };
                columns.push(Column { entries: start..below.len(), scalar });
            }
            blocks[joint].length = columns[own.start as usize].entries.len() as u32;
        }
        let rows_of = |joint: usize| rows_of(&blocks[joint]);
        let (mut panels, mut row_spans, mut update_rows, mut update_spans) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &joint in &order {
            for column in rows_of(joint).step_by(PANEL) {
                let width = PANEL.min((rows_of(joint).end - column) as usize);
                let last = columns[column as usize + width - 1].entries.clone();
                let mut starts = [0; PANEL];
                for (start, column) in starts.iter_mut().zip(&columns[column as usize..][..width]) {
                    *start = (column.entries.end - last.len()) as u32;
                }
                let (first_span, first_update_row) = (row_spans.len(), update_rows.len());
                for right in last.clone() {
                    extend_spans(&mut row_spans, first_span, below[right]);
                    let first = update_spans.len();
                    for left in right + 1..last.end {
                        let entry = index[&(below[left], below[right])];
                        match update_spans[first..].last_mut() {
                            Some(UpdateSpan { entry: of, count, .. }) if *of + *count == entry => *count += 1,
                            _ => update_spans.push(UpdateSpan { entry, left: (left - last.start) as u32, count: 1 }),
                        }
                    }
                    update_rows
                        .push(UpdateRow { row: below[right], update_spans: [first as u32, update_spans.len() as u32] });
                }
                let (update_rows, row_spans) = (first_update_row..update_rows.len(), first_span..row_spans.len());
                panels.push(Panel { column, width: width as u32, starts, update_rows, row_spans });
            }
        }
        let (off_diagonals, pairs) = find_off_diagonals(joints, bodies, &later, &blocks);
        let coupled = |i: usize, j: usize| i == j || pairs.contains(&(i, j));
        let mut fill = Vec::new();
        for &i in &order {
            for &j in later[i].iter().filter(|&&j| !coupled(i, j)) {
                fill.extend(
                    rows_of(i).flat_map(|column| rows_of(j).map(move |row| (row, column))).map(|at| index[&at]),
                );
            }
        }
        let kinds = || joints.iter().flat_map(|joint| &joint.rows).map(|row| row.1);
        Some(Self {
            joints: joints.to_vec(),
            bodies,
            scalar_rows: cfm.len(),
            sources,
            slots,
            cfm,
            has_bounds: kinds().any(|kind| kind != RowKind::Equality),
            has_pulley: joints.iter().any(|joint| matches!(joint.rows[..], [(Coordinate::Pulley, _)])),
            has_springs: kinds().any(RowKind::is_spring),
            entries: 2 * columns.len() + below.len(),
            blocks,
            off_diagonals,
            fill,
            columns,
            below,
            panels,
            row_spans,
            update_rows,
            update_spans,
        })
    }
}

/// Adds a row to the spans from the index `first` on.
fn extend_spans(row_spans: &mut Vec<RowSpan>, first: usize, row: u32) {
    match row_spans[first..].last_mut() {
        Some(RowSpan { row: start, count }) if *start + *count == row => *count += 1,
        _ => row_spans.push(RowSpan { row, count: 1 }),
    }
}

/// Positions of the rows by joint; other fields as in [`SymbolicFactor`].
struct RowLayout {
    joints: Vec<JointKind>,
    blocks: Vec<JointBlock>,
    sources: Vec<u32>,
    slots: Vec<u32>,
    cfm: Vec<Real>,
}

/// Positions of the rows for this order of elimination.
///
/// A limit and a motor or spring of one coordinate are never active together with different rates,
/// so they share a matrix row; the sharing rows come last in their joint.
fn lay_out_rows(joints: &[JointKind], order: &[usize]) -> RowLayout {
    let none = JointBlock { row: 0, count: 0, scalar: 0, scalar_count: 0, has_point: false, entries: 0, length: 0 };
    let mut out = RowLayout {
        joints: joints.to_vec(),
        blocks: vec![none; joints.len()],
        sources: Vec::new(),
        slots: Vec::new(),
        cfm: Vec::new(),
    };
    let mut row = 0;
    for &joint in order {
        let kinds = &joints[joint].rows;
        let has_point = kinds.first().is_some_and(|kind| kind.0 == Coordinate::Point(0));
        let point = if has_point { 3 } else { 0 };
        debug_assert!(
            kinds.iter().enumerate().all(|(k, kind)| (k < point) == matches!(kind.0, Coordinate::Point(_))),
            "a point is the first three rows"
        );
        let (leads, followers): (Vec<usize>, Vec<usize>) =
            (point..kinds.len()).partition(|&k| k == 0 || kinds[k - 1] != (kinds[k].0, RowKind::Limit));
        let (scalar, count) = (out.slots.len() as u32, (point + leads.len()) as u32);
        out.blocks[joint] =
            JointBlock { row, count, scalar, scalar_count: (kinds.len() - point) as u32, has_point, ..none };
        for &k in leads.iter().chain(&followers) {
            let owner = leads.iter().position(|&lead| lead == k || lead + 1 == k && followers.contains(&k));
            let slot = owner.expect("what follows comes after a limit");
            out.sources.push(k as u32);
            out.slots.push(row + (point + slot) as u32);
            // Axis friction beside a motor asks for another rate, so it is compliant until one of
            // the two is at its bound.
            let second = kinds[k].1 == RowKind::Motor && kinds[..k].contains(&kinds[k]);
            let limit = joints.len() > 1 && kinds[k].1 == RowKind::Limit;
            out.cfm.push(if second || limit { JOINTS.bounded_row_cfm } else { 0.0 });
        }
        let rest = leads.iter().chain(&followers).map(|&k| kinds[k]);
        out.joints[joint].rows = kinds[..point].iter().copied().chain(rest).collect();
        row += count;
    }
    out
}

/// All pairs of joints with a common body, the one eliminated first as the first; and the set of
/// such pairs.
fn find_off_diagonals(
    joints: &[JointKind],
    bodies: usize,
    later: &[Vec<usize>],
    blocks: &[JointBlock],
) -> (Vec<OffDiagonal>, BTreeSet<(usize, usize)>) {
    let mut at_body: Vec<Vec<(usize, u8)>> = vec![Vec::new(); bodies];
    for (joint, kind) in joints.iter().enumerate() {
        for (side, &body) in kind.bodies.iter().enumerate() {
            at_body[body as usize].push((joint, side as u8));
        }
    }
    let (mut off_diagonals, mut pairs) = (Vec::new(), BTreeSet::new());
    for (body, list) in at_body.iter().enumerate() {
        for &(i, side_i) in list {
            for &(j, side_j) in list.iter().filter(|&&(j, _)| blocks[i].row < blocks[j].row) {
                let before = later[i].iter().take_while(|&&k| k != j);
                off_diagonals.push(OffDiagonal {
                    joints: [i as u32, j as u32],
                    sides: [side_i, side_j],
                    body: body as u32,
                    offset: before.map(|&k| blocks[k].count).sum(),
                    accumulates: !pairs.insert((i, j)),
                });
            }
        }
    }
    (off_diagonals, pairs)
}

/// Minimum-degree order of elimination, and for each joint the later joints that it couples to;
/// `None` if these are more than `fill` per joint.
fn elimination_order(joints: &[JointKind], bodies: usize, fill: usize) -> Option<(Vec<usize>, Vec<Vec<usize>>)> {
    let mut at_body: Vec<Vec<usize>> = vec![Vec::new(); bodies];
    for (joint, kind) in joints.iter().enumerate() {
        for &body in &kind.bodies {
            at_body[body as usize].push(joint);
        }
    }
    let mut near: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); joints.len()];
    for list in &at_body {
        for &i in list {
            near[i].extend(list.iter().copied().filter(|&j| j != i));
        }
    }
    let mut queue: BTreeSet<(usize, usize)> =
        near.iter().enumerate().map(|(joint, near)| (near.len(), joint)).collect();
    let mut order = Vec::with_capacity(joints.len());
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); joints.len()];
    let mut total = 0;
    while let Some((_, joint)) = queue.pop_first() {
        let left: Vec<usize> = std::mem::take(&mut near[joint]).into_iter().collect();
        total += left.len();
        if total > fill * joints.len() {
            return None;
        }
        for &other in &left {
            queue.remove(&(near[other].len(), other));
            near[other].remove(&joint);
            near[other].extend(left.iter().copied().filter(|&k| k != other));
            queue.insert((near[other].len(), other));
        }
        order.push(joint);
        later[joint] = left;
    }
    // Columns list their rows in the order of elimination.
    let mut position = vec![0; joints.len()];
    for (at, &joint) in order.iter().enumerate() {
        position[joint] = at;
    }
    for list in &mut later {
        list.sort_by_key(|&joint| position[joint]);
    }
    Some((order, later))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(links: u32) -> Vec<JointKind> {
        let rows = (0..3).map(|k| (Coordinate::Point(k), RowKind::Equality)).collect::<Vec<_>>();
        (0..links).map(|k| JointKind { bodies: [k, k + 1], rows: rows.clone() }).collect()
    }

    #[test]
    fn a_chain_has_no_fill() {
        let factor = SymbolicFactor::new(&chain(50), 51, 1).expect("a chain off_diagonals each joint to the next");
        assert_eq!(factor.entries, 50 * (6 + 3) + 49 * 9);
        assert!(factor.fill.is_empty());
    }

    #[test]
    fn groups_with_too_many_loops_are_refused() {
        // A grid of 12 x 12 bodies.
        let rows = vec![(Coordinate::Distance, RowKind::Equality)];
        let mut joints = Vec::new();
        for i in 0..12 {
            for j in 0..12 {
                for (di, dj) in [(0, 1), (1, 0)] {
                    if i + di < 12 && j + dj < 12 {
                        let bodies = [i * 12 + j, (i + di) * 12 + j + dj];
                        joints.push(JointKind { bodies, rows: rows.clone() });
                    }
                }
            }
        }
        assert!(SymbolicFactor::new(&joints, 144, 4).is_none());
        assert!(SymbolicFactor::new(&joints, 144, 1000).is_some());
    }
}
