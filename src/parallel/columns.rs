//! Slices that are cut into chunks together.

use super::{DisjointSlice, WorkerPool};
use std::ops::Range;

/// Slices of one length: `&mut [A]`, and pairs of such.
pub(crate) trait Columns {
    /// What the threads share.
    type Shared: Sync;
    /// The chunk of each slice, nested as they are.
    type Chunk;

    /// Their length, and what the threads share.
    ///
    /// # Panics
    /// If their lengths differ.
    fn share(self) -> (usize, Self::Shared);

    /// A chunk.
    ///
    /// # Safety
    /// While the chunk lives, none of its elements may be requested again.
    unsafe fn chunk(shared: &Self::Shared, range: Range<usize>) -> Self::Chunk;
}

impl<'a, A: Send> Columns for &'a mut [A] {
    type Shared = DisjointSlice<'a, A>;
    type Chunk = &'a mut [A];

    fn share(self) -> (usize, Self::Shared) {
        (self.len(), DisjointSlice::new(self))
    }

    unsafe fn chunk(shared: &Self::Shared, range: Range<usize>) -> Self::Chunk {
        // SAFETY: the caller's contract.
        unsafe { shared.range(range) }
    }
}

impl<S: Columns, T: Columns> Columns for (S, T) {
    type Shared = (S::Shared, T::Shared);
    type Chunk = (S::Chunk, T::Chunk);

    fn share(self) -> (usize, Self::Shared) {
        let ((length, first), (other, second)) = (self.0.share(), self.1.share());
        assert_eq!(length, other, "columns of one length");
        (length, (first, second))
    }

    unsafe fn chunk(shared: &Self::Shared, range: Range<usize>) -> Self::Chunk {
        // SAFETY: the caller's contract.
        unsafe { (S::chunk(&shared.0, range.clone()), T::chunk(&shared.1, range)) }
    }
}

impl WorkerPool {
    /// Calls `visit` with chunks of columns, each of at least `min_chunk` rows if there are several,
    /// and the numbers of their rows.
    pub(crate) fn for_each_chunk_of<C: Columns>(
        &self,
        columns: C,
        min_chunk: usize,
        visit: &(impl Fn(Range<usize>, C::Chunk) + Sync),
    ) {
        // Outputs of type `()` take no memory.
        let mut none = Vec::<()>::new();
        self.for_each_chunk_of_with(columns, &mut none, min_chunk, &|rows, chunk, ()| visit(rows, chunk));
    }

    /// The same with an output for each chunk, in their order. Returns the number of chunks.
    pub(crate) fn for_each_chunk_of_with<C: Columns, K: Send + Default>(
        &self,
        columns: C,
        outputs: &mut Vec<K>,
        min_chunk: usize,
        visit: &(impl Fn(Range<usize>, C::Chunk, &mut K) + Sync),
    ) -> usize {
        let (length, shared) = columns.share();
        self.for_each_chunk_with(length, outputs, min_chunk, &|rows, output| {
            // SAFETY: chunks are disjoint, and each is visited once.
            let chunk = unsafe { C::chunk(&shared, rows.clone()) };
            visit(rows, chunk, output);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(threads: usize) -> WorkerPool {
        let mut pool = WorkerPool::default();
        #[cfg(feature = "parallel")]
        pool.begin(threads, None);
        #[cfg(not(feature = "parallel"))]
        pool.begin(threads);
        pool
    }

    #[test]
    fn each_row_is_visited_once_with_its_own_number() {
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            pool.open();
            for rows in [0, 1, 7, 300] {
                let (mut a, mut b, mut c) = (vec![0; rows], vec![0_u64; rows], vec![0_u8; rows]);
                let mut sums = Vec::<usize>::new();
                let columns = (&mut a[..], (&mut b[..], &mut c[..]));
                let used = pool.for_each_chunk_of_with(columns, &mut sums, 8, &|numbers, (a, (b, c)), sum| {
                    assert_eq!([a.len(), b.len(), c.len()], [numbers.len(); 3]);
                    for (number, (a, (b, c))) in numbers.zip(a.iter_mut().zip(b.iter_mut().zip(c))) {
                        (*a, *b, *c) = (*a + number + 1, *b + 2, *c + 3);
                        *sum += number;
                    }
                });
                assert_eq!(a, (1..=rows).collect::<Vec<_>>(), "{threads} threads");
                assert!(b.iter().all(|b| *b == 2) && c.iter().all(|c| *c == 3));
                assert_eq!(sums[..used].iter().sum::<usize>(), (0..rows).sum::<usize>());
            }
            pool.close();
        }
    }

    #[test]
    #[should_panic(expected = "columns of one length")]
    fn columns_of_different_lengths_are_a_defect() {
        pool(1).for_each_chunk_of((&mut [1, 2][..], &mut [1][..]), 1, &|_, _| {});
    }
}
