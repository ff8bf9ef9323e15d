//! Where the stages meet rayon: one place, so that a build without the feature `parallel` has the same code around it.
//!
//! Nothing here can change a result: work is split into independent pieces, and sums are of integers.

/// Calls `visit` for the listed elements of four slices, on several threads where there are some and each gets at least
/// `least_piece` elements; returns the sum of its results. The list must be ascending.
pub(crate) fn sum_over_listed<A: Send, B: Send, C: Send, D: Send>(
    list: &[u32],
    slices: (&mut [A], &mut [B], &mut [C], &mut [D]),
    threads: usize,
    least_piece: usize,
    visit: &(impl Fn(&mut A, &mut B, &mut C, &mut D) -> usize + Sync),
) -> usize {
    let pieces = if threads > 1 { PIECES_A_THREAD * threads } else { 1 };
    piece(list, 0, slices, least_piece.max(list.len() / pieces), visit)
}

/// More pieces than threads, so that one thread's slow pairs do not keep the others waiting.
const PIECES_A_THREAD: usize = 4;

fn piece<A: Send, B: Send, C: Send, D: Send>(
    list: &[u32],
    first: usize,
    (a, b, c, d): (&mut [A], &mut [B], &mut [C], &mut [D]),
    most: usize,
    visit: &(impl Fn(&mut A, &mut B, &mut C, &mut D) -> usize + Sync),
) -> usize {
    #[cfg(feature = "parallel")]
    if list.len() > most {
        let (low, high) = list.split_at(list.len() / 2);
        let cut = high[0] as usize - first;
        let ((a, a_high), (b, b_high)) = (a.split_at_mut(cut), b.split_at_mut(cut));
        let ((c, c_high), (d, d_high)) = (c.split_at_mut(cut), d.split_at_mut(cut));
        let (low, high) = rayon::join(
            || piece(low, first, (a, b, c, d), most, visit),
            || piece(high, first + cut, (a_high, b_high, c_high, d_high), most, visit),
        );
        return low + high;
    }
    let _ = most;
    let at = list.iter().map(|&number| number as usize - first);
    at.map(|i| visit(&mut a[i], &mut b[i], &mut c[i], &mut d[i])).sum()
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
