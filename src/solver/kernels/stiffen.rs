//! Stiffness limit of each contact spring.

use super::BodyVelocities;
use crate::math::{Real, consts::PI};
use crate::solver::block::ContactBlock;
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, WIDTH};
use crate::solver::soft::SoftContact;
use crate::tolerances::{CONTACT_SPRING, MIN_STIFFENING};

/// Sets the contact springs of blocks for a step.
///
/// A contact solves its own spring implicitly, but knows the others of its bodies only from the
/// last substep, so the sum over the contacts of a body must stay below the limit of an explicit
/// spring. With effective mass m and stiffness `m omega²` at each point, that sum is the trace of
/// `I^-1 sum(m J^T J)`, where J are the rows of the body's touching points: a point between two
/// equal bodies adds a half, a point on the ground adds one. A cube in a tower collects 4, a cube
/// in a pyramid 8. A body below its budget has stiffer contacts, a body with many contacts softer
/// ones.
///
/// # Safety
/// The states of the blocks' bodies must exist at `states`, and no thread may be writing them.
pub(crate) unsafe fn stiffen(simd: SimdLevel, blocks: &mut [ContactBlock], states: *const Real, soft: &SoftContact) {
    simd.run(Stiffen { blocks, states, soft });
}

struct Stiffen<'a> {
    blocks: &'a mut [ContactBlock],
    states: *const Real,
    soft: &'a SoftContact,
}

impl SimdKernel for Stiffen<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        for block in self.blocks {
            // SAFETY: the contract of `stiffen`.
            unsafe { stiffen_one::<L>(block, self.states, self.soft) };
        }
    }
}

/// Sets the springs of one block.
///
/// # Safety
/// As for [`stiffen`].
#[inline(always)]
unsafe fn stiffen_one<L: Simd>(block: &mut ContactBlock, states: *const Real, soft: &SoftContact) {
    let one = L::splat(1.0);
    let mut o = 0;
    while o < WIDTH {
        // SAFETY: the caller's contract.
        let (a, b) = unsafe {
            (BodyVelocities::<L>::gather(states, &block.a, o), BodyVelocities::<L>::gather(states, &block.b, o))
        };
        let most = a.stiffness.max(b.stiffness).max(one);
        let share = L::splat(CONTACT_SPRING.trace).div(most);
        let share = share.min(L::splat(CONTACT_SPRING.max_stiffening)).max(L::splat(MIN_STIFFENING));
        let omega_h = L::splat(2.0 * PI * CONTACT_SPRING.phase * soft.frequency_ratio) * share.sqrt();
        let a1 = L::splat(2.0 * CONTACT_SPRING.damping_ratio) + omega_h;
        let a2 = omega_h * a1;
        let a3 = one.div(one + a2);
        (omega_h.div(a1) * L::splat(soft.inverse_h)).store(&mut block.rate, o);
        (a2 * a3).store(&mut block.mass_scale, o);
        a3.store(&mut block.impulse_scale, o);
        o += L::N;
    }
    if block.extrapolated != 0 {
        let extrapolated = |lane: &usize| block.extrapolated >> lane & 1 == 1;
        for lane in (0..WIDTH).filter(extrapolated) {
            block.rate.0[lane] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Parameters;
    use crate::solver::body::{BODY_STATE_LEN, BodyState};

    /// Stiffness over mass (1/s²) and coefficients of a contact whose first body collects this
    /// trace.
    fn spring(trace: Real) -> (Real, [Real; 3]) {
        spring_of(trace, SoftContact::new(1.0 / 480.0, Parameters::PUSH_OUT_SPEED))
    }

    fn spring_of(trace: Real, soft: SoftContact) -> (Real, [Real; 3]) {
        let mut states = [BodyState::default(); 2];
        states[1].velocity.0[7] = trace;
        assert_eq!(size_of::<BodyState>(), BODY_STATE_LEN * size_of::<Real>());
        let mut block = ContactBlock { a: [BODY_STATE_LEN as u32; WIDTH], ..ContactBlock::default() };
        // SAFETY: states 0 and 1 exist.
        unsafe { stiffen(SimdLevel::best(), std::slice::from_mut(&mut block), states.as_ptr().cast(), &soft) };
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
        assert!((omega * h / (2.0 * PI) - CONTACT_SPRING.phase).abs() < 1e-4);
        let c = 2.0 * CONTACT_SPRING.damping_ratio * omega;
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
        let finer = SoftContact::new(1.0 / 1920.0, Parameters::PUSH_OUT_SPEED);
        let (same, stiffer) = (spring_of(8.0, finer.no_stiffer_than_in(1.0 / 480.0)).0, spring_of(8.0, finer).0);
        assert!((same - k).abs() < 1e-3 * k && (stiffer - 16.0 * k).abs() < 1e-2 * k, "{k} {same} {stiffer}");
        assert_eq!(finer.no_stiffer_than_in(1.0 / 9000.0), finer);
    }

    #[test]
    fn stiffness_is_shared_within_bounds() {
        let base = spring(CONTACT_SPRING.trace).0;
        for (trace, share) in [
            (0.0, CONTACT_SPRING.max_stiffening),
            (CONTACT_SPRING.trace / 1.25, 1.25),
            (10.0, 0.8),
            (1e6, MIN_STIFFENING),
        ] {
            let k = spring(trace).0;
            assert!((k - share * base).abs() < 1e-3 * base, "{trace}: {k} {base}");
        }
    }
}
