//! The wide kernels: every loop over blocks or lines of bodies, generic in the lanes it runs on.
//!
//! All of them take the lines by pointer: several workers run kernels on disjoint lines at once, and a line that
//! nothing moves (slot 0, a kinematic body's copy) may be read by many lanes. See `super::run` for who owns what.

mod advance;
mod finish;
mod integrate;
mod pass;
mod point;
mod push;
mod rub;
mod stiffen;

pub(crate) use advance::advance;
pub(crate) use finish::{finish, set_friction};
pub(crate) use integrate::{begin_free_substep, begin_substep, drift, drift_turning};
pub(crate) use pass::pass;
pub(crate) use stiffen::stiffen;

use super::block::Block;
use super::lanes::{Lane, Row, Vector, WIDTH};
use crate::math::Real;

/// Velocity and angular velocity of the bodies of some lanes, with what makes impulses of them.
#[derive(Clone, Copy)]
struct Side<L> {
    v: Vector<L>,
    w: Vector<L>,
    /// Inverse mass.
    m: L,
    /// How stiff the contacts make the body: see [`stiffen`].
    stiffness: L,
}

impl<L: Lane> Side<L> {
    /// Gathers the velocities of lanes `o ..`.
    ///
    /// # Safety
    /// As for [`Lane::gather`].
    #[inline(always)]
    unsafe fn gather(lines: *const Real, ids: &[u32; WIDTH], o: usize) -> Self {
        // SAFETY: passed on to the caller; quads 0 and 1 lie inside a line.
        let (q, r) = unsafe { (L::gather::<1>(lines, ids, o, 0), L::gather::<1>(lines, ids, o, 1)) };
        Self { v: Vector::from_quad(q), w: Vector::from_quad(r), m: q[3], stiffness: r[3] }
    }

    /// Writes the velocities back where `write` says so.
    ///
    /// # Safety
    /// As for [`Lane::scatter`].
    #[inline(always)]
    unsafe fn scatter(self, lines: *mut Real, ids: &[u32; WIDTH], write: u32, o: usize) {
        if write == 0 {
            return;
        }
        // SAFETY: passed on to the caller; quads 0 and 1 lie inside a line.
        unsafe {
            L::scatter::<1>(lines, ids, write, o, 0, self.v.quad(self.m));
            L::scatter::<1>(lines, ids, write, o, 1, self.w.quad(self.stiffness));
        }
    }
}

/// Gathers displacement and rotation of lanes `o ..`.
///
/// # Safety
/// As for [`Lane::gather`].
#[inline(always)]
unsafe fn moved<L: Lane>(lines: *const Real, ids: &[u32; WIDTH], o: usize) -> (Vector<L>, Vector<L>) {
    // SAFETY: passed on to the caller; quads 2 and 3 lie inside a line.
    let (q, r) = unsafe { (L::gather::<1>(lines, ids, o, 2), L::gather::<1>(lines, ids, o, 3)) };
    (Vector::from_quad(q), Vector::from_quad(r))
}

/// The geometry of some lanes of a block.
#[derive(Clone, Copy)]
struct Frame<L> {
    n: Vector<L>,
    t1: Vector<L>,
    t2: Vector<L>,
    ra: Vector<L>,
    rb: Vector<L>,
}

impl<L: Lane> Frame<L> {
    #[inline(always)]
    fn load(block: &Block, o: usize) -> Self {
        let n = Vector::load(&block.normal, o);
        let t1 = Vector::load(&block.tangent, o);
        Self { n, t1, t2: n.cross(t1), ra: Vector::load(&block.lever_a, o), rb: Vector::load(&block.lever_b, o) }
    }
}

/// What is left of a change of velocity along the axes that are free.
#[inline(always)]
fn freed<L: Lane>(change: Vector<L>, locked: bool, free: &[Row; 3], o: usize) -> Vector<L> {
    if locked {
        let free = Vector::<L>::load(free, o);
        Vector::new(change.x * free.x, change.y * free.y, change.z * free.z)
    } else {
        change
    }
}

/// What an angular impulse changes an angular velocity by.
#[inline(always)]
fn spun<L: Lane>(angular: Vector<L>, block: &Block, inertia: &[Row; 6], o: usize) -> Vector<L> {
    if block.is_round() { angular.scale(L::load(&inertia[0], o)) } else { angular.transformed(inertia, o) }
}

/// Applies an impulse at the centre and an angular impulse to both bodies, the first taking the opposite.
#[inline(always)]
fn apply<L: Lane>(
    a: &mut Side<L>,
    b: &mut Side<L>,
    block: &Block,
    o: usize,
    frame: &Frame<L>,
    impulse: Vector<L>,
    angular: Vector<L>,
) {
    a.v = a.v - freed(impulse.scale(a.m), block.locked != 0, &block.free_a, o);
    a.w = a.w - spun(frame.ra.cross(impulse) + angular, block, &block.inertia_a, o);
    b.v = b.v + freed(impulse.scale(b.m), block.locked != 0, &block.free_b, o);
    b.w = b.w + spun(frame.rb.cross(impulse) + angular, block, &block.inertia_b, o);
}

#[cfg(test)]
mod tests;
