//! A ragdoll of eleven parts and ten joints, and how far joints are apart.

#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]
#![allow(dead_code)] // tests and examples each use their own part

use dolmen::math::to_f64;
use dolmen::prelude::*;
use hecs::{Entity, World};

/// Spawns a ragdoll that stands with its feet at a place (m), and returns its parts.
pub fn spawn(world: &mut World, at: Vec3) -> Vec<Entity> {
    // Half the straight part, radius, place: pelvis, chest, head, upper and lower arms, upper and
    // lower legs.
    let parts: [(Real, Real, [Real; 3]); 11] = [
        (0.05, 0.12, [0.0, 0.95, 0.0]),
        (0.12, 0.14, [0.0, 1.3, 0.0]),
        (0.03, 0.1, [0.0, 1.68, 0.0]),
        (0.1, 0.05, [-0.26, 1.32, 0.0]),
        (0.1, 0.045, [-0.26, 1.0, 0.0]),
        (0.1, 0.05, [0.26, 1.32, 0.0]),
        (0.1, 0.045, [0.26, 1.0, 0.0]),
        (0.14, 0.07, [-0.1, 0.65, 0.0]),
        (0.14, 0.06, [-0.1, 0.25, 0.0]),
        (0.14, 0.07, [0.1, 0.65, 0.0]),
        (0.14, 0.06, [0.1, 0.25, 0.0]),
    ];
    let bodies: Vec<Entity> = parts
        .iter()
        .map(|&(half, radius, place)| {
            world.spawn(Body::dynamic(Collider::capsule(half, radius)).position(at + Vec3::from(place)))
        })
        .collect();
    // First, second, where; whether it is a hinge (elbows, knees).
    let joints: [(usize, usize, [Real; 3], bool); 10] = [
        (0, 1, [0.0, 1.1, 0.0], false),
        (1, 2, [0.0, 1.56, 0.0], false),
        (1, 3, [-0.26, 1.46, 0.0], false),
        (3, 4, [-0.26, 1.16, 0.0], true),
        (1, 5, [0.26, 1.46, 0.0], false),
        (5, 6, [0.26, 1.16, 0.0], true),
        (0, 7, [-0.1, 0.85, 0.0], false),
        (7, 8, [-0.1, 0.45, 0.0], true),
        (0, 9, [0.1, 0.85, 0.0], false),
        (9, 10, [0.1, 0.45, 0.0], true),
    ];
    for (a, b, place, hinge) in joints {
        let place = Vec3::from(place);
        let of = |part: usize| place - Vec3::from(parts[part].2);
        let joint = if hinge {
            Joint::revolute(bodies[a], bodies[b]).axes(Vec3::X, Vec3::X)
        } else {
            Joint::spherical(bodies[a], bodies[b])
        };
        world.spawn((joint.anchors(of(a), of(b)), JointState::default()));
    }
    bodies
}

/// Gives all joints limits, and friction (N m) where it is not 0.
pub fn limit(world: &mut World, friction: Real) {
    let free = |most: Real| JointFreedom::Free(JointAxis { limits: Some([-most, most]), motor: None, friction });
    for joint in world.query_mut::<&mut Joint>() {
        match &mut joint.kind {
            JointKind::Revolute(axis) => *axis = JointAxis { limits: Some([-0.05, 2.4]), friction, ..*axis },
            kind => {
                let [x, y, z] = [free(0.6), free(0.9), free(0.6)];
                let locked = JointFreedom::Locked;
                *kind = JointKind::Generic(Box::new([locked, locked, locked, x, y, z]));
            }
        }
    }
}

/// Gives shoulders, hips, neck and waist cones about the limbs, which hang along -y, and elbows and
/// knees the limits of a human.
pub fn limit_by_cones(world: &mut World) {
    let down = Quat::from_rotation_arc(Vec3::X, Vec3::NEG_Y);
    for joint in world.query_mut::<&mut Joint>() {
        match &mut joint.kind {
            JointKind::Revolute(axis) => axis.limits = Some([-0.05, 2.4]),
            kind => {
                *kind = JointKind::SwingTwist(Box::new(SwingTwist::new([0.6, 1.0], [-0.7, 0.7])));
                joint.frames.iter_mut().for_each(|frame| frame.orientation = down);
            }
        }
    }
}

/// Greatest distance between the anchors of a joint (m), but for ropes and springs.
pub fn apart(world: &World) -> f64 {
    let mut worst: f64 = 0.0;
    for joint in world.query::<&Joint>().iter().filter(|joint| !leaves_anchors_apart(&joint.kind)) {
        let ends = [0, 1].map(|side| {
            let anchor = joint.frames[side].anchor;
            joint.bodies[side].map_or(to_f64(anchor), |body| {
                let pose = |e| world.get::<&Position>(e).map(|p| p.0).unwrap_or_default();
                let turn = world.get::<&Orientation>(body).map(|q| q.0).unwrap_or_default();
                to_f64(pose(body)) + to_f64(turn * anchor)
            })
        });
        worst = worst.max((ends[1] - ends[0]).length());
    }
    worst
}

fn leaves_anchors_apart(kind: &JointKind) -> bool {
    match kind {
        JointKind::Winch { .. } | JointKind::Pulley { .. } => true,
        JointKind::Generic(axes) => axes[..3].iter().any(|axis| *axis != JointFreedom::Locked),
        _ => false,
    }
}
