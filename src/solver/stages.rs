//! Stages of a step: the work on each item and its order.
//!
//! Ownership: the states of a group belong to the worker that runs it. A bundle is run by one
//! worker from beginning to end. Items of the same phase of a large island share no state that one
//! of them writes (see `super::layout`), so that they may run in parallel; all workers synchronise
//! between phases.

use super::block::ContactBlock;
use super::body::{BodyMotion, BodyState, SolverBody, SubstepStart, load, store};
use super::contact::ContactRef;
use super::kernels::{begin_substep, drift, pgs_sweep, prepare, set_friction, stiffen, store_separations};
use super::layout::{Edge, Group, Item, Layout};
use super::mass_scaling::{MassScaling, next_level};
use super::simd::SimdLevel;
use super::soft::SoftContact;
use crate::contact::Manifold;
use crate::math::Real;
use crate::prefetch;
use std::marker::PhantomData;
use std::ops::Range;
use std::slice::from_raw_parts_mut;

/// Input and buffers that the workers of a step share.
pub(super) struct StageContext<'a> {
    pub dt: Real,
    /// Length of the step that the impulses of the manifolds belong to (s).
    pub last_dt: Real,
    /// Change of velocity below which an island stops its substeps (m/s).
    pub stop: Real,
    /// Greatest speed of push-out (m/s).
    pub push_out_speed: Real,
    pub layout: &'a Layout,
    pub bodies: &'a [SolverBody],
    pub mass_scaling: &'a MassScaling,
    pub contacts: &'a [ContactRef],
    states: *mut BodyState,
    starts: *mut SubstepStart,
    blocks: *mut ContactBlock,
    pool: *mut Manifold,
    motions: *mut BodyMotion,
    has_impulse: *mut bool,
    lifetime: PhantomData<&'a mut ()>,
}

// SAFETY: the pointers lead to plain data, and the layout decides which worker accesses which part
// (see the head of this file): no two workers access the same state, block, manifold or motion at
// once unless both only read.
unsafe impl Sync for StageContext<'_> {}

/// Buffers that a step writes.
pub(super) struct Buffers<'a> {
    pub states: &'a mut [BodyState],
    pub starts: &'a mut [SubstepStart],
    pub blocks: &'a mut [ContactBlock],
    pub pool: &'a mut [Manifold],
    pub motions: &'a mut [BodyMotion],
    /// By contact: true if it has an impulse at the end of the step.
    pub has_impulse: &'a mut [bool],
}

/// Result of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GroupOutcome {
    pub substeps: u32,
    /// Largest change of velocity in the last substep (m/s).
    pub residual: Real,
}

/// A stage of an item of a large island. The flag of the stages of a substep: whether the substep
/// is the first.
#[derive(Clone, Copy, Debug)]
pub(super) enum ItemStage {
    Prepare,
    /// Interior: the relaxation of the last substep and the solve of this one.
    RelaxSolve(bool),
    /// The solve.
    Solve(bool),
    /// The solve, the drift and the relaxation.
    SolveDriftRelax(bool),
    /// The relaxation.
    Relax,
    /// The drift alone.
    Drift,
    /// Interior: the last relaxation, and a drift over the time left by an early stop (s).
    Finish(Real),
    Store,
}

impl<'a> StageContext<'a> {
    /// Collects the input and buffers of a step.
    pub fn new(
        (dt, last_dt): (Real, Real),
        (stop, push_out_speed): (Real, Real),
        layout: &'a Layout,
        (bodies, mass_scaling): (&'a [SolverBody], &'a MassScaling),
        contacts: &'a [ContactRef],
        buffers: Buffers<'a>,
    ) -> Self {
        let Buffers { states, starts, blocks, pool, motions, has_impulse } = buffers;
        // The layout checked the bodies and manifold of every contact against these sizes.
        assert!(states.len() >= layout.bodies.len() && starts.len() >= layout.bodies.len());
        assert!(blocks.len() >= layout.lane_slots.blocks() && motions.len() == bodies.len());
        assert!(pool.len() >= layout.pool && has_impulse.len() == contacts.len());
        Self {
            dt,
            last_dt,
            stop,
            push_out_speed,
            layout,
            bodies,
            mass_scaling,
            contacts,
            states: states.as_mut_ptr(),
            starts: starts.as_mut_ptr(),
            blocks: blocks.as_mut_ptr(),
            pool: pool.as_mut_ptr(),
            motions: motions.as_mut_ptr(),
            has_impulse: has_impulse.as_mut_ptr(),
            lifetime: PhantomData,
        }
    }

    /// Runs the bundle `group` from beginning to end.
    ///
    /// # Safety
    /// No other thread may access this group.
    pub unsafe fn bundle(&self, simd: SimdLevel, group: usize) -> GroupOutcome {
        let group = &self.layout.groups[group];
        let item = &self.layout.items[group.phases[0].start];
        let soft = SoftContact::new(self.dt / group.substeps as Real, self.push_out_speed);
        let mut outcome = GroupOutcome::default();
        // SAFETY: the caller alone accesses this group, hence its one item.
        unsafe {
            self.prepare(simd, item, soft.h);
            for substep in 0..group.substeps {
                let change = self.solve(simd, item, &soft, group.plan.inner, substep == 0);
                self.drift(simd, &item.states, soft.h);
                let change = change.max(self.relax(simd, item, &soft, group.plan.inner));
                outcome = GroupOutcome { substeps: substep + 1, residual: change };
                if substep > 0 && change < self.stop {
                    break;
                }
            }
            let left = group.substeps - outcome.substeps;
            if left > 0 {
                self.drift(simd, &item.states, left as Real * soft.h);
            }
            self.store(simd, item, soft.h);
        }
        outcome
    }

    /// Runs a stage of one item of a large island; returns the largest change of velocity (m/s).
    ///
    /// # Safety
    /// All items of earlier phases must have finished this stage, and no other thread may access
    /// this item.
    pub unsafe fn stage(&self, simd: SimdLevel, item: usize, group: &Group, stage: ItemStage) -> Real {
        let item = &self.layout.items[item];
        let soft = SoftContact::new(self.dt / group.substeps as Real, self.push_out_speed);
        // SAFETY: the caller's contract.
        unsafe {
            let (h, inner) = (soft.h, group.plan.inner);
            match stage {
                ItemStage::Prepare => self.prepare(simd, item, h),
                ItemStage::RelaxSolve(true) => return self.solve(simd, item, &soft, inner, true),
                ItemStage::Solve(first) => return self.solve(simd, item, &soft, inner, first),
                ItemStage::RelaxSolve(false) => {
                    let relaxed = self.relax(simd, item, &soft, inner);
                    return relaxed.max(self.solve(simd, item, &soft, inner, false));
                }
                ItemStage::SolveDriftRelax(first) => {
                    let solved = self.solve(simd, item, &soft, inner, first);
                    self.drift(simd, &item.drift, h);
                    return solved.max(self.relax(simd, item, &soft, inner));
                }
                ItemStage::Relax => return self.relax(simd, item, &soft, inner),
                ItemStage::Drift => self.drift(simd, &item.drift, h),
                ItemStage::Finish(left) => {
                    let relaxed = self.relax(simd, item, &soft, inner);
                    self.drift(simd, &item.states, left);
                    return relaxed;
                }
                ItemStage::Store => self.store(simd, item, h),
            }
        }
        0.0
    }

    /// The states of an item.
    ///
    /// # Safety
    /// No other thread may access these states while the slices live.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    unsafe fn states_of(&self, item: &Item) -> (&mut [BodyState], &mut [SubstepStart]) {
        let (first, count) = (item.states.start, item.states.len());
        // SAFETY: the states of the layout are in both buffers, and the caller alone accesses them.
        unsafe {
            (from_raw_parts_mut(self.states.add(first), count), from_raw_parts_mut(self.starts.add(first), count))
        }
    }

    /// The blocks of an item.
    ///
    /// # Safety
    /// No other thread may access this item while the slice lives.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    unsafe fn blocks(&self, item: &Item) -> &mut [ContactBlock] {
        // SAFETY: the blocks of the layout are in the buffer, and the caller alone accesses them.
        unsafe { from_raw_parts_mut(self.blocks.add(item.blocks.start), item.blocks.len()) }
    }

    /// Prefetches the body of a state some iterations on.
    #[inline(always)]
    fn prefetch_body(&self, state: usize) {
        if let Some(&body) = self.layout.bodies.get(state + prefetch::DISTANCE) {
            prefetch::prefetch(self.bodies, body as usize);
        }
    }

    /// Prefetches the contacts of the block after the next.
    #[inline(always)]
    fn prefetch_contacts(&self, index: usize) {
        if let Some(lanes) = self.layout.lane_slots.contacts.get(index + 2) {
            for &c in lanes {
                prefetch::prefetch(self.contacts, c as usize);
            }
        }
    }

    /// Visits the contacts of the next block. A chain of iterators would cost more than the work on
    /// them.
    #[inline(always)]
    fn for_each_in_next_block(&self, index: usize, mut visit: impl FnMut(usize, &ContactRef)) {
        if let Some(lanes) = self.layout.lane_slots.contacts.get(index + 1) {
            for (lane, &c) in lanes.iter().enumerate() {
                if let Some(contact) = self.contacts.get(c as usize) {
                    visit(lane, contact);
                }
            }
        }
    }

    /// # Safety
    /// As for [`StageContext::stage`].
    unsafe fn prepare(&self, simd: SimdLevel, item: &Item, h: Real) {
        // SAFETY: the caller alone accesses the states of the item.
        let (states, starts) = unsafe { self.states_of(item) };
        for (k, (state, start)) in states.iter_mut().zip(starts).enumerate() {
            self.prefetch_body(item.states.start + k);
            let body = self.layout.bodies[item.states.start + k];
            (*state, *start) = load(&self.bodies[body as usize], self.mass_scaling.of(body), h);
        }
        for index in item.blocks.clone() {
            self.prefetch_contacts(index);
            if index + 1 < item.blocks.end {
                // SAFETY: as for the block itself.
                let block = unsafe { &*self.blocks.add(index + 1) };
                self.for_each_in_next_block(index, |lane, contact| {
                    if block.is_stale(lane, contact) {
                        prefetch::prefetch_at(self.pool.wrapping_add(contact.manifold as usize));
                        prefetch::prefetch(self.bodies, contact.a as usize);
                        prefetch::prefetch(self.bodies, contact.b as usize);
                    }
                });
            }
            // SAFETY: a block belongs to one item, which the caller alone accesses.
            let block = unsafe { &mut *self.blocks.add(index) };
            if block.h != h {
                if block.h > 0.0 {
                    block.rescale(h / block.h);
                }
                block.h = h;
            }
            let slots = &self.layout.lane_slots;
            let mut stale = false;
            for (lane, &c) in slots.contacts[index].iter().enumerate() {
                if let Some(contact) = self.contacts.get(c as usize)
                    && let scales = contact.bodies().map(|body| self.mass_scaling.of(body))
                    && (block.is_stale(lane, contact) || scales != [1.0; 2])
                {
                    let bodies = [&self.bodies[contact.a as usize], &self.bodies[contact.b as usize]];
                    // SAFETY: the layout gave each manifold to one lane of one item.
                    let manifold = unsafe { &*self.pool.add(contact.manifold as usize) };
                    block.fill(lane, contact, manifold, (bodies, scales), slots.states[index][lane], h / self.last_dt);
                    stale = true;
                }
            }
            set_friction(block);
            // SAFETY: the caller's contract.
            unsafe { prepare(simd, block, self.states.cast(), stale) };
        }
    }

    /// # Safety
    /// As for [`StageContext::stage`].
    unsafe fn solve(&self, simd: SimdLevel, item: &Item, soft: &SoftContact, inner: u32, first: bool) -> Real {
        // SAFETY: the caller's contract.
        unsafe {
            let change = if first {
                stiffen(simd, self.blocks(item), self.states.cast(), soft);
                0.0
            } else {
                let (states, starts) = self.states_of(item);
                begin_substep::<false>(simd, states, starts)
            };
            change.max(pgs_sweep::<false>(simd, self.blocks(item), self.states.cast(), soft, inner))
        }
    }

    /// # Safety
    /// As for [`StageContext::stage`].
    unsafe fn relax(&self, simd: SimdLevel, item: &Item, soft: &SoftContact, inner: u32) -> Real {
        // SAFETY: the caller's contract.
        unsafe { pgs_sweep::<true>(simd, self.blocks(item), self.states.cast(), soft, inner) }
    }

    /// # Safety
    /// As for [`StageContext::stage`].
    unsafe fn drift(&self, simd: SimdLevel, states: &Range<usize>, time: Real) {
        // SAFETY: the states of the layout are in the buffer, and the caller alone accesses these.
        let states = unsafe { from_raw_parts_mut(self.states.add(states.start), states.len()) };
        drift(simd, states, time);
    }

    /// # Safety
    /// As for [`StageContext::stage`]. Reads the states of other items, which no thread may be
    /// writing.
    unsafe fn store(&self, simd: SimdLevel, item: &Item, h: Real) {
        for index in item.blocks.clone() {
            self.prefetch_contacts(index);
            self.for_each_in_next_block(index, |_, contact| {
                prefetch::prefetch_at(self.pool.wrapping_add(contact.manifold as usize));
            });
            // SAFETY: a block belongs to one item, which the caller alone accesses; at this stage
            // states are only read.
            let block = unsafe {
                let block = &mut *self.blocks.add(index);
                store_separations(simd, block, self.states.cast());
                block
            };
            for (lane, &c) in self.layout.lane_slots.contacts[index].iter().enumerate() {
                if let Some(contact) = self.contacts.get(c as usize) {
                    // SAFETY: the layout gave each manifold to one lane of one item.
                    let manifold = unsafe { &mut *self.pool.add(contact.manifold as usize) };
                    block.store(lane, manifold, self.dt / h);
                    let change = block.load_velocity(lane);
                    // SAFETY: the states of the layout exist, and at this stage are only read.
                    let inverse_mass = |state: u32| unsafe { (*self.states.add(state as usize)).velocity.0[3] };
                    let masses = || self.layout.lane_slots.states[index][lane].map(inverse_mass);
                    let level = next_level(manifold.mass_scaling, change, self.push_out_speed, masses);
                    manifold.mass_scaling = level;
                    let carries = manifold.points().iter().any(|p| p.normal_impulse > 0.0);
                    // SAFETY: there is one flag for each contact, and the contact has one lane of
                    // one item.
                    unsafe { *self.has_impulse.add(c as usize) = carries };
                }
            }
        }
        for index in item.states.clone() {
            self.prefetch_body(index);
            let b = self.layout.bodies[index] as usize;
            let body = &self.bodies[b];
            if body.movable() {
                // SAFETY: a movable body has one state, the state one item, and at this stage
                // states are only read.
                unsafe { *self.motions.add(b) = store(body, &*self.states.add(index), self.dt) };
            }
        }
    }
}
