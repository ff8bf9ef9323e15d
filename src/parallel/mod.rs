//! Where the stages meet rayon: one place, so that a build without the feature `parallel` has the same code around it.
//!
//! Nothing here can change a result: work is split into independent pieces, and sums are of integers.

#[cfg(feature = "parallel")]
mod gate;

use crate::ahead;
#[cfg(feature = "parallel")]
use gate::Gate;
use std::ops::Range;
#[cfg(feature = "parallel")]
use std::sync::Arc;
#[cfg(feature = "parallel")]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The threads of a step: the one that leads it, and those that it may call.
#[derive(Default)]
pub(crate) struct Helpers {
    /// How many there are in all; fewer than two are the leader alone.
    threads: usize,
    #[cfg(feature = "parallel")]
    gate: Gate,
    /// Whose they are, if not those of the pool that the leader is in.
    #[cfg(feature = "parallel")]
    pool: Option<Arc<rayon::ThreadPool>>,
    /// Whether there was anything to help with in the last step.
    #[cfg(feature = "parallel")]
    wanted: AtomicBool,
}

impl Clone for Helpers {
    /// Helpers of one do not help another.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Helpers {
    /// Lets there be so many threads in all: those of a pool, or of the one that the leader is in.
    #[cfg(feature = "parallel")]
    pub(crate) fn begin(&mut self, threads: usize, pool: Option<&Arc<rayon::ThreadPool>>) {
        if self.pool.as_ref().map(Arc::as_ptr) != pool.map(Arc::as_ptr) {
            *self = Self { pool: pool.cloned(), ..Self::default() };
        }
        self.threads = threads;
    }

    /// The leader is alone.
    #[cfg(not(feature = "parallel"))]
    pub(crate) fn begin(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// How many threads there are, the leader among them.
    pub(crate) fn threads(&self) -> usize {
        self.threads.max(1)
    }

    /// Begins a step: helpers that come wait for work. Where there was some in the last step they are called at once.
    pub(crate) fn open(&self) {
        #[cfg(feature = "parallel")]
        {
            self.gate.open(true);
            if self.threads > 1 && self.wanted.swap(false, Ordering::Relaxed) {
                self.gate.call(self.threads - 1, self.pool.as_deref());
            }
        }
    }

    /// Ends a step: who waits for work leaves.
    pub(crate) fn close(&self) {
        #[cfg(feature = "parallel")]
        self.gate.open(false);
    }

    /// Calls `lead` on this thread, and `help` on up to `crew - 1` others while it runs, each with a number from 1 on.
    pub(crate) fn lead(&self, crew: usize, help: &(dyn Fn(u32) + Sync), lead: impl FnOnce()) {
        #[cfg(feature = "parallel")]
        if crew.min(self.threads) > 1 {
            let helpers = crew.min(self.threads) - 1;
            self.wanted.store(true, Ordering::Relaxed);
            self.gate.call(helpers, self.pool.as_deref());
            self.gate.lead(helpers, help, lead);
            return;
        }
        let _ = (crew, help);
        lead();
    }

    /// Calls `visit` with every number below `pieces`, on several threads where there are some.
    pub(crate) fn pieces(&self, pieces: usize, visit: &(impl Fn(usize) + Sync)) {
        if pieces < 2 || self.threads < 2 {
            (0..pieces).for_each(visit);
            return;
        }
        // The leader begins in front and the others behind, so that they meet the same pieces step after step.
        let (taken, behind) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let is_left = || taken.fetch_add(1, Ordering::Relaxed) < pieces;
        let help = |_| {
            while is_left() {
                visit(pieces - 1 - behind.fetch_add(1, Ordering::Relaxed));
            }
        };
        self.lead(pieces, &help, || (0..).take_while(|_| is_left()).for_each(visit));
    }

    /// Calls `visit` for every element of a slice, on several threads where there are some and they are worth it.
    pub(crate) fn for_each<A: Send>(&self, slice: &mut [A], worth: bool, visit: impl Fn(&mut A) + Sync) {
        let length = slice.len();
        let pieces = if worth { length.min(self.most_pieces()) } else { 1 };
        let slice = Apart::new(slice);
        self.pieces(pieces, &|piece| {
            for k in share(length, pieces, piece) {
                // SAFETY: the shares of the pieces are apart, and each piece is visited once.
                visit(unsafe { slice.get(k as u32) }.expect("a share of the slice"));
            }
        });
    }

    /// Calls `visit` with each listed number and the elements of three slices that it names, on several threads where there are
    /// some and each gets at least `least_piece` elements. The list must be ascending.
    ///
    /// Each number is first shown to `sift`, some ahead of the visits: it tells whether there is anything to visit, and may call for
    /// what the visit will read.
    ///
    /// Each call gets a book besides, which it shares with the calls for its neighbours; the books follow each other as the numbers
    /// do, so that what is written into them has the order of the list however it was cut. Returns how many were used.
    pub(crate) fn over_listed<A: Send, B: Send, C: Send, K: Send + Default>(
        &self,
        list: &[u32],
        (a, b, c): (&mut [A], &mut [B], &mut [C]),
        books: &mut Vec<K>,
        least_piece: usize,
        sift: &(impl Fn(u32, &A, &mut B, &C) -> bool + Sync),
        visit: &(impl Fn(u32, &mut A, &mut B, &mut C, &mut K) + Sync),
    ) -> usize {
        assert!(list.windows(2).all(|two| two[0] < two[1]), "the list must be ascending");
        let (a, b, c) = (Apart::new(a), Apart::new(b), Apart::new(c));
        // SAFETY: no number is listed twice, and no share is given out twice.
        let of = |number: u32| unsafe { (a.get(number), b.get(number), c.get(number)) };
        self.in_shares(list.len(), books, least_piece, &|share, book| {
            let mut kept = [0; SIFTED];
            for numbers in list[share].chunks(SIFTED) {
                let mut count = 0;
                for &number in numbers {
                    let (Some(a), Some(b), Some(c)) = of(number) else { panic!("number {number} is not there") };
                    if sift(number, a, b, c) {
                        kept[count] = number;
                        count += 1;
                    }
                }
                for &number in &kept[..count] {
                    let (Some(a), Some(b), Some(c)) = of(number) else { unreachable!() };
                    visit(number, a, b, c, book);
                }
            }
        })
    }

    /// Calls `visit` with shares of so many things, in all each of them once, of at least `least` things where there are several;
    /// each with a book of its own, in the order of the shares. Returns how many there were.
    pub(crate) fn in_shares<K: Send + Default>(
        &self,
        things: usize,
        books: &mut Vec<K>,
        least: usize,
        visit: &(impl Fn(Range<usize>, &mut K) + Sync),
    ) -> usize {
        let pieces = (things / least).clamp(1, self.most_pieces());
        books.resize_with(books.len().max(pieces), K::default);
        let books = Apart::new(&mut books[..pieces]);
        self.pieces(pieces, &|piece| {
            // SAFETY: each piece is visited once.
            let book = unsafe { books.get(piece as u32) };
            visit(share(things, pieces, piece), book.expect("a book for each piece"));
        });
        pieces
    }

    /// Calls `visit` with shares of so many things, in all each of them once, of at least `least` things where there are several.
    pub(crate) fn shares(&self, things: usize, least: usize, visit: &(impl Fn(Range<usize>) + Sync)) {
        // Books of nothing take no room.
        self.in_shares(things, &mut Vec::<()>::new(), least, &|share, ()| visit(share));
    }

    /// Pieces that something may be cut into.
    fn most_pieces(&self) -> usize {
        if self.threads > 1 { PIECES_A_THREAD * self.threads } else { 1 }
    }
}

/// The share of one of several pieces in so many things.
fn share(things: usize, pieces: usize, piece: usize) -> Range<usize> {
    things * piece / pieces..things * (piece + 1) / pieces
}

/// Fewer things than this are not worth handing to another thread where each is looked at and little more.
pub(crate) const LOOKED_AT: usize = 512;

/// The same where some arithmetic is done for each.
pub(crate) const WORKED_ON: usize = 128;

/// Numbers that are sifted before the first of them is visited: what is called for meanwhile fits the first cache.
const SIFTED: usize = 32;

/// More pieces than threads, so that one thread's slow pairs do not keep the others waiting.
const PIECES_A_THREAD: usize = 8;

/// Spins before a waiting thread offers its core to others.
const SPINS: u32 = 4096;

/// Offers of its core after which a helper without work leaves: the leader is doing something long.
pub(crate) const OFFERS: u32 = 256;

/// One turn of waiting: a spin, or after many an offer of the core to others.
pub(crate) fn wait(spins: &mut u32, offers: &mut u32) {
    if *spins < SPINS {
        *spins += 1;
        std::hint::spin_loop();
    } else {
        *offers += 1;
        std::thread::yield_now();
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

    /// Where the first element lies.
    pub(crate) fn first(&self) -> *mut T {
        self.first
    }

    /// Some neighbouring elements.
    ///
    /// # Safety
    /// While the slice lives, nobody may ask for any of these elements again.
    ///
    /// # Panics
    /// If there are not so many.
    #[inline]
    pub(crate) unsafe fn range(&self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "a range of the slice");
        // SAFETY: within the slice that is borrowed for `'a`; the caller is alone at these elements.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
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
