//! Walking: walkable ground, velocities along the ground and in the air, push forces.

use crate::math::{Real, Vec3, real};
use crate::motion::ballistic::fly;
use crate::tolerances::SLOPE_SLACK;

/// True if a surface with a unit normal is at most as steep as `max_slope` (rad); `up` is a unit
/// vector.
pub fn is_walkable(normal: Vec3, up: Vec3, max_slope: Real) -> bool {
    normal.dot(up) >= real::cos(max_slope) - SLOPE_SLACK
}

/// The part of a vector perpendicular to the unit vector `up`.
pub fn level(vector: Vec3, up: Vec3) -> Vec3 {
    vector - up * vector.dot(up)
}

/// Maps a horizontal velocity (m/s) to a velocity along ground with a unit normal, with the same
/// direction seen from above and the same speed along the surface.
///
/// ```
/// use dolmen::control::walk::along_ground;
/// use dolmen::math::{Real, Vec3};
/// // Up a slope of 3 in 4, at 5 m/s.
/// let up_hill = along_ground(Vec3::X * 5.0, Vec3::new(-0.6, 0.8, 0.0), Vec3::Y);
/// assert!((up_hill - Vec3::new(4.0, 3.0, 0.0)).length() < 1e-5);
/// ```
pub fn along_ground(walk: Vec3, normal: Vec3, up: Vec3) -> Vec3 {
    let flat = level(walk, up);
    let rise = normal.dot(up);
    if rise <= 0.0 {
        return flat;
    }
    let along = flat - up * (flat.dot(normal) / rise);
    along.normalize_or_zero() * flat.length()
}

/// Steering in the air over `dt` (s): moves the horizontal part of `velocity` towards `walk` (m/s)
/// by at most `acceleration` (m/s²). The vertical part is not changed.
pub fn steer_in_air(velocity: Vec3, walk: Vec3, up: Vec3, acceleration: Real, dt: Real) -> Vec3 {
    let missing = level(walk - velocity, up);
    velocity + missing.clamp_length_max(acceleration * dt)
}

/// Free flight over `dt` (s): the displacement (m) and the final velocity (m/s).
pub fn flight(velocity: Vec3, gravity: Vec3, dt: Real) -> (Vec3, Vec3) {
    let (displacement, gain) = fly(velocity, gravity, dt);
    (displacement, velocity + gain)
}

/// The normal of a wall for a character on the ground: of a steep slope only the horizontal part,
/// so that the character does not slide up the slope.
pub fn as_wall(normal: Vec3, up: Vec3) -> Vec3 {
    if normal.dot(up) <= 0.0 {
        return normal;
    }
    level(normal, up).try_normalize().unwrap_or(normal)
}

/// The force (N), at most `most` (N), that removes a closing speed `closing` (m/s) at a point of a
/// body within `dt` (s). `inverse_mass` is the inverse effective mass of the point along the push
/// (1/kg).
pub fn push(closing: Real, inverse_mass: Real, most: Real, dt: Real) -> Real {
    if closing <= 0.0 || inverse_mass <= 0.0 {
        return 0.0;
    }
    (closing / (inverse_mass * dt)).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    #[test]
    fn a_slope_is_walkable_up_to_its_limit_and_no_steeper() {
        let limit: Real = 0.7;
        for (slope, ok) in [(0.0, true), (0.69, true), (0.7, true), (0.71, false), (1.5, false), (3.0, false)] {
            let normal = Quat::from_rotation_z(slope) * Vec3::Y;
            assert_eq!(is_walkable(normal, Vec3::Y, limit), ok, "{slope}");
        }
    }

    #[test]
    fn steering_in_the_air_leaves_the_fall_alone_and_ends_at_the_walk() {
        let mut velocity = Vec3::new(0.0, -3.0, 4.0);
        for _ in 0..60 {
            let next = steer_in_air(velocity, Vec3::X * 2.0, Vec3::Y, 10.0, 1.0 / 60.0);
            assert!((next - velocity).length() < 10.0 / 60.0 + 1e-6);
            velocity = next;
        }
        assert!((velocity - Vec3::new(2.0, -3.0, 0.0)).length() < 1e-5, "{velocity}");
    }

    #[test]
    fn a_steep_slope_is_a_wall_and_a_ceiling_stays_one() {
        let steep = Vec3::new(0.8, 0.6, 0.0);
        assert!((as_wall(steep, Vec3::Y) - Vec3::X).length() < 1e-6);
        assert_eq!(as_wall(-steep, Vec3::Y), -steep);
    }

    #[test]
    fn a_push_is_bounded_by_the_force_and_by_the_speed_it_leads_to() {
        assert_eq!(push(2.0, 0.5, 1e6, 0.25), 16.0);
        assert_eq!(push(2.0, 0.5, 10.0, 0.25), 10.0);
        assert_eq!(push(-1.0, 0.5, 10.0, 0.1), 0.0);
        assert_eq!(push(1.0, 0.0, 10.0, 0.1), 0.0);
    }
}
