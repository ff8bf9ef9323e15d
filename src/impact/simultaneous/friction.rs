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

/// Constraint force mixing: compliance of a contact along its normal, as a share of its response. What
/// two moving walls crush has no impulses that stop both, and would get any. Larger: the approach that
/// is left. Smaller: impulses whose rounding turns the crushed body.
const COMPLIANCE: f64 = 1e-6;

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
        let mut normals: Vec<f64> = (0..n * n).map(|at| axis(3 * (at / n) + 2, 3 * (at % n) + 2)).collect();
        (0..n).for_each(|contact| normals[contact * n + contact] *= 1.0 + COMPLIANCE);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;

    /// A ball of 2 kg on the ground under a wall that comes down at a speed (m/s), both along y.
    fn crushed(speed: f64) -> FrictionalBlock {
        let frame = [DVec3::Z, DVec3::X, DVec3::Y];
        let rows: Vec<DVec3> = [1.0, -1.0].iter().flat_map(|sign| frame.map(|axis| axis * *sign)).collect();
        let matrix = rows.iter().flat_map(|row| rows.iter().map(|column| row.dot(*column) / 2.0)).collect();
        let fall = DVec3::new(0.3, -1.0, 0.0);
        let mut velocity: Vec<f64> = rows.iter().map(|row| row.dot(fall)).collect();
        velocity[5] -= speed;
        FrictionalBlock { matrix, velocity, friction: vec![0.5; 2] }
    }

    #[test]
    fn what_moving_walls_crush_gets_impulses_in_proportion_to_its_momentum() {
        for speed in [1e-6, 1.0, 100.0] {
            let impulses = crushed(speed).plastic().unwrap();
            let most = impulses.iter().fold(0.0, |most: f64, impulse| most.max(impulse.abs()));
            assert!(most <= 2.0 * (1.0 + speed) / COMPLIANCE, "{speed} m/s: {impulses:?}");
            let along = [impulses[2] - impulses[5], impulses[0] - impulses[3], impulses[1] - impulses[4]];
            assert!(along.iter().all(|sum| sum.abs() <= 2.0 * (1.0 + speed)), "{speed} m/s: {along:?}");
        }
    }

    #[test]
    fn a_ball_that_nothing_crushes_is_stopped() {
        let impulses = crushed(-3.0).plastic().unwrap();
        assert!((impulses[2] - 2.0).abs() < 1e-5 && impulses[5] == 0.0, "{impulses:?}");
    }
}
