//! From a [`Path`] to the lanes that it names: one place for all kernels that are entered by themselves.

#[cfg(target_arch = "x86_64")]
use super::{Avx2, Sse2};
use super::{Kind, Lane, Path, Portable};

/// Work that is written once for any lanes.
pub(crate) trait Kernel {
    /// What comes of it.
    type Output;

    /// Does the work. It must be `#[inline(always)]`, and so must everything below it be that handles lanes: what is not inlined
    /// is not compiled for their instructions.
    /// What is large and called for in several places is a kernel of its own, entered through the path again: in line everywhere, for every set of
    /// lanes, it would be most of what the library takes to build.
    fn run<L: Lane>(self) -> Self::Output;
}

impl Path {
    /// Does some work in the lanes of this path.
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.kind() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a path only exists where its instructions do.
            Kind::Avx512 => unsafe { on_avx512(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kind::Avx2 => unsafe { on_avx2(kernel) },
            #[cfg(target_arch = "x86_64")]
            Kind::Sse2 => kernel.run::<Sse2>(),
            Kind::Portable => kernel.run::<Portable>(),
        }
    }
}

/// # Safety
/// The processor must have these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512dq")]
unsafe fn on_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn on_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}
