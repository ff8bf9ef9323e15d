//! Position-based dynamics with small steps (Müller et al. 2020): one sweep of position corrections
//! a substep, velocities from displacements.

use super::Method;
use crate::mechanism::Mechanism;
use glam::{DQuat, DVec3};

/// The method; it keeps nothing from step to step.
pub struct PositionBased {
    pub substeps: usize,
}

impl Method for PositionBased {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        let h = dt / self.substeps as f64;
        for _ in 0..self.substeps {
            mechanism.kick(h);
            let start: Vec<(DVec3, DQuat)> =
                mechanism.bodies.iter().map(|body| (body.position, body.orientation)).collect();
            mechanism.drift(h);
            for index in 0..mechanism.joints.len() {
                let joint = mechanism.joints[index];
                let levers = mechanism.levers(&joint);
                let mass = mechanism.inverse_effective_mass(&joint, levers).inverse();
                let impulse = -(mass * mechanism.error(&joint));
                let ends = levers.into_iter().zip([-impulse, impulse]);
                for (body, (lever, impulse)) in joint.bodies.into_iter().zip(ends) {
                    if let Some(body) = body {
                        let body = &mut mechanism.bodies[body];
                        let turn = body.inverse_inertia() * lever.cross(impulse);
                        body.displace([impulse / body.mass, turn]);
                    }
                }
            }
            for (body, (position, orientation)) in mechanism.bodies.iter_mut().zip(start) {
                body.velocity = (body.position - position) / h;
                body.spin = rotation_vector(body.orientation * orientation.inverse()) / h;
            }
        }
    }
}

/// The rotation vector of a quaternion, at most half a turn.
pub fn rotation_vector(rotation: DQuat) -> DVec3 {
    let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
    rotation.to_scaled_axis()
}
