//! Whether what joints last did foretells what they do next.
//!
//! Joints are best looked at where they come to if they bear what they last bore. But where that swings from substep to substep, as in light
//! links between heavy balls, looking there makes it swing more.

use super::geometry::{look, look_again};
use super::unit::Parts;
use crate::math::Real;
use crate::solver::lanes::{Lane, Vector};
use crate::tolerances::FORETOLD;

/// Looks at the bodies where they come to in `h` (s) if their joints do what they last did, and notes that.
#[inline(always)]
pub(super) fn look_ahead<L: Lane>(parts: &mut Parts, o: usize, h: Real) {
    look::<L>(parts, o, h);
    for body in parts.bodies.iter_mut() {
        Vector::<L>::load(&body.pushed[1], o).store(&mut body.foretold, o);
    }
}

/// Looks at the bodies where they come to without their joints, in lanes that were told wrong in the last substep.
#[inline(always)]
pub(super) fn look_aside<L: Lane>(parts: &mut Parts, o: usize, h: Real) {
    let misled = L::splat(0.5).gt(L::load(parts.foretells, o));
    if L::bits(misled) != 0 {
        look_again::<L>(parts, o, h, misled);
    }
}

/// Compares what the joints did to the spins with what was foretold.
#[inline(always)]
pub(super) fn compare<L: Lane>(parts: &mut Parts, o: usize) {
    let zero = L::splat(0.0);
    let (mut wrong, mut all) = (zero, zero);
    for body in parts.bodies.iter() {
        let done = Vector::<L>::load(&body.velocity[1], o) + Vector::load(&body.pushed[1], o);
        let off = done - Vector::load(&body.foretold, o);
        wrong = wrong + off.dot(off);
        all = all + done.dot(done);
    }
    L::select(wrong.gt(L::splat(FORETOLD) * all), zero, L::splat(1.0)).store(parts.foretells, o);
}
