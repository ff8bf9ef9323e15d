//! Random joints.

use super::bodies::Kin;
use crate::campaign::dice::Dice;
use crate::campaign::modes::Ranges;
use crate::campaign::plan::{BodyPlan, JointPlan};
use dolmen::components::{JointAxis, JointFrame, JointFreedom, JointKind, JointSpring, Motor, SwingTwist};
use dolmen::math::{Quat, Real, Vec3};

/// A joint between two bodies, or of the second with the world, that holds at their poses.
pub fn joint(dice: &mut Dice, ranges: &Ranges, kin: &Kin, id: u32, a: Option<&BodyPlan>, b: &BodyPlan) -> JointPlan {
    let middle = match a {
        Some(a) => (a.position + b.position) * 0.5,
        None => b.position + dice.in_cube(kin.size),
    };
    let kind = kind(dice, kin, a.map_or(0.0, |a| a.position.distance(b.position)));
    // The ends of what has two are where the bodies are.
    let at = |body: &BodyPlan| match kind {
        JointKind::Distance { .. } | JointKind::Spring { .. } => body.position,
        JointKind::Gear { .. } | JointKind::RackAndPinion { .. } | JointKind::Winch { .. } => body.position,
        _ => middle,
    };
    let turned = dice.rotation();
    let mut torn_frame = |body: Option<&BodyPlan>| {
        let mut frame = frame(body, body.map_or(middle, at), turned);
        if body.is_some() {
            frame.anchor += if dice.chance(ranges.torn) { dice.in_cube(kin.size) } else { Vec3::ZERO };
            if dice.chance(ranges.torn) {
                frame.orientation = Quat::IDENTITY;
            }
        }
        frame
    };
    let frames = [torn_frame(a), torn_frame(Some(b))];
    let weight = kin.mass() * 10.0;
    let breaks = dice
        .chance(0.1)
        .then(|| [dice.decades([0.1, 100.0]) as Real * weight, dice.decades([0.1, 100.0]) as Real * weight * kin.size]);
    JointPlan { id, ends: [a.map(|a| a.id), Some(b.id)], frames, kind, collide: dice.chance(0.2), breaks }
}

/// The frame of a joint in a body, or in the world, that is at a place and turned so.
pub fn frame(body: Option<&BodyPlan>, at: Vec3, turned: Quat) -> JointFrame {
    let Some(body) = body else { return JointFrame { anchor: at, orientation: turned } };
    let back = body.orientation.inverse();
    JointFrame { anchor: back * (at - body.position), orientation: (back * turned).normalize() }
}

/// The kind of a joint between bodies at a distance (m).
pub fn kind(dice: &mut Dice, kin: &Kin, distance: Real) -> JointKind {
    let (size, weight) = (kin.size, kin.mass() * 10.0);
    match dice.count([0, 10]) {
        0 => JointKind::Fixed,
        1..=2 => JointKind::Spherical { friction: if dice.chance(0.3) { weight * size * 0.1 } else { 0.0 } },
        3..=4 => JointKind::Revolute(axis(dice, 1.5, weight * size)),
        5 => JointKind::Prismatic(axis(dice, 2.0 * size, weight)),
        6 => JointKind::Distance { least: distance * 0.5, greatest: distance.max(size) },
        7 => JointKind::Spring { length: distance.max(0.1 * size), spring: spring(dice, weight / size) },
        8 => JointKind::SwingTwist(Box::new(SwingTwist {
            cone: [0, 1].map(|_| dice.within([0.1, 3.1]) as Real),
            twist: axis(dice, 1.5, weight * size),
            swing_motors: [0, 1].map(|_| axis(dice, 1.0, weight * size).motor),
            swing_friction: if dice.chance(0.2) { weight * size * 0.1 } else { 0.0 },
        })),
        9 => rolling(dice, size, distance),
        _ => JointKind::Generic(Box::new(std::array::from_fn(|k| {
            let (reach, strength) = if k < 3 { (size, weight) } else { (1.0, weight * size) };
            if dice.chance(0.5) { JointFreedom::Locked } else { JointFreedom::Free(axis(dice, reach, strength)) }
        }))),
    }
}

/// Teeth or a rope between bodies at a distance (m).
fn rolling(dice: &mut Dice, size: Real, distance: Real) -> JointKind {
    let sign: Real = if dice.chance(0.5) { 1.0 } else { -1.0 };
    match dice.count([0, 2]) {
        0 => JointKind::Gear { ratio: sign * (1.1 + 4.0 * dice.within([0.0, 1.0]) as Real) },
        1 => JointKind::RackAndPinion { radius: sign * 0.5 * size },
        _ => JointKind::Winch { radius: sign * 0.3 * size, length: distance * dice.within([0.8, 1.2]) as Real },
    }
}

/// A free axis with limits up to `reach`, and a motor of about `strength`.
pub fn axis(dice: &mut Dice, reach: Real, strength: Real) -> JointAxis {
    let limits = dice.chance(0.4).then(|| {
        let least = -reach * dice.within([0.0, 1.0]) as Real;
        [least, reach * dice.within([0.0, 1.0]) as Real]
    });
    let motor = dice.chance(0.25).then(|| {
        let most = strength * dice.decades([0.1, 10.0]) as Real;
        if dice.chance(0.5) {
            Motor::velocity(dice.about(5.0 * reach), most)
        } else {
            Motor::position(dice.about(reach), spring(dice, strength / reach), most)
        }
    });
    let friction = if dice.chance(0.2) { strength * 0.1 } else { 0.0 };
    JointAxis { limits, motor, friction }
}

pub fn spring(dice: &mut Dice, stiffness: Real) -> JointSpring {
    if dice.chance(0.5) {
        let stiffness = stiffness * dice.decades([0.1, 10.0]) as Real;
        JointSpring::Si { stiffness, damping: stiffness * dice.decades([1e-3, 0.1]) as Real }
    } else {
        JointSpring::Tuned {
            frequency: dice.decades([0.1, 10.0]) as Real,
            damping_ratio: dice.within([0.0, 2.0]) as Real,
        }
    }
}
