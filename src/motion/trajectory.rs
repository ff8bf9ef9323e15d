//! The trajectory of a body over a part of a step: position, orientation and velocities at any
//! moment.

use super::rotation::{
    PrincipalInertia, RotationLaw, RotationState, TabulatedRotation, integrate_orientation, max_angular_speed, rotate,
    tabulate,
};
use crate::math::{DVec3, Pose, Quat, Real, Vec3, to_f64};

/// Error bound of the angular velocity of a second-order rotation law, relative, per squared angle
/// since the step began, and the factor by which its path may bend more than the exact one. Larger:
/// smaller advances for rotating bodies. Smaller: bodies that rotate by a radian in a step pass through walls.
const TIME_SCHEME_SLACK: f64 = 2.0;

/// The rotation of a body.
#[derive(Clone, Debug)]
pub enum Turning {
    /// Constant angular velocity (rad/s, world axes) from an orientation.
    Steady {
        /// Orientation at the start.
        orientation: Quat,
        /// Angular velocity (rad/s, world axes).
        velocity: Vec3,
    },
    /// Free rotation by the laws of [`rotation`](super::rotation): see [`Turning::free`].
    Free {
        /// The state at the start.
        spin: RotationState,
        /// Moments of inertia.
        inertia: PrincipalInertia,
        /// Constant torque (N m, world axes).
        torque: Vec3,
        /// Rotation law.
        law: RotationLaw,
        /// The states in between, of a rotation of several stages.
        table: Option<TabulatedRotation>,
    },
}

impl Turning {
    /// Free rotation for at most `h` seconds.
    pub fn free(spin: RotationState, inertia: PrincipalInertia, torque: Vec3, law: RotationLaw, h: Real) -> Self {
        Self::Free { spin, inertia, torque, law, table: tabulate(law, spin, &inertia, torque, h) }
    }
}

/// The motion of a body from a moment on: a parabola of its centre of mass, and a rotation about
/// it. Moments are in seconds from the step's start.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// Its start (s).
    pub start: f64,
    /// Centre of mass at that moment (m).
    pub center: DVec3,
    /// Velocity of the centre of mass at that moment (m/s).
    pub velocity: DVec3,
    /// Constant acceleration (m/s²).
    pub acceleration: DVec3,
    /// Centre of mass in the body's axes, from its origin (m).
    pub local_center: Vec3,
    /// Rotation.
    pub turning: Turning,
}

impl Trajectory {
    /// The trajectory of a body at rest.
    pub fn still(pose: &Pose) -> Self {
        Self {
            start: 0.0,
            center: to_f64(pose.translation),
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            local_center: Vec3::ZERO,
            turning: Turning::Steady { orientation: pose.rotation, velocity: Vec3::ZERO },
        }
    }

    /// Centre of mass at the moment `t` (m).
    pub fn center_at(&self, t: f64) -> DVec3 {
        let wait = t - self.start;
        self.center + (self.velocity + self.acceleration * (0.5 * wait)) * wait
    }

    /// Velocity of the centre of mass at the moment `t` (m/s).
    pub fn velocity_at(&self, t: f64) -> DVec3 {
        self.velocity + self.acceleration * (t - self.start)
    }

    /// The rotation at the moment `t`.
    pub fn rotation_at(&self, t: f64) -> RotationState {
        let wait = (t - self.start) as Real;
        match &self.turning {
            &Turning::Steady { orientation, velocity } if wait == 0.0 || velocity == Vec3::ZERO => {
                RotationState::new(orientation, velocity)
            }
            &Turning::Steady { orientation, velocity } => {
                RotationState::new(integrate_orientation(orientation, velocity * wait), velocity)
            }
            Turning::Free { spin, .. } if wait == 0.0 => *spin,
            Turning::Free { table: Some(table), .. } => table.state_at(wait),
            Turning::Free { spin, inertia, torque, law, .. } => rotate(*law, *spin, inertia, *torque, wait),
        }
    }

    /// The position (m) of a point of the body, given in its own axes, at the moment `t`, and the
    /// body's orientation then.
    pub fn place(&self, local: Vec3, t: f64) -> (DVec3, Quat) {
        let orientation = self.rotation_at(t).orientation;
        (self.center_at(t) + to_f64(orientation * (local - self.local_center)), orientation)
    }

    /// A bound on the angular speed at any moment up to `until` (rad/s).
    pub fn max_angular_speed(&self, until: f64) -> f64 {
        match self.turning {
            Turning::Steady { velocity, .. } => f64::from(velocity.length()),
            Turning::Free { spin, inertia, torque, .. } => {
                let gain = f64::from(torque.length() * inertia.inverse().max_element()) * (until - self.start);
                max_angular_speed(&spin, &inertia) + gain
            }
        }
    }

    /// Bounds on the rotation at any moment up to `until`.
    pub(super) fn turning_bounds(&self, until: f64) -> TurningBounds {
        let speed = self.max_angular_speed(until);
        match self.turning {
            Turning::Free { inertia, torque, .. } if !inertia.is_isotropic() || torque != Vec3::ZERO => {
                // Euler's equations: the angular acceleration is at most the squared angular speed
                // times a ratio of the moments.
                let i = to_f64(inertia.principal());
                let ratio = ((i.y - i.z) / i.x).abs().max(((i.z - i.x) / i.y).abs()).max(((i.x - i.y) / i.z).abs());
                let gain = f64::from(torque.length() * inertia.inverse().max_element());
                let acceleration = speed * speed * ratio + gain;
                TurningBounds {
                    speed,
                    acceleration,
                    // A ratio of moments is at most one, and a torque turns in the body's axes.
                    jerk: 4.0 * speed * acceleration,
                    law_slack: TIME_SCHEME_SLACK,
                    law_error: TIME_SCHEME_SLACK * (speed * speed * speed),
                }
            }
            _ => TurningBounds { speed, ..TurningBounds::STILL },
        }
    }

    /// Angular velocity (rad/s), if it is constant.
    pub(super) fn constant_angular_velocity(&self) -> Option<DVec3> {
        match self.turning {
            Turning::Steady { velocity, .. } => Some(to_f64(velocity)),
            Turning::Free { spin, inertia, torque, .. } if inertia.is_isotropic() && torque == Vec3::ZERO => {
                Some(to_f64(spin.velocity))
            }
            Turning::Free { .. } => None,
        }
    }
}

/// Bounds on a body's rotation.
#[derive(Clone, Copy)]
pub(super) struct TurningBounds {
    /// Angular speed (rad/s).
    pub speed: f64,
    /// Angular acceleration (rad/s²).
    pub acceleration: f64,
    /// Its rate of change (rad/s³).
    pub jerk: f64,
    /// Factor by which the law's path may bend more.
    pub law_slack: f64,
    /// Error bound of a second-order rotation law: this times the third power of the time since the
    /// trajectory began (rad/s³).
    pub law_error: f64,
}

impl TurningBounds {
    /// Of a body that does not turn.
    pub const STILL: Self = Self { speed: 0.0, acceleration: 0.0, jerk: 0.0, law_slack: 1.0, law_error: 0.0 };

    /// Bound on the acceleration by rotation of a point a metre from the centre of mass (1/s²).
    pub fn point_acceleration(&self) -> f64 {
        self.speed * self.speed + self.acceleration
    }
}
