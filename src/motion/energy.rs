//! Energy of rigid bodies: kinetic energy, work, what damping takes, and the part of a motion that
//! momentum demands. Pure functions in `f64`.

use crate::math::{DMat3, DVec3};

/// Kinetic energy of translation (J) of a mass (kg) at a velocity (m/s).
#[inline]
pub fn translational(mass: f64, velocity: DVec3) -> f64 {
    0.5 * mass * velocity.length_squared()
}

/// Kinetic energy of rotation (J), of principal moments of inertia (kg m²) and an angular velocity
/// in principal axes (rad/s).
#[inline]
pub fn rotational(moments: DVec3, spin: DVec3) -> f64 {
    0.5 * (moments * spin).dot(spin)
}

/// Work (J) of a constant force (N) along a displacement (m).
#[inline]
pub fn work(force: DVec3, displacement: DVec3) -> f64 {
    force.dot(displacement)
}

/// Energy (J) that damping at `rate` (1/s) takes in `dt` (s) from a kinetic energy (J): velocities
/// decay as `exp(-rate t)`, and energy with the square.
///
/// ```
/// use dolmen::motion::energy::damped;
/// assert!((damped(8.0, std::f64::consts::LN_2, 1.0) - 6.0).abs() < 1e-12);
/// ```
pub fn damped(kinetic: f64, rate: f64, dt: f64) -> f64 {
    -kinetic * libm::expm1(-2.0 * rate.max(0.0) * dt)
}

/// A rigid body in motion, about its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingBody {
    /// Mass (kg).
    pub mass: f64,
    /// Inertia about the centre of mass, world axes (kg m²).
    pub inertia: DMat3,
    /// Centre of mass (m).
    pub center: DVec3,
    /// Velocity of the centre of mass (m/s).
    pub velocity: DVec3,
    /// Angular velocity, world axes (rad/s).
    pub angular_velocity: DVec3,
}

impl MovingBody {
    /// Kinetic energy (J).
    pub fn kinetic(&self) -> f64 {
        let spin = 0.5 * self.angular_velocity.dot(self.inertia * self.angular_velocity);
        translational(self.mass, self.velocity) + spin
    }
}

/// The motion of a set of bodies as one rigid body: the one that has their linear and angular
/// momentum. No motion with these momenta has less kinetic energy (König's theorem).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommonMotion {
    /// Common centre of mass (m).
    pub center: DVec3,
    /// Its velocity (m/s).
    pub velocity: DVec3,
    /// Common angular velocity (rad/s).
    pub angular_velocity: DVec3,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// The part of it that is rotation (J).
    pub rotational: f64,
}

impl CommonMotion {
    /// The common motion of these bodies; none without mass.
    pub fn of(bodies: &[MovingBody]) -> Self {
        let mass: f64 = bodies.iter().map(|b| b.mass).sum();
        if mass <= 0.0 {
            return Self::default();
        }
        let mean = |of: fn(&MovingBody) -> DVec3| bodies.iter().map(|b| of(b) * b.mass).sum::<DVec3>() / mass;
        let (center, velocity) = (mean(|b| b.center), mean(|b| b.velocity));
        let (mut momentum, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for b in bodies {
            let arm = b.center - center;
            momentum += b.inertia * b.angular_velocity + arm.cross(b.velocity - velocity) * b.mass;
            inertia += b.inertia + point_inertia(b.mass, arm);
        }
        // A set without extent has no angular momentum either.
        let singular = inertia.determinant() <= f64::MIN_POSITIVE;
        let angular_velocity = if singular { DVec3::ZERO } else { inertia.inverse() * momentum };
        let rotational = 0.5 * angular_velocity.dot(momentum);
        let kinetic = translational(mass, velocity) + rotational;
        Self { center, velocity, angular_velocity, kinetic, rotational }
    }

    /// This motion with its rotation slowed until its energy is no more than `allowed` (J), if it can
    /// be: bodies that turn as one have no other motion to lose.
    pub fn slowed(self, allowed: f64) -> Self {
        let factor = shrinking(self.rotational, allowed - (self.kinetic - self.rotational));
        let rotational = self.rotational * factor * factor;
        let kinetic = self.kinetic - self.rotational + rotational;
        Self { angular_velocity: self.angular_velocity * factor, kinetic, rotational, ..self }
    }

    /// Its velocity (m/s) at a point (m).
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.center)
    }

    /// The factor on all velocities relative to this motion that leaves no more than `allowed` (J)
    /// of a kinetic energy (J): relative and common energy add up, so momenta are kept.
    pub fn relative_factor(&self, kinetic: f64, allowed: f64) -> f64 {
        shrinking(kinetic - self.kinetic, allowed - self.kinetic)
    }
}

/// Slows bodies from a kinetic energy (J) down to `allowed` (J): those against each other, and their
/// rotation as a whole if that alone has too much. Momenta are kept, unless the world holds the bodies.
/// Returns what was taken out (J).
pub(crate) fn slow_down(bodies: &mut [MovingBody], held: bool, kinetic: f64, allowed: f64) -> f64 {
    let common = if held { CommonMotion::default() } else { CommonMotion::of(bodies) };
    let (factor, left) = (common.relative_factor(kinetic, allowed), common.slowed(allowed));
    for body in bodies {
        let relative = body.velocity - common.velocity_at(body.center);
        body.velocity = left.velocity_at(body.center) + relative * factor;
        body.angular_velocity = left.angular_velocity + (body.angular_velocity - common.angular_velocity) * factor;
    }
    (kinetic - common.kinetic) * (1.0 - factor * factor) + common.kinetic - left.kinetic
}

/// The factor on velocities that leaves no more than `allowed` (J) of their kinetic energy (J).
pub(crate) fn shrinking(kinetic: f64, allowed: f64) -> f64 {
    let allowed = allowed.max(0.0);
    if kinetic <= allowed { 1.0 } else { (allowed / kinetic).sqrt() }
}

/// Inertia of a mass point (kg m²) at an arm (m).
fn point_inertia(mass: f64, arm: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * mass
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies() -> Vec<MovingBody> {
        let of = |k: f64| MovingBody {
            mass: 1.0 + k,
            inertia: DMat3::from_diagonal(DVec3::new(0.2, 0.3 + k, 0.4)),
            center: DVec3::new(k, 2.0 - k * k, 0.3 * k),
            velocity: DVec3::new(1.0 - k, 0.4, k * k),
            angular_velocity: DVec3::new(0.3, k, -1.0),
        };
        (0..4).map(|k| of(f64::from(k))).collect()
    }

    fn momenta(bodies: &[MovingBody]) -> [DVec3; 2] {
        let linear = bodies.iter().map(|b| b.velocity * b.mass).sum();
        let angular = bodies.iter().map(|b| b.inertia * b.angular_velocity + b.center.cross(b.velocity * b.mass)).sum();
        [linear, angular]
    }

    #[test]
    fn relative_motion_is_scaled_to_the_energy_allowed_and_momenta_stay() {
        let mut bodies = bodies();
        let before = momenta(&bodies);
        let kinetic: f64 = bodies.iter().map(MovingBody::kinetic).sum();
        let common = CommonMotion::of(&bodies);
        assert!(common.kinetic < kinetic);
        let allowed = 0.3 * common.kinetic + 0.7 * kinetic;
        let factor = common.relative_factor(kinetic, allowed);
        for b in &mut bodies {
            let at = common.velocity_at(b.center);
            b.velocity = at + (b.velocity - at) * factor;
            b.angular_velocity = common.angular_velocity + (b.angular_velocity - common.angular_velocity) * factor;
        }
        let after: f64 = bodies.iter().map(MovingBody::kinetic).sum();
        assert!((after - allowed).abs() < 1e-12 * kinetic);
        for (a, b) in momenta(&bodies).into_iter().zip(before) {
            assert!((a - b).length() < 1e-12 * b.length());
        }
    }

    #[test]
    fn nothing_is_left_of_relative_motion_where_momentum_alone_has_more_energy() {
        let bodies = bodies();
        let kinetic: f64 = bodies.iter().map(MovingBody::kinetic).sum();
        let common = CommonMotion::of(&bodies);
        assert_eq!(common.relative_factor(kinetic, 0.5 * common.kinetic), 0.0);
        let allowed = common.kinetic - 0.6 * common.rotational;
        let slowed = common.slowed(allowed);
        assert!((slowed.kinetic - allowed).abs() < 1e-12 * kinetic && slowed.velocity == common.velocity);
        assert_eq!(common.slowed(kinetic), common);
        assert_eq!(common.slowed(0.0).angular_velocity, DVec3::ZERO);
        assert_eq!(common.relative_factor(kinetic, 2.0 * kinetic), 1.0);
    }
}
