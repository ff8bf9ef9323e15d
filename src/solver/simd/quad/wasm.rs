//! Operations of WebAssembly's `simd128` registers.
//!
//! A module is compiled for them as a whole: there is nothing to ask at run time. Relaxed
//! instructions, whose results engines choose, are not used.

use crate::math::Real;
use std::arch::wasm32::*;

#[cfg(not(feature = "f64"))]
operations! {
    v128, v128;
    f32x4_splat, f32x4_add, f32x4_sub, f32x4_mul, f32x4_div, f32x4_sqrt, f32x4_abs, f32x4_gt, v128_and,
    i32x4_shuffle::<0, 4, 1, 5>, i32x4_shuffle::<2, 6, 3, 7>, load_unaligned, store_unaligned
}

#[cfg(feature = "f64")]
operations! {
    v128, v128;
    f64x2_splat, f64x2_add, f64x2_sub, f64x2_mul, f64x2_div, f64x2_sqrt, f64x2_abs, f64x2_gt, v128_and,
    i64x2_shuffle::<0, 2>, i64x2_shuffle::<1, 3>, load_unaligned, store_unaligned
}

/// # Safety
/// As for [`load`].
#[inline(always)]
unsafe fn load_unaligned(from: *const Real) -> Register {
    // SAFETY: by the caller's contract; no alignment is needed.
    unsafe { v128_load(from.cast()) }
}

/// # Safety
/// As for [`store`].
#[inline(always)]
unsafe fn store_unaligned(to: *mut Real, a: Register) {
    // SAFETY: by the caller's contract; no alignment is needed.
    unsafe { v128_store(to.cast(), a) }
}

// `pmax(b, a)` is `b < a ? a : b`, as `maxps` is of x86; `max` treats zeros and NaN in another way.
#[inline(always)]
pub fn max(a: Register, b: Register) -> Register {
    #[cfg(not(feature = "f64"))]
    use f32x4_pmax as greater;
    #[cfg(feature = "f64")]
    use f64x2_pmax as greater;
    greater(b, a)
}

#[inline(always)]
pub fn min(a: Register, b: Register) -> Register {
    #[cfg(not(feature = "f64"))]
    use f32x4_pmin as less;
    #[cfg(feature = "f64")]
    use f64x2_pmin as less;
    less(b, a)
}

#[inline(always)]
pub fn select(mask: Mask, yes: Register, no: Register) -> Register {
    v128_bitselect(yes, no, mask)
}

#[inline(always)]
pub fn bits(mask: Mask) -> u32 {
    #[cfg(not(feature = "f64"))]
    use i32x4_bitmask as bitmask;
    #[cfg(feature = "f64")]
    use i64x2_bitmask as bitmask;
    u32::from(bitmask(mask))
}
