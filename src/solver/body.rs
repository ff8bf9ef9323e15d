//! Bodies of the substepping solver: input, output, and the states that the kernels work on.

use super::simd::Wide;
use crate::math::{Norm, Quat, Real, Vec3};
use crate::tolerances::ROUNDING;

/// One body at the start of a step.
///
/// Body 0 of a step is the fixed world, [`SolverBody::FIXED`]. A kinematic body has zero inverse
/// mass and inertia but a velocity, and is never changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverBody {
    /// Centre of mass in the world (m). Used only to cut a large island into subdomains.
    pub position: Vec3,
    /// Rotation from body axes to world axes.
    pub orientation: Quat,
    /// Velocity of the centre of mass (m/s).
    pub linear_velocity: Vec3,
    /// Angular velocity, world axes (rad/s).
    pub angular_velocity: Vec3,
    /// Inverse mass (1/kg); 0 for an immovable body.
    pub inverse_mass: Real,
    /// World axes along which the body cannot translate.
    pub locked: [bool; 3],
    /// Inverse inertia about the centre of mass in world axes (1/(kg m²)): xx, yy, zz, xy, xz, yz.
    pub inverse_inertia: [Real; 6],
    /// Acceleration by all but contacts and joints, constant over the step (m/s²).
    pub linear_acceleration: Vec3,
    /// Angular acceleration by all but contacts and joints, constant over the step, world axes
    /// (rad/s²).
    pub angular_acceleration: Vec3,
    /// Distance from the centre of mass to the farthest point of the body (m): weight of rotation
    /// against translation.
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

    /// 1 for each free axis, 0 for each locked one.
    pub(crate) fn free_axes(&self) -> Vec3 {
        Vec3::from_array(self.locked.map(|locked| if locked { 0.0 } else { 1.0 }))
    }

    /// True if its inertia is isotropic.
    pub(crate) fn is_isotropic(&self) -> bool {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        xx == yy && yy == zz && [xy, xz, yz] == [0.0; 3]
    }

    /// True if impulses change its motion.
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

/// Result of a step for one body.
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
    /// Mean acceleration over the step: `(|dv| + radius |dw|) / dt` (m/s²). Zero at rest.
    pub residual: Real,
    /// True if contacts or joints changed its velocity, by more than the rounding of the substeps.
    /// A contact that stopped its bodies in an early substep may have no impulse at the end; this
    /// flag records it.
    pub pushed: bool,
}

/// Scalars in a body state.
pub(crate) const BODY_STATE_LEN: usize = 16;
/// Scalars in a substep start.
pub(crate) const SUBSTEP_START_LEN: usize = 8;

/// State of one body during a step, one cache line in `f32`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct BodyState {
    /// Velocity and inverse mass, angular velocity and contact stiffness.
    pub velocity: Wide,
    /// Displacement and 0, rotation and 0.
    pub displacement: Wide,
}

impl BodyState {
    /// Adds to the angular velocity (rad/s).
    pub fn add_angular_velocity(&mut self, by: Vec3) {
        for (component, change) in self.velocity.0[4..7].iter_mut().zip(by.to_array()) {
            *component += change;
        }
    }
}

/// Velocities at the start of the substep, laid out like those of a [`BodyState`]; the last scalar
/// is the square of the change of velocity by a substep of free fall (m²/s²).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct SubstepStart(pub Wide);

/// Velocities with the inverse mass between them.
fn velocity_wide(v: Vec3, m: Real, w: Vec3) -> Wide {
    Wide([v.x, v.y, v.z, m, w.x, w.y, w.z, 0.0])
}

/// State and substep start of a body at the beginning of a step with substeps of `h` (s).
///
/// The state already includes the acceleration of the first substep; the warm start adds the
/// impulses. `scale` multiplies the inverse mass, and the acceleration with it.
pub(crate) fn load(body: &SolverBody, scale: Real, h: Real) -> (BodyState, SubstepStart) {
    let (v, w) = (body.linear_velocity, body.angular_velocity);
    let (dv, dw) = if body.movable() {
        (body.linear_acceleration * (scale * h), body.angular_acceleration * h)
    } else {
        (Vec3::ZERO, Vec3::ZERO)
    };
    let inverse_mass = body.inverse_mass * scale;
    let state = BodyState { velocity: velocity_wide(v + dv, inverse_mass, w + dw), displacement: Wide::default() };
    let mut start = velocity_wide(v, inverse_mass, w);
    start.0[7] = dv.length_squared();
    (state, SubstepStart(start))
}

/// Result of a step of `dt` (s) for a body, from its state at the end.
pub(crate) fn store(body: &SolverBody, state: &BodyState, dt: Real) -> BodyMotion {
    let read = |row: &Wide, k: usize| Vec3::from_slice(&row.0[k..k + 3]);
    let (v, w) = (read(&state.velocity, 0), read(&state.velocity, 4));
    let pushed = differs(v, body.linear_velocity, body.linear_acceleration * dt)
        || differs(w, body.angular_velocity, body.angular_acceleration * dt);
    BodyMotion {
        linear_velocity: v,
        angular_velocity: w,
        displacement: read(&state.displacement, 0),
        rotation: read(&state.displacement, 4),
        residual: ((v - body.linear_velocity).norm() + (w - body.angular_velocity).norm() * body.radius) / dt,
        pushed,
    }
}

/// True if a velocity differs from that of free motion by more than the rounding of the substeps.
fn differs(after: Vec3, before: Vec3, change: Vec3) -> bool {
    (after - before - change).norm() > ROUNDING.velocity * (before.norm() + change.norm())
}

/// Motion over `dt` (s) of a body without contacts: exact for its constant acceleration.
pub(crate) fn integrate_free(body: &SolverBody, dt: Real) -> BodyMotion {
    let (a, b) =
        if body.movable() { (body.linear_acceleration, body.angular_acceleration) } else { (Vec3::ZERO, Vec3::ZERO) };
    let half = 0.5 * dt * dt;
    BodyMotion {
        linear_velocity: body.linear_velocity + a * dt,
        angular_velocity: body.angular_velocity + b * dt,
        displacement: body.linear_velocity * dt + a * half,
        rotation: body.angular_velocity * dt + b * half,
        residual: a.norm() + b.norm() * body.radius,
        pushed: false,
    }
}
