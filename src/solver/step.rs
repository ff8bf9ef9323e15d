//! The solver itself: its buffers and one step.

use super::block::Block;
use super::body::{BodyMotion, Line, SolverBody, Start, free};
use super::contact::ContactRef;
use super::lanes::Path;
use super::layout::{Fit, Layout, place};
use super::run::{Buffers, Outcome, Shared};
use super::team::{Roster, Team};
use crate::contact::Manifold;
use crate::kept::{copy_fields, stamp};
use crate::math::Real;
use crate::parallel::Helpers;
use crate::tolerances::STEADY;

/// Contacts that make another thread worth calling: some 80 microseconds of work in a step.
const CONTACTS_A_THREAD: usize = 300;

/// The part of the blocks that there is room for besides when there is none left.
const SPARE: usize = 16;

/// How to run a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Length of the step (s).
    pub dt: Real,
    /// Substeps for every island, instead of what its depth asks for.
    pub substeps: Option<u32>,
    /// An island stops early once no velocity changes by more than this in a substep (m/s; rad/s counts alike).
    /// 0 never stops early.
    pub stop: Real,
    /// The lanes to run on. They do not change the result.
    pub path: Path,
    /// The most threads to work on a step, the caller's among them; 0 for as many as the current rayon pool has. The
    /// result does not depend on it.
    pub threads: usize,
}

impl Parameters {
    /// The usual way to run a step of `dt` (s).
    pub fn new(dt: Real) -> Self {
        Self { dt, substeps: None, stop: STEADY, path: Path::best(), threads: 0 }
    }
}

/// What a step did to one island.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IslandFigures {
    /// The island's number, as its contacts give it.
    pub island: u32,
    /// Its contacts.
    pub contacts: u32,
    /// Substeps that it was given, and those after which it came to a stop.
    pub planned: u32,
    /// Substeps that were run.
    pub substeps: u32,
    /// The greatest change of velocity in the last substep (m/s; rad/s counts alike), over all islands solved with it.
    /// What lies on a turning kinematic body counts with the speed at which that carries it round.
    pub residual: Real,
}

/// The scalable contact solver.
///
/// It owns all its buffers and keeps them between steps. Which contact lies where, and with it the order in which they are
/// solved, follows from the contacts of this and of earlier steps; so do the rows it keeps. That is state: a clone of
/// the solver goes on with the same bits, and a snapshot must hold the solver whole, or both sides must
/// [`Solver::forget`] when it is taken. Otherwise the same world goes on within rounding. A caller fills [`Solver::bodies`], calls [`Solver::step`] and
/// reads [`Solver::motions`], the impulses in the manifolds, and [`Solver::islands`].
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
    islands: Vec<IslandFigures>,
    /// By contact: whether it carries anything at the end of the step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    carried: Vec<bool>,
    layout: Layout,
    last_dt: Real,
    /// When it last changed: see [`crate::kept::stamp`].
    #[cfg_attr(feature = "serialize", serde(skip))]
    stamp: u64,
    #[cfg_attr(feature = "serialize", serde(skip))]
    lines: Vec<Line>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    starts: Vec<Start>,
    blocks: Vec<Block>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    outcomes: Vec<Outcome>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    roster: Roster,
    /// Those of a solver that is used by itself.
    #[cfg_attr(feature = "serialize", serde(skip))]
    helpers: Helpers,
}

impl Solver {
    /// What the last step did to each body, in the order of [`Solver::bodies`].
    pub fn motions(&self) -> &[BodyMotion] {
        &self.motions
    }

    /// What the last step did to each island, in the order of the contacts.
    pub fn islands(&self) -> &[IslandFigures] {
        &self.islands
    }

    /// Whether each contact of the last step carries anything at its end.
    pub(crate) fn carried(&self) -> &[bool] {
        &self.carried
    }

    /// Forgets what it keeps between steps: the next step lays everything out anew, from contacts and bodies alone, and
    /// reads every manifold. The impulses are in the manifolds, so that nothing of the state of the bodies is lost.
    pub fn forget(&mut self) {
        self.layout.forget();
        self.stamp = stamp();
    }

    /// Copies what it keeps between steps: the other goes on with the same bits. Nothing is copied that is the same already.
    pub(crate) fn copy_kept(&mut self, from: &Self) {
        if self.stamp == from.stamp {
            return;
        }
        self.roster.forget();
        copy_fields!(self, from; last_dt, stamp);
        if !from.layout.is_made() {
            self.layout.forget();
            return;
        }
        self.layout.copy_kept(&from.layout);
        self.blocks.clear();
        self.blocks.extend_from_slice(&from.blocks[..from.layout.seats.blocks()]);
    }

    /// Makes what came from a file ready for use.
    ///
    /// # Errors
    /// What is wrong with it.
    #[cfg(feature = "serialize")]
    pub(crate) fn admit(&mut self) -> Result<(), &'static str> {
        self.layout.check_sound()?;
        let last = self.last_dt;
        if !(last >= 0.0 && last.is_finite()) {
            return Err("the length of the last step");
        }
        if self.layout.is_made() {
            if self.blocks.len() != self.layout.seats.blocks() {
                return Err("the number of blocks");
            }
            let fits = |(number, block): (usize, &Block)| block.fits(&self.layout, number);
            if !self.blocks.iter().enumerate().all(fits) {
                return Err("a block of contacts");
            }
        }
        self.stamp = stamp();
        Ok(())
    }

    /// Solves the contacts of one step.
    ///
    /// Reads [`Solver::bodies`]; writes [`Solver::motions`], [`Solver::islands`] and the impulses (and separations) of the
    /// manifolds in use. Bodies without contacts move freely and exactly. Nothing here restores energy: a contact
    /// that closes stays closed.
    ///
    /// # Panics
    /// If `dt` is not positive and finite; if a contact names a body or manifold that is not there, or its own body twice;
    /// if two contacts share a manifold; if body 0 is movable; if contacts are not sorted by island; and, where
    /// it is noticed, if a movable body is in two islands.
    pub fn step(&mut self, parameters: &Parameters, contacts: &[ContactRef], pool: &mut [Manifold]) {
        let mut helpers = std::mem::take(&mut self.helpers);
        #[cfg(feature = "parallel")]
        helpers.begin(threads(parameters.threads, contacts.len()), None);
        #[cfg(not(feature = "parallel"))]
        helpers.begin(1);
        self.step_with(parameters, &helpers, contacts, pool);
        self.helpers = helpers;
    }

    /// The same with these helpers, however many threads the parameters name.
    pub(crate) fn step_with(
        &mut self,
        parameters: &Parameters,
        helpers: &Helpers,
        contacts: &[ContactRef],
        pool: &mut [Manifold],
    ) {
        let dt = parameters.dt;
        assert!(dt > 0.0 && dt.is_finite(), "a step of {dt} s");
        self.lay_out(parameters, contacts, pool);
        let count = self.bodies.len();
        self.motions.resize(count, BodyMotion::default());
        for b in self.layout.loose() {
            self.motions[b] = free(&self.bodies[b], dt);
        }

        self.carried.clear();
        self.carried.resize(contacts.len(), false);
        let shared = Shared::new(
            (dt, if self.last_dt > 0.0 { self.last_dt } else { dt }, parameters.stop),
            &self.layout,
            &self.bodies,
            contacts,
            Buffers {
                lines: &mut self.lines,
                starts: &mut self.starts,
                blocks: &mut self.blocks,
                pool,
                motions: &mut self.motions,
                carried: &mut self.carried,
            },
        );
        let crew = helpers.threads().min(contacts.len() / CONTACTS_A_THREAD).min(self.roster.breadth()).max(1);
        Team::new(&shared, parameters.path, &mut self.roster, crew).run(helpers);
        self.roster.outcomes(&self.layout, &mut self.outcomes);
        self.last_dt = dt;
        self.stamp = stamp();
        self.report(contacts);
    }

    /// Makes the layout fit the contacts, and the buffers the layout.
    fn lay_out(&mut self, parameters: &Parameters, contacts: &[ContactRef], pool: &[Manifold]) {
        let fit = self.layout.fit(&self.bodies, contacts, pool, parameters.substeps);
        self.layout.time(parameters.dt);
        // The roster of a clone begins empty.
        if fit != Fit::Kept || !self.roster.fits(&self.layout) {
            self.roster.enrol(&self.layout);
        }
        let (lines, blocks) = (self.layout.bodies.len(), self.layout.seats.blocks());
        if fit == Fit::Anew {
            self.blocks.clear();
            self.lines.clear();
            self.starts.clear();
            if self.blocks.capacity() < blocks {
                // Nothing is carried over, so nothing need be copied.
                self.blocks = Vec::with_capacity(blocks + blocks / SPARE);
            }
        }
        if self.lines.len() < lines {
            self.lines.resize(lines, Line::default());
            self.starts.resize(lines, Start::default());
        }
        if self.blocks.len() < blocks {
            // Blocks are large: they are not worth twice as many in advance. Nor are they worth a copy of all whenever a pile
            // grows by one, as asking for more than the last time each time would be.
            if self.blocks.capacity() < blocks {
                self.blocks.reserve_exact(blocks + blocks / SPARE - self.blocks.len());
            }
            self.blocks.resize(blocks, Block::default());
        }
        // A block that was added in this step may have seats that were taken and left at once.
        for &seat in &self.layout.vacated {
            let (block, lane) = place(seat);
            self.blocks[block].vacate(lane);
        }
    }

    /// Fills the figures of the islands.
    fn report(&mut self, contacts: &[ContactRef]) {
        self.islands.clear();
        for island in &self.layout.islands {
            let group = self.layout.group(island, contacts);
            let outcome = group.map(|group| self.outcomes[group]).unwrap_or_default();
            self.islands.push(IslandFigures {
                island: island.name,
                contacts: island.contacts.len() as u32,
                planned: group.map_or(0, |group| self.layout.groups[group].substeps),
                substeps: outcome.substeps,
                residual: outcome.residual,
            });
        }
    }
}

/// The threads that a solver by itself may use: those asked for, if they are there and so many contacts are worth them.
#[cfg(feature = "parallel")]
fn threads(asked: usize, contacts: usize) -> usize {
    if asked == 1 || contacts < 2 * CONTACTS_A_THREAD {
        return 1;
    }
    // Only now, for the question starts rayon's own pool where there is none yet.
    let there = rayon::current_num_threads();
    if asked == 0 { there } else { asked.min(there) }
}
