//! Soft contacts: a stiff, heavily damped spring integrated implicitly.

use crate::math::Real;
use crate::tolerances::MAX_ARM_CHANGE;

/// Coefficients of the contact springs in a substep of `h` (s) (Catto, "Soft constraints", GDC
/// 2011, in the form of Box2D's soft step).
///
/// A penetrating contact is a spring of angular frequency `omega` and damping ratio
/// `CONTACT_SPRING.damping_ratio`: with effective mass m, velocity v and separation s, its impulse
/// changes by `-m mass_scale (v + rate s) - impulse_scale impulse`, where with `a1 = 2 damping +
/// omega h`, `a2 = omega h a1`: `rate = omega / a1`, `mass_scale = a2 / (1 + a2)` and
/// `impulse_scale = 1 / (1 + a2)`. The relaxation afterwards solves it rigidly, so that no push-out
/// velocity stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SoftContact {
    /// Length of a substep (s) and its inverse.
    pub h: Real,
    pub inverse_h: Real,
    /// Greatest push-out speed (m/s).
    pub max_push: Real,
    /// Spring frequency relative to `CONTACT_SPRING.phase` cycles a substep (ratio).
    pub frequency_ratio: Real,
    /// Greatest change of a lever arm since the start of the step, relative to its length, if there
    /// is one: see [`following_joints`](Self::following_joints).
    pub max_arm_change: Option<Real>,
}

impl SoftContact {
    /// Coefficients of a substep of `h` (s), with a greatest push-out speed (m/s).
    pub fn new(h: Real, max_push: Real) -> Self {
        Self { h, inverse_h: 1.0 / h, max_push, frequency_ratio: 1.0, max_arm_change: None }
    }

    /// The same for springs that are no stiffer than those of a substep of `h` (s).
    pub fn no_stiffer_than_in(self, h: Real) -> Self {
        Self { frequency_ratio: (self.h / h).min(1.0), ..self }
    }

    /// The same for jointed bodies. The Jacobians of joints follow the bodies from substep to
    /// substep, the rows of contacts do not. Where an arm has turned away, contact and joint would
    /// drive the body between them, so the contact ends until the next step finds its new place.
    pub fn following_joints(self) -> Self {
        Self { max_arm_change: Some(MAX_ARM_CHANGE), ..self }
    }
}
