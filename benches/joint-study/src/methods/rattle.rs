//! Rigid rows by RATTLE (Andersen 1983) with a direct factor, and with an inertia that grows with the
//! geometric stiffness of the joints' forces: `M + c h^2 G`. From c = 1/4 on no oscillation about a
//! joint's pull is too fast for any substep, since `h^2 G < 4 (M + c h^2 G)`.

use super::Method;
use super::stable::Stable;
use crate::mechanism::{GRAVITY, Joint, Mechanism};
use crate::system::{RIGID, System, geometric_stiffness};
use glam::{DMat3, DVec3};

/// Iterations that bring anchors together, and of what the weights leave of velocities.
const ITERATIONS: usize = 3;

/// RATTLE in so many substeps.
pub struct Rattle {
    substeps: usize,
    /// The coefficient c.
    geometric: f64,
    system: System,
    /// Forces on the second bodies (N), of the last substep.
    forces: Vec<DVec3>,
}

impl Rattle {
    pub fn new(mechanism: &Mechanism, substeps: usize, geometric: f64) -> Self {
        let forces = vec![DVec3::ZERO; mechanism.joints.len()];
        Self { substeps, geometric, system: System::new(mechanism), forces }
    }

    /// Factors the rows of the present poses. Returns their weights.
    fn factor(&mut self, mechanism: &Mechanism, h: f64) -> Vec<DMat3> {
        let rotation: Vec<DMat3> = match self.geometric > 0.0 {
            true => geometric_stiffness(mechanism, &self.forces)
                .into_iter()
                .map(|stiffness| self.geometric * h * h * stiffness)
                .collect(),
            false => Vec::new(),
        };
        let weights = mechanism.row_weights(RIGID);
        self.system.factor(mechanism, &weights, &rotation);
        weights
    }

    /// Changes velocities so that relative velocities of the present rows change by the opposite of
    /// `misses`. Returns the impulses.
    fn correct(&mut self, mechanism: &mut Mechanism, weights: &[DMat3], misses: &[DVec3]) -> Vec<DVec3> {
        self.system.right.fill([0.0; 6]);
        let pushes = weights.iter().zip(misses).map(|(&weight, &miss)| -(weight * miss));
        self.system.add_impulses(mechanism, pushes);
        let changes: Vec<[DVec3; 2]> = self.system.solve().collect();
        let mut change = mechanism.clone();
        for (body, [velocity, spin]) in change.bodies.iter_mut().zip(&changes) {
            (body.velocity, body.spin) = (*velocity, *spin);
        }
        for (body, [velocity, spin]) in mechanism.bodies.iter_mut().zip(changes) {
            body.velocity += velocity;
            body.spin += spin;
        }
        let impulse = |(index, joint): (usize, &Joint)| {
            let moved = change.relative_velocity(joint, change.levers(joint));
            -(weights[index] * (misses[index] + moved))
        };
        mechanism.joints.iter().enumerate().map(impulse).collect()
    }

    /// Moves a mechanism by a substep (s).
    pub fn substep(&mut self, mechanism: &mut Mechanism, h: f64) {
        mechanism.kick(0.5 * h);
        let weights = self.factor(mechanism, h);
        let mut sums = vec![DVec3::ZERO; mechanism.joints.len()];
        for _ in 0..ITERATIONS {
            let mut end = mechanism.clone();
            end.drift(h);
            let misses: Vec<DVec3> = end.joints.iter().map(|joint| end.error(joint) / h).collect();
            let impulses = self.correct(mechanism, &weights, &misses);
            sums.iter_mut().zip(impulses).for_each(|(sum, impulse)| *sum += impulse);
        }
        mechanism.drift(h);
        mechanism.kick(0.5 * h);
        // These impulses are half of the force of the substep, those of the velocities the rest.
        self.forces = sums.iter().map(|&sum| 2.0 * sum / h).collect();
        let weights = self.factor(mechanism, h);
        let mut halves = vec![DVec3::ZERO; mechanism.joints.len()];
        for _ in 0..ITERATIONS {
            let relative = |joint| mechanism.relative_velocity(joint, mechanism.levers(joint));
            let misses: Vec<DVec3> = mechanism.joints.iter().map(relative).collect();
            let impulses = self.correct(mechanism, &weights, &misses);
            halves.iter_mut().zip(impulses).for_each(|(half, impulse)| *half += impulse);
        }
        self.forces = sums.iter().zip(halves).map(|(&sum, half)| (sum + half) / h).collect();
    }
}

impl Method for Rattle {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        let h = dt / self.substeps as f64;
        for _ in 0..self.substeps {
            self.substep(mechanism, h);
        }
    }
}

/// RATTLE with geometric inertia; a substep that ends with more energy than it began with is done
/// again by the implicit method, which only takes energy.
pub struct Passive {
    rattle: Rattle,
    stable: Stable,
    tolerance: f64,
}

impl Passive {
    pub fn new(mechanism: &Mechanism, substeps: usize) -> Self {
        let weight: f64 = mechanism.bodies.iter().map(|body| body.mass * GRAVITY.length()).sum();
        let tolerance = RELATIVE_GAIN * weight;
        let (rattle, stable) = (Rattle::new(mechanism, substeps, 0.25), Stable::new(mechanism, substeps, true));
        Self { rattle, stable, tolerance }
    }
}

/// Gain of a substep that is taken for rounding and for what comes and goes, as a share of the
/// energy of a fall by a metre.
const RELATIVE_GAIN: f64 = 1e-6;

impl Method for Passive {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        let h = dt / self.rattle.substeps as f64;
        for _ in 0..self.rattle.substeps {
            let (start, energy) = (mechanism.clone(), mechanism.energy());
            let forces = self.rattle.forces.clone();
            self.rattle.substep(mechanism, h);
            let gain = mechanism.energy() - energy;
            if gain.is_nan() || gain > self.tolerance {
                *mechanism = start;
                self.stable.substep(mechanism, h, Some(&forces));
                self.rattle.forces = self.stable.forces().to_vec();
            }
        }
    }
}
