//! Operations of NEON registers, part of every aarch64.
//!
//! No product is fused with a sum.

use crate::math::Real;
use std::arch::aarch64::*;

#[cfg(not(feature = "f64"))]
operations! {
    float32x4_t, uint32x4_t;
    vdupq_n_f32, vaddq_f32, vsubq_f32, vmulq_f32, vdivq_f32, vsqrtq_f32, vabsq_f32, vcgtq_f32, vandq_u32, vzip1q_f32,
    vzip2q_f32, vld1q_f32, vst1q_f32
}

#[cfg(feature = "f64")]
operations! {
    float64x2_t, uint64x2_t;
    vdupq_n_f64, vaddq_f64, vsubq_f64, vmulq_f64, vdivq_f64, vsqrtq_f64, vabsq_f64, vcgtq_f64, vandq_u64, vzip1q_f64,
    vzip2q_f64, vld1q_f64, vst1q_f64
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
pub fn select(mask: Mask, yes: Register, no: Register) -> Register {
    #[cfg(not(feature = "f64"))]
    use vbslq_f32 as choose;
    #[cfg(feature = "f64")]
    use vbslq_f64 as choose;
    // SAFETY: NEON is part of every aarch64.
    unsafe { choose(mask, yes, no) }
}

#[cfg(not(feature = "f64"))]
#[inline(always)]
pub fn bits(mask: Mask) -> u32 {
    // SAFETY: NEON is part of every aarch64; four numbers are read.
    unsafe { vaddvq_u32(vandq_u32(mask, vld1q_u32([1, 2, 4, 8].as_ptr()))) }
}

#[cfg(feature = "f64")]
#[inline(always)]
pub fn bits(mask: Mask) -> u32 {
    // SAFETY: NEON is part of every aarch64; two numbers are read.
    unsafe { vaddvq_u64(vandq_u64(mask, vld1q_u64([1, 2].as_ptr()))) as u32 }
}
