//! SIMD in x86-64 registers: AVX2 where the processor has it, else SSE2.
//!
//! One macro defines the arithmetic of all four register types (two widths, two scalars); only the
//! transposes differ.

use super::{Simd, WIDTH, Wide};
use crate::math::Real;
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

macro_rules! operator {
    ($register_type:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $register_type {
            type Output = Self;
            #[inline(always)]
            #[allow(unused_unsafe)]
            fn $method(self, b: Self) -> Self {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { Self($intrinsic(self.0, b.0)) }
            }
        }
    };
}

macro_rules! lane {
    (
        $(#[$doc:meta])* $lane:ident, $register:ident, $n:literal;
        $splat:ident, $loadu:ident, $storeu:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $sqrt:ident,
        $min:ident, $max:ident, $and:ident, $andnot:ident, $or:ident, $movemask:ident, $gt:expr, $gather:ident,
        $scatter:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $lane($register);

        operator!($lane, Add, add, $add);
        operator!($lane, Sub, sub, $sub);
        operator!($lane, Mul, mul, $mul);

        // SSE2 is part of every x86-64, so its intrinsics are safe where those of AVX2 are not.
        #[allow(unused_unsafe)]
        impl Simd for $lane {
            const N: usize = $n;
            type Mask = $register;

            #[inline(always)]
            fn splat(x: Real) -> Self {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { Self($splat(x)) }
            }
            #[inline(always)]
            fn load(row: &Wide, o: usize) -> Self {
                debug_assert!(o + $n <= WIDTH);
                // SAFETY: instructions as above; lanes `o .. o + N` exist.
                unsafe { Self($loadu(row.0.as_ptr().add(o))) }
            }
            #[inline(always)]
            fn store(self, row: &mut Wide, o: usize) {
                debug_assert!(o + $n <= WIDTH);
                // SAFETY: instructions as above; lanes `o .. o + N` exist.
                unsafe { $storeu(row.0.as_mut_ptr().add(o), self.0) }
            }
            #[inline(always)]
            fn div(self, by: Self) -> Self {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { Self($div(self.0, by.0)) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { Self($sqrt(self.0)) }
            }
            #[inline(always)]
            fn max(self, b: Self) -> Self {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { Self($max(self.0, b.0)) }
            }
            #[inline(always)]
            fn min(self, b: Self) -> Self {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { Self($min(self.0, b.0)) }
            }
            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { Self($andnot($splat(-0.0), self.0)) }
            }
            #[inline(always)]
            fn gt(self, b: Self) -> $register {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { $gt(self.0, b.0) }
            }
            #[inline(always)]
            fn select(mask: $register, yes: Self, no: Self) -> Self {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { Self($or($and(mask, yes.0), $andnot(mask, no.0))) }
            }
            #[inline(always)]
            fn and(a: $register, b: $register) -> $register {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { $and(a, b) }
            }
            #[inline(always)]
            fn bits(mask: $register) -> u32 {
                // SAFETY: the entry below which this type is used checked its features.
                unsafe { $movemask(mask) as u32 }
            }
            #[inline(always)]
            unsafe fn gather<const STRIDE: usize>(
                base: *const Real,
                ids: &[u32; WIDTH],
                o: usize,
                quad: usize,
            ) -> [Self; 4] {
                // SAFETY: the records are readable by the caller's contract.
                let at = |k: usize| unsafe { base.add(ids[o + k] as usize * STRIDE + 4 * quad) };
                // SAFETY: instructions as above, addresses by the caller's contract.
                let r = unsafe { $gather!(at) };
                [Self(r[0]), Self(r[1]), Self(r[2]), Self(r[3])]
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
                // SAFETY: the records are in bounds by the caller's contract.
                let at = |k: usize| unsafe { base.add(ids[o + k] as usize * STRIDE + 4 * quad) };
                let write = write >> o;
                let rows = [rows[0].0, rows[1].0, rows[2].0, rows[3].0];
                // SAFETY: instructions as above; the records written are ours by the caller's
                // contract.
                unsafe { $scatter!(at, write, rows) }
            }
        }
    };
}

#[cfg(not(feature = "f64"))]
mod single {
    use super::*;

    /// A 4 x 4 transpose inside each 128-bit half.
    macro_rules! transpose8 {
        ($r:expr) => {{
            let r = $r;
            let (a, b) = (_mm256_unpacklo_ps(r[0], r[1]), _mm256_unpackhi_ps(r[0], r[1]));
            let (c, d) = (_mm256_unpacklo_ps(r[2], r[3]), _mm256_unpackhi_ps(r[2], r[3]));
            [
                _mm256_shuffle_ps::<0x44>(a, c),
                _mm256_shuffle_ps::<0xee>(a, c),
                _mm256_shuffle_ps::<0x44>(b, d),
                _mm256_shuffle_ps::<0xee>(b, d),
            ]
        }};
    }
    macro_rules! transpose4 {
        ($r:expr) => {{
            let r = $r;
            let (a, b) = (_mm_unpacklo_ps(r[0], r[1]), _mm_unpackhi_ps(r[0], r[1]));
            let (c, d) = (_mm_unpacklo_ps(r[2], r[3]), _mm_unpackhi_ps(r[2], r[3]));
            [
                _mm_shuffle_ps::<0x44>(a, c),
                _mm_shuffle_ps::<0xee>(a, c),
                _mm_shuffle_ps::<0x44>(b, d),
                _mm_shuffle_ps::<0xee>(b, d),
            ]
        }};
    }
    macro_rules! pair {
        ($at:ident, $k:literal) => {
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(_mm_loadu_ps($at($k))), _mm_loadu_ps($at($k + 4)))
        };
    }
    macro_rules! gather8 {
        ($at:ident) => {
            transpose8!([pair!($at, 0), pair!($at, 1), pair!($at, 2), pair!($at, 3)])
        };
    }
    macro_rules! gather4 {
        ($at:ident) => {
            transpose4!([_mm_loadu_ps($at(0)), _mm_loadu_ps($at(1)), _mm_loadu_ps($at(2)), _mm_loadu_ps($at(3))])
        };
    }
    macro_rules! scatter8 {
        ($at:ident, $write:ident, $rows:ident) => {{
            let records = transpose8!($rows);
            if $write & 0xff == 0xff {
                // Most blocks are full and need no test of each lane.
                for k in 0..4 {
                    _mm_storeu_ps($at(k), _mm256_castps256_ps128(records[k]));
                    _mm_storeu_ps($at(k + 4), _mm256_extractf128_ps::<1>(records[k]));
                }
            } else {
                for k in 0..4 {
                    if $write >> k & 1 == 1 {
                        _mm_storeu_ps($at(k), _mm256_castps256_ps128(records[k]));
                    }
                    if $write >> (k + 4) & 1 == 1 {
                        _mm_storeu_ps($at(k + 4), _mm256_extractf128_ps::<1>(records[k]));
                    }
                }
            }
        }};
    }
    macro_rules! scatter4 {
        ($at:ident, $write:ident, $rows:ident) => {{
            let records = transpose4!($rows);
            for k in 0..4 {
                if $write >> k & 1 == 1 {
                    _mm_storeu_ps($at(k), records[k]);
                }
            }
        }};
    }

    lane! {
        /// Eight `f32` in a 256-bit register.
        Avx2, __m256, 8;
        _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_div_ps,
        _mm256_sqrt_ps, _mm256_min_ps, _mm256_max_ps, _mm256_and_ps, _mm256_andnot_ps, _mm256_or_ps,
        _mm256_movemask_ps, _mm256_cmp_ps::<_CMP_GT_OQ>, gather8, scatter8
    }
    lane! {
        /// Four `f32` in a 128-bit register.
        Sse2, __m128, 4;
        _mm_set1_ps, _mm_loadu_ps, _mm_storeu_ps, _mm_add_ps, _mm_sub_ps, _mm_mul_ps, _mm_div_ps,
        _mm_sqrt_ps, _mm_min_ps, _mm_max_ps, _mm_and_ps, _mm_andnot_ps, _mm_or_ps,
        _mm_movemask_ps, _mm_cmpgt_ps, gather4, scatter4
    }
}
#[cfg(not(feature = "f64"))]
pub(crate) use single::{Avx2, Sse2};

#[cfg(feature = "f64")]
mod double {
    use super::*;

    macro_rules! transpose4 {
        ($r:expr) => {{
            let r = $r;
            let (a, b) = (_mm256_unpacklo_pd(r[0], r[1]), _mm256_unpackhi_pd(r[0], r[1]));
            let (c, d) = (_mm256_unpacklo_pd(r[2], r[3]), _mm256_unpackhi_pd(r[2], r[3]));
            [
                _mm256_permute2f128_pd::<0x20>(a, c),
                _mm256_permute2f128_pd::<0x20>(b, d),
                _mm256_permute2f128_pd::<0x31>(a, c),
                _mm256_permute2f128_pd::<0x31>(b, d),
            ]
        }};
    }
    macro_rules! gather4 {
        ($at:ident) => {
            transpose4!([
                _mm256_loadu_pd($at(0)),
                _mm256_loadu_pd($at(1)),
                _mm256_loadu_pd($at(2)),
                _mm256_loadu_pd($at(3))
            ])
        };
    }
    macro_rules! scatter4 {
        ($at:ident, $write:ident, $rows:ident) => {{
            let records = transpose4!($rows);
            for k in 0..4 {
                if $write >> k & 1 == 1 {
                    _mm256_storeu_pd($at(k), records[k]);
                }
            }
        }};
    }
    macro_rules! gather2 {
        ($at:ident) => {{
            let (a, b) = (_mm_loadu_pd($at(0)), _mm_loadu_pd($at(0).add(2)));
            let (c, d) = (_mm_loadu_pd($at(1)), _mm_loadu_pd($at(1).add(2)));
            [_mm_unpacklo_pd(a, c), _mm_unpackhi_pd(a, c), _mm_unpacklo_pd(b, d), _mm_unpackhi_pd(b, d)]
        }};
    }
    macro_rules! scatter2 {
        ($at:ident, $write:ident, $rows:ident) => {{
            if $write & 1 == 1 {
                _mm_storeu_pd($at(0), _mm_unpacklo_pd($rows[0], $rows[1]));
                _mm_storeu_pd($at(0).add(2), _mm_unpacklo_pd($rows[2], $rows[3]));
            }
            if $write >> 1 & 1 == 1 {
                _mm_storeu_pd($at(1), _mm_unpackhi_pd($rows[0], $rows[1]));
                _mm_storeu_pd($at(1).add(2), _mm_unpackhi_pd($rows[2], $rows[3]));
            }
        }};
    }

    lane! {
        /// Four `f64` in a 256-bit register.
        Avx2, __m256d, 4;
        _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_div_pd,
        _mm256_sqrt_pd, _mm256_min_pd, _mm256_max_pd, _mm256_and_pd, _mm256_andnot_pd, _mm256_or_pd,
        _mm256_movemask_pd, _mm256_cmp_pd::<_CMP_GT_OQ>, gather4, scatter4
    }
    lane! {
        /// Two `f64` in a 128-bit register.
        Sse2, __m128d, 2;
        _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd, _mm_div_pd,
        _mm_sqrt_pd, _mm_min_pd, _mm_max_pd, _mm_and_pd, _mm_andnot_pd, _mm_or_pd,
        _mm_movemask_pd, _mm_cmpgt_pd, gather2, scatter2
    }
}
#[cfg(feature = "f64")]
pub(crate) use double::{Avx2, Sse2};
