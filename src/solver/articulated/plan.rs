//! How many substeps an island with joints takes.

use crate::math::{Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::joint::forest::{Forest, Tree};
use crate::solver::joint::tumble::{Tumble, tumble_of};
use crate::solver::joint::{JointLoad, SolverJoint};
use crate::solver::layout::{MAX_SUBSTEPS, Plan};
use crate::solver::step::Parameters;
use crate::tolerances::{
    EXACT_SUBSTEPS, HEAP_SWING, JOINT_BLOW, JOINT_ROUNDS, JOINT_STRAIN, JOINT_SUBSTEPS, JOINT_SWING, NET_SUBSTEPS,
    NET_SWING, SHORTEST_LEVER, TUMBLE_TURN,
};

/// The rate of steps that [`JOINT_SUBSTEPS`] is for (Hz).
const RATE: Real = 60.0;
/// The fewest substeps of a step.
const LEAST: u32 = 2;

/// How an island with joints is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    pub substeps: u32,
    /// Substeps that the contacts are for: more of them, for joints, make them no stiffer.
    ///
    /// A limb that is wedged between two others is pressed by as much as contacts are stiff, and the tauter joints are, the more substeps they
    /// ask for: if contacts grew stiffer with them, they would keep each other up, and a heap that lies still would take 64. And where contacts
    /// press on a light body with many times its weight, they and its joints, which are solved in turn, take as many substeps to agree: stiffer
    /// springs than that swing instead of giving way, and shake the joints until they explode.
    pub contacts_for: u32,
    /// Times that the points of a manifold are gone over in one visit.
    pub inner: u32,
    /// Whether it has contacts.
    pub carried: bool,
    /// Whether it is a heap of bodies on joints, see [`JOINED_SUBSTEPS`](crate::tolerances::JOINED_SUBSTEPS): where these turn fast, their
    /// joints are brought together a second time instead of in shorter substeps.
    pub heap: bool,
    /// Whether its joints are looked at where they come to under what they last bore: see [`FORESEEN_CONTACTS`](crate::tolerances::FORESEEN_CONTACTS).
    pub foresees: bool,
    /// Whether its joints give way by as little as they may: see [`Unit::stiff`](crate::solver::joint::unit::Unit::stiff).
    pub stiff: bool,
    /// Whether it is solved again in shorter substeps where its joints bore more than was planned for.
    pub refines: bool,
    /// Substeps that it is solved again in, its joints no stiffer than in `Game`, where they turn out to be strained: see
    /// [`JOINT_STRAIN`].
    pub yields_to: Option<u32>,
    /// Whether some of it is swept: see [`Net`](crate::solver::joint::net::Net).
    pub net: bool,
}

impl Kind {
    /// Times that joints are brought together in a pass.
    pub fn rounds(&self) -> u32 {
        JOINT_ROUNDS[usize::from(self.stiff)]
    }
}

/// How to solve an island, from what its contacts ask for, whether it is a heap of bodies on joints, in which one may look `ahead`, and
/// what its joints bear. Where they are to be `exact`, it says whether they may turn out to be strained.
///
/// A taut joint is the string of a pendulum as short as the lever it pulls at: under the force F a body of mass m and inertia I
/// swings on a lever r at `omega² = F (r / I + 1 / (m r))`; on a rod or rope of length l at `F (r / I + (r² / I + 1 / m) / l)`. A substep
/// must resolve that.
pub(super) fn plan<'a>(
    contacts: Option<(Plan, bool)>,
    (net, ahead): (bool, bool),
    exact: Option<bool>,
    joints: impl Iterator<Item = &'a SolverJoint>,
    (bodies, tumbles): (&[SolverBody], &[(u32, Tumble)]),
    parameters: &Parameters,
) -> Kind {
    let carried = contacts.is_some();
    let (contacts, heap) = contacts.map_or((None, false), |(plan, heap)| (Some(plan), heap));
    let foresees = heap && ahead;
    let inner = contacts.map_or(1, |plan| plan.inner);
    let kind = Kind { inner, carried, heap, foresees, net, ..Kind::default() };
    if let Some(substeps) = parameters.substeps {
        return Kind { substeps, contacts_for: substeps, stiff: exact.is_some(), ..kind };
    }
    let dt = parameters.dt;
    let asked = if net { NET_SUBSTEPS } else { JOINT_SUBSTEPS };
    let asked = (dt * RATE * asked as Real - 1e-3).ceil() as u32;
    let least = contacts.map_or(LEAST, |plan| plan.within(dt)).max(asked.next_power_of_two());
    let mut swings = Swings::beyond(least, dt, net, foresees);
    for joint in joints {
        swings.add(joint, bodies, joint.load, carried, !carried);
        for body in [joint.a, joint.b] {
            if !(foresees || net && carried) && tumble_of(tumbles, body).is_some() {
                swings.tumble(bodies[body as usize].angular_velocity.length());
            }
        }
    }
    let substeps = swings.substeps(dt, !heap).max(least);
    let kind = Kind { substeps, contacts_for: least, refines: true, ..kind };
    match exact {
        Some(yields) => {
            Kind { substeps: substeps.max(EXACT_SUBSTEPS), stiff: true, yields_to: yields.then_some(substeps), ..kind }
        }
        None => kind,
    }
}

/// Whether a tree of an island with contacts (`carried`) or without may turn out to be strained: see [`JOINT_STRAIN`].
pub(super) fn may_yield(forest: &Forest, tree: &Tree, carried: bool) -> bool {
    !tree.swept && tree.closed && (carried || forest.is_bounded(tree))
}

/// Whether a joint that bears a force (N) is strained: see [`JOINT_STRAIN`].
pub(super) fn is_strained(joint: &SolverJoint, bodies: &[SolverBody], force: Real) -> bool {
    [joint.a, joint.b]
        .into_iter()
        .map(|body| &bodies[body as usize])
        .any(|body| body.movable() && force * body.inverse_mass > JOINT_STRAIN * body.linear_acceleration.length())
}

/// The fastest that bodies swing on their joints (rad/s), as far as it counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swings {
    /// The square of what is resolved anyway.
    resolved: Real,
    /// Under blows, which are over before the bodies have swung far.
    blow: Real,
    /// Under what they go on to bear.
    lasting: Real,
    /// What a substep resolves (rad).
    turn: Real,
}

impl Swings {
    /// For what a step of `dt` (s) does not resolve in so many substeps, in an island with a `net` or without, that `foresees` or not.
    pub fn beyond(substeps: u32, dt: Real, net: bool, foresees: bool) -> Self {
        let turn = if net {
            NET_SWING
        } else if foresees {
            HEAP_SWING
        } else {
            JOINT_SWING
        };
        let swing = substeps as Real * turn / dt;
        Self { resolved: swing * swing, blow: 0.0, lasting: 0.0, turn }
    }

    /// Adds a joint under a load.
    ///
    /// What swings freely is to keep its energy and not to stretch where it cracks like a whip: there the peak counts, and the
    /// body's least inertia. What contacts carry (`carried`) is only to hold together: a blow that is over in a substep asks
    /// for nothing, and one that is over in a step for no more than [`JOINT_BLOW`]. Where nothing touches anything
    /// (`alone`) there are no blows; where something does, what swings freely may be struck.
    pub fn add(&mut self, joint: &SolverJoint, bodies: &[SolverBody], load: JointLoad, carried: bool, alone: bool) {
        if !load.mean.is_finite() {
            // It broke down: as many as there are.
            self.lasting = Real::INFINITY;
            return;
        }
        // Most joints bear little: what they could swing by at most is soon known.
        if swings_less(joint, bodies, load.peak.max(load.mean), self.resolved) {
            return;
        }
        if carried {
            let unit = swing(joint, bodies, 1.0, true);
            self.blow = self.blow.max(unit * load.mean.sqrt());
            self.lasting = self.lasting.max(unit * load.lasting.sqrt());
        } else if alone {
            self.lasting = self.lasting.max(swing(joint, bodies, load.peak, false));
        } else {
            let unit = swing(joint, bodies, 1.0, false);
            self.blow = self.blow.max(unit * load.peak.sqrt());
            self.lasting = self.lasting.max(unit * load.lasting.sqrt());
        }
    }

    /// Adds a body that tumbles at a speed (rad/s).
    pub fn tumble(&mut self, speed: Real) {
        self.lasting = self.lasting.max(speed * (self.turn / TUMBLE_TURN));
    }

    /// The substeps of a step of `dt` (s) that they ask for, `blows` among them or not.
    pub fn substeps(&self, dt: Real, blows: bool) -> u32 {
        let lasting = substeps_for(self.lasting / self.turn, dt);
        if blows { lasting.max(substeps_for(self.blow / self.turn, dt).min(JOINT_BLOW)) } else { lasting }
    }
}

/// The fastest that the bodies of a joint swing on their levers under a force (rad/s): `carried` about axes square to the lever
/// alone, about which the force turns them, else about any.
fn swing(joint: &SolverJoint, bodies: &[SolverBody], force: Real, carried: bool) -> Real {
    let of = |body: u32, lever: Vec3| {
        let body = &bodies[body as usize];
        if body.movable() {
            force * swing_on(body.inverse_mass, &body.inverse_inertia, lever, joint.span, carried)
        } else {
            0.0
        }
    };
    of(joint.a, joint.levers[0]).max(of(joint.b, joint.levers[1])).sqrt()
}

/// Whether the square of how fast the bodies of a joint swing on their levers under a force (N) is surely below a bound (rad²/s²).
fn swings_less(joint: &SolverJoint, bodies: &[SolverBody], force: Real, bound: Real) -> bool {
    let of = |body: u32, lever: Vec3| {
        let body = &bodies[body as usize];
        if !body.movable() {
            return true;
        }
        // The greatest inverse inertia is less than the sum of all.
        let [xx, yy, zz, ..] = body.inverse_inertia;
        if joint.span > SHORTEST_LEVER {
            return force * swing_of(body.inverse_mass, xx + yy + zz, lever.length(), joint.span) < bound;
        }
        // Most joints are pins: `force (r turns + inverse mass / r) < bound`, without a root.
        let square = lever.length_squared();
        let (swing, less) = (force * (square * (xx + yy + zz) + body.inverse_mass), bound * bound * square);
        swing * swing < less || square == 0.0
    };
    of(joint.a, joint.levers[0]) && of(joint.b, joint.levers[1])
}

/// The square of how fast a body swings on a lever (m) at the end of a `span` (m) under a force of one (rad²/(s² N)), of its inverse
/// mass and inverse inertia (xx, yy, zz, xy, xz, yz): about axes `square` to the lever alone, else about any.
pub fn swing_on(inverse_mass: Real, inverse_inertia: &[Real; 6], lever: Vec3, span: Real, square: bool) -> Real {
    let r = lever.length();
    let least = || inverse_inertia[..3].iter().fold(0.0, |most: Real, &x| most.max(x));
    let turns = if square && r > 0.0 { turns(inverse_inertia, lever / r) } else { least() };
    swing_of(inverse_mass, turns, r, span)
}

/// The same of an inverse inertia about one axis, for a lever of `r`. What spans next to nothing is a pin.
fn swing_of(inverse_mass: Real, turns: Real, r: Real, span: Real) -> Real {
    if span > SHORTEST_LEVER {
        r * turns + (r * r * turns + inverse_mass) / span
    } else if r > 0.0 {
        r * turns + inverse_mass / r
    } else {
        0.0
    }
}

/// The greatest inverse inertia about an axis square to a direction (1/(kg m²)): a force on a lever turns about no other.
fn turns(inverse: &[Real; 6], direction: Vec3) -> Real {
    let [xx, yy, zz, xy, xz, yz] = *inverse;
    let times = |v: Vec3| {
        Vec3::new(xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z, xz * v.x + yz * v.y + zz * v.z)
    };
    let (u, v) = direction.any_orthonormal_pair();
    let (iu, iv) = (times(u), times(v));
    let (a, b, c) = (u.dot(iu), v.dot(iv), u.dot(iv));
    0.5 * (a + b) + (0.25 * (a - b) * (a - b) + c * c).sqrt()
}

/// The substeps of a step of `dt` (s) for so many a second: 2^k or 3 2^k, so that bundles are few.
fn substeps_for(rate: Real, dt: Real) -> u32 {
    let asked = (dt * rate).min(MAX_SUBSTEPS as Real).ceil() as u32;
    let whole = asked.next_power_of_two();
    if whole >= 4 && 3 * (whole / 4) >= asked { 3 * (whole / 4) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substeps_are_few_numbers_and_enough() {
        let of = |asked: u32| substeps_for(asked as Real * 0.999, 1.0);
        let got: Vec<u32> = [1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 20].map(of).to_vec();
        assert_eq!(got, [1, 2, 3, 4, 6, 6, 8, 8, 12, 16, 24]);
        assert_eq!(substeps_for(1e9, 1.0), MAX_SUBSTEPS);
    }

    #[test]
    fn what_is_resolved_anyway_is_left_out_and_nothing_else() {
        let rod =
            SolverBody { inverse_mass: 0.5, inverse_inertia: [9.0, 2.0, 4.0, 0.5, 0.1, -0.3], ..SolverBody::FIXED };
        let lever = Vec3::new(0.3, -0.2, 0.6);
        let joint = SolverJoint {
            a: 0,
            b: 1,
            island: 0,
            rows: [0, 0],
            levers: [Vec3::ZERO, lever],
            gap: Vec3::ZERO,
            span: 0.0,
            frames: [crate::math::Mat3::IDENTITY; 2],
            load: JointLoad::default(),
        };
        let bodies = [SolverBody::FIXED, rod];
        let dt = 1.0 / 60.0;
        for force in [0.0, 1.0, 100.0, 1e4, 1e6] {
            let load = JointLoad { mean: force, lasting: force, peak: force };
            for (carried, alone) in [(true, false), (false, true), (false, false)] {
                let of = |mut swings: Swings| {
                    swings.add(&joint, &bodies, load, carried, alone);
                    swings.substeps(dt, true).max(8)
                };
                assert_eq!(
                    of(Swings::beyond(8, dt, false, false)),
                    of(Swings::beyond(0, dt, false, false)),
                    "{force} {carried} {alone}"
                );
            }
        }
    }

    #[test]
    fn a_rod_on_its_end_swings_about_its_thick_axes_only() {
        // A rod along (1, 1, 0), thin: 100 about itself, 3 about the axes square to it.
        let along = Vec3::new(1.0, 1.0, 0.0).normalize();
        let of = |i: usize, k: usize| 97.0 * along[i] * along[k] + if i == k { 3.0 } else { 0.0 };
        let inverse = [of(0, 0), of(1, 1), of(2, 2), of(0, 1), of(0, 2), of(1, 2)];
        assert!((turns(&inverse, along) - 3.0).abs() < 1e-4);
        assert!((turns(&inverse, Vec3::Z) - 100.0).abs() < 1e-3);
    }
}
