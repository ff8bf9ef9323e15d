//! Proof of equilibrium for slow islands of the substepping solvers, whose springs may oscillate
//! for long. Used by the sleep stage.
//!
//! A direct search starts from the impulses of the substeps. If it converges inside the friction
//! cones and holds every body in equilibrium, the island may sleep.

use super::assemble::assemble;
use super::assign::{DirectLimits, may_check_equilibrium};
use super::direct_island::store_impulses;
use super::joint_rows::{JointRows, outcome};
use crate::math::DVec3;
use crate::resting::{FormulationLevel, Problem, RestingMethod, WORLD, Workspace, solve_with};
use crate::state::State;
use crate::systems::joints::{exceeds_strength, record_outcome};
use crate::tolerances::DIRECT;

/// Number of contact points and joints of an island.
pub(crate) fn certificate_size(state: &State, island: usize) -> usize {
    let island = state.islands.islands[island];
    let manifolds = &state.contacts.manifolds;
    let contacts = &state.contacts.contacts[island.contact_range()];
    let points: u32 = contacts.iter().map(|c| manifolds[c.manifold as usize].count).sum();
    points as usize + island.joint_range().len()
}

/// True if an island of slow bodies is in equilibrium. If so, its contacts and joints get the
/// impulses that hold it; if not, nothing changes. Large islands, and those with motors, joint
/// friction or springs scaled by mass, are never found in equilibrium.
pub(crate) fn certify(state: &mut State, island: usize) -> bool {
    if !may_check_equilibrium(certificate_size(state, island)) {
        return false;
    }
    let island = state.islands.islands[island];
    let mut assembled = assemble(state, state.islands.bodies[island.body_range().start]);
    for body in &mut assembled.bodies {
        // Its velocity once it is asleep.
        (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
    }
    let State { bodies, joints, settings, dt, .. } = &*state;
    let mut joint_rows = JointRows::default();
    let number = |slot: u32| assembled.slots.binary_search(&slot).map_or(WORLD, |at| at as u32);
    let list = &joints.acting[island.joint_range()];
    if !joint_rows.assemble((bodies, joints), list, number, (*dt, settings.length_unit), false) {
        return false;
    }
    joint_rows.apply_springs(&mut assembled.bodies);
    let step = f64::from(*dt);
    for (contact, gap) in assembled.contacts.iter_mut().zip(&assembled.gaps) {
        contact.bias = gap.max(0.0) / step;
    }
    let gravity = f64::from(settings.gravity.length()).max(DIRECT.min_gravity * f64::from(settings.length_unit));
    let mut problem = Problem::new();
    let (level, constraints) = (FormulationLevel::Velocity { step }, &joint_rows.constraints);
    if problem.build_with_joints(level, gravity, &assembled.bodies, &assembled.contacts, constraints).is_err() {
        return false;
    }
    let limits = DirectLimits::new(settings.accuracy, true);
    let mut workspace = Workspace::new();
    let solution = solve_with(&mut workspace, &problem, RestingMethod::Newton, limits.search);
    joint_rows.record(solution.joint_impulses, *dt);
    let breaks = |(joint, wrench, _)| exceeds_strength(joints, joint, &outcome(joints, joint, wrench));
    let in_equilibrium = solution.report.converged
        && solution.report.equilibrium.holds(limits.equilibrium)
        && !joint_rows.outcomes().any(breaks);
    if in_equilibrium {
        let graph = &mut state.contacts;
        store_impulses(&island, graph, &assembled.contacts, solution.impulses, solution.sticking);
        for (joint, wrench, forces) in joint_rows.outcomes() {
            let outcome = outcome(&state.joints, joint, wrench);
            record_outcome(&mut state.joints, joint, outcome, forces.iter().copied(), &mut state.events);
        }
    }
    in_equilibrium
}
