//! Soft contacts: a stiff, heavily damped spring integrated implicitly.

use crate::math::Real;
use crate::tolerances::MAX_PUSH_OUT;

/// What a substep of `h` (s) needs to make springs of contacts (Catto, "Soft constraints", GDC 2011, in the form of
/// Box2D's soft step).
///
/// A penetrating contact is a spring of angular frequency `omega` and damping ratio `CONTACT_DAMPING`: with effective mass
/// m, velocity v and separation s, its impulse changes by `-m mass_scale (v + rate s) - impulse_scale impulse`, where
/// with `a1 = 2 damping + omega h`, `a2 = omega h a1`: `rate = omega / a1`, `mass_scale = a2 / (1 + a2)` and
/// `impulse_scale = 1 / (1 + a2)`. Relaxation afterwards solves it rigidly, so that no push-out velocity stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Soft {
    /// Length of a substep (s) and its inverse.
    pub h: Real,
    pub inverse_h: Real,
    /// The fastest push-out (m/s).
    pub max_push: Real,
    /// The part of the angular frequency that a substep could follow which the springs have.
    pub part: Real,
}

impl Soft {
    /// The coefficients of a substep of `h` (s).
    pub fn new(h: Real) -> Self {
        Self { h, inverse_h: 1.0 / h, max_push: MAX_PUSH_OUT, part: 1.0 }
    }

    /// The same for springs that are no stiffer than in a substep of `h` (s).
    pub fn no_stiffer_than_in(self, h: Real) -> Self {
        Self { part: (self.h / h).min(1.0), ..self }
    }
}
