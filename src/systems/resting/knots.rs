//! The joints of an island as the laws of rest see them: rows beside its contacts.

use super::moved::Moved;
use super::posing::{Context, Stand};
use super::scalable::symmetric;
use crate::bodies::Bodies;
use crate::index::NONE;
use crate::islands::Island;
use crate::joint::Directions;
use crate::joints::Joints;
use crate::math::{DQuat, DVec3, Real, Vec3, from_f64, to_f64, wide};
use crate::resting::{Body, Bond, Tie, WORLD};
use crate::solver::{Coordinate, JointLoad, JointOutcome, JointRow, Law, SolverJoint, swing_on};
use crate::systems::bonds;
use crate::systems::joints::{Placed, place};
use crate::tolerances::{LIMIT_MARGIN, STATICS_TOUCH, TIED_SWING};

/// The joints of an island, row by row.
#[derive(Default)]
pub(super) struct Knots {
    knots: Vec<Knot>,
    rows: Vec<JointRow>,
    /// One for each row.
    bonds: Vec<Bond>,
    /// The rows that hold,
    pub ties: Vec<Tie>,
    /// and which rows they are.
    tied: Vec<u32>,
    /// The ties that bring together what is apart at the step's end.
    pub closing: Vec<Tie>,
    /// How strong each row was (N, N m).
    did: Vec<Real>,
}

/// A joint.
#[derive(Clone, Copy, Debug)]
struct Knot {
    joint: u32,
    /// The slots of its bodies, and their numbers in the island or [`WORLD`].
    slots: [u32; 2],
    ends: [u32; 2],
    rows: [u32; 2],
}

impl Knot {
    fn row_range(&self) -> std::ops::Range<usize> {
        self.rows[0] as usize..self.rows[1] as usize
    }
}

/// Whether the exact laws can take these joints in a step: all that they ask is to be held, no limit is near, and nothing swings on
/// them faster than a step resolves.
pub(super) fn are_rigid(
    bodies: &Bodies,
    joints: &Joints,
    list: &[u32],
    (dt, unit): (Real, Real),
    rows: &mut Vec<JointRow>,
) -> bool {
    list.iter().all(|&joint| {
        let joint = joint as usize;
        let placed = place(bodies, joints, joint, true);
        rows.clear();
        placed.rows(joints, joint, rows);
        let at = placed.directions();
        swing(bodies, joints, joint, &placed, SolverJoint::span_of(rows, placed.gap)) * dt <= TIED_SWING
            && rows.iter().all(|row| match row.law {
                Law::Lock => !matches!(row.coordinate, Coordinate::Turn(_)),
                Law::Range => {
                    let (force, torques) = at.of(row);
                    let rate: f64 =
                        (0..2).map(|side| rate(bodies, joints.bodies[joint][side], side, force, torques)).sum();
                    let margin = 2.0 * rate.abs() * f64::from(dt) + LIMIT_MARGIN * f64::from(unit);
                    let value = at.value(row);
                    value - margin > f64::from(row.target) && value + margin < f64::from(row.target_high)
                }
                Law::Drive | Law::Spring | Law::Tuned => false,
            })
    })
}

/// How fast the bodies of a joint swing under what it bore last (rad/s).
fn swing(bodies: &Bodies, joints: &Joints, joint: usize, placed: &Placed, span: Real) -> Real {
    let of = |side: usize| match joints.bodies[joint][side] {
        slot if slot != NONE && bodies.is_active(slot as usize) => {
            let (mass, inertia) = (&bodies.inverse_mass[slot as usize], &bodies.inverse_inertia[slot as usize]);
            swing_on(mass.max_element(), &symmetric(inertia), placed.levers[side], span, true)
        }
        _ => 0.0,
    };
    (joints.outcome[joint].load.mean * of(0).max(of(1))).sqrt()
}

/// What the motion of a body adds to the rate of a row.
fn rate(bodies: &Bodies, slot: u32, side: usize, force: DVec3, torques: [DVec3; 2]) -> f64 {
    if slot == NONE || !bodies.is_moving(slot as usize) {
        return 0.0;
    }
    let [velocity, spin] = [&bodies.linear_velocity, &bodies.angular_velocity].map(|of| to_f64(of[slot as usize]));
    let sign = if side == 0 { -1.0 } else { 1.0 };
    sign * (force.dot(velocity) + torques[side].dot(spin))
}

impl Knots {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.knots.is_empty()
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.knots.clear();
        self.rows.clear();
        self.bonds.clear();
        self.ties.clear();
        self.tied.clear();
        self.closing.clear();
    }

    /// Poses these joints where their bodies are; `ahead`, with what has moved these already in this step. `number` says which
    /// body of the island a slot is, or [`WORLD`]; `dt` is the step (s). False if how strong a row is hangs on how its bodies
    /// move, or is bounded but not given.
    pub fn pose(
        &mut self,
        (bodies, joints): (&Bodies, &Joints),
        list: &[u32],
        number: impl Fn(u32) -> u32,
        (dt, unit): (Real, Real),
        ahead: bool,
    ) -> bool {
        self.clear();
        let slack = f64::from(STATICS_TOUCH * unit);
        for &joint in list {
            let placed = place(bodies, joints, joint as usize, ahead);
            let slots = joints.bodies[joint as usize];
            let ends = slots.map(|slot| if slot == NONE { WORLD } else { number(slot) });
            let first = self.rows.len();
            placed.rows(joints, joint as usize, &mut self.rows);
            let at = placed.directions();
            if !bonds::of_rows(&self.rows[first..], &at, ends, slack, &mut self.bonds) {
                return false;
            }
            self.knots.push(Knot { joint, slots, ends, rows: [first as u32, self.rows.len() as u32] });
            let outcome = &joints.outcome[joint as usize];
            for (k, bond) in self.bonds[first..].iter().enumerate() {
                if bond.range[0] == bond.range[1] {
                    // A limit that is not reached, or a spring.
                    continue;
                }
                if bond.range.iter().any(|bound| *bound != 0.0 && bound.is_finite()) {
                    return false;
                }
                let last = strength(bond, outcome) * f64::from(dt);
                self.tied.push((first + k) as u32);
                self.ties.push(Tie { bond: *bond, bias: 0.0, last: last.clamp(bond.range[0], bond.range[1]) });
            }
        }
        true
    }

    /// Adds to what accelerates the bodies of an island what rows of a known strength do: springs.
    pub fn pull(&self, bodies: &mut [Body]) {
        for bond in self.bonds.iter().filter(|bond| bond.range[0] == bond.range[1] && bond.range[0] != 0.0) {
            for (end, side) in [(bond.bodies[0], -bond.range[0]), (bond.bodies[1], bond.range[0])].into_iter().zip(0..)
            {
                let (number, strength) = end;
                if let Some(body) = bodies.get_mut(number as usize) {
                    let torque = body.principal_axes.transpose() * (bond.torques[side] * strength);
                    body.acceleration += body.inverse_mass * bond.force * strength;
                    body.angular_acceleration += body.principal_axes * (body.inverse_inertia * torque);
                }
            }
        }
    }

    /// Notes these strengths of the ties (N s, N m s) over a step of `dt` (s).
    pub fn settle(&mut self, strengths: &[f64], dt: Real) {
        self.did.clear();
        self.did.extend(
            self.bonds.iter().map(|bond| if bond.range[0] == bond.range[1] { bond.range[0] as Real } else { 0.0 }),
        );
        for (&row, &strength) in self.tied.iter().zip(strengths) {
            self.did[row as usize] = (strength / f64::from(dt)) as Real;
        }
    }

    /// The joints, with the force and the torque that each exerts and how strong its rows are (N, N m), as they were noted.
    pub fn outcomes(&self) -> impl Iterator<Item = (u32, [Vec3; 2], &[Real])> {
        self.knots.iter().map(|knot| {
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            for row in knot.row_range() {
                let (bond, strength) = (&self.bonds[row], f64::from(self.did[row]));
                force += bond.force * strength;
                if !self.rows[row].coordinate.is_linear() {
                    torque += bond.torques[1] * strength;
                }
            }
            (knot.joint, [from_f64(force), from_f64(torque)], &self.did[knot.row_range()])
        })
    }
}

/// The joints of an island in a step of the exact laws.
impl Knots {
    /// Poses the joints of an island at the step's start.
    pub fn begin(&mut self, context: &Context, island: &Island) -> bool {
        let (bodies, joints) = (context.bodies, context.joints);
        let number = |slot: u32| if bodies.is_active(slot as usize) { context.place[slot as usize] } else { WORLD };
        let list = &joints.acting[island.joint_range()];
        let posed = self.pose((bodies, joints), list, number, (context.dt, context.settings.length_unit), true);
        let Self { knots, ties, tied, .. } = self;
        for (knot, tie) in of_ties(knots, ties, tied) {
            tie.bias = (0..2).map(|side| knot.drives(bodies, side, tie)).sum();
        }
        posed
    }

    /// Takes the ties half-way to where the last answer leads: they act along the mean of where they are at the start and at the
    /// end, and ask of the velocities what they ask at the end.
    pub fn go_halfway(&mut self, context: &Context, moved: &[Moved], strengths: &[f64]) {
        let Self { knots, rows, bonds, ties, tied, .. } = self;
        let mut next = 0;
        for knot in knots.iter() {
            let [start, end] = [None, Some(moved)].map(|moved| knot.directions(context, moved));
            while let Some(&row) = tied.get(next).filter(|row| knot.row_range().contains(&(**row as usize))) {
                let (row, tie) = (row as usize, &mut ties[next]);
                let [(force, torques), (force_then, torques_then)] = [start, end].map(|at| at.of(&rows[row]));
                let then = Bond { force: force_then, torques: torques_then, ..tie.bond };
                tie.bond.force = 0.5 * (force + force_then);
                tie.bond.torques = [0, 1].map(|side| 0.5 * (torques[side] + torques_then[side]));
                bonds[row] = tie.bond;
                let at_end = Tie { bond: then, ..*tie };
                let rate = |tie: &Tie| (0..2).map(|side| knot.moves(moved, side, tie)).sum::<f64>();
                let drives: f64 = (0..2).map(|side| knot.drives(context.bodies, side, &at_end)).sum();
                tie.bias = rate(&at_end) + drives - rate(tie);
                tie.last = strengths[next];
                next += 1;
            }
        }
    }

    /// How far joints are from what they ask at the step's end, at worst (m, rad); leaves the ties that make up for it within a step
    /// of `h` (s).
    pub fn close(&mut self, context: &Context, moved: &[Moved], h: f64) -> f64 {
        let Self { knots, rows, ties, tied, closing, .. } = self;
        closing.clear();
        let (mut worst, mut next) = (0.0_f64, 0);
        for knot in knots.iter() {
            let end = knot.directions(context, Some(moved));
            while let Some(&row) = tied.get(next).filter(|row| knot.row_range().contains(&(**row as usize))) {
                let row = &rows[row as usize];
                let off = end.value(row) - f64::from(row.target);
                let (force, torques) = end.of(row);
                closing.push(Tie { bond: Bond { force, torques, ..ties[next].bond }, bias: off / h, last: 0.0 });
                worst = worst.max(off.abs());
                next += 1;
            }
        }
        worst
    }

    /// Notes that whatever is joined to something was pushed.
    pub fn push(&self, moved: &mut [Moved]) {
        for end in self.knots.iter().flat_map(|knot| knot.ends) {
            if let Some(moved) = moved.get_mut(end as usize) {
                moved.pushed = true;
            }
        }
    }
}

/// What a joint that exerts a steady force and torque has done in a step.
pub(super) fn outcome(joints: &Joints, joint: u32, [force, torque]: [Vec3; 2]) -> JointOutcome {
    let borne = force.length();
    JointOutcome { force, torque, load: JointLoad::after(joints.outcome[joint as usize].load, borne, borne) }
}

/// Each tie with its joint.
fn of_ties<'a>(
    knots: &'a [Knot],
    ties: &'a mut [Tie],
    tied: &'a [u32],
) -> impl Iterator<Item = (&'a Knot, &'a mut Tie)> {
    let knot = |row: u32| knots.partition_point(|knot| knot.rows[1] <= row);
    tied.iter().zip(ties).map(move |(&row, tie)| (&knots[knot(row)], tie))
}

impl Knot {
    /// Where it is at the step's start, or at its end after its bodies have moved so.
    fn directions(&self, context: &Context, moved: Option<&[Moved]>) -> Directions {
        let (bodies, joints) = (context.bodies, context.joints);
        let joint = self.joint as usize;
        let spec = joints.specs[joint].as_ref().expect("an acting joint is there");
        let (mut levers, mut anchors, mut frames) = ([DVec3::ZERO; 2], [DVec3::ZERO; 2], [DQuat::IDENTITY; 2]);
        for side in 0..2 {
            let (anchor, frame) = (spec.frames[side].anchor, wide(joints.frames[joint][side]));
            let slot = self.slots[side];
            if slot == NONE {
                (anchors[side], frames[side]) = (to_f64(anchor), frame);
                continue;
            }
            let stand = self.stand(context, side, moved);
            levers[side] = stand.orientation * to_f64(anchor - bodies.local_center[slot as usize]);
            anchors[side] = stand.center + levers[side];
            frames[side] = stand.orientation * frame;
        }
        Directions::new(levers, anchors[1] - anchors[0], frames)
    }

    /// Where one of its bodies is.
    fn stand(&self, context: &Context, side: usize, moved: Option<&[Moved]>) -> Stand {
        let (bodies, slot) = (context.bodies, self.slots[side] as usize);
        let mut stand = context.stand(slot);
        let mut go = |way: DVec3, about: DVec3| {
            stand.center += way;
            stand.orientation = DQuat::from_scaled_axis(about) * stand.orientation;
        };
        if self.ends[side] != WORLD {
            // What impacts have moved it by in this step.
            go(to_f64(bodies.displacement[slot]), to_f64(bodies.rotation[slot]));
            if let Some(moved) = moved.map(|moved| &moved[self.ends[side] as usize]) {
                go(moved.displacement, moved.rotation);
            }
        } else if moved.is_some() && bodies.is_moving(slot) {
            let h = f64::from(context.dt);
            go(to_f64(bodies.linear_velocity[slot]) * h, to_f64(bodies.angular_velocity[slot]) * h);
        }
        stand
    }

    /// What the motion of a body of the island adds to the rate of a tie at the step's end.
    fn moves(&self, moved: &[Moved], side: usize, tie: &Tie) -> f64 {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let of = |moved: &Moved| sign * (tie.bond.force.dot(moved.velocity) + tie.bond.torques[side].dot(moved.spin));
        moved.get(self.ends[side] as usize).map_or(0.0, of)
    }

    /// What the motion of a kinematic body adds to it.
    fn drives(&self, bodies: &Bodies, side: usize, tie: &Tie) -> f64 {
        if self.ends[side] != WORLD {
            0.0
        } else {
            rate(bodies, self.slots[side], side, tie.bond.force, tie.bond.torques)
        }
    }
}

/// How strong a row was last (N, N m).
fn strength(bond: &Bond, outcome: &JointOutcome) -> f64 {
    let (did, along) =
        if bond.force == DVec3::ZERO { (outcome.torque, bond.torques[1]) } else { (outcome.force, bond.force) };
    let square = along.length_squared();
    if square > 0.0 { to_f64(did).dot(along) / square } else { 0.0 }
}
