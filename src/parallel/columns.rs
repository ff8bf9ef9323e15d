//! Slices that are visited together: in chunks, or by chosen rows.

use super::{DisjointSlice, WorkerPool};
use std::ops::Range;

/// Slices of one length: `&mut [A]`, and pairs of such.
pub(crate) trait Columns {
    /// What the threads share.
    type Shared: Sync;
    /// The chunk of each slice, nested as they are.
    type Chunk;
    /// An element of each slice, nested as they are.
    type Row;

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

    /// A row.
    ///
    /// # Safety
    /// While the row lives, none of its elements may be requested again.
    ///
    /// # Panics
    /// If there is no such row.
    unsafe fn row(shared: &Self::Shared, row: u32) -> Self::Row;
}

/// Rows to visit.
#[derive(Clone, Copy)]
pub(crate) enum Indices<'a> {
    /// The first so many.
    All(usize),
    /// Those listed, in ascending order.
    Listed(&'a [u32]),
}

impl Indices<'_> {
    /// Their number.
    pub(crate) fn len(&self) -> usize {
        match *self {
            Self::All(count) => count,
            Self::Listed(list) => list.len(),
        }
    }
}

impl<'a, A: Send> Columns for &'a mut [A] {
    type Shared = DisjointSlice<'a, A>;
    type Chunk = &'a mut [A];
    type Row = &'a mut A;

    fn share(self) -> (usize, Self::Shared) {
        (self.len(), DisjointSlice::new(self))
    }

    unsafe fn chunk(shared: &Self::Shared, range: Range<usize>) -> Self::Chunk {
        // SAFETY: the caller's contract.
        unsafe { shared.range(range) }
    }

    #[inline]
    unsafe fn row(shared: &Self::Shared, row: u32) -> Self::Row {
        // SAFETY: the caller's contract.
        unsafe { shared.get(row) }.expect("a row of the columns")
    }
}

impl<S: Columns, T: Columns> Columns for (S, T) {
    type Shared = (S::Shared, T::Shared);
    type Chunk = (S::Chunk, T::Chunk);
    type Row = (S::Row, T::Row);

    fn share(self) -> (usize, Self::Shared) {
        let ((length, first), (other, second)) = (self.0.share(), self.1.share());
        assert_eq!(length, other, "columns of one length");
        (length, (first, second))
    }

    unsafe fn chunk(shared: &Self::Shared, range: Range<usize>) -> Self::Chunk {
        // SAFETY: the caller's contract.
        unsafe { (S::chunk(&shared.0, range.clone()), T::chunk(&shared.1, range)) }
    }

    #[inline]
    unsafe fn row(shared: &Self::Shared, row: u32) -> Self::Row {
        // SAFETY: the caller's contract.
        unsafe { (S::row(&shared.0, row), T::row(&shared.1, row)) }
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

    /// Calls `visit` with chosen rows of columns, at least `min_chunk` of them to a thread if there
    /// are several, and with an output for each chunk. Returns the number of outputs used; they are
    /// in the order of the rows.
    ///
    /// # Panics
    /// If the rows are not listed in ascending order, if one is not there, or if the lengths of the columns differ.
    pub(crate) fn for_each_row_of_with<C: Columns, K: Send + Default>(
        &self,
        rows: Indices,
        columns: C,
        outputs: &mut Vec<K>,
        min_chunk: usize,
        visit: &(impl Fn(usize, C::Row, &mut K) + Sync),
    ) -> usize {
        if let Indices::Listed(list) = rows {
            assert!(list.windows(2).all(|two| two[0] < two[1]), "the list must be ascending");
        }
        let (_, shared) = columns.share();
        self.for_each_chunk_with(rows.len(), outputs, min_chunk, &|chunk, output| {
            // SAFETY: no row is listed twice, and no chunk is given out twice.
            let row = |row: usize| unsafe { C::row(&shared, row as u32) };
            match rows {
                Indices::All(_) => chunk.for_each(|k| visit(k, row(k), output)),
                Indices::Listed(list) => list[chunk].iter().for_each(|&k| visit(k as usize, row(k as usize), output)),
            }
        })
    }

    /// The same without outputs.
    pub(crate) fn for_each_row_of<C: Columns>(
        &self,
        rows: Indices,
        columns: C,
        min_chunk: usize,
        visit: &(impl Fn(usize, C::Row) + Sync),
    ) {
        let mut none = Vec::<()>::new();
        self.for_each_row_of_with(rows, columns, &mut none, min_chunk, &|k, row, ()| visit(k, row));
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
    fn chosen_rows_are_visited_once_and_others_not() {
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            pool.open();
            let list: Vec<u32> = (0..300).filter(|k| k % 7 < 3).collect();
            for rows in [Indices::Listed(&list), Indices::Listed(&[]), Indices::All(300)] {
                let (mut a, mut b, mut visited) = (vec![0; 300], vec![0_u64; 300], Vec::<Vec<u32>>::new());
                let columns = (&mut a[..], &mut b[..]);
                let used = pool.for_each_row_of_with(rows, columns, &mut visited, 8, &|k, (a, b), visited| {
                    (*a, *b) = (*a + 1, *b + k as u64);
                    visited.push(k as u32);
                });
                let expected: Vec<u32> = match rows {
                    Indices::All(count) => (0..count as u32).collect(),
                    Indices::Listed(list) => list.to_vec(),
                };
                assert_eq!(visited[..used].concat(), expected, "{threads} threads");
                for k in 0..300 {
                    let times = u64::from(expected.contains(&k));
                    assert_eq!([a[k as usize], b[k as usize]], [times, times * u64::from(k)]);
                }
            }
            pool.close();
        }
    }

    #[test]
    #[should_panic(expected = "ascending")]
    fn a_row_listed_twice_is_a_defect() {
        pool(1).for_each_row_of(Indices::Listed(&[1, 1]), &mut [1, 2][..], 1, &|_, _| {});
    }

    #[test]
    #[should_panic(expected = "a row of the columns")]
    fn a_row_that_is_not_there_is_a_defect() {
        pool(1).for_each_row_of(Indices::Listed(&[0, 2]), &mut [1, 2][..], 1, &|_, _| {});
    }

    #[test]
    #[should_panic(expected = "columns of one length")]
    fn columns_of_different_lengths_are_a_defect() {
        pool(1).for_each_chunk_of((&mut [1, 2][..], &mut [1][..]), 1, &|_, _| {});
    }
}
