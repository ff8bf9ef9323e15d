//! How stiff each contact may be.

use super::Side;
use crate::math::{Real, consts::PI};
use crate::solver::block::Block;
use crate::solver::lanes::{Lane, WIDTH};
use crate::solver::soft::Soft;
use crate::tolerances::{CONTACT_DAMPING, CONTACT_STIFFNESS, MAX_STIFFENING, MIN_STIFFENING, STIFFNESS_BUDGET};

/// Sets the springs of a block for a step.
///
/// A contact solves its own spring implicitly, but knows the others of its bodies only from the substep before, so it
/// is the sum over a body's contacts that must stay below the limit of an explicit spring. With effective mass m and
/// stiffness `m omega²` at each point, that sum is the trace of `I^-1 sum(m J^T J)`, where J are the rows of the body's
/// touching points: for a point between two like bodies it grows by a half, for one against the ground by one. A cube in
/// a tower collects 4, one in a pyramid 8. A body under its budget has stiffer contacts, and one in a crowd softer ones.
///
/// # Safety
/// The block's lines must exist at `lines` and nobody may be writing them.
#[inline(always)]
pub(crate) unsafe fn stiffen<L: Lane>(block: &mut Block, lines: *const Real, soft: &Soft) {
    let one = L::splat(1.0);
    let mut o = 0;
    while o < WIDTH {
        // SAFETY: passed on to the caller.
        let (a, b) = unsafe { (Side::<L>::gather(lines, &block.a, o), Side::<L>::gather(lines, &block.b, o)) };
        let most = a.stiffness.max(b.stiffness).max(one);
        let share = L::splat(STIFFNESS_BUDGET).div(most);
        let share = share.min(L::splat(MAX_STIFFENING)).max(L::splat(MIN_STIFFENING));
        let omega_h = L::splat(2.0 * PI * CONTACT_STIFFNESS) * share.sqrt();
        let a1 = L::splat(2.0 * CONTACT_DAMPING) + omega_h;
        let a2 = omega_h * a1;
        let a3 = one.div(one + a2);
        (omega_h.div(a1) * L::splat(soft.inverse_h)).store(&mut block.rate, o);
        (a2 * a3).store(&mut block.mass_scale, o);
        a3.store(&mut block.impulse_scale, o);
        o += L::N;
    }
}
