//! Operations of NEON registers, part of every aarch64, for [`Quad`](super::quad::Quad).
//!
//! No product is fused with a sum.

#[cfg(feature = "f64")]
pub(super) use double::*;
#[cfg(not(feature = "f64"))]
pub(super) use single::*;

#[cfg(not(feature = "f64"))]
mod single {
    use std::arch::aarch64::*;

    pub type Register = float32x4_t;
    pub type Mask = uint32x4_t;

    #[inline(always)]
    pub fn splat(x: f32) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vdupq_n_f32(x) }
    }
    #[inline(always)]
    pub fn add(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vaddq_f32(a, b) }
    }
    #[inline(always)]
    pub fn sub(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vsubq_f32(a, b) }
    }
    #[inline(always)]
    pub fn mul(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vmulq_f32(a, b) }
    }
    #[inline(always)]
    pub fn div(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vdivq_f32(a, b) }
    }
    #[inline(always)]
    pub fn sqrt(a: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vsqrtq_f32(a) }
    }
    #[inline(always)]
    pub fn abs(a: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vabsq_f32(a) }
    }
    // `fmax` and `fmin` treat zeros and NaN in another way than x86 does.
    #[inline(always)]
    pub fn max(a: Register, b: Register) -> Register {
        select(gt(a, b), a, b)
    }
    #[inline(always)]
    pub fn min(a: Register, b: Register) -> Register {
        select(gt(b, a), a, b)
    }
    #[inline(always)]
    pub fn gt(a: Register, b: Register) -> Mask {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vcgtq_f32(a, b) }
    }
    #[inline(always)]
    pub fn select(mask: Mask, yes: Register, no: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vbslq_f32(mask, yes, no) }
    }
    #[inline(always)]
    pub fn and(a: Mask, b: Mask) -> Mask {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vandq_u32(a, b) }
    }
    #[inline(always)]
    pub fn bits(mask: Mask) -> u32 {
        // SAFETY: NEON is part of every aarch64; four numbers are read.
        unsafe { vaddvq_u32(vandq_u32(mask, vld1q_u32([1, 2, 4, 8].as_ptr()))) }
    }
    #[inline(always)]
    pub fn zip_low(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vzip1q_f32(a, b) }
    }
    #[inline(always)]
    pub fn zip_high(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vzip2q_f32(a, b) }
    }

    /// # Safety
    /// A register's scalars must be readable there.
    #[inline(always)]
    pub unsafe fn load(from: *const f32) -> Register {
        // SAFETY: by the caller's contract.
        unsafe { vld1q_f32(from) }
    }

    /// # Safety
    /// A register's scalars must be writable there.
    #[inline(always)]
    pub unsafe fn store(to: *mut f32, a: Register) {
        // SAFETY: by the caller's contract.
        unsafe { vst1q_f32(to, a) }
    }
}

#[cfg(feature = "f64")]
mod double {
    use std::arch::aarch64::*;

    pub type Register = float64x2_t;
    pub type Mask = uint64x2_t;

    #[inline(always)]
    pub fn splat(x: f64) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vdupq_n_f64(x) }
    }
    #[inline(always)]
    pub fn add(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vaddq_f64(a, b) }
    }
    #[inline(always)]
    pub fn sub(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vsubq_f64(a, b) }
    }
    #[inline(always)]
    pub fn mul(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vmulq_f64(a, b) }
    }
    #[inline(always)]
    pub fn div(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vdivq_f64(a, b) }
    }
    #[inline(always)]
    pub fn sqrt(a: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vsqrtq_f64(a) }
    }
    #[inline(always)]
    pub fn abs(a: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vabsq_f64(a) }
    }
    // `fmax` and `fmin` treat zeros and NaN in another way than x86 does.
    #[inline(always)]
    pub fn max(a: Register, b: Register) -> Register {
        select(gt(a, b), a, b)
    }
    #[inline(always)]
    pub fn min(a: Register, b: Register) -> Register {
        select(gt(b, a), a, b)
    }
    #[inline(always)]
    pub fn gt(a: Register, b: Register) -> Mask {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vcgtq_f64(a, b) }
    }
    #[inline(always)]
    pub fn select(mask: Mask, yes: Register, no: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vbslq_f64(mask, yes, no) }
    }
    #[inline(always)]
    pub fn and(a: Mask, b: Mask) -> Mask {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vandq_u64(a, b) }
    }
    #[inline(always)]
    pub fn bits(mask: Mask) -> u32 {
        // SAFETY: NEON is part of every aarch64; two numbers are read.
        unsafe { vaddvq_u64(vandq_u64(mask, vld1q_u64([1, 2].as_ptr()))) as u32 }
    }
    #[inline(always)]
    pub fn zip_low(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vzip1q_f64(a, b) }
    }
    #[inline(always)]
    pub fn zip_high(a: Register, b: Register) -> Register {
        // SAFETY: NEON is part of every aarch64.
        unsafe { vzip2q_f64(a, b) }
    }

    /// # Safety
    /// A register's scalars must be readable there.
    #[inline(always)]
    pub unsafe fn load(from: *const f64) -> Register {
        // SAFETY: by the caller's contract.
        unsafe { vld1q_f64(from) }
    }

    /// # Safety
    /// A register's scalars must be writable there.
    #[inline(always)]
    pub unsafe fn store(to: *mut f64, a: Register) {
        // SAFETY: by the caller's contract.
        unsafe { vst1q_f64(to, a) }
    }
}
