//! Where the stages meet rayon: one place, so that a build without the feature `parallel` has the same code around it.
//!
//! Nothing here can change a result: work is split into independent pieces, and sums are of integers.

use crate::ahead;

/// Calls `visit` with each listed number and the elements of three slices that it names, on several threads where there are some
/// and each gets at least `least_piece` elements. The list must be ascending.
///
/// Each number is first shown to `sift`, some ahead of the visits: it tells whether there is anything to visit, and may call for
/// what the visit will read.
///
/// Each call gets a book besides, which it shares with the calls for its neighbours; the books follow each other as the numbers
/// do, so that what is written into them has the order of the list however it was cut. Returns how many were used.
pub(crate) fn over_listed<A: Send, B: Send, C: Send, K: Send + Default>(
    list: &[u32],
    slices: (&mut [A], &mut [B], &mut [C]),
    books: &mut Vec<K>,
    (threads, least_piece): (usize, usize),
    sift: &(impl Fn(u32, &A, &mut B, &C) -> bool + Sync),
    visit: &(impl Fn(u32, &mut A, &mut B, &mut C, &mut K) + Sync),
) -> usize {
    let most = if threads > 1 { PIECES_A_THREAD * threads } else { 1 };
    let pieces = (list.len() / least_piece).clamp(1, most);
    books.resize_with(books.len().max(pieces), K::default);
    piece(list, 0, slices, &mut books[..pieces], sift, visit);
    pieces
}

/// Numbers that are sifted before the first of them is visited: what is called for meanwhile fits the first cache.
const SIFTED: usize = 32;

/// More pieces than threads, so that one thread's slow pairs do not keep the others waiting.
const PIECES_A_THREAD: usize = 4;

fn piece<A: Send, B: Send, C: Send, K: Send>(
    list: &[u32],
    first: usize,
    (a, b, c): (&mut [A], &mut [B], &mut [C]),
    books: &mut [K],
    sift: &(impl Fn(u32, &A, &mut B, &C) -> bool + Sync),
    visit: &(impl Fn(u32, &mut A, &mut B, &mut C, &mut K) + Sync),
) {
    #[cfg(feature = "parallel")]
    if books.len() > 1 {
        let (few, more) = books.split_at_mut(books.len() / 2);
        let (low, high) = list.split_at(list.len() * few.len() / (few.len() + more.len()));
        let cut = high[0] as usize - first;
        let ((a, a_high), (b, b_high), (c, c_high)) = (a.split_at_mut(cut), b.split_at_mut(cut), c.split_at_mut(cut));
        rayon::join(
            || piece(low, first, (a, b, c), few, sift, visit),
            || piece(high, first + cut, (a_high, b_high, c_high), more, sift, visit),
        );
        return;
    }
    let mut kept = [0; SIFTED];
    for numbers in list.chunks(SIFTED) {
        let mut count = 0;
        for &number in numbers {
            let i = number as usize - first;
            if sift(number, &a[i], &mut b[i], &c[i]) {
                kept[count] = number;
                count += 1;
            }
        }
        for &number in &kept[..count] {
            let i = number as usize - first;
            visit(number, &mut a[i], &mut b[i], &mut c[i], &mut books[0]);
        }
    }
}

/// The elements of a slice, to be written to by several threads at once that never write to the same one.
pub(crate) struct Apart<'a, T> {
    first: *mut T,
    len: usize,
    lifetime: std::marker::PhantomData<&'a mut [T]>,
}

// SAFETY: it gives out elements only to those who promise to be alone at them.
unsafe impl<T: Send> Sync for Apart<'_, T> {}

impl<'a, T> Apart<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { first: slice.as_mut_ptr(), len: slice.len(), lifetime: std::marker::PhantomData }
    }

    /// Calls for an element that will be asked for.
    #[inline]
    pub(crate) fn call(&self, number: u32) {
        ahead::call_at(self.first.wrapping_add(number as usize));
    }

    /// An element, if there is one of this number.
    ///
    /// # Safety
    /// While the reference lives, nobody may ask for the same element again.
    #[inline]
    pub(crate) unsafe fn get(&self, number: u32) -> Option<&'a mut T> {
        let number = number as usize;
        // SAFETY: within the slice that is borrowed for `'a`; the caller is alone at it.
        (number < self.len).then(|| unsafe { &mut *self.first.add(number) })
    }
}

/// Calls `visit` for every element of a slice, on several threads where there are some and more than one element.
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

/// Threads to work on something that is not a step: how many, and whose.
#[derive(Clone, Copy)]
pub(crate) struct Crew<'a> {
    threads: usize,
    #[cfg(feature = "parallel")]
    pool: Option<&'a rayon::ThreadPool>,
    #[cfg(not(feature = "parallel"))]
    pool: std::marker::PhantomData<&'a ()>,
}

impl<'a> Crew<'a> {
    /// The threads of a pool, or those of the pool it is called in.
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
    pub(crate) fn alone() -> Self {
        Self { threads: 1, pool: Default::default() }
    }

    /// What `visit` makes of every item, in their order; on several threads where each gets at least `least_piece` items.
    pub(crate) fn map<A: Sync, B: Send>(
        &self,
        items: &[A],
        least_piece: usize,
        visit: impl Fn(&A) -> B + Sync + Send,
    ) -> Vec<B> {
        #[cfg(feature = "parallel")]
        if self.threads > 1 && items.len() > least_piece {
            use rayon::prelude::*;
            return self.run(|| items.par_iter().with_min_len(least_piece).map(&visit).collect());
        }
        #[cfg(not(feature = "parallel"))]
        let _ = (self.threads, least_piece);
        items.iter().map(visit).collect()
    }

    /// These threads if there are at least so many items, else the calling one alone.
    pub(crate) fn for_items(self, items: usize, least: usize) -> Self {
        if items >= least { self } else { Self::alone() }
    }

    /// Does two things, on two threads where there are some.
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

    /// Calls `work` on these threads: what it does in parallel is done by them.
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
