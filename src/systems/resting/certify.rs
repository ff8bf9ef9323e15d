//! The certificate of rest for islands in the hands of the scalable solver, whose springs may swing for long, with joints or
//! without.
//!
//! Its impulses are where the exact search starts; if they converge, inside their cones, to what holds every body in
//! equilibrium, the island rests.

use super::exact::{effort, keep_impulses};
use super::knots::{Knots, outcome};
use super::posing::pose;
use crate::math::DVec3;
use crate::resting::{Law, Level, Problem, WORLD, Workspace, solve_with};
use crate::systems::joints::{is_too_much, note};
use crate::systems::state::State;
use crate::tolerances::{NEWTON_CONTACTS, WEIGHTLESS};

/// Whether an island whose bodies hardly move rests. If so, its contacts and joints carry what holds it from now on; if not,
/// nothing is changed. Large islands are not asked, nor those with motors, friction in joints, or springs that are tuned to what
/// they move.
pub(crate) fn certify(state: &mut State, island: usize) -> bool {
    let island = state.islands.islands[island];
    let manifolds = &state.contacts.manifolds;
    let contacts = &state.contacts.contacts[island.contact_range()];
    let points: u32 = contacts.iter().map(|c| manifolds[c.manifold as usize].count).sum();
    if points as usize + island.joint_range().len() > NEWTON_CONTACTS {
        return false;
    }
    let mut posed = pose(state, state.islands.bodies[island.body_range().start]);
    for body in &mut posed.bodies {
        // What it will have once it is parked.
        (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
    }
    let State { bodies, joints, settings, dt, .. } = &*state;
    let mut knots = Knots::default();
    let number = |slot: u32| posed.slots.binary_search(&slot).map_or(WORLD, |at| at as u32);
    if !knots.pose((bodies, joints), &joints.acting[island.joint_range()], number, (*dt, settings.length_unit), false) {
        return false;
    }
    knots.pull(&mut posed.bodies);
    let step = f64::from(*dt);
    for (contact, gap) in posed.contacts.iter_mut().zip(&posed.gaps) {
        contact.bias = gap.max(0.0) / step;
    }
    let gravity = f64::from(settings.gravity.length()).max(WEIGHTLESS * f64::from(settings.length_unit));
    let mut problem = Problem::new();
    if problem.build_tied(Level::Velocity { step }, gravity, &posed.bodies, &posed.contacts, &knots.ties).is_err() {
        return false;
    }
    let (effort, bar) = effort(settings.accuracy, true);
    let mut work = Workspace::new();
    let solution = solve_with(&mut work, &problem, Law::Newton, effort);
    knots.settle(solution.ties, *dt);
    let breaks = |(joint, did, _)| is_too_much(joints, joint, &outcome(joints, joint, did));
    let rests = solution.report.converged && solution.report.equilibrium.holds(bar) && !knots.outcomes().any(breaks);
    if rests {
        keep_impulses(&island, &mut state.contacts, &posed.contacts, solution.impulses, solution.sticking);
        for (joint, did, rows) in knots.outcomes() {
            let did = outcome(&state.joints, joint, did);
            note(&mut state.joints, joint, did, rows.iter().copied(), &mut state.events);
        }
    }
    rests
}
