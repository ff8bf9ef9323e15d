//! The passes of a substep over the blocks of a net.

use super::ends::Borne;
use crate::math::{Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::joint::{JointRow, SolverJoint};
use crate::solver::lanes::{Kernel, Lane, Path, Row, WIDTH};

/// Joints of a form in eight lanes: what a sweep needs.
pub(super) trait Block: Copy + Default + Send {
    /// Of the same joints: where they were at the start of the step, and what they have done since.
    type Account: Copy + Default + Send;

    /// Puts a joint into a lane, with its rows, the lines of its bodies, and the impulse that it begins substeps of `h` (s) with.
    fn fill(
        &mut self,
        account: &mut Self::Account,
        lane: usize,
        joint: (&SolverJoint, &[JointRow]),
        ends: ([u32; 2], [&SolverBody; 2]),
        h: Real,
    );

    /// Puts the forces of the last substep, of `h` (s), into the rows of a lane's joint.
    fn store(&self, account: &Self::Account, lane: usize, rows: &mut [JointRow], h: Real);

    /// What the joints bore; the sums of their torques.
    fn borne(account: &Self::Account) -> (&Borne, Option<&[Row; 3]>);

    /// See [`turn`]; for lanes `o ..`.
    ///
    /// # Safety
    /// As for [`turn`].
    unsafe fn turn<L: Lane>(&mut self, account: &mut Self::Account, lines: *mut Real, h: Real, first: bool, o: usize);

    /// See [`solve`]; for lanes `o ..`.
    ///
    /// # Safety
    /// As for [`turn`].
    unsafe fn solve<L: Lane>(&mut self, lines: *mut Real, o: usize);

    /// See [`relax`]; for lanes `o ..`.
    ///
    /// # Safety
    /// As for [`turn`].
    unsafe fn relax<L: Lane>(&mut self, account: &mut Self::Account, lines: *mut Real, o: usize) -> L;
}

/// The torque of a lane that has any.
pub(super) fn torque(rows: Option<&[Row; 3]>, lane: usize) -> Vec3 {
    rows.map_or(Vec3::ZERO, |rows| crate::solver::joint::unit::take(rows, lane))
}

struct Turn<'a, B: Block> {
    blocks: &'a mut [B],
    accounts: &'a mut [B::Account],
    lines: *mut Real,
    h: Real,
    first: bool,
}

struct Solve<'a, B> {
    blocks: &'a mut [B],
    lines: *mut Real,
}

struct Relax<'a, B: Block> {
    blocks: &'a mut [B],
    accounts: &'a mut [B::Account],
    lines: *mut Real,
}

/// Makes the joints where their bodies have come to, and gives these what the joints bore: all of it in the `first` substep of a step, of
/// `h` (s), else what has changed, for the rest of it is repeated with the substep.
///
/// # Safety
/// The lines that the blocks name must exist at `lines`; those that they move belong to the caller alone, and nobody writes the others.
pub(super) unsafe fn turn<B: Block>(
    path: Path,
    (blocks, accounts): (&mut [B], &mut [B::Account]),
    lines: *mut Real,
    h: Real,
    first: bool,
) {
    path.run(Turn { blocks, accounts, lines, h, first });
}

/// Impulses that bring the joints together at the end of the substep.
///
/// # Safety
/// As for [`turn`].
pub(super) unsafe fn solve<B: Block>(path: Path, blocks: &mut [B], lines: *mut Real) {
    path.run(Solve { blocks, lines });
}

/// Impulses that make velocities agree, and the substep's share of what the step sums up. Returns by how much they did not (m/s; rad/s counts
/// alike).
///
/// # Safety
/// As for [`turn`].
pub(super) unsafe fn relax<B: Block>(
    path: Path,
    (blocks, accounts): (&mut [B], &mut [B::Account]),
    lines: *mut Real,
) -> Real {
    path.run(Relax { blocks, accounts, lines })
}

impl<B: Block> Kernel for Turn<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for (block, account) in self.blocks.iter_mut().zip(self.accounts) {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `turn`.
                unsafe { block.turn::<L>(account, self.lines, self.h, self.first, o) };
                o += L::N;
            }
        }
    }
}

impl<B: Block> Kernel for Solve<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for block in self.blocks {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `solve`.
                unsafe { block.solve::<L>(self.lines, o) };
                o += L::N;
            }
        }
    }
}

impl<B: Block> Kernel for Relax<'_, B> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Lane>(self) -> Real {
        let mut worst = L::splat(0.0);
        for (block, account) in self.blocks.iter_mut().zip(self.accounts) {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `relax`.
                worst = unsafe { block.relax::<L>(account, self.lines, o) }.max(worst);
                o += L::N;
            }
        }
        worst.greatest(0.0)
    }
}
