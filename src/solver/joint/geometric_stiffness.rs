//! Geometric stiffness: raised inertia of bodies on taut joints.
//!
//! A force `f` on an arm `r` acts on the body as a rotational spring of `k = f . r (1 - r r^T /
//! r^2)`, its geometric stiffness. The impulses of a substep act along the Jacobian of its start,
//! so an oscillation of angular frequency `w` diverges for `h w > 2`. The tension of nearly
//! straight chains is limited by the CFM alone, and no number of substeps is enough for all. An
//! inertia of at least `h^2 k / p^2`, with a phase `p` below that limit, keeps every oscillation
//! within the resolution of the substep (Tournier, Nesme, Gilles, Faure, "Stable constrained
//! dynamics", 2015). Static forces do not depend on it; bodies with slower oscillations keep their
//! inertia bit for bit. Impulses that raised inertias answer change the momentum of a free group, so
//! only groups that hang on an immovable body keep them. In the implicit solution they act against the
//! change from one solution to the next alone, in any group:
//! [`implicit_projection`](super::implicit_projection).

use super::batch::BatchView;
use super::gyroscopic::inverse;
use super::jacobians::JointPose;
use crate::math::Real;
use crate::solver::simd::{Simd, Vector, Wide};
use crate::tolerances::{GEOMETRIC_STIFFNESS_PHASE, JOINTS};

/// Raises the inertia of bodies in some lanes whose phase per substep of `h` (s) under the current
/// joint impulses is too large, for the rows assembled from it. [`restore`] undoes it.
#[inline(always)]
pub(super) fn apply<L: Simd>(view: &mut BatchView, o: usize, h: Real, lanes: L::Mask) {
    let zero = L::splat(0.0);
    for (own, body) in view.raised.iter_mut().zip(view.bodies.iter()) {
        for (entry, inertia) in own.inertia.iter_mut().zip(&body.inertia) {
            L::load(inertia, o).store(entry, o);
        }
        for entry in &mut own.added {
            zero.store(entry, o);
        }
    }
    for ((kind, block), joint) in view.factor.joints.iter().zip(&view.factor.blocks).zip(view.joints.iter()) {
        if !block.has_point {
            continue;
        }
        let placed = JointPose::<L>::new(joint, kind.bodies.map(|body| &view.bodies[body as usize]), o);
        let impulse = Vector::<L>::load(&joint.impulse, o);
        for (side, arm) in placed.point_arms().into_iter().enumerate() {
            let along = arm.dot(impulse);
            let pull = (if side == 0 { zero - along } else { along }).max(zero);
            add_stiffness(&mut view.raised[kind.bodies[side] as usize].added, arm, pull * L::splat(h), o);
        }
    }
    for (own, body) in view.raised.iter_mut().zip(view.bodies.iter_mut()) {
        raise_inertia::<L>(&mut own.added, &mut body.inertia, lanes, o);
    }
}

/// Restores the inertias of the bodies.
#[inline(always)]
pub(super) fn restore<L: Simd>(view: &mut BatchView, o: usize) {
    for (own, body) in view.raised.iter().zip(view.bodies.iter_mut()) {
        for (entry, inertia) in own.inertia.iter().zip(&mut body.inertia) {
            L::load(entry, o).store(inertia, o);
        }
    }
}

/// Adds the stiffness of a tension (N m, times the square of the substep) on an arm.
#[inline(always)]
fn add_stiffness<L: Simd>(stiffness: &mut [Wide; 6], arm: Vector<L>, pull: L, o: usize) {
    let square = arm.dot(arm);
    let nonzero = square.gt(L::splat(Real::MIN_POSITIVE));
    let over = L::select(nonzero, pull.div(L::select(nonzero, square, L::splat(1.0))), L::splat(0.0));
    let (x, y, z) = (arm.x, arm.y, arm.z);
    let added = [
        y * y + z * z,
        x * x + z * z,
        x * x + y * y,
        L::splat(0.0) - x * y,
        L::splat(0.0) - x * z,
        L::splat(0.0) - y * z,
    ];
    for (entry, added) in stiffness.iter_mut().zip(added) {
        (L::load(entry, o) + added * over).store(entry, o);
    }
}

/// Raises the inertia, given by its inverse, to what the stiffness demands (both kg m²) in some lanes
/// where the phase is too large. The stiffness becomes the part of it that was added.
#[inline(always)]
fn raise_inertia<L: Simd>(stiffness: &mut [Wide; 6], inertia: &mut [Wide; 6], lanes: L::Mask, o: usize) {
    let (zero, one, two) = (L::splat(0.0), L::splat(1.0), L::splat(2.0));
    let mut phase_squared = zero;
    for (k, (entry_stiffness, inverse)) in stiffness.iter().zip(inertia.iter()).enumerate() {
        let both = L::load(entry_stiffness, o) * L::load(inverse, o);
        phase_squared = phase_squared + if k < 3 { both } else { two * both };
    }
    // At most twice the square of the phase.
    let bound = L::splat(2.0 * GEOMETRIC_STIFFNESS_PHASE * GEOMETRIC_STIFFNESS_PHASE);
    let exceeds = L::and(lanes, phase_squared.gt(bound));
    if L::bits(exceeds) == 0 {
        for entry in stiffness {
            zero.store(entry, o);
        }
        return;
    }
    let phase_squared = L::select(exceeds, phase_squared, bound);
    let share =
        (one - bound.div(phase_squared)) * L::splat(1.0 / (GEOMETRIC_STIFFNESS_PHASE * GEOMETRIC_STIFFNESS_PHASE));
    let share = share.min(L::splat(JOINTS.max_inertia_raise).div(phase_squared));
    let own = inverse::<L>(inertia, o);
    // Bodies with locked rotations have no inertia.
    let exceeds = L::and(exceeds, own[0].gt(zero));
    let mut raised = *inertia;
    for ((entry, added), into) in own.iter().zip(stiffness).zip(&mut raised) {
        let of_stiffness = L::load(added, o) * share;
        (*entry + of_stiffness).store(into, o);
        L::select(exceeds, of_stiffness, zero).store(added, o);
    }
    for (entry, new) in inertia.iter_mut().zip(inverse::<L>(&raised, o)) {
        L::select(exceeds, new, L::load(entry, o)).store(entry, o);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Mat3, Vec3};
    use crate::solver::simd::{Portable, WIDTH};

    /// All lanes.
    fn all() -> <Portable as Simd>::Mask {
        Portable::splat(1.0).gt(Portable::splat(0.0))
    }

    /// Largest square of the phase of a body on an arm under a tension, with its own and with the
    /// raised inertia.
    fn phases_squared(pull: Real, inverse: [Real; 6], arm: Vec3) -> [Real; 2] {
        let (mut stiffness, own) = ([Wide::default(); 6], inverse.map(|x| Wide([x; WIDTH])));
        let lanes = Vector::new(Portable::splat(arm.x), Portable::splat(arm.y), Portable::splat(arm.z));
        add_stiffness(&mut stiffness, lanes, Portable::splat(pull), 0);
        let mut raised = own;
        raise_inertia::<Portable>(&mut stiffness, &mut raised, all(), 0);
        let (u, v) = arm.normalize().any_orthonormal_pair();
        [own, raised].map(|rows| {
            let [xx, yy, zz, xy, xz, yz] = rows.map(|row| row.0[0]);
            let inverse = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
            let [a, b, c] = [(u, u), (v, v), (u, v)].map(|(s, t)| s.dot(inverse * t));
            pull * (0.5 * (a + b) + (0.25 * (a - b) * (a - b) + c * c).sqrt())
        })
    }

    #[test]
    fn no_tension_exceeds_the_phase_limit_of_a_substep_and_slow_bodies_keep_their_inertia() {
        let bound = GEOMETRIC_STIFFNESS_PHASE * GEOMETRIC_STIFFNESS_PHASE;
        for inverse in
            [[3.0, 3.0, 3.0, 0.0, 0.0, 0.0], [9.0, 2.0, 4.0, 0.5, 0.1, -0.3], [500.0, 1.0, 1.0, 0.0, 0.0, 0.0]]
        {
            for arm in [Vec3::new(0.3, -0.2, 0.6), Vec3::X * 0.25] {
                let [one, _] = phases_squared(1.0, inverse, arm);
                for target in [0.0, 0.01, 0.3, 0.6, 1.0, 2.0, 10.0, 100.0] {
                    let [own, raised] = phases_squared(target / one, inverse, arm);
                    assert!(raised < 2.05 * bound && raised <= own, "{target} {arm}: {own} {raised}");
                    assert!(own >= bound || raised == own, "{target} {arm}: {own} {raised}");
                }
            }
        }
    }

    #[test]
    fn a_tension_does_not_hold_a_body_from_turning_about_it() {
        let mut stiffness = [Wide::default(); 6];
        let arm = Vector::new(Portable::splat(0.5), Portable::splat(0.0), Portable::splat(0.0));
        add_stiffness(&mut stiffness, arm, Portable::splat(50.0), 0);
        let mut inertia = [
            Wide([40.0; WIDTH]),
            Wide([2.0; WIDTH]),
            Wide([2.0; WIDTH]),
            Wide::default(),
            Wide::default(),
            Wide::default(),
        ];
        raise_inertia::<Portable>(&mut stiffness, &mut inertia, all(), 0);
        let [about, across, ..] = inertia.map(|row| row.0[0]);
        assert!((about - 40.0).abs() < 1e-3 && across < 0.01, "{about} {across}");
    }
}
