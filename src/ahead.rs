//! Reading ahead: what a loop is about to read at places in no order is called into the cache some rounds before. No result
//! depends on it.

/// How many rounds ahead a loop over contacts calls for what it reads. Fewer: it still waits for memory. More: the first of it is
/// gone again.
pub(crate) const ROUNDS: usize = 8;

/// Calls for the element `index` of a slice. It need not be there.
#[inline(always)]
pub(crate) fn call<T>(slice: &[T], index: usize) {
    call_at(slice.as_ptr().wrapping_add(index));
}

/// Calls for what may lie at `place`, with all its cache lines.
#[inline(always)]
pub(crate) fn call_at<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        let line = |offset: usize| {
            // SAFETY: it reads nothing, and no address is wrong for it.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast::<i8>().wrapping_add(offset)) };
        };
        // Spelt out, for a chain of iterators costs ten times as much.
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
