//! Symmetric matrices of three rows in lanes, and their inverses on what a joint locks.

use crate::solver::lanes::{Lane, Vector};
use crate::tolerances::JOINT_SLACK;

/// A symmetric matrix of the size of one, whose diagonal gives way a little, with its cofactors; and what it was scaled by.
struct Scaled<L> {
    diagonal: Vector<L>,
    /// xy, xz, yz.
    others: [L; 3],
    /// xx, yy, zz, xy, xz, yz.
    cofactors: [L; 6],
    scale: L,
}

impl<L: Lane> Scaled<L> {
    #[inline(always)]
    fn new([x, y, z]: [Vector<L>; 3]) -> Self {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        // Of the size of one, or the determinant of great masses would vanish.
        let trace = x.x + y.y + z.z;
        let there = trace.gt(zero);
        let scale = L::select(there, one.div(L::select(there, trace, one)), zero);
        let (x, y, z) = (x.scale(scale), y.scale(scale), z.scale(scale));
        // What cannot move along an axis is coupled to nothing there.
        let (xx, yy, zz) = (diagonal(x.x), diagonal(y.y), diagonal(z.z));
        let (xy, xz, yz) = (y.x, z.x, z.y);
        let cofactors = [
            yy * zz - yz * yz,
            xx * zz - xz * xz,
            xx * yy - xy * xy,
            xz * yz - xy * zz,
            xy * yz - xz * yy,
            xy * xz - xx * yz,
        ];
        Self { diagonal: Vector::new(xx, yy, zz), others: [xy, xz, yz], cofactors, scale }
    }

    #[inline(always)]
    fn determinant(&self) -> L {
        let [cxx, _, _, cxy, cxz, _] = self.cofactors;
        self.diagonal.x * cxx + self.others[0] * cxy + self.others[1] * cxz
    }

    /// The matrix times a vector.
    #[inline(always)]
    fn times(&self, v: Vector<L>) -> Vector<L> {
        let ([xy, xz, yz], d) = (self.others, self.diagonal);
        Vector::new(d.x * v.x + xy * v.y + xz * v.z, xy * v.x + d.y * v.y + yz * v.z, xz * v.x + yz * v.y + d.z * v.z)
    }
}

/// A diagonal entry that gives way a little; one where nothing moves.
#[inline(always)]
fn diagonal<L: Lane>(x: L) -> L {
    L::select(x.gt(L::splat(0.0)), x * L::splat(1.0 + JOINT_SLACK), L::splat(1.0))
}

#[inline(always)]
fn scaled<L: Lane>([xx, yy, zz, xy, xz, yz]: [L; 6], by: L) -> [L; 6] {
    [xx * by, yy * by, zz * by, xy * by, xz * by, yz * by]
}

/// The inverse (xx, yy, zz, xy, xz, yz) of a symmetric matrix, a little of each diagonal entry added to it; nothing where the bodies
/// cannot be moved.
#[inline(always)]
pub(super) fn inverse<L: Lane>(columns: [Vector<L>; 3]) -> [L; 6] {
    let m = Scaled::new(columns);
    scaled(m.cofactors, m.scale.div(m.determinant()))
}

/// What a joint locks of three directions, by lane: none, one along an axis, both across an axis, or all.
#[derive(Clone, Copy)]
pub(super) struct Locked<L: Lane> {
    pub axis: Vector<L>,
    pub rank: L,
}

impl<L: Lane> Locked<L> {
    /// The part of a vector that lies in it.
    #[inline(always)]
    pub fn part(&self, v: Vector<L>) -> Vector<L> {
        let along = self.axis.scale(self.axis.dot(v));
        let zero = L::splat(0.0);
        self.pick(v, v - along, along, Vector::new(zero, zero, zero))
    }

    /// One of four for the ranks 3 to 0.
    #[inline(always)]
    fn pick(&self, all: Vector<L>, across: Vector<L>, along: Vector<L>, none: Vector<L>) -> Vector<L> {
        let few = Vector::select(self.rank.gt(L::splat(0.5)), along, none);
        Vector::select(self.rank.gt(L::splat(2.5)), all, Vector::select(self.rank.gt(L::splat(1.5)), across, few))
    }

    /// As [`inverse`], of the matrix within what is locked; nothing outside of it.
    ///
    /// Across a unit axis `a` it is the matrix turned round the axis by a right angle, over the determinant there: `[a]^T M [a] /
    /// (a^T cof(M) a)`.
    #[inline(always)]
    pub fn inverse(&self, columns: [Vector<L>; 3]) -> [L; 6] {
        let zero = L::splat(0.0);
        let m = Scaled::new(columns);
        let a = self.axis;
        // Of the axes of the world, what the axis makes of them.
        let (x, y, z) = (
            Vector::new(zero, a.z, zero - a.y),
            Vector::new(zero - a.z, zero, a.x),
            Vector::new(a.y, zero - a.x, zero),
        );
        let (mx, my, mz) = (m.times(x), m.times(y), m.times(z));
        let [cxx, cyy, czz, cxy, cxz, cyz] = m.cofactors;
        let cofactor = Vector::new(
            cxx * a.x + cxy * a.y + cxz * a.z,
            cxy * a.x + cyy * a.y + cyz * a.z,
            cxz * a.x + cyz * a.y + czz * a.z,
        );
        // Where another rank is picked these may be anything.
        let all = m.scale.div(m.determinant());
        let across = m.scale.div(a.dot(cofactor));
        let along = m.scale.div(a.dot(m.times(a)));
        let none = Vector::new(zero, zero, zero);
        let [xx, yy, zz, xy, xz, yz] = m.cofactors;
        let straight = self.pick(
            Vector::new(xx, yy, zz).scale(all),
            Vector::new(x.dot(mx), y.dot(my), z.dot(mz)).scale(across),
            Vector::new(a.x * a.x, a.y * a.y, a.z * a.z).scale(along),
            none,
        );
        let skew = self.pick(
            Vector::new(xy, xz, yz).scale(all),
            Vector::new(x.dot(my), x.dot(mz), y.dot(mz)).scale(across),
            Vector::new(a.x * a.y, a.x * a.z, a.y * a.z).scale(along),
            none,
        );
        [straight.x, straight.y, straight.z, skew.x, skew.y, skew.z]
    }
}
