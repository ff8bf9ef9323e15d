//! Damped soft rows at the level of velocities, then rigid ones without bias (soft constraints of
//! Catto 2011, solved with relaxation as in Box2D 3 and Box3D).

use super::Method;
use crate::mechanism::{Joint, Mechanism};
use crate::system::{RIGID, System};
use glam::DVec3;

/// Damping ratio of the rows.
const DAMPING: f64 = 2.0;

/// Cycles of the rows' springs in a substep.
const CYCLES: f64 = 0.25;

/// The coefficients of a soft row in a substep.
struct Soft {
    /// Rate at which the error decays (1/s).
    rate: f64,
    /// Impulse of a row that is at rest against its relative velocity, in effective masses.
    weight: f64,
}

impl Soft {
    fn new(h: f64) -> Self {
        let phase = std::f64::consts::TAU * CYCLES;
        Self { rate: phase / (h * (2.0 * DAMPING + phase)), weight: phase * (2.0 * DAMPING + phase) }
    }
}

/// One sweep of soft rows and one of rigid rows a substep.
pub struct Sweeps {
    substeps: usize,
    impulses: Vec<DVec3>,
}

impl Sweeps {
    pub fn new(mechanism: &Mechanism, substeps: usize) -> Self {
        Self { substeps, impulses: vec![DVec3::ZERO; mechanism.joints.len()] }
    }

    fn sweep(&mut self, mechanism: &mut Mechanism, soft: Option<&Soft>) {
        for index in 0..mechanism.joints.len() {
            let joint = mechanism.joints[index];
            let levers = mechanism.levers(&joint);
            let mass = mechanism.inverse_effective_mass(&joint, levers).inverse();
            let velocity = mechanism.relative_velocity(&joint, levers);
            let sum = &mut self.impulses[index];
            let impulse = match soft {
                Some(soft) => {
                    let share = 1.0 / (1.0 + soft.weight);
                    let wanted = velocity + soft.rate * mechanism.error(&joint);
                    -(soft.weight * share) * (mass * wanted) - share * *sum
                }
                None => -(mass * velocity),
            };
            *sum += impulse;
            mechanism.apply(&joint, levers, impulse);
        }
    }
}

impl Method for Sweeps {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        let h = dt / self.substeps as f64;
        for _ in 0..self.substeps {
            mechanism.kick(h);
            warm_start(mechanism, &self.impulses);
            self.sweep(mechanism, Some(&Soft::new(h)));
            mechanism.drift(h);
            self.sweep(mechanism, None);
        }
    }
}

/// Applies the impulses of the last substep along the levers of now.
fn warm_start(mechanism: &mut Mechanism, impulses: &[DVec3]) {
    for (index, &impulse) in impulses.iter().enumerate() {
        let joint: Joint = mechanism.joints[index];
        let levers = mechanism.levers(&joint);
        mechanism.apply(&joint, levers, impulse);
    }
}

/// All rows of a pass at once, by a sparse factor.
pub struct Direct {
    substeps: usize,
    soft: bool,
    system: System,
    impulses: Vec<DVec3>,
}

impl Direct {
    pub fn new(mechanism: &Mechanism, substeps: usize, soft: bool) -> Self {
        let impulses = vec![DVec3::ZERO; mechanism.joints.len()];
        Self { substeps, soft, system: System::new(mechanism), impulses }
    }

    /// Solves all rows with a weight (effective masses) and a bias (m/s) by joint. Soft rows sum up
    /// their impulses; rigid ones hold whatever comes.
    fn pass(&mut self, mechanism: &mut Mechanism, weight: f64, soft: bool, bias: impl Fn(DVec3) -> DVec3) {
        let weights = mechanism.row_weights(weight);
        let biases: Vec<DVec3> = mechanism.joints.iter().map(|joint| bias(mechanism.error(joint))).collect();
        if !self.system.factor(mechanism, &weights, &[]) {
            return;
        }
        // Velocities already contain the impulses so far: a soft row gives what its spring lacks.
        self.system.start_from_momenta(mechanism);
        let missing = weights
            .iter()
            .zip(&biases)
            .zip(&self.impulses)
            .map(|((&weight, &bias), &sum)| -(weight * bias) - if soft { sum } else { DVec3::ZERO });
        self.system.add_impulses(mechanism, missing);
        for (body, [velocity, spin]) in mechanism.bodies.iter_mut().zip(self.system.solve()) {
            (body.velocity, body.spin) = (velocity, spin);
        }
        for (index, sum) in self.impulses.iter_mut().enumerate() {
            let joint = &mechanism.joints[index];
            let velocity = mechanism.relative_velocity(joint, mechanism.levers(joint));
            let total = -(weights[index] * (velocity + biases[index]));
            *sum = if soft { total } else { *sum + total };
        }
    }
}

impl Method for Direct {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        let h = dt / self.substeps as f64;
        let soft = Soft::new(h);
        for _ in 0..self.substeps {
            mechanism.kick(h);
            warm_start(mechanism, &self.impulses);
            let weight = if self.soft { soft.weight } else { RIGID };
            self.pass(mechanism, weight, self.soft, |error| soft.rate * error);
            mechanism.drift(h);
            self.pass(mechanism, RIGID, false, |_| DVec3::ZERO);
        }
    }
}
