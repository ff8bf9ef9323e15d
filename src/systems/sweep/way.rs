//! The way of one body through the step: which bodies are followed, from where, and where they come out.

use crate::bodies::Bodies;
use crate::math::{DVec3, Real, Vec3, from_f64, to_f64};
use crate::motion::rotation::{PrincipalInertia, RotationLaw, Spin, rotation_near};
use crate::motion::{Path, Turning};

/// A body at the start of the step.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    center: DVec3,
    velocity: Vec3,
    spin: Spin,
}

impl Start {
    pub fn of(bodies: &Bodies, slot: usize) -> Self {
        Self {
            center: to_f64(bodies.center[slot]) + to_f64(bodies.center_rest[slot]),
            velocity: bodies.linear_velocity[slot],
            spin: Spin {
                orientation: bodies.orientation[slot],
                velocity: bodies.angular_velocity[slot],
                residual: bodies.momentum_rest[slot],
            },
        }
    }
}

/// How a body was moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Moved {
    /// By the law of flight alone.
    Freely,
    /// By contacts, impacts, damping or locks: straight from its place at the start to that at the end, as far as is known, with
    /// about this rotation (rad, world axes).
    Straight(Vec3),
}

/// A body on its way.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub slot: u32,
    pub path: Path,
    /// Its velocities at the end, where they are not those of its path (m/s, rad/s).
    pub own: Option<(DVec3, Vec3)>,
    /// Whether what it meets is looked for.
    pub travels: bool,
    /// Whether it meets dynamic bodies too.
    pub everything: bool,
    /// Whether contacts carry it, so that it does not fall after an impact.
    pub carried: bool,
    /// Impacts so far.
    pub hits: u32,
    /// Changes of its path so far.
    pub version: u32,
    /// Whether it stands still for the rest of the step.
    pub stopped: bool,
}

impl Way {
    /// The way of a body from `start`, which has been moved to its place at the end of a step of `dt` (s).
    pub fn new(bodies: &Bodies, slot: usize, start: &Start, moved: Moved, law: RotationLaw, dt: Real) -> Self {
        let (velocity, acceleration, turning, own) = match moved {
            Moved::Freely => {
                let turning = turning_of(bodies, slot, start.spin, law);
                (to_f64(start.velocity), to_f64(bodies.acceleration[slot]), turning, None)
            }
            Moved::Straight(rotation) => {
                let end = to_f64(bodies.center[slot]) + to_f64(bodies.center_rest[slot]);
                let orientation = start.spin.orientation;
                let rotation = rotation_near(bodies.orientation[slot] * orientation.inverse(), rotation);
                let turning = Turning::Steady { orientation, velocity: rotation / dt };
                let own = (to_f64(bodies.linear_velocity[slot]), bodies.angular_velocity[slot]);
                ((end - start.center) / f64::from(dt), DVec3::ZERO, turning, Some(own))
            }
        };
        let local_center = bodies.local_center[slot];
        let path = Path { start: 0.0, center: start.center, velocity, acceleration, local_center, turning };
        Self {
            slot: slot as u32,
            path,
            own,
            travels: false,
            everything: false,
            carried: moved != Moved::Freely,
            hits: 0,
            version: 0,
            stopped: false,
        }
    }

    /// Velocities at the moment `t` (m/s, rad/s).
    pub fn velocities(&self, t: f64) -> (DVec3, Vec3) {
        self.own.unwrap_or_else(|| (self.path.velocity_at(t), self.path.spin_at(t).velocity))
    }

    /// Goes on along another path.
    pub fn go_on(&mut self, path: Path) {
        self.path = path;
        self.own = None;
        self.travels = true;
        self.hits += 1;
        self.version += 1;
    }

    /// Stands still from the moment `t` on; its velocities stay what they are.
    pub fn stop(&mut self, t: f64) {
        let spin = self.path.spin_at(t);
        self.own = Some(self.velocities(t));
        self.path = Path {
            start: t,
            center: self.path.center_at(t),
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            local_center: self.path.local_center,
            turning: Turning::Steady { orientation: spin.orientation, velocity: Vec3::ZERO },
        };
        self.stopped = true;
        self.version += 1;
    }

    /// Writes the body as it is at the end of the step, at `dt` (s).
    pub fn write(&self, bodies: &mut Bodies, dt: f64) {
        let slot = self.slot as usize;
        let (velocity, angular) = self.velocities(dt);
        let spin = self.path.spin_at(dt);
        let center = from_f64(self.path.center_at(dt));
        // From the place to which motion without the impact had brought it.
        bodies.odometer[slot] += f64::from((center - bodies.center[slot]).length() + 2.0 * bodies.radius[slot]);
        bodies.center[slot] = center;
        bodies.orientation[slot] = spin.orientation;
        bodies.linear_velocity[slot] = from_f64(velocity);
        bodies.angular_velocity[slot] = angular;
        bodies.position[slot] = center - spin.orientation * bodies.local_center[slot];
        bodies.forget_rests(slot);
        bodies.refresh_inertia(slot);
        bodies.dirty[slot] = true;
    }
}

/// How a body turns that nothing touches.
pub(super) fn turning_of(bodies: &Bodies, slot: usize, spin: Spin, law: RotationLaw) -> Turning {
    if bodies.is_rotation_locked(slot) {
        return Turning::Steady { orientation: spin.orientation, velocity: spin.velocity };
    }
    let inertia = PrincipalInertia::new(bodies.principal[slot], bodies.frame[slot]);
    Turning::Free { spin, inertia, torque: bodies.torque[slot], law }
}
