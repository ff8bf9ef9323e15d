//! A swept body: its trajectory through the step, and its state at the end.

use crate::bodies::Bodies;
use crate::math::{DVec3, Quat, Real, Vec3, from_f64, to_f64};
use crate::motion::rotation::{
    PrincipalInertia, RotationLaw, RotationState, integrate_orientation, rotation_vector_near,
};
use crate::motion::{Trajectory, Turning};

/// The state of a body at the start of the step.
#[derive(Clone, Copy)]
pub(crate) struct StepStart {
    center: DVec3,
    velocity: Vec3,
    spin: RotationState,
}

impl StepStart {
    pub fn of(bodies: &Bodies, slot: usize) -> Self {
        Self {
            center: to_f64(bodies.center[slot]) + to_f64(bodies.center_compensation[slot]),
            velocity: bodies.linear_velocity[slot],
            spin: RotationState {
                orientation: bodies.orientation[slot],
                velocity: bodies.angular_velocity[slot],
                residual: bodies.momentum_compensation[slot],
            },
        }
    }
}

/// The motion of a body over the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum StepMotion {
    /// Free flight.
    FreeFlight,
    /// By contacts, impacts, damping or locks: a straight line between its positions at the start
    /// and the end, with about this rotation (rad, world axes).
    Straight(Vec3),
}

/// A swept body.
#[derive(Clone)]
pub(crate) struct SweptBody {
    pub slot: u32,
    pub trajectory: Trajectory,
    /// Its velocities at the end, if they differ from those of its trajectory (m/s, rad/s).
    pub end_velocities: Option<(DVec3, Vec3)>,
    /// The step's end (s).
    pub end: f64,
    /// True if its collisions are searched.
    pub continuous: bool,
    /// True if it collides with dynamic bodies too.
    pub bullet: bool,
    /// True if contacts support it, so that it has no acceleration after an impact.
    pub supported: bool,
    /// Number of impacts.
    pub impacts: u32,
    /// Number of changes of its trajectory.
    pub version: u32,
    /// True if it is stopped for the rest of the step.
    pub stopped: bool,
}

impl SweptBody {
    /// A swept body from its state `start`; its position at the end of a step of `dt` (s) is
    /// already written.
    pub fn new(
        bodies: &Bodies,
        slot: usize,
        start: &StepStart,
        motion: StepMotion,
        law: RotationLaw,
        dt: Real,
    ) -> Self {
        let (velocity, acceleration, turning, end_velocities) = match motion {
            StepMotion::FreeFlight => {
                let turning = turning_of(bodies, slot, start.spin, law, dt);
                (to_f64(start.velocity), to_f64(bodies.acceleration[slot]), turning, None)
            }
            StepMotion::Straight(rotation) => {
                let end = to_f64(bodies.center[slot]) + to_f64(bodies.center_compensation[slot]);
                let orientation = start.spin.orientation;
                let rotation = rotation_vector_near(bodies.orientation[slot] * orientation.inverse(), rotation);
                let turning = Turning::Steady { orientation, velocity: rotation / dt };
                let end_velocities = (to_f64(bodies.linear_velocity[slot]), bodies.angular_velocity[slot]);
                ((end - start.center) / f64::from(dt), DVec3::ZERO, turning, Some(end_velocities))
            }
        };
        let local_center = bodies.local_center[slot];
        let trajectory = Trajectory { start: 0.0, center: start.center, velocity, acceleration, local_center, turning };
        Self {
            slot: slot as u32,
            trajectory,
            end_velocities,
            end: f64::from(dt),
            continuous: false,
            bullet: false,
            supported: motion != StepMotion::FreeFlight,
            impacts: 0,
            version: 0,
            stopped: false,
        }
    }

    /// Velocities at the moment `t` (m/s, rad/s).
    ///
    /// A body that turns steadily keeps its angular velocity in its own axes, about which its moments
    /// differ: in the world's axes it is that of the end only at the end.
    pub fn velocities(&self, t: f64) -> (DVec3, Vec3) {
        let Some((velocity, spin)) = self.end_velocities else {
            return (self.trajectory.velocity_at(t), self.trajectory.rotation_at(t).velocity);
        };
        match self.trajectory.turning {
            Turning::Steady { velocity: turn, .. } if turn != Vec3::ZERO && t != self.end => {
                (velocity, integrate_orientation(Quat::IDENTITY, turn * (t - self.end) as Real) * spin)
            }
            _ => (velocity, spin),
        }
    }

    /// Continues along another trajectory.
    pub fn continue_along(&mut self, trajectory: Trajectory) {
        self.trajectory = trajectory;
        self.end_velocities = None;
        self.continuous = true;
        self.impacts += 1;
        self.version += 1;
    }

    /// Stops at the moment `t`; its velocities are kept.
    pub fn stop(&mut self, t: f64) {
        let spin = self.trajectory.rotation_at(t);
        self.end_velocities = Some(self.velocities(t));
        self.trajectory = Trajectory {
            start: t,
            center: self.trajectory.center_at(t),
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            local_center: self.trajectory.local_center,
            turning: Turning::Steady { orientation: spin.orientation, velocity: Vec3::ZERO },
        };
        self.stopped = true;
        self.version += 1;
    }

    /// Writes the state at the end of the step, at `dt` (s).
    pub fn write(&self, bodies: &mut Bodies, dt: f64) {
        let slot = self.slot as usize;
        let (velocity, angular) = self.velocities(dt);
        let spin = self.trajectory.rotation_at(dt);
        bodies.linear_velocity[slot] = from_f64(velocity);
        bodies.angular_velocity[slot] = angular;
        bodies.place(slot, from_f64(self.trajectory.center_at(dt)), spin.orientation);
    }
}

/// The rotation of a body in free flight for at most `h` seconds.
pub(super) fn turning_of(bodies: &Bodies, slot: usize, spin: RotationState, law: RotationLaw, h: Real) -> Turning {
    if bodies.is_rotation_locked(slot) {
        return Turning::Steady { orientation: spin.orientation, velocity: spin.velocity };
    }
    let inertia = PrincipalInertia::new(bodies.principal[slot], bodies.frame[slot]);
    Turning::free(spin, inertia, bodies.torque[slot], law, h)
}
