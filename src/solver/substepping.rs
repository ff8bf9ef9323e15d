//! The substepping solver: its buffers and its step.

use super::block::ContactBlock;
use super::body::{BodyMotion, BodyState, SolverBody, SubstepStart, integrate_free};
use super::contact::ContactRef;
use super::layout::{Fit, Layout, block_and_lane};
use super::mass_scaling::MassScaling;
use super::phase_scheduler::{PhaseScheduler, WorkLists};
use super::simd::SimdLevel;
use super::stages::{Buffers, GroupOutcome, StageContext};
use crate::contact::Manifold;
use crate::math::Real;
use crate::parallel::WorkerPool;
use crate::persist::{copy_fields, next_version};
use crate::tolerances::SUBSTEPPING;

/// Number of contacts that justify another thread: some 80 microseconds of work in a step.
const CONTACTS_PER_THREAD: usize = 300;

/// Spare capacity of the block buffer, as the inverse of a part of its blocks.
const SPARE: usize = 16;

/// Parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Length of the step (s).
    pub dt: Real,
    /// Number of substeps of every island, instead of that by its depth.
    pub substeps: Option<u32>,
    /// Change of velocity in a substep below which an island stops early (m/s; rad/s counts alike).
    /// 0 never stops early.
    pub stop: Real,
    /// Greatest speed at which a contact parts bodies that overlap (m/s).
    pub push_out_speed: Real,
    /// SIMD level to run on. It does not affect the result.
    pub simd: SimdLevel,
    /// Greatest number of threads of a step, the caller's among them; 0 for all of the current
    /// rayon pool. It does not affect the result.
    pub threads: usize,
}

impl Parameters {
    /// Default of [`push_out_speed`](Self::push_out_speed), and of the setting of that name (m/s).
    /// Larger: bodies that start inside each other are thrown. Smaller: they overlap for longer.
    pub(crate) const PUSH_OUT_SPEED: Real = 3.0;

    /// Default parameters for a step of `dt` (s).
    pub fn new(dt: Real) -> Self {
        Self {
            dt,
            substeps: None,
            stop: SUBSTEPPING.converged_dv,
            push_out_speed: Self::PUSH_OUT_SPEED,
            simd: SimdLevel::best(),
            threads: 0,
        }
    }
}

/// Statistics of a step for one island.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IslandStats {
    /// Number of the island, as given by its contacts.
    pub island: u32,
    /// Number of its contacts.
    pub contacts: u32,
    /// Number of substeps planned.
    pub planned: u32,
    /// Number of substeps run before the island stopped.
    pub substeps: u32,
    /// Largest change of velocity in the last substep (m/s; rad/s counts alike), over all islands
    /// of its bundle. A body on a rotating kinematic body counts with the speed at which that
    /// carries it round.
    pub residual: Real,
}

/// The substepping contact solver.
///
/// It owns all its buffers and keeps them between steps. The lane of each contact, and with it the
/// order of solution, follows from the contacts of this and of earlier steps; so do the rows that
/// it keeps. That is state: a clone of the solver continues with the same bits, and a snapshot must
/// hold the whole solver, or both sides must [`Solver::forget`] when it is taken. Otherwise the
/// same world continues within rounding. A caller fills [`Solver::bodies`], calls [`Solver::step`]
/// and reads [`Solver::motions`], the impulses in the manifolds, and [`Solver::islands`].
///
/// ```
/// use dolmen::contact::{Manifold, ManifoldPoint};
/// use dolmen::math::Vec3;
/// use dolmen::solver::{ContactRef, Parameters, Solver, SolverBody, Surface};
///
/// // A ball of 1 kg and 1 m on the ground, pulled down at 10 m/s².
/// let ball = SolverBody {
///     inverse_mass: 1.0,
///     inverse_inertia: [2.5, 2.5, 2.5, 0.0, 0.0, 0.0],
///     linear_acceleration: Vec3::new(0.0, -10.0, 0.0),
///     radius: 1.0,
///     ..SolverBody::FIXED
/// };
/// let mut manifold = Manifold { normal: Vec3::Y, count: 1, ..Manifold::default() };
/// manifold.points[0].anchor_b = Vec3::new(0.0, -1.0, 0.0);
/// let surface = Surface { static_friction: 0.6, dynamic_friction: 0.5, rolling_friction: 0.0 };
/// let contact = ContactRef { a: 0, b: 1, surface, ..ContactRef::default() };
///
/// let mut solver = Solver::default();
/// solver.bodies = vec![SolverBody::FIXED, ball];
/// let mut pool = [manifold];
/// solver.step(&Parameters::new(1.0 / 60.0), &[contact], &mut pool);
/// assert!(solver.motions()[1].linear_velocity.length() < 1e-3);
/// assert!((pool[0].points[0].normal_impulse - 10.0 / 60.0).abs() < 1e-3);
/// ```
#[derive(Clone, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Solver {
    /// The bodies of the step; the caller fills them. Body 0 is the fixed world.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub bodies: Vec<SolverBody>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    motions: Vec<BodyMotion>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    islands: Vec<IslandStats>,
    /// By contact: true if it has an impulse at the end of the step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    has_impulse: Vec<bool>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    mass_scaling: MassScaling,
    layout: Layout,
    last_dt: Real,
    /// Version of the last change: see [`crate::persist::next_version`].
    #[cfg_attr(feature = "serialize", serde(skip))]
    version: u64,
    #[cfg_attr(feature = "serialize", serde(skip))]
    states: Vec<BodyState>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    starts: Vec<SubstepStart>,
    blocks: Vec<ContactBlock>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    results: Vec<GroupOutcome>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    work_lists: WorkLists,
    /// Threads of a solver that is used by itself.
    #[cfg_attr(feature = "serialize", serde(skip))]
    helpers: WorkerPool,
}

impl Solver {
    /// Results of the last step by body, in the order of [`Solver::bodies`].
    pub fn motions(&self) -> &[BodyMotion] {
        &self.motions
    }

    /// The bodies, and the motions of the last step.
    pub(crate) fn bodies_and_motions(&mut self) -> (&[SolverBody], &mut [BodyMotion]) {
        (&self.bodies, &mut self.motions)
    }

    /// Statistics of the last step by island, in the order of the contacts.
    pub fn islands(&self) -> &[IslandStats] {
        &self.islands
    }

    /// By contact of the last step: true if it has an impulse at the end.
    pub(crate) fn loaded_contacts(&self) -> &[bool] {
        &self.has_impulse
    }

    /// Discards the state kept between steps: the next step builds the layout from contacts and
    /// bodies alone, and reads every manifold. The impulses are in the manifolds, so nothing of the
    /// state of the bodies is lost.
    pub fn forget(&mut self) {
        self.layout.forget();
        self.version = next_version();
    }

    /// Copies the state kept between steps: the copy continues with the same bits. Equal versions
    /// are not copied.
    pub(crate) fn copy_persistent(&mut self, from: &Self) {
        if self.version == from.version {
            return;
        }
        self.work_lists.forget();
        copy_fields!(self, from; last_dt, version);
        if !from.layout.is_built() {
            self.layout.forget();
            return;
        }
        self.layout.copy_persistent(&from.layout);
        self.blocks.clear();
        self.blocks.extend_from_slice(&from.blocks[..from.layout.lane_slots.blocks()]);
    }

    /// Validates a solver read from a snapshot and makes it ready for use.
    ///
    /// # Errors
    /// The inconsistent part.
    #[cfg(feature = "serialize")]
    pub(crate) fn admit(&mut self) -> Result<(), &'static str> {
        self.layout.validate()?;
        let last = self.last_dt;
        if !(last >= 0.0 && last.is_finite()) {
            return Err("the length of the last step");
        }
        if self.layout.is_built() {
            if self.blocks.len() != self.layout.lane_slots.blocks() {
                return Err("the number of blocks");
            }
            let fits = |(number, block): (usize, &ContactBlock)| block.fits(&self.layout, number);
            if !self.blocks.iter().enumerate().all(fits) {
                return Err("a block of contacts");
            }
        }
        self.version = next_version();
        Ok(())
    }

    /// Solves the contacts of one step.
    ///
    /// Reads [`Solver::bodies`]; writes [`Solver::motions`], [`Solver::islands`] and the impulses
    /// (and separations) of the manifolds in use. Bodies without contacts move freely and exactly.
    /// There is no restitution: a contact that closes stays closed.
    ///
    /// # Panics
    /// If `dt` is not positive and finite; if a contact names a body or manifold out of range, or
    /// a movable body twice; if two contacts share a manifold; if body 0 is movable; if contacts are not
    /// sorted by island; and, where it is noticed, if a movable body is in two islands.
    pub fn step(&mut self, parameters: &Parameters, contacts: &[ContactRef], pool: &mut [Manifold]) {
        let mut helpers = std::mem::take(&mut self.helpers);
        #[cfg(feature = "parallel")]
        helpers.begin(threads(parameters.threads, contacts.len()), None);
        #[cfg(not(feature = "parallel"))]
        helpers.begin(1);
        self.step_with(parameters, &helpers, contacts, pool);
        self.helpers = helpers;
    }

    /// The same with the threads of a worker pool, whatever number the parameters name.
    pub(crate) fn step_with(
        &mut self,
        parameters: &Parameters,
        helpers: &WorkerPool,
        contacts: &[ContactRef],
        pool: &mut [Manifold],
    ) {
        let dt = parameters.dt;
        assert!(dt > 0.0 && dt.is_finite(), "a step of {dt} s");
        self.lay_out(parameters, contacts, pool);
        let count = self.bodies.len();
        self.motions.resize(count, BodyMotion::default());
        for b in self.layout.unconstrained() {
            self.motions[b] = integrate_free(&self.bodies[b], dt);
        }

        self.mass_scaling.update(&self.bodies, contacts, pool);
        self.has_impulse.clear();
        self.has_impulse.resize(contacts.len(), false);
        let context = StageContext::new(
            (dt, if self.last_dt > 0.0 { self.last_dt } else { dt }),
            (parameters.stop, parameters.push_out_speed),
            &self.layout,
            (&self.bodies, &self.mass_scaling),
            contacts,
            Buffers {
                states: &mut self.states,
                starts: &mut self.starts,
                blocks: &mut self.blocks,
                pool,
                motions: &mut self.motions,
                has_impulse: &mut self.has_impulse,
            },
        );
        let threads = helpers
            .threads()
            .min(contacts.len() / CONTACTS_PER_THREAD)
            .min(self.work_lists.max_parallel_items())
            .max(1);
        PhaseScheduler::new(&context, parameters.simd, &mut self.work_lists, threads).run(helpers);
        self.work_lists.results(&self.layout, &mut self.results);
        self.last_dt = dt;
        self.version = next_version();
        self.report(contacts);
    }

    /// Updates the layout to the contacts, and the buffers to the layout.
    fn lay_out(&mut self, parameters: &Parameters, contacts: &[ContactRef], pool: &[Manifold]) {
        let fit = self.layout.fit(&self.bodies, contacts, pool, parameters.substeps);
        self.layout.set_substeps(parameters.dt);
        // The work lists of a clone begin empty.
        if fit != Fit::Unchanged || !self.work_lists.fits(&self.layout) {
            self.work_lists.rebuild(&self.layout);
        }
        let (states, blocks) = (self.layout.bodies.len(), self.layout.lane_slots.blocks());
        if fit == Fit::Rebuilt {
            self.blocks.clear();
            self.states.clear();
            self.starts.clear();
            if self.blocks.capacity() < blocks {
                // No block is kept, so none need be copied.
                self.blocks = Vec::with_capacity(blocks + blocks / SPARE);
            }
        }
        if self.states.len() < states {
            self.states.resize(states, BodyState::default());
            self.starts.resize(states, SubstepStart::default());
        }
        if self.blocks.len() < blocks {
            // Blocks are large: doubling the capacity would waste memory, and growing it by what is
            // needed would copy all blocks whenever a pile grows.
            if self.blocks.capacity() < blocks {
                self.blocks.reserve_exact(blocks + blocks / SPARE - self.blocks.len());
            }
            self.blocks.resize(blocks, ContactBlock::default());
        }
        // A block added in this step may have slots that were occupied and cleared at once.
        for &slot in &self.layout.cleared_slots {
            let (block, lane) = block_and_lane(slot);
            self.blocks[block].clear_lane(lane);
        }
    }

    /// Fills the statistics of the islands.
    fn report(&mut self, contacts: &[ContactRef]) {
        self.islands.clear();
        for island in &self.layout.islands {
            let group = self.layout.group(island, contacts);
            let result = group.map(|group| self.results[group]).unwrap_or_default();
            self.islands.push(IslandStats {
                island: island.key,
                contacts: island.contacts.len() as u32,
                planned: group.map_or(0, |group| self.layout.groups[group].substeps),
                substeps: result.substeps,
                residual: result.residual,
            });
        }
    }
}

/// Threads of a solver used by itself: those asked for, if they exist and the contacts justify
/// them.
#[cfg(feature = "parallel")]
fn threads(asked: usize, contacts: usize) -> usize {
    if asked == 1 || contacts < 2 * CONTACTS_PER_THREAD {
        return 1;
    }
    // Only now: the query starts rayon's global pool where there is none yet.
    let there = crate::parallel::current_threads();
    if asked == 0 { there } else { asked.min(there) }
}
