//! Augmented vertex block descent (Giles, Diaz, Yuksel 2025): Newton's method for one body at a time,
//! with multipliers and growing penalties of the joints.

use super::Method;
use crate::mechanism::{Body, Mechanism, skew};
use crate::system::stiffness_of_pull;
use glam::{DMat3, DVec3};

/// Sweeps over the bodies a substep.
const SWEEPS: usize = 10;

/// Share of the error at the start of a step that is not corrected in it.
const KEPT: f64 = 0.95;

/// Share of multipliers and penalties that the next step starts with.
const WARM: f64 = 0.99;

/// Growth of a penalty by an error (N/m²), its least and its greatest value (N/m).
const GROWTH: f64 = 1e5;
const PENALTY: [f64; 2] = [1.0, 1e9];

/// Multiplier (N) and penalty (N/m) of a joint, and its error at the start of the substep (m).
#[derive(Clone, Copy)]
struct Augmented {
    multiplier: DVec3,
    penalty: f64,
    start: DVec3,
}

/// Block descent over the bodies.
pub struct BlockDescent {
    substeps: usize,
    joints: Vec<Augmented>,
    /// Joints and ends by body.
    of_body: Vec<Vec<(usize, usize)>>,
}

impl BlockDescent {
    pub fn new(mechanism: &Mechanism, substeps: usize) -> Self {
        let mut of_body = vec![Vec::new(); mechanism.bodies.len()];
        for (index, joint) in mechanism.joints.iter().enumerate() {
            for end in 0..2 {
                if let Some(body) = joint.bodies[end] {
                    of_body[body].push((index, end));
                }
            }
        }
        let fresh = Augmented { multiplier: DVec3::ZERO, penalty: PENALTY[0], start: DVec3::ZERO };
        Self { substeps, joints: vec![fresh; mechanism.joints.len()], of_body }
    }

    /// Minimises over the pose of one body.
    fn descend(&self, mechanism: &mut Mechanism, index: usize, start: &Body, moved: &mut [DVec3; 2], h: f64) {
        let per_square = 1.0 / (h * h);
        let mass = DMat3::from_diagonal(DVec3::splat(start.mass * per_square));
        let inertia = start.inertia() * per_square;
        let mut gradient = [mass * (moved[0] - h * start.velocity), inertia * (moved[1] - h * start.spin)];
        let (mut linear, mut mixed, mut angular) = (mass, DMat3::ZERO, inertia);
        for &(joint, end) in &self.of_body[index] {
            let (augmented, joint) = (&self.joints[joint], mechanism.joints[joint]);
            let lever = mechanism.levers(&joint)[end];
            let pull = augmented.multiplier + augmented.penalty * (mechanism.error(&joint) - KEPT * augmented.start);
            let pull = if end == 0 { -pull } else { pull };
            gradient[0] += pull;
            gradient[1] += lever.cross(pull);
            let cross = skew(lever);
            linear += DMat3::from_diagonal(DVec3::splat(augmented.penalty));
            mixed -= augmented.penalty * cross;
            angular -= augmented.penalty * (cross * cross);
            // Geometric stiffness: the lengths of its columns, on the diagonal.
            let geometric = stiffness_of_pull(pull, lever);
            angular += DMat3::from_diagonal(DVec3::new(
                geometric.x_axis.length(),
                geometric.y_axis.length(),
                geometric.z_axis.length(),
            ));
        }
        // The Schur complement of the linear part.
        let inverse = linear.inverse();
        let complement = angular - mixed.transpose() * inverse * mixed;
        let turn = complement.inverse() * (-gradient[1] + mixed.transpose() * (inverse * gradient[0]));
        let shift = inverse * (-gradient[0] - mixed * turn);
        moved[0] += shift;
        moved[1] += turn;
        mechanism.bodies[index].displace_from(start, *moved);
    }
}

impl Method for BlockDescent {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        let h = dt / self.substeps as f64;
        for _ in 0..self.substeps {
            for (augmented, joint) in self.joints.iter_mut().zip(&mechanism.joints) {
                augmented.start = mechanism.error(joint);
                augmented.multiplier *= KEPT * WARM;
                augmented.penalty = (WARM * augmented.penalty).clamp(PENALTY[0], PENALTY[1]);
            }
            mechanism.kick(h);
            let start = mechanism.bodies.clone();
            let mut moved: Vec<[DVec3; 2]> = start.iter().map(|body| [h * body.velocity, h * body.spin]).collect();
            mechanism.drift(h);
            for _ in 0..SWEEPS {
                for index in 0..start.len() {
                    self.descend(mechanism, index, &start[index], &mut moved[index], h);
                }
                for (augmented, joint) in self.joints.iter_mut().zip(&mechanism.joints) {
                    let error = mechanism.error(joint) - KEPT * augmented.start;
                    augmented.multiplier += augmented.penalty * error;
                    augmented.penalty = (augmented.penalty + GROWTH * error.length()).min(PENALTY[1]);
                }
            }
            for (body, moved) in mechanism.bodies.iter_mut().zip(&moved) {
                (body.velocity, body.spin) = (moved[0] / h, moved[1] / h);
            }
        }
    }
}
