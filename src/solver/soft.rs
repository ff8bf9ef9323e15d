//! Soft contacts: a stiff, heavily damped spring integrated implicitly.

use crate::math::{Real, consts::PI};
use crate::tolerances::{CONTACT_DAMPING, CONTACT_STIFFNESS, MAX_PUSH_OUT};

/// Coefficients of one substep (Catto, "Soft constraints", GDC 2011, in the form of Box2D's soft step).
///
/// A penetrating contact is a spring of angular frequency `2 pi CONTACT_STIFFNESS / h` and damping ratio
/// `CONTACT_DAMPING`: with effective mass m, velocity v and separation s, its impulse changes by
/// `-m mass_scale (v + rate s) - impulse_scale impulse`. Relaxation afterwards solves it rigidly, so that no push-out
/// velocity stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Soft {
    /// Length of a substep (s) and its inverse.
    pub h: Real,
    pub inverse_h: Real,
    /// Separation to push-out velocity (1/s).
    pub rate: Real,
    /// Share of the rigid impulse, and of the accumulated impulse taken back.
    pub mass_scale: Real,
    pub impulse_scale: Real,
    /// The fastest push-out (m/s).
    pub max_push: Real,
}

impl Soft {
    /// The coefficients of a substep of `h` (s).
    pub fn new(h: Real) -> Self {
        let omega_h = 2.0 * PI * CONTACT_STIFFNESS;
        let a1 = 2.0 * CONTACT_DAMPING + omega_h;
        let a2 = omega_h * a1;
        let a3 = 1.0 / (1.0 + a2);
        Self {
            h,
            inverse_h: 1.0 / h,
            rate: omega_h / (a1 * h),
            mass_scale: a2 * a3,
            impulse_scale: a3,
            max_push: MAX_PUSH_OUT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_those_of_an_implicit_spring() {
        // Implicit Euler of m x'' = -k x - c x' on a unit mass: v' = (v - h k x) / (1 + h c + h^2 k). The contact's
        // rule, from rest with no accumulated impulse, is v' = v - mass_scale (v + rate x).
        let h = 1.0 / 480.0;
        let soft = Soft::new(h);
        let omega = 2.0 * PI * CONTACT_STIFFNESS / h;
        let (k, c) = (omega * omega, 2.0 * CONTACT_DAMPING * omega);
        for (x, v) in [(-1e-3, 0.0), (0.0, -1.0), (-2e-3, 0.5)] {
            let expected = (v - h * k * x) / (1.0 + h * c + h * h * k);
            let got = v - soft.mass_scale * (v + soft.rate * x);
            assert!((got - expected).abs() < 1e-5, "{got} {expected}");
        }
        assert!((soft.mass_scale + soft.impulse_scale - 1.0).abs() < 1e-6);
    }
}
