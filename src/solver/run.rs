//! Running a laid-out step: what is done to an item at each stage, and in what order.
//!
//! Who may touch what: the lines of a group belong to whoever runs it. A bundle is run by one worker from beginning to
//! end. Items of the same phase of a large island share no line that anybody writes (see `super::layout`), so that they
//! may run at once; between phases all workers meet.

use super::block::Block;
use super::body::{BodyMotion, Line, SolverBody, Start, close, open};
use super::contact::ContactRef;
use super::kernels::{advance, begin_substep, drift, finish, pass, set_friction, stiffen};
use super::lanes::Path;
use super::layout::{Group, Item, Layout};
use super::soft::Soft;
use crate::ahead;
use crate::contact::Manifold;
use crate::math::Real;
use std::marker::PhantomData;
use std::ops::Range;
use std::slice::from_raw_parts_mut;

/// Everything that the workers of a step share.
pub(super) struct Shared<'a> {
    pub dt: Real,
    /// The step that the manifolds' impulses belong to (s).
    pub last_dt: Real,
    /// Stop when nothing changes by more than this (m/s).
    pub stop: Real,
    pub layout: &'a Layout,
    pub bodies: &'a [SolverBody],
    pub contacts: &'a [ContactRef],
    lines: *mut Line,
    starts: *mut Start,
    blocks: *mut Block,
    pool: *mut Manifold,
    motions: *mut BodyMotion,
    carried: *mut bool,
    lifetime: PhantomData<&'a mut ()>,
}

// SAFETY: the pointers lead to plain data, and which worker touches which part of it is settled by the layout (see the
// head of this file): no two workers get at the same line, block, manifold or motion at once unless both only read.
unsafe impl Sync for Shared<'_> {}

/// What changes while a step runs.
pub(super) struct Buffers<'a> {
    pub lines: &'a mut [Line],
    pub starts: &'a mut [Start],
    pub blocks: &'a mut [Block],
    pub pool: &'a mut [Manifold],
    pub motions: &'a mut [BodyMotion],
    /// By contact.
    pub carried: &'a mut [bool],
}

/// What a group came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    pub substeps: u32,
    /// The greatest change that the last substep made (m/s).
    pub residual: Real,
}

/// A stage of an item of a large island. Those of a substep carry whether it is the first.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    Prepare,
    /// Of an inside: the relaxation of the substep before and the solve of this one.
    Begin(bool),
    /// The solve.
    Solve(bool),
    /// The solve, the move and the relaxation.
    Turn(bool),
    /// The relaxation.
    Relax,
    /// The move alone.
    Drift,
    /// Of an inside: the last relaxation, and a move over the time that an early stop has left (s).
    End(Real),
    Close,
}

impl<'a> Shared<'a> {
    /// Ties the inputs and buffers of a step together. `None` if their sizes do not fit the layout.
    pub fn new(
        (dt, last_dt, stop): (Real, Real, Real),
        layout: &'a Layout,
        bodies: &'a [SolverBody],
        contacts: &'a [ContactRef],
        buffers: Buffers<'a>,
    ) -> Self {
        let Buffers { lines, starts, blocks, pool, motions, carried } = buffers;
        // The layout checked every contact's bodies and manifold against these sizes.
        assert!(lines.len() >= layout.bodies.len() && starts.len() >= layout.bodies.len());
        assert!(blocks.len() >= layout.seats.blocks() && motions.len() == bodies.len());
        assert!(pool.len() >= layout.pool && carried.len() == contacts.len());
        Self {
            dt,
            last_dt,
            stop,
            layout,
            bodies,
            contacts,
            lines: lines.as_mut_ptr(),
            starts: starts.as_mut_ptr(),
            blocks: blocks.as_mut_ptr(),
            pool: pool.as_mut_ptr(),
            motions: motions.as_mut_ptr(),
            carried: carried.as_mut_ptr(),
            lifetime: PhantomData,
        }
    }

    /// Runs the bundle `group` from beginning to end.
    ///
    /// # Safety
    /// Nobody else may be at this group.
    pub unsafe fn bundle(&self, path: Path, group: usize) -> Outcome {
        let group = &self.layout.groups[group];
        let item = &self.layout.items[group.phases[0].start];
        let soft = Soft::new(self.dt / group.substeps as Real);
        let mut outcome = Outcome::default();
        // SAFETY: the caller is alone at this group, hence at its one item.
        unsafe {
            self.prepare(path, item, soft.h);
            for substep in 0..group.substeps {
                let change = self.solve(path, item, &soft, group.plan.inner, substep == 0);
                self.drift(path, &item.lines, soft.h);
                let change = change.max(self.relax(path, item, &soft, group.plan.inner));
                outcome = Outcome { substeps: substep + 1, residual: change };
                if substep > 0 && change < self.stop {
                    break;
                }
            }
            let left = group.substeps - outcome.substeps;
            if left > 0 {
                self.drift(path, &item.lines, left as Real * soft.h);
            }
            self.close(path, item, soft.h);
        }
        outcome
    }

    /// Runs a stage of one item of a large island; returns the greatest change it made (m/s).
    ///
    /// # Safety
    /// All items of the phases before must be through with this stage, and nobody else may be at this item.
    pub unsafe fn stage(&self, path: Path, item: usize, group: &Group, stage: Stage) -> Real {
        let item = &self.layout.items[item];
        let soft = Soft::new(self.dt / group.substeps as Real);
        // SAFETY: passed on to the caller.
        unsafe {
            let (h, inner) = (soft.h, group.plan.inner);
            match stage {
                Stage::Prepare => self.prepare(path, item, h),
                Stage::Begin(true) => return self.solve(path, item, &soft, inner, true),
                Stage::Solve(first) => return self.solve(path, item, &soft, inner, first),
                Stage::Begin(false) => {
                    let relaxed = self.relax(path, item, &soft, inner);
                    return relaxed.max(self.solve(path, item, &soft, inner, false));
                }
                Stage::Turn(first) => {
                    let solved = self.solve(path, item, &soft, inner, first);
                    self.drift(path, &item.moves, h);
                    return solved.max(self.relax(path, item, &soft, inner));
                }
                Stage::Relax => return self.relax(path, item, &soft, inner),
                Stage::Drift => self.drift(path, &item.moves, h),
                Stage::End(left) => {
                    let relaxed = self.relax(path, item, &soft, inner);
                    self.drift(path, &item.lines, left);
                    return relaxed;
                }
                Stage::Close => self.close(path, item, h),
            }
        }
        0.0
    }

    /// The lines of an item.
    ///
    /// # Safety
    /// Nobody else may be at these lines while the slices live.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    unsafe fn own(&self, item: &Item) -> (&mut [Line], &mut [Start]) {
        let (first, count) = (item.lines.start, item.lines.len());
        // SAFETY: the layout's lines are in both buffers, and the caller is alone at them.
        unsafe { (from_raw_parts_mut(self.lines.add(first), count), from_raw_parts_mut(self.starts.add(first), count)) }
    }

    /// The blocks of an item.
    ///
    /// # Safety
    /// Nobody else may be at this item while the slice lives.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    unsafe fn blocks(&self, item: &Item) -> &mut [Block] {
        // SAFETY: the layout's blocks are in the buffer, and the caller is alone at them.
        unsafe { from_raw_parts_mut(self.blocks.add(item.blocks.start), item.blocks.len()) }
    }

    /// Calls for the body of a line some rounds on.
    #[inline(always)]
    fn call_body(&self, line: usize) {
        if let Some(&body) = self.layout.bodies.get(line + ahead::ROUNDS) {
            ahead::call(self.bodies, body as usize);
        }
    }

    /// Calls for the contacts of the block after the next.
    #[inline(always)]
    fn call_contacts(&self, index: usize) {
        if let Some(seats) = self.layout.seats.contacts.get(index + 2) {
            for &c in seats {
                ahead::call(self.contacts, c as usize);
            }
        }
    }

    /// Shows those of the next block that are there. A chain of iterators would cost more than what is done with them.
    #[inline(always)]
    fn each_of_next(&self, index: usize, mut show: impl FnMut(usize, &ContactRef)) {
        if let Some(seats) = self.layout.seats.contacts.get(index + 1) {
            for (lane, &c) in seats.iter().enumerate() {
                if let Some(contact) = self.contacts.get(c as usize) {
                    show(lane, contact);
                }
            }
        }
    }

    /// # Safety
    /// As for [`Shared::stage`].
    unsafe fn prepare(&self, path: Path, item: &Item, h: Real) {
        // SAFETY: the caller is alone at the item's lines.
        let (lines, starts) = unsafe { self.own(item) };
        for (k, (line, start)) in lines.iter_mut().zip(starts).enumerate() {
            self.call_body(item.lines.start + k);
            (*line, *start) = open(&self.bodies[self.layout.bodies[item.lines.start + k] as usize], h);
        }
        for index in item.blocks.clone() {
            self.call_contacts(index);
            if index + 1 < item.blocks.end {
                // SAFETY: as for the block itself.
                let block = unsafe { &*self.blocks.add(index + 1) };
                self.each_of_next(index, |lane, contact| {
                    if block.is_stale(lane, contact) {
                        ahead::call_at(self.pool.wrapping_add(contact.manifold as usize));
                        ahead::call(self.bodies, contact.a as usize);
                        ahead::call(self.bodies, contact.b as usize);
                    }
                });
            }
            // SAFETY: a block belongs to one item, and the caller is alone at it.
            let block = unsafe { &mut *self.blocks.add(index) };
            if block.h != h {
                if block.h > 0.0 {
                    block.rescale(h / block.h);
                }
                block.h = h;
            }
            let seats = &self.layout.seats;
            let mut stale = false;
            for (lane, &c) in seats.contacts[index].iter().enumerate() {
                if let Some(contact) = self.contacts.get(c as usize)
                    && block.is_stale(lane, contact)
                {
                    let bodies = [&self.bodies[contact.a as usize], &self.bodies[contact.b as usize]];
                    // SAFETY: the layout gave each manifold to one lane of one item.
                    let manifold = unsafe { &*self.pool.add(contact.manifold as usize) };
                    block.fill(lane, contact, manifold, bodies, seats.lines[index][lane], h / self.last_dt);
                    stale = true;
                }
            }
            set_friction(block);
            // SAFETY: passed on to the caller.
            unsafe { finish(path, block, self.lines.cast(), stale) };
        }
    }

    /// # Safety
    /// As for [`Shared::stage`].
    unsafe fn solve(&self, path: Path, item: &Item, soft: &Soft, inner: u32, first: bool) -> Real {
        // SAFETY: passed on to the caller.
        unsafe {
            let change = if first {
                stiffen(path, self.blocks(item), self.lines.cast(), soft);
                0.0
            } else {
                let (lines, starts) = self.own(item);
                begin_substep::<false>(path, lines, starts)
            };
            change.max(pass::<false>(path, self.blocks(item), self.lines.cast(), soft, inner))
        }
    }

    /// # Safety
    /// As for [`Shared::stage`].
    unsafe fn relax(&self, path: Path, item: &Item, soft: &Soft, inner: u32) -> Real {
        // SAFETY: passed on to the caller.
        unsafe { pass::<true>(path, self.blocks(item), self.lines.cast(), soft, inner) }
    }

    /// # Safety
    /// As for [`Shared::stage`].
    unsafe fn drift(&self, path: Path, lines: &Range<usize>, time: Real) {
        // SAFETY: the layout's lines are in the buffer, and the caller is alone at these.
        let lines = unsafe { from_raw_parts_mut(self.lines.add(lines.start), lines.len()) };
        drift(path, lines, time);
    }

    /// # Safety
    /// As for [`Shared::stage`]. Reads the lines of other items, which nobody may be writing.
    unsafe fn close(&self, path: Path, item: &Item, h: Real) {
        for index in item.blocks.clone() {
            self.call_contacts(index);
            self.each_of_next(index, |_, contact| {
                ahead::call_at(self.pool.wrapping_add(contact.manifold as usize));
            });
            // SAFETY: a block belongs to one item, and the caller is alone at it; at this stage lines are only read.
            let block = unsafe {
                let block = &mut *self.blocks.add(index);
                advance(path, block, self.lines.cast());
                block
            };
            for (lane, &c) in self.layout.seats.contacts[index].iter().enumerate() {
                if let Some(contact) = self.contacts.get(c as usize) {
                    // SAFETY: the layout gave each manifold to one lane of one item.
                    let manifold = unsafe { &mut *self.pool.add(contact.manifold as usize) };
                    block.store(lane, manifold, self.dt / h);
                    let carries = manifold.points().iter().any(|p| p.normal_impulse > 0.0);
                    // SAFETY: there is one for each contact, and the contact has one lane of one item.
                    unsafe { *self.carried.add(c as usize) = carries };
                }
            }
        }
        for index in item.lines.clone() {
            self.call_body(index);
            let b = self.layout.bodies[index] as usize;
            let body = &self.bodies[b];
            if body.movable() {
                // SAFETY: a movable body has one line, the line one item, and at this stage lines are only read.
                unsafe { *self.motions.add(b) = close(body, &*self.lines.add(index), self.dt) };
            }
        }
    }
}
