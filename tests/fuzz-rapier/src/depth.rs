//! How far bodies are from what contacts and joints permit, at the poses of a step's start.

use rapier3d::math::{Pose, Real};
use rapier3d::prelude::{ContactPair, GenericJoint, JointAxesMask};

/// The deepest overlap of two colliders at these poses (m). Distances in the pair are older where
/// Rapier recycles its contacts.
pub fn overlap(pair: &ContactPair, poses: [Pose; 2]) -> Real {
    let mut deepest: Real = 0.0;
    for manifold in pair.manifolds() {
        let parts = [manifold.subshape_pos1(), manifold.subshape_pos2()];
        let [a, b] = [0, 1].map(|k| parts[k].map_or(poses[k], |part| poses[k] * *part));
        let normal = a.rotation * manifold.local_n1;
        for point in &manifold.points {
            deepest = deepest.max(-point.dist).max((a * point.local_p1 - b * point.local_p2).dot(normal));
        }
    }
    deepest
}

/// How far two bodies at these poses are from what a joint permits (m); angles (rad) count times a
/// radius (m).
pub fn gap(joint: &GenericJoint, [a, b]: [Pose; 2], radius: Real) -> Real {
    let (a, b) = (a * joint.local_frame1, b * joint.local_frame2);
    let apart = a.rotation.inverse() * (b.translation - a.translation);
    let turned = a.rotation.inverse() * b.rotation;
    let turned = if turned.w < 0.0 { -turned } else { turned };
    let about = turned.to_array();
    let along = |k: usize| if k < 3 { apart[k] } else { 2.0 * about[k - 3].atan2(turned.w) * radius };
    let has = |mask: JointAxesMask, k: usize| mask.bits() >> k & 1 != 0;
    let mut widest: Real = 0.0;
    for k in 0..6 {
        let unit = if k < 3 { 1.0 } else { radius };
        if has(joint.locked_axes, k) {
            widest = widest.max(along(k).abs());
        } else if has(joint.limit_axes, k) && !has(joint.coupled_axes, k) {
            let limits = joint.limits[k];
            widest = widest.max(limits.min * unit - along(k)).max(along(k) - limits.max * unit);
        }
    }
    if has(joint.coupled_axes, 0) && has(joint.limit_axes, 0) {
        widest = widest.max(apart.length() - joint.limits[0].max);
    }
    widest
}
