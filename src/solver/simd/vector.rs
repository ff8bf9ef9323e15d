//! Vectors in SIMD registers: one 3-vector in each lane.

use super::{Simd, Wide};
use std::ops::{Add, Sub};

/// A 3-vector in every lane.
#[derive(Clone, Copy)]
pub(crate) struct Vector<L> {
    pub x: L,
    pub y: L,
    pub z: L,
}

impl<L: Simd> Vector<L> {
    /// The vector of these components.
    #[inline(always)]
    pub fn new(x: L, y: L, z: L) -> Self {
        Self { x, y, z }
    }

    /// Loads lanes `o ..`.
    #[inline(always)]
    pub fn load(rows: &[Wide; 3], o: usize) -> Self {
        Self::new(L::load(&rows[0], o), L::load(&rows[1], o), L::load(&rows[2], o))
    }

    /// Stores to lanes `o ..`.
    #[inline(always)]
    pub fn store(self, rows: &mut [Wide; 3], o: usize) {
        self.x.store(&mut rows[0], o);
        self.y.store(&mut rows[1], o);
        self.z.store(&mut rows[2], o);
    }

    /// The first three of four gathered scalars.
    #[inline(always)]
    pub fn from_quad(q: [L; 4]) -> Self {
        Self::new(q[0], q[1], q[2])
    }

    /// Four scalars to scatter, with `w` as the fourth.
    #[inline(always)]
    pub fn quad(self, w: L) -> [L; 4] {
        [self.x, self.y, self.z, w]
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, b: Self) -> L {
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Self::new(self.y * b.z - self.z * b.y, self.z * b.x - self.x * b.z, self.x * b.y - self.y * b.x)
    }

    /// Elementwise product.
    #[inline(always)]
    pub fn mul_elementwise(self, b: Self) -> Self {
        Self::new(self.x * b.x, self.y * b.y, self.z * b.z)
    }

    /// Product with a scalar of the same lane.
    #[inline(always)]
    pub fn scale(self, s: L) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }

    /// `yes` where the mask is set, else `no`.
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self::new(L::select(mask, yes.x, no.x), L::select(mask, yes.y, no.y), L::select(mask, yes.z, no.z))
    }

    /// The greatest magnitude of a component.
    #[inline(always)]
    pub fn max_abs(self) -> L {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }

    /// A symmetric tensor (xx, yy, zz, xy, xz, yz) times the vector.
    #[inline(always)]
    pub fn transformed_by(self, m: &[Wide; 6], o: usize) -> Self {
        let (xx, yy, zz) = (L::load(&m[0], o), L::load(&m[1], o), L::load(&m[2], o));
        let (xy, xz, yz) = (L::load(&m[3], o), L::load(&m[4], o), L::load(&m[5], o));
        Self::new(
            xx * self.x + xy * self.y + xz * self.z,
            xy * self.x + yy * self.y + yz * self.z,
            xz * self.x + yz * self.y + zz * self.z,
        )
    }
}

impl<L: Simd> Add for Vector<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::new(self.x + b.x, self.y + b.y, self.z + b.z)
    }
}

impl<L: Simd> Sub for Vector<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.x - b.x, self.y - b.y, self.z - b.z)
    }
}
