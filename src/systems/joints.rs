//! Joints as the stages see them: their geometry, and their state back into the hecs columns.

use crate::bodies::Bodies;
use crate::components::{Joint, JointKind, JointState};
use crate::event::Event;
use crate::ids::NONE;
use crate::joint::{self, BodyResponse, JointCoordinates, JointGeometry};
use crate::joints::Joints;
use crate::math::{DMat3, DVec3, Mat3, Quat, Real, Vec3, consts::PI, quat_to_f64, to_f64, turn};
use crate::motion::rotation::integrate_orientation;
use crate::parallel::{DisjointSlice, MIN_CHUNK_ARITHMETIC};
use crate::solver::{JointOutcome, JointRow, SolverJoint};
use crate::state::State;
use hecs::{Entity, World};

/// The geometry of a joint.
pub(crate) struct PlacedJoint {
    /// From the centre of mass of each body to its anchor, world axes (m).
    pub arms: [Vec3; 2],
    /// From the first anchor to the second, world axes (m).
    pub anchor_offset: Vec3,
    /// Of a pulley, from its fixed points to the anchors, world axes (m).
    pub parts: [Vec3; 2],
    /// Orientations of the bodies in the world, and of the joint frames on them.
    orientations: [Quat; 2],
    frames: [Quat; 2],
}

impl PlacedJoint {
    /// Orientations of the joint frames in the world, computed on demand.
    #[inline]
    pub fn frames(&self) -> [Quat; 2] {
        // Written out: `map` is not inlined here.
        [turn::product(self.orientations[0], self.frames[0]), turn::product(self.orientations[1], self.frames[1])]
    }

    /// The joint's coordinates, if its angle was `before` (rad): angles are continued beyond half a
    /// turn.
    pub fn coordinates(&self, joints: &Joints, joint: usize, before: Vec3) -> JointCoordinates {
        let spec = joints.specs[joint].as_ref().expect("the joint is there");
        match spec.kind {
            JointKind::Pulley { ratio, .. } => JointCoordinates::of_pulley(ratio, self.parts),
            _ => JointCoordinates::new(&spec.kind, self.anchor_offset, self.frames(), before),
        }
    }

    /// Span of the joint, with these rows: see [`SolverJoint::span`].
    pub fn span(&self, rows: &[JointRow]) -> Real {
        SolverJoint::span_of(rows, self.anchor_offset, self.parts)
    }

    /// Appends the joint's constraint rows that its bodies can follow.
    pub fn rows(&self, bodies: &Bodies, joints: &Joints, joint: usize, out: &mut Vec<JointRow>) {
        let first = out.len();
        let spec = joints.specs[joint].as_ref().expect("the joint is there");
        let asks = joint::needs_coordinates(&spec.kind);
        let placement =
            if asks { self.coordinates(joints, joint, joints.angle[joint]) } else { JointCoordinates::default() };
        joint::rows(&spec.kind, &placement, out);
        let sides = joints.bodies[joint];
        if sides.iter().any(|&slot| slot != NONE && bodies.has_locks(slot as usize)) {
            joint::retain_reachable(out, first, &self.geometry(), sides.map(|slot| response(bodies, slot)));
        }
    }

    /// The geometry in `f64`.
    pub fn geometry(&self) -> JointGeometry {
        JointGeometry::new(self.arms.map(to_f64), to_f64(self.anchor_offset), self.frames().map(quat_to_f64))
            .with_parts(self.parts.map(to_f64))
    }
}

/// A centre of mass (m), its rounding error, and the orientation of its body.
pub(crate) type JointedPose = (Vec3, Vec3, Quat);

/// The geometry of a joint; with `displaced`, its bodies are displaced by what impacts have moved
/// them in this step.
pub(crate) fn place_joint(bodies: &Bodies, joints: &Joints, joint: usize, displaced: bool) -> PlacedJoint {
    place_joint_at(bodies, joints, joint, |slot| {
        let (mut compensation, mut orientation) = (bodies.center_compensation[slot], bodies.orientation[slot]);
        if displaced && bodies.is_active(slot) {
            compensation += bodies.displacement[slot];
            if bodies.rotation[slot] != Vec3::ZERO {
                orientation = integrate_orientation(orientation, bodies.rotation[slot]);
            }
        }
        (bodies.center[slot], compensation, orientation)
    })
}

/// The geometry of a joint with its bodies at these poses, by slot.
#[inline]
pub(crate) fn place_joint_at(
    bodies: &Bodies,
    joints: &Joints,
    joint: usize,
    pose: impl Fn(usize) -> JointedPose,
) -> PlacedJoint {
    let spec = joints.specs[joint].as_ref().expect("the joint is there");
    let (mut arms, mut orientations) = ([Vec3::ZERO; 2], [Quat::IDENTITY; 2]);
    // Centres of mass, and their rounding errors.
    let (mut centers, mut compensations) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2]);
    for side in 0..2 {
        let anchor = spec.frames[side].anchor;
        let slot = joints.bodies[joint][side];
        if slot == NONE {
            centers[side] = anchor;
            continue;
        }
        let slot = slot as usize;
        (centers[side], compensations[side], orientations[side]) = pose(slot);
        arms[side] = turn::rotate(orientations[side], anchor - bodies.local_center[slot]);
    }
    // Large terms cancel first, so that the offset is as accurate as the arms at any distance from
    // the origin.
    let anchor_offset = ((centers[1] - centers[0]) + (arms[1] - arms[0])) + (compensations[1] - compensations[0]);
    let parts = match spec.kind {
        JointKind::Pulley { points, .. } => {
            [0, 1].map(|side| ((centers[side] - points[side]) + arms[side]) + compensations[side])
        }
        _ => [Vec3::ZERO; 2],
    };
    PlacedJoint { arms, anchor_offset, parts, orientations, frames: joints.frames[joint] }
}

/// How a body answers the impulses of a joint.
fn response(bodies: &Bodies, slot: u32) -> BodyResponse {
    if slot == NONE || !bodies.is_active(slot as usize) {
        return BodyResponse::FIXED;
    }
    let slot = slot as usize;
    let inertia =
        |inverse: Mat3| DMat3::from_cols(to_f64(inverse.x_axis), to_f64(inverse.y_axis), to_f64(inverse.z_axis));
    BodyResponse {
        locked: (to_f64(bodies.inverse_mass[slot]), inertia(bodies.inverse_inertia[slot])),
        free: (DVec3::splat(f64::from(bodies.mass[slot]).recip()), inertia(bodies.free_inverse_inertia(slot))),
    }
}

/// Stores the outcome of a joint and the forces of its rows (N, N m), and breaks the joint if they
/// exceed its strength.
pub(crate) fn record_outcome(
    joints: &mut Joints,
    joint: u32,
    outcome: JointOutcome,
    rows: impl ExactSizeIterator<Item = Real>,
    events: &mut Vec<Event>,
) {
    let slot = joint as usize;
    joints.outcome[slot] = outcome;
    let last = &mut joints.row_forces[slot];
    last.resize(rows.len(), 0.0);
    last.iter_mut().zip(rows).for_each(|(last, row)| *last = row);
    if exceeds_strength(joints, joint, &outcome) {
        joints.broken[slot] = true;
        joints.broke.push(joint);
        let [force, torque] = joints.load(slot, &outcome).map(size);
        events.push(Event::JointBroke { joint: joints.entity[slot], force, torque });
    }
}

/// Length of a vector whose square may overflow.
fn size(v: Vec3) -> Real {
    to_f64(v).length().min(f64::from(Real::MAX)) as Real
}

/// True if this outcome exceeds the strength of a joint.
pub(crate) fn exceeds_strength(joints: &Joints, joint: u32, outcome: &JointOutcome) -> bool {
    let spec = joints.specs[joint as usize].as_ref().expect("an acting joint is there");
    if spec.max_force == Real::INFINITY && spec.max_torque == Real::INFINITY {
        return false;
    }
    let [force, torque] = joints.load(joint as usize, outcome).map(size);
    force > spec.max_force || torque > spec.max_torque
}

/// Relative rotation of a hinge's frames in a step about each axis where it exceeds half a turn
/// (rad, axes of the first frame), or what that of a winch's drum winds up; else zero: below half a
/// turn the nearest of the equivalent angles is the right one.
fn turn_of_step(bodies: &Bodies, kind: &JointKind, sides: [u32; 2], placed: &PlacedJoint, dt: Real) -> Vec3 {
    if joint::hinge_axis(kind).is_none() && !matches!(kind, JointKind::Winch { .. }) {
        return Vec3::ZERO;
    }
    // The rotation that the solver made counts whole turns. A motor or a limit makes it uneven, so
    // that the velocity at the step's end tells it only of a body that the solver left alone.
    let turn = |slot: u32| match slot as usize {
        _ if slot == NONE => Vec3::ZERO,
        slot if !bodies.is_moving(slot) => Vec3::ZERO,
        slot if bodies.rotation[slot] != Vec3::ZERO => bodies.rotation[slot],
        slot => bodies.angular_velocity[slot] * dt,
    };
    if let JointKind::Winch { radius, .. } = kind {
        let frames = placed.frames();
        let turn = turn(sides[0]).dot(frames[0] * Vec3::X);
        let turn = if turn.abs() > PI { turn } else { 0.0 };
        return joint::turned_winch(*radius, placed.anchor_offset, frames, turn);
    }
    let turn = turn(sides[1]) - turn(sides[0]);
    if turn.length_squared() <= PI * PI {
        return Vec3::ZERO;
    }
    let turn = placed.frames()[0].inverse() * turn;
    turn.map(|turn| if turn.abs() > PI { turn } else { 0.0 })
}

/// Stores the coordinates of the acting joints, and writes their state back.
pub(crate) fn scatter(world: &World, state: &mut State) {
    let State { bodies, joints, helpers, dt, .. } = state;
    for index in 0..joints.idle.len() {
        let joint = joints.idle[index] as usize;
        let placed = place_joint(bodies, joints, joint, false);
        let JointCoordinates { position, angle } = placed.coordinates(joints, joint, joints.angle[joint]);
        (joints.position[joint], joints.angle[joint]) = (position, angle);
        joints.outcome[joint] = JointOutcome::default();
        joints.row_forces[joint].clear();
        joints.dirty[joint] = true;
    }
    if joints.acting.is_empty() && joints.idle.is_empty() {
        return;
    }
    let (mut position, mut angle) = (std::mem::take(&mut joints.position), std::mem::take(&mut joints.angle));
    let (positions, angles) = (DisjointSlice::new(&mut position), DisjointSlice::new(&mut angle));
    let known = &*joints;
    helpers.for_each_chunk(known.acting.len(), MIN_CHUNK_ARITHMETIC, &|share| {
        for &joint in &known.acting[share] {
            // SAFETY: no joint acts twice, and chunks are disjoint.
            if let (Some(position), Some(angle)) = unsafe { (positions.get(joint), angles.get(joint)) } {
                let joint = joint as usize;
                let placed = place_joint(bodies, known, joint, false);
                let kind = &known.specs[joint].as_ref().expect("an acting joint is there").kind;
                let expected = *angle + turn_of_step(bodies, kind, known.bodies[joint], &placed, *dt);
                JointCoordinates { position: *position, angle: *angle } = placed.coordinates(known, joint, expected);
            }
        }
    });
    (joints.position, joints.angle) = (position, angle);
    for number in 0..joints.acting.len() {
        joints.dirty[joints.acting[number] as usize] = true;
    }
    for (entity, shown) in world.query::<(Entity, &mut JointState)>().with::<&Joint>().iter() {
        let slot = shown.slot as usize;
        if joints.entity.get(slot) == Some(&entity) && joints.dirty[slot] {
            let [force, torque] = joints.load(slot, &joints.outcome[slot]);
            *shown = JointState {
                position: joints.position[slot],
                angle: joints.angle[slot],
                force,
                torque,
                broken: joints.broken[slot],
                slot: shown.slot,
            };
        }
    }
    joints.dirty.fill(false);
}
