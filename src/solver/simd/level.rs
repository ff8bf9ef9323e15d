//! The SIMD level of a step: chosen once at run time, or by name for tests and benches.

/// Instruction set of the kernels. Results do not depend on it, to the last bit.
///
/// ```
/// use dolmen::solver::SimdLevel;
/// let fastest = SimdLevel::best();
/// assert!(SimdLevel::available().contains(&fastest));
/// assert_eq!(SimdLevel::named("portable").unwrap().name(), "portable");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimdLevel(InstructionSet);

/// Instruction sets. Only [`SimdLevel`] makes one, and only if the processor has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstructionSet {
    /// 256-bit registers, twice as many of them.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 128-bit registers, part of every x86-64.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// 128-bit registers, part of every aarch64.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// 128-bit registers of WebAssembly, where the module is compiled for them.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    /// Plain arrays.
    Portable,
}

impl SimdLevel {
    /// The fastest level of this processor.
    pub fn best() -> Self {
        Self::available()[0]
    }

    /// All levels of this processor, fastest first.
    pub fn available() -> &'static [SimdLevel] {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            const ALL: [SimdLevel; 4] = [
                SimdLevel(InstructionSet::Avx512),
                SimdLevel(InstructionSet::Avx2),
                SimdLevel(InstructionSet::Sse2),
                SimdLevel(InstructionSet::Portable),
            ];
            match (has!("avx2"), has!("avx512f") && has!("avx512vl") && has!("avx512dq")) {
                (true, true) => &ALL,
                (true, false) => &ALL[1..],
                _ => &ALL[2..],
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            const ALL: &[SimdLevel] = &[
                #[cfg(target_arch = "aarch64")]
                SimdLevel(InstructionSet::Neon),
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                SimdLevel(InstructionSet::Simd128),
                SimdLevel(InstructionSet::Portable),
            ];
            ALL
        }
    }

    /// The level of this name, if this processor has it.
    pub fn named(name: &str) -> Option<Self> {
        Self::available().iter().copied().find(|level| level.name() == name)
    }

    /// Name for reports: `avx512`, `avx2`, `sse2`, `neon`, `simd128` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Sse2 => "sse2",
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            InstructionSet::Simd128 => "simd128",
            InstructionSet::Portable => "portable",
        }
    }

    /// The instruction set to dispatch on.
    #[inline]
    pub(crate) fn instruction_set(self) -> InstructionSet {
        self.0
    }
}

impl Default for SimdLevel {
    fn default() -> Self {
        Self::best()
    }
}
