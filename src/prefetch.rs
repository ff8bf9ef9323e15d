//! Software prefetch: loops with random access load their input into the cache some iterations
//! ahead. No result depends on it.

/// Prefetch distance of a loop over contacts (iterations). Fewer: it still waits for memory. More:
/// the first lines are evicted before their use.
pub(crate) const DISTANCE: usize = 8;

/// Prefetches the element `index` of a slice. It may be out of bounds.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    prefetch_at(slice.as_ptr().wrapping_add(index));
}

/// Prefetches all cache lines of a value at `place`.
#[inline(always)]
pub(crate) fn prefetch_at<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        let line = |offset: usize| {
            // SAFETY: a prefetch reads no value, and every address is allowed.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast::<i8>().wrapping_add(offset)) };
        };
        // A plain loop: a chain of iterators costs ten times as much.
        let mut offset = 0;
        while offset < size_of::<T>() {
            line(offset);
            offset += LINE;
        }
        if !align_of::<T>().is_multiple_of(LINE) {
            line(size_of::<T>() - 1);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
