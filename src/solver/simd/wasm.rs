//! Operations of WebAssembly's `simd128` registers, for [`Quad`](super::quad::Quad).
//!
//! A module is compiled for them as a whole: there is nothing to ask at run time. Relaxed
//! instructions, whose results engines choose, are not used.

#[cfg(feature = "f64")]
pub(super) use double::*;
#[cfg(not(feature = "f64"))]
pub(super) use single::*;

#[cfg(not(feature = "f64"))]
mod single {
    use std::arch::wasm32::*;

    pub type Register = v128;
    pub type Mask = v128;

    #[inline(always)]
    pub fn splat(x: f32) -> Register {
        f32x4_splat(x)
    }
    #[inline(always)]
    pub fn add(a: Register, b: Register) -> Register {
        f32x4_add(a, b)
    }
    #[inline(always)]
    pub fn sub(a: Register, b: Register) -> Register {
        f32x4_sub(a, b)
    }
    #[inline(always)]
    pub fn mul(a: Register, b: Register) -> Register {
        f32x4_mul(a, b)
    }
    #[inline(always)]
    pub fn div(a: Register, b: Register) -> Register {
        f32x4_div(a, b)
    }
    #[inline(always)]
    pub fn sqrt(a: Register) -> Register {
        f32x4_sqrt(a)
    }
    #[inline(always)]
    pub fn abs(a: Register) -> Register {
        f32x4_abs(a)
    }
    // `pmax(b, a)` is `b < a ? a : b`, as `maxps` is of x86; `max` treats zeros and NaN in another way.
    #[inline(always)]
    pub fn max(a: Register, b: Register) -> Register {
        f32x4_pmax(b, a)
    }
    #[inline(always)]
    pub fn min(a: Register, b: Register) -> Register {
        f32x4_pmin(b, a)
    }
    #[inline(always)]
    pub fn gt(a: Register, b: Register) -> Mask {
        f32x4_gt(a, b)
    }
    #[inline(always)]
    pub fn select(mask: Mask, yes: Register, no: Register) -> Register {
        v128_bitselect(yes, no, mask)
    }
    #[inline(always)]
    pub fn and(a: Mask, b: Mask) -> Mask {
        v128_and(a, b)
    }
    #[inline(always)]
    pub fn bits(mask: Mask) -> u32 {
        u32::from(i32x4_bitmask(mask))
    }
    #[inline(always)]
    pub fn zip_low(a: Register, b: Register) -> Register {
        i32x4_shuffle::<0, 4, 1, 5>(a, b)
    }
    #[inline(always)]
    pub fn zip_high(a: Register, b: Register) -> Register {
        i32x4_shuffle::<2, 6, 3, 7>(a, b)
    }

    /// # Safety
    /// A register's scalars must be readable there.
    #[inline(always)]
    pub unsafe fn load(from: *const f32) -> Register {
        // SAFETY: by the caller's contract; no alignment is needed.
        unsafe { v128_load(from.cast()) }
    }

    /// # Safety
    /// A register's scalars must be writable there.
    #[inline(always)]
    pub unsafe fn store(to: *mut f32, a: Register) {
        // SAFETY: by the caller's contract; no alignment is needed.
        unsafe { v128_store(to.cast(), a) }
    }
}

#[cfg(feature = "f64")]
mod double {
    use std::arch::wasm32::*;

    pub type Register = v128;
    pub type Mask = v128;

    #[inline(always)]
    pub fn splat(x: f64) -> Register {
        f64x2_splat(x)
    }
    #[inline(always)]
    pub fn add(a: Register, b: Register) -> Register {
        f64x2_add(a, b)
    }
    #[inline(always)]
    pub fn sub(a: Register, b: Register) -> Register {
        f64x2_sub(a, b)
    }
    #[inline(always)]
    pub fn mul(a: Register, b: Register) -> Register {
        f64x2_mul(a, b)
    }
    #[inline(always)]
    pub fn div(a: Register, b: Register) -> Register {
        f64x2_div(a, b)
    }
    #[inline(always)]
    pub fn sqrt(a: Register) -> Register {
        f64x2_sqrt(a)
    }
    #[inline(always)]
    pub fn abs(a: Register) -> Register {
        f64x2_abs(a)
    }
    // `pmax(b, a)` is `b < a ? a : b`, as `maxps` is of x86; `max` treats zeros and NaN in another way.
    #[inline(always)]
    pub fn max(a: Register, b: Register) -> Register {
        f64x2_pmax(b, a)
    }
    #[inline(always)]
    pub fn min(a: Register, b: Register) -> Register {
        f64x2_pmin(b, a)
    }
    #[inline(always)]
    pub fn gt(a: Register, b: Register) -> Mask {
        f64x2_gt(a, b)
    }
    #[inline(always)]
    pub fn select(mask: Mask, yes: Register, no: Register) -> Register {
        v128_bitselect(yes, no, mask)
    }
    #[inline(always)]
    pub fn and(a: Mask, b: Mask) -> Mask {
        v128_and(a, b)
    }
    #[inline(always)]
    pub fn bits(mask: Mask) -> u32 {
        u32::from(i64x2_bitmask(mask))
    }
    #[inline(always)]
    pub fn zip_low(a: Register, b: Register) -> Register {
        i64x2_shuffle::<0, 2>(a, b)
    }
    #[inline(always)]
    pub fn zip_high(a: Register, b: Register) -> Register {
        i64x2_shuffle::<1, 3>(a, b)
    }

    /// # Safety
    /// A register's scalars must be readable there.
    #[inline(always)]
    pub unsafe fn load(from: *const f64) -> Register {
        // SAFETY: by the caller's contract; no alignment is needed.
        unsafe { v128_load(from.cast()) }
    }

    /// # Safety
    /// A register's scalars must be writable there.
    #[inline(always)]
    pub unsafe fn store(to: *mut f64, a: Register) {
        // SAFETY: by the caller's contract; no alignment is needed.
        unsafe { v128_store(to.cast(), a) }
    }
}
