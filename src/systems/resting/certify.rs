//! The certificate of rest for islands in the hands of the scalable solver, whose springs may swing for long.
//!
//! Its impulses are where the exact search starts; if they converge, inside their cones, to what holds every body in
//! equilibrium, the island rests.

use super::exact::{effort, keep_impulses};
use super::posing::pose;
use crate::math::DVec3;
use crate::resting::{Law, Level, Problem, Workspace, solve_with};
use crate::state::State;
use crate::tolerances::{NEWTON_CONTACTS, WEIGHTLESS};

/// Whether an island whose bodies hardly move rests. If so, its contacts carry what holds it from now on; if not, nothing is
/// changed. Large islands are not asked.
pub(crate) fn certify(state: &mut State, island: usize) -> bool {
    let island = state.islands.islands[island];
    let manifolds = &state.contacts.manifolds;
    let contacts = &state.contacts.contacts[island.contact_range()];
    let points: u32 = contacts.iter().map(|c| manifolds[c.manifold as usize].count).sum();
    if points as usize > NEWTON_CONTACTS {
        return false;
    }
    let mut posed = pose(state, state.islands.bodies[island.body_range().start]);
    for body in &mut posed.bodies {
        // What it will have once it is parked.
        (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
    }
    let step = f64::from(state.dt);
    for (contact, gap) in posed.contacts.iter_mut().zip(&posed.gaps) {
        contact.bias = gap.max(0.0) / step;
    }
    let settings = &state.settings;
    let gravity = f64::from(settings.gravity.length()).max(WEIGHTLESS * f64::from(settings.length_unit));
    let mut problem = Problem::new();
    if problem.build(Level::Velocity { step }, gravity, &posed.bodies, &posed.contacts).is_err() {
        return false;
    }
    let (effort, bar) = effort(settings.accuracy, true);
    let mut work = Workspace::new();
    let solution = solve_with(&mut work, &problem, Law::Newton, effort);
    let rests = solution.report.converged && solution.report.equilibrium.holds(bar);
    if rests {
        keep_impulses(&island, &mut state.contacts, &posed.contacts, solution.impulses, solution.sticking);
    }
    rests
}
