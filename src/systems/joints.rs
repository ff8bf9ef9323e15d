//! Joints as the stages see them: where they are, and their state back into the hecs columns.

use crate::bodies::Bodies;
use crate::components::{Joint, JointKind, JointState, MotorTarget};
use crate::event::Event;
use crate::index::NONE;
use crate::joint::{self, Directions, Placement};
use crate::joints::Joints;
use crate::math::{Quat, Real, Vec3, consts::PI, to_f64, wide};
use crate::motion::rotation::integrate_orientation;
use crate::parallel::{Apart, WORKED_ON};
use crate::solver::{JointOutcome, JointRow};
use crate::systems::state::State;
use hecs::{Entity, World};

/// Where a joint is.
pub(crate) struct Placed {
    /// From the centre of mass of each body to its anchor, world axes (m).
    pub levers: [Vec3; 2],
    /// From the first anchor to the second, world axes (m).
    pub gap: Vec3,
    /// Orientations of the bodies in the world, and of the joint frames on them.
    orientations: [Quat; 2],
    frames: [Quat; 2],
}

impl Placed {
    /// Orientations of the joint frames in the world. Not all joints ask for them.
    #[inline]
    pub fn frames(&self) -> [Quat; 2] {
        // Not mapped over sides: that is left as a call.
        [self.orientations[0] * self.frames[0], self.orientations[1] * self.frames[1]]
    }

    /// How the joint's frames lie to each other, if its angle was this `before` (rad).
    pub fn placement(&self, joints: &Joints, joint: usize, before: Vec3) -> Placement {
        let spec = joints.specs[joint].as_ref().expect("the joint is there");
        Placement::new(&spec.kind, self.gap, self.frames(), before)
    }

    /// Appends what the joint asks.
    pub fn rows(&self, joints: &Joints, joint: usize, out: &mut Vec<JointRow>) {
        let spec = joints.specs[joint].as_ref().expect("the joint is there");
        let asks = joint::asks_placement(&spec.kind);
        let placement = if asks { self.placement(joints, joint, joints.angle[joint]) } else { Placement::default() };
        joint::rows(&spec.kind, &placement, out);
    }

    /// Where it is, in `f64`.
    pub fn directions(&self) -> Directions {
        Directions::new(self.levers.map(to_f64), to_f64(self.gap), self.frames().map(wide))
    }
}

/// Where a joint is; `ahead`, with what impacts have moved its bodies by in this step.
pub(crate) fn place(bodies: &Bodies, joints: &Joints, joint: usize, ahead: bool) -> Placed {
    let spec = joints.specs[joint].as_ref().expect("the joint is there");
    let (mut levers, mut orientations) = ([Vec3::ZERO; 2], [Quat::IDENTITY; 2]);
    // Centres of mass, and what rounding has left of them.
    let (mut centers, mut rests) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2]);
    for side in 0..2 {
        let anchor = spec.frames[side].anchor;
        let slot = joints.bodies[joint][side];
        if slot == NONE {
            centers[side] = anchor;
            continue;
        }
        let slot = slot as usize;
        let (mut rest, mut orientation) = (bodies.center_rest[slot], bodies.orientation[slot]);
        if ahead && bodies.is_active(slot) {
            rest += bodies.displacement[slot];
            if bodies.rotation[slot] != Vec3::ZERO {
                orientation = integrate_orientation(orientation, bodies.rotation[slot]);
            }
        }
        levers[side] = orientation * (anchor - bodies.local_center[slot]);
        (centers[side], rests[side], orientations[side]) = (bodies.center[slot], rest, orientation);
    }
    // What is large cancels first, so that the gap is as exact as the levers however far from the origin.
    let gap = ((centers[1] - centers[0]) + (levers[1] - levers[0])) + (rests[1] - rests[0]);
    Placed { levers, gap, orientations, frames: joints.frames[joint] }
}

/// Notes what a joint did in a step and its rows with it (N, N m), and breaks it if that was too much.
pub(crate) fn note(
    joints: &mut Joints,
    joint: u32,
    outcome: JointOutcome,
    rows: impl ExactSizeIterator<Item = Real>,
    events: &mut Vec<Event>,
) {
    let slot = joint as usize;
    joints.outcome[slot] = outcome;
    let last = &mut joints.last[slot];
    last.resize(rows.len(), 0.0);
    last.iter_mut().zip(rows).for_each(|(last, row)| *last = row);
    if is_too_much(joints, joint, &outcome) {
        joints.broken[slot] = true;
        joints.broke.push(joint);
        let [force, torque] = joints.load(slot, &outcome).map(Vec3::length);
        events.push(Event::JointBroke { joint: joints.entity[slot], force, torque });
    }
}

/// Whether a joint breaks under this.
pub(crate) fn is_too_much(joints: &Joints, joint: u32, outcome: &JointOutcome) -> bool {
    let spec = joints.specs[joint as usize].as_ref().expect("an acting joint is there");
    if spec.max_force == Real::INFINITY && spec.max_torque == Real::INFINITY {
        return false;
    }
    let [force, torque] = joints.load(joint as usize, outcome).map(Vec3::length);
    force > spec.max_force || torque > spec.max_torque
}

/// How far the second frame of a joint turns against the first in a step about each axis where that is more than half a turn (rad), in
/// the first one's axes, else nothing: of what turns by less, the nearest of all angles that look alike is the one.
///
/// What swings on a spring, or is stopped by a limit, does not go on all step as it goes at its end.
fn advance(bodies: &Bodies, kind: &JointKind, sides: [u32; 2], placed: &Placed, dt: Real) -> Vec3 {
    let JointKind::Revolute(axis) = kind else { return Vec3::ZERO };
    let pulled = axis.motor.is_some_and(|motor| matches!(motor.target, MotorTarget::Position { .. }));
    if pulled || axis.limits.is_some() {
        return Vec3::ZERO;
    }
    let spin = |slot: u32| if slot == NONE { Vec3::ZERO } else { bodies.angular_velocity[slot as usize] };
    let turns = (spin(sides[1]) - spin(sides[0])) * dt;
    if turns.length_squared() <= PI * PI {
        return Vec3::ZERO;
    }
    let turns = placed.frames()[0].inverse() * turns;
    turns.map(|turn| if turn.abs() > PI { turn } else { 0.0 })
}

/// Notes where the joints of this step have come to, and writes their state back.
pub(crate) fn scatter(world: &World, state: &mut State) {
    let State { bodies, joints, helpers, dt, .. } = state;
    if joints.acting.is_empty() {
        return;
    }
    let (mut position, mut angle) = (std::mem::take(&mut joints.position), std::mem::take(&mut joints.angle));
    let (positions, angles) = (Apart::new(&mut position), Apart::new(&mut angle));
    let known = &*joints;
    helpers.shares(known.acting.len(), WORKED_ON, &|share| {
        for &joint in &known.acting[share] {
            // SAFETY: no joint acts twice, and shares are apart.
            if let (Some(position), Some(angle)) = unsafe { (positions.get(joint), angles.get(joint)) } {
                let joint = joint as usize;
                let placed = place(bodies, known, joint, false);
                let kind = &known.specs[joint].as_ref().expect("an acting joint is there").kind;
                let expected = *angle + advance(bodies, kind, known.bodies[joint], &placed, *dt);
                Placement { position: *position, angle: *angle } = placed.placement(known, joint, expected);
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
