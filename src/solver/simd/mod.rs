//! SIMD: one arithmetic for every register width.
//!
//! The kernels of the solver are generic over [`Simd`]. A contact block always holds [`WIDTH`]
//! manifolds, and a kernel walks it in strides of [`Simd::N`]: one stride with AVX2 in `f32`, two
//! with SSE2 or NEON, and so on. Every level does the same IEEE operations in the same order and none
//! contracts a product and a sum, so all give the same bits.

mod dispatch;
mod level;
mod portable;
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod quad;
pub(crate) mod rotation;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::math::Real;
pub(crate) use dispatch::SimdKernel;
pub(crate) use level::InstructionSet;
pub use level::SimdLevel;
pub(crate) use portable::Portable;
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) use quad::Quad;
use std::ops::{Add, Mul, Sub};
pub(crate) use vector::Vector;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Sse2};

/// Lanes of a block, whatever the register width.
pub(crate) const WIDTH: usize = 8;

/// One quantity of the eight lanes of a block.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Wide(pub [Real; WIDTH]);

/// A register of [`Simd::N`] engine scalars.
///
/// A type that needs a processor feature may only be used below an entry function that was reached
/// through [`SimdLevel`], which checks for the feature once. `min`, `max` and `select` are defined
/// by comparison, as the x86 instructions are, so that zeros of either sign and NaN give the same
/// result everywhere: `a.max(b)` is `a > b ? a : b`, hence `b` when either is NaN.
pub(crate) trait Simd: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// Scalars in the register; divides [`WIDTH`].
    const N: usize;
    /// The result of a comparison, lane by lane.
    type Mask: Copy;

    /// The same scalar in every lane.
    fn splat(x: Real) -> Self;
    /// Loads lanes `o .. o + N`.
    fn load(row: &Wide, o: usize) -> Self;
    /// Stores to lanes `o .. o + N`.
    fn store(self, row: &mut Wide, o: usize);
    /// Quotient, lane by lane.
    fn div(self, by: Self) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// `self > other ? self : other`.
    fn max(self, other: Self) -> Self;
    /// `self < other ? self : other`.
    fn min(self, other: Self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Mask of the lanes with `self > other`.
    fn gt(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Conjunction of two masks.
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// The mask as bits `0 .. N`.
    fn bits(mask: Self::Mask) -> u32;

    /// Four neighbouring scalars of each of the `N` records `ids[o ..]`, transposed: result `k`
    /// holds scalar `4 * quad + k` of every record. Records are `STRIDE` scalars apart from `base`.
    ///
    /// # Safety
    /// Every record named must be readable there, and no thread may be writing it.
    unsafe fn gather<const STRIDE: usize>(base: *const Real, ids: &[u32; WIDTH], o: usize, quad: usize) -> [Self; 4];

    /// The inverse of [`Simd::gather`]; record `ids[o + k]` is written only where bit `o + k` of
    /// `write` is set.
    ///
    /// # Safety
    /// Every record written must be writable there, occur once among the written, and be accessed
    /// by no other thread.
    unsafe fn scatter<const STRIDE: usize>(
        base: *mut Real,
        ids: &[u32; WIDTH],
        write: u32,
        o: usize,
        quad: usize,
        rows: [Self; 4],
    );

    /// The largest lane, or `floor` if that is larger.
    #[inline(always)]
    fn max_lane(self, floor: Real) -> Real {
        let mut row = Wide([floor; WIDTH]);
        self.store(&mut row, 0);
        let mut most = floor;
        for x in row.0 {
            if x > most {
                most = x;
            }
        }
        most
    }
}

#[cfg(test)]
mod tests;
