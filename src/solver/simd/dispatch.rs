//! Dispatch from a [`SimdLevel`] to its register type, for all kernels that are entered by
//! themselves.

#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use super::Quad;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Sse2};
use super::{InstructionSet, Portable, Simd, SimdLevel};

/// Work that is generic over the register type.
pub(crate) trait SimdKernel {
    /// Result of the kernel.
    type Output;

    /// Does the work. This function and all functions below it that handle registers must be
    /// `#[inline(always)]`: a function that is not inlined is not compiled for the instruction set.
    /// A large function with several callers should be a kernel of its own, entered through the
    /// level again: inlined everywhere, for every instruction set, it would dominate the build
    /// time. Closures cannot be marked so: one that is called twice, or by a method of arrays and
    /// iterators, may stay a function, in which each instruction is a call (`tools/inlined.sh` lists
    /// them).
    fn run<L: Simd>(self) -> Self::Output;
}

impl SimdLevel {
    /// Runs a kernel on the registers of this level.
    pub(crate) fn run<K: SimdKernel>(self, kernel: K) -> K::Output {
        match self.instruction_set() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a level only exists where its instructions do.
            InstructionSet::Avx512 => unsafe { on_avx512(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            InstructionSet::Avx2 => unsafe { on_avx2(kernel) },
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Sse2 => kernel.run::<Sse2>(),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => kernel.run::<Quad>(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            InstructionSet::Simd128 => kernel.run::<Quad>(),
            InstructionSet::Portable => kernel.run::<Portable>(),
        }
    }
}

/// # Safety
/// The processor must have these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512dq")]
unsafe fn on_avx512<K: SimdKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn on_avx2<K: SimdKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}
