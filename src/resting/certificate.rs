//! The equilibrium certificate: proof that forces inside their cones hold every body.
//!
//! It says nothing about speed: a body in steady motion is in equilibrium too. It needs a solver's
//! own converged impulses: a linear program may invent a squeeze between two walls that the bodies
//! do not produce.

use super::block::Vec6;
use super::cone::{BILATERAL, tangential};
use super::problem::Problem;
use crate::math::DVec3;

/// Distance of the bodies of an island from equilibrium under given impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Equilibrium {
    /// The worst body's acceleration (in g): the larger of that of its centre, and its angular
    /// acceleration times the radius of gyration.
    pub acceleration: f64,
    /// The worst body.
    pub body: u32,
    /// The largest violation of a cone, as a part of the largest impulse: a pulling normal part, or
    /// a tangential part over static friction. Zero if all impulses are inside.
    pub outside: f64,
}

impl Equilibrium {
    /// True if impulses inside their cones hold the bodies within `tolerance` (in g).
    pub fn holds(&self, tolerance: f64) -> bool {
        self.acceleration <= tolerance && self.outside <= crate::tolerances::ROUNDING.solution
    }
}

/// Sums up the forces on every body: its own (gravity, external, gyroscopic) and the contacts',
/// which are `impulses` on the second bodies in world axes (N s), over the step.
///
/// # Panics
/// If there are not as many impulses as contacts.
pub fn equilibrium(problem: &Problem, impulses: &[DVec3]) -> Equilibrium {
    equilibrium_with_joints(problem, impulses, &[])
}

/// The same with the strengths of the joint constraints (N s, N m s).
///
/// # Panics
/// If there are not as many impulses as contacts, or not as many strengths as constraints.
pub fn equilibrium_with_joints(problem: &Problem, impulses: &[DVec3], strengths: &[f64]) -> Equilibrium {
    assert_eq!(impulses.len(), problem.contact_count(), "one impulse for each contact");
    assert_eq!(strengths.len(), problem.constraints.len(), "one strength for each joint constraint");
    let mut local: Vec<DVec3> = impulses.iter().zip(&problem.row_data).map(|(j, c)| c.axes.transpose() * *j).collect();
    local.resize(problem.jacobians.len(), DVec3::ZERO);
    for (slot, &strength) in problem.constraints.iter().zip(strengths) {
        slot.set_strength(strength, &mut local);
    }
    let mut x = Vec::new();
    problem.response(&local, &mut x);
    equilibrium_of(problem, &local, &x)
}

/// The same from impulses in contact axes and `x = sum J^T j`.
pub(super) fn equilibrium_of(problem: &Problem, impulses: &[DVec3], x: &[Vec6]) -> Equilibrium {
    let mut worst = Equilibrium::default();
    let gravity = if problem.gravity > 0.0 { problem.gravity } else { 1.0 };
    for (i, body) in problem.bodies.iter().enumerate() {
        let (linear, angular) = problem.unscale(i, &x[i]);
        let acceleration = body.acceleration + linear / problem.step;
        // About each principal axis: the angular acceleration times its own radius of gyration,
        // sqrt(I / m).
        let turning = body.principal_axes.transpose() * (body.angular_acceleration + angular / problem.step);
        let inverse_mass = body.inverse_mass.max_element();
        let radius = |inverse: f64| if inverse > 0.0 { (inverse_mass / inverse).sqrt() } else { 0.0 };
        let k = body.inverse_inertia;
        let rim = DVec3::new(radius(k.x), radius(k.y), radius(k.z)) * turning;
        // A locked axis bears any force along it.
        let free = |inverse: f64, a: f64| if inverse > 0.0 { a } else { 0.0 };
        let m = body.inverse_mass;
        let centre = DVec3::new(free(m.x, acceleration.x), free(m.y, acceleration.y), free(m.z, acceleration.z));
        let residual = centre.length().max(rim.length()) / gravity;
        if residual > worst.acceleration {
            worst.acceleration = residual;
            worst.body = i as u32;
        }
    }
    let largest = impulses.iter().fold(0.0_f64, |most, j| most.max(j.length()));
    if largest > 0.0 {
        for (j, cold) in impulses.iter().zip(&problem.row_data).filter(|(_, cold)| cold.static_friction != BILATERAL) {
            let excess = (-j.x).max(tangential(*j) - cold.static_friction * j.x.max(0.0));
            worst.outside = worst.outside.max(excess / largest);
        }
    }
    worst
}
