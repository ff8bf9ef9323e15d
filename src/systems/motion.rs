//! Stage 7, **motion**: new positions and orientations.
//!
//! What nothing pushed moves by the exact law: translation in closed form, rotation with its world angular momentum kept.
//! What was pushed moves as the solver says. Impacts within the step have left a displacement of their own.

use crate::bodies::{Bodies, Kind, NONE};
use crate::math::{Real, Vec3};
use crate::motion::ballistic::fly_damped;
use crate::motion::damping::Decay;
use crate::motion::rotation::{PrincipalInertia, RotationLaw, Spin, integrate_orientation, rotate};
use crate::settings::Accuracy;
use crate::state::State;

/// Runs the stage.
pub fn run(state: &mut State) {
    let State { bodies, islands, resting, settings, dt, .. } = state;
    let law = match settings.accuracy {
        Accuracy::Game => RotationLaw::Strang,
        Accuracy::Exact => RotationLaw::RungeKutta,
    };
    for slot in 0..bodies.slots() {
        if bodies.is_active(slot) {
            let damping = bodies.inputs[slot].damping.unwrap_or_default();
            let linear = Decay::over(damping.linear, *dt);
            let angular = Decay::over(damping.angular, *dt);
            if islands.of[slot] == NONE {
                bodies.displacement[slot] = Vec3::ZERO;
                bodies.rotation[slot] = Vec3::ZERO;
                fly(bodies, slot, *dt, law, linear, angular);
            } else if resting.pushed[slot] {
                bodies.linear_velocity[slot] *= linear.factor;
                bodies.angular_velocity[slot] *= angular.factor;
                bodies.spin_residual[slot] = Vec3::ZERO;
            } else {
                fly(bodies, slot, *dt, law, linear, angular);
            }
            advance(bodies, slot);
        } else if bodies.kind[slot] == Kind::Kinematic && bodies.is_moving(slot) {
            bodies.displacement[slot] = bodies.linear_velocity[slot] * *dt;
            bodies.rotation[slot] = bodies.angular_velocity[slot] * *dt;
            advance(bodies, slot);
        }
    }
}

/// Free flight over the step: adds to the displacement, and turns the body itself.
fn fly(bodies: &mut Bodies, slot: usize, dt: Real, law: RotationLaw, linear: Decay, angular: Decay) {
    let (moved, velocity) = fly_damped(bodies.linear_velocity[slot], bodies.acceleration[slot], dt, linear);
    bodies.displacement[slot] += moved;
    bodies.linear_velocity[slot] = velocity;
    let (turning, torque) = (bodies.angular_velocity[slot], bodies.torque[slot]);
    if turning == Vec3::ZERO && torque == Vec3::ZERO {
        return;
    }
    if bodies.is_rotation_locked(slot) {
        let response = bodies.inverse_inertia[slot] * torque;
        let (turned, velocity) = fly_damped(turning, response, dt, angular);
        bodies.rotation[slot] += turned;
        bodies.angular_velocity[slot] = velocity;
        return;
    }
    let inertia = PrincipalInertia { principal: bodies.principal[slot], frame: bodies.frame[slot] };
    let spin = Spin {
        orientation: bodies.orientation[slot],
        velocity: turning,
        residual: bodies.spin_residual[slot],
    };
    let after = rotate(law, spin, &inertia, torque, dt * angular.mean).scaled(angular.factor);
    bodies.odometer[slot] += f64::from(turning.length().max(after.velocity.length()) * dt * bodies.radius[slot]);
    bodies.orientation[slot] = after.orientation;
    bodies.angular_velocity[slot] = after.velocity;
    bodies.spin_residual[slot] = after.residual;
}

/// Moves a body by its displacement and turns it by its rotation.
fn advance(bodies: &mut Bodies, slot: usize) {
    let (displacement, rotation) = (bodies.displacement[slot], bodies.rotation[slot]);
    if rotation != Vec3::ZERO {
        bodies.orientation[slot] = integrate_orientation(bodies.orientation[slot], rotation);
    }
    bodies.odometer[slot] += f64::from(displacement.length() + rotation.length() * bodies.radius[slot]);
    bodies.center[slot] += displacement;
    bodies.position[slot] = bodies.center[slot] - bodies.orientation[slot] * bodies.local_center[slot];
    bodies.refresh_inertia(slot);
    bodies.dirty[slot] = true;
}
