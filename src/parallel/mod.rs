//! Interface between the stages and rayon, in one place, so that a build without the feature
//! `parallel` has the same code around it.
//!
//! Nothing here can change a result: work is split into independent chunks, and sums are of
//! integers.

pub(crate) mod atomic;
mod columns;
#[cfg(feature = "parallel")]
mod gate;
#[cfg(feature = "parallel")]
mod sync;
mod wait;

use crate::prefetch;
pub(crate) use columns::Indices;
#[cfg(feature = "parallel")]
use gate::Gate;
use std::ops::Range;
#[cfg(feature = "parallel")]
use std::sync::Arc;
#[cfg(feature = "parallel")]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicUsize, Ordering};
pub(crate) use wait::{MAX_YIELDS, wait};

/// True if threads can be started: with rayon, and on any platform but WebAssembly without atomics.
pub(crate) const HAS_THREADS: bool =
    cfg!(all(feature = "parallel", any(not(target_family = "wasm"), target_feature = "atomics")));

/// Threads of the pool that the caller is in, or of the global one.
pub(crate) fn current_threads() -> usize {
    #[cfg(feature = "parallel")]
    if HAS_THREADS {
        return rayon::current_num_threads();
    }
    1
}

/// Threads of a step: the leader, and helpers of a rayon pool.
#[derive(Default)]
pub(crate) struct WorkerPool {
    /// Number of threads in all; below two, the leader is alone.
    threads: usize,
    #[cfg(feature = "parallel")]
    gate: Gate,
    /// The pool of the helpers, if not that of the leader.
    #[cfg(feature = "parallel")]
    pool: Option<Arc<rayon::ThreadPool>>,
    /// True if there was work for helpers in the last step.
    #[cfg(feature = "parallel")]
    wanted: AtomicBool,
}

impl Clone for WorkerPool {
    /// Helpers are not shared between clones.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl WorkerPool {
    /// Sets the number of threads in all: of a pool, or of the one that the leader is in.
    #[cfg(feature = "parallel")]
    pub(crate) fn begin(&mut self, threads: usize, pool: Option<&Arc<rayon::ThreadPool>>) {
        if self.pool.as_ref().map(Arc::as_ptr) != pool.map(Arc::as_ptr) {
            *self = Self { pool: pool.cloned(), ..Self::default() };
        }
        self.threads = threads;
    }

    /// Sets the number of threads; without rayon the leader is alone.
    #[cfg(not(feature = "parallel"))]
    pub(crate) fn begin(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Number of threads, the leader among them.
    pub(crate) fn threads(&self) -> usize {
        self.threads.max(1)
    }

    /// Begins a step: helpers wait for work. If the last step had work for them they are called at
    /// once.
    pub(crate) fn open(&self) {
        #[cfg(feature = "parallel")]
        {
            self.gate.open(true);
            if self.threads > 1 && self.wanted.swap(false, Ordering::Relaxed) {
                self.gate.call(self.threads - 1, self.pool.as_deref());
            }
        }
    }

    /// Ends a step: waiting helpers leave.
    pub(crate) fn close(&self) {
        #[cfg(feature = "parallel")]
        self.gate.open(false);
    }

    /// Calls `lead` on this thread, and meanwhile `help` on up to `threads - 1` others, each with a
    /// number from 1.
    ///
    /// # Panics
    /// If a helper panicked, once `lead` has ended and all helpers are gone.
    pub(crate) fn run_with(&self, threads: usize, help: &(dyn Fn(u32) + Sync), lead: impl FnOnce()) {
        #[cfg(feature = "parallel")]
        if threads.min(self.threads) > 1 {
            let helpers = threads.min(self.threads) - 1;
            self.wanted.store(true, Ordering::Relaxed);
            self.gate.call(helpers, self.pool.as_deref());
            self.gate.lead(helpers, help, lead);
            return;
        }
        let _ = (threads, help);
        lead();
    }

    /// Calls `visit` with every number below `count`, on several threads if there are any.
    pub(crate) fn for_each_index(&self, count: usize, visit: &(impl Fn(usize) + Sync)) {
        if count < 2 || self.threads < 2 {
            (0..count).for_each(visit);
            return;
        }
        // The leader begins in front and the helpers behind, so that they get the same numbers step
        // after step.
        let (taken, behind) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let is_any_left = || taken.fetch_add(1, Ordering::Relaxed) < count;
        let help = |_| {
            while is_any_left() {
                visit(count - 1 - behind.fetch_add(1, Ordering::Relaxed));
            }
        };
        self.run_with(count, &help, || (0..).take_while(|_| is_any_left()).for_each(visit));
    }

    /// Calls `visit` for every element of a slice, on several threads if there are any and `worth`
    /// says that it pays.
    pub(crate) fn for_each<A: Send>(&self, slice: &mut [A], worth: bool, visit: impl Fn(&mut A) + Sync) {
        let length = slice.len();
        let count = if worth { length.min(self.max_chunks()) } else { 1 };
        let slice = DisjointSlice::new(slice);
        self.for_each_index(count, &|chunk| {
            for k in chunk_range(length, count, chunk) {
                // SAFETY: the chunks are disjoint, and each is visited once.
                visit(unsafe { slice.get(k as u32) }.expect("a chunk of the slice"));
            }
        });
    }

    /// Calls `visit` with each listed number and its elements of three slices, on several threads
    /// if there are any and each gets at least `min_chunk` elements. The list must be ascending.
    ///
    /// Each number is first passed to `prefilter`, some ahead of the visits: it returns whether
    /// there is anything to visit, and may prefetch the input of the visit.
    ///
    /// Each call also gets the output of its chunk; outputs are in the order of the chunks, so
    /// their concatenation has the order of the list however it was split. Returns the number of
    /// outputs used.
    ///
    /// # Panics
    /// If the list is not ascending, or a number is not below the length of each slice.
    pub(crate) fn for_each_listed<A: Send, B: Send, C: Send, K: Send + Default>(
        &self,
        list: &[u32],
        (a, b, c): (&mut [A], &mut [B], &mut [C]),
        outputs: &mut Vec<K>,
        min_chunk: usize,
        prefilter: &(impl Fn(u32, &A, &mut B, &C) -> bool + Sync),
        visit: &(impl Fn(u32, &mut A, &mut B, &mut C, &mut K) + Sync),
    ) -> usize {
        assert!(list.windows(2).all(|two| two[0] < two[1]), "the list must be ascending");
        let (a, b, c) = (DisjointSlice::new(a), DisjointSlice::new(b), DisjointSlice::new(c));
        // SAFETY: no number is listed twice, and no chunk is given out twice.
        let of = |number: u32| unsafe { (a.get(number), b.get(number), c.get(number)) };
        self.for_each_chunk_with(list.len(), outputs, min_chunk, &|chunk, output| {
            let mut kept = [0; FILTERED_AHEAD];
            for numbers in list[chunk].chunks(FILTERED_AHEAD) {
                let mut count = 0;
                for &number in numbers {
                    let (Some(a), Some(b), Some(c)) = of(number) else { panic!("number {number} is not there") };
                    if prefilter(number, a, b, c) {
                        kept[count] = number;
                        count += 1;
                    }
                }
                for &number in &kept[..count] {
                    let (Some(a), Some(b), Some(c)) = of(number) else { unreachable!() };
                    visit(number, a, b, c, output);
                }
            }
        })
    }

    /// Calls `visit` with chunks of the range `0..items`, each of at least `min_chunk` items if
    /// there are several, and with an output for each, in the order of the chunks. Returns the
    /// number of chunks.
    pub(crate) fn for_each_chunk_with<K: Send + Default>(
        &self,
        items: usize,
        outputs: &mut Vec<K>,
        min_chunk: usize,
        visit: &(impl Fn(Range<usize>, &mut K) + Sync),
    ) -> usize {
        let count = (items / min_chunk).clamp(1, self.max_chunks());
        outputs.resize_with(outputs.len().max(count), K::default);
        let outputs = DisjointSlice::new(&mut outputs[..count]);
        self.for_each_index(count, &|chunk| {
            // SAFETY: each chunk is visited once.
            let output = unsafe { outputs.get(chunk as u32) };
            visit(chunk_range(items, count, chunk), output.expect("an output for each chunk"));
        });
        count
    }

    /// Calls `visit` with chunks of the range `0..items`, each of at least `min_chunk` items if
    /// there are several.
    pub(crate) fn for_each_chunk(&self, items: usize, min_chunk: usize, visit: &(impl Fn(Range<usize>) + Sync)) {
        // Outputs of type `()` take no memory.
        self.for_each_chunk_with(items, &mut Vec::<()>::new(), min_chunk, &|chunk, ()| visit(chunk));
    }

    /// Greatest number of chunks.
    fn max_chunks(&self) -> usize {
        if self.threads > 1 { CHUNKS_PER_THREAD * self.threads } else { 1 }
    }
}

/// The range of one of several equal chunks.
fn chunk_range(items: usize, count: usize, chunk: usize) -> Range<usize> {
    items * chunk / count..items * (chunk + 1) / count
}

/// Least number of items of a chunk for another thread where each is read and little more.
pub(crate) const MIN_CHUNK_LIGHT: usize = 512;

/// The same where each item takes some arithmetic.
pub(crate) const MIN_CHUNK_ARITHMETIC: usize = 128;

/// Numbers that are filtered before the first of them is visited: their prefetched input fits the
/// first cache.
const FILTERED_AHEAD: usize = 32;

/// Chunks per thread: several, so that one slow chunk does not keep the other threads waiting.
const CHUNKS_PER_THREAD: usize = 8;

/// A slice whose elements several threads may write in parallel, each element by one of them.
pub(crate) struct DisjointSlice<'a, T> {
    first: *mut T,
    len: usize,
    lifetime: std::marker::PhantomData<&'a mut [T]>,
}

// SAFETY: it gives out elements only to callers that guarantee exclusive access.
unsafe impl<T: Send> Sync for DisjointSlice<'_, T> {}

impl<'a, T> DisjointSlice<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { first: slice.as_mut_ptr(), len: slice.len(), lifetime: std::marker::PhantomData }
    }

    /// Prefetches an element.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        prefetch::prefetch_at(self.first.wrapping_add(number as usize));
    }

    /// Pointer to the first element.
    pub(crate) fn first(&self) -> *mut T {
        self.first
    }

    /// A range of elements.
    ///
    /// # Safety
    /// While the slice lives, none of these elements may be requested again.
    ///
    /// # Panics
    /// If the range ends before it begins, or beyond the slice.
    #[inline]
    pub(crate) unsafe fn range(&self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "a range of the slice");
        // SAFETY: within the slice borrowed for `'a`; the caller has exclusive access to these
        // elements.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }

    /// An element; `None` out of bounds.
    ///
    /// # Safety
    /// While the reference lives, the same element may not be requested again.
    #[inline]
    pub(crate) unsafe fn get(&self, number: u32) -> Option<&'a mut T> {
        let number = number as usize;
        // SAFETY: within the slice borrowed for `'a`; the caller has exclusive access to the
        // element.
        (number < self.len).then(|| unsafe { &mut *self.first.add(number) })
    }
}

/// Calls `visit` for every element of a slice, on several threads if there are any and more than
/// one element.
pub(crate) fn for_each<A: Send>(slice: &mut [A], threads: usize, visit: impl Fn(&mut A) + Sync + Send) {
    #[cfg(feature = "parallel")]
    if threads > 1 && slice.len() > 1 {
        use rayon::prelude::*;
        slice.par_iter_mut().for_each(visit);
        return;
    }
    #[cfg(not(feature = "parallel"))]
    let _ = threads;
    slice.iter_mut().for_each(visit);
}

/// Threads of work outside a step: their number and their pool.
#[derive(Clone, Copy)]
pub(crate) struct Threads<'a> {
    threads: usize,
    #[cfg(feature = "parallel")]
    pool: Option<&'a rayon::ThreadPool>,
    #[cfg(not(feature = "parallel"))]
    pool: std::marker::PhantomData<&'a ()>,
}

impl<'a> Threads<'a> {
    /// The threads of a pool, or of the pool that it is called in.
    #[cfg(feature = "parallel")]
    pub(crate) fn new(threads: usize, pool: Option<&'a rayon::ThreadPool>) -> Self {
        Self { threads, pool }
    }

    /// The calling thread alone.
    #[cfg(not(feature = "parallel"))]
    pub(crate) fn new(threads: usize) -> Self {
        Self { threads, pool: std::marker::PhantomData }
    }

    /// The calling thread alone.
    pub(crate) fn single() -> Self {
        Self { threads: 1, pool: Default::default() }
    }

    /// Results of `visit` for every item, in order; on several threads if each gets at least
    /// `min_chunk` items.
    pub(crate) fn map<A: Sync, B: Send>(
        &self,
        items: &[A],
        min_chunk: usize,
        visit: impl Fn(&A) -> B + Sync + Send,
    ) -> Vec<B> {
        #[cfg(feature = "parallel")]
        if self.threads > 1 && items.len() > min_chunk {
            use rayon::prelude::*;
            return self.run(|| items.par_iter().with_min_len(min_chunk).map(&visit).collect());
        }
        #[cfg(not(feature = "parallel"))]
        let _ = (self.threads, min_chunk);
        items.iter().map(visit).collect()
    }

    /// These threads if there are at least `min_items` items, else the calling one alone.
    pub(crate) fn for_items(self, items: usize, min_items: usize) -> Self {
        if items >= min_items { self } else { Self::single() }
    }

    /// Calls two functions, on two threads if there are any.
    pub(crate) fn join<A: Send, B: Send>(
        &self,
        one: impl FnOnce() -> A + Send,
        other: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        #[cfg(feature = "parallel")]
        if self.threads > 1 {
            return self.run(|| rayon::join(one, other));
        }
        (one(), other())
    }

    /// Calls `work` in the pool of these threads, which run its parallel parts.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        #[cfg(feature = "parallel")]
        if let Some(pool) = self.pool {
            return pool.install(work);
        }
        #[cfg(not(feature = "parallel"))]
        let _ = self.pool;
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_range_beyond_the_slice_is_a_defect() {
        let mut three = [1, 2, 3];
        let slice = DisjointSlice::new(&mut three);
        let backwards = Range { start: 2, end: 1 };
        for range in [0..4, 4..4, 3..usize::MAX, backwards] {
            // SAFETY: nothing is given out.
            let refused = catch_unwind(AssertUnwindSafe(|| unsafe { slice.range(range.clone()) }.len()));
            assert_eq!(refused.unwrap_err().downcast_ref(), Some(&"a range of the slice"), "{range:?}");
        }
        // SAFETY: nothing else is given out.
        assert!(unsafe { slice.range(3..3) }.is_empty());
    }

    /// Visits the numbers of a list in slices of three, three and `last` elements.
    fn visit(list: &[u32], last: usize) {
        let (mut a, mut b, mut c) = ([0; 3], [0; 3], vec![0; last]);
        let slices = (&mut a[..], &mut b[..], &mut c[..]);
        WorkerPool::default().for_each_listed(
            list,
            slices,
            &mut Vec::<()>::new(),
            1,
            &|_, _, _, _| true,
            &|_, _, _, _, ()| {},
        );
    }

    #[test]
    #[should_panic(expected = "the list must be ascending")]
    fn a_number_listed_twice_is_a_defect() {
        visit(&[0, 2, 2], 3);
    }

    #[test]
    #[should_panic(expected = "number 2 is not there")]
    fn a_number_beyond_one_of_the_slices_is_a_defect() {
        visit(&[0, 2], 2);
    }

    #[cfg(feature = "parallel")]
    #[test]
    #[should_panic(expected = "a helper panicked")]
    fn a_helpers_panic_is_the_leaders_once_the_work_has_ended() {
        let mut pool = WorkerPool::default();
        let threads = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
        pool.begin(2, Some(&threads));
        let came = AtomicBool::new(false);
        let help = |_| {
            came.store(true, Ordering::Release);
            panic!("of a helper");
        };
        let lead = || {
            while !came.load(Ordering::Acquire) {
                // One that came too early has left.
                pool.gate.call(1, pool.pool.as_deref());
                std::thread::yield_now();
            }
        };
        pool.run_with(2, &help, lead);
    }
}
