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
    let fastest = joints.iter().map(|joint| swing(joint, bodies, joint.load)).fold(0.0, Real::max);
    let asked = (dt * RATE * JOINT_SUBSTEPS as Real - 1e-3).ceil() as u32;
    let least = contacts.map_or(LEAST, |plan| plan.within(dt));
    let substeps = substeps_for(fastest, dt).max(asked.next_power_of_two()).max(least);
    (Plan { substeps, inner }, substeps)
}

/// The fastest that the bodies of a joint swing on their levers under a force (rad/s).
pub(super) fn swing(joint: &SolverJoint, bodies: &[SolverBody], force: Real) -> Real {
    let of = |body: u32, lever: Vec3| {
        let (body, r) = (&bodies[body as usize], lever.length());
        if !body.movable() || r == 0.0 {
            return 0.0;
        }
        let turns = body.inverse_inertia[..3].iter().fold(0.0, |most: Real, &x| most.max(x));
        force * (r * turns + body.inverse_mass / r)
    };
    of(joint.a, joint.levers[0]).max(of(joint.b, joint.levers[1])).sqrt()
}

/// The substeps of a step of `dt` (s) that resolve a swing (rad/s): a power of two, so that bundles are few.
pub(super) fn substeps_for(swing: Real, dt: Real) -> u32 {
    let asked = (dt * swing / JOINT_SWING).min(MAX_SUBSTEPS as Real);
    (asked.ceil() as u32).next_power_of_two()
}
