//! Forces that joints may exert, as statics and the laws of rest see them.

use crate::math::DVec3;
use crate::resting::block::Vec6;
use crate::resting::input::WORLD;
use crate::resting::problem::Problem;

/// A force or torque between two bodies whose direction is known and whose strength is not: one row of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The two bodies, or [`WORLD`].
    pub bodies: [u32; 2],
    /// The force on the second body for a strength of one, world axes; the opposite one acts on the first.
    pub force: DVec3,
    /// The torques on the second body, and on the first with its sign turned, about their own centres of mass, for a strength of
    /// one: that of the first body, then that of the second.
    pub torques: [DVec3; 2],
    /// The least and the greatest strength (N, or N m where it is a torque); infinite where nothing bounds it.
    pub range: [f64; 2],
}

impl Bond {
    /// The strength nearest to none.
    pub(super) fn base(&self) -> f64 {
        0.0_f64.clamp(self.range[0], self.range[1])
    }

    /// Whether it names bodies that are there, and its numbers make sense.
    pub(super) fn is_possible(&self, problem: &Problem) -> bool {
        let known = |body: u32| body == WORLD || (body as usize) < problem.body_count();
        self.bodies.into_iter().all(known)
            && self.force.is_finite()
            && self.torques.iter().all(|torque| torque.is_finite())
            && self.range[0] <= self.range[1]
            && self.base().is_finite()
    }

    /// What a strength of one does to each of its bodies.
    pub(super) fn pulls(&self) -> impl Iterator<Item = Pull> + '_ {
        let sides = [(self.bodies[0], -1.0, self.torques[0]), (self.bodies[1], 1.0, self.torques[1])];
        let real = sides.into_iter().filter(|side| side.0 != WORLD);
        real.map(|(body, sign, torque)| Pull { body, force: sign * self.force, torque: sign * torque })
    }
}

/// A force on a body's centre of mass, and a torque about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    pub body: u32,
    pub force: DVec3,
    pub torque: DVec3,
}

impl Pull {
    pub fn times(self, by: f64) -> Self {
        Self { force: self.force * by, torque: self.torque * by, ..self }
    }

    /// In the scaled body space.
    pub fn scaled(&self, problem: &Problem) -> Vec6 {
        let (body, scales) = (&problem.bodies[self.body as usize], &problem.scales[self.body as usize]);
        let torque = body.principal_axes.transpose() * self.torque;
        let parts = [self.force.x, self.force.y, self.force.z, torque.x, torque.y, torque.z];
        std::array::from_fn(|k| parts[k] * scales[k])
    }
}
