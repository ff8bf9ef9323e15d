//! Linear systems in the space of body velocities: inertia, joints as stiff springs, and terms of
//! rotation.

use crate::block_cholesky::{Block, Block6, BlockCholesky};
use crate::mechanism::{Mechanism, skew};
use glam::{DMat3, DVec3};

/// Effective masses in a rigid row: its velocity is off by its impulse over so many of them.
pub const RIGID: f64 = 1e8;

/// The matrix `M + sum J^T W J + R` of a mechanism, and its solutions.
pub struct System {
    factor: BlockCholesky,
    pub right: Vec<Block6>,
}

impl System {
    pub fn new(mechanism: &Mechanism) -> Self {
        let pairs = mechanism.joints.iter().filter_map(|joint| joint.bodies[0].zip(joint.bodies[1]));
        let bodies = mechanism.bodies.len();
        Self { factor: BlockCholesky::new(bodies, pairs), right: vec![[0.0; 6]; bodies] }
    }

    /// Makes and factors the matrix, with a weight by joint and a term of rotation by body.
    pub fn factor(&mut self, mechanism: &Mechanism, weights: &[DMat3], rotation: &[DMat3]) -> bool {
        self.factor.clear();
        for (index, body) in mechanism.bodies.iter().enumerate() {
            let mass = DMat3::from_diagonal(DVec3::splat(body.mass));
            let inertia = body.inertia() + rotation.get(index).copied().unwrap_or(DMat3::ZERO);
            self.factor.add(index, index, &block(mass, DMat3::ZERO, DMat3::ZERO, inertia));
        }
        for (joint, &weight) in mechanism.joints.iter().zip(weights) {
            let levers = mechanism.levers(joint).map(skew);
            for (row, column) in [(0, 0), (1, 1), (0, 1)] {
                if let (Some(a), Some(b)) = (joint.bodies[row], joint.bodies[column]) {
                    let weight = if row == column { weight } else { -weight };
                    let (left, right) = (levers[row], levers[column]);
                    let block = block(weight, -weight * right, left * weight, -left * weight * right);
                    self.factor.add(a, b, &block);
                }
            }
        }
        self.factor.factor()
    }

    /// The right side of the bodies' momenta.
    pub fn start_from_momenta(&mut self, mechanism: &Mechanism) {
        for (right, body) in self.right.iter_mut().zip(&mechanism.bodies) {
            let momenta = [body.mass * body.velocity, body.inertia() * body.spin];
            right[..3].copy_from_slice(&momenta[0].to_array());
            right[3..].copy_from_slice(&momenta[1].to_array());
        }
    }

    /// Adds the impulses of joints to the right side.
    pub fn add_impulses(&mut self, mechanism: &Mechanism, impulses: impl Iterator<Item = DVec3>) {
        for (joint, impulse) in mechanism.joints.iter().zip(impulses) {
            let levers = mechanism.levers(joint);
            let ends = levers.into_iter().zip([-impulse, impulse]);
            for (body, (lever, impulse)) in joint.bodies.into_iter().zip(ends) {
                if let Some(body) = body {
                    let torque = lever.cross(impulse);
                    for axis in 0..3 {
                        self.right[body][axis] += impulse[axis];
                        self.right[body][axis + 3] += torque[axis];
                    }
                }
            }
        }
    }

    /// Solves for the right side, and returns velocities by body.
    pub fn solve(&mut self) -> impl Iterator<Item = [DVec3; 2]> + '_ {
        self.factor.solve(&mut self.right);
        self.right.iter().map(|v| [DVec3::from_slice(&v[..3]), DVec3::from_slice(&v[3..])])
    }
}

/// A block of four.
fn block(linear: DMat3, upper: DMat3, lower: DMat3, angular: DMat3) -> Block {
    let mut block = [[0.0; 6]; 6];
    for (i, row) in block.iter_mut().enumerate() {
        for (j, value) in row.iter_mut().enumerate() {
            let part = [[linear, upper], [lower, angular]][i / 3][j / 3];
            *value = part.col(j % 3)[i % 3];
        }
    }
    block
}

/// Geometric stiffness by body: the second derivative of joint errors by rotation, times the forces
/// (N) on the second bodies, in its positive semidefinite part (Tournier et al. 2015, Andrews et al.
/// 2017).
pub fn geometric_stiffness(mechanism: &Mechanism, forces: &[DVec3]) -> Vec<DMat3> {
    let mut stiffness = vec![DMat3::ZERO; mechanism.bodies.len()];
    for (joint, &force) in mechanism.joints.iter().zip(forces) {
        let levers = mechanism.levers(joint);
        for (body, (lever, pull)) in joint.bodies.into_iter().zip(levers.into_iter().zip([force, -force])) {
            if let Some(body) = body {
                stiffness[body] += stiffness_of_pull(pull, lever);
            }
        }
    }
    stiffness.into_iter().map(positive_part).collect()
}

/// Geometric stiffness of a pull (N) on a lever (m): `(p r^T + r p^T) / 2 - p . r`.
pub fn stiffness_of_pull(pull: DVec3, lever: DVec3) -> DMat3 {
    let product = DMat3::from_cols(pull * lever.x, pull * lever.y, pull * lever.z);
    0.5 * (product + product.transpose()) - DMat3::from_diagonal(DVec3::splat(pull.dot(lever)))
}

/// The nearest positive semidefinite matrix to a symmetric one: negative eigenvalues are left out
/// (rotations of Jacobi).
fn positive_part(mut matrix: DMat3) -> DMat3 {
    let mut vectors = DMat3::IDENTITY;
    for _ in 0..8 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = matrix.col(q)[p];
            if off.abs() <= 1e-14 * (matrix.col(p)[p].abs() + matrix.col(q)[q].abs()) {
                continue;
            }
            let angle = 0.5 * (2.0 * off).atan2(matrix.col(q)[q] - matrix.col(p)[p]);
            let mut rotation = DMat3::IDENTITY;
            rotation.col_mut(p)[p] = angle.cos();
            rotation.col_mut(q)[q] = angle.cos();
            rotation.col_mut(p)[q] = -angle.sin();
            rotation.col_mut(q)[p] = angle.sin();
            matrix = rotation.transpose() * matrix * rotation;
            vectors *= rotation;
        }
    }
    let values = DVec3::new(matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z).max(DVec3::ZERO);
    vectors * DMat3::from_diagonal(values) * vectors.transpose()
}
