//! Stage 8, **solve**: forces of lasting contacts and of joints over the step.
//!
//! Each island goes to one of three solvers, chosen by the decision table in `assign`: the direct
//! `f64` solver (`direct_island`), the substepping solver of contacts (`substepping`) or that
//! of islands with joints (`joint_islands`). All three start from the impulses in the manifolds
//! and write theirs there, so an island may change its solver between two steps.

mod assemble;
mod assign;
mod body_step;
mod direct_island;
mod direct_islands;
mod equilibrium_cache;
mod equilibrium_check;
mod facts;
mod joint_islands;
mod joint_rows;
mod midpoint;
mod passivity;
mod platform;
mod push_out;
mod result;
mod solver_bodies;
mod substepping;

use crate::contact::kernels::PairKernels;
use crate::math::Real;
use crate::persist::copy_fields;
use crate::solver::{JointIslandSolver, Parameters, Solver};
use crate::state::State;
use crate::systems::waking;
pub(crate) use assemble::assemble;
pub(crate) use assign::IslandSolver;
use assign::{Review, substep_limits};
use direct_islands::DirectIslands;
pub(crate) use equilibrium_check::{certificate_size, certify};
use midpoint::Midpoint;
pub(crate) use result::Solved;

/// Contact points from which on direct islands are shared between threads. Smaller: the hand-over
/// costs more than the solution.
const MIN_PARALLEL_POINTS: usize = 200;

/// The solvers, and buffers kept between steps.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Solvers {
    solver: Solver,
    joint_solver: JointIslandSolver,
    #[cfg_attr(feature = "serialize", serde(skip))]
    substepping: substepping::Buffers,
    #[cfg_attr(feature = "serialize", serde(skip))]
    joint_islands: joint_islands::Buffers,
    direct: DirectIslands,
    /// Number of the step: spreads the checks of cached equilibria.
    step: u32,
    /// Length of the step that the manifolds' impulses belong to (s).
    last_dt: Real,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub solved: Solved,
}

impl Solvers {
    /// Drops all warm starts.
    pub(crate) fn forget(&mut self) {
        self.solver.forget();
        self.direct.active.clear();
    }

    /// Copies the persistent fields of the substepping solver of contacts.
    pub(crate) fn copy_solver(&mut self, from: &Self) {
        self.solver.copy_persistent(&from.solver);
    }

    /// Copies the other fields that outlive a step.
    pub(crate) fn copy_persistent(&mut self, from: &Self) {
        self.joint_solver.copy_persistent(&from.joint_solver);
        self.direct.copy_persistent(&from.direct);
        copy_fields!(self, from; step, last_dt);
    }
}

#[cfg(feature = "serialize")]
impl Solvers {
    /// Checks the data of the direct solver that was read from a file.
    ///
    /// # Errors
    /// A description of the inconsistency.
    pub(crate) fn check_sound(&self, slots: usize) -> Result<(), &'static str> {
        let sound = self.direct.is_sound(slots) && self.last_dt >= 0.0 && self.last_dt.is_finite();
        if sound { Ok(()) } else { Err("an island at rest") }
    }

    /// Checks and completes the data of the substepping solver that was read from a file.
    ///
    /// # Errors
    /// A description of the inconsistency.
    pub(crate) fn admit(&mut self) -> Result<(), &'static str> {
        self.solver.admit()
    }
}

/// Runs the stage. `edits`: the game edits contacts, so none may be collided anew.
pub(crate) fn run(state: &mut State, solvers: &mut Solvers, kernels: &PairKernels, edits: bool) {
    waking::rescale_impulses(state, solvers.last_dt);
    let State { bodies, colliders, contacts, islands, joints, settings, dt, counts, events, helpers, simd, .. } = state;
    let Solvers { solver, joint_solver, substepping, joint_islands, direct, step, last_dt, solved } = solvers;
    let slots = bodies.slots();
    solved.residual.resize(slots, 0.0);
    solved.pushed.clear();
    solved.pushed.resize(slots, false);
    solved.in_equilibrium.clear();
    solved.in_equilibrium.resize(islands.islands.len(), false);
    (counts.direct_islands, counts.direct_solves, counts.lp_solves, counts.fallbacks) = (0, 0, 0, 0);
    counts.cached_islands = 0;
    *step = step.wrapping_add(1);

    let choices = (&mut solved.solvers, &mut counts.solver_reasons);
    let (facts, points) = direct.list((bodies, contacts, joints), islands, settings, *dt, choices);
    if !direct.active.is_empty() {
        let context = assemble::SolveContext {
            bodies,
            colliders,
            graph: contacts,
            joints,
            islands,
            index: &direct.index,
            settings,
            dt: *dt,
            step: *step,
            impulse_scale: if *last_dt > 0.0 { f64::from(*dt / *last_dt) } else { 1.0 },
        };
        let midpoint = Midpoint { kernels, edits };
        helpers.for_each(&mut direct.active, points >= MIN_PARALLEL_POINTS, |island| island.solve(&context, &midpoint));
        for island in &mut direct.active {
            island.count(counts);
            let number = island.island as usize;
            let backoff = match island.review() {
                Review::Rejected(backoff) => {
                    counts.fallbacks += 1;
                    let has_joints = !islands.islands[number].joint_range().is_empty();
                    solved.solvers[number] = IslandSolver::substeps(has_joints);
                    Some(backoff)
                }
                Review::Kept(backoff) => {
                    solved.in_equilibrium[number] = island.in_equilibrium;
                    island.apply(islands, bodies, contacts, (joints, events), &mut solved.pushed);
                    backoff
                }
            };
            if let Some(backoff) = backoff {
                direct.backoffs[island.key as usize] = backoff;
            }
        }
    }
    *last_dt = *dt;
    counts.direct_islands = solved.solvers.iter().filter(|solver| **solver == IslandSolver::Direct).count();
    counts.substepped_islands = islands.islands.len() - counts.direct_islands;
    counts.substeps = 0;
    let push_out_speed = settings.max_push_out();
    let parameters = |solver| {
        let (substeps, stop) = substep_limits(solver, &facts);
        Parameters { substeps, stop, simd: *simd, push_out_speed, ..Parameters::new(*dt) }
    };
    let [contact_parameters, joint_parameters] = [IslandSolver::Substepping, IslandSolver::Joints].map(parameters);
    substepping::run(state, (solver, substepping), solved, &contact_parameters);
    joint_islands::run(state, (joint_solver, joint_islands), solved, &joint_parameters);
    substepping::keep_composites(&mut state.contacts);
}
