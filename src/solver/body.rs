//! Bodies as the solver sees them: what the caller gives, what it gets back, and the lines the kernels work on.

use super::lanes::Row;
use crate::math::{Quat, Real, Vec3};
use crate::tolerances::PUSHED;

/// One body at the start of a step.
///
/// Body 0 of a step stands for everything fixed and is [`SolverBody::FIXED`]. A kinematic body has zero inverse mass
/// and inertia but a velocity, and is never changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverBody {
    /// Centre of mass in the world (m). Only decides how a large island is cut into slabs.
    pub position: Vec3,
    /// Turns body axes into world axes.
    pub orientation: Quat,
    /// Velocity of the centre of mass (m/s).
    pub linear_velocity: Vec3,
    /// Angular velocity, world axes (rad/s).
    pub angular_velocity: Vec3,
    /// Inverse mass (1/kg); 0 for what cannot be moved.
    pub inverse_mass: Real,
    /// Axes of the world along which the body cannot move at all.
    pub locked: [bool; 3],
    /// Inverse inertia about the centre of mass in world axes (1/(kg m²)): xx, yy, zz, xy, xz, yz.
    pub inverse_inertia: [Real; 6],
    /// Acceleration of everything but contacts, constant over the step (m/s²).
    pub linear_acceleration: Vec3,
    /// Angular acceleration of everything but contacts, constant over the step, world axes (rad/s²).
    pub angular_acceleration: Vec3,
    /// Distance from the centre of mass to the farthest point of the body (m): weighs turning against moving.
    pub radius: Real,
}

impl SolverBody {
    /// The fixed world.
    pub const FIXED: Self = Self {
        position: Vec3::ZERO,
        orientation: Quat::IDENTITY,
        linear_velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        inverse_mass: 0.0,
        locked: [false; 3],
        inverse_inertia: [0.0; 6],
        linear_acceleration: Vec3::ZERO,
        angular_acceleration: Vec3::ZERO,
        radius: 0.0,
    };

    /// 1 for each axis along which the body can move.
    pub(crate) fn free(&self) -> Vec3 {
        Vec3::from_array(self.locked.map(|locked| if locked { 0.0 } else { 1.0 }))
    }

    /// Whether it turns alike about all axes.
    pub(crate) fn is_round(&self) -> bool {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        xx == yy && yy == zz && [xy, xz, yz] == [0.0; 3]
    }

    /// Whether impulses change its motion.
    #[inline]
    pub fn movable(&self) -> bool {
        self.inverse_mass > 0.0 || self.inverse_inertia[..3].iter().any(|&i| i > 0.0)
    }
}

impl Default for SolverBody {
    fn default() -> Self {
        Self::FIXED
    }
}

/// What a step did to one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyMotion {
    /// Velocity of the centre of mass at the end of the step (m/s).
    pub linear_velocity: Vec3,
    /// Angular velocity at the end of the step, world axes (rad/s).
    pub angular_velocity: Vec3,
    /// Displacement of the centre of mass over the step (m).
    pub displacement: Vec3,
    /// Rotation over the step as a rotation vector, world axes (rad).
    pub rotation: Vec3,
    /// Mean acceleration over the step, everything included: `(|dv| + radius |dw|) / dt` (m/s²). Zero at rest.
    pub residual: Real,
    /// Whether anything but its own acceleration changed its velocity, by more than the rounding of the substeps. A contact that
    /// stopped its bodies in an early substep may carry nothing at the end: this tells.
    pub pushed: bool,
}

/// Scalars in a line.
pub(crate) const LINE: usize = 16;
/// Scalars in a start.
pub(crate) const START: usize = 8;

/// The moving state of one body while a step runs, a cache line in `f32`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Line {
    /// Velocity and inverse mass, angular velocity and how stiff the contacts make the body.
    pub velocity: Row,
    /// Displacement and 0, rotation and 0.
    pub moved: Row,
}

impl Line {
    /// Adds to the angular velocity (rad/s).
    pub fn spin_up(&mut self, by: Vec3) {
        for (spin, change) in self.velocity.0[4..7].iter_mut().zip(by.to_array()) {
            *spin += change;
        }
    }
}

/// Velocities at the start of the substep, laid out like those of a [`Line`]; in the last place the square of the change
/// of velocity that a substep of free fall makes (m²/s²).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Start(pub Row);

/// Velocities with the inverse mass between them.
fn velocities(v: Vec3, m: Real, w: Vec3) -> Row {
    Row([v.x, v.y, v.z, m, w.x, w.y, w.z, 0.0])
}

/// The line and the start of a body at the beginning of a step whose substeps are `h` long (s).
///
/// The line already carries the first substep's acceleration; warm starting adds the impulses.
pub(crate) fn open(body: &SolverBody, h: Real) -> (Line, Start) {
    let (v, w) = (body.linear_velocity, body.angular_velocity);
    let (dv, dw) = if body.movable() {
        (body.linear_acceleration * h, body.angular_acceleration * h)
    } else {
        (Vec3::ZERO, Vec3::ZERO)
    };
    let line = Line { velocity: velocities(v + dv, body.inverse_mass, w + dw), moved: Row::default() };
    let mut start = velocities(v, body.inverse_mass, w);
    start.0[7] = dv.length_squared();
    (line, Start(start))
}

/// What the step did to a body, from its line at the end of a step of `dt` (s).
pub(crate) fn close(body: &SolverBody, line: &Line, dt: Real) -> BodyMotion {
    let at = |row: &Row, k: usize| Vec3::from_slice(&row.0[k..k + 3]);
    let (v, w) = (at(&line.velocity, 0), at(&line.velocity, 4));
    let pushed = differs(v, body.linear_velocity, body.linear_acceleration * dt)
        || differs(w, body.angular_velocity, body.angular_acceleration * dt);
    BodyMotion {
        linear_velocity: v,
        angular_velocity: w,
        displacement: at(&line.moved, 0),
        rotation: at(&line.moved, 4),
        residual: ((v - body.linear_velocity).length() + (w - body.angular_velocity).length() * body.radius) / dt,
        pushed,
    }
}

/// Whether a velocity is another than free motion leads to, by more than the rounding of the substeps.
fn differs(after: Vec3, before: Vec3, change: Vec3) -> bool {
    (after - before - change).length() > PUSHED * (before.length() + change.length())
}

/// The motion over `dt` (s) of a body that touches nothing: exact for its constant acceleration.
pub(crate) fn free(body: &SolverBody, dt: Real) -> BodyMotion {
    let (a, b) =
        if body.movable() { (body.linear_acceleration, body.angular_acceleration) } else { (Vec3::ZERO, Vec3::ZERO) };
    let half = 0.5 * dt * dt;
    BodyMotion {
        linear_velocity: body.linear_velocity + a * dt,
        angular_velocity: body.angular_velocity + b * dt,
        displacement: body.linear_velocity * dt + a * half,
        rotation: body.angular_velocity * dt + b * half,
        residual: a.length() + b.length() * body.radius,
        pushed: false,
    }
}
