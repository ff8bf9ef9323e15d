//! Joints as stiff springs in one linear implicit system, with the geometric stiffness of the forces
//! of the last substep (Tournier et al. 2015; Andrews et al. 2017).

use super::Method;
use crate::mechanism::{GRAVITY, Mechanism};
use crate::system::{System, geometric_stiffness};
use glam::{DMat3, DVec3};

/// Sag of a joint under the weight of the whole mechanism (m): its spring.
pub const SAG: f64 = 1e-6;

/// Stiffness of each joint of a mechanism (N/m).
pub fn stiffness(mechanism: &Mechanism) -> f64 {
    mechanism.bodies.iter().map(|body| body.mass).sum::<f64>() * GRAVITY.length() / SAG
}

/// One linear solve a substep.
pub struct Stable {
    substeps: usize,
    geometric: bool,
    stiffness: f64,
    system: System,
    forces: Vec<DVec3>,
}

impl Stable {
    pub fn new(mechanism: &Mechanism, substeps: usize, geometric: bool) -> Self {
        let forces = vec![DVec3::ZERO; mechanism.joints.len()];
        Self { substeps, geometric, stiffness: stiffness(mechanism), system: System::new(mechanism), forces }
    }

    /// Moves a mechanism by a substep (s), under forces of its joints (N) before it.
    pub fn substep(&mut self, mechanism: &mut Mechanism, h: f64, forces: Option<&[DVec3]>) {
        if let Some(forces) = forces {
            self.forces.copy_from_slice(forces);
        }
        mechanism.kick(h);
        let weight = h * h * self.stiffness;
        let weights = vec![DMat3::from_diagonal(DVec3::splat(weight)); mechanism.joints.len()];
        let rotation: Vec<DMat3> = match self.geometric {
            true => geometric_stiffness(mechanism, &self.forces).into_iter().map(|g| h * h * g).collect(),
            false => Vec::new(),
        };
        if !self.system.factor(mechanism, &weights, &rotation) {
            return;
        }
        let errors: Vec<DVec3> = mechanism.joints.iter().map(|joint| mechanism.error(joint)).collect();
        self.system.start_from_momenta(mechanism);
        self.system.add_impulses(mechanism, errors.iter().map(|&error| -(weight / h) * error));
        for (body, [velocity, spin]) in mechanism.bodies.iter_mut().zip(self.system.solve()) {
            (body.velocity, body.spin) = (velocity, spin);
        }
        for (index, force) in self.forces.iter_mut().enumerate() {
            let joint = &mechanism.joints[index];
            let velocity = mechanism.relative_velocity(joint, mechanism.levers(joint));
            *force = -self.stiffness * (errors[index] + h * velocity);
        }
        mechanism.drift(h);
    }

    /// Forces of the joints in the last substep (N).
    pub fn forces(&self) -> &[DVec3] {
        &self.forces
    }
}

impl Method for Stable {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        let h = dt / self.substeps as f64;
        for _ in 0..self.substeps {
            self.substep(mechanism, h, None);
        }
    }
}
