//! The spring that a body is dragged with.

use dolmen::bodies::Bodies;
use dolmen::math::Mat3;
use dolmen::prelude::*;

/// Natural frequency of the dragged mass on the spring (Hz).
const FREQUENCY: Real = 3.0;
/// Damping ratio of the spring.
const DAMPING: Real = 1.0;

/// The impulse (N s) of a damped spring on a point of a body over a step of `dt` (s). The spring is
/// taken at the step's end, so that it is stable at any stiffness (Catto, "Soft Constraints",
/// 2011).
///
/// `offset` is from where the point should be to where it is (m), `velocity` that of the point
/// (m/s), `response` the velocity of the point by a unit impulse on it (1/kg), `mass` that which
/// the frequency is of (kg).
pub fn spring_impulse(offset: Vec3, velocity: Vec3, response: Mat3, mass: Real, dt: Real) -> Vec3 {
    let rate = 2.0 * dolmen::math::consts::PI * FREQUENCY;
    let (stiffness, damping) = (mass * rate * rate, 2.0 * DAMPING * mass * rate);
    let softness = 1.0 / (dt * (damping + dt * stiffness));
    let bias = offset * (stiffness * dt * softness);
    (response + Mat3::from_diagonal(Vec3::splat(softness))).inverse() * -(velocity + bias)
}

/// The velocity of a point of a body by a unit impulse on it (1/kg); `arm` is from its centre of
/// mass (m).
pub fn response(bodies: &Bodies, slot: usize, arm: Vec3) -> Mat3 {
    let cross = Mat3::from_cols(arm.cross(Vec3::X), arm.cross(Vec3::Y), arm.cross(Vec3::Z));
    Mat3::from_diagonal(bodies.inverse_mass[slot]) - cross * bodies.inverse_inertia[slot] * cross
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mass_on_the_spring_comes_to_rest_where_its_weight_is_borne() {
        for dt in [1.0 / 600.0, 1.0 / 60.0, 0.2] {
            for mass in [0.01, 1.0, 1e4] {
                let response = Mat3::from_diagonal(Vec3::splat(1.0 / mass));
                let (mut x, mut v, mut force) = (Vec3::new(1.0, 0.3, 0.0), Vec3::ZERO, Vec3::ZERO);
                for _ in 0..(4.0 / dt) as usize {
                    let falling = v - Vec3::Y * 9.81 * dt;
                    let impulse = spring_impulse(x, falling, response, mass, dt);
                    v = falling + impulse / mass;
                    x += v * dt;
                    force = impulse / dt;
                }
                let weight = mass * 9.81;
                assert!((force - Vec3::Y * weight).length() < 1e-2 * weight, "{force} of {weight} at {dt}");
                let sag = 9.81 / (2.0 * dolmen::math::consts::PI * FREQUENCY).powi(2);
                assert!((x + Vec3::Y * sag).length() < 0.05 * sag, "{x} at {dt}");
            }
        }
    }
}
