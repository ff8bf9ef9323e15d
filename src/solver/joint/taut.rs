//! Bodies that taut joints would swing by more within a substep than it can follow.
//!
//! A force `f` on a lever `r` turns with the body, which swings on it as on a spring of `k = f . r (1 - r r^T / r^2)`: its
//! geometric stiffness. A substep's impulses point along the rows of its start, so that what swings at `w` explodes from
//! `h w = 2` on. How taut a bridge is that is built straight is bounded by nothing but how little its joints give way, and
//! no number of substeps is enough for all. With an inertia of at least `h^2 k` over the square of a turn below that
//! (Tournier, Nesme, Gilles, Faure, "Stable constrained dynamics", 2015), joints turn bodies no faster than a substep follows,
//! whatever they bear; forces at rest do not depend on it, and what swings more slowly has its own inertia, to the bit.

use super::geometry::Placed;
use super::tumble::inverse;
use super::unit::Parts;
use crate::math::Real;
use crate::solver::lanes::{Lane, Row, Vector};
use crate::tolerances::{TAUT_MOST, TAUT_SWING};

/// A body's own inverse inertia, while a raised one has its place, and its stiffness times the square of a substep (kg m²): xx, yy, zz, xy,
/// xz, yz.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Held {
    inertia: [Row; 6],
    stiffness: [Row; 6],
}

/// Raises the inertia of bodies that the joints' impulses in a substep of `h` (s) would swing too far where they are looked at, for the
/// rows that are made of it. [`let_go`] takes it back.
#[inline(always)]
pub(super) fn hold<L: Lane>(parts: &mut Parts, o: usize, h: Real) {
    if parts.held.is_empty() {
        return;
    }
    let zero = L::splat(0.0);
    for (own, body) in parts.held.iter_mut().zip(parts.bodies.iter()) {
        for (entry, inertia) in own.inertia.iter_mut().zip(&body.inertia) {
            L::load(inertia, o).store(entry, o);
        }
        for entry in &mut own.stiffness {
            zero.store(entry, o);
        }
    }
    for ((kind, place), joint) in parts.program.joints.iter().zip(&parts.program.places).zip(parts.joints.iter()) {
        if !place.pinned {
            continue;
        }
        let placed = Placed::<L>::new(joint, kind.bodies.map(|body| &parts.bodies[body as usize]), o);
        let impulse = Vector::<L>::load(&joint.impulse, o);
        for (side, arm) in placed.arms().into_iter().enumerate() {
            let along = arm.dot(impulse);
            let pull = (if side == 0 { zero - along } else { along }).max(zero);
            stiffen(&mut parts.held[kind.bodies[side] as usize].stiffness, arm, pull * L::splat(h), o);
        }
    }
    for (own, body) in parts.held.iter().zip(parts.bodies.iter_mut()) {
        raise::<L>(&own.stiffness, &mut body.inertia, o);
    }
}

/// Gives the bodies their own inertia back.
#[inline(always)]
pub(super) fn let_go<L: Lane>(parts: &mut Parts, o: usize) {
    for (own, body) in parts.held.iter().zip(parts.bodies.iter_mut()) {
        for (entry, inertia) in own.inertia.iter().zip(&mut body.inertia) {
            L::load(entry, o).store(inertia, o);
        }
    }
}

/// Adds a pull (N m, times the square of the substep) on an arm to a body's stiffness.
#[inline(always)]
fn stiffen<L: Lane>(stiffness: &mut [Row; 6], arm: Vector<L>, pull: L, o: usize) {
    let square = arm.dot(arm);
    let there = square.gt(L::splat(Real::MIN_POSITIVE));
    let over = L::select(there, pull.div(L::select(there, square, L::splat(1.0))), L::splat(0.0));
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

/// Raises an inertia, of which this is the inverse, to what a stiffness asks (both kg m²), where it swings too far.
#[inline(always)]
fn raise<L: Lane>(stiffness: &[Row; 6], inertia: &mut [Row; 6], o: usize) {
    let (zero, one, two) = (L::splat(0.0), L::splat(1.0), L::splat(2.0));
    let mut swings = zero;
    for (k, (stiff, inverse)) in stiffness.iter().zip(inertia.iter()).enumerate() {
        let both = L::load(stiff, o) * L::load(inverse, o);
        swings = swings + if k < 3 { both } else { two * both };
    }
    // At most twice the square of the turn by which it swings.
    let bound = L::splat(2.0 * TAUT_SWING * TAUT_SWING);
    let far = swings.gt(bound);
    if L::bits(far) == 0 {
        return;
    }
    let swings = L::select(far, swings, bound);
    let share = (one - bound.div(swings)) * L::splat(1.0 / (TAUT_SWING * TAUT_SWING));
    let share = share.min(L::splat(TAUT_MOST).div(swings));
    let mut own = inverse::<L>(inertia, o);
    // What is locked has none.
    let far = L::and(far, own[0].gt(zero));
    let mut raised = *inertia;
    for ((entry, stiff), into) in own.iter_mut().zip(stiffness).zip(&mut raised) {
        (*entry + L::load(stiff, o) * share).store(into, o);
    }
    own = inverse::<L>(&raised, o);
    for (entry, new) in inertia.iter_mut().zip(own) {
        L::select(far, new, L::load(entry, o)).store(entry, o);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Mat3, Vec3};
    use crate::solver::lanes::{Portable, WIDTH};

    /// The greatest square of the turn by which a pull swings a body on an arm, with its own inertia and with the raised one.
    fn swings(pull: Real, inverse: [Real; 6], arm: Vec3) -> [Real; 2] {
        let (mut stiffness, own) = ([Row::default(); 6], inverse.map(|x| Row([x; WIDTH])));
        let lanes = Vector::new(Portable::splat(arm.x), Portable::splat(arm.y), Portable::splat(arm.z));
        stiffen(&mut stiffness, lanes, Portable::splat(pull), 0);
        let mut raised = own;
        raise::<Portable>(&stiffness, &mut raised, 0);
        let (u, v) = arm.normalize().any_orthonormal_pair();
        [own, raised].map(|rows| {
            let [xx, yy, zz, xy, xz, yz] = rows.map(|row| row.0[0]);
            let inverse = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
            let [a, b, c] = [(u, u), (v, v), (u, v)].map(|(s, t)| s.dot(inverse * t));
            pull * (0.5 * (a + b) + (0.25 * (a - b) * (a - b) + c * c).sqrt())
        })
    }

    #[test]
    fn no_pull_swings_a_body_further_than_a_substep_follows_and_what_is_slow_keeps_its_inertia() {
        let bound = TAUT_SWING * TAUT_SWING;
        for inverse in
            [[3.0, 3.0, 3.0, 0.0, 0.0, 0.0], [9.0, 2.0, 4.0, 0.5, 0.1, -0.3], [500.0, 1.0, 1.0, 0.0, 0.0, 0.0]]
        {
            for arm in [Vec3::new(0.3, -0.2, 0.6), Vec3::X * 0.25] {
                let [one, _] = swings(1.0, inverse, arm);
                for swing in [0.0, 0.01, 0.3, 0.6, 1.0, 2.0, 10.0, 100.0] {
                    let [own, raised] = swings(swing / one, inverse, arm);
                    assert!(raised < 2.05 * bound && raised <= own, "{swing} {arm}: {own} {raised}");
                    assert!(own >= bound || raised == own, "{swing} {arm}: {own} {raised}");
                }
            }
        }
    }

    #[test]
    fn a_pull_does_not_hold_a_body_from_turning_about_it() {
        let mut stiffness = [Row::default(); 6];
        let arm = Vector::new(Portable::splat(0.5), Portable::splat(0.0), Portable::splat(0.0));
        stiffen(&mut stiffness, arm, Portable::splat(50.0), 0);
        let mut inertia =
            [Row([40.0; WIDTH]), Row([2.0; WIDTH]), Row([2.0; WIDTH]), Row::default(), Row::default(), Row::default()];
        raise::<Portable>(&stiffness, &mut inertia, 0);
        let [about, across, ..] = inertia.map(|row| row.0[0]);
        assert!((about - 40.0).abs() < 1e-3 && across < 0.01, "{about} {across}");
    }
}
