//! The two bodies of an iterative joint, eight joints in lanes.

use crate::math::Real;
use crate::solver::body::{BODY_STATE_LEN, SolverBody};
use crate::solver::joint::SolverJoint;
use crate::solver::joint::batch::put;
use crate::solver::joint::jacobians::times_inverse_mass;
use crate::solver::simd::{Simd, Vector, WIDTH, Wide, rotation};

/// Masses and state indices of the two bodies. No two lanes move the same body.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct BodyPair {
    states: [[u32; WIDTH]; 2],
    /// Lanes in which impulses change the body's velocity, one bit per lane.
    write: [u32; 2],
    /// Inverse mass along the world axes; inverse inertia, world axes.
    pub mass: [[Wide; 3]; 2],
    pub inertia: [[Wide; 6]; 2],
}

impl BodyPair {
    /// Writes two bodies to a lane.
    pub fn fill(&mut self, lane: usize, states: [u32; 2], bodies: [&SolverBody; 2]) {
        for (side, body) in bodies.into_iter().enumerate() {
            self.states[side][lane] = states[side];
            self.write[side] |= u32::from(body.movable()) << lane;
            put(&mut self.mass[side], lane, body.free_axes() * body.inverse_mass);
            for (row, x) in self.inertia[side].iter_mut().zip(body.inverse_inertia) {
                row.0[lane] = x;
            }
        }
    }

    /// Response of the relative velocity at two arms to unit impulses along the world axes, and of
    /// the relative angular velocity, by axis.
    #[inline(always)]
    pub fn response_columns<L: Simd>(&self, arms: &[[Wide; 3]; 2], o: usize) -> ([Vector<L>; 3], [Vector<L>; 3]) {
        let zero = L::splat(0.0);
        let none = Vector::new(zero, zero, zero);
        let (mut columns, mut angular) = ([none; 3], [none; 3]);
        for ((arm, mass), inertia) in arms.iter().zip(&self.mass).zip(&self.inertia) {
            let (arm, mass) = (Vector::<L>::load(arm, o), Vector::<L>::load(mass, o));
            let moments = [
                Vector::new(zero, arm.z, zero - arm.y),
                Vector::new(zero - arm.z, zero, arm.x),
                Vector::new(arm.y, zero - arm.x, zero),
            ];
            let straight =
                [Vector::new(mass.x, zero, zero), Vector::new(zero, mass.y, zero), Vector::new(zero, zero, mass.z)];
            for k in 0..3 {
                let turned = moments[k].transformed_by(inertia, o);
                columns[k] = columns[k] + (straight[k] + turned.cross(arm));
                angular[k] = angular[k] + turned;
            }
        }
        (columns, angular)
    }
}

/// Poses of two bodies within a step.
pub(super) struct PairPose<L> {
    moved: [Vector<L>; 2],
    turned: [Vector<L>; 2],
    coefficients: [(L, L); 2],
}

impl<L: Simd> PairPose<L> {
    /// # Safety
    /// The body states of the pair must exist at `states`, and must not be written meanwhile.
    #[inline(always)]
    pub unsafe fn gather(states: *const Real, pair: &BodyPair, o: usize) -> Self {
        let [a, b] = &pair.states;
        // SAFETY: passed on to the caller; quads 2 and 3 lie inside a body state.
        let (ma, ta) =
            unsafe { (L::gather::<BODY_STATE_LEN>(states, a, o, 2), L::gather::<BODY_STATE_LEN>(states, a, o, 3)) };
        // SAFETY: as above.
        let (mb, tb) =
            unsafe { (L::gather::<BODY_STATE_LEN>(states, b, o, 2), L::gather::<BODY_STATE_LEN>(states, b, o, 3)) };
        let turned = [Vector::from_quad(ta), Vector::from_quad(tb)];
        Self {
            moved: [Vector::from_quad(ma), Vector::from_quad(mb)],
            turned,
            coefficients: [
                rotation::rotation_coefficients(turned[0].dot(turned[0])),
                rotation::rotation_coefficients(turned[1].dot(turned[1])),
            ],
        }
    }

    /// The change of a body's vector by its rotation.
    #[inline(always)]
    fn change(&self, side: usize, v: Vector<L>) -> Vector<L> {
        rotation::rotation_change(self.turned[side], self.coefficients[side], v)
    }

    /// A vector of a body, rotated with it.
    #[inline(always)]
    pub fn rotate(&self, side: usize, v: &[Wide; 3], o: usize) -> Vector<L> {
        let v = Vector::load(v, o);
        v + self.change(side, v)
    }

    /// Offset between the anchors, and the arms to them, from their values at the start of the
    /// step.
    #[inline(always)]
    pub fn anchors(&self, before: &Anchors, o: usize) -> (Vector<L>, [Vector<L>; 2]) {
        let [a, b] = [Vector::load(&before.arms[0], o), Vector::load(&before.arms[1], o)];
        let change = [self.change(0, a), self.change(1, b)];
        let gap = Vector::load(&before.gap, o) - (self.moved[0] + change[0]) + (self.moved[1] + change[1]);
        (gap, [a + change[0], b + change[1]])
    }
}

/// Anchors of a joint at the start of the step, world axes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Anchors {
    /// From the centres of mass to the anchors (m).
    arms: [[Wide; 3]; 2],
    /// From the first anchor to the second (m).
    gap: [Wide; 3],
}

impl Anchors {
    /// Writes a joint's anchors to a lane.
    pub fn fill(&mut self, lane: usize, joint: &SolverJoint) {
        put(&mut self.gap, lane, joint.gap);
        for (rows, arm) in self.arms.iter_mut().zip(joint.arms) {
            put(rows, lane, arm);
        }
    }
}

/// Velocities of the two bodies.
pub(super) struct PairVelocity<L> {
    pub v: [Vector<L>; 2],
    pub w: [Vector<L>; 2],
    /// Other values of the body states.
    spare: [[L; 2]; 2],
}

impl<L: Simd> PairVelocity<L> {
    /// # Safety
    /// As for [`PairPose::gather`].
    #[inline(always)]
    pub unsafe fn gather(states: *const Real, pair: &BodyPair, o: usize) -> Self {
        let [a, b] = &pair.states;
        // SAFETY: passed on to the caller; quads 0 and 1 lie inside a body state.
        let (va, wa) =
            unsafe { (L::gather::<BODY_STATE_LEN>(states, a, o, 0), L::gather::<BODY_STATE_LEN>(states, a, o, 1)) };
        // SAFETY: as above.
        let (vb, wb) =
            unsafe { (L::gather::<BODY_STATE_LEN>(states, b, o, 0), L::gather::<BODY_STATE_LEN>(states, b, o, 1)) };
        Self {
            v: [Vector::from_quad(va), Vector::from_quad(vb)],
            w: [Vector::from_quad(wa), Vector::from_quad(wb)],
            spare: [[va[3], wa[3]], [vb[3], wb[3]]],
        }
    }

    /// # Safety
    /// The body states of the pair must exist at `states`; those that impulses move belong to the
    /// caller alone.
    #[inline(always)]
    pub unsafe fn scatter(self, states: *mut Real, pair: &BodyPair, o: usize) {
        for side in 0..2 {
            let (ids, write, [m, n]) = (&pair.states[side], pair.write[side], self.spare[side]);
            // SAFETY: passed on to the caller; quads 0 and 1 lie inside a body state.
            unsafe {
                L::scatter::<BODY_STATE_LEN>(states, ids, write, o, 0, self.v[side].quad(m));
                L::scatter::<BODY_STATE_LEN>(states, ids, write, o, 1, self.w[side].quad(n));
            }
        }
    }

    /// Relative velocity at the arms.
    #[inline(always)]
    pub fn relative_velocity(&self, arms: &[[Wide; 3]; 2], o: usize) -> Vector<L> {
        let of_a = self.w[0].cross(Vector::load(&arms[0], o));
        let of_b = self.w[1].cross(Vector::load(&arms[1], o));
        (self.v[1] - self.v[0]) + (of_b - of_a)
    }

    /// Applies an impulse to the second body at its arm, and the opposite one to the first.
    #[inline(always)]
    pub fn apply(&mut self, pair: &BodyPair, arms: &[[Wide; 3]; 2], impulse: Vector<L>, o: usize) {
        self.apply_linear(pair, impulse, o);
        self.apply_angular(
            pair,
            [Vector::load(&arms[0], o).cross(impulse), Vector::load(&arms[1], o).cross(impulse)],
            o,
        );
    }

    #[inline(always)]
    pub fn apply_linear(&mut self, pair: &BodyPair, impulse: Vector<L>, o: usize) {
        self.v[0] = self.v[0] - times_inverse_mass(impulse, &pair.mass[0], o);
        self.v[1] = self.v[1] + times_inverse_mass(impulse, &pair.mass[1], o);
    }

    /// Applies angular impulses, the first with opposite sign.
    #[inline(always)]
    pub fn apply_angular(&mut self, pair: &BodyPair, [a, b]: [Vector<L>; 2], o: usize) {
        self.w[0] = self.w[0] - a.transformed_by(&pair.inertia[0], o);
        self.w[1] = self.w[1] + b.transformed_by(&pair.inertia[1], o);
    }
}

/// Sums of the impulses of a block over a step.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct ImpulseSums {
    /// Sum of the impulses; sum and maximum of their magnitudes.
    pub force: [Wide; 3],
    pub load: Wide,
    pub peak: Wide,
}

impl ImpulseSums {
    /// Adds the impulse of a substep.
    #[inline(always)]
    pub fn add<L: Simd>(&mut self, impulse: Vector<L>, o: usize) {
        (Vector::load(&self.force, o) + impulse).store(&mut self.force, o);
        let size = impulse.dot(impulse).sqrt();
        (L::load(&self.load, o) + size).store(&mut self.load, o);
        L::load(&self.peak, o).max(size).store(&mut self.peak, o);
    }
}
