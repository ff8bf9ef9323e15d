//! Joints that lock axes of rotation, or let anchors slide: hinges, welds, sliders.
//!
//! Free directions are projected out: a sweep works on world vectors, and the inverse is zero
//! outside the locked space. With the response `A` of velocities to impulses, `C` of angular
//! velocities to torques and `B` between them, `S = A - B C^-1 B^T` is the Schur complement for
//! locked axes.

use super::body_pair::{Anchors, BodyPair, ImpulseSums, PairPose, PairVelocity};
use super::matrix::LockedSpace;
use super::passes::ConstraintBlock;
use crate::math::{Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::joint::active_set::clamp_correction;
use crate::solver::joint::batch::{put, take};
use crate::solver::joint::{Coordinate, JointRow, RowKind, SolverJoint};
use crate::solver::simd::{Simd, Vector, Wide};
use crate::tolerances::{ITERATIVE_IMPULSE_DECAY, JOINTS};

/// Joints with locked axes in eight lanes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct LockedAxisConstraints {
    pair: BodyPair,
    /// From the centres of mass to the second anchor (m).
    arms: [[Wide; 3]; 2],
    /// `S^-1` and `C^-1`, symmetric matrices; the rows of `B C^-1`.
    linear_inverse: [Wide; 6],
    angular_inverse: [Wide; 6],
    coupling: [[Wide; 3]; 3],
    /// Correction speeds of the anchors (m/s) and of the axes (rad/s).
    closing: [[Wide; 3]; 2],
    /// Impulse and angular impulse on the second body in this substep.
    impulse: [[Wide; 3]; 2],
}

/// See [`ConstraintBlock::StepData`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct StepData {
    anchors: Anchors,
    /// Target of the anchor offset, rotating with the first body (m).
    target_offset: [Wide; 3],
    /// Axis of the first body along which the anchors slide, or along which alone they are locked.
    slide: [Wide; 3],
    /// Axes of both frames at the start of the step, the hinge axis first; the current axes of the
    /// first.
    frames: [[[Wide; 3]; 3]; 2],
    now: [[Wide; 3]; 3],
    /// Number of locked directions, linear and angular.
    ranks: [Wide; 2],
    sums: ImpulseSums,
    torque: [Wide; 3],
}

/// Free axis of a hinge, if the rows leave one.
fn hinge_axis(rows: &[JointRow]) -> Option<usize> {
    rows.iter().find_map(|row| match row.coordinate {
        Coordinate::Align { free, .. } => Some(free as usize),
        _ => None,
    })
}

/// Equality rows. Limits are far, or the joint would not be iterative.
fn locked(rows: &[JointRow]) -> impl Iterator<Item = &JointRow> {
    rows.iter().filter(|row| row.kind == RowKind::Equality)
}

/// Axis of the frame (in the order of [`StepData::frames`]) or of the world along which a row acts;
/// whether it is of the frame; whether it is angular.
fn row_axis(coordinate: Coordinate, first: usize) -> (usize, bool, bool) {
    match coordinate {
        Coordinate::Along(k) => ((k as usize + 3 - first) % 3, true, false),
        Coordinate::Align { k, .. } => ((k as usize + 3 - first) % 3, true, true),
        Coordinate::Weld(k) => (k as usize, false, true),
        Coordinate::Point(k) => (k as usize, false, false),
        _ => unreachable!("a lock has no such row"),
    }
}

impl StepData {
    fn fill(&mut self, lane: usize, joint: &SolverJoint, rows: &[JointRow]) {
        self.anchors.fill(lane, joint);
        let first = hinge_axis(rows).unwrap_or(0);
        for (into, frame) in self.frames.iter_mut().zip(&joint.frames) {
            for (k, into) in into.iter_mut().enumerate() {
                put(into, lane, frame.col((first + k) % 3));
            }
        }
        let angular = locked(rows).filter(|row| !row.coordinate.is_linear()).count();
        let linear = locked(rows).count() - angular;
        self.ranks[0].0[lane] = linear as Real;
        self.ranks[1].0[lane] = angular as Real;
        let frame = &joint.frames[0];
        let (mut offset, mut slides) = (Vec3::ZERO, [false; 3]);
        for row in locked(rows) {
            if let Coordinate::Along(k) = row.coordinate {
                offset += frame.col(k as usize) * row.target;
                slides[k as usize] = true;
            }
        }
        // With two locked directions the axis is the third.
        let alone = linear == 1;
        let slide = (0..3).find(|&k| slides[k] == alone && slides != [false; 3]);
        put(&mut self.slide, lane, slide.map_or(Vec3::ZERO, |k| frame.col(k)));
        put(&mut self.target_offset, lane, offset);
    }
}

impl ConstraintBlock for LockedAxisConstraints {
    type StepData = StepData;

    fn fill(
        &mut self,
        data: &mut StepData,
        lane: usize,
        (joint, rows): (&SolverJoint, &[JointRow]),
        (states, bodies): ([u32; 2], [&SolverBody; 2]),
        h: Real,
    ) {
        data.fill(lane, joint, rows);
        self.pair.fill(lane, states, bodies);
        let first = hinge_axis(rows).unwrap_or(0);
        let mut sums = [Vec3::ZERO; 2];
        for row in locked(rows) {
            let (k, framed, angular) = row_axis(row.coordinate, first);
            let axis = if framed { take(&data.frames[0][k], lane) } else { Vec3::AXES[k] };
            sums[usize::from(angular)] += axis * (row.last * h);
        }
        for (into, sum) in self.impulse.iter_mut().zip(sums) {
            put(into, lane, sum);
        }
    }

    fn store(&self, data: &StepData, lane: usize, rows: &mut [JointRow], h: Real) {
        let first = hinge_axis(rows).unwrap_or(0);
        for row in rows {
            if row.kind != RowKind::Equality {
                row.last = 0.0;
                continue;
            }
            let (k, framed, angular) = row_axis(row.coordinate, first);
            let axis = if framed { take(&data.now[k], lane) } else { Vec3::AXES[k] };
            row.last = take(&self.impulse[usize::from(angular)], lane).dot(axis) / h;
        }
    }

    fn sums(data: &StepData) -> (&ImpulseSums, Option<&[Wide; 3]>) {
        (&data.sums, Some(&data.torque))
    }

    #[inline(always)]
    unsafe fn warm_start<L: Simd>(&mut self, data: &mut StepData, states: *mut Real, h: Real, first: bool, o: usize) {
        // SAFETY: passed on to the caller.
        let (mut pair, placed) =
            unsafe { (PairVelocity::<L>::gather(states, &self.pair, o), PairPose::<L>::gather(states, &self.pair, o)) };
        let (gap, [arm, other]) = placed.anchors(&data.anchors, o);
        let [a, b] = &data.frames;
        let a = [placed.rotate(0, &a[0], o), placed.rotate(0, &a[1], o), placed.rotate(0, &a[2], o)];
        let b = [placed.rotate(1, &b[0], o), placed.rotate(1, &b[1], o), placed.rotate(1, &b[2], o)];
        let linear = LockedSpace { axis: placed.rotate(0, &data.slide, o), rank: L::load(&data.ranks[0], o) };
        let angular = LockedSpace { axis: a[0], rank: L::load(&data.ranks[1], o) };
        for (axis, into) in a.into_iter().zip(&mut data.now) {
            axis.store(into, o);
        }
        let lean = a[0].cross(b[0]);
        let weld = (lean + (a[1].cross(b[1]) + a[2].cross(b[2]))).scale(L::splat(0.5));
        let apart = [
            linear.project(gap - placed.rotate(0, &data.target_offset, o)),
            angular.project(Vector::select(angular.rank.gt(L::splat(2.5)), weld, lean)),
        ];
        for (apart, into) in apart.into_iter().zip(&mut self.closing) {
            let rate = apart.scale(L::splat(JOINTS.iterative_erp / h));
            Vector::new(clamp_correction(rate.x), clamp_correction(rate.y), clamp_correction(rate.z)).store(into, o);
        }
        // Last impulses, projected on the currently locked space.
        let old = [Vector::<L>::load(&self.impulse[0], o), Vector::load(&self.impulse[1], o)];
        let new = [linear.project(old[0]), angular.project(old[1])];
        // The axes rotate with the first body and act at the second anchor.
        let arms = [arm + gap, other];
        if first {
            pair.apply_linear(&self.pair, new[0], o);
            pair.apply_angular(&self.pair, [arms[0].cross(new[0]) + new[1], arms[1].cross(new[0]) + new[1]], o);
        } else {
            let torque = new[1] - old[1];
            let [p, q] = [Vector::load(&self.arms[0], o), Vector::load(&self.arms[1], o)];
            let moments = [arms[0].cross(new[0]) - p.cross(old[0]), arms[1].cross(new[0]) - q.cross(old[0])];
            pair.apply_linear(&self.pair, new[0] - old[0], o);
            pair.apply_angular(&self.pair, [moments[0] + torque, moments[1] + torque], o);
        }
        new[0].store(&mut self.impulse[0], o);
        new[1].store(&mut self.impulse[1], o);
        arms[0].store(&mut self.arms[0], o);
        arms[1].store(&mut self.arms[1], o);
        // SAFETY: passed on to the caller.
        unsafe { pair.scatter(states, &self.pair, o) };
        self.update_response(&linear, &angular, o);
    }

    #[inline(always)]
    unsafe fn solve_positions<L: Simd>(&mut self, states: *mut Real, o: usize) {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { PairVelocity::<L>::gather(states, &self.pair, o) };
        let linear_rate = pair.relative_velocity(&self.arms, o) + Vector::load(&self.closing[0], o);
        let angular_rate = (pair.w[1] - pair.w[0]) + Vector::load(&self.closing[1], o);
        let [impulse, torque] = self.impulses_for(linear_rate, angular_rate, o);
        let kept = L::splat(1.0 - ITERATIVE_IMPULSE_DECAY);
        let old = [Vector::load(&self.impulse[0], o), Vector::load(&self.impulse[1], o)];
        let new = [(old[0] - impulse).scale(kept), (old[1] - torque).scale(kept)];
        new[0].store(&mut self.impulse[0], o);
        new[1].store(&mut self.impulse[1], o);
        self.apply(&mut pair, new[0] - old[0], new[1] - old[1], o);
        // SAFETY: as above.
        unsafe { pair.scatter(states, &self.pair, o) };
    }

    #[inline(always)]
    unsafe fn project_velocities<L: Simd>(&mut self, data: &mut StepData, states: *mut Real, o: usize) -> L {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { PairVelocity::<L>::gather(states, &self.pair, o) };
        let (linear_rate, angular_rate) = (pair.relative_velocity(&self.arms, o), pair.w[1] - pair.w[0]);
        let [impulse, torque] = self.impulses_for(linear_rate, angular_rate, o);
        let opposite = L::splat(-1.0);
        let impulse = impulse.scale(opposite);
        let torque = torque.scale(opposite);
        let new = [Vector::load(&self.impulse[0], o) + impulse, Vector::load(&self.impulse[1], o) + torque];
        new[0].store(&mut self.impulse[0], o);
        new[1].store(&mut self.impulse[1], o);
        self.apply(&mut pair, impulse, torque, o);
        // SAFETY: as above.
        unsafe { pair.scatter(states, &self.pair, o) };
        data.sums.add(new[0], o);
        (Vector::load(&data.torque, o) + new[1]).store(&mut data.torque, o);
        // Along locked directions only.
        let linear = LockedSpace { axis: Vector::load(&data.slide, o), rank: L::load(&data.ranks[0], o) };
        let angular = LockedSpace { axis: Vector::load(&data.now[0], o), rank: L::load(&data.ranks[1], o) };
        linear.project(linear_rate).max_abs().max(angular.project(angular_rate).max_abs())
    }
}

impl LockedAxisConstraints {
    /// Updates the inverses.
    #[inline(always)]
    fn update_response<L: Simd>(&mut self, linear: &LockedSpace<L>, angular: &LockedSpace<L>, o: usize) {
        let [p, q] = &self.pair.inertia;
        let (xx, yy, zz) = (
            L::load(&p[0], o) + L::load(&q[0], o),
            L::load(&p[1], o) + L::load(&q[1], o),
            L::load(&p[2], o) + L::load(&q[2], o),
        );
        let (xy, xz, yz) = (
            L::load(&p[3], o) + L::load(&q[3], o),
            L::load(&p[4], o) + L::load(&q[4], o),
            L::load(&p[5], o) + L::load(&q[5], o),
        );
        let turning = angular.inverse([Vector::new(xx, xy, xz), Vector::new(xy, yy, yz), Vector::new(xz, yz, zz)]);
        for (x, row) in turning.into_iter().zip(&mut self.angular_inverse) {
            x.store(row, o);
        }
        let (mut columns, b) = self.pair.response_columns::<L>(&self.arms, o);
        let mixed = [
            b[0].transformed_by(&self.angular_inverse, o),
            b[1].transformed_by(&self.angular_inverse, o),
            b[2].transformed_by(&self.angular_inverse, o),
        ];
        // Before the Schur complement, or rounding could leave a negative diagonal.
        let diagonal_scale = L::splat(1.0 + JOINTS.cfm);
        columns[0].x = columns[0].x * diagonal_scale;
        columns[1].y = columns[1].y * diagonal_scale;
        columns[2].z = columns[2].z * diagonal_scale;
        for k in 0..3 {
            mixed[k].store(&mut self.coupling[k], o);
            columns[k] = columns[k] - Vector::new(mixed[0].dot(b[k]), mixed[1].dot(b[k]), mixed[2].dot(b[k]));
        }
        for (x, row) in linear.inverse(columns).into_iter().zip(&mut self.linear_inverse) {
            x.store(row, o);
        }
    }

    /// Impulses that change the relative velocities by these amounts.
    #[inline(always)]
    fn impulses_for<L: Simd>(&self, linear_rate: Vector<L>, angular_rate: Vector<L>, o: usize) -> [Vector<L>; 2] {
        let [x, y, z] = [
            Vector::load(&self.coupling[0], o),
            Vector::load(&self.coupling[1], o),
            Vector::load(&self.coupling[2], o),
        ];
        let held = Vector::new(x.dot(angular_rate), y.dot(angular_rate), z.dot(angular_rate));
        let impulse = (linear_rate - held).transformed_by(&self.linear_inverse, o);
        let torque = angular_rate.transformed_by(&self.angular_inverse, o)
            - (x.scale(impulse.x) + y.scale(impulse.y) + z.scale(impulse.z));
        [impulse, torque]
    }

    #[inline(always)]
    fn apply<L: Simd>(&self, pair: &mut PairVelocity<L>, impulse: Vector<L>, torque: Vector<L>, o: usize) {
        pair.apply_linear(&self.pair, impulse, o);
        let [p, q] = [Vector::load(&self.arms[0], o), Vector::load(&self.arms[1], o)];
        pair.apply_angular(&self.pair, [p.cross(impulse) + torque, q.cross(impulse) + torque], o);
    }
}
