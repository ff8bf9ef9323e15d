//! A controller that pulls a body to a pose with bounded force.

use super::applied_load::{self, BodyLoad, LoadSource};
use super::{BodyMotion, first_negative, steered};
use crate::bodies::Kind;
use crate::error::{StepError, check_time_step};
use crate::math::{Mat3, Pose, Quat, Real, Vec3, consts::TAU, real};
use crate::motion::center::center_of;
use crate::motion::rotation::rotation_vector;
use crate::physics::Physics;
use crate::ranges::not_negative;
use hecs::World;

/// A proportional, integral and derivative (PID) controller of a dynamic body's pose: to drag a body
/// with the mouse, hold it before a player, or aim a turret. Gains are per mass and inertia, so that
/// they fit any body.
///
/// The gains of a step follow from the wanted response by pole placement (Åström and Wittenmark,
/// *Computer-Controlled Systems*, 1997), so that no stiffness is too stiff for a step. The integral
/// part takes what constant loads leave, and waits while a bound is reached.
///
/// ```
/// use dolmen::control::{PoseController, step_pose_controllers};
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// let lamp = Body::dynamic(Collider::ball(0.2)).mass(2.0);
/// let lamp = world.spawn(lamp.with(PoseController::position(Vec3::new(1.0, 2.0, 0.0), 500.0)));
/// for _ in 0..180 {
///     step_pose_controllers(&mut world, &physics, 1.0 / 60.0)?;
///     physics.step(&mut world, 1.0 / 60.0)?;
/// }
/// let at = world.get::<&Position>(lamp).unwrap().0;
/// assert!((at - Vec3::new(1.0, 2.0, 0.0)).length() < 1e-3, "{at}");
/// # Ok::<(), dolmen::StepError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct PoseController {
    /// Target of the body's origin (m); `None`: anywhere.
    pub position: Option<Vec3>,
    /// Target of its orientation; `None`: any.
    pub orientation: Option<Quat>,
    /// Natural frequency of the response (Hz).
    pub frequency: Real,
    /// Damping ratio: 1 does not overshoot.
    pub damping_ratio: Real,
    /// Gain of the integral part (1/s): a constant load is taken within a few times its inverse.
    pub integral: Real,
    /// Greatest force (N); may be infinite.
    pub max_force: Real,
    /// Greatest torque (N m); may be infinite.
    pub max_torque: Real,
    /// The accelerations (m/s², rad/s²) that the integral parts have reached.
    pub accumulated: [Vec3; 2],
}

impl Default for PoseController {
    /// 3 Hz, critically damped, an integral gain of 4/s, without bounds, and without a target.
    fn default() -> Self {
        Self {
            position: None,
            orientation: None,
            frequency: 3.0,
            damping_ratio: 1.0,
            integral: 4.0,
            max_force: Real::INFINITY,
            max_torque: Real::INFINITY,
            accumulated: [Vec3::ZERO; 2],
        }
    }
}

impl PoseController {
    /// Pulls to a position (m), with a bounded force (N).
    pub fn position(position: Vec3, max_force: Real) -> Self {
        Self { position: Some(position), max_force, ..Self::default() }
    }

    /// Turns to an orientation, with a bounded torque (N m).
    pub fn orientation(orientation: Quat, max_torque: Real) -> Self {
        Self { orientation: Some(orientation), max_torque, ..Self::default() }
    }

    /// Describes the first invalid field.
    fn problem(&self) -> Option<String> {
        if let Some(position) = self.position.filter(|p| !p.is_finite()) {
            return Some(format!("the position must be finite, got {position}"));
        }
        if let Some(q) = self.orientation.filter(|q| !crate::math::is_direction(*q)) {
            return Some(format!("the orientation must be finite and not zero, got {q}"));
        }
        if let Some(sum) = self.accumulated.iter().find(|sum| !sum.is_finite()) {
            return Some(format!("what is accumulated must be finite, got {sum}"));
        }
        let gains = [("frequency", self.frequency), ("damping_ratio", self.damping_ratio), ("integral", self.integral)];
        let bounds = not_negative("max_force", self.max_force).and(not_negative("max_torque", self.max_torque));
        first_negative(&gains).or_else(|| bounds.err())
    }

    /// The load of one part, bounded, and its integral part afterwards. `inertia` gives the load of
    /// an acceleration.
    ///
    /// Far from its target the body goes no faster than half the bound can brake.
    fn part(&self, k: usize, [error, rate]: [Vec3; 2], inertia: Mat3, most: Real, dt: Real) -> (Vec3, Vec3) {
        let [stiffness, damping] = gains([self.frequency, self.damping_ratio], dt);
        let far = error.length();
        let axis = error.normalize_or_zero();
        let braking = 0.5 * most / (inertia * axis).dot(axis);
        let speed = (2.0 * braking * far).sqrt();
        // The velocity at which position and damping balance.
        let near = if stiffness * far > damping * speed { axis * (damping * speed / stiffness) } else { error };
        let grown = self.accumulated[k] + error * (self.integral * stiffness * dt);
        let load = inertia * (near * stiffness - rate * damping + grown);
        if load.length() <= most && near == error {
            return (load, grown);
        }
        // Anti-windup: what cannot act is not gathered.
        (load.clamp_length_max(most), self.accumulated[k])
    }
}

/// The gains of position (1/s²) and velocity (1/s) for a frequency (Hz) and damping ratio, in steps
/// of `dt` (s).
///
/// Under a constant acceleration in each step, `e' = e - dt v - dt² a / 2` and `v' = v + dt a`;
/// with `a = k e - d v` the two eigenvalues of a step are placed where those of the continuous
/// oscillator are after `dt`. The limit of endless stiffness arrives in two steps.
pub(super) fn gains([frequency, damping_ratio]: [Real; 2], dt: Real) -> [Real; 2] {
    let (omega, zeta) = (TAU * frequency, damping_ratio);
    let decay = real::exp(-zeta * omega * dt);
    let sum = if zeta < 1.0 {
        2.0 * decay * real::cos(omega * dt * (1.0 - zeta * zeta).sqrt())
    } else {
        // `cosh` without its overflow: both eigenvalues are below 1.
        let apart = omega * dt * (zeta * zeta - 1.0).sqrt();
        real::exp(apart - zeta * omega * dt) + real::exp(-apart - zeta * omega * dt)
    };
    let product = decay * decay;
    [(1.0 - sum + product) / (dt * dt), (3.0 - sum - product) / (2.0 * dt)]
}

/// Applies all [`PoseController`]s for the coming step of `dt` (s): call it before [`Physics::step`],
/// with the same `dt`. Bodies that no step has seen yet are not pulled.
///
/// # Errors
/// [`StepError`] for an invalid time step, and for a controller that is invalid or not on a dynamic
/// body. It names the entity; controllers with smaller slots have gathered their integral parts.
pub fn step_pose_controllers(world: &mut World, physics: &Physics, dt: Real) -> Result<(), StepError> {
    check_time_step(dt)?;
    let bodies = &physics.state().bodies;
    let mut loads: Vec<BodyLoad> = Vec::new();
    for (slot, entity) in steered::<PoseController>(world, physics) {
        let bad = |problem: String| StepError::Component { entity, component: "PoseController", problem };
        if bodies.kind[slot] != Kind::Dynamic {
            return Err(bad("the body must be dynamic".into()));
        }
        let row = world.entity(entity).expect("the entity was just found");
        let mut controller = row.get::<&mut PoseController>().expect("the component was just found");
        if let Some(problem) = controller.problem() {
            return Err(bad(problem));
        }
        let BodyMotion { pose, velocity, spin } = BodyMotion::of(row, bodies, slot);
        let turn = pose.rotation;
        let target = controller.orientation.map(Quat::normalize);
        let mut load = [Vec3::ZERO; 2];
        if let Some(position) = controller.position {
            // The centre of mass goes where it is once the body has its pose.
            let to = center_of(&Pose::from_parts(position, target.unwrap_or(turn)), bodies.local_center[slot]);
            let error = to - center_of(&pose, bodies.local_center[slot]);
            let inertia = Mat3::from_diagonal(Vec3::splat(bodies.mass[slot]));
            let most = controller.max_force;
            (load[0], controller.accumulated[0]) = controller.part(0, [error, velocity], inertia, most, dt);
        }
        if let Some(target) = target {
            let error = rotation_vector(target * turn.inverse());
            let inertia = bodies.free_inverse_inertia(slot).inverse();
            let most = controller.max_torque;
            (load[1], controller.accumulated[1]) = controller.part(1, [error, spin], inertia, most, dt);
        }
        loads.push((entity, load));
    }
    applied_load::replace_loads(world, LoadSource::Controllers, &loads);
    Ok(())
}
