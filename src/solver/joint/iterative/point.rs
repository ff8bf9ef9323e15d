//! Point constraints: coincident anchors.

use super::body_pair::{Anchors, BodyPair, ImpulseSums, PairPose, PairVelocity};
use super::matrix::inverse;
use super::passes::ConstraintBlock;
use crate::math::Real;
use crate::solver::body::SolverBody;
use crate::solver::joint::active_set::clamp_correction;
use crate::solver::joint::{JointRow, SolverJoint};
use crate::solver::simd::{Simd, Vector, Wide};
use crate::tolerances::{ITERATIVE_IMPULSE_DECAY, JOINTS};

/// Point constraints in eight lanes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct PointConstraints {
    pair: BodyPair,
    /// From the centres of mass to the anchors (m).
    arms: [[Wide; 3]; 2],
    /// Effective mass, a symmetric matrix; correction speed of the anchors (m/s).
    response: [Wide; 6],
    closing: [Wide; 3],
    /// Impulse on the second body in this substep.
    impulse: [Wide; 3],
}

/// See [`ConstraintBlock::StepData`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct StepData {
    anchors: Anchors,
    sums: ImpulseSums,
}

impl ConstraintBlock for PointConstraints {
    type StepData = StepData;

    fn fill(
        &mut self,
        data: &mut StepData,
        lane: usize,
        (joint, rows): (&SolverJoint, &[JointRow]),
        (states, bodies): ([u32; 2], [&SolverBody; 2]),
        h: Real,
    ) {
        data.anchors.fill(lane, joint);
        self.pair.fill(lane, states, bodies);
        for (impulse, row) in self.impulse.iter_mut().zip(rows) {
            impulse.0[lane] = row.last * h;
        }
    }

    fn store(&self, _: &StepData, lane: usize, rows: &mut [JointRow], h: Real) {
        for (row, impulse) in rows.iter_mut().zip(&self.impulse) {
            row.last = impulse.0[lane] / h;
        }
    }

    fn sums(data: &StepData) -> (&ImpulseSums, Option<&[Wide; 3]>) {
        (&data.sums, None)
    }

    #[inline(always)]
    unsafe fn warm_start<L: Simd>(&mut self, data: &mut StepData, states: *mut Real, h: Real, first: bool, o: usize) {
        // SAFETY: passed on to the caller.
        let (mut pair, placed) =
            unsafe { (PairVelocity::<L>::gather(states, &self.pair, o), PairPose::<L>::gather(states, &self.pair, o)) };
        let (gap, arms) = placed.anchors(&data.anchors, o);
        let rate = gap.scale(L::splat(JOINTS.iterative_erp / h));
        Vector::new(clamp_correction(rate.x), clamp_correction(rate.y), clamp_correction(rate.z))
            .store(&mut self.closing, o);
        let impulse = Vector::<L>::load(&self.impulse, o);
        let mut moments = [arms[0].cross(impulse), arms[1].cross(impulse)];
        if first {
            pair.apply_linear(&self.pair, impulse, o);
        } else {
            for (moment, arm) in moments.iter_mut().zip(&self.arms) {
                *moment = *moment - Vector::load(arm, o).cross(impulse);
            }
        }
        pair.apply_angular(&self.pair, moments, o);
        for (arm, into) in arms.into_iter().zip(&mut self.arms) {
            arm.store(into, o);
        }
        // SAFETY: passed on to the caller.
        unsafe { pair.scatter(states, &self.pair, o) };
        let (columns, _) = self.pair.response_columns::<L>(&self.arms, o);
        for (x, row) in inverse(columns).into_iter().zip(&mut self.response) {
            x.store(row, o);
        }
    }

    #[inline(always)]
    unsafe fn solve_positions<L: Simd>(&mut self, states: *mut Real, o: usize) {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { PairVelocity::<L>::gather(states, &self.pair, o) };
        let residual = pair.relative_velocity(&self.arms, o) + Vector::load(&self.closing, o);
        let old = Vector::load(&self.impulse, o);
        let new = (old - residual.transformed_by(&self.response, o)).scale(L::splat(1.0 - ITERATIVE_IMPULSE_DECAY));
        new.store(&mut self.impulse, o);
        pair.apply(&self.pair, &self.arms, new - old, o);
        // SAFETY: as above.
        unsafe { pair.scatter(states, &self.pair, o) };
    }

    #[inline(always)]
    unsafe fn project_velocities<L: Simd>(&mut self, data: &mut StepData, states: *mut Real, o: usize) -> L {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { PairVelocity::<L>::gather(states, &self.pair, o) };
        let residual = pair.relative_velocity(&self.arms, o);
        let change = residual.transformed_by(&self.response, o);
        let new = Vector::load(&self.impulse, o) - change;
        new.store(&mut self.impulse, o);
        pair.apply(&self.pair, &self.arms, change.scale(L::splat(-1.0)), o);
        // SAFETY: as above.
        unsafe { pair.scatter(states, &self.pair, o) };
        data.sums.add(new, o);
        residual.max_abs()
    }
}
