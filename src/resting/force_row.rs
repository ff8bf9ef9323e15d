//! Forces that joints may exert, for statics and the direct solver.

use crate::math::DVec3;
use crate::resting::block::Vec6;
use crate::resting::input::{Body, WORLD};

/// A force or torque between two bodies of known direction and unknown strength: one row of a
/// joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceRow {
    /// The two bodies, or [`WORLD`].
    pub bodies: [u32; 2],
    /// The forces for a strength of one, world axes: that on the first body, with its sign turned, then
    /// that on the second. They are equal but for ropes over points of the world.
    pub forces: [DVec3; 2],
    /// The torques for a strength of one, each about the body's own centre of mass: that of the
    /// first body, with its sign turned, then that on the second body.
    pub torques: [DVec3; 2],
    /// The least and the greatest strength (N, or N m for a torque); infinite if unbounded.
    pub range: [f64; 2],
}

impl ForceRow {
    /// The admissible strength nearest to zero.
    pub(super) fn nearest_to_zero(&self) -> f64 {
        0.0_f64.clamp(self.range[0], self.range[1])
    }

    /// True if its bodies exist and its numbers are consistent.
    pub(super) fn is_valid(&self, bodies: usize) -> bool {
        let known = |body: u32| body == WORLD || (body as usize) < bodies;
        self.bodies.into_iter().all(known)
            && self.forces.iter().all(|force| force.is_finite())
            && self.torques.iter().all(|torque| torque.is_finite())
            && self.range[0] <= self.range[1]
            && self.nearest_to_zero().is_finite()
    }

    /// The wrenches of a strength of one on its bodies.
    pub(super) fn wrenches(&self) -> impl Iterator<Item = BodyWrench> + '_ {
        let real = [(0, -1.0), (1, 1.0)].into_iter().filter(|side| self.bodies[side.0] != WORLD);
        real.map(|(side, sign)| BodyWrench {
            body: self.bodies[side],
            force: sign * self.forces[side],
            torque: sign * self.torques[side],
        })
    }
}

/// A force on a body's centre of mass, and a torque about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyWrench {
    pub body: u32,
    pub force: DVec3,
    pub torque: DVec3,
}

impl BodyWrench {
    pub fn times(self, by: f64) -> Self {
        Self { force: self.force * by, torque: self.torque * by, ..self }
    }

    /// The same in the scaled space of these bodies.
    pub fn scaled(&self, bodies: &[Body], scales: &[Vec6]) -> Vec6 {
        let (body, scales) = (&bodies[self.body as usize], &scales[self.body as usize]);
        let torque = body.principal_axes.transpose() * self.torque;
        let parts = [self.force.x, self.force.y, self.force.z, torque.x, torque.y, torque.z];
        std::array::from_fn(|k| parts[k] * scales[k])
    }
}
