//! The SIMD kernels of contacts: every loop over contact blocks or body states, generic in the
//! register width.
//!
//! All kernels take the body states by pointer: several workers run kernels on disjoint states at
//! once, and a state that no impulse changes (slot 0, the copy of a kinematic body) may be read by
//! many lanes. `super::stages` documents the ownership. The argument `o` of a function is the first
//! lane of a register within a block.

mod friction;
mod integrate;
mod normal;
mod pgs_sweep;
mod prepare;
mod single_point;
mod stiffen;
mod store_separations;

pub(crate) use integrate::{begin_free_substep, begin_substep, drift, drift_large_rotations};
pub(crate) use pgs_sweep::pgs_sweep;
pub(crate) use prepare::{prepare, set_friction};
pub(crate) use stiffen::stiffen;
pub(crate) use store_separations::store_separations;

use super::block::ContactBlock;
use super::simd::{Simd, Vector, WIDTH, Wide};
use crate::math::Real;

/// Velocities of one body of each lane, with its inverse mass and its contact stiffness.
#[derive(Clone, Copy)]
struct BodyVelocities<L> {
    v: Vector<L>,
    w: Vector<L>,
    /// Inverse mass.
    m: L,
    /// Trace of the contact stiffness of the body: see [`stiffen`].
    stiffness: L,
}

impl<L: Simd> BodyVelocities<L> {
    /// Gathers the velocities of lanes `o ..`.
    ///
    /// # Safety
    /// As for [`Simd::gather`].
    #[inline(always)]
    unsafe fn gather(states: *const Real, ids: &[u32; WIDTH], o: usize) -> Self {
        // SAFETY: the caller's contract; quads 0 and 1 lie inside a body state.
        let (q, r) = unsafe { (L::gather::<1>(states, ids, o, 0), L::gather::<1>(states, ids, o, 1)) };
        Self { v: Vector::from_quad(q), w: Vector::from_quad(r), m: q[3], stiffness: r[3] }
    }

    /// Writes the velocities of the lanes whose bit is set in `write`.
    ///
    /// # Safety
    /// As for [`Simd::scatter`].
    #[inline(always)]
    unsafe fn scatter(self, states: *mut Real, ids: &[u32; WIDTH], write: u32, o: usize) {
        if write == 0 {
            return;
        }
        // SAFETY: the caller's contract; quads 0 and 1 lie inside a body state.
        unsafe {
            L::scatter::<1>(states, ids, write, o, 0, self.v.quad(self.m));
            L::scatter::<1>(states, ids, write, o, 1, self.w.quad(self.stiffness));
        }
    }
}

/// Gathers displacement and rotation of lanes `o ..`.
///
/// # Safety
/// As for [`Simd::gather`].
#[inline(always)]
unsafe fn gather_displacement<L: Simd>(states: *const Real, ids: &[u32; WIDTH], o: usize) -> (Vector<L>, Vector<L>) {
    // SAFETY: the caller's contract; quads 2 and 3 lie inside a body state.
    let (q, r) = unsafe { (L::gather::<1>(states, ids, o, 2), L::gather::<1>(states, ids, o, 3)) };
    (Vector::from_quad(q), Vector::from_quad(r))
}

/// Contact frame and lever arms of lanes `o ..` of a block.
#[derive(Clone, Copy)]
struct Frame<L> {
    n: Vector<L>,
    t1: Vector<L>,
    t2: Vector<L>,
    ra: Vector<L>,
    rb: Vector<L>,
}

impl<L: Simd> Frame<L> {
    #[inline(always)]
    fn load(block: &ContactBlock, o: usize) -> Self {
        let n = Vector::load(&block.normal, o);
        let t1 = Vector::load(&block.tangent, o);
        Self { n, t1, t2: n.cross(t1), ra: Vector::load(&block.arm_a, o), rb: Vector::load(&block.arm_b, o) }
    }
}

/// Part of a change of velocity along the unlocked axes of the world.
#[inline(always)]
fn along_free_axes<L: Simd>(change: Vector<L>, locked: bool, free: &[Wide; 3], o: usize) -> Vector<L> {
    if locked {
        let free = Vector::<L>::load(free, o);
        Vector::new(change.x * free.x, change.y * free.y, change.z * free.z)
    } else {
        change
    }
}

/// Change of angular velocity by an angular impulse.
#[inline(always)]
fn angular_change<L: Simd>(angular: Vector<L>, block: &ContactBlock, inertia: &[Wide; 6], o: usize) -> Vector<L> {
    if block.is_isotropic() { angular.scale(L::load(&inertia[0], o)) } else { angular.transformed_by(inertia, o) }
}

/// Applies an impulse at the centre and an angular impulse to the second body, and the opposite to
/// the first.
#[inline(always)]
fn apply<L: Simd>(
    a: &mut BodyVelocities<L>,
    b: &mut BodyVelocities<L>,
    block: &ContactBlock,
    o: usize,
    frame: &Frame<L>,
    impulse: Vector<L>,
    angular: Vector<L>,
) {
    a.v = a.v - along_free_axes(impulse.scale(a.m), block.locked != 0, &block.free_a, o);
    a.w = a.w - angular_change(frame.ra.cross(impulse) + angular, block, &block.inertia_a, o);
    b.v = b.v + along_free_axes(impulse.scale(b.m), block.locked != 0, &block.free_b, o);
    b.w = b.w + angular_change(frame.rb.cross(impulse) + angular, block, &block.inertia_b, o);
}

#[cfg(test)]
mod tests;
