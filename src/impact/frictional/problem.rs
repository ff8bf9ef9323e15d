//! The input of an impact: checked, symmetrised and scaled.

use super::types::{Impact, InvalidImpact, Outcome};
use crate::impact::collision_matrix::symmetrised;
use crate::math::DVec3;
use crate::tolerances::ROUNDING;

/// The impact in scaled units: matrix and velocity divided by powers of two, against overflow and
/// underflow and without rounding.
pub(crate) struct Scaled {
    pub k11: f64,
    pub k12: f64,
    pub k22: f64,
    pub kx: f64,
    pub ky: f64,
    pub kz: f64,
    pub friction: f64,
    /// The square of the coefficient of restitution.
    pub restitution_squared: f64,
    pub velocity: DVec3,
    k_unit: f64,
    u_unit: f64,
}

/// The power of two at or below a positive, normal number.
fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

impl Scaled {
    #[inline]
    pub fn new(impact: &Impact) -> Result<Self, InvalidImpact> {
        let Impact { k, velocity, friction, restitution } = *impact;
        if !(k.is_finite() && velocity.is_finite() && friction.is_finite() && restitution.is_finite()) {
            return Err(InvalidImpact::NotFinite);
        }
        // A subnormal speed cannot be scaled and counts as zero.
        if velocity.z > -f64::MIN_POSITIVE {
            return Err(InvalidImpact::NotApproaching);
        }
        if friction < 0.0 {
            return Err(InvalidImpact::NegativeFriction);
        }
        if !(0.0..=1.0).contains(&restitution) {
            return Err(InvalidImpact::RestitutionOutOfRange);
        }
        // Friction is part of the unit of K, so the rates of sliding are near one for any friction.
        let size = (k.x_axis.x.abs().max(k.y_axis.y.abs()).max(k.z_axis.z.abs())) * (1.0 + friction);
        if !(size >= f64::MIN_POSITIVE && k.z_axis.z > 0.0) {
            return Err(InvalidImpact::NotACollisionMatrix);
        }
        if !size.is_finite() {
            return Err(InvalidImpact::NotFinite);
        }
        let (k_unit, u_unit) = (power_of_two_below(size), power_of_two_below(velocity.abs().max_element()));
        let k = symmetrised(k * (1.0 / k_unit));
        let scaled = Self {
            k11: k.x_axis.x,
            k12: k.x_axis.y,
            k22: k.y_axis.y,
            kx: k.x_axis.z,
            ky: k.y_axis.z,
            kz: k.z_axis.z,
            friction,
            restitution_squared: restitution * restitution,
            velocity: velocity * (1.0 / u_unit),
            k_unit,
            u_unit,
        };
        if scaled.is_semidefinite() { Ok(scaled) } else { Err(InvalidImpact::NotACollisionMatrix) }
    }

    /// True if no pivot of the matrix is negative beyond rounding: eliminates z, then x.
    fn is_semidefinite(&self) -> bool {
        if !(self.kz > 0.0 && self.k11 >= 0.0 && self.k22 >= 0.0) {
            return false;
        }
        let s11 = self.k11 - self.kx * self.kx / self.kz;
        let s12 = self.k12 - self.kx * self.ky / self.kz;
        let s22 = self.k22 - self.ky * self.ky / self.kz;
        let slack = ROUNDING.solution;
        s11 >= -slack * self.k11 && s22 >= -slack * self.k22 && s12 * s12 - s11 * s22 <= slack * self.k11 * self.k22
    }

    /// The eigenvalues of `M`, the smaller first: the extreme responses along a tangent.
    #[inline]
    pub fn tangential_responses(&self) -> (f64, f64) {
        let difference = 0.5 * (self.k11 - self.k22);
        let (mean, spread) = (0.5 * (self.k11 + self.k22), (difference * difference + self.k12 * self.k12).sqrt());
        (mean - spread, mean + spread)
    }

    /// A bound of the rates of sliding and turning: `mu tr M + |k|`.
    #[inline]
    pub fn scale(&self) -> f64 {
        self.friction * (self.k11 + self.k22) + (self.kx * self.kx + self.ky * self.ky).sqrt()
    }

    /// `K v`.
    #[inline]
    pub fn apply(&self, v: DVec3) -> DVec3 {
        DVec3::new(
            self.k11 * v.x + self.k12 * v.y + self.kx * v.z,
            self.k12 * v.x + self.k22 * v.y + self.ky * v.z,
            self.kx * v.x + self.ky * v.y + self.kz * v.z,
        )
    }

    /// The friction that resists sliding along `(cx, cy)`: `M c` with the tangential block `M` of
    /// `K`.
    #[inline]
    pub fn tangential(&self, cx: f64, cy: f64) -> (f64, f64) {
        (self.k11 * cx + self.k12 * cy, self.k12 * cx + self.k22 * cy)
    }

    /// A velocity and an impulse in the caller's units.
    #[inline]
    pub fn restore_pair(&self, velocity: DVec3, impulse: DVec3) -> (DVec3, DVec3) {
        (velocity * self.u_unit, impulse * (self.u_unit / self.k_unit))
    }

    /// An outcome in the caller's units.
    #[inline]
    pub fn restore(&self, scaled: Outcome) -> Result<Outcome, InvalidImpact> {
        let (velocity, impulse) = self.restore_pair(scaled.velocity, scaled.impulse);
        let work = self.u_unit / self.k_unit * self.u_unit;
        let outcome = Outcome {
            velocity,
            impulse,
            compression_work: scaled.compression_work * work,
            restitution_work: scaled.restitution_work * work,
            energy_change: scaled.energy_change * work,
            ..scaled
        };
        let finite = velocity.is_finite() && impulse.is_finite() && outcome.energy_change.is_finite();
        if finite { Ok(outcome) } else { Err(InvalidImpact::NotFinite) }
    }
}
