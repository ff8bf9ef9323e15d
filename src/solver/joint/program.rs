//! What to do with the matrix of a tree of joints: symbolic factorisation, done once for all trees alike.

use super::row::{Coordinate, Law};
use crate::math::Real;
use crate::tolerances::{JOINT_SLACK, JOINT_YIELD};
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

/// What two rows have to do with each other along a body's axes of motion.
#[derive(Clone, Copy, Debug)]
pub(super) enum Linear {
    /// Nothing: one of them is about turning, or they are different axes of the world.
    None,
    /// They are the same axis of the world.
    Axis(u8),
    /// Anything.
    Any,
}

impl Linear {
    fn between(a: Coordinate, b: Coordinate) -> Self {
        match (a, b) {
            (Coordinate::Point(a), Coordinate::Point(b)) if a == b => Self::Axis(a),
            (Coordinate::Point(_), Coordinate::Point(_)) => Self::None,
            (a, b) if a.is_linear() && b.is_linear() => Self::Any,
            _ => Self::None,
        }
    }
}

/// The products of one row (`column`), on one side, with rows below it through a body that both move: they add to neighbouring
/// entries of the matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Couples {
    pub column: u32,
    /// The first of the rows below.
    pub row: u32,
    /// On which side of the column, and on which of the rows, the body is.
    pub sides: [u8; 2],
    pub body: u32,
    /// The first of the entries, among those below the diagonal.
    pub entry: u32,
    /// What each of the rows has to do with the column.
    pub links: [u32; 2],
}

/// An entry below the diagonal, by its row; and what changes as its column is eliminated because of it: the entries of
/// `row` as a column, at the rows further down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Below {
    pub row: u32,
    pub runs: [u32; 2],
}

/// Neighbouring entries that change by neighbouring entries of the column that is eliminated, both by their places among the
/// entries below the diagonal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub entry: u32,
    pub left: u32,
    pub count: u32,
}

/// A row with its joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowPlan {
    pub joint: u32,
    pub law: Law,
    /// What is added to its diagonal entry, as a fraction of it.
    pub slack: Real,
}

/// Everything that trees of a kind have in common. Entries of the matrix: first the diagonal, by row, then the rest of the
/// lower triangle, fill included.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The joints in the order of the tree, with their bodies.
    pub joints: Vec<JointKind>,
    pub bodies: usize,
    /// Rows in the order of elimination.
    pub(super) rows: Vec<RowPlan>,
    /// The first row of each joint.
    pub first_row: Vec<u32>,
    /// Whether some row is not simply locked.
    pub bounded: bool,
    pub entries: usize,
    pub(super) couplings: Vec<Couples>,
    pub(super) links: Vec<Linear>,
    /// The entries below the diagonal of each column.
    pub(super) columns: Vec<Range<usize>>,
    pub(super) below: Vec<Below>,
    pub(super) runs: Vec<Run>,
}

impl Program {
    /// The number of its rows.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The program of these joints, or `None` if it would have more than `fill` couplings a joint.
    ///
    /// `bodies` is the number of bodies that the joints name. Bodies that cannot be moved must not be shared.
    pub fn new(joints: &[JointKind], bodies: usize, fill: usize) -> Option<Self> {
        let (order, later) = eliminate(joints, bodies, fill)?;
        let mut rows = Vec::new();
        let mut first_row = vec![0; joints.len()];
        for &joint in &order {
            first_row[joint] = rows.len() as u32;
            let kinds = &joints[joint].rows;
            rows.extend(kinds.iter().enumerate().map(|(k, &(coordinate, law))| {
                // The friction of an axis beside its motor asks for another rate: one of them gives way until it is at its bound.
                let second = law == Law::Drive && kinds[..k].contains(&(coordinate, law));
                RowPlan { joint: joint as u32, law, slack: if second { JOINT_YIELD } else { JOINT_SLACK } }
            }));
        }
        let rows_of = |joint: usize| first_row[joint]..first_row[joint] + joints[joint].rows.len() as u32;

        // The entries below the diagonal, column by column.
        let mut index = BTreeMap::new();
        let mut below = Vec::new();
        let mut columns = Vec::with_capacity(rows.len());
        for &joint in &order {
            for column in rows_of(joint) {
                let start = below.len();
                let others = later[joint].iter().flat_map(|&other| rows_of(other));
                for row in (column + 1..rows_of(joint).end).chain(others) {
                    index.insert((row, column), below.len() as u32);
                    below.push(Below { row, runs: [0, 0] });
                }
                columns.push(start..below.len());
            }
        }
        let mut runs: Vec<Run> = Vec::new();
        for column in &columns {
            for right in column.clone() {
                let first = runs.len();
                for left in right + 1..column.end {
                    let entry = index[&(below[left].row, below[right].row)];
                    match runs[first..].last_mut() {
                        Some(run) if run.entry + run.count == entry => run.count += 1,
                        _ => runs.push(Run { entry, left: left as u32, count: 1 }),
                    }
                }
                below[right].runs = [first as u32, runs.len() as u32];
            }
        }

        let mut at_body: Vec<Vec<(usize, u8)>> = vec![Vec::new(); bodies];
        for (joint, kind) in joints.iter().enumerate() {
            for (side, &body) in kind.bodies.iter().enumerate() {
                at_body[body as usize].push((joint, side as u8));
            }
        }
        let kind_of = |row: u32| {
            let joint = rows[row as usize].joint as usize;
            joints[joint].rows[(row - first_row[joint]) as usize].0
        };
        let (mut links, mut couplings) = (Vec::new(), Vec::new());
        for (body, list) in at_body.iter().enumerate() {
            for &(i, side_i) in list {
                for &(j, side_j) in list {
                    for column in rows_of(i) {
                        let under = rows_of(j).start.max(column + 1)..rows_of(j).end;
                        if under.is_empty() {
                            continue;
                        }
                        let start = links.len() as u32;
                        links.extend(under.clone().map(|row| Linear::between(kind_of(row), kind_of(column))));
                        couplings.push(Couples {
                            column,
                            row: under.start,
                            sides: [side_i, side_j],
                            body: body as u32,
                            entry: index[&(under.start, column)],
                            links: [start, links.len() as u32],
                        });
                    }
                }
            }
        }
        let rows_len = rows.len();
        let bounded = rows.iter().any(|row| row.law != Law::Lock);
        Some(Self {
            joints: joints.to_vec(),
            bodies,
            rows,
            first_row,
            bounded,
            entries: rows_len + below.len(),
            couplings,
            links,
            columns,
            below,
            runs,
        })
    }
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
        assert_eq!(program.entries, 50 * 6 + 49 * 9);
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
