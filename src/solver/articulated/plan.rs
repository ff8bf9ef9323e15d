//! How many substeps an island with joints takes.

use crate::math::{Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::joint::SolverJoint;
use crate::solver::layout::{MAX_SUBSTEPS, Plan};
use crate::solver::step::Parameters;
use crate::tolerances::{JOINT_SUBSTEPS, JOINT_SWING};

/// The rate of steps that [`JOINT_SUBSTEPS`] is for (Hz).
const RATE: Real = 60.0;
/// The fewest substeps of a step.
const LEAST: u32 = 2;

/// The plan of an island, from what its contacts ask for and what its joints bear, with its substeps in this step.
///
/// A taut joint is the string of a pendulum as short as the lever it pulls at: under the force F a body of mass m and inertia I
/// swings on a lever r at `omega² = F (r / I + 1 / (m r))`. A substep must resolve that.
pub(super) fn plan(
    contacts: Option<Plan>,
    joints: &[SolverJoint],
    bodies: &[SolverBody],
    parameters: &Parameters,
) -> (Plan, u32) {
    let dt = parameters.dt;
    if let (Some(substeps), None) = (parameters.substeps, contacts) {
        return (Plan { substeps, inner: 1 }, substeps);
    }
    let inner = contacts.map_or(1, |plan| plan.inner);
    if let Some(substeps) = parameters.substeps {
        return (Plan { substeps, inner }, substeps);
    }
    let fastest = joints.iter().flat_map(|joint| {
        [(joint.a, joint.levers[0]), (joint.b, joint.levers[1])].map(|(body, r)| swing(&bodies[body as usize], r, joint.load))
    });
    let fastest = fastest.fold(0.0, Real::max).sqrt();
    let asked = [dt * RATE * JOINT_SUBSTEPS as Real - 1e-3, dt * fastest / JOINT_SWING];
    let asked = asked.into_iter().fold(0.0, Real::max).min(MAX_SUBSTEPS as Real).ceil() as u32;
    let least = contacts.map_or(LEAST, |plan| plan.within(dt));
    // Few different numbers, so that bundles are few and seldom change.
    let substeps = asked.next_power_of_two().max(least);
    (Plan { substeps, inner }, substeps)
}

/// The square of the angular frequency at which a body swings on a lever under a force (1/s²).
fn swing(body: &SolverBody, lever: Vec3, force: Real) -> Real {
    let r = lever.length();
    if !body.movable() || r == 0.0 {
        return 0.0;
    }
    let turns = body.inverse_inertia[..3].iter().fold(0.0, |most: Real, &x| most.max(x));
    force * (r * turns + body.inverse_mass / r)
}
