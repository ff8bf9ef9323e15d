//! Connected components of the joint graph, their symbolic factors, and their packing into batches.

use super::batch::{BatchView, BodyLanes, EnergyGuard, JointBatch, JointLanes, RaisedInertia, RowLanes};
use super::iterative::ConstraintKind;
use super::row::{JointRow, SolverJoint};
use super::symbolic::{JointKind, SymbolicFactor};
use crate::ids::NONE;
use crate::parallel::DisjointSlice;
use crate::solver::simd::{WIDTH, Wide};
use crate::tolerances::JOINTS;
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum number of cached symbolic factors, unused ones included.
const MAX_CACHED_FACTORS: usize = 256;

/// Joints solved together, in the order of their symbolic factor.
#[derive(Clone, Debug)]
pub(crate) struct JointGroup {
    pub factor: u32,
    joints: Range<usize>,
    bodies: Range<usize>,
    /// Groups of equal colour share no movable body.
    pub colour: u32,
    /// True if it is a single joint of a component with too much fill, solved by PGS with others on
    /// the same bodies.
    pub iterative: bool,
    /// True if its joints form a loop, immovable bodies counted as one body.
    pub has_loop: bool,
    /// Its type in [`IterativeJoints`](super::iterative::IterativeJoints) if it can be solved
    /// there.
    pub iterative_kind: Option<ConstraintKind>,
}

/// All joints of a step as groups. Persists while the joints stay the same.
#[derive(Clone, Default)]
pub(crate) struct JointGraph {
    pub factors: Vec<SymbolicFactor>,
    factor_index: BTreeMap<Vec<JointKind>, u32>,
    pub groups: Vec<JointGroup>,
    /// Joints of all groups; bodies of all groups.
    joints: Vec<u32>,
    bodies: Vec<u32>,
    /// The joints that the groups were built from.
    sources: Vec<JointKind>,
    movable: Vec<bool>,
}

impl JointGraph {
    /// Joints of a group, in the order of its symbolic factor.
    pub fn joints(&self, group: &JointGroup) -> &[u32] {
        &self.joints[group.joints.clone()]
    }

    /// Bodies of a group, in the order of its symbolic factor.
    pub fn bodies(&self, group: &JointGroup) -> &[u32] {
        &self.bodies[group.bodies.clone()]
    }

    /// True if the groups were built from these joints.
    pub fn is_current(&self, joints: &[SolverJoint], rows: &[JointRow], movable: &[bool]) -> bool {
        let same = |(known, joint): (&JointKind, &SolverJoint)| {
            let rows = &rows[joint.row_range()];
            known.bodies == [joint.a, joint.b]
                && known.rows.len() == rows.len()
                && known.rows.iter().zip(rows).all(|(known, row)| *known == (row.coordinate, row.kind))
        };
        self.movable == movable && self.sources.len() == joints.len() && self.sources.iter().zip(joints).all(same)
    }

    /// Rebuilds the groups.
    pub fn rebuild(&mut self, joints: &[SolverJoint], rows: &[JointRow], movable: &[bool]) {
        self.sources.clear();
        self.sources.extend(joints.iter().map(|joint| JointKind {
            bodies: [joint.a, joint.b],
            rows: rows[joint.row_range()].iter().map(|row| (row.coordinate, row.kind)).collect(),
        }));
        self.movable.clear();
        self.movable.extend_from_slice(movable);
        self.groups.clear();
        self.joints.clear();
        self.bodies.clear();
        if self.factors.len() > MAX_CACHED_FACTORS {
            self.factors.clear();
            self.factor_index.clear();
        }
        let mut unfactored = Vec::new();
        for group in components(joints, movable) {
            if !self.add_group(&group, 0, false) {
                unfactored.extend(group);
            }
        }
        // Components with too much fill become single joints with colours.
        let mut used = vec![0_u128; movable.len()];
        let mut last = u128::BITS;
        for joint in unfactored {
            let ends = self.sources[joint as usize].bodies.map(|body| body as usize);
            let had = ends.iter().filter(|&&body| movable[body]).fold(0, |had, &body| had | used[body]);
            let mut colour = (!had).trailing_zeros();
            if colour == u128::BITS {
                colour = last;
                last += 1;
            } else {
                for body in ends {
                    used[body] |= 1 << colour;
                }
            }
            let added = self.add_group(&[joint], colour, true);
            debug_assert!(added, "one joint has no fill");
        }
    }

    /// Adds a group of joints; returns whether its fill is within the limit.
    fn add_group(&mut self, group: &[u32], colour: u32, iterative: bool) -> bool {
        let first = self.bodies.len();
        let mut indices = BTreeMap::new();
        let mut kinds = Vec::with_capacity(group.len());
        for &joint in group {
            let kind = &self.sources[joint as usize];
            let bodies = kind.bodies.map(|body| {
                let next = (self.bodies.len() - first) as u32;
                let known = self.movable[body as usize].then(|| *indices.entry(body).or_insert(next));
                // An immovable body couples nothing: it gets a separate index for each joint.
                let at = known.unwrap_or(next);
                if at == next {
                    self.bodies.push(body);
                }
                at
            });
            kinds.push(JointKind { bodies, rows: kind.rows.clone() });
        }
        let factor = match self.factor_index.get(&kinds) {
            Some(&factor) => factor,
            None => {
                let Some(made) = SymbolicFactor::new(&kinds, self.bodies.len() - first, JOINTS.max_couplings) else {
                    self.bodies.truncate(first);
                    return false;
                };
                self.factors.push(made);
                let number = self.factors.len() as u32 - 1;
                self.factor_index.insert(kinds, number);
                number
            }
        };
        let start = self.joints.len();
        self.joints.extend_from_slice(group);
        let (joints, bodies) = (start..self.joints.len(), first..self.bodies.len());
        let has_loop = self.closes_loop(joints.len(), bodies.clone());
        let iterative_kind = group
            .first()
            .filter(|_| iterative)
            .and_then(|&joint| ConstraintKind::of(&self.sources[joint as usize].rows));
        self.groups.push(JointGroup { factor, joints, bodies, colour, iterative, has_loop, iterative_kind });
        true
    }

    /// True if a connected group of so many joints has a loop, with all immovable bodies counted as
    /// one.
    fn closes_loop(&self, joints: usize, bodies: Range<usize>) -> bool {
        let fixed = self.bodies[bodies.clone()].iter().filter(|&&body| !self.movable[body as usize]).count();
        joints >= bodies.len() - fixed + fixed.min(1)
    }
}

/// Joints connected through movable bodies, in ascending order per list. Joints without movable
/// bodies or without rows are left out.
fn components(joints: &[SolverJoint], movable: &[bool]) -> Vec<Vec<u32>> {
    let mut sets = crate::islands::DisjointSets::default();
    sets.reset(movable.len());
    let moving = |body: u32| movable[body as usize];
    for joint in joints.iter().filter(|joint| !joint.row_range().is_empty() && moving(joint.a) && moving(joint.b)) {
        sets.union(joint.a, joint.b);
    }
    let mut number = vec![NONE; movable.len()];
    let mut out: Vec<Vec<u32>> = Vec::new();
    for (index, joint) in joints.iter().enumerate().filter(|(_, joint)| !joint.row_range().is_empty()) {
        let Some(body) = [joint.a, joint.b].into_iter().find(|&body| moving(body)) else { continue };
        let root = sets.find(body) as usize;
        if number[root] == NONE {
            number[root] = out.len() as u32;
            out.push(Vec::new());
        }
        out[number[root] as usize].push(index as u32);
    }
    out
}

/// Storage of all batches.
#[derive(Clone, Default)]
pub(crate) struct BatchStorage {
    pub bodies: Vec<BodyLanes>,
    pub joints: Vec<JointLanes>,
    pub rows: Vec<RowLanes>,
    pub matrix: Vec<Wide>,
    pub changes: Vec<Wide>,
    /// By body of batches that are not iterative.
    pub raised: Vec<RaisedInertia>,
    /// By batch.
    pub leapfrog: Vec<Wide>,
    pub leapfrog_angular: Vec<Wide>,
    pub prediction_valid: Vec<Wide>,
    pub active_lanes: Vec<Wide>,
    pub factored_lanes: Vec<Wide>,
    pub erp: Vec<Wide>,
    pub energy_guards: Vec<EnergyGuard>,
}

/// [`BatchStorage`] for several threads.
pub(crate) struct SharedBatchStorage<'a> {
    bodies: DisjointSlice<'a, BodyLanes>,
    joints: DisjointSlice<'a, JointLanes>,
    rows: DisjointSlice<'a, RowLanes>,
    matrix: DisjointSlice<'a, Wide>,
    changes: DisjointSlice<'a, Wide>,
    raised: DisjointSlice<'a, RaisedInertia>,
    leapfrog: DisjointSlice<'a, Wide>,
    leapfrog_angular: DisjointSlice<'a, Wide>,
    prediction_valid: DisjointSlice<'a, Wide>,
    active_lanes: DisjointSlice<'a, Wide>,
    factored_lanes: DisjointSlice<'a, Wide>,
    erp: DisjointSlice<'a, Wide>,
    energy_guards: DisjointSlice<'a, EnergyGuard>,
}

impl<'a> SharedBatchStorage<'a> {
    /// View of a batch.
    ///
    /// # Safety
    /// While the view lives, no other view of the same batch may be requested; batches share no
    /// storage.
    pub unsafe fn view(&self, graph: &'a JointGraph, batch: &JointBatch, number: usize) -> BatchView<'a> {
        // SAFETY: passed on to the caller.
        unsafe {
            BatchView {
                factor: &graph.factors[batch.factor as usize],
                iterative: batch.iterative,
                rigid: batch.rigid,
                bodies: self.bodies.range(batch.bodies.clone()),
                joints: self.joints.range(batch.joints.clone()),
                rows: self.rows.range(batch.scalar_rows.clone()),
                matrix: self.matrix.range(batch.matrix.clone()),
                changes: self.changes.range(batch.rows.clone()),
                stabilized: batch.stabilized,
                raised: self.raised.range(if batch.iterative { 0..0 } else { batch.bodies.clone() }),
                leapfrog: &mut self.leapfrog.range(number..number + 1)[0],
                leapfrog_angular: &mut self.leapfrog_angular.range(number..number + 1)[0],
                prediction_valid: &mut self.prediction_valid.range(number..number + 1)[0],
                active_lanes: &mut self.active_lanes.range(number..number + 1)[0],
                factored_lanes: &mut self.factored_lanes.range(number..number + 1)[0],
                erp: &mut self.erp.range(number..number + 1)[0],
                energy_guard: &mut self.energy_guards.range(number..number + 1)[0],
            }
        }
    }
}

/// Packs groups into batches, those of equal colour and symbolic factor side by side. Batches are
/// in the order of the colours.
pub(crate) fn pack_batches(graph: &JointGraph, groups: &mut [u32], batches: &mut Vec<JointBatch>, rigid: bool) {
    let key = |group: u32| {
        let t = &graph.groups[group as usize];
        (t.iterative, t.colour, t.factor, group)
    };
    groups.sort_unstable_by_key(|&group| key(group));
    let mut at = 0;
    while at < groups.len() {
        let (iterative, colour, factor, _) = key(groups[at]);
        let same = |&&group: &&u32| key(group) == (iterative, colour, factor, group);
        let count = groups[at..].iter().take(WIDTH).take_while(same).count();
        let mut lanes = [NONE; WIDTH];
        lanes[..count].copy_from_slice(&groups[at..at + count]);
        let shape = &graph.factors[factor as usize];
        let following = |of: fn(&JointBatch) -> usize, more: usize| {
            let start = batches.last().map_or(0, of);
            start..start + more
        };
        let batch = JointBatch {
            factor,
            iterative,
            rigid,
            stabilized: rigid && !iterative,
            groups: lanes,
            bodies: following(|u| u.bodies.end, shape.bodies),
            joints: following(|u| u.joints.end, shape.joints.len()),
            rows: following(|u| u.rows.end, shape.row_count()),
            scalar_rows: following(|u| u.scalar_rows.end, shape.scalar_rows),
            matrix: following(|u| u.matrix.end, shape.entries),
        };
        batches.push(batch);
        at += count;
    }
}

impl BatchStorage {
    /// Resizes the storage for batches.
    pub fn resize_for(&mut self, batches: &[JointBatch]) {
        let Some(last) = batches.last() else { return };
        let grow = |have: usize, want: usize| want.max(have);
        self.bodies.resize(grow(self.bodies.len(), last.bodies.end), BodyLanes::default());
        self.joints.resize(grow(self.joints.len(), last.joints.end), JointLanes::default());
        self.rows.resize(grow(self.rows.len(), last.scalar_rows.end), RowLanes::default());
        self.changes.resize(grow(self.changes.len(), last.rows.end), Wide::default());
        let raised = batches.iter().rev().find(|batch| !batch.iterative).map_or(0, |batch| batch.bodies.end);
        self.raised.resize(grow(self.raised.len(), raised), RaisedInertia::default());
        self.matrix.resize(grow(self.matrix.len(), last.matrix.end), Wide::default());
        self.leapfrog.resize(grow(self.leapfrog.len(), batches.len()), Wide::default());
        self.leapfrog_angular.resize(self.leapfrog.len(), Wide::default());
        self.prediction_valid.resize(self.leapfrog.len(), Wide::default());
        self.active_lanes.resize(self.leapfrog.len(), Wide::default());
        self.factored_lanes.resize(self.leapfrog.len(), Wide::default());
        self.erp.resize(self.leapfrog.len(), Wide::default());
        self.energy_guards.resize(self.leapfrog.len(), EnergyGuard::default());
    }

    /// The storage for several threads, each at batches of its own.
    pub fn shared(&mut self) -> SharedBatchStorage<'_> {
        SharedBatchStorage {
            bodies: DisjointSlice::new(&mut self.bodies),
            joints: DisjointSlice::new(&mut self.joints),
            rows: DisjointSlice::new(&mut self.rows),
            matrix: DisjointSlice::new(&mut self.matrix),
            changes: DisjointSlice::new(&mut self.changes),
            raised: DisjointSlice::new(&mut self.raised),
            leapfrog: DisjointSlice::new(&mut self.leapfrog),
            leapfrog_angular: DisjointSlice::new(&mut self.leapfrog_angular),
            prediction_valid: DisjointSlice::new(&mut self.prediction_valid),
            active_lanes: DisjointSlice::new(&mut self.active_lanes),
            factored_lanes: DisjointSlice::new(&mut self.factored_lanes),
            erp: DisjointSlice::new(&mut self.erp),
            energy_guards: DisjointSlice::new(&mut self.energy_guards),
        }
    }

    /// View of a batch.
    pub fn view<'a>(&'a mut self, graph: &'a JointGraph, batch: &JointBatch, number: usize) -> BatchView<'a> {
        // SAFETY: the storage is borrowed for the lifetime of the view.
        unsafe { self.shared().view(graph, batch, number) }
    }
}
