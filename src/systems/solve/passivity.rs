//! Passivity of the direct solver: contacts with surfaces at rest give an island no energy.
//!
//! Coulomb's and Signorini's laws do no work on surfaces at rest, and gyroscopic torque does none
//! at all. A step keeps to that up to errors of the third order in its angle, which are not small
//! for a coin that spins or a bar of millimetres that tips: these turn by a radian and more. So the
//! velocities of a step are projected back onto the energy that its bodies had and that forces
//! added (projection methods: Hairer, Lubich and Wanner, Geometric Numerical Integration, IV.4).
//! All relative velocities shrink by one factor, which keeps the contact laws: what sticks goes on
//! sticking, and what slides keeps its direction.

use super::body_step::BodyStep;
use crate::math::{DMat3, DQuat, DVec3};
use crate::motion::energy::shrinking;
use crate::resting::Body;

/// Energy and momentum of an island (J, kg, N s).
#[derive(Clone, Copy, Default)]
struct Motion {
    energy: f64,
    mass: f64,
    momentum: DVec3,
}

impl Motion {
    fn add(&mut self, body: &Body, axes: &DMat3, [velocity, angular_velocity]: [DVec3; 2]) {
        let mass = inverse(body.inverse_mass);
        self.energy += kinetic_energy(body, axes, [velocity, angular_velocity]);
        self.mass += mass.max_element();
        self.momentum += mass * velocity;
    }
}

/// Kinetic energy of a body with these principal axes and velocities (J).
pub(super) fn kinetic_energy(body: &Body, axes: &DMat3, [velocity, angular_velocity]: [DVec3; 2]) -> f64 {
    let spin = axes.transpose() * angular_velocity;
    let [mass, inertia] = [body.inverse_mass, body.inverse_inertia].map(inverse);
    0.5 * ((mass * velocity).dot(velocity) + (inertia * spin).dot(spin))
}

/// Component-wise reciprocal; zero along locked axes.
fn inverse(of: DVec3) -> DVec3 {
    DVec3::from_array(of.to_array().map(|k| if k > 0.0 { 1.0 / k } else { 0.0 }))
}

/// Shrinks the velocities at the end of a step by which the bodies that contacts act on have more
/// energy than they had at the start and the `torques` (N m) and accelerations of free motion add.
///
/// If nothing immovable holds them (`held`), they keep the motion of their centre of mass.
pub(super) fn project(bodies: &[Body], torques: impl Iterator<Item = DVec3>, held: bool, steps: &mut [BodyStep]) {
    let (mut before, mut after, mut work) = (Motion::default(), Motion::default(), 0.0);
    for ((body, torque), step) in bodies.iter().zip(torques).zip(&*steps).filter(|(_, step)| step.pushed) {
        let turned = DMat3::from_quat(DQuat::from_scaled_axis(step.rotation)) * body.principal_axes;
        before.add(body, &body.principal_axes, [body.velocity, body.angular_velocity]);
        after.add(body, &turned, [step.velocity, step.angular_velocity]);
        work += (inverse(body.inverse_mass) * body.acceleration).dot(step.displacement) + torque.dot(step.rotation);
    }
    let center = if held || after.mass == 0.0 { DVec3::ZERO } else { after.momentum / after.mass };
    let kept = 0.5 * after.mass * center.length_squared();
    let factor = shrinking(after.energy - kept, before.energy + work - kept);
    if factor == 1.0 {
        return;
    }
    for step in steps.iter_mut().filter(|step| step.pushed) {
        step.velocity = center + (step.velocity - center) * factor;
        step.angular_velocity *= factor;
    }
}
