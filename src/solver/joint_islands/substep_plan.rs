//! Number of substeps of an island with joints.

use super::joint_rules::Precision;
use crate::math::{Norm, Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::joint::gyroscopic::{GyroscopicBody, gyroscopic_of};
use crate::solver::joint::{JointLoad, SolverJoint};
use crate::solver::layout::{IslandPlan, MAX_SUBSTEPS};
use crate::solver::substepping::Parameters;
use crate::tolerances::{
    CONTACT, EXACT_SUBSTEPS, GYROSCOPIC_ANGLE, IMPACT_LOAD_MAX_SUBSTEPS, ITERATIVE_SUBSTEPS, JOINT_SUBSTEPS,
    PILE_SUBSTEP_PHASE, SUBSTEP_PHASE,
};

/// Step rate that `JOINT_SUBSTEPS` refers to (Hz).
const RATE: Real = 60.0;
/// Minimum number of substeps per step.
const MIN_SUBSTEPS: u32 = 2;

/// Solve plan of an island with joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SolvePlan {
    pub substeps: u32,
    /// Number of substeps that sets the contact stiffness: further substeps, for joints, do not
    /// make contacts stiffer.
    ///
    /// Otherwise contact stiffness and joint tension would raise each other: a limb wedged between
    /// two others is pressed by the contact stiffness, taut joints ask for more substeps, and a
    /// pile at rest would need 64. Contacts that press on a light body with many times its weight
    /// would oscillate against the joints, which are solved in turn with them, and diverge.
    pub contact_substeps: u32,
    /// Number of iterations over the points of a manifold in a pass.
    pub inner: u32,
    /// True if the island has contacts.
    pub has_contacts: bool,
    /// True if it is a pile of small joint groups, see
    /// `JOINTS.pile_substeps`: fast rotating groups get a further
    /// linearisation instead of shorter substeps.
    pub pile: bool,
    /// True if poses are predicted with the last impulses: see
    /// `IMPACTS.small_island`.
    pub predicts: bool,
    /// True if the CFM is minimal: see
    /// [`JointBatch::rigid`](crate::solver::joint::batch::JointBatch::rigid).
    pub rigid: bool,
    /// True if the step is repeated with more substeps if the joint loads need them.
    pub may_resubstep: bool,
    /// True if some joints are iterative: see
    /// [`IterativeJoints`](crate::solver::joint::iterative::IterativeJoints).
    pub iterative: bool,
}

/// Plan of an island, from the plan of its contacts (with `true` for a pile), whether it has
/// iterative joints, whether poses are predicted, its [`Precision`], and the joint loads.
///
/// A taut joint acts as a pendulum as short as its arm: under the force F a body of mass m and
/// inertia I oscillates on an arm r at `omega² = F (r / I + 1 / (m r))`; on a rod or rope of length
/// l at `F (r / I + (r² / I + 1 / m) / l)`. A substep must resolve that (geometric stiffness).
pub(super) fn plan<'a>(
    contacts: Option<(IslandPlan, bool)>,
    (iterative, predicts): (bool, bool),
    precision: Precision,
    joints: impl Iterator<Item = &'a SolverJoint>,
    (bodies, gyroscopic): (&[SolverBody], &[(u32, GyroscopicBody)]),
    parameters: &Parameters,
) -> SolvePlan {
    let has_contacts = contacts.is_some();
    let (contacts, pile) = contacts.map_or((None, false), |(plan, pile)| (Some(plan), pile));
    let inner = contacts.map_or(1, |plan| plan.inner);
    let rigid = precision == Precision::Exact;
    let base = SolvePlan { inner, has_contacts, pile, predicts, rigid, iterative, ..SolvePlan::default() };
    if let Some(substeps) = parameters.substeps {
        return SolvePlan { substeps, contact_substeps: substeps, ..base };
    }
    let dt = parameters.dt;
    let required_substeps = if iterative { ITERATIVE_SUBSTEPS } else { JOINT_SUBSTEPS };
    let required_substeps = (dt * RATE * required_substeps as Real - 1e-3).ceil() as u32;
    let least =
        contacts.map_or(MIN_SUBSTEPS, |plan| plan.substeps_for_step(dt)).max(required_substeps.next_power_of_two());
    let mut frequencies = FrequencyEstimate::beyond(least, dt, iterative, predicts);
    for joint in joints {
        frequencies.add(joint, bodies, joint.load, has_contacts, !has_contacts);
        for body in [joint.a, joint.b] {
            if !(predicts || iterative && has_contacts) && gyroscopic_of(gyroscopic, body).is_some() {
                frequencies.add_gyroscopic(bodies[body as usize].angular_velocity.norm());
            }
        }
    }
    let substeps = frequencies.substeps(dt, !pile).max(least);
    let substeps = if rigid { substeps.max(EXACT_SUBSTEPS) } else { substeps };
    SolvePlan { substeps, contact_substeps: least, may_resubstep: true, ..base }
}

/// Largest angular frequencies by geometric stiffness (rad/s), above a threshold.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrequencyEstimate {
    /// Square of the threshold: the frequency that is resolved anyway.
    resolved: Real,
    /// Under peak loads, which end before the bodies have moved far.
    peak: Real,
    /// Under sustained loads.
    sustained: Real,
    /// Phase that a substep resolves (rad).
    max_phase: Real,
}

impl FrequencyEstimate {
    /// Estimate for frequencies that a step of `dt` (s) does not resolve in so many substeps, by
    /// kind of island.
    pub fn beyond(substeps: u32, dt: Real, iterative: bool, predicts: bool) -> Self {
        let max_phase = if iterative {
            SUBSTEP_PHASE.stable
        } else if predicts {
            PILE_SUBSTEP_PHASE
        } else {
            SUBSTEP_PHASE.resolved
        };
        let rate = substeps as Real * max_phase / dt;
        Self { resolved: rate * rate, peak: 0.0, sustained: 0.0, max_phase }
    }

    /// Adds a joint under a load.
    ///
    /// Free groups shall keep their energy, and shall not stretch in a whip crack: the peak load
    /// and the least inertia count. Groups in contact shall hold together: an impact of one substep
    /// asks for nothing, one of a step for `IMPACT_LOAD_MAX_SUBSTEPS` substeps at most. Islands
    /// without contacts (`alone`) have no impacts; free groups of others may be struck.
    pub fn add(
        &mut self,
        joint: &SolverJoint,
        bodies: &[SolverBody],
        load: JointLoad,
        has_contacts: bool,
        alone: bool,
    ) {
        if !load.mean.is_finite() {
            // Diverged: the maximum number of substeps.
            self.sustained = Real::INFINITY;
            return;
        }
        // Cheap upper bound first: most joints bear little.
        if is_below(joint, bodies, load.peak.max(load.mean), self.resolved) {
            return;
        }
        if has_contacts {
            let unit_rate = frequency(joint, bodies, 1.0, true);
            self.peak = self.peak.max(unit_rate * load.mean.sqrt());
            self.sustained = self.sustained.max(unit_rate * load.sustained.sqrt());
        } else if alone {
            self.sustained = self.sustained.max(frequency(joint, bodies, load.peak, false));
        } else {
            let unit_rate = frequency(joint, bodies, 1.0, false);
            self.peak = self.peak.max(unit_rate * load.peak.sqrt());
            self.sustained = self.sustained.max(unit_rate * load.sustained.sqrt());
        }
    }

    /// Adds a body that rotates at a speed (rad/s) with its inertia.
    pub fn add_gyroscopic(&mut self, speed: Real) {
        self.sustained = self.sustained.max(speed * (self.max_phase / GYROSCOPIC_ANGLE));
    }

    /// Required substeps of a step of `dt` (s), peak loads included or not.
    pub fn substeps(&self, dt: Real, peaks: bool) -> u32 {
        let sustained = substeps_for(self.sustained / self.max_phase, dt);
        if peaks {
            sustained.max(substeps_for(self.peak / self.max_phase, dt).min(IMPACT_LOAD_MAX_SUBSTEPS))
        } else {
            sustained
        }
    }
}

/// Largest frequency of the bodies of a joint under a force (rad/s): in contact about axes
/// perpendicular to the arm, about which the force turns them, else about any axis.
fn frequency(joint: &SolverJoint, bodies: &[SolverBody], force: Real, has_contacts: bool) -> Real {
    let of = |body: u32, arm: Vec3| {
        let body = &bodies[body as usize];
        if body.movable() {
            force * swing_frequency_squared(body.inverse_mass, &body.inverse_inertia, arm, joint.span, has_contacts)
        } else {
            0.0
        }
    };
    of(joint.a, joint.arms[0]).max(of(joint.b, joint.arms[1])).sqrt()
}

/// True if the square of that frequency under a force (N) is surely below a bound (rad²/s²).
fn is_below(joint: &SolverJoint, bodies: &[SolverBody], force: Real, bound: Real) -> bool {
    let of = |body: u32, arm: Vec3| {
        let body = &bodies[body as usize];
        if !body.movable() {
            return true;
        }
        // The largest inverse inertia is at most the trace.
        let [xx, yy, zz, ..] = body.inverse_inertia;
        if joint.span > CONTACT.touching {
            return force * frequency_squared_of(body.inverse_mass, xx + yy + zz, arm.norm(), joint.span) < bound;
        }
        // Point constraints: `force (r inverse_inertia + inverse_mass / r) < bound`, without a
        // square root.
        let square = arm.length_squared();
        let (rate, less) = (force * (square * (xx + yy + zz) + body.inverse_mass), bound * bound * square);
        rate * rate < less || square == 0.0
    };
    of(joint.a, joint.arms[0]) && of(joint.b, joint.arms[1])
}

/// Square of the angular frequency of a body on an arm (m) at the end of a `span` (m), per unit
/// force (rad²/(s² N)), from its inverse mass and inverse inertia (xx, yy, zz, xy, xz, yz): about
/// axes perpendicular to the arm if `square`, else about any axis.
pub fn swing_frequency_squared(
    inverse_mass: Real,
    inverse_inertia: &[Real; 6],
    arm: Vec3,
    span: Real,
    square: bool,
) -> Real {
    let r = arm.norm();
    let least = || inverse_inertia[..3].iter().fold(0.0, |most: Real, &x| most.max(x));
    let inverse_inertia =
        if square && r > 0.0 { max_inverse_inertia_across(inverse_inertia, arm / r) } else { least() };
    frequency_squared_of(inverse_mass, inverse_inertia, r, span)
}

/// The same for the inverse inertia about one axis and an arm of length `r`. A tiny span is a point
/// constraint.
fn frequency_squared_of(inverse_mass: Real, inverse_inertia: Real, r: Real, span: Real) -> Real {
    if span > CONTACT.touching {
        r * inverse_inertia + (r * r * inverse_inertia + inverse_mass) / span
    } else if r > 0.0 {
        r * inverse_inertia + inverse_mass / r
    } else {
        0.0
    }
}

/// Largest inverse inertia about axes perpendicular to a direction (1/(kg m²)): a force on an arm
/// turns about no other.
fn max_inverse_inertia_across(inverse: &[Real; 6], direction: Vec3) -> Real {
    let [xx, yy, zz, xy, xz, yz] = *inverse;
    let times = |v: Vec3| {
        Vec3::new(xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z, xz * v.x + yz * v.y + zz * v.z)
    };
    let (u, v) = direction.any_orthonormal_pair();
    let (iu, iv) = (times(u), times(v));
    let (a, b, c) = (u.dot(iu), v.dot(iv), u.dot(iv));
    0.5 * (a + b) + (0.25 * (a - b) * (a - b) + c * c).sqrt()
}

/// Substeps of a step of `dt` (s) for a rate per second: 2^k or 3 2^k, so that few different plans
/// occur.
fn substeps_for(rate: Real, dt: Real) -> u32 {
    let required_substeps = (dt * rate).min(MAX_SUBSTEPS as Real).ceil() as u32;
    let whole = required_substeps.next_power_of_two();
    if whole >= 4 && 3 * (whole / 4) >= required_substeps { 3 * (whole / 4) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substeps_are_few_numbers_and_enough() {
        let of = |required_substeps: u32| substeps_for(required_substeps as Real * 0.999, 1.0);
        let got: Vec<u32> = [1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 20].map(of).to_vec();
        assert_eq!(got, [1, 2, 3, 4, 6, 6, 8, 8, 12, 16, 24]);
        assert_eq!(substeps_for(1e9, 1.0), MAX_SUBSTEPS);
    }

    #[test]
    fn frequencies_that_are_resolved_anyway_are_left_out_and_nothing_else() {
        let rod =
            SolverBody { inverse_mass: 0.5, inverse_inertia: [9.0, 2.0, 4.0, 0.5, 0.1, -0.3], ..SolverBody::FIXED };
        let arm = Vec3::new(0.3, -0.2, 0.6);
        let joint = SolverJoint {
            a: 0,
            b: 1,
            island: 0,
            rows: [0, 0],
            arms: [Vec3::ZERO, arm],
            gap: Vec3::ZERO,
            span: 0.0,
            frames: [crate::math::Mat3::IDENTITY; 2],
            load: JointLoad::default(),
        };
        let bodies = [SolverBody::FIXED, rod];
        let dt = 1.0 / 60.0;
        for force in [0.0, 1.0, 100.0, 1e4, 1e6] {
            let load = JointLoad { mean: force, sustained: force, peak: force };
            for (has_contacts, alone) in [(true, false), (false, true), (false, false)] {
                let of = |mut frequencies: FrequencyEstimate| {
                    frequencies.add(&joint, &bodies, load, has_contacts, alone);
                    frequencies.substeps(dt, true).max(8)
                };
                assert_eq!(
                    of(FrequencyEstimate::beyond(8, dt, false, false)),
                    of(FrequencyEstimate::beyond(0, dt, false, false)),
                    "{force} {has_contacts} {alone}"
                );
            }
        }
    }

    #[test]
    fn a_force_turns_a_rod_about_axes_perpendicular_to_its_arm_only() {
        // A rod along (1, 1, 0), thin: 100 about itself, 3 about the axes square to it.
        let along = Vec3::new(1.0, 1.0, 0.0).normalize();
        let of = |i: usize, k: usize| 97.0 * along[i] * along[k] + if i == k { 3.0 } else { 0.0 };
        let inverse = [of(0, 0), of(1, 1), of(2, 2), of(0, 1), of(0, 2), of(1, 2)];
        assert!((max_inverse_inertia_across(&inverse, along) - 3.0).abs() < 1e-4);
        assert!((max_inverse_inertia_across(&inverse, Vec3::Z) - 100.0).abs() < 1e-3);
    }
}
