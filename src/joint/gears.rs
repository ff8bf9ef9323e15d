//! Meshed teeth, of a pair of gears or of a rack with its pinion.
//!
//! The teeth touch at the pitch point, where both pitch circles move alike: the force there is equal
//! and opposite on both, so that momentum and angular momentum are kept on moving carriers too
//! (planetary gears). The coordinate is the slip of the teeth (m), measured from the start of each
//! step along the row's own direction. Slip that is remembered would have to be measured by the
//! angles of both members, which do not follow the force where axes are not parallel.

use crate::components::JointKind;
use crate::math::{Quat, Real, Vec3, real, turn};

/// The pitch radius of a pair's first gear at a distance of the axes (m), negative for a gear
/// within a ring; the radii of both add up to the distance.
pub fn pitch_radius(ratio: Real, distance: Real) -> Real {
    distance / (1.0 + ratio)
}

/// The places of both members of a mesh: for gears the angles of both against the line of centres
/// (rad), for a rack the angle of the pinion against the rack (rad) and the place of the rack (m).
pub fn places(kind: &JointKind, gap: Vec3, frames: [Quat; 2]) -> Vec3 {
    if matches!(kind, JointKind::RackAndPinion { .. }) {
        let along = turn::rotate(frames[1], Vec3::X);
        Vec3::new(angle_against(frames[0], along), along.dot(gap), 0.0)
    } else {
        Vec3::new(angle_against(frames[0], gap), angle_against(frames[1], -gap), 0.0)
    }
}

/// The angle of a frame about its x axis, from a direction (rad).
pub fn angle_against(frame: Quat, direction: Vec3) -> Real {
    let from = turn::rotate(frame.inverse(), direction);
    -real::atan2(from.z, from.y)
}
