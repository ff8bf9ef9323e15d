//! Bound on the angular speed of a free body.

use super::{PrincipalInertia, RotationState};
use crate::math::to_f64;
use crate::tolerances::CCD;

/// The greatest angular speed (rad/s) of a free body with its angular momentum and energy.
///
/// With `x` the squared components of the momentum along the principal axes, `sum x` and `sum x /
/// I` are constant, and the squared angular speed is `sum x / I²`: a linear program, whose maximum
/// is at a vertex, where one component is zero.
pub fn max_angular_speed(spin: &RotationState, inertia: &PrincipalInertia) -> f64 {
    let rate = to_f64(inertia.inverse());
    let own = to_f64((spin.orientation * inertia.frame()).inverse() * spin.velocity);
    let parts = own / rate;
    let (momentum, energy) = (parts.length_squared(), parts.dot(own));
    let mut most = own.length_squared();
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let (p, q) = (rate[i], rate[j]);
        let x = (energy - momentum * q) / (p - q);
        if x >= -CCD.noise * momentum && x <= (1.0 + CCD.noise) * momentum {
            let x = x.clamp(0.0, momentum);
            most = most.max(x * p * p + (momentum - x) * q * q);
        }
    }
    most.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, Vec3};
    use crate::motion::rotation::{RotationLaw, rotate};

    #[test]
    fn no_body_spins_faster_than_its_momentum_and_energy_allow_and_a_tumbling_one_all_but_does() {
        for (moments, velocity) in [
            (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.01, 5.0, 0.01)),
            (Vec3::new(0.1, 4.0, 4.0), Vec3::new(0.5, 5.0, 2.0)),
            (Vec3::new(2.0, 2.0, 3.5), Vec3::new(1.0, -2.0, 0.5)),
        ] {
            let inertia = PrincipalInertia::new(moments, Quat::from_rotation_x(0.4));
            let mut spin = RotationState::new(Quat::from_rotation_y(1.0), velocity);
            let bound = max_angular_speed(&spin, &inertia);
            let mut most = 0.0_f64;
            for _ in 0..20_000 {
                spin = rotate(RotationLaw::RungeKutta, spin, &inertia, Vec3::ZERO, 1e-3);
                most = most.max(f64::from(spin.velocity.length()));
            }
            assert!(most <= bound * (1.0 + 1e-5) && most > 0.999 * bound, "{moments}: {most} of {bound}");
        }
    }

    #[test]
    fn a_body_with_three_equal_moments_keeps_its_angular_speed() {
        let spin = RotationState::new(Quat::IDENTITY, Vec3::new(3.0, 0.0, 4.0));
        assert!((max_angular_speed(&spin, &PrincipalInertia::aligned(Vec3::splat(0.4))) - 5.0).abs() < 1e-6);
    }
}
