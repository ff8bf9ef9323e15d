//! A rope on a drum.
//!
//! The rope leaves its drum at a tangent. Its coordinate is the free length and what is wound up (m).

use super::coordinates::unwrap_angle;
use super::gears::angle_against;
use crate::math::{DVec3, Quat, Real, Vec3, from_f64, to_f64, turn};

/// A rope from a drum to a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    /// The point where it leaves the drum, from the drum's centre (m).
    pub tangent_point: DVec3,
    /// Unit vectors from there to the load, and of its part across the drum's axis.
    pub along: DVec3,
    pub across: DVec3,
    /// Free length, and its part across the axis (m).
    pub lengths: [f64; 2],
}

impl Rope {
    /// The rope to a load at `gap` from the centre of a drum of a radius about an axis. A turn about
    /// the axis winds it up if the radius is positive.
    pub fn new(gap: DVec3, axis: DVec3, radius: f64) -> Self {
        let shift = axis.dot(gap);
        let flat = gap - axis * shift;
        let length = (flat.length_squared() - radius * radius).max(0.0).sqrt();
        let across = (flat * length - axis.cross(flat) * radius).normalize_or(axis.any_orthonormal_vector());
        let tangent_point = axis.cross(across) * radius;
        let whole = (length * length + shift * shift).sqrt();
        let along = (across * length + axis * shift).normalize_or(across);
        Self { tangent_point, along, across, lengths: [whole, length] }
    }
}

/// The angle of a drum against its rope (rad, without full turns), the free length, and the free
/// length with what was wound up since the joint was new (m).
///
/// Along the rope the load moves with the free length, and the drum with the arc that its turn
/// against the rope winds up.
pub fn winch_places(radius: Real, gap: Vec3, frames: [Quat; 2], before: Vec3) -> Vec3 {
    let rope = rope(radius, gap, frames);
    let angle = unwrap_angle(angle_against(frames[0], from_f64(rope.across)), before.x);
    let free = rope.lengths[0] as Real;
    let drawn = drawn(&rope, radius, free - before.y, angle - before.x);
    Vec3::new(unwrap_angle(angle, 0.0), free, before.z + drawn)
}

/// The places of a new winch.
pub fn new_winch(radius: Real, gap: Vec3, frames: [Quat; 2]) -> Vec3 {
    let rope = rope(radius, gap, frames);
    let free = rope.lengths[0] as Real;
    Vec3::new(angle_against(frames[0], from_f64(rope.across)), free, free)
}

/// The places of a winch moved on by a turn of its drum (rad).
pub fn turned_winch(radius: Real, gap: Vec3, frames: [Quat; 2], turn: Real) -> Vec3 {
    Vec3::new(turn, 0.0, drawn(&rope(radius, gap, frames), radius, 0.0, turn))
}

/// Rope drawn out by a change of its free length (m) and a turn of the drum against it (rad).
fn drawn(rope: &Rope, radius: Real, free: Real, turn: Real) -> Real {
    let [whole, across] = rope.lengths;
    let part = if whole > 0.0 { (across / whole) as Real } else { 1.0 };
    free + radius * part * turn
}

fn rope(radius: Real, gap: Vec3, frames: [Quat; 2]) -> Rope {
    Rope::new(to_f64(gap), to_f64(turn::rotate(frames[0], Vec3::X)).normalize(), f64::from(radius))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rope_leaves_its_drum_at_a_tangent_and_keeps_its_length() {
        for radius in [0.3, -0.3] {
            let rope = Rope::new(DVec3::new(0.2, -2.0, 0.5), DVec3::X, radius);
            assert!(rope.tangent_point.dot(rope.along).abs() < 1e-12 && rope.along.is_normalized());
            let end = rope.tangent_point + rope.along * rope.lengths[0];
            assert!((end - DVec3::new(0.2, -2.0, 0.5)).length() < 1e-12, "{end}");
        }
        // A turn of the drum winds up its arc.
        let at =
            |turns: Real| (Vec3::new(0.0, -4.0 + 0.3 * turns, -0.3), [Quat::from_rotation_x(turns), Quat::IDENTITY]);
        let (gap, frames) = at(0.0);
        let mut state = new_winch(0.3, gap, frames);
        for k in 1..=100 {
            let (gap, frames) = at(0.1 * k as Real);
            state = winch_places(0.3, gap, frames, state);
        }
        assert!((state.y - 1.0).abs() < 1e-3 && (state.z - 4.0).abs() < 1e-3, "{state}");
    }
}
