//! How stiff each contact may be.

use super::Side;
use crate::math::{Real, consts::PI};
use crate::solver::block::Block;
use crate::solver::lanes::{Kernel, Lane, Path, WIDTH};
use crate::solver::soft::Soft;
use crate::tolerances::{CONTACT_DAMPING, CONTACT_STIFFNESS, MAX_STIFFENING, MIN_STIFFENING, STIFFNESS_BUDGET};

/// Sets the springs of blocks for a step.
///
/// A contact solves its own spring implicitly, but knows the others of its bodies only from the substep before, so it
/// is the sum over a body's contacts that must stay below the limit of an explicit spring. With effective mass m and
/// stiffness `m omega²` at each point, that sum is the trace of `I^-1 sum(m J^T J)`, where J are the rows of the body's
/// touching points: for a point between two like bodies it grows by a half, for one against the ground by one. A cube in
/// a tower collects 4, one in a pyramid 8. A body under its budget has stiffer contacts, and one in a crowd softer ones.
///
/// # Safety
/// The blocks' lines must exist at `lines` and nobody may be writing them.
pub(crate) unsafe fn stiffen(path: Path, blocks: &mut [Block], lines: *const Real, soft: &Soft) {
    path.run(Stiffen { blocks, lines, soft });
}

struct Stiffen<'a> {
    blocks: &'a mut [Block],
    lines: *const Real,
    soft: &'a Soft,
}

impl Kernel for Stiffen<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for block in self.blocks {
            // SAFETY: passed on to the caller of `stiffen`.
            unsafe { stiffen_one::<L>(block, self.lines, self.soft) };
        }
    }
}

/// One of the blocks.
///
/// # Safety
/// As for [`stiffen`].
#[inline(always)]
unsafe fn stiffen_one<L: Lane>(block: &mut Block, lines: *const Real, soft: &Soft) {
    let one = L::splat(1.0);
    let mut o = 0;
    while o < WIDTH {
        // SAFETY: passed on to the caller.
        let (a, b) = unsafe { (Side::<L>::gather(lines, &block.a, o), Side::<L>::gather(lines, &block.b, o)) };
        let most = a.stiffness.max(b.stiffness).max(one);
        let share = L::splat(STIFFNESS_BUDGET).div(most);
        let share = share.min(L::splat(MAX_STIFFENING)).max(L::splat(MIN_STIFFENING));
        let omega_h = L::splat(2.0 * PI * CONTACT_STIFFNESS * soft.part) * share.sqrt();
        let a1 = L::splat(2.0 * CONTACT_DAMPING) + omega_h;
        let a2 = omega_h * a1;
        let a3 = one.div(one + a2);
        (omega_h.div(a1) * L::splat(soft.inverse_h)).store(&mut block.rate, o);
        (a2 * a3).store(&mut block.mass_scale, o);
        a3.store(&mut block.impulse_scale, o);
        o += L::N;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::body::{LINE, Line};

    /// The spring of a contact whose first body collects this trace: stiffness over mass (1/s²), and its coefficients.
    fn spring(trace: Real) -> (Real, [Real; 3]) {
        spring_of(trace, Soft::new(1.0 / 480.0))
    }

    fn spring_of(trace: Real, soft: Soft) -> (Real, [Real; 3]) {
        let mut lines = [Line::default(); 2];
        lines[1].velocity.0[7] = trace;
        assert_eq!(size_of::<Line>(), LINE * size_of::<Real>());
        let mut block = Block { a: [LINE as u32; WIDTH], ..Block::default() };
        // SAFETY: lines 0 and 1 are there.
        unsafe { stiffen(Path::best(), std::slice::from_mut(&mut block), lines.as_ptr().cast(), &soft) };
        let (rate, mass, impulse) = (block.rate.0[3], block.mass_scale.0[3], block.impulse_scale.0[3]);
        // At rest the impulse h k (-s) / m is where `-mass rate s - impulse λ` vanishes.
        (mass * rate / impulse * soft.inverse_h, [rate, mass, impulse])
    }

    #[test]
    fn a_contact_is_an_implicit_spring() {
        // Implicit Euler of x'' = -k x - c x' changes v to (v - h k x) / (1 + h c + h² k).
        let h = 1.0 / 480.0;
        let (k, [rate, mass, impulse]) = spring(8.0);
        let omega = k.sqrt();
        assert!((omega * h / (2.0 * PI) - CONTACT_STIFFNESS).abs() < 1e-4);
        let c = 2.0 * CONTACT_DAMPING * omega;
        for (x, v) in [(-1e-3, 0.0), (0.0, -1.0), (-2e-3, 0.5)] {
            let expected = (v - h * k * x) / (1.0 + h * c + h * h * k);
            let got = v - mass * (v + rate * x);
            assert!((got - expected).abs() < 1e-4, "{got} {expected}");
        }
        assert!((mass + impulse - 1.0).abs() < 1e-6);
    }

    #[test]
    fn shorter_substeps_may_keep_their_springs() {
        let (k, _) = spring(8.0);
        let finer = Soft::new(1.0 / 1920.0);
        let (same, stiffer) = (spring_of(8.0, finer.no_stiffer_than_in(1.0 / 480.0)).0, spring_of(8.0, finer).0);
        assert!((same - k).abs() < 1e-3 * k && (stiffer - 16.0 * k).abs() < 1e-2 * k, "{k} {same} {stiffer}");
        assert_eq!(finer.no_stiffer_than_in(1.0 / 9000.0), finer);
    }

    #[test]
    fn stiffness_is_shared_within_bounds() {
        let base = spring(STIFFNESS_BUDGET).0;
        for (trace, share) in
            [(0.0, MAX_STIFFENING), (STIFFNESS_BUDGET / 1.25, 1.25), (10.0, 0.8), (1e6, MIN_STIFFENING)]
        {
            let k = spring(trace).0;
            assert!((k - share * base).abs() < 1e-3 * base, "{trace}: {k} {base}");
        }
    }
}
