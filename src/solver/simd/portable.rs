//! SIMD registers as plain arrays, for processors without a level of their own and as the reference
//! for the others.

use super::{Simd, WIDTH, Wide};
use crate::math::Real;
use std::array::from_fn;
use std::ops::{Add, Mul, Sub};

/// Scalars in a portable register: as many as 128 bits hold in `f32`.
const N: usize = 4;

/// Four scalars in an array; the compiler vectorises what it can.
#[derive(Clone, Copy)]
pub(crate) struct Portable([Real; N]);

impl Add for Portable {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(from_fn(|k| self.0[k] + b.0[k]))
    }
}

impl Sub for Portable {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(from_fn(|k| self.0[k] - b.0[k]))
    }
}

impl Mul for Portable {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(from_fn(|k| self.0[k] * b.0[k]))
    }
}

impl Simd for Portable {
    const N: usize = N;
    type Mask = [bool; N];

    #[inline(always)]
    fn splat(x: Real) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn load(row: &Wide, o: usize) -> Self {
        Self(from_fn(|k| row.0[o + k]))
    }
    #[inline(always)]
    fn store(self, row: &mut Wide, o: usize) {
        row.0[o..o + N].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn div(self, by: Self) -> Self {
        Self(from_fn(|k| self.0[k] / by.0[k]))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(Real::sqrt))
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        Self(from_fn(|k| if self.0[k] > b.0[k] { self.0[k] } else { b.0[k] }))
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        Self(from_fn(|k| if self.0[k] < b.0[k] { self.0[k] } else { b.0[k] }))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(Real::abs))
    }
    #[inline(always)]
    fn gt(self, b: Self) -> [bool; N] {
        from_fn(|k| self.0[k] > b.0[k])
    }
    #[inline(always)]
    fn select(mask: [bool; N], yes: Self, no: Self) -> Self {
        Self(from_fn(|k| if mask[k] { yes.0[k] } else { no.0[k] }))
    }
    #[inline(always)]
    fn and(a: [bool; N], b: [bool; N]) -> [bool; N] {
        from_fn(|k| a[k] & b[k])
    }
    #[inline(always)]
    fn bits(mask: [bool; N]) -> u32 {
        mask.iter().enumerate().fold(0, |bits, (k, &set)| bits | (u32::from(set) << k))
    }

    #[inline(always)]
    unsafe fn gather<const STRIDE: usize>(base: *const Real, ids: &[u32; WIDTH], o: usize, quad: usize) -> [Self; 4] {
        let mut rows = [[0.0; N]; 4];
        for lane in 0..N {
            // SAFETY: the record is readable by the caller's contract; a quad lies inside a record
            // of STRIDE scalars.
            let quad = unsafe { base.add(ids[o + lane] as usize * STRIDE + 4 * quad).cast::<[Real; 4]>().read() };
            for (row, x) in rows.iter_mut().zip(quad) {
                row[lane] = x;
            }
        }
        rows.map(Self)
    }

    #[inline(always)]
    unsafe fn scatter<const STRIDE: usize>(
        base: *mut Real,
        ids: &[u32; WIDTH],
        write: u32,
        o: usize,
        quad: usize,
        rows: [Self; 4],
    ) {
        for lane in 0..N {
            if write >> (o + lane) & 1 == 1 {
                let record = rows.map(|row| row.0[lane]);
                // SAFETY: the record is ours to write by the caller's contract.
                unsafe { base.add(ids[o + lane] as usize * STRIDE + 4 * quad).cast::<[Real; 4]>().write(record) };
            }
        }
    }
}
