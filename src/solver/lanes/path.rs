//! Which lanes a step runs on: chosen once at run time, or by name for tests and benches.

/// The instruction set the kernels run on. Results do not depend on it, to the last bit.
///
/// ```
/// use dolmen::solver::Path;
/// let fastest = Path::best();
/// assert!(Path::available().contains(&fastest));
/// assert_eq!(Path::named("portable").unwrap().name(), "portable");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path(Kind);

/// The paths there are. Only [`Path`] makes one, and only for a processor that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// 256-bit registers, twice as many of them.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 128-bit registers, which every x86-64 has.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// Plain arrays.
    Portable,
}

impl Path {
    /// The fastest path of this processor.
    pub fn best() -> Self {
        Self::available()[0]
    }

    /// Every path this processor can run, fastest first.
    pub fn available() -> &'static [Path] {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            const ALL: [Path; 4] = [Path(Kind::Avx512), Path(Kind::Avx2), Path(Kind::Sse2), Path(Kind::Portable)];
            match (has!("avx2"), has!("avx512f") && has!("avx512vl") && has!("avx512dq")) {
                (true, true) => &ALL,
                (true, false) => &ALL[1..],
                _ => &ALL[2..],
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            const ALL: [Path; 1] = [Path(Kind::Portable)];
            &ALL
        }
    }

    /// The path of this name, if this processor can run it.
    pub fn named(name: &str) -> Option<Self> {
        Self::available().iter().copied().find(|path| path.name() == name)
    }

    /// Its name for reports: `avx512`, `avx2`, `sse2` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Sse2 => "sse2",
            Kind::Portable => "portable",
        }
    }

    /// What to dispatch on.
    #[inline]
    pub(crate) fn kind(self) -> Kind {
        self.0
    }
}

impl Default for Path {
    fn default() -> Self {
        Self::best()
    }
}
