//! Symmetric 3x3 matrices in lanes, and their inverses on the locked space of a joint.

use crate::solver::simd::{Simd, Vector};
use crate::tolerances::JOINTS;

/// A symmetric matrix scaled to unit trace, with the CFM on its diagonal, and its cofactors; the
/// scale.
struct Scaled<L> {
    diagonal: Vector<L>,
    /// xy, xz, yz.
    others: [L; 3],
    /// xx, yy, zz, xy, xz, yz.
    cofactors: [L; 6],
    scale: L,
}

impl<L: Simd> Scaled<L> {
    #[inline(always)]
    fn new([x, y, z]: [Vector<L>; 3]) -> Self {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        // Scaled to unit trace, or the determinant would underflow for large masses.
        let trace = x.x + y.y + z.z;
        let nonzero = trace.gt(zero);
        let scale = L::select(nonzero, one.div(L::select(nonzero, trace, one)), zero);
        let (x, y, z) = (x.scale(scale), y.scale(scale), z.scale(scale));
        // An immovable axis is coupled to nothing.
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

/// Diagonal entry with CFM; one for an immovable axis.
#[inline(always)]
fn diagonal<L: Simd>(x: L) -> L {
    L::select(x.gt(L::splat(0.0)), x * L::splat(1.0 + JOINTS.cfm), L::splat(1.0))
}

#[inline(always)]
fn scaled<L: Simd>([xx, yy, zz, xy, xz, yz]: [L; 6], by: L) -> [L; 6] {
    [xx * by, yy * by, zz * by, xy * by, xz * by, yz * by]
}

/// Inverse (xx, yy, zz, xy, xz, yz) of a symmetric matrix with CFM on its diagonal; zero for
/// immovable bodies.
#[inline(always)]
pub(super) fn inverse<L: Simd>(columns: [Vector<L>; 3]) -> [L; 6] {
    let m = Scaled::new(columns);
    scaled(m.cofactors, m.scale.div(m.determinant()))
}

/// Locked subspace of three directions, by lane: none, one axis, the plane across an axis, or all.
#[derive(Clone, Copy)]
pub(super) struct LockedSpace<L: Simd> {
    pub axis: Vector<L>,
    pub rank: L,
}

impl<L: Simd> LockedSpace<L> {
    /// Projection of a vector on the subspace.
    #[inline(always)]
    pub fn project(&self, v: Vector<L>) -> Vector<L> {
        let along = self.axis.scale(self.axis.dot(v));
        let zero = L::splat(0.0);
        self.select_rank(v, v - along, along, Vector::new(zero, zero, zero))
    }

    /// Selects by rank, 3 to 0.
    #[inline(always)]
    fn select_rank(&self, all: Vector<L>, across: Vector<L>, along: Vector<L>, none: Vector<L>) -> Vector<L> {
        let few = Vector::select(self.rank.gt(L::splat(0.5)), along, none);
        Vector::select(self.rank.gt(L::splat(2.5)), all, Vector::select(self.rank.gt(L::splat(1.5)), across, few))
    }

    /// As [`inverse`], restricted to the subspace; zero outside.
    ///
    /// In the plane across a unit axis `a` it is the matrix rotated about the axis by a right
    /// angle, over the determinant there: `[a]^T M [a] / (a^T cof(M) a)`.
    #[inline(always)]
    pub fn inverse(&self, columns: [Vector<L>; 3]) -> [L; 6] {
        let zero = L::splat(0.0);
        let m = Scaled::new(columns);
        let a = self.axis;
        // Cross products of the axis with the world axes.
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
        // Arbitrary where another rank is selected.
        let all = m.scale.div(m.determinant());
        let across = m.scale.div(a.dot(cofactor));
        let along = m.scale.div(a.dot(m.times(a)));
        let none = Vector::new(zero, zero, zero);
        let [xx, yy, zz, xy, xz, yz] = m.cofactors;
        let straight = self.select_rank(
            Vector::new(xx, yy, zz).scale(all),
            Vector::new(x.dot(mx), y.dot(my), z.dot(mz)).scale(across),
            Vector::new(a.x * a.x, a.y * a.y, a.z * a.z).scale(along),
            none,
        );
        let skew = self.select_rank(
            Vector::new(xy, xz, yz).scale(all),
            Vector::new(x.dot(my), x.dot(mz), y.dot(mz)).scale(across),
            Vector::new(a.x * a.y, a.x * a.z, a.y * a.z).scale(along),
            none,
        );
        [straight.x, straight.y, straight.z, skew.x, skew.y, skew.z]
    }
}
