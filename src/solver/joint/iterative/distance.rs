//! Rods and ropes: anchors at a distance, or within a range of distances.

use super::body_pair::{Anchors, BodyPair, ImpulseSums, PairPose, PairVelocity};
use super::passes::ConstraintBlock;
use crate::math::Real;
use crate::solver::body::SolverBody;
use crate::solver::joint::active_set::clamp_correction;
use crate::solver::joint::jacobians::{direction, times_inverse_mass};
use crate::solver::joint::{JointRow, RowKind, SolverJoint};
use crate::solver::simd::{Simd, Vector, Wide};
use crate::tolerances::{ITERATIVE_IMPULSE_DECAY, JOINTS};

/// Rods and ropes in eight lanes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct DistanceConstraints {
    pair: BodyPair,
    /// Unit vector from the first anchor to the second; its cross products with the arms (m), and
    /// the inverse inertias times these.
    direction: [Wide; 3],
    arms: [[Wide; 3]; 2],
    angular_response: [[Wide; 3]; 2],
    /// Effective mass; correction speed for a violated range; minus the speed at which the anchors
    /// may part inside the range (m/s).
    response: Wide,
    closing: Wide,
    free_rate: Wide,
    /// Minimum and maximum impulse.
    low: Wide,
    high: Wide,
    /// Impulse on the second body in this substep.
    impulse: Wide,
}

/// See [`ConstraintBlock::StepData`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct StepData {
    anchors: Anchors,
    /// Range of the distance (m); 1 for a rod, which is bilateral.
    target: Wide,
    target_high: Wide,
    bilateral: Wide,
    sums: ImpulseSums,
}

impl DistanceConstraints {
    /// Applies an impulse along the direction.
    #[inline(always)]
    fn apply<L: Simd>(&self, pair: &mut PairVelocity<L>, impulse: L, o: usize) {
        pair.apply_linear(&self.pair, Vector::load(&self.direction, o).scale(impulse), o);
        pair.w[0] = pair.w[0] - Vector::load(&self.angular_response[0], o).scale(impulse);
        pair.w[1] = pair.w[1] + Vector::load(&self.angular_response[1], o).scale(impulse);
    }

    /// Relative velocity of the anchors along the direction.
    #[inline(always)]
    fn relative_velocity<L: Simd>(&self, pair: &PairVelocity<L>, o: usize) -> L {
        let turned = Vector::load(&self.arms[1], o).dot(pair.w[1]) - Vector::load(&self.arms[0], o).dot(pair.w[0]);
        Vector::load(&self.direction, o).dot(pair.v[1] - pair.v[0]) + turned
    }

    /// Impulse clamped to its bounds.
    #[inline(always)]
    fn clamped<L: Simd>(&self, impulse: L, o: usize) -> L {
        impulse.max(L::load(&self.low, o)).min(L::load(&self.high, o))
    }

    /// Updates correction speed, free speed and impulse bounds at a length.
    #[inline(always)]
    fn update_bounds<L: Simd>(&mut self, data: &StepData, length: L, h: Real, o: usize) {
        let (zero, far) = (L::splat(0.0), L::splat(Real::INFINITY));
        let [least, most] = [L::load(&data.target, o), L::load(&data.target_high, o)];
        let above = length.gt(L::splat(0.5) * (least + most));
        let off = length - L::select(above, most, least);
        let bilateral = L::load(&data.bilateral, o).gt(zero);
        let (over, under) = (off.max(zero), off.min(zero));
        let beyond = L::select(bilateral, off, L::select(above, over, under));
        let within = L::select(bilateral, zero, L::select(above, under, over));
        clamp_correction(beyond * L::splat(JOINTS.iterative_erp / h)).store(&mut self.closing, o);
        (within * L::splat(1.0 / h)).store(&mut self.free_rate, o);
        L::select(bilateral, zero - far, L::select(above, zero - far, zero)).store(&mut self.low, o);
        L::select(bilateral, far, L::select(above, zero, far)).store(&mut self.high, o);
    }
}

impl ConstraintBlock for DistanceConstraints {
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
        let row = &rows[0];
        let bilateral = row.kind == RowKind::Equality;
        data.target.0[lane] = row.target;
        data.target_high.0[lane] = if bilateral { row.target } else { row.target_high };
        data.bilateral.0[lane] = Real::from(u8::from(bilateral));
        self.pair.fill(lane, states, bodies);
        self.impulse.0[lane] = row.last * h;
    }

    fn store(&self, _: &StepData, lane: usize, rows: &mut [JointRow], h: Real) {
        rows[0].last = self.impulse.0[lane] / h;
    }

    fn sums(data: &StepData) -> (&ImpulseSums, Option<&[Wide; 3]>) {
        (&data.sums, None)
    }

    #[inline(always)]
    unsafe fn warm_start<L: Simd>(&mut self, data: &mut StepData, states: *mut Real, h: Real, first: bool, o: usize) {
        // SAFETY: passed on to the caller.
        let (mut pair, placed) =
            unsafe { (PairVelocity::<L>::gather(states, &self.pair, o), PairPose::<L>::gather(states, &self.pair, o)) };
        let (gap, [arm, other]) = placed.anchors(&data.anchors, o);
        let (along, length) = direction(gap);
        let impulse = L::load(&self.impulse, o);
        if !first {
            self.apply(&mut pair, L::splat(0.0) - impulse, o);
        }
        along.store(&mut self.direction, o);
        let mut inverse_mass = L::splat(0.0);
        // The direction rotates with the first body and acts at the second anchor.
        for (side, arm) in [arm + gap, other].into_iter().enumerate() {
            let across = arm.cross(along);
            let turned = across.transformed_by(&self.pair.inertia[side], o);
            across.store(&mut self.arms[side], o);
            turned.store(&mut self.angular_response[side], o);
            inverse_mass =
                inverse_mass + (along.dot(times_inverse_mass(along, &self.pair.mass[side], o)) + across.dot(turned));
        }
        self.apply(&mut pair, impulse, o);
        // SAFETY: passed on to the caller.
        unsafe { pair.scatter(states, &self.pair, o) };
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let nonzero = inverse_mass.gt(zero);
        let diagonal_scale = L::splat(1.0 + JOINTS.cfm);
        L::select(nonzero, one.div(L::select(nonzero, inverse_mass * diagonal_scale, one)), zero)
            .store(&mut self.response, o);
        self.update_bounds(data, length, h, o);
    }

    #[inline(always)]
    unsafe fn solve_positions<L: Simd>(&mut self, states: *mut Real, o: usize) {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { PairVelocity::<L>::gather(states, &self.pair, o) };
        let residual = self.relative_velocity(&pair, o) + (L::load(&self.closing, o) + L::load(&self.free_rate, o));
        let old = L::load(&self.impulse, o);
        let new =
            self.clamped((old - residual * L::load(&self.response, o)) * L::splat(1.0 - ITERATIVE_IMPULSE_DECAY), o);
        new.store(&mut self.impulse, o);
        self.apply(&mut pair, new - old, o);
        // SAFETY: as above.
        unsafe { pair.scatter(states, &self.pair, o) };
    }

    #[inline(always)]
    unsafe fn project_velocities<L: Simd>(&mut self, data: &mut StepData, states: *mut Real, o: usize) -> L {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { PairVelocity::<L>::gather(states, &self.pair, o) };
        let residual = self.relative_velocity(&pair, o) + L::load(&self.free_rate, o);
        let old = L::load(&self.impulse, o);
        let new = self.clamped(old - residual * L::load(&self.response, o), o);
        new.store(&mut self.impulse, o);
        self.apply(&mut pair, new - old, o);
        // SAFETY: as above.
        unsafe { pair.scatter(states, &self.pair, o) };
        data.sums.add(Vector::load(&self.direction, o).scale(new), o);
        // A slack rope has no residual.
        let zero = L::splat(0.0);
        L::select((old.abs() + new.abs()).gt(zero), residual.abs(), zero)
    }
}
