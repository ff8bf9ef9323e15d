//! SIMD in 128-bit registers of processors other than x86: NEON and the `simd128` of WebAssembly.
//!
//! [`Simd`] is written once here, over the few operations that `neon` and `wasm` name alike for both
//! scalars.

/// Defines the operations that are one intrinsic each.
macro_rules! operations {
    (fn $name:ident($($x:ident: $of:ty),*) -> $result:ty, $intrinsic:expr) => {
        #[inline(always)]
        // The intrinsics of WebAssembly are safe, those of NEON are not.
        #[allow(unused_unsafe)]
        pub fn $name($($x: $of),*) -> $result {
            // SAFETY: the instructions are part of every processor that this is compiled for.
            unsafe { $intrinsic($($x),*) }
        }
    };
    (
        $register:ty, $mask:ty;
        $splat:expr, $add:expr, $sub:expr, $mul:expr, $div:expr, $sqrt:expr, $abs:expr, $gt:expr, $and:expr,
        $zip_low:expr, $zip_high:expr, $load:expr, $store:expr
    ) => {
        pub type Register = $register;
        pub type Mask = $mask;

        operations!(fn splat(x: Real) -> Register, $splat);
        operations!(fn add(a: Register, b: Register) -> Register, $add);
        operations!(fn sub(a: Register, b: Register) -> Register, $sub);
        operations!(fn mul(a: Register, b: Register) -> Register, $mul);
        operations!(fn div(a: Register, b: Register) -> Register, $div);
        operations!(fn sqrt(a: Register) -> Register, $sqrt);
        operations!(fn abs(a: Register) -> Register, $abs);
        operations!(fn gt(a: Register, b: Register) -> Mask, $gt);
        operations!(fn and(a: Mask, b: Mask) -> Mask, $and);
        operations!(fn zip_low(a: Register, b: Register) -> Register, $zip_low);
        operations!(fn zip_high(a: Register, b: Register) -> Register, $zip_high);

        /// # Safety
        /// A register's scalars must be readable there.
        #[inline(always)]
        pub unsafe fn load(from: *const Real) -> Register {
            // SAFETY: by the caller's contract.
            unsafe { $load(from) }
        }

        /// # Safety
        /// A register's scalars must be writable there.
        #[inline(always)]
        pub unsafe fn store(to: *mut Real, a: Register) {
            // SAFETY: by the caller's contract.
            unsafe { $store(to, a) }
        }
    };
}

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "wasm32")]
mod wasm;

use super::{Simd, WIDTH, Wide};
use crate::math::Real;
#[cfg(target_arch = "aarch64")]
use neon as registers;
use registers::{Mask, Register, load, store, zip_high, zip_low};
use std::ops::{Add, Mul, Sub};
#[cfg(target_arch = "wasm32")]
use wasm as registers;

/// Scalars in 128 bits.
const N: usize = 16 / size_of::<Real>();

/// Four `f32` or two `f64` in a 128-bit register.
#[derive(Clone, Copy)]
pub(crate) struct Quad(Register);

impl Add for Quad {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(registers::add(self.0, b.0))
    }
}

impl Sub for Quad {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(registers::sub(self.0, b.0))
    }
}

impl Mul for Quad {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(registers::mul(self.0, b.0))
    }
}

impl Simd for Quad {
    const N: usize = N;
    type Mask = Mask;

    #[inline(always)]
    fn splat(x: Real) -> Self {
        Self(registers::splat(x))
    }
    #[inline(always)]
    fn load(row: &Wide, o: usize) -> Self {
        debug_assert!(o + N <= WIDTH);
        // SAFETY: lanes `o .. o + N` exist.
        Self(unsafe { registers::load(row.0.as_ptr().add(o)) })
    }
    #[inline(always)]
    fn store(self, row: &mut Wide, o: usize) {
        debug_assert!(o + N <= WIDTH);
        // SAFETY: lanes `o .. o + N` exist.
        unsafe { registers::store(row.0.as_mut_ptr().add(o), self.0) }
    }
    #[inline(always)]
    fn div(self, by: Self) -> Self {
        Self(registers::div(self.0, by.0))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(registers::sqrt(self.0))
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        Self(registers::max(self.0, b.0))
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        Self(registers::min(self.0, b.0))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(registers::abs(self.0))
    }
    #[inline(always)]
    fn gt(self, b: Self) -> Mask {
        registers::gt(self.0, b.0)
    }
    #[inline(always)]
    fn select(mask: Mask, yes: Self, no: Self) -> Self {
        Self(registers::select(mask, yes.0, no.0))
    }
    #[inline(always)]
    fn and(a: Mask, b: Mask) -> Mask {
        registers::and(a, b)
    }
    #[inline(always)]
    fn bits(mask: Mask) -> u32 {
        registers::bits(mask)
    }

    #[inline(always)]
    unsafe fn gather<const STRIDE: usize>(base: *const Real, ids: &[u32; WIDTH], o: usize, quad: usize) -> [Self; 4] {
        // SAFETY: the records are readable by the caller's contract; a quad lies inside a record of
        // STRIDE scalars.
        let at = |k: usize| unsafe { base.add(ids[o + k] as usize * STRIDE + 4 * quad) };
        // SAFETY: as above.
        unsafe { gather(at) }.map(Self)
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
        // SAFETY: the records written are ours by the caller's contract.
        unsafe { scatter(at, write >> o, rows.map(|row| row.0)) }
    }
}

/// A transpose of four registers of four scalars.
#[cfg(not(feature = "f64"))]
#[inline(always)]
fn transpose(r: [Register; 4]) -> [Register; 4] {
    let (a, b) = (zip_low(r[0], r[2]), zip_high(r[0], r[2]));
    let (c, d) = (zip_low(r[1], r[3]), zip_high(r[1], r[3]));
    [zip_low(a, c), zip_high(a, c), zip_low(b, d), zip_high(b, d)]
}

/// # Safety
/// Four scalars must be readable at each of `N` addresses.
#[cfg(not(feature = "f64"))]
#[inline(always)]
unsafe fn gather(at: impl Fn(usize) -> *const Real) -> [Register; 4] {
    // SAFETY: by the caller's contract.
    transpose(unsafe { [load(at(0)), load(at(1)), load(at(2)), load(at(3))] })
}

/// # Safety
/// Four scalars must be writable at each address whose bit is set.
#[cfg(not(feature = "f64"))]
#[inline(always)]
unsafe fn scatter(at: impl Fn(usize) -> *mut Real, write: u32, rows: [Register; 4]) {
    for (k, record) in transpose(rows).into_iter().enumerate() {
        if write >> k & 1 == 1 {
            // SAFETY: by the caller's contract.
            unsafe { store(at(k), record) }
        }
    }
}

/// # Safety
/// Four scalars must be readable at each of `N` addresses.
#[cfg(feature = "f64")]
#[inline(always)]
unsafe fn gather(at: impl Fn(usize) -> *const Real) -> [Register; 4] {
    // SAFETY: by the caller's contract.
    let [a, b, c, d] = unsafe { [load(at(0)), load(at(0).add(2)), load(at(1)), load(at(1).add(2))] };
    [zip_low(a, c), zip_high(a, c), zip_low(b, d), zip_high(b, d)]
}

/// # Safety
/// Four scalars must be writable at each address whose bit is set.
#[cfg(feature = "f64")]
#[inline(always)]
unsafe fn scatter(at: impl Fn(usize) -> *mut Real, write: u32, rows: [Register; 4]) {
    let low = [zip_low(rows[0], rows[1]), zip_low(rows[2], rows[3])];
    let high = [zip_high(rows[0], rows[1]), zip_high(rows[2], rows[3])];
    for (k, record) in [low, high].into_iter().enumerate() {
        if write >> k & 1 == 1 {
            // SAFETY: by the caller's contract.
            unsafe {
                store(at(k), record[0]);
                store(at(k).add(2), record[1]);
            }
        }
    }
}
