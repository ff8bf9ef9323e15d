//! Bodies before a step, and their energies over it.

use crate::bodies::Bodies;
use crate::math::{DVec3, Quat, Real, Vec3, to_f64};
use crate::motion::energy::work;
use crate::parallel::Indices;
use crate::state::State;
use crate::systems::joints::JointedPose;
use crate::tolerances::JOINT_SUBSTEPS;

/// The bodies before the impacts of a step, by slot.
#[derive(Default)]
pub(super) struct Starts {
    pub(super) center: Vec<Vec3>,
    pub(super) center_compensation: Vec<Vec3>,
    pub(super) orientation: Vec<Quat>,
    pub(super) linear_velocity: Vec<Vec3>,
    pub(super) angular_velocity: Vec<Vec3>,
}

impl Starts {
    pub(super) fn pose(&self, slot: usize) -> JointedPose {
        (self.center[slot], self.center_compensation[slot], self.orientation[slot])
    }

    pub(super) fn record(&mut self, bodies: &Bodies, changed: Indices) {
        macro_rules! record {
            ($($column:ident),*) => {
                match changed {
                    Indices::All(_) => {
                        $(self.$column.clone_from(&bodies.$column);)*
                    }
                    Indices::Listed(list) => {
                        for slot in list.iter().map(|&slot| slot as usize) {
                            $(self.$column[slot] = bodies.$column[slot];)*
                        }
                    }
                }
            };
        }
        record!(center, center_compensation, orientation, linear_velocity, angular_velocity);
    }
}

/// Energies of a body over the step (J).
#[derive(Clone, Copy, Default)]
pub(super) struct BodyFlow {
    pub(super) before: [f64; 2],
    pub(super) after: f64,
    pub(super) gravity: f64,
    pub(super) forces: f64,
    /// Kinetic energy of one step of its acceleration.
    pub(super) fall: f64,
    /// Kinetic energy of a motion by the rounding of its extent in a substep.
    pub(super) rounding: f64,
    /// Force of its acceleration (N).
    pub(super) weight: f64,
}

impl BodyFlow {
    pub(super) fn of(state: &State, starts: &Starts, slot: usize) -> Self {
        let State { bodies, settings, dt, .. } = state;
        let dt = f64::from(*dt);
        let velocities = [starts.linear_velocity[slot], starts.angular_velocity[slot]];
        let before = bodies.kinetic_energies_at(slot, velocities, starts.orientation[slot]);
        let from = to_f64(starts.center[slot]) + to_f64(starts.center_compensation[slot]);
        let (mass, moved) = (f64::from(bodies.mass[slot]), center(bodies, slot) - from);
        let inputs = &bodies.inputs[slot];
        let free = to_f64(bodies.free_axes(slot));
        let gravity = work(to_f64(inputs.gravity(settings.gravity)) * free * mass, moved);
        let mut forces = inputs.force.map_or(0.0, |force| work(to_f64(force.0) * free, moved));
        let torque = to_f64(bodies.torque[slot]);
        if torque != DVec3::ZERO {
            let mean = 0.5 * (to_f64(velocities[1]) + to_f64(bodies.angular_velocity[slot]));
            forces += dt * torque.dot(mean);
        }
        let after = bodies.kinetic_energies(slot).iter().sum();
        let acceleration = to_f64(bodies.acceleration[slot]).length();
        let weight = mass * acceleration;
        // Centres are compensated; what joints connect is not.
        let rounded = f64::from(Real::EPSILON * bodies.radius[slot]) * f64::from(JOINT_SUBSTEPS) / dt;
        let [fall, rounding] = [acceleration * dt, rounded].map(|speed| 0.5 * mass * speed * speed);
        Self { before, after, gravity, forces, fall, rounding, weight }
    }
}

/// The centre of mass with its rounding error (m).
pub(super) fn center(bodies: &Bodies, slot: usize) -> DVec3 {
    to_f64(bodies.center[slot]) + to_f64(bodies.center_compensation[slot])
}
