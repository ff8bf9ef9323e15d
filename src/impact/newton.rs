//! Newton's law of restitution with Coulomb clamping, the usual law of game engines.
//!
//! The normal impulse reverses the normal velocity and scales it by the restitution. The tangential
//! impulse stops sliding if it lies in the static cone, and is clamped to the dynamic cone
//! otherwise (Bender and Schmitt 2006, section 3.1). If normal and tangent are coupled, each
//! impulse changes the other's target, and Bender and Schmitt iterate; for one contact and one
//! sliding direction the loop has the closed form used here.
//!
//! With friction Newton's law may add energy, for the restitution applies to a velocity that
//! friction has increased. The guard takes the largest friction without a gain, so the law of
//! restitution and the cone still hold exactly.

use super::collision_matrix::symmetrised;
use super::frictional::InvalidImpact;
use crate::math::{DMat3, DVec3};
use crate::tolerances::ROUNDING;

/// An impact under Newton's law, in the contact's frame: the normal is +z and points to body A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonImpact {
    /// The collision matrix in 1/kg; only its symmetric part is used. `K_33 > 0`.
    pub k: DMat3,
    /// The velocity of A's contact point relative to B's, in m/s; `z < 0` approaches.
    pub velocity: DVec3,
    /// The coefficient of static friction, 0 or more.
    pub static_friction: f64,
    /// The coefficient of dynamic friction, 0 or more; limited to the static one.
    pub dynamic_friction: f64,
    /// The coefficient of restitution, from 0 to 1: the ratio of the normal velocities after and
    /// before.
    pub restitution: f64,
}

/// The result of an impact under Newton's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOutcome {
    /// The relative velocity after the impact, in m/s; its normal part is `-e u_0z`.
    pub velocity: DVec3,
    /// The impulse on body A, in N s; body B gets its opposite.
    pub impulse: DVec3,
    /// The change of kinetic energy, at most zero, in J.
    pub energy_change: f64,
    /// True if the contact sticks: the impulse that stops sliding lies in the static cone.
    pub sticks: bool,
    /// True if friction was reduced to avoid a gain of energy.
    pub guarded: bool,
}

/// Solves an impact by Newton's law.
///
/// # Errors
/// [`InvalidImpact`] if the input is no impact. Never a panic or a NaN.
///
/// ```
/// use dolmen::impact::newton::{NewtonImpact, solve};
/// use dolmen::math::{DMat3, DVec3};
/// let ball = NewtonImpact {
///     k: DMat3::from_diagonal(DVec3::new(3.5, 3.5, 1.0)),
///     velocity: DVec3::new(1.0, 0.0, -1.0),
///     static_friction: 0.15,
///     dynamic_friction: 0.1,
///     restitution: 0.5,
/// };
/// let after = solve(&ball)?;
/// assert!((after.velocity - DVec3::new(0.475, 0.0, 0.5)).length() < 1e-15 && !after.sticks);
/// # Ok::<(), dolmen::impact::frictional::InvalidImpact>(())
/// ```
pub fn solve(impact: &NewtonImpact) -> Result<NewtonOutcome, InvalidImpact> {
    let NewtonImpact { k, velocity, static_friction, dynamic_friction, restitution } = *impact;
    let numbers = static_friction.is_finite() && dynamic_friction.is_finite() && restitution.is_finite();
    if !(k.is_finite() && velocity.is_finite() && numbers) {
        return Err(InvalidImpact::NotFinite);
    }
    if velocity.z >= 0.0 {
        return Err(InvalidImpact::NotApproaching);
    }
    if static_friction < 0.0 || dynamic_friction < 0.0 {
        return Err(InvalidImpact::NegativeFriction);
    }
    if !(0.0..=1.0).contains(&restitution) {
        return Err(InvalidImpact::RestitutionOutOfRange);
    }
    let k = symmetrised(k);
    let kz = k.z_axis.z;
    if !(kz > 0.0 && k.x_axis.x >= 0.0 && k.y_axis.y >= 0.0) {
        return Err(InvalidImpact::NotACollisionMatrix);
    }
    let restored = -(1.0 + restitution) * velocity.z;
    let normal = DVec3::Z * (restored / kz);
    let after_normal = velocity + k * normal;
    let sliding = after_normal.truncate();
    let speed = sliding.length();
    let frictionless = |guarded| finish(impact, k, normal, speed == 0.0, guarded);
    if speed == 0.0 {
        return frictionless(false);
    }
    let direction = (sliding / speed).extend(0.0);
    // A unit tangential impulse against sliding, with the normal impulse that keeps the
    // restitution.
    let (coupling, response) = (direction.dot(k.z_axis), direction.dot(k * direction));
    let with_friction = DVec3::new(-direction.x, -direction.y, coupling / kz);
    let stiffness = response - coupling * coupling / kz;
    if stiffness < -ROUNDING.solution * response {
        return Err(InvalidImpact::NotACollisionMatrix);
    }
    if stiffness <= ROUNDING.solution * response {
        // No tangential impulse moves the contact in this direction alone (locked axes).
        return frictionless(false);
    }
    let stop = speed / stiffness;
    // In the cone if t <= mu (restored + coupling t) / kz for the tangential impulse t.
    let sticks = stop * (kz - static_friction * coupling) <= static_friction * restored;
    let mu = dynamic_friction.min(static_friction);
    let wanted = if sticks { stop } else { mu * restored / (kz - mu * coupling) };
    // The energy change is quadratic in the tangential impulse, and at most zero without it.
    let loss = -0.5 * (1.0 - restitution * restitution) * velocity.z * velocity.z / kz;
    let slope = -speed - restitution * velocity.z * coupling / kz;
    let change = |t: f64| loss + t * (slope + 0.5 * stiffness * t);
    let guarded = change(wanted) > 0.0;
    let taken = if guarded {
        // The other root is negative: this is the largest impulse without a gain.
        let discriminant = (slope * slope - 2.0 * stiffness * loss).max(0.0).sqrt();
        let largest =
            if slope < 0.0 { (discriminant - slope) / stiffness } else { -2.0 * loss / (slope + discriminant) };
        if largest.is_finite() { largest.clamp(0.0, wanted) } else { 0.0 }
    } else {
        wanted
    };
    finish(impact, k, normal + with_friction * taken, sticks && !guarded, guarded)
}

/// The outcome of an impulse.
fn finish(
    impact: &NewtonImpact,
    k: DMat3,
    impulse: DVec3,
    sticks: bool,
    guarded: bool,
) -> Result<NewtonOutcome, InvalidImpact> {
    let response = k * impulse;
    let mut velocity = impact.velocity + response;
    velocity.z = -impact.restitution * impact.velocity.z;
    // At most zero but for rounding: see the guard.
    let energy_change = (impulse.dot(impact.velocity) + 0.5 * impulse.dot(response)).min(0.0);
    if !(velocity.is_finite() && impulse.is_finite() && energy_change.is_finite()) {
        return Err(InvalidImpact::NotFinite);
    }
    Ok(NewtonOutcome { velocity, impulse, energy_change, sticks, guarded })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rod(degrees: f64, friction: f64, restitution: f64, velocity: DVec3) -> NewtonImpact {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let coupling = -3.0 * sin * cos;
        NewtonImpact {
            k: DMat3::from_cols(
                DVec3::new(1.0 + 3.0 * sin * sin, 0.0, coupling),
                DVec3::new(0.0, 4.0, 0.0),
                DVec3::new(coupling, 0.0, 1.0 + 3.0 * cos * cos),
            ),
            velocity,
            static_friction: friction,
            dynamic_friction: friction,
            restitution,
        }
    }

    #[test]
    fn a_ball_sticks_above_two_sevenths_of_the_slip_and_slides_below() {
        let ball = |mu: f64| NewtonImpact {
            k: DMat3::from_diagonal(DVec3::new(3.5, 3.5, 1.0)),
            velocity: DVec3::new(0.6, 0.8, -1.0),
            static_friction: mu,
            dynamic_friction: mu,
            restitution: 0.5,
        };
        let critical = 2.0 / 7.0 / 1.5;
        let held = solve(&ball(critical * 1.001)).unwrap();
        assert!(held.sticks && held.velocity.truncate().length() < 1e-15);
        assert!((held.impulse.truncate().length() - 2.0 / 7.0).abs() < 1e-15);
        let slid = solve(&ball(critical * 0.5)).unwrap();
        assert!(!slid.sticks && (slid.velocity.truncate().length() - 0.5).abs() < 1e-15);
    }

    #[test]
    fn the_static_coefficient_decides_and_the_dynamic_one_acts() {
        let mut impact = rod(0.0, 0.0, 0.0, DVec3::new(1.0, 0.0, -4.0));
        // Without coupling the normal impulse is 1 and stopping takes 1.
        (impact.static_friction, impact.dynamic_friction) = (1.01, 0.2);
        assert!(solve(&impact).unwrap().sticks);
        impact.static_friction = 0.99;
        let slid = solve(&impact).unwrap();
        assert!(!slid.sticks && (slid.impulse.x + 0.2).abs() < 1e-15);
    }

    #[test]
    fn a_rod_that_friction_presses_into_the_ground_would_gain_energy_and_is_guarded() {
        let impact = rod(60.0, 1.0, 1.0, DVec3::new(0.4, 0.0, -1.0));
        // Friction can stop the end, and the impulse for both targets gains energy.
        let both = DVec3::new(0.0, 0.0, 1.0);
        let asked = impact.k.inverse() * (both - impact.velocity);
        assert!(0.5 * asked.dot(impact.velocity + both) > 0.05);
        let after = solve(&impact).unwrap();
        assert!(after.guarded && after.velocity.z == 1.0);
        let gained = after.impulse.dot(impact.velocity + after.velocity);
        assert!(gained.abs() < 1e-14, "the guard keeps the energy and no less: {gained}");
    }

    #[test]
    fn what_is_no_impact_is_an_error() {
        let good = rod(30.0, 0.5, 0.5, DVec3::new(1.0, 0.0, -1.0));
        let with = |change: fn(&mut NewtonImpact)| {
            let mut impact = good;
            change(&mut impact);
            solve(&impact).unwrap_err()
        };
        assert_eq!(with(|i| i.velocity.z = 0.0), InvalidImpact::NotApproaching);
        assert_eq!(with(|i| i.velocity.x = f64::NAN), InvalidImpact::NotFinite);
        assert_eq!(with(|i| i.dynamic_friction = -0.1), InvalidImpact::NegativeFriction);
        assert_eq!(with(|i| i.restitution = 1.5), InvalidImpact::RestitutionOutOfRange);
        assert_eq!(with(|i| i.k = DMat3::ZERO), InvalidImpact::NotACollisionMatrix);
        assert_eq!(with(|i| i.k.x_axis.z = 40.0), InvalidImpact::NotACollisionMatrix);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn the_law_holds_in_the_cone_and_without_a_gain_of_energy(
            a in prop::array::uniform3(-1.0..1.0f64), b in prop::array::uniform3(-1.0..1.0f64),
            c in prop::array::uniform3(-1.0..1.0f64), u in prop::array::uniform2(-3.0..3.0f64),
            mu_s in 0.0..3.0f64, mu_d in 0.0..3.0f64, e in 0.0..=1.0f64,
        ) {
            let root = DMat3::from_cols(a.into(), b.into(), c.into());
            let k = root * root.transpose() + DMat3::from_diagonal(DVec3::splat(1e-2));
            let velocity = DVec3::new(u[0], u[1], -1.0);
            let impact =
                NewtonImpact { k, velocity, static_friction: mu_s, dynamic_friction: mu_d, restitution: e };
            let after = solve(&impact).unwrap();
            let (p, size) = (after.impulse, after.impulse.length() * velocity.length());
            prop_assert!((velocity + k * p - after.velocity).length() < 1e-12 * (1.0 + k.z_axis.z * p.length()));
            prop_assert!((after.velocity.z - e).abs() < 1e-15);
            prop_assert!(p.truncate().length() <= mu_s * p.z * (1.0 + 1e-12) + 1e-15);
            prop_assert!(p.dot(velocity) + 0.5 * p.dot(k * p) <= 1e-14 * (1.0 + size));
        }
    }
}
