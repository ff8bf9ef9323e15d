//! What to do with the matrix of a tree of joints: symbolic factorisation, done once for all trees alike.

use super::row::{Coordinate, Law};
use crate::index::NONE;
use crate::math::Real;
use crate::tolerances::{JOINT_YIELD, RANGE_SLACK, ROPE_SLACK};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// One row of a joint, as far as its kind goes.
pub(crate) type RowKind = (Coordinate, Law);

/// A joint of a tree: its two bodies by their places in the tree, and the kinds of its rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JointKind {
    pub bodies: [u32; 2],
    pub rows: Vec<RowKind>,
}

/// Two joints on a body that both move: the rows of the first, as columns of the matrix, with those of the second below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Couple {
    pub joints: [u32; 2],
    /// On which side of each the body is.
    pub sides: [u8; 2],
    pub body: u32,
    /// Where the second one's entries begin in the last column of the first: in a column before, further on by one each.
    pub offset: u32,
    /// Whether the joints share a body that came before: then this one adds to the entries.
    pub adds: bool,
}

/// The most columns of a panel.
pub(super) const PANEL: usize = 3;

/// Neighbouring columns of a joint, which are eliminated together: their entries at the rows below all of them lie alike.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub column: u32,
    /// How many columns, at most [`PANEL`].
    pub width: u32,
    /// Where in each column its entries at the rows below the panel begin, among the entries below the diagonal.
    pub starts: [u32; PANEL],
    /// These rows, and the same as neighbours together.
    pub unders: Range<usize>,
    pub stretches: Range<usize>,
}

/// A row below a panel; and what changes as the panel is eliminated because of it: the entries of `row` as a column, at the rows
/// further down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Under {
    pub row: u32,
    pub runs: [u32; 2],
}

/// Neighbouring entries, by the place of the first among those below the diagonal, that change by neighbouring entries of the
/// panel's columns, by the place of the first among the rows below the panel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub entry: u32,
    pub left: u32,
    pub count: u32,
}

/// A column of the matrix.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Its entries, among those below the diagonal.
    pub entries: Range<usize>,
    /// The place of its row among those that are not of a pin, or [`NONE`].
    pub single: u32,
}

/// Neighbouring rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub row: u32,
    pub count: u32,
}

/// Where the rows of a joint are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The first of the matrix, in the order of elimination, and how many there are.
    pub row: u32,
    pub count: u32,
    /// The first that is not of its pin, among all such rows, and how many there are.
    pub single: u32,
    pub single_count: u32,
    /// Whether its first three rows keep its anchors together along the axes of the world: its pin.
    pub pinned: bool,
    /// Where the entries of its first column begin, among those below the diagonal, and how many there are: one less in each
    /// column that follows.
    pub entries: u32,
    pub length: u32,
}

impl Place {
    /// Where the entries of its column `k` begin.
    pub fn column(&self, k: usize) -> usize {
        self.entries as usize + k * self.length as usize - k * k.saturating_sub(1) / 2
    }

    /// The rows of its pin.
    pub fn pin(&self) -> usize {
        if self.pinned { 3 } else { 0 }
    }

    /// Its rows that are not of its pin, among all such rows.
    pub fn singles(&self) -> Range<usize> {
        let first = self.single as usize;
        first..first + self.single_count as usize
    }

    /// Those of them that have a row of the matrix: the first ones.
    pub fn leads(&self) -> Range<usize> {
        let first = self.single as usize;
        first..first + self.count as usize - self.pin()
    }

    /// The others, which share one.
    pub fn followers(&self) -> Range<usize> {
        self.leads().end..self.singles().end
    }

    /// The row of the first of them, in the order of elimination.
    pub fn single_row(&self) -> usize {
        self.row as usize + self.pin()
    }
}

/// Everything that trees of a kind have in common. Entries of the matrix: first the diagonal, by row, then its least values,
/// then the rest of the lower triangle, fill included.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The joints in the order of the tree, with their bodies; the rows of each in the order of `sources`.
    pub joints: Vec<JointKind>,
    pub bodies: usize,
    /// Where the rows of each joint are.
    pub(super) places: Vec<Place>,
    /// Rows that are not of a pin.
    pub singles: usize,
    /// By row that is not of a pin: its place among the rows of its joint as the caller has them; its row of the matrix; and what is added
    /// to the diagonal entry there while it takes part, as a fraction of it.
    pub(super) sources: Vec<u32>,
    pub(super) slots: Vec<u32>,
    pub(super) slack: Vec<Real>,
    /// Whether some row is not simply locked.
    pub bounded: bool,
    pub entries: usize,
    pub(super) couples: Vec<Couple>,
    /// Entries that only elimination fills, by their places below the diagonal.
    pub(super) fill: Vec<u32>,
    pub(super) columns: Vec<Column>,
    /// The row of each entry below the diagonal.
    pub(super) below: Vec<u32>,
    pub(super) panels: Vec<Panel>,
    pub(super) stretches: Vec<Stretch>,
    pub(super) unders: Vec<Under>,
    pub(super) runs: Vec<Run>,
}

impl Program {
    /// The number of its rows.
    pub fn row_count(&self) -> usize {
        self.columns.len()
    }

    /// The program of these joints, or `None` if it would have more than `fill` couplings a joint.
    ///
    /// `bodies` is the number of bodies that the joints name. Bodies that cannot be moved must not be shared.
    pub fn new(joints: &[JointKind], bodies: usize, fill: usize) -> Option<Self> {
        let (order, later) = eliminate(joints, bodies, fill)?;
        let Placing { joints, mut places, sources, slots, slack } = place(joints, &order);
        let joints = &joints[..];
        let rows_of = |place: &Place| place.row..place.row + place.count;

        // The entries below the diagonal, column by column.
        let mut index = BTreeMap::new();
        let (mut below, mut columns) = (Vec::new(), Vec::new());
        for &joint in &order {
            let own = rows_of(&places[joint]);
            places[joint].entries = below.len() as u32;
            for (k, column) in own.clone().enumerate() {
                let start = below.len();
                let others = later[joint].iter().flat_map(|&other| rows_of(&places[other]));
                for row in (column + 1..own.end).chain(others) {
                    index.insert((row, column), below.len() as u32);
                    below.push(row);
                }
                let place = &places[joint];
                let single = if k < place.pin() { NONE } else { place.single + (k - place.pin()) as u32 };
                columns.push(Column { entries: start..below.len(), single });
            }
            places[joint].length = columns[own.start as usize].entries.len() as u32;
        }
        let rows_of = |joint: usize| rows_of(&places[joint]);
        let (mut panels, mut stretches, mut unders, mut runs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &joint in &order {
            for column in rows_of(joint).step_by(PANEL) {
                let width = PANEL.min((rows_of(joint).end - column) as usize);
                let last = columns[column as usize + width - 1].entries.clone();
                let mut starts = [0; PANEL];
                for (start, column) in starts.iter_mut().zip(&columns[column as usize..][..width]) {
                    *start = (column.entries.end - last.len()) as u32;
                }
                let (first_stretch, first_under) = (stretches.len(), unders.len());
                for right in last.clone() {
                    join_up(&mut stretches, first_stretch, below[right]);
                    let first = runs.len();
                    for left in right + 1..last.end {
                        let entry = index[&(below[left], below[right])];
                        match runs[first..].last_mut() {
                            Some(Run { entry: of, count, .. }) if *of + *count == entry => *count += 1,
                            _ => runs.push(Run { entry, left: (left - last.start) as u32, count: 1 }),
                        }
                    }
                    unders.push(Under { row: below[right], runs: [first as u32, runs.len() as u32] });
                }
                let (unders, stretches) = (first_under..unders.len(), first_stretch..stretches.len());
                panels.push(Panel { column, width: width as u32, starts, unders, stretches });
            }
        }
        let (couples, pairs) = couple(joints, bodies, &later, &places);
        let coupled = |i: usize, j: usize| i == j || pairs.contains(&(i, j));
        let mut fill = Vec::new();
        for &i in &order {
            for &j in later[i].iter().filter(|&&j| !coupled(i, j)) {
                fill.extend(
                    rows_of(i).flat_map(|column| rows_of(j).map(move |row| (row, column))).map(|at| index[&at]),
                );
            }
        }
        Some(Self {
            joints: joints.to_vec(),
            bodies,
            singles: slack.len(),
            sources,
            slots,
            slack,
            bounded: joints.iter().flat_map(|joint| &joint.rows).any(|row| row.1 != Law::Lock),
            entries: 2 * columns.len() + below.len(),
            places,
            couples,
            fill,
            columns,
            below,
            panels,
            stretches,
            unders,
            runs,
        })
    }
}

/// Adds a row to the stretches from the `first` on.
fn join_up(stretches: &mut Vec<Stretch>, first: usize, row: u32) {
    match stretches[first..].last_mut() {
        Some(Stretch { row: start, count }) if *start + *count == row => *count += 1,
        _ => stretches.push(Stretch { row, count: 1 }),
    }
}

/// Where the rows of joints are, by joint; the rest as in [`Program`].
struct Placing {
    joints: Vec<JointKind>,
    places: Vec<Place>,
    sources: Vec<u32>,
    slots: Vec<u32>,
    slack: Vec<Real>,
}

/// Where the rows of the joints are if they are eliminated in this order.
///
/// What limits a coordinate and what drives it never both have to answer: at its limit the drive has what it has, elsewhere the limit
/// has nothing. So they share a row of the matrix, and come last among the rows of their joint.
fn place(joints: &[JointKind], order: &[usize]) -> Placing {
    let none = Place { row: 0, count: 0, single: 0, single_count: 0, pinned: false, entries: 0, length: 0 };
    let mut out = Placing {
        joints: joints.to_vec(),
        places: vec![none; joints.len()],
        sources: Vec::new(),
        slots: Vec::new(),
        slack: Vec::new(),
    };
    let mut row = 0;
    for &joint in order {
        let kinds = &joints[joint].rows;
        let pinned = kinds.first().is_some_and(|kind| kind.0 == Coordinate::Point(0));
        let pin = if pinned { 3 } else { 0 };
        debug_assert!(
            kinds.iter().enumerate().all(|(k, kind)| (k < pin) == matches!(kind.0, Coordinate::Point(_))),
            "a pin is the first three rows"
        );
        let (leads, followers): (Vec<usize>, Vec<usize>) =
            (pin..kinds.len()).partition(|&k| k == 0 || kinds[k - 1] != (kinds[k].0, Law::Range));
        let (single, count) = (out.slots.len() as u32, (pin + leads.len()) as u32);
        out.places[joint] = Place { row, count, single, single_count: (kinds.len() - pin) as u32, pinned, ..none };
        for &k in leads.iter().chain(&followers) {
            let with = leads.iter().position(|&lead| lead == k || lead + 1 == k && followers.contains(&k));
            let slot = with.expect("what follows comes after a limit");
            out.sources.push(k as u32);
            out.slots.push(row + (pin + slot) as u32);
            // The friction of an axis beside its motor asks for another rate: one of them gives way until it is at its bound.
            let second = kinds[k].1 == Law::Drive && kinds[..k].contains(&kinds[k]);
            let limit = joints.len() > 1 && kinds[k].1 == Law::Range;
            out.slack.push(match (second, limit) {
                (true, _) => JOINT_YIELD,
                (_, true) if kinds[k].0 == Coordinate::Distance => ROPE_SLACK,
                (_, true) => RANGE_SLACK,
                _ => 0.0,
            });
        }
        let rest = leads.iter().chain(&followers).map(|&k| kinds[k]);
        out.joints[joint].rows = kinds[..pin].iter().copied().chain(rest).collect();
        row += count;
    }
    out
}

/// All pairs of joints that share a body, the one that is eliminated first as the first; and which there are.
fn couple(
    joints: &[JointKind],
    bodies: usize,
    later: &[Vec<usize>],
    places: &[Place],
) -> (Vec<Couple>, BTreeSet<(usize, usize)>) {
    let mut at_body: Vec<Vec<(usize, u8)>> = vec![Vec::new(); bodies];
    for (joint, kind) in joints.iter().enumerate() {
        for (side, &body) in kind.bodies.iter().enumerate() {
            at_body[body as usize].push((joint, side as u8));
        }
    }
    let (mut couples, mut pairs) = (Vec::new(), BTreeSet::new());
    for (body, list) in at_body.iter().enumerate() {
        for &(i, side_i) in list {
            for &(j, side_j) in list.iter().filter(|&&(j, _)| places[i].row < places[j].row) {
                let before = later[i].iter().take_while(|&&k| k != j);
                couples.push(Couple {
                    joints: [i as u32, j as u32],
                    sides: [side_i, side_j],
                    body: body as u32,
                    offset: before.map(|&k| places[k].count).sum(),
                    adds: !pairs.insert((i, j)),
                });
            }
        }
    }
    (couples, pairs)
}

/// The order in which joints are eliminated (fewest neighbours first), and for each the later joints that it couples to;
/// `None` where they are more than `fill` a joint.
fn eliminate(joints: &[JointKind], bodies: usize, fill: usize) -> Option<(Vec<usize>, Vec<Vec<usize>>)> {
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
    let mut place = vec![0; joints.len()];
    for (at, &joint) in order.iter().enumerate() {
        place[joint] = at;
    }
    for list in &mut later {
        list.sort_by_key(|&joint| place[joint]);
    }
    Some((order, later))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(links: u32) -> Vec<JointKind> {
        let rows = (0..3).map(|k| (Coordinate::Point(k), Law::Lock)).collect::<Vec<_>>();
        (0..links).map(|k| JointKind { bodies: [k, k + 1], rows: rows.clone() }).collect()
    }

    #[test]
    fn a_chain_has_no_fill() {
        let program = Program::new(&chain(50), 51, 1).expect("a chain couples each joint to the next");
        assert_eq!(program.entries, 50 * (6 + 3) + 49 * 9);
        assert!(program.fill.is_empty());
    }

    #[test]
    fn what_has_too_many_loops_is_refused() {
        // A grid of 12 x 12 bodies.
        let rows = vec![(Coordinate::Distance, Law::Lock)];
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
        assert!(Program::new(&joints, 144, 4).is_none());
        assert!(Program::new(&joints, 144, 1000).is_some());
    }
}
