//! Joints as stiff springs, implicit Euler by Newton's method with a line search in the space of
//! bodies: the incremental potential is minimised (a primal solver, as MuJoCo's).

use super::Method;
use super::stable::stiffness;
use crate::mechanism::{Body, Mechanism};
use crate::system::{System, geometric_stiffness};
use glam::{DMat3, DVec3};

/// Most iterations a substep.
const ITERATIONS: usize = 12;

/// Longest way (m, rad) of the last iteration.
const CONVERGED: f64 = 1e-9;

/// Newton's method a substep.
pub struct Newton {
    substeps: usize,
    stiffness: f64,
    system: System,
}

impl Newton {
    pub fn new(mechanism: &Mechanism, substeps: usize) -> Self {
        Self { substeps, stiffness: stiffness(mechanism), system: System::new(mechanism) }
    }

    /// The incremental potential of displacements from a start.
    fn potential(&self, mechanism: &Mechanism, start: &[Body], moved: &[[DVec3; 2]], h: f64) -> f64 {
        let errors: f64 = mechanism.joints.iter().map(|joint| mechanism.error(joint).length_squared()).sum();
        let inertia: f64 = start
            .iter()
            .zip(moved)
            .map(|(body, moved)| {
                let off = [moved[0] - h * body.velocity, moved[1] - h * body.spin];
                body.mass * off[0].length_squared() + off[1].dot(body.inertia() * off[1])
            })
            .sum();
        0.5 * (inertia + h * h * self.stiffness * errors)
    }
}

/// Poses at displacements from a start.
fn place(mechanism: &mut Mechanism, start: &[Body], moved: &[[DVec3; 2]]) {
    for ((body, start), moved) in mechanism.bodies.iter_mut().zip(start).zip(moved) {
        body.displace_from(start, *moved);
    }
}

impl Method for Newton {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        let h = dt / self.substeps as f64;
        for _ in 0..self.substeps {
            mechanism.kick(h);
            let start = mechanism.bodies.clone();
            let mut moved: Vec<[DVec3; 2]> = start.iter().map(|body| [h * body.velocity, h * body.spin]).collect();
            let weight = h * h * self.stiffness;
            let weights = vec![DMat3::from_diagonal(DVec3::splat(weight)); mechanism.joints.len()];
            place(mechanism, &start, &moved);
            let mut value = self.potential(mechanism, &start, &moved, h);
            for _ in 0..ITERATIONS {
                let forces: Vec<DVec3> =
                    mechanism.joints.iter().map(|joint| -self.stiffness * mechanism.error(joint)).collect();
                let rotation: Vec<DMat3> =
                    geometric_stiffness(mechanism, &forces).into_iter().map(|g| h * h * g).collect();
                if !self.system.factor(mechanism, &weights, &rotation) {
                    break;
                }
                for (right, (body, moved)) in self.system.right.iter_mut().zip(start.iter().zip(&moved)) {
                    let linear = body.mass * (h * body.velocity - moved[0]);
                    let angular = body.inertia() * (h * body.spin - moved[1]);
                    right[..3].copy_from_slice(&linear.to_array());
                    right[3..].copy_from_slice(&angular.to_array());
                }
                self.system.add_impulses(mechanism, forces.iter().map(|&force| h * h * force));
                let direction: Vec<[DVec3; 2]> = self.system.solve().collect();
                let mut length = 1.0;
                let before = moved.clone();
                loop {
                    for (moved, (before, way)) in moved.iter_mut().zip(before.iter().zip(&direction)) {
                        *moved = [before[0] + length * way[0], before[1] + length * way[1]];
                    }
                    place(mechanism, &start, &moved);
                    let next = self.potential(mechanism, &start, &moved, h);
                    if next <= value || length < 1e-3 {
                        value = next;
                        break;
                    }
                    length *= 0.5;
                }
                let longest = direction.iter().map(|way| way[0].length().max(way[1].length())).fold(0.0, f64::max);
                if length * longest < CONVERGED {
                    break;
                }
            }
            for (body, moved) in mechanism.bodies.iter_mut().zip(&moved) {
                (body.velocity, body.spin) = (moved[0] / h, moved[1] / h);
            }
        }
    }
}
