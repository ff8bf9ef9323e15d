//! The joints of an island as rows of the direct solver, beside its contacts.

use super::assemble::{BodyPose, SolveContext};
use super::body_step::BodyStep;
use super::solver_bodies::symmetric;
use crate::bodies::Bodies;
use crate::components::JointKind;
use crate::ids::NONE;
use crate::islands::Island;
use crate::joint::{JointGeometry, RowJacobian};
use crate::joints::Joints;
use crate::math::{DQuat, DVec3, Real, Vec3, from_f64, quat_to_f64, to_f64};
use crate::resting::{Body, ForceRow, JointConstraint, WORLD};
use crate::solver::{Coordinate, JointLoad, JointOutcome, JointRow, RowKind, swing_frequency_squared};
use crate::systems::joint_force_rows;
use crate::systems::joints::{PlacedJoint, place_joint};
use crate::tolerances::{GEOMETRY, JOINTS, SUBSTEP_PHASE};

/// The rows of an island's joints.
#[derive(Default)]
pub(super) struct JointRows {
    entries: Vec<JointEntry>,
    rows: Vec<JointRow>,
    /// Jacobian and bounds of each row.
    force_rows: Vec<ForceRow>,
    /// The rows with an unknown impulse,
    pub constraints: Vec<JointConstraint>,
    /// and their indices.
    constraint_rows: Vec<u32>,
    /// The same rows with biases that remove the joint errors of the step's end.
    pub closing: Vec<JointConstraint>,
    /// Force of each row (N, N m).
    forces: Vec<Real>,
}

/// A joint.
#[derive(Clone, Copy, Debug)]
struct JointEntry {
    joint: u32,
    /// The slots of its bodies, and their indices in the island or [`WORLD`].
    slots: [u32; 2],
    ends: [u32; 2],
    rows: [u32; 2],
}

impl JointEntry {
    fn row_range(&self) -> std::ops::Range<usize> {
        self.rows[0] as usize..self.rows[1] as usize
    }
}

/// True if the direct solver can take these joints: their rows are equalities or limits out of
/// reach, and no body oscillates on them faster than a step resolves.
pub(super) fn are_rigid(
    bodies: &Bodies,
    joints: &Joints,
    list: &[u32],
    (dt, unit): (Real, Real),
    rows: &mut Vec<JointRow>,
) -> bool {
    list.iter().all(|&joint| {
        let joint = joint as usize;
        let placed = place_joint(bodies, joints, joint, true);
        rows.clear();
        placed.rows(bodies, joints, joint, rows);
        let at = placed.geometry();
        frequency(bodies, joints, joint, &placed, placed.span(rows)) * dt <= SUBSTEP_PHASE.stable
            && rows.iter().all(|row| match row.kind {
                // The values of these are known at the step's start only.
                RowKind::Equality => !matches!(
                    row.coordinate,
                    Coordinate::Turn(_) | Coordinate::Gear | Coordinate::Rack | Coordinate::Pulley
                ),
                RowKind::Limit => {
                    let at_start = at.jacobian(row);
                    let rate: f64 = (0..2).map(|side| rate(bodies, joints.bodies[joint][side], side, &at_start)).sum();
                    let margin = 2.0 * rate.abs() * f64::from(dt) + JOINTS.limit_margin * f64::from(unit);
                    let value = at.value(row);
                    value - margin > f64::from(row.target) && value + margin < f64::from(row.target_high)
                }
                RowKind::Motor | RowKind::Spring | RowKind::AccelerationSpring => false,
            })
    })
}

/// Angular frequency (rad/s) of the bodies of a joint under its load of the last step.
fn frequency(bodies: &Bodies, joints: &Joints, joint: usize, placed: &PlacedJoint, span: Real) -> Real {
    let of = |side: usize| match joints.bodies[joint][side] {
        slot if slot != NONE && bodies.is_active(slot as usize) => {
            let (mass, inertia) = (&bodies.inverse_mass[slot as usize], &bodies.inverse_inertia[slot as usize]);
            swing_frequency_squared(mass.max_element(), &symmetric(inertia), placed.arms[side], span, true)
        }
        _ => 0.0,
    };
    (joints.outcome[joint].load.mean * of(0).max(of(1))).sqrt()
}

/// Contribution of a body's motion to the rate of a row.
fn rate(bodies: &Bodies, slot: u32, side: usize, (forces, torques): &RowJacobian) -> f64 {
    if slot == NONE || !bodies.is_moving(slot as usize) {
        return 0.0;
    }
    let [velocity, angular_velocity] =
        [&bodies.linear_velocity, &bodies.angular_velocity].map(|of| to_f64(of[slot as usize]));
    let sign = if side == 0 { -1.0 } else { 1.0 };
    sign * (forces[side].dot(velocity) + torques[side].dot(angular_velocity))
}

impl JointRows {
    /// True if there are no joints.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes all joints.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.rows.clear();
        self.force_rows.clear();
        self.constraints.clear();
        self.constraint_rows.clear();
        self.closing.clear();
    }

    /// Assembles these joints at the poses of their bodies; `with_displacement`, after what impacts
    /// moved them by in this step. `number` gives the index of a slot in the island, or [`WORLD`];
    /// `dt` is the step (s). Returns false if the force of a row depends on velocities, or is
    /// bounded but unknown.
    pub fn assemble(
        &mut self,
        (bodies, joints): (&Bodies, &Joints),
        list: &[u32],
        number: impl Fn(u32) -> u32,
        (dt, unit): (Real, Real),
        with_displacement: bool,
    ) -> bool {
        self.clear();
        let slack = f64::from(GEOMETRY.same_point * unit);
        for &joint in list {
            let placed = place_joint(bodies, joints, joint as usize, with_displacement);
            let slots = joints.bodies[joint as usize];
            let ends = slots.map(|slot| if slot == NONE { WORLD } else { number(slot) });
            let first = self.rows.len();
            placed.rows(bodies, joints, joint as usize, &mut self.rows);
            let at = placed.geometry();
            if !joint_force_rows::append_force_rows(&self.rows[first..], &at, ends, slack, &mut self.force_rows) {
                return false;
            }
            self.entries.push(JointEntry { joint, slots, ends, rows: [first as u32, self.rows.len() as u32] });
            let outcome = &joints.outcome[joint as usize];
            for (k, force_row) in self.force_rows[first..].iter().enumerate() {
                if force_row.range[0] == force_row.range[1] {
                    // A known force: a limit out of reach, or a spring.
                    continue;
                }
                if force_row.range.iter().any(|bound| *bound != 0.0 && bound.is_finite()) {
                    return false;
                }
                let last = last_force(force_row, outcome) * f64::from(dt);
                self.constraint_rows.push((first + k) as u32);
                self.constraints.push(JointConstraint {
                    row: *force_row,
                    bias: 0.0,
                    last: last.clamp(force_row.range[0], force_row.range[1]),
                });
            }
        }
        true
    }

    /// Adds the forces of springs, which are known, to the accelerations of an island's bodies.
    pub fn apply_springs(&self, bodies: &mut [Body]) {
        let is_spring = |row: &&ForceRow| row.range[0] == row.range[1] && row.range[0] != 0.0;
        for row in self.force_rows.iter().filter(is_spring) {
            for (end, side) in [(row.bodies[0], -row.range[0]), (row.bodies[1], row.range[0])].into_iter().zip(0..) {
                let (number, force) = end;
                if let Some(body) = bodies.get_mut(number as usize) {
                    let torque = body.principal_axes.transpose() * (row.torques[side] * force);
                    body.acceleration += body.inverse_mass * row.forces[side] * force;
                    body.angular_acceleration += body.principal_axes * (body.inverse_inertia * torque);
                }
            }
        }
    }

    /// Stores the forces of all rows, from the impulses of the constraints (N s, N m s) over a step
    /// of `dt` (s).
    pub fn record(&mut self, impulses: &[f64], dt: Real) {
        self.forces.clear();
        self.forces.extend(
            self.force_rows.iter().map(|row| if row.range[0] == row.range[1] { row.range[0] as Real } else { 0.0 }),
        );
        for (&row, &impulse) in self.constraint_rows.iter().zip(impulses) {
            self.forces[row as usize] = (impulse / f64::from(dt)) as Real;
        }
    }

    /// The joints with their force and torque, and the forces of their rows (N, N m), as recorded.
    pub fn outcomes(&self) -> impl Iterator<Item = (u32, [Vec3; 2], &[Real])> {
        self.entries.iter().map(|entry| {
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            for row in entry.row_range() {
                let (force_row, size) = (&self.force_rows[row], f64::from(self.forces[row]));
                force += force_row.forces[1] * size;
                if !self.rows[row].coordinate.is_linear() {
                    torque += force_row.torques[1] * size;
                }
            }
            (entry.joint, [from_f64(force), from_f64(torque)], &self.forces[entry.row_range()])
        })
    }
}

/// The joints of an island in a step of the direct solver.
impl JointRows {
    /// Assembles the joints of an island at the step's start.
    pub fn assemble_at_start(&mut self, context: &SolveContext, island: &Island) -> bool {
        let (bodies, joints) = (context.bodies, context.joints);
        let number = |slot: u32| if bodies.is_active(slot as usize) { context.index[slot as usize] } else { WORLD };
        let list = &joints.acting[island.joint_range()];
        let assembled = self.assemble((bodies, joints), list, number, (context.dt, context.settings.length_unit), true);
        let Self { entries, constraints, constraint_rows, .. } = self;
        for (entry, constraint) in with_entries(entries, constraints, constraint_rows) {
            constraint.bias = (0..2).map(|side| entry.rate_of_kinematic(bodies, side, constraint)).sum();
        }
        assembled
    }

    /// Takes the constraints to the midpoint of the last solution: they act along the mean of the
    /// Jacobians of start and end, with the bias of the end.
    pub fn advance_to_midpoint(&mut self, context: &SolveContext, steps: &[BodyStep], impulses: &[f64]) {
        let Self { entries, rows, force_rows, constraints, constraint_rows, .. } = self;
        let mut next = 0;
        for entry in entries.iter() {
            let [start, end] = [None, Some(steps)].map(|steps| entry.directions(context, steps));
            while let Some(&row) = constraint_rows.get(next).filter(|row| entry.row_range().contains(&(**row as usize)))
            {
                let (row, constraint) = (row as usize, &mut constraints[next]);
                let [(forces, torques), (forces_then, torques_then)] = [start, end].map(|at| at.jacobian(&rows[row]));
                let then = ForceRow { forces: forces_then, torques: torques_then, ..constraint.row };
                constraint.row.forces = [0, 1].map(|side| 0.5 * (forces[side] + forces_then[side]));
                constraint.row.torques = [0, 1].map(|side| 0.5 * (torques[side] + torques_then[side]));
                force_rows[row] = constraint.row;
                let at_end = JointConstraint { row: then, ..*constraint };
                let rate = |constraint: &JointConstraint| {
                    (0..2).map(|side| entry.rate_of_island(steps, side, constraint)).sum::<f64>()
                };
                let driven: f64 = (0..2).map(|side| entry.rate_of_kinematic(context.bodies, side, &at_end)).sum();
                constraint.bias = rate(&at_end) + driven - rate(constraint);
                constraint.last = impulses[next];
                next += 1;
            }
        }
    }

    /// Builds the constraints that remove the joint errors of the step's end within a step of `h`
    /// (s). Returns the largest error (m, rad).
    pub fn closing_constraints(&mut self, context: &SolveContext, steps: &[BodyStep], h: f64) -> f64 {
        let Self { entries, rows, constraints, constraint_rows, closing, .. } = self;
        closing.clear();
        let (mut worst, mut next) = (0.0_f64, 0);
        for entry in entries.iter() {
            let end = entry.directions(context, Some(steps));
            while let Some(&row) = constraint_rows.get(next).filter(|row| entry.row_range().contains(&(**row as usize)))
            {
                let row = &rows[row as usize];
                let off = end.value(row) - f64::from(row.target);
                let (forces, torques) = end.jacobian(row);
                closing.push(JointConstraint {
                    row: ForceRow { forces, torques, ..constraints[next].row },
                    bias: off / h,
                    last: 0.0,
                });
                worst = worst.max(off.abs());
                next += 1;
            }
        }
        worst
    }

    /// Marks the bodies of all joints as pushed.
    pub fn mark_pushed(&self, steps: &mut [BodyStep]) {
        for end in self.entries.iter().flat_map(|entry| entry.ends) {
            if let Some(step) = steps.get_mut(end as usize) {
                step.pushed = true;
            }
        }
    }
}

/// Outcome of a joint with a constant force and torque over the step.
pub(super) fn outcome(joints: &Joints, joint: u32, [force, torque]: [Vec3; 2]) -> JointOutcome {
    let borne = force.length();
    JointOutcome { force, torque, load: JointLoad::after(joints.outcome[joint as usize].load, borne, borne) }
}

/// The constraints with their joints.
fn with_entries<'a>(
    entries: &'a [JointEntry],
    constraints: &'a mut [JointConstraint],
    constraint_rows: &'a [u32],
) -> impl Iterator<Item = (&'a JointEntry, &'a mut JointConstraint)> {
    let entry = |row: u32| entries.partition_point(|entry| entry.rows[1] <= row);
    constraint_rows.iter().zip(constraints).map(move |(&row, constraint)| (&entries[entry(row)], constraint))
}

impl JointEntry {
    /// Its geometry at the step's start, or at the end of these steps.
    fn directions(&self, context: &SolveContext, steps: Option<&[BodyStep]>) -> JointGeometry {
        let (bodies, joints) = (context.bodies, context.joints);
        let joint = self.joint as usize;
        let spec = joints.specs[joint].as_ref().expect("an acting joint is there");
        let (mut levers, mut anchors, mut frames) = ([DVec3::ZERO; 2], [DVec3::ZERO; 2], [DQuat::IDENTITY; 2]);
        for side in 0..2 {
            let (anchor, frame) = (spec.frames[side].anchor, quat_to_f64(joints.frames[joint][side]));
            let slot = self.slots[side];
            if slot == NONE {
                (anchors[side], frames[side]) = (to_f64(anchor), frame);
                continue;
            }
            let pose = self.pose(context, side, steps);
            levers[side] = pose.orientation * to_f64(anchor - bodies.local_center[slot as usize]);
            anchors[side] = pose.center + levers[side];
            frames[side] = pose.orientation * frame;
        }
        let at = JointGeometry::new(levers, anchors[1] - anchors[0], frames);
        match spec.kind {
            JointKind::Pulley { points, .. } => at.with_parts([0, 1].map(|side| anchors[side] - to_f64(points[side]))),
            _ => at,
        }
    }

    /// Pose of one of its bodies at the step's start, or at the end of these steps.
    fn pose(&self, context: &SolveContext, side: usize, steps: Option<&[BodyStep]>) -> BodyPose {
        let (bodies, slot) = (context.bodies, self.slots[side] as usize);
        let mut pose = context.pose(slot);
        let mut go = |way: DVec3, about: DVec3| {
            pose.center += way;
            pose.orientation = DQuat::from_scaled_axis(about) * pose.orientation;
        };
        if self.ends[side] != WORLD {
            // The motion that impacts gave it in this step.
            go(to_f64(bodies.displacement[slot]), to_f64(bodies.rotation[slot]));
            if let Some(step) = steps.map(|steps| &steps[self.ends[side] as usize]) {
                go(step.displacement, step.rotation);
            }
        } else if steps.is_some() && bodies.is_moving(slot) {
            let h = f64::from(context.dt);
            go(to_f64(bodies.linear_velocity[slot]) * h, to_f64(bodies.angular_velocity[slot]) * h);
        }
        pose
    }

    /// Contribution of a body of the island to the rate of a constraint at the step's end.
    fn rate_of_island(&self, steps: &[BodyStep], side: usize, constraint: &JointConstraint) -> f64 {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let of = |step: &BodyStep| {
            sign * (constraint.row.forces[side].dot(step.velocity)
                + constraint.row.torques[side].dot(step.angular_velocity))
        };
        steps.get(self.ends[side] as usize).map_or(0.0, of)
    }

    /// Contribution of a kinematic body to it.
    fn rate_of_kinematic(&self, bodies: &Bodies, side: usize, constraint: &JointConstraint) -> f64 {
        if self.ends[side] != WORLD {
            0.0
        } else {
            rate(bodies, self.slots[side], side, &(constraint.row.forces, constraint.row.torques))
        }
    }
}

/// Force of a row in the last step (N, N m).
fn last_force(force_row: &ForceRow, outcome: &JointOutcome) -> f64 {
    let (wrench, along) = if force_row.forces[1] == DVec3::ZERO {
        (outcome.torque, force_row.torques[1])
    } else {
        (outcome.force, force_row.forces[1])
    };
    let square = along.length_squared();
    if square > 0.0 { to_f64(wrench).dot(along) / square } else { 0.0 }
}
