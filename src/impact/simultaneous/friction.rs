//! Simultaneous plastic impact with Coulomb friction, by staggered projections.
//!
//! The normal impulses for given friction are a linear complementarity problem, and the friction
//! for given normal impulses a minimum over discs; each lowers the kinetic energy, and the two
//! alternate (Kaufman, Sueda, James and Pai 2008, "Staggered projections for frictional contact in
//! multibody systems"). The normal problem is solved directly, so a light body between heavy ones
//! takes no more rounds than one among its equals.

use super::{Block, BlockOutcome, energy_preserving_scale, plastic};

/// Rounds of normal impulses and friction. More: only cost. Fewer: contacts that friction turns
/// still approach, by the friction of the last round.
const ROUNDS: u32 = 16;

/// Contacts that collide at the same instant, each with a frame of two tangents and the normal.
pub(crate) struct FrictionalBlock {
    /// The velocity at each axis per impulse along each axis, row by row (1/kg): symmetric and
    /// positive semidefinite.
    pub matrix: Vec<f64>,
    /// The velocities before (m/s).
    pub velocity: Vec<f64>,
    /// The coefficients of friction.
    pub friction: Vec<f64>,
}

impl FrictionalBlock {
    /// The plastic impulses along each axis (N s); `None` if a contact has no response, or a number
    /// is not finite. They add no energy.
    pub fn plastic(&self) -> Option<Vec<f64>> {
        let (n, size) = (self.friction.len(), self.velocity.len());
        let axis = |row: usize, column: usize| self.matrix[row * size + column];
        let normals: Vec<f64> = (0..n * n).map(|at| axis(3 * (at / n) + 2, 3 * (at % n) + 2)).collect();
        let restitution = vec![0.0; n];
        let mut impulses = vec![0.0; size];
        let mut velocities = self.velocity.clone();
        for _ in 0..ROUNDS {
            // The velocities with the friction of the round before, and without normal impulses.
            for contact in 0..n {
                self.change(&mut impulses, &mut velocities, 3 * contact + 2, 0.0);
            }
            let velocity: Vec<f64> = (0..n).map(|contact| velocities[3 * contact + 2]).collect();
            let block = Block { matrix: &normals, velocity: &velocity, restitution: &restitution };
            let BlockOutcome { impulses: along, .. } = plastic(&block).ok()?;
            for (contact, &impulse) in along.iter().enumerate() {
                self.change(&mut impulses, &mut velocities, 3 * contact + 2, impulse);
            }
            for contact in 0..n {
                self.project_friction(&mut impulses, &mut velocities, contact);
            }
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let before = dot(&impulses, &self.velocity);
        let scale = energy_preserving_scale(before, dot(&impulses, &velocities) - before);
        impulses.iter_mut().for_each(|impulse| *impulse *= scale);
        Some(impulses)
    }

    /// Replaces an impulse, and updates the velocities.
    fn change(&self, impulses: &mut [f64], velocities: &mut [f64], at: usize, new: f64) {
        let by = new - impulses[at];
        impulses[at] = new;
        if by != 0.0 {
            let size = velocities.len();
            for (velocity, a) in velocities.iter_mut().zip(&self.matrix[at * size..(at + 1) * size]) {
                *velocity += a * by;
            }
        }
    }

    /// The friction of one contact that stops its sliding, within the disc of its normal impulse.
    fn project_friction(&self, impulses: &mut [f64], velocities: &mut [f64], contact: usize) {
        let (size, s, t) = (velocities.len(), 3 * contact, 3 * contact + 1);
        let [ss, st, tt] = [(s, s), (s, t), (t, t)].map(|(row, column)| self.matrix[row * size + column]);
        let determinant = ss * tt - st * st;
        if determinant <= 0.0 {
            return;
        }
        let (u, v) = (velocities[s], velocities[t]);
        let x = impulses[s] - (tt * u - st * v) / determinant;
        let y = impulses[t] - (ss * v - st * u) / determinant;
        let most = self.friction[contact] * impulses[t + 1];
        let length = (x * x + y * y).sqrt();
        let scale = if length > most { most / length } else { 1.0 };
        self.change(impulses, velocities, s, scale * x);
        self.change(impulses, velocities, t, scale * y);
    }
}
